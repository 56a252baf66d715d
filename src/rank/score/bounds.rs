//! Bounds of the scores of blocks, from their maxima.

use super::super::bm25::Norms;
use crate::base::cpu::Tier;
use crate::index::list::maxima::{ANY_FREQUENCY, WORDS, pairs};

/// For each block whose maxima are in `words`, the greatest frequency / (frequency + norm) of its pairs.
///
/// # Panics
/// If there are not as many `bounds` as blocks.
pub fn saturations(tier: Tier, words: &[u32], norms: &Norms, bounds: &mut [f32]) {
    assert_eq!(words.len(), WORDS * bounds.len());
    #[cfg(target_arch = "x86_64")]
    if matches!(tier, Tier::Avx2 | Tier::Avx512) {
        let whole = bounds.len() / 4 * 4;
        let (now, later) = bounds.split_at_mut(whole);
        let (words, rest) = words.split_at(WORDS * whole);
        match tier {
            // SAFETY: the tier is available; four blocks at a time.
            Tier::Avx512 => unsafe { avx512(words, norms, now) },
            // SAFETY: as above.
            _ => unsafe { avx2(words, norms, now) },
        }
        return one_by_one(rest, norms, later);
    }
    #[cfg(target_arch = "aarch64")]
    if tier == Tier::Neon {
        // SAFETY: the tier is available.
        return unsafe { neon(words, norms, bounds) };
    }
    let _ = tier;
    one_by_one(words, norms, bounds);
}

fn one_by_one(words: &[u32], norms: &Norms, bounds: &mut [f32]) {
    for (bound, words) in bounds.iter_mut().zip(words.chunks_exact(WORDS)) {
        *bound = saturation([words[0], words[1]], norms);
    }
}

/// The greatest frequency / (frequency + norm) of a block's pairs.
pub fn saturation(words: [u32; WORDS], norms: &Norms) -> f32 {
    let of_pair = |(frequency, byte): (u8, u8)| {
        if frequency == ANY_FREQUENCY {
            return 1.0;
        }
        let frequency = f32::from(frequency);
        frequency / (frequency + norms.of(byte))
    };
    pairs(words).into_iter().map(of_pair).fold(0.0, f32::max)
}

