//! [`Near`]: where the words of a phrase stand close to each other in a text, as search has it (in `rank`, `near`).
//!
//! Take from the position of each word its place in the phrase. If a window of `slop + 1` of these numbers has all
//! words of the phrase, each at a position of its own, then all their occurrences in the window are matched.

use super::matches::Match;

/// Where a text has a term.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) position: u32,
    pub(super) word: Match,
}

/// The words of a phrase that may be moved.
#[derive(Debug)]
pub(super) struct Near {
    slots: Vec<Slot>,
    slop: u64,
}

/// A word of the phrase.
#[derive(Debug)]
struct Slot {
    /// The number of its term among those whose places are given.
    term: usize,
    /// What is added to a position, so that nothing is below 0.
    shift: u64,
}

/// How far a slot has come in the places of its term.
#[derive(Clone, Copy, Default)]
struct Progress {
    /// The first place that is not before the window.
    next: usize,
    /// The first that was not marked.
    marked: usize,
}

impl Near {
    /// The place in the phrase, and the number among those whose places will be given, of each term.
    pub(super) fn new(terms: impl Iterator<Item = (u32, usize)>, slop: u32) -> Near {
        let mut terms: Vec<(usize, u32)> = terms.map(|(offset, term)| (term, offset)).collect();
        // Slots of a term follow each other, in the order in which they stand, so that the first gets the first
        // position.
        terms.sort_unstable();
        let last = terms.iter().map(|&(_, offset)| offset).max().unwrap_or(0);
        let slots = terms.iter().map(|&(term, offset)| Slot { term, shift: (last - offset).into() }).collect();
        Near { slots, slop: slop.into() }
    }

    /// Marks which places of each term match. Each window takes as long as the phrase has words.
    pub(super) fn find(&self, places: &[Vec<Place>], is_matched: &mut [Vec<bool>]) {
        let mut progress = vec![Progress::default(); self.slots.len()];
        let number = |slot: &Slot, at: usize| -> Option<u64> {
            places[slot.term].get(at).map(|place| u64::from(place.position) + slot.shift)
        };
        let first = self.slots.iter().map(|slot| number(slot, 0));
        let Some(mut start) = first.collect::<Option<Vec<u64>>>().and_then(|first| first.into_iter().min()) else {
            return;
        };
        loop {
            let end = start + self.slop;
            // The term whose slots come now, and the first of its places that is free.
            let mut of = (usize::MAX, 0);
            let mut is_match = true;
            for (slot, progress) in self.slots.iter().zip(&mut progress) {
                while number(slot, progress.next).is_some_and(|number| number < start) {
                    progress.next += 1;
                }
                if progress.next == places[slot.term].len() {
                    return;
                }
                let at = if of.0 == slot.term { progress.next.max(of.1) } else { progress.next };
                of = (slot.term, at + 1);
                is_match &= number(slot, at).is_some_and(|number| number <= end);
            }
            if is_match {
                for (slot, progress) in self.slots.iter().zip(&mut progress) {
                    progress.marked = progress.marked.max(progress.next);
                    while number(slot, progress.marked).is_some_and(|number| number <= end) {
                        is_matched[slot.term][progress.marked] = true;
                        progress.marked += 1;
                    }
                }
            }
            let later = self.slots.iter().zip(&progress).filter_map(|(slot, progress)| {
                let next = number(slot, progress.next).filter(|&number| number > start);
                next.or_else(|| number(slot, progress.next + 1))
            });
            match later.min() {
                Some(later) => start = later,
                None => return,
            }
        }
    }
}
