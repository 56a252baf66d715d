//! The device's registry of codecs (one line each in [`of`]), and the assembly of programs from their sources.
//!
//! A codec's file in `cl/codec/` defines these names, each prefixed with the codec's prefix. A value codec's file defines
//! `Walk`, `walk`, `next` and `next_four`, which yield docIDs; `cl/gaps.cl` has the rest.
//!
//! | name | meaning |
//! |---|---|
//! | `open(List *)` | sets `second` if the payload has two parts |
//! | `Walk`, `walk(list, rank)` | a walk that starts at rank `rank`, which is a multiple of `RUN` or of `BLOCK / LANES` |
//! | `next(list, &walk, rank)`, `next_four` | the next value, or four values, of a walk: docIDs or parts of docIDs |
//! | `finish(list, value, rank)`, `finish_four` | turns such values into docIDs |
//! | `contains(list, block, doc_id)` | whether the list contains `doc_id`; `block` is the first whose last docID is at least `doc_id`, or 0 if the codec does not [need it](DeviceCodec::needs_block) |

use super::program::{KernelOf, Source};
use crate::base::bits;
use crate::base::error::{Error, Result};
use crate::codec::monotone::partitioned_elias_fano::{Directory, Kind, Partition};
use crate::codec::{BLOCK, Codec, dispatch};
use crate::list::PostingList;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};

/// What the device code knows about a codec.
pub(crate) struct DeviceCodec {
    /// The prefix of all names in `source`.
    prefix: &'static str,
    /// The text of its file in `cl/codec/`.
    source: &'static str,
    /// Source that follows it, with `CODEC` defined: names that several codecs define alike.
    shared: &'static str,
    /// docIDs that one work-item decodes in sequence. A divisor of [`BLOCK`].
    pub(crate) run: usize,
    /// docIDs of a run that pass through local memory at a time.
    step: usize,
    /// Work-items that decode one block together.
    lanes: usize,
    /// Whether `contains` needs the block that may contain the docID, which is searched in the directory.
    needs_block: bool,
    /// Picoseconds per docID looked up, on an H200.
    pub(crate) look_up: f64,
    /// Nanoseconds per docID decoded, assumed until it is measured.
    pub(crate) unpacked: f64,
    /// Checks the codec's own 32-bit limits for a list of at most [`MAX_DOC_IDS`] docIDs.
    fits: fn(&PostingList) -> Result<()>,
}

/// Kernels compute with ranks in 32 bits, so lists for them have at most this many docIDs.
pub(crate) const MAX_DOC_IDS: usize = 1 << 30;

/// What value codecs have in common, to which each adds its prefix and its source.
const GAPS: DeviceCodec = DeviceCodec {
    prefix: "",
    source: "",
    shared: include_str!("../../cl/gaps.cl"),
    run: BLOCK,
    step: 32,
    lanes: 1,
    needs_block: true,
    look_up: 90.0,
    unpacked: 0.005,
    fits: |_| Ok(()),
};

static SIMPLE9: DeviceCodec =
    DeviceCodec { prefix: "simple9", source: include_str!("../../cl/codec/simple9.cl"), ..GAPS };

static VARIABLE_BYTE: DeviceCodec =
    DeviceCodec { prefix: "variable_byte", source: include_str!("../../cl/codec/variable_byte.cl"), ..GAPS };

static RICE: DeviceCodec = DeviceCodec { prefix: "rice", source: include_str!("../../cl/codec/rice.cl"), ..GAPS };

static PFORDELTA: DeviceCodec =
    DeviceCodec { prefix: "pfordelta", source: include_str!("../../cl/codec/pfordelta.cl"), ..GAPS };

static PFORDELTA_SEGMENTS: DeviceCodec =
    DeviceCodec { prefix: "pfordelta_segments", source: include_str!("../../cl/codec/pfordelta_segments.cl"), ..GAPS };

static NEWPFD: DeviceCodec = DeviceCodec {
    prefix: "newpfd",
    source: include_str!("../../cl/codec/simple16_words.cl"),
    shared: concat!(include_str!("../../cl/codec/newpfd.cl"), include_str!("../../cl/gaps.cl")),
    ..GAPS
};

static OPTPFD: DeviceCodec = DeviceCodec { prefix: "optpfd", ..NEWPFD };