/// # Safety
/// The processor has the tier; there are words of as many blocks as bounds, a multiple of four.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
unsafe fn avx512(words: &[u32], norms: &Norms, bounds: &mut [f32]) {
    use std::arch::x86_64::*;
    const { assert!(crate::index::list::maxima::PAIRS == 4 && WORDS == 2) };
    for (words, bounds) in words.chunks_exact(4 * WORDS).zip(bounds.chunks_exact_mut(4)) {
        // SAFETY: eight words are 16 pairs, and become four bounds; norms are indexed by bytes.
        unsafe {
            let pairs = _mm512_cvtepu16_epi32(_mm256_loadu_si256(words.as_ptr().cast()));
            let frequencies = _mm512_and_si512(pairs, _mm512_set1_epi32(0xFF));
            let norms = _mm512_i32gather_ps::<4>(_mm512_srli_epi32::<8>(pairs), norms.0.as_ptr().cast());
            let any = _mm512_cmpeq_epi32_mask(frequencies, _mm512_set1_epi32(ANY_FREQUENCY.into()));
            let frequencies = _mm512_cvtepi32_ps(frequencies);
            let of_pairs = _mm512_div_ps(frequencies, _mm512_add_ps(frequencies, norms));
            let of_pairs = _mm512_mask_mov_ps(of_pairs, any, _mm512_set1_ps(1.0));
            let of_two = _mm512_max_ps(of_pairs, _mm512_permute_ps::<0b10_11_00_01>(of_pairs));
            let of_four = _mm512_max_ps(of_two, _mm512_permute_ps::<0b01_00_11_10>(of_two));
            let firsts = _mm512_setr_epi32(0, 4, 8, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
            let four = _mm512_castps512_ps128(_mm512_permutexvar_ps(firsts, of_four));
            _mm_storeu_ps(bounds.as_mut_ptr(), four);
        }
    }
}

/// # Safety
/// As of [`avx512`]; a multiple of two is enough.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn avx2(words: &[u32], norms: &Norms, bounds: &mut [f32]) {
    use std::arch::x86_64::*;
    const { assert!(crate::index::list::maxima::PAIRS == 4 && WORDS == 2) };
    for (words, bounds) in words.as_chunks::<{ 2 * WORDS }>().0.iter().zip(bounds.as_chunks_mut::<2>().0) {
        // SAFETY: four words are 8 pairs, and become two bounds; norms are indexed by bytes.
        unsafe {
            let pairs = _mm256_cvtepu16_epi32(_mm_loadu_si128(words.as_ptr().cast()));
            let frequencies = _mm256_and_si256(pairs, _mm256_set1_epi32(0xFF));
            let norms = _mm256_i32gather_ps::<4>(norms.0.as_ptr().cast(), _mm256_srli_epi32::<8>(pairs));
            let any = _mm256_cmpeq_epi32(frequencies, _mm256_set1_epi32(ANY_FREQUENCY.into()));
            let frequencies = _mm256_cvtepi32_ps(frequencies);
            let of_pairs = _mm256_div_ps(frequencies, _mm256_add_ps(frequencies, norms));
            let of_pairs = _mm256_blendv_ps(of_pairs, _mm256_set1_ps(1.0), _mm256_castsi256_ps(any));
            let of_two = _mm256_max_ps(of_pairs, _mm256_permute_ps::<0b10_11_00_01>(of_pairs));
            let of_four = _mm256_max_ps(of_two, _mm256_permute_ps::<0b01_00_11_10>(of_two));
            bounds[0] = _mm256_cvtss_f32(of_four);
            bounds[1] = _mm_cvtss_f32(_mm256_extractf128_ps::<1>(of_four));
        }
    }
}

/// # Safety
/// The processor has the tier.
#[cfg(target_arch = "aarch64")]
#[target_feature(enable = "neon")]
unsafe fn neon(words: &[u32], norms: &Norms, bounds: &mut [f32]) {
    use std::arch::aarch64::*;
    const { assert!(crate::index::list::maxima::PAIRS == 4 && WORDS == 2) };
    for (bound, words) in bounds.iter_mut().zip(words.as_chunks::<WORDS>().0) {
        let norms = pairs(*words).map(|(_, byte)| norms.of(byte));
        // SAFETY: two words are four pairs of a frequency and a length byte; there are four norms.
        let (pairs, norms) = unsafe { (vld1_u16(words.as_ptr().cast()), vld1q_f32(norms.as_ptr())) };
        let frequencies = vmovl_u16(vand_u16(pairs, vdup_n_u16(0xFF)));
        let any = vceqq_u32(frequencies, vdupq_n_u32(ANY_FREQUENCY.into()));
        let frequencies = vcvtq_f32_u32(frequencies);
        let of_pairs = vdivq_f32(frequencies, vaddq_f32(frequencies, norms));
        // As `f32::max`, this takes a number before a NaN.
        *bound = vmaxnmvq_f32(vbslq_f32(any, vdupq_n_f32(1.0), of_pairs)).max(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::bm25::Bm25;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_tier_bounds_as_one_by_one(words in prop::collection::vec(any::<u32>(), 0..50)) {
            let words = &words[..words.len() / WORDS * WORDS];
            // Every block has a pair with a frequency, as in an index.
            let words: Vec<u32> = words.iter().map(|word| word | 1).collect();
            let norms = Norms::new(&Bm25::default(), 700, 10);
            let wanted: Vec<f32> = words.chunks_exact(WORDS).map(|w| saturation([w[0], w[1]], &norms)).collect();
            for tier in Tier::available() {
                let mut bounds = vec![0.0; wanted.len()];
                saturations(tier, &words, &norms, &mut bounds);
                prop_assert_eq!(&bounds, &wanted);
            }
        }
    }
}
