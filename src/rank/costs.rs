//! What finding documents takes, in tenths of a nanosecond (on a Zen 4).

use super::term::Term;

/// Decoding a posting.
pub(super) const DECODED: usize = 5;
/// The same, where those of several lists are put in order.
pub(super) const IN_ORDER: usize = 40;
/// Setting the bit of a posting in a set.
const SET: usize = 13;
/// Looking a document up together with others: in a bit set, in another list, and in one of several lists besides.
pub(super) const IN_BITS: usize = 7;
const IN_LIST: usize = 38;
const IN_SEVERAL: usize = 15;
/// Combining two sets takes a unit for so many documents, and going through one a unit for so many.
pub(super) const COMBINED: usize = 40;
pub(super) const GONE_THROUGH: usize = 8;
/// Merging a posting of two lists, decoded for that.
pub(super) const MERGED: usize = 8;

/// What looking a document up takes, in one list or in several.
pub(super) fn looked_up(terms: &[Term]) -> usize {
    let in_term = |term: &Term| if term.bits().is_some() { IN_BITS } else { IN_LIST };
    let in_all = terms.iter().map(in_term).sum::<usize>();
    if terms.len() > 1 { in_all + IN_SEVERAL * terms.len() } else { in_all }
}

/// What adding a term's documents to a set takes.
pub(super) fn in_set(documents: usize, term: &Term) -> usize {
    documents / COMBINED + if term.bits().is_some() { 0 } else { SET * term.postings() }
}
