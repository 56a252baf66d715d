//! What the memory of the device can do at best, for measurements: `cl/op/ceiling.cl`.

use super::handle::Device;
use super::memory::Slot;
use super::program::{KernelOf, Source};
use super::session::{Arg, Session};
use crate::error::{Error, Result};

static SOURCE: Source = Source { name: "ceiling", parts: &[include_str!("../../cl/op/ceiling.cl")] };
const COPY: KernelOf<'static> = KernelOf { source: &SOURCE, options: "", name: "ceiling_copy" };
const WRITE: KernelOf<'static> = KernelOf { source: &SOURCE, options: "", name: "ceiling_write" };

const TO: Slot = Slot(0);
const FROM: Slot = Slot(1);

/// Work-items of a work-group.
const ITEMS: usize = 256;
/// Vectors that a work-item takes: the best of these counts.
const PER_ITEM: [u32; 3] = [1, 2, 4];
/// Words of a vector.
const VECTOR: usize = 4;
/// Launches of each kernel, of which the median counts.
const LAUNCHES: usize = 9;

/// The bounds of memory, from kernel times.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ceilings {
    /// Words that each kernel took.
    pub words: usize,
    /// Bytes read and bytes written, added, in a second, by a kernel that copies.
    pub copied_bytes: f64,
    /// 32-bit words written in a second by a kernel that only writes.
    pub written_words: f64,
}

impl Device {
    /// Measures what a copying and a writing kernel do with `words` words (rounded up to whole work-groups): medians of
    /// nine launches after the first. Takes the pending kernel times.
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

/// Seconds that copying and writing take.
fn best_times(session: &mut Session<'_>, words: usize) -> Result<[f64; 2]> {
    let mut best = [f64::INFINITY; 2];
    for per_item in PER_ITEM {
        let groups = words / (ITEMS * VECTOR * per_item as usize);
        let copy = &[Arg::Slot(FROM), Arg::Slot(TO), Arg::U32(per_item)][..];
        for (best, (kernel, args)) in best.iter_mut().zip([(COPY, copy), (WRITE, &copy[1..])]) {
            session.take_kernel_times()?;
            for _ in 0..=LAUNCHES {
                // SAFETY: `groups` work-groups take `words` words, which both buffers have.
                unsafe { session.launch(kernel, groups, ITEMS, args)? };
            }
            let mut times: Vec<u64> = session.take_kernel_times()?.iter().skip(1).map(|t| t.1).collect();
            times.sort_unstable();
            let median = times.get(times.len() / 2).ok_or_else(|| Error::Device("no kernel times".into()))?;
            *best = best.min(*median as f64 * 1e-9);
        }
    }
    // Waits for all, so that the session leaves no commands under way.
    session.read(TO, 0..1, &mut Vec::new())?;
    Ok(best)
}
