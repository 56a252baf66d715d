//! Value codecs: values ⇄ words, in any order. [`gaps`](super::gaps) turns each into a codec of posting lists.

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

use super::Cost;
use super::{OptionOf, Options};
use crate::cpu::Tier;

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
}

#[cfg(test)]
mod tests;
