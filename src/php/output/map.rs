//! Maps: arrays with any keys.

use super::NoRoom;
use super::table::{empty, give_up, hash_table, table_of, write_array};
use crate::php::zend::Key;
use ext_php_rs::ffi::{_zend_array, zend_hash_add_new};
use ext_php_rs::types::Zval;

/// An array with any keys, under construction.
pub struct Map {
    table: *mut _zend_array,
    room: u32,
}

impl Map {
    /// Room for `len` elements.
    pub fn with_room(len: usize) -> Result<Map, NoRoom> {
        if len == 0 {
            return Ok(Map { table: empty(), room: 0 });
        }
        Ok(Map { table: hash_table(len)?, room: len as u32 })
    }

    /// Adds a list of docIDs, or of offsets; the key must be new.
    #[inline]
    pub fn insert(&mut self, key: Key, values: &[u32]) -> Result<(), NoRoom> {
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

    /// What `zend_hash_index_add_new` does with a hash that has room: the bucket after the last, put at the
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
        give_up(self.table); // a whole array at any time
    }
}
