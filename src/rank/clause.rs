//! [`Clause`]: terms of which a document must have one.

use super::matching::{retain, retain_if};
use super::term::Term;
use smallvec::SmallVec;

/// A part of a query: a word in each field that it is searched in. A document has the clause if it has one of the terms.
pub struct Clause<'s> {
    /// The terms; at least one.
    pub terms: Vec<Term<'s>>,
    /// Whether documents must have it. If they need not have any, they must have one.
    pub required: bool,
}

/// The terms of all clauses. They are large, and moved once.
pub fn terms<'s>(clauses: impl IntoIterator<Item = Clause<'s>>) -> Vec<Term<'s>> {
    let mut terms = Vec::new();
    for mut clause in clauses {
        terms.append(&mut clause.terms);
    }
    terms
}

impl<'s> Clause<'s> {
    /// The postings of its terms.
    #[inline(always)]
    pub fn postings(&self) -> usize {
        self.terms.iter().map(Term::postings).sum()
    }

    /// The bit set, if it is one list, and that is one.
    #[inline(always)]
    pub(super) fn bits(&self) -> Option<&'s [u32]> {
        if let [term] = &self.terms[..] { term.bits() } else { None }
    }

    /// Moves those of some documents that have the clause to the front, and returns their number. docIDs ascend, across calls too.
    #[inline(always)]
    pub(super) fn retain(&mut self, doc_ids: &mut [u32]) -> usize {
        match &mut self.terms[..] {
            [term] => retain(term, doc_ids),
            terms => retain_if(doc_ids, |doc_id| terms.iter_mut().any(|term| term.contains(doc_id))),
        }
    }

    /// As [`retain`](Self::retain), after which scores of the same documents can be asked for.
    #[inline(always)]
    pub(super) fn retain_to_score(&mut self, doc_ids: &mut [u32]) -> usize {
        let places: SmallVec<[usize; 4]> = self.terms.iter().map(Term::place).collect();
        let kept = self.retain(doc_ids);
        for (term, place) in self.terms.iter_mut().zip(places) {
            term.return_to(place);
        }
        kept
    }

    /// As [`Term::look_up_order`].
    #[inline(always)]
    pub(super) fn look_up_order(&self) -> (bool, usize) {
        match &self.terms[..] {
            [term] => term.look_up_order(),
            _ => (true, self.postings()),
        }
    }
}
