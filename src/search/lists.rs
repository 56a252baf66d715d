//! The postings of a leaf in a segment.

use super::leaf::{Leaf, Weighted};
use super::recipe::{self, Recipe};
use crate::base::cpu;
use crate::base::error::Result;
use crate::base::memory::{room, zeros};
use crate::codec::block_buffer;
use crate::index::Kind;
use crate::index::list::{Columns, Decoded, View};
use crate::index::segment::{Joined, Pair, Segment};
use crate::rank::Clock;
use crate::rank::chain::Chain;
use crate::rank::clause::Clause;
use crate::rank::near::near;
use crate::rank::phrase::{PhraseTerm, phrase};
use crate::rank::positions::Places;
use crate::rank::term::{Source, Term};
use std::collections::BTreeMap;

/// The postings of a leaf in the segment with that number; `None` if no document there has it. What is put together of
/// several lists is put together once.
///
/// # Errors
/// [`Error::Corrupt`]; [`Error::Expired`]; [`Error::OutOfMemory`].
pub(super) fn source<'s>(
    segment: &'s Segment,
    number: usize,
    weighted: &Weighted,
    clock: &Clock,
) -> Result<Option<Source<'s>>> {
    source_within(segment, number, weighted, || Ok(Vec::new()), clock)
}

/// The same, but a phrase may lack documents without one of the `required` clauses, which are made if it is put together. Whoever
/// asks for the leaf again gets what was put together first.
///
/// # Errors
/// As of [`source`], and those of `required`.
pub(super) fn source_within<'s>(
    segment: &'s Segment,
    number: usize,
    weighted: &Weighted,
    required: impl FnOnce() -> Result<Vec<Clause<'s>>>,
    clock: &Clock,
) -> Result<Option<Source<'s>>> {
    let (leaf, values) = (&weighted.leaf, &weighted.values[number]);
    let mut present = values.iter().copied().flatten();
    let (first, second) = (present.next(), present.next());
    let is_joined = match leaf {
        Leaf::Term { .. } | Leaf::Weight { .. } => false,
        Leaf::Words { .. } => second.is_some(),
        Leaf::Phrase { .. } | Leaf::Together { .. } => true,
    };
    if !is_joined {
        let Some(value) = first else { return Ok(None) };
        return of_term(segment, leaf.field(), value).map(Some);
    }
    let place = &weighted.joined[number];
    if let Some(joined) = place.get() {
        return Ok(joined.clone());
    }
    let Some(recipe) = Recipe::new(leaf, values) else { return Ok(None) };
    match of_pair(segment, leaf.field(), &recipe)? {
        Some(pair) => Ok(pair),
        None => place.get_or_try_init(|| join(segment, leaf.field(), &recipe, required, clock)).cloned(),
    }
}

/// The postings that a recipe makes in a segment; `None` if there are none.
///
/// # Errors
/// [`Error::Corrupt`]; [`Error::OutOfMemory`].
pub(super) fn made<'s>(segment: &'s Segment, field: usize, recipe: &Recipe) -> Result<Option<Source<'s>>> {
    match *recipe {
        Recipe::Term(value) => of_term(segment, field, value).map(Some),
        _ => match of_pair(segment, field, recipe)? {
            Some(pair) => Ok(pair),
            None => join(segment, field, recipe, || Ok(Vec::new()), &Clock::never()),
        },
    }
}

/// Puts the postings of several terms together; see [`source_within`].
fn join<'s>(
    segment: &'s Segment,
    field: usize,
    recipe: &Recipe,
    required: impl FnOnce() -> Result<Vec<Clause<'s>>>,
    clock: &Clock,
) -> Result<Option<Source<'static>>> {
    match recipe {
        Recipe::Term(value) => union(segment, field, &[*value], clock),
        Recipe::Words(values) => union(segment, field, values, clock),
        Recipe::Together(values) => together(segment, field, values, clock),
        Recipe::Phrase(_) => {
            let Some((terms, chain)) = phrase_lists(segment, field, recipe)? else { return Ok(None) };
            let (doc_ids, less_one) = phrase(cpu::tier(), terms, chain, required()?, clock)?;
            Ok(Source::decoded(doc_ids, less_one))
        }
        Recipe::Near(of) => {
            let Some((&slop, words)) = of.split_first() else { return Ok(None) };
            let (doc_ids, less_one) = near(phrase_terms(segment, field, recipe::words(words))?, slop as u32, clock)?;
            Ok(Source::decoded(doc_ids, less_one))
        }
    }
}

/// What a phrase is found by in the segment with that number, if its documents are yet to be found there, and it may have some.
///
/// # Errors
/// [`Error::Corrupt`].
pub(super) fn unjoined<'s>(
    segment: &'s Segment,
    number: usize,
    phrase: &Weighted,
) -> Result<Option<(Vec<PhraseTerm<'s>>, Chain<'s>)>> {
    let field = phrase.leaf.field();
    let Some(recipe @ Recipe::Phrase(_)) = Recipe::new(&phrase.leaf, &phrase.values[number]) else { return Ok(None) };
    if phrase.joined[number].get().is_some() || of_pair(segment, field, &recipe)?.is_some() {
        return Ok(None);
    }
    phrase_lists(segment, field, &recipe)
}

