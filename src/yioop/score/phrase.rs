//! Whether a quoted phrase occurs in a document.

use crate::base::error::{Error, Result};

/// The most parts that a quoted phrase may have; the search recurses once per part.
pub const MAX_PHRASE: usize = 256;

/// One part of a quoted phrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PhrasePart {
    /// The word with this index among the query's words, and how many positions it takes up.
    Word {
        /// Index of its position list.
        list: usize,
        /// Positions it takes up: more than 1 if the index keeps a phrase as one term.
        length: u32,
    },
    /// Any number of other words.
    Wildcard,
}

/// A quoted phrase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phrase(Vec<PhrasePart>);

impl Phrase {
    /// A phrase of these parts.
    ///
    /// # Errors
    /// [`Error::Argument`] if there are more than [`MAX_PHRASE`] parts or a word takes up no position.
    pub fn new(parts: Vec<PhrasePart>) -> Result<Self> {
        if parts.len() > MAX_PHRASE {
            return Err(Error::Argument(format!("a phrase of {} parts; the most is {MAX_PHRASE}", parts.len())));
        }
        if parts.iter().any(|part| matches!(part, PhrasePart::Word { length: 0, .. })) {
            return Err(Error::Argument("a word of a phrase must take up at least one position".into()));
        }
        Ok(Phrase(parts))
    }

    /// Whether the phrase occurs, by Yioop's rule: the first word may stand anywhere from position `length` on, a word
    /// after a wildcard anywhere after the word before it, any other word directly after the word before it.
    ///
    /// A part that names a missing list is a word without positions. Each part is tried at most once at each of its
    /// positions, so the time is bounded by parts × positions (times a binary search).
    pub fn occurs<L: AsRef<[u32]>>(&self, lists: &[L]) -> bool {
        Finder { lists, parts: &self.0, failed: Vec::new() }.find(0, 0, None) == PhraseSearch::Found
    }

    /// The largest list that a part names; `None` if no part names one.
    pub(super) fn last_list(&self) -> Option<usize> {
        let list = |part: &PhrasePart| match *part {
            PhrasePart::Word { list, .. } => Some(list),
            PhrasePart::Wildcard => None,
        };
        self.0.iter().filter_map(list).max()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PhraseSearch {
    Found,
    /// Not with the word before at its current position; a later position of that word may help.
    NotHere,
    /// Some word has no position left: no later position of the words before can help.
    Exhausted,
}

/// One search for a phrase.
struct Finder<'a, L> {
    lists: &'a [L],
    parts: &'a [PhrasePart],
    /// For each part, a bit per position of its list: set if the part at this position, with all parts after it, was
    /// [`PhraseSearch::NotHere`]. Without this memory a run of n positions and k parts would cost C(n, k).
    failed: Vec<Vec<u64>>,
}

impl<L: AsRef<[u32]>> Finder<'_, L> {
    /// Looks for the parts from `part` on, after position `current`: exactly at `expected`, or anywhere if that is
    /// `None`.
    fn find(&mut self, part: usize, current: u64, expected: Option<u64>) -> PhraseSearch {
        let (lists, parts) = (self.lists, self.parts);
        let (list, length) = match parts.get(part) {
            None => return PhraseSearch::Found,
            Some(PhrasePart::Wildcard) => return self.find(part + 1, current, None),
            Some(&PhrasePart::Word { list, length }) => (list, u64::from(length)),
        };
        let positions = lists.get(list).map_or(&[][..], AsRef::as_ref);
        let mut from = expected.unwrap_or(current + length);
        loop {
            let index = positions.partition_point(|&position| u64::from(position) < from);
            let Some(&position) = positions.get(index) else {
                return PhraseSearch::Exhausted;
            };
            let position = u64::from(position);
            // What fails at a position does not depend on how the search came there. Without an expected position the
            // loop never fails here: it goes on to the end of the list.
            if expected.is_some() && (position != from || self.has_failed(part, index)) {
                return PhraseSearch::NotHere;
            }
            match self.find(part + 1, position, Some(position + length)) {
                PhraseSearch::NotHere => from = position + length,
                done => return done,
            }
            // If the loop goes on it ends with `NotHere` too, or with a result that ends the whole search.
            if expected.is_some() {
                self.fail(part, index, positions.len());
            }
        }
    }

