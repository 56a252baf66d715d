//! Similarities of vectors themselves, in 64-bit floats: the same on all tiers, because sums are always made in the same order.

use super::precision::{Single, widen};
use super::{Metric, Precision, Shape};
use crate::base::cpu::Tier;
use crate::base::tiers::tiered;

/// Sums that are made beside each other: component `i` is part of sum `i % 8`.
const LANES: usize = 8;

/// Components of 16 bits that are widened before their sums are made: a multiple of those.
const BLOCK: usize = 128;

/// How close a vector, in little-endian bytes, is to a query of as many components: what hits are ordered by, greatest first.
/// The cosine; the sum of products; minus the square of the distance. Products of two components are exact, and sums have
/// errors of 64-bit floats.
pub fn closeness(tier: Tier, shape: Shape, query: &[f32], square: f64, vector: &[u8]) -> f64 {
    match shape.metric {
        Metric::Dot => sums(tier, shape.precision, query, vector, add_products)[0],
        Metric::Euclidean => -sums(tier, shape.precision, query, vector, add_distances)[0],
        Metric::Cosine => {
            let [product, of_vector] = sums(tier, shape.precision, query, vector, add_products_and_squares);
            (product / (square.sqrt() * of_vector.sqrt())).clamp(-1.0, 1.0)
        }
    }
}

/// The sum of the squares of a query's components, as [`closeness`] takes it.
pub fn square(query: &[f32]) -> f64 {
    let bytes: Vec<u8> = query.iter().flat_map(|x| x.to_le_bytes()).collect();
    sums(Tier::Scalar, Precision::Bits32, query, &bytes, add_products)[0]
}

type Sums<const N: usize> = [[f64; LANES]; N];

/// The sums of what `add` adds for components of a query and of a vector.
#[inline(always)]
fn sums<const N: usize>(
    tier: Tier,
    precision: Precision,
    query: &[f32],
    vector: &[u8],
    add: impl Fn(Tier, &mut Sums<N>, &[f32], &[Single]),
) -> [f64; N] {
    let mut sums = [[0.0; LANES]; N];
    match precision {
        Precision::Bits32 => add(tier, &mut sums, query, vector.as_chunks().0),
        Precision::Bits16 => {
            let mut room = [Single::default(); BLOCK];
            for (query, halves) in query.chunks(BLOCK).zip(vector.as_chunks().0.chunks(BLOCK)) {
                let widened = &mut room[..halves.len()];
                widen(tier, halves, widened);
                add(tier, &mut sums, query, widened);
            }
        }
    }
    sums.map(|[a, b, c, d, e, f, g, h]| ((a + e) + (c + g)) + ((b + f) + (d + h)))
}

// Each a function of its own: compilers gave a function for all of them shuffles in its loops, and it took twice as long.
tiered! {
    fn add_products(sums: &mut Sums<1>, query: &[f32], vector: &[Single]) -> () = products_on_tier;
}
tiered! {
    fn add_distances(sums: &mut Sums<1>, query: &[f32], vector: &[Single]) -> () = distances_on_tier;
}
tiered! {
    fn add_products_and_squares(sums: &mut Sums<2>, query: &[f32], vector: &[Single]) -> () = both_on_tier;
}

#[inline(always)]
fn products_on_tier(sums: &mut Sums<1>, query: &[f32], vector: &[Single]) {
    add(sums, query, vector, |q, x| [q * x]);
}

#[inline(always)]
fn distances_on_tier(sums: &mut Sums<1>, query: &[f32], vector: &[Single]) {
    add(sums, query, vector, |q, x| [(q - x) * (q - x)]);
}

#[inline(always)]
fn both_on_tier(sums: &mut Sums<2>, query: &[f32], vector: &[Single]) {
    add(sums, query, vector, |q, x| [q * x, x * x]);
}

/// Adds what `of` makes of components, which of two zeros is zeros. The first are part of sum 0.
#[inline(always)]
fn add<const N: usize>(sums: &mut Sums<N>, query: &[f32], vector: &[Single], of: impl Fn(f64, f64) -> [f64; N]) {
    let (eights, last) = query.as_chunks();
    let (of_eights, of_last) = vector.as_chunks();
    for (query, vector) in eights.iter().zip(of_eights) {
        add_eight(sums, query, vector, &of);
    }
    if !of_last.is_empty() {
        // Zeros after the last component change no sum.
        let (mut query, mut vector) = ([0.0; LANES], [Single::default(); LANES]);
        query[..last.len()].copy_from_slice(last);
        vector[..of_last.len()].copy_from_slice(of_last);
        add_eight(sums, &query, &vector, &of);
    }
}

#[inline(always)]
fn add_eight<const N: usize>(
    sums: &mut Sums<N>,
    query: &[f32; LANES],
    vector: &[Single; LANES],
    of: &impl Fn(f64, f64) -> [f64; N],
) {
    for (lane, (&q, &x)) in query.iter().zip(vector).enumerate() {
        let added = of(q.into(), f32::from_le_bytes(x).into());
        sums.iter_mut().zip(added).for_each(|(sums, added)| sums[lane] += added);
    }
}
