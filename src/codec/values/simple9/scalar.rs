//! Plain Rust: always eight values at a time, even if the word has fewer. Each value needs its own shift, which is
//! written as a multiplication by a power of two, because compilers can vectorise that on every processor. For NEON they
//! need fewer instructions than it took by hand, so that there is no path of its own.

use super::{COUNTS, LEFT, RIGHT, Rows};

/// By selector, the powers of two that shift each value left as [`LEFT`] says; 0 if the selector is not defined. (If
/// the first factor were the same in every row, the compiler would treat it as a constant and no longer vectorise the
/// other seven.)
static FACTORS: Rows = {
    let mut factors = [[0; 32]; 16];
    let mut at = 0;
    while at < 16 * 32 {
        if COUNTS[at / 32] != 0 {
            factors[at / 32][at % 32] = 1 << LEFT.0[at / 32][at % 32];
        }
        at += 1;
    }
    Rows(factors)
};

/// Decodes the values of `words` to `out` and returns their number.
///
/// # Safety
/// As [`super::decode_values`].
pub(super) unsafe fn decode(words: &[u32], out: *mut u32) -> usize {
    let mut found = 0;
    for &word in words {
        let selector = (word >> 28) as usize;
        let (factors, right) = (&FACTORS.0[selector], RIGHT[selector]);
        // SAFETY: `out` has room for all values and the slack: of the values written here, at least 1 of 8, 9 of 16 or
        // 28 of 32 belong to this word.
        let eight = |from: usize| unsafe {
            let factors: &[u32; 8] = factors[from..from + 8].try_into().expect("8 of 32");
            let values: [u32; 8] = std::array::from_fn(|i| word.wrapping_mul(factors[i]) >> right);
            out.add(found + from).cast::<[u32; 8]>().write_unaligned(values);
        };
        eight(0);
        if selector > 5 {
            eight(8);
            if selector > 7 {
                eight(16);
                eight(24);
            }
        }
        found += usize::from(COUNTS[selector]);
    }
    found
}
