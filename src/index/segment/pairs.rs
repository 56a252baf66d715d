//! Pairs of common words: the documents in which one follows the other, so that a phrase of two common words is looked up, and is
//! not looked for in the positions of both (next-word indexes: Williams, Zobel and Bahle 2004).
//!
//! ```text
//! pairs          words u32, form u32
//!                form 1: the least product u64
//!                per word its value of the dictionary u64, ascending
//!                form 1: per word the number of documents that contain it u32
//!                fst map: indices of both words in that table, u16 each, big-endian → value of the list
//! lists of pairs as those of terms, with frequencies and without positions
//! ```
//! Two words of the table that have no list follow each other in no document: any two of form 0, and of form 1, which segments have from
//! version 5 on, those whose numbers of documents multiply to at least the least product. Others may have a list. As the lists of terms
//! do, those of pairs contain deleted documents. They are made anew for each segment, of its documents or of the lists of its words, so that merging need
//! not care for them; small segments have none.

use super::format::Section;
use super::section::SectionRef;
use super::{Dictionary, Segment};
use crate::base::error::Result;
use crate::index::list::{Decoded, ListParts, View};

/// The forms: all words make pairs, or those that are in many documents.
const ALL: u32 = 0;
pub(super) const BY_DOCUMENTS: u32 = 1;

/// The key of two words in the map.
pub(super) fn key(words: [u16; 2]) -> [u8; 4] {
    let [[a, b], [c, d]] = words.map(u16::to_be_bytes);
    [a, b, c, d]
}

/// The pairs of a field in a segment.
#[derive(Debug)]
pub(super) struct Pairs {
    /// The words' values of the dictionary, ascending.
    words: Box<[u64]>,
    /// Per word, how many documents contain it; none of form 0.
    containing: Box<[u32]>,
    /// The least product of the documents of two words that certainly follow each other nowhere if they have no list.
    least: u64,
    lists: Dictionary,
}

impl Pairs {
    fn parse(part: SectionRef) -> Result<Pairs> {
        let all = part.all()?;
        let mut rest = all;
        let mut take = |length: usize| {
            let (taken, after) = rest.split_at_checked(length)?;
            rest = after;
            Some(taken)
        };
        let few = || part.corrupt(0, format!("{} bytes are too few", all.len()));
        let head = take(8).ok_or_else(few)?;
        let [count, form] = [0, 1].map(|at| u32::from_le_bytes(head.as_chunks().0[at]));
        let by_documents = match form {
            ALL => false,
            BY_DOCUMENTS => true,
            _ => return Err(part.corrupt(4, format!("form {form}"))),
        };
        let count = usize::from(u16::try_from(count).map_err(|_| part.corrupt(0, format!("{count} words")))?);
        let least = if by_documents { take(8).ok_or_else(few)? } else { &[0; 8] };
        let words = take(8 * count).ok_or_else(few)?;
        let containing = take(if by_documents { 4 * count } else { 0 }).ok_or_else(few)?;
        let words: Box<[u64]> = words.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
        if !words.is_sorted_by(|one, next| one < next) {
            return Err(part.corrupt(8, "words do not ascend"));
        }
        Ok(Pairs {
            words,
            containing: containing.as_chunks().0.iter().map(|count| u32::from_le_bytes(*count)).collect(),
            least: u64::from_le_bytes(least.as_chunks().0[0]),
            lists: part.dictionary(all.len() - rest.len())?,
        })
    }

    /// What is known of two words, given their values.
    fn pair(&self, first: u64, second: u64) -> Result<Pair> {
        let index = |word| self.words.binary_search(&word).ok();
        let (Some(first), Some(second)) = (index(first), index(second)) else { return Ok(Pair::Unknown) };
        if let Some(list) = self.lists.get(&key([first as u16, second as u16]))? {
            return Ok(Pair::List(list));
        }
        let containing = |index| self.containing.get(index).map_or(1, |&count| u64::from(count));
        Ok(if containing(first) * containing(second) < self.least { Pair::Unknown } else { Pair::Nowhere })
    }
}

/// What a segment knows of two words that follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pair {
    /// Nothing: positions tell.
    Unknown,
    /// They do so in no document.
    Nowhere,
    /// Those documents, by the value for [`Segment::pair_list`].
    List(u64),
}

impl Segment {
    /// The documents in which one word follows another, given their values of the dictionary, if the segment keeps them. The
    /// first call reads the table of a field.
    ///
    /// # Errors
    /// As [`Segment::section`].
    pub fn pair(&self, field: usize, first: u64, second: u64) -> Result<Pair> {
        let Some(place) = self.pairs.get(field).filter(|_| self.flags().pairs && !self.lacks(field)) else {
            return Ok(Pair::Unknown);
        };
        let pairs = self.kept(place, || Pairs::parse(self.section_ref(Section::Pairs, field)?))?;
        pairs.pair(first, second)
    }

    /// The list of a pair, given its value: as [`Segment::list`].
    ///
    /// # Errors
    /// [`Error::Corrupt`](crate::Error::Corrupt), which names file and field.
    pub fn pair_list(&self, field: usize, value: u64, decoded: &mut Decoded) -> Result<Option<View<'_>>> {
        let parts = ListParts { positions: false, ..self.parts(field) };
        self.list_in(Section::PairLists, field, value, parts, false, decoded)
    }
}
