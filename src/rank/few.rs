//! The best of a few documents, or those that match, each of which is looked up in the lists: what a rare filter leaves, or
//! what comes first in some order.

use super::clause::Clause;
use super::collector::{Collector, Restriction};
use super::matching::{retain, retain_if};
use super::tiers::tiered;

/// Looking a document up in a list takes as long as so many postings of a list that is ranked as a whole.
const LOOK_UP: usize = 32;

/// So many documents are looked up in the time that ranking all takes.
pub fn most(clauses: &[Clause]) -> usize {
    let terms: usize = clauses.iter().map(|clause| clause.terms.len()).sum();
    // A clause that documents must have bounds what is ranked.
    let required = clauses.iter().filter(|clause| clause.required).map(Clause::postings).min();
    let ranked = required.unwrap_or_else(|| clauses.iter().map(Clause::postings).sum());
    ranked / terms.max(1) / LOOK_UP
}

tiered! {
    /// Keeps those of some documents, which ascend, that match: that have all clauses, or any; without clauses, all.
    pub fn matching<'a, 's>(
        doc_ids: &'a mut Vec<u32>, clauses: Vec<Clause<'s>>, needs_all: bool, restriction: &'a mut Restriction<'s>,
    ) -> () = matching_on_tier;
}

#[inline(always)]
fn matching_on_tier(doc_ids: &mut Vec<u32>, mut clauses: Vec<Clause>, needs_all: bool, restriction: &mut Restriction) {
    doc_ids.retain(|&doc_id| restriction.allows(doc_id));
    let has = |clause: &mut Clause, doc_id| clause.terms.iter_mut().any(|term| term.contains(doc_id));
    let mut kept = doc_ids.len();
    if needs_all {
        clauses.sort_by_key(Clause::postings);
        for clause in &mut clauses {
            let doc_ids = &mut doc_ids[..kept];
            kept = match &mut clause.terms[..] {
                [term] => retain(term, doc_ids),
                _ => retain_if(doc_ids, |doc_id| has(clause, doc_id)),
            };
        }
    } else if !clauses.is_empty() {
        kept = retain_if(doc_ids, |doc_id| clauses.iter_mut().any(|clause| has(clause, doc_id)));
    }
    doc_ids.truncate(kept);
    doc_ids.retain(|&doc_id| !restriction.excludes(doc_id));
}

tiered! {
    /// The best of these documents, which ascend, with all required clauses, and one clause at least. The others only add to
    /// their scores.
    pub fn few<'a, 'c, 's>(
        doc_ids: &'a [u32], clauses: Vec<Clause<'s>>, collector: &'a mut Collector<'c, 's>,
    ) -> () = few_on_tier;
}

#[inline(always)]
fn few_on_tier<'s>(doc_ids: &[u32], mut clauses: Vec<Clause<'s>>, collector: &mut Collector<'_, 's>) {
    clauses.sort_by_key(|clause| (!clause.required, clause.postings()));
    'documents: for &doc_id in doc_ids {
        if collector.clock.is_over() {
            return;
        }
        if !collector.restriction.allows(doc_id) {
            continue;
        }
        let (mut score, mut has_any) = (0.0, false);
        for clause in &mut clauses {
            let mut has = false;
            for term in &mut clause.terms {
                if let Some(of_term) = term.probe(doc_id) {
                    score += f64::from(of_term);
                    has = true;
                }
            }
            if clause.required && !has {
                continue 'documents;
            }
            has_any |= has;
        }
        if has_any {
            collector.offer(doc_id, score);
        }
    }
}
