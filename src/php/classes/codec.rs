//! The enum `Postings\Codec`: a case for each codec of the registry, and `Auto`, which leaves the choice to the list.

use crate::Codec;
use crate::base::error::Result;
use crate::index::BlockCodec;
use crate::php::enumeration::{Case, Enumeration, Place, nowhere};
use once_cell::sync::Lazy;

static CLASS: Place = nowhere();

/// What a case of the enum asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    Codec(Codec),
    Auto,
}

impl From<BlockCodec> for Choice {
    fn from(codec: BlockCodec) -> Choice {
        Choice::Codec(codec.codec())
    }
}

impl Choice {
    /// The codec of frequencies or positions that it means.
    ///
    /// # Errors
    /// [`Error::Argument`](crate::Error::Argument), which names the possible ones.
    pub fn of_blocks(self) -> Result<BlockCodec> {
        match self {
            Choice::Codec(codec) => BlockCodec::of(codec),
            Choice::Auto => Err(BlockCodec::unsuitable("auto", "chooses between codecs of posting lists")),
        }
    }
}

static CASES: Lazy<Vec<Case<Choice>>> = Lazy::new(|| {
    let case = |codec: Codec| Case::new(Choice::Codec(codec), codec.php_case(), codec.name());
    Codec::ALL.into_iter().map(case).chain([Case::new(Choice::Auto, "Auto", "auto")]).collect()
});

impl Enumeration for Choice {
    const NAME: &'static str = "Postings\\Codec";

    fn cases() -> &'static [Case<Choice>] {
        &CASES
    }

    fn place() -> &'static Place {
        &CLASS
    }
}
