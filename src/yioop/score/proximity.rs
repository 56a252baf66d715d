//! Where the words of a query stand in a document: how near to each other, and whether its phrases occur.
//!
//! Both walk position lists: one ascending list a word of the query. Yioop computes them in PHP for every document
//! that has all words; the results here are the same numbers (`testdata.jsonl` holds some that Yioop computed).

use super::Weights;
use crate::error::{Error, Result};

/// The most parts that a quoted phrase may have; the search for it recurses once a part.
pub const MAX_PHRASE: usize = 256;

/// One part of a quoted phrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PhrasePart {
    /// The word with this index among the query's words, and how many positions it takes up.
    Word {
        /// Index of its position list.
        list: usize,
        /// Positions it takes up: more than 1 where the index keeps a phrase as one term.
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
    /// after a wildcard anywhere behind the word before it, any other right behind the word before it.
    ///
    /// A part whose list is not there is a word without positions.
    pub fn occurs<L: AsRef<[u32]>>(&self, lists: &[L]) -> bool {
        find(lists, 0, None, &self.0) == Search::Found
    }
}

#[derive(PartialEq, Eq)]
enum Search {
    Found,
    /// Not with the word before where it is now; it may be found with a later position of that word.
    NotHere,
    /// Some word has no position left: no later position of the words before can help.
    Exhausted,
}

/// Looks for `parts` behind position `current`: exactly at `expected`, or anywhere where that is `None`.
fn find<L: AsRef<[u32]>>(lists: &[L], current: u64, expected: Option<u64>, parts: &[PhrasePart]) -> Search {
    let Some((part, rest)) = parts.split_first() else {
        return Search::Found;
    };
    let (list, length) = match *part {
        PhrasePart::Wildcard => return find(lists, current, None, rest),
        PhrasePart::Word { list, length } => (list, u64::from(length)),
    };
    let positions = lists.get(list).map_or(&[][..], AsRef::as_ref);
    let mut from = expected.unwrap_or(current + length);
    loop {
        let index = positions.partition_point(|&position| u64::from(position) < from);
        let Some(&position) = positions.get(index) else {
            return Search::Exhausted;
        };
        let position = u64::from(position);
        if expected.is_some() && position != from {
            return Search::NotHere;
        }
        match find(lists, position, Some(position + length), rest) {
            Search::NotHere => from = position + length,
            done => return done,
        }
    }
}

/// How near to each other the words stand: the sum over all covers (shortest intervals that hold every word) of the
/// weight of the document's part that the cover ends in, over the cover's length. 0 where a word has no position.
///
/// Covers are found by a plane sweep over all positions, O(positions × words). Like Yioop's, the sweep takes a position
/// that two words share (a word that the query repeats) for one of them only, and the sum leaves out the first cover
/// that ends behind the title.
pub fn proximity<L: AsRef<[u32]>>(lists: &[L], is_document: bool, weights: &Weights) -> f64 {
    let covers = covers(lists);
    let over_length = |weight: f64, &(left, right): &(u32, u32)| weight / f64::from(right - left + 1);
    let mut sum = 0.0;
    if !is_document {
        for cover in &covers {
            sum += over_length(weights.link, cover);
        }
        return sum;
    }
    let in_title = covers.iter().take_while(|cover| i64::from(cover.1) < weights.title_length).count();
    for cover in &covers[..in_title] {
        sum += over_length(weights.title, cover);
    }
    for cover in covers.iter().skip(in_title + 1) {
        sum += over_length(weights.description, cover);
    }
    sum
}

/// The first and last position of each cover, in the order of the sweep.
fn covers<L: AsRef<[u32]>>(lists: &[L]) -> Vec<(u32, u32)> {
    let mut sweep = Sweep { rest: lists.iter().map(AsRef::as_ref).collect() };
    // One position a word, ascending: the window that slides over the document.
    let mut window: Vec<(u32, usize)> = Vec::with_capacity(lists.len());
    for word in 0..lists.len() {
        if let Some(position) = sweep.take(word) {
            window.push((position, word));
        }
    }
    if window.is_empty() || window.len() != lists.len() {
        return Vec::new();
    }
    window.sort_unstable();
    let mut found = Vec::new();
    loop {
        let (left, word) = window.remove(0);
        // With one word alone the window is its position.
        let right = window.last().map_or(left, |last| last.0);
        let Some(next) = sweep.take(word) else {
            found.push((left, right));
            return found;
        };
        if next > right || window.is_empty() {
            found.push((left, right));
        }
        let index = window.partition_point(|&entry| entry < (next, word));
        window.insert(index, (next, word));
    }
}

/// The positions that the sweep has not come to, word by word.
struct Sweep<'a> {
    rest: Vec<&'a [u32]>,
}

impl Sweep<'_> {
    /// The next position of a word, which no other word that stands there next will use again.
    fn take(&mut self, word: usize) -> Option<u32> {
        let (&position, rest) = self.rest[word].split_first()?;
        self.rest[word] = rest;
        for rest in &mut self.rest {
            if rest.first() == Some(&position) {
                *rest = &rest[1..];
            }
        }
        Some(position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn a_word_without_positions_is_near_nothing() {
        let weights = Weights::default();
        assert_eq!(proximity(&[vec![1], vec![]], true, &weights), 0.0);
        assert_eq!(proximity::<Vec<u32>>(&[], true, &weights), 0.0);
    }

    #[test]
    fn a_repeated_word_uses_a_position_once() {
        let list = vec![60, 70];
        // The first copy takes 60, and with it the other copy's; that one takes 70: no cover is left for description.
        assert_eq!(proximity(&[&list, &list], true, &Weights::default()), 0.0);
        assert_eq!(proximity(&[&list, &list], false, &Weights::default()), 2.0 / 11.0);
    }
}
