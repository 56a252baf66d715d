//! Transfers to and from the device through pinned staging buffers, and counters of the bytes transferred.

use crate::base::error::{Error, Result};
use crate::device::cl::{Buffer, Event};
use crate::device::fault::{self, Step};
use crate::device::link::{Link, WORD};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The largest size of either staging buffer; longer transfers alternate between the two.
const STAGING: usize = 8 << 20;
/// The largest size of a pinned buffer that results are [lent](Ferry::lent) from.
const PASSAGE: usize = 64 << 20;
/// The smallest size of a pinned buffer; a read of up to four times as much is one transfer.
const LEAST: usize = 64 << 10;

static TO_DEVICE: AtomicU64 = AtomicU64::new(0);
static FROM_DEVICE: AtomicU64 = AtomicU64::new(0);

/// Bytes that this process has sent to devices.
pub fn bytes_to_device() -> u64 {
    TO_DEVICE.load(Relaxed)
}

/// Bytes that this process has read back from devices.
pub fn bytes_from_device() -> u64 {
    FROM_DEVICE.load(Relaxed)
}

/// Whether that many words can be [lent](Ferry::lent).
pub(super) fn lends(words: usize) -> bool {
    words <= PASSAGE / WORD
}

/// A pinned buffer, mapped for its whole life.
struct Staging {
    buffer: Buffer,
    mapped: *mut u8,
    capacity: usize,
    /// Bytes in use by commands that have not been waited for.
    used: usize,
    /// Its latest command. The queue is in order, so when this one is complete, all earlier ones are too.
    last: Option<Event>,
}

// SAFETY: the mapping is not tied to a thread, and the device's lock serialises all access.
unsafe impl Send for Staging {}

impl Staging {
    /// What was read to it, once no command is left that writes to it.
    fn words(&self) -> &[u32] {
        // SAFETY: so many bytes were read to the pinned buffer, which is page-aligned.
        unsafe { std::slice::from_raw_parts(self.mapped.cast(), self.used / WORD) }
    }
}

/// The pinned buffers of a lane.
#[derive(Default)]
pub(super) struct Ferry {
    halves: [Option<Staging>; 2],
    current: usize,
    /// The buffers that results are lent from. `used` is what they hold, once `last` is complete.
    passages: [Option<Staging>; Ferry::PASSAGES],
}

/// The buffer of a passage, with what has arrived in it. Nothing is read to it any more.
pub(crate) struct Arrived(Staging);

impl Arrived {
    pub(crate) fn words(&self) -> &[u32] {
        self.0.words()
    }
}

/// Allocates and maps a pinned buffer of `capacity` bytes.
fn pinned(link: &Link, capacity: usize) -> Result<Staging> {
    fault::check(Step::Alloc)?;
    let buffer = link.context.buffer(capacity, true)?;
    let mapped = link.queue().map(&buffer, capacity).and_then(|(mapped, event)| link.wait(&event).map(|()| mapped));
    match mapped {
        Ok(mapped) => Ok(Staging { buffer, mapped, capacity, used: 0, last: None }),
        Err(error) => {
            link.release(buffer);
            Err(error)
        }
    }
}

/// Makes room for a larger buffer than `place` has, if it has any. All commands are waited for first: a driver that
/// releases a buffer in use may wait without a limit.
fn give_back(link: &Link, place: &mut Option<Staging>) -> Result<()> {
    if place.is_some() {
        link.finish()?;
    }
    match place.take() {
        Some(old) => link.queue().unmap(&old.buffer, old.mapped),
        None => Ok(()),
    }
}

impl Ferry {
    /// The number of passages.
    pub(super) const PASSAGES: usize = 2;

    /// One of the two staging buffers, with room for `wanted` bytes. If it has to be replaced by a larger one, all
    /// commands are waited for first.
    fn half(&mut self, link: &Link, which: usize, wanted: usize) -> Result<&mut Staging> {
        let enough = |half: &Staging| half.capacity >= wanted;
        if !self.halves[which].as_ref().is_some_and(enough) {
            give_back(link, &mut self.halves[which])?;
            self.halves[which] = Some(pinned(link, wanted.next_power_of_two().max(LEAST))?);
        }
        self.halves[which].as_mut().ok_or_else(|| Error::Device("no staging buffer".into()))
    }

    /// A staging buffer with room for `wanted` bytes, or for [`STAGING`] bytes if that is less: the current one if it
    /// has room, otherwise the other one, after waiting for its latest command.
    fn room(&mut self, link: &Link, wanted: usize) -> Result<&mut Staging> {
        let wanted = wanted.min(STAGING);
        let fits = |half: &Staging| half.capacity - half.used >= wanted;
        if !self.halves[self.current].as_ref().is_some_and(fits) {
            self.current ^= 1;
            if let Some(half) = &mut self.halves[self.current] {
                if let Some(last) = &half.last {
                    link.wait(last)?;
                    half.last = None;
                }
                half.used = 0;
            }
        }
        self.half(link, self.current, wanted)
    }

