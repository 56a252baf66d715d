//! Intersection without reading the long lists: where one list of a query holds a few documents and another is long,
//! each document is looked for in the long one by a binary search on the file.
//!
//! A posting begins at a word whose top two bits say so, and doc indexes rise, so that any place of a list leads to a
//! doc index. Yioop does the same in memory. Reading and scanning a list of 240 KB takes some 80 µs, a probe of
//! [`PROBE`] bytes under 1 µs.

use super::format::modified9::Place;
use super::{Matches, Postings, Shard, intersect_flat};
use crate::error::Result;

/// Bytes that a probe reads.
const PROBE: u32 = 512;
/// Where the binary search ends and the rest is read.
const REST: u32 = 4096;
/// A probe takes as long as reading and scanning this many bytes does.
const PROBE_COSTS: u64 = 2048;
/// Lists shorter than this are read whole.
const LEAST: u64 = 16 * 1024;

/// A posting list, as far as it was read.
#[derive(Debug)]
pub enum List {
    /// All of it.
    Whole(Vec<u8>),
    /// The postings of the documents that match.
    Excerpts {
        /// Length of the list.
        bytes: usize,
        /// Byte offset of each posting in the list, and its bytes.
        postings: Vec<(u32, Vec<u8>)>,
    },
}

impl List {
    /// Its bytes, where it was read whole.
    pub fn whole(&self) -> Option<&[u8]> {
        match self {
            List::Whole(bytes) => Some(bytes),
            List::Excerpts { .. } => None,
        }
    }

    /// Its length in bytes.
    pub fn bytes(&self) -> usize {
        match self {
            List::Whole(bytes) => bytes.len(),
            List::Excerpts { bytes, .. } => *bytes,
        }
    }

    /// The list from the posting at a byte offset on, or that posting alone.
    pub(super) fn from(&self, offset: u32) -> &[u8] {
        let bytes = match self {
            List::Whole(bytes) => bytes.get(offset as usize..),
            List::Excerpts { postings, .. } => {
                postings.binary_search_by_key(&offset, |posting| posting.0).ok().map(|at| &postings[at].1[..])
            }
        };
        bytes.unwrap_or_default()
    }
}

/// Reads of the lists (first and last offset each) what their intersection takes, and intersects them. `None` where
/// reading them whole is no dearer, or a list is not as a search needs it.
///
/// # Errors
/// As [`Shard::postings_at`] and [`intersect_flat`].
pub fn gather(shard: &Shard, ranges: &[(u32, u32)]) -> Result<Option<(Vec<List>, Matches)>> {
    let bytes = |&(first, last): &(u32, u32)| u64::from(last.saturating_sub(first)) + 4;
    let (Some(shortest), Some(longest)) = (ranges.iter().map(bytes).min(), ranges.iter().map(bytes).max()) else {
        return Ok(None);
    };
    // A posting takes 4 bytes or more.
    if longest < LEAST || !is_worthwhile(shortest / 4, longest) && shortest > 1024 {
        return Ok(None);
    }
    let Some(scarce) = ranges.iter().position(|range| bytes(range) == shortest) else { return Ok(None) };
    // Those of lists that are searched too, which are never read as a whole.
    ranges.iter().try_for_each(|&(first, last)| shard.check_postings(first, last).map(|_| ()))?;
    let first = shard.postings_at(ranges[scarce].0, ranges[scarce].1)?;
    let few = Postings::parse(&first)?.iter().count() as u64;
    let searched: Vec<bool> =
        ranges.iter().map(|range| bytes(range) >= LEAST && is_worthwhile(few, bytes(range))).collect();
    if !searched.contains(&true) {
        return Ok(None);
    }
    let mut lists = Vec::with_capacity(ranges.len());
    for (at, &(first_offset, last_offset)) in ranges.iter().enumerate() {
        lists.push(match searched[at] {
            true => List::Excerpts { bytes: bytes(&ranges[at]) as usize, postings: Vec::new() },
            false if at == scarce => List::Whole(first.clone()),
            false => List::Whole(shard.postings_at(first_offset, last_offset)?),
        });
    }
    let whole: Vec<&[u8]> = lists.iter().filter_map(List::whole).collect();
    let common = intersect_flat(&whole)?;
    let mut matches = Matches { lists: ranges.len(), ..Matches::default() };
    let mut from: Vec<u32> = ranges.iter().map(|range| range.0).collect();
    'documents: for (doc, whole_offsets) in common.iter() {
        let mut found = Vec::with_capacity(ranges.len());
        let mut whole_offsets = whole_offsets.iter();
        for at in 0..ranges.len() {
            if !searched[at] {
                found.push((whole_offsets.next().copied().unwrap_or_default(), Vec::new()));
                continue;
            }
            match find(shard, &mut from[at], ranges[at].1 + 4, doc)? {
                Search::Found { offset, posting } => found.push((offset - ranges[at].0, posting)),
                Search::Absent => continue 'documents,
                Search::Impossible => return Ok(None),
            }
        }
        matches.docs.push(doc);
        for (list, (offset, posting)) in lists.iter_mut().zip(found) {
            matches.offsets.push(offset);
            if let List::Excerpts { postings, .. } = list {
                postings.push((offset, posting));
            }
        }
    }
    Ok(Some((lists, matches)))
}

