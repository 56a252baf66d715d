//! Where lists lie in the buffer of resident lists: placement alone, without lists, buffers or devices.
//!
//! Words are handed out from the front. When they run out, the room of lists that are gone is found again; if that is not
//! enough the buffer grows, to twice its size at least; if it may not, the arena is full, and its user clears it and
//! places anew what is wanted now.

/// Words of the first buffer.
pub(super) const FIRST: usize = 1 << 20;
/// Of the room between living lists, so many pieces are kept: the largest. Each is looked at for each list to place.
const MOST_FREE: usize = 256;

/// Where each piece was handed out: its first word, and how many.
pub(super) type Piece = (usize, usize);

/// Which words of a buffer are taken.
#[derive(Debug, Clone, Default)]
pub(super) struct Arena {
    /// Words of the buffer, and how many of them from the front were handed out.
    capacity: usize,
    tail: usize,
    /// Words that the buffer may have at most.
    most: usize,
    /// Pieces before the tail that are free.
    free: Vec<Piece>,
}

impl Arena {
    /// An empty one, of no words yet.
    pub(super) fn new(most: usize) -> Arena {
        Arena { most, ..Arena::default() }
    }

    /// Words that the buffer must have.
    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    /// Words from the front that hold everything that was placed.
    pub(super) fn tail(&self) -> usize {
        self.tail
    }

    /// Words that the buffer may have at most.
    pub(super) fn most(&self) -> usize {
        self.most
    }

    /// Limits the buffer to that many words from now on.
    pub(super) fn limit(&mut self, words: usize) {
        self.most = words;
        self.capacity = self.capacity.min(words);
    }

    /// Everything placed is gone.
    pub(super) fn clear(&mut self) {
        self.free.clear();
        self.tail = 0;
    }

    /// Ensures that the buffer has at least that many words; false if it may not.
    pub(super) fn reserve(&mut self, words: usize) -> bool {
        if words > self.most {
            return false;
        }
        if words > self.capacity {
            self.capacity = words.next_power_of_two().max(2 * self.capacity).max(FIRST).min(self.most);
        }
        true
    }

    /// The first word for each of these sizes; `None` if the arena is full, which then is as it was. `live` says what was
    /// placed and is not gone; it is asked only if room is short.
    pub(super) fn place(&mut self, sizes: &[usize], live: impl FnOnce() -> Vec<Piece>) -> Option<Vec<usize>> {
        let (places, next) = self.placed(sizes, false).or_else(|| {
            let mut swept = self.clone();
            swept.sweep(live());
            swept.placed(sizes, true)
        })?;
        *self = next;
        Some(places)
    }

    /// The places, and the arena with them taken.
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

    /// The first free piece that is large enough.
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

    /// Finds the room between living pieces. Less than an eighth of the arena is not worth the bookkeeping: then there is
    /// none.
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
        // What lies after the last living piece goes back to the tail.
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

    /// Which words are whose, one by one: what placement is compared with.
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
        /// Every n-th living piece goes, from the k-th on.
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
                                // Cleared, it takes what fits at all.
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
                    // As where a larger buffer could not be had.
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
