//! The interface that operations are written against: a [`Session`] is a device locked by one thread for one operation.
//!
//! An operation opens a session ([`Device::lock`](super::Device::lock)), makes its lists resident, uploads its tasks,
//! launches kernels and reads the results back. Commands run in the order in which they are submitted; only reads wait.
//! An operation that overlaps transfers with kernels [enters](Session::enter) other lanes, each of which has an order of its
//! own, and [starts](Session::start_reading) reads that it waits for later.
//!
//! ```text
//! static SOURCE: Source = Source { name: "sum", parts: &[include_str!("../../cl/sum.cl")] };
//! const SUM: KernelOf<'static> = KernelOf { source: &SOURCE, options: "", name: "sum" };
//! const TASKS: Slot = Slot(0);
//! const SUMS: Slot = Slot(1);
//!
//! let mut session = device.lock()?;
//! let mut offsets = Vec::new();
//! session.resident(lists.iter(), &mut offsets)?;          // words of the arena
//! session.upload(TASKS, &tasks)?;                         // at least as many words as tasks
//! session.scratch(SUMS, lists.len())?;                    // contents unspecified
//! // SAFETY: why the kernel stays within its buffers.
//! unsafe { session.launch(SUM, groups, 64, &[Arg::Arena, Arg::Slot(TASKS), Arg::Slot(SUMS), Arg::U32(n)])? };
//! session.read(SUMS, 0..lists.len(), &mut sums)?;         // appended
//! ```

mod beside;

pub(super) use beside::SENDING;

use super::cl::Event;
use super::fault::{self, Step};
use super::link::Link;
use super::memory::{Arrived, Build, Key, Memory, Name, Placed, Places, Slot, Wishes, as_bytes};
use super::nearest::Chosen;
use super::platform::Limits;
use super::program::{KernelOf, Programs};
use crate::base::environment;
use crate::base::error::{Error, Result};
use crate::list::PostingList;
use beside::Sent;
use std::ops::Range;
use std::sync::MutexGuard;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// What the lock of a device protects.
pub(super) struct Inner {
    pub(super) link: Link,
    pub(super) memory: Memory,
    pub(super) programs: Programs,
    /// Whether commands were submitted that have not been waited for.
    pub(super) busy: bool,
    /// Whether some of them may be in other lanes than the first.
    pub(super) wide: bool,
    /// What it would have saved to have positions resident.
    pub(super) wishes: Wishes,
    /// How the nearest vectors are found, by what is known of them.
    pub(super) nearest: Vec<Chosen>,
    /// Timed launches whose times have not been read yet.
    pub(super) timed: Vec<(&'static str, Event)>,
}

/// An argument of a kernel.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Arg {
    /// `global uint *`: the arena of resident lists.
    Arena,
    /// `global uint *`: the cache of ranked search.
    Cache,
    /// `global` pointer: a scratch buffer.
    Slot(Slot),
    /// `uint`.
    U32(u32),
    /// `ulong`.
    U64(u64),
}

/// Words on their way from the device.
pub(crate) struct Reading {
    lane: usize,
    passage: usize,
    slot: Slot,
    words: usize,
    /// The words, if they are too many for a passage.
    copied: Vec<u32>,
}

/// The words of a reading, apart from the session, so that another thread can have them.
pub(crate) enum Taken {
    Arrived(usize, Arrived),
    Copied(Vec<u32>),
}

impl Taken {
    pub(crate) fn words(&self) -> &[u32] {
        match self {
            Taken::Arrived(_, arrived) => arrived.words(),
            Taken::Copied(words) => words,
        }
    }
}

impl Inner {
    /// The state of a device before its first command; `target` is [`Found::target`](super::platform::Found::target).
    pub(super) fn new(link: Link, target: &str) -> Inner {
        let (memory, programs) = (Memory::new(&link.limits), Programs::new(target, link.is_cpu));
        Inner {
            link,
            memory,
            programs,
            busy: false,
            wide: false,
            wishes: Wishes::default(),
            nearest: Vec::new(),
            timed: Vec::new(),
        }
    }
}

