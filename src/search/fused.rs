//! Hits of words and of vectors as one list.

use super::asked::Asked;
use super::check::check_fused;
use super::condition::Condition;
use super::fusion::{Fusion, RANK, RankedList, Ranking, WINDOW, window};
use super::options::{End, Matching, Options};
use super::plan::QueryPlan;
use super::{Found, FoundHit, Index, run, sort, vectors};
use crate::base::error::{Error, Result};
use crate::index::Id;
use crate::rank::Clock;
use std::collections::HashMap;
use std::sync::Arc;

/// By which factor the lists grow if they do not decide which scores are the greatest.
const GROWTH: usize = 4;

/// What is known of a document.
struct Candidate {
    id: Id,
    /// Its score in each list: that of the query, then those of the vectors.
    scores: Vec<Option<f64>>,
}

/// The first hits of each list.
struct Lists {
    /// What the query finds, with total and facets.
    text: Found,
    candidates: HashMap<u64, Candidate>,
    /// Of each list, its documents in order.
    ranks: Vec<Vec<u64>>,
    /// The last score of each list, if it has more.
    last: Vec<Option<f64>>,
}

/// The best hits of a query and of its vectors; those of a search that is not finished at the `end` are unknown.
pub(super) fn search(index: &Index, asked: Asked<'_>, options: &Options, end: End, threads: usize) -> Result<Found> {
    check_fused(index, asked.nearest, options)?;
    match in_time(index, asked, options, threads, &end.clock()) {
        Err(Error::Expired) => Ok(Found::late()),
        found => found,
    }
}

/// Totals and facets are those of the query.
fn in_time(index: &Index, asked: Asked<'_>, options: &Options, threads: usize, clock: &Clock) -> Result<Found> {
    match options.fusion {
        Fusion::Ranks => by_ranks(index, asked, options, threads, clock),
        Fusion::Scores { .. } => by_scores(index, asked, options, threads, clock),
    }
}

fn by_ranks(index: &Index, asked: Asked<'_>, options: &Options, threads: usize, clock: &Clock) -> Result<Found> {
    let window = window(options.offset.saturating_add(options.limit));
    Lists::new(index, asked, options, window, threads, clock)?.fuse_by_ranks(index, options)
}

impl Index {
    /// How a batch of queries with vectors is searched for by its lists, if it is fused [by ranks](Fusion::Ranks): the options
    /// of what text and weights find, for those that ask for any, and of the nearest vectors.
    ///
    /// # Errors
    /// As [`search`](Self::search).
    pub(crate) fn options_of_lists(&self, queries: &[Asked], options: &Options) -> Result<[Options; 2]> {
        self.check_files()?;
        queries.iter().try_for_each(|asked| check_fused(self, asked.nearest, options))?;
        let limit = window(options.offset.saturating_add(options.limit));
        let of_text = Options { limit, offset: 0, ..options.clone() };
        Ok([of_text, Options { limit, filter: options.filter.clone(), ..Options::default() }])
    }

    /// Whether text or weights ask for anything. Otherwise a query finds everything, and says nothing of it.
    ///
    /// # Errors
    /// As [`search`](Self::search); [`Error::Expired`].
    pub(crate) fn has_clauses(&self, asked: Asked<'_>, options: &Options, end: End) -> Result<bool> {
        has_clauses(self, asked, options, &end.clock())
    }

    /// The list of both, of what text and weights found with the [options](Self::options_of_lists) for that, and of the nearest
    /// documents of each vector.
    ///
    /// # Errors
    /// [`Error::Corrupt`].
    pub(crate) fn fuse_by_ranks(&self, options: &Options, text: Found, nearest: Vec<Found>) -> Result<Found> {
        if text.expired || nearest.iter().any(|found| found.expired) {
            return Ok(Found::late());
        }
        let window = window(options.offset.saturating_add(options.limit));
        let nearest = nearest.into_iter().map(|found| found.hits).collect();
        Lists::of(text, nearest, [window; 2]).fuse_by_ranks(self, options)
    }
}

fn has_clauses(index: &Index, asked: Asked<'_>, options: &Options, clock: &Clock) -> Result<bool> {
    Ok(!QueryPlan::new(index, asked, options, clock)?.clauses.is_empty())
}

