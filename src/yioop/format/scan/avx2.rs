//! Eight words at a time; first words are gathered by a permutation from a table.

use super::Scanned;
use crate::yioop::format::modified9::{BY_PREFIX, LAYOUTS, Layout};
use std::arch::x86_64::*;

/// For each mask of eight lanes: the lanes in it, in order, a byte each from the low end.
const GATHER: [u64; 256] = {
    let mut table = [0; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut lane, mut at) = (0, 0);
        while lane < 8 {
            if mask >> lane & 1 == 1 {
                table[mask] |= lane << at;
                at += 8;
            }
            lane += 1;
        }
        mask += 1;
    }
    table
};

/// A property of the layouts, found without a table of 64: by bits 29 and 28 for the three widest, by bits 28 … 26
/// below a bit 29 for the rest, except that the two narrowest are told apart by bits 25 and 24.
#[derive(Clone, Copy)]
struct Lookup {
    /// 1 × 28.
    widest: __m256i,
    /// 2 × 14.
    second: __m256i,
    /// By bits 28 … 26, if bit 29 is set.
    rest: __m256i,
    /// 12 × 2.
    twelve: __m256i,
    /// 24 × 1.
    narrowest: __m256i,
}

/// What decides between the entries of a [`Lookup`]; blends look at the top bit of each lane.
#[derive(Clone, Copy)]
struct Index {
    bit_29: __m256,
    bit_28: __m256,
    bits_28_to_26: __m256i,
    narrow: __m256,
    bit_24: __m256,
}

impl Index {
    #[inline]
    #[target_feature(enable = "avx2")]
    fn of(word: __m256i) -> Index {
        let five_ones = _mm256_set1_epi32(0x3E00_0000);
        Index {
            bit_29: _mm256_castsi256_ps(_mm256_slli_epi32::<2>(word)),
            bit_28: _mm256_castsi256_ps(_mm256_slli_epi32::<3>(word)),
            bits_28_to_26: _mm256_srli_epi32::<26>(word),
            narrow: _mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_and_si256(word, five_ones), five_ones)),
            bit_24: _mm256_castsi256_ps(_mm256_slli_epi32::<7>(word)),
        }
    }
}

impl Lookup {
    #[target_feature(enable = "avx2")]
    fn new(property: fn(&Layout) -> u32) -> Lookup {
        let all = |layout: &Layout| _mm256_set1_epi32(property(layout) as i32);
        let rest: [u32; 8] = std::array::from_fn(|i| property(&BY_PREFIX[0b10_0000 | i << 2]));
        // SAFETY: eight `u32`s are one vector.
        let rest = unsafe { _mm256_loadu_si256(rest.as_ptr().cast()) };
        Lookup {
            widest: all(&LAYOUTS[0]),
            second: all(&LAYOUTS[1]),
            rest,
            twelve: all(&LAYOUTS[7]),
            narrowest: all(&LAYOUTS[8]),
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn of(self, index: Index) -> __m256i {
        let ps = |vector| _mm256_castsi256_ps(vector);
        let wide = _mm256_blendv_ps(ps(self.widest), ps(self.second), index.bit_28);
        let rest = ps(_mm256_permutevar8x32_epi32(self.rest, index.bits_28_to_26));
        let narrow = _mm256_blendv_ps(ps(self.twelve), ps(self.narrowest), index.bit_24);
        let rest = _mm256_blendv_ps(rest, narrow, index.narrow);
        _mm256_castps_si256(_mm256_blendv_ps(wide, rest, index.bit_29))
    }
}

/// The exponent of the highest bit set, plus a constant; exact where the bits set span at most 24 places. Those of
/// `Layout::nonzero` do.
#[inline]
#[target_feature(enable = "avx2")]
fn exponent(bits: __m256i) -> __m256i {
    _mm256_srli_epi32::<23>(_mm256_castps_si256(_mm256_cvtepi32_ps(bits)))
}

/// # Safety
/// As [`super::scan`]; the processor has tier AVX2; the list is a whole number of words.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
pub(super) unsafe fn scan<const DOCS: bool, const OFFSETS: bool>(
    postings: &[u8],
    docs: *mut u32,
    offsets: *mut u32,
) -> Scanned {
    let swap = _mm256_broadcastsi128_si256(_mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12));
    let low_bits = Lookup::new(|layout| layout.low_bits);
    let high_bits = Lookup::new(|layout| layout.high_bits);
    let unused = Lookup::new(|layout| layout.unused);
    let ones = _mm256_set1_epi32(1);
    let lanes = _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28);

