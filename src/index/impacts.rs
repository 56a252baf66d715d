//! Weights that a caller gives to the terms of a document, as a learned sparse model does (SPLADE: Formal, Piwowarski, Clinchant
//! 2021), in few bits.
//!
//! Lists keep a weight as a *code*, in the place of a frequency less 1. A code is the front of the weight's `f32`, exponent and mantissa,
//! counted from the least weight on, so that greater weights have greater codes, in any order of documents, and the same weight has
//! the same code in all segments:
//!
//! | bits | weights | exponent, mantissa | relative error |
//! |---|---|---|---|
//! | 8 | 2^-8 to 2^8 | 4, 4 | 1/32 |
//! | 16 | 2^-8 to 239.97 | 4, 12 | 1/8192 |
//! | 32 | 2^-32 to 2^16 | all | 0 |
//!
//! Weights are rounded to the nearest code. Those below the least one count as that.
//!
//! Scores are sums of products with the weights of a query. To be treated as those of BM25, a stored weight is divided by
//! [`SCALE`](Precision::scale), a power of two, and so is below 1: its *saturation*; the weight of the query is multiplied by it. Neither
//! rounds anything.

/// How exactly the weights of a field are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Precision {
    /// In 8 bits.
    Bits8 = 8,
    /// In 16 bits.
    Bits16 = 16,
    /// As they are.
    Bits32 = 32,
}

/// How codes are made of `f32`.
struct Layout {
    /// Bits that are left out at the end.
    cut: u32,
    /// The bits of the least weight.
    least: u32,
    /// The greatest code.
    most: u32,
    /// The logarithm of the scale.
    scale: u32,
}

/// The bits of 2^exponent.
const fn power(exponent: i32) -> u32 {
    ((127 + exponent) as u32) << 23
}

impl Precision {
    /// All of them.
    pub const ALL: [Precision; 3] = [Precision::Bits8, Precision::Bits16, Precision::Bits32];

    /// That with so many bits.
    pub fn of_bits(bits: i64) -> Option<Precision> {
        Precision::ALL.into_iter().find(|precision| i64::from(precision.bits()) == bits)
    }

    /// Bits of a code.
    pub fn bits(self) -> u8 {
        self as u8
    }

    const fn layout(self) -> Layout {
        match self {
            Precision::Bits8 => Layout { cut: 19, least: power(-8), most: 255, scale: 8 },
            // As many codes as a device can tell apart.
            Precision::Bits16 => Layout { cut: 11, least: power(-8), most: 254 * 256 - 1, scale: 8 },
            Precision::Bits32 => Layout { cut: 0, least: power(-32), most: power(16) - 1 - power(-32), scale: 16 },
        }
    }

    /// The greatest weight.
    pub fn greatest(self) -> f32 {
        self.weight(self.layout().most)
    }

    /// The code of a weight; `None` if it is not above 0, or is too great even when rounded.
    #[inline]
    pub fn code(self, weight: f32) -> Option<u32> {
        let Layout { cut, least, most, .. } = self.layout();
        // Positive floats are in the order of their bits.
        if !(weight > 0.0 && weight.is_finite()) {
            return None;
        }
        let above = weight.to_bits().saturating_sub(least);
        let code = (above + ((1 << cut) >> 1)) >> cut;
        (code <= most).then_some(code)
    }

    /// The weight of a code. Greater codes than those of [`code`](Self::code), which only damaged files have, count as the greatest.
    #[inline]
    pub fn weight(self, code: u32) -> f32 {
        self.saturation(code) * self.scale()
    }

    /// A power of two above all weights.
    #[inline]
    pub fn scale(self) -> f32 {
        f32::from_bits(power(self.layout().scale as i32))
    }

    /// The weight of a code over the [scale](Self::scale): below 1.
    #[inline(always)]
    pub fn saturation(self, code: u32) -> f32 {
        let Layout { cut, least, most, scale } = self.layout();
        f32::from_bits((code.min(most) << cut) + (least - (scale << 23)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_ends_of_each_range() {
        assert_eq!(Precision::Bits8.greatest(), 248.0);
        assert_eq!(Precision::Bits16.greatest(), 239.968_75);
        assert_eq!(Precision::Bits32.greatest(), f32::from_bits(65_536f32.to_bits() - 1));
        for precision in Precision::ALL {
            assert_eq!(precision.code(precision.greatest()), Some(precision.layout().most));
            assert_eq!(precision.code(precision.greatest() * 1.1), None);
            assert_eq!(precision.code(f32::MIN_POSITIVE), Some(0));
            assert_eq!(precision.weight(0), f32::from_bits(precision.layout().least));
            assert_eq!(precision.weight(u32::MAX), precision.greatest());
            for none in [0.0, -0.0, -1.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
                assert_eq!(precision.code(none), None, "{none}");
            }
            assert_eq!(Precision::of_bits(precision.bits().into()), Some(precision));
        }
        assert_eq!(Precision::of_bits(12), None);
    }

    #[test]
    fn every_short_code_is_that_of_its_weight() {
        for precision in [Precision::Bits8, Precision::Bits16] {
            for code in 0..=precision.layout().most {
                let weight = precision.weight(code);
                assert_eq!(precision.code(weight), Some(code), "{weight}");
                assert!(precision.saturation(code) < 1.0);
                assert_eq!(precision.saturation(code) * precision.scale(), weight);
                assert!(code == 0 || weight > precision.weight(code - 1));
            }
        }
    }

    proptest! {
        #[test]
        fn errors_are_as_stated(weight in 0.01f32..240.0) {
            for (precision, error) in [(Precision::Bits8, 1.0 / 32.0), (Precision::Bits16, 1.0 / 4096.0), (Precision::Bits32, 0.0)] {
                let kept = precision.weight(precision.code(weight).unwrap());
                prop_assert!((f64::from(kept) - f64::from(weight)).abs() <= error * f64::from(weight), "{} {}", weight, kept);
            }
        }
    }
}
