//! Parallel merge find (Ding et al., WWW 2009, sections 7.1 and 7.2, after the poster of 2008): splitters of the shorter
//! slice are searched in the longer one, which divides both into segments; splitters of each segment divide it further;
//! at last each docID is searched in its segment. All searches of a level are independent of each other: a kernel does
//! them at once (`cl/lab/search.cl`), this file one after the other.
//!
//! With L levels, the splitters of level l are the docIDs whose rank is a multiple of 2^(s·(L + 1 - l)), s being a share
//! of 1 / (L + 1) of the bits of a rank, so that each level multiplies the number of segments by the same factor. The
//! paper leaves the number of splitters open.

use super::{Chunks, Pair};
use crate::base::bits::digit_width;
use crate::base::cpu::Tier;
use crate::codec::Sink;

/// With that many levels of splitters; 0 searches the whole longer slice for each docID.
pub(super) struct ParallelMerge<const LEVELS: u32>;

impl<const LEVELS: u32> Pair for ParallelMerge<LEVELS> {
    fn meet<S: Sink>(_: Tier, a: &[u32], b: &[u32], sink: &mut S) {
        let (shorter, longer) = if a.len() <= b.len() { (a, b) } else { (b, a) };
        let bits = digit_width(shorter.len(), LEVELS + 1);
        // The ranks in `longer` of the level's splitters, and an end. Before the first level there is one segment.
        let mut ranks = vec![0, longer.len()];
        let mut stride = bits * (LEVELS + 1);
        for _ in 0..LEVELS {
            let above = stride;
            stride -= bits;
            let splitters = shorter.iter().enumerate().step_by(1 << stride);
            let found: Vec<usize> = splitters.map(|(at, &doc_id)| rank(longer, &ranks, at >> above, doc_id)).collect();
            ranks = found;
            ranks.push(longer.len());
        }
        let mut chunks = Chunks::new(sink);
        for (at, &doc_id) in shorter.iter().enumerate() {
            let rank = rank(longer, &ranks, at >> stride, doc_id);
            chunks.push_if(doc_id, longer.get(rank) == Some(&doc_id));
        }
        chunks.flush();
    }
}

/// The rank of `doc_id`, which is at least the splitter that begins the segment, and below the next one.
fn rank(longer: &[u32], ranks: &[usize], segment: usize, doc_id: u32) -> usize {
    let (from, to) = (ranks[segment], ranks[segment + 1]);
    from + longer[from..to].partition_point(|&other| other < doc_id)
}
