//! Word → normalized word: lower-cased, in composed form, and folded if asked.
//!
//! Always: full lower-casing of Unicode (no rules of single languages: a Turkish I becomes i), NFC, typographic
//! apostrophes become `'`, and characters that are not seen (soft hyphens, joiners of words, marks of direction, variation
//! selectors) go.
//!
//! Folding, besides: compatibility forms (ﬁ, ², full width) become the plain ones (NFKC), accents and other marks go, and
//! letters that only look composed are spelt out (ß → ss, ø → o, æ → ae). Marks that make another letter of their script
//! stay: those of Cyrillic й ў ї ѓ ќ, the voiced marks of kana, vowel signs, viramas and nuktas of Indic scripts, and the
//! vowels of Thai and Lao. Two words that fold to the same have the same term, as stemming comes after.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{canonical_combining_class, is_combining_mark};
use unicode_normalization::{IsNormalized, is_nfc_quick};

/// Writes the normalized `word` to `normalized`, in place of what is there.
pub(super) fn normalize(word: &str, fold: bool, normalized: &mut String) {
    normalized.clear();
    if word.is_ascii() {
        normalized.push_str(word);
        normalized.make_ascii_lowercase();
        return;
    }
    if fold {
        fold_to(word, normalized);
    } else if word.contains('Σ') {
        // Lower-cased in another way at the end of a word, which `char` does not know.
        normalized.extend(word.to_lowercase().chars().filter_map(seen));
    } else {
        normalized.extend(word.chars().filter_map(seen).flat_map(char::to_lowercase));
    }
    if is_nfc_quick(normalized.chars()) != IsNormalized::Yes {
        *normalized = normalized.nfc().collect();
    }
}

/// Lower-cases and folds `word`, without composing what is left.
fn fold_to(word: &str, folded: &mut String) {
    let mut base = '\0';
    for c in word.nfkd().filter_map(seen).flat_map(char::to_lowercase) {
        if is_combining_mark(c) {
            if stays(base, c) {
                folded.push(c);
            }
            continue;
        }
        base = c;
        match spelt_out(c) {
            Some(letters) => folded.push_str(letters),
            None => folded.push(c),
        }
    }
}

/// The character as it is indexed, or none if it is not seen.
fn seen(c: char) -> Option<char> {
    match c {
        '\u{2018}' | '\u{2019}' | '\u{201B}' | '\u{FF07}' => Some('\''),
        '\u{AD}' | '\u{34F}' | '\u{180B}'..='\u{180F}' | '\u{200B}' | '\u{200E}' | '\u{200F}' => None,
        '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' => None,
        '\u{E0000}'..='\u{E0FFF}' => None,
        _ => Some(c),
    }
}

/// Whether folding keeps `mark` after `base`.
fn stays(base: char, mark: char) -> bool {
    if matches!((base, mark), ('и' | 'у', '\u{306}') | ('і', '\u{308}') | ('г' | 'к', '\u{301}')) {
        return true;
    }
    // By canonical combining class: 1 are overlays, 10 to 36 the points of Hebrew, Arabic and Syriac, 200 and above the
    // marks around a letter (accents). What is left: 0 vowel signs, 7 nuktas, 8 marks of kana, 9 viramas, 84 to 132 vowels
    // and tones.
    !matches!(canonical_combining_class(mark), 1 | 10..=36 | 200..)
}

/// Letters that no normalization form of Unicode takes apart.
fn spelt_out(c: char) -> Option<&'static str> {
    Some(match c {
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'ø' => "o",
        'đ' | 'ð' => "d",
        'ħ' => "h",
        'ı' => "i",
        'ł' => "l",
        'ŋ' => "n",
        'ŧ' => "t",
        'þ' => "th",
        'ς' => "σ",
        '\u{640}' => "", // tatweel lengthens an Arabic word
        _ => return None,
    })
}
