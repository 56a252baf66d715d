//! Filters: conditions become sets of a segment's documents.
//!
//! A set is a list while it is short, so that a rare condition makes no set of all documents before others are asked. Of
//! conditions that must all hold, the one expected to hold for the fewest documents is asked first; if that leaves few, the
//! others are asked about these only.

use super::check::check;
use super::condition::{Condition, Passing};
use super::options::Options;
use super::set::{Set, Union, subtract};
use super::{Index, lists};
use crate::base::bits::has_bit;
use crate::base::cpu;
use crate::base::earth::area::Area;
use crate::base::error::Result;
use crate::base::memory::{reserve, room, zeros};
use crate::codec::block_buffer;
use crate::index::segment::{Candidates, IdRef, Segment};
use crate::index::snapshot::SnapshotSegment;
use crate::index::{Id, Kind};
use crate::list::PostingList;
use crate::rank::matching::{add_to, for_each_bit};
use crate::rank::term::Term;
use crate::rank::{Clock, matching};

/// The documents of a segment that pass the filter, deleted ones too; `None` if there is no filter.
///
/// # Errors
/// [`Error::Corrupt`](crate::Error::Corrupt), `Expired`, `OutOfMemory`.
pub(super) fn allowed(part: &SnapshotSegment, options: &Options, clock: &Clock) -> Result<Passing> {
    in_segment(&part.segment, part.base, options, clock)
}

/// The documents of a segment that pass the filter, of which `base` documents are before it.
///
/// # Errors
/// As [`allowed`].
pub(super) fn in_segment(segment: &Segment, base: u64, options: &Options, clock: &Clock) -> Result<Passing> {
    options.filter.in_segment(segment, |condition| {
        let asked = InSegment { segment, base, documents: segment.documents(), clock };
        asked.set(condition)?.into_allowed(asked.documents)
    })
}

/// Values of a keyword field that are looked up to find out how many documents have them.
const LOOKED_UP: usize = 16;

/// Ids are looked up one by one unless a segment has less than one document for so many.
const IDS_PER_DOCUMENT: usize = 8;

/// A segment that is asked.
struct InSegment<'a> {
    segment: &'a Segment,
    base: u64,
    documents: u32,
    clock: &'a Clock,
}

