//! Whether a term's list contains a document, and how often that has the term.

use super::{NONE, Source, Term};
use crate::base::cpu::Tier;
use crate::codec::{AnyLookUp, BLOCK, BlockBuffer};
use crate::index::list::{DocIds, View, has, rank};
use crate::rank::score::Chosen;
use std::hint::select_unpredictable;

/// Where a document stands in the block of a bit set: counted from the document asked for before, if that is in the
/// same block.
pub(super) struct Ranked {
    block: usize,
    /// The document after the last one counted, and the number of those counted.
    next: u32,
    count: usize,
}

impl Ranked {
    pub(super) const NONE: Ranked = Ranked { block: NONE, next: 0, count: 0 };

    /// The index of a document in its block. Documents ascend within a block.
    #[inline(always)]
    pub(super) fn index(&mut self, words: &[u32], block: usize, first_possible: u32, doc_id: u32) -> usize {
        if self.block != block || doc_id < self.next {
            *self = Ranked { block, next: first_possible, count: 0 };
        }
        self.count += rank(words, self.next, doc_id);
        self.next = doc_id + 1;
        self.count - 1
    }
}

/// The frequencies of a block: the first that is looked up is extracted alone, and the block unpacked for a second one.
pub(super) struct Frequencies {
    asked: usize,
    unpacked: usize,
}

impl Frequencies {
    pub(super) const NONE: Frequencies = Frequencies { asked: NONE, unpacked: NONE };

    #[inline(always)]
    fn less_one(&mut self, view: &View, unpacked: &mut [u32; BLOCK], block: usize, index: usize) -> u32 {
        if self.unpacked == block {
            return unpacked[index];
        }
        if self.asked == block {
            self.unpack(view, unpacked, block);
            return unpacked[index];
        }
        self.asked = block;
        view.frequencies.get(BLOCK * block + index)
    }

    /// Unpacks a block, unless it is unpacked.
    #[inline(always)]
    pub(super) fn unpack(&mut self, view: &View, unpacked: &mut [u32; BLOCK], block: usize) {
        if self.unpacked != block {
            view.frequencies_less_one(block, unpacked);
            self.unpacked = block;
        }
    }
}

impl<'s> Term<'s> {
    /// How often a document contains the term, if it does. docIDs must not decrease.
    #[inline(always)]
    pub fn frequency(&mut self, doc_id: u32) -> Option<u32> {
        Some(self.less_one(doc_id)?.saturating_add(1))
    }

    /// Moves those of `doc_ids` that the list contains to the front, without decoding blocks, and returns their number;
    /// `None` if the list has no such way. docIDs ascend; a call that goes back is slower.
    #[inline(always)]
    pub(in crate::rank) fn retain(&mut self, doc_ids: &mut [u32]) -> Option<usize> {
        debug_assert!(doc_ids.is_sorted());
        if let [first, ..] = *doc_ids
            && first < self.looked_up
        {
            // Look-ups go forward: back, they would read what is not the list's.
            self.look_up = None;
        }
        if let [.., last] = *doc_ids {
            self.looked_up = last;
        }
        if self.look_up.is_none() {
            let Source::List(View { doc_ids: DocIds::List(codec, encoded), .. }) = self.source else { return None };
            // SAFETY: lists of terms are checked and not empty; the tier is available.
            self.look_up = unsafe { AnyLookUp::new(codec, self.tier, encoded) }.map(Box::new);
        }
        // SAFETY: here, docIDs are always those of a list or a bit set, or some of them, in its order; across calls, see above.
        Some(unsafe { self.look_up.as_mut()?.retain(doc_ids) })
    }

    /// Keeps the documents that the list contains, if that can be found out without decoding blocks; otherwise all. docIDs
    /// ascend, across calls too.
    #[inline(always)]
    pub(in crate::rank) fn keep(&mut self, chosen: &mut Chosen) {
        if let Some(bits) = self.bits() {
            chosen.keep_in(self.tier, bits);
        } else if let Some(kept) = self.retain(&mut chosen.doc_ids[..chosen.len]) {
            chosen.len = kept;
        }
    }

    /// The frequency less 1 of a document, if the list contains it. docIDs must not decrease.
    #[inline(always)]
    pub fn less_one(&mut self, doc_id: u32) -> Option<u32> {
        let block = self.seek(doc_id)?;
        self.less_one_in(block, doc_id)
    }

