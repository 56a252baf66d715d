//! Facets: what the documents that match have in keyword and numeric fields.
//!
//! The documents are found once for all fields, segment by segment, and their values are looked up in the
//! [column](KeywordColumn) of the field. If they are most documents and the field has few values, its lists are intersected
//! with them instead; if they are all documents, the lengths of the lists are what is asked for.

use super::asked::Asked;
use super::check::check;
use super::cursors::of_segment;
use super::options::{Matching, Options};
use super::plan::QueryPlan;
use super::{Index, words};
use crate::base::bits::has_bit;
use crate::base::cpu;
use crate::base::error::{Error, Result};
use crate::base::memory::{room, zeros};
use crate::index::Kind;
use crate::index::list::{DENSE, Decoded};
use crate::index::segment::{FewValue, KeywordColumn, Number, Numbers, Segment};
use crate::rank::found::Documents;
use crate::rank::term::{Source, Term};
use crate::rank::{Clock, Hit, found, matching};
use std::cmp::Reverse;
use std::collections::HashMap;

/// What documents have in a field.
#[derive(Debug, Clone, PartialEq)]
pub enum Facet {
    /// The values of a keyword field with the number of documents that have each: the most frequent ones first, equally
    /// frequent ones in the order of their bytes.
    Values(Vec<(Vec<u8>, u64)>),
    /// The numbers of a numeric field.
    Numbers {
        /// The least and the greatest; `None` if no document has one.
        range: Option<(f64, f64)>,
        /// The documents that have one.
        count: u64,
    },
}

/// A field of a [search](Options::facets), and what the documents have there.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldFacet {
    /// The number of the field.
    pub field: usize,
    /// What the documents that match have.
    pub facet: Facet,
}

pub(super) fn facets(
    index: &Index,
    field: usize,
    asked: Asked<'_>,
    options: &Options,
    limit: usize,
) -> Result<Vec<(Vec<u8>, u64)>> {
    check(index, options)?;
    let named =
        index.schema().fields.get(field).ok_or_else(|| Error::Argument(format!("there is no field {field}")))?;
    if named.kind != Kind::Keyword {
        return Err(Error::Argument(format!("facets are values of keyword fields, and {} is none", named.name)));
    }
    let clock = &options.end().clock();
    let plan = QueryPlan::new(index, asked, options, clock)?;
    let (mut facets, _) = of_plan(index, &plan, options, &[(field, limit)], None, &mut |_, _| Ok(()), clock)?;
    match facets.pop().map(|of| of.facet) {
        Some(Facet::Values(values)) => Ok(values),
        _ => Ok(Vec::new()),
    }
}

/// The facets of some fields, each with at most so many values, and the number of documents that match, which are looked for unless
/// they are known to be `all` of these. `take` is given those of each segment that has some.
pub(super) fn of_plan(
    index: &Index,
    plan: &QueryPlan,
    options: &Options,
    fields: &[(usize, usize)],
    all: Option<&[Hit]>,
    take: &mut dyn FnMut(usize, &Documents) -> Result<()>,
    clock: &Clock,
) -> Result<(Vec<FieldFacet>, u64)> {
    let parts = index.snapshot().parts();
    let kind = |field: usize| index.schema().fields[field].kind;
    let counter = |&(field, limit): &(usize, usize)| match kind(field) {
        Kind::Keyword if parts.len() > 1 => Counter::Values { counts: HashMap::new(), limit },
        Kind::Keyword => Counter::First { values: Vec::new(), limit },
        _ => Counter::Numbers { range: None, count: 0 },
    };
    let mut counters: Vec<Counter> = fields.iter().map(counter).collect();
    let needs_all = options.matching == Matching::All;
    let mut total = 0;
    for (number, part) in parts.iter().enumerate() {
        if plan.nothing || needs_all && plan.none_has_all {
            break;
        }
        let found = match all {
            Some(all) => of_hits(all, number),
            None => match of_segment(plan, part, number, options, needs_all, clock)? {
                Some((clauses, mut restriction)) => {
                    let documents = part.segment.documents();
                    found::found(cpu::tier(), documents, clauses, &mut restriction, clock)?
                }
                None => continue,
            },
        };
        clock.check()?;
        let count = found.count(cpu::tier());
        total += count as u64;
        if count == 0 {
            continue;
        }
        take(number, &found)?;
        let matches = Matches { segment: &part.segment, found: &found, count, clock };
        for (counter, &(field, _)) in counters.iter_mut().zip(fields) {
            matches.count(field, counter)?;
        }
    }
    let facets = fields.iter().zip(counters);
    Ok((facets.map(|(&(field, _), counter)| FieldFacet { field, facet: counter.finish() }).collect(), total))
}

