//! [`Codes`]: a vector in 2 bits a dimension, and in 2 more.
//!
//! A component is compared with −T, 0 and T, T being [`WIDTH`] times the root of the mean square of its vector's components: the
//! 2 bits of the *coarse* code say between which it is, and stand for −3, −1, 1, 3. Two more divide each of the four parts
//! into four: with them the *fine* code stands for one of 16 [`LEVELS`]. Both are close to the best quantizers of normally
//! distributed numbers (Lloyd 1957, Max 1960); other distributions cost size of the bounds, never exactness.
//!
//! With c the vector that a code stands for, x is `scale · c + rest`, and rest is at right angles to c. So for every q,
//! `|⟨q, x⟩ − scale · ⟨q, c⟩| ≤ |q| · |rest|` (Cauchy, Schwarz): what RaBitQ (Gao, Long 2024) estimates with high probability is
//! bounded here for certain, and 4 bits in place of 1 make the bound small enough: |rest| is about .35 and .11 of |x|.
//!
//! ```text
//! per 128 dimensions, 32 bytes: bits 2p and 2p + 1 of byte j are of dimension 32p + j
//! ```
//! Dimensions that the last 128 lack have the code 0 and count as 0.

use super::precision::{Component, Half, Single, components};
use super::{Metric, Precision, Shape};

/// Dimensions of a block of codes.
pub(super) const BLOCK: usize = 128;
/// The bytes of a block, coarse or fine bits.
pub(super) const BLOCK_BYTES: usize = 32;

/// T, by the root of the mean square.
const WIDTH: f64 = 0.98;

/// What the 16 fine codes stand for, by T / 32.
pub(super) const LEVELS: [i8; 16] = [-84, -63, -49, -38, -28, -20, -12, -4, 4, 12, 20, 28, 38, 49, 63, 84];

/// Where the parts of an outer part begin, by T: halfway between the levels.
const OUTER: [f64; 3] = [1.36, 1.75, 2.3];

/// How a code stands for its vector.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[repr(C)]
pub struct Factor {
    /// What the code is multiplied by.
    pub scale: f32,
    /// At least the length of what is left of the vector.
    pub rest: f32,
}

impl Factor {
    /// The bytes of a factor in a file.
    pub const BYTES: usize = 8;

    /// In little-endian bytes.
    pub fn to_bytes(self) -> [u8; Factor::BYTES] {
        (u64::from(self.scale.to_bits()) | u64::from(self.rest.to_bits()) << 32).to_le_bytes()
    }

    /// Of little-endian bytes.
    #[inline(always)]
    pub fn from_bytes(bytes: [u8; Factor::BYTES]) -> Factor {
        let both = u64::from_le_bytes(bytes);
        Factor { scale: f32::from_bits(both as u32), rest: f32::from_bits((both >> 32) as u32) }
    }
}

/// The codes of a vector. A vector is encoded in about 2 ns per dimension.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Codes {
    /// The coarse bits.
    pub coarse: Vec<u8>,
    /// The bits that make them fine.
    pub fine: Vec<u8>,
    /// How coarse and fine codes stand for the vector; with [cosines](Metric::Cosine), for the vector of length 1.
    pub factors: [Factor; 2],
    /// The length of the vector: 1 with cosines.
    pub norm: f32,
}

impl Codes {
    /// The bytes of the coarse bits of a vector, and of those that make them fine.
    pub fn bytes(shape: Shape) -> usize {
        BLOCK_BYTES * usize::from(shape.dimensions).div_ceil(BLOCK)
    }

    /// Makes these the codes of a vector, of which `vector` has the little-endian bytes.
    pub fn encode(&mut self, shape: Shape, vector: &[u8]) {
        match shape.precision {
            Precision::Bits16 => self.encode_components::<Half>(shape, vector),
            Precision::Bits32 => self.encode_components::<Single>(shape, vector),
        }
    }

    fn encode_components<C: Component>(&mut self, shape: Shape, vector: &[u8]) {
        let bytes = Codes::bytes(shape);
        for bits in [&mut self.coarse, &mut self.fine] {
            bits.clear();
            bits.resize(bytes, 0);
        }
        let square: f64 = components::<C>(vector).map(|x| f64::from(x) * f64::from(x)).sum();
        let width = WIDTH * (square / f64::from(shape.dimensions)).sqrt();
        let inverse = if width > 0.0 { 1.0 / width } else { 0.0 };
        let mut sums = [Sums::default(); 2];
        for (at, x) in components::<C>(vector).enumerate() {
            let x = f64::from(x);
            let (coarse, fine) = code(x * inverse);
            let (byte, shift) = (at / BLOCK * BLOCK_BYTES + at % BLOCK_BYTES, 2 * (at % BLOCK / BLOCK_BYTES));
            self.coarse[byte] |= coarse << shift;
            self.fine[byte] |= fine << shift;
            sums[0].add(x, 2.0 * f64::from(coarse) - 3.0);
            sums[1].add(x, f64::from(LEVELS[usize::from(4 * coarse + fine)]));
        }
        // What is left of lengths and products after division, and never too little.
        let norm = if shape.metric == Metric::Cosine { square.sqrt() } else { 1.0 };
        self.factors = sums.map(|sums| sums.factor(square, norm));
        self.norm = (square.sqrt() / norm) as f32;
    }
}

/// The coarse and the further bits of a component, by T.
#[inline(always)]
fn code(x: f64) -> (u8, u8) {
    let size = x.abs();
    let outer = OUTER.iter().map(|&from| u8::from(size >= from)).sum::<u8>();
    let (is_outer, part) = if size >= 1.0 { (1, outer) } else { (0, (size * 4.0) as u8) };
    // Codes ascend with the component.
    if x < 0.0 { (1 - is_outer, 3 - part) } else { (2 + is_outer, part) }
}

/// Whether a number, and its products, are exact enough in 32-bit floats.
pub(super) fn fits(number: f64) -> bool {
    number == 0.0 || (1e-30..1e30).contains(&number.abs())
}

/// Sums over the dimensions of a vector.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sums {
    /// Of the products of components and what their codes stand for.
    pub(super) product: f64,
    /// Of the squares of the latter.
    pub(super) square: f64,
}

impl Sums {
    #[inline(always)]
    fn add(&mut self, x: f64, c: f64) {
        self.product += x * c;
        self.square += c * c;
    }

    /// The factor of a vector with that square, divided by `norm`.
    pub(super) fn factor(self, square: f64, norm: f64) -> Factor {
        /// More than the sums of 4,096 products are off, by the square of the length.
        const OFF: f64 = 1e-11;
        let left = (square - self.product * self.product / self.square).max(0.0) + OFF * square;
        let (scale, rest) = (self.product / self.square / norm, left.sqrt() / norm);
        match fits(scale) && fits(square.sqrt() / norm) {
            true => Factor { scale: scale as f32, rest: (rest as f32).next_up() },
            // No bound: the vector itself is compared.
            false => Factor { scale: 0.0, rest: f32::INFINITY },
        }
    }
}
