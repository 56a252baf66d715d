//! The words of the dictionary: prefixes, fuzzy words, suggestions.

use super::Index;
use crate::analysis::Analyzer;
use crate::base::error::{Error, Result};
use crate::index::Kind;
use crate::rank::Clock;
use fst::{Automaton, IntoStreamer, Streamer};
use std::collections::{BTreeMap, HashMap};

/// The most terms of a field that a prefix or a fuzzy word stands for: those that the most documents contain. See
/// [`Options::expansions`](super::Options::expansions).
pub const MOST_WORDS: usize = 1000;

/// Terms of several segments that are counted in a table, which takes some 25 MB at most. More are merged in order, which
/// takes half as long again.
const MOST_COUNTED: usize = 1 << 18;

/// Calls `take` with each term of a field that the automaton accepts, and how many documents contain it, once per segment,
/// until it returns false.
fn in_segments<A: Automaton>(
    index: &Index,
    field: usize,
    automaton: &A,
    clock: &Clock,
    mut take: impl FnMut(&[u8], u64) -> bool,
) -> Result<()> {
    for part in index.snapshot().parts() {
        let mut stream = part.segment.dictionary(field)?.search(automaton).into_stream();
        while let Some((term, value)) = stream.next() {
            clock.check()?;
            if !take(term, part.segment.documents_with(field, value)?) {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Calls `take` with each term of a field that the automaton accepts, in the order of their bytes, and how many documents
/// contain it.
fn in_order<A: Automaton>(
    index: &Index,
    field: usize,
    automaton: &A,
    clock: &Clock,
    mut take: impl FnMut(&[u8], u64),
) -> Result<()> {
    let parts = index.snapshot().parts();
    let mut all = fst::map::OpBuilder::new();
    for part in parts {
        all.push(part.segment.dictionary(field)?.search(automaton));
    }
    let mut all = all.union();
    while let Some((term, of_segments)) = all.next() {
        clock.check()?;
        let mut documents = 0;
        for in_segment in of_segments {
            documents += parts[in_segment.index].segment.documents_with(field, in_segment.value)?;
        }
        take(term, documents);
    }
    Ok(())
}

/// A term, and how many documents contain it.
pub(super) type Counted = (Vec<u8>, u64);

/// The `limit` most frequent terms of a field that the automaton accepts, the most frequent first, of equal ones the first
/// by their bytes. Memory does not grow with the dictionary.
pub(super) fn most_frequent<A: Automaton>(
    index: &Index,
    field: usize,
    automaton: &A,
    limit: usize,
    clock: &Clock,
) -> Result<Vec<Counted>> {
    match in_table(index, field, automaton, limit, MOST_COUNTED, clock)? {
        Some(found) => Ok(found),
        None => merged(index, field, automaton, limit, clock),
    }
}

/// As [`most_frequent`]; `None` if there are more than `most` terms.
fn in_table<A: Automaton>(
    index: &Index,
    field: usize,
    automaton: &A,
    limit: usize,
    most: usize,
    clock: &Clock,
) -> Result<Option<Vec<Counted>>> {
    let mut found: HashMap<Vec<u8>, u64> = HashMap::new();
    in_segments(index, field, automaton, clock, |term, documents| {
        match found.get_mut(term) {
            Some(sum) => *sum += documents,
            None => {
                found.insert(term.to_vec(), documents);
            }
        }
        found.len() <= most
    })?;
    if found.len() > most {
        return Ok(None);
    }
    let mut found: Vec<Counted> = found.into_iter().collect();
    best(&mut found, limit);
    Ok(Some(found))
}

/// As [`most_frequent`]; holds about twice the `limit`.
fn merged<A: Automaton>(
    index: &Index,
    field: usize,
    automaton: &A,
    limit: usize,
    clock: &Clock,
) -> Result<Vec<Counted>> {
    let mut found: Vec<Counted> = Vec::new();
    // How many documents contain the rarest that is kept, once there are enough.
    let mut least = 0;
    in_order(index, field, automaton, clock, |term, documents| {
        // Terms come in order, so that an equal one comes too late.
        if documents > least {
            found.push((term.to_vec(), documents));
        }
        if found.len() >= limit.saturating_mul(2).max(64) {
            best(&mut found, limit);
            least = found.last().map_or(0, |last| last.1);
        }
    })?;
    best(&mut found, limit);
    Ok(found)
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

/// An automaton of what begins with a prefix.
pub(super) fn prefix_automaton(prefix: &str) -> impl Automaton + '_ {
    fst::automaton::Str::new(prefix).starts_with()
}

pub(super) fn terms(index: &Index, prefix: &[u8], field: usize, limit: usize) -> Result<Vec<(Vec<u8>, u64)>> {
    let named = index.schema().fields.get(field);
    let named = named.ok_or_else(|| Error::Argument(format!("there is no field {field}")))?;
    if !named.kind.has_terms() {
        return Err(Error::Argument(format!("the field {} has no terms", named.name)));
    }
    let mut found: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
    for part in index.snapshot().parts() {
        let mut stream = part.segment.dictionary(field)?.range().ge(prefix).into_stream();
        let mut seen = 0;
        while let Some((term, value)) = stream.next() {
            if !term.starts_with(prefix) || seen == limit {
                break;
            }
            seen += 1;
            *found.entry(term.to_vec()).or_default() += part.segment.documents_with(field, value)?;
        }
    }
    Ok(found.into_iter().take(limit).collect())
}

pub(super) fn suggest(index: &Index, text: &str, field: Option<usize>, limit: usize) -> Result<Vec<(String, u64)>> {
    let (typed, word) = operators(index, text.rsplit(char::is_whitespace).next().unwrap_or_default());
    let fields: Vec<usize> = match field.or(typed) {
        Some(field) if index.schema().fields.get(field).is_none_or(|field| field.kind != Kind::Text) => {
            return Err(Error::Argument("suggestions come from text fields".into()));
        }
        Some(field) => vec![field],
        None => index.text_fields().collect(),
    };
    let Some(word) = last_word(&index.schema().analyzer, word) else { return Ok(Vec::new()) };
    let mut found: HashMap<String, u64> = HashMap::new();
    let automaton = prefix_automaton(&word);
    for field in fields {
        in_segments(index, field, &automaton, &Clock::never(), |term, documents| {
            if let Ok(term) = std::str::from_utf8(term) {
                match found.get_mut(term) {
                    Some(sum) => *sum += documents,
                    None => {
                        found.insert(term.to_owned(), documents);
                    }
                }
            }
            true
        })?;
    }
    let mut found: Vec<(String, u64)> = found.into_iter().collect();
    best(&mut found, limit);
    Ok(found)
}

/// Takes `-` and `field:` off the start of a word that is being typed.
fn operators<'t>(index: &Index, word: &'t str) -> (Option<usize>, &'t str) {
    let word = word.strip_prefix('-').unwrap_or(word);
    let after = |field: usize| word.strip_prefix(&*index.schema().fields[field].name)?.strip_prefix(':');
    let named = index.text_fields().find_map(|field| Some((Some(field), after(field)?)));
    named.unwrap_or((None, word))
}

/// The last word of what is being typed, as it stands in the dictionary but for stemming; `None` if there is none.
fn last_word(analyzer: &Analyzer, word: &str) -> Option<String> {
    let mut last = None;
    analyzer.words(word, |start, end, _| last = Some((start, end)));
    let (start, end) = last?;
    let word = analyzer.normalize(&word[start..end]);
    (!word.is_empty()).then_some(word)
}

/// Both ways of counting, on an index of several segments.
#[cfg(test)]
pub(super) fn both_ways(index: &Index, field: usize, prefix: &str, limit: usize) -> [Option<Vec<Counted>>; 3] {
    let (automaton, clock) = (prefix_automaton(prefix), Clock::never());
    [usize::MAX, 3]
        .map(|most| in_table(index, field, &automaton, limit, most, &clock).unwrap())
        .into_iter()
        .chain([Some(merged(index, field, &automaton, limit, &clock).unwrap())])
        .collect::<Vec<_>>()
        .try_into()
        .unwrap()
}
