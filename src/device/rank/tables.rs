//! What the kernels are told of some queries in a segment.

use super::{ITEMS, MOST_GROUPS, MOST_TERMS, NONE, PIECE, RankBatch, SCORE_BITS, SPAN};
use crate::base::error::{Error, Result};
use crate::device::memory::Placed;

/// Queries, terms and tasks, as `cl/op/rank_common.cl` expects them.
pub(crate) struct Tables {
    /// Four words per query, per term and per task, and four more at the end of the queries and of the tasks.
    pub(crate) words: Vec<u32>,
    /// Where the terms begin, in units of four words.
    pub(crate) terms_at: u32,
    /// Where the tasks of AND begin, in units of four words, and their number.
    pub(crate) tasks_at: u32,
    pub(crate) tasks: u32,
    /// The work-groups of all tasks; none of OR.
    pub(crate) groups: usize,
    /// The most pieces of the postings of a query's terms, if it is an OR.
    pub(crate) pieces: usize,
    /// The place of the segment's ordinals.
    pub(crate) ordinals: u32,
}

impl Tables {
    /// `places`: of each of the batch's tables, of the ordinals, and of the terms of these queries.
    pub(crate) fn new(batch: &RankBatch, queries: &[usize], places: &[Option<Placed>]) -> Result<Tables> {
        let place_of = |at: usize| places[at].map_or(NONE, |placed| placed.place);
        let mut words = Vec::with_capacity(8 * (queries.len() + places.len()));
        let mut tasks = Tasks::default();
        let mut terms = Vec::with_capacity(4 * places.len());
        let mut next = batch.tables + 1;
        let mut pieces = 0;
        for (number, &query) in queries.iter().enumerate() {
            let own = batch.terms_of(query);
            let begin = terms.len() / 4;
            let scored = own.iter().take_while(|term| !term.excludes).count();
            if scored == 0 || scored > MOST_TERMS || own[scored..].iter().any(|term| !term.excludes) {
                return Err(Error::Device(format!("a query of {scored} terms; kernels take 1 to {MOST_TERMS}")));
            }
            // A power of two, from -57 to 123.
            let scale = f32::from_bits(((127 + SCORE_BITS - batch.exponent(query)) as u32) << 23);
            words.extend([begin as u32, (begin + scored) as u32, scale.to_bits(), 0]);
            for (at, term) in own.iter().enumerate() {
                let table = place_of(term.table.into());
                let place = if table == NONE { NONE } else { place_of(next + at) };
                let kind = u32::from(term.clause) | u32::from(term.excludes) << 31;
                terms.extend([place, term.weight.to_bits(), kind, table]);
            }
            let of_query = &places[next..][..scored];
            if batch.needs_all {
                tasks.lead(number as u32, begin, own.iter().map(|term| term.clause).zip(of_query));
            } else {
                let of_place = |place: &Placed| (place.front as usize).div_ceil(PIECE);
                pieces = pieces.max(of_query.iter().flatten().map(of_place).sum());
            }
            next += own.len();
        }
        let end = terms.len() as u32 / 4;
        words.extend([end, end, 0, 0]);
        let terms_at = words.len() as u32 / 4;
        words.extend(terms);
        let tasks_at = words.len() as u32 / 4;
        let ordinals = place_of(batch.tables);
        let mut tables = Tables { words, terms_at, tasks_at, tasks: 0, groups: 0, pieces, ordinals };
        tables.set_tasks(tasks)?;
        Ok(tables)
    }

    /// Puts these tasks in the place of those that there are.
    pub(crate) fn set_tasks(&mut self, tasks: Tasks) -> Result<()> {
        if tasks.groups > MOST_GROUPS {
            return Err(Error::Device(format!("a batch of {} work-groups; kernels count {MOST_GROUPS}", tasks.groups)));
        }
        (self.tasks, self.groups) = (tasks.words.len() as u32 / 4, tasks.groups);
        self.words.truncate(4 * self.tasks_at as usize);
        self.words.extend(tasks.words);
        self.words.extend([tasks.groups as u32, 0, 0, 0]);
        Ok(())
    }
}

/// The tasks of a launch: postings of a term that work-groups take. Those of AND are leading terms.
#[derive(Default)]
pub(crate) struct Tasks {
    /// First work-group, query, term, 0.
    words: Vec<u32>,
    pub(crate) groups: usize,
}

impl Tasks {
    /// Adds a task for each term of a query's first clause, unless the segment has none of the terms of some clause.
    fn lead<'p>(&mut self, query: u32, begin: usize, terms: impl Iterator<Item = (u16, &'p Option<Placed>)> + Clone) {
        let Some((leading, _)) = terms.clone().next() else { return };
        let has = |clause: u16| terms.clone().any(|(of, place)| of == clause && place.is_some());
        if !terms.clone().all(|(clause, place)| place.is_some() || has(clause)) {
            return;
        }
        for (at, (clause, place)) in terms.enumerate() {
            if let (true, Some(place)) = (clause == leading, place) {
                self.add(query, begin + at, place);
            }
        }
    }

    /// Adds a task for a term of a query, by their numbers.
    pub(crate) fn add(&mut self, query: u32, term: usize, place: &Placed) {
        self.words.extend([self.groups as u32, query, term as u32, 0]);
        self.groups += (place.front as usize).div_ceil(ITEMS * SPAN);
    }
}
