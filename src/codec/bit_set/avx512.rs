//! AVX-512: the bits of a word become bytes by one compression; 1 bits are counted eight words at a time.

use super::{GROUP, word};
use crate::base::bits::IOTA;
use std::arch::x86_64::*;

/// How many words ahead words are prefetched.
const AHEAD: usize = 128;

/// As [`super::expand`]. Words are looked at in groups, so that few branches depend on how many bits a single one has.
///
/// # Safety
/// As there; the processor has the enabled features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512vpopcntdq,bmi1,bmi2,popcnt,lzcnt")]
pub(super) unsafe fn expand(stream: *const u64, words: usize, first: u32, out: *mut u32) -> usize {
    let mut found = 0;
    for from in (0..words).step_by(GROUP) {
        let len = GROUP.min(words - from);
        let first = first.wrapping_add(64 * from as u32);
        // SAFETY: these are some of the words. `out` has room for the docIDs of the ones from here on, and 64 more.
        found += unsafe {
            let (stream, out) = (stream.add(from), out.add(found));
            if len < FEWEST {
                expand_all::<1>(stream, len, first, out)
            } else {
                let Filled { which, ones } = filled(stream, u64::MAX >> (GROUP - len));
                match ones / len {
                    _ if 8 * which.count_ones() as usize <= 7 * len => expand_some(stream, which, first, out),
                    0..8 => expand_all::<1>(stream, len, first, out),
                    8..24 => expand_all::<2>(stream, len, first, out),
                    _ => expand_all::<4>(stream, len, first, out),
                }
            }
        };
    }
    found
}

/// Smaller groups are not looked at first.
const FEWEST: usize = 8;

/// Which words of a group have bits, and how many in all.
struct Filled {
    which: u64,
    ones: usize,
}

/// # Safety
/// The words that `all` has bits of can be read; the processor has the enabled features.
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
#[inline]
unsafe fn filled(stream: *const u64, all: u64) -> Filled {
    let (mut which, mut ones) = (0, _mm512_setzero_si512());
    for at in (0..GROUP).step_by(8) {
        // SAFETY: only words of the stream are read, because of the mask.
        let words = unsafe { _mm512_maskz_loadu_epi64((all >> at) as u8, stream.wrapping_add(at).cast()) };
        which |= u64::from(_mm512_test_epi64_mask(words, words)) << at;
        ones = _mm512_add_epi64(ones, _mm512_popcnt_epi64(words));
    }
    Filled { which, ones: _mm512_reduce_add_epi64(ones) as usize }
}

/// Writes the docIDs of a word, of which bit 0 stands for the docID that `base` has in all lanes, and returns their number.
/// The first `VECTORS` are always written, the others if there are any.
///
/// # Safety
/// `to` has room for 64; the processor has the enabled features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt,lzcnt")]
#[inline]
unsafe fn expand_word<const VECTORS: usize>(bits: u64, base: __m512i, to: *mut u32) -> usize {
    let ones = bits.count_ones() as usize;
    // SAFETY: `IOTA` has 64 bytes; stores are within 64 of `to`.
    unsafe {
        let indices = _mm512_maskz_compress_epi8(bits, _mm512_loadu_si512(IOTA.as_ptr().cast()));
        macro_rules! store {
            ($($quarter:literal)*) => {$(
                let quarter = _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32::<$quarter>(indices));
                _mm512_storeu_si512(to.add(16 * $quarter).cast(), _mm512_add_epi32(quarter, base));
            )*};
        }
        store!(0);
        if VECTORS > 1 || ones > 16 {
            store!(1);
            if VECTORS > 2 || ones > 32 {
                store!(2 3);
            }
        }
    }
    ones
}

/// # Safety
/// As [`super::expand`]; the processor has the enabled features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt,lzcnt")]
unsafe fn expand_all<const VECTORS: usize>(stream: *const u64, words: usize, first: u32, out: *mut u32) -> usize {
    let mut found = 0;
    let mut base = _mm512_set1_epi32(first as i32);
    for at in 0..words {
        // SAFETY: the word can be read; `out` has room for its docIDs and 64 more after those found so far.
        found += unsafe { expand_word::<VECTORS>(word(stream, at), base, out.add(found)) };
        base = _mm512_add_epi32(base, _mm512_set1_epi32(64));
    }
    found
}

/// Expands the words of a group that `which` has bits of, and no others.
///
/// # Safety
/// As [`super::expand`]; the processor has the enabled features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt,lzcnt")]
unsafe fn expand_some(stream: *const u64, mut which: u64, first: u32, out: *mut u32) -> usize {
    let mut found = 0;
    while which != 0 {
        let at = which.trailing_zeros();
        which &= which - 1;
        let base = _mm512_set1_epi32(first.wrapping_add(64 * at) as i32);
        // SAFETY: the word can be read; `out` has room for its docIDs and 64 more after those found so far.
        found += unsafe { expand_word::<1>(word(stream, at as usize), base, out.add(found)) };
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
    let whole = words / 8 * 8;
    // SAFETY: there are 8 words from `at` on, and for the rest only words of the streams are read and written, because of the
    // mask. What is written with a mask takes long to be read again.
    unsafe {
        for at in (0..whole).step_by(8) {
            let both = _mm512_and_si512(_mm512_loadu_si512(a.add(at).cast()), _mm512_loadu_si512(b.add(at).cast()));
            _mm512_storeu_si512(out.add(at).cast(), both);
            total = _mm512_add_epi64(total, _mm512_popcnt_epi64(both));
        }
        if whole < words {
            let mask = ((1u32 << (words - whole)) - 1) as __mmask8;
            let of_a = _mm512_maskz_loadu_epi64(mask, a.add(whole).cast());
            let both = _mm512_and_si512(of_a, _mm512_maskz_loadu_epi64(mask, b.add(whole).cast()));
            _mm512_mask_storeu_epi64(out.add(whole).cast(), mask, both);
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
