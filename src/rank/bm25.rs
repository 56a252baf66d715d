//! BM25 (Robertson and Walker, 1994), as tantivy and Lucene define it.
//!
//! The score of a term in a document's field is
//!
//! ```text
//! weight · idf · (k1 + 1) · tf / (tf + k1 · (1 − b + b · length / average))
//! idf = ln(1 + (N − n + 0.5) / (n + 0.5))
//! ```
//!
//! with the frequency tf, the field's length in tokens (as rounded by [`length`]), N documents and n of them containing
//! the term. Scores of terms are `f32`; they are added as `f64`.

use crate::base::error::{Error, Result};
use crate::index::length;

/// BM25's parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bm25 {
    /// How slowly further occurrences stop to matter, 0 to [`Bm25::GREATEST_K1`]; 1.2 by default.
    pub k1: f32,
    /// How much long texts are penalised, 0 to 1; 0.75 by default.
    pub b: f32,
}

impl Default for Bm25 {
    fn default() -> Self {
        Bm25 { k1: 1.2, b: 0.75 }
    }
}

impl Bm25 {
    /// The greatest k1. Scores are then nearly proportional to frequencies; far greater ones would be infinite.
    pub const GREATEST_K1: f32 = 1e3;

    /// # Errors
    /// [`Error::Argument`] if k1 is not within 0 to [`Bm25::GREATEST_K1`], or b not within 0 to 1.
    pub fn new(k1: f32, b: f32) -> Result<Bm25> {
        let bm25 = Bm25 { k1, b };
        bm25.check().map(|()| bm25)
    }

    /// # Errors
    /// As [`Bm25::new`].
    pub fn check(&self) -> Result<()> {
        let Bm25 { k1, b } = *self;
        let most = Bm25::GREATEST_K1;
        if !(0.0..=most).contains(&k1) {
            return Err(Error::Argument(format!("k1 must be a number from 0 to {most}, {k1} given")));
        }
        if !(0.0..=1.0).contains(&b) {
            return Err(Error::Argument(format!("b must be a number from 0 to 1, {b} given")));
        }
        Ok(())
    }

    /// The weight of a term that occurs in `containing` of `documents` documents: idf · (k1 + 1) · `weight`.
    pub fn weight(&self, weight: f32, documents: u64, containing: u64) -> f32 {
        (idf(documents, containing) * (1.0 + f64::from(self.k1)) * f64::from(weight)) as f32
    }
}

/// ln(1 + (N − n + 0.5) / (n + 0.5)).
pub fn idf(documents: u64, containing: u64) -> f64 {
    let rest = documents.saturating_sub(containing) as f64;
    ((rest + 0.5) / (containing as f64 + 0.5)).ln_1p()
}

/// k1 · (1 − b + b · length / average) for each length byte.
#[derive(Debug, Clone, PartialEq)]
pub struct Norms(pub(super) [f32; 256]);

impl Norms {
    /// For terms without scores.
    pub const NONE: &'static Norms = &Norms([1.0; 256]);

    /// For a field with that many tokens in that many documents. All sums are of the whole index.
    pub fn new(bm25: &Bm25, tokens: u64, documents: u64) -> Norms {
        let average = if documents == 0 || tokens == 0 { 1.0 } else { tokens as f64 / documents as f64 };
        let (k1, b) = (f64::from(bm25.k1), f64::from(bm25.b));
        let of = |byte: usize| k1 * (1.0 - b + b * f64::from(length::decode(byte as u8)) / average);
        Norms(std::array::from_fn(|byte| of(byte) as f32))
    }

    /// The norm of a length byte.
    #[inline]
    pub fn of(&self, byte: u8) -> f32 {
        self.0[byte as usize]
    }
}

/// The score of a term: the reference for every faster way.
#[inline]
pub fn score(weight: f32, frequency: u32, norm: f32) -> f32 {
    let frequency = frequency as f32;
    weight * (frequency / (frequency + norm))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_the_formulas() {
        let bm25 = Bm25::default();
        let norms = Norms::new(&bm25, 3600, 100);
        let weight = bm25.weight(2.0, 100, 7);
        for (frequency, length) in [(1u32, 3u8), (2, 36), (9, 40)] {
            let (tf, idf) = (f64::from(frequency), (1.0f64 + (93.0 + 0.5) / 7.5).ln());
            let wanted = 2.0 * idf * 2.2 * tf / (tf + 1.2 * (0.25 + 0.75 * f64::from(length) / 36.0));
            let got = f64::from(score(weight, frequency, norms.of(length)));
            assert!((got / wanted - 1.0).abs() < 1e-6, "{got} {wanted}");
        }
    }

    #[test]
    fn parameters_out_of_range_are_refused() {
        for (k1, b) in [
            (-1.0, 0.5),
            (1001.0, 0.5),
            (3e38, 0.5),
            (f32::NAN, 0.5),
            (f32::INFINITY, 0.5),
            (1.0, -0.1),
            (1.0, 1.1),
            (1.0, f32::NAN),
        ] {
            assert!(Bm25::new(k1, b).is_err(), "{k1} {b}");
        }
        assert_eq!(Bm25::new(1.2, 0.75).unwrap(), Bm25::default());
    }
}
