//! PHP's arrays in memory: allocated at their size, without an owner, and the values that refer to them.

use super::no_room::NoRoom;
use super::size;
use crate::php::ffi::allocate;
use crate::php::fill;
use crate::php::zend::{
    BUCKET, COLLECTABLE, HASH_FLAG_PACKED, HASH_FLAG_STATIC_KEYS, HT_INVALID_IDX, HT_MIN_MASK, IS_ARRAY, IS_LONG,
    REFCOUNTED, header,
};
use ext_php_rs::ffi::{_zend_array, zend_empty_array, zval_ptr_dtor};
use ext_php_rs::types::Zval;

/// Sets `target`, which must not own anything, to an integer.
///
/// # Safety
/// `target` is writable.
pub unsafe fn write_long(target: *mut Zval, value: i64) {
    // SAFETY: `target` is writable; plain stores, so that nothing is dropped.
    unsafe {
        (*target).value.lval = value;
        (*target).u1.type_info = IS_LONG;
    }
}

/// Sets `target`, which must not own anything, to an array of which it becomes the owner.
///
/// # Safety
/// `target` is writable; `table` is an array of this module that nobody else owns, or the shared empty one.
pub unsafe fn write_array(target: *mut Zval, table: *mut _zend_array) {
    // SAFETY: `target` is writable; the shared empty array is never counted.
    unsafe {
        (*target).value.arr = table;
        (*target).u1.type_info = if std::ptr::eq(table, &raw const zend_empty_array) {
            IS_ARRAY
        } else {
            IS_ARRAY | REFCOUNTED | COLLECTABLE
        };
    }
}

/// The shared array without elements.
pub fn empty() -> *mut _zend_array {
    (&raw const zend_empty_array).cast_mut()
}

/// An array header with its hash and data part allocated: `hash` entries of 4 bytes, all unused, then `size` elements
/// of `element` bytes.
#[inline]
fn table(flags: u32, mask: u32, hash: usize, size: usize, element: usize) -> Result<*mut _zend_array, NoRoom> {
    let table: *mut _zend_array = allocate(size_of::<_zend_array>()).ok_or(NoRoom::MemoryLimit)?.cast();
    let Some(data) = allocate(4 * hash + size * element) else {
        // SAFETY: it was allocated above and nobody else has it.
        unsafe { ext_php_rs::alloc::efree(table.cast()) };
        return Err(NoRoom::MemoryLimit);
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
pub fn packed_table(len: usize) -> Result<*mut _zend_array, NoRoom> {
    let size = size::of_packed(len)?;
    table(HASH_FLAG_PACKED | HASH_FLAG_STATIC_KEYS, HT_MIN_MASK, 2, size, size_of::<Zval>())
}

/// An array header for a hash of `len` elements, more than none, with its hash and data part.
pub fn hash_table(len: usize) -> Result<*mut _zend_array, NoRoom> {
    let size = size::of_hash(len)?;
    let mask = (2 * size as u32).wrapping_neg();
    table(HASH_FLAG_STATIC_KEYS, mask, 2 * size, size, BUCKET)
}

/// Sets the number of elements of a packed array.
///
/// # Safety
/// The table is ours alone and those elements are written.
#[inline]
pub unsafe fn set_used(table: *mut _zend_array, used: u32) {
    // SAFETY: the table is ours alone.
    unsafe {
        (*table).nNumUsed = used;
        (*table).nNumOfElements = used;
        (*table).nNextFreeElement = used.into();
    }
}

/// A whole list of docIDs or positions, without an owner. For small lists, of which results have many: a [`List`] is
/// moved through memory, which costs more than all of this.
#[inline]
pub fn table_of(values: &[u32]) -> Result<*mut _zend_array, NoRoom> {
    if values.is_empty() {
        return Ok(empty());
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
pub fn give_up(table: *mut _zend_array) {
    let mut value = Zval::new();
    // SAFETY: it is a whole array; dropping the value frees it.
    unsafe { write_array(&mut value, table) };
}
