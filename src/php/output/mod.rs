//! Results into PHP: arrays and strings are allocated once, at their size, and filled in place.
//!
//! Every function here returns [`NoMemory`] where memory_limit does not allow the result; the caller then returns to
//! PHP at once with `null`, and PHP ends the script with its ordinary fatal error.

use super::ffi::allocate;
use super::fill::{self, IS_LONG};
use super::input::Key;
use crate::codec::Sink;
use ext_php_rs::boxed::ZBox;
use ext_php_rs::ffi::{
    _zend_array, _zend_refcounted_h, _zend_refcounted_h__bindgen_ty_1, zend_empty_array, zend_hash_add_new,
    zend_string, zval_ptr_dtor,
};
use ext_php_rs::types::{ZendHashTable, ZendStr, Zval};
use std::mem::size_of;

/// The result does not fit memory_limit.
#[derive(Debug, Clone, Copy)]
pub struct NoMemory;

const IS_STRING: u32 = 6;
const IS_ARRAY: u32 = 7;
/// Type bits of a value whose payload is counted, and of one that may be part of a cycle.
const REFCOUNTED: u32 = 1 << 8;
const COLLECTABLE: u32 = 1 << 9;
const GC_NOT_COLLECTABLE: u32 = 1 << 4;

const HASH_FLAG_PACKED: u32 = 1 << 2;
const HASH_FLAG_STATIC_KEYS: u32 = 1 << 4;
/// The mask of a packed array, whose hash part is two unused entries.
const HT_MIN_MASK: u32 = -2i32 as u32;
const HT_MIN_SIZE: usize = 8;
const HT_MAX_SIZE: usize = 0x4000_0000;
const HT_INVALID_IDX: u32 = u32::MAX;
/// Bytes of a `Bucket`: a value, a hash and a key.
const BUCKET: usize = 32;

/// Sets `target`, which must not own anything, to an integer.
///
/// # Safety
/// `target` is writable.
unsafe fn write_long(target: *mut Zval, value: i64) {
    // SAFETY: the caller's promise; plain stores, nothing is dropped.
    unsafe {
        (*target).value.lval = value;
        (*target).u1.type_info = IS_LONG;
    }
}

/// Sets `target`, which must not own anything, to an array of which it becomes the owner.
///
/// # Safety
/// `target` is writable; `table` is an array of this module that nobody else owns, or the shared empty one.
unsafe fn write_array(target: *mut Zval, table: *mut _zend_array) {
    // SAFETY: the caller's promises; the shared empty array is never counted.
    unsafe {
        (*target).value.arr = table;
        (*target).u1.type_info = if std::ptr::eq(table, &raw const zend_empty_array) {
            IS_ARRAY
        } else {
            IS_ARRAY | REFCOUNTED | COLLECTABLE
        };
    }
}

fn header(kind: u32) -> _zend_refcounted_h {
    _zend_refcounted_h { refcount: 1, u: _zend_refcounted_h__bindgen_ty_1 { type_info: kind } }
}

/// Elements that a table for `len` gets: `len`, rounded up to at most three significant bits and to a multiple of
/// eight. Zend itself takes powers of two, which doubles the page faults of large results; it needs the multiple of
/// eight, as it clears hash parts 64 bytes at a time. When such an array becomes a hash, Zend makes its mask out of
/// this size; with three bits the mask still reaches two thirds as many chains as there are elements, or more.
fn table_size(len: usize) -> usize {
    let unit = (len.next_power_of_two() / 8).max(HT_MIN_SIZE);
    len.next_multiple_of(unit)
}

