//! What hits are ordered by: keys as numbers within a segment, and as values between segments.

use super::Index;
use super::check::check;
use super::distance::Distances;
use super::options::Options;
use super::order::{After, Direction, SortKey, SortValue};
use crate::base::error::Result;
use crate::index::Kind;
use crate::index::segment::{Column, IdRef, KeywordColumn, Segment};
use crate::index::snapshot::SnapshotSegment;
use crate::rank::{Clock, Hit};
use std::cmp::Ordering;

/// Where a document of a segment stands by a key.
pub(super) enum Reader<'s> {
    Number(Column<'s>),
    Distance(Distances<'s>),
    Keyword(&'s KeywordColumn),
    /// Ranks by id; none if they are the docIDs.
    Id(Option<&'s [u32]>),
    Score,
}

impl<'s> Reader<'s> {
    pub(super) fn new(segment: &'s Segment, key: SortKey) -> Result<Reader<'s>> {
        Ok(match key {
            SortKey::Score => Reader::Score,
            SortKey::Id => Reader::Id(segment.id_ranks()?),
            SortKey::Distance(field, from) => Reader::Distance(Distances::new(segment, field, from)?),
            SortKey::Field(field) => match segment.schema().fields[field].kind {
                Kind::Keyword => Reader::Keyword(segment.keyword_column(field)?),
                _ => Reader::Number(segment.column(field)?),
            },
        })
    }

    /// A number that is smaller for what comes first.
    #[inline(always)]
    pub(super) fn key(&self, doc_id: u32, direction: Direction, score: impl FnOnce() -> f64) -> f64 {
        directed(self.number(doc_id, direction, score), direction)
    }

    /// The number that a document is compared by in that direction: of several, the one that comes first.
    #[inline(always)]
    fn number(&self, doc_id: u32, direction: Direction, score: impl FnOnce() -> f64) -> Option<f64> {
        match (self, direction) {
            (Reader::Number(column), Direction::Ascending) => column.get(doc_id),
            (Reader::Number(column), Direction::Descending) => column.greatest(doc_id),
            (Reader::Distance(distances), _) => distances.get(doc_id),
            (Reader::Keyword(column), Direction::Ascending) => column.of(doc_id).first().map(|&first| first.into()),
            (Reader::Keyword(column), Direction::Descending) => column.of(doc_id).last().map(|&last| last.into()),
            (Reader::Id(ranks), _) => Some(ranks.map_or(doc_id, |ranks| ranks[doc_id as usize]).into()),
            (Reader::Score, _) => Some(score()),
        }
    }

    /// The same; what is greater than `worst` may be any such number.
    #[inline(always)]
    pub(super) fn first_key(&self, doc_id: u32, direction: Direction, worst: f64, score: impl FnOnce() -> f64) -> f64 {
        match (self, direction) {
            (Reader::Distance(distances), Direction::Ascending) => directed(distances.up_to(doc_id, worst), direction),
            _ => self.key(doc_id, direction, score),
        }
    }
}

/// Documents without a number come last in both directions.
#[inline(always)]
pub(super) fn directed(number: Option<f64>, direction: Direction) -> f64 {
    match (number, direction) {
        (None, _) => f64::INFINITY,
        // -0 is 0.
        (Some(number), Direction::Ascending) => number + 0.0,
        (Some(number), Direction::Descending) => 0.0 - number,
    }
}

/// Whether keys of different segments cannot be compared.
pub(super) fn is_local(index: &Index, key: SortKey) -> bool {
    match key {
        SortKey::Score | SortKey::Distance(..) => false,
        SortKey::Id => true,
        SortKey::Field(field) => index.schema().fields[field].kind == Kind::Keyword,
    }
}

/// What a document has of a key. The score is not known here.
pub(super) fn value_of(
    segment: &Segment,
    key: SortKey,
    direction: Direction,
    doc_id: u32,
    score: f64,
) -> Result<SortValue> {
    let reader = Reader::new(segment, key)?;
    Ok(match &reader {
        Reader::Score | Reader::Number(_) | Reader::Distance(_) => {
            reader.number(doc_id, direction, || score).map_or(SortValue::None, SortValue::Number)
        }
        Reader::Id(_) => SortValue::Id(segment.id(doc_id)?),
        Reader::Keyword(column) => {
            let numbers = column.of(doc_id);
            let number = if direction == Direction::Ascending { numbers.first() } else { numbers.last() };
            match (number, key) {
                (Some(&number), SortKey::Field(field)) => {
                    SortValue::Keyword(column.value(segment.dictionary(field)?, number)?)
                }
                _ => SortValue::None,
            }
        }
    })
}

/// The values that hits of several segments are compared by, as [`Reader::key`] gives them where those can be compared.
pub(super) fn values_of(segment: &Segment, options: &Options, hit: &Hit, keys: &[f64]) -> Result<Vec<SortValue>> {
    let values = options.sort.iter().zip(keys).map(|(&(key, direction), &number)| match Reader::new(segment, key)? {
        Reader::Number(_) | Reader::Distance(_) | Reader::Score => Ok(SortValue::Number(number)),
        _ => value_of(segment, key, direction, hit.doc_id, 0.0),
    });
    values.collect()
}

/// A value as [`compare`] wants it: of numbers the smaller one comes first.
pub(super) fn directed_value(value: SortValue, direction: Direction) -> SortValue {
    match value {
        SortValue::Number(number) => SortValue::Number(directed(Some(number), direction)),
        other => other,
    }
}

/// The order of hits of different segments or indexes, by what [`values_of`] gives, or [`directed_value`] makes of [`value_of`].
pub(super) fn compare(a: &[SortValue], b: &[SortValue], directions: impl Iterator<Item = Direction>) -> Ordering {
    let directed = |order: Ordering, direction| match direction {
        Direction::Ascending => order,
        Direction::Descending => order.reverse(),
    };
    let compare = |((a, b), direction): ((&SortValue, &SortValue), Direction)| match (a, b) {
        // Already directed.
        (SortValue::Number(a), SortValue::Number(b)) => a.total_cmp(b),
        (SortValue::Keyword(a), SortValue::Keyword(b)) => directed(a.cmp(b), direction),
        (SortValue::Id(a), SortValue::Id(b)) => directed(a.cmp(b), direction),
        (SortValue::None, SortValue::None) => Ordering::Equal,
        (a, _) => {
            if *a == SortValue::None {
                Ordering::Greater
            } else {
                Ordering::Less
            }
        }
    };
    a.iter().zip(b).zip(directions).map(compare).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

/// The keys, in a segment, of the place after which hits are wanted. Where the segment does not have the value, a key between
/// those of its neighbours.
pub(super) fn keys_after(part: &SnapshotSegment, options: &Options, after: &After, clock: &Clock) -> Result<Vec<f64>> {
    let segment = &part.segment;
    let key = |(&(key, direction), value): (&(SortKey, Direction), &SortValue)| {
        let number = match (value, key) {
            (SortValue::Number(number), _) => Some(*number),
            (SortValue::Keyword(value), SortKey::Field(field)) => {
                let column = segment.keyword_column(field)?;
                Some(column.place(segment.dictionary(field)?, value)?)
            }
            (SortValue::Id(id), _) => {
                let (ids, mut before, mut has) = (segment.ids()?, 0u32, false);
                for doc_id in 0..segment.documents() {
                    clock.check()?;
                    let order = ids.get(doc_id)?.cmp(&IdRef::from(id));
                    before += u32::from(order.is_lt());
                    has |= order.is_eq();
                }
                Some(f64::from(before) - if has { 0.0 } else { 0.5 })
            }
            _ => None,
        };
        Ok(directed(number, direction))
    };
    options.sort.iter().zip(&after.values).map(key).collect()
}

/// The ordinal of a document in the whole index.
pub(super) fn ordinal(index: &Index, doc_id: u64) -> Result<u64> {
    let parts = index.snapshot().parts();
    let Some(part) = parts.partition_point(|part| part.base <= doc_id).checked_sub(1).map(|at| &parts[at]) else {
        return Ok(doc_id);
    };
    Ok(part.base + u64::from(part.segment.ordinal((doc_id - part.base) as u32)?))
}

impl Index {
    /// The place of a hit, which had this score, in the order of these options.
    ///
    /// # Errors
    /// [`Error::Argument`] if there is no such document, or options do not fit the fields; as [`Index::search`] otherwise.
    pub fn after(&self, doc_id: u64, score: f64, options: &Options) -> Result<After> {
        check(self, options)?;
        let (part, local) = self.named_place(doc_id)?;
        let values = options
            .keys()
            .into_iter()
            .zip(options.directions())
            .map(|(key, direction)| value_of(&part.segment, key, direction, local, score));
        Ok(After { values: values.collect::<Result<_>>()?, doc_id })
    }
}
