//! The words of the dictionary, and those beside stems: those that a prefix or a fuzzy word stands for, and how many
//! documents have them.

use super::Index;
use crate::base::error::{Error, Result};
use crate::index::segment::{self, Accepted, Dictionary, Segment, Terms, Union};
use crate::rank::Clock;
use fst::Automaton;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

/// The most terms of a field that a prefix or a fuzzy word stands for: the closest ones, of these those that the most
/// documents contain. See [`Options::expansions`](super::Options::expansions).
pub const MOST_WORDS: usize = 1000;

/// Terms of several segments that are counted in a table, which takes some 25 MB at most. More are merged in order, which
/// takes half as long again.
pub(super) const MOST_COUNTED: usize = 1 << 18;

/// What of a segment is looked through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    /// Terms.
    Terms,
    /// Words beside stems. Segments that do not know them have none.
    Written,
    /// Terms of segments where the words of some are not known.
    Unknown,
}

impl Of {
    /// Whether some segment has any in a field.
    ///
    /// # Errors
    /// [`Error::Corrupt`].
    pub(super) fn is_in(self, index: &Index, field: usize) -> Result<bool> {
        for part in index.snapshot().parts() {
            if self.dictionary(&part.segment, field)?.is_some_and(|(dictionary, _)| !dictionary.is_empty()) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The dictionary of a segment's field, and whether it has words beside stems.
    pub(super) fn dictionary(self, segment: &Segment, field: usize) -> Result<Option<(&Dictionary, bool)>> {
        let words = if self == Of::Terms { None } else { segment.words(field)? };
        Ok(match self {
            Of::Written => words.map(|words| (words.map(), true)),
            Of::Unknown if words.is_some_and(|words| words.all_known()) => None,
            Of::Terms | Of::Unknown => Some((segment.dictionary(field)?, false)),
        })
    }
}

/// More words of a segment are not kept.
const MOST_KEPT: usize = 10_000;

/// An automaton that tells how far what it accepts is from what was typed.
pub(super) trait Graded: Automaton<State: Clone> {
    /// The [class](Word::class) of an accepted term, which led to the state.
    fn class(&self, term: &[u8], state: &Self::State) -> u8;

    /// The same if the state is not known.
    fn class_of(&self, term: &[u8]) -> u8 {
        self.class(term, &term.iter().fold(self.start(), |state, &byte| self.accept(&state, byte)))
    }
}

/// Terms or words of a field: those that the automaton accepts and that begin with `first`.
pub(super) struct Words<'a, A> {
    pub(super) index: &'a Index,
    pub(super) field: usize,
    pub(super) of: Of,
    pub(super) automaton: &'a A,
    pub(super) first: &'a [u8],
    /// What tells the automaton from others, if what it accepts may come again and takes long to find.
    pub(super) key: Option<&'a [u8]>,
    pub(super) clock: &'a Clock,
}

/// A term, and how many documents contain it.
pub(super) type Counted = (Vec<u8>, u64);

/// A term that something typed stands for. The closest come first, of these the most frequent, of these the first by their
/// bytes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Word {
    /// How far it is from what was typed; 0: it is what was typed.
    pub(super) class: u8,
    /// How many documents contain it.
    pub(super) documents: Reverse<u64>,
    pub(super) term: Vec<u8>,
}

impl<'a, A: Graded> Words<'a, A> {
    /// The `limit` first [`Word`]s, in order. Memory does not grow with the dictionary.
    pub(super) fn closest(&self, limit: usize) -> Result<Vec<Word>> {
        if let [part] = self.index.snapshot().parts() {
            return self.in_one(&part.segment, limit);
        }
        match self.in_table(limit, MOST_COUNTED)? {
            Some(found) => Ok(found),
            None => self.merged(limit),
        }
    }

