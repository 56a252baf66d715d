//! Lists: packed arrays, and the short ones that a result shares.

use super::no_room::NoRoom;
use super::table::{empty, give_up, packed_table, set_used, table_of, write_array, write_long};
use crate::php::fill;
use ext_php_rs::ffi::_zend_array;
use ext_php_rs::types::Zval;

/// A list (a packed array with keys 0 … n - 1) under construction. Elements are pushed to the room made at first.
pub struct List {
    table: *mut _zend_array,
    used: u32,
    room: u32,
}

impl List {
    /// Room for `len` elements.
    #[inline]
    pub fn with_room(len: usize) -> Result<List, NoRoom> {
        if len == 0 {
            return Ok(List { table: empty(), used: 0, room: 0 });
        }
        Ok(List { table: packed_table(len)?, used: 0, room: len as u32 })
    }

    #[inline]
    fn next(&mut self) -> *mut Zval {
        assert!(self.used < self.room, "a list of {} elements gets one more", self.room);
        self.used += 1;
        // SAFETY: the table has room for `room` elements, and `used` was below it.
        unsafe { (*self.table).__bindgen_anon_1.arPacked.add(self.used as usize - 1) }
    }

    pub fn push_long(&mut self, value: i64) {
        let target = self.next();
        // SAFETY: the place is writable and holds nothing yet.
        unsafe { write_long(target, value) };
    }

    /// Appends a list of docIDs.
    #[inline]
    pub fn push_list_of(&mut self, doc_ids: &[u32]) -> Result<(), NoRoom> {
        let table = table_of(doc_ids)?;
        // SAFETY: the place is writable and holds nothing yet; the table is whole and has no owner.
        unsafe { write_array(self.next(), table) };
        Ok(())
    }

    /// Appends the list of a number and a list of numbers.
    #[inline]
    pub fn push_pair(&mut self, first: u32, second: &[u32], singles: &mut Singles) -> Result<(), NoRoom> {
        let second = singles.table_of(second)?;
        let pair = packed_table(2).inspect_err(|_| give_up(second))?;
        // SAFETY: the table is ours, with room for two elements; the one becomes an owner of the second list, the
        // other of the pair.
        unsafe {
            let elements = (*pair).__bindgen_anon_1.arPacked;
            write_long(elements, first.into());
            write_array(elements.add(1), second);
            set_used(pair, 2);
            write_array(self.next(), pair);
        }
        Ok(())
    }

    /// Takes `value` over.
    pub fn push(&mut self, value: Zval) {
        let target = self.next();
        // SAFETY: the place is writable and holds nothing yet.
        unsafe { target.write(value) };
    }

    /// A list of docIDs, or of other `u32`s. O(n); a packed array takes 16 bytes per element.
    #[inline]
    pub fn of_doc_ids(doc_ids: &[u32]) -> Result<List, NoRoom> {
        let mut list = List::with_room(doc_ids.len())?;
        list.push_doc_ids(doc_ids);
        Ok(list)
    }

    #[inline]
    pub fn push_doc_ids(&mut self, doc_ids: &[u32]) {
        assert!(doc_ids.len() <= (self.room - self.used) as usize, "a list gets more elements than it has room for");
        if doc_ids.is_empty() {
            return;
        }
        // SAFETY: the table has room for `room` elements, of which the first `used` are taken.
        unsafe { fill::with_doc_ids((*self.table).__bindgen_anon_1.arPacked.add(self.used as usize), doc_ids) };
        self.used += doc_ids.len() as u32;
    }

    #[inline]
    fn finish(self) -> *mut _zend_array {
        let List { table, used, room } = *std::mem::ManuallyDrop::new(self);
        if room != 0 {
            // SAFETY: the table is ours, and its first `used` elements are written.
            unsafe { set_used(table, used) };
        }
        table
    }

    /// Makes the list the value of `target`, dropping what that was.
    pub fn store(self, target: &mut Zval) {
        target.set_null();
        // SAFETY: null owns nothing; `finish` gives the table away.
        unsafe { write_array(target, self.finish()) };
    }

    /// The list as a value.
    pub fn into_zval(self) -> Zval {
        let mut value = Zval::new();
        self.store(&mut value);
        value
    }
}

impl Drop for List {
    fn drop(&mut self) {
        let unfinished = List { table: self.table, used: self.used, room: self.room };
        give_up(unfinished.finish());
    }
}

/// Lists of one position that a result has already. One that recurs is shared, as PHP shares arrays on assignment: it is
/// copied before it is changed. Measured on lists of short documents, where most postings have one position, it makes
/// `unpack_postings` 1.5 times as fast; longer lists recur less, and sharing those leaves Zend's free lists in such
/// disorder that everything after it is slower.
///
/// The lists are owned by the result, which must outlive this.
pub struct Singles([*mut _zend_array; Singles::COUNT]);

impl Singles {
    /// Only lists of smaller numbers are shared.
    const COUNT: usize = 256;

    pub fn new() -> Singles {
        Singles([std::ptr::null_mut(); Singles::COUNT])
    }

    /// The list of `values`, whose next owner has been counted.
    #[inline]
    fn table_of(&mut self, values: &[u32]) -> Result<*mut _zend_array, NoRoom> {
        let place = match *values {
            [value] => self.0.get_mut(value as usize),
            _ => None,
        };
        let Some(place) = place else { return table_of(values) };
        if place.is_null() {
            *place = table_of(values)?;
        } else {
            // SAFETY: the list is part of the result, and nobody else counts its owners meanwhile.
            unsafe { (**place).gc.refcount += 1 };
        }
        Ok(*place)
    }
}
