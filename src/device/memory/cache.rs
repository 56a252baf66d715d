//! What ranked search keeps in device memory: lists in their tiled form, tables, ordinals. A budget bounds it; items
//! that are cheapest to rebuild are evicted first.
//!
//! The loss of an item is what it costs to build and send it again, times how often it was used, per word that it takes
//! (GreedyDual-Size with frequencies: Cherkasova 1998): `age + uses · (OVERHEAD + words) / words`. What is evicted raises
//! the age, so that items which were used often long ago do not stay for ever.

use super::arena::Piece;
use super::ferry::Ferry;
use super::pool::Pool;
use super::residency::IdHasher;
use super::{ALIGNMENT, as_bytes};
use crate::base::error::Result;
use crate::base::identity::{Identity, WeakIdentity};
use crate::device::cl::Buffer;
use crate::device::link::{Link, WORD};
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What an item is to be found by: the object that it belongs to, and which of the object's it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Key<'k> {
    /// When it is gone, so is the item.
    pub(crate) owner: &'k Identity,
    /// A kind of item, and which of that kind.
    pub(crate) item: (u32, u64),
    /// What the item is made of, if a number cannot say it. The number is then a hash of this, one whose collisions nobody can
    /// choose.
    pub(crate) of: Option<&'k Arc<[u64]>>,
}

/// A [`Key`] that does not keep its owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Name {
    owner: u64,
    item: (u32, u64),
    of: Option<Arc<[u64]>>,
}

impl Key<'_> {
    pub(crate) fn name(&self) -> Name {
        Name { owner: self.owner.number(), item: self.item, of: self.of.cloned() }
    }
}

impl Hash for Name {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.owner, self.item).hash(state);
    }
}

/// Names are hashed by their numbers, which nobody chooses to collide.
type Hashing = BuildHasherDefault<IdHasher>;

/// Builds the words of the items with these indices.
pub(crate) type Build<'b> = dyn FnMut(&[usize]) -> Result<Vec<Vec<u32>>> + 'b;

/// Building and sending an item costs as much as so many words more.
const OVERHEAD: f64 = 4096.0;

/// Items built at a time, so that few are in the host's memory.
const AT_A_TIME: usize = 1024;

struct Item {
    at: usize,
    words: usize,
    /// The first word of its contents: the number of postings of a list.
    front: u32,
    uses: f64,
    loss: f64,
    /// The call that wanted it last.
    call: u64,
}

impl Item {
    /// Notes that it is wanted.
    fn want(&mut self, call: u64, age: f64) {
        self.call = call;
        self.uses += 1.0;
        self.loss = age + loss(self.uses, self.words);
    }

    fn placed(&self) -> Placed {
        Placed { place: (self.at / ALIGNMENT) as u32, front: self.front }
    }
}

/// Where an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Placed {
    /// Its first word, in units of [`ALIGNMENT`].
    pub(crate) place: u32,
    /// Its first word's contents.
    pub(crate) front: u32,
}

/// Counters of all devices since the process started.
static HITS: AtomicU64 = AtomicU64::new(0);
static MISSES: AtomicU64 = AtomicU64::new(0);
static EVICTIONS: AtomicU64 = AtomicU64::new(0);
/// Bytes of items now.
static BYTES: AtomicU64 = AtomicU64::new(0);

/// What the caches of this process have done since it started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CacheStats {
    /// Items that were in device memory when they were wanted.
    pub hits: u64,
    /// Items that were not.
    pub misses: u64,
    /// Items that made room for others.
    pub evictions: u64,
    /// Bytes that items take now.
    pub bytes: u64,
}

/// Those counters.
pub fn cache_stats() -> CacheStats {
    let [hits, misses, evictions, bytes] = [&HITS, &MISSES, &EVICTIONS, &BYTES].map(|counter| counter.load(Relaxed));
    CacheStats { hits, misses, evictions, bytes }
}

