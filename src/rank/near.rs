//! Words of a phrase that stand close to each other.
//!
//! Each word of the phrase is looked for at a position of its own, in whatever order. Take from each of these positions the
//! word's place in the phrase: in the phrase itself all differences are equal. The words are *near* if the differences are in
//! a window of `slop + 1` numbers, so if the phrase comes about by moving words by `slop` in all, to one side. This is what
//! Lucene matches. `"a b"~1` allows a word between, `"a b"~2` two, or b before a.
//!
//! How often a document has it: in how many windows that begin with one of the differences. With `slop` 0 this is how often
//! it has the phrase.

use super::clock::Clock;
use super::phrase::{Found, PhraseTerm};
use crate::base::error::Result;
use crate::base::memory;
use crate::codec::block_buffer;
use crate::rank::score::Chosen;

/// The documents in which the terms are near. The terms are different.
///
/// # Errors
/// [`Error::Expired`](crate::Error::Expired) once the time is over; [`Error::OutOfMemory`](crate::Error::OutOfMemory).
pub fn near(mut terms: Vec<PhraseTerm>, slop: u32, clock: &Clock) -> Result<Found> {
    let (mut found, mut less_one) = (Vec::new(), Vec::new());
    terms.sort_by_key(|term| term.places.postings());
    let last = terms.iter().flat_map(|term| &term.offsets).copied().max().unwrap_or(0);
    let mut slots: Vec<Slot> = Vec::new();
    for (term, PhraseTerm { offsets, .. }) in terms.iter().enumerate() {
        // In the order in which they stand, so that the first gets the first position.
        let mut offsets = offsets.clone();
        offsets.sort_unstable();
        slots.extend(offsets.iter().map(|offset| Slot { term, shift: (last - offset).into(), next: 0 }));
    }
    let mut positions: Vec<Vec<u32>> = vec![Vec::new(); terms.len()];
    let mut starts: Vec<u64> = Vec::new();
    let mut doc_ids = block_buffer();
    let mut chosen = Chosen::default();
    for block in 0..terms.first().map_or(0, |lead| lead.places.blocks()) {
        clock.check()?;
        let (lead, others) = terms.split_at_mut(1);
        let count = lead[0].places.decode(block, &mut doc_ids);
        chosen.take_all(&doc_ids, 0, count);
        for other in others {
            if chosen.len > 0 {
                other.places.keep(&mut chosen);
            }
        }
        for list in [&mut found, &mut less_one] {
            memory::reserve(list, chosen.len)?;
        }
        for &doc_id in &chosen.doc_ids[..chosen.len] {
            clock.check()?;
            let mut has_all = true;
            for (term, positions) in terms.iter_mut().zip(&mut positions) {
                let Some(index) = term.places.index(doc_id) else {
                    has_all = false;
                    break;
                };
                let of_document = term.places.locate(index);
                term.places.positions(of_document, 0, positions);
            }
            let windows = if has_all { windows(&mut slots, &positions, &mut starts, slop.into()) } else { 0 };
            if windows > 0 {
                found.push(doc_id);
                less_one.push(windows - 1);
            }
        }
    }
    Ok((found, less_one))
}

/// A place in the phrase.
struct Slot {
    /// The number of its term.
    term: usize,
    /// What is added to a position, so that nothing is below 0.
    shift: u64,
    /// Of the term's positions, the first that is not before the window.
    next: usize,
}

/// In how many windows the slots have positions of their own. Slots of a term follow each other, those that stand first in
/// the phrase first.
fn windows(slots: &mut [Slot], positions: &[Vec<u32>], starts: &mut Vec<u64>, slop: u64) -> u32 {
    starts.clear();
    for slot in slots.iter_mut() {
        slot.next = 0;
        starts.extend(positions[slot.term].iter().map(|&position| u64::from(position) + slot.shift));
    }
    starts.sort_unstable();
    starts.dedup();
    let mut windows = 0;
    for &start in starts.iter() {
        // The term whose slots come now, and the first of its positions that is free.
        let mut of = (usize::MAX, 0);
        let is_window = slots.iter_mut().all(|slot| {
            let positions = &positions[slot.term];
            while positions.get(slot.next).is_some_and(|&position| u64::from(position) + slot.shift < start) {
                slot.next += 1;
            }
            let at = if of.0 == slot.term { slot.next.max(of.1) } else { slot.next };
            of = (slot.term, at + 1);
            positions.get(at).is_some_and(|&position| u64::from(position) + slot.shift <= start + slop)
        });
        windows += u32::from(is_window);
    }
    windows
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Whether the words of a phrase from `word` on have positions that are not in `used`, in the window.
    fn has(
        text: &[u8],
        phrase: &[u8],
        word: usize,
        window: std::ops::RangeInclusive<i64>,
        used: &mut Vec<usize>,
    ) -> bool {
        if word == phrase.len() {
            return true;
        }
        for at in 0..text.len() {
            let fits = text[at] == phrase[word] && window.contains(&(at as i64 - word as i64)) && !used.contains(&at);
            if fits {
                used.push(at);
                if has(text, phrase, word + 1, window.clone(), used) {
                    return true;
                }
                used.pop();
            }
        }
        false
    }

    proptest! {
        #[test]
        fn windows_are_those_by_definition(
            text in prop::collection::vec(0..4u8, 0..12),
            phrase in prop::collection::vec(0..4u8, 1..5),
            slop in 0..5i64,
        ) {
            let mut starts: Vec<i64> = (0..phrase.len())
                .flat_map(|word| (0..text.len()).map(move |at| (word, at)))
                .filter(|&(word, at)| text[at] == phrase[word])
                .map(|(word, at)| at as i64 - word as i64)
                .collect();
            starts.sort_unstable();
            starts.dedup();
            starts.retain(|&start| has(&text, &phrase, 0, start..=start + slop, &mut Vec::new()));
            let mut terms: Vec<u8> = phrase.clone();
            terms.sort_unstable();
            terms.dedup();
            let positions: Vec<Vec<u32>> = terms
                .iter()
                .map(|term| (0..text.len()).filter(|&at| text[at] == *term).map(|at| at as u32).collect())
                .collect();
            let mut slots = Vec::new();
            for (term, word) in terms.iter().enumerate() {
                for (at, _) in phrase.iter().enumerate().filter(|(_, other)| *other == word) {
                    slots.push(Slot { term, shift: (phrase.len() - 1 - at) as u64, next: 0 });
                }
            }
            let found = windows(&mut slots, &positions, &mut Vec::new(), slop as u64);
            prop_assert_eq!(found as usize, starts.len());
        }
    }
}
