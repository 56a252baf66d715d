//! AVX-512 with VNNI: two blocks of 128 dimensions at a time.

use super::super::codes::{BLOCK, BLOCK_BYTES};
use once_cell::sync::Lazy;
use std::arch::x86_64::*;

/// Whether the processor has VNNI besides what the tier has; so far, all of them do.
pub(super) fn is_available() -> bool {
    static HAS: Lazy<bool> =
        Lazy::new(|| is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vnni"));
    *HAS
}

/// As [`super::coarse`].
///
/// # Safety
/// The processor has the enabled features, and each sum has its code.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni,avx2")]
pub(super) unsafe fn coarse(integers: &[i8], codes: &[u8], sums: &mut [i32]) {
    let blocks = integers.len() / BLOCK;
    let three = _mm512_set1_epi8(3);
    for (at, sum) in sums.iter_mut().enumerate() {
        let mut total = _mm512_setzero_si512();
        for block in (0..blocks).step_by(2) {
            // SAFETY: there is a code of so many blocks for each sum, and an integer for each dimension. What would be of a
            // block after the last is not read.
            let load = |of_block: *const u8, apart: usize| unsafe {
                let first = _mm512_castsi256_si512(_mm256_loadu_si256(of_block.cast()));
                match block + 1 < blocks {
                    true => _mm512_inserti64x4::<1>(first, _mm256_loadu_si256(of_block.add(apart).cast())),
                    false => _mm512_inserti64x4::<1>(first, _mm256_setzero_si256()),
                }
            };
            // SAFETY: as above.
            let (code, integers) = unsafe {
                let code = codes.as_ptr().add((at * blocks + block) * BLOCK_BYTES);
                (load(code, BLOCK_BYTES), integers.as_ptr().add(BLOCK * block).cast::<u8>())
            };
            let mut add = |part: usize, code: __m512i| {
                // SAFETY: as above.
                let of_part = load(unsafe { integers.add(BLOCK_BYTES * part) }, BLOCK);
                total = _mm512_dpbusd_epi32(total, _mm512_and_si512(code, three), of_part);
            };
            add(0, code);
            add(1, _mm512_srli_epi16::<2>(code));
            add(2, _mm512_srli_epi16::<4>(code));
            add(3, _mm512_srli_epi16::<6>(code));
        }
        *sum = _mm512_reduce_add_epi32(total);
    }
}
