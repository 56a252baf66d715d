//! The documents that have all of several clauses, without scores, a tile at a time: those of the two shortest lists are merged if these
//! are of similar length, else those of the shortest clause are decoded; they are looked up in the others.

use super::clause::Clause;
use super::clock::Clock;
use super::matching::count_in_bits;
use super::term::Term;
use super::window::within;
use crate::base::tiers::tiered;
use crate::intersect::merge::{COMMON, TileMerge};
use std::ops::ControlFlow;

/// Blocks that are decoded at a time.
const TILE_BLOCKS: usize = 8;

/// Lists are merged if one is less than so many times as long as the other. Words of a query are often in the same documents, many of
/// which follow each other, so that look-ups pay sooner than in lists of any kind ([`intersect`](crate::intersect)).
const SIMILAR: usize = 4;

/// Whether the documents of these lists, the shorter one first, are merged, and not looked up.
#[inline(always)]
pub(super) fn merges(shorter: &Term, longer: &Term) -> bool {
    longer.postings() < SIMILAR * shorter.postings() && shorter.is_list() && longer.is_list()
}

tiered! {
    /// How many documents have all clauses.
    pub(super) fn count<'c, 's>(clauses: Vec<Clause<'s>>, clock: &'c Clock) -> u64 = count_on_tier;
}

#[inline(always)]
fn count_on_tier(mut clauses: Vec<Clause>, clock: &Clock) -> u64 {
    let Some((lead, mut others)) = divided(&mut clauses) else { return 0 };
    // Of the last list only the number is asked for.
    let last = others.pop_if(|last| last.bits().is_some()).and_then(|last| last.bits());
    let mut count = 0;
    each_tile(lead, &mut others, 0, clock, |doc_ids| {
        count += last.map_or(doc_ids.len(), |bits| count_in_bits(bits, doc_ids));
        ControlFlow::Continue(())
    });
    count as u64
}

tiered! {
    /// Adds the documents that have all clauses, ascending; not all of them once the time of `clock` is over.
    pub(super) fn append<'c, 's>(clauses: Vec<Clause<'s>>, clock: &'c Clock, to: &'c mut Vec<u32>) -> () = append_on_tier;
}

#[inline(always)]
fn append_on_tier(mut clauses: Vec<Clause>, clock: &Clock, to: &mut Vec<u32>) {
    append_until(|_| false, &mut clauses, 0, clock, to);
}

/// Adds documents from `from` on, until there are `enough` in `to`, and returns from where on there may be others. Scores of these can be
/// asked for. Otherwise as [`append`].
#[inline(always)]
pub(super) fn append_until(
    enough: impl Fn(&[u32]) -> bool,
    clauses: &mut [Clause],
    from: u32,
    clock: &Clock,
    to: &mut Vec<u32>,
) -> Option<u32> {
    let (lead, mut others) = divided(clauses)?;
    each_tile(lead, &mut others, from, clock, |doc_ids| {
        to.extend_from_slice(doc_ids);
        if enough(to) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })
}

/// The clause with the fewest postings, and those in which its documents are looked up, in this order.
#[inline(always)]
fn divided<'c, 's>(clauses: &'c mut [Clause<'s>]) -> Option<(&'c mut Clause<'s>, Vec<&'c mut Clause<'s>>)> {
    clauses.sort_by_key(Clause::postings);
    let (lead, others) = clauses.split_first_mut()?;
    let mut others: Vec<_> = others.iter_mut().collect();
    others.sort_by_key(|clause| clause.look_up_order());
    Some((lead, others))
}

/// Calls `take` with the documents from `from` on that have all clauses, ascending, until it breaks off. Returns then from where on
/// there may be more.
#[inline(always)]
fn each_tile(
    lead: &mut Clause,
    others: &mut [&mut Clause],
    from: u32,
    clock: &Clock,
    mut take: impl FnMut(&[u32]) -> ControlFlow<()>,
) -> Option<u32> {
    // The blocks in which they begin may have documents before `from`.
    let begins = |tile: &[u32]| tile.iter().position(|&doc_id| doc_id >= from).unwrap_or(tile.len());
    if let [lead] = &lead.terms[..]
        && let [next, others @ ..] = &mut *others
        && let [next] = &next.terms[..]
        && merges(lead, next)
        && let (Some(a), Some(b)) = (lead.tiles(), next.tiles())
    {
        let (mut merge, mut common) = (TileMerge::new(lead.tier(), from, a, b), COMMON);
        while let Some(tile) = merge.next(&mut common) {
            if clock.is_over() {
                return None;
            }
            let begin = begins(tile);
            if take(retained(others, &mut tile[begin..])).is_break() {
                return Some(merge.reached());
            }
        }
        return None;
    }
    let places = lead.places();
    let (mut tile, mut next) = (Vec::new(), Some(from));
    while let Some(first) = next {
        if clock.is_over() {
            next = None;
            break;
        }
        tile.clear();
        next = append_blocks(&mut lead.terms, first, &mut tile);
        let begin = begins(&tile);
        if take(retained(others, &mut tile[begin..])).is_break() {
            break;
        }
    }
    lead.return_to(places);
    next
}

/// Adds the documents of some blocks that have one of the terms, from the block on in which `from` is; ascending. Returns where others may
/// begin.
#[inline(always)]
fn append_blocks(terms: &mut [Term], from: u32, to: &mut Vec<u32>) -> Option<u32> {
    if let [term] = terms {
        let block = term.seek(from)?;
        let end = term.blocks().min(block + TILE_BLOCKS);
        term.append(block..end, to);
        return (end < term.blocks()).then(|| term.first_possible(end));
    }
    // As far as the blocks of all of them reach.
    let mut last = None;
    for term in &mut *terms {
        if let Some(block) = term.seek(from) {
            let of_term = term.last(term.blocks().min(block + TILE_BLOCKS) - 1);
            last = Some(last.map_or(of_term, |last: u32| last.min(of_term)));
        }
    }
    let last = last?;
    for term in terms {
        let Some(mut block) = term.seek(from) else { continue };
        while block < term.blocks() && term.first_possible(block) <= last {
            let doc_ids = term.load(block);
            to.extend_from_slice(&doc_ids[within(doc_ids, from, last)]);
            block += 1;
        }
    }
    // Stable: what is in order already is merged.
    to.sort();
    to.dedup();
    last.checked_add(1)
}

/// Those of some documents that have all clauses. docIDs ascend, across calls too.
#[inline(always)]
fn retained<'t>(clauses: &mut [&mut Clause], doc_ids: &'t mut [u32]) -> &'t [u32] {
    let mut kept = doc_ids.len();
    for clause in clauses {
        if kept == 0 {
            break;
        }
        kept = clause.retain_to_score(&mut doc_ids[..kept]);
    }
    &doc_ids[..kept]
}
