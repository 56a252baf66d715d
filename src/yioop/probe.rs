//! Intersection without reading the long lists: if one list of a query holds a few documents and another is long, each
//! document is searched for in the long one, on the file.
//!
//! The top two bits of a word say whether a posting begins with it, so any place of a list leads to a doc index. The
//! search is the one that [`intersect::search`](super::intersect::search) defines, so the answer is that of
//! [`intersect_flat`], in whatever order the doc indexes are. Only damage may go unseen, in those parts of a long list
//! that are not read.
//!
//! Reading and scanning a list of 240 KB takes some 80 µs, a probe of [`PROBE`] bytes under 1 µs.

use super::format::modified9::Place;
use super::intersect::search::{REST, middle};
use super::{Matches, Postings, Shard, intersect_flat};
use crate::base::error::Result;
use std::collections::HashMap;

/// Bytes that a probe reads.
const PROBE: u32 = 512;
/// A probe takes as long as reading and scanning this many bytes does.
const PROBE_COSTS: u64 = 2048;
/// Lists shorter than this are read whole.
const LEAST: u64 = 16 * 1024;

/// A posting list, or the part of it that was read.
#[derive(Debug)]
pub enum List {
    /// The whole list.
    Whole(Vec<u8>),
    /// Only the postings of the documents that match.
    Excerpts {
        /// Length of the whole list.
        bytes: usize,
        /// Byte offset of each posting in the list, and its bytes.
        postings: Vec<(u32, Vec<u8>)>,
    },
}

impl List {
    /// Its bytes, if it was read whole.
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

/// Reads as much of the lists (first and last offset of each) as their intersection needs, and intersects them. `None`
/// if reading them whole is no dearer, or a list has postings too long for a search.
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
    // All of them, because lists that are searched are never read whole.
    ranges.iter().try_for_each(|&(first, last)| shard.check_postings(first, last).map(|_| ()))?;
    let first = shard.postings_at(ranges[scarce].0, ranges[scarce].1)?;
    let few = Postings::parse(&first)?.len() as u64;
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
    let mut searches: Vec<FileSearch> = ranges
        .iter()
        .map(|range| FileSearch { shard, first_offset: range.0, bytes: bytes(range) as u32, probes: HashMap::new() })
        .collect();
    'documents: for (doc, whole_offsets) in common.iter() {
        let mut found = Vec::with_capacity(ranges.len());
        let mut whole_offsets = whole_offsets.iter();
        for at in 0..ranges.len() {
            if !searched[at] {
                found.push((whole_offsets.next().copied().unwrap_or_default(), Vec::new()));
                continue;
            }
            match searches[at].find(doc)? {
                Outcome::Found(offset, posting) => found.push((offset, posting)),
                Outcome::Absent => continue 'documents,
                Outcome::Impossible => return Ok(None),
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
    // If doc indexes fall, the order of the documents is not that of their postings.
    for list in &mut lists {
        if let List::Excerpts { postings, .. } = list {
            postings.sort_unstable_by_key(|posting| posting.0);
        }
    }
    Ok(Some((lists, matches)))
}

/// Whether `few` searches cost less than reading a list of `bytes`.
fn is_worthwhile(few: u64, bytes: u64) -> bool {
    let probes = 1 + u64::from((bytes / u64::from(REST)).checked_ilog2().unwrap_or(0) + 1);
    few * probes * PROBE_COSTS < bytes
}

/// What a search came to.
enum Outcome {
    /// Byte offset of the posting in the list, and its bytes.
    Found(u32, Vec<u8>),
    Absent,
    /// The list has long postings.
    Impossible,
}

/// The first posting of the upper half of a range: its bytes in the list, and its doc index.
#[derive(Clone, Copy)]
struct Probed {
    begin: u32,
    end: u32,
    doc: u32,
}

/// The search of a list on the file.
struct FileSearch<'a> {
    shard: &'a Shard,
    /// Where the list begins in word_docs.
    first_offset: u32,
    bytes: u32,
    /// By range: the first halvings are the same for all documents.
    probes: HashMap<(u32, u32), Probed>,
}

impl FileSearch<'_> {
    fn find(&mut self, doc: u32) -> Result<Outcome> {
        let (mut low, mut high, mut beyond) = (0, self.bytes, None);
        while high - low > REST {
            let probed = match self.probes.get(&(low, high)) {
                Some(&probed) => probed,
                None => {
                    let Some(probed) = self.probe(middle(low, high))? else { return Ok(Outcome::Impossible) };
                    self.probes.insert((low, high), probed);
                    probed
                }
            };
            if probed.doc < doc {
                low = probed.begin;
            } else {
                (high, beyond) = (probed.begin, Some(probed));
            }
        }
        let rest = self.read(low, high)?;
        if let Some(posting) = Postings::parse(&rest)?.iter().find(|posting| posting.doc_index == doc) {
            return Ok(Outcome::Found(low + posting.offset as u32, posting.as_bytes().to_vec()));
        }
        match beyond.filter(|probed| probed.doc == doc) {
            Some(probed) => Ok(Outcome::Found(probed.begin, self.read(probed.begin, probed.end)?)),
            None => Ok(Outcome::Absent),
        }
    }

    /// The first posting that begins in the [`PROBE`] bytes from `offset` on, all of which the list has; `None` if no
    /// posting begins and ends there.
    fn probe(&self, offset: u32) -> Result<Option<Probed>> {
        let window = self.read(offset, offset + PROBE)?;
        let mut begins = window.chunks_exact(4).enumerate().filter(|(_, word)| begins(word)).map(|(word, _)| 4 * word);
        let (Some(first), Some(second)) = (begins.next(), begins.next()) else { return Ok(None) };
        let doc = Postings::parse(&window[first..second])?.iter().next().map(|posting| posting.doc_index);
        Ok(doc.map(|doc| Probed { begin: offset + first as u32, end: offset + second as u32, doc }))
    }

    /// Bytes `begin .. end` of the list.
    fn read(&self, begin: u32, end: u32) -> Result<Vec<u8>> {
        self.shard.postings_at(self.first_offset + begin, self.first_offset + end - 4)
    }
}

/// Whether a posting begins with these four bytes.
fn begins(word: &[u8]) -> bool {
    Place::of(u32::from_be_bytes([word[0], word[1], word[2], word[3]])).begins()
}
