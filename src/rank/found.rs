//! Which documents of a segment match, all of them: as a list if they are looked up sooner than lists are gone through, else as a
//! set.

use super::clause::{Clause, deciding, terms};
use super::clock::Clock;
use super::collector::Restriction;
use super::conjunction;
use super::costs::{COMBINED, DECODED, GONE_THROUGH, IN_ORDER, MERGED, in_set, looked_up};
use super::few;
use super::matching::{self, for_each_bit};
use super::term::Term;
use crate::base::cpu::Tier;
use crate::base::error::Result;
use crate::base::memory::{reserve, room};
use crate::base::tiers::tiered;
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::ops::ControlFlow;

/// Documents of a segment.
pub enum Documents {
    /// Their docIDs, ascending.
    List(Vec<u32>),
    /// Bit d of the sequence is document d.
    Set(Vec<u64>),
}

impl Documents {
    /// How many there are.
    pub fn count(&self, tier: Tier) -> usize {
        match self {
            Documents::List(doc_ids) => doc_ids.len(),
            Documents::Set(bits) => matching::count_bits(tier, bits) as usize,
        }
    }

    /// Calls `take` with each, ascending.
    #[inline(always)]
    pub fn for_each(&self, mut take: impl FnMut(u32)) {
        match self {
            Documents::List(doc_ids) => doc_ids.iter().for_each(|&doc_id| take(doc_id)),
            Documents::Set(bits) => for_each_bit(0, bits, take),
        }
    }

    /// The same, until `take` breaks off.
    #[inline(always)]
    pub fn try_for_each(&self, mut take: impl FnMut(u32) -> ControlFlow<()>) -> ControlFlow<()> {
        match self {
            Documents::List(doc_ids) => doc_ids.iter().try_for_each(|&doc_id| take(doc_id)),
            Documents::Set(bits) => (0..).step_by(64).zip(bits).try_for_each(|(first, &word)| {
                let mut word = word;
                while word != 0 {
                    take(first + word.trailing_zeros())?;
                    word &= word - 1;
                }
                ControlFlow::Continue(())
            }),
        }
    }
}

/// The documents that match: that have all required clauses, or any if none is required; without clauses, all. Incomplete once the time
/// of `clock` is over.
///
/// # Errors
/// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
pub fn found<'s>(
    tier: Tier,
    documents: u32,
    clauses: Vec<Clause<'s>>,
    restriction: &mut Restriction<'s>,
    clock: &Clock,
) -> Result<Documents> {
    let mut clauses = deciding(clauses);
    let going_through = documents as usize / GONE_THROUGH;
    if let Some(doc_ids) = listed(tier, documents, &mut clauses, restriction, going_through, clock)? {
        return Ok(Documents::List(doc_ids));
    }
    let mut bits = room(documents.div_ceil(64) as usize)?;
    set(tier, documents, &mut clauses, restriction, clock, &mut bits);
    Ok(Documents::Set(bits))
}

/// How many documents match; see [`found`].
///
/// # Errors
/// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
pub fn count<'s>(
    tier: Tier,
    documents: u32,
    clauses: Vec<Clause<'s>>,
    restriction: &mut Restriction<'s>,
    clock: &Clock,
) -> Result<u64> {
    let mut clauses = deciding(clauses);
    // Lists, and nothing else, say which documents match.
    if restriction.is_none() {
        if clauses.len() == 1 {
            return count_any(tier, documents, terms(clauses), restriction, clock);
        }
        if !clauses.is_empty() && clauses.iter().all(|clause| clause.terms.len() == 1) {
            return Ok(count_common(tier, documents, clauses, restriction, clock));
        }
    }
    match listed(tier, documents, &mut clauses, restriction, 0, clock)? {
        Some(doc_ids) => Ok(doc_ids.len() as u64),
        None => Ok(matching::count(tier, documents, &mut clauses, restriction, clock)),
    }
}

