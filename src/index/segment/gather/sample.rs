//! [`Sample`]: in how many documents words are together, estimated by some of them.

use super::window::windows;
use super::{Adjacency, Neighbours, TESTS};
use crate::base::cpu;
use crate::base::error::Result;
use crate::base::memory::zeros;
use crate::codec::bit_set;
use std::ops::Range;

/// So many stretches of so many documents are looked at. With 256 of 128 it would be a little more exact, as documents of a kind often
/// follow each other, but most blocks of most lists would be decoded.
const STRETCHES: usize = 64;
const STRETCH: usize = if TESTS { 8 } else { 512 };

/// Words of a set of the documents that are looked at.
const PER_WORD: usize = STRETCHES * STRETCH / 64;

/// Bytes for each word.
pub(super) const BYTES_PER_WORD: usize = 8 * PER_WORD;

/// The documents of a segment that are looked at, with the number of those before, which also are.
pub(super) fn stretches(documents: u32) -> impl Iterator<Item = (u32, Range<u32>)> {
    let apart = (documents as usize).div_ceil(STRETCHES).max(STRETCH);
    let begins = (0..documents).step_by(apart);
    (0..).step_by(STRETCH).zip(begins.map(move |from| from..documents.min(from + STRETCH as u32)))
}

/// In which documents of those that were looked at words stand beside others, and beside which.
pub(super) struct Sample {
    words: usize,
    /// A bit for each document, per word.
    with: Vec<u64>,
    /// How often each pair is there, in the order of the first words; the greatest number stands for more, too.
    beside: Vec<u16>,
    /// The number of a document among those that are looked at, less its docID.
    moved: u32,
}

impl Sample {
    /// Nothing yet, of so many words.
    pub fn new(words: usize) -> Result<Sample> {
        Ok(Sample { words, with: zeros(words * PER_WORD)?, beside: zeros(words * words)?, moved: 0 })
    }

    /// Looks at some of the [`stretches`].
    pub fn look(
        &mut self,
        adjacency: &mut impl Adjacency,
        (before, stretch): (u32, Range<u32>),
        lengths: &[u8],
    ) -> Result<()> {
        self.moved = before.wrapping_sub(stretch.start);
        adjacency.seek(stretch.start);
        windows(lengths, stretch).try_for_each(|window| adjacency.each(window, self))
    }

    /// Adds what another one saw in other documents.
    pub fn add(&mut self, other: &Sample) {
        self.with.iter_mut().zip(&other.with).for_each(|(word, other)| *word |= other);
        self.beside.iter_mut().zip(&other.beside).for_each(|(count, other)| *count = count.saturating_add(*other));
    }

    /// How often one word follows the other in these documents.
    pub fn beside(&self, first: usize, second: usize) -> u64 {
        self.beside[self.words * first + second].into()
    }

    /// How many of the documents have both words, about; 0 if none has one beside the other.
    pub fn together(&self, first: usize, second: usize) -> u64 {
        if self.beside(first, second) == 0 {
            return 0;
        }
        let [one, other] = [first, second].map(|word| &self.with[PER_WORD * word..][..PER_WORD]);
        // SAFETY: both have so many words.
        unsafe { bit_set::count_common(cpu::tier(), one.as_ptr(), other.as_ptr(), PER_WORD) }
    }
}

impl Neighbours for Sample {
    #[inline(always)]
    fn add(&mut self, doc_id: u32, first: usize, second: usize) {
        let number = doc_id.wrapping_add(self.moved) as usize;
        for word in [first, second] {
            self.with[PER_WORD * word + number / 64] |= 1 << (number % 64);
        }
        let count = &mut self.beside[self.words * first + second];
        *count = count.saturating_add(1);
    }

    #[inline(always)]
    fn end(&mut self, _: u32) -> Result<()> {
        Ok(())
    }
}
