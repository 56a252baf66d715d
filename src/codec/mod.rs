//! Codecs: bytes ⇄ sorted docIDs. Pure: no I/O, no PHP, no OpenCL.
//!
//! Two kinds of codec make a posting list:
//!
//! * a *value codec* ([`values`]) turns values ⇄ words, in any order; [`gaps`] makes a list codec of each, by taking
//!   the gaps between docIDs as values;
//! * a *monotone codec* ([`monotone`]) turns docIDs ⇄ words directly.
//!
//! # The registry
//! The invocation of `registry!` below is the only place that lists the codecs. It defines the enum [`Codec`],
//! [`Codec::ALL`], names, numbers, the cases of PHP's enum, and `dispatch!`, which runs code for the codec of a list
//! with static dispatch. To add a codec: its folder, a line here, and a line with its kernels in `device/codec.rs`.
//! Lists, intersection, the engine, PHP, tests, fuzz targets and benchmarks then find it through the registry.

pub(crate) mod bit_set;
pub mod fields;
pub mod gaps;
mod list_codec;
pub mod monotone;
mod options;
pub(crate) mod sums;
pub mod values;

pub use gaps::Gaps;
pub use list_codec::{Cost, Encoded, ListCodec, LookUp, NoLookUp, OWN_COUNT, Plan, Shape};
pub use options::{OptionOf, Options};
// Exported because raw lists have their own functions, in Rust and PHP.
pub use monotone::quasi_succinct;
pub use monotone::regression;
pub use values::simple9;

use crate::base::cpu::Tier;
use crate::base::error::{Error, Result};
use crate::base::huge_pages;
use byteorder::{ByteOrder, LittleEndian};

