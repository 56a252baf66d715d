//! [`Pattern`]: which terms of the dictionary a prefix or a fuzzy word stands for, and how far each is from what was typed.

use super::words::Graded;
use crate::query::{Atom, first_letter, fuzzy};
use fst::Automaton;
use levenshtein_automata::{DFA, Distance, SINK_STATE};

/// How much a term counts, by its [class](super::words::Word::class): the word itself, words that begin with it, and those
/// one and two edits away.
pub const DISCOUNTS: [f32; 4] = [1.0, 0.75, 0.5, 0.25];

/// The terms within some edits of a word, or of which a beginning is.
pub(super) struct Pattern {
    /// What tells it from others.
    key: Box<[u8]>,
    /// The term itself, if it is not the only one without edits.
    exact: Option<Vec<u8>>,
    /// What terms begin with.
    first: Vec<u8>,
    /// The whole term is compared with this word.
    whole: Option<DFA>,
    /// Each beginning of the term is compared with this one.
    start: Option<DFA>,
}

/// How far a [`Pattern`] has come in a term.
#[derive(Debug, Clone, Copy)]
pub(super) struct State {
    /// Bytes of what terms begin with; [`DEAD`] if this one does not.
    read: usize,
    whole: u32,
    start: u32,
    /// The fewest edits of a beginning so far; [`NONE`] if all have too many.
    fewest: u8,
}

const DEAD: usize = usize::MAX;
const NONE: u8 = u8::MAX;

impl Pattern {
    /// Of a fuzzy word, or a plain word that forgives typos or is a prefix too.
    pub(super) fn new(atom: &Atom) -> Pattern {
        let key = format!("{atom:?}").into_bytes().into();
        match atom {
            Atom::Fuzzy { word, distance } => Pattern {
                key,
                exact: None,
                first: Vec::new(),
                whole: Some(fuzzy::automaton(word, *distance)),
                start: None,
            },
            Atom::Like { term, word, edits, start } => {
                let first = first_letter(word, term.as_deref()).map(String::from);
                // What is as near as a whole is so as a beginning, too.
                let whole = term.as_ref().filter(|term| !start || *term != word);
                Pattern {
                    key,
                    exact: term.as_ref().map(|term| term.clone().into_bytes()),
                    first: first.unwrap_or_default().into_bytes(),
                    whole: whole.map(|term| fuzzy::automaton(term, *edits)),
                    start: start.then(|| fuzzy::automaton(word, *edits)),
                }
            }
            // Nothing.
            _ => Pattern { key, exact: None, first: Vec::new(), whole: None, start: None },
        }
    }

    /// What tells it from others.
    pub(super) fn key(&self) -> &[u8] {
        &self.key
    }

    /// What terms begin with.
    pub(super) fn first(&self) -> &[u8] {
        &self.first
    }

    /// A faster automaton of the same among terms that begin so, if there is one.
    pub(super) fn of_whole(&self) -> Option<&DFA> {
        self.whole.as_ref().filter(|_| self.start.is_none())
    }
}

/// The class of what is so many edits away.
fn class_of_edits(edits: u8) -> u8 {
    edits + u8::from(edits > 0)
}

/// The edits of what has led an automaton to this state, if they are few enough.
fn edits(automaton: Option<&DFA>, state: u32) -> Option<u8> {
    match automaton?.distance(state) {
        Distance::Exact(edits) => Some(edits),
        Distance::AtLeast(_) => None,
    }
}

impl Graded for DFA {
    fn class(&self, _: &[u8], &state: &u32) -> u8 {
        edits(Some(self), state).map_or(NONE, class_of_edits)
    }
}

impl Graded for Pattern {
    fn class(&self, term: &[u8], state: &State) -> u8 {
        if self.exact.as_deref() == Some(term) {
            return 0;
        }
        let of_whole = edits(self.whole.as_ref(), state.whole).map_or(NONE, class_of_edits);
        let of_start = if state.fewest == NONE { NONE } else { state.fewest + 1 };
        of_whole.min(of_start)
    }
}

impl Automaton for Pattern {
    type State = State;

    fn start(&self) -> State {
        let initial = |automaton: &Option<DFA>| automaton.as_ref().map_or(SINK_STATE, DFA::initial_state);
        State { read: 0, whole: initial(&self.whole), start: initial(&self.start), fewest: NONE }
    }

    fn is_match(&self, state: &State) -> bool {
        // What is shorter than the first letter lacks it.
        (self.first.len()..DEAD).contains(&state.read)
            && (state.fewest != NONE || edits(self.whole.as_ref(), state.whole).is_some())
    }

    fn can_match(&self, state: &State) -> bool {
        state.read != DEAD && (state.whole != SINK_STATE || state.start != SINK_STATE || state.fewest != NONE)
    }

    fn accept(&self, state: &State, byte: u8) -> State {
        let mut next = *state;
        if let Some(&wanted) = self.first.get(state.read) {
            next.read = if wanted == byte { state.read + 1 } else { DEAD };
        }
        let step = |automaton: &Option<DFA>, state: u32| match automaton {
            Some(automaton) if state != SINK_STATE => automaton.transition(state, byte),
            _ => SINK_STATE,
        };
        next.whole = step(&self.whole, state.whole);
        next.start = step(&self.start, state.start);
        if let Some(edits) = edits(self.start.as_ref(), next.start) {
            next.fewest = next.fewest.min(edits);
        }
        next
    }
}
