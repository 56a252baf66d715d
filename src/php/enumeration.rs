//! Enums of PHP whose cases are the values of a Rust type.

use super::exception::{self, Outcome, Thrown};
use super::ffi::zend_enum_get_case_cstr;
use ext_php_rs::args::ArgInfo;
use ext_php_rs::builders::EnumBuilder;
use ext_php_rs::enum_::{Discriminant, EnumCase};
use ext_php_rs::types::{ZendObject, Zval};
use ext_php_rs::zend::ClassEntry;
use std::ffi::CString;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

/// A Rust type that is an enum in PHP, backed by strings.
pub trait Enumeration: Copy + PartialEq + 'static {
    /// The enum's name in PHP.
    const NAME: &'static str;

    /// All cases.
    fn cases() -> &'static [Case<Self>];

    /// Where the enum's class is kept, null before [`register`].
    fn place() -> &'static Place;
}

/// The class of an enum.
pub type Place = AtomicPtr<ClassEntry>;

/// No class yet.
pub const fn nowhere() -> Place {
    AtomicPtr::new(null_mut())
}

/// A case of an enum.
pub struct Case<T> {
    /// What it means.
    pub value: T,
    name: CString,
    declaration: EnumCase,
}

impl<T> Case<T> {
    /// The case of that name, backed by that string.
    pub fn new(value: T, name: &'static str, backed_by: &'static str) -> Case<T> {
        let discriminant = Some(Discriminant::String(backed_by));
        Case {
            value,
            name: CString::new(name).unwrap_or_default(),
            declaration: EnumCase { name, discriminant, docs: &[] },
        }
    }

    /// Whether `text` is its name or the string behind it, in any case of ASCII letters.
    pub fn is_called(&self, text: &[u8]) -> bool {
        let backing = match &self.declaration.discriminant {
            Some(Discriminant::String(text)) => text.as_bytes(),
            _ => &[],
        };
        text.eq_ignore_ascii_case(backing) || text.eq_ignore_ascii_case(self.name.to_bytes())
    }
}

fn keep<T: Enumeration>(class: &'static mut ClassEntry, _: Box<[Box<[ArgInfo]>]>) {
    // The enum has no methods of its own, so there are no argument tables to keep.
    T::place().store(class, Ordering::Release);
}

/// Registers the enum. In MINIT.
pub fn register<T: Enumeration>() -> ext_php_rs::error::Result<()> {
    let cases = T::cases().iter().map(|case| &case.declaration);
    cases.fold(EnumBuilder::new(T::NAME), EnumBuilder::case).registration(keep::<T>).register()
}

/// The enum's class, for argument parsing.
pub fn class<T: Enumeration>() -> *mut ClassEntry {
    T::place().load(Ordering::Acquire)
}

/// The value that a case of the enum means.
pub fn of<T: Enumeration>(object: &ZendObject) -> Outcome<T> {
    // SAFETY: the name of its case is the first property of every enum object.
    let name = unsafe { &*object.properties_table.as_ptr() };
    let name = name.zend_str().map(|name| name.as_bytes());
    T::cases()
        .iter()
        .find(|case| Some(case.name.to_bytes()) == name)
        .map(|case| case.value)
        .ok_or_else(|| exception::error(&format!("this case of {} means nothing", T::NAME)))
}

/// Makes the case of a value the value of `target`.
pub fn store<T: Enumeration>(value: T, target: &mut Zval) -> Outcome {
    let case = T::cases().iter().find(|case| case.value == value).ok_or(Thrown)?;
    // SAFETY: the enum is registered and has the case; the case object lives as long as the request.
    let object = unsafe { zend_enum_get_case_cstr(class::<T>(), case.name.as_ptr()).as_mut() };
    target.set_object(object.ok_or(Thrown)?);
    Ok(())
}
