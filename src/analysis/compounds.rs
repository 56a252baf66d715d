//! [`Compounds`]: the words that a compound is made of: `dampf`, `schiff` and `fahrt` in `dampfschifffahrt`.
//!
//! A compound is two to [`MOST_PARTS`] words of a list in a row, with nothing between them or one of [`LINKS`]. The last one may
//! have any form that has the stem of a word of the list: `gläser` in `schutzgläser`, if the list has `glas`. Of several
//! ways to cut it, one with the fewest words is taken; of these one with the fewest links, and then the longest first word. A
//! word of the list is no compound, in any form, so that the list can say what is not to be cut.
//!
//! A compound takes a position, and each of its parts one after it. A phrase with a compound goes from the compound itself to
//! what comes after its parts, and one with a part finds the part in its place: `"schiff fährt"` is in `Das Dampfschiff fährt`.

use once_cell::sync::OnceCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// The most words of a compound.
const MOST_PARTS: u8 = 8;

/// The longest compound, in bytes.
const LONGEST: usize = 128;

/// What may link words, in German, Dutch and the Nordic languages.
const LINKS: [&str; 7] = ["e", "en", "ens", "er", "es", "n", "s"];

/// So many words are kept in a [`Cache`], which is emptied then.
const MOST_CACHED: usize = 1 << 14;

/// A list of words that compounds are made of.
#[derive(Debug)]
pub(super) struct Compounds {
    words: HashSet<Box<str>>,
    /// The bytes of the shortest and the longest one.
    lengths: Range<usize>,
    /// Their stems. They are made when a word is first cut: a reader may never do that.
    stems: OnceCell<HashSet<Box<str>>>,
}

/// How the rest of a word, from some byte on, is cut.
#[derive(Debug, Clone, Copy)]
struct Cut {
    words: u8,
    links: u8,
    /// Where the first word ends.
    end: u8,
    /// Where the second one begins; at the end there is none.
    next: u8,
}

impl Compounds {
    /// Of normalized words; `None` if there are none.
    pub(super) fn new(words: &[String]) -> Option<Compounds> {
        let shortest = words.iter().map(String::len).min()?;
        let longest = words.iter().map(String::len).max()?;
        let words = words.iter().map(|word| word.as_str().into()).collect();
        Some(Compounds { words, lengths: shortest..longest + 1, stems: OnceCell::new() })
    }

    /// The parts of a normalized word, as bytes of it, in order; none if it is no compound. O(bytes of the word * of the
    /// longest one in the list) look-ups, and a stem for each byte.
    pub(super) fn parts(&self, word: &str, stem: impl Fn(&str) -> Option<String>) -> Vec<Range<usize>> {
        let mut parts = Vec::new();
        if word.len() > LONGEST {
            return parts;
        }
        let stems = self.stems.get_or_init(|| self.words.iter().filter_map(|word| Some(stem(word)?.into())).collect());
        let is_or_stem = |word: &str| self.words.contains(word) || stems.contains(word);
        let is_form = |word: &str| self.words.contains(word) || is_or_stem(stem(word).as_deref().unwrap_or(word));
        if is_form(word) {
            return parts;
        }
        let mut cuts = Cuts { of: self, word, is_form, known: [None; LONGEST + 1] };
        let mut start = 0;
        while start < word.len()
            && let Some(Cut { end, next, .. }) = cuts.from(start)
        {
            parts.push(start..end.into());
            start = next.into();
        }
        parts
    }
}

/// The best ways to cut a word.
struct Cuts<'c, F> {
    of: &'c Compounds,
    word: &'c str,
    /// Whether the rest of a word is a form of a word of the list.
    is_form: F,
    /// By where they begin, those that have been looked for.
    known: [Option<Option<Cut>>; LONGEST + 1],
}

impl<F: Fn(&str) -> bool> Cuts<'_, F> {
    /// The best way to cut the word from `start` on, the word itself into two at least.
    fn from(&mut self, start: usize) -> Option<Cut> {
        if let Some(known) = self.known[start] {
            return known;
        }
        let (rest, end) = (&self.word[start..], self.word.len() as u8);
        let cut = match start > 0 && rest.len() >= self.of.lengths.start && (self.is_form)(rest) {
            true => Some(Cut { words: 1, links: 0, end, next: end }),
            false => self.in_two(start),
        };
        self.known[start] = Some(cut);
        cut
    }

    fn in_two(&mut self, start: usize) -> Option<Cut> {
        let (word, lengths) = (self.word, &self.of.lengths);
        let ends = start + lengths.start..(start + lengths.end).min(word.len());
        let mut best: Option<Cut> = None;
        // The longest word first: a later one must be better.
        for end in ends.rev() {
            if !word.is_char_boundary(end) || !self.of.words.contains(&word[start..end]) {
                continue;
            }
            let is_link = |link: &&&str| word[end..].len() > link.len() && word[end..].starts_with(**link);
            for (links, next) in
                [(0, end)].into_iter().chain(LINKS.iter().filter(is_link).map(|link| (1, end + link.len())))
            {
                let Some(rest) = self.from(next).filter(|rest| rest.words < MOST_PARTS) else { continue };
                let cut = Cut { words: rest.words + 1, links: rest.links + links, end: end as u8, next: next as u8 };
                if best.is_none_or(|best| (cut.words, cut.links) < (best.words, best.links)) {
                    best = Some(cut);
                }
            }
        }
        best
    }
}

/// A part of a word as it stands in a text.
#[derive(Debug)]
pub(super) struct Part {
    /// Its term.
    pub(super) term: Box<str>,
    /// Its bytes in the word; all of them if they are not known.
    pub(super) place: Range<u32>,
}

