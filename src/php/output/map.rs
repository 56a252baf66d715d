//! Maps: arrays with any keys.

use super::count;
use super::no_room::NoRoom;
use super::table::{empty, give_up, hash_table, table_of, write_array};
use super::text;
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

    /// Values, all of them different, with how many of something each has.
    pub fn of_counts<T: AsRef<[u8]>>(counts: &[(T, u64)]) -> Result<Map, NoRoom> {
        let mut map = Map::with_room(counts.len())?;
        for (value, of) in counts {
            let mut number = Zval::new();
            number.set_long(count(*of));
            map.set(value.as_ref(), number)?;
        }
        Ok(map)
    }

    /// Adds a list of docIDs, or of offsets; the key must be new.
    #[inline]
    pub fn insert(&mut self, key: Key, values: &[u32]) -> Result<(), NoRoom> {
        let list = table_of(values)?;
        let mut value = Zval::new();
        // SAFETY: the list is whole and has no owner; the value becomes it.
        unsafe { write_array(&mut value, list) };
        self.put(key, value);
        Ok(())
    }

    /// Adds an element; the key must be new.
    #[inline]
    pub fn put(&mut self, key: Key, value: Zval) {
        assert!(self.room > 0, "a map gets more elements than it has room for");
        self.room -= 1;
        let mut value = std::mem::ManuallyDrop::new(value);
        match key {
            // SAFETY: the table has room for the element, and the key is new. The place becomes the value's owner, and
            // keeps the word after it, the next in the chain.
            Key::Int(key) => unsafe {
                let place = self.append(key);
                (*place).value = value.value;
                (*place).u1 = value.u1;
            },
            // SAFETY: the table has room for the element, so nothing is allocated; it takes the value over and counts
            // the key.
            Key::String(key) => unsafe {
                zend_hash_add_new(self.table, key, &mut *value);
            },
        }
    }

    /// Adds an element. PHP's arrays keep a key that is a whole number as an integer; the key must be new.
    pub fn set(&mut self, key: &[u8], value: Zval) -> Result<(), NoRoom> {
        if let Some(key) = integer_key(key) {
            self.put(Key::Int(key), value);
            return Ok(());
        }
        let mut name = Zval::new();
        text::bytes(&mut name, key)?;
        // SAFETY: the value is a string.
        self.put(Key::String(unsafe { name.value.str_ }), value);
        Ok(())
    }

    /// What `zend_hash_index_add_new` does with a hash that has room: the bucket after the last, put at the
    /// head of its chain. Returns the place for the value, in which only value and type may be set.
    ///
    /// # Safety
    /// The table has room, and no such key.
    #[inline]
    unsafe fn append(&mut self, key: i64) -> *mut Zval {
        // SAFETY: there is room for the bucket; or-ing bits to the mask, a negative number, reaches only the hash part
        // in front of the buckets.
        unsafe {
            let table = &mut *self.table;
            let at = table.nNumUsed;
            let bucket = table.__bindgen_anon_1.arData.add(at as usize);
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
            &raw mut (*bucket).val
        }
    }

    /// The map as a value.
    pub fn into_zval(self) -> Zval {
        let mut value = Zval::new();
        self.store(&mut value);
        value
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

/// The integer as which PHP's arrays keep a key: one without superfluous signs and zeros.
fn integer_key(key: &[u8]) -> Option<i64> {
    let digits = key.strip_prefix(b"-").unwrap_or(key);
    let plain = match digits {
        [b'0'] => digits.len() == key.len(),
        [b'1'..=b'9', rest @ ..] => rest.len() < 19 && rest.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    if plain { std::str::from_utf8(key).ok()?.parse().ok() } else { None }
}
