//! The enum `Postings\Matching`.

use crate::php::enumeration::{self, Case, Enumeration, Place, nowhere};
use crate::php::exception::{self, Outcome};
use crate::search::Matching;
use ext_php_rs::types::Zval;
use once_cell::sync::Lazy;

static CLASS: Place = nowhere();

static CASES: Lazy<Vec<Case<Matching>>> = Lazy::new(|| {
    vec![
        Case::new(Matching::All, "All", "all"),
        Case::new(Matching::Any, "Any", "any"),
        Case::new(Matching::AllThenAny, "AllThenAny", "all-then-any"),
    ]
});

impl Enumeration for Matching {
    const NAME: &'static str = "Postings\\Matching";

    fn cases() -> &'static [Case<Matching>] {
        &CASES
    }

    fn place() -> &'static Place {
        &CLASS
    }
}

/// What a `Matching|string` argument means.
pub fn of(value: &Zval, argument: u32) -> Outcome<Matching> {
    let value = value.dereference();
    if let Some(text) = value.zend_str() {
        let called = CASES.iter().find(|case| case.is_called(text.as_bytes()));
        return called.map(|case| case.value).ok_or_else(|| {
            let text = String::from_utf8_lossy(text.as_bytes());
            exception::argument_value(argument, &format!("must be 'all', 'any' or 'all-then-any', '{text}' given"))
        });
    }
    let class = enumeration::class::<Matching>();
    match value.object() {
        Some(object) if std::ptr::eq(object.ce, class) => enumeration::of(object),
        _ => {
            let kind = exception::type_name(value);
            let text = format!("must be of type {}|string, {kind} given", Matching::NAME);
            Err(exception::argument_type(argument, &text))
        }
    }
}
