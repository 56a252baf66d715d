//! Phrases: the documents in which terms stand at given distances, all of them or the best.
//!
//! | file | what |
//! |---|---|
//! | `mod.rs` | how documents are found |
//! | `sink` | which are wanted, and what becomes of them |

mod sink;

use super::chain::Chain;
use super::clause::Clause;
use super::clock::Clock;
use super::collector::{Collector, Restriction};
use super::positions::{EIGHT, Places};
use super::score::{Chosen, Scorer};
use super::term::{Term, end_block, find};
use crate::base::cpu::Tier;
use crate::base::error::Result;
use crate::base::tiers::tiered;
use crate::codec::{BLOCK, block_buffer};
use sink::{All, Among, Best, Count, Sink};

/// A term of a phrase.
pub struct PhraseTerm<'s> {
    /// Where it stands in the phrase: once, or more often.
    pub offsets: Vec<u32>,
    /// Its postings.
    pub places: Places<'s>,
}

/// Documents, ascending, and how often each has a phrase, less 1.
pub type Found = (Vec<u32>, Vec<u32>);

/// A document of which is known where its positions are, before any of them are read: they are fetched meanwhile.
struct Located {
    doc_id: u32,
    by: By,
}

/// By what a document is decided.
enum By {
    /// The chain says how often it has the phrase, or that it has it.
    Chain(u32),
    /// Positions of the lead, and of the next term if both stand in the phrase once: the first, and how many; and how many terms are
    /// to be read besides the lead.
    Positions { of_lead: (usize, usize), of_next: Option<(usize, usize)>, read: usize },
}

tiered! {
    /// The documents in which the terms stand as in the phrase. The terms are different.
    ///
    /// The documents of the rarest term, or of a pair of the `chain` that is in fewer, are looked up in the lists of the chain, then in
    /// those of other terms. Only in those that are left, and of which the chain does not tell enough, are positions read, of the
    /// rarest terms first, and of each term once, however often the phrase has it. Documents without one of the `required` clauses are
    /// left out before that.
    ///
    /// # Errors
    /// [`Error::Expired`] once the time is over; [`Error::OutOfMemory`].
    pub fn phrase<'s, 'c>(
        terms: Vec<PhraseTerm<'s>>, chain: Chain<'s>, required: Vec<Clause<'s>>, clock: &'c Clock,
    ) -> Result<Found> = phrase_on_tier;
}

#[inline(always)]
fn phrase_on_tier<'s>(
    terms: Vec<PhraseTerm<'s>>,
    chain: Chain<'s>,
    required: Vec<Clause<'s>>,
    clock: &Clock,
) -> Result<Found> {
    let mut all = All::default();
    find_all(terms, chain, required, clock, &mut all)?;
    Ok(all.found())
}

tiered! {
    /// Those of some documents, which ascend, that [`phrase`] finds.
    ///
    /// # Errors
    /// As of [`phrase`].
    pub fn among<'s, 'c, 'd>(
        terms: Vec<PhraseTerm<'s>>, chain: Chain<'s>, doc_ids: &'d [u32], clock: &'c Clock,
    ) -> Result<Found> = among_on_tier;
}

#[inline(always)]
fn among_on_tier<'s>(terms: Vec<PhraseTerm<'s>>, chain: Chain<'s>, doc_ids: &[u32], clock: &Clock) -> Result<Found> {
    let mut among = Among { doc_ids, found: All::default() };
    find_all(terms, chain, Vec::new(), clock, &mut among)?;
    Ok(among.found.found())
}

tiered! {
    /// Offers the best documents that [`phrase`] finds. Those that could not be hits if they had the phrase as often as its rarest
    /// pair or term, by their scores, are neither looked up in other lists nor are their positions read.
    ///
    /// # Errors
    /// As of [`phrase`].
    pub fn best<'s, 'c, 'a>(
        terms: Vec<PhraseTerm<'s>>, chain: Chain<'s>, scorer: Scorer<'s>, collector: &'a mut Collector<'c, 's>,
    ) -> Result<()> = best_on_tier;
}

#[inline(always)]
fn best_on_tier<'s>(
    terms: Vec<PhraseTerm<'s>>,
    chain: Chain<'s>,
    scorer: Scorer<'s>,
    collector: &mut Collector<'_, 's>,
) -> Result<()> {
    let clock = collector.clock;
    find_all(terms, chain, Vec::new(), clock, &mut Best { scorer, collector })
}

