//! The nearest vectors among those that a device leaves: which documents count, and hits by closenesses of vectors themselves.

use super::options::{End, Options};
use super::vectors::{self, Rows};
use super::{Found, Index, run};
use crate::base::bits::has_bit;
use crate::base::cpu;
use crate::base::error::Result;
use crate::base::identity::Identity;
use crate::base::memory::{prefetch, zeros};
use crate::index::segment::VectorColumn;
use crate::rank::TopK;
use crate::vector::Query;

/// Vectors that the processor fetches ahead.
const AHEAD: usize = 4;

/// A row whose vector may be near enough.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Near {
    pub(crate) segment: u32,
    pub(crate) row: u32,
    /// No less than its closeness.
    pub(crate) most: f32,
}

/// The vectors of a field, for a search of which a device does the first part.
pub(crate) struct Screening<'s> {
    index: &'s Index,
    options: &'s Options,
    rows: Vec<Rows<'s>>,
    wanted: usize,
    end: End,
}

impl Index {
    /// The vectors of a field among which the nearest of some queries are looked for, until the `end`.
    ///
    /// # Errors
    /// As [`nearest`](Self::nearest); [`Error::Expired`](crate::Error::Expired).
    pub(crate) fn screening<'s>(
        &'s self,
        field: usize,
        queries: &[&Query],
        options: &'s Options,
        end: End,
    ) -> Result<Screening<'s>> {
        self.check_files()?;
        let wanted = vectors::check(self, field, queries, options)?;
        let parts = self.snapshot().parts().iter().enumerate();
        let clock = end.clock();
        let rows =
            parts.map(|(number, part)| Rows::new(part, number, field, options, &clock)).collect::<Result<_>>()?;
        Ok(Screening { index: self, options, rows, wanted, end })
    }
}

impl Screening<'_> {
    /// How many hits a query needs.
    pub(crate) fn wanted(&self) -> usize {
        self.wanted
    }

    /// The vectors of each segment.
    pub(crate) fn columns(&self) -> impl Iterator<Item = &VectorColumn<'_>> {
        self.rows.iter().map(|rows| &rows.column)
    }

    /// A segment.
    pub(crate) fn identity(&self, segment: usize) -> &Identity {
        self.rows[segment].part.segment.identity()
    }

    /// A vector, in little-endian bytes.
    ///
    /// # Errors
    /// [`Error::Corrupt`](crate::Error::Corrupt).
    pub(crate) fn vector(&self, segment: usize, row: usize) -> Result<&[u8]> {
        self.rows[segment].column.vector(row)
    }

    /// Which rows of a segment may be hits, as a bit set; `None` if all may.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub(crate) fn counting(&self, segment: usize) -> Result<Option<Vec<u32>>> {
        let rows = &self.rows[segment];
        let Rows { column, part, allowed, .. } = rows;
        if allowed.is_none() && part.deleted.is_none() {
            return Ok(None);
        }
        let mut bits = zeros::<u32>(column.rows().div_ceil(32))?;
        let mut add = |row: usize| bits[row / 32] |= 1 << (row % 32);
        match allowed.as_ref().and_then(|allowed| allowed.few.as_deref()) {
            Some(few) => {
                let of_few = few.iter().filter_map(|&doc| column.row_of(doc));
                of_few.filter(|&row| rows.counts(row)).for_each(&mut add);
            }
            None => {
                let counts =
                    |doc: u32| allowed.as_ref().is_none_or(|allowed| has_bit(&allowed.bits, doc)) && part.is_live(doc);
                (0..column.rows()).filter(|&row| column.doc(row).is_some_and(counts)).for_each(&mut add);
            }
        }
        Ok(Some(bits))
    }

    /// The nearest of a query's candidates: its hits if none of the others is nearer.
    ///
    /// # Errors
    /// As [`Index::nearest`].
    pub(crate) fn found(&self, query: &Query, mut near: Vec<Near>) -> Result<Found> {
        // The most promising first, so that few of the others have to be looked at.
        near.sort_unstable_by(|a, b| b.most.total_cmp(&a.most).then((a.segment, a.row).cmp(&(b.segment, b.row))));
        let (tier, mut top) = (cpu::tier(), TopK::new(self.wanted));
        let metric = query.shape().metric;
        let threshold = |top: &TopK| metric.closeness(top.threshold());
        for (at, &Near { segment, row, most }) in near.iter().enumerate() {
            if f64::from(most) < threshold(&top) {
                break;
            }
            if at % 64 == 0 && self.end.has_come() {
                return Ok(Found::late());
            }
            if let Some(ahead) = near.get(at + AHEAD) {
                prefetch(self.vector(ahead.segment as usize, ahead.row as usize)?);
            }
            let (rows, row) = (&self.rows[segment as usize], row as usize);
            if !rows.counts(row) {
                continue;
            }
            let closeness = query.closeness(tier, rows.column.vector(row)?);
            if let Some(hit) = rows.hit(row, metric.similarity(closeness)).filter(|_| closeness >= threshold(&top)) {
                top.push(hit);
            }
        }
        run::found(self.index, &top.into_hits(), None, self.options)
    }
}