    /// As [`closest`](Self::closest) in an index of one segment.
    fn in_one(&self, segment: &Segment, limit: usize) -> Result<Vec<Word>> {
        let mut first = First::new(limit);
        self.graded(segment, |class, word, documents| {
            // Most of what is too far need not be counted.
            if first.takes(class, u64::MAX) {
                first.add(class, documents()?, word);
            }
            Ok(true)
        })?;
        Ok(first.into_words())
    }

    /// As [`closest`](Self::closest); `None` if there are more than `most` terms.
    fn in_table(&self, limit: usize, most: usize) -> Result<Option<Vec<Word>>> {
        let mut found: HashMap<Vec<u8>, (u8, u64)> = HashMap::new();
        for part in self.index.snapshot().parts() {
            self.graded(&part.segment, |class, word, documents| {
                match found.get_mut(word) {
                    Some((_, sum)) => *sum += documents()?,
                    None => {
                        found.insert(word.to_vec(), (class, documents()?));
                    }
                }
                Ok(found.len() <= most)
            })?;
            if found.len() > most {
                return Ok(None);
            }
        }
        let word = |(term, (class, documents))| Word { class, documents: Reverse(documents), term };
        let mut found: Vec<Word> = found.into_iter().map(word).collect();
        keep_first(&mut found, limit);
        Ok(Some(found))
    }

    /// Calls `take` with the class of each word of a segment, the word, and what counts its documents, until it returns false.
    fn graded(
        &self,
        segment: &Segment,
        mut take: impl FnMut(u8, &[u8], &dyn Fn() -> Result<u64>) -> Result<bool>,
    ) -> Result<()> {
        let key = self.key.map(|key| [key, &[self.of as u8]].concat());
        if let Some(accepted) = key.as_ref().and_then(|key| segment.accepted(self.field, key)) {
            for Accepted { word, documents, class } in &*accepted {
                self.clock.check()?;
                if !take(*class, word, &|| Ok(*documents))? {
                    break;
                }
            }
            return Ok(());
        }
        let Some((dictionary, written)) = self.of.dictionary(segment, self.field)? else { return Ok(()) };
        let mut kept = key.map(|key| (key, Vec::new()));
        let mut terms = self.accepted(dictionary)?;
        while let Some((word, value, state)) = terms.next()? {
            self.clock.check()?;
            let class = self.automaton.class(word, &state);
            let count = || count_in(segment, self.field, written, value);
            if kept.as_ref().is_some_and(|kept| kept.1.len() == MOST_KEPT) {
                kept = None;
            }
            let is_wanted = match &mut kept {
                None => take(class, word, &count)?,
                Some((_, kept)) => {
                    let documents = count()?;
                    kept.push(Accepted { word: word.into(), documents, class });
                    take(class, word, &|| Ok(documents))?
                }
            };
            if !is_wanted {
                return Ok(());
            }
        }
        if let Some((key, kept)) = kept {
            segment.keep_accepted(self.field, &key, kept);
        }
        Ok(())
    }

    /// As [`closest`](Self::closest); holds about twice the `limit`.
    fn merged(&self, limit: usize) -> Result<Vec<Word>> {
        let mut first = First::new(limit);
        self.in_order(|term, documents| first.add(self.automaton.class_of(term), documents, term))?;
        Ok(first.into_words())
    }
}

/// The first [`Word`]s of those that come in the order of their bytes.
struct First {
    limit: usize,
    /// About twice as many at most.
    found: Vec<Word>,
    /// Class and documents of the last that is kept, once there are enough.
    last: Option<(u8, Reverse<u64>)>,
}

impl First {
    fn new(limit: usize) -> First {
        First { limit, found: Vec::new(), last: None }
    }

    /// Whether one that is so far and in so many documents is among the first yet. An equal one comes too late.
    fn takes(&self, class: u8, documents: u64) -> bool {
        self.last.is_none_or(|last| (class, Reverse(documents)) < last)
    }