/// An array header with its hash and data part allocated: `hash` entries of 4 bytes, all unused, then `size` elements
/// of `element` bytes.
#[inline]
fn table(flags: u32, mask: u32, hash: usize, size: usize, element: usize) -> Result<*mut _zend_array, NoMemory> {
    let table: *mut _zend_array = allocate(size_of::<_zend_array>()).ok_or(NoMemory)?.cast();
    let Some(data) = allocate(4 * hash + size * element) else {
        // SAFETY: it was allocated above and nobody else has it.
        unsafe { ext_php_rs::alloc::efree(table.cast()) };
        return Err(NoMemory);
    };
    // SAFETY: both blocks are ours and large enough; this is what `_zend_hash_init` and `zend_hash_real_init_packed`
    // or `_mixed` write, in the layout of the PHP headers that ext-php-rs was built with.
    unsafe {
        let data: *mut u32 = data.cast();
        for entry in 0..hash {
            data.add(entry).write(HT_INVALID_IDX);
        }
        (&raw mut (*table).gc).write(header(IS_ARRAY));
        (*table).u.flags = flags;
        (*table).nTableMask = mask;
        (*table).__bindgen_anon_1.arHash = data.add(hash);
        (*table).nNumUsed = 0;
        (*table).nNumOfElements = 0;
        (*table).nTableSize = size as u32;
        (*table).nInternalPointer = 0;
        // 0, or from PHP 8.3 on the least integer, so that a first negative key counts.
        (*table).nNextFreeElement = zend_empty_array.nNextFreeElement;
        (&raw mut (*table).pDestructor).write(Some(zval_ptr_dtor));
    }
    Ok(table)
}

/// An array header for a packed array of `len` elements, more than none, with its data part.
#[inline]
fn packed_table(len: usize) -> Result<*mut _zend_array, NoMemory> {
    let size = table_size(len);
    if size > HT_MAX_SIZE {
        return Err(NoMemory);
    }
    table(HASH_FLAG_PACKED | HASH_FLAG_STATIC_KEYS, HT_MIN_MASK, 2, size, size_of::<Zval>())
}

/// Says that a packed array has `used` elements.
///
/// # Safety
/// The table is ours alone and those elements are written.
#[inline]
unsafe fn set_used(table: *mut _zend_array, used: u32) {
    // SAFETY: the caller's promise.
    unsafe {
        (*table).nNumUsed = used;
        (*table).nNumOfElements = used;
        (*table).nNextFreeElement = used.into();
    }
}

/// A whole list of docIDs or positions, without an owner. For small lists, of which results have many: a [`List`] is
/// moved through memory, which costs more than all of this.
#[inline]
fn table_of(values: &[u32]) -> Result<*mut _zend_array, NoMemory> {
    if values.is_empty() {
        return Ok((&raw const zend_empty_array).cast_mut());
    }
    let table = packed_table(values.len())?;
    // SAFETY: the table is ours and has room for all of them.
    unsafe {
        fill::with_doc_ids((*table).__bindgen_anon_1.arPacked, values);
        set_used(table, values.len() as u32);
    }
    Ok(table)
}

/// Frees, or gives up a share of, an array that nobody else owns.
#[cold]
fn give_up(table: *mut _zend_array) {
    let mut value = Zval::new();
    // SAFETY: it is a whole array; dropping the value frees it.
    unsafe { write_array(&mut value, table) };
}

/// A list (a packed array with keys 0 … n - 1) under construction. Elements are pushed to the room made at first.
pub struct List {
    table: *mut _zend_array,
    used: u32,
    room: u32,
}

