//! Plain Rust: four docIDs at a time, so that only one addition in four depends on the previous docID.

/// Computes the prefix sum.
///
/// # Safety
/// As [`super::add_up`].
pub(super) unsafe fn add_up(out: *mut u32, count: usize, mut previous: u32) {
    // SAFETY: the contract says that there are `count` values at `out`; the caller's pointer is exclusive for the call.
    let values = unsafe { std::slice::from_raw_parts_mut(out, count) };
    let (fours, rest) = values.as_chunks_mut::<4>();
    for four in fours {
        let [a, b, c, d] = *four;
        let (ab, cd) = (a.wrapping_add(b), c.wrapping_add(d));
        let (abc, abcd) = (ab.wrapping_add(c), ab.wrapping_add(cd));
        *four = [(a, 1), (ab, 2), (abc, 3), (abcd, 4)].map(|(sum, i)| previous.wrapping_add(sum).wrapping_add(i));
        previous = four[3];
    }
    for value in rest {
        previous = previous.wrapping_add(value.wrapping_add(1));
        *value = previous;
    }
}