/// The lists of a phrase's terms, and of its pairs; `None` if two of its words never follow each other.
fn phrase_lists<'s>(
    segment: &'s Segment,
    field: usize,
    recipe: &Recipe,
) -> Result<Option<(Vec<PhraseTerm<'s>>, Chain<'s>)>> {
    let Some(pairs) = pairs(segment, field, recipe)? else { return Ok(None) };
    let terms = phrase_terms(segment, field, recipe.phrase())?;
    Ok(Some((terms, chain(segment, field, recipe, pairs)?)))
}

/// The postings of a phrase of two words, one after the other, if the segment keeps them; `Some(None)` if there are none.
fn of_pair<'s>(segment: &'s Segment, field: usize, recipe: &Recipe) -> Result<Option<Option<Source<'s>>>> {
    if recipe.phrase().len() != 2 {
        return Ok(None);
    }
    Ok(match pairs(segment, field, recipe)? {
        None => Some(None),
        Some(pairs) => pairs.into_iter().next().map(|(_, pair)| Some(pair)),
    })
}

/// The postings of those words of a phrase that follow each other, as far as the segment keeps them, and where the first of each two
/// stands; `None` if two never do.
fn pairs<'s>(segment: &'s Segment, field: usize, recipe: &Recipe) -> Result<Option<Vec<(u32, Source<'s>)>>> {
    let words = recipe.phrase();
    let mut pairs = Vec::new();
    for ((offset, first), (next, second)) in words.clone().zip(words.skip(1)) {
        if offset.checked_add(1) != Some(next) {
            continue;
        }
        match segment.pair(field, first, second)? {
            Pair::Unknown => {}
            Pair::Nowhere => return Ok(None),
            Pair::List(value) => pairs.push((offset, posted(|decoded| segment.pair_list(field, value, decoded))?)),
        }
    }
    Ok(Some(pairs))
}

/// The lists that tell of a phrase besides those of its terms.
fn chain<'s>(segment: &'s Segment, field: usize, recipe: &Recipe, pairs: Vec<(u32, Source<'s>)>) -> Result<Chain<'s>> {
    let term = |source| Term::without_scores(cpu::tier(), source);
    let is_whole = pairs.len() + 1 == recipe.phrase().len();
    let inner = recipe.phrase().skip(1).take(pairs.len().saturating_sub(1));
    let between = is_whole.then(|| inner.map(|(_, value)| of_term(segment, field, value).map(term)).collect());
    let pairs = pairs.into_iter().map(|(offset, source)| (offset, term(source)));
    Ok(Chain::new(pairs.collect(), between.transpose()?))
}

/// The terms of a phrase, each once.
fn phrase_terms(
    segment: &Segment,
    field: usize,
    words: impl Iterator<Item = (u32, u64)>,
) -> Result<Vec<PhraseTerm<'_>>> {
    let mut offsets: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
    for (offset, value) in words {
        offsets.entry(value).or_default().push(offset);
    }
    let term = |(value, offsets)| Ok(PhraseTerm { offsets, places: places(segment, field, value)? });
    offsets.into_iter().map(term).collect()
}

/// The postings of a term.
#[inline(always)]
pub(super) fn of_term(segment: &Segment, field: usize, value: u64) -> Result<Source<'_>> {
    posted(|decoded| segment.list(field, value, false, decoded))
}

/// The postings of a list, which is a view, or short and decoded.
#[inline(always)]
fn posted<'s>(list: impl FnOnce(&mut Decoded) -> Result<Option<View<'s>>>) -> Result<Source<'s>> {
    let mut decoded = Decoded::default();
    if let Some(view) = list(&mut decoded)? {
        return Ok(Source::List(view));
    }
    let Decoded { doc_ids, mut frequencies, .. } = decoded;
    frequencies.iter_mut().for_each(|frequency| *frequency -= 1);
    frequencies.resize(doc_ids.len(), 0);
    Ok(Source::of(doc_ids, frequencies))
}

fn places(segment: &Segment, field: usize, value: u64) -> Result<Places<'_>> {
    let mut decoded = Decoded::default();
    Ok(match segment.list(field, value, true, &mut decoded)? {
        Some(view) => Places::long(cpu::tier(), view),
        None => Places::short(decoded),
    })
}

/// Calls `take` with each document of a list.
pub(super) fn for_each_doc_id(
    segment: &Segment,
    field: usize,
    value: u64,
    mut take: impl FnMut(u32) -> Result<()>,
) -> Result<()> {
    for_each(segment, field, value, |doc_id, _| take(doc_id))
}

