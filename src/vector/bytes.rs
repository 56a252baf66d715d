//! A vector in 8 bits a dimension, as devices compare it with many queries at once.
//!
//! Each component is divided by a step, so that the greatest is ±127, and rounded. As with the [codes](super::Codes) of 2 and 4
//! bits, x is `scale · c + rest` with rest at right angles to c, and `|⟨q, x⟩ − scale · ⟨q, c⟩| ≤ |q| · |rest|`; |rest| is about .008
//! of |x| if components are normally distributed. They are made of the vectors themselves, and are in no file.

use super::codes::Sums;
use super::precision::{Component, Half, Single, components};
use super::{Factor, Metric, Precision, Shape};
use crate::base::tiers::tiered;

/// Components of which sums are made beside each other.
const LANES: usize = 8;

/// Added to a small number, rounds it to an integer: 1.5 · 2^52, whose last bit is worth 1.
const SHIFT: f64 = 6_755_399_441_055_744.0;

/// Lengths of vectors and queries of which sums of bounds and of squares are far from what 32-bit floats can hold.
pub(super) const GREATEST: f32 = 1e18;

tiered! {
    /// Sets `integers` to those of a vector in little-endian bytes, and to zeros after its last component. Returns how they stand
    /// for it, and its length; with [cosines](Metric::Cosine) for the vector of length 1, and 1.
    ///
    /// # Panics
    /// If there are fewer integers than components.
    pub fn encode_bytes<'a>(shape: Shape, vector: &'a [u8], integers: &'a mut [i8]) -> (Factor, f32) = encode_on_tier;
}

#[inline(always)]
fn encode_on_tier(shape: Shape, vector: &[u8], integers: &mut [i8]) -> (Factor, f32) {
    match shape.precision {
        Precision::Bits16 => encode_components::<Half>(shape, vector, integers),
        Precision::Bits32 => encode_components::<Single>(shape, vector, integers),
    }
}

#[inline(always)]
fn encode_components<C: Component>(shape: Shape, vector: &[u8], integers: &mut [i8]) -> (Factor, f32) {
    let (integers, after) = integers.split_at_mut(usize::from(shape.dimensions));
    after.fill(0);
    let greatest = components::<C>(vector).fold(0.0, |greatest: f32, x| greatest.max(x.abs()));
    let inverse = if greatest > 0.0 { 127.0 / f64::from(greatest) } else { 0.0 };
    let mut lanes = Lanes::default();
    let (eights, last) = integers.as_chunks_mut::<LANES>();
    let (of_eights, of_last) = C::all_of(vector).as_chunks::<LANES>();
    for (integers, vector) in eights.iter_mut().zip(of_eights) {
        lanes.add(inverse, integers, vector);
    }
    lanes.add(inverse, last, of_last);
    let square: f64 = lanes.square.iter().sum();
    let norm = if shape.metric == Metric::Cosine { square.sqrt() } else { 1.0 };
    let length = (square.sqrt() / norm) as f32;
    if greatest == 0.0 {
        return (Factor { scale: 0.0, rest: 0.0 }, 0.0);
    }
    let sums = Sums { product: lanes.product.iter().sum(), square: lanes.of_codes.iter().sum::<u32>().into() };
    match length <= GREATEST {
        true => (sums.factor(square, norm), length),
        // No bound: the vector itself is compared.
        false => (Factor { scale: 0.0, rest: f32::INFINITY }, 1.0),
    }
}

/// Sums that are made beside each other: of the products of components and integers, and of the squares of both.
#[derive(Default)]
struct Lanes {
    product: [f64; LANES],
    square: [f64; LANES],
    of_codes: [u32; LANES],
}

impl Lanes {
    /// Sets integers to those of components, one for each sum at most, and adds them.
    #[inline(always)]
    fn add<C: Component>(&mut self, inverse: f64, integers: &mut [i8], vector: &[C]) {
        for (lane, (integer, x)) in integers.iter_mut().zip(vector).enumerate() {
            let x = f64::from(x.value());
            let shifted = x * inverse + SHIFT;
            let code = shifted - SHIFT;
            // The last bits are those of the integer.
            *integer = shifted.to_bits() as i8;
            self.product[lane] += x * code;
            self.square[lane] += x * x;
            self.of_codes[lane] += (code * code) as u32;
        }
    }
}
