//! [`Clause`]: terms of which a document must have one.

use super::matching::retain;
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

/// The clauses that documents must have to match: those that are required; if none is, one of all terms.
pub fn deciding<'s>(mut clauses: Vec<Clause<'s>>) -> Vec<Clause<'s>> {
    if clauses.iter().any(|clause| clause.required) {
        clauses.retain(|clause| clause.required);
    } else if clauses.len() > 1 {
        clauses = vec![Clause { terms: terms(clauses), required: false }];
    }
    clauses
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
            terms => retain_any(terms, doc_ids),
        }
    }

    /// As [`retain`](Self::retain), after which scores of the same documents can be asked for.
    #[inline(always)]
    pub(super) fn retain_to_score(&mut self, doc_ids: &mut [u32]) -> usize {
        let places = self.places();
        let kept = self.retain(doc_ids);
        self.return_to(places);
        kept
    }

    /// Where searches in its terms begin.
    #[inline(always)]
    pub(super) fn places(&self) -> SmallVec<[usize; 4]> {
        self.terms.iter().map(Term::place).collect()
    }

    /// Begins searches there again.
    #[inline(always)]
    pub(super) fn return_to(&mut self, places: SmallVec<[usize; 4]>) {
        for (term, place) in self.terms.iter_mut().zip(places) {
            term.return_to(place);
        }
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

/// Which of some documents have each of several terms.
pub(super) struct Present {
    /// Those that have the first term, and `u32::MAX`; then the same of the next.
    doc_ids: Vec<u32>,
    /// Per term, where they begin, and where the next one is.
    begins: SmallVec<[usize; 4]>,
    next: SmallVec<[usize; 4]>,
}

impl Present {
    /// docIDs ascend, across calls too. Scores of these documents can be asked for after that.
    #[inline(always)]
    pub(super) fn new(terms: &mut [Term], doc_ids: &[u32]) -> Present {
        let mut present = Vec::with_capacity(2 * (doc_ids.len() + 1));
        let mut begins = SmallVec::with_capacity(terms.len());
        for term in terms {
            let begin = present.len();
            begins.push(begin);
            present.extend_from_slice(doc_ids);
            let place = term.place();
            let kept = retain(term, &mut present[begin..]);
            term.return_to(place);
            present.truncate(begin + kept);
            present.push(u32::MAX);
        }
        Present { doc_ids: present, next: begins.clone(), begins }
    }

    /// Those that have a term, and `u32::MAX`.
    #[inline(always)]
    pub(super) fn of(&self, term: usize) -> &[u32] {
        let end = self.begins.get(term + 1).copied().unwrap_or(self.doc_ids.len());
        &self.doc_ids[self.begins[term]..end]
    }

    /// Whether a document, one of those, has any of the terms. They are asked for in their order.
    #[inline(always)]
    pub(super) fn has_any(&mut self, doc_id: u32) -> bool {
        let mut has_any = false;
        for next in &mut self.next {
            let has = self.doc_ids[*next] == doc_id;
            *next += usize::from(has);
            has_any |= has;
        }
        has_any
    }
}

/// So many documents are looked up in several terms together.
const TOGETHER: usize = 1024;

/// Moves those of some documents that have one of the terms to the front, and returns their number.
#[inline(always)]
fn retain_any(terms: &mut [Term], doc_ids: &mut [u32]) -> usize {
    let mut kept = 0;
    for from in (0..doc_ids.len()).step_by(TOGETHER) {
        let to = doc_ids.len().min(from + TOGETHER);
        let mut present = Present::new(terms, &doc_ids[from..to]);
        for at in from..to {
            let doc_id = doc_ids[at];
            doc_ids[kept] = doc_id;
            kept += usize::from(present.has_any(doc_id));
        }
    }
    kept
}
