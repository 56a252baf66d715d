//! The thesis' Parallel-QS (Li 2014, chapter 5) on raw lists, as an experiment: `cl/lab/parallel_qs.cl`. What the
//! engine uses is `device::decode`.

use crate::base::error::{Error, Result};
use crate::base::huge_pages::try_with_room;
use crate::codec::quasi_succinct::RawList;
use crate::device::Device;
use crate::device::memory::Slot;
use crate::device::program::{KernelOf, Source};
use crate::device::session::{Arg, Session};

static SOURCE: Source = Source { name: "parallel-qs", parts: &[include_str!("../../cl/lab/parallel_qs.cl")] };

/// How a list is decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParallelQs {
    /// A word per bit of the upper bits, prefix sums over all of them, a gather per bit.
    Naive,
    /// Counts per word of upper bits, prefix sums over these, a gather per word.
    Blocks,
    /// The same, with lower bits unpacked where both parts are combined.
    Merged,
}

impl ParallelQs {
    /// All variants, in the thesis' order.
    pub const ALL: [ParallelQs; 3] = [ParallelQs::Naive, ParallelQs::Blocks, ParallelQs::Merged];

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            ParallelQs::Naive => "naive",
            ParallelQs::Blocks => "block-based",
            ParallelQs::Merged => "merged",
        }
    }
}

const UPPER: Slot = Slot(0);
const LOWER: Slot = Slot(1);
const OUT: Slot = Slot(2);
const LOWERS: Slot = Slot(3);
/// What is scanned, the totals of its work-groups, the totals of these, and so on: with at least 64 words per work-group
/// enough for [`MOST_BITS`].
const SCANNED: [Slot; 7] = [Slot(4), Slot(5), Slot(6), Slot(7), Slot(8), Slot(9), Slot(10)];

/// Work-items of a work-group, at least and at most.
pub const ITEMS: std::ops::RangeInclusive<usize> = 64..=256;
/// The most upper bits of a list: the naive variant has a work-item for each.
const MOST_BITS: u64 = 1 << 30;

fn kernel(name: &'static str) -> KernelOf<'static> {
    KernelOf { source: &SOURCE, options: "", name }
}

impl Session<'_> {
    /// Launches a kernel with a work-item for each of `count`.
    ///
    /// # Safety
    /// As [`Session::launch`].
    unsafe fn launch_each(&mut self, name: &'static str, count: usize, items: usize, args: &[Arg]) -> Result<()> {
        // SAFETY: the caller's, who has the same contract; kernels do nothing for work-items beyond the count.
        unsafe { self.launch(kernel(name), count.div_ceil(items), items, args) }
    }

    /// Exclusive prefix sums of the `count` words in the first of [`SCANNED`], in place.
    fn scan(&mut self, count: usize, items: usize) -> Result<()> {
        let mut counts = vec![count];
        loop {
            let (level, count) = (counts.len(), counts[counts.len() - 1]);
            let Some(&totals) = SCANNED.get(level) else {
                return Err(Error::Device(format!("{count} words are too many to scan")));
            };
            let groups = count.div_ceil(items);
            self.scratch(totals, groups)?;
            let values = SCANNED[level - 1];
            let args = [Arg::Slot(values), Arg::U32(count as u32), Arg::Slot(totals)];
            // SAFETY: `values` has `count` words, `totals` one per work-group.
            unsafe { self.launch_each("qs_scan", count, items, &args)? };
            if groups == 1 {
                break;
            }
            counts.push(groups);
        }
        for level in (0..counts.len() - 1).rev() {
            let args = [Arg::Slot(SCANNED[level]), Arg::U32(counts[level] as u32), Arg::Slot(SCANNED[level + 1])];
            // SAFETY: as above; the totals of the level were scanned before.
            unsafe { self.launch_each("qs_add", counts[level], items, &args)? };
        }
        Ok(())
    }
}

impl Device {
    /// All docIDs of a raw list, decoded step by step as the thesis does it, with work-groups of `items` work-items.
    ///
    /// # Errors
    /// [`Error::Device`]; [`Error::Argument`] if `items` is no power of two in [`ITEMS`].
    pub fn parallel_qs(&self, list: &RawList, variant: ParallelQs, items: usize) -> Result<Vec<u32>> {
        if !items.is_power_of_two() || !ITEMS.contains(&items) {
            return Err(Error::Argument(format!("work-groups of {items}, not of a power of two from 64 to 256")));
        }
        let (count, width, bits) = (list.count(), list.lower_width(), list.upper_bits());
        if bits > MOST_BITS {
            return Err(Error::Device(format!("over {MOST_BITS} upper bits are not supported")));
        }
        if count == 0 {
            return Ok(Vec::new());
        }
        let (bits, words) = (bits as usize, list.upper_words().len());
        let mut session = self.lock()?;
        session.upload(UPPER, list.upper_words())?;
        // One word more, which the last field may touch.
        session.scratch(LOWER, list.lower_words().len() + 1)?;
        session.upload(LOWER, list.lower_words())?;
        session.scratch(OUT, count)?;
        let u32_of = |number: usize| Arg::U32(number as u32);
        let scanned = if variant == ParallelQs::Naive { bits } else { words };
        session.scratch(SCANNED[0], scanned)?;
        let [first, gather] = match variant {
            ParallelQs::Naive => ["qs_unpack", "qs_gather_bits"],
            ParallelQs::Blocks | ParallelQs::Merged => ["qs_count", "qs_gather_words"],
        };
        let args = [Arg::Slot(UPPER), u32_of(scanned), Arg::Slot(SCANNED[0])];
        // SAFETY: `UPPER` has `words` words, which is a bit for each of `bits`, and the first of `SCANNED` a word for each
        // work-item that writes.
        unsafe { session.launch_each(first, scanned, items, &args)? };
        session.scan(scanned, items)?;
        let args = [Arg::Slot(UPPER), u32_of(scanned), Arg::Slot(SCANNED[0]), u32_of(count), Arg::Slot(OUT)];
        // SAFETY: as above; ranks are compared with `count`, the words of `OUT`.
        unsafe { session.launch_each(gather, scanned, items, &args)? };
        let lower = |to: Slot| [Arg::Slot(LOWER), Arg::U32(width), u32_of(count), Arg::Slot(to)];
        if variant == ParallelQs::Merged {
            // SAFETY: `RawList` was checked to have `width` bits for each of `count` docIDs, and `LOWER` a word more;
            // `OUT` has `count` words.
            unsafe { session.launch_each("qs_lower_combine", count, items, &lower(OUT))? };
        } else {
            session.scratch(LOWERS, count)?;
            let combine = [Arg::Slot(LOWERS), Arg::U32(width), u32_of(count), Arg::Slot(OUT)];
            // SAFETY: as above; `LOWERS` has `count` words, too.
            unsafe {
                session.launch_each("qs_lower", count, items, &lower(LOWERS))?;
                session.launch_each("qs_combine", count, items, &combine)?;
            }
        }
        let mut out = try_with_room(count)?;
        session.read(OUT, 0..count, &mut out)?;
        Ok(out)
    }
}