static PARAPFOR: DeviceCodec = DeviceCodec {
    prefix: "parapfor",
    source: concat!(include_str!("../../cl/codec/parapfor_segment.cl"), include_str!("../../cl/codec/parapfor.cl")),
    ..GAPS
};

/// What the codecs of linear regression have in common, and the sources of one of them. They differ in how a docID's line
/// and fields are found.
const REGRESSION: DeviceCodec = DeviceCodec {
    prefix: "",
    source: "",
    shared: include_str!("../../cl/regression_segments.cl"),
    run: 32,
    step: 16,
    lanes: 32,
    needs_block: true,
    look_up: 60.0,
    unpacked: 0.002,
    fits: |_| Ok(()),
};

macro_rules! regression {
    ($file:literal) => {
        concat!(
            include_str!("../../cl/codec/parapfor_segment.cl"),
            include_str!("../../cl/codec/regression.cl"),
            include_str!(concat!("../../cl/codec/", $file, ".cl"))
        )
    };
}

static LRC: DeviceCodec = DeviceCodec { prefix: "lrc", source: regression!("lrc"), ..REGRESSION };
static LRC_SEG: DeviceCodec = DeviceCodec { prefix: "lrcseg", source: regression!("lrc_seg"), ..REGRESSION };
static SEG_LRC: DeviceCodec = DeviceCodec { prefix: "seglrc", source: regression!("seg_lrc"), ..REGRESSION };
static HS_LRC: DeviceCodec = DeviceCodec {
    prefix: "hs_lrc",
    source: regression!("hs_lrc"),
    shared: "",
    unpacked: 0.0025,
    needs_block: false,
    ..REGRESSION
};

static SIMPLE16: DeviceCodec = DeviceCodec {
    prefix: "simple16",
    source: concat!(include_str!("../../cl/codec/simple16_words.cl"), include_str!("../../cl/codec/simple16.cl")),
    ..GAPS
};

static BP128: DeviceCodec = DeviceCodec { prefix: "bp128", source: include_str!("../../cl/codec/bp128.cl"), ..GAPS };

/// A look-up takes 28 ps if neighbours in the shorter list are neighbours in the longer one too, and 54 ps if not.
static QUASI_SUCCINCT: DeviceCodec = DeviceCodec {
    prefix: "qs",
    source: concat!(include_str!("../../cl/elias_fano.cl"), include_str!("../../cl/codec/quasi_succinct.cl")),
    shared: "",
    run: 32,
    step: 16,
    lanes: 32,
    needs_block: true,
    look_up: 45.0,
    unpacked: 0.002,
    fits: |list| check_upper_bits(list.len(), list.universe(), list.parameter()),
};

/// A look-up takes 14 ps with HS16, in batches and with 16M docIDs to look up alike.
static RAW: DeviceCodec = DeviceCodec {
    prefix: "raw",
    source: include_str!("../../cl/codec/raw.cl"),
    shared: "",
    run: 4,
    step: 4,
    lanes: 32,
    needs_block: false,
    look_up: 14.0,
    unpacked: 0.002,
    fits: |_| Ok(()),
};

/// A list of one Elias–Fano partition is decoded as a quasi-succinct one. Look-ups also search the partition.
static PARTITIONED_ELIAS_FANO: DeviceCodec = DeviceCodec {
    prefix: "pef",
    source: concat!(include_str!("../../cl/elias_fano.cl"), include_str!("../../cl/codec/partitioned_elias_fano.cl")),
    look_up: 60.0,
    unpacked: 0.003,
    fits: check_partitions,
    ..QUASI_SUCCINCT
};

/// The registry: what the device code knows about each codec.
pub(crate) fn of(codec: Codec) -> &'static DeviceCodec {
    match codec {
        Codec::Simple9 => &SIMPLE9,
        Codec::QuasiSuccinct => &QUASI_SUCCINCT,
        Codec::VariableByte => &VARIABLE_BYTE,
        Codec::Rice => &RICE,
        Codec::PForDelta => &PFORDELTA,
        Codec::PForDeltaSegments => &PFORDELTA_SEGMENTS,
        Codec::NewPFD => &NEWPFD,
        Codec::OptPFD => &OPTPFD,
        Codec::ParaPFor => &PARAPFOR,
        Codec::LRC => &LRC,
        Codec::LRCSeg => &LRC_SEG,
        Codec::SegLRC => &SEG_LRC,
        Codec::HS_LRC => &HS_LRC,
        Codec::Simple16 => &SIMPLE16,
        Codec::PartitionedEliasFano => &PARTITIONED_ELIAS_FANO,
        Codec::Raw => &RAW,
        Codec::BP128 => &BP128,
    }
}

