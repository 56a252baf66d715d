//! The enum `Postings\Codec`: a case for each codec of the registry, and `Auto`, which leaves the choice to the list.

use crate::Codec;
use crate::php::enumeration::{Case, Enumeration, Place, nowhere};
use once_cell::sync::Lazy;

static CLASS: Place = nowhere();

/// What a case of the enum asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    Codec(Codec),
    Auto,
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