    let words = postings.len() / 4;
    let mut count = 0;
    let mut places_wrong: u32 = 0;
    let mut faults = _mm256_setzero_si256();
    let mut open: u32 = 0;
    let (mut run, mut longest_run) = (0, 0);
    let mut largest = _mm256_setzero_si256();
    let mut at = 0;
    while at < words {
        let here = (words - at).min(8);
        let raw = if here == 8 {
            // SAFETY: the list has eight words from `at` on.
            unsafe { _mm256_loadu_si256(postings.as_ptr().add(at * 4).cast()) }
        } else {
            // Lanes past the end hold a sound posting of one word.
            let mut tail = [1u32.to_be(); 8];
            // SAFETY: the list has `here` words from `at` on, fewer than `tail`.
            unsafe {
                std::ptr::copy_nonoverlapping(postings.as_ptr().add(at * 4), tail.as_mut_ptr().cast(), here * 4);
                _mm256_loadu_si256(tail.as_ptr().cast())
            }
        };
        let word = _mm256_shuffle_epi8(raw, swap);
        let index = Index::of(word);
        let low = low_bits.of(index);
        let high = high_bits.of(index);

        // As `Layout::nonzero` and `modified9::fault`.
        let payload = _mm256_and_si256(word, _mm256_or_si256(low, high));
        let carried = _mm256_or_si256(_mm256_add_epi32(_mm256_and_si256(word, low), low), word);
        let nonzero = _mm256_and_si256(carried, high);
        let zeros = _mm256_andnot_si256(carried, high);
        // All bits below the highest bit of the lowest value that is 0; all bits if there is none.
        let below = _mm256_andnot_si256(zeros, _mm256_sub_epi32(zeros, ones));
        let less = _mm256_sub_epi32(payload, ones);
        // Where `less` is at least `below`, unsigned.
        let bad = _mm256_cmpeq_epi32(_mm256_max_epu32(less, below), less);
        faults = _mm256_or_si256(faults, _mm256_or_si256(bad, _mm256_and_si256(word, unused.of(index))));

        let goes_on = _mm256_movemask_ps(_mm256_castsi256_ps(word)) as u32;
        let later_lanes = _mm256_xor_si256(word, _mm256_slli_epi32::<1>(word));
        let later = _mm256_movemask_ps(_mm256_castsi256_ps(later_lanes)) as u32;
        places_wrong |= (later ^ (goes_on << 1 | open)) & 0xFF;
        open = goes_on >> 7;

        let single = _mm256_andnot_si256(_mm256_castps_si256(_mm256_or_ps(index.bit_28, index.bit_29)), later_lanes);
        let single = _mm256_and_si256(_mm256_srai_epi32::<31>(single), payload);
        largest = _mm256_max_epu32(largest, single);
        let starts = !later & ((1 << here) - 1);
        run = if starts == 0 { run + 1 } else { 0 };
        longest_run = longest_run.max(run);

        // SAFETY: the table has an entry for each mask of eight bits.
        let gather = unsafe { *GATHER.get_unchecked(starts as usize) };
        let gather = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(gather as i64));
        if DOCS {
            let last = _mm256_and_si256(high, _mm256_sub_epi32(_mm256_setzero_si256(), high));
            let value = _mm256_srlv_epi32(payload, _mm256_sub_epi32(exponent(nonzero), exponent(last)));
            let apart = _mm256_sub_epi32(value, ones);
            let joined = _mm256_and_si256(_mm256_srli_epi32::<9>(value), _mm256_set1_epi32(0x3_FFFF));
            let joint = _mm256_castsi256_ps(_mm256_slli_epi32::<4>(value));
            let doc = _mm256_blendv_ps(_mm256_castsi256_ps(apart), _mm256_castsi256_ps(joined), joint);
            let doc = _mm256_permutevar8x32_epi32(_mm256_castps_si256(doc), gather);
            // SAFETY: `count` is at most `at`, so the vector ends within the room for `words` and the slack.
            unsafe { _mm256_storeu_si256(docs.add(count).cast(), doc) };
        }
        if OFFSETS {
            let offset = _mm256_add_epi32(_mm256_set1_epi32((at * 4) as i32), lanes);
            // SAFETY: as above.
            unsafe {
                _mm256_storeu_si256(offsets.add(count).cast(), _mm256_permutevar8x32_epi32(offset, gather));
            }
        }
        count += starts.count_ones() as usize;
        at += 8;
    }
    let mut lanes = [0u32; 8];
    // SAFETY: eight `u32`s are one vector.
    unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), largest) };
    let largest = lanes.into_iter().max().unwrap_or(0);
    let fault = places_wrong | open != 0 || _mm256_testz_si256(faults, faults) == 0;
    Scanned::new(count, fault, 8, longest_run, largest)
}