    /// The same, if the document can only be in this block, which [`seek`](Self::seek) returned for it.
    #[inline(always)]
    pub(in crate::rank) fn less_one_in(&mut self, block: usize, doc_id: u32) -> Option<u32> {
        if let Source::List(view) = &self.source
            && let DocIds::Bits(words) = view.doc_ids
            && view.frequencies.is_zero(block)
        {
            return has(words, doc_id).then_some(0);
        }
        let index = self.index_in(block, doc_id)?;
        Some(match &self.source {
            Source::List(view) => self.frequencies.less_one(view, &mut self.buffers.less_one, block, index),
            Source::Decoded { columns, .. } => columns.less_one[BLOCK * block + index],
        })
    }

    /// The index of a document in the list, if the list contains it. docIDs must not decrease.
    #[inline(always)]
    pub(in crate::rank) fn index(&mut self, doc_id: u32) -> Option<usize> {
        let block = self.seek(doc_id)?;
        Some(BLOCK * block + self.index_in(block, doc_id)?)
    }

    /// The index of a document in the block in which it must be, if it is there.
    #[inline(always)]
    fn index_in(&mut self, block: usize, doc_id: u32) -> Option<usize> {
        if let Some(words) = self.bits() {
            if !has(words, doc_id) {
                return None;
            }
            let first = self.first_possible(block);
            return Some(self.ranked.index(words, block, first, doc_id));
        }
        self.load(block);
        find(self.tier, &self.buffers.doc_ids, doc_id)
    }

    /// Whether the list contains a document. docIDs must not decrease.
    #[inline(always)]
    pub fn contains(&mut self, doc_id: u32) -> bool {
        let Some(block) = self.seek(doc_id) else { return false };
        if let Some(words) = self.bits() {
            return has(words, doc_id);
        }
        self.load(block);
        find(self.tier, &self.buffers.doc_ids, doc_id).is_some()
    }
}

/// Ends a block of `count` docIDs with `u32::MAX`, which no document has, so that a search compares nothing but docIDs.
#[inline(always)]
pub(in crate::rank) fn end_block(doc_ids: &mut BlockBuffer, count: usize) {
    if count < BLOCK {
        doc_ids[count..BLOCK].fill(u32::MAX);
    }
}

/// The index of a document in a block, which was [ended](end_block), if it is there.
#[inline(always)]
pub(in crate::rank) fn find(tier: Tier, doc_ids: &BlockBuffer, doc_id: u32) -> Option<usize> {
    let at = find_known(tier, doc_ids, doc_id);
    (doc_ids[at] == doc_id).then_some(at)
}

/// The same of one that is there; otherwise any index.
#[inline(always)]
pub(super) fn find_known(tier: Tier, doc_ids: &BlockBuffer, doc_id: u32) -> usize {
    // A binary search without branches, over a power of two.
    let search = |mut at: usize, mut step: usize, least: usize| {
        while step >= least {
            at = select_unpredictable(doc_ids[at + step] <= doc_id, at + step, at);
            step /= 2;
        }
        at
    };
    let at = search(0, BLOCK / 2, VECTOR);
    #[cfg(target_arch = "x86_64")]
    if tier == Tier::Avx512 {
        // SAFETY: the tier is available; from a multiple of a vector below a block on, there is a vector.
        return at + unsafe { equal_avx512(doc_ids.as_ptr().add(at), doc_id) };
    }
    let _ = tier;
    search(at, VECTOR / 2, 1)
}

/// The end of a search is one comparison of so many docIDs, where a tier has that.
const VECTOR: usize = 16;

/// Which of 16 docIDs is this one; 0 if none is.
///
/// # Safety
/// The processor has AVX-512 F; there are 16.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
#[inline]
unsafe fn equal_avx512(doc_ids: *const u32, doc_id: u32) -> usize {
    use std::arch::x86_64::*;
    // SAFETY: this function's contract.
    let some = unsafe { _mm512_loadu_si512(doc_ids.cast()) };
    let equal = _mm512_cmpeq_epi32_mask(some, _mm512_set1_epi32(doc_id as i32));
    equal.trailing_zeros() as usize % VECTOR
}
