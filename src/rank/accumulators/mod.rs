//! [`Accumulators`]: documents, ascending, each with the sum of the scores of the terms seen so far; what chooses among
//! them, on each tier.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(test)]
mod tests;

use crate::base::cpu::Tier;
use crate::index::list::has;
#[cfg(target_arch = "x86_64")]
use crate::rank::score::near;

/// Documents in a bit of each of which a `u64` tells something.
pub(super) const GROUP: usize = 64;

/// Room after the last one, so that whole vectors can be read and written.
const VECTOR: usize = 16;

/// Room that is made first.
const ROOM: usize = 256;

/// Which sums are above `least`.
#[inline(always)]
fn above(tier: Tier, sums: &[f64; GROUP], least: f64) -> u64 {
    match tier {
        // SAFETY: the tier is available.
        #[cfg(target_arch = "x86_64")]
        Tier::Avx2 => unsafe { avx2::above(sums, least) },
        _ => {
            let mut above = 0;
            for (bit, &sum) in sums.iter().enumerate() {
                above |= u64::from(sum > least) << bit;
            }
            above
        }
    }
}

/// Documents with sums of scores.
#[derive(Default)]
pub(super) struct Accumulators {
    doc_ids: Vec<u32>,
    sums: Vec<f64>,
    len: usize,
}

impl Accumulators {
    #[inline(always)]
    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The documents.
    #[inline(always)]
    pub(super) fn doc_ids(&self) -> &[u32] {
        &self.doc_ids[..self.len]
    }

    /// The documents and their sums, which may be changed. Whoever moves documents forward says with
    /// [`truncate`](Self::truncate) how many are left.
    #[inline(always)]
    pub(super) fn parts(&mut self) -> (&mut [u32], &mut [f64]) {
        (&mut self.doc_ids[..self.len], &mut self.sums[..self.len])
    }

    /// Leaves the first `len`.
    #[inline(always)]
    pub(super) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// Makes room for `more`.
    #[inline(always)]
    pub(super) fn reserve(&mut self, more: usize) {
        if self.doc_ids.len() < self.len + more + VECTOR {
            let room = (self.len + more + VECTOR).next_power_of_two().max(ROOM);
            self.doc_ids.resize(room, 0);
            self.sums.resize(room, 0.0);
        }
    }

    /// Adds a document if `is_one`; there must be room.
    #[inline(always)]
    pub(super) fn push_if(&mut self, is_one: bool, doc_id: u32, sum: f64) {
        self.doc_ids[self.len] = doc_id;
        self.sums[self.len] = sum;
        self.len += usize::from(is_one);
    }

    /// Adds documents without scores; there must be room.
    #[inline(always)]
    pub(super) fn push_all(&mut self, doc_ids: &[u32]) {
        let end = self.len + doc_ids.len();
        self.doc_ids[self.len..end].copy_from_slice(doc_ids);
        self.sums[self.len..end].fill(0.0);
        self.len = end;
    }