impl InSegment<'_> {
    fn zeros(&self) -> Result<Vec<u64>> {
        zeros(self.documents.div_ceil(64) as usize)
    }

    /// All documents but those of a set.
    fn others(&self, set: Set) -> Result<Vec<u64>> {
        let mut bits = set.into_bits(self.documents)?;
        bits.iter_mut().for_each(|word| *word = !*word);
        if let (Some(last), used @ 1..) = (bits.last_mut(), self.documents % 64) {
            *last &= (1 << used) - 1;
        }
        Ok(bits)
    }

    /// For about how many documents a condition holds at most; more for what takes longer to find out.
    fn expected(&self, condition: &Condition) -> Result<usize> {
        let documents = self.documents as usize;
        Ok(match condition {
            Condition::All(of) => {
                let of = of.iter().map(|of| self.expected(of)).collect::<Result<Vec<usize>>>()?;
                of.into_iter().min().unwrap_or(documents)
            }
            Condition::Any(of) => {
                let of = of.iter().map(|of| self.expected(of)).collect::<Result<Vec<usize>>>()?;
                of.into_iter().fold(0, usize::saturating_add)
            }
            Condition::Not(_) => documents.saturating_mul(3),
            Condition::Keywords(_, values) if values.len() > LOOKED_UP => documents,
            Condition::Keywords(field, values) => {
                let mut sum = 0;
                for value in values {
                    if let Some(value) = self.segment.term(*field, value)? {
                        sum += self.segment.documents_with(*field, value)? as usize;
                    }
                }
                sum
            }
            Condition::Range(..) | Condition::Numbers(..) | Condition::Exists(_) => documents.saturating_mul(2),
            Condition::Within(field, area) => self.segment.points(*field)?.expected(area)?,
            Condition::Ids(ids) => ids.len(),
            Condition::DocIds(list) => list.0.len(),
        })
    }

    /// Conditions, those for which the fewest documents are expected first.
    fn in_order<'c>(&self, conditions: &'c [Condition]) -> Result<Vec<&'c Condition>> {
        let expected = conditions.iter().map(|condition| Ok((self.expected(condition)?, condition)));
        let mut expected = expected.collect::<Result<Vec<_>>>()?;
        expected.sort_by_key(|expected| expected.0);
        Ok(expected.into_iter().map(|expected| expected.1).collect())
    }

    /// The documents for which a condition holds.
    fn set(&self, condition: &Condition) -> Result<Set> {
        self.clock.check()?;
        match condition {
            Condition::All(of) => self.all(of),
            Condition::Any(of) => {
                let mut union = Union::new(self.documents);
                of.iter().try_for_each(|of| union.add(self.set(of)?))?;
                Ok(union.finish())
            }
            Condition::Not(of) => Ok(Set::Bits(self.others(self.set(of)?)?)),
            Condition::Keywords(field, values) => self.keywords(*field, values),
            Condition::Range(field, low, high) => {
                let mut bits = self.zeros()?;
                self.segment.add_between(*field, *low, *high, &mut bits)?;
                Ok(Set::Bits(bits))
            }
            Condition::Numbers(field, numbers) => {
                let mut bits = self.zeros()?;
                match numbers[..] {
                    [] => return Ok(Set::Few(Vec::new())),
                    [number] => self.segment.add_between(*field, number, number, &mut bits)?,
                    _ => {
                        let column = self.segment.column(*field)?;
                        for doc_id in 0..self.documents {
                            let is_one = column.has(doc_id, |number| is_among(number, numbers));
                            bits[doc_id as usize / 64] |= u64::from(is_one) << (doc_id % 64);
                        }
                    }
                }
                Ok(Set::Bits(bits))
            }
            Condition::Within(field, area) => self.within(*field, area),
            Condition::Exists(field) => self.existing(*field).map(Set::Bits),
            Condition::Ids(ids) => self.ids(ids).map(Set::Few),
            Condition::DocIds(list) => self.doc_ids(&list.0),
        }
    }

    fn all(&self, conditions: &[Condition]) -> Result<Set> {
        let mut conditions = self.in_order(conditions)?.into_iter();
        let Some(first) = conditions.next() else { return Ok(Set::Bits(self.others(Set::Few(Vec::new()))?)) };
        let mut set = self.set(first)?;
        for condition in conditions {
            match &mut set {
                Set::Few(doc_ids) => self.retain(condition, doc_ids)?,
                Set::Bits(bits) => match self.set(condition)? {
                    Set::Bits(other) => bits.iter_mut().zip(other).for_each(|(word, other)| *word &= other),
                    Set::Few(mut doc_ids) => {
                        doc_ids.retain(|&doc_id| has_bit(bits, doc_id));
                        set = Set::Few(doc_ids);
                    }
                },
            }
        }
        Ok(set)
    }

    /// Keeps those of a few documents for which a condition holds.
    fn retain(&self, condition: &Condition, doc_ids: &mut Vec<u32>) -> Result<()> {
        self.clock.check()?;
        if doc_ids.is_empty() {
            return Ok(());
        }
        match condition {
            Condition::All(of) => {
                self.in_order(of)?.into_iter().try_for_each(|condition| self.retain(condition, doc_ids))
            }
            Condition::Any(of) => {
                let (mut left, mut found) = (std::mem::take(doc_ids), Vec::new());
                for condition in of {
                    let mut kept = left.clone();
                    self.retain(condition, &mut kept)?;
                    subtract(&mut left, &kept);
                    found.extend(kept);
                }
                found.sort_unstable();
                *doc_ids = found;
                Ok(())
            }
            Condition::Not(of) => {
                let mut kept = doc_ids.clone();
                self.retain(of, &mut kept)?;
                subtract(doc_ids, &kept);
                Ok(())
            }
            Condition::Keywords(field, values) if values.len() == 1 => self.retain_value(*field, &values[0], doc_ids),
            Condition::Range(field, low, high) => {
                let column = self.segment.column(*field)?;
                let is_within = |number: f64| *low <= number && number <= *high;
                doc_ids.retain(|&doc_id| column.has(doc_id, is_within));
                Ok(())
            }
            Condition::Numbers(field, numbers) => {
                let column = self.segment.column(*field)?;
                doc_ids.retain(|&doc_id| column.has(doc_id, |number| is_among(number, numbers)));
                Ok(())
            }
            Condition::Within(field, area) => {
                let points = self.segment.points(*field)?;
                let mut within = Vec::new();
                for &doc_id in &*doc_ids {
                    if points.get(doc_id)?.is_some_and(|point| area.contains(point)) {
                        within.push(doc_id);
                    }
                }
                *doc_ids = within;
                Ok(())
            }
            Condition::Keywords(..) | Condition::Exists(_) | Condition::Ids(_) | Condition::DocIds(_) => {
                match self.set(condition)? {
                    Set::Bits(bits) => doc_ids.retain(|&doc_id| has_bit(&bits, doc_id)),
                    Set::Few(others) => {
                        let mut left = doc_ids.clone();
                        subtract(&mut left, &others);
                        subtract(doc_ids, &left);
                    }
                }
                Ok(())
            }
        }
    }

    fn retain_value(&self, field: usize, value: &[u8], doc_ids: &mut Vec<u32>) -> Result<()> {
        let segment = self.segment;
        let Some(value) = segment.term(field, value)? else {
            doc_ids.clear();
            return Ok(());
        };
        let mut term = Term::without_scores(cpu::tier(), lists::of_term(segment, field, value)?);
        matching::retain_all(cpu::tier(), &mut term, doc_ids);
        Ok(())
    }

    fn keywords(&self, field: usize, values: &[Vec<u8>]) -> Result<Set> {
        let segment = self.segment;
        let mut union = Union::new(self.documents);
        for value in values {
            self.clock.check()?;
            let Some(value) = segment.term(field, value)? else { continue };
            let count = segment.documents_with(field, value)? as usize;
            match union.bits_for(count)? {
                Some(bits) => {
                    let mut term = Term::without_scores(cpu::tier(), lists::of_term(segment, field, value)?);
                    add_to(cpu::tier(), bits, &mut term);
                }
                None => {
                    let few = &mut union.few;
                    lists::for_each_doc_id(segment, field, value, |doc_id| {
                        few.push(doc_id);
                        Ok(())
                    })?;
                }
            }
        }
        Ok(union.finish())
    }

    fn within(&self, field: usize, area: &Area) -> Result<Set> {
        let points = self.segment.points(field)?;
        let mut union = Union::new(self.documents);
        let found = points.candidates(area)?;
        for candidates in found.iter().flat_map(Candidates::parts) {
            self.clock.check()?;
            match union.bits_for(candidates.most())? {
                Some(bits) => points.for_each(&candidates, area, |doc_id| {
                    bits[doc_id as usize / 64] |= 1 << (doc_id % 64);
                })?,
                None => points.for_each(&candidates, area, |doc_id| union.few.push(doc_id))?,
            }
        }
        Ok(union.finish())
    }

    fn existing(&self, field: usize) -> Result<Vec<u64>> {
        let segment = self.segment;
        let mut bits = self.zeros()?;
        match segment.schema().fields[field].kind {
            Kind::Numeric => segment.add_between(field, f64::NEG_INFINITY, f64::INFINITY, &mut bits)?,
            Kind::Text | Kind::Weights => {
                for (word, lengths) in bits.iter_mut().zip(segment.lengths(field)?.chunks(64)) {
                    *word = lengths.iter().rev().fold(0, |word, &length| word << 1 | u64::from(length > 0));
                }
            }
            Kind::Keyword => segment.keyword_column(field)?.add_present(&mut bits),
            Kind::Geo => segment.points(field)?.add_present(&mut bits),
            Kind::Vector => segment.vectors(field)?.add_present(&mut bits)?,
            // Was refused when the filter was checked.
            Kind::Stored => (),
        }
        Ok(bits)
    }

    /// The documents with some ids, which are in order.
    fn ids(&self, ids: &[Id]) -> Result<Vec<u32>> {
        let segment = self.segment;
        let mut found = Vec::new();
        if ids.len() / IDS_PER_DOCUMENT > self.documents as usize {
            let all = segment.ids()?;
            for doc_id in 0..self.documents {
                self.clock.check()?;
                let id = all.get(doc_id)?;
                if ids.binary_search_by(|other| IdRef::from(other).cmp(&id)).is_ok() {
                    found.push(doc_id);
                }
            }
            return Ok(found);
        }
        for id in ids {
            self.clock.check()?;
            found.extend(segment.find(id)?);
        }
        found.sort_unstable();
        Ok(found)
    }

    /// The documents of a list of docIDs of the snapshot.
    fn doc_ids(&self, list: &PostingList) -> Result<Set> {
        let mut union = Union::new(self.documents);
        let Ok(base) = u32::try_from(self.base) else { return Ok(union.finish()) };
        let last = base.saturating_add(self.documents - 1);
        let mut buffer = block_buffer();
        for block in list.last_doc_ids().partition_point(|&of_block| of_block < base)..list.blocks() {
            self.clock.check()?;
            let doc_ids = list.decode_block(block, &mut buffer);
            let from = doc_ids.partition_point(|&doc_id| doc_id < base);
            let to = doc_ids.partition_point(|&doc_id| doc_id <= last);
            let mut local = room(to - from)?;
            local.extend(doc_ids[from..to].iter().map(|doc_id| doc_id - base));
            union.add(Set::Few(local))?;
            if to < doc_ids.len() {
                break;
            }
        }
        Ok(union.finish())
    }
}

