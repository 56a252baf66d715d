//! Value codecs: values ⇄ words, in any order. [`gaps`](super::gaps) turns each into a codec of posting lists.

pub mod bp128;
pub mod newpfd;
pub mod parapfor;
mod parts;
pub mod pfordelta;
pub mod pfordelta_segments;
pub mod rice;
pub mod simple16;
pub mod simple9;
pub mod variable_byte;
mod widths;

use super::{BLOCK, Cost, OptionOf, Options, block_buffer, sums};
use crate::base::cpu::Tier;
use std::fmt;
use std::marker::PhantomData;

/// A codec of values.
///
/// A *part* is the output of one call of [`encode`](Self::encode). Concatenated parts can be decoded in one call if all
/// but the last have [`BLOCK`](super::BLOCK) values.
pub trait ValueCodec: 'static {
    /// The name that PHP, error messages and benchmarks use.
    const NAME: &'static str;

    /// The largest value that can be encoded.
    const MAX_VALUE: u32;

    /// The error text for a first docID, or a gap minus one, that exceeds [`MAX_VALUE`](Self::MAX_VALUE).
    const LIMIT: &'static str;

    /// See [`ListCodec::VERSION`](super::ListCodec::VERSION).
    const VERSION: u32 = 2;

    /// See [`ListCodec::COST`](super::ListCodec::COST).
    const COST: Cost;

    /// See [`ListCodec::OPTIONS`](super::ListCodec::OPTIONS).
    const OPTIONS: &'static [OptionOf] = &[];

    /// Chooses, for a whole list, options that are still open. `widths` counts its values by their width in bits. What
    /// is left open, [`encode`](Self::encode) chooses for each part.
    fn settle(widths: &[u64; 33], options: &mut Options) {
        let _ = (widths, options);
    }

    /// Appends the words of `values`, all at most [`MAX_VALUE`](Self::MAX_VALUE).
    fn encode(values: &[u32], options: &Options, words: &mut Vec<u32>);

    /// Checks that `words` are one part with exactly `count` values, which is all that [`decode`](Self::decode) relies
    /// on.
    ///
    /// # Errors
    /// The index of the word that is wrong, and what is wrong with it.
    fn check(words: &[u32], count: usize) -> Result<(), (usize, String)>;

    /// Decodes parts that have `count` values together.
    ///
    /// # Safety
    /// The parts were encoded by this codec or passed [`check`](Self::check); after them there are
    /// [`PADDING`](super::PADDING) readable words; `out` has room for the values and [`SLACK`](super::SLACK) more; the
    /// processor has `tier`.
    unsafe fn decode(tier: Tier, words: &[u32], count: usize, out: *mut u32);

    /// Decodes parts to docIDs, the first of which follows `previous`. Their values are gaps minus one.
    ///
    /// # Safety
    /// As [`decode`](Self::decode).
    #[inline(always)]
    unsafe fn decode_doc_ids(tier: Tier, words: &[u32], count: usize, previous: u32, out: *mut u32) {
        // SAFETY: the same contract; `decode` writes the `count` values that are added up, and the slack is there.
        unsafe {
            Self::decode(tier, words, count, out);
            sums::add_up(tier, out, count, previous);
        }
    }

    /// One value of a part, for codecs that can read it without decoding all of them.
    ///
    /// # Safety
    /// As [`decode`](Self::decode) for one part, without `out`; and `index` is below `count`.
    #[inline]
    unsafe fn get(tier: Tier, words: &[u32], count: usize, index: usize) -> u32 {
        debug_assert!(index < count && count <= BLOCK);
        let mut values = block_buffer();
        // SAFETY: the same contract; there is room for a block and the slack.
        unsafe { Self::decode(tier, words, count, values.as_mut_ptr()) };
        values[index]
    }
}

/// A value codec that is chosen when the program runs, with the defaults of its options.
pub trait Values: fmt::Debug + Sync {
    /// The largest value that can be encoded.
    fn max_value(&self) -> u32;

    /// See [`ValueCodec::encode`].
    fn encode(&self, values: &[u32], words: &mut Vec<u32>);

    /// See [`ValueCodec::check`].
    ///
    /// # Errors
    /// As there.
    fn check(&self, words: &[u32], count: usize) -> Result<(), (usize, String)>;

    /// See [`ValueCodec::decode`].
    ///
    /// # Safety
    /// As there.
    unsafe fn decode(&self, tier: Tier, words: &[u32], count: usize, out: *mut u32);

    /// See [`ValueCodec::get`].
    ///
    /// # Safety
    /// As there.
    unsafe fn get(&self, tier: Tier, words: &[u32], count: usize, index: usize) -> u32;
}

/// The value codec `V` as [`Values`].
pub(super) struct Of<V>(pub(super) PhantomData<fn() -> V>);

impl<V: ValueCodec> fmt::Debug for Of<V> {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(V::NAME)
    }
}

impl<V: ValueCodec> Values for Of<V> {
    fn max_value(&self) -> u32 {
        V::MAX_VALUE
    }

    fn encode(&self, values: &[u32], words: &mut Vec<u32>) {
        V::encode(values, &Options::defaults(V::OPTIONS), words);
    }

    fn check(&self, words: &[u32], count: usize) -> Result<(), (usize, String)> {
        V::check(words, count)
    }

    unsafe fn decode(&self, tier: Tier, words: &[u32], count: usize, out: *mut u32) {
        // SAFETY: the same contract.
        unsafe { V::decode(tier, words, count, out) }
    }

    unsafe fn get(&self, tier: Tier, words: &[u32], count: usize, index: usize) -> u32 {
        // SAFETY: the same contract.
        unsafe { V::get(tier, words, count, index) }
    }
}

#[cfg(test)]
mod tests;
