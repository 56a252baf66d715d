//! A buffer that grows, and what is placed in it.

use super::arena::{Arena, Piece};
use super::ferry::Ferry;
use crate::base::error::{Error, Result};
use crate::device::cl::Buffer;
use crate::device::link::{Link, WORD};

/// A buffer in device memory with an [`Arena`] that says what of it is in use.
pub(super) struct Pool {
    arena: Arena,
    /// At least as large as the arena's capacity, once it exists; larger if the arena was limited later.
    buffer: Option<Buffer>,
    /// Words of `buffer`.
    words: usize,
}

impl Pool {
    /// An empty one that may grow to `most` words.
    pub(super) fn new(most: usize) -> Pool {
        Pool { arena: Arena::new(most), buffer: None, words: 0 }
    }

    /// Words of the buffer.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// The most words that it may have.
    pub(super) fn most(&self) -> usize {
        self.arena.most()
    }

    /// Frees everything that was placed.
    pub(super) fn clear(&mut self) {
        self.arena.clear();
    }

    /// Gives the memory back. Everything that was placed is gone.
    pub(super) fn drop_buffer(&mut self) {
        *self = Pool::new(self.arena.most());
    }

    /// Limits the buffer to `words` words from now on.
    pub(super) fn limit(&mut self, words: usize) {
        self.arena.limit(words);
    }

    /// The buffer, which is created even before anything is placed.
    pub(super) fn buffer(&mut self, link: &Link) -> Result<&Buffer> {
        if self.buffer.is_none() {
            self.arena.reserve(1);
            self.grow(link, 0)?;
        }
        self.buffer.as_ref().ok_or_else(|| Error::Device("no arena".into()))
    }

    /// Places ranges of these sizes and returns their first words; `None` if there is no room for them all. `live` returns
    /// the ranges that are still in use; it is called only if room is short.
    pub(super) fn place(
        &mut self,
        link: &Link,
        sizes: &[usize],
        live: impl FnOnce() -> Vec<Piece>,
    ) -> Result<Option<Vec<usize>>> {
        let before = self.arena.tail();
        let Some(places) = self.arena.place(sizes, live) else { return Ok(None) };
        if self.arena.capacity() > self.words && !self.grow(link, before)? {
            return Ok(None);
        }
        Ok(Some(places))
    }

    /// Enlarges the buffer to the arena's capacity, keeping its first `used` words. False if the device has no room for a
    /// larger buffer; the arena is then limited to the present one.
    fn grow(&mut self, link: &Link, used: usize) -> Result<bool> {
        let capacity = self.arena.capacity();
        let buffer = match link.buffer(capacity) {
            Ok(buffer) => buffer,
            Err(error) if self.buffer.is_some() => {
                log::debug!("{error}; the arena stays at {} words", self.words);
                self.arena.limit(self.words);
                return Ok(false);
            }
            Err(error) => return Err(error),
        };
        if let Some(old) = &self.buffer {
            let copied = match used {
                0 => Ok(()),
                used => link.queue().copy(old, &buffer, used.min(self.words) * WORD),
            };
            // A driver that releases the old buffer while it is in use may wait without a limit.
            if let Err(error) = copied.and_then(|()| link.finish()) {
                link.release(buffer);
                return Err(error);
            }
        }
        self.buffer = Some(buffer);
        self.words = capacity;
        Ok(true)
    }

    /// Sends `parts` to the words from `at` on.
    ///
    /// # Safety
    /// `parts` have `words` words together.
    pub(super) unsafe fn send<'p>(
        &self,
        link: &Link,
        ferry: &mut Ferry,
        at: usize,
        words: usize,
        parts: impl Iterator<Item = &'p [u8]>,
    ) -> Result<()> {
        let buffer = self.buffer.as_ref().ok_or_else(|| Error::Device("no arena".into()))?;
        if at + words > self.words {
            return Err(Error::Device(format!("{words} words placed at {at} of the {} of the arena", self.words)));
        }
        // SAFETY: the range was checked to lie within the buffer, and this function's contract covers the parts.
        unsafe { ferry.send(link, buffer, at, parts, words * WORD) }
    }

    /// Words of the buffer, and how many of them were handed out.
    #[cfg(test)]
    pub(super) fn in_use(&self) -> (usize, usize) {
        (self.words, self.arena.tail())
    }
}
