//! Which lists are in device memory, and where.

use super::arena::Piece;
use super::ferry::Ferry;
use super::pool::Pool;
use super::{ALIGNMENT, PADDING, as_bytes};
use crate::base::error::{Error, Result};
use crate::device::cl::Buffer;
use crate::device::link::Link;
use crate::list::{PostingList, WeakList};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// The range of a list in the buffer.
pub(in crate::device) struct Resident {
    /// Its first word.
    at: usize,
    /// Its length in words, including padding and alignment.
    words: usize,
    list: WeakList,
}

/// Hashes list ids, which are consecutive numbers.
#[derive(Default)]
pub(in crate::device) struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u32(&mut self, id: u32) {
        self.write_u64(id.into());
    }

    fn write_u64(&mut self, id: u64) {
        self.0 = (self.0 ^ id).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32);
    }
}

/// The resident lists of a device.
pub(super) struct Residency {
    pool: Pool,
    lists: HashMap<u64, Resident, BuildHasherDefault<IdHasher>>,
}

/// Where lists are in device memory. Several threads may ask.
pub(in crate::device) struct Places<'r>(&'r HashMap<u64, Resident, BuildHasherDefault<IdHasher>>);

impl Places<'_> {
    /// The word of the arena at which the list begins; `None` if it is not there.
    pub(in crate::device) fn of(&self, list: &PostingList) -> Option<u64> {
        self.0.get(&list.id()).map(|resident| resident.at as u64)
    }
}

/// A transfer of several lists to consecutive words of the buffer, so that many small lists need few commands.
struct Sending<'l> {
    at: usize,
    words: usize,
    lists: Vec<&'l PostingList>,
}

/// Words of a list that are sent: the list, and its last docIDs if they are not a part of it.
fn sent_words(list: &PostingList) -> usize {
    list.words().len() + list.derived_last_doc_ids().len()
}

/// Words that a list takes in the arena.
fn arena_words(list: &PostingList) -> usize {
    (sent_words(list) + PADDING).next_multiple_of(ALIGNMENT)
}

/// Removes repeated lists.
fn distinct(mut lists: Vec<&PostingList>) -> Vec<&PostingList> {
    lists.sort_unstable_by_key(|list| list.id());
    lists.dedup_by_key(|list| list.id());
    lists
}

impl Residency {
    /// No resident lists yet; they may take `most` words.
    pub(super) fn new(most: usize) -> Residency {
        Residency { pool: Pool::new(most), lists: HashMap::default() }
    }

    /// Whether a list is in device memory now.
    pub(super) fn has(&self, list: &PostingList) -> bool {
        self.lists.contains_key(&list.id())
    }

    /// Where lists are now.
    pub(super) fn places(&self) -> Places<'_> {
        Places(&self.lists)
    }

    /// Words of the buffer.
    pub(super) fn words(&self) -> usize {
        self.pool.words()
    }

    /// Forgets all lists.
    pub(super) fn forget(&mut self) {
        self.lists.clear();
        self.pool.clear();
    }

    /// The buffer, which is created even before the first list.
    pub(super) fn buffer(&mut self, link: &Link) -> Result<&Buffer> {
        self.pool.buffer(link)
    }

    /// Ensures that all of these lists are in the buffer together, and appends the first word of each to `at`.
    pub(super) fn ensure<'l>(
        &mut self,
        link: &Link,
        ferry: &mut Ferry,
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
        at.truncate(begin);
        let placed = self.place(link, &distinct(missing)).and_then(|sendings| match sendings {
            Some(sendings) => Ok(sendings),
            None => {
                // The arena is full: forget all lists, and send all those of this call.
                self.forget();
                let all = distinct(lists.clone().collect());
                let words: usize = all.iter().map(|list| arena_words(list)).sum();
                self.place(link, &all)?.ok_or_else(|| {
                    Error::Device(format!("{words} words of lists do not fit in the {} for them", self.pool.most()))
                })
            }
        });
        let sent = placed.and_then(|sendings| sendings.iter().try_for_each(|sending| self.send(link, ferry, sending)));
        if let Err(error) = sent {
            // Some lists may have a range without their words having been sent.
            self.forget();
            return Err(error);
        }
        at.extend(lists.filter_map(|list| self.lists.get(&list.id())).map(|resident| resident.at as u64));
        Ok(())
    }

    /// Gives each of these lists, none of which is resident, a range. If the arena is full, returns `None`, and the
    /// caller must forget all lists.
    fn place<'l>(&mut self, link: &Link, lists: &[&'l PostingList]) -> Result<Option<Vec<Sending<'l>>>> {
        let sizes: Vec<usize> = lists.iter().map(|list| arena_words(list)).collect();
        let known = &mut self.lists;
        let live = || -> Vec<Piece> {
            known.retain(|_, resident| resident.list.is_alive());
            known.values().map(|resident| (resident.at, resident.words)).collect()
        };
        let Some(places) = self.pool.place(link, &sizes, live)? else {
            return Ok(None);
        };
        let mut sendings: Vec<Sending<'l>> = Vec::new();
        for ((&list, at), words) in lists.iter().zip(places).zip(sizes) {
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

    fn send(&mut self, link: &Link, ferry: &mut Ferry, sending: &Sending) -> Result<()> {
        const ZEROS: [u32; PADDING + ALIGNMENT] = [0; PADDING + ALIGNMENT];
        let parts = sending.lists.iter().flat_map(|list| {
            let padding = arena_words(list) - sent_words(list);
            [as_bytes(list.words()), as_bytes(list.derived_last_doc_ids()), as_bytes(&ZEROS[..padding])]
        });
        // SAFETY: each list takes its `arena_words`, and `sending.words` is their sum.
        unsafe { self.pool.send(link, ferry, sending.at, sending.words, parts) }
    }

    #[cfg(test)]
    pub(super) fn limit(&mut self, words: usize) {
        self.pool.limit(words);
    }

    /// Words of the buffer, and how many of them were handed out.
    #[cfg(test)]
    pub(super) fn in_use(&self) -> (usize, usize) {
        self.pool.in_use()
    }
}
