//! Numbers and docIDs out of PHP's arguments.

use super::exception::{self, Outcome};
use super::zend::{elements, long, packed};
use crate::analysis::valid_utf8;
use crate::base::memory;
use ext_php_rs::types::{ZendHashTable, ZendStr, Zval};
use std::borrow::Cow;
use std::time::Duration;

/// An `int` argument that must fit in 32 bits.
pub fn number(value: i64, argument: u32) -> Outcome<u32> {
    u32::try_from(value)
        .map_err(|_| exception::argument_value(argument, &format!("must be from 0 to {}, {value} given", u32::MAX)))
}

/// An `int` argument that counts something.
pub fn natural(value: i64, argument: u32) -> Outcome<usize> {
    usize::try_from(value)
        .map_err(|_| exception::argument_value(argument, &format!("must not be negative, {value} given")))
}

/// An `int` argument of milliseconds.
pub fn milliseconds(value: i64, argument: u32) -> Outcome<Duration> {
    Ok(Duration::from_millis(natural(value, argument)? as u64))
}

/// An `int` argument from 1 to `most`.
pub fn up_to(value: i64, most: usize, argument: u32) -> Outcome<usize> {
    let number = usize::try_from(value).ok().filter(|number| (1..=most).contains(number));
    number.ok_or_else(|| exception::argument_value(argument, &format!("must be from 1 to {most}, {value} given")))
}

/// The text of a string argument; what is not UTF-8 is replaced.
pub fn text<'a>(string: *mut ZendStr) -> Cow<'a, str> {
    // SAFETY: parsing set it to a string that the frame holds, or left it null.
    valid_utf8(unsafe { string.as_ref() }.map_or(&[], ZendStr::as_bytes))
}

/// Why an element of an array is no docID.
enum Unfit<'a> {
    Type(&'a Zval),
    Range(i64),
}

/// Checks that the process can get this much more memory: what the engine is about to allocate for arguments of this
/// size. An exception if not. Where the engine allocates without a way to fail, running out of memory ends the process.
pub fn ensure_memory(bytes: usize) -> Outcome {
    /// Less is not worth asking for.
    const LITTLE: usize = 1 << 20;
    if bytes >= LITTLE {
        // Without the black box the compiler may leave out an allocation that nobody uses.
        std::hint::black_box(with_room::<u8>(bytes)?);
    }
    Ok(())
}

fn doc_id(value: &Zval) -> Result<u32, Unfit<'_>> {
    let value = long(value).ok_or(Unfit::Type(value))?;
    u32::try_from(value).map_err(|_| Unfit::Range(value))
}

/// An empty vector with room for `len` elements; an exception if there is no memory for them.
pub fn with_room<T>(len: usize) -> Outcome<Vec<T>> {
    memory::room(len).map_err(|error| exception::throw(&error, 1))
}

/// Adds the integers of a packed array that holds nothing but integers in range, the usual case. For any other it
/// adds some of them and returns `false`.
fn add_plain(array: &ZendHashTable, doc_ids: &mut Vec<u32>) -> bool {
    let Some(values) = packed(array) else { return false };
    for value in values {
        let Ok(value) = doc_id(value) else { return false };
        doc_ids.push(value);
    }
    true
}

/// The integers of an array, in its order; `what` names them in errors.
fn from_array(array: &ZendHashTable, argument: u32, what: &str) -> Outcome<Vec<u32>> {
    let mut doc_ids = with_room(array.len())?;
    if add_plain(array, &mut doc_ids) {
        return Ok(doc_ids);
    }
    doc_ids.clear();
    for (index, (_, value)) in elements(array).enumerate() {
        match doc_id(value) {
            Ok(doc_id) => doc_ids.push(doc_id),
            Err(Unfit::Type(value)) => {
                let kind = exception::type_name(value);
                return Err(exception::argument_type(
                    argument,
                    &format!("must contain only int, {kind} given at index {index}"),
                ));
            }
            Err(Unfit::Range(value)) => {
                return Err(exception::argument_value(
                    argument,
                    &format!("must contain only {what} from 0 to {}, {value} given at index {index}", u32::MAX),
                ));
            }
        }
    }
    Ok(doc_ids)
}

/// The docIDs of a `array|string` argument: an array of integers, or a string of little-endian `u32`, which is
/// borrowed if the processor's byte order allows.
pub fn doc_ids(value: &Zval, argument: u32) -> Outcome<Cow<'_, [u32]>> {
    let value = value.dereference();
    if let Some(array) = value.array() {
        return from_array(array, argument, "docIDs").map(Cow::Owned);
    }
    let Some(string) = value.zend_str() else {
        let kind = exception::type_name(value);
        return Err(exception::argument_type(argument, &format!("must be of type array|string, {kind} given")));
    };
    let bytes = string.as_bytes();
    if bytes.len() % 4 != 0 {
        return Err(exception::argument_value(
            argument,
            &format!("must be docIDs of 4 bytes each, {} bytes given", bytes.len()),
        ));
    }
    if cfg!(target_endian = "little") {
        // SAFETY: every pattern of 4 bytes is a u32.
        let (before, words, after) = unsafe { bytes.align_to::<u32>() };
        if before.is_empty() && after.is_empty() {
            return Ok(Cow::Borrowed(words));
        }
    }
    let (words, _) = bytes.as_chunks::<4>();
    let mut doc_ids = with_room(words.len())?;
    doc_ids.extend(words.iter().map(|&word| u32::from_le_bytes(word)));
    Ok(Cow::Owned(doc_ids))
}

/// The integers of an `array` argument; `what` names them in errors.
pub fn integers(array: &ZendHashTable, argument: u32, what: &str) -> Outcome<Vec<u32>> {
    from_array(array, argument, what)
}

/// The positions of an `array` argument.
pub fn positions(array: &ZendHashTable, argument: u32) -> Outcome<Vec<u32>> {
    from_array(array, argument, "positions")
}
