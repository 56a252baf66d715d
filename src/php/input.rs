//! docIDs and posting lists out of PHP's arguments.

use super::call::{Call, Thrown};
use super::exception;
use super::posting_list;
use crate::PostingList;
use ext_php_rs::ffi::{_Bucket, zend_string};
use ext_php_rs::types::{ZendHashTable, Zval};
use std::borrow::Cow;

const HASH_FLAG_PACKED: u32 = 1 << 2;

/// Why an element of an array is no docID.
enum Unfit<'a> {
    Type(&'a Zval),
    Range(i64),
}

/// The key of an array element.
#[derive(Clone, Copy)]
pub enum Key {
    Int(i64),
    /// Owned by the array.
    String(*mut zend_string),
}

/// The elements of an array in its order, references followed.
pub fn elements(array: &ZendHashTable) -> impl Iterator<Item = (Key, &Zval)> {
    // SAFETY: the flag says whether `nNumUsed` values or as many buckets are initialised at the data pointer; removed
    // ones, of type 0, are among them.
    let (packed, buckets): (&[Zval], &[_Bucket]) = unsafe {
        let used = array.nNumUsed as usize;
        match (used, array.u.flags & HASH_FLAG_PACKED != 0) {
            (0, _) => (&[], &[]),
            (_, true) => (std::slice::from_raw_parts(array.__bindgen_anon_1.arPacked, used), &[]),
            (_, false) => (&[], std::slice::from_raw_parts(array.__bindgen_anon_1.arData, used)),
        }
    };
    let packed = packed.iter().enumerate().map(|(at, value)| (Key::Int(at as i64), value));
    let buckets = buckets.iter().map(|bucket| {
        let key = if bucket.key.is_null() { Key::Int(bucket.h as i64) } else { Key::String(bucket.key) };
        (key, bucket.val.indirect().unwrap_or(&bucket.val))
    });
    packed.chain(buckets).filter(|(_, value)| !is_undefined(value)).map(|(key, value)| (key, value.dereference()))
}

fn is_undefined(value: &Zval) -> bool {
    // SAFETY: the type is set in every value.
    unsafe { value.u1.v.type_ == 0 }
}

fn doc_id(value: &Zval) -> Result<u32, Unfit<'_>> {
    const IS_LONG: u8 = 4;
    // SAFETY: the type is set in every value and says which field of the union is.
    unsafe {
        if value.u1.v.type_ != IS_LONG {
            return Err(Unfit::Type(value));
        }
        u32::try_from(value.value.lval).map_err(|_| Unfit::Range(value.value.lval))
    }
}

/// The integers of a packed array that holds nothing but integers that fit, the usual case; `None` for any other.
fn plain(array: &ZendHashTable) -> Option<Vec<u32>> {
    // SAFETY: the flags are set in every array, and a packed one has `nNumUsed` initialised values.
    let values = unsafe {
        if array.u.flags & HASH_FLAG_PACKED == 0 || array.nNumUsed == 0 {
            return None;
        }
        std::slice::from_raw_parts(array.__bindgen_anon_1.arPacked, array.nNumUsed as usize)
    };
    let mut doc_ids = Vec::with_capacity(values.len());
    for value in values {
        doc_ids.push(doc_id(value).ok()?);
    }
    Some(doc_ids)
}

/// The integers of an array, in its order; `what` names them in errors.
fn from_array(array: &ZendHashTable, argument: u32, what: &str) -> Result<Vec<u32>, Thrown> {
    if let Some(doc_ids) = plain(array) {
        return Ok(doc_ids);
    }
    let mut doc_ids = Vec::with_capacity(array.len());
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
/// borrowed where the processor's order allows.
pub fn doc_ids(value: &Zval, argument: u32) -> Result<Cow<'_, [u32]>, Thrown> {
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
    Ok(bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect())
}

/// The integers of an `array` argument; `what` names them in errors.
pub fn integers(array: &ZendHashTable, argument: u32, what: &str) -> Result<Vec<u32>, Thrown> {
    from_array(array, argument, what)
}

/// The positions of an `array` argument.
pub fn positions(array: &ZendHashTable, argument: u32) -> Result<Vec<u32>, Thrown> {
    from_array(array, argument, "positions")
}

/// The posting lists of the arguments from `first` (0 is the first argument) on.
pub fn lists(call: &Call, first: u32) -> Result<Vec<PostingList>, Thrown> {
    (first..call.count()).map(|at| list(call.argument(at), at + 1)).collect()
}

/// The posting list of one argument.
pub fn list(value: &Zval, argument: u32) -> Result<PostingList, Thrown> {
    match posting_list::of(value.dereference()) {
        Some(list) => list,
        None => {
            let kind = exception::type_name(value.dereference());
            Err(exception::argument_type(argument, &format!("must be of type Postings\\PostingList, {kind} given")))
        }
    }
}

/// The queries of an `array<array<PostingList>>` argument, in its order.
pub fn queries(array: &ZendHashTable, argument: u32) -> Result<Vec<Vec<PostingList>>, Thrown> {
    elements(array).enumerate().map(|(index, (_, query))| lists_of(query, index, argument)).collect()
}

fn lists_of(query: &Zval, index: usize, argument: u32) -> Result<Vec<PostingList>, Thrown> {
    let wrong = |what: String| exception::argument_type(argument, &what);
    let Some(array) = query.array() else {
        let kind = exception::type_name(query);
        return Err(wrong(format!("must contain only arrays of Postings\\PostingList, {kind} given as query {index}")));
    };
    elements(array)
        .enumerate()
        .map(|(at, (_, value))| match posting_list::of(value) {
            Some(list) => list,
            None => {
                let kind = exception::type_name(value);
                Err(wrong(format!(
                    "must contain only arrays of Postings\\PostingList, {kind} given at index {at} of query {index}"
                )))
            }
        })
        .collect()
}
