//! Plain Rust.

use super::word;

/// As [`super::expand`].
///
/// # Safety
/// As there.
pub(super) unsafe fn expand(stream: *const u64, words: usize, first: u32, out: *mut u32) -> usize {
    let mut found = 0;
    for at in 0..words {
        // SAFETY: the word can be read.
        let mut bits = unsafe { word(stream, at) };
        let doc_id = first.wrapping_add(64 * at as u32);
        while bits != 0 {
            // SAFETY: `out` has room for a docID per bit.
            unsafe { out.add(found).write(doc_id + bits.trailing_zeros()) };
            bits &= bits - 1;
            found += 1;
        }
    }
    found
}

/// As [`super::common`].
///
/// # Safety
/// As there.
#[inline(always)]
pub(super) unsafe fn common(a: *const u64, b: *const u64, words: usize, out: *mut u64) -> u64 {
    let mut ones = 0;
    for at in 0..words {
        // SAFETY: both words can be read, and `out` has room for a word.
        let both = unsafe { word(a, at) & word(b, at) };
        ones += u64::from(both.count_ones());
        // SAFETY: as above.
        unsafe { out.add(at).write_unaligned(both) };
    }
    ones
}

/// As [`super::count_common`].
///
/// # Safety
/// As there.
#[inline(always)]
pub(super) unsafe fn count_common(a: *const u64, b: *const u64, words: usize) -> u64 {
    // SAFETY: both words can be read.
    (0..words).map(|at| u64::from(unsafe { word(a, at) & word(b, at) }.count_ones())).sum()
}