fn by_scores(index: &Index, asked: Asked<'_>, options: &Options, threads: usize, clock: &Clock) -> Result<Found> {
    let wanted = options.offset.saturating_add(options.limit);
    // It is of no importance which documents have all words: those have the more.
    let is_any = options.matching == Matching::AllThenAny;
    let options = &Options { matching: if is_any { Matching::Any } else { options.matching }, ..options.clone() };
    let fields = asked.nearest.iter().map(|&(field, _)| Some(field));
    let weights: Vec<f64> = [None].into_iter().chain(fields).map(|of| options.fusion.weight(of)).collect();
    let mut window = window(wanted);
    loop {
        let mut lists = Lists::new(index, asked, options, window, threads, clock)?;
        lists.complete(index, asked, options, clock)?;
        let scores = lists.scores(&weights);
        // No document that is in no list has a greater score; nor has one without a vector, where similarities are negative.
        let of_others: f64 =
            weights.iter().zip(&lists.last).map(|(weight, last)| weight * last.unwrap_or(0.0).max(0.0)).sum();
        let are_all = wanted == 0 || lists.last.iter().all(Option::is_none);
        let worst = scores.iter().map(|hit| hit.1).collect::<Vec<f64>>();
        if !are_all && nth_greatest(worst, wanted).is_none_or(|worst| worst <= of_others) {
            window = window.saturating_mul(GROWTH);
            continue;
        }
        let mut ordered = Vec::with_capacity(scores.len());
        for (doc_id, score) in scores {
            ordered.push((score, sort::ordinal(index, doc_id)?, doc_id));
        }
        ordered.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let page = ordered.into_iter().skip(options.offset).take(options.limit);
        let hits = page.filter_map(|(score, _, doc_id)| lists.hit(index, options, doc_id, score).transpose());
        return Ok(Found { hits: hits.collect::<Result<_>>()?, with_all: None, ..lists.text });
    }
}

/// What a document's place in the list of both consists of.
#[derive(Debug, Clone, PartialEq)]
pub struct Fused {
    /// The sum of what the lists add.
    pub score: f64,
    /// What the query adds, then the vectors, in the order in which they are asked for.
    pub lists: Vec<FusedList>,
}

/// What one of the lists adds.
#[derive(Debug, Clone, PartialEq)]
pub struct FusedList {
    /// The vector field; `None`: the query.
    pub field: Option<usize>,
    /// The score or the similarity; `None` if the document does not match, or has no vector.
    pub score: Option<f64>,
    /// The place in the list, from 1 on, if it is among the first [`WINDOW`]; by [scores](Fusion::Scores), none.
    pub rank: Option<usize>,
    /// What it adds.
    pub adds: f64,
}

/// Explains the place of a document of which the query gives that score, if it matches.
pub(super) fn explain(
    index: &Index,
    asked: Asked<'_>,
    (doc_id, of_text): (u64, Option<f64>),
    options: &Options,
    clock: &Clock,
) -> Result<Fused> {
    let lists = match options.fusion {
        Fusion::Ranks => Some(Lists::new(index, asked, options, WINDOW, 1, clock)?),
        Fusion::Scores { .. } => None,
    };
    let list = |at: usize, field: Option<usize>, score: Option<f64>| {
        let ranks = lists.as_ref().and_then(|lists| lists.ranks.get(at));
        let rank = ranks.and_then(|ranks| Some(1 + ranks.iter().position(|&other| other == doc_id)?));
        let adds = match options.fusion {
            Fusion::Ranks => rank.map_or(0.0, |rank| 1.0 / (RANK + rank as f64)),
            Fusion::Scores { .. } => options.fusion.weight(field) * score.unwrap_or(0.0),
        };
        FusedList { field, score, rank, adds }
    };
    let mut all = vec![list(0, None, of_text)];
    for (at, (field, query)) in (1..).zip(asked.nearest) {
        all.push(list(at, Some(*field), vectors::similarity(index, *field, query, doc_id)?));
    }
    Ok(Fused { score: all.iter().map(|list| list.adds).sum(), lists: all })
}

/// The n-th greatest of some numbers, if there are so many.
fn nth_greatest(mut numbers: Vec<f64>, n: usize) -> Option<f64> {
    let at = n.checked_sub(1).filter(|&at| at < numbers.len())?;
    Some(*numbers.select_nth_unstable_by(at, |a, b| b.total_cmp(a)).1)
}

impl Lists {
    fn new(
        index: &Index,
        asked: Asked<'_>,
        options: &Options,
        window: usize,
        threads: usize,
        clock: &Clock,
    ) -> Result<Lists> {
        let limit = if has_clauses(index, asked, options, clock)? { window } else { 0 };
        let text = run::in_time(index, asked, &Options { limit, offset: 0, ..options.clone() }, clock)?;
        let mut nearest = Vec::with_capacity(asked.nearest.len());
        for (field, query) in asked.nearest {
            let wanted = usize::try_from(index.documents()).map_or(window, |documents| window.min(documents));
            let hits =
                vectors::hits(index, *field, &[query], options, wanted, threads, clock)?.pop().unwrap_or_default();
            let hits =
                run::found(index, &hits, None, &Options { limit: window, offset: 0, ..Options::default() })?.hits;
            nearest.push(hits);
        }
        Ok(Lists::of(text, nearest, [limit.max(1), window]))
    }

