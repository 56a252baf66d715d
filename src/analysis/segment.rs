//! Text → words, by the word boundaries of Unicode (UAX #29), in one pass.
//!
//! A word is a segment between two boundaries that holds an alphanumeric character. Almost all text is ASCII or letters
//! of two bytes (Latin, Greek, Cyrillic, Armenian): [`words`] segments it by a table of classes. What the table does not
//! settle (combining marks, Hebrew, Indic, CJK …) goes through the crate `unicode-segmentation`, from the start of the word
//! to the next ASCII character that no rule joins to its neighbours. Both give the same boundaries; the tests compare them.
//!
//! # Scripts without spaces
//! UAX #29 has no words for Han, kana, Thai, Lao, Khmer and Myanmar: it needs a dictionary there. A run of *units*
//! (a character with its marks) of these scripts becomes overlapping pairs instead: 検索語 gives 検索 and 索語. A run of one
//! unit is that unit. Hangul has spaces between words and stays as UAX #29 cuts it. Digits of these scripts are words.

use unicode_normalization::char::is_combining_mark;
use unicode_segmentation::UnicodeSegmentation;

/// What is known of a word after segmenting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// ASCII without capitals: it is its own lower-cased form.
    Lower,
    /// ASCII with capitals.
    Capitals,
    /// Not only ASCII.
    Unicode,
    /// A pair of neighbouring units of a script without spaces, or a lone one.
    Units,
}

/// A word: its bytes in the text, and its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Word {
    pub start: usize,
    pub end: usize,
    pub kind: Kind,
}

// Classes of ASCII characters, as bits. The letters before the rules (WB…) are those of UAX #29, table 3.
const LETTER: u8 = 1; // ALetter
const CAPITAL: u8 = 2; // beside LETTER
const DIGIT: u8 = 4; // Numeric
const CONNECTOR: u8 = 8; // ExtendNumLet
const BETWEEN_LETTERS: u8 = 16; // MidLetter, MidNumLet, Single_Quote: WB6, WB7
const BETWEEN_DIGITS: u8 = 32; // MidNum, MidNumLet, Single_Quote: WB11, WB12
const BETWEEN_HEBREW: u8 = 64; // Double_Quote: WB7b, WB7c
const HIGH: u8 = 128; // not ASCII

const IN_WORD: u8 = LETTER | DIGIT | CONNECTOR;

static CLASSES: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' => LETTER,
            b'A'..=b'Z' => LETTER | CAPITAL,
            b'0'..=b'9' => DIGIT,
            b'_' => CONNECTOR,
            b':' => BETWEEN_LETTERS,
            b',' | b';' => BETWEEN_DIGITS,
            b'.' | b'\'' => BETWEEN_LETTERS | BETWEEN_DIGITS,
            b'"' => BETWEEN_HEBREW,
            0x80.. => HIGH,
            _ => 0,
        };
        byte += 1;
    }
    classes
}

/// The alphabetic characters of U+0080 to U+07FF that UAX #29 has as ALetter, a bit each. A test compares them with the crate.
pub(super) static LETTERS_OF_TWO_BYTES: [u64; 30] = [
    0x0420_0400_0000_0000,
    0xFF7F_FFFF_FF7F_FFFF,
    0xFFFF_FFFF_FFFF_FFFF,
    0xFFFF_FFFF_FFFF_FFFF,
    0xFFFF_FFFF_FFFF_FFFF,
    0xFFFF_FFFF_FFFF_FFFF,
    0xFFFF_FFFF_FFFF_FFFF,
    0xFFFF_FFFF_FFFF_FFFF,
    0xFFFF_FFFF_FFFF_FFFF,
    0x0000_501F_0003_FFC3,
    0x0000_0000_0000_0000,
    0xBCDF_0000_0000_0000,
    0xFFFF_FFFB_FFFF_D740,
    0xFFBF_FFFF_FFFF_FFFF,
    0xFFFF_FFFF_FFFF_FFFF,
    0xFFFF_FFFF_FFFF_FFFF,
    0xFFFF_FFFF_FFFF_FC03,
    0xFFFF_FFFF_FFFF_FFFF,
    0xFFFE_FFFF_FFFF_FFFF,
    0xFFFF_FFFF_027F_FFFF,
    0x0000_0000_0000_01FF,
    0x0000_0000_0000_0000,
    0xFFFF_FFFF_0000_0000,
    0xFFFE_C000_0000_07FF,
    0xFFFF_FFFF_FFFF_FFFF,
    0x9C00_C060_002F_FFFF,
    0x0000_FFFF_FFFD_0000,
    0xFFFF_FFFF_FFFF_E000,
    0x0002_003F_FFFF_FFFF,
    0x0430_07FF_FFFF_FC00,
];

