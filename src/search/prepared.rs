//! [`Prepared`]: a query as someone else can rank it, who has the lists of the segments in another form.

use super::asked::Asked;
use super::check::check;
use super::leaf::Weighted;
use super::options::{End, Matching, Options};
use super::plan::{PlannedClause, QueryPlan};
use super::recipe::Recipe;
use super::statistics::Whole;
use super::{Found, Index, filter, lists, run};
use crate::base::error::{Error, Result};
use crate::base::identity::Identity;
use crate::index::impacts::Precision;
use crate::index::segment::Segment;
use crate::index::snapshot::SnapshotSegment;
use crate::rank::term::Source;
use crate::rank::{Clock, Hit, Norms};
use smallvec::SmallVec;
use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// A query as lists of postings, all clauses of which count for the score.
#[derive(Debug, Clone, Default)]
pub(crate) struct Prepared {
    /// Clause by clause, the clause in the fewest documents first; then what excludes documents.
    pub(crate) terms: SmallVec<[PreparedTerm; 4]>,
    /// Whether no document has all clauses.
    pub(crate) none_has_all: bool,
}

impl Prepared {
    /// The numbers that its recipes consist of.
    pub(crate) fn size(&self) -> usize {
        self.terms.iter().map(PreparedTerm::size).sum()
    }
}

/// What a list of postings is made of in each segment; `None` where it has none. Most indexes have one large segment.
pub(crate) type Recipes = SmallVec<[Option<Recipe>; 1]>;

/// A term in a field, or what counts as one: a phrase, the words with a prefix.
#[derive(Debug, Clone)]
pub(crate) struct PreparedTerm {
    /// The number of the field.
    pub(crate) field: usize,
    /// BM25's weight.
    pub(crate) weight: f32,
    /// The number of its clause; none if it excludes documents.
    pub(crate) clause: Option<u16>,
    /// The documents that contain it, in all segments; of what is put together at most so many.
    pub(crate) documents: u64,
    /// The postings that are read to put its own together, in all segments; 0 if it is a term.
    pub(crate) joins: u64,
    /// Per segment, what its postings are made of; `None` if no document there can have it.
    pub(crate) lists: Recipes,
}

impl PreparedTerm {
    /// The numbers that its recipes consist of.
    pub(crate) fn size(&self) -> usize {
        self.lists.iter().flatten().map(Recipe::len).sum()
    }
}

fn prepared(weighted: Weighted, clause: Option<u16>) -> PreparedTerm {
    let Weighted { leaf, values, at_most: documents, joins, weight, .. } = weighted;
    let lists = values.iter().map(|of_segment| Recipe::new(&leaf, of_segment)).collect();
    PreparedTerm { field: leaf.field(), weight, clause, documents, joins, lists }
}

/// Whether devices, which add fixed-point numbers, can rank by the terms of weights fields, if there are any.
fn has_device_weights(index: &Index, clauses: &[PlannedClause]) -> bool {
    /// Words whose scores are less than this part of all may have bits below the unit.
    const LEAST_SHARE: f32 = 1.0 / (1 << 20) as f32;
    /// What the sum of weights may be.
    const SUMS: RangeInclusive<f32> = 1e-15..=1e30;
    let leaves = || clauses.iter().flat_map(|clause| &clause.leaves);
    let precision = |leaf: &Weighted| index.schema().fields[leaf.leaf.field()].weights;
    if leaves().all(|leaf| precision(leaf).is_none()) {
        return true;
    }
    let sum: f32 = leaves().map(|leaf| leaf.weight).sum();
    // The form of lists for devices has no room for 32 bits.
    SUMS.contains(&sum)
        && leaves().all(|leaf| match precision(leaf) {
            Some(precision) => precision != Precision::Bits32,
            None => leaf.weight >= LEAST_SHARE * sum,
        })
}

