//! [`Precision`]: 16-bit floats beside those of 32 bits.
//!
//! ```text
//! 16 bits: sign 1, exponent 5, fraction 10 (IEEE 754 binary16)
//! exponent 1 to 30: (1 + fraction / 2^10) · 2^(exponent − 15);  0: fraction · 2^−24;  31: not finite
//! ```
//! Components are rounded once, when a vector is added. From then on the rounded ones are the vector.

use crate::base::tiers::tiered;

/// In how many bits the components of vectors are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Precision {
    /// As 16-bit floats.
    Bits16 = 16,
    /// As 32-bit floats, in which they are given.
    Bits32 = 32,
}

/// The greatest 16-bit float, 65,504, and half of a step more: from here on numbers are rounded to infinity.
const TOO_GREAT: f32 = 65_520.0;
/// Half of the least 16-bit float above 0. Up to here numbers are rounded to 0, the tie to the even one of both.
const TOO_SMALL: f32 = power(-25);
/// The least 16-bit float that is not subnormal.
const LEAST_NORMAL: f32 = power(-14);

/// What exponents of 32-bit floats are greater by, in place.
const BIAS: u32 = (127 - 15) << 23;
/// Bits of a fraction that 16-bit floats lack.
const CUT: u32 = 23 - 10;

const fn power(exponent: i32) -> f32 {
    f32::from_bits(((127 + exponent) as u32) << 23)
}

impl Precision {
    /// All of them.
    pub const ALL: [Precision; 2] = [Precision::Bits16, Precision::Bits32];

    /// That with so many bits.
    pub fn of_bits(bits: i64) -> Option<Precision> {
        Precision::ALL.into_iter().find(|precision| i64::from(precision.bits()) == bits)
    }

    /// Bits of a component.
    pub fn bits(self) -> u8 {
        self as u8
    }

    /// Bytes of a component.
    pub(super) fn bytes(self) -> usize {
        usize::from(self.bits() / 8)
    }

    /// Whether a component is finite once it is rounded.
    pub(super) fn is_finite(self, component: f32) -> bool {
        match self {
            Precision::Bits16 => component.abs() < TOO_GREAT,
            Precision::Bits32 => component.is_finite(),
        }
    }

    /// Whether a component is zero once it is rounded.
    pub(super) fn is_zero(self, component: f32) -> bool {
        match self {
            Precision::Bits16 => component.abs() <= TOO_SMALL,
            Precision::Bits32 => component == 0.0,
        }
    }

    /// Appends components in little-endian bytes, each rounded to the nearest number that there is, ties to the even one.
    pub fn encode(self, components: &[f32], bytes: &mut Vec<u8>) {
        match self {
            Precision::Bits16 => bytes.extend(components.iter().flat_map(|&component| half(component).to_le_bytes())),
            Precision::Bits32 => bytes.extend(components.iter().flat_map(|component| component.to_le_bytes())),
        }
    }
}

/// The 16-bit float nearest to a number.
#[inline]
fn half(number: f32) -> u16 {
    let size = number.abs();
    let bits = if size < LEAST_NORMAL {
        // The last bit of a sum from 1/2 to 1 is worth 2^−24, so the addition rounds.
        (size + 0.5).to_bits() - 0.5f32.to_bits()
    } else {
        let bits = size.to_bits() - BIAS;
        let is_odd = bits >> CUT & 1;
        ((bits + (1 << (CUT - 1)) - 1 + is_odd) >> CUT).min(0x7C00)
    };
    (number.to_bits() >> 16 & 0x8000 | bits) as u16
}

/// What a finite 16-bit float is. A product with 2^112 would do without a choice, but with subnormal factors, which take a
/// processor long, and which are 0 to a process that some library has told so.
#[inline(always)]
fn of_half(half: u16) -> f32 {
    let (half, least) = (u32::from(half), LEAST_NORMAL.to_bits());
    let bits = (half & 0x7FFF) << CUT;
    // With the exponent of the least normal number, that is too great by it.
    let subnormal = f32::from_bits(bits + least) - LEAST_NORMAL;
    let size = if bits < 1 << 23 { subnormal } else { f32::from_bits(bits + BIAS) };
    f32::from_bits(size.to_bits() | (half & 0x8000) << 16)
}

/// The little-endian bytes of a component.
pub(super) trait Component: Copy + 'static {
    /// Those that bytes consist of.
    fn all_of(bytes: &[u8]) -> &[Self];
    fn value(self) -> f32;
}

/// A component of 16 bits.
pub(super) type Half = [u8; 2];
/// A component of 32 bits.
pub(super) type Single = [u8; 4];

impl Component for Half {
    #[inline(always)]
    fn all_of(bytes: &[u8]) -> &[Half] {
        bytes.as_chunks().0
    }

    #[inline(always)]
    fn value(self) -> f32 {
        of_half(u16::from_le_bytes(self))
    }
}

impl Component for Single {
    #[inline(always)]
    fn all_of(bytes: &[u8]) -> &[Single] {
        bytes.as_chunks().0
    }

    #[inline(always)]
    fn value(self) -> f32 {
        f32::from_le_bytes(self)
    }
}

tiered! {
    /// Makes components of 32 bits of as many of 16.
    pub(super) fn widen(halves: &[Half], singles: &mut [Single]) -> () = widen_on_tier;
}

#[inline(always)]
fn widen_on_tier(halves: &[Half], singles: &mut [Single]) {
    for (single, half) in singles.iter_mut().zip(halves) {
        *single = half.value().to_le_bytes();
    }
}

/// The components in little-endian bytes.
#[inline(always)]
pub(super) fn components<C: Component>(bytes: &[u8]) -> impl Iterator<Item = f32> + '_ {
    C::all_of(bytes).iter().map(|&component| component.value())
}

#[cfg(test)]
mod tests {
    use super::*;
    use half::f16;

    #[test]
    fn all_finite_16_bit_floats_are_what_they_are() {
        for bits in 0..=u16::MAX {
            let expected = f16::from_bits(bits);
            if expected.is_finite() {
                assert_eq!(of_half(bits).to_bits(), expected.to_f32().to_bits(), "{bits:04x}");
                assert_eq!(half(of_half(bits)), bits);
            }
        }
    }

    /// Between any two of them, and at both sides of the middle, where ties are.
    #[test]
    fn numbers_are_rounded_to_the_nearest() {
        let check = |number: f32| {
            let expected = f16::from_f32(number);
            assert_eq!(half(number), expected.to_bits(), "{number:e}");
            assert_eq!(Precision::Bits16.is_finite(number), expected.is_finite(), "{number:e}");
            assert_eq!(Precision::Bits16.is_zero(number), expected.to_f32() == 0.0, "{number:e}");
        };
        for bits in 0..0x7C00 {
            let [from, to] = [bits, bits + 1].map(|bits| if bits == 0x7C00 { 65_536.0 } else { of_half(bits) });
            let middle = (from + to) / 2.0;
            for number in [from, from.next_up(), middle.next_down(), middle, middle.next_up(), to.next_down(), to] {
                check(number);
                check(-number);
            }
        }
        [f32::MIN_POSITIVE, 1e-45, 1e10, f32::MAX, f32::INFINITY].into_iter().for_each(check);
        assert!(!Precision::Bits16.is_finite(f32::NAN) && !Precision::Bits16.is_zero(f32::NAN));
    }
}
