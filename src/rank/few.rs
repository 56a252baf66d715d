//! The best of a few documents, each of which is looked up in the lists: what a rare filter leaves.

use super::clause::Clause;
use super::collector::Collector;
use super::tiers::tiered;

/// Looking a document up in a list takes as long as so many postings of a list that is ranked as a whole.
const LOOK_UP: usize = 32;

/// Whether looking up so many documents takes less time than ranking all.
pub fn pays(documents: usize, clauses: &[Clause]) -> bool {
    let terms: usize = clauses.iter().map(|clause| clause.terms.len()).sum();
    // A clause that documents must have bounds what is ranked.
    let required = clauses.iter().filter(|clause| clause.required).map(Clause::postings).min();
    let ranked = required.unwrap_or_else(|| clauses.iter().map(Clause::postings).sum());
    documents.saturating_mul(terms).saturating_mul(LOOK_UP) < ranked
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
