//! The language of a text, by the crate `whatlang`: trigrams, and the script.

use super::languages;
use whatlang::detect as of_text;

/// Longer texts are judged by their beginning, in bytes: more of it would hardly change the answer.
const ENOUGH: usize = 4096;

/// The language of a text, if that is [known](languages) and the text leaves little doubt: some dozen words usually do.
/// Takes as long for a long text as for one of 4 KiB.
pub fn detect(text: &str) -> Option<&'static str> {
    let enough = (0..=ENOUGH.min(text.len())).rev().find(|&at| text.is_char_boundary(at))?;
    let found = of_text(&text[..enough]).filter(whatlang::Info::is_reliable)?;
    // Snowball and the crate name languages in English alike, but for this one, and one of two forms of Norwegian.
    let name = match found.lang() {
        whatlang::Lang::Nob => "norwegian".to_owned(),
        whatlang::Lang::Pes => "persian".to_owned(),
        language => language.eng_name().to_lowercase(),
    };
    languages().find(|language| *language == name)
}
