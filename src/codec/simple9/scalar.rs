//! Plain Rust: the values of a tile of words first, eight at a time whatever their number; then their running sum. A
//! shift by an amount of its own for each value is a multiplication by a power of two, which compilers turn into the
//! vector instructions that every processor has.

#[cfg(any(test, not(target_arch = "x86_64")))]
use super::{COUNTS, LEFT, RIGHT, Rows};

/// Words of a tile, so that the sums find in the first-level cache what was extracted.
pub(super) const TILE: usize = 128;

/// By selector, the powers of two that shift each value left as [`LEFT`] says; 0 where it is not defined. (Were the
/// first the same in every row, the compiler would use it, and take the other seven apart.)
#[cfg(any(test, not(target_arch = "x86_64")))]
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

/// Decodes words.
///
/// # Safety
/// As [`super::decode_words`].
#[cfg(any(test, not(target_arch = "x86_64")))]
pub(super) unsafe fn decode(words: &[u32], previous: u32, out: *mut u32) -> usize {
    let mut previous = previous;
    let mut done = 0;
    for tile in words.chunks(TILE) {
        let mut found = done;
        for &word in tile {
            let selector = (word >> 28) as usize;
            let (factors, right) = (&FACTORS.0[selector], RIGHT[selector]);
            // SAFETY: `out` has room for all values of all words; those of this one are at least one of the 8 from
            // `found` on, at least 9 of the 16, or 28 of the 32.
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
        // SAFETY: those values were just written, and nothing else refers to them.
        let values = unsafe { std::slice::from_raw_parts_mut(out.add(done), found - done) };
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
        done = found;
    }
    done
}