/// Kernels keep positions of upper bits in 32 bits, and read 32 bits past the last one. A list from outside may have
/// more upper bits than that.
fn check_upper_bits(doc_ids: usize, universe: u32, lower_width: u32) -> Result<()> {
    const MOST: u64 = (1 << 32) - 64;
    let upper_bits = doc_ids as u64 + u64::from(universe >> lower_width);
    if upper_bits <= MOST {
        return Ok(());
    }
    Err(Error::Device(format!("a list has {upper_bits} upper bits; kernels support {MOST}")))
}

/// Kernels keep positions in the directory and in the words of a partition in 32 bits, and read 32 bits past the last.
fn check_partitions(list: &PostingList) -> Result<()> {
    const MOST: usize = (1 << 27) - 2;
    let list = list.encoded();
    let directory = Directory::of(&list);
    let upper_words = |partition: Partition| match partition.kind {
        Kind::EliasFano(width) => partition.words - bits::words_for((partition.count * width as usize) as u64) as usize,
        _ => partition.words,
    };
    let most = (0..directory.len).map(|at| upper_words(directory.get(at))).fold(list.own.len(), usize::max);
    if most <= MOST {
        return Ok(());
    }
    Err(Error::Device(format!("a part of a list has {most} words; kernels support {MOST}")))
}

/// Checks that a list is within the 32-bit limits of the kernels.
///
/// # Errors
/// [`Error::Device`].
pub(crate) fn check_fits(list: &PostingList) -> Result<()> {
    if list.len() > MAX_DOC_IDS {
        return Err(Error::Device(format!("a list has {} docIDs; kernels support {MAX_DOC_IDS}", list.len())));
    }
    (of(list.codec()).fits)(list)
}

/// The source of an operation on lists. A program contains the parts in this order, `per_codec` once for each codec.
pub(crate) struct Operation {
    pub(crate) name: &'static str,
    /// Source that precedes the codecs.
    pub(crate) common: &'static str,
    /// Source included once per codec, with `CODEC` defined as the codec's prefix.
    pub(crate) per_codec: &'static str,
    /// Source that follows the codecs.
    pub(crate) kernels: &'static str,
    /// Macros for the numbers that the source shares with Rust.
    pub(crate) geometry: &'static [(&'static str, usize)],
}

/// A set of codecs: one bit each, at the codec's [index](Codec::index).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Codecs(u64);

impl Codecs {
    /// The codecs of these lists. A program with more than it needs would be slower, and NVIDIA's compiler takes a minute
    /// for one with all codecs.
    pub(crate) fn of<'l>(lists: impl IntoIterator<Item = &'l PostingList>) -> Codecs {
        Codecs(lists.into_iter().fold(0, |bits, list| bits | 1 << list.codec().index()))
    }

    /// Adds a codec.
    pub(crate) fn add(&mut self, codec: Codec) {
        self.0 |= 1 << codec.index();
    }

    fn iter(self) -> impl Iterator<Item = Codec> {
        Codec::ALL.into_iter().filter(move |codec| self.0 >> codec.index() & 1 == 1)
    }
}

/// A kernel of an operation, for these codecs. Assembled sources are kept for the life of the process; there are only a
/// few per operation.
pub(crate) fn kernel(operation: &'static Operation, codecs: Codecs, name: &'static str) -> KernelOf<'static> {
    /// Source and build options.
    type Program = (&'static Source, &'static str);
    static PROGRAMS: Mutex<BTreeMap<(&str, Codecs), Program>> = Mutex::new(BTreeMap::new());
    let mut programs = PROGRAMS.lock().unwrap_or_else(PoisonError::into_inner);
    let (source, options) = *programs
        .entry((operation.name, codecs))
        .or_insert_with(|| (Box::leak(Box::new(assemble(operation, codecs))), leak(geometry(operation, codecs))));
    KernelOf { source, options, name }
}

