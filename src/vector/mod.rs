//! Vectors: what is similar to what, exactly, and how little has to be read to know it.
//!
//! | file | what |
//! |---|---|
//! | `mod.rs` | [`Shape`]: dimensions, [`Metric`] and [`Precision`] of a field |
//! | `precision` | 16-bit floats: how numbers are rounded to them and read |
//! | `codes` | [`Codes`]: 2 and 4 bits a dimension in place of 16 or 32, and how far they are from the vector |
//! | `bytes` | a vector in 8 bits a dimension, for devices |
//! | `query` | [`Query`]: a vector that is looked for, and bounds of its similarities by codes |
//! | `scan` | sums of products of a query and codes, by SIMD |
//! | `exact` | similarities of vectors themselves |
//! | [`clusters`] | vectors in groups of similar ones, for searches that need not be exact |
//!
//! A search for the nearest vectors reads the coarse codes of all, 1/16 of the bytes of vectors of 32-bit floats; the fine codes of
//! those that by them may be near enough; and the vectors of those that by these still may be. What is left out is so by a bound
//! that holds for every vector (see [`codes`](Codes)), so the result is that of comparing all vectors, with no structure to build
//! and none to tune.

mod bytes;
pub mod clusters;
mod codes;
mod exact;
mod precision;
mod query;
mod scan;

#[cfg(test)]
mod tests;

pub use bytes::encode_bytes;
pub use codes::{Codes, Factor};
pub use precision::Precision;
pub use query::{OFF, Query, Run, Terms};

use std::ops::RangeInclusive;

/// How similar two vectors are, as a number: the greater, the more similar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Metric {
    /// The cosine of their angle, from −1 to 1. Vectors of zeros have none.
    Cosine = 0,
    /// The sum of the products of their components.
    Dot = 1,
    /// 1 / (1 + d²), d being their Euclidean distance: from 0 to 1.
    Euclidean = 2,
}

impl Metric {
    /// All of them, by number.
    pub const ALL: [Metric; 3] = [Metric::Cosine, Metric::Dot, Metric::Euclidean];

    /// Its name in PHP.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Cosine => "cosine",
            Metric::Dot => "dot",
            Metric::Euclidean => "euclidean",
        }
    }

    /// The metric of that name.
    pub fn named(name: &[u8]) -> Option<Metric> {
        Metric::ALL.into_iter().find(|metric| metric.name().as_bytes() == name)
    }

    /// The similarity that a [closeness](Query::closeness) means. Of two vectors, the closer one is never less similar.
    pub fn similarity(self, closeness: f64) -> f64 {
        match self {
            Metric::Cosine | Metric::Dot => closeness,
            Metric::Euclidean => 1.0 / (1.0 - closeness),
        }
    }

    /// A closeness that whatever is at least so [similar](Self::similarity) has at least.
    pub fn closeness(self, similarity: f64) -> f64 {
        // Three operations are off by an epsilon each at most, and what is subtracted from is at most the inverse.
        const OFF: f64 = 1.0 + 16.0 * f64::EPSILON;
        match self {
            Metric::Cosine | Metric::Dot => similarity,
            Metric::Euclidean if similarity <= 0.0 => f64::NEG_INFINITY,
            Metric::Euclidean => 1.0 - OFF / similarity,
        }
    }
}

/// What the vectors of a field have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Their components: one of [`Shape::DIMENSIONS`].
    pub dimensions: u16,
    /// How they are compared.
    pub metric: Metric,
    /// In how many bits their components are kept.
    pub precision: Precision,
}

/// Why components are no vector of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unusable {
    /// So many components, not those of the field.
    Count(usize),
    /// The component at that place is not finite, as it would be kept.
    NotFinite(usize),
    /// All are zero, as they would be kept, which has no direction, so no cosine.
    Zero,
}

impl Shape {
    /// How many components vectors may have.
    pub const DIMENSIONS: RangeInclusive<u16> = 1..=4096;

    /// The bytes of a vector.
    pub fn bytes(self) -> usize {
        self.precision.bytes() * usize::from(self.dimensions)
    }

    /// That of the vectors that are looked for: 32-bit floats, which are not rounded.
    pub fn of_queries(self) -> Shape {
        Shape { precision: Precision::Bits32, ..self }
    }

    /// Whether components can be kept as a vector of the field.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn check(self, components: &[f32]) -> Result<(), Unusable> {
        if components.len() != usize::from(self.dimensions) {
            return Err(Unusable::Count(components.len()));
        }
        if let Some(at) = components.iter().position(|&component| !self.precision.is_finite(component)) {
            return Err(Unusable::NotFinite(at));
        }
        match self.metric == Metric::Cosine && components.iter().all(|&component| self.precision.is_zero(component)) {
            true => Err(Unusable::Zero),
            false => Ok(()),
        }
    }

    /// The same in words.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn explain(self, components: &[f32]) -> Result<(), String> {
        let bits = self.precision.bits();
        self.check(components).map_err(|wrong| match wrong {
            Unusable::Count(count) => format!("must have {} numbers, {count} given", self.dimensions),
            Unusable::NotFinite(at) => format!("must have finite numbers: number {at} is not, as a {bits}-bit float"),
            Unusable::Zero if components.iter().any(|&component| component != 0.0) => {
                format!("must not have zeros alone, as {bits}-bit floats, which have no cosine")
            }
            Unusable::Zero => "must not have zeros alone, which have no cosine".into(),
        })
    }
}
