//! [`Walk`]: a segment's documents in the order of a numeric field, from the first on. It ends a sort early if so many documents
//! match that the first ones are soon found.

use super::order::Direction;
use super::sort::directed;
use crate::base::error::Result;
use crate::base::memory::zeros;
use crate::index::segment::Column;
use crate::rank::clause::Clause;
use crate::rank::collector::Restriction;
use crate::rank::few;
use std::ops::Range;

/// Documents of a segment in the order of a field's numbers, some at a time.
pub(super) struct Walk<'s> {
    column: Column<'s>,
    direction: Direction,
    /// Those that have a number, by these, ascending; equal ones in the order of insertion.
    ascending: &'s [u32],
    /// Whether others cannot match.
    is_in_range: bool,
    /// Which of these come next, in their order: if numbers descend, those with the same number.
    next: Range<usize>,
    /// If numbers descend, those that come after these are before this place.
    left: usize,
    /// What it has come to.
    walked: Vec<u32>,
    /// How many may be looked at.
    most: usize,
    /// How many are taken next.
    step: usize,
}

/// As terms and numbers may know of each other, a walk begins with so many documents for each that is wanted.
const FOR_EACH: usize = 4;

/// If so few documents pass the filter for each that is wanted, all of them are looked at.
const FEW_FOR_EACH: usize = 64;

/// A walk is begun if it is likely to end in such a part of the time that looking at all matches takes, after which it gives up.
const PART: usize = 2;

/// What documents must meet.
pub(super) struct Wanted<'q, 's> {
    /// Clauses that documents must have.
    pub(super) clauses: &'q [Clause<'s>],
    /// What else they must.
    pub(super) restriction: &'q Restriction<'s>,
    /// Numbers of the field that others than from the first to the second cannot have.
    pub(super) range: (f64, f64),
    /// How many are wanted.
    pub(super) hits: usize,
    /// The key of a hit that they come after, or have too.
    pub(super) from: f64,
}

impl<'s> Walk<'s> {
    /// `None` if looking at all documents that match is likely to take less time, or if there is no such order yet.
    pub(super) fn new(
        (column, direction): (Column<'s>, Direction),
        ascending: impl FnOnce() -> Result<Option<&'s [u32]>>,
        wanted: &Wanted,
    ) -> Result<Option<Walk<'s>>> {
        let (clauses, documents) = (wanted.clauses, column.documents());
        let most = if clauses.is_empty() { documents / 64 } else { few::most(clauses) } / PART;
        let allowed = wanted.restriction.allowed.as_ref();
        let matching = part_matching(documents, clauses);
        let expected = |of_these: f64| wanted.hits as f64 / (matching * of_these);
        let few = allowed.and_then(|allowed| allowed.few.as_ref()).map(Vec::len);
        if few.is_some_and(|few| few <= FEW_FOR_EACH.saturating_mul(wanted.hits)) || expected(1.0) > most as f64 {
            return Ok(None);
        }
        let Some(mut ascending) = ascending()? else { return Ok(None) };
        let (low, high) = wanted.range;
        let is_in_range = low > f64::NEG_INFINITY || high < f64::INFINITY;
        if is_in_range {
            let number = |doc_id: u32| column.get(doc_id).unwrap_or(f64::INFINITY);
            let begin = ascending.partition_point(|&doc_id| number(doc_id) < low);
            let end = ascending.partition_point(|&doc_id| number(doc_id) <= high);
            ascending = &ascending[begin..end.max(begin)];
        }
        if let Some(allowed) = allowed {
            let passing = few.unwrap_or_else(|| allowed.bits.iter().map(|word| word.count_ones() as usize).sum());
            let expected = expected((passing as f64 / ascending.len().max(1) as f64).min(1.0));
            if expected > most.min(few.unwrap_or(most)) as f64 {
                return Ok(None);
            }
        }
        let step = FOR_EACH.saturating_mul(wanted.hits);
        let (next, walked) = (0..0, Vec::new());
        let mut walk = Walk { column, direction, ascending, is_in_range, next, left: 0, walked, most, step };
        match direction {
            Direction::Ascending => {
                walk.next = ascending.partition_point(|&doc_id| walk.key(doc_id) < wanted.from)..ascending.len();
            }
            Direction::Descending => {
                walk.left = ascending.partition_point(|&doc_id| walk.key(doc_id) >= wanted.from);
                walk.go_on();
            }
        }
        Ok(Some(walk))
    }

    fn key(&self, doc_id: u32) -> f64 {
        directed(self.column.get(doc_id), self.direction)
    }

    /// If none is next, those with the next lower number are.
    fn go_on(&mut self) {
        if !self.next.is_empty() || self.left == 0 {
            return;
        }
        let (end, mut begin, mut step) = (self.left, self.left - 1, 1);
        let key = self.key(self.ascending[begin]);
        while begin >= step && self.key(self.ascending[begin - step]) == key {
            begin -= step;
            step *= 2;
        }
        let from = begin.saturating_sub(step);
        begin = from + self.ascending[from..begin].partition_point(|&doc_id| self.key(doc_id) != key);
        self.next = begin..end;
        self.left = begin;
    }

    /// The next document and its key.
    pub(super) fn peek(&self) -> Option<(u32, f64)> {
        let doc_id = *self.ascending[self.next.clone()].first()?;
        Some((doc_id, self.key(doc_id)))
    }

    #[cfg(test)]
    pub(super) fn has_begun(&self) -> bool {
        !self.walked.is_empty()
    }

    /// Whether documents that it does not come to cannot match.
    pub(super) fn is_in_range(&self) -> bool {
        self.is_in_range
    }

    /// Puts the next documents into `doc_ids`, by docID; returns whether there are any, and looking at them is worth it.
    pub(super) fn next(&mut self, doc_ids: &mut Vec<u32>) -> bool {
        doc_ids.clear();
        if self.walked.len() >= self.most {
            return false;
        }
        while doc_ids.len() < self.step && !self.next.is_empty() {
            let some = self.next.len().min(self.step - doc_ids.len());
            doc_ids.extend_from_slice(&self.ascending[self.next.start..self.next.start + some]);
            self.next.start += some;
            self.go_on();
        }
        self.step = self.step.saturating_mul(2);
        self.walked.extend_from_slice(doc_ids);
        doc_ids.sort_unstable();
        !doc_ids.is_empty()
    }

    /// A bit per document that it has come to.
    pub(super) fn walked(&self) -> Result<Vec<u64>> {
        let mut walked = zeros(self.column.documents().div_ceil(64))?;
        self.walked.iter().for_each(|&doc_id| walked[doc_id as usize / 64] |= 1 << (doc_id % 64));
        Ok(walked)
    }
}

/// The part of the documents that match, if terms know nothing of each other.
fn part_matching(documents: usize, clauses: &[Clause]) -> f64 {
    clauses.iter().map(|clause| (clause.postings() as f64 / documents as f64).min(1.0)).product()
}
