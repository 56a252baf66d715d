//! The most frequent words that begin with a prefix, by the [frequent words](Level) that segments keep apart: what is not among
//! them is in so few documents that it need not be looked at.

use super::Index;
use super::words::{Counted, Of, Word, best, beyond, count_in};
use crate::base::error::Result;
use crate::index::segment::{Dictionary, Level, Segment};
use crate::rank::Clock;
use fst::automaton::AlwaysMatch;
use std::cmp::Reverse;
use std::collections::HashMap;

/// Of a dictionary without levels so many words are looked at, as if all were frequent.
const FEW: usize = if cfg!(any(test, fuzzing)) { 8 } else { 1 << 15 };
/// Dictionaries that are looked at together: a bit for each.
const MOST: usize = 64;

/// The words of a field in a segment.
struct Source<'a> {
    segment: &'a Segment,
    field: usize,
    of: Of,
    levels: &'a [Level],
}

impl<'a> Source<'a> {
    /// `None` if it has no words.
    fn new(segment: &'a Segment, field: usize, of: Of) -> Result<Option<Source<'a>>> {
        let beside_stems = segment.words(field)?.is_some();
        if of == Of::Written && !beside_stems {
            return Ok(None);
        }
        // Levels are of the words beside stems, if there are any.
        let suits = beside_stems == (of == Of::Written);
        let levels = if suits { segment.frequent(field)? } else { &[] };
        Ok(Some(Source { segment, field, of, levels }))
    }

    /// All its words, of which the first call reads a whole dictionary, and whether they are beside stems.
    fn all(&self) -> Result<Option<(&'a Dictionary, bool)>> {
        self.of.dictionary(self.segment, self.field)
    }

    fn has_few(&self) -> Result<bool> {
        Ok(match self.of {
            Of::Terms => self.segment.counts(self.field)?.terms <= FEW as u64,
            _ => self.all()?.is_none_or(|(all, _)| all.len() <= FEW),
        })
    }

    /// The level of a number; if it has fewer, the last one.
    fn level(&self, number: usize) -> Option<&'a Level> {
        self.levels.get(number).or(self.levels.last())
    }

    /// In how many documents words are at most that are not of that level.
    fn others(&self, level: usize) -> u64 {
        self.level(level).map_or(0, |level| level.least().saturating_sub(1))
    }

    /// Calls `take` with each word of a level that begins with the prefix, and how many documents contain it.
    fn each(&self, level: usize, prefix: &[u8], clock: &Clock, mut take: impl FnMut(&[u8], u64)) -> Result<()> {
        let (level, all) = match self.level(level) {
            Some(level) => (Some(level.words()), None),
            None => (None, self.all()?),
        };
        let Some(words) = level.or(all.map(|(words, _)| words)) else { return Ok(()) };
        let mut words = words.matching(AlwaysMatch, prefix, beyond(prefix).as_deref())?;
        while let Some((word, value, ())) = words.next()? {
            clock.check()?;
            take(
                word,
                match all {
                    Some((_, written)) => count_in(self.segment, self.field, written, value)?,
                    None => value.min(self.segment.documents().into()),
                },
            );
        }
        Ok(())
    }

    /// How many documents contain a word.
    fn look_up(&self, word: &[u8]) -> Result<u64> {
        let Some((all, written)) = self.all()? else { return Ok(0) };
        all.get(word)?.map_or(Ok(0), |value| count_in(self.segment, self.field, written, value))
    }
}

/// Some fields in all segments; `None` if they are too many, or one has many words and no levels.
fn sources<'a>(index: &'a Index, fields: &[usize], of: Of) -> Result<Option<Vec<Source<'a>>>> {
    let mut sources = Vec::new();
    for part in index.snapshot().parts() {
        for &field in fields {
            let Some(source) = Source::new(&part.segment, field, of)? else { continue };
            if sources.len() == MOST || source.levels.is_empty() && !source.has_few()? {
                return Ok(None);
            }
            sources.push(source);
        }
    }
    Ok(Some(sources))
}

