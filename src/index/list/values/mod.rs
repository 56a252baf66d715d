//! Frequencies and positions of long lists: values in blocks of 128, coded by one of several codecs.
//!
//! | file | what |
//! |---|---|
//! | `mod.rs` | [`Blocks`]: blocks of values in a list, written and read |
//! | [`codec`] | [`BlockCodec`]: which codec they have |
//! | [`bp128`] | BP128 without header words |
//!
//! The directory has a word per block. That of BP128 has the width of the block, too, so blocks have no header word as they
//! have in posting lists; the rest is shared with these. With any other [value codec](Values) of the registry it is the word
//! of the data at which the block begins. The block is one part of the codec, or no words at all if its values are zeros, as
//! most frequencies less 1 are.

mod bp128;
mod codec;

#[cfg(test)]
mod tests;

pub use codec::{BlockCodec, Codecs};

use crate::base::cpu;
use crate::codec::values::Values;
use crate::codec::{BLOCK, PADDING, SLACK};
use std::mem::MaybeUninit;

/// Appends `values` to `data` in blocks, and a word per block to `directory`. Returns false if `data` grew too large for
/// the directory.
#[must_use]
pub(super) fn encode(
    codec: BlockCodec,
    mut values: impl Iterator<Item = u32>,
    directory: &mut Vec<u32>,
    data: &mut Vec<u32>,
) -> bool {
    let first = data.len();
    let mut block = Vec::with_capacity(BLOCK);
    loop {
        block.clear();
        block.extend(values.by_ref().take(BLOCK));
        if block.is_empty() {
            return true;
        }
        let entry = match codec.values() {
            None => bp128::encode(&block, first, data),
            Some(values) => {
                let begin = u32::try_from(data.len() - first).ok();
                if block.iter().any(|&value| value != 0) {
                    values.encode(&block, data);
                }
                // The end of a block must be below 2^32, too.
                begin.filter(|_| data.len() - first <= u32::MAX as usize)
            }
        };
        let Some(entry) = entry else { return false };
        directory.push(entry);
    }
}

/// Values in a list.
#[derive(Debug, Clone, Copy)]
pub struct Blocks<'w> {
    /// `None`: BP128.
    values: Option<&'static dyn Values>,
    directory: &'w [u32],
    /// The words of all blocks. For value codecs, [`PADDING`] follows.
    data: &'w [u32],
    /// Words without padding.
    words: usize,
    count: usize,
}

impl<'w> Blocks<'w> {
    /// No values.
    pub(super) const NONE: Blocks<'static> = Blocks { values: None, directory: &[], data: &[], words: 0, count: 0 };

