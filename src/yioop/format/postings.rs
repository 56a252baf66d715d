//! Postings and their positions, one by one.

use super::first_word::{JOINT, JOINT_DOC_INDEXES, JOINT_POSITION_BITS, doc_index_of_first_word, split_first_value};
use super::modified9::{self, NAME, Place, Values};
use super::scan::{check, count_postings};
use crate::base::error::{Error, Result};

/// A posting: the doc index, and the positions of the word in the document, increasing.
pub type Posting = (u32, Vec<u32>);

/// The largest doc index that Yioop reads back: 2^27 − 2.
pub const MAX_DOC_INDEX: u32 = (1 << 27) - 2;

/// A list of postings that has passed the check, and can be read without further checks.
#[derive(Debug, Clone, Copy)]
pub struct Postings<'a> {
    bytes: &'a [u8],
}

impl<'a> Postings<'a> {
    /// Checks a list. Linear time (about that of [`doc_indexes`](super::scan::doc_indexes())), no allocation.
    ///
    /// # Errors
    /// [`Error::Corrupt`] names the first word that Yioop would not write there.
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        check(bytes)?;
        Ok(Postings { bytes })
    }

    /// The bytes of the list.
    pub fn as_bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The number of postings. Looks at each word.
    pub fn len(&self) -> usize {
        count_postings(self.bytes)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The posting at a byte offset, such as [`Matches`](crate::yioop::Matches) gives; `None` if no posting begins
    /// there.
    pub fn at(&self, offset: usize) -> Option<PostingRef<'a>> {
        let rest = self.bytes.get(offset..)?;
        let begins = offset.is_multiple_of(4) && Place::of(word(rest)?).begins();
        begins.then(|| PostingRef::first_of(rest, offset))
    }

    /// All postings, in the list's order.
    pub fn iter(&self) -> Iter<'a> {
        Iter { bytes: self.bytes, at: 0 }
    }
}

impl<'a> IntoIterator for Postings<'a> {
    type Item = PostingRef<'a>;
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

/// The postings of a list. See [`Postings::iter`].
#[derive(Debug, Clone)]
pub struct Iter<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Iter<'_> {
    /// Unpacks the next posting: returns its doc index, and replaces `positions` by its positions. The same as
    /// [`next`](Iterator::next) and [`PostingRef::positions`], in one pass over the words.
    #[inline]
    pub fn unpack_next(&mut self, positions: &mut Vec<u32>) -> Option<u32> {
        positions.clear();
        let mut current = word(&self.bytes[self.at..])?;
        let mut values = Values::of_sound(current);
        let (doc_index, joint) = split_first_value(values.next().unwrap_or(1));
        let mut last = joint.unwrap_or(0);
        positions.extend(joint);
        loop {
            self.at += 4;
            positions.reserve(modified9::MAX_VALUES);
            for delta in values {
                // The check made sure that the sums stay below 2^32.
                last = last.wrapping_add(delta);
                positions.push(last);
            }
            // Bit 31 of a word says that the posting continues after it.
            match word(&self.bytes[self.at..]) {
                Some(next) if current >> 31 != 0 => current = next,
                _ => return Some(doc_index),
            }
            values = Values::of_sound(current);
        }
    }
}

impl<'a> Iterator for Iter<'a> {
    type Item = PostingRef<'a>;

    #[inline]
    fn next(&mut self) -> Option<PostingRef<'a>> {
        let rest = &self.bytes[self.at..];
        if rest.is_empty() {
            return None;
        }
        let posting = PostingRef::first_of(rest, self.at);
        self.at += posting.words.len();
        Some(posting)
    }
}

/// A posting inside a checked list.
#[derive(Debug, Clone, Copy)]
pub struct PostingRef<'a> {
    /// The doc index.
    pub doc_index: u32,
    /// Where the posting begins, in bytes from the start of the list.
    pub offset: usize,
    /// Its bytes.
    words: &'a [u8],
}

#[inline]
fn word(bytes: &[u8]) -> Option<u32> {
    bytes.first_chunk().map(|bytes| u32::from_be_bytes(*bytes))
}

impl<'a> PostingRef<'a> {
    /// The posting at the beginning of `rest`, which is part of a checked list, at byte `offset` of it.
    #[inline]
    fn first_of(rest: &'a [u8], offset: usize) -> Self {
        let mut len = 4;
        // Bit 31 of a word says that the posting continues after it.
        while rest[len - 4] & 0x80 != 0 && len < rest.len() {
            len += 4;
        }
        let words = &rest[..len];
        PostingRef { doc_index: doc_index_of_first_word(word(words).unwrap_or(1)), offset, words }
    }

    /// The posting's bytes.
    pub fn as_bytes(&self) -> &'a [u8] {
        self.words
    }

    /// The positions of the word in the document, increasing. Nothing is allocated.
    #[inline]
    pub fn positions(&self) -> Positions<'a> {
        let mut values = Values::of_sound(word(self.words).unwrap_or(0));
        let (_, joint) = split_first_value(values.next().unwrap_or(1));
        Positions { values, rest: &self.words[4.min(self.words.len())..], joint, last: 0 }
    }

    /// The number of positions. Looks at each word, not at each position.
    pub fn count_positions(&self) -> usize {
        let values: usize = self.words.chunks_exact(4).filter_map(word).map(|word| Values::of_sound(word).len()).sum();
        let joint = word(self.words).is_some_and(|word| split_first_value(modified9::first_value(word)).1.is_some());
        if joint { values } else { values.saturating_sub(1) }
    }

    /// The values of the posting after the doc index: the first position, then the gaps.
    fn deltas(&self) -> impl Iterator<Item = u32> + use<'a> {
        let mut values = self.words.chunks_exact(4).filter_map(word).flat_map(Values::of_sound);
        let (_, joint) = split_first_value(values.next().unwrap_or(1));
        joint.into_iter().chain(values)
    }
}