/// Whether a number is one of some, which are in order.
fn is_among(number: f64, numbers: &[f64]) -> bool {
    numbers.binary_search_by(|other| other.total_cmp(&number)).is_ok()
}

/// Calls `take` with each document of a segment that passes the filter and is not deleted, ascending.
pub(super) fn for_each_allowed(
    part: &SnapshotSegment,
    options: &Options,
    clock: &Clock,
    mut take: impl FnMut(u32),
) -> Result<()> {
    match allowed(part, options, clock)? {
        Some(allowed) => for_each_bit(0, &allowed.bits, |doc_id| {
            if part.is_live(doc_id) {
                take(doc_id);
            }
        }),
        None => (0..part.segment.documents()).filter(|&doc_id| part.is_live(doc_id)).for_each(take),
    }
    Ok(())
}

/// The docIDs of the documents that pass the filter.
pub(super) fn matching(index: &Index, options: &Options) -> Result<Vec<u64>> {
    check(index, options)?;
    let clock = options.end().clock();
    let mut doc_ids = Vec::new();
    for part in index.snapshot().parts() {
        let mut count = 0;
        for_each_allowed(part, options, &clock, |_| count += 1)?;
        reserve(&mut doc_ids, count)?;
        for_each_allowed(part, options, &clock, |doc_id| doc_ids.push(part.base + u64::from(doc_id)))?;
    }
    Ok(doc_ids)
}
