//! Similarities of vectors themselves, in 64-bit floats: the same on all tiers, because sums are always made in the same order.

use super::precision::{Component, Half, Single};
use super::{Metric, Precision, Shape};
use crate::base::tiers::tiered;

/// Sums that are made beside each other: component `i` is part of sum `i % 8`.
const LANES: usize = 8;

tiered! {
    /// How close a vector, in little-endian bytes, is to a query of as many components: what hits are ordered by, greatest first.
    /// The cosine; the sum of products; minus the square of the distance. Products of two components are exact, and sums have
    /// errors of 64-bit floats.
    pub fn closeness<'a>(shape: Shape, query: &'a [f32], square: f64, vector: &'a [u8]) -> f64 = closeness_on_tier;
}

/// The sum of the squares of a query's components, as [`closeness`] takes it.
pub fn square(query: &[f32]) -> f64 {
    let bytes: Vec<u8> = query.iter().flat_map(|x| x.to_le_bytes()).collect();
    sums::<Single, 1>(query, &bytes, |q, _| [q * q])[0]
}

#[inline(always)]
fn closeness_on_tier(shape: Shape, query: &[f32], square: f64, vector: &[u8]) -> f64 {
    match shape.precision {
        Precision::Bits16 => closeness_of::<Half>(shape.metric, query, square, vector),
        Precision::Bits32 => closeness_of::<Single>(shape.metric, query, square, vector),
    }
}

#[inline(always)]
fn closeness_of<C: Component>(metric: Metric, query: &[f32], square: f64, vector: &[u8]) -> f64 {
    match metric {
        Metric::Dot => sums::<C, 1>(query, vector, |q, x| [q * x])[0],
        Metric::Euclidean => -sums::<C, 1>(query, vector, |q, x| [(q - x) * (q - x)])[0],
        Metric::Cosine => {
            let [product, of_vector] = sums::<C, 2>(query, vector, |q, x| [q * x, x * x]);
            (product / (square.sqrt() * of_vector.sqrt())).clamp(-1.0, 1.0)
        }
    }
}

#[inline(always)]
fn sums<C: Component, const N: usize>(query: &[f32], vector: &[u8], of: impl Fn(f64, f64) -> [f64; N]) -> [f64; N] {
    let mut sums = [[0.0; LANES]; N];
    let mut add = |query: &[f32], vector: &[C]| {
        for (lane, (&q, x)) in query.iter().zip(vector).enumerate() {
            let added = of(q.into(), x.value().into());
            sums.iter_mut().zip(added).for_each(|(sums, added)| sums[lane] += added);
        }
    };
    let (eights, last) = query.as_chunks::<LANES>();
    let (of_eights, of_last) = C::all_of(vector).as_chunks::<LANES>();
    for (query, vector) in eights.iter().zip(of_eights) {
        add(query, vector);
    }
    add(last, of_last);
    sums.map(|[a, b, c, d, e, f, g, h]| ((a + e) + (c + g)) + ((b + f) + (d + h)))
}
