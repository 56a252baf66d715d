//! Errors as PHP exceptions: [`Error`] becomes one here and nowhere else.

use super::ffi::{spl_ce_RuntimeException, zend_argument_type_error, zend_argument_value_error, zend_zval_type_name};
use crate::Error;
use crate::base::error::Refusal;
use ext_php_rs::args::ArgInfo;
use ext_php_rs::builders::ClassBuilder;
use ext_php_rs::ffi::{zend_throw_error, zend_throw_exception};
use ext_php_rs::flags::{ClassFlags, ConstantFlags};
use ext_php_rs::types::Zval;
use ext_php_rs::zend::{ClassEntry, ExecutorGlobals, ce};
use std::ffi::{CStr, CString};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

/// The call is over: a PHP exception is pending, or PHP ends the script for lack of memory once we return.
#[derive(Debug)]
pub struct Thrown;

/// The result of what may end with a PHP exception.
pub type Outcome<T = ()> = Result<T, Thrown>;

/// Fails if PHP code that was called has thrown.
pub fn no_exception() -> Outcome {
    if ExecutorGlobals::has_exception() { Err(Thrown) } else { Ok(()) }
}

static INTERFACE: AtomicPtr<ClassEntry> = AtomicPtr::new(null_mut());
static CORRUPT: AtomicPtr<ClassEntry> = AtomicPtr::new(null_mut());
static INDEX: AtomicPtr<ClassEntry> = AtomicPtr::new(null_mut());
static FULL: AtomicPtr<ClassEntry> = AtomicPtr::new(null_mut());
static LOCKED: AtomicPtr<ClassEntry> = AtomicPtr::new(null_mut());
static STATISTICS: AtomicPtr<ClassEntry> = AtomicPtr::new(null_mut());
static LEAF: AtomicPtr<ClassEntry> = AtomicPtr::new(null_mut());

/// What went wrong, as the code of an exception.
#[derive(Debug, Clone, Copy)]
enum Code {
    None = 0,
    Missing = 1,
    Locked = 2,
    Io = 3,
    Damaged = 4,
}

/// Why a leaf did not answer, as the codes of its exceptions.
const LEAF_CODES: [(&str, Refusal); 6] = [
    ("VERSION", Refusal::Version),
    ("SCHEMA", Refusal::Schema),
    ("COMMIT", Refusal::Commit),
    ("REQUEST", Refusal::Request),
    ("DEADLINE", Refusal::Deadline),
    ("FAILED", Refusal::Failed),
];

fn registered(class: &AtomicPtr<ClassEntry>) -> &'static ClassEntry {
    // SAFETY: `register` stores entries that live until the module shuts down; null is turned to the base class.
    unsafe { class.load(Ordering::Acquire).as_ref() }.unwrap_or_else(ce::exception)
}

/// Registers `Postings\Exception` and the classes that implement it. Plain classes without a Rust value, so that PHP code
/// can create and extend them.
pub fn register() -> ext_php_rs::error::Result<()> {
    // No methods, so no argument tables to keep.
    fn keep<const CLASS: usize>(class: &'static mut ClassEntry, _: Box<[Box<[ArgInfo]>]>) {
        [&INTERFACE, &CORRUPT, &INDEX, &FULL, &LOCKED, &STATISTICS, &LEAF][CLASS].store(class, Ordering::Release);
    }
    ClassBuilder::new("Postings\\Exception")
        .flags(ClassFlags::Interface)
        .implements((ce::throwable, "Throwable"))
        .registration(keep::<0>)
        .register()?;
    let implementation = |name: &str| {
        ClassBuilder::new(name)
            // SAFETY: SPL is always there and registers its classes before any other extension.
            .extends((|| unsafe { &*spl_ce_RuntimeException }, "RuntimeException"))
            .implements((|| registered(&INTERFACE), "Postings\\Exception"))
    };
    let constant =
        |class: ClassBuilder, name: &str, code: Code| class.constant(name, code as i64, &[], ConstantFlags::Public);
    let corrupt = implementation("Postings\\CorruptDataException");
    constant(corrupt, "DAMAGED", Code::Damaged)?.registration(keep::<1>).register()?;
    let mut index = implementation("Postings\\IndexException");
    for (name, code) in [("MISSING", Code::Missing), ("LOCKED", Code::Locked), ("IO", Code::Io)] {
        index = constant(index, name, code)?;
    }
    index.registration(keep::<2>).register()?;
    ClassBuilder::new("Postings\\LockedException")
        .extends((|| registered(&INDEX), "Postings\\IndexException"))
        .registration(keep::<4>)
        .register()?;
    implementation("Postings\\StatisticsException").registration(keep::<5>).register()?;
    let mut leaf = implementation("Postings\\LeafException");
    for (name, why) in LEAF_CODES {
        leaf = leaf.constant(name, why as i64, &[], ConstantFlags::Public)?;
    }
    leaf.registration(keep::<6>).register()?;
    implementation("Postings\\StreamFullException").registration(keep::<3>).register()
}

