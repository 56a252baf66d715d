//! Sixteen words at a time; first words are gathered by compression.

use super::Scanned;
use crate::yioop::format::modified9::{BY_PREFIX, LAYOUTS, Layout};
use std::arch::x86_64::*;

/// A property of the layouts by the bits 29 … 25 of a word. Bit 24 as well tells 12 values from 24: the last entry is
/// for 12, and [`NARROWEST`] for 24.
type Table = [u32; 32];

const NARROWEST: Layout = LAYOUTS[8];

const LOW_BITS: Table = table(0);
const HIGH_BITS: Table = table(1);
const UNUSED: Table = table(2);
/// Leading zeros of the highest bit of a word's last value.
const LEADING: Table = table(3);

const fn table(property: u32) -> Table {
    let mut table = [0; 32];
    let mut i = 0;
    while i < 32 {
        table[i] = entry(&BY_PREFIX[2 * i], property);
        i += 1;
    }
    table
}

const fn entry(layout: &Layout, property: u32) -> u32 {
    match property {
        0 => layout.low_bits,
        1 => layout.high_bits,
        2 => layout.unused,
        _ => 32 - layout.width,
    }
}

#[derive(Clone, Copy)]
struct Lookup {
    low: __m512i,
    high: __m512i,
    narrowest: __m512i,
}

impl Lookup {
    #[target_feature(enable = "avx512f")]
    fn new(table: &Table, property: u32) -> Lookup {
        // SAFETY: the table has 32 entries, two vectors.
        let (low, high) =
            unsafe { (_mm512_loadu_epi32(table.as_ptr().cast()), _mm512_loadu_epi32(table[16..].as_ptr().cast())) };
        Lookup { low, high, narrowest: _mm512_set1_epi32(entry(&NARROWEST, property) as i32) }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn of(self, index: __m512i, narrowest: __mmask16) -> __m512i {
        _mm512_mask_mov_epi32(_mm512_permutex2var_epi32(self.low, index, self.high), narrowest, self.narrowest)
    }
}

/// # Safety
/// As [`super::scan`]; the processor has tier AVX-512; the list is a whole number of words.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512cd,popcnt,bmi1,bmi2,lzcnt")]
pub(super) unsafe fn scan<const DOCS: bool, const OFFSETS: bool>(
    postings: &[u8],
    docs: *mut u32,
    offsets: *mut u32,
) -> Scanned {
    let swap = _mm512_broadcast_i32x4(_mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12));
    let low_bits = Lookup::new(&LOW_BITS, 0);
    let high_bits = Lookup::new(&HIGH_BITS, 1);
    let unused = Lookup::new(&UNUSED, 2);
    let leading = Lookup::new(&LEADING, 3);
    let ones = _mm512_set1_epi32(1);
    let lanes = _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60);

    let words = postings.len() / 4;
    let mut count = 0;
    let mut fault: u32 = 0;
    // Whether the word before the vector says that its posting continues.
    let mut open: u32 = 0;
    let (mut run, mut longest_run) = (0, 0);
    let mut largest = _mm512_setzero_si512();
    let mut at = 0;
    while at < words {
        let here = (words - at).min(16);
        let inside = ((1u32 << here) - 1) as __mmask16;
        // SAFETY: only the `here` words that the list has from `at` on are read.
        let raw = unsafe { _mm512_maskz_loadu_epi32(inside, postings.as_ptr().add(at * 4).cast()) };
        // Lanes past the end hold a sound posting of one word.
        let word = _mm512_mask_mov_epi32(ones, inside, _mm512_shuffle_epi8(raw, swap));

        let index = _mm512_srli_epi32::<25>(word);
        let prefix = _mm512_set1_epi32(0x3F00_0000);
        let narrowest = _mm512_cmpeq_epi32_mask(_mm512_and_si512(word, prefix), prefix);
        let low = low_bits.of(index, narrowest);
        let high = high_bits.of(index, narrowest);

        // As `Layout::nonzero` and `modified9::fault`.
        let payload = _mm512_and_si512(word, _mm512_or_si512(low, high));
        let carried = _mm512_add_epi32(_mm512_and_si512(word, low), low);
        let carried = _mm512_or_si512(carried, word);
        let nonzero = _mm512_and_si512(carried, high);
        let zeros = _mm512_andnot_si512(carried, high);
        // All bits below the highest bit of the lowest value that is 0; all bits if there is none.
        let below = _mm512_andnot_si512(zeros, _mm512_sub_epi32(zeros, ones));
        let bad = _mm512_cmpge_epu32_mask(_mm512_sub_epi32(payload, ones), below);
        let stray = _mm512_test_epi32_mask(word, unused.of(index, narrowest));

        let goes_on = u32::from(_mm512_movepi32_mask(word));
        let later = goes_on ^ u32::from(_mm512_movepi32_mask(_mm512_slli_epi32::<1>(word)));
        fault |= u32::from(bad | stray) | ((later ^ (goes_on << 1 | open)) & 0xFFFF);
        open = goes_on >> 15;

        let single = _mm512_testn_epi32_mask(word, _mm512_set1_epi32(0x3000_0000));
        largest = _mm512_mask_max_epu32(largest, single & later as __mmask16, largest, payload);
        let starts = !(later as __mmask16) & inside;
        run = if starts == 0 { run + 1 } else { 0 };
        longest_run = longest_run.max(run);

        if DOCS {
            let shift = _mm512_sub_epi32(leading.of(index, narrowest), _mm512_lzcnt_epi32(nonzero));
            let value = _mm512_srlv_epi32(payload, shift);
            let joint = _mm512_test_epi32_mask(value, _mm512_set1_epi32(1 << 27));
            let apart = _mm512_sub_epi32(value, ones);
            let joined = _mm512_and_si512(_mm512_srli_epi32::<9>(value), _mm512_set1_epi32(0x3_FFFF));
            let doc = _mm512_mask_mov_epi32(apart, joint, joined);
            // Compressed in a register and stored whole: compressing stores are microcoded on Zen 4.
            // SAFETY: `count` is at most `at`, so the vector ends within the room for `words` and the slack.
            unsafe { _mm512_storeu_epi32(docs.add(count).cast(), _mm512_maskz_compress_epi32(starts, doc)) };
        }
        if OFFSETS {
            let offset = _mm512_add_epi32(_mm512_set1_epi32((at * 4) as i32), lanes);
            // SAFETY: as above.
            unsafe { _mm512_storeu_epi32(offsets.add(count).cast(), _mm512_maskz_compress_epi32(starts, offset)) };
        }
        count += starts.count_ones() as usize;
        at += 16;
    }
    Scanned::new(count, fault | open != 0, 16, longest_run, _mm512_reduce_max_epu32(largest))
}