    fn has_failed(&self, part: usize, index: usize) -> bool {
        self.failed.get(part).and_then(|bits| bits.get(index / 64)).is_some_and(|bits| bits >> (index % 64) & 1 == 1)
    }

    fn fail(&mut self, part: usize, index: usize, positions: usize) {
        if self.failed.is_empty() {
            self.failed.resize(self.parts.len(), Vec::new());
        }
        let bits = &mut self.failed[part];
        if bits.is_empty() {
            bits.resize(positions.div_ceil(64), 0);
        }
        bits[index / 64] |= 1 << (index % 64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition, without memory.
    fn naive(lists: &[Vec<u32>], current: u64, expected: Option<u64>, parts: &[PhrasePart]) -> PhraseSearch {
        let Some((part, rest)) = parts.split_first() else { return PhraseSearch::Found };
        let (list, length) = match *part {
            PhrasePart::Wildcard => return naive(lists, current, None, rest),
            PhrasePart::Word { list, length } => (list, u64::from(length)),
        };
        let mut from = expected.unwrap_or(current + length);
        loop {
            let next = lists.get(list).and_then(|list| list.iter().copied().map(u64::from).find(|&at| at >= from));
            let Some(position) = next else { return PhraseSearch::Exhausted };
            if expected.is_some_and(|_| position != from) {
                return PhraseSearch::NotHere;
            }
            match naive(lists, position, Some(position + length), rest) {
                PhraseSearch::NotHere => from = position + length,
                done => return done,
            }
        }
    }

    fn phrase(parts: &[(usize, u32)]) -> Phrase {
        Phrase::new(
            parts
                .iter()
                .map(|&(list, length)| match length {
                    0 => PhrasePart::Wildcard,
                    _ => PhrasePart::Word { list, length },
                })
                .collect(),
        )
        .unwrap()
    }

    #[test]
    fn words_of_a_phrase_stand_side_by_side() {
        let lists = [vec![1, 7, 20], vec![3, 8, 30]];
        assert!(phrase(&[(0, 1), (1, 1)]).occurs(&lists));
        assert!(!phrase(&[(1, 1), (0, 1)]).occurs(&lists));
        assert!(phrase(&[(1, 1), (0, 0), (0, 1)]).occurs(&lists));
        assert!(phrase(&[]).occurs(&lists));
        assert!(!phrase(&[(2, 1)]).occurs(&lists));
    }

    #[test]
    fn hostile_phrases_are_refused() {
        assert!(Phrase::new(vec![PhrasePart::Wildcard; MAX_PHRASE + 1]).is_err());
        assert!(Phrase::new(vec![PhrasePart::Word { list: 0, length: 0 }]).is_err());
    }

    /// 40 positions in a row and 16 parts: C(40, 15) = 4 · 10^10 combinations, and 256 parts: more than there is time.
    #[test]
    fn a_phrase_in_a_run_ends() {
        let run: Vec<u32> = (1..=40).chain([900]).collect();
        let mut lists = vec![run.clone(); 15];
        lists.push(vec![1000]);
        let parts: Vec<(usize, u32)> = (0..16).map(|list| (list, 1)).collect();
        assert!(!phrase(&parts).occurs(&lists));
        let mut parts = vec![(0, 1); MAX_PHRASE - 1];
        parts.push((1, 1));
        let run: Vec<u32> = (1..=10_000).collect();
        assert!(!phrase(&parts).occurs(&[run.clone(), vec![20_000]]));
        assert!(phrase(&parts).occurs(&[run, vec![256, 20_000]]));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn the_memory_changes_no_answer(
            lists in prop::collection::vec(prop::collection::btree_set(0u32..16, 0..14), 1..5),
            far in prop::collection::vec(prop::option::of(17u32..40), 5),
            parts in prop::collection::vec((0usize..6, 0u32..5), 0..7),
        ) {
            let lists: Vec<Vec<u32>> =
                lists.into_iter().zip(far).map(|(list, far)| list.into_iter().chain(far).collect()).collect();
            // Most words take one position, and a part in five is a wildcard.
            let length = |length: u32| length.min(2).min(1 + length / 4);
            let parts: Vec<(usize, u32)> = parts.iter().map(|&(list, draw)| (list, length(draw))).collect();
            let phrase = phrase(&parts);
            prop_assert_eq!(phrase.occurs(&lists), naive(&lists, 0, None, &phrase.0) == PhraseSearch::Found);
        }
    }
}
