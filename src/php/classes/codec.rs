//! The enum `Postings\Codec`.

use super::call::{Outcome, Thrown};
use super::exception;
use super::ffi::zend_enum_get_case_cstr;
use crate::Codec;
use ext_php_rs::args::ArgInfo;
use ext_php_rs::builders::EnumBuilder;
use ext_php_rs::enum_::{Discriminant, EnumCase};
use ext_php_rs::types::{ZendObject, Zval};
use ext_php_rs::zend::ClassEntry;
use std::ffi::CStr;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

/// The enum's name.
pub const NAME: &str = "Postings\\Codec";

static CLASS: AtomicPtr<ClassEntry> = AtomicPtr::new(null_mut());
static SIMPLE9: EnumCase = EnumCase { name: "Simple9", discriminant: Some(Discriminant::String("simple9")), docs: &[] };
static QUASI_SUCCINCT: EnumCase =
    EnumCase { name: "QuasiSuccinct", discriminant: Some(Discriminant::String("qs")), docs: &[] };

fn case_name(codec: Codec) -> &'static CStr {
    match codec {
        Codec::Simple9 => c"Simple9",
        Codec::QuasiSuccinct => c"QuasiSuccinct",
    }
}

pub fn register() -> ext_php_rs::error::Result<()> {
    // The enum has no methods of its own, so there are no argument tables to keep.
    fn keep(class: &'static mut ClassEntry, _: Box<[Box<[ArgInfo]>]>) {
        CLASS.store(class, Ordering::Release);
    }
    EnumBuilder::new(NAME).case(&SIMPLE9).case(&QUASI_SUCCINCT).registration(keep).register()
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
    Codec::ALL
        .into_iter()
        .find(|&codec| Some(case_name(codec).to_bytes()) == name)
        .ok_or_else(|| exception::error("this case of Postings\\Codec has no codec"))
}

/// Makes the case of a codec the value of `target`.
pub fn store(codec: Codec, target: &mut Zval) -> Outcome {
    // SAFETY: the enum is registered and has the case; the case object lives as long as the request.
    let object = unsafe { zend_enum_get_case_cstr(class(), case_name(codec).as_ptr()).as_mut() };
    target.set_object(object.ok_or(Thrown)?);
    Ok(())
}