/// Words as they stood in texts, and their parts.
#[derive(Debug, Default)]
pub(super) struct Cache {
    words: HashMap<Box<str>, Box<[Part]>>,
}

impl Cache {
    /// The parts of a word, which are made if need be.
    pub(super) fn of(&mut self, word: &str, make: impl FnOnce() -> Box<[Part]>) -> &[Part] {
        if !self.words.contains_key(word) {
            if self.words.len() >= MOST_CACHED {
                self.words.clear();
            }
            self.words.insert(word.into(), make());
        }
        &self.words[word]
    }
}

/// Where bytes of a normalized word are in the word itself: the same characters, if it has as many.
pub(super) fn place(word: &str, normalized: &str, part: Range<usize>) -> Range<u32> {
    let byte = |at: usize| {
        let before = normalized[..at].chars().count();
        word.char_indices().map(|(byte, _)| byte).chain([word.len()]).nth(before)
    };
    let same = word.chars().count() == normalized.chars().count();
    match (byte(part.start), byte(part.end)) {
        (Some(start), Some(end)) if same => start as u32..end as u32,
        _ => 0..word.len() as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(words: &[&str]) -> Compounds {
        Compounds::new(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn compounds_are_cut_as_their_words_are() {
        let german = of(&[
            "dampf",
            "schiff",
            "fahrt",
            "gesellschaft",
            "kapitän",
            "handy",
            "hülle",
            "kind",
            "er",
            "garten",
            "kindergarten",
            "staub",
            "stau",
            "becken",
            "ecken",
        ]);
        let stemmer = frostem::Stemmer::new(frostem::Algorithm::German);
        let stem = |word: &str| Some(stemmer.stem(word).into_owned()).filter(|stem| stem != word);
        let cut =
            |word: &str| german.parts(word, stem).into_iter().map(|part| word[part].to_owned()).collect::<Vec<_>>();
        assert_eq!(
            cut("dampfschifffahrtsgesellschaftskapitän"),
            ["dampf", "schiff", "fahrt", "gesellschaft", "kapitän"]
        );
        assert_eq!(cut("handyhülle"), ["handy", "hülle"]);
        assert_eq!(cut("handyhüllen"), ["handy", "hüllen"], "a form of the last one");
        assert_eq!(cut("schiffskindergärten"), ["schiff", "kindergärten"]);
        assert_eq!(cut("kindergärten"), [] as [&str; 0]);
        assert_eq!(cut("gärtenhandy"), [] as [&str; 0], "only the last one may have one");
        let as_is = |word: &str| german.parts(word, |_| None).len();
        assert_eq!((as_is("handyhülle"), as_is("handyhüllen")), (2, 0));
        assert_eq!(cut("kinderfahrt"), ["kind", "fahrt"], "a link rather than a word more");
        assert_eq!(cut("kinder"), [] as [&str; 0], "a form of a word in the list");
        assert_eq!(cut("kindeskind"), ["kind", "kind"]);
        assert_eq!(cut("staubecken"), ["staub", "ecken"], "the longest first word");
        for whole in ["", "dampf", "kindergarten", "schiffbau", "ungarten"] {
            assert!(cut(whole).is_empty(), "{whole}");
        }
        assert_eq!(cut("kindergartenschiff"), ["kindergarten", "schiff"]);
        assert_eq!(cut(&"handy".repeat(8)).len(), 8);
        assert!(cut(&"handy".repeat(9)).is_empty());
        assert!(cut(&format!("{}handy", "gesellschaft".repeat(11))).is_empty(), "too long");
    }

    #[test]
    fn parts_have_places_in_the_word() {
        assert_eq!(place("HandyHÜLLE", "handyhülle", 5..11), 5..11);
        assert_eq!(place("Hüllen", "hullen", 3..6), 4..7);
        assert_eq!(place("Fußball", "fussball", 4..8), 0..8);
    }

    proptest! {
        /// Every way to cut, tried one after the other.
        #[test]
        fn the_best_way_is_found(word in "[abes]{1,12}", words in prop::collection::vec("[abes]{2,4}", 1..8)) {
            fn ways(word: &str, words: &[String], so_far: &mut Vec<(usize, bool)>, all: &mut Vec<Vec<(usize, bool)>>) {
                for first in words.iter().filter(|first| word.starts_with(first.as_str())) {
                    let rest = &word[first.len()..];
                    so_far.push((first.len(), false));
                    if rest.is_empty() {
                        all.push(so_far.clone());
                    } else {
                        ways(rest, words, so_far, all);
                        for link in LINKS.iter().filter(|link| rest.starts_with(**link)) {
                            so_far.last_mut().unwrap().1 = true;
                            ways(&rest[link.len()..], words, so_far, all);
                        }
                    }
                    so_far.pop();
                }
            }
            let mut all = Vec::new();
            ways(&word, &words, &mut Vec::new(), &mut all);
            let links = |way: &[(usize, bool)]| way.iter().filter(|(_, link)| *link).count();
            all.retain(|way| way.len() <= MOST_PARTS.into() && !words.contains(&word));
            let key = |way: &Vec<(usize, bool)>| (way.len(), links(way), std::cmp::Reverse(way[0].0));
            let parts = Compounds::new(&words).unwrap().parts(&word, |_| None);
            let found: Vec<(usize, bool)> = (parts.iter().enumerate())
                .map(|(at, part)| (part.len(), parts.get(at + 1).is_some_and(|next| next.start > part.end)))
                .collect();
            prop_assert_eq!(all.iter().map(key).min(), Some(&found).filter(|found| !found.is_empty()).map(key));
            prop_assert!(found.is_empty() || all.contains(&found));
        }
    }
}
