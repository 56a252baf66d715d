//! Device memory: an arena of resident lists, scratch buffers that live on between calls, and pinned staging buffers
//! through which bytes travel.

use super::cl::{Buffer, Context, DeviceId, Event, Queue};
use super::fault::{self, Step};
use super::platform::Limits;
use crate::error::{Error, Result};
use crate::list::{PostingList, WeakList};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Lists begin at a multiple of this many words (64 bytes).
pub(crate) const ALIGNMENT: usize = 16;
/// Words after a list that kernels may read; they are zero.
pub(crate) const PADDING: usize = 32;
/// Words of the first arena.
const FIRST_ARENA: usize = 1 << 20;
/// A staging buffer of two is at most this large; longer transfers alternate between the two.
const STAGING: usize = 8 << 20;
/// Results that are put in order on the host wait for it in a pinned buffer of at most this size.
const PASSAGE: usize = 64 << 20;
/// Reads up to this size go straight to their destination: one call, and the driver copies as fast.
const DIRECT: usize = 64 << 10;
const WORD: usize = size_of::<u32>();

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

/// A device's context and queue.
pub(super) struct Link {
    pub(super) id: DeviceId,
    pub(super) context: Context,
    pub(super) queue: Queue,
    pub(super) limits: Limits,
}

impl Link {
    /// A device buffer of that many words.
    fn buffer(&self, words: usize) -> Result<Buffer> {
        fault::check(Step::Alloc)?;
        let bytes = words.checked_mul(WORD).filter(|&bytes| bytes <= self.limits.allocation).ok_or_else(|| {
            Error::Device(format!("{words} words exceed the largest buffer, {} bytes", self.limits.allocation))
        })?;
        self.context.buffer(bytes, false)
    }
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

/// The way of bytes to and from the device.
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
    /// or else the other one, after its last command is done.
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
    unsafe fn send<'p>(
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
    unsafe fn receive(&mut self, link: &Link, from: &Buffer, offset: usize, to: *mut u8, bytes: usize) -> Result<()> {
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
    unsafe fn lend(&mut self, link: &Link, from: &Buffer, offset: usize, bytes: usize) -> Result<*const u8> {
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
    fn done(&mut self) {
        for half in self.halves.iter_mut().flatten() {
            (half.used, half.last) = (0, None);
        }
    }
}

/// A scratch buffer: one of the few that operations name, kept between calls, growing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slot(pub(crate) usize);

impl Slot {
    /// How many there are.
    pub(crate) const COUNT: usize = 16;
}

struct Scratch {
    buffer: Buffer,
    words: usize,
    /// The session that used it last.
    session: u64,
}

/// A list in the arena.
struct Resident {
    /// Its first word.
    at: usize,
    /// Its words, padding and alignment included.
    words: usize,
    list: WeakList,
}

/// Spreads list numbers, which rise by one, over a hash table.
#[derive(Default)]
struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, id: u64) {
        self.0 = (self.0 ^ id).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32);
    }
}

/// All memory of a device.
pub(super) struct Memory {
    ferry: Ferry,
    scratch: [Option<Scratch>; Slot::COUNT],
    arena: Option<Buffer>,
    /// Words of the arena, and how many of them from the front were handed out.
    capacity: usize,
    tail: usize,
    /// Words at most: a buffer can have no more, and half of the memory is left to other things.
    most: usize,
    /// Room of lists that are gone, as (first word, words).
    free: Vec<(usize, usize)>,
    lists: HashMap<u64, Resident, BuildHasherDefault<IdHasher>>,
    /// Number of the session now in progress.
    pub(super) session: u64,
}

/// A transfer to the arena: list words to consecutive words, so that many small lists are few commands.
struct Sending<'l> {
    at: usize,
    words: usize,
    lists: Vec<&'l PostingList>,
}

fn arena_words(list: &PostingList) -> usize {
    (list.words().len() + PADDING).next_multiple_of(ALIGNMENT)
}

impl Memory {
    pub(super) fn new(limits: &Limits) -> Memory {
        let mut most = limits.allocation.min(limits.memory / 2) / WORD;
        if let Some(words) = std::env::var("POSTINGS_DEVICE_ARENA").ok().and_then(|words| words.parse().ok()) {
            most = most.min(words);
        }
        Memory {
            ferry: Ferry::default(),
            scratch: Default::default(),
            arena: None,
            capacity: 0,
            tail: 0,
            most,
            free: Vec::new(),
            lists: HashMap::default(),
            session: 0,
        }
    }

