//! Measures the device's memory bandwidth, the upper bound for every other kernel: `cl/lab/ceiling.cl`.

use crate::base::error::{Error, Result};
use crate::device::Device;
use crate::device::memory::Slot;
use crate::device::program::{KernelOf, Source};
use crate::device::session::{Arg, Session};

static SOURCE: Source = Source { name: "ceiling", parts: &[include_str!("../../cl/lab/ceiling.cl")] };
const COPY: KernelOf<'static> = KernelOf { source: &SOURCE, options: "", name: "ceiling_copy" };
const WRITE: KernelOf<'static> = KernelOf { source: &SOURCE, options: "", name: "ceiling_write" };

const TO: Slot = Slot(0);
const FROM: Slot = Slot(1);

/// Work-items of a work-group.
const ITEMS: usize = 256;
/// Vectors per work-item to try; the fastest counts.
const PER_ITEM: [u32; 3] = [1, 2, 4];
/// Words per vector.
const VECTOR: usize = 4;
/// Timed launches of each kernel; the median counts.
const LAUNCHES: usize = 9;

/// What the device's memory can do at most, from kernel times.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ceilings {
    /// Words that each kernel processed.
    pub words: usize,
    /// Bytes per second of a kernel that copies: bytes read plus bytes written.
    pub copied_bytes: f64,
    /// 32-bit words per second of a kernel that only writes.
    pub written_words: f64,
}

impl Device {
    /// Measures a kernel that copies and one that writes `words` words (rounded up to whole work-groups): medians of
    /// nine launches after a first one. Discards pending kernel times.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub fn ceilings(&self, words: usize) -> Result<Ceilings> {
        let mut session = self.lock()?;
        let unit = ITEMS * VECTOR * PER_ITEM[PER_ITEM.len() - 1] as usize;
        let words = words.max(1).next_multiple_of(unit);
        session.scratch(TO, words)?;
        session.fill(FROM, words, 1)?;
        let before = self.set_profiling(true);
        let best = best_times(&mut session, words);
        self.set_profiling(before);
        let [copy, write] = best?;
        Ok(Ceilings { words, copied_bytes: 8.0 * words as f64 / copy, written_words: words as f64 / write })
    }
}

/// Seconds that copying and writing `words` words take.
fn best_times(session: &mut Session<'_>, words: usize) -> Result<[f64; 2]> {
    let mut best = [f64::INFINITY; 2];
    for per_item in PER_ITEM {
        let groups = words / (ITEMS * VECTOR * per_item as usize);
        let copy = &[Arg::Slot(FROM), Arg::Slot(TO), Arg::U32(per_item)][..];
        for (best, (kernel, args)) in best.iter_mut().zip([(COPY, copy), (WRITE, &copy[1..])]) {
            session.take_kernel_times()?;
            for _ in 0..=LAUNCHES {
                // SAFETY: `words` is a multiple of what a work-group takes, so `groups` work-groups access exactly
                // `words` words, for which `ceilings` made room in both buffers.
                unsafe { session.launch(kernel, groups, ITEMS, args)? };
            }
            let mut times: Vec<u64> = session.take_kernel_times()?.iter().skip(1).map(|t| t.1).collect();
            times.sort_unstable();
            let median = times.get(times.len() / 2).ok_or_else(|| Error::Device("no kernel times".into()))?;
            *best = best.min(*median as f64 * 1e-9);
        }
    }
    // Reading waits for all commands, so that none is still running when the session ends.
    session.read(TO, 0..1, &mut Vec::new())?;
    Ok(best)
}
