//! The most frequent words that begin with a prefix, by the [frequent words](Level) that segments keep apart: what is not among
//! them is in so few documents that it need not be looked at.

use super::Index;
use super::words::{Counted, MOST_COUNTED, Of, Word, best, beyond, count_in};
use crate::base::error::Result;
use crate::index::segment::{Dictionary, Level, Segment};
use crate::rank::Clock;
use fst::automaton::AlwaysMatch;
use std::cmp::Reverse;
use std::collections::HashMap;

/// Dictionaries that are looked at together: a bit for each.
const MOST: usize = 64;

/// The words of a field in a segment.
struct Vocabulary<'a> {
    segment: &'a Segment,
    field: usize,
    of: Of,
    levels: &'a [Level],
}

impl<'a> Vocabulary<'a> {
    /// `None` if it has no words.
    fn new(segment: &'a Segment, field: usize, of: Of) -> Result<Option<Vocabulary<'a>>> {
        let beside_stems = segment.words(field)?.is_some();
        if of == Of::Written && !beside_stems {
            return Ok(None);
        }
        // Levels are of the words beside stems, if there are any.
        let suits = beside_stems == (of == Of::Written);
        let levels = if suits { segment.frequent(field)? } else { &[] };
        Ok(Some(Vocabulary { segment, field, of, levels }))
    }

    /// All its words, of which the first call reads a whole dictionary, and whether they are beside stems.
    fn all(&self) -> Result<Option<(&'a Dictionary, bool)>> {
        self.of.dictionary(self.segment, self.field)
    }

    /// The level of a number; if it has fewer, the last one.
    fn level(&self, number: usize) -> Option<&'a Level> {
        self.levels.get(number).or(self.levels.last())
    }

    /// In how many documents words are at most that are not of that level.
    fn others(&self, level: usize) -> u64 {
        self.level(level).map_or(0, |level| level.least().saturating_sub(1))
    }

    /// Calls `take` with each word of a level that begins with the prefix, and how many documents contain it, until it returns
    /// false; returns whether it did not.
    fn each(
        &self,
        level: usize,
        prefix: &[u8],
        clock: &Clock,
        mut take: impl FnMut(&[u8], u64) -> bool,
    ) -> Result<bool> {
        let (level, all) = match self.level(level) {
            Some(level) => (Some(level.words()), None),
            None => (None, self.all()?),
        };
        let Some(words) = level.or(all.map(|(words, _)| words)) else { return Ok(true) };
        let mut words = words.matching(AlwaysMatch, prefix, beyond(prefix).as_deref())?;
        while let Some((word, value, ())) = words.next()? {
            clock.check()?;
            let documents = match all {
                Some((_, written)) => count_in(self.segment, self.field, written, value)?,
                None => value.min(self.segment.documents().into()),
            };
            if !take(word, documents) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// How many documents contain a word.
    fn look_up(&self, word: &[u8]) -> Result<u64> {
        let Some((all, written)) = self.all()? else { return Ok(0) };
        all.get(word)?.map_or(Ok(0), |value| count_in(self.segment, self.field, written, value))
    }
}

/// Some fields in all segments; `None` if they are too many, or none has levels.
fn vocabularies<'a>(index: &'a Index, fields: &[usize], of: Of) -> Result<Option<Vec<Vocabulary<'a>>>> {
    let mut vocabularies = Vec::new();
    for part in index.snapshot().parts() {
        for &field in fields {
            let Some(vocabulary) = Vocabulary::new(&part.segment, field, of)? else { continue };
            if vocabularies.len() == MOST {
                return Ok(None);
            }
            vocabularies.push(vocabulary);
        }
    }
    let any = vocabularies.iter().any(|vocabulary| !vocabulary.levels.is_empty());
    Ok(any.then_some(vocabularies))
}

/// The documents with a word in some vocabularies, and a bit for each of these.
#[derive(Default, Clone, Copy)]
struct Sum {
    documents: u64,
    seen: u64,
}

type Found = HashMap<Vec<u8>, Sum>;

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
    let Some(vocabularies) = vocabularies(index, fields, of)? else { return Ok(None) };
    let levels = vocabularies.iter().map(|vocabulary| vocabulary.levels.len()).max().unwrap_or(0);
    let add = |found: &mut Found, number: usize, level: usize| {
        vocabularies[number].each(level, prefix, clock, |word, documents| {
            let sum = match found.get_mut(word) {
                Some(sum) => sum,
                None => found.entry(word.to_vec()).or_default(),
            };
            sum.documents += documents;
            sum.seen |= 1 << number;
            found.len() <= MOST_COUNTED
        })
    };
    // Small segments have no levels, and all of their words are looked at, once.
    let (large, small): (Vec<usize>, Vec<usize>) =
        (0..vocabularies.len()).partition(|&number| !vocabularies[number].levels.is_empty());
    let mut of_small = Found::new();
    for number in small {
        if !add(&mut of_small, number, 0)? {
            return Ok(None);
        }
    }
    for level in 0..levels {
        // More than that no other word can have.
        let others: u64 = vocabularies.iter().map(|vocabulary| vocabulary.others(level)).sum();
        let mut found = of_small.clone();
        for &number in &large {
            if !add(&mut found, number, level)? {
                return Ok(None);
            }
        }
        if found.len() < limit && others > 0 {
            continue;
        }
        let found = complete(found, &vocabularies, level, limit, clock)?;
        if others == 0 || limit > 0 && found.get(limit - 1).is_some_and(|last| last.1 > others) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// The `limit` most frequent words, in order, once it was looked up in how many documents of the other vocabularies those are
/// that may be among them.
fn complete(
    found: Found,
    vocabularies: &[Vocabulary],
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
        let unseen = || {
            vocabularies
                .iter()
                .enumerate()
                .filter(|(number, _)| seen >> number & 1 == 0)
                .map(|(_, vocabulary)| vocabulary)
        };
        if documents + unseen().map(|vocabulary| vocabulary.others(level)).sum::<u64>() < least {
            continue;
        }
        for vocabulary in unseen().filter(|vocabulary| vocabulary.others(level) > 0) {
            clock.check()?;
            documents += vocabulary.look_up(&word)?;
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
        if let Some(vocabulary) = Vocabulary::new(&part.segment, field, of)? {
            itself += vocabulary.look_up(prefix)?;
        }
    }
    let word = |class, documents, term| Word { class, documents: Reverse(documents), term };
    let first = (itself > 0).then(|| word(0, itself, prefix.to_vec()));
    let others = found.into_iter().filter(|(term, _)| term != prefix).map(|(term, documents)| word(1, documents, term));
    Ok(Some(first.into_iter().chain(others).take(limit).collect()))
}