/// Whether the two bytes are a character of two bytes that is a letter by UAX #29 (ALetter).
#[inline]
fn is_letter(lead: u8, next: u8) -> bool {
    // Leads of two bytes are 0xC2 to 0xDF, each with 64 characters.
    lead.checked_sub(0xC2)
        .and_then(|word| LETTERS_OF_TWO_BYTES.get(usize::from(word)))
        .is_some_and(|letters| letters >> (next & 63) & 1 == 1)
}

/// Whether the three bytes are punctuation of the block General Punctuation that no rule joins to a letter before it:
/// ‐ ‑ ‒ – — ― ‖ ‗ “ ” „ ‟ † ‡ • ‣ …
#[inline]
fn is_punctuation(bytes: &[u8]) -> bool {
    matches!(bytes, [0xE2, 0x80, 0x90..=0x97 | 0x9C..=0xA3 | 0xA6, ..])
}

/// The length of the run of ASCII letters, digits and underscores at the start of `bytes`, which is not empty, and the
/// classes in it that matter to a word: whether all are underscores, and whether there are capitals.
///
/// Sixteen bytes at a time, without a branch per byte: the length of a word cannot be predicted.
#[cfg(target_arch = "x86_64")]
#[inline]
fn run_of_ascii(bytes: &[u8]) -> (usize, u8) {
    use std::arch::x86_64::*;

    let (mut length, mut seen) = (0, 0);
    // Without vectors: 0.75 of the tokens per second (English, 7.6 bytes a token, Sapphire Rapids).
    while let Some(sixteen) = bytes[length..].first_chunk::<16>() {
        let sixteen = u128::from_le_bytes(*sixteen);
        // SAFETY: SSE2 is a part of x86_64; no pointers.
        let (words, capitals, connectors) = unsafe {
            let v = _mm_set_epi64x((sixteen >> 64) as i64, sixteen as i64);
            let within = |v, first: u8, count: i8| {
                let offset = _mm_sub_epi8(v, _mm_set1_epi8(first as i8));
                _mm_cmpeq_epi8(_mm_min_epu8(offset, _mm_set1_epi8(count - 1)), offset)
            };
            let letters = within(_mm_or_si128(v, _mm_set1_epi8(0x20)), b'a', 26);
            let connectors = _mm_cmpeq_epi8(v, _mm_set1_epi8(b'_' as i8));
            let words = _mm_or_si128(_mm_or_si128(letters, connectors), within(v, b'0', 10));
            let mask = |v| _mm_movemask_epi8(v) as u32;
            (mask(words), mask(within(v, b'A', 26)), mask(connectors))
        };
        let run = words.trailing_ones();
        let in_run = (1 << run) - 1;
        seen |= if capitals & in_run != 0 { CAPITAL } else { 0 };
        seen |= if connectors & in_run != in_run { LETTER } else { CONNECTOR };
        length += run as usize;
        if run < 16 {
            return (length, seen);
        }
    }
    let (rest, classes) = run_by_table(&bytes[length..]);
    (length + rest, seen | classes)
}

#[cfg(not(target_arch = "x86_64"))]
use run_by_table as run_of_ascii;

