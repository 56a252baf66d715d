//! Pairs of common words: the documents in which one follows the other, so that a phrase of two common words is looked up, and is
//! not looked for in the positions of both (next-word indexes: Williams, Zobel and Bahle 2004).
//!
//! ```text
//! pairs          words u32, zero u32
//!                per word its value of the dictionary u64, ascending
//!                fst map: indices of both words in that table, u16 each, big-endian → value of the list
//! lists of pairs as those of terms, with frequencies and without positions
//! ```
//! Words of the table that have no list follow each other in no document. As the lists of terms do, those of pairs contain deleted
//! documents. They are made anew for each segment, of the lists of its words, so that merging need not care for them; small
//! segments have none.

use super::format::Section;
use super::section::SectionRef;
use super::{Dictionary, Segment};
use crate::base::error::Result;
use crate::index::list::{Decoded, ListParts, View};

/// The bytes before the table of words.
const HEAD: usize = 8;

/// The key of two words in the map.
pub(super) fn key(first: u16, second: u16) -> [u8; 4] {
    let ([a, b], [c, d]) = (first.to_be_bytes(), second.to_be_bytes());
    [a, b, c, d]
}

/// The pairs of a field in a segment.
#[derive(Debug)]
pub(super) struct Pairs {
    /// The words' values of the dictionary, ascending.
    words: Box<[u64]>,
    lists: Dictionary,
}

impl Pairs {
    fn parse(part: SectionRef) -> Result<Pairs> {
        let all = part.all()?;
        let count = all.first_chunk().map_or(u64::MAX, |count| u64::from_le_bytes(*count));
        let words = usize::try_from(count).ok().filter(|&count| count <= usize::from(u16::MAX));
        let Some(table) = words.and_then(|count| all.get(HEAD..HEAD + 8 * count)) else {
            return Err(part.corrupt(0, format!("{count} words in {} bytes", all.len())));
        };
        let words: Box<[u64]> = table.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
        if !words.is_sorted_by(|one, next| one < next) {
            return Err(part.corrupt(HEAD, "words do not ascend"));
        }
        Ok(Pairs { words, lists: part.dictionary(HEAD + table.len())? })
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
        let place = |word| pairs.words.binary_search(&word).ok().map(|place| place as u16);
        let (Some(first), Some(second)) = (place(first), place(second)) else { return Ok(Pair::Unknown) };
        Ok(pairs.lists.get(&key(first, second))?.map_or(Pair::Nowhere, Pair::List))
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
