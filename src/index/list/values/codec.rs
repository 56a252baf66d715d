//! [`BlockCodec`]: which codec the frequencies or the positions of an index have.

use crate::base::error::{Error, Result};
use crate::codec::Codec;
use crate::codec::values::Values;
use std::fmt;

/// A codec of blocks of values, for frequencies and positions: a codec of posting lists that has a value codec for all
/// values of 32 bits. Blocks are its parts, but for those of BP128, which are [shorter](super::bp128) here.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct BlockCodec(Codec);

impl BlockCodec {
    /// The default.
    pub const BP128: BlockCodec = BlockCodec(Codec::BP128);

    /// The default, and then the others.
    pub fn all() -> impl Iterator<Item = BlockCodec> {
        let suits = |codec: &Codec| codec.values().is_some_and(|values| values.max_value() == u32::MAX);
        let others = Codec::ALL.into_iter().filter(suits).map(BlockCodec).filter(|&codec| codec != BlockCodec::BP128);
        std::iter::once(BlockCodec::BP128).chain(others)
    }

    /// The value codec of a codec of posting lists.
    ///
    /// # Errors
    /// [`Error::Argument`], which names the possible ones, if it has none for all values.
    pub fn of(codec: Codec) -> Result<BlockCodec> {
        BlockCodec::all().find(|block| block.0 == codec).ok_or_else(|| {
            let why = match codec.values() {
                Some(values) => format!("codes values up to {} only", values.max_value()),
                None => "codes increasing docIDs only".into(),
            };
            BlockCodec::unsuitable(codec.name(), &why)
        })
    }

    /// The error for a codec that is none of them.
    #[cold]
    pub(crate) fn unsuitable(name: &str, why: &str) -> Error {
        let possible: Vec<&str> = BlockCodec::all().map(BlockCodec::name).collect();
        Error::Argument(format!("{name} {why}; frequencies and positions can have {}", possible.join(", ")))
    }

    /// The codec with that name.
    pub fn from_name(name: &str) -> Option<BlockCodec> {
        BlockCodec::all().find(|codec| codec.name() == name)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// The codec of posting lists whose values they are.
    pub fn codec(self) -> Codec {
        self.0
    }

    /// Its number in files: 0 for BP128, which had no number of its own when indexes were first written; otherwise that
    /// of the codec of posting lists.
    pub(in crate::index) fn number(self) -> u8 {
        if self == BlockCodec::BP128 { 0 } else { self.0 as u8 }
    }

    /// The codec with that number in files.
    pub(in crate::index) fn from_number(number: u8) -> Option<BlockCodec> {
        BlockCodec::all().find(|codec| codec.number() == number)
    }

    /// The value codec of which blocks are parts; `None` for BP128.
    pub(super) fn values(self) -> Option<&'static dyn Values> {
        self.0.values().filter(|_| self != BlockCodec::BP128)
    }
}

impl fmt::Debug for BlockCodec {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// The codecs of the long lists of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Codecs {
    /// Of the frequencies.
    pub frequencies: BlockCodec,
    /// Of the positions, if the lists have any.
    pub positions: BlockCodec,
}

impl Codecs {
    /// Those of segments and manifests of version 1.
    pub(in crate::index) const FIRST: Codecs = Codecs { frequencies: BlockCodec::BP128, positions: BlockCodec::BP128 };

    /// Their numbers in files.
    pub(in crate::index) fn numbers(self) -> [u8; 2] {
        [self.frequencies.number(), self.positions.number()]
    }

    /// The codecs with these numbers in files; the number that none has if there is one.
    pub(in crate::index) fn from_numbers(numbers: [u8; 2]) -> std::result::Result<Codecs, u8> {
        let [frequencies, positions] = numbers.map(|number| BlockCodec::from_number(number).ok_or(number));
        Ok(Codecs { frequencies: frequencies?, positions: positions? })
    }
}

impl Default for Codecs {
    /// docs/performance.md has the measurements.
    fn default() -> Self {
        Codecs::FIRST
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_lead_back() {
        let all: Vec<BlockCodec> = BlockCodec::all().collect();
        assert!(all.len() >= 9);
        for codec in all {
            assert_eq!(BlockCodec::from_name(codec.name()), Some(codec));
            assert_eq!(BlockCodec::from_number(codec.number()), Some(codec));
            let codecs = Codecs { frequencies: codec, positions: BlockCodec::BP128 };
            assert_eq!(Codecs::from_numbers(codecs.numbers()), Ok(codecs));
        }
        assert_eq!(Codecs::from_numbers([0, 255]), Err(255));
        // BP128 has one number in an index, and another in posting lists.
        assert_eq!((BlockCodec::BP128.number(), Codecs::from_numbers([0, Codec::BP128 as u8])), (0, Err(17)));
        assert_eq!(BlockCodec::from_name("qs"), None);
    }

    #[test]
    fn those_that_cannot_code_all_values_are_refused_by_name() {
        for codec in Codec::ALL {
            let suits = codec.values().is_some_and(|values| values.max_value() == u32::MAX);
            match BlockCodec::of(codec) {
                Ok(block) => assert!(suits && block.codec() == codec),
                Err(Error::Argument(what)) => {
                    assert!(!suits && BlockCodec::from_number(codec as u8).is_none());
                    assert!(what.starts_with(codec.name()) && what.contains("bp128, variablebyte, "), "{what}");
                }
                Err(other) => panic!("{other}"),
            }
        }
        assert!(BlockCodec::of(Codec::QuasiSuccinct).is_err() && BlockCodec::of(Codec::Simple9).is_err());
    }
}