/// A device, locked by one thread for one operation.
pub(crate) struct Session<'d> {
    inner: MutexGuard<'d, Inner>,
    /// Whether launches are timed.
    profiling: &'d AtomicBool,
    sent: Sent,
    _environment: environment::Guard,
}

impl<'d> Session<'d> {
    /// Begins an operation.
    ///
    /// # Errors
    /// [`Error::Device`] if the device is lost, as it is if commands of an earlier operation, which ended early, fail.
    pub(super) fn begin(mut inner: MutexGuard<'d, Inner>, profiling: &'d AtomicBool) -> Result<Session<'d>> {
        let environment = environment::guard()?;
        inner.link.lost.check()?;
        inner.memory.begin_session();
        let mut session = Session { inner, profiling, sent: Sent::default(), _environment: environment };
        if session.inner.busy {
            // Transfers of an operation that ended early, with an error, may still use the staging buffers. If they
            // cannot be waited for, nothing of the device can be used again.
            session.settle().map_err(|error| session.inner.link.lost.set(&error))?;
        }
        if session.inner.link.stale.take() {
            session.inner.memory.forget();
        }
        session.inner.link.enter(0)?;
        Ok(session)
    }

    /// Waits for all commands of all lanes.
    ///
    /// # Errors
    /// [`Error::Device`] if one of them fails.
    pub(crate) fn settle(&mut self) -> Result<()> {
        let Inner { link, memory, busy, wide, .. } = &mut *self.inner;
        link.finish()?;
        memory.done();
        (*busy, *wide) = (false, false);
        Ok(())
    }

    /// Says that the last command of each lane has been waited for, and so all commands, without asking the driver.
    pub(crate) fn rest(&mut self) {
        let Inner { memory, busy, wide, .. } = &mut *self.inner;
        memory.done();
        (*busy, *wide) = (false, false);
    }

    /// Sends later commands to a lane below [`LANES`](super::link::LANES); the first is 0. Commands of different lanes may
    /// run at the same time.
    pub(crate) fn enter(&mut self, lane: usize) -> Result<()> {
        let Inner { link, wide, .. } = &mut *self.inner;
        link.enter(lane)?;
        *wide |= lane != 0;
        Ok(())
    }
}