/// Whether `few` searches cost less than reading a list of `bytes`.
fn is_worthwhile(few: u64, bytes: u64) -> bool {
    let probes = 1 + u64::from((bytes / u64::from(REST)).checked_ilog2().unwrap_or(0) + 1);
    few * probes * PROBE_COSTS < bytes
}

enum Search {
    /// Where it begins in word_docs, and its bytes.
    Found {
        offset: u32,
        posting: Vec<u8>,
    },
    Absent,
    /// The list is not as a search needs it: it has long postings, or doc indexes that fall.
    Impossible,
}

/// Looks for a document between two places of word_docs, at both of which a posting begins or the list ends. Moves
/// `from` forward to a posting that is not behind the document.
fn find(shard: &Shard, from: &mut u32, end: u32, doc: u32) -> Result<Search> {
    let (mut low, mut high) = (*from, end);
    let mut low_doc = None;
    while high - low > REST {
        let middle = low + (high - low) / 2 / 4 * 4;
        let window = shard.postings_at(middle, (middle + PROBE).min(end) - 4)?;
        let begins: Vec<usize> =
            window.chunks_exact(4).enumerate().filter(|(_, word)| begins(word)).map(|(word, _)| 4 * word).collect();
        let [first, .., last] = begins[..] else { return Ok(Search::Impossible) };
        let docs: Vec<u32> = Postings::parse(&window[first..last])?.iter().map(|posting| posting.doc_index).collect();
        // Where doc indexes fall, which Yioop writes by mistake, a search may go astray.
        if !docs.is_sorted_by(|one, other| one < other) || low_doc.is_some_and(|low_doc| docs[0] < low_doc) {
            return Ok(Search::Impossible);
        }
        if docs[0] <= doc {
            (low, low_doc) = (middle + first as u32, Some(docs[0]));
        } else {
            high = middle + first as u32;
        }
    }
    *from = low;
    if low == high {
        return Ok(Search::Absent);
    }
    let rest = shard.postings_at(low, high - 4)?;
    let mut last = None;
    for posting in Postings::parse(&rest)?.iter() {
        if last.is_some_and(|last| posting.doc_index <= last) {
            return Ok(Search::Impossible);
        }
        last = Some(posting.doc_index);
        if posting.doc_index == doc {
            return Ok(Search::Found { offset: low + posting.offset as u32, posting: posting.as_bytes().to_vec() });
        }
    }
    Ok(Search::Absent)
}

/// Whether a posting begins with these four bytes.
fn begins(word: &[u8]) -> bool {
    Place::of(u32::from_be_bytes([word[0], word[1], word[2], word[3]])).begins()
}
