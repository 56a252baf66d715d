//! The scores of a block's documents, on each tier.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
pub mod bounds;
mod impacts;
#[cfg(target_arch = "aarch64")]
mod neon;
mod scalar;
mod select;

pub use select::Chosen;

use super::bm25::Norms;
use crate::base::cpu::Tier;
use crate::codec::BLOCK;
use crate::index::impacts::Precision;
use crate::index::list::maxima::WORDS;

/// Readable bytes that must follow the length bytes of a segment, because they are gathered four at a time.
pub const LENGTH_PADDING: usize = 4;

/// What a term's scores depend on.
#[derive(Debug, Clone, Copy)]
pub struct Scorer<'s> {
    /// See [`Bm25::weight`](super::bm25::Bm25::weight); of stored weights, the weight that the query gives, times the
    /// [scale](Precision::scale).
    pub weight: f32,
    /// By which a score is less than the weight.
    pub saturations: Saturations<'s>,
}

/// What a tier needs of [`Saturations::Bm25`].
#[derive(Clone, Copy)]
struct Bm25Scorer<'s> {
    weight: f32,
    norms: &'s Norms,
    lengths: &'s [u8],
}

impl Bm25Scorer<'_> {
    #[inline(always)]
    fn score(self, doc_id: u32, frequency_less_one: u32) -> f32 {
        let norm = self.norms.of(self.lengths[doc_id as usize]);
        let frequency = frequency_less_one as f32 + 1.0;
        self.weight * (frequency / (frequency + norm))
    }
}

/// Numbers from 0 to 1, by which scores are less than a term's weight.
#[derive(Debug, Clone, Copy)]
pub enum Saturations<'s> {
    /// frequency / (frequency + norm).
    Bm25 {
        /// The norms of the field.
        norms: &'s Norms,
        /// The length byte of each document of the segment, and [`LENGTH_PADDING`] more bytes.
        lengths: &'s [u8],
    },
    /// Stored weights, whose codes are in the place of the frequencies less 1.
    Impacts(Precision),
}

impl Saturations<'_> {
    /// Of terms without scores.
    pub const NONE: Saturations<'static> = Saturations::Bm25 { norms: Norms::NONE, lengths: &[] };
}