/// [`run_of_ascii`] for the end of a text, and for other processors.
#[inline]
fn run_by_table(bytes: &[u8]) -> (usize, u8) {
    let mut seen = 0;
    for (length, &byte) in bytes.iter().enumerate() {
        let class = CLASSES[usize::from(byte)];
        if class & IN_WORD == 0 {
            return (length, seen);
        }
        seen |= class;
    }
    (bytes.len(), seen)
}

/// Calls `each` for each word of `text`, in order. Linear in the length of the text.
#[inline]
pub(super) fn words(text: &str, mut each: impl FnMut(Word)) {
    let bytes = text.as_bytes();
    let class = |at: usize| bytes.get(at).map_or(0, |&byte| CLASSES[usize::from(byte)]);
    let letter = |at: usize| bytes.get(at + 1).is_some_and(|&next| is_letter(bytes[at], next));

    let mut at = 0;
    'text: while at < bytes.len() {
        let first = class(at);
        if first & (IN_WORD | HIGH) == 0 {
            at += 1;
            continue;
        }
        if first & HIGH != 0 && !letter(at) {
            if is_punctuation(&bytes[at..]) {
                at += 3;
                continue;
            }
            // The character may attach to the one before it, which is in no word.
            let before = text[..at].char_indices().next_back().map_or(0, |(before, _)| before);
            at = segment(text, before, &mut each);
            continue;
        }

        let start = at;
        let mut seen = 0;
        let mut last = 0;
        loop {
            let here = class(at);
            if here & IN_WORD != 0 {
                let (length, classes) = run_of_ascii(&bytes[at..]);
                at += length;
                seen |= classes;
                last = class(at - 1);
                continue;
            }
            if here & HIGH != 0 {
                if letter(at) {
                    last = LETTER;
                    seen |= LETTER | HIGH;
                    at += 2;
                    continue;
                }
                if is_punctuation(&bytes[at..]) {
                    break;
                }
                at = segment(text, start, &mut each);
                continue 'text;
            }
            if here & (BETWEEN_LETTERS | BETWEEN_DIGITS) != 0 {
                let mut next = class(at + 1);
                if next & HIGH != 0 {
                    if letter(at + 1) {
                        next = LETTER;
                    } else if !is_punctuation(&bytes[at + 1..]) {
                        at = segment(text, start, &mut each);
                        continue 'text;
                    }
                }
                let joins = here & BETWEEN_LETTERS != 0 && last & next & LETTER != 0
                    || here & BETWEEN_DIGITS != 0 && last & next & DIGIT != 0;
                if joins {
                    at += 1;
                    continue;
                }
            }
            break;
        }
        if seen & (LETTER | DIGIT) != 0 {
            let kind = match seen & (HIGH | CAPITAL) {
                0 => Kind::Lower,
                CAPITAL => Kind::Capitals,
                _ => Kind::Unicode,
            };
            each(Word { start, end: at, kind });
        }
    }
}

/// Segments `text` with the crate from the boundary `start` to an ASCII character before which there is a boundary,
/// whatever comes after it. Returns its offset.
#[cold]
#[inline(never)]
fn segment(text: &str, start: usize, each: &mut dyn FnMut(Word)) -> usize {
    // At least one character of two bytes or more, or an ASCII character and one of these: so it always advances.
    let from = start + 1;
    let end = text.as_bytes()[from..].iter().position(|&byte| CLASSES[usize::from(byte)] == 0);
    let end = end.map_or(text.len(), |length| from + length);

    let mut run = Run { last: None, alone: false };
    for (at, segment) in text[start..end].split_word_bound_indices() {
        let at = start + at;
        if is_units(segment) {
            for_each_unit(segment, |unit, end| run.push(at + unit, at + end, each));
            continue;
        }
        run.finish(each);
        if segment.contains(char::is_alphanumeric) {
            // Letters that are marks attach to any character before them, and so to spaces.
            let trimmed = segment
                .trim_start_matches(|c: char| c.is_whitespace() || (c.is_ascii() && c != '_' && !c.is_alphanumeric()));
            let kind = match (segment.is_ascii(), segment.contains(|c: char| c.is_ascii_uppercase())) {
                (false, _) => Kind::Unicode,
                (true, true) => Kind::Capitals,
                (true, false) => Kind::Lower,
            };
            each(Word { start: at + segment.len() - trimmed.len(), end: at + segment.len(), kind });
        }
    }
    run.finish(each);
    end
}