    fn add(&mut self, class: u8, documents: u64, term: &[u8]) {
        if !self.takes(class, documents) {
            return;
        }
        self.found.push(Word { class, documents: Reverse(documents), term: term.to_vec() });
        if self.found.len() >= self.limit.saturating_mul(2).max(64) {
            keep_first(&mut self.found, self.limit);
            self.last = self.found.last().map(|last| (last.class, last.documents));
        }
    }

    fn into_words(mut self) -> Vec<Word> {
        keep_first(&mut self.found, self.limit);
        self.found
    }
}

impl<'a, A: Automaton<State: Clone>> Words<'a, A> {
    /// Calls `take` with each term and how many documents contain it, once per segment, until it returns false.
    pub(super) fn in_segments(&self, mut take: impl FnMut(&[u8], &A::State, u64) -> Result<bool>) -> Result<()> {
        for part in self.index.snapshot().parts() {
            if !self.in_segment(&part.segment, &mut take)? {
                break;
            }
        }
        Ok(())
    }

    /// The same in one segment; returns whether `take` always returned true.
    pub(super) fn in_segment(
        &self,
        segment: &Segment,
        mut take: impl FnMut(&[u8], &A::State, u64) -> Result<bool>,
    ) -> Result<bool> {
        let Some((dictionary, written)) = self.of.dictionary(segment, self.field)? else { return Ok(true) };
        let mut terms = self.accepted(dictionary)?;
        while let Some((term, value, state)) = terms.next()? {
            self.clock.check()?;
            if !take(term, &state, count_in(segment, self.field, written, value)?)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Calls `take` with each term, in the order of their bytes, and how many documents contain it.
    fn in_order(&self, mut take: impl FnMut(&[u8], u64)) -> Result<()> {
        let (mut segments, mut dictionaries) = (Vec::new(), Vec::new());
        for part in self.index.snapshot().parts() {
            if let Some((dictionary, written)) = self.of.dictionary(&part.segment, self.field)? {
                segments.push((&*part.segment, written));
                dictionaries.push(dictionary);
            }
        }
        let mut all = Union::matching(dictionaries, || self.automaton, self.first, beyond(self.first).as_deref())?;
        while let Some((term, of_segments)) = all.next()? {
            self.clock.check()?;
            let mut documents = 0;
            for in_segment in of_segments {
                let (segment, written) = segments[in_segment.index];
                documents += count_in(segment, self.field, written, in_segment.value)?;
            }
            take(term, documents);
        }
        Ok(())
    }

    /// With the states of the automaton.
    fn accepted(&self, dictionary: &'a Dictionary) -> Result<Terms<'a, &'a A>> {
        dictionary.matching(self.automaton, self.first, beyond(self.first).as_deref())
    }
}

/// In how many documents a word of a segment is, given its value of the dictionary, or of the words beside stems.
pub(super) fn count_in(segment: &Segment, field: usize, written: bool, value: u64) -> Result<u64> {
    match written {
        true => Ok(segment::Words::documents(value).min(segment.documents().into())),
        false => segment.documents_with(field, value),
    }
}

/// What comes after all words that begin with `first`; `None` if nothing does.
pub(super) fn beyond(first: &[u8]) -> Option<Vec<u8>> {
    // A byte of UTF-8 is below 255.
    first.split_last().map(|(&last, before)| [before, &[last + 1]].concat())
}

/// Adds to the count of a term, which is copied the first time only.
pub(super) fn count(counts: &mut HashMap<Vec<u8>, u64>, term: &[u8], documents: u64) {
    match counts.get_mut(term) {
        Some(sum) => *sum += documents,
        None => {
            counts.insert(term.to_vec(), documents);
        }
    }
}

/// Keeps the first ones, ordered.
pub(super) fn keep_first(found: &mut Vec<Word>, limit: usize) {
    if limit > 0 && found.len() > limit {
        found.select_nth_unstable(limit - 1);
    }
    found.truncate(limit);
    found.sort_unstable();
}

/// Keeps the most frequent, ordered; equal ones in the order of their bytes.
pub(super) fn best<T: Ord>(found: &mut Vec<(T, u64)>, limit: usize) {
    let order = |a: &(T, u64), b: &(T, u64)| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0));
    if limit > 0 && found.len() > limit {
        found.select_nth_unstable_by(limit - 1, order);
    }
    found.truncate(limit);
    found.sort_unstable_by(order);
}