    /// Of what text and weights found, and of the nearest documents of each vector: so many hits at most.
    fn of(text: Found, nearest: Vec<Vec<FoundHit>>, [of_text, of_vectors]: [usize; 2]) -> Lists {
        let mut lists = Lists { text, candidates: HashMap::new(), ranks: Vec::new(), last: Vec::new() };
        let (count, hits) = (1 + nearest.len(), std::mem::take(&mut lists.text.hits));
        lists.add(hits, of_text, count);
        nearest.into_iter().for_each(|hits| lists.add(hits, of_vectors, count));
        lists
    }

    fn fuse_by_ranks(mut self, index: &Index, options: &Options) -> Result<Found> {
        let found = std::mem::take(&mut self.text);
        let ranking = self.ranking(index, options, found.with_all)?;
        let hits = ranking.page(options.offset, options.limit);
        // Others can be merged with the first page only.
        let ranking = (options.offset == 0).then(|| Arc::new(ranking));
        Ok(Found { hits, with_all: None, ranking, ..found })
    }

    /// Adds a list of `window` hits, or fewer if there are no more, of so many lists.
    fn add(&mut self, hits: Vec<FoundHit>, window: usize, lists: usize) {
        let list = self.ranks.len();
        self.last.push(hits.last().map(|hit| hit.score).filter(|_| hits.len() >= window));
        self.ranks.push(hits.iter().map(|hit| hit.doc_id).collect());
        for FoundHit { id, score, doc_id, .. } in hits {
            let new = || Candidate { id, scores: vec![None; lists] };
            self.candidates.entry(doc_id).or_insert_with(new).scores[list] = Some(score);
        }
    }

    /// A document of the lists as a hit with that score.
    fn hit(&self, index: &Index, options: &Options, doc_id: u64, score: f64) -> Result<Option<FoundHit>> {
        let Some(candidate) = self.candidates.get(&doc_id) else { return Ok(None) };
        let distance = match options.origin().zip(index.place(doc_id)) {
            Some(((field, origin), (part, local))) => {
                part.segment.points(field)?.get(local)?.map(|point| origin.distance(point))
            }
            None => None,
        };
        Ok(Some(FoundHit { id: candidate.id.clone(), score, doc_id, distance }))
    }

    /// The lists as they are fused by ranks.
    fn ranking(&self, index: &Index, options: &Options, with_all: Option<usize>) -> Result<Ranking> {
        let mut doc_ids = Vec::with_capacity(self.candidates.len());
        for &doc_id in self.candidates.keys() {
            doc_ids.push((sort::ordinal(index, doc_id)?, doc_id));
        }
        doc_ids.sort_unstable();
        let places: HashMap<u64, usize> = doc_ids.iter().map(|&(_, doc_id)| doc_id).zip(0..).collect();
        let documents = doc_ids.iter().filter_map(|&(_, doc_id)| self.hit(index, options, doc_id, 0.0).transpose());
        let list = |(list, doc_ids): (usize, &Vec<u64>)| {
            let hit = |doc_id| Some((*places.get(doc_id)?, self.candidates.get(doc_id)?.scores[list]?));
            RankedList { hits: doc_ids.iter().filter_map(hit).collect(), with_all: with_all.filter(|_| list == 0) }
        };
        let lists = self.ranks.iter().enumerate().map(list).collect();
        // A document is in a list once.
        Ok(Ranking::new(documents.collect::<Result<_>>()?, lists).unwrap_or_default())
    }

    /// Looks up what lists do not say of documents of others.
    fn complete(&mut self, index: &Index, asked: Asked<'_>, options: &Options, clock: &Clock) -> Result<()> {
        for (list, (field, query)) in (1..).zip(asked.nearest) {
            for (&doc_id, candidate) in &mut self.candidates {
                if candidate.scores[list].is_none() {
                    candidate.scores[list] = vectors::similarity(index, *field, query, doc_id)?;
                }
            }
        }
        let missing = self.candidates.values().filter(|candidate| candidate.scores[0].is_none());
        let mut missing: Vec<Id> = missing.map(|candidate| candidate.id.clone()).collect();
        missing.sort_unstable();
        // If the query has no more, they do not match.
        if missing.is_empty() || self.last[0].is_none() {
            return Ok(());
        }
        let limit = missing.len();
        let filter = options.filter.and(Condition::Ids(missing));
        let among = Options { filter, limit, offset: 0, total: false, facets: None, ..options.clone() };
        for hit in run::in_time(index, asked, &among, clock)?.hits {
            if let Some(candidate) = self.candidates.get_mut(&hit.doc_id) {
                candidate.scores[0] = Some(hit.score);
            }
        }
        Ok(())
    }

    fn scores(&self, weights: &[f64]) -> Vec<(u64, f64)> {
        let score = |candidate: &Candidate| {
            let sum: f64 =
                weights.iter().zip(&candidate.scores).map(|(weight, score)| weight * score.unwrap_or(0.0)).sum();
            // -0 is 0.
            sum + 0.0
        };
        self.candidates.iter().map(|(&doc_id, candidate)| (doc_id, score(candidate))).collect()
    }
}
