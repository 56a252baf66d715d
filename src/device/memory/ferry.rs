//! The way of bytes to and from the device: pinned staging buffers, and counters of what went through.

use crate::device::cl::{Buffer, Event};
use crate::device::fault::{self, Step};
use crate::device::link::{Link, WORD};
use crate::error::{Error, Result};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A staging buffer of two is at most this large; longer transfers alternate between the two.
const STAGING: usize = 8 << 20;
/// Results that are put in order on the host wait for it in a pinned buffer of at most this size.
const PASSAGE: usize = 64 << 20;
/// Reads up to this size go straight to their destination: one call, and the driver copies as fast.
const DIRECT: usize = 64 << 10;

static TO_DEVICE: AtomicU64 = AtomicU64::new(0);
static FROM_DEVICE: AtomicU64 = AtomicU64::new(0);

/// Bytes that this process sent to devices.
pub fn bytes_to_device() -> u64 {
    TO_DEVICE.load(Relaxed)
}

/// Bytes that this process read back from devices.
pub fn bytes_from_device() -> u64 {
    FROM_DEVICE.load(Relaxed)
}

/// Whether so many words may be [lent](Ferry::lend).
pub(super) fn lends(words: usize) -> bool {
    words <= PASSAGE / WORD
}

/// One of two pinned buffers, mapped as long as it lives.
struct Staging {
    buffer: Buffer,
    mapped: *mut u8,
    capacity: usize,
    /// Bytes handed out since its last command was waited for.
    used: usize,
    /// Its last command; as the queue is in order, all before it are done when it is.
    last: Option<Event>,
}

// SAFETY: the mapping belongs to no thread; the device's lock keeps users apart.
unsafe impl Send for Staging {}

/// The staging buffers of a device.
#[derive(Default)]
pub(super) struct Ferry {
    halves: [Option<Staging>; 2],
    current: usize,
    /// Where results are lent from.
    passage: Option<Staging>,
}

/// A pinned buffer of that many bytes.
fn pinned(link: &Link, capacity: usize) -> Result<Staging> {
    fault::check(Step::Alloc)?;
    let buffer = link.context.buffer(capacity, true)?;
    let mapped = link.queue.map(&buffer, capacity)?;
    Ok(Staging { buffer, mapped, capacity, used: 0, last: None })
}

impl Ferry {
    /// The staging buffer of that index, with room for `wanted` bytes, all of its commands done if it had to be made
    /// anew.
    fn half(&mut self, link: &Link, which: usize, wanted: usize) -> Result<&mut Staging> {
        let enough = |half: &Staging| half.capacity >= wanted;
        if !self.halves[which].as_ref().is_some_and(enough) {
            if let Some(old) = self.halves[which].take() {
                link.queue.finish()?;
                link.queue.unmap(&old.buffer, old.mapped)?;
            }
            self.halves[which] = Some(pinned(link, wanted.next_power_of_two().max(DIRECT))?);
        }
        self.halves[which].as_mut().ok_or_else(|| Error::Device("no staging buffer".into()))
    }

    /// A staging buffer with room for `wanted` bytes, or for as many as a staging buffer has at most: the current one,
    /// otherwise the other one, after its last command is done.
    fn room(&mut self, link: &Link, wanted: usize) -> Result<&mut Staging> {
        let wanted = wanted.min(STAGING);
        let fits = |half: &Staging| half.capacity - half.used >= wanted;
        if !self.halves[self.current].as_ref().is_some_and(fits) {
            self.current ^= 1;
            if let Some(half) = &mut self.halves[self.current] {
                if let Some(last) = half.last.take() {
                    last.wait()?;
                }
                half.used = 0;
            }
        }
        self.half(link, self.current, wanted)
    }

