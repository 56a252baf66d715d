//! Decides where lists go in the buffer of resident lists. This is placement alone; no lists, buffers or devices are
//! involved.
//!
//! Words are allocated from the front. When they run out, the ranges of lists that no longer exist are reused. If that
//! is not enough, the buffer grows to at least twice its size. If it may not grow, the arena is full: the caller clears
//! it and places the lists that it needs now.

/// Words of the first buffer.
pub(super) const FIRST: usize = 1 << 20;
/// How many free ranges are kept, the largest ones. Placing a list searches them linearly.
const MOST_FREE: usize = 256;

/// An allocated or free range: its first word, and the number of words.
pub(super) type Piece = (usize, usize);

/// Which words of a buffer are allocated.
#[derive(Debug, Clone, Default)]
pub(super) struct Arena {
    /// The size of the buffer in words. Everything placed lies before `tail`.
    capacity: usize,
    tail: usize,
    /// The largest size that the buffer may have, in words.
    most: usize,
    /// Free ranges before `tail`.
    free: Vec<Piece>,
}

impl Arena {
    /// An empty arena of no words, which may grow to `most` words.
    pub(super) fn new(most: usize) -> Arena {
        Arena { most, ..Arena::default() }
    }

    /// The size that the buffer must have, in words.
    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    /// Everything placed lies before this word.
    pub(super) fn tail(&self) -> usize {
        self.tail
    }

    /// The largest size that the buffer may have, in words.
    pub(super) fn most(&self) -> usize {
        self.most
    }

    /// Limits the buffer to `words` words from now on.
    pub(super) fn limit(&mut self, words: usize) {
        self.most = words;
        self.capacity = self.capacity.min(words);
    }

    /// Frees everything.
    pub(super) fn clear(&mut self) {
        self.free.clear();
        self.tail = 0;
    }

    /// Grows the buffer to at least `words` words; false if it may not be that large.
    pub(super) fn reserve(&mut self, words: usize) -> bool {
        if words > self.most {
            return false;
        }
        if words > self.capacity {
            self.capacity = words.next_power_of_two().max(2 * self.capacity).max(FIRST).min(self.most);
        }
        true
    }

    /// Allocates a range of each of these sizes and returns their first words; `None` if the arena is full, which
    /// leaves it unchanged. `live` returns the ranges that are still in use; it is called only if room is short.
    pub(super) fn place(&mut self, sizes: &[usize], live: impl FnOnce() -> Vec<Piece>) -> Option<Vec<usize>> {
        let (places, next) = self.placed(sizes, false).or_else(|| {
            let mut swept = self.clone();
            swept.sweep(live());
            swept.placed(sizes, true)
        })?;
        *self = next;
        Some(places)
    }

    /// The allocated ranges' first words, and the arena after the allocation.
    fn placed(&self, sizes: &[usize], may_grow: bool) -> Option<(Vec<usize>, Arena)> {
        let mut next = self.clone();
        let mut rest: usize = sizes.iter().sum();
        let mut places = Vec::with_capacity(sizes.len());
        for &words in sizes {
            places.push(match next.take_free(words) {
                Some(at) => at,
                None => {
                    let short = next.tail + words > next.capacity;
                    if short && (!may_grow || !next.reserve(next.tail + rest)) {
                        return None;
                    }
                    next.tail += words;
                    next.tail - words
                }
            });
            rest -= words;
        }
        Some((places, next))
    }

    /// Allocates from the first free range that is large enough.
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