/// The cache of a device.
pub(super) struct Cache {
    pool: Pool,
    items: HashMap<Name, Item, Hashing>,
    /// The owners of items, by their numbers. They are few, so that each call can ask whether all of them still exist.
    owners: HashMap<u64, WeakIdentity, Hashing>,
    /// The greatest loss that was taken.
    age: f64,
    calls: u64,
    /// What this call or a later one wanted is not evicted, nor is what the present one wants.
    kept: u64,
}

/// The ends of places: places are counted in 32 bits.
const MOST: usize = ALIGNMENT << 32;

impl Cache {
    /// An empty one of at most `most` words.
    pub(super) fn new(most: usize) -> Cache {
        let (items, owners) = (HashMap::default(), HashMap::default());
        Cache { pool: Pool::new(most.min(MOST)), items, owners, age: 0.0, calls: 0, kept: u64::MAX }
    }

    /// Words of the buffer.
    pub(super) fn words(&self) -> usize {
        self.pool.words()
    }

    pub(super) fn buffer(&mut self, link: &Link) -> Result<&Buffer> {
        self.pool.buffer(link)
    }

    /// Limits it to `most` words from now on. If it takes more, all of it is given back.
    pub(super) fn limit(&mut self, most: usize) {
        let most = most.min(MOST);
        if most != self.pool.most() {
            self.pool.limit(most);
            if self.pool.words() > most {
                self.forget();
                self.pool.drop_buffer();
            }
        }
    }

    /// Forgets everything.
    pub(super) fn forget(&mut self) {
        for (_, item) in self.items.drain() {
            BYTES.fetch_sub((item.words * WORD) as u64, Relaxed);
        }
        self.owners.clear();
        self.pool.clear();
    }

    /// The number of the next call of [`ensure`](Self::ensure).
    pub(super) fn next_call(&self) -> u64 {
        self.calls + 1
    }

    /// Evicts no item that was wanted in that call or a later one.
    pub(super) fn keep_since(&mut self, call: u64) {
        self.kept = call;
    }

    /// Whether items of earlier calls than the last one are kept.
    pub(super) fn is_kept(&self) -> bool {
        self.kept < self.calls
    }

    /// Whether an item is in the buffer.
    pub(super) fn has(&self, name: &Name) -> bool {
        self.items.contains_key(name)
    }

    /// Forgets the items of owners that are gone, for example those of segments that a merge has replaced.
    fn forget_orphans(&mut self) {
        if self.owners.values().all(WeakIdentity::is_alive) {
            return;
        }
        self.owners.retain(|_, owner| owner.is_alive());
        let owners = &self.owners;
        self.items.retain(|name, item| {
            let stays = owners.contains_key(&name.owner);
            if !stays {
                BYTES.fetch_sub((item.words * WORD) as u64, Relaxed);
            }
            stays
        });
    }

