//! [`Kept`]: what was made of a segment and is wanted again.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, PoisonError};

/// At most so many are kept, and what was wanted once is remembered of so many.
const MOST: usize = 256;

/// What was wanted at least twice, until others take its place: those that were wanted last stay. Clones of what is kept must be
/// cheap.
#[derive(Debug)]
pub(super) struct Kept<K, V>(Mutex<All<K, V>>);

#[derive(Debug)]
struct All<K, V> {
    /// With the bytes that each takes. The last one that was wanted is the last.
    all: VecDeque<(K, V, usize)>,
    bytes: usize,
    /// Hashes of keys that were wanted and are not kept.
    once: VecDeque<u64>,
}

impl<K, V> Default for Kept<K, V> {
    fn default() -> Self {
        Kept(Mutex::new(All { all: VecDeque::new(), bytes: 0, once: VecDeque::new() }))
    }
}

impl<K: Hash + PartialEq, V: Clone> Kept<K, V> {
    /// What is kept of a key that `is` it.
    pub fn get(&self, is: impl Fn(&K) -> bool) -> Option<V> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.all.iter().position(|(key, ..)| is(key))?;
        let found = kept.all.remove(at)?;
        let value = found.1.clone();
        kept.all.push_back(found);
        Some(value)
    }

    /// Keeps a value that takes so many bytes, if its key was wanted before; all that is kept takes `most` bytes at most.
    pub fn keep(&self, key: K, value: &V, bytes: usize, most: usize) {
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        let hash = hasher.finish();
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(at) = kept.once.iter().position(|&other| other == hash) else {
            if kept.once.len() == MOST {
                kept.once.pop_front();
            }
            kept.once.push_back(hash);
            return;
        };
        if bytes > most || kept.all.iter().any(|(other, ..)| *other == key) {
            return;
        }
        kept.once.remove(at);
        kept.bytes += bytes;
        kept.all.push_back((key, value.clone(), bytes));
        while kept.bytes > most || kept.all.len() > MOST {
            let Some((.., bytes)) = kept.all.pop_front() else { break };
            kept.bytes -= bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_wanted_twice_is_kept_until_others_take_its_place() {
        let kept = Kept::<u64, ()>::default();
        let want = |key: u64, bytes: usize| {
            let found = kept.get(|&other| other == key).is_some();
            if !found {
                kept.keep(key, &(), bytes, 800);
            }
            let all = kept.0.lock().unwrap();
            assert!(all.bytes <= 800);
            assert_eq!(all.bytes, all.all.iter().map(|kept| kept.2).sum::<usize>());
            found
        };
        assert!(!want(1, 320) && !want(1, 320) && want(1, 320));
        assert!(!want(2, 320) && !want(2, 320) && want(2, 320));
        // The first one was wanted last, so that the second has to go.
        assert!(want(1, 320));
        assert!(!want(3, 320) && !want(3, 320) && want(3, 320) && want(1, 320) && !want(2, 320));
        // Nothing goes for what has no room.
        assert!(!want(4, 808) && !want(4, 808) && !want(4, 808) && want(1, 320) && want(3, 320));
        for key in 10..10 + 2 * MOST as u64 {
            assert!(!want(key, 0) && !want(key, 0) && want(key, 0));
        }
        assert!(!want(1, 320));
        // What was wanted long ago is forgotten.
        assert!(!want(5, 8));
        (1000..1000 + MOST as u64).for_each(|key| assert!(!want(key, 8)));
        assert!(!want(5, 8) && !want(5, 8) && want(5, 8));
    }
}
