//! Looks docIDs up in their buckets. All tiers run the same code, compiled for each.

use super::buckets;
use crate::base::cpu::Tier;
use crate::codec::{Encoded, LookUp};

/// docIDs that are compared at once. With HS16, few buckets have more.
const NEAR: usize = 32;

/// A look-up in one list. It remembers nothing of earlier ones.
pub struct InBuckets<'l> {
    tier: Tier,
    shift: u32,
    pointers: &'l [u32],
    doc_ids: &'l [u32],
}

impl<'l> LookUp<'l> for InBuckets<'l> {
    const EXISTS: bool = true;

    unsafe fn new(tier: Tier, list: Encoded<'l>) -> Option<Self> {
        let (pointers, doc_ids) = (super::pointers(&list), super::doc_ids(&list));
        Some(InBuckets { tier, shift: list.parameter, pointers, doc_ids })
    }

    unsafe fn retain(&mut self, candidates: &mut [u32]) -> usize {
        match self.tier {
            // SAFETY: the processor has the tier, by the contract of `new`, and so its features.
            #[cfg(target_arch = "x86_64")]
            Tier::Avx512 => unsafe { self.retain_avx512(candidates) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Tier::Avx2 => unsafe { self.retain_avx2(candidates) },
            _ => self.retain_inline(candidates),
        }
    }
}

impl InBuckets<'_> {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi1,bmi2,popcnt")]
    fn retain_avx512(&self, candidates: &mut [u32]) -> usize {
        self.retain_inline(candidates)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
    fn retain_avx2(&self, candidates: &mut [u32]) -> usize {
        self.retain_inline(candidates)
    }

    #[inline(always)]
    fn retain_inline(&self, candidates: &mut [u32]) -> usize {
        let mut kept = 0;
        for at in 0..candidates.len() {
            let candidate = candidates[at];
            candidates[kept] = candidate;
            kept += usize::from(self.contains(candidate));
        }
        kept
    }

    #[inline(always)]
    fn contains(&self, doc_id: u32) -> bool {
        let mut ranks = buckets::ranks(self.pointers, self.shift, doc_id);
        while ranks.len() > NEAR {
            let middle = ranks.start + ranks.len() / 2;
            if self.doc_ids[middle] <= doc_id { ranks.start = middle } else { ranks.end = middle }
        }
        match self.doc_ids[ranks.start..].first_chunk::<NEAR>() {
            // docIDs after the bucket's are greater.
            Some(near) => near.iter().fold(false, |found, &other| found | (other == doc_id)),
            None => self.doc_ids[ranks].contains(&doc_id),
        }
    }
}