    /// The place of each of these items, if there is one; none at all if one of them is not in the buffer. What
    /// [`ensure`](Self::ensure) does, quickly, where it has nothing to do.
    pub(super) fn find<'k>(&mut self, wanted: impl Iterator<Item = Option<Key<'k>>>) -> Option<Vec<Option<Placed>>> {
        self.calls += 1;
        self.forget_orphans();
        let mut places = Vec::with_capacity(wanted.size_hint().0);
        for key in wanted {
            places.push(match key {
                Some(key) => {
                    let item = self.items.get_mut(&key.name())?;
                    item.want(self.calls, self.age);
                    Some(item.placed())
                }
                None => None,
            });
        }
        HITS.fetch_add(places.iter().flatten().count() as u64, Relaxed);
        Some(places)
    }

    /// Ensures that all of these items are in the buffer together, and appends the place of each to `places`. False if they
    /// do not fit.
    pub(super) fn ensure(
        &mut self,
        link: &Link,
        ferry: &mut Ferry,
        wanted: &[Key<'_>],
        build: &mut Build<'_>,
        places: &mut Vec<Placed>,
    ) -> Result<bool> {
        self.calls += 1;
        self.forget_orphans();
        let (mut missing, mut seen) = (Vec::new(), HashSet::<Name, Hashing>::default());
        let begin = places.len();
        for (at, key) in wanted.iter().enumerate() {
            match self.items.get_mut(&key.name()) {
                Some(item) => {
                    item.want(self.calls, self.age);
                    places.push(item.placed());
                }
                None => {
                    if seen.insert(key.name()) {
                        missing.push(at);
                    }
                }
            }
        }
        HITS.fetch_add((wanted.len() - missing.len()) as u64, Relaxed);
        MISSES.fetch_add(missing.len() as u64, Relaxed);
        if missing.is_empty() {
            return Ok(true);
        }
        places.truncate(begin);
        for missing in missing.chunks(AT_A_TIME) {
            let built = build(missing)?;
            if !self.add(link, ferry, wanted, missing, &built)? {
                return Ok(false);
            }
        }
        places.extend(wanted.iter().filter_map(|key| self.items.get(&key.name())).map(Item::placed));
        Ok(true)
    }

    /// Adds items that are not there.
    fn add(
        &mut self,
        link: &Link,
        ferry: &mut Ferry,
        wanted: &[Key<'_>],
        which: &[usize],
        built: &[Vec<u32>],
    ) -> Result<bool> {
        let sizes: Vec<usize> = built.iter().map(|words| words.len().next_multiple_of(ALIGNMENT)).collect();
        let Some(places) = self.place(link, &sizes)? else { return Ok(false) };
        let zeros = [0; ALIGNMENT];
        // Items that follow each other are sent together.
        let mut first = 0;
        while first < places.len() {
            let mut end = first + 1;
            while end < places.len() && places[end] == places[end - 1] + sizes[end - 1] {
                end += 1;
            }
            let parts = (first..end).flat_map(|at| {
                let words = &built[at];
                [as_bytes(words), as_bytes(&zeros[..sizes[at] - words.len()])]
            });
            let words = sizes[first..end].iter().sum();
            // SAFETY: each item and its padding have its size, and `words` is the sum.
            unsafe { self.pool.send(link, ferry, places[first], words, parts)? };
            first = end;
        }
        for (((&index, at), words), built) in which.iter().zip(places).zip(sizes).zip(built) {
            let key = &wanted[index];
            let loss = self.age + loss(1.0, words);
            let front = built.first().copied().unwrap_or_default();
            let item = Item { at, words, front, uses: 1.0, loss, call: self.calls };
            self.owners.entry(key.owner.number()).or_insert_with(|| key.owner.downgrade());
            self.items.insert(key.name(), item);
            BYTES.fetch_add((words * WORD) as u64, Relaxed);
        }
        Ok(true)
    }

    /// Finds room for items of these sizes, evicting others if there is none.
    fn place(&mut self, link: &Link, sizes: &[usize]) -> Result<Option<Vec<usize>>> {
        let mut room: usize = sizes.iter().sum();
        loop {
            let live = || -> Vec<Piece> { self.items.values().map(|item| (item.at, item.words)).collect() };
            if let Some(places) = self.pool.place(link, sizes, live)? {
                return Ok(Some(places));
            }
            if self.evict(room) == 0 {
                return Ok(None);
            }
            // What is free may be in pieces that are too small.
            room *= 2;
        }
    }

    /// Evicts items of `room` words, those with the least loss, but none that are [kept](Self::keep_since); returns the words
    /// evicted.
    fn evict(&mut self, room: usize) -> usize {
        let kept = self.kept.min(self.calls);
        let idle = self.items.iter().filter(|(_, item)| item.call < kept);
        let mut idle: Vec<(f64, usize, Name)> =
            idle.map(|(name, item)| (item.loss, item.words, name.clone())).collect();
        idle.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let mut evicted = 0;
        for (loss, words, name) in idle {
            if evicted >= room {
                break;
            }
            self.items.remove(&name);
            BYTES.fetch_sub((words * WORD) as u64, Relaxed);
            EVICTIONS.fetch_add(1, Relaxed);
            self.age = self.age.max(loss);
            evicted += words;
        }
        evicted
    }
}

fn loss(uses: f64, words: usize) -> f64 {
    uses * (OVERHEAD + words as f64) / words as f64
}
