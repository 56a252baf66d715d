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

/// Documents of a segment in the order of a field's numbers, some at a time.
pub(super) struct Walk<'s> {
    column: Column<'s>,
    direction: Direction,
    /// Those that have a number, by these, ascending.
    ascending: &'s [u32],
    /// Where it began, and how far it has come, counted from what comes first in the direction.
    begin: usize,
    end: usize,
    /// How many may be looked at.
    most: usize,
    /// How many are next.
    step: usize,
}

/// As terms and numbers may know of each other, a walk begins with so many documents for each that is wanted.
const FOR_EACH: usize = 8;

/// A walk gives up after such a part of the time that looking at all matches takes.
const PART: usize = 4;

impl<'s> Walk<'s> {
    /// A walk that begins at `from`, a key. `None` if looking at all documents that match is likely to take less time, or if there
    /// is no such order yet.
    pub(super) fn new(
        (column, direction): (Column<'s>, Direction),
        ascending: impl FnOnce() -> Result<Option<&'s [u32]>>,
        (clauses, needs_all, restriction): (&[Clause], bool, &Restriction),
        wanted: usize,
        from: f64,
    ) -> Result<Option<Walk<'s>>> {
        let documents = column.documents();
        let most = if clauses.is_empty() { documents / 64 } else { few::most(clauses) } / PART;
        let is_rare = restriction.allowed.as_ref().is_some_and(|allowed| allowed.few.is_some());
        if is_rare || expected(documents, clauses, needs_all, wanted) > most as f64 {
            return Ok(None);
        }
        let Some(ascending) = ascending()? else { return Ok(None) };
        let step = FOR_EACH.saturating_mul(wanted);
        let mut walk = Walk { column, direction, ascending, begin: 0, end: 0, most, step };
        let mut after = ascending.len();
        while walk.begin < after {
            let middle = walk.begin + (after - walk.begin) / 2;
            if walk.key(middle) < from { walk.begin = middle + 1 } else { after = middle }
        }
        walk.end = walk.begin;
        Ok(Some(walk))
    }

    /// The document at a place.
    fn at(&self, place: usize) -> u32 {
        match self.direction {
            Direction::Ascending => self.ascending[place],
            Direction::Descending => self.ascending[self.ascending.len() - 1 - place],
        }
    }

    /// Its key.
    fn key(&self, place: usize) -> f64 {
        directed(self.column.get(self.at(place)), self.direction)
    }

    /// Whether it has looked at any.
    #[cfg(test)]
    pub(super) fn has_begun(&self) -> bool {
        self.end > self.begin
    }

    /// Whether all documents that it has not come to have greater keys than `worst`.
    pub(super) fn is_past(&self, worst: f64) -> bool {
        match self.end < self.ascending.len() {
            true => self.key(self.end) > worst,
            // Those without a number come last.
            false => worst < f64::INFINITY,
        }
    }

    /// Puts the next documents into `doc_ids`, by docID; returns whether there are any, and looking at them is worth it.
    pub(super) fn next(&mut self, doc_ids: &mut Vec<u32>) -> bool {
        let left = self.ascending.len() - self.end;
        if left == 0 || self.end - self.begin >= self.most {
            return false;
        }
        let next = self.end..self.end + self.step.min(left);
        self.end = next.end;
        self.step = self.step.saturating_mul(2);
        doc_ids.clear();
        doc_ids.extend(next.map(|place| self.at(place)));
        doc_ids.sort_unstable();
        true
    }

    /// A bit per document that it has come to.
    pub(super) fn walked(&self) -> Result<Vec<u64>> {
        let mut walked = zeros(self.column.documents().div_ceil(64))?;
        for doc_id in (self.begin..self.end).map(|place| self.at(place)) {
            walked[doc_id as usize / 64] |= 1 << (doc_id % 64);
        }
        Ok(walked)
    }
}

/// How many documents have to be looked at until `wanted` match, if terms and numbers know nothing of each other.
fn expected(documents: usize, clauses: &[Clause], needs_all: bool, wanted: usize) -> f64 {
    let parts = clauses.iter().map(|clause| (clause.postings() as f64 / documents as f64).min(1.0));
    let matching = if needs_all || clauses.is_empty() { parts.product() } else { parts.fold(0.0, f64::max) };
    wanted as f64 / matching
}
