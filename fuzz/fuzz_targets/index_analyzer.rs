//! Texts of any form in every language, and options of any bytes: terms have their bounds and lie in the text, in order.
//! `cargo fuzz run index_analyzer` (with `-s none` without a nightly compiler).

#![no_main]

use libfuzzer_sys::fuzz_target;
use postings::analysis::{self, Analyzer, MAX_TERM, AnalyzerOptions, Scratch};
use std::sync::OnceLock;

fuzz_target!(|input: (u8, &str, &[u8])| {
    static ALL: OnceLock<Vec<Analyzer>> = OnceLock::new();
    let all = ALL.get_or_init(|| {
        let languages = std::iter::once(None).chain(analysis::languages().map(|name| Some(name.to_owned())));
        let options = languages.flat_map(|language| {
            [(false, false), (true, false), (false, true)].map(|(fold, parts)| {
                let compounds = if fold { ["ab", "aa", "ss", "éa", "a.b"].map(String::from).into() } else { Vec::new() };
                AnalyzerOptions { language: language.clone(), fold, parts, compounds, ..AnalyzerOptions::default() }
            })
        });
        options.map(|options| Analyzer::new(options).expect("a known language")).collect()
    });
    let (which, text, bytes) = input;
    let analyzer = &all[usize::from(which) % all.len()];
    let mut tokens = Vec::new();
    let mut scratch = Scratch::new();
    analyzer.tokens(text, &mut scratch, |token| {
        assert!((1..=MAX_TERM).contains(&token.term.len()));
        assert!(token.start < token.end && text.get(token.start..token.end).is_some());
        tokens.push((token.term.to_owned(), token.position, token.start, token.end, token.is_part));
    });
    assert!(tokens.is_sorted_by(|a, b| a.1 < b.1));
    // Parts lie within the word before them.
    let mut word = 0..0;
    for (_, _, start, end, is_part) in &tokens {
        match is_part {
            true => assert!(word.start <= *start && *end <= word.end),
            false => {
                assert!(word.is_empty() || word.start < *start);
                word = *start..*end;
            }
        }
    }
    let mut again = Vec::new();
    analyzer.tokens(text, &mut scratch, |token| {
        again.push((token.term.to_owned(), token.position, token.start, token.end, token.is_part));
    });
    assert_eq!(tokens, again);
    if let Ok(read) = Analyzer::from_bytes(bytes) {
        assert_eq!(Analyzer::from_bytes(&read.to_bytes()), Ok(read));
    }
});
