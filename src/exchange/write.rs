//! What [`Reader`](crate::base::reader::Reader) reads by `maybe` and `list`, written.

use crate::base::leb128::put;

/// Whether something is there u8, and if so that.
pub(super) fn optional<T>(out: &mut Vec<u8>, value: Option<T>, write: impl FnOnce(&mut Vec<u8>, T)) {
    out.push(value.is_some().into());
    if let Some(value) = value {
        write(out, value);
    }
}

/// How many there are, and each.
pub(super) fn list<T>(out: &mut Vec<u8>, list: &[T], mut write: impl FnMut(&mut Vec<u8>, &T)) {
    put(out, list.len() as u64);
    list.iter().for_each(|one| write(out, one));
}

/// A float, little-endian.
pub(super) fn float(out: &mut Vec<u8>, number: f64) {
    out.extend(number.to_le_bytes());
}
