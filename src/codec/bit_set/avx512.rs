//! AVX-512: the bits of a word become bytes by one compression; 1 bits are counted eight words at a time.

use super::word;
use crate::base::bits::IOTA;
use std::arch::x86_64::*;

/// How many words ahead words are prefetched.
const AHEAD: usize = 128;

/// As [`super::expand`].
///
/// # Safety
/// As there; the processor has the enabled features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt,lzcnt")]
pub(super) unsafe fn expand(stream: *const u64, words: usize, first: u32, out: *mut u32) -> usize {
    let mut found = 0;
    let mut base = _mm512_set1_epi32(first as i32);
    let next = _mm512_set1_epi32(64);
    // SAFETY: `IOTA` has 64 bytes.
    let iota = unsafe { _mm512_loadu_si512(IOTA.as_ptr().cast()) };
    for at in 0..words {
        // SAFETY: the word can be read. `out` has room for the docIDs of this word and 64 more after those found so
        // far, and all stores are within 64 of that place.
        unsafe {
            let bits = word(stream, at);
            let ones = bits.count_ones() as usize;
            let indices = _mm512_maskz_compress_epi8(bits, iota);
            let to = out.add(found);
            let store = |at: usize, indices| {
                let doc_ids = _mm512_add_epi32(_mm512_cvtepu8_epi32(indices), base);
                _mm512_storeu_si512(to.add(at).cast(), doc_ids);
            };
            store(0, _mm512_castsi512_si128(indices));
            if ones > 16 {
                store(16, _mm512_extracti32x4_epi32::<1>(indices));
                store(32, _mm512_extracti32x4_epi32::<2>(indices));
                if ones > 48 {
                    store(48, _mm512_extracti32x4_epi32::<3>(indices));
                }
            }
            found += ones;
        }
        base = _mm512_add_epi32(base, next);
    }
    found
}

/// As [`super::common`].
///
/// # Safety
/// As there; the processor has the enabled features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vpopcntdq")]
pub(super) unsafe fn common(a: *const u64, b: *const u64, words: usize, out: *mut u64) -> u64 {
    let mut total = _mm512_setzero_si512();
    for at in (0..words).step_by(8) {
        let mask = ((1u32 << (words - at).min(8)) - 1) as __mmask8;
        // SAFETY: only words of the streams are read and written, because of the mask.
        unsafe {
            let of_a = _mm512_maskz_loadu_epi64(mask, a.add(at).cast());
            let both = _mm512_and_si512(of_a, _mm512_maskz_loadu_epi64(mask, b.add(at).cast()));
            _mm512_mask_storeu_epi64(out.add(at).cast(), mask, both);
            total = _mm512_add_epi64(total, _mm512_popcnt_epi64(both));
        }
    }
    _mm512_reduce_add_epi64(total) as u64
}

/// As [`super::count_common`].
///
/// # Safety
/// As there; the processor has the enabled features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vpopcntdq")]
pub(super) unsafe fn count_common(a: *const u64, b: *const u64, words: usize) -> u64 {
    let mut total = [_mm512_setzero_si512(); 4];
    // Words up to the next cache line of `a`, so that no load of the rest crosses one, at least there.
    let head = (a.addr().wrapping_neg() / 8 % 8).min(words);
    let whole = head + (words - head) / 32 * 32;
    // SAFETY: both streams have 32 words from `at` on; before and after these, only words of the streams are read, because
    // of the mask.
    unsafe {
        let some = |at: usize, count: usize| {
            let mask = ((1u32 << count) - 1) as __mmask8;
            let of_a = _mm512_maskz_loadu_epi64(mask, a.add(at).cast());
            _mm512_popcnt_epi64(_mm512_and_si512(of_a, _mm512_maskz_loadu_epi64(mask, b.add(at).cast())))
        };
        total[0] = some(0, head);
        for at in (head..whole).step_by(32) {
            // Long sets come from the outer caches; addresses after the end are ignored.
            for line in (0..32).step_by(8) {
                _mm_prefetch::<_MM_HINT_T0>(a.wrapping_add(at + AHEAD + line).cast());
                _mm_prefetch::<_MM_HINT_T0>(b.wrapping_add(at + AHEAD + line).cast());
            }
            for (part, total) in total.iter_mut().enumerate() {
                let of_a = _mm512_loadu_si512(a.add(at + 8 * part).cast());
                let both = _mm512_and_si512(of_a, _mm512_loadu_si512(b.add(at + 8 * part).cast()));
                *total = _mm512_add_epi64(*total, _mm512_popcnt_epi64(both));
            }
        }
        for at in (whole..words).step_by(8) {
            total[1] = _mm512_add_epi64(total[1], some(at, (words - at).min(8)));
        }
    }
    let [a, b, c, d] = total;
    _mm512_reduce_add_epi64(_mm512_add_epi64(_mm512_add_epi64(a, b), _mm512_add_epi64(c, d))) as u64
}

/// As [`super::fill`].
///
/// # Safety
/// As there; the processor has the enabled features.
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn fill(first: u32, len: usize, out: *mut u32) {
    let iota = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    let mut doc_ids = _mm512_add_epi32(_mm512_set1_epi32(first as i32), iota);
    for at in (0..len).step_by(16) {
        // SAFETY: at most 15 docIDs are written after the last one.
        unsafe { _mm512_storeu_si512(out.add(at).cast(), doc_ids) };
        doc_ids = _mm512_add_epi32(doc_ids, _mm512_set1_epi32(16));
    }
}
