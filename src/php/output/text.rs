//! Strings.

use super::no_room::NoRoom;
use super::size;
use crate::php::ffi::allocate;
use crate::php::zend::{GC_NOT_COLLECTABLE, IS_STRING, header};
use ext_php_rs::boxed::ZBox;
use ext_php_rs::ffi::zend_string;
use ext_php_rs::types::{ZendStr, Zval};

/// A string under construction. Bytes are written to the room made at first.
pub struct Text {
    string: *mut zend_string,
    used: usize,
    len: usize,
}

impl Text {
    const HEADER: usize = std::mem::offset_of!(zend_string, val);

    /// Room for `len` bytes.
    pub fn with_room(len: usize) -> Result<Text, NoRoom> {
        let size = size::of_string(Text::HEADER, len)?;
        let string: *mut zend_string = allocate(size).ok_or(NoRoom::MemoryLimit)?.cast();
        // SAFETY: the block is ours, with room for the header, `len` bytes and a NUL.
        unsafe {
            (&raw mut (*string).gc).write(header(IS_STRING | GC_NOT_COLLECTABLE));
            (*string).h = 0;
        }
        Ok(Text { string, used: 0, len })
    }

    /// The room after the bytes so far for `count` more, which then count as written; their contents are unspecified.
    fn grow(&mut self, count: usize) -> *mut u8 {
        assert!(count <= self.len - self.used, "a string of {} bytes gets more", self.len);
        // SAFETY: there is room for `len` bytes after the header.
        let room = unsafe { self.string.cast::<u8>().add(Text::HEADER + self.used) };
        self.used += count;
        room
    }

    pub fn push(&mut self, bytes: &[u8]) {
        let room = self.grow(bytes.len());
        // SAFETY: `grow` made sure of the room; the string is new, so it does not overlap the bytes.
        unsafe { room.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    }

    /// Appends words, as little-endian `u32`.
    pub fn push_words(&mut self, words: &[u32]) {
        let room: *mut [u8; 4] = self.grow(4 * words.len()).cast();
        for (at, word) in words.iter().enumerate() {
            // SAFETY: `grow` made sure of the room for all of them.
            unsafe { room.add(at).write(word.to_le_bytes()) };
        }
    }

    /// Appends `count` zero bytes, for the caller to read into.
    pub fn push_zeros(&mut self, count: usize) -> &mut [u8] {
        let room = self.grow(count);
        // SAFETY: `grow` made sure of the room, which is borrowed from this string alone.
        unsafe {
            room.write_bytes(0, count);
            std::slice::from_raw_parts_mut(room, count)
        }
    }

    /// Makes the string the value of `target`, dropping what that was.
    pub fn store(self, target: &mut Zval) {
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
pub fn bytes(target: &mut Zval, bytes: &[u8]) -> Result<(), NoRoom> {
    let mut text = Text::with_room(bytes.len())?;
    text.push(bytes);
    text.store(target);
    Ok(())
}

/// Makes a string of words in some parts, as little-endian `u32`, the value of `target`.
pub fn words(target: &mut Zval, parts: &[&[u32]]) -> Result<(), NoRoom> {
    let mut text = Text::with_room(parts.iter().map(|part| size_of_val(*part)).sum())?;
    parts.iter().for_each(|part| text.push_words(part));
    text.store(target);
    Ok(())
}
