//! Hash segmentation (Ao et al., PVLDB 4(8), 2011, section 4.4): docIDs in buckets by their leading bits.
//!
//! docIDs up to u have k bits, k being the least for which u < 2^k. The bucket of a docID is its first m bits,
//! `docID >> s` with s = k - m. m is the least for which |ℓ| / bucket <= 2^m, so that a bucket of a list with even gaps
//! has up to `bucket` docIDs. Pointers say which ranks a bucket has: d + 1 of them, d being one more than the bucket of
//! u. Bucket h has the ranks `pointers[h] .. pointers[h + 1]`.
//!
//! ```text
//! {3, 9, 10, 45}, bucket = 2:  k = 6, m = 1, s = 5;  docIDs below 32, and the others:  pointers 0 3 4
//! ```
//!
//! One case differs from the paper: s is at most 31, so that a shift of 32 bits never occurs. A list in which s would be
//! 32, which has few docIDs up to 2^31 or more, has two buckets where the paper has one.

use std::ops::Range;

/// s: docIDs up to `universe` are in bucket `docID >> s`. `count` docIDs, at most `universe + 1`; `bucket` is not 0.
pub(crate) fn shift(count: usize, universe: u32, bucket: usize) -> u32 {
    let bits = 32 - universe.leading_zeros();
    let leading = count.div_ceil(bucket).next_power_of_two().trailing_zeros();
    bits.saturating_sub(leading).min(31)
}

/// The number of pointers of a list that is not empty: less than `2 * count / bucket + 4`.
pub(crate) fn pointer_count(universe: u32, shift: u32) -> usize {
    (universe >> shift) as usize + 2
}

/// Appends the pointers of increasing docIDs; none if there are no docIDs.
pub(crate) fn push_pointers(doc_ids: &[u32], shift: u32, pointers: &mut Vec<u32>) {
    let Some(&universe) = doc_ids.last() else { return };
    let begin = pointers.len();
    for (rank, &doc_id) in (0..).zip(doc_ids) {
        let bucket = (doc_id >> shift) as usize;
        // Buckets without docIDs begin where the next one with docIDs does.
        if pointers.len() - begin <= bucket {
            pointers.resize(begin + bucket + 1, rank);
        }
    }
    pointers.push(doc_ids.len() as u32);
    debug_assert_eq!(pointers.len() - begin, pointer_count(universe, shift));
}

/// The ranks of the docIDs in the bucket of `doc_id`. They are none, and at the end of the list, if the list has no such
/// bucket.
#[inline(always)]
pub(crate) fn ranks(pointers: &[u32], shift: u32, doc_id: u32) -> Range<usize> {
    let bucket = (doc_id >> shift) as usize;
    match pointers.get(bucket..).and_then(|rest| rest.first_chunk()) {
        Some(&[from, to]) => from as usize..to as usize,
        None => {
            let end = pointers.last().copied().unwrap_or(0) as usize;
            end..end
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_example_at_the_top() {
        let doc_ids = [3, 9, 10, 45];
        let shift = shift(4, 45, 2);
        let mut pointers = Vec::new();
        push_pointers(&doc_ids, shift, &mut pointers);
        assert_eq!((shift, &pointers[..]), (5, &[0, 3, 4][..]));
        assert_eq!(ranks(&pointers, shift, 31), 0..3);
        assert_eq!(ranks(&pointers, shift, 32), 3..4);
        assert_eq!(ranks(&pointers, shift, 64), 4..4);
    }

    #[test]
    fn m_is_the_least_of_the_paper() {
        for bucket in [16, 32, 64, 128, 256] {
            for count in (1..2000).chain([100_000, 1 << 20, (1 << 20) + 1]) {
                let universe = 1 << 28;
                let least = (0..).find(|&m| count as f64 / bucket as f64 <= 2f64.powi(m)).unwrap();
                assert_eq!(shift(count, universe, bucket), 29 - least as u32, "{count} {bucket}");
            }
        }
        assert_eq!(shift(1, u32::MAX, 16), 31);
        assert_eq!(shift(1, 0, 16), 0);
        assert_eq!(shift(0, 0, 16), 0);
    }

    proptest! {
        #[test]
        fn a_bucket_has_the_docids_with_its_leading_bits(
            set in prop::collection::btree_set(prop_oneof![any::<u32>(), 0u32..5000], 1..500),
            bucket in 1usize..300,
            others in prop::collection::vec(any::<u32>(), 0..50),
        ) {
            let doc_ids: Vec<u32> = set.into_iter().collect();
            let universe = doc_ids[doc_ids.len() - 1];
            let shift = shift(doc_ids.len(), universe, bucket);
            let mut pointers = Vec::new();
            push_pointers(&doc_ids, shift, &mut pointers);
            prop_assert_eq!(pointers.len(), pointer_count(universe, shift));
            prop_assert!(pointers.len() <= 2 * doc_ids.len() / bucket + 4);
            for &doc_id in doc_ids.iter().chain(&others) {
                let same = |other: u32| other >> shift == doc_id >> shift;
                let from = doc_ids.partition_point(|&other| other >> shift < doc_id >> shift);
                let count = doc_ids.iter().filter(|&&other| same(other)).count();
                prop_assert_eq!(ranks(&pointers, shift, doc_id), from..from + count);
            }
        }
    }
}