    /// Whether a list is in device memory now.
    pub(super) fn is_resident(&self, list: &PostingList) -> bool {
        self.lists.contains_key(&list.id())
    }

    /// Forgets all lists.
    pub(super) fn forget(&mut self) {
        self.lists.clear();
        self.free.clear();
        self.tail = 0;
    }

    /// The arena; a buffer of its own even before the first list.
    pub(super) fn arena(&mut self, link: &Link) -> Result<&Buffer> {
        if self.arena.is_none() {
            self.grow(link, 1)?;
        }
        self.arena.as_ref().ok_or_else(|| Error::Device("no arena".into()))
    }

    /// Sees to it that all of these lists are in the arena together, and appends the first word of each to `at`.
    pub(super) fn resident<'l>(
        &mut self,
        link: &Link,
        lists: impl Iterator<Item = &'l PostingList> + Clone,
        at: &mut Vec<u64>,
    ) -> Result<()> {
        let begin = at.len();
        let mut missing = Vec::new();
        for list in lists.clone() {
            match self.lists.get(&list.id()) {
                Some(resident) => at.push(resident.at as u64),
                None => missing.push(list),
            }
        }
        if missing.is_empty() {
            return Ok(());
        }
        missing.sort_unstable_by_key(|list| list.id());
        missing.dedup_by_key(|list| list.id());
        at.truncate(begin);
        let placed = self.place(link, missing).and_then(|sendings| match sendings {
            Some(sendings) => Ok(sendings),
            None => {
                // Full: everything is forgotten, and all lists of this call are sent anew.
                self.forget();
                let mut all: Vec<&PostingList> = lists.clone().collect();
                all.sort_unstable_by_key(|list| list.id());
                all.dedup_by_key(|list| list.id());
                let words: usize = all.iter().map(|list| arena_words(list)).sum();
                self.place(link, all)?.ok_or_else(|| {
                    Error::Device(format!("{words} words of lists do not fit in the {} for them", self.most))
                })
            }
        });
        let sent = placed.and_then(|sendings| sendings.iter().try_for_each(|sending| self.send(link, sending)));
        if let Err(error) = sent {
            // Some lists may have a place and not be there.
            self.forget();
            return Err(error);
        }
        at.extend(lists.filter_map(|list| self.lists.get(&list.id())).map(|resident| resident.at as u64));
        Ok(())
    }

    /// Gives each of these lists, none of which has one, a place; `None` where the arena is full, in which case some
    /// may have one and must be forgotten.
    fn place<'l>(&mut self, link: &Link, lists: Vec<&'l PostingList>) -> Result<Option<Vec<Sending<'l>>>> {
        let total: usize = lists.iter().map(|list| arena_words(list)).sum();
        let free: usize = self.free.iter().map(|&(_, words)| words).sum();
        if self.tail + total > self.capacity && free < total {
            self.sweep();
        }
        let mut sendings: Vec<Sending<'l>> = Vec::new();
        let mut rest = total;
        for list in lists {
            let words = arena_words(list);
            let at = match self.take_free(words) {
                Some(at) => at,
                None => {
                    if self.tail + words > self.capacity && !self.grow(link, self.tail + rest)? {
                        return Ok(None);
                    }
                    self.tail += words;
                    self.tail - words
                }
            };
            rest -= words;
            self.lists.insert(list.id(), Resident { at, words, list: list.downgrade() });
            match sendings.last_mut() {
                Some(last) if last.at + last.words == at => {
                    last.words += words;
                    last.lists.push(list);
                }
                _ => sendings.push(Sending { at, words, lists: vec![list] }),
            }
        }
        Ok(Some(sendings))
    }

    /// Room of a list that is gone: the first that is large enough.
    fn take_free(&mut self, words: usize) -> Option<usize> {
        let index = self.free.iter().position(|&(_, room)| room >= words)?;
        let (at, room) = self.free[index];
        if room == words {
            self.free.remove(index);
        } else {
            self.free[index] = (at + words, room - words);
        }
        Some(at)
    }

    /// Finds the room of lists that are gone. Room of less than an eighth of the arena is not worth the bookkeeping:
    /// then there is none.
    fn sweep(&mut self) {
        self.lists.retain(|_, resident| resident.list.is_alive());
        let mut live: Vec<(usize, usize)> = self.lists.values().map(|resident| (resident.at, resident.words)).collect();
        live.sort_unstable();
        let mut free = Vec::new();
        let mut end = 0;
        for (at, words) in live {
            if at > end {
                free.push((end, at - end));
            }
            end = at + words;
        }
        // What lies behind the last living list goes back to the tail.
        self.tail = end;
        let room: usize = free.iter().map(|&(_, words)| words).sum::<usize>() + self.capacity - end;
        free.sort_unstable_by_key(|&(_, words)| std::cmp::Reverse(words));
        // Few are enough to hold most of the room, and each is looked at for each list that wants a place.
        free.truncate(256);
        self.free = if room >= self.capacity / 8 { free } else { Vec::new() };
    }

    /// Makes the arena at least `words` long, twice as long as it was if it may be; keeps what is in it. False where
    /// that is more than it may have.
    fn grow(&mut self, link: &Link, words: usize) -> Result<bool> {
        if words > self.most {
            return Ok(false);
        }
        let capacity = words.next_power_of_two().max(2 * self.capacity).max(FIRST_ARENA).min(self.most);
        let buffer = match link.buffer(capacity) {
            Ok(buffer) => buffer,
            Err(error) if self.arena.is_some() => {
                log::debug!("{error}; the arena stays at {} words", self.capacity);
                self.most = self.capacity;
                return Ok(false);
            }
            Err(error) => return Err(error),
        };
        if let Some(old) = &self.arena
            && self.tail > 0
        {
            link.queue.copy(old, &buffer, self.tail * WORD)?;
        }
        self.arena = Some(buffer);
        self.capacity = capacity;
        Ok(true)
    }

    fn send(&mut self, link: &Link, sending: &Sending) -> Result<()> {
        const ZEROS: [u32; PADDING + ALIGNMENT] = [0; PADDING + ALIGNMENT];
        let arena = self.arena.as_ref().ok_or_else(|| Error::Device("no arena".into()))?;
        let parts = sending.lists.iter().flat_map(|list| {
            let padding = arena_words(list) - list.words().len();
            [as_bytes(list.words()), as_bytes(&ZEROS[..padding])]
        });
        // SAFETY: `place` made the arena long enough for these words at this place.
        unsafe { self.ferry.send(link, arena, sending.at, parts, sending.words * WORD) }
    }

    /// Sees to it that a scratch buffer has at least that many words. What they hold is not defined.
    pub(super) fn scratch(&mut self, link: &Link, slot: Slot, words: usize) -> Result<()> {
        if let Some(scratch) = &mut self.scratch[slot.0]
            && scratch.words >= words
        {
            scratch.session = self.session;
            return Ok(());
        }
        let words = size_class(words).min(link.limits.allocation / WORD).max(words);
        // Before it is replaced, so that both need not fit.
        self.scratch[slot.0] = None;
        let budget = link.limits.memory / WORD / 16 * 15;
        if self.capacity + self.scratch_words() + words > budget {
            self.drop_idle_scratch();
            if self.capacity + self.scratch_words() + words > budget {
                return Err(Error::Device(format!("{words} more words do not fit in device memory")));
            }
        }
        let buffer = match link.buffer(words) {
            Ok(buffer) => buffer,
            Err(_) => {
                self.drop_idle_scratch();
                link.buffer(words)?
            }
        };
        self.scratch[slot.0] = Some(Scratch { buffer, words, session: self.session });
        Ok(())
    }

    fn scratch_words(&self) -> usize {
        self.scratch.iter().flatten().map(|scratch| scratch.words).sum()
    }

    fn drop_idle_scratch(&mut self) {
        for scratch in &mut self.scratch {
            if scratch.as_ref().is_some_and(|scratch| scratch.session != self.session) {
                *scratch = None;
            }
        }
    }

    /// A scratch buffer that was asked for in this session, and its words.
    pub(super) fn slot(&self, slot: Slot) -> Result<(&Buffer, usize)> {
        self.scratch[slot.0]
            .as_ref()
            .filter(|scratch| scratch.session == self.session)
            .map(|scratch| (&scratch.buffer, scratch.words))
            .ok_or_else(|| Error::Device(format!("scratch buffer {} was not asked for", slot.0)))
    }

    /// Sends bytes to the front of a scratch buffer, made large enough, and zeros up to a whole word.
    pub(super) fn upload(&mut self, link: &Link, slot: Slot, bytes: &[u8]) -> Result<()> {
        let words = bytes.len().div_ceil(WORD);
        self.scratch(link, slot, words.max(1))?;
        let zeros = [0; WORD];
        let parts = [bytes, &zeros[..words * WORD - bytes.len()]];
        let Some(Scratch { buffer, .. }) = &self.scratch[slot.0] else {
            return Err(Error::Device("no scratch buffer".into()));
        };
        // SAFETY: the buffer has that many words.
        unsafe { self.ferry.send(link, buffer, 0, parts.into_iter(), words * WORD) }
    }

    /// Whether so many words may be lent.
    pub(super) fn lends(words: usize) -> bool {
        words <= PASSAGE / WORD
    }

    /// Words of a scratch buffer, lent until the next call. Waits for all that was submitted.
    pub(super) fn lend(&mut self, link: &Link, slot: Slot, words: std::ops::Range<usize>) -> Result<&[u32]> {
        if words.is_empty() {
            return Ok(&[]);
        }
        let (_, room) = self.slot(slot)?;
        let Some(Scratch { buffer, .. }) = self.scratch[slot.0].as_ref().filter(|_| words.end <= room) else {
            return Err(Error::Device(format!("words {words:?} of a scratch buffer of {room}")));
        };
        // SAFETY: the range is within the buffer.
        let lent = unsafe { self.ferry.lend(link, buffer, words.start * WORD, words.len() * WORD)? };
        // SAFETY: that many words were read to the pinned buffer, which is aligned to pages and not written to before
        // `self` is borrowed again.
        Ok(unsafe { std::slice::from_raw_parts(lent.cast(), words.len()) })
    }

    /// Reads words of a scratch buffer and appends them to `to`; waits for all that was submitted.
    pub(super) fn read(
        &mut self,
        link: &Link,
        slot: Slot,
        words: std::ops::Range<usize>,
        to: &mut Vec<u32>,
    ) -> Result<()> {
        if words.is_empty() {
            return Ok(());
        }
        let (_, room) = self.slot(slot)?;
        if words.end > room {
            return Err(Error::Device(format!("words {words:?} of a scratch buffer of {room}")));
        }
        let Some(Scratch { buffer, .. }) = &self.scratch[slot.0] else {
            return Err(Error::Device("no scratch buffer".into()));
        };
        let count = words.len();
        to.reserve(count);
        // SAFETY: the range is within the buffer; `reserve` made room, all of which is written before it is counted.
        unsafe {
            let end = to.as_mut_ptr().add(to.len()).cast();
            self.ferry.receive(link, buffer, words.start * WORD, end, count * WORD)?;
            to.set_len(to.len() + count);
        }
        Ok(())
    }

    #[cfg(test)]
    pub(super) fn limit_arena(&mut self, words: usize) {
        self.most = words;
    }

    /// Words of the arena, and how many of them were handed out.
    #[cfg(test)]
    pub(super) fn arena_use(&self) -> (usize, usize) {
        (self.capacity, self.tail)
    }

    /// All commands are done: the staging buffers are free.
    pub(super) fn done(&mut self) {
        self.ferry.done();
    }
}

/// Scratch buffers are a power of two, from 64 Mi words on a multiple of that, so that few sizes are ever allocated.
fn size_class(words: usize) -> usize {
    const LARGE: usize = 64 << 20;
    if words <= LARGE { words.next_power_of_two().max(1 << 10) } else { words.next_multiple_of(LARGE) }
}

/// The bytes of words, in the host's order, which is the device's (`platform` takes little-endian devices only).
pub(super) fn as_bytes(words: &[u32]) -> &[u8] {
    // SAFETY: any word is four bytes.
    unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), size_of_val(words)) }
}