tiered! {
    /// The number of documents that [`phrase`] finds and that count. Where the chain says that a document has the phrase, but not
    /// how often, no positions are read.
    ///
    /// # Errors
    /// As of [`phrase`].
    pub fn count<'s, 'c>(
        terms: Vec<PhraseTerm<'s>>, chain: Chain<'s>, restriction: Restriction<'s>, clock: &'c Clock,
    ) -> Result<u64> = count_on_tier;
}

#[inline(always)]
fn count_on_tier<'s>(
    terms: Vec<PhraseTerm<'s>>,
    chain: Chain<'s>,
    restriction: Restriction<'s>,
    clock: &Clock,
) -> Result<u64> {
    let mut count = Count { restriction, documents: 0 };
    find_all(terms, chain, Vec::new(), clock, &mut count)?;
    Ok(count.documents)
}

/// The list whose documents are looked up in the others: that of the chain's lead, or of the rarest term unless that is short.
#[inline(always)]
fn leading<'a, 's>(chain: &'a mut Chain<'s>, rarest: &'a mut Places<'s>) -> Option<&'a mut Term<'s>> {
    match chain.lead() {
        Some(pair) => Some(pair),
        None => rarest.term(),
    }
}

/// Gives the documents with the phrase to `sink`, as far as it wants them.
#[inline(always)]
fn find_all<'s, S: Sink<'s>>(
    mut terms: Vec<PhraseTerm<'s>>,
    mut chain: Chain<'s>,
    mut required: Vec<Clause<'s>>,
    clock: &Clock,
    sink: &mut S,
) -> Result<()> {
    required.sort_by_key(Clause::look_up_order);
    let last_offset = terms.iter().flat_map(|term| &term.offsets).copied().max().unwrap_or(0);
    // Mostly the chain tells of the words between a phrase's first and last, given where these are, if it is not too long.
    let are_told = chain.is_whole() && terms.len() <= 4;
    let is_between = |term: &PhraseTerm| are_told && !matches!(term.offsets[..], [0]) && term.offsets != [last_offset];
    terms.sort_by_key(|term| (is_between(term), term.places.postings()));
    chain.lead_before(terms.first().map_or(0, |term| term.places.postings()));
    let chain_leads = chain.lead().is_some();
    // Whether documents have to be looked up in a term's list: not if those of a pair are.
    let look_up: Vec<bool> = terms.iter().map(|term| !chain.covers(&term.offsets)).collect();
    // Positions are moved so that those of a match are equal in all terms.
    for offset in terms.iter_mut().flat_map(|term| &mut term.offsets) {
        *offset = last_offset - *offset;
    }
    let Some((PhraseTerm { offsets: shifts, places: lead }, others)) = terms.split_first_mut() else {
        return Ok(());
    };
    // Most phrases are two terms, each of which stands in the document a few times.
    let next_shift = match (&shifts[..], others.first()) {
        ([_], Some(next)) if next.offsets.len() == 1 => Some(next.offsets[0]),
        _ => None,
    };
    let (mut matches, mut positions) = (Vec::new(), Vec::new());
    let mut doc_ids = block_buffer();
    let mut chosen = Chosen::default();
    let mut located = Vec::with_capacity(BLOCK);
    let tier = lead.term().map_or(Tier::Scalar, |term| term.tier());
    if let Some(leading) = leading(&mut chain, lead) {
        sink.begin(leading);
    }
    for block in 0..chain.lead().map_or(lead.blocks(), |pair| pair.blocks()) {
        clock.check()?;
        let count = match leading(&mut chain, lead) {
            None => lead.decode(block, &mut doc_ids),
            Some(leading) => {
                if !sink.wants_block(leading, block) {
                    continue;
                }
                let loaded = leading.load(block);
                doc_ids[..loaded.len()].copy_from_slice(loaded);
                loaded.len()
            }
        };
        end_block(&mut doc_ids, count);
        chosen.take_all(&doc_ids, 0, count);
        sink.choose(leading(&mut chain, lead), block, &mut chosen);
        for clause in &mut required {
            chosen.len = clause.retain(&mut chosen.doc_ids[..chosen.len]);
        }
        chain.keep(&mut chosen);
        if chain_leads && look_up[0] {
            lead.keep(&mut chosen);
        }
        for (PhraseTerm { places, .. }, _) in others.iter_mut().zip(&look_up[1..]).filter(|(_, look_up)| **look_up) {
            if chosen.len > 0 {
                places.keep(&mut chosen);
            }
        }
        sink.reserve(chosen.len)?;
        let is_dense = 8 * chosen.len > count;
        let mut within = 0;
        located.clear();
        for &doc_id in &chosen.doc_ids[..chosen.len] {
            if let Some(count) = chain.count(doc_id, S::FREQUENCIES) {
                located.push(Located { doc_id, by: By::Chain(count) });
                continue;
            }
            let index = if chain_leads {
                let Some(index) = lead.index(doc_id) else { continue };
                index
            } else {
                // Those chosen are some of the block, in order.
                if is_dense {
                    while doc_ids[within] != doc_id {
                        within += 1;
                    }
                } else {
                    within = find(tier, &doc_ids, doc_id).unwrap_or(within);
                }
                lead.index_at(block, within, doc_id)
            };
            let of_lead = lead.locate(index);
            if !sink.wants(doc_id, of_lead.1) {
                continue;
            }
            let (mut of_next, mut read) = (None, others.len());
            if let Some(next_shift) = next_shift {
                let next = &mut others[0].places;
                let Some(of_document) = next.located(doc_id) else { continue };
                if !sink.wants(doc_id, of_document.1) {
                    continue;
                }
                next.prefetch(of_document);
                of_next = Some(of_document);
                if read > 1 && chain.is_told_by([(shifts[0], of_lead.1), (next_shift, of_document.1)]) {
                    read = 1;
                }
            }
            lead.prefetch(of_lead);
            located.push(Located { doc_id, by: By::Positions { of_lead, of_next, read } });
        }
        for &Located { doc_id, ref by } in &located {
            let (of_lead, mut of_next, read) = match *by {
                By::Chain(0) => continue,
                By::Chain(count) => {
                    sink.take(doc_id, count as usize);
                    continue;
                }
                By::Positions { of_lead, of_next, read } => (of_lead, of_next, read),
            };
            matches.clear();
            let mut compared = 0;
            if let (Some(of_document), Some(next_shift)) = (of_next, next_shift)
                && let Some((next, more)) = others[..read].split_first_mut()
                && let Some(eight) = lead.eight(of_lead, shifts[0], u32::MAX)
                && let Some(of_other) = next.places.eight(of_document, next_shift, u32::MAX - 1)
            {
                let equal = equal(&eight, &of_other);
                if equal == 0 || more.is_empty() {
                    if equal > 0 {
                        sink.take(doc_id, equal as usize);
                    }
                    continue;
                }
                matches.extend(eight.into_iter().filter(|position| of_other.contains(position)));
                (compared, of_next) = (1, None);
            } else {
                lead.positions(of_lead, 0, &mut positions);
                let (first, more) = shifts.split_first().map_or((0, &[][..]), |(first, more)| (*first, more));
                matches.extend(positions.iter().map(|position| position.wrapping_add(first)));
                for &shift in more {
                    clock.check()?;
                    keep_common(&mut matches, &positions, shift);
                }
            }
            for PhraseTerm { offsets: shifts, places } in &mut others[compared..read] {
                if matches.is_empty() {
                    break;
                }
                positions.clear();
                let of_document = match of_next.take() {
                    None => places.located(doc_id),
                    of_next => of_next,
                };
                if let Some(of_document) = of_document {
                    places.positions(of_document, 0, &mut positions);
                }
                for &shift in shifts.iter() {
                    clock.check()?;
                    keep_common(&mut matches, &positions, shift);
                }
            }
            if !matches.is_empty() {
                sink.take(doc_id, matches.len());
            }
        }
    }
    Ok(())
}

/// How many numbers are in both.
#[inline(always)]
fn equal(a: &[u32; EIGHT], b: &[u32; EIGHT]) -> u32 {
    let mut equal = [0u32; EIGHT];
    for one in a {
        for (equal, other) in equal.iter_mut().zip(b) {
            *equal += u32::from(one == other);
        }
    }
    equal.iter().sum()
}

/// Keeps the numbers of `kept` that are among those of `other`, each plus `shift`; both ascend.
#[inline(always)]
fn keep_common(kept: &mut Vec<u32>, other: &[u32], shift: u32) {
    let (mut len, mut next) = (0, 0);
    for at in 0..kept.len() {
        let position = kept[at];
        while next < other.len() && other[next].wrapping_add(shift) < position {
            next += 1;
        }
        kept[len] = position;
        len += usize::from(other.get(next).is_some_and(|&other| other.wrapping_add(shift) == position));
    }
    kept.truncate(len);
}
