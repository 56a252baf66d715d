//! Similarities of vectors themselves, in 64-bit floats: the same on all tiers, because sums are always made in the same order.

use super::{Metric, components};
use crate::base::tiers::tiered;

/// Sums that are made beside each other: component `i` is part of sum `i % 8`.
const LANES: usize = 8;

tiered! {
    /// How close a vector, in little-endian bytes, is to a query of as many components: what hits are ordered by, greatest first.
    /// The cosine; the sum of products; minus the square of the distance. Products of two components are exact, and sums have
    /// errors of 64-bit floats.
    pub fn closeness<'a>(metric: Metric, query: &'a [f32], vector: &'a [u8]) -> f64 = closeness_on_tier;
}

#[inline(always)]
fn closeness_on_tier(metric: Metric, query: &[f32], vector: &[u8]) -> f64 {
    match metric {
        Metric::Dot => sum(query, vector, |q, x| q * x),
        Metric::Euclidean => -sum(query, vector, |q, x| (q - x) * (q - x)),
        Metric::Cosine => {
            let product = sum(query, vector, |q, x| q * x);
            let lengths = sum(query, vector, |q, _| q * q).sqrt() * sum(query, vector, |_, x| x * x).sqrt();
            (product / lengths).clamp(-1.0, 1.0)
        }
    }
}

#[inline(always)]
fn sum(query: &[f32], vector: &[u8], of: impl Fn(f64, f64) -> f64) -> f64 {
    let mut sums = [0.0; LANES];
    let (eights, last) = query.as_chunks::<LANES>();
    let (of_eights, of_last) = vector.split_at(vector.len().min(size_of::<f32>() * LANES * eights.len()));
    for (query, vector) in eights.iter().zip(of_eights.chunks_exact(size_of::<f32>() * LANES)) {
        for ((sum, &q), x) in sums.iter_mut().zip(query).zip(components(vector)) {
            *sum += of(q.into(), x.into());
        }
    }
    for ((sum, &q), x) in sums.iter_mut().zip(last).zip(components(of_last)) {
        *sum += of(q.into(), x.into());
    }
    let [a, b, c, d, e, f, g, h] = sums;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}
