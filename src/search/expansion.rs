//! What prefixes and fuzzy words stand for: terms of the whole index's dictionary, bounded for the query as a whole.
//!
//! The choice depends on the terms and on how many documents contain each, so it is the same however the index is cut into
//! segments.

use super::closest::Compared;
use super::options::Options;
use super::pattern::DISCOUNTS;
use super::statistics::Whole;
use super::words::{Counted, MOST_WORDS, Of, Word};
use super::{Index, options, stemmed};
use crate::base::error::Result;
use crate::query::Atom;
use crate::rank::Clock;
use std::cell::LazyCell;

/// For a list that is put together at most so many postings are read for each that [`Options::joined`] allows: long texts
/// have many of the terms, and count once.
const READ_PER_JOINED: u64 = 4;

/// The postings that lists put together for a query may have.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget {
    left: u64,
}

impl Budget {
    pub(super) fn new(whole: &Whole, options: &Options) -> Budget {
        let usual = options::FEW_JOINED.max(whole.documents().saturating_mul(options::JOINED_PER_DOCUMENT));
        Budget { left: options.joined.unwrap_or(usual) }
    }

    /// Takes so many postings, if there are as many left.
    pub(super) fn take(&mut self, postings: u64) -> bool {
        match self.left.checked_sub(postings) {
            Some(left) => self.left = left,
            None => return false,
        }
        true
    }
}

/// Terms that are as far from what was typed, and count as one.
#[derive(Debug, Default)]
pub(super) struct Class {
    /// By how much they count for less than the word itself.
    pub(super) discount: f32,
    /// The most documents that contain a term at most as far away.
    pub(super) common: u64,
    /// The most frequent first.
    pub(super) terms: Vec<Counted>,
}

/// The terms that an atom stands for in each of some fields, the closest first.
pub(super) type Expansion = Vec<(usize, Vec<Class>)>;

/// What each atom stands for in its fields, which have one analyzer; in the same order.
///
/// # Errors
/// [`Error::Expired`](crate::Error::Expired); [`Error::Corrupt`](crate::Error::Corrupt).
pub(super) fn expand(
    index: &Index,
    whole: &Whole,
    atoms: &[(&Atom, &[usize])],
    options: &Options,
    clock: &Clock,
) -> Result<Vec<Expansion>> {
    if atoms.is_empty() {
        return Ok(Vec::new());
    }
    let lookups: usize = atoms.iter().map(|(_, fields)| fields.len()).sum();
    let share = (options.expansions / lookups.max(1)).clamp(1, MOST_WORDS);
    let mut expansions = Vec::with_capacity(atoms.len());
    for &(atom, fields) in atoms {
        let words: Vec<(usize, Vec<Word>)> =
            match fields.first().is_some_and(|&field| index.schema().analyzer_of(field).stems()) {
                true => stemmed::closest(index, whole, fields, atom, share, clock)?,
                false => {
                    let compared = LazyCell::new(|| Compared::new(atom));
                    let closest = |&field: &usize| {
                        let own = |limit| compared.closest(index, field, Of::Terms, limit, clock);
                        Ok((field, whole.closest(field, Of::Terms, atom, share, clock, own)?))
                    };
                    fields.iter().map(closest).collect::<Result<_>>()?
                }
            };
        expansions.push(words.into_iter().map(|(field, words)| (field, classes(words))).collect::<Expansion>());
    }
    let classes = expansions.iter_mut().flatten().flat_map(|(_, classes)| classes);
    let lists = classes.map(|class| &mut class.terms);
    let left_out = cut(lists.collect(), whole.documents(), Budget::new(whole, options).left);
    if left_out > 0 {
        log::info!("a query's prefixes and fuzzy words have too many postings: {left_out} of their terms are left out");
    }
    Ok(expansions)
}

/// Divides words, the closest first, into their classes.
fn classes(words: Vec<Word>) -> Vec<Class> {
    let mut classes: Vec<Class> = Vec::new();
    let (mut last, mut common) = (None, 0);
    for Word { class, documents, term } in words {
        common = documents.0.max(common);
        if last.replace(class) != Some(class) {
            classes.push(Class { discount: DISCOUNTS[usize::from(class)], common, terms: Vec::new() });
        }
        if let Some(of_class) = classes.last_mut() {
            of_class.terms.push((term, documents.0));
        }
    }
    classes
}

/// Shortens lists of terms, the most frequent first, so that what is put together of them has at most `most` postings.
/// They get their terms in turn, until one does not fit; each keeps its first. Returns how many are left out.
fn cut(mut lists: Vec<&mut Vec<Counted>>, documents: u64, most: u64) -> usize {
    let (mut joined, mut read) = (0u64, 0u64);
    let mut left_out = 0;
    // The postings of what was taken of each; a single term needs no list of its own.
    let mut sums: Vec<u64> = lists.iter().map(|terms| terms.first().map_or(0, |first| first.1)).collect();
    let mut open: Vec<usize> = (0..lists.len()).filter(|&at| lists[at].len() > 1).collect();
    let mut taken = 1;
    while !open.is_empty() {
        open.retain(|&at| {
            let (before, more) = (sums[at], lists[at][taken].1);
            let own = if taken == 1 { 0 } else { before.min(documents) };
            let (of_list, all) = ((before + more).min(documents), if taken == 1 { before + more } else { more });
            if joined - own + of_list > most || read + all > most.saturating_mul(READ_PER_JOINED) {
                left_out += lists[at].len() - taken;
                lists[at].truncate(taken);
                return false;
            }
            joined = joined - own + of_list;
            read += all;
            sums[at] += more;
            lists[at].len() > taken + 1
        });
        taken += 1;
    }
    left_out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lists_are_cut_to_what_may_be_joined(
            mut counts in prop::collection::vec(prop::collection::vec(1u64..100, 0..8), 0..6),
            most in 0u64..500,
        ) {
            counts.iter_mut().for_each(|counts| counts.sort_unstable_by(|a, b| b.cmp(a)));
            let lists: Vec<Vec<Counted>> =
                counts.iter().map(|counts| counts.iter().map(|&n| (Vec::new(), n)).collect()).collect();
            let mut kept = lists.clone();
            let left_out = cut(kept.iter_mut().collect(), 100, most);
            let sum = |lists: &[Vec<Counted>], of: fn(&[Counted]) -> u64| {
                lists.iter().filter(|terms| terms.len() > 1).map(|terms| of(terms)).sum::<u64>()
            };
            prop_assert!(sum(&kept, |terms| terms.iter().map(|term| term.1).sum::<u64>().min(100)) <= most);
            prop_assert!(sum(&kept, |terms| terms.iter().map(|term| term.1).sum()) <= READ_PER_JOINED * most);
            for (kept, all) in kept.iter().zip(&lists) {
                prop_assert!(all.starts_with(kept) && kept.is_empty() == all.is_empty());
            }
            let count = |lists: &[Vec<Counted>]| lists.iter().map(Vec::len).sum::<usize>();
            prop_assert_eq!(count(&kept) + left_out, count(&lists));
            // With room for everything nothing is left out.
            let mut whole = lists.clone();
            prop_assert_eq!(cut(whole.iter_mut().collect(), 100, 10_000), 0);
        }
    }
}