fn message(text: &str) -> CString {
    CString::new(text.replace('\0', "\\0")).unwrap_or_default()
}

/// The name of a value's type, as PHP's own errors print it.
pub fn type_name(value: &Zval) -> String {
    // SAFETY: the name is a static string or the class's, which outlives this.
    unsafe { CStr::from_ptr(zend_zval_type_name(value)) }.to_string_lossy().into_owned()
}

/// A number as PHP's own errors print it, or nearly.
pub fn shown(number: f64) -> String {
    match number {
        _ if number.is_nan() => "NAN".into(),
        _ if number.is_infinite() => if number > 0.0 { "INF" } else { "-INF" }.into(),
        _ if number == 0.0 || (1e-4..1e15).contains(&number.abs()) => number.to_string(),
        _ => format!("{number:E}"),
    }
}

/// A TypeError: "f(): Argument #1 ($x) " and `text`.
pub fn argument_type(argument: u32, text: &str) -> Thrown {
    // SAFETY: the format takes one C string; a function is being called.
    unsafe { zend_argument_type_error(argument, c"%s".as_ptr(), message(text).as_ptr()) };
    Thrown
}

/// A ValueError: "f(): Argument #1 ($x) " and `text`.
pub fn argument_value(argument: u32, text: &str) -> Thrown {
    // SAFETY: the format takes one C string; a function is being called.
    unsafe { zend_argument_value_error(argument, c"%s".as_ptr(), message(text).as_ptr()) };
    Thrown
}

/// An `Error`.
pub fn error(text: &str) -> Thrown {
    // SAFETY: the format takes one C string; a null class means `Error`.
    unsafe { zend_throw_error(null_mut(), c"%s".as_ptr(), message(text).as_ptr()) };
    Thrown
}

fn of_class(class: &AtomicPtr<ClassEntry>, text: &str, code: Code) -> Thrown {
    with_code(class, text, code as i64)
}

fn with_code(class: &AtomicPtr<ClassEntry>, text: &str, code: i64) -> Thrown {
    // SAFETY: the class is registered and lives; the message is copied.
    unsafe {
        let class = std::ptr::from_ref(registered(class)).cast_mut();
        zend_throw_exception(class, message(text).as_ptr(), code);
    }
    Thrown
}

/// A `Postings\CorruptDataException`.
pub fn corrupt(text: &str) -> Thrown {
    of_class(&CORRUPT, text, Code::Damaged)
}

/// A `Postings\IndexException`.
pub fn index(text: &str) -> Thrown {
    of_class(&INDEX, text, Code::Io)
}

/// As [`throw`], for what has to do with the files of an index.
pub fn throw_of_index(failure: &Error, argument: u32) -> Thrown {
    match failure {
        Error::File { .. } => index(&failure.to_string()),
        Error::Missing { .. } => of_class(&INDEX, &failure.to_string(), Code::Missing),
        Error::Locked { .. } => of_class(&LOCKED, &failure.to_string(), Code::Locked),
        _ => throw(failure, argument),
    }
}

/// Throws the PHP exception of a query in a stream: its code is the query's ticket.
pub fn throw_of_query(failure: &Error, ticket: u64) -> Thrown {
    let class = match failure {
        Error::Corrupt { .. } => registered(&CORRUPT),
        Error::File { .. } | Error::Missing { .. } => registered(&INDEX),
        Error::Statistics(_) => registered(&STATISTICS),
        _ => ce::error(),
    };
    // SAFETY: the class is registered and lives; the message is copied.
    unsafe {
        let text = message(&failure.to_string());
        zend_throw_exception(std::ptr::from_ref(class).cast_mut(), text.as_ptr(), ticket as i64);
    }
    Thrown
}

/// Throws the PHP exception that an error of the engine maps to; `argument` is the one (from 1) that held the docIDs.
pub fn throw(failure: &Error, argument: u32) -> Thrown {
    match failure {
        Error::Corrupt { .. } => corrupt(&failure.to_string()),
        Error::NotIncreasing { what, index, previous, got } => argument_value(
            argument,
            &format!(
                "must be strictly increasing, {what} {got} at index {index} is not greater than {previous} before it"
            ),
        ),
        Error::NotCodable { .. } | Error::Argument(_) => {
            argument_value(argument, &format!("cannot be used: {failure}"))
        }
        Error::Statistics(_) => of_class(&STATISTICS, &failure.to_string(), Code::None),
        Error::Refused { why, .. } => with_code(&LEAF, &failure.to_string(), *why as i64),
        Error::Full(_) => of_class(&FULL, &failure.to_string(), Code::None),
        Error::File { .. }
        | Error::Missing { .. }
        | Error::Locked { .. }
        | Error::OutOfMemory { .. }
        | Error::Expired
        | Error::Panicked
        | Error::Device(_) => error(&failure.to_string()),
    }
}
