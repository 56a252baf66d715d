//! [`Dictionary`]: the terms of a field, and walks through those of one or several segments.
//!
//! It is a map of the crate `fst`, which trusts its bytes. Checksums find damage, but not what was forged, so whatever a map says
//! is an error here at worst:
//!
//! - Nodes that are not where a map says make `fst` panic, which is caught. (It has no unsafe code.)
//! - Nodes lead to smaller addresses only, so no path has an end without end. There may be exponentially many paths, though, none
//!   of which ends in a term: a walk is given up after as many steps as its number of terms can need.
//! - More terms than the map says are an error.
//!
//! A term is found node by node, and where each node is, only the one before tells: out of the caches that takes a wait for nearly each.
//! So several terms are looked up [in turns](Dictionary::get_all).

use super::Bytes;
use super::run::RunTerms;
use super::term_walk::TermWalk;
use crate::base::error::{Error, Result};
use crate::base::memory::prefetch;
use crate::index::LONGEST_KEYWORD;
use fst::automaton::AlwaysMatch;
use fst::map::{IndexedValue, OpBuilder, Stream};
use fst::raw::{CompiledAddr, Fst, Node, Output};
use fst::{Automaton, IntoStreamer, Streamer};
use smallvec::SmallVec;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

/// The terms of a field, in the order of their bytes, each with a value: that by which its list is found.
#[derive(Debug)]
pub struct Dictionary {
    map: fst::Map<Bytes>,
    place: Place,
}

/// What errors name.
#[derive(Debug, Clone)]
struct Place {
    part: String,
    at: usize,
}

impl Place {
    #[cold]
    fn corrupt(&self, what: impl Into<String>) -> Error {
        Error::corrupt("segment", self.part.clone(), self.at, what)
    }

    /// What `read` returns, if `fst` bears it.
    fn guarded<T>(&self, read: impl FnOnce() -> T) -> Result<T> {
        // What a panic leaves behind is not used again: a walk that had one ends.
        catch_unwind(AssertUnwindSafe(read)).map_err(|_| self.corrupt("its nodes are not where they should be"))
    }
}

impl Dictionary {
    /// A map whose bytes are at `at` of a file; `part` says which part of which file.
    pub(super) fn new(bytes: Bytes, part: String, at: usize) -> Result<Dictionary> {
        let place = Place { part, at };
        let map = place.guarded(|| fst::Map::new(bytes))?.map_err(|error| place.corrupt(error.to_string()))?;
        Ok(Dictionary { map, place })
    }

    /// One without terms.
    pub(super) fn empty() -> Result<Dictionary> {
        let place = Place { part: "dictionary of a new field".into(), at: 0 };
        let none = fst::Map::default().map_data(|bytes: Vec<u8>| Bytes::Own(bytes.into()));
        Ok(Dictionary { map: none.map_err(|error| place.corrupt(error.to_string()))?, place })
    }

    /// Compares the checksum that the map itself has.
    pub(super) fn verify(&self) -> Result<()> {
        self.map.as_fst().verify().map_err(|error| self.place.corrupt(error.to_string()))
    }

    /// How many terms it has.
    pub fn len(&self) -> usize {
        self.map.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    /// Its bytes in the file.
    pub fn bytes(&self) -> usize {
        self.map.as_fst().as_bytes().len()
    }

    /// The value of a term, if it is there.
    ///
    /// # Errors
    /// [`Error::Corrupt`] for a forged map. So have all methods here.
    #[inline]
    pub fn get(&self, term: &[u8]) -> Result<Option<u64>> {
        self.place.guarded(|| self.map.get(term))
    }

    /// The values of some terms, each in its dictionary, in the order of the terms; as many as there are.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub fn get_all(terms: &[(&Dictionary, &[u8])], values: &mut [Option<u64>]) -> Result<()> {
        for (terms, values) in terms.chunks(TOGETHER).zip(values.chunks_mut(TOGETHER)) {
            if catch_unwind(AssertUnwindSafe(|| in_turns(terms, values))).is_err() {
                // One of them is wrong, and says so.
                for ((dictionary, term), value) in terms.iter().zip(values) {
                    *value = dictionary.get(term)?;
                }
            }
        }
        Ok(())
    }

    /// The term that has a value, if values ascend with terms.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub fn term_of(&self, value: u64) -> Result<Option<Vec<u8>>> {
        self.place.guarded(|| self.map.as_fst().get_key(value))
    }

    /// All terms.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub fn terms(&self) -> Result<Terms<'_>> {
        self.matching(AlwaysMatch, b"", None)
    }

    /// The terms from `first` on.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub fn from(&self, first: &[u8]) -> Result<Terms<'_>> {
        self.matching(AlwaysMatch, first, None)
    }

    /// The terms that an automaton accepts, from `first` on and before `end`, with its states.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub fn matching<A: Automaton<State: Clone>>(
        &self,
        automaton: A,
        first: &[u8],
        end: Option<&[u8]>,
    ) -> Result<Terms<'_, A>> {
        let bounds = Bounds::of(self);
        let steps = bounds.steps.clone();
        let walk = self.place.guarded(|| TermWalk::new(self.map.as_fst(), automaton, first, end, steps))?;
        Ok(Terms { walk, bounds })
    }
}