/// What begins with a prefix of so many bytes, among [`Words`] that do.
pub(super) struct Beginning(pub(super) usize);

impl Automaton for Beginning {
    type State = ();

    fn start(&self) {}

    fn is_match(&self, (): &()) -> bool {
        true
    }

    fn accept(&self, (): &(), _: u8) {}
}

impl Graded for Beginning {
    fn class(&self, term: &[u8], (): &()) -> u8 {
        u8::from(term.len() > self.0)
    }
}

impl Index {
    /// How many documents contain a term, deleted ones included.
    pub(super) fn documents_with(&self, field: usize, term: &[u8]) -> Result<u64> {
        self.sum_of(field, term, |segment, value| segment.documents_with(field, value))
    }

    /// How often a field has a term, in all documents together; deleted ones count until a merge removes them. A
    /// keyword field has a value once per document. A look-up in each segment, and reading a list of at most 128
    /// postings there.
    ///
    /// # Errors
    /// As [`terms`](Self::terms).
    pub fn occurrences(&self, term: &[u8], field: usize) -> Result<u64> {
        self.check_files()?;
        check_terms(self, field)?;
        self.sum_of(field, term, |segment, value| segment.occurrences(field, value))
    }

    /// The sum of a number that each segment with the term has.
    fn sum_of(&self, field: usize, term: &[u8], of: impl Fn(&Segment, u64) -> Result<u64>) -> Result<u64> {
        let mut sum = 0;
        for part in self.snapshot().parts() {
            if let Some(value) = part.segment.term(field, term)? {
                sum += of(&part.segment, value)?;
            }
        }
        Ok(sum)
    }
}

/// Checks that a field has terms.
fn check_terms(index: &Index, field: usize) -> Result<()> {
    match index.schema().fields.get(field) {
        Some(named) if named.kind.has_terms() => Ok(()),
        Some(named) => Err(Error::Argument(format!("the field {} has no terms", named.name))),
        None => Err(Error::Argument(format!("there is no field {field}"))),
    }
}

pub(super) fn terms(index: &Index, prefix: &[u8], field: usize, limit: usize) -> Result<Vec<(Vec<u8>, u64)>> {
    check_terms(index, field)?;
    let mut found: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
    for part in index.snapshot().parts() {
        let mut terms = part.segment.dictionary(field)?.from(prefix)?;
        let mut seen = 0;
        while let Some((term, value, ())) = terms.next()? {
            if !term.starts_with(prefix) || seen == limit {
                break;
            }
            seen += 1;
            *found.entry(term.to_vec()).or_default() += part.segment.documents_with(field, value)?;
        }
    }
    Ok(found.into_iter().take(limit).collect())
}

/// All ways of counting, on an index of several segments.
#[cfg(test)]
pub(super) fn all_ways(index: &Index, field: usize, prefix: &str, limit: usize) -> [Option<Vec<Word>>; 4] {
    let (automaton, clock) = (Beginning(prefix.len()), Clock::never());
    let words = Words {
        index,
        field,
        of: Of::Terms,
        automaton: &automaton,
        first: prefix.as_bytes(),
        key: None,
        clock: &clock,
    };
    let frequent = super::frequent::closest(index, field, Of::Terms, prefix.as_bytes(), limit, &clock).unwrap();
    let [all, few] = [usize::MAX, 3].map(|most| words.in_table(limit, most).unwrap());
    [frequent, all, few, Some(words.merged(limit).unwrap())]
}