/// How many documents have one of these terms; all documents count.
fn count_any<'s>(
    tier: Tier,
    documents: u32,
    mut terms: Vec<Term<'s>>,
    restriction: &mut Restriction<'s>,
    clock: &Clock,
) -> Result<u64> {
    terms.sort_by_key(|term| Reverse(term.postings()));
    let others = terms.split_off(terms.len().min(2));
    let of_others: usize = others.iter().map(Term::postings).sum();
    let by_set: usize = others.iter().map(|term| in_set(documents as usize, term)).sum();
    if of_others * (IN_ORDER + looked_up(&terms)) > by_set {
        terms.extend(others);
        let any = &mut [Clause { terms, required: false }];
        return Ok(matching::count(tier, documents, any, restriction, clock));
    }
    let mut doc_ids = room(of_others)?;
    others.iter().for_each(|term| term.append(0..term.blocks(), &mut doc_ids));
    doc_ids.sort_unstable();
    doc_ids.dedup();
    // Of the two longest lists, documents with both have two postings.
    let mut count = doc_ids.len() + terms.iter().map(Term::postings).sum::<usize>();
    if terms.len() > 1 {
        let each = terms.iter().map(|term| Term::without_scores(tier, term.source().clone()));
        let clauses = each.map(|term| Clause { terms: vec![term], required: true }).collect();
        count -= count_common(tier, documents, clauses, restriction, clock) as usize;
    }
    few::matching(tier, &mut doc_ids, vec![Clause { terms, required: true }], restriction, clock);
    Ok((count - doc_ids.len()) as u64)
}

/// Words of a set of documents between two looks at whether these are enough.
const BETWEEN: usize = 16;