/// Calls `take` with each document of a list, and the frequency less 1.
fn for_each(segment: &Segment, field: usize, value: u64, mut take: impl FnMut(u32, u32) -> Result<()>) -> Result<()> {
    match of_term(segment, field, value)? {
        Source::Decoded { columns, .. } => {
            let Columns { doc_ids, less_one } = &*columns;
            doc_ids.iter().zip(less_one).try_for_each(|(&doc_id, &less_one)| take(doc_id, less_one))
        }
        Source::List(view) => {
            let has_frequencies = segment.schema().fields[field].kind == Kind::Text;
            let (mut doc_ids, mut frequencies) = (block_buffer(), [0; crate::codec::BLOCK]);
            for block in 0..view.blocks() {
                let count = view.decode_doc_ids(cpu::tier(), block, &mut doc_ids);
                if has_frequencies {
                    view.frequencies_less_one(block, &mut frequencies);
                }
                doc_ids[..count].iter().zip(frequencies).try_for_each(|(&doc_id, less_one)| take(doc_id, less_one))?;
            }
            Ok(())
        }
    }
}

/// Terms in fewer documents than one in so many are put together by sorting.
const RARE: u64 = 32;

/// [`union`] of terms that have few postings.
fn union_of_rare(
    segment: &Segment,
    field: usize,
    values: &[u64],
    postings: usize,
    clock: &Clock,
) -> Result<Option<Source<'static>>> {
    // A document in the upper half, the frequency less 1 in the lower one: such numbers are sorted fastest.
    let mut all: Vec<u64> = room(postings)?;
    for &value in values {
        clock.check()?;
        for_each(segment, field, value, |doc_id, less_one| {
            all.push(u64::from(doc_id) << 32 | u64::from(less_one));
            Ok(())
        })?;
    }
    all.sort_unstable();
    let (mut doc_ids, mut less_one): (Vec<u32>, Vec<u32>) = (room(all.len())?, room(all.len())?);
    for (doc_id, more) in all.into_iter().map(|posting| ((posting >> 32) as u32, posting as u32)) {
        match less_one.last_mut() {
            Some(last) if doc_ids.last() == Some(&doc_id) => *last = last.saturating_add(more.saturating_add(1)),
            _ => {
                doc_ids.push(doc_id);
                less_one.push(more);
            }
        }
    }
    Ok(Source::decoded(doc_ids, less_one))
}

/// The documents that have one of several terms, which count as one term: their frequencies are added up.
fn union(segment: &Segment, field: usize, values: &[u64], clock: &Clock) -> Result<Option<Source<'static>>> {
    let mut postings = 0;
    for &value in values {
        postings += segment.documents_with(field, value)?;
    }
    if postings < u64::from(segment.documents()) / RARE {
        return union_of_rare(segment, field, values, postings as usize, clock);
    }
    let joined = segment.joined(field, values, || union_of_many(segment, field, values, clock))?;
    Ok(joined.map(|joined| {
        let maxima = joined.maxima();
        Source::Decoded { columns: joined.columns, maxima }
    }))
}

/// [`union`] of terms that have many postings.
fn union_of_many(segment: &Segment, field: usize, values: &[u64], clock: &Clock) -> Result<Option<Joined>> {
    // A counter per document, which costs less than sorting unless the terms are rare; they are bounded in number.
    let mut counters: Vec<u32> = zeros(segment.documents() as usize)?;
    let mut touched: Vec<u64> = zeros(counters.len().div_ceil(64))?;
    for &value in values {
        clock.check()?;
        for_each(segment, field, value, |doc_id, less_one| {
            let counter = &mut counters[doc_id as usize];
            *counter = counter.saturating_add(less_one.saturating_add(1));
            touched[doc_id as usize / 64] |= 1 << (doc_id % 64);
            Ok(())
        })?;
    }
    let found = touched.iter().map(|word| word.count_ones() as usize).sum();
    let (mut doc_ids, mut less_one) = (room(found)?, room(found)?);
    crate::rank::matching::for_each_bit(0, &touched, |doc_id| {
        doc_ids.push(doc_id);
        less_one.push(counters[doc_id as usize] - 1);
    });
    Ok((!doc_ids.is_empty()).then(|| Joined::new(Columns { doc_ids, less_one })))
}

/// The documents that have all of several terms.
fn together(segment: &Segment, field: usize, values: &[u64], clock: &Clock) -> Result<Option<Source<'static>>> {
    let mut common: Option<Vec<u32>> = None;
    for &value in values {
        clock.check()?;
        match &mut common {
            None => {
                let mut doc_ids = room(segment.documents_with(field, value)? as usize)?;
                for_each_doc_id(segment, field, value, |doc_id| {
                    doc_ids.push(doc_id);
                    Ok(())
                })?;
                common = Some(doc_ids);
            }
            Some(common) => {
                let (mut next, mut kept) = (0, 0);
                for_each_doc_id(segment, field, value, |doc_id| {
                    while common.get(next).is_some_and(|&other| other < doc_id) {
                        next += 1;
                    }
                    if common.get(next) == Some(&doc_id) {
                        common[kept] = doc_id;
                        kept += 1;
                    }
                    Ok(())
                })?;
                common.truncate(kept);
            }
        }
    }
    let doc_ids = common.unwrap_or_default();
    let less_one = zeros(doc_ids.len())?;
    Ok(Source::decoded(doc_ids, less_one))
}
