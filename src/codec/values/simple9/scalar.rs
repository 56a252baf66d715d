//! Plain Rust: eight values at a time, whatever their number. A shift by an amount of its own for each value is a
//! multiplication by a power of two, which compilers turn into the vector instructions that every processor has.

use super::{COUNTS, LEFT, RIGHT, Rows};

/// By selector, the powers of two that shift each value left as [`LEFT`] says; 0 where it is not defined. (Were the
/// first the same in every row, the compiler would use it, and take the other seven apart.)
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

/// Decodes the values of words.
///
/// # Safety
/// As [`super::decode_values`].
pub(super) unsafe fn decode(words: &[u32], out: *mut u32) -> usize {
    let mut found = 0;
    for &word in words {
        let selector = (word >> 28) as usize;
        let (factors, right) = (&FACTORS.0[selector], RIGHT[selector]);
        // SAFETY: `out` has room for all values of all words; those of this one are at least one of the 8 from `found`
        // on, at least 9 of the 16, or 28 of the 32.
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
