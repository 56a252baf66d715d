//! The enum `Postings\Codec`: a case for each codec of the registry.

use crate::Codec;
use crate::php::exception::{self, Outcome, Thrown};
use crate::php::ffi::zend_enum_get_case_cstr;
use ext_php_rs::args::ArgInfo;
use ext_php_rs::builders::EnumBuilder;
use ext_php_rs::enum_::{Discriminant, EnumCase};
use ext_php_rs::types::{ZendObject, Zval};
use ext_php_rs::zend::ClassEntry;
use once_cell::sync::Lazy;
use std::ffi::CString;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

/// The enum's name.
pub const NAME: &str = "Postings\\Codec";

static CLASS: AtomicPtr<ClassEntry> = AtomicPtr::new(null_mut());

/// A case of the enum.
struct Case {
    codec: Codec,
    name: CString,
    declaration: EnumCase,
}

static CASES: Lazy<Vec<Case>> = Lazy::new(|| {
    let case = |codec: Codec| Case {
        codec,
        name: CString::new(codec.php_case()).unwrap_or_default(),
        declaration: EnumCase {
            name: codec.php_case(),
            discriminant: Some(Discriminant::String(codec.name())),
            docs: &[],
        },
    };
    Codec::ALL.into_iter().map(case).collect()
});

pub fn register() -> ext_php_rs::error::Result<()> {
    // The enum has no methods of its own, so there are no argument tables to keep.
    fn keep(class: &'static mut ClassEntry, _: Box<[Box<[ArgInfo]>]>) {
        CLASS.store(class, Ordering::Release);
    }
    let cases = CASES.iter().map(|case| &case.declaration);
    cases.fold(EnumBuilder::new(NAME), EnumBuilder::case).registration(keep).register()
}

/// The enum's class, for argument parsing.
pub fn class() -> *mut ClassEntry {
    CLASS.load(Ordering::Acquire)
}

/// The codec that a case of the enum means.
pub fn of(object: &ZendObject) -> Outcome<Codec> {
    // SAFETY: the name of its case is the first property of every enum object.
    let name = unsafe { &*object.properties_table.as_ptr() };
    let name = name.zend_str().map(|name| name.as_bytes());
    CASES
        .iter()
        .find(|case| Some(case.name.to_bytes()) == name)
        .map(|case| case.codec)
        .ok_or_else(|| exception::error("this case of Postings\\Codec has no codec"))
}

/// Makes the case of a codec the value of `target`.
pub fn store(codec: Codec, target: &mut Zval) -> Outcome {
    let case = CASES.iter().find(|case| case.codec == codec).ok_or(Thrown)?;
    // SAFETY: the enum is registered and has the case; the case object lives as long as the request.
    let object = unsafe { zend_enum_get_case_cstr(class(), case.name.as_ptr()).as_mut() };
    target.set_object(object.ok_or(Thrown)?);
    Ok(())
}