/// The documents of hits in a segment.
fn of_hits(hits: &[Hit], segment: usize) -> Documents {
    let of_segment = hits.iter().filter(|hit| hit.segment as usize == segment);
    let mut doc_ids: Vec<u32> = of_segment.map(|hit| hit.doc_id).collect();
    doc_ids.sort_unstable();
    Documents::List(doc_ids)
}

/// What is counted of a field.
enum Counter {
    /// The most frequent values of the one segment.
    First {
        values: Vec<(Vec<u8>, u64)>,
        limit: usize,
    },
    /// Those of several segments: all of them.
    Values {
        counts: HashMap<Vec<u8>, u64>,
        limit: usize,
    },
    Numbers {
        range: Option<(f64, f64)>,
        count: u64,
    },
}

impl Counter {
    fn finish(self) -> Facet {
        match self {
            Counter::First { values, .. } => Facet::Values(values),
            Counter::Values { counts, limit } => {
                let mut counts: Vec<(Vec<u8>, u64)> = counts.into_iter().collect();
                words::best(&mut counts, limit);
                Facet::Values(counts)
            }
            Counter::Numbers { range, count } => Facet::Numbers { range, count },
        }
    }
}

/// The documents of a segment that match.
struct Matches<'m> {
    segment: &'m Segment,
    found: &'m Documents,
    count: usize,
    clock: &'m Clock,
}

/// Intersecting a word of a list's bit set with that of the documents takes a step, looking a document's values up or a posting
/// in the set so many, and finding the next document so many for each word.
const STEPS_OF_VALUES: usize = 9;
const STEPS_OF_POSTING: usize = 4;
const STEPS_OF_WORD: usize = 3;

/// Values are counted in a table if there are at most so many for each document.
const VALUES_PER_DOCUMENT: usize = 8;

/// Finding a value by its number takes as long as going past so many values in the dictionary.
const PASSED: usize = 8;

/// Those of the counts of all values that are not 0, with the numbers of the values.
fn numbered(counts: impl IntoIterator<Item = u64>) -> Vec<(u32, u64)> {
    (0..).zip(counts).filter(|&(_, count)| count > 0).collect()
}

