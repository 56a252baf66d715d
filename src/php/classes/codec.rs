//! The enum `Postings\Codec`: a case for each codec of the registry.

use crate::Codec;
use crate::php::enumeration::{Case, Enumeration, Place, nowhere};
use once_cell::sync::Lazy;

static CLASS: Place = nowhere();

static CASES: Lazy<Vec<Case<Codec>>> = Lazy::new(|| {
    let case = |codec: Codec| Case::new(codec, codec.php_case(), codec.name());
    Codec::ALL.into_iter().map(case).collect()
});

impl Enumeration for Codec {
    const NAME: &'static str = "Postings\\Codec";

    fn cases() -> &'static [Case<Codec>] {
        &CASES
    }

    fn place() -> &'static Place {
        &CLASS
    }
}
