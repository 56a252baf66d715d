//! Hash segmentation: binary search of the bucket of docIDs with the same leading bits (Ao et al., 2011, section 4.4).
//! [`buckets`] has the definition; lists in the codec `Raw` keep such pointers themselves.

use super::{SortedSearch, rank_within};
use crate::codec::monotone::raw::buckets;
use std::ops::Range;

/// The buckets of a list, with up to a given number of docIDs each on average.
pub(super) struct Buckets {
    shift: u32,
    pointers: Vec<u32>,
}

impl Buckets {
    pub(super) fn new(sorted: &[u32], bucket: usize) -> Self {
        let shift = buckets::shift(sorted.len(), sorted.last().copied().unwrap_or(0), bucket);
        let mut pointers = Vec::new();
        buckets::push_pointers(sorted, shift, &mut pointers);
        Buckets { shift, pointers }
    }

    /// The bucket of a docID is `docID >> shift`.
    pub(super) fn shift(&self) -> u32 {
        self.shift
    }

    /// The ranks of the docIDs in the bucket of `doc_id`.
    pub(super) fn ranks(&self, doc_id: u32) -> Range<usize> {
        buckets::ranks(&self.pointers, self.shift, doc_id)
    }

    pub(super) fn words(&self) -> usize {
        self.pointers.len()
    }
}

/// Buckets of up to `BUCKET` docIDs on average: HS16 of the paper is `HashSegmentation<16>`.
pub(super) struct HashSegmentation<const BUCKET: usize>(Buckets);

impl<const BUCKET: usize> SortedSearch for HashSegmentation<BUCKET> {
    fn new(sorted: &[u32]) -> Self {
        HashSegmentation(Buckets::new(sorted, BUCKET))
    }

    fn rank(&self, sorted: &[u32], _: usize, target: u32) -> usize {
        rank_within(sorted, self.0.ranks(target), target)
    }

    fn words(&self) -> usize {
        self.0.words()
    }
}