/// The documents with a word in some sources, and a bit for each of these.
#[derive(Default, Clone, Copy)]
struct Sum {
    documents: u64,
    seen: u64,
}

/// The `limit` most frequent of the words that begin with a prefix, all fields taken together, in order; `None` if the frequent
/// words do not tell.
///
/// # Errors
/// [`Error::Expired`](crate::Error::Expired); [`Error::Corrupt`](crate::Error::Corrupt).
pub(super) fn most_frequent(
    index: &Index,
    fields: &[usize],
    of: Of,
    prefix: &[u8],
    limit: usize,
    clock: &Clock,
) -> Result<Option<Vec<Counted>>> {
    let Some(sources) = sources(index, fields, of)? else { return Ok(None) };
    let levels = sources.iter().map(|source| source.levels.len()).max().unwrap_or(0).max(1);
    for level in 0..levels {
        // More than that no other word can have.
        let others: u64 = sources.iter().map(|source| source.others(level)).sum();
        let mut found: HashMap<Vec<u8>, Sum> = HashMap::new();
        for (number, source) in sources.iter().enumerate() {
            source.each(level, prefix, clock, |word, documents| {
                let sum = match found.get_mut(word) {
                    Some(sum) => sum,
                    None => found.entry(word.to_vec()).or_default(),
                };
                sum.documents += documents;
                sum.seen |= 1 << number;
            })?;
        }
        if found.len() < limit && others > 0 {
            continue;
        }
        let found = complete(found, &sources, level, limit, clock)?;
        if others == 0 || limit > 0 && found.get(limit - 1).is_some_and(|last| last.1 > others) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// The `limit` most frequent words, in order, once it was looked up in how many documents of the other sources those are that may
/// be among them.
fn complete(
    found: HashMap<Vec<u8>, Sum>,
    sources: &[Source],
    level: usize,
    limit: usize,
    clock: &Clock,
) -> Result<Vec<Counted>> {
    let mut sums: Vec<u64> = found.values().map(|sum| sum.documents).collect();
    let least = match limit.checked_sub(1).filter(|&last| last < sums.len()) {
        Some(last) => *sums.select_nth_unstable_by_key(last, |&sum| Reverse(sum)).1,
        None => 0,
    };
    let mut complete = Vec::new();
    for (word, Sum { mut documents, seen }) in found {
        let unseen =
            || sources.iter().enumerate().filter(|(number, _)| seen >> number & 1 == 0).map(|(_, source)| source);
        if documents + unseen().map(|source| source.others(level)).sum::<u64>() < least {
            continue;
        }
        for source in unseen().filter(|source| source.others(level) > 0) {
            clock.check()?;
            documents += source.look_up(&word)?;
        }
        complete.push((word, documents));
    }
    best(&mut complete, limit);
    Ok(complete)
}

/// The `limit` first [`Word`]s of a field that a prefix stands for, in order; `None` if the frequent words do not tell.
///
/// # Errors
/// As [`most_frequent`].
pub(super) fn closest(
    index: &Index,
    field: usize,
    of: Of,
    prefix: &[u8],
    limit: usize,
    clock: &Clock,
) -> Result<Option<Vec<Word>>> {
    if of == Of::Unknown {
        return Ok(None);
    }
    let Some(found) = most_frequent(index, &[field], of, prefix, limit, clock)? else { return Ok(None) };
    let mut itself = 0;
    for part in index.snapshot().parts() {
        if let Some(source) = Source::new(&part.segment, field, of)? {
            itself += source.look_up(prefix)?;
        }
    }
    let word = |class, documents, term| Word { class, documents: Reverse(documents), term };
    let first = (itself > 0).then(|| word(0, itself, prefix.to_vec()));
    let others = found.into_iter().filter(|(term, _)| term != prefix).map(|(term, documents)| word(1, documents, term));
    Ok(Some(first.into_iter().chain(others).take(limit).collect()))
}