impl Session<'_> {
    /// Ensures that all these lists are in the arena together, and appends to `at` the word at which each begins, a
    /// multiple of [`ALIGNMENT`](super::memory::ALIGNMENT). [`PADDING`](super::memory::PADDING) words after each list
    /// are readable. Missing lists are sent in few transfers; checking for a resident list takes tens of nanoseconds.
    ///
    /// The offsets are valid until the next call of this function in any session, so pass all lists of one launch in
    /// one call.
    ///
    /// # Errors
    /// [`Error::Device`] if the lists do not fit together, or a transfer fails.
    pub(crate) fn resident<'l>(
        &mut self,
        lists: impl Iterator<Item = &'l PostingList> + Clone,
        at: &mut Vec<u64>,
    ) -> Result<()> {
        let Inner { link, memory, busy, .. } = &mut *self.inner;
        *busy = true;
        memory.resident(link, lists, at)
    }

    /// Ensures that all these items are in the cache together, building those that are not, and appends the place of each
    /// to `places`. False if they do not fit. Places are valid until the next call of this function in any session.
    ///
    /// # Errors
    /// [`Error::Device`] if a transfer fails; those of `build`.
    pub(super) fn ensure(
        &mut self,
        wanted: &[Key<'_>],
        build: &mut Build<'_>,
        places: &mut Vec<Placed>,
    ) -> Result<bool> {
        let Inner { link, memory, busy, .. } = &mut *self.inner;
        *busy = true;
        memory.ensure(link, wanted, build, places)
    }

    /// Whether an item is in the cache.
    pub(super) fn has(&self, name: &Name) -> bool {
        self.inner.memory.has(name)
    }

    /// What it would have saved to have positions resident.
    pub(super) fn wishes(&mut self) -> &mut Wishes {
        &mut self.inner.wishes
    }

    /// How the nearest vectors are found, by what is known of them.
    pub(super) fn nearest(&mut self) -> &mut Vec<Chosen> {
        &mut self.inner.nearest
    }

    /// Limits the cache to that many words; 0 means a quarter of the device's memory.
    pub(crate) fn limit_cache(&mut self, words: usize) {
        let Inner { link, memory, .. } = &mut *self.inner;
        memory.limit_cache(link, words);
    }

    /// The memory limits of the device.
    pub(crate) fn limits(&self) -> Limits {
        self.inner.link.limits
    }

    /// Where lists are in the arena now; valid as what [`resident`](Self::resident) returns.
    pub(super) fn places(&self) -> Places<'_> {
        self.inner.memory.places()
    }

    /// Ensures that a scratch buffer has room for `words` words; their contents are unspecified.
    pub(crate) fn scratch(&mut self, slot: Slot, words: usize) -> Result<()> {
        let Inner { link, memory, .. } = &mut *self.inner;
        memory.scratch(link, slot, words)
    }

    /// Sends words to the front of a scratch buffer.
    pub(crate) fn upload(&mut self, slot: Slot, words: &[u32]) -> Result<()> {
        self.upload_bytes(slot, as_bytes(words))
    }

    /// Sends bytes to the front of a scratch buffer, padded with zeros to a whole word.
    pub(crate) fn upload_bytes(&mut self, slot: Slot, bytes: &[u8]) -> Result<()> {
        let Inner { link, memory, busy, .. } = &mut *self.inner;
        *busy = true;
        memory.upload(link, slot, bytes)
    }

    /// Sets the first `words` words of a scratch buffer to `word`, enlarging the buffer if needed.
    pub(crate) fn fill(&mut self, slot: Slot, words: usize, word: u32) -> Result<()> {
        let Inner { link, memory, busy, .. } = &mut *self.inner;
        memory.scratch(link, slot, words)?;
        if words == 0 {
            return Ok(());
        }
        *busy = true;
        link.queue().fill(memory.slot(slot)?, 0, 4 * words, word)
    }

    /// Starts a kernel with `groups` work-groups of `local` work-items each. Without work-groups nothing is launched.
    ///
    /// # Errors
    /// [`Error::Device`] if the build fails, the kernel cannot run in work-groups of that size on this device, or the
    /// arguments do not fit its parameters.
    ///
    /// # Safety
    /// With these arguments and sizes, the kernel reads and writes only within its buffers, and terminates.
    pub(crate) unsafe fn launch(
        &mut self,
        kernel: KernelOf<'_>,
        groups: usize,
        local: usize,
        args: &[Arg],
    ) -> Result<()> {
        if groups == 0 {
            return Ok(());
        }
        let Inner { link, memory, programs, busy, timed, .. } = &mut *self.inner;
        let ready = programs.kernel(&link.context, link.id, kernel)?;
        fault::check(Step::Launch)?;
        if local == 0 || local > ready.group {
            return Err(Error::Device(format!("{}: work-groups of {local}, at most {}", kernel.name, ready.group)));
        }
        let global = groups
            .checked_mul(local)
            .ok_or_else(|| Error::Device(format!("{}: {groups} work-groups of {local}", kernel.name)))?;
        for (index, arg) in (0..).zip(args) {
            match *arg {
                Arg::Arena => ready.kernel.set_buffer(index, memory.arena(link)?)?,
                Arg::Cache => ready.kernel.set_buffer(index, memory.cache(link)?)?,
                Arg::Slot(slot) => ready.kernel.set_buffer(index, memory.slot(slot)?)?,
                Arg::U32(value) => ready.kernel.set(index, &value)?,
                Arg::U64(value) => ready.kernel.set(index, &value)?,
            }
        }
        *busy = true;
        link.inject_hang()?;
        let (is_timed, is_tracked) = (self.profiling.load(Relaxed), link.tracks(groups));
        // SAFETY: the arguments were just set, and this function's contract covers what the kernel does with them.
        let event = unsafe { link.queue().launch(&ready.kernel, global, local, is_timed || is_tracked)? };
        match event {
            Some(event) if is_timed => timed.push((kernel.name, event)),
            Some(event) => link.track(event),
            None => {}
        }
        Ok(())
    }

    /// Makes the driver start what was submitted to the lane.
    pub(crate) fn flush(&self) -> Result<()> {
        self.inner.link.queue().flush()
    }

    /// Appends words of a scratch buffer to `to`. Waits for all commands submitted to the lane.
    pub(crate) fn read(&mut self, slot: Slot, words: Range<usize>, to: &mut Vec<u32>) -> Result<()> {
        let Inner { link, memory, busy, wide, .. } = &mut *self.inner;
        let waits = !words.is_empty();
        memory.read(link, slot, words, to)?;
        *busy &= !waits || *wide;
        Ok(())
    }

    /// Starts reading the first words of a scratch buffer. A lane has two passages, 0 and 1, and each holds the words of
    /// one reading.
    pub(crate) fn start_reading(&mut self, passage: usize, slot: Slot, words: usize) -> Result<Reading> {
        let Inner { link, memory, busy, .. } = &mut *self.inner;
        if words != 0 && Memory::lends(words) {
            *busy = true;
            memory.start_lending(link, passage, slot, 0..words)?;
        }
        Ok(Reading { lane: link.lane(), passage, slot, words, copied: Vec::new() })
    }

    /// Waits for words, and enters the lane that they are read in.
    pub(crate) fn finish_reading(&mut self, reading: &mut Reading) -> Result<()> {
        self.enter(reading.lane)?;
        if Memory::lends(reading.words) {
            let Inner { link, memory, .. } = &mut *self.inner;
            return memory.arrived(link, reading.passage);
        }
        reading.copied.clear();
        self.read(reading.slot, 0..reading.words, &mut reading.copied)
    }

    /// The words of a reading that is finished: in pinned memory if they fit there.
    pub(crate) fn words<'w>(&'w self, reading: &'w Reading) -> Result<&'w [u32]> {
        match reading.words {
            0 => Ok(&[]),
            words if Memory::lends(words) => self.inner.memory.lent(reading.lane, reading.passage),
            _ => Ok(&reading.copied),
        }
    }

    /// Takes the words of a reading that is finished. They are to be [taken back](Self::take_back), as they may be in pinned
    /// memory, which takes long to get.
    pub(crate) fn take(&mut self, reading: Reading) -> Result<Taken> {
        match reading.words {
            1.. if Memory::lends(reading.words) => {
                Ok(Taken::Arrived(reading.passage, self.inner.memory.take(reading.lane, reading.passage)?))
            }
            _ => Ok(Taken::Copied(reading.copied)),
        }
    }

    /// Uses the memory of words that were [taken](Self::take) for later readings.
    pub(crate) fn take_back(&mut self, taken: Taken) {
        if let Taken::Arrived(passage, arrived) = taken {
            self.inner.memory.take_back(passage, arrived);
        }
    }

    #[cfg(test)]
    pub(super) fn arena_use(&self) -> (usize, usize) {
        self.inner.memory.arena_use()
    }

    /// Forgets all resident lists.
    pub(super) fn forget(&mut self) {
        self.inner.memory.forget();
    }

    /// The kernels launched since the last call while timing was on, each with its nanoseconds.
    pub(crate) fn take_kernel_times(&mut self) -> Result<Vec<(&'static str, u64)>> {
        let timed = std::mem::take(&mut self.inner.timed);
        if !timed.is_empty() {
            self.inner.link.finish()?;
        }
        timed.into_iter().map(|(kernel, event)| Ok((kernel, event.nanoseconds()?))).collect()
    }
}
