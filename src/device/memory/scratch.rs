//! Scratch buffers: a few named by operations, kept between calls and enlarged as needed.

use crate::base::error::{Error, Result};
use crate::device::cl::Buffer;
use crate::device::link::{Link, WORD};
use std::ops::Range;

/// The name of a scratch buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slot(pub(crate) usize);

impl Slot {
    /// The number of scratch buffers.
    pub(crate) const COUNT: usize = 16;
}

struct Kept {
    buffer: Buffer,
    words: usize,
    /// The latest session that requested it.
    session: u64,
}

/// The scratch buffers of a device.
#[derive(Default)]
pub(super) struct Scratch {
    kept: [Option<Kept>; Slot::COUNT],
    /// Number of the session in progress.
    session: u64,
}

impl Scratch {
    /// Begins a session. Buffers that it has not requested are idle and may be dropped.
    pub(super) fn begin_session(&mut self) {
        self.session += 1;
    }

    /// Ensures that a buffer has room for `words` words; their contents are unspecified. `others` is the number of
    /// words of device memory taken by resident lists.
    pub(super) fn ensure(&mut self, link: &Link, slot: Slot, words: usize, others: usize) -> Result<()> {
        if let Some(kept) = &mut self.kept[slot.0]
            && kept.words >= words
        {
            kept.session = self.session;
            return Ok(());
        }
        let words = size_class(words).min(link.limits.allocation / WORD).max(words);
        // Drop the old buffer first, so that the two need not fit together. A driver that releases a buffer in use may wait
        // without a limit.
        if self.kept[slot.0].is_some() {
            link.finish()?;
            self.kept[slot.0] = None;
        }
        let budget = link.limits.memory / WORD / 16 * 15;
        let fits = |scratch: &Scratch| others.saturating_add(scratch.words()).saturating_add(words) <= budget;
        if !fits(self) {
            self.drop_idle();
            if !fits(self) {
                return Err(Error::Device(format!("device memory has no room for a scratch buffer of {words} words")));
            }
        }
        let buffer = match link.buffer(words) {
            Ok(buffer) => buffer,
            Err(_) => {
                self.drop_idle();
                link.buffer(words)?
            }
        };
        self.kept[slot.0] = Some(Kept { buffer, words, session: self.session });
        Ok(())
    }

    fn words(&self) -> usize {
        self.kept.iter().flatten().map(|kept| kept.words).sum()
    }

    fn drop_idle(&mut self) {
        for kept in &mut self.kept {
            if kept.as_ref().is_some_and(|kept| kept.session != self.session) {
                *kept = None;
            }
        }
    }

    /// A buffer that this session has requested.
    pub(super) fn get(&self, slot: Slot) -> Result<&Buffer> {
        self.kept(slot).map(|kept| &kept.buffer)
    }

    /// A buffer that this session has requested; it must contain the range `words`.
    pub(super) fn with(&self, slot: Slot, words: &Range<usize>) -> Result<&Buffer> {
        let kept = self.kept(slot)?;
        if words.start > words.end || words.end > kept.words {
            return Err(Error::Device(format!("words {words:?} are outside a scratch buffer of {} words", kept.words)));
        }
        Ok(&kept.buffer)
    }

    fn kept(&self, slot: Slot) -> Result<&Kept> {
        self.kept[slot.0]
            .as_ref()
            .filter(|kept| kept.session == self.session)
            .ok_or_else(|| Error::Device(format!("scratch buffer {} was not requested", slot.0)))
    }
}

/// Rounds a size up to a power of two, or above 64 Mi words to a multiple of that, so that few different sizes are
/// allocated.
fn size_class(words: usize) -> usize {
    const LARGE: usize = 64 << 20;
    if words <= LARGE {
        words.next_power_of_two().max(1 << 10)
    } else {
        words.checked_next_multiple_of(LARGE).unwrap_or(words)
    }
}
