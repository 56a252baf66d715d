//! A skip list of several levels, as a CPU has it: each level holds every 16th docID of the one below. A search climbs
//! from the previous rank to the level at which one step reaches the target, and descends from there.
//!
//! ```text
//! level 2   255                                   511
//! level 1   15    31    47    …    255    271     …
//! list      0 1 2 … 15 16 … 31 …                          (ranks)
//! ```

use super::SortedSearch;

/// docIDs of a level that one docID of the next level stands for.
const STRIDE: usize = 16;

pub(super) struct SkipList {
    /// From the lowest level up: the last docID of each full run of [`STRIDE`] of the level below.
    levels: Vec<Vec<u32>>,
}

impl SortedSearch for SkipList {
    fn new(sorted: &[u32]) -> Self {
        let mut levels: Vec<Vec<u32>> = Vec::new();
        loop {
            let below = levels.last().map_or(sorted, Vec::as_slice);
            if below.len() < STRIDE {
                return SkipList { levels };
            }
            let level = below.iter().skip(STRIDE - 1).step_by(STRIDE).copied().collect();
            levels.push(level);
        }
    }

    fn rank(&self, sorted: &[u32], from: usize, target: u32) -> usize {
        let level = |at: usize| if at == 0 { sorted } else { &self.levels[at - 1] };
        // `at` counts docIDs of the level that are known to be below the target.
        let (mut here, mut at) = (0, from);
        loop {
            let end = (at / STRIDE + 1) * STRIDE;
            let run = &level(here)[at..end.min(level(here).len())];
            let below = run.iter().take_while(|&&doc_id| doc_id < target).count();
            at += below;
            // The target lies beyond the run, if there is a run after it.
            if at < end || here == self.levels.len() {
                break;
            }
            here += 1;
            at /= STRIDE;
        }
        while here > 0 {
            here -= 1;
            at *= STRIDE;
            let run = &level(here)[at..level(here).len().min(at + STRIDE)];
            at += run.iter().take_while(|&&doc_id| doc_id < target).count();
        }
        at
    }

    fn words(&self) -> usize {
        self.levels.iter().map(Vec::len).sum()
    }
}