    /// Rebuilds the free ranges from the ranges in use. If less than an eighth of the arena is free, the free ranges
    /// are dropped, because they are not worth the bookkeeping.
    fn sweep(&mut self, mut live: Vec<Piece>) {
        live.sort_unstable();
        let mut free = Vec::new();
        let mut end = 0;
        for (at, words) in live {
            if at > end {
                free.push((end, at - end));
            }
            end = at + words;
        }
        // Everything after the last range in use becomes free again.
        self.tail = end;
        let room: usize = free.iter().map(|&(_, words)| words).sum::<usize>() + self.capacity - end;
        free.sort_unstable_by_key(|&(_, words)| std::cmp::Reverse(words));
        free.truncate(MOST_FREE);
        self.free = if room >= self.capacity / 8 { free } else { Vec::new() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// The model that placement is compared with: all ranges in use, first word to length.
    #[derive(Default)]
    struct Model {
        live: BTreeMap<usize, usize>,
    }

    impl Model {
        fn live(&self) -> Vec<Piece> {
            self.live.iter().map(|(&at, &words)| (at, words)).collect()
        }

        fn add(&mut self, at: usize, words: usize) {
            for (&other, &length) in &self.live {
                assert!(at + words <= other || other + length <= at, "({at}, {words}) overlaps ({other}, {length})");
            }
            assert!(words == 0 || self.live.insert(at, words).is_none());
        }
    }

    #[derive(Debug, Clone)]
    enum Step {
        Place(Vec<usize>),
        /// Frees every n-th range in use after the first k.
        Drop(usize, usize),
        Clear,
        Limit,
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            8 => prop::collection::vec((1..200_000usize).prop_map(|words| words * 16 / 64 + 16), 0..12).prop_map(Step::Place),
            4 => (1..5usize, 0..5usize).prop_map(|(every, from)| Step::Drop(every, from)),
            1 => Just(Step::Clear),
            1 => Just(Step::Limit),
        ]
    }

    proptest! {
        #[test]
        fn living_pieces_never_overlap_and_stay_within(
            most in (1usize << 12)..3_000_000,
            steps in prop::collection::vec(step(), 1..60),
        ) {
            let mut arena = Arena::new(most);
            let mut model = Model::default();
            for step in steps {
                match step {
                    Step::Place(sizes) => {
                        let before = arena.clone();
                        match arena.place(&sizes, || model.live()) {
                            Some(places) => {
                                prop_assert_eq!(places.len(), sizes.len());
                                for (at, words) in places.into_iter().zip(sizes) {
                                    model.add(at, words);
                                    prop_assert!(at + words <= arena.tail());
                                }
                            }
                            None => {
                                prop_assert_eq!(format!("{before:?}"), format!("{arena:?}"), "as it was");
                                let end = model.live().last().map_or(0, |&(at, words)| at + words);
                                let wanted: usize = sizes.iter().sum();
                                prop_assert!(end + wanted > arena.most(), "{} + {} would fit", end, wanted);
                                // Once cleared, it accepts whatever fits at all.
                                arena.clear();
                                model.live.clear();
                                let placed = arena.place(&sizes, Vec::new);
                                prop_assert_eq!(placed.is_some(), wanted <= arena.most());
                                for (at, words) in placed.into_iter().flatten().zip(sizes) {
                                    model.add(at, words);
                                }
                            }
                        }
                    }
                    Step::Drop(every, from) => {
                        let mut number = 0;
                        model.live.retain(|_, _| { number += 1; number <= from || number % every != 0 });
                    }
                    Step::Clear => {
                        arena.clear();
                        model.live.clear();
                    }
                    // As if the device had refused a larger buffer.
                    Step::Limit => arena.limit(arena.capacity().max(FIRST).min(arena.most())),
                }
                prop_assert!(arena.tail() <= arena.capacity() && arena.capacity() <= arena.most());
            }
        }
    }

    #[test]
    fn room_of_what_is_gone_is_used_before_the_buffer_grows() {
        let mut arena = Arena::new(8 * FIRST);
        let quarter = FIRST / 4;
        assert_eq!(arena.place(&[quarter; 4], Vec::new).unwrap(), [0, quarter, 2 * quarter, 3 * quarter]);
        let live = vec![(0, quarter), (3 * quarter, quarter)];
        assert_eq!(arena.place(&[quarter], || live.clone()).unwrap(), [quarter]);
        assert_eq!(arena.place(&[quarter], || unreachable!("room is known")).unwrap(), [2 * quarter]);
        assert_eq!(arena.capacity(), FIRST);
        let all = (0..4).map(|i| (i * quarter, quarter)).collect::<Vec<_>>();
        assert_eq!(arena.place(&[16], || all).unwrap(), [FIRST]);
        assert_eq!(arena.capacity(), 2 * FIRST);
    }
}