fn assemble(operation: &'static Operation, codecs: Codecs) -> Source {
    let (mut name, mut parts) = (operation.name.to_owned(), vec![include_str!("../../cl/list.cl"), operation.common]);
    let (mut cases, mut has_starts, mut derives_lasts, mut needs_block) = (String::new(), 0u32, 0u32, 0u32);
    let last = codecs.iter().last();
    for codec in codecs.iter() {
        let DeviceCodec { prefix, source, shared, .. } = *of(codec);
        name.push('-');
        name.push_str(codec.name());
        let define = leak(format!("#define CODEC {prefix}\n"));
        parts.extend([source, define, shared, operation.per_codec, "#undef CODEC\n"]);
        let case = if Some(codec) == last { "LAST" } else { "CASE" };
        // Writing to a string cannot fail.
        let _ = write!(cases, " {case}({}, {prefix})", codec as u32);
        has_starts |= u32::from(dispatch!(codec, C => C::HAS_STARTS)) << codec as u32;
        derives_lasts |= u32::from(dispatch!(codec, C => C::DERIVES_LASTS)) << codec as u32;
        needs_block |= u32::from(of(codec).needs_block) << codec as u32;
    }
    // In a program for one codec these are compile-time constants.
    let is_one_of = |bits: u32| match (codecs.iter().count(), bits) {
        (1, bits) => (bits != 0).to_string(),
        (_, bits) => format!("(({bits}u >> (codec)) & 1)"),
    };
    let each = format!(
        "#define EACH_CODEC(CASE, LAST){cases}\n#define HAS_STARTS(codec) {}\n#define DERIVES_LASTS(codec) {}\n\
         #define NEEDS_BLOCK(codec) {}\n",
        is_one_of(has_starts),
        is_one_of(derives_lasts),
        is_one_of(needs_block)
    );
    parts.extend([leak(each), include_str!("../../cl/dispatch.cl")]);
    if let Some(codec) = last {
        // For kernels that support a single codec.
        parts.push(leak(format!("#define CODEC {}\n", of(codec).prefix)));
    }
    parts.push(operation.kernels);
    // To OpenCL, a length of 0 means that the string ends in a NUL.
    parts.retain(|part| !part.is_empty());
    Source { name: leak(name), parts: Box::leak(parts.into_boxed_slice()) }
}

fn leak(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

/// Build options that define the numbers that Rust and the kernels share.
fn geometry(operation: &Operation, codecs: Codecs) -> String {
    let mut options = format!("-DBLOCK={BLOCK}u -DHEADER_WORDS={}u", crate::list::HEADER_WORDS);
    for (name, number) in operation.geometry {
        let _ = write!(options, " -D{name}={number}u");
    }
    for codec in codecs.iter() {
        let DeviceCodec { prefix, run, step, lanes, .. } = of(codec);
        let _ = write!(options, " -D{prefix}_RUN={run}u -D{prefix}_STEP={step}u -D{prefix}_LANES={lanes}u");
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn upper_bits_that_kernels_cannot_count_are_refused() {
        // Every list that `encode` makes is accepted, up to the greatest length.
        for count in [1, 2, 1000, 1 << 20, MAX_DOC_IDS] {
            let width = crate::codec::quasi_succinct::lower_width(count, u32::MAX, 1.0).unwrap();
            assert!(check_upper_bits(count, u32::MAX, width).is_ok(), "{count}");
        }
        // Headers that no encoder writes.
        assert!(check_upper_bits(64, u32::MAX, 0).is_err());
        assert!(check_upper_bits(1, u32::MAX - 64, 0).is_ok());
        assert!(check_upper_bits(MAX_DOC_IDS, u32::MAX, 0).is_err());
    }

    #[test]
    fn geometry_fits_the_kernels() {
        for codec in Codec::ALL {
            let DeviceCodec { run, step, lanes, .. } = *of(codec);
            assert!(BLOCK.is_multiple_of(run) && run.is_multiple_of(step) && step.is_multiple_of(4), "{codec:?}");
            assert!(BLOCK.is_multiple_of(4 * lanes), "{codec:?}");
        }
    }

    #[test]
    fn programs_have_the_codecs_of_the_lists() {
        let lists = Codec::ALL.map(|codec| PostingList::encode(&[1], codec).unwrap());
        assert!(Codecs::of(&lists).iter().eq(Codec::ALL));
        assert!(Codecs::of(&lists[..2]).iter().eq(Codec::ALL[..2].iter().copied()));
    }
}