/// The positions of a posting. See [`PostingRef::positions`].
#[derive(Debug, Clone)]
pub struct Positions<'a> {
    values: Values,
    rest: &'a [u8],
    joint: Option<u32>,
    last: u32,
}

impl Iterator for Positions<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        if let Some(first) = self.joint.take() {
            self.last = first;
            return Some(first);
        }
        loop {
            if let Some(delta) = self.values.next() {
                // The check made sure that the sums stay below 2^32.
                self.last = self.last.wrapping_add(delta);
                return Some(self.last);
            }
            self.values = Values::of_sound(word(self.rest)?);
            self.rest = &self.rest[4..];
        }
    }
}

/// All postings of a list, in its order.
///
/// # Errors
/// [`Error::Corrupt`].
pub fn unpack_postings(postings: &[u8]) -> Result<Vec<Posting>> {
    let mut postings = Postings::parse(postings)?.iter();
    let mut positions = Vec::new();
    Ok(std::iter::from_fn(|| Some((postings.unpack_next(&mut positions)?, positions.clone()))).collect())
}

/// Appends a posting to `out`: `deltas` are the first position, then the gaps.
fn pack(doc_index: u32, deltas: impl IntoIterator<Item = u32>, out: &mut Vec<u8>) -> Result<()> {
    let mut deltas = deltas.into_iter().peekable();
    // Yioop joins them up to a first position of 2^10 − 1, which overflows into the doc index.
    let joint = deltas.next_if(|&first| JOINT_DOC_INDEXES.contains(&doc_index) && first >> JOINT_POSITION_BITS == 0);
    match joint {
        Some(first) => {
            let value = JOINT | doc_index << JOINT_POSITION_BITS | first;
            modified9::encode_into(std::iter::once(value).chain(deltas), 0, out)
        }
        // `index_of_first` wraps so that errors count positions.
        None => modified9::encode_into(std::iter::once(doc_index + 1).chain(deltas), usize::MAX, out),
    }
}

/// A posting as Yioop writes it. What is written can be read back, by [`unpack_postings`] and by Yioop alike: a first
/// position of 512 … 1,023 with a doc index of 32,768 … 262,143, with which Yioop's own packing loses data, takes the
/// separate form.
///
/// There may be no positions. Only the joint form can hold a first position of 0.
///
/// # Errors
/// [`Error::Argument`] if the doc index exceeds [`MAX_DOC_INDEX`]; [`Error::NotIncreasing`] for the positions;
/// [`Error::NotCodable`] for a first position of 0 that needs the separate form, or for a position 2^28 or more above
/// the one before it (its `value` is that difference).
pub fn pack_posting(doc_index: u32, positions: &[u32]) -> Result<Vec<u8>> {
    if doc_index > MAX_DOC_INDEX {
        return Err(Error::Argument(format!(
            "{NAME} cannot code the doc index {doc_index}: doc indexes are 0 to 2^27 - 2"
        )));
    }
    if let Some(at) = positions.windows(2).position(|pair| pair[0] >= pair[1]) {
        return Err(Error::NotIncreasing {
            what: "position",
            index: at + 1,
            previous: positions[at].into(),
            got: positions[at + 1].into(),
        });
    }
    let mut before = 0;
    let deltas = positions.iter().map(|&position| position - std::mem::replace(&mut before, position));
    let mut out = Vec::new();
    pack(doc_index, deltas, &mut out)?;
    Ok(out)
}

/// The list with `offset` added to each doc index, packed again as by [`pack_posting`]. Linear time.
///
/// # Errors
/// [`Error::Corrupt`]; [`Error::Argument`] if a doc index leaves 0 … [`MAX_DOC_INDEX`], or if a posting with position 0
/// leaves the doc indexes of the joint form.
pub fn add_doc_index(postings: &[u8], offset: i64) -> Result<Vec<u8>> {
    let mut out = Vec::with_capacity(postings.len() + postings.len() / 4);
    for posting in Postings::parse(postings)? {
        let moved = i64::from(posting.doc_index)
            .checked_add(offset)
            .and_then(|moved| u32::try_from(moved).ok())
            .filter(|&moved| moved <= MAX_DOC_INDEX);
        let Some(moved) = moved else {
            return Err(Error::Argument(format!(
                "doc index {} of the posting at byte {} cannot be moved by {offset}: doc indexes are 0 to 2^27 - 2",
                posting.doc_index, posting.offset
            )));
        };
        pack(moved, posting.deltas(), &mut out).map_err(|_| {
            Error::Argument(format!(
                "the posting at byte {} has position 0, which cannot be coded with doc index {moved}",
                posting.offset
            ))
        })?;
    }
    Ok(out)
}
