//! What Zend's values and arrays are in memory, as far as ext-php-rs does not say: types, flags, the elements of arrays.

use ext_php_rs::ffi::{_Bucket, _zend_refcounted_h, _zend_refcounted_h__bindgen_ty_1, zend_string};
use ext_php_rs::types::{ZendHashTable, Zval};

/// The type of a value that is an integer.
pub const IS_LONG: u32 = 4;
pub const IS_STRING: u32 = 6;
pub const IS_ARRAY: u32 = 7;
/// Type bits of a value whose payload is counted, and of one that may be part of a cycle.
pub const REFCOUNTED: u32 = 1 << 8;
pub const COLLECTABLE: u32 = 1 << 9;
pub const GC_NOT_COLLECTABLE: u32 = 1 << 4;

pub const HASH_FLAG_PACKED: u32 = 1 << 2;
pub const HASH_FLAG_STATIC_KEYS: u32 = 1 << 4;
/// The mask of a packed array, whose hash part is two unused entries.
pub const HT_MIN_MASK: u32 = -2i32 as u32;
pub const HT_INVALID_IDX: u32 = u32::MAX;
/// Bytes of a `Bucket`: a value, a hash and a key.
pub const BUCKET: usize = 32;

/// The header of a counted value of that type, which has one owner.
pub fn header(kind: u32) -> _zend_refcounted_h {
    _zend_refcounted_h { refcount: 1, u: _zend_refcounted_h__bindgen_ty_1 { type_info: kind } }
}

/// The key of an array element.
#[derive(Clone, Copy)]
pub enum Key {
    Int(i64),
    /// Owned by the array.
    String(*mut zend_string),
}

/// The values of a packed array, removed ones included; `None` for a hash.
pub fn packed(array: &ZendHashTable) -> Option<&[Zval]> {
    // SAFETY: the flag says whether `nNumUsed` values are initialised at the data pointer; an array without any may
    // have no data.
    unsafe {
        match (array.u.flags & HASH_FLAG_PACKED != 0, array.nNumUsed as usize) {
            (false, _) => None,
            (true, 0) => Some(&[]),
            (true, used) => Some(std::slice::from_raw_parts(array.__bindgen_anon_1.arPacked, used)),
        }
    }
}

/// The buckets of a hash, removed ones included; none of a packed array.
fn buckets(array: &ZendHashTable) -> &[_Bucket] {
    // SAFETY: the flag says whether `nNumUsed` buckets are initialised at the data pointer; an array without any may
    // have no data.
    unsafe {
        match (array.u.flags & HASH_FLAG_PACKED == 0, array.nNumUsed as usize) {
            (true, used @ 1..) => std::slice::from_raw_parts(array.__bindgen_anon_1.arData, used),
            _ => &[],
        }
    }
}

/// The elements of an array in its order, references followed.
pub fn elements(array: &ZendHashTable) -> impl Iterator<Item = (Key, &Zval)> {
    let packed = packed(array).unwrap_or_default();
    let packed = packed.iter().enumerate().map(|(at, value)| (Key::Int(at as i64), value));
    let buckets = buckets(array).iter().map(|bucket| {
        let key = if bucket.key.is_null() { Key::Int(bucket.h as i64) } else { Key::String(bucket.key) };
        (key, bucket.val.indirect().unwrap_or(&bucket.val))
    });
    packed.chain(buckets).filter(|(_, value)| !is_undefined(value)).map(|(key, value)| (key, value.dereference()))
}

/// The number that a value is; `None` for any other type.
pub fn number(value: &Zval) -> Option<f64> {
    value.double().or_else(|| value.long().map(|value| value as f64))
}

fn is_undefined(value: &Zval) -> bool {
    // SAFETY: the type is set in every value.
    unsafe { value.u1.v.type_ == 0 }
}

/// The integer that a value is; `None` for any other type. References are not followed.
pub fn long(value: &Zval) -> Option<i64> {
    // SAFETY: the type is set in every value and says which field of the union is.
    unsafe { if u32::from(value.u1.v.type_) == IS_LONG { Some(value.value.lval) } else { None } }
}

/// The type word of a value that is that string.
///
/// # Safety
/// The string lives.
pub unsafe fn type_of_string(string: *mut zend_string) -> u32 {
    const INTERNED: u32 = 1 << 6;
    // SAFETY: the type word is set in every string.
    let interned = unsafe { (*string).gc.u.type_info } & INTERNED != 0;
    if interned { IS_STRING } else { IS_STRING | REFCOUNTED }
}
