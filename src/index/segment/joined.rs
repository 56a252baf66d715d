//! Postings that were put together of several lists, kept in memory once they were wanted again: those of a short prefix, which
//! takes a thousand lists, come again with every visitor who types its letter.

use super::Segment;
use crate::base::error::Result;
use crate::base::memory::room;
use crate::index::Kind;
use crate::index::list::maxima;
use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Postings of terms that count as one.
#[derive(Debug, Clone)]
pub struct Joined {
    /// Strictly increasing.
    pub doc_ids: Arc<Vec<u32>>,
    /// Frequencies less 1, as many.
    pub less_one: Arc<Vec<u32>>,
    maxima: Arc<OnceLock<Arc<[u32]>>>,
}

impl Joined {
    /// Postings, given as such columns.
    pub fn new(doc_ids: Vec<u32>, less_one: Vec<u32>) -> Joined {
        Joined { doc_ids: Arc::new(doc_ids), less_one: Arc::new(less_one), maxima: Arc::default() }
    }

    /// The [maxima] of their blocks, if they were kept.
    pub fn maxima(&self) -> Option<Arc<[u32]>> {
        self.maxima.get().cloned()
    }

    fn bytes(&self) -> usize {
        4 * (self.doc_ids.len() + self.less_one.len())
    }
}

/// What is kept takes at most so many bytes per document of the segment: what two lists of all documents take.
const BYTES_PER_DOCUMENT: usize = 16;

/// At most so many are kept, and what was wanted once is remembered of so many.
const MOST: usize = 256;

/// A field, and the values of the terms in its dictionary.
type Key = (usize, Box<[u64]>);

/// What a segment keeps.
#[derive(Debug, Default)]
pub(super) struct KeptJoined(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    /// The last one that was wanted is the last.
    all: VecDeque<(Key, Joined)>,
    bytes: usize,
    /// Hashes of keys that were wanted and are not kept.
    once: VecDeque<u64>,
}

impl Kept {
    fn get(&mut self, field: usize, values: &[u64]) -> Option<Joined> {
        let at = self.all.iter().position(|((other, of), _)| *other == field && **of == *values)?;
        let found = self.all.remove(at)?;
        let joined = found.1.clone();
        self.all.push_back(found);
        Some(joined)
    }

    /// Keeps what was wanted before. Returns whether it did.
    fn keep(&mut self, key: Key, joined: &Joined, most: usize) {
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        let hash = hasher.finish();
        let Some(at) = self.once.iter().position(|&other| other == hash) else {
            if self.once.len() == MOST {
                self.once.pop_front();
            }
            self.once.push_back(hash);
            return;
        };
        if joined.bytes() > most || self.all.iter().any(|(other, _)| *other == key) {
            return;
        }
        self.once.remove(at);
        self.bytes += joined.bytes();
        self.all.push_back((key, joined.clone()));
        while self.bytes > most || self.all.len() > MOST {
            let Some((_, first)) = self.all.pop_front() else { break };
            self.bytes -= first.bytes();
        }
    }
}

impl Segment {
    /// What `make` makes of the lists with these values in a field; kept if it is wanted again, and other things do not take its
    /// place. What is kept takes 16 bytes per document of the segment at most.
    pub fn joined(
        &self,
        field: usize,
        values: &[u64],
        make: impl FnOnce() -> Result<Option<Joined>>,
    ) -> Result<Option<Joined>> {
        let kept = || self.joined.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kept().get(field, values);
        if let Some(joined) = found {
            if joined.maxima.get().is_none() && self.schema.fields[field].kind == Kind::Text {
                let lengths = self.lengths(field)?;
                joined.maxima.get_or_init(|| maxima::of_list(&joined.doc_ids, &joined.less_one, lengths).into());
            }
            return Ok(Some(joined));
        }
        let Some(joined) = make()? else { return Ok(None) };
        let mut key = room(values.len())?;
        key.extend_from_slice(values);
        kept().keep((field, key.into()), &joined, BYTES_PER_DOCUMENT * self.documents() as usize);
        Ok(Some(joined))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(postings: usize) -> Joined {
        Joined::new(vec![0; postings], vec![0; postings])
    }

    fn key(value: u64) -> Key {
        (0, [value, 1].into())
    }

    #[test]
    fn what_was_wanted_twice_is_kept_until_others_take_its_place() {
        let mut kept = Kept::default();
        let most = 8 * 100;
        let mut want = |value: u64, postings: usize| {
            let found = kept.get(0, &[value, 1]).is_some();
            if !found {
                kept.keep(key(value), &of(postings), most);
            }
            assert!(kept.bytes <= most);
            assert_eq!(kept.bytes, kept.all.iter().map(|(_, joined)| joined.bytes()).sum::<usize>());
            found
        };
        assert!(!want(1, 40) && !want(1, 40) && want(1, 40));
        assert!(!want(2, 40) && !want(2, 40) && want(2, 40));
        // The first one was wanted last, so that the second has to go.
        assert!(want(1, 40));
        assert!(!want(3, 40) && !want(3, 40) && want(3, 40) && want(1, 40) && !want(2, 40));
        // Nothing goes for what has no room.
        assert!(!want(4, 101) && !want(4, 101) && !want(4, 101) && want(1, 40) && want(3, 40));
        for value in 10..10 + 2 * MOST as u64 {
            assert!(!want(value, 0) && !want(value, 0) && want(value, 0));
        }
        assert!(!want(1, 40));
        // What was wanted long ago is forgotten.
        assert!(!want(5, 1));
        (1000..1000 + MOST as u64).for_each(|value| assert!(!want(value, 1)));
        assert!(!want(5, 1) && !want(5, 1) && want(5, 1));
    }
}
