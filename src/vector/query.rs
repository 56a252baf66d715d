//! [`Query`]: a vector that is looked for.

use super::bytes::GREATEST;
use super::codes::{BLOCK, fits};
use super::exact::{self, closeness};
use super::precision::{Single, components};
use super::{Factor, Metric, Shape, scan};
use crate::base::cpu::Tier;
use crate::base::error::Result;
use crate::base::memory::{room, zeros};
use crate::base::tiers::tiered;

/// By distance, shorter queries have no bounds.
const LEAST: f32 = 1e-3;

/// What sums of some 32-bit floats are off at most, by the greatest of them: many times what they are.
pub const OFF: f32 = 1.0 / 131_072.0;

/// A vector that is looked for, as 8-bit integers beside the components.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    shape: Shape,
    components: Vec<f32>,
    /// The sum of their squares, as similarities take it.
    exact: f64,
    /// By block of 128 dimensions: the components by [`step`](Self::step), rounded; of length 1 with cosines.
    pub(super) integers: Vec<i8>,
    step: f32,
    /// The sum of the integers.
    sum: i32,
    /// The length of what they stand for, and of what they leave out; of the query, its length and the square of it.
    coded: f32,
    missed: f32,
    norm: f32,
    square: f32,
}

impl Query {
    /// The vector with these components.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    ///
    /// # Panics
    /// If they are [no vector](Shape::check) that is [looked for](Shape::of_queries) with the shape.
    pub fn new(shape: Shape, vector: &[f32]) -> Result<Query> {
        assert_eq!(shape.of_queries().check(vector), Ok(()));
        let mut own = room(vector.len())?;
        own.extend_from_slice(vector);
        let mut integers = zeros::<i8>(vector.len().next_multiple_of(BLOCK))?;
        let square = |of: &mut dyn Iterator<Item = f64>| of.map(|x| x * x).sum::<f64>();
        let length = square(&mut own.iter().map(|&x| x.into())).sqrt();
        let divisor = if shape.metric == Metric::Cosine { length } else { 1.0 };
        let greatest = own.iter().fold(0.0, |greatest: f64, &x| greatest.max(f64::from(x).abs())) / divisor;
        let step = ((greatest / 127.0) as f32).next_up();
        for (integer, &x) in integers.iter_mut().zip(&own) {
            *integer = (f64::from(x) / divisor / f64::from(step)).round() as i8;
        }
        let pairs = || {
            own.iter().map(|&x| f64::from(x) / divisor).zip(integers.iter().map(|&i| f64::from(i) * f64::from(step)))
        };
        let up = |length: f64| (length as f32).next_up();
        let (coded, missed) =
            (square(&mut pairs().map(|pair| pair.1)).sqrt(), square(&mut pairs().map(|(x, coded)| x - coded)).sqrt());
        let norm = length / divisor;
        // Without a bound, the vectors themselves are compared.
        let coded = if fits(norm) { coded } else { f64::INFINITY };
        Ok(Query {
            shape,
            step,
            sum: integers.iter().map(|&integer| i32::from(integer)).sum(),
            coded: up(coded),
            missed: up(missed),
            norm: up(norm),
            square: (norm * norm) as f32,
            exact: exact::square(&own),
            components: own,
            integers,
        })
    }

