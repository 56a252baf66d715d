//! [`TermWalk`]: the terms of an `fst` map that an automaton accepts.
//!
//! `fst` has one, too, which reads each node to which a transition leads before it asks the automaton, and moves what is known of
//! both nodes at each step: with an automaton that follows few transitions it takes twice as long.

use fst::Automaton;
use fst::raw::{Fst, Node};
use std::cell::Cell;
use std::rc::Rc;

/// A node on the way to the present one.
struct Visited<'d, S> {
    node: Node<'d>,
    /// Its next transition.
    next: usize,
    state: S,
    /// What the way has added to the value.
    value: u64,
}

/// A walk in the order of the terms' bytes. Forged maps make it panic, or give anything.
pub(super) struct TermWalk<'d, D, A: Automaton> {
    fst: &'d Fst<D>,
    automaton: A,
    /// The node of each beginning of `term`, from the root on; empty at the end.
    path: Vec<Visited<'d, A::State>>,
    term: Vec<u8>,
    /// What no term reaches.
    end: Option<Vec<u8>>,
    /// Whether the last node of the path may be that of the next term.
    is_next: bool,
    /// Transitions that it may look at yet. It ends when there are none left.
    steps: Rc<Cell<u64>>,
}

impl<'d, D: AsRef<[u8]>, A: Automaton<State: Clone>> TermWalk<'d, D, A> {
    /// A walk from `first` on, to the last before `end`.
    pub fn new(
        fst: &'d Fst<D>,
        automaton: A,
        first: &[u8],
        end: Option<&[u8]>,
        steps: Rc<Cell<u64>>,
    ) -> TermWalk<'d, D, A> {
        let root = Visited { node: fst.root(), next: 0, state: automaton.start(), value: 0 };
        let end = end.map(<[u8]>::to_vec);
        let mut walk = TermWalk { fst, automaton, path: vec![root], term: Vec::new(), end, is_next: true, steps };
        walk.seek(first);
        if walk.end.as_ref().is_some_and(|end| walk.term >= *end) {
            walk.path.clear();
        }
        walk
    }

    /// Goes from the root to `first`, or as far as there are terms.
    fn seek(&mut self, first: &[u8]) {
        for &byte in first {
            let Some(Visited { node, next, state, value }) = self.path.last_mut() else { return };
            let Some(found) = node.find_input(byte) else {
                *next = node.transitions().position(|transition| transition.inp > byte).unwrap_or(node.len());
                self.is_next = false;
                return;
            };
            *next = found + 1;
            let transition = node.transition(found);
            let value = value.wrapping_add(transition.out.value());
            let state = self.automaton.accept(state, byte);
            self.term.push(byte);
            self.path.push(Visited { node: self.fst.node(transition.addr), next: 0, state, value });
        }
    }

    /// Whether one more byte has led to the end.
    fn is_over(&self) -> bool {
        self.end.as_ref().is_some_and(|end| self.term.len() <= end.len() && self.term >= *end)
    }

    /// The next term, its value, and the state to which it led the automaton.
    #[inline]
    pub fn next(&mut self) -> Option<(&[u8], u64, A::State)> {
        while let Some(Visited { node, next, state, value }) = self.path.last_mut() {
            if std::mem::replace(&mut self.is_next, false) && node.is_final() && self.automaton.is_match(state) {
                let value = value.wrapping_add(node.final_output().value());
                return Some((&self.term, value, state.clone()));
            }
            if *next == node.len() {
                self.path.pop();
                self.term.pop();
                continue;
            }
            let steps = self.steps.get();
            if steps == 0 {
                self.path.clear();
                return None;
            }
            self.steps.set(steps - 1);
            let transition = node.transition(*next);
            *next += 1;
            let state = self.automaton.accept(state, transition.inp);
            if !self.automaton.can_match(&state) {
                continue;
            }
            let value = value.wrapping_add(transition.out.value());
            self.term.push(transition.inp);
            if self.is_over() {
                self.path.clear();
                return None;
            }
            self.path.push(Visited { node: self.fst.node(transition.addr), next: 0, state, value });
            self.is_next = true;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fst::automaton::{AlwaysMatch, Subsequence};
    use fst::{IntoStreamer, Streamer};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn steps() -> Rc<Cell<u64>> {
        Rc::new(Cell::new(u64::MAX))
    }

    proptest! {
        #[test]
        fn it_finds_what_that_of_fst_does(
            terms in prop::collection::btree_set("[a-d]{0,5}", 0..60), first in "[a-e]{0,3}",
            end in prop::option::of("[a-e]{0,3}"), part in "[a-d]{0,2}"
        ) {
            let terms: BTreeSet<String> = terms;
            let map = fst::Map::from_iter(terms.iter().zip(100u64..)).unwrap();
            let mut expected = Vec::new();
            let all = map.search_with_state(Subsequence::new(&part)).ge(&first);
            let mut stream = if let Some(end) = &end { all.lt(end) } else { all }.into_stream();
            while let Some((term, value, state)) = stream.next() {
                expected.push((term.to_vec(), value, state));
            }
            let end = end.as_ref().map(String::as_bytes);
            let mut walk = TermWalk::new(map.as_fst(), Subsequence::new(&part), first.as_bytes(), end, steps());
            let mut found = Vec::new();
            while let Some((term, value, state)) = walk.next() {
                found.push((term.to_vec(), value, state));
            }
            prop_assert_eq!(found, expected);
            prop_assert!(walk.next().is_none());
        }
    }

    #[test]
    fn it_ends_when_it_has_no_steps_left() {
        let map = fst::Map::from_iter([("aaa", 1u64), ("aab", 2), ("b", 3)]).unwrap();
        for (left, found) in [(0, 0), (3, 1), (4, 2), (5, 3), (6, 3)] {
            let steps = Rc::new(Cell::new(left));
            let mut walk = TermWalk::new(map.as_fst(), AlwaysMatch, b"", None, steps.clone());
            assert_eq!(std::iter::from_fn(|| walk.next().map(drop)).count(), found);
            assert_eq!(steps.get(), left.saturating_sub(5));
        }
    }
}