impl Index {
    /// Prepares a query; `None` if it looks for vectors, or is to be answered in another order than that of scores, or finds
    /// nothing anyway, or has more clauses than can be counted or weights that devices cannot add, or is not prepared by the
    /// deadline, which begins now.
    ///
    /// # Errors
    /// As [`Index::search`].
    pub(crate) fn prepare<'q>(&self, asked: impl Into<Asked<'q>>, options: &Options) -> Result<Option<Prepared>> {
        self.prepare_until(asked.into(), options, options.end())
    }

    /// The same, of which the deadline has begun before.
    ///
    /// # Errors
    /// As [`Index::search`].
    pub(crate) fn prepare_until(&self, asked: Asked<'_>, options: &Options, end: End) -> Result<Option<Prepared>> {
        if !asked.nearest.is_empty() {
            return Ok(None);
        }
        let plan = match QueryPlan::new(self, asked, options, &end.clock()) {
            Err(Error::Expired) => return Ok(None),
            plan => plan?,
        };
        if plan.nothing || plan.clauses.is_empty() || !options.is_ranking() {
            return Ok(None);
        }
        let all_count = plan.needs_all(true);
        let QueryPlan { mut clauses, excluded, none_has_all, .. } = plan;
        if !has_device_weights(self, &clauses) {
            return Ok(None);
        }
        // Kernels do not know required clauses among others.
        let differs = match options.matching {
            Matching::All => !all_count,
            Matching::Any => clauses.iter().any(|clause| clause.required),
            Matching::AllThenAny => !all_count || clauses.iter().any(|clause| clause.required),
        };
        if differs || clauses.len() > usize::from(u16::MAX) {
            return Ok(None);
        }
        // Of clauses of as many documents, those that are put together have fewer in truth.
        clauses.sort_by_key(|clause| {
            let sum = |of: fn(&Weighted) -> u64| clause.leaves.iter().map(of).sum::<u64>();
            (sum(|leaf| leaf.at_most), sum(|leaf| leaf.joins) == 0)
        });
        let mut terms = SmallVec::with_capacity(clauses.len() + excluded.len());
        for (number, clause) in (0..).zip(clauses) {
            terms.extend(clause.leaves.into_iter().map(|leaf| prepared(leaf, Some(number))));
        }
        terms.extend(excluded.into_iter().map(|leaf| prepared(leaf, None)));
        Ok(Some(Prepared { terms, none_has_all }))
    }

    /// How many hits have to be found for these options.
    ///
    /// # Errors
    /// [`Error::Argument`] for options that do not fit the fields.
    pub(crate) fn wanted(&self, options: &Options) -> Result<usize> {
        check(self, options)?;
        let live = usize::try_from(self.documents()).unwrap_or(usize::MAX);
        Ok(options.offset.saturating_add(options.limit).min(live))
    }

    /// The documents of a segment that may be hits, as a bit set of words; `None` if all may.
    ///
    /// # Errors
    /// As [`Index::search`].
    pub(crate) fn allowed(&self, part: &SnapshotSegment, options: &Options) -> Result<Option<Vec<u32>>> {
        let allowed = filter::allowed(part, options, &Clock::never())?;
        let deleted = part.deleted.as_ref().map(|deleted| deleted.words());
        let words = |words: &[u64]| words.iter().flat_map(|&word| [word as u32, (word >> 32) as u32]).collect();
        Ok(match (allowed, deleted) {
            (None, None) => None,
            (Some(allowed), None) => Some(words(&allowed.bits)),
            (None, Some(deleted)) => Some(words(&deleted.iter().map(|word| !word).collect::<Vec<_>>())),
            (Some(allowed), Some(deleted)) => {
                let live = allowed.bits.iter().zip(deleted).map(|(word, deleted)| word & !deleted);
                Some(words(&live.collect::<Vec<_>>()))
            }
        })
    }

    /// The norms of a field, for tables.
    ///
    /// # Errors
    /// As [`Index::search`].
    pub(crate) fn norms_of(&self, field: usize, options: &Options) -> Result<Arc<Norms>> {
        Ok(Whole::new(self, options)?.norms(field, &options.bm25))
    }

    /// What the norms of fields are of: this commit, or statistics.
    pub(crate) fn identity_of_norms<'a>(&'a self, options: &'a Options) -> &'a Identity {
        options.statistics.as_ref().map_or_else(|| self.snapshot.identity(), |statistics| statistics.identity())
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
        let hits: SmallVec<[Hit; 16]> = hits.map(hit).collect();
        run::found(self, &hits, options.total.then_some(total), options)
    }
}

/// The postings that a recipe makes in a segment.
///
/// # Errors
/// [`Error::Corrupt`](crate::Error::Corrupt).
pub(crate) fn source<'s>(segment: &'s Segment, field: usize, recipe: &Recipe) -> Result<Source<'s>> {
    Ok(lists::made(segment, field, recipe)?.unwrap_or_else(Source::none))
}

/// What matches all clauses, and after it what matches any, as [`Matching::AllThenAny`](super::Matching::AllThenAny) has
/// it.
pub(crate) fn then_any(all: &[(f64, u32)], any: impl Iterator<Item = (f64, u32)>, wanted: usize) -> Vec<(f64, u32)> {
    let has: HashSet<u32> = all.iter().map(|hit| hit.1).collect();
    let any = any.filter(|hit| !has.contains(&hit.1));
    all.iter().copied().chain(any).take(wanted).collect()
}