/// Adds the documents from `from` on that have all of several clauses, ascending, until there are `enough`, and returns from where on
/// there may be others; not all of them once the time of `clock` is over. None has a docID from `documents` on. Scores can be asked for
/// after that.
#[inline(always)]
pub(super) fn some(
    (from, documents): (u32, u32),
    clauses: &mut [Clause],
    clock: &Clock,
    enough: impl Fn(&[u32]) -> bool,
    to: &mut Vec<u32>,
) -> Option<u32> {
    let mut restriction = Restriction::default();
    if lead(documents, clauses, &restriction, 0).is_some() {
        return conjunction::append_until(enough, clauses, from, clock, to);
    }
    let tier = clauses.first()?.terms.first()?.tier();
    let places: SmallVec<[_; 8]> = clauses.iter().map(Clause::places).collect();
    let mut next = None;
    matching::matching(from, documents, clauses, &mut restriction, clock, |first, bits| {
        let mut end = first;
        for some in bits.chunks_mut(BETWEEN) {
            let first = end;
            end += u64::BITS * some.len() as u32;
            if end <= from {
                continue;
            }
            begin_at(from, first, some);
            matching::append_bits(tier, first, some, to);
            if enough(to) {
                next = (end < documents).then_some(end);
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    });
    for (clause, places) in clauses.iter_mut().zip(places) {
        clause.return_to(places);
    }
    next
}

/// Takes documents before `from` out of a set, whose first one is `first`.
#[inline(always)]
fn begin_at(from: u32, first: u32, bits: &mut [u64]) {
    let mut before = from.saturating_sub(first);
    for word in bits {
        if before == 0 {
            break;
        }
        *word &= u64::MAX.checked_shl(before).unwrap_or(0);
        before = before.saturating_sub(u64::BITS);
    }
}

/// How many documents have all of these clauses, each of which is one term; all documents count.
fn count_common<'s>(
    tier: Tier,
    documents: u32,
    mut clauses: Vec<Clause<'s>>,
    restriction: &mut Restriction<'s>,
    clock: &Clock,
) -> u64 {
    if let Some(sets) = clauses.iter().map(Clause::bits).collect::<Option<Vec<_>>>() {
        return matching::count_common_bits(tier, &sets);
    }
    if lead(documents, &clauses, restriction, 0).is_some() {
        return conjunction::count(tier, clauses, clock);
    }
    matching::count(tier, documents, &mut clauses, restriction, clock)
}

/// Where the documents come from that are looked up.
#[derive(Clone, Copy)]
enum Lead {
    /// The few that pass the filter.
    Filter,
    /// Those of a clause that documents must have.
    Clause(usize),
}

/// Documents with one of a query's words have another one so many times as often as others do.
const RELATED: usize = 2;

/// The shortest list of documents, unless sets are faster than looking these up. `with_set`: what a set takes besides.
fn lead(documents: u32, clauses: &[Clause], restriction: &Restriction, with_set: usize) -> Option<Lead> {
    let documents = documents as usize;
    let of_filter = restriction.allowed.as_ref().and_then(|allowed| Some((Lead::Filter, allowed.few.as_ref()?.len())));
    let postings = clauses.iter().map(Clause::postings).enumerate().map(|(at, postings)| (Lead::Clause(at), postings));
    let of_clauses = postings.min_by_key(|of_clause| of_clause.1);
    let (lead, len) = of_filter.into_iter().chain(of_clauses).min_by_key(|lead| lead.1)?;
    let mut others: Vec<&Clause> = clauses.iter().collect();
    let leads = if let Lead::Clause(at) = lead { &others.swap_remove(at).terms[..] } else { &[] };
    others.sort_by_key(|clause| clause.look_up_order());
    let mut by_list = len * if leads.len() > 1 { IN_ORDER } else { DECODED };
    // How many are left to be looked up.
    let mut left = len;
    for (at, clause) in others.iter().enumerate() {
        by_list += match (&clause.terms[..], leads) {
            ([term], [lead]) if at == 0 && conjunction::merges(lead, term) => {
                MERGED * (len + term.postings()) - by_list
            }
            (terms, _) => left * looked_up(terms),
        };
        left = left.min((RELATED * left).saturating_mul(clause.postings()) / documents.max(1));
    }
    let of_terms = clauses.iter().flat_map(|clause| &clause.terms).map(|term| in_set(documents, term));
    (by_list < documents / COMBINED + of_terms.sum::<usize>() + with_set).then_some(lead)
}

/// The documents that match, unless a set is faster, which takes `with_set` besides; takes the clauses then.
fn listed<'s>(
    tier: Tier,
    documents: u32,
    clauses: &mut Vec<Clause<'s>>,
    restriction: &mut Restriction<'s>,
    with_set: usize,
    clock: &Clock,
) -> Result<Option<Vec<u32>>> {
    let Some(lead) = lead(documents, clauses, restriction, with_set) else { return Ok(None) };
    let mut clauses = std::mem::take(clauses);
    let mut doc_ids = Vec::new();
    match lead {
        Lead::Filter => {
            let few = restriction.allowed.as_ref().and_then(|allowed| allowed.few.as_deref()).unwrap_or_default();
            reserve(&mut doc_ids, few.len())?;
            doc_ids.extend_from_slice(few);
        }
        Lead::Clause(_) => {
            reserve(&mut doc_ids, clauses.iter().map(Clause::postings).min().unwrap_or(0))?;
            conjunction::append(tier, std::mem::take(&mut clauses), clock, &mut doc_ids);
        }
    }
    few::matching(tier, &mut doc_ids, clauses, restriction, clock);
    Ok(Some(doc_ids))
}

tiered! {
    /// Adds the bits of the documents that match; see [`matching::matching`].
    fn set<'a, 's>(
        documents: u32, clauses: &'a mut [Clause<'s>], restriction: &'a mut Restriction<'s>, clock: &'a Clock, set: &'a mut Vec<u64>,
    ) -> () = set_on_tier;
}

#[inline(always)]
fn set_on_tier(
    documents: u32,
    clauses: &mut [Clause],
    restriction: &mut Restriction,
    clock: &Clock,
    set: &mut Vec<u64>,
) {
    matching::matching(0, documents, clauses, restriction, clock, |_, bits| {
        set.extend_from_slice(bits);
        ControlFlow::Continue(())
    });
}
