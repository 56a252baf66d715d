//! What the kernels are told of some queries in a segment.

use super::{ITEMS, MOST_GROUPS, MOST_TERMS, NONE, RankBatch, SCORE_BITS, SPAN};
use crate::device::memory::Placed;
use crate::error::{Error, Result};
use std::ops::Range;

/// Queries, terms and tasks, as `cl/op/rank.cl` expects them.
pub(super) struct Tables {
    /// Four words per query, and four more.
    pub(super) queries: Vec<u32>,
    /// Four words per term.
    pub(super) terms: Vec<u32>,
    /// The place of the segment's ordinals.
    pub(super) ordinals: u32,
    /// For AND: query and leading term of each task.
    pub(super) tasks: Vec<u32>,
    /// The first work-group of each task, then the number of work-groups.
    pub(super) first_groups: Vec<u32>,
    pub(super) groups: usize,
}

impl Tables {
    /// `places`: of each of the batch's tables, of the ordinals, and of the terms of these queries.
    pub(super) fn new(batch: &RankBatch, queries: Range<usize>, places: &[Option<Placed>]) -> Result<Tables> {
        let place_of = |at: usize| places[at].map_or(NONE, |placed| placed.place);
        let before = batch.tables + 1;
        let first = batch.first_terms[queries.start];
        let mut tables = Tables {
            queries: Vec::with_capacity(4 * (queries.len() + 1)),
            terms: Vec::with_capacity(4 * (places.len() - before)),
            ordinals: place_of(batch.tables),
            tasks: Vec::new(),
            first_groups: Vec::new(),
            groups: 0,
        };
        for (number, query) in queries.enumerate() {
            let own = batch.terms_of(query);
            let begin = batch.first_terms[query] - first;
            let scored = own.iter().take_while(|term| !term.excludes).count();
            if scored == 0 || scored > MOST_TERMS || own[scored..].iter().any(|term| !term.excludes) {
                return Err(Error::Device(format!("a query of {scored} terms; kernels take 1 to {MOST_TERMS}")));
            }
            let scale = 2f32.powi(SCORE_BITS - batch.exponent(query));
            tables.queries.extend([begin as u32, (begin + scored) as u32, scale.to_bits(), 0]);
            for (at, term) in own.iter().enumerate() {
                let table = place_of(term.table.into());
                let place = if table == NONE { NONE } else { place_of(before + begin + at) };
                let kind = u32::from(term.clause) | u32::from(term.excludes) << 31;
                tables.terms.extend([place, term.weight.to_bits(), kind, table]);
            }
            if batch.needs_all {
                let of_query = &places[before + begin..][..scored];
                tables.lead(number as u32, begin, own.iter().map(|term| term.clause).zip(of_query));
            }
        }
        let end = tables.terms.len() as u32 / 4;
        tables.queries.extend([end, end, 0, 0]);
        tables.first_groups.push(tables.groups as u32);
        if tables.groups > MOST_GROUPS {
            return Err(Error::Device(format!(
                "a batch of {} work-groups; kernels count {MOST_GROUPS}",
                tables.groups
            )));
        }
        Ok(tables)
    }

    /// Adds a task for each term of a query's first clause, unless the segment has none of the terms of some clause.
    fn lead<'p>(&mut self, query: u32, begin: usize, terms: impl Iterator<Item = (u16, &'p Option<Placed>)> + Clone) {
        let Some((leading, _)) = terms.clone().next() else { return };
        let has = |clause: u16| terms.clone().any(|(of, place)| of == clause && place.is_some());
        if !terms.clone().all(|(clause, place)| place.is_some() || has(clause)) {
            return;
        }
        for (at, (clause, place)) in terms.enumerate() {
            if let (true, Some(place)) = (clause == leading, place) {
                self.tasks.extend([query, (begin + at) as u32]);
                self.first_groups.push(self.groups as u32);
                self.groups += (place.front as usize).div_ceil(ITEMS * SPAN);
            }
        }
    }
}