    /// Sends `parts`, `total` bytes together, to consecutive words of `to` from word `at`. Returns when everything has
    /// been copied to staging buffers, so the caller may change `parts` at once.
    ///
    /// # Safety
    /// `to` has room for `total` bytes after `at` words, and `parts` have `total` bytes together.
    pub(super) unsafe fn send<'p>(
        &mut self,
        link: &Link,
        to: &Buffer,
        at: usize,
        parts: impl Iterator<Item = &'p [u8]>,
        total: usize,
    ) -> Result<()> {
        let (mut sent, mut filled) = (0, 0);
        let mut target: *mut u8 = std::ptr::null_mut();
        let mut room = 0;
        for mut part in parts {
            while !part.is_empty() {
                if filled == room {
                    let half = self.room(link, total - sent)?;
                    room = (total - sent).min(half.capacity - half.used);
                    // SAFETY: `used` never exceeds `capacity`, the size of the mapping.
                    target = unsafe { half.mapped.add(half.used) };
                    filled = 0;
                }
                let now = part.len().min(room - filled);
                // SAFETY: `now` ≤ `room - filled`, and `room` bytes of the mapping from `target` on are unused; `part`
                // is the caller's memory, which does not overlap the mapping.
                unsafe { std::ptr::copy_nonoverlapping(part.as_ptr(), target.add(filled), now) };
                filled += now;
                part = &part[now..];
                if filled == room {
                    let half = self.half(link, self.current, 0)?;
                    // SAFETY: `used` is increased below, so the staged bytes stay unchanged until `last` is waited for;
                    // this function's contract says that `to` has room.
                    half.last = Some(unsafe { link.queue().write(to, at * WORD + sent, target, filled)? });
                    half.used += filled;
                    sent += filled;
                    TO_DEVICE.fetch_add(filled as u64, Relaxed);
                }
            }
        }
        debug_assert_eq!(sent, total);
        Ok(())
    }

    /// Reads `bytes` bytes of `from` to `to`, and so waits for all commands submitted before.
    ///
    /// # Safety
    /// `from` has `offset + bytes` bytes, and `to` has room for `bytes`.
    pub(super) unsafe fn receive(
        &mut self,
        link: &Link,
        from: &Buffer,
        offset: usize,
        to: *mut u8,
        bytes: usize,
    ) -> Result<()> {
        fault::check(Step::Read)?;
        // Through pinned memory, as drivers may copy to other memory before they return, and so wait without a limit. Of much
        // at least four parts, so that the host copies one while the device sends the next.
        let piece = (bytes / 4).next_multiple_of(4096).clamp(4 * LEAST, STAGING).min(bytes);
        let mut waiting: Option<(usize, usize, Event)> = None;
        let mut begin = 0;
        let mut which = 0;
        loop {
            let mut next = None;
            if begin < bytes {
                let now = piece.min(bytes - begin);
                // An earlier command may still be sending from these staging bytes. It precedes this one in the
                // queue, so it is complete before they are overwritten, and there is no need to wait.
                let half = self.half(link, which, piece)?;
                // SAFETY: `half` returned a mapping of at least `piece` bytes; this function's contract says that
                // `from` has the range.
                let event = unsafe { link.queue().read(from, offset + begin, half.mapped, now)? };
                link.queue().flush()?;
                next = Some((begin, now, event));
                begin += now;
            }
            which ^= 1;
            if let Some((at, length, event)) = waiting.take() {
                link.wait(&event)?;
                let half = self.half(link, which, piece)?;
                // SAFETY: `length` bytes were read to this mapping; `at + length` ≤ `bytes`, for which `to` has
                // room.
                unsafe { std::ptr::copy_nonoverlapping(half.mapped, to.add(at), length) };
            } else if next.is_none() {
                break;
            }
            waiting = next;
        }
        self.done();
        FROM_DEVICE.fetch_add(bytes as u64, Relaxed);
        Ok(())
    }

    /// Starts reading `bytes` bytes of `from` to a passage, which must be below [`Ferry::PASSAGES`]. They are there after
    /// [`arrived`](Self::arrived). The device writes to pinned memory at full speed and while kernels run, and reusing it
    /// avoids the page faults of fresh memory.
    ///
    /// # Safety
    /// `from` has `offset + bytes` bytes.
    pub(super) unsafe fn start(
        &mut self,
        link: &Link,
        passage: usize,
        from: &Buffer,
        offset: usize,
        bytes: usize,
    ) -> Result<()> {
        fault::check(Step::Read)?;
        let place = &mut self.passages[passage];
        if place.as_ref().is_some_and(|old| old.capacity < bytes) {
            give_back(link, place)?;
        }
        let staging = match place {
            Some(staging) => staging,
            None => place.insert(pinned(link, bytes.next_power_of_two().max(LEAST))?),
        };
        // SAFETY: this function's contract says that `from` has the range; the mapping has at least `bytes` bytes, and
        // `self` keeps it.
        staging.last = Some(unsafe { link.queue().read(from, offset, staging.mapped, bytes)? });
        staging.used = bytes;
        link.queue().flush()
    }

    /// Waits for what was [started](Self::start) in the lane that the link is in.
    pub(super) fn arrived(&mut self, link: &Link, passage: usize) -> Result<()> {
        let Some(staging) = &mut self.passages[passage] else { return Ok(()) };
        if let Some(event) = &staging.last {
            link.wait(event)?;
            staging.last = None;
            FROM_DEVICE.fetch_add(staging.used as u64, Relaxed);
        }
        Ok(())
    }

    /// The words that have [arrived](Self::arrived) in a passage.
    pub(super) fn lent(&self, passage: usize) -> Option<&[u32]> {
        let staging = self.passages[passage].as_ref().filter(|staging| staging.last.is_none())?;
        Some(staging.words())
    }

    /// Takes the buffer out of a passage in which all has [arrived](Self::arrived). The next one to be read to is `other`, if
    /// there is one.
    pub(super) fn exchange(&mut self, passage: usize, other: Option<Arrived>) -> Option<Arrived> {
        let arrived = self.passages[passage].take_if(|staging| staging.last.is_none())?;
        self.passages[passage] = other.map(|other| other.0);
        Some(Arrived(arrived))
    }

    /// Marks both staging buffers as unused. All commands must be complete.
    pub(super) fn done(&mut self) {
        for half in self.halves.iter_mut().flatten() {
            (half.used, half.last) = (0, None);
        }
    }
}
