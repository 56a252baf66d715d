//! Writes docIDs into the elements of a packed array, a whole cache line at a time if the processor can.

use super::zend::IS_LONG;
use crate::base::cpu;
use ext_php_rs::types::Zval;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

/// Writes the docIDs to `elements`. The other fields of a `Zval` are not used in a packed array and become 0.
///
/// # Safety
/// `elements` has room for all of them, and owns nothing.
#[inline]
pub unsafe fn with_doc_ids(elements: *mut Zval, doc_ids: &[u32]) {
    if doc_ids.len() < 16 {
        // SAFETY: `elements` has room for all docIDs, at two numbers each.
        return unsafe { plain(elements.cast(), doc_ids) };
    }
    // SAFETY: `elements` has room for all docIDs.
    unsafe { with_many(elements, doc_ids) };
}

/// # Safety
/// As [`with_doc_ids`].
#[inline(never)]
unsafe fn with_many(elements: *mut Zval, doc_ids: &[u32]) {
    // The vectors below treat a value as two 64-bit halves, the integer and its type.
    const { assert!(size_of::<Zval>() == 16 && std::mem::offset_of!(Zval, u1) == 8) };
    match cpu::tier() {
        // SAFETY: the processor has the tier that it says; `elements` has room for all docIDs.
        #[cfg(target_arch = "x86_64")]
        cpu::Tier::Avx512 => unsafe { avx512(elements.cast(), doc_ids) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        cpu::Tier::Avx2 => unsafe { avx2(elements.cast(), doc_ids) },
        // SAFETY: `elements` has room for all docIDs.
        _ => unsafe { plain(elements.cast(), doc_ids) },
    }
}

/// # Safety
/// `to` has room for two numbers per docID.
#[inline]
unsafe fn plain(to: *mut u64, doc_ids: &[u32]) {
    for (at, &doc_id) in doc_ids.iter().enumerate() {
        // SAFETY: `to` has room for two numbers per docID, and `at` is the index of one.
        unsafe { to.add(2 * at).cast::<[u64; 2]>().write([doc_id.into(), IS_LONG.into()]) };
    }
}

/// # Safety
/// As [`plain`]; the processor has AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn avx2(to: *mut u64, doc_ids: &[u32]) {
    let types = _mm256_setr_epi32(0, 0, IS_LONG as i32, 0, 0, 0, IS_LONG as i32, 0);
    // No `map`: unless the compiler inlines it, its closure runs without the processor's features.
    let mut lanes = [_mm256_setzero_si256(); 4];
    for (i, lanes) in (0..).step_by(2).zip(&mut lanes) {
        *lanes = _mm256_setr_epi32(i, 0, 0, 0, i + 1, 0, 0, 0);
    }
    let (eights, rest) = doc_ids.as_chunks::<8>();
    for (at, eight) in eights.iter().enumerate() {
        // SAFETY: there is room for the sixteen numbers of these eight docIDs.
        unsafe {
            let eight = _mm256_loadu_si256(eight.as_ptr().cast());
            let to = to.add(16 * at).cast::<__m256i>();
            for (pair, &lanes) in lanes.iter().enumerate() {
                let values = _mm256_permutevar8x32_epi32(eight, lanes);
                _mm256_storeu_si256(to.add(pair), _mm256_blend_epi32::<0b1110_1110>(values, types));
            }
        }
    }
    // SAFETY: there is room for the rest, after them.
    unsafe { plain(to.add(16 * eights.len()), rest) };
}

/// The elements of an array begin 8 bytes into a block of memory that often begins a cache line, so that every vector
/// of whole elements would lie across two lines. Shifted by half an element, they fill one each.
///
/// # Safety
/// As [`plain`]; the processor has AVX-512 F.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe fn avx512(to: *mut u64, doc_ids: &[u32]) {
    // The integer of an element before the line; in the line its type, three more elements and an integer.
    let head = (to as usize).wrapping_neg() / 8 % 8;
    if head.is_multiple_of(2) || doc_ids.len() < 32 {
        // SAFETY: `to` has room for two numbers per docID, and the processor has AVX-512 F.
        return unsafe { whole(to, doc_ids) };
    }
    let (before, doc_ids) = doc_ids.split_at(head / 2);
    let (&first, rest) = doc_ids.split_first().expect("32 docIDs, less 3");
    let types = _mm512_maskz_set1_epi32(0b0001_0001_0001_0001, IS_LONG as i32);
    let (fours, rest) = rest.as_chunks::<4>();
    // SAFETY: there is room for two numbers per docID: those before the line, the integer just before it, four docIDs a
    // line, and then the type of the last of them and the rest.
    unsafe {
        plain(to, before);
        to.add(head - 1).write(first.into());
        let lines = to.add(head);
        for (at, four) in fours.iter().enumerate() {
            let four = _mm512_castsi128_si512(_mm_loadu_si128(four.as_ptr().cast()));
            let line = _mm512_maskz_expand_epi32(0b0100_0100_0100_0100, four);
            _mm512_store_si512(lines.add(8 * at).cast(), _mm512_or_si512(line, types));
        }
        let end = lines.add(8 * fours.len());
        end.write(IS_LONG.into());
        plain(end.add(1), rest);
    }
}

/// # Safety
/// As [`plain`]; the processor has AVX-512 F.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe fn whole(to: *mut u64, doc_ids: &[u32]) {
    let types = _mm512_maskz_set1_epi32(0b0100_0100_0100_0100, IS_LONG as i32);
    let (fours, rest) = doc_ids.as_chunks::<4>();
    for (at, four) in fours.iter().enumerate() {
        // SAFETY: there is room for the eight numbers of these four docIDs.
        unsafe {
            let four = _mm512_castsi128_si512(_mm_loadu_si128(four.as_ptr().cast()));
            let line = _mm512_maskz_expand_epi32(0b0001_0001_0001_0001, four);
            _mm512_storeu_si512(to.add(8 * at).cast(), _mm512_or_si512(line, types));
        }
    }
    // SAFETY: there is room for the rest, after them.
    unsafe { plain(to.add(8 * fours.len()), rest) };
}