/// Units that follow each other without a gap.
struct Run {
    /// The unit before, as bytes in the text.
    last: Option<(usize, usize)>,
    /// Whether it is in no pair yet.
    alone: bool,
}

impl Run {
    fn push(&mut self, start: usize, end: usize, each: &mut dyn FnMut(Word)) {
        self.alone = self.last.is_none();
        if let Some((before, _)) = self.last {
            each(Word { start: before, end, kind: Kind::Units });
        }
        self.last = Some((start, end));
    }

    fn finish(&mut self, each: &mut dyn FnMut(Word)) {
        if let Some((start, end)) = self.last.take()
            && self.alone
        {
            each(Word { start, end, kind: Kind::Units });
        }
    }
}

/// Calls `each` with start and end of each unit of `segment`, which starts with a unit's character.
fn for_each_unit(segment: &str, mut each: impl FnMut(usize, usize)) {
    let mut start = 0;
    for (at, c) in segment.char_indices().skip(1) {
        if is_unit(c) {
            each(start, at);
            start = at;
        }
    }
    each(start, segment.len());
}

/// Whether a character follows the unit's own: marks, joiners, voiced marks of half width.
fn extends(c: char) -> bool {
    is_combining_mark(c) || matches!(c, '\u{200B}'..='\u{200F}' | '\u{FF9E}' | '\u{FF9F}')
}

/// Whether a word of [`Kind::Units`] is a unit by itself, not a pair.
pub(crate) fn is_lone_unit(word: &str) -> bool {
    word.chars().filter(|&c| is_unit(c)).count() == 1
}

/// Whether a word consists of units, as it is in the text or normalized.
pub(super) fn is_units(word: &str) -> bool {
    word.starts_with(is_unit) && word.chars().all(|c| is_unit(c) || extends(c))
}

/// Whether a character begins a unit: a letter of a script without spaces.
pub(super) fn is_unit(c: char) -> bool {
    let in_script = match c {
        ..'\u{0E01}' => false,
        // Thai, Lao without digits
        '\u{0E01}'..='\u{0EFF}' => !matches!(c, '\u{0E50}'..='\u{0E59}' | '\u{0ED0}'..='\u{0ED9}'),
        // Myanmar
        '\u{1000}'..='\u{109F}' => !matches!(c, '\u{1040}'..='\u{1049}' | '\u{1090}'..='\u{1099}'),
        // Khmer
        '\u{1780}'..='\u{17FF}' => !matches!(c, '\u{17E0}'..='\u{17E9}' | '\u{17F0}'..='\u{17F9}'),
        // 々, 〆, 〇, numerals of Suzhou, repeat marks
        '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{3029}' | '\u{3031}'..='\u{3035}' | '\u{3038}'..='\u{303C}' => true,
        // Hiragana, Katakana without the double hyphen and the middle dot
        '\u{3041}'..='\u{30FF}' => !matches!(c, '\u{30A0}' | '\u{30FB}'),
        // Katakana phonetic extensions; Han with extension A
        '\u{31F0}'..='\u{31FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' => true,
        // Myanmar extended; compatibility ideographs; Katakana of half width
        '\u{A9E0}'..='\u{A9FE}' => !matches!(c, '\u{A9F0}'..='\u{A9F9}'),
        '\u{AA60}'..='\u{AA7F}' | '\u{F900}'..='\u{FAFF}' | '\u{FF66}'..='\u{FF9D}' => true,
        // Kana supplements and extensions; Han extensions B and later
        '\u{1AFF0}'..='\u{1B16F}' | '\u{20000}'..='\u{3FFFD}' => true,
        _ => false,
    };
    // The ranges hold marks, symbols and unassigned code points too.
    in_script && c.is_alphabetic() && !is_combining_mark(c)
}
