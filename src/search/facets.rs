//! The values of a keyword field in the documents that match.

use super::cursors::of_segment;
use super::options::{Matching, Options};
use super::plan::QueryPlan;
use super::{Index, filter, words};
use crate::base::bits::has_bit;
use crate::base::cpu;
use crate::base::error::{Error, Result};
use crate::index::list::Decoded;
use crate::index::segment::Segment;
use crate::index::{Kind, Value};
use crate::rank::matching;
use crate::rank::term::{Source, Term};
use std::collections::{BTreeSet, HashMap};

pub(super) fn facets(
    index: &Index,
    field: usize,
    text: &str,
    options: &Options,
    limit: usize,
) -> Result<Vec<(Vec<u8>, u64)>> {
    filter::check(index, options)?;
    let named =
        index.schema().fields.get(field).ok_or_else(|| Error::Argument(format!("there is no field {field}")))?;
    if named.kind != Kind::Keyword {
        return Err(Error::Argument(format!("facets are values of keyword fields, and {} is none", named.name)));
    }
    let clock = &options.end().clock();
    let plan = QueryPlan::new(index, text, options, clock)?;
    let mut counts: HashMap<Vec<u8>, u64> = HashMap::new();
    for (number, part) in index.snapshot().parts().iter().enumerate() {
        if plan.nothing {
            break;
        }
        let needs_all = options.matching == Matching::All;
        let Some((mut clauses, mut restriction)) = of_segment(&plan, part, number, options, needs_all, clock)? else {
            continue;
        };
        let needs_all = matching::only_required(&mut clauses, needs_all);
        let mut set = Vec::with_capacity(part.segment.documents().div_ceil(64) as usize);
        matching::matching(part.segment.documents(), &mut clauses, needs_all, &mut restriction, clock, |_, bits| {
            set.extend_from_slice(bits);
        });
        clock.check()?;
        let mut add = |value: &[u8], count| match counts.get_mut(value) {
            Some(sum) => *sum += count,
            None => {
                counts.insert(value.to_vec(), count);
            }
        };
        let values = part.segment.dictionary(field)?;
        let found: usize = set.iter().map(|word| word.count_ones() as usize).sum();
        if named.stored && found.saturating_mul(PER_DOCUMENT) <= values.len() {
            for_each_stored(&part.segment, field, &set, |value| add(value, 1))?;
            continue;
        }
        let mut values = values.stream();
        let mut decoded = Decoded::default();
        while let Some((value, at)) = fst::Streamer::next(&mut values) {
            clock.check()?;
            let count = match part.segment.list(field, at, false, &mut decoded)? {
                Some(view) => {
                    let mut term = Term::without_scores(cpu::tier(), Source::List(view));
                    matching::count_in(cpu::tier(), &set, &mut term)
                }
                None => decoded.doc_ids.iter().filter(|&&doc_id| has_bit(&set, doc_id)).count() as u64,
            };
            if count > 0 {
                add(value, count);
            }
        }
    }
    let mut counts: Vec<(Vec<u8>, u64)> = counts.into_iter().collect();
    words::best(&mut counts, limit);
    Ok(counts)
}

/// Reading the stored values of a document takes about as long as looking at the lists of so many values.
const PER_DOCUMENT: usize = 500;

/// Calls `take` with each value that a document of the set has in a stored keyword field, once per document.
fn for_each_stored(segment: &Segment, field: usize, set: &[u64], mut take: impl FnMut(&[u8])) -> Result<()> {
    let mut doc_ids = Vec::new();
    matching::for_each_bit(0, set, |doc_id| doc_ids.push(doc_id));
    for doc_id in doc_ids {
        let stored = segment.stored(doc_id)?.into_iter().filter(|(of, _)| *of == field);
        let values =
            stored.flat_map(|(_, value)| if let Value::Keywords(values) = value { values } else { Vec::new() });
        let values: BTreeSet<_> = values.collect();
        values.iter().for_each(|value| take(value));
    }
    Ok(())
}