impl Matches<'_> {
    fn count(&self, field: usize, counter: &mut Counter) -> Result<()> {
        match counter {
            Counter::Numbers { range, count } => self.numbers(field, range, count),
            Counter::First { values, limit } => {
                let mut counts = self.by_number(field)?;
                let key = |&(number, count): &(u32, u64)| (Reverse(count), number);
                if *limit < counts.len() {
                    counts.select_nth_unstable_by_key(*limit, key);
                    counts.truncate(*limit);
                }
                counts.sort_unstable_by_key(|&(number, _)| number);
                let mut found: Vec<(u32, u64, Vec<u8>)> = room(counts.len())?;
                self.with_values(field, &counts, |number, count, value| found.push((number, count, value.to_vec())))?;
                found.sort_unstable_by_key(|&(number, count, _)| (Reverse(count), number));
                values.extend(found.into_iter().map(|(_, count, value)| (value, count)));
                Ok(())
            }
            Counter::Values { counts, .. } => {
                let of_segment = self.by_number(field)?;
                self.with_values(field, &of_segment, |_, count, value| words::count(counts, value, count))
            }
        }
    }

    fn numbers(&self, field: usize, range: &mut Option<(f64, f64)>, count: &mut u64) -> Result<()> {
        let column = self.segment.column(field)?;
        let (mut least, mut greatest) = range.unwrap_or((f64::INFINITY, f64::NEG_INFINITY));
        self.found.for_each(|doc_id| {
            if let (Some(first), Some(last)) = (column.get(doc_id), column.greatest(doc_id)) {
                (least, greatest) = (least.min(first), greatest.max(last));
                *count += 1;
            }
        });
        if *count > 0 {
            *range = Some((least, greatest));
        }
        self.clock.check()
    }

    /// The numbers of the values that some of the documents have, ascending, with how many do.
    fn by_number(&self, field: usize) -> Result<Vec<(u32, u64)>> {
        let few = self.segment.few_values(field)?;
        if self.count == self.segment.documents() as usize {
            return match few {
                Some(few) => Ok(numbered(few.iter().map(|value| value.documents))),
                None => self.by_lists(field),
            };
        }
        if let (Documents::Set(set), Some(few)) = (self.found, few)
            && self.are_lists_faster(few)
        {
            let mut decoded = Decoded::default();
            let counts = few.iter().map(|value| {
                self.clock.check()?;
                self.count_in(set, field, value.list, &mut decoded)
            });
            return Ok(numbered(counts.collect::<Result<Vec<u64>>>()?));
        }
        let values = self.segment.dictionary(field)?.len();
        let column = self.segment.keyword_column(field)?;
        if self.count.saturating_mul(VALUES_PER_DOCUMENT) < values {
            return self.sorted_numbers(column);
        }
        // Documents without a value are counted after the last one.
        let mut counts: Vec<u32> = zeros(values + 1)?;
        match column.numbers() {
            Numbers::Bytes(numbers) => self.count_each(numbers, &mut counts),
            Numbers::Halves(numbers) => self.count_each(numbers, &mut counts),
            Numbers::Words(numbers) => self.count_each(numbers, &mut counts),
            Numbers::Several { .. } => {
                self.found.for_each(|doc_id| column.of(doc_id).iter().for_each(|&number| counts[number as usize] += 1));
            }
        }
        counts.truncate(values);
        self.clock.check()?;
        Ok(numbered(counts.into_iter().map(u64::from)))
    }

    /// Counts the values of the documents by their numbers; what is greater than any counts as the last.
    fn count_each<T: Number>(&self, numbers: &[T], counts: &mut [u32]) {
        let last = counts.len() - 1;
        self.found.for_each(|doc_id| counts[last.min(numbers[doc_id as usize].into() as usize)] += 1);
    }

    fn sorted_numbers(&self, column: &KeywordColumn) -> Result<Vec<(u32, u64)>> {
        let mut numbers: Vec<u32> = room(self.count)?;
        self.found.for_each(|doc_id| numbers.extend_from_slice(&column.of(doc_id)));
        self.clock.check()?;
        numbers.sort_unstable();
        Ok(numbers.chunk_by(u32::eq).map(|same| (same[0], same.len() as u64)).collect())
    }

    /// Whether counting the documents of each list takes less time than looking up the values of each document.
    fn are_lists_faster(&self, values: &[FewValue]) -> bool {
        let documents = u64::from(self.segment.documents());
        let words = documents as usize / 64;
        let steps = values.iter().map(|value| {
            let is_bits = value.documents * u64::from(DENSE) >= documents;
            if is_bits { words } else { STEPS_OF_POSTING * value.documents as usize }
        });
        steps.sum::<usize>() < STEPS_OF_VALUES * self.count + STEPS_OF_WORD * words
    }

    /// As [`by_number`](Self::by_number), if all documents match: by the length of each list.
    fn by_lists(&self, field: usize) -> Result<Vec<(u32, u64)>> {
        let mut counts = Vec::new();
        let mut terms = self.segment.dictionary(field)?.terms()?;
        while let Some((_, list, ())) = terms.next()? {
            self.clock.check()?;
            counts.push(self.segment.documents_with(field, list)?);
        }
        Ok(numbered(counts))
    }

    /// How many documents of a list are in a set.
    fn count_in(&self, set: &[u64], field: usize, list: u64, decoded: &mut Decoded) -> Result<u64> {
        Ok(match self.segment.list(field, list, false, decoded)? {
            Some(view) => {
                let mut term = Term::without_scores(cpu::tier(), Source::List(view));
                matching::count_in(cpu::tier(), set, &mut term)
            }
            None => decoded.doc_ids.iter().filter(|&&doc_id| has_bit(set, doc_id)).count() as u64,
        })
    }

    /// Calls `take` with the bytes of each value. Numbers ascend.
    fn with_values(&self, field: usize, counts: &[(u32, u64)], mut take: impl FnMut(u32, u64, &[u8])) -> Result<()> {
        if let Some(few) = self.segment.few_values(field)? {
            for &(number, count) in counts {
                if let Some(value) = few.get(number as usize) {
                    take(number, count, &value.bytes);
                }
            }
            return Ok(());
        }
        let dictionary = self.segment.dictionary(field)?;
        if counts.len().saturating_mul(PASSED) < dictionary.len() {
            let column = self.segment.keyword_column(field)?;
            for &(number, count) in counts {
                self.clock.check()?;
                take(number, count, &column.value(dictionary, number)?);
            }
            return Ok(());
        }
        let mut terms = dictionary.terms()?;
        let mut counts = counts.iter().copied().peekable();
        for number in 0.. {
            if counts.peek().is_none() {
                break;
            }
            let Some((value, ..)) = terms.next()? else { break };
            self.clock.check()?;
            if let Some((_, count)) = counts.next_if(|next| next.0 == number) {
                take(number, count, value);
            }
        }
        Ok(())
    }
}
