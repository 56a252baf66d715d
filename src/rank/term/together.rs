//! [`Together`]: the scores of several documents that a list is known to contain. What each of them needs is read for all of them before
//! the next step, so that nothing waits for one of them alone.

use super::{Source, Term, find_known};
use crate::base::bits::{in_pairs, pair};
use crate::codec::BLOCK;

/// Pairs of words of a bit set whose ones are counted together.
const SPAN: usize = 512;

/// They are, if they are at most so many for each document.
const NEAR: usize = 8;

/// A block of frequencies is unpacked for so many documents.
const MANY: usize = 4;

/// Documents of a list are sparse if it has so many others for each.
const SPARSE: usize = 16;

/// Documents of a list, at most a block of them.
pub(in crate::rank) struct Together {
    len: usize,
    doc_ids: [u32; BLOCK],
    /// Where they stand in the list.
    indices: [u32; BLOCK],
    /// Their frequencies less 1.
    less_one: [u32; BLOCK],
    scores: [f32; BLOCK],
    /// Postings before each pair of words of a bit set.
    before: [u32; SPAN],
}

impl Default for Together {
    fn default() -> Self {
        Together {
            len: 0,
            doc_ids: [0; BLOCK],
            indices: [0; BLOCK],
            less_one: [0; BLOCK],
            scores: [0.0; BLOCK],
            before: [0; SPAN],
        }
    }
}

impl Together {
    /// Takes some documents, at most a block of them. docIDs ascend, across calls for a term too.
    #[inline(always)]
    pub(in crate::rank) fn take(&mut self, doc_ids: &[u32]) {
        self.len = doc_ids.len();
        self.doc_ids[..self.len].copy_from_slice(doc_ids);
    }

    /// Whether a list has many others between them, so that bounds of blocks may leave some out.
    #[inline(always)]
    pub(in crate::rank) fn are_sparse(&self, term: &mut Term) -> bool {
        let [first, .., last] = self.doc_ids[..self.len] else { return true };
        let place = term.place();
        let blocks = [first, last].map(|doc_id| term.seek(doc_id).unwrap_or(term.blocks()));
        term.return_to(place);
        (blocks[1] - blocks[0]) * BLOCK >= SPARSE * self.len
    }

    /// Keeps those of which `keeps` says so, given the number that each has in `numbers` and the block of the list in which it must be. The
    /// rest of the numbers is junk then.
    #[inline(always)]
    pub(in crate::rank) fn retain(
        &mut self,
        term: &mut Term,
        numbers: &mut [u32],
        mut keeps: impl FnMut(&mut Term, u32, usize) -> bool,
    ) {
        let place = term.place();
        let mut kept = 0;
        for at in 0..self.len {
            let (number, doc_id) = (numbers[at], self.doc_ids[at]);
            let Some(block) = term.seek(doc_id) else { break };
            (numbers[kept], self.doc_ids[kept]) = (number, doc_id);
            kept += usize::from(keeps(term, number, block));
        }
        self.len = kept;
        term.return_to(place);
    }

    /// Finds them in a list that contains them all.
    #[inline(always)]
    fn find(&mut self, term: &mut Term) {
        let mut from = 0;
        while from < self.len {
            let Some(block) = term.seek(self.doc_ids[from]) else {
                debug_assert!(false, "the list does not contain {}", self.doc_ids[from]);
                self.len = from;
                return;
            };
            from = match term.bits() {
                Some(words) => self.find_in_bits(term, words, block, from),
                None => self.find_in_block(term, block, from),
            };
        }
    }

    /// Finds those from `from` on that are in a block, and returns where the others begin.
    #[inline(always)]
    fn find_in_block(&mut self, term: &mut Term, block: usize, from: usize) -> usize {
        let last = term.last(block);
        term.load(block);
        let (tier, of_block) = (term.tier, &term.buffers.doc_ids);
        let places = self.indices[from..self.len].iter_mut().zip(&self.doc_ids[from..self.len]);
        let mut found = 0;
        for (index, &doc_id) in places.take_while(|&(_, &doc_id)| doc_id <= last) {
            *index = (BLOCK * block + find_known(tier, of_block, doc_id)) as u32;
            found += 1;
        }
        from + found
    }

    /// Finds those from `from` on that are near the beginning of a block of a bit set, at least the first, and returns where the others
    /// begin.
    #[inline(always)]
    fn find_in_bits(&mut self, term: &mut Term, words: &[u32], block: usize, from: usize) -> usize {
        let begin = term.first_possible(block);
        let first = begin as usize / 64;
        let pair_of = |doc_id: u32| doc_id as usize / 64 - first;
        let doc_ids = &self.doc_ids[from..self.len];
        let count = match doc_ids.last() {
            Some(&last) if pair_of(last) >= SPAN => doc_ids.partition_point(|&doc_id| pair_of(doc_id) < SPAN),
            _ => doc_ids.len(),
        };
        let pairs = count.checked_sub(1).map_or(SPAN, |last| pair_of(doc_ids[last])) + 1;
        if pairs > NEAR * count {
            self.indices[from] = (BLOCK * block + term.ranked.index(words, block, begin, doc_ids[0])) as u32;
            return from + 1;
        }
        let (words, last) = in_pairs(&words[2 * first..]);
        let pair = |at: usize| words.get(at).map_or(last.unwrap_or(0), pair);
        // Ones before the block in its first pair belong to blocks before.
        let others = (pair(0) & !(u64::MAX << (begin % 64))).count_ones();
        let mut sum = ((BLOCK * block) as u32).wrapping_sub(others);
        for (at, before) in self.before[..pairs].iter_mut().enumerate() {
            *before = sum;
            sum = sum.wrapping_add(pair(at).count_ones());
        }
        for (index, &doc_id) in self.indices[from..].iter_mut().zip(&doc_ids[..count]) {
            let at = pair_of(doc_id) % SPAN;
            let up_to = u64::MAX >> (63 - doc_id % 64);
            *index = self.before[at].wrapping_add((pair(at) & up_to).count_ones()).wrapping_sub(1);
        }
        from + count
    }

    /// Their scores in a list that contains them all.
    #[inline(always)]
    pub(in crate::rank) fn scores(&mut self, term: &mut Term) -> &[f32] {
        self.find(term);
        let indices = &self.indices[..self.len];
        match &term.source {
            Source::List(view) => {
                let mut at = 0;
                while let Some(&index) = indices.get(at) {
                    let block = index as usize / BLOCK;
                    if indices.get(at + MANY - 1).is_none_or(|&other| other as usize / BLOCK > block) {
                        self.less_one[at] = view.frequencies.get(index as usize);
                        at += 1;
                        continue;
                    }
                    term.frequencies.unpack(view, &mut term.buffers.less_one, block);
                    while at < indices.len() && indices[at] as usize / BLOCK == block {
                        self.less_one[at] = term.buffers.less_one[indices[at] as usize % BLOCK];
                        at += 1;
                    }
                }
            }
            Source::Decoded { columns, .. } => {
                for (to, &index) in self.less_one.iter_mut().zip(indices) {
                    *to = columns.less_one[index as usize];
                }
            }
        }
        term.scorer.scores(term.tier, &self.doc_ids, &self.less_one, self.len, &mut self.scores);
        &self.scores[..self.len]
    }
}