    /// `count` values in the first `words` of `rest`; the directory has a word for each block. To be
    /// [checked](Blocks::check) before use. `None` if the rest is too short.
    pub(super) fn new(
        codec: BlockCodec,
        directory: &'w [u32],
        rest: &'w [u32],
        words: usize,
        count: usize,
    ) -> Option<Blocks<'w>> {
        debug_assert_eq!(directory.len(), count.div_ceil(BLOCK));
        let values = codec.values();
        let padding = if values.is_some() { PADDING } else { 0 };
        let data = rest.get(..words.checked_add(padding)?)?;
        Some(Blocks { values, directory, data, words, count })
    }

    /// Checks all that decoding relies on.
    ///
    /// # Errors
    /// What is wrong.
    pub(super) fn check(&self) -> Result<(), String> {
        let Some(values) = self.values else {
            return match self.directory.iter().position(|&entry| !bp128::is_sound(entry, self.words)) {
                Some(block) => Err(format!("the directory places block {block} outside")),
                None => Ok(()),
            };
        };
        if self.directory.first().is_some_and(|&begin| begin != 0) || (self.count == 0 && self.words != 0) {
            return Err("the first block does not begin at the first word".into());
        }
        for block in 0..self.directory.len() {
            let (begin, end) = self.extent(block);
            if begin > end || end > self.words {
                return Err(format!("the directory places block {block} in words {begin} to {end} of {}", self.words));
            }
            if begin < end {
                values
                    .check(&self.data[begin..end], self.values_of(block))
                    .map_err(|(word, what)| format!("block {block}, word {word}: {what}"))?;
            }
        }
        Ok(())
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Bytes of the blocks and their directory.
    pub fn bytes(&self) -> usize {
        4 * (self.directory.len() + self.words)
    }

    /// Whether all values of a block are known to be zeros without unpacking it.
    ///
    /// # Panics
    /// If there is no such block.
    #[inline(always)]
    pub fn is_zero(&self, block: usize) -> bool {
        match self.values {
            None => bp128::is_zero(self.directory[block]),
            Some(_) => {
                let (begin, end) = self.extent(block);
                begin == end
            }
        }
    }

    /// One value.
    ///
    /// # Panics
    /// If there is no such block.
    #[inline(always)]
    pub fn get(&self, index: usize) -> u32 {
        match self.values {
            None => bp128::get(self.directory[index / BLOCK], self.data, index % BLOCK),
            Some(values) => self.get_of(values, index),
        }
    }

    /// Fetches the memory of a value into the caches, if it is known where that is.
    ///
    /// # Panics
    /// If there is no such block.
    #[inline(always)]
    pub fn prefetch(&self, index: usize) {
        if self.values.is_none() {
            bp128::prefetch(self.directory[index / BLOCK], self.data, index % BLOCK);
        }
    }

    #[inline(never)]
    fn get_of(&self, values: &dyn Values, index: usize) -> u32 {
        assert!(index < self.count, "value {index} of {}", self.count);
        let block = index / BLOCK;
        let (begin, end) = self.extent(block);
        if begin == end {
            return 0;
        }
        let (part, count) = (&self.data[begin..end], self.values_of(block));
        // SAFETY: the list was checked or comes from the encoder, so this is a part of `count` values, among which is the
        // one asked for; padding follows the data; `cpu::tier()` is available.
        unsafe { values.get(cpu::tier(), part, count, index % BLOCK) }
    }

    /// Unpacks a block. The values of the last block are followed by zeros.
    ///
    /// # Panics
    /// If there is no such block.
    #[inline]
    pub fn unpack(&self, block: usize, out: &mut [u32; BLOCK]) {
        match self.values {
            None => bp128::unpack(self.directory[block], self.data, out),
            Some(values) => self.unpack_of(values, block, out),
        }
    }

    fn unpack_of(&self, values: &dyn Values, block: usize, out: &mut [u32; BLOCK]) {
        let (begin, end) = self.extent(block);
        let (part, count) = (&self.data[begin..end], self.values_of(block));
        if part.is_empty() {
            out.fill(0);
            return;
        }
        let mut buffer = [const { MaybeUninit::<u32>::uninit() }; BLOCK + SLACK];
        // SAFETY: the list was checked or comes from the encoder, so this is a part of `count` values, at most a block;
        // padding follows the data; there is room for a block and the slack; `cpu::tier()` is available. All `count`
        // values are written.
        unsafe {
            values.decode(cpu::tier(), part, count, buffer.as_mut_ptr().cast());
            out.as_mut_ptr().copy_from_nonoverlapping(buffer.as_ptr().cast(), count);
        }
        out[count..].fill(0);
    }

    /// Appends all values.
    pub fn append_to(&self, out: &mut Vec<u32>) {
        out.reserve(self.count + BLOCK);
        let end = out.len() + self.count;
        let mut buffer = [0; BLOCK];
        for block in 0..self.directory.len() {
            self.unpack(block, &mut buffer);
            out.extend_from_slice(&buffer);
        }
        out.truncate(end);
    }

    /// The words of a block, for value codecs.
    #[inline(always)]
    fn extent(&self, block: usize) -> (usize, usize) {
        let end = self.directory.get(block + 1).map_or(self.words, |&end| end as usize);
        (self.directory[block] as usize, end)
    }

    /// How many values a block has.
    #[inline(always)]
    fn values_of(&self, block: usize) -> usize {
        BLOCK.min(self.count - block * BLOCK)
    }
}