    /// What it is compared with.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Its components.
    pub fn components(&self) -> &[f32] {
        &self.components
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> usize {
        size_of::<Query>() + size_of_val(&*self.components) + size_of_val(&*self.integers)
    }

    /// How close a vector is, of which `vector` has the little-endian bytes as the [field](Self::shape) keeps them.
    pub fn closeness(&self, tier: Tier, vector: &[u8]) -> f64 {
        closeness(tier, self.shape, &self.components, self.exact, vector)
    }

    /// The closeness that no vector with such a sum of products and such factors exceeds.
    #[inline(always)]
    fn bound(&self, sum: i32, Factor { scale, rest }: Factor, norm: f32) -> f32 {
        let off = (self.missed + OFF * self.norm) * norm + f32::MIN_POSITIVE;
        let product = scale * (self.step * sum as f32) + rest * self.coded + off;
        let bound = match self.shape.metric {
            Metric::Cosine | Metric::Dot => product,
            Metric::Euclidean => {
                let squares = self.square + norm * norm;
                2.0 * product - squares + OFF * squares
            }
        };
        // Of what is too large for 32-bit floats nothing is known.
        if bound.is_finite() { bound } else { f32::INFINITY }
    }

    /// The components as integers, by block of 128 dimensions, with zeros after the last.
    pub fn integers(&self) -> &[i8] {
        &self.integers
    }

    /// What bounds of closenesses are made of; `None` if there are none.
    pub fn terms(&self) -> Option<Terms> {
        let Query { step, coded, missed, norm, square, .. } = *self;
        // Where all vectors are so near that similarities are equal, closenesses do not say which of them comes first.
        let are_told_apart = self.shape.metric != Metric::Euclidean || norm >= LEAST;
        let has_bounds = coded.is_finite() && norm <= GREATEST && are_told_apart;
        has_bounds.then_some(Terms { step, coded, off: missed + OFF * norm, square })
    }

    /// Sets `bounds` to closenesses that by their coarse codes the vectors of a run do not exceed. `sums` is memory to work in.
    pub fn coarse(&self, tier: Tier, run: Run<'_>, sums: &mut Vec<i32>, bounds: &mut [f32]) {
        sums.clear();
        sums.resize(bounds.len(), 0);
        scan::coarse(tier, &self.integers, run.codes, sums);
        coarse_bounds(tier, self, run, sums, bounds);
    }

    /// A closeness that by its fine code, of which these are the coarse and the further bits, a vector does not exceed.
    // Inlined, it took some ns longer: the factor was written to the stack in halves and read as a whole.
    #[inline(never)]
    pub fn fine(&self, tier: Tier, [coarse, fine]: [&[u8]; 2], factor: Factor, norm: f32) -> f32 {
        self.bound(scan::fine(tier, &self.integers, coarse, fine), factor, norm)
    }
}

/// What bounds of a query's closenesses are made of.
///
/// With the sum s of the products of a query's integers and [those of a vector](super::encode_bytes), its factor and its
/// length n, the sum of the products of their components is `scale · step · s`, give or take `rest · coded + off · n`. The
/// closeness is that, or with [`Metric::Euclidean`] twice that less `square + n²`; [`OFF`] of these squares is what
/// 32-bit floats may be off besides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Terms {
    /// What a query's integers are multiplied by.
    pub step: f32,
    /// The length of what they stand for.
    pub coded: f32,
    /// What they leave out, and more than sums of 32-bit floats are off, by the length of the other vector.
    pub off: f32,
    /// The square of the query's length.
    pub square: f32,
}

impl Terms {
    /// Closenesses between which that of a vector is: the kernel in `cl/op/nearest.cl` computes the same.
    pub fn bounds(&self, metric: Metric, sum: i32, Factor { scale, rest }: Factor, norm: f32) -> [f32; 2] {
        let product = scale * (self.step * sum as f32);
        let slack = rest * self.coded + (self.off * norm + f32::MIN_POSITIVE);
        let [low, high] = match metric {
            Metric::Cosine | Metric::Dot => [product - slack, product + slack],
            Metric::Euclidean => {
                let squares = self.square + norm * norm;
                [(product - slack, -OFF), (product + slack, OFF)].map(|(of, off)| 2.0 * of - squares + off * squares)
            }
        };
        [if low.is_nan() { f32::NEG_INFINITY } else { low }, if high.is_nan() { f32::INFINITY } else { high }]
    }
}

/// The coarse codes of some vectors, one after the other.
#[derive(Debug, Clone, Copy)]
pub struct Run<'r> {
    /// [`Codes::bytes`] for each.
    pub codes: &'r [u8],
    /// A [`Factor`] for each.
    pub factors: &'r [u8],
    /// A length for each, as a 32-bit float; none if all are 1.
    pub norms: &'r [u8],
}

tiered! {
    fn coarse_bounds<'a>(query: &'a Query, run: Run<'a>, sums: &'a [i32], bounds: &'a mut [f32]) -> () = bounds_on_tier;
}

#[inline(always)]
fn bounds_on_tier(query: &Query, run: Run, sums: &[i32], bounds: &mut [f32]) {
    let factors = run.factors.as_chunks::<{ Factor::BYTES }>().0;
    let rows = bounds.iter_mut().zip(sums).zip(factors);
    // A coarse code is 2h − 3, of which the sum is that of h.
    let bound = |sum: i32, factor, norm| query.bound(2 * sum - 3 * query.sum, Factor::from_bytes(factor), norm);
    match run.norms.is_empty() {
        true => rows.for_each(|((to, &sum), &factor)| *to = bound(sum, factor, 1.0)),
        false => rows
            .zip(components::<Single>(run.norms))
            .for_each(|(((to, &sum), &factor), norm)| *to = bound(sum, factor, norm)),
    }
}
