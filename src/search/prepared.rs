//! [`Prepared`]: a query as someone else can rank it, who has the lists of the segments in another form.

use super::options::Options;
use super::plan::{Leaf, Plan, Weighted};
use super::{Found, Index, filter, lists, run};
use crate::cpu;
use crate::error::{Error, Result};
use crate::identity::Identity;
use crate::index::snapshot::Part;
use crate::rank::{Bm25, Hit, Norms, tiled};
use std::collections::HashSet;

/// A query of terms, all clauses of which count for the score.
#[derive(Debug, Clone, Default)]
pub(crate) struct Prepared {
    /// Clause by clause, the clause in the fewest documents first; then the terms that exclude documents.
    pub(crate) terms: Vec<PreparedTerm>,
    /// Whether no document has all clauses.
    pub(crate) none_has_all: bool,
}

/// A term in a field.
#[derive(Debug, Clone)]
pub(crate) struct PreparedTerm {
    /// The number of the field.
    pub(crate) field: usize,
    /// BM25's weight.
    pub(crate) weight: f32,
    /// The number of its clause; none if it excludes documents.
    pub(crate) clause: Option<u16>,
    /// The documents that contain it, in all segments.
    pub(crate) documents: u64,
    /// Per segment, the dictionary's value.
    pub(crate) values: Vec<Option<u64>>,
}

/// The term's postings, if the leaf is one.
fn prepared(weighted: Weighted, clause: Option<u16>) -> Option<PreparedTerm> {
    let Leaf::Term { field, .. } = weighted.leaf else { return None };
    let values = weighted.values.into_iter().map(|of_segment| of_segment.first().copied().flatten()).collect();
    Some(PreparedTerm { field, weight: weighted.weight, clause, documents: weighted.documents, values })
}

impl Index {
    /// Prepares a query; `None` if it has phrases or the like, or is to be answered in another order than that of scores,
    /// or finds nothing anyway.
    ///
    /// # Errors
    /// As [`Index::search`].
    pub(crate) fn prepare(&self, query: &str, options: &Options) -> Result<Option<Prepared>> {
        let plan = Plan::new(self, query, options)?;
        if plan.nothing || plan.clauses.is_empty() || !options.sort.is_empty() {
            return Ok(None);
        }
        let Plan { mut clauses, excluded, none_has_all, .. } = plan;
        clauses.sort_by_key(|clause| clause.leaves.iter().map(|leaf| leaf.documents).sum::<u64>());
        let mut terms = Vec::with_capacity(clauses.len() + excluded.len());
        for (number, clause) in clauses.into_iter().enumerate() {
            let Ok(number) = u16::try_from(number) else { return Ok(None) };
            for leaf in clause.leaves {
                match prepared(leaf, Some(number)) {
                    Some(term) => terms.push(term),
                    None => return Ok(None),
                }
            }
        }
        for leaf in excluded {
            match prepared(leaf, None) {
                Some(term) => terms.push(term),
                None => return Ok(None),
            }
        }
        Ok(Some(Prepared { terms, none_has_all }))
    }

    /// How many hits have to be found for these options.
    ///
    /// # Errors
    /// [`Error::Argument`] for options that do not fit the fields.
    pub(crate) fn wanted(&self, options: &Options) -> Result<usize> {
        filter::check(self, options)?;
        let live = usize::try_from(self.documents()).unwrap_or(usize::MAX);
        Ok(options.offset.saturating_add(options.limit).min(live))
    }

    /// The documents of a segment that may be hits, as a bit set of words; `None` if all may.
    ///
    /// # Errors
    /// As [`Index::search`].
    pub(crate) fn allowed(&self, part: &Part, options: &Options) -> Result<Option<Vec<u32>>> {
        let allowed = filter::allowed(&part.segment, &options.filter)?;
        let deleted = part.deleted.as_ref().map(|deleted| deleted.words());
        let words = |words: &[u64]| words.iter().flat_map(|&word| [word as u32, (word >> 32) as u32]).collect();
        Ok(match (allowed, deleted) {
            (None, None) => None,
            (Some(allowed), None) => Some(words(&allowed)),
            (None, Some(deleted)) => Some(words(&deleted.iter().map(|word| !word).collect::<Vec<_>>())),
            (Some(mut allowed), Some(deleted)) => {
                allowed.iter_mut().zip(deleted).for_each(|(word, deleted)| *word &= !deleted);
                Some(words(&allowed))
            }
        })
    }

    /// The postings of a term in a segment, in the tiled form.
    ///
    /// # Errors
    /// [`Error::Corrupt`]; [`Error::Argument`] for more than [`tiled::MOST`] postings.
    pub(crate) fn tiled(&self, part: &Part, field: usize, value: u64) -> Result<Vec<u32>> {
        let segment = &part.segment;
        let source = lists::of_term(segment, field, value)?;
        let tiled = tiled::encode(cpu::tier(), &source, segment.lengths(field)?, segment.documents());
        tiled.ok_or_else(|| Error::Argument(format!("a term has more than {} postings", tiled::MOST)))
    }

    /// The norms of a field, for tables.
    pub(crate) fn norms_of(&self, field: usize, bm25: &Bm25) -> Norms {
        self.norms(field, bm25)
    }

    /// The identity of this commit: fields have other norms in another one.
    pub(crate) fn identity(&self) -> &Identity {
        self.snapshot.identity()
    }

    /// Hits that were ranked elsewhere, as score and docID, best first, with their ids; and the number of all documents that
    /// match, if it is asked for.
    ///
    /// # Errors
    /// [`Error::Corrupt`].
    pub(crate) fn found(&self, hits: impl Iterator<Item = (f64, u32)>, total: u64, options: &Options) -> Result<Found> {
        let parts = self.snapshot.parts();
        let hit = |(score, doc_id): (f64, u32)| {
            let segment = parts.partition_point(|part| part.base <= doc_id.into()) - 1;
            let doc_id = (u64::from(doc_id) - parts[segment].base) as u32;
            Hit { score, ordinal: 0, segment: segment as u32, doc_id }
        };
        run::found(self, hits.map(hit), options.total.then_some(total), options)
    }
}

/// What matches all clauses, and behind it what matches any, as [`Matching::AllThenAny`](super::Matching::AllThenAny) has
/// it.
pub(crate) fn then_any(all: &[(f64, u32)], any: impl Iterator<Item = (f64, u32)>, wanted: usize) -> Vec<(f64, u32)> {
    let has: HashSet<u32> = all.iter().map(|hit| hit.1).collect();
    let any = any.filter(|hit| !has.contains(&hit.1));
    all.iter().copied().chain(any).take(wanted).collect()
}