    /// Sends the words of `parts`, one after the other, to consecutive words of `to` from word `at`. Returns when all
    /// are in staging buffers; the caller's memory is free.
    ///
    /// # Safety
    /// `to` has room for them.
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
                    // SAFETY: `used` is within the mapping.
                    target = unsafe { half.mapped.add(half.used) };
                    filled = 0;
                }
                let now = part.len().min(room - filled);
                // SAFETY: `room` bytes of the mapping are free from `target` on; the two do not overlap.
                unsafe { std::ptr::copy_nonoverlapping(part.as_ptr(), target.add(filled), now) };
                filled += now;
                part = &part[now..];
                if filled == room {
                    let half = self.half(link, self.current, 0)?;
                    // SAFETY: the staging bytes stay as they are until `last` is waited for; `to` has room.
                    half.last = Some(unsafe { link.queue.write(to, at * WORD + sent, target, filled)? });
                    half.used += filled;
                    sent += filled;
                    TO_DEVICE.fetch_add(filled as u64, Relaxed);
                }
            }
        }
        debug_assert_eq!(sent, total);
        Ok(())
    }

    /// Reads `bytes` of `from` to `to`, and so waits for all that was submitted before.
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
        if bytes <= DIRECT {
            // SAFETY: the caller's promise; waited for before it can end.
            unsafe { link.queue.read(from, offset, to, bytes)?.wait()? };
        } else {
            // Four pieces or more, so that the host copies one while the device sends the next.
            let piece = (bytes / 4).next_multiple_of(4096).clamp(4 * DIRECT, STAGING).min(bytes);
            let mut waiting: Option<(usize, usize, Event)> = None;
            let mut begin = 0;
            let mut which = 0;
            loop {
                let mut next = None;
                if begin < bytes {
                    let now = piece.min(bytes - begin);
                    // Staging bytes that an earlier command still sends are sent before this command, which comes
                    // after it in the queue, overwrites them: nothing is waited for.
                    let half = self.half(link, which, piece)?;
                    // SAFETY: the mapping has `piece` bytes; the source has its own by the caller's promise.
                    let event = unsafe { link.queue.read(from, offset + begin, half.mapped, now)? };
                    link.queue.flush()?;
                    next = Some((begin, now, event));
                    begin += now;
                }
                which ^= 1;
                if let Some((at, length, event)) = waiting.take() {
                    event.wait()?;
                    let half = self.half(link, which, piece)?;
                    // SAFETY: `length` bytes were read to this mapping; `to` has room for `bytes`, of which they are.
                    unsafe { std::ptr::copy_nonoverlapping(half.mapped, to.add(at), length) };
                } else if next.is_none() {
                    break;
                }
                waiting = next;
            }
        }
        self.done();
        FROM_DEVICE.fetch_add(bytes as u64, Relaxed);
        Ok(())
    }

    /// Reads `bytes` of `from` to pinned memory that is lent until the next call. The device writes there at its full
    /// rate, and the memory is not fresh, which is slow to write to.
    ///
    /// # Safety
    /// `from` has `offset + bytes` bytes.
    pub(super) unsafe fn lend(&mut self, link: &Link, from: &Buffer, offset: usize, bytes: usize) -> Result<*const u8> {
        fault::check(Step::Read)?;
        let passage = match self.passage.take() {
            Some(passage) if passage.capacity >= bytes => passage,
            old => {
                if let Some(old) = old {
                    link.queue.unmap(&old.buffer, old.mapped)?;
                }
                pinned(link, bytes.next_power_of_two().max(DIRECT))?
            }
        };
        let mapped = passage.mapped;
        self.passage = Some(passage);
        // SAFETY: the caller's promise; the mapping has as many bytes, and lives on.
        unsafe { link.queue.read(from, offset, mapped, bytes)?.wait()? };
        self.done();
        FROM_DEVICE.fetch_add(bytes as u64, Relaxed);
        Ok(mapped)
    }

    /// All commands are done: both staging buffers are free.
    pub(super) fn done(&mut self) {
        for half in self.halves.iter_mut().flatten() {
            (half.used, half.last) = (0, None);
        }
    }
}