/// So many terms are looked up in turns.
const TOGETHER: usize = 16;

/// The values of some terms, each in its dictionary: a byte of each in turns, while the next nodes of the others are fetched.
#[inline]
fn in_turns(terms: &[(&Dictionary, &[u8])], values: &mut [Option<u64>]) {
    values.fill(None);
    let mut paths: SmallVec<[Path; TOGETHER]> = SmallVec::new();
    for (&(dictionary, term), value) in terms.iter().zip(values) {
        let nodes = dictionary.map.as_fst();
        let root = nodes.root();
        let mut path = Path { nodes, rest: term, node: root.addr(), output: Output::zero(), value };
        if path.goes_on(&root) {
            paths.push(path);
        }
    }
    while !paths.is_empty() {
        let mut at = 0;
        while at < paths.len() {
            let path = &mut paths[at];
            if path.goes_on(&path.nodes.node(path.node)) {
                at += 1;
            } else {
                paths.swap_remove(at);
            }
        }
    }
}

/// How far a term has been looked up.
struct Path<'d> {
    nodes: &'d Fst<Bytes>,
    rest: &'d [u8],
    node: CompiledAddr,
    /// What the value begins with.
    output: Output,
    value: &'d mut Option<u64>,
}

impl Path<'_> {
    /// Follows the next byte from the node it has reached, or ends; tells whether there is a node to go on from, which is fetched.
    #[inline(always)]
    fn goes_on(&mut self, node: &Node) -> bool {
        let Some((&byte, rest)) = self.rest.split_first() else {
            *self.value = node.is_final().then(|| self.output.cat(node.final_output()).value());
            return false;
        };
        let Some(index) = node.find_input(byte) else { return false };
        let next = node.transition(index);
        (self.rest, self.node, self.output) = (rest, next.addr, self.output.cat(next.out));
        // A node is where its last byte is.
        if let Some(last) = self.nodes.as_bytes().get(self.node) {
            prefetch(std::slice::from_ref(last));
        }
        true
    }
}

/// What a walk may take yet.
struct Bounds<'d> {
    place: &'d Place,
    terms: usize,
    steps: Rc<Cell<u64>>,
}

impl<'d> Bounds<'d> {
    /// Of a whole walk: a step for each byte of each term.
    fn of(dictionary: &'d Dictionary) -> Bounds<'d> {
        let terms = dictionary.len();
        let steps = (terms as u64 + 1).saturating_mul(LONGEST_KEYWORD as u64 + 1);
        Bounds { place: &dictionary.place, terms, steps: Rc::new(Cell::new(steps)) }
    }

    fn bounded<A>(&self, automaton: A) -> Bounded<A> {
        Bounded { automaton, left: self.steps.clone() }
    }

    /// The next term, which is counted. If there is none, that must not be for want of steps.
    #[inline]
    fn next<T>(&mut self, next: impl FnOnce() -> Option<T>) -> Result<Option<T>> {
        let next = self.place.guarded(next)?;
        match self.terms.checked_sub(next.is_some().into()) {
            Some(fewer) if self.steps.get() > 0 => self.terms = fewer,
            _ => return Err(self.place.corrupt("its nodes are not those of so many terms")),
        }
        Ok(next)
    }
}

/// An automaton that matches nothing more after a number of steps.
struct Bounded<A> {
    automaton: A,
    left: Rc<Cell<u64>>,
}

impl<A: Automaton> Automaton for Bounded<A> {
    type State = A::State;

    fn start(&self) -> A::State {
        self.automaton.start()
    }

    fn is_match(&self, state: &A::State) -> bool {
        self.automaton.is_match(state)
    }

    fn can_match(&self, state: &A::State) -> bool {
        self.left.get() > 0 && self.automaton.can_match(state)
    }

    fn accept(&self, state: &A::State, byte: u8) -> A::State {
        self.left.set(self.left.get().saturating_sub(1));
        self.automaton.accept(state, byte)
    }
}

/// A term, its value, and the state to which it led an automaton.
pub type Found<'t, S> = (&'t [u8], u64, S);

/// Terms of a [`Dictionary`], in the order of their bytes.
pub struct Terms<'d, A: Automaton = AlwaysMatch> {
    walk: TermWalk<'d, Bytes, A>,
    bounds: Bounds<'d>,
}

