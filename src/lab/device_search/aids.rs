//! What searches need of a list besides its docIDs.

use super::DeviceSearch;
use crate::list::PostingList;
use std::collections::HashMap;

/// A line and its safe range: the rank of a docID x, relative to where the line begins, is from `x · slope >> 32` plus `low`
/// to, and without, that plus `high`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    /// Ranks per docID, times 2^32.
    pub slope: u32,
    /// Added for the first rank.
    pub low: i64,
    /// Added for the end.
    pub high: i64,
}

impl Line {
    fn words(self) -> [u32; 5] {
        let Line { slope, low, high } = self;
        [slope, low as u32, (low >> 32) as u32, high as u32, (high >> 32) as u32]
    }
}

/// Words of each list, for one search. They would be a part of an index, so they are made once.
#[derive(Debug, Clone)]
pub struct Aids {
    search: DeviceSearch,
    /// By the ids of lists.
    words: HashMap<u64, Vec<u32>>,
}

/// docIDs of a segment of [`DeviceSearch::LrSegments`] on average, at most.
const SEGMENT: usize = 1024;
/// docIDs of a level of [`DeviceSearch::SkipList`] that one of the next level stands for. The kernel has the same constant.
pub(super) const STRIDE: usize = 16;

impl Aids {
    /// Those of these lists. `line` gives the line of docIDs relative to a docID that is at most the first of them. A search
    /// that needs no aids is ready without lists.
    pub fn of<'l>(
        search: DeviceSearch,
        lists: impl IntoIterator<Item = &'l PostingList>,
        line: impl Fn(&[u32], u32) -> Line,
    ) -> Aids {
        let mut words = HashMap::new();
        if search.needs_aids() {
            for list in lists {
                words.entry(list.id()).or_insert_with(|| aid(search, &list.decode(), &line));
            }
        }
        Aids { search, words }
    }

    /// The search.
    pub fn search(&self) -> DeviceSearch {
        self.search
    }

    /// The words of a list.
    pub(super) fn get(&self, list: &PostingList) -> Option<&[u32]> {
        self.words.get(&list.id()).map(Vec::as_slice)
    }
}

/// The words of a list of these docIDs, in the layout that `cl/lab/search.cl` describes.
fn aid(search: DeviceSearch, doc_ids: &[u32], line: &impl Fn(&[u32], u32) -> Line) -> Vec<u32> {
    match search {
        DeviceSearch::LrRange => line(doc_ids, 0).words().to_vec(),
        DeviceSearch::LrSegments => segments(doc_ids, line),
        DeviceSearch::SkipList => levels(doc_ids),
        _ => Vec::new(),
    }
}

/// The logarithm of a segment's docIDs, the number of segments, then for each the rank of its first docID and its line, and
/// at the end the number of docIDs.
fn segments(doc_ids: &[u32], line: &impl Fn(&[u32], u32) -> Line) -> Vec<u32> {
    let last = u64::from(doc_ids.last().copied().unwrap_or(0));
    let most = doc_ids.len().div_ceil(SEGMENT).max(1) as u64;
    let shift = (0..=32).find(|&shift| (last >> shift) < most).unwrap_or(32);
    let count = (last >> shift) + 1;
    let mut words = vec![shift, count as u32];
    let mut rank = 0;
    for segment in 0..count {
        let end = doc_ids.partition_point(|&doc_id| u64::from(doc_id) >> shift <= segment);
        words.push(rank as u32);
        words.extend(line(&doc_ids[rank..end], (segment << shift) as u32).words());
        rank = end;
    }
    words.push(rank as u32);
    words
}

/// The number of levels, then for each, from the lowest up, the number of its docIDs and where they begin; then the docIDs:
/// the last of each full run of [`STRIDE`] of the level below.
fn levels(doc_ids: &[u32]) -> Vec<u32> {
    let mut levels: Vec<Vec<u32>> = Vec::new();
    loop {
        let below = levels.last().map_or(doc_ids, Vec::as_slice);
        if below.len() < STRIDE {
            break;
        }
        let level = below.iter().skip(STRIDE - 1).step_by(STRIDE).copied().collect();
        levels.push(level);
    }
    let mut words = vec![levels.len() as u32];
    let mut at = 1 + 2 * levels.len();
    for level in &levels {
        words.extend([level.len() as u32, at as u32]);
        at += level.len();
    }
    words.extend(levels.iter().flatten());
    words
}
