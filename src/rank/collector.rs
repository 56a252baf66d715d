//! [`Collector`]: what a segment's search reports to, and which documents it may report.

use super::clock::Clock;
use super::term::Term;
use super::top_k::{Hit, TopK};
use crate::base::bits::has_bit;
use crate::index::segment::Allowed;
use std::sync::Arc;

/// The documents of a segment that count.
#[derive(Default)]
pub struct Restriction<'s> {
    /// Documents that were deleted: bit d of the sequence is document d.
    pub deleted: Option<&'s [u64]>,
    /// Documents that pass the filter; all if there is none.
    pub allowed: Option<Arc<Allowed>>,
    /// Lists of documents that are excluded.
    pub excluded: Vec<Term<'s>>,
    /// Score and ordinal (in all segments) that hits must come after, in the order of hits.
    pub after: Option<(f64, u64)>,
}

impl<'s> Restriction<'s> {
    /// The same, to be asked about documents from the first one on again.
    pub fn again(&self) -> Self {
        let again = |term: &Term<'s>| Term::without_scores(term.tier(), term.source().clone());
        let excluded = self.excluded.iter().map(again).collect();
        Restriction { deleted: self.deleted, allowed: self.allowed.clone(), excluded, after: self.after }
    }

    /// Whether every document counts.
    pub fn is_none(&self) -> bool {
        self.deleted.is_none() && self.allowed.is_none() && self.excluded.is_empty() && self.after.is_none()
    }

    /// A filter that is asked before scores.
    pub(super) fn sieve(&self) -> Option<&Arc<Allowed>> {
        self.allowed.as_ref().filter(|allowed| allowed.is_sieve())
    }

    /// Whether bit sets say which documents count.
    #[inline(always)]
    pub fn has_sets(&self) -> bool {
        self.deleted.is_some() || self.allowed.is_some()
    }

    /// Whether the document counts, by bit sets.
    #[inline(always)]
    pub fn allows(&self, doc_id: u32) -> bool {
        self.deleted.is_none_or(|deleted| !has_bit(deleted, doc_id))
            && self.allowed.as_ref().is_none_or(|allowed| has_bit(&allowed.bits, doc_id))
    }

    /// Whether a document is excluded. docIDs must not decrease.
    #[inline(always)]
    pub fn excludes(&mut self, doc_id: u32) -> bool {
        self.excluded.iter_mut().any(|term| term.contains(doc_id))
    }
}

/// Collects the hits of a segment.
pub struct Collector<'c, 's> {
    /// The hits of all segments so far.
    pub top: &'c mut TopK,
    /// The documents that count.
    pub restriction: Restriction<'s>,
    /// The number of the segment.
    pub segment: u32,
    /// The ordinal of the segment's first document.
    pub base: u64,
    /// The rank of each document by insertion, if it is not the docID.
    pub ordinals: Option<&'s [u32]>,
    /// Whether documents come in the order of insertion: then one with the score of the last hit is none.
    pub in_order: bool,
    /// Once its time is over, the hits are not complete.
    pub clock: &'c Clock,
}

impl Collector<'_, '_> {
    /// Only documents with a greater score can be hits.
    #[inline(always)]
    pub fn threshold(&self) -> f64 {
        let threshold = self.top.threshold();
        if self.in_order { threshold } else { threshold.next_down() }
    }

    /// Takes a document that the bit sets [allow](Restriction::allows). docIDs ascend.
    #[inline(always)]
    pub fn offer(&mut self, doc_id: u32, score: f64) {
        if score > self.threshold() && !self.restriction.excludes(doc_id) {
            let ordinal = match self.ordinals {
                None => doc_id,
                Some(ordinals) => ordinals[doc_id as usize],
            };
            let ordinal = self.base + u64::from(ordinal);
            let is_after = |(other, of_other)| score < other || (score == other && ordinal > of_other);
            if !self.restriction.after.is_none_or(is_after) {
                return;
            }
            self.top.push(Hit { score, ordinal, segment: self.segment, doc_id });
        }
    }
}