macro_rules! registry {
    ($d:tt $($(#[$doc:meta])* $name:ident = $number:literal: $codec:ty;)*) => {
        /// The codec of a posting list.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        #[expect(non_camel_case_types, reason = "the literature's names")]
        pub enum Codec {
            $($(#[$doc])* $name = $number,)*
        }

        impl Codec {
            /// The number of codecs.
            pub const COUNT: usize = [$($number),*].len();

            /// All codecs, in the order of the registry.
            pub const ALL: [Codec; Codec::COUNT] = [$(Codec::$name),*];

            /// The name of this codec's case in PHP's enum `Postings\Codec`.
            pub fn php_case(self) -> &'static str {
                match self {
                    $(Codec::$name => stringify!($name),)*
                }
            }
        }

        /// Runs `$body` with `$C` as the codec's type, so that its functions are called statically.
        macro_rules! dispatch {
            ($d codec:expr, $d C:ident => $d body:expr) => {
                match $d codec {
                    $($crate::codec::Codec::$name => {
                        use $crate::codec::*;
                        type $d C = $codec;
                        $d body
                    })*
                }
            };
        }

        /// The look-up of any codec that has one of its own: see [`LookUp`].
        #[expect(non_camel_case_types, clippy::upper_case_acronyms, reason = "the literature's names")]
        pub(crate) enum AnyLookUp<'l> {
            $($name(<$codec as ListCodec>::LookUp<'l>),)*
        }

        impl<'l> AnyLookUp<'l> {
            /// A look-up in a list of that codec; `None` if the codec has none of its own for this tier.
            ///
            /// # Safety
            /// The list was checked and is not empty, and the processor has `tier`.
            pub(crate) unsafe fn new(codec: Codec, tier: Tier, list: Encoded<'l>) -> Option<Self> {
                match codec {
                    // SAFETY: `LookUp::new` has the same contract.
                    $(Codec::$name => unsafe { LookUp::new(tier, list) }.map(AnyLookUp::$name),)*
                }
            }

            /// See [`LookUp::retain`].
            ///
            /// # Safety
            /// As there.
            pub(crate) unsafe fn retain(&mut self, candidates: &mut [u32]) -> usize {
                match self {
                    // SAFETY: this function has the same contract.
                    $(AnyLookUp::$name(look_up) => unsafe { look_up.retain(candidates) },)*
                }
            }
        }
    };
}

registry! { $
    /// Gaps in words of one selector and up to 28 values ([`values::simple9`]). Gaps are at most 2^28.
    Simple9 = 1: Gaps<simple9::Simple9>;
    /// Elias–Fano lists of lower and upper bits ([`monotone::quasi_succinct`]): the default.
    QuasiSuccinct = 2: quasi_succinct::QuasiSuccinct;
    /// Gaps in one to four bytes each, with their lengths apart ([`values::variable_byte`]).
    VariableByte = 3: Gaps<values::variable_byte::VariableByte>;
    /// Gaps as quotients by a power of two, in unary, and remainders ([`values::rice`]).
    Rice = 4: Gaps<values::rice::Rice>;
    /// Low bits of gaps in slots of one width for a list; arrays of exceptions, coded in the same way again
    /// ([`values::pfordelta`]).
    PForDelta = 5: Gaps<values::pfordelta::PForDelta>;
    /// Gaps in slots of a width for each segment; exceptions linked through them ([`values::pfordelta_segments`]).
    PForDeltaSegments = 6: Gaps<values::pfordelta_segments::PForDeltaSegments>;
    /// Low bits of gaps in slots; positions and overflows of exceptions in Simple-16 words ([`values::newpfd`]).
    NewPFD = 7: Gaps<values::newpfd::NewPFD>;
    /// The same, with slots of the width that takes the fewest words.
    OptPFD = 8: Gaps<values::newpfd::OptPFD>;
    /// Low bits of gaps in slots; indices and overflows of exceptions in two arrays ([`values::parapfor`]).
    ParaPFor = 9: Gaps<values::parapfor::ParaPFor>;
    /// A line for the list, and deviations from it of one width ([`monotone::regression`]).
    LRC = 10: regression::Regression<regression::lrc::Lrc>;
    /// A line for the list, and deviations from it with a width per segment ([`monotone::regression`]).
    LRCSeg = 11: regression::Regression<regression::lrc_seg::LrcSeg>;
    /// A line and a width for each segment ([`monotone::regression`]).
    SegLRC = 12: regression::Regression<regression::seg_lrc::SegLrc>;
    /// A line and a width for each bucket of docIDs with the same leading bits ([`monotone::regression`]).
    HS_LRC = 13: regression::Regression<regression::hs_lrc::HsLrc>;
    /// Gaps in words of one selector and up to 28 values, of one or two widths ([`values::simple16`]).
    Simple16 = 14: Gaps<values::simple16::Simple16>;
    /// Runs, bit sets and Elias–Fano lists, each for a part of the list ([`monotone::partitioned_elias_fano`]): for
    /// clustered and dense lists.
    PartitionedEliasFano = 15: monotone::partitioned_elias_fano::PartitionedEliasFano;
    /// Uncompressed docIDs with the pointers of hash segmentation ([`monotone::raw`]).
    Raw = 16: monotone::raw::Raw;
    /// Gaps in as many bits each as the largest of the block needs, in four lanes ([`values::bp128`]).
    BP128 = 17: Gaps<values::bp128::Bp128>;
}
pub(crate) use dispatch;

impl Codec {
    /// The name that PHP, error messages and benchmarks use.
    pub fn name(self) -> &'static str {
        dispatch!(self, C => C::NAME)
    }

    /// The codec with that number in the byte format of a posting list.
    pub fn from_number(number: u8) -> Option<Codec> {
        Codec::ALL.into_iter().find(|codec| *codec as u8 == number)
    }

    /// The codec with that name.
    pub fn from_name(name: &str) -> Option<Codec> {
        Codec::ALL.into_iter().find(|codec| codec.name() == name)
    }

    /// Its index in [`Codec::ALL`], for tables with an entry per codec.
    pub fn index(self) -> usize {
        Codec::ALL.iter().position(|&codec| codec == self).unwrap_or_default()
    }

    /// Whether docIDs are looked up in lists of this codec without decoding blocks.
    pub(crate) fn looks_up(self) -> bool {
        dispatch!(self, C => <C as ListCodec>::LookUp::EXISTS)
    }

    /// The value codec that codes the gaps of its lists, and other values as well; `None` if it codes docIDs directly.
    pub fn values(self) -> Option<&'static dyn values::Values> {
        dispatch!(self, C => C::VALUES)
    }

    /// What a caller may choose when a list is encoded.
    pub fn options(self) -> &'static [OptionOf] {
        dispatch!(self, C => C::OPTIONS)
    }

    /// Checks names and values of options that are given to encode a list.
    ///
    /// # Errors
    /// [`Error::Argument`](crate::Error::Argument).
    pub fn check_options(self, given: &[(&str, f64)]) -> Result<()> {
        Options::named(self.name(), self.options(), given).map(drop)
    }

    /// What decoding and intersecting its lists costs, assumed until it is measured on this machine.
    pub(crate) fn cost(self) -> Cost {
        dispatch!(self, C => C::COST)
    }
}

impl Default for Codec {
    /// Quasi-succinct: small for any docIDs, fast to look docIDs up in and to decode.
    fn default() -> Self {
        Codec::QuasiSuccinct
    }
}

/// Checks that docIDs are strictly increasing, as every codec requires.
pub(crate) fn check_increasing(doc_ids: &[u32]) -> Result<()> {
    match not_increasing(doc_ids, None) {
        None => Ok(()),
        Some(at) => Err(Error::NotIncreasing {
            what: "docID",
            index: at,
            previous: doc_ids[at - 1].into(),
            got: doc_ids[at].into(),
        }),
    }
}

/// The index of the first docID that is not greater than the one before it (`previous` before the first), if any.
pub(crate) fn not_increasing(doc_ids: &[u32], previous: Option<u32>) -> Option<usize> {
    if previous.zip(doc_ids.first()).is_some_and(|(previous, &first)| previous >= first) {
        return Some(0);
    }
    // docIDs nearly always increase, so check that first, without a branch per docID.
    if rises(doc_ids) {
        return None;
    }
    doc_ids.windows(2).position(|pair| pair[0] >= pair[1]).map(|at| at + 1)
}

/// Whether each docID is greater than the one before. Has no branch per docID.
pub(crate) fn rises(doc_ids: &[u32]) -> bool {
    doc_ids.iter().zip(doc_ids.iter().skip(1)).fold(true, |rises, (a, b)| rises & (a < b))
}

/// The index of the first element that is at least `target`, or the length if there is none. Exponential search
/// followed by binary search: O(log index).
pub(crate) fn gallop(sorted: &[u32], target: u32) -> usize {
    let mut bound = 1;
    while bound <= sorted.len() && sorted[bound - 1] < target {
        bound *= 2;
    }
    let from = bound / 2;
    let to = bound.min(sorted.len());
    from + sorted[from..to].partition_point(|&element| element < target)
}

/// Receives docIDs as they are found, some at a time, so that they are used while they are in the first-level cache.
pub trait Sink {
    /// Announces the number of docIDs before the first of them, if it is known. If this returns false (there is no room
    /// for them, for example), none are sent.
    fn expect(&mut self, count: usize) -> bool {
        let _ = count;
        true
    }

    /// Takes the next docIDs, ascending.
    fn take(&mut self, doc_ids: &[u32]);

    /// Takes the next docIDs: all from `first` to `last`. `tier` is the processor's, or less.
    fn take_range(&mut self, tier: Tier, first: u32, last: u32) {
        let mut doc_ids = [0; RANGE + SLACK];
        for from in (u64::from(first)..=u64::from(last)).step_by(RANGE) {
            let len = (u64::from(last) - from + 1).min(RANGE as u64) as usize;
            // SAFETY: there is room for `RANGE` docIDs and the slack; the tier is available, as the caller says.
            unsafe { bit_set::fill(tier, from as u32, len, doc_ids.as_mut_ptr()) };
            self.take(&doc_ids[..len]);
        }
    }

    /// Takes the next docIDs: the bits of `words`, of which `ones` are set, and the first one's bit 0 stands for `first`. `tier`
    /// is the processor's, or less.
    fn take_bits(&mut self, tier: Tier, first: u32, words: &[u64], ones: u64) {
        let _ = ones;
        let mut doc_ids = [0; RANGE + SLACK];
        for (at, words) in words.chunks(RANGE / 64).enumerate() {
            let first = first + (at * RANGE) as u32;
            // SAFETY: there is room for the docIDs of so many words and the slack; the tier as above.
            let count = unsafe { bit_set::expand(tier, words.as_ptr(), words.len(), first, doc_ids.as_mut_ptr()) };
            self.take(&doc_ids[..count]);
        }
    }

    /// Whether only the number of docIDs matters. Then [`add`](Self::add) may be called instead of the others.
    const COUNTS: bool = false;

    /// Takes so many docIDs, if the sink [only counts](Self::COUNTS).
    fn add(&mut self, count: u64) {
        unreachable!("{count} docIDs without the docIDs")
    }
}

/// docIDs that the default methods of [`Sink`] pass on at a time.
const RANGE: usize = 512;

impl Sink for Vec<u32> {
    fn expect(&mut self, count: usize) -> bool {
        self.reserve(count);
        true
    }

    fn take(&mut self, doc_ids: &[u32]) {
        self.extend_from_slice(doc_ids);
    }

    fn take_range(&mut self, tier: Tier, first: u32, last: u32) {
        let len = (last - first) as usize + 1;
        self.reserve(len + SLACK);
        // SAFETY: there is room for the docIDs and the slack, and so many are written; the tier is available, as the
        // caller says.
        unsafe {
            bit_set::fill(tier, first, len, self.as_mut_ptr().add(self.len()));
            self.set_len(self.len() + len);
        }
    }

    // Room is not made by `ones`, which only the caller vouches for.
    fn take_bits(&mut self, tier: Tier, first: u32, words: &[u64], _: u64) {
        append_bits(self, tier, first, words);
    }
}

/// Appends the docIDs of a bit set, of which the first word's bit 0 stands for `first`. `tier` is the processor's, or less.
pub(crate) fn append_bits(doc_ids: &mut Vec<u32>, tier: Tier, first: u32, words: &[u64]) {
    doc_ids.reserve(64 * words.len() + SLACK);
    // SAFETY: there is room for all docIDs that so many words can have and the slack, and `count` are written; the tier is
    // available, as the caller says.
    unsafe {
        let end = doc_ids.as_mut_ptr().add(doc_ids.len());
        let count = bit_set::expand(tier, words.as_ptr(), words.len(), first, end);
        doc_ids.set_len(doc_ids.len() + count);
    }
}

/// docIDs in a block of a posting list. Every block can be decoded alone.
pub const BLOCK: usize = 128;

/// `u32`s that a decoder may write past the requested docIDs, because it stores whole vectors. Their contents are junk.
pub const SLACK: usize = 64;

/// Words that a decoder may read past the end of a list's payload.
pub const PADDING: usize = 128;

/// The words of little-endian `bytes`, which are whole words, followed by [`PADDING`] words of 0.
///
/// # Errors
/// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
pub(crate) fn padded(bytes: &[u8]) -> Result<Vec<u32>> {
    let used = bytes.len() / 4;
    let mut words = huge_pages::try_with_room(used + PADDING)?;
    words.resize(used + PADDING, 0);
    LittleEndian::read_u32_into(bytes, &mut words[..used]);
    Ok(words)
}

/// A result of at least this many docIDs is usually not in the second-level cache when it is written.
pub(crate) const LARGE: usize = 1 << 16;

/// Prefetches the memory that `count` values will be written to, so that it arrives while they are decoded. Otherwise
/// decoders, which write in bursts, would wait for one cache line after another.
#[inline(always)]
pub(crate) fn prefetch<T>(out: *mut T, count: usize) {
    #[cfg(target_arch = "x86_64")]
    for at in (0..count * size_of::<T>()).step_by(64) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: every x86-64 processor has this instruction, and it ignores addresses that are not mapped.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(out.cast::<i8>().wrapping_add(at)) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (out, count);
}

/// Room for one decoded block.
pub type BlockBuffer = [u32; BLOCK + SLACK];

/// A fresh [`BlockBuffer`].
pub fn block_buffer() -> BlockBuffer {
    [0; BLOCK + SLACK]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_and_numbers_are_unique() {
        for (at, codec) in Codec::ALL.into_iter().enumerate() {
            assert_eq!(codec.index(), at);
            assert_eq!(Codec::from_number(codec as u8), Some(codec));
            assert_eq!(Codec::from_name(codec.name()), Some(codec));
        }
        assert_eq!((Codec::from_number(0), Codec::from_name("")), (None, None));
    }

    proptest! {
        #[test]
        fn gallop_is_partition_point(mut sorted in prop::collection::vec(0u32..500, 0..100), target in 0u32..600) {
            sorted.sort_unstable();
            prop_assert_eq!(gallop(&sorted, target), sorted.partition_point(|&element| element < target));
        }
    }
}
