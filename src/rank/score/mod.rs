//! The scores of a block's documents, on each tier.

pub mod bounds;
mod impacts;
mod select;

pub use select::Chosen;
#[cfg(target_arch = "x86_64")]
pub(super) use select::{in_avx512, near};

use super::bm25::Norms;
use crate::base::cpu::Tier;
use crate::base::tiers::tiered;
use crate::codec::BLOCK;
use crate::index::impacts::Precision;
use crate::index::list::maxima::WORDS;

/// What a term's scores depend on.
#[derive(Debug, Clone, Copy)]
pub struct Scorer<'s> {
    /// See [`Bm25::weight`](super::bm25::Bm25::weight); of stored weights, the weight that the query gives, times the
    /// [scale](Precision::scale).
    pub weight: f32,
    /// By which a score is less than the weight.
    pub saturations: Saturations<'s>,
}

/// Numbers from 0 to 1, by which scores are less than a term's weight.
#[derive(Debug, Clone, Copy)]
pub enum Saturations<'s> {
    /// frequency / (frequency + norm).
    Bm25 {
        /// The norms of the field.
        norms: &'s Norms,
        /// The length byte of each document of the segment.
        lengths: &'s [u8],
    },
    /// Stored weights, whose codes are in the place of the frequencies less 1.
    Impacts(Precision),
}

impl<'s> Saturations<'s> {
    /// Of terms without scores.
    pub const NONE: Saturations<'static> = Saturations::Bm25 { norms: Norms::NONE, lengths: &[] };

    /// The norms of the field, if lengths matter.
    pub(super) fn norms(&self) -> &'s Norms {
        match self {
            Saturations::Bm25 { norms, .. } => norms,
            Saturations::Impacts(_) => Norms::NONE,
        }
    }
}

impl Scorer<'_> {
    /// The score of one document.
    #[inline(always)]
    pub fn score(&self, doc_id: u32, frequency_less_one: u32) -> f32 {
        match self.saturations {
            Saturations::Bm25 { norms, lengths } => {
                bm25(self.weight, norms.of(lengths[doc_id as usize]), frequency_less_one)
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

    /// The scores of the first `count` of `doc_ids`; the others are unspecified.
    ///
    /// # Panics
    /// If a docID is not below the number of documents, or there are not so many.
    #[inline]
    pub fn scores(
        &self,
        tier: Tier,
        doc_ids: &[u32],
        frequencies_less_one: &[u32; BLOCK],
        count: usize,
        scores: &mut [f32; BLOCK],
    ) {
        match self.saturations {
            Saturations::Bm25 { norms, lengths } => {
                // In the place of the scores. Loaded one by one, which takes no longer than a gather; and all before the first is
                // used, as a vector is loaded late whose numbers were stored one by one just before.
                for (norm, &doc_id) in scores.iter_mut().zip(&doc_ids[..count]) {
                    *norm = norms.of(lengths[doc_id as usize]);
                }
                all_bm25(tier, self.weight, frequencies_less_one, count, scores);
            }
            // A shift, an addition and a product: the compiler makes vectors of that.
            Saturations::Impacts(precision) => impacts::scores(self.weight, precision, frequencies_less_one, scores),
        }
    }
}

#[inline(always)]
fn bm25(weight: f32, norm: f32, frequency_less_one: u32) -> f32 {
    let frequency = frequency_less_one as f32 + 1.0;
    weight * (frequency / (frequency + norm))
}

/// Scores that are computed together, as one vector or a few.
const VECTOR: usize = 16;

tiered! {
    fn all_bm25<'a>(
        weight: f32, less_one: &'a [u32; BLOCK], count: usize, scores: &'a mut [f32; BLOCK],
    ) -> () = all_bm25_on_tier;
}

/// Norms become scores. The compiler makes vectors of the loop, so it goes on to the end of one.
#[inline(always)]
fn all_bm25_on_tier(weight: f32, less_one: &[u32; BLOCK], count: usize, scores: &mut [f32; BLOCK]) {
    let less_one = less_one.as_chunks::<VECTOR>().0;
    let vectors = scores.as_chunks_mut::<VECTOR>().0.iter_mut().take(count.div_ceil(VECTOR));
    for (scores, less_one) in vectors.zip(less_one) {
        for (score, &less_one) in scores.iter_mut().zip(less_one) {
            *score = bm25(weight, *score, less_one);
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
            let lengths: Vec<u8> = (0..documents).map(|d| (d * 37 % 256) as u8).collect();
            let norms = Norms::new(&Bm25::default(), 5000, 100);
            let scorer = Scorer { weight, saturations: Saturations::Bm25 { norms: &norms, lengths: &lengths } };
            let frequencies = std::array::from_fn(|at| frequencies[at % 16] >> (at % 30));
            for tier in Tier::available() {
                let mut scores = [0.0; BLOCK];
                scorer.scores(tier, &doc_ids, &frequencies, doc_ids.len(), &mut scores);
                for (at, &doc_id) in doc_ids.iter().enumerate() {
                    prop_assert_eq!(scores[at], scorer.score(doc_id, frequencies[at]), "{} {}", tier.name(), at);
                }
            }
        }
    }
}
