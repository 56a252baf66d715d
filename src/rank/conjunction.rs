//! The documents that have all of several terms, without scores, a tile at a time: those of the two shortest lists are merged if these
//! are of similar length, else those of the shortest are decoded; they are looked up in the other lists.

use super::clock::Clock;
use super::matching::{count_in_bits, retain};
use super::term::Term;
use crate::base::tiers::tiered;
use crate::intersect::merge::{COMMON, TileMerge};

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
    /// How many documents have all terms.
    pub(super) fn count<'c, 's>(terms: Vec<Term<'s>>, clock: &'c Clock) -> u64 = count_on_tier;
}

#[inline(always)]
fn count_on_tier(mut terms: Vec<Term>, clock: &Clock) -> u64 {
    order(&mut terms);
    // Of the last list only the number is asked for.
    let last = if terms.len() > 1 { terms.pop_if(|last| last.bits().is_some()) } else { None };
    let mut count = 0;
    each_tile(terms, clock, |doc_ids| {
        count += match last.as_ref().and_then(Term::bits) {
            Some(bits) => count_in_bits(bits, doc_ids),
            None => doc_ids.len(),
        }
    });
    count as u64
}

tiered! {
    /// Adds the documents that have all terms, ascending; not all of them once the time of `clock` is over.
    pub(super) fn append<'c, 's>(terms: Vec<Term<'s>>, clock: &'c Clock, to: &'c mut Vec<u32>) -> () = append_on_tier;
}

#[inline(always)]
fn append_on_tier(mut terms: Vec<Term>, clock: &Clock, to: &mut Vec<u32>) {
    order(&mut terms);
    each_tile(terms, clock, |doc_ids| to.extend_from_slice(doc_ids));
}

/// The shortest list first, then those in which its documents are looked up.
#[inline(always)]
fn order(terms: &mut [Term]) {
    terms.sort_by_key(Term::postings);
    if let [_, others @ ..] = terms {
        others.sort_by_key(Term::look_up_order);
    }
}

/// Calls `take` with the documents that have all terms, ascending. Terms are in [`order`].
#[inline(always)]
fn each_tile(mut terms: Vec<Term>, clock: &Clock, mut take: impl FnMut(&[u32])) {
    let Some((lead, others)) = terms.split_first_mut() else { return };
    if let [next, others @ ..] = &mut *others
        && merges(lead, next)
        && let (Some(a), Some(b)) = (lead.tiles(), next.tiles())
    {
        let (mut merge, mut common) = (TileMerge::new(lead.tier(), 0, a, b), COMMON);
        while let Some(tile) = merge.next(&mut common) {
            if clock.is_over() {
                return;
            }
            take(retained(others, tile));
        }
        return;
    }
    let mut tile = Vec::new();
    for first in (0..lead.blocks()).step_by(TILE_BLOCKS) {
        if clock.is_over() {
            return;
        }
        tile.clear();
        lead.append(first..lead.blocks().min(first + TILE_BLOCKS), &mut tile);
        take(retained(others, &mut tile));
    }
}

/// Those of some documents that have all terms. docIDs ascend, across calls too.
#[inline(always)]
fn retained<'t>(terms: &mut [Term], doc_ids: &'t mut [u32]) -> &'t [u32] {
    let mut kept = doc_ids.len();
    for term in terms {
        if kept == 0 {
            break;
        }
        kept = retain(term, &mut doc_ids[..kept]);
    }
    &doc_ids[..kept]
}