impl<A: Automaton<State: Clone>> Terms<'_, A> {
    /// The next one.
    ///
    /// # Errors
    /// As [`Dictionary::get`].
    #[expect(clippy::should_implement_trait, reason = "what it returns borrows from it")]
    #[inline]
    pub fn next(&mut self) -> Result<Option<Found<'_, A::State>>> {
        let Terms { walk, bounds } = self;
        bounds.next(|| walk.next())
    }
}

/// The terms of several dictionaries, in the order of their bytes, each once.
pub struct Union<'d> {
    all: fst::map::Union<'d>,
    /// What was wrong with one, which ended there.
    wrong: Rc<Cell<Option<Error>>>,
}

impl<'d> Union<'d> {
    /// All terms.
    ///
    /// # Errors
    /// As [`Dictionary::get`].
    pub fn of(sources: impl IntoIterator<Item = impl Into<Source<'d>>>) -> Result<Union<'d>> {
        let mut union = Building::new();
        for source in sources {
            match source.into() {
                Source::Dictionary(dictionary) => union.add(dictionary, AlwaysMatch, b"", None)?,
                Source::Run(terms) => union.all.push(OfRun { terms, wrong: union.wrong.clone() }),
            }
        }
        Ok(union.build())
    }

    /// As [`Dictionary::matching`]; there is an automaton for each dictionary.
    ///
    /// # Errors
    /// As [`Dictionary::get`].
    pub fn matching<A: Automaton<State: 'd> + 'd>(
        dictionaries: impl IntoIterator<Item = &'d Dictionary>,
        automaton: impl Fn() -> A,
        first: &[u8],
        end: Option<&[u8]>,
    ) -> Result<Union<'d>> {
        let mut union = Building::new();
        for dictionary in dictionaries {
            union.add(dictionary, automaton(), first, end)?;
        }
        Ok(union.build())
    }

    /// The next term, and in no order its values, with the index of each dictionary that has it.
    ///
    /// # Errors
    /// As [`Dictionary::get`].
    #[expect(clippy::should_implement_trait, reason = "what it returns borrows from it")]
    pub fn next(&mut self) -> Result<Option<(&[u8], &[IndexedValue])>> {
        let next = self.all.next();
        match self.wrong.take() {
            Some(error) => Err(error),
            None => Ok(next),
        }
    }
}

/// A [`Union`] of which not all terms are given yet.
struct Building<'d> {
    all: OpBuilder<'d>,
    wrong: Rc<Cell<Option<Error>>>,
}

impl<'d> Building<'d> {
    fn new() -> Building<'d> {
        Building { all: OpBuilder::new(), wrong: Rc::default() }
    }

    fn add<A: Automaton<State: 'd> + 'd>(
        &mut self,
        dictionary: &'d Dictionary,
        automaton: A,
        first: &[u8],
        end: Option<&[u8]>,
    ) -> Result<()> {
        let bounds = Bounds::of(dictionary);
        let stream = dictionary.place.guarded(|| {
            let all = dictionary.map.search(bounds.bounded(automaton)).ge(first);
            if let Some(end) = end { all.lt(end) } else { all }.into_stream()
        })?;
        self.all.push(Part { stream, bounds, wrong: self.wrong.clone() });
        Ok(())
    }

    fn build(self) -> Union<'d> {
        Union { all: self.all.union(), wrong: self.wrong }
    }
}

/// What has terms in the order of their bytes, each with a value.
pub enum Source<'d> {
    /// Of a segment.
    Dictionary(&'d Dictionary),
    /// Of a run.
    Run(RunTerms<'d>),
}

impl<'d> From<&'d Dictionary> for Source<'d> {
    fn from(dictionary: &'d Dictionary) -> Self {
        Source::Dictionary(dictionary)
    }
}

/// What a [`Union`] takes of a run.
struct OfRun<'d> {
    terms: RunTerms<'d>,
    wrong: Rc<Cell<Option<Error>>>,
}

impl<'a> Streamer<'a> for OfRun<'_> {
    type Item = (&'a [u8], u64);

    fn next(&'a mut self) -> Option<(&'a [u8], u64)> {
        self.terms.next().unwrap_or_else(|error| {
            self.wrong.set(Some(error));
            None
        })
    }
}

/// What a [`Union`] takes of a dictionary.
struct Part<'d, A: Automaton> {
    stream: Stream<'d, Bounded<A>>,
    bounds: Bounds<'d>,
    wrong: Rc<Cell<Option<Error>>>,
}

