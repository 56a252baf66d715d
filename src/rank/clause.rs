//! [`Clause`]: terms of which a document must have one.

use super::term::Term;

/// A part of a query: a word in each field that it is searched in. A document has the clause if it has one of the terms.
pub struct Clause<'s> {
    /// The terms; at least one.
    pub terms: Vec<Term<'s>>,
    /// Whether documents must have it. If they need not have any, they must have one.
    pub required: bool,
}

impl Clause<'_> {
    /// The postings of its terms.
    #[inline(always)]
    pub fn postings(&self) -> usize {
        self.terms.iter().map(Term::postings).sum()
    }

    /// Clauses in which documents are looked up come in this order: bit sets first, where that takes least, and then the rarest.
    #[inline(always)]
    pub(super) fn order(&self) -> (bool, usize) {
        (!matches!(&self.terms[..], [term] if term.bits().is_some()), self.postings())
    }
}