impl Scorer<'_> {
    /// The score of one document.
    #[inline(always)]
    pub fn score(&self, doc_id: u32, frequency_less_one: u32) -> f32 {
        match self.saturations {
            Saturations::Bm25 { norms, lengths } => {
                Bm25Scorer { weight: self.weight, norms, lengths }.score(doc_id, frequency_less_one)
            }
            Saturations::Impacts(precision) => self.weight * precision.saturation(frequency_less_one),
        }
    }

    /// A bound of the scores of documents with such [maxima](crate::index::list::maxima), but for rounding.
    #[inline(always)]
    pub fn bound(&self, maxima: [u32; WORDS]) -> f32 {
        self.weight
            * match self.saturations {
                Saturations::Bm25 { norms, .. } => bounds::saturation(maxima, norms),
                Saturations::Impacts(precision) => precision.saturation(maxima[0]),
            }
    }

    /// The same of several blocks.
    ///
    /// # Panics
    /// If there are not as many `bounds` as blocks.
    #[inline]
    pub fn bounds(&self, tier: Tier, maxima: &[u32], bounds: &mut [f32]) {
        match self.saturations {
            Saturations::Bm25 { norms, .. } => {
                bounds::saturations(tier, maxima, norms, bounds);
                bounds.iter_mut().for_each(|bound| *bound *= self.weight);
            }
            Saturations::Impacts(_) => {
                assert_eq!(maxima.len(), WORDS * bounds.len());
                let blocks = maxima.as_chunks::<WORDS>().0;
                bounds.iter_mut().zip(blocks).for_each(|(bound, &maxima)| *bound = self.bound(maxima));
            }
        }
    }

    /// Adds the score of each of some documents, which ascend, to `scores`.
    #[inline(always)]
    pub fn add(&self, tier: Tier, doc_ids: &[u32], frequencies_less_one: &[u32], scores: &mut [f64]) {
        let mut buffers = ([0u32; BLOCK], [0u32; BLOCK], [0f32; BLOCK]);
        let documents = doc_ids.chunks(BLOCK).zip(frequencies_less_one.chunks(BLOCK));
        for ((doc_ids, less_one), scores) in documents.zip(scores.chunks_mut(BLOCK)) {
            if doc_ids.len() < 4 {
                for ((&doc_id, &less_one), score) in doc_ids.iter().zip(less_one).zip(scores) {
                    *score += f64::from(self.score(doc_id, less_one));
                }
                continue;
            }
            buffers.0[..doc_ids.len()].copy_from_slice(doc_ids);
            buffers.1[..doc_ids.len()].copy_from_slice(less_one);
            self.scores(tier, &buffers.0, &buffers.1, doc_ids.len(), &mut buffers.2);
            scores.iter_mut().zip(&buffers.2).for_each(|(score, &more)| *score += f64::from(more));
        }
    }

    /// The scores of the first `count` of `doc_ids`; the others are unspecified.
    ///
    /// # Panics
    /// If a docID is not below the number of documents.
    #[inline]
    pub fn scores(
        &self,
        tier: Tier,
        doc_ids: &[u32],
        frequencies_less_one: &[u32; BLOCK],
        count: usize,
        scores: &mut [f32; BLOCK],
    ) {
        assert!(count <= BLOCK && count <= doc_ids.len());
        let Some(&last) = doc_ids[..count].last() else { return };
        let (norms, lengths) = match self.saturations {
            Saturations::Bm25 { norms, lengths } => (norms, lengths),
            // A shift, an addition and a product: the compiler makes vectors of that.
            Saturations::Impacts(precision) => {
                return impacts::scores(self.weight, precision, frequencies_less_one, scores);
            }
        };
        // docIDs ascend, so the last one bounds them all.
        assert!((last as usize) + LENGTH_PADDING < lengths.len() + 1);
        debug_assert!(doc_ids[..count].is_sorted());
        let of = Bm25Scorer { weight: self.weight, norms, lengths };
        #[cfg(target_arch = "x86_64")]
        let vectors = count.div_ceil(16) * 16 <= doc_ids.len();
        match tier {
            // SAFETY: tiers in use are available; docIDs lie in `lengths`, as asserted, with the padding; the buffers
            // hold whole vectors.
            #[cfg(target_arch = "x86_64")]
            Tier::Avx512 if vectors => unsafe { avx512::scores(of, doc_ids, frequencies_less_one, count, scores) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Tier::Avx2 if vectors => unsafe { avx2::scores(of, doc_ids, frequencies_less_one, count, scores) },
            #[cfg(target_arch = "aarch64")]
            // SAFETY: as above.
            Tier::Neon => unsafe { neon::scores(of, doc_ids, frequencies_less_one, count, scores) },
            _ => scalar::scores(self, doc_ids, frequencies_less_one, count, scores),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::bm25::Bm25;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_tier_scores_as_one_by_one(
            gaps in prop::collection::vec(1u32..50, 1..=BLOCK), frequencies: [u32; 16], weight in 0.01f32..50.0
        ) {
            let doc_ids: Vec<u32> = gaps.iter().scan(0, |next, gap| { *next += gap; Some(*next - 1) }).collect();
            let documents = *doc_ids.last().unwrap() as usize + 1;
            let lengths: Vec<u8> = (0..documents + LENGTH_PADDING).map(|d| (d * 37 % 256) as u8).collect();
            let norms = Norms::new(&Bm25::default(), 5000, 100);
            let scorer = Scorer { weight, saturations: Saturations::Bm25 { norms: &norms, lengths: &lengths } };
            let frequencies = std::array::from_fn(|at| frequencies[at % 16] >> (at % 30));
            let mut padded = doc_ids.clone();
            padded.resize(BLOCK, 0);
            for tier in Tier::available() {
                let mut scores = [0.0; BLOCK];
                scorer.scores(tier, &padded, &frequencies, doc_ids.len(), &mut scores);
                for (at, &doc_id) in doc_ids.iter().enumerate() {
                    prop_assert_eq!(scores[at], scorer.score(doc_id, frequencies[at]), "{} {}", tier.name(), at);
                }
            }
        }
    }
}