impl<'a, A: Automaton> Streamer<'a> for Part<'_, A> {
    type Item = (&'a [u8], u64);

    fn next(&'a mut self) -> Option<(&'a [u8], u64)> {
        let Part { stream, bounds, wrong } = self;
        bounds.next(|| stream.next()).unwrap_or_else(|error| {
            wrong.set(Some(error));
            None
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A map of `terms` terms, it says, with these nodes, the root last.
    fn forged(nodes: &[u8], terms: u64) -> Dictionary {
        let root = (16 + nodes.len() - 1) as u64;
        let parts = [&3u64.to_le_bytes()[..], &[0; 8], nodes, &terms.to_le_bytes(), &root.to_le_bytes(), &[0; 4]];
        let bytes = Bytes::Own(parts.concat().into());
        Dictionary::new(bytes, "dictionary".into(), 0).unwrap()
    }

    fn is_refused<T>(result: Result<T>) -> bool {
        matches!(result, Err(Error::Corrupt { .. }))
    }

    fn all_of(mut terms: Terms<impl Automaton<State: Clone>>) -> Result<usize> {
        let mut count = 0;
        while terms.next()?.is_some() {
            count += 1;
        }
        Ok(count)
    }

    fn all_in_union(dictionary: &Dictionary) -> Result<usize> {
        let (mut union, mut count) = (Union::of([dictionary, dictionary])?, 0);
        while union.next()?.is_some() {
            count += 1;
        }
        Ok(count)
    }

    /// From each node both `a` and `b` lead to the one before it.
    fn ladder(first: &[u8], height: usize) -> Vec<u8> {
        [first, &[1, 1, b'b', b'a', 0x10, 2].repeat(height)].concat()
    }

    #[test]
    fn whole_maps() {
        // A final node without anything else.
        let dictionary = forged(&ladder(&[0, 0, 0x40], 3), 8);
        assert_eq!(all_of(dictionary.terms().unwrap()).unwrap(), 8);
        assert_eq!(all_of(dictionary.from(b"ab").unwrap()).unwrap(), 6);
        assert_eq!(all_of(dictionary.matching(AlwaysMatch, b"ab", Some(b"bb")).unwrap()).unwrap(), 4);
        assert_eq!(all_in_union(&dictionary).unwrap(), 8);
        assert_eq!(dictionary.get(b"aba").unwrap(), Some(0));
        assert_eq!(dictionary.get(b"ab").unwrap(), None);
    }

    #[test]
    fn several_terms_are_those_looked_up_alone() {
        let map = |words: &[&str]| {
            let bytes = fst::Map::from_iter(words.iter().zip(7u64..)).unwrap().into_fst().into_inner();
            Dictionary::new(Bytes::Own(bytes.into()), "dictionary".into(), 0).unwrap()
        };
        let [words, others] = [map(&["", "a", "ab", "abc", "b", "bc", "x"]), map(&["ab", "b", "zz"])];
        let asked = ["", "a", "ab", "abc", "abcd", "b", "bb", "c", "x", "xy", "zz"];
        let terms: Vec<(&Dictionary, &[u8])> =
            asked.iter().flat_map(|term| [(&words, term.as_bytes()), (&others, term.as_bytes())]).collect();
        for length in 0..=terms.len() {
            let mut values = vec![Some(1); length];
            Dictionary::get_all(&terms[..length], &mut values).unwrap();
            let alone: Vec<_> = terms[..length].iter().map(|(of, term)| of.get(term).unwrap()).collect();
            assert_eq!(values, alone);
        }
        // In whichever the nodes are nowhere, that one is named.
        let mut wrong = forged(&[200, 0x10, b'a', 0x80], 1);
        wrong.place.part = "another".into();
        let error = Dictionary::get_all(&[(&words, b"ab"), (&wrong, b"ab")], &mut [None; 2]).unwrap_err();
        assert!(error.to_string().contains("another"), "{error}");
    }

    #[test]
    fn paths_that_end_at_no_term() {
        let dictionary = forged(&ladder(&[0, 0, 0], 60), 5);
        assert!(is_refused(all_of(dictionary.terms().unwrap())));
        assert!(is_refused(all_in_union(&dictionary)));
        assert_eq!(dictionary.get(&[b'a'; 60]).unwrap(), None);
    }

    #[test]
    fn more_terms_than_a_map_says() {
        let dictionary = forged(&ladder(&[0, 0, 0x40], 60), 1000);
        assert!(is_refused(all_of(dictionary.terms().unwrap())));
        assert!(is_refused(all_in_union(&dictionary)));
    }

    #[test]
    fn nodes_that_are_nowhere() {
        // The transition leads before the file.
        let dictionary = forged(&[200, 0x10, b'a', 0x80], 1);
        assert!(is_refused(dictionary.get(b"ab")));
        assert!(is_refused(dictionary.term_of(0)));
        assert!(is_refused(all_of(dictionary.terms().unwrap())));
        assert!(is_refused(dictionary.from(b"ab").map(drop)));
        assert!(is_refused(all_in_union(&dictionary)));
    }
}
