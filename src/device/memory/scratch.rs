//! Scratch buffers: the few that operations name, kept between calls, growing.

use crate::device::cl::Buffer;
use crate::device::link::{Link, WORD};
use crate::error::{Error, Result};
use std::ops::Range;

/// The name of a scratch buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slot(pub(crate) usize);

impl Slot {
    /// How many there are.
    pub(crate) const COUNT: usize = 16;
}

struct Kept {
    buffer: Buffer,
    words: usize,
    /// The session that used it last.
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
    /// A session begins: buffers that it does not ask for are idle.
    pub(super) fn begin_session(&mut self) {
        self.session += 1;
    }

    /// Ensures that a buffer has room for `words` words; their contents are unspecified. `others` are the words of device
    /// memory that are taken by other things.
    pub(super) fn ensure(&mut self, link: &Link, slot: Slot, words: usize, others: usize) -> Result<()> {
        if let Some(kept) = &mut self.kept[slot.0]
            && kept.words >= words
        {
            kept.session = self.session;
            return Ok(());
        }
        let words = size_class(words).min(link.limits.allocation / WORD).max(words);
        // Before it is replaced, so that both need not fit.
        self.kept[slot.0] = None;
        let budget = link.limits.memory / WORD / 16 * 15;
        let fits = |scratch: &Scratch| others.saturating_add(scratch.words()).saturating_add(words) <= budget;
        if !fits(self) {
            self.drop_idle();
            if !fits(self) {
                return Err(Error::Device(format!("{words} more words do not fit in device memory")));
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

    /// A buffer that was asked for in this session.
    pub(super) fn get(&self, slot: Slot) -> Result<&Buffer> {
        self.kept(slot).map(|kept| &kept.buffer)
    }

    /// A buffer that was asked for in this session and has these words.
    pub(super) fn with(&self, slot: Slot, words: &Range<usize>) -> Result<&Buffer> {
        let kept = self.kept(slot)?;
        if words.start > words.end || words.end > kept.words {
            return Err(Error::Device(format!("words {words:?} of a scratch buffer of {}", kept.words)));
        }
        Ok(&kept.buffer)
    }

    fn kept(&self, slot: Slot) -> Result<&Kept> {
        self.kept[slot.0]
            .as_ref()
            .filter(|kept| kept.session == self.session)
            .ok_or_else(|| Error::Device(format!("scratch buffer {} was not asked for", slot.0)))
    }
}

/// Scratch buffers are a power of two, from 64 Mi words on a multiple of that, so that few sizes are ever allocated.
fn size_class(words: usize) -> usize {
    const LARGE: usize = 64 << 20;
    if words <= LARGE {
        words.next_power_of_two().max(1 << 10)
    } else {
        words.checked_next_multiple_of(LARGE).unwrap_or(words)
    }
}