    /// Adds those of `doc_ids` that have a score above `least`.
    #[inline(always)]
    pub(super) fn push_above(&mut self, tier: Tier, doc_ids: &[u32], scores: &[f32], least: f64) {
        self.reserve(doc_ids.len());
        match tier {
            // SAFETY: the tier is available; there is room, and a vector more.
            #[cfg(target_arch = "x86_64")]
            Tier::Avx512 => return unsafe { self.push_above_avx512(doc_ids, scores, near(least)) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Tier::Avx2 => return unsafe { self.push_above_avx2(doc_ids, scores, near(least)) },
            _ => {}
        }
        for (&doc_id, &score) in doc_ids.iter().zip(scores) {
            self.push_if(f64::from(score) > least, doc_id, score.into());
        }
    }

    /// Adds those of the documents from `first` on that have a sum above `least`, of which there are `sums`, and makes all these
    /// sums 0. Only `groups` are looked at.
    #[inline(always)]
    pub(super) fn take_above(&mut self, tier: Tier, first: u32, sums: &mut [[f64; GROUP]], groups: u64, least: f64) {
        #[cfg(target_arch = "x86_64")]
        if tier == Tier::Avx512 {
            self.reserve(groups.count_ones() as usize * GROUP);
            // SAFETY: the tier is available; there is room, and a vector more.
            return unsafe { self.take_above_avx512(first, sums, groups, least) };
        }
        let mut left = groups;
        while left != 0 {
            let group = left.trailing_zeros();
            left &= left - 1;
            let sums = &mut sums[group as usize];
            self.take(above(tier, sums, least), first + GROUP as u32 * group, sums);
        }
    }

    /// Adds those of the documents from `first` on of which `which` has a bit, of which there are `sums`, and makes all these sums 0.
    #[inline(always)]
    fn take(&mut self, mut which: u64, first: u32, sums: &mut [f64; GROUP]) {
        if which != 0 {
            // Most are not taken: without an instruction that compresses, one by one takes less than moving vectors.
            self.reserve(GROUP);
            let (to, to_sums) = (&mut self.doc_ids[self.len..][..GROUP], &mut self.sums[self.len..][..GROUP]);
            let mut taken = 0;
            while which != 0 {
                let place = which.trailing_zeros();
                which &= which - 1;
                (to[taken], to_sums[taken]) = (first + place, sums[place as usize]);
                taken += 1;
            }
            self.len += taken;
        }
        *sums = [0.0; GROUP];
    }

    /// Keeps those with a sum above `least`.
    #[inline(always)]
    pub(super) fn keep_above(&mut self, tier: Tier, least: f64) {
        if least == f64::NEG_INFINITY {
            return;
        }
        match tier {
            // SAFETY: the tier is available; there is a vector more.
            #[cfg(target_arch = "x86_64")]
            Tier::Avx512 => return unsafe { self.keep_above_avx512(least) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Tier::Avx2 => return unsafe { self.keep_above_avx2(least) },
            _ => {}
        }
        self.keep_if(0, |_, sum| sum > least);
    }

    /// Keeps, from the one at `from` on, those that are in a bit set, which has a bit for each, or have a sum above `least`.
    #[inline(always)]
    pub(super) fn keep_in(&mut self, tier: Tier, from: usize, bits: &[u32], least: f64) {
        let Some(&last) = self.doc_ids[..self.len].last() else { return };
        assert!((last as usize) / 32 < bits.len() && from <= self.len);
        #[cfg(target_arch = "x86_64")]
        if tier == Tier::Avx512 {
            // SAFETY: the tier is available; documents ascend, so all have a bit as the last one has.
            return unsafe { self.keep_in_avx512(from, bits, least) };
        }
        let _ = tier;
        self.keep_if(from, |doc_id, sum| has(bits, doc_id) | (sum > least));
    }

    /// Keeps those among `found`, which are some of these documents and then `u32::MAX`, or that have a sum above `least`.
    #[inline(always)]
    pub(super) fn keep_found(&mut self, tier: Tier, found: &[u32], least: f64) {
        assert_eq!(found.last(), Some(&u32::MAX));
        #[cfg(target_arch = "x86_64")]
        if tier == Tier::Avx512 {
            // SAFETY: the tier is available; documents are less than `u32::MAX`.
            return unsafe { self.keep_found_avx512(found, least) };
        }
        let _ = tier;
        let mut next = 0;
        self.keep_if(0, |doc_id, sum| {
            let is = found[next] == doc_id;
            next += usize::from(is);
            is | (sum > least)
        });
    }

    /// Keeps, from the one at `from` on, those of which `is_kept` says so.
    #[inline(always)]
    pub(super) fn keep_if(&mut self, from: usize, mut is_kept: impl FnMut(u32, f64) -> bool) {
        let mut kept = from;
        for at in from..self.len {
            let (doc_id, sum) = (self.doc_ids[at], self.sums[at]);
            (self.doc_ids[kept], self.sums[kept]) = (doc_id, sum);
            kept += usize::from(is_kept(doc_id, sum));
        }
        self.len = kept;
    }
}