impl List {
    /// Room for `len` elements.
    #[inline]
    pub fn with_room(len: usize) -> Result<List, NoMemory> {
        if len == 0 {
            return Ok(List { table: (&raw const zend_empty_array).cast_mut(), used: 0, room: 0 });
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
    pub fn push_list_of(&mut self, doc_ids: &[u32]) -> Result<(), NoMemory> {
        let table = table_of(doc_ids)?;
        // SAFETY: the place is writable and holds nothing yet; the table is whole and has no owner.
        unsafe { write_array(self.next(), table) };
        Ok(())
    }

    /// Appends the list of a number and a list of numbers.
    #[inline]
    pub fn push_pair(&mut self, first: u32, second: &[u32], singles: &mut Singles) -> Result<(), NoMemory> {
        let second = singles.table_of(second)?;
        let Ok(pair) = packed_table(2) else {
            give_up(second);
            return Err(NoMemory);
        };
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

    /// A list of docIDs, or of other `u32`s. O(n); a packed array takes 16 bytes an element.
    #[inline]
    pub fn of_doc_ids(doc_ids: &[u32]) -> Result<List, NoMemory> {
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
        let mut value = Zval::new();
        // SAFETY: a finished table is a whole array; dropping the value frees it.
        unsafe { write_array(&mut value, unfinished.finish()) };
    }
}

/// Lists of one position that a result has already. One that recurs is shared, as PHP shares arrays on assignment: a
/// change of one copies it first. Measured on lists of short documents, where most postings have one position, it makes
/// `unpack_postings` 1.5 times as fast; longer lists recur less, and sharing those leaves Zend's free lists in such
/// disorder that all that comes after is slower.
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
    fn table_of(&mut self, values: &[u32]) -> Result<*mut _zend_array, NoMemory> {
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

/// An array with any keys, under construction.
pub struct Map {
    table: *mut _zend_array,
    room: u32,
}

impl Map {
    /// Room for `len` elements.
    pub fn with_room(len: usize) -> Result<Map, NoMemory> {
        if len == 0 {
            return Ok(Map { table: (&raw const zend_empty_array).cast_mut(), room: 0 });
        }
        let size = len.next_power_of_two().max(HT_MIN_SIZE);
        if size > HT_MAX_SIZE {
            return Err(NoMemory);
        }
        let mask = (2 * size as u32).wrapping_neg();
        Ok(Map { table: table(HASH_FLAG_STATIC_KEYS, mask, 2 * size, size, BUCKET)?, room: len as u32 })
    }

    /// Adds a list of docIDs, or of offsets; the key must be new.
    #[inline]
    pub fn insert(&mut self, key: Key, values: &[u32]) -> Result<(), NoMemory> {
        assert!(self.room > 0, "a map gets more elements than it has room for");
        self.room -= 1;
        let list = table_of(values)?;
        match key {
            // SAFETY: the table has room for the element, and the key is new.
            Key::Int(key) => unsafe { self.append(key, list) },
            Key::String(key) => {
                let mut value = std::mem::ManuallyDrop::new(Zval::new());
                // SAFETY: the value becomes the owner of the list.
                unsafe { write_array(&mut *value, list) };
                // SAFETY: the table has room for the element, so nothing is allocated; it takes the value over and
                // counts the key.
                unsafe { zend_hash_add_new(self.table, key, &mut *value) };
            }
        }
        Ok(())
    }

    /// What `zend_hash_index_add_new` does with a hash that has room: the bucket behind the last, and that at the
    /// head of its chain.
    ///
    /// # Safety
    /// The table has room, and no such key; the list is whole and has no owner.
    #[inline]
    unsafe fn append(&mut self, key: i64, list: *mut _zend_array) {
        // SAFETY: there is room for the bucket; or-ing bits to the mask, a negative number, reaches only the hash part
        // in front of the buckets.
        unsafe {
            let table = &mut *self.table;
            let at = table.nNumUsed;
            let bucket = table.__bindgen_anon_1.arData.add(at as usize);
            write_array(&raw mut (*bucket).val, list);
            (*bucket).h = key as u64;
            (*bucket).key = std::ptr::null_mut();
            let chain = table.__bindgen_anon_1.arHash.offset((key as u32 | table.nTableMask) as i32 as isize);
            (*bucket).val.u2.next = *chain;
            *chain = at;
            table.nNumUsed += 1;
            table.nNumOfElements += 1;
            if key >= table.nNextFreeElement {
                table.nNextFreeElement = key.saturating_add(1);
            }
        }
    }

    /// Makes the map the value of `target`, dropping what that was.
    pub fn store(self, target: &mut Zval) {
        let this = std::mem::ManuallyDrop::new(self);
        target.set_null();
        // SAFETY: null owns nothing; the table is given away.
        unsafe { write_array(target, this.table) };
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        let mut value = Zval::new();
        // SAFETY: the table is a whole array at any time; dropping the value frees it.
        unsafe { write_array(&mut value, self.table) };
    }
}

/// A string under construction. Bytes are pushed to the room made at first.
struct Text {
    string: *mut zend_string,
    used: usize,
    len: usize,
}

impl Text {
    const HEADER: usize = std::mem::offset_of!(zend_string, val);

    /// Room for `len` bytes.
    fn with_room(len: usize) -> Result<Text, NoMemory> {
        let size = (Text::HEADER + len + 1).next_multiple_of(8);
        let string: *mut zend_string = allocate(size).ok_or(NoMemory)?.cast();
        // SAFETY: the block is ours, with room for the header, `len` bytes and a NUL.
        unsafe {
            (&raw mut (*string).gc).write(header(IS_STRING | GC_NOT_COLLECTABLE));
            (*string).h = 0;
        }
        Ok(Text { string, used: 0, len })
    }

    /// A place behind the bytes so far for `count` more.
    fn grow(&mut self, count: usize) -> *mut u8 {
        assert!(count <= self.len - self.used, "a string of {} bytes gets more", self.len);
        // SAFETY: there is room for `len` bytes behind the header.
        let place = unsafe { self.string.cast::<u8>().add(Text::HEADER + self.used) };
        self.used += count;
        place
    }

    fn push(&mut self, bytes: &[u8]) {
        let place = self.grow(bytes.len());
        // SAFETY: `grow` made sure of the room; the string is new, so it is not where the bytes are.
        unsafe { place.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    }

    /// Makes the string the value of `target`, dropping what that was.
    fn store(self, target: &mut Zval) {
        if self.used == 0 {
            // Zend keeps one empty string; ours is freed.
            target.set_zend_string(ZendStr::new([], false));
            return;
        }
        let Text { string, used, .. } = *std::mem::ManuallyDrop::new(self);
        // SAFETY: the string is ours and its first `used` bytes are written; there is room for the NUL.
        unsafe {
            (*string).len = used;
            string.cast::<u8>().add(Text::HEADER + used).write(0);
            target.set_zend_string(ZBox::from_raw(string));
        }
    }
}

impl Drop for Text {
    fn drop(&mut self) {
        // SAFETY: it was allocated by `with_room`, and nobody else has it.
        unsafe { ext_php_rs::alloc::efree(self.string.cast()) };
    }
}

/// Makes a copy of `bytes` the value of `target`.
pub fn bytes(target: &mut Zval, bytes: &[u8]) -> Result<(), NoMemory> {
    let mut text = Text::with_room(bytes.len())?;
    text.push(bytes);
    text.store(target);
    Ok(())
}

/// A list of docIDs that come from the engine.
pub struct DocIds(Result<List, NoMemory>);

impl DocIds {
    /// Waits for docIDs.
    pub fn new() -> DocIds {
        DocIds(List::with_room(0))
    }

    /// The list, once they are all there.
    pub fn finish(self) -> Result<List, NoMemory> {
        self.0
    }
}

impl Sink for DocIds {
    fn expect(&mut self, count: usize) -> bool {
        self.0 = List::with_room(count);
        self.0.is_ok()
    }

    fn take(&mut self, doc_ids: &[u32]) {
        if let Ok(list) = &mut self.0 {
            list.push_doc_ids(doc_ids);
        }
    }
}

/// A string of docIDs, as little-endian `u32`, that come from the engine.
pub struct Packed(Result<Text, NoMemory>);

impl Packed {
    /// Waits for docIDs.
    pub fn new() -> Packed {
        Packed(Err(NoMemory))
    }

    /// Makes the string the value of `target`, once they are all there.
    pub fn store(self, target: &mut Zval) -> Result<(), NoMemory> {
        self.0.map(|text| text.store(target))
    }
}

impl Sink for Packed {
    fn expect(&mut self, count: usize) -> bool {
        self.0 = Text::with_room(4 * count);
        self.0.is_ok()
    }

    fn take(&mut self, doc_ids: &[u32]) {
        if let Ok(text) = &mut self.0 {
            let place: *mut [u8; 4] = text.grow(4 * doc_ids.len()).cast();
            for (at, doc_id) in doc_ids.iter().enumerate() {
                // SAFETY: `grow` made sure of the room for all of them.
                unsafe { place.add(at).write(doc_id.to_le_bytes()) };
            }
        }
    }
}

/// A small array with string keys, under construction.
pub struct Record(ZBox<ZendHashTable>);

impl Record {
    pub fn new() -> Record {
        Record(ZendHashTable::new())
    }

    /// Room for `fields` fields, so that they are not moved as they grow.
    pub fn with_room(fields: u32) -> Record {
        Record(ZendHashTable::with_capacity(fields))
    }

    /// Adds a field. Values are small; an error would mean that one cannot be converted, which these all can.
    pub fn field(mut self, name: &str, value: impl ext_php_rs::convert::IntoZval) -> Record {
        if let Err(error) = self.0.insert(name, value) {
            log::error!("{name}: {error}");
        }
        self
    }

    pub fn into_zval(self) -> Zval {
        let mut value = Zval::new();
        value.set_hashtable(self.0);
        value
    }

    pub fn store(self, target: &mut Zval) {
        target.set_hashtable(self.0);
    }
}
