//! Several segments → one, without their deleted documents.
//!
//! Terms come from the dictionaries in ascending order, and the lists of one term at a time are decoded, renumbered and
//! encoded again. Memory is that of the longest list, some 30 bytes per document, and, in large segments, 8 per term.

use super::file::{Has, SegmentWriter};
use super::format::{NO_FIELD, Section};
use super::frequent;
use super::ids::IdColumn;
use super::merge_plan::{GONE, Input, MergePlan, by_rank, is_deleted, reordered};
use super::numbers::Numbers;
use super::stored::Blocks;
use super::words::{self, Lost};
use super::write::{self, FieldWriter};
use super::{SegmentMeta, Union};
use super::{ordinals, points, vectors};
use crate::base::error::{Error, Result};
use crate::base::files::failed;
use crate::base::memory;
use crate::index::list::{Decoded, ListParts, Postings};
use crate::index::storage::Folder;
use crate::index::{Field, Kind, Schema};

/// Merges segments to one of that number, whose file must not exist. The file is not durable before it is synchronised.
/// Without documents, nothing is written.
///
/// Documents keep the order of insertion: inputs one after the other. With a `permutation` (docID in the merged segment →
/// rank in the order of insertion, without deleted documents) docIDs are given in another order, and the ranks are kept as
/// ordinals. Without one docIDs are in the order of the inputs' docIDs, and ordinals stay what they are.
///
/// # Errors
/// [`Error::Corrupt`] and [`Error::File`], which name the file; [`Error::Argument`] if there are 2^32 - 1 documents or
/// more, or the permutation is none. There is no file then.
pub(in crate::index) fn merge(
    inputs: &[Input],
    folder: &Folder,
    number: u64,
    schema: &Schema,
    permutation: Option<&[u32]>,
) -> Result<Option<SegmentMeta>> {
    let plan = MergePlan::new(inputs, permutation)?;
    let documents = plan.sources.len() as u32;
    if documents == 0 {
        return Ok(None);
    }
    let words = inputs.iter().any(|(segment, _)| segment.flags().words);
    let has = Has {
        reordered: plan.ordinals.is_some(),
        new_forms: inputs.iter().any(|(segment, _)| segment.flags().new_forms),
        several: has_several(inputs, &plan, schema)?,
        words,
    };
    let mut writer = SegmentWriter::create(folder, number, documents, has, schema)?;
    for (field, Field { kind, clusters, .. }) in schema.fields.iter().enumerate() {
        match kind {
            Kind::Numeric => merge_numbers(inputs, &plan, field, &mut writer)?,
            Kind::Text => {
                let lengths = merge_lengths(inputs, &plan, field, &mut writer)?;
                let analyzer = schema.analyzer_of(field);
                let mut lost = (words && analyzer.stems()).then(Lost::new);
                merge_terms(inputs, &plan, field, &lengths, lost.as_mut(), &mut writer)?;
                if let Some(lost) = lost {
                    words::merge(inputs, &plan, field, analyzer, lost, &mut writer)?;
                    frequent::write_of_words(&mut writer, field)?;
                }
            }
            Kind::Keyword => merge_terms(inputs, &plan, field, &[], None, &mut writer)?,
            Kind::Weights => {
                merge_lengths(inputs, &plan, field, &mut writer)?;
                merge_terms(inputs, &plan, field, &[], None, &mut writer)?;
            }
            Kind::Stored => {}
            Kind::Geo => merge_points(inputs, &plan, field, &mut writer)?,
            Kind::Vector => vectors::merge(inputs, &plan, field, *clusters, &mut writer)?,
        }
    }
    let all: Vec<_> = inputs.iter().map(|(segment, _)| segment.ids()).collect::<Result<_>>()?;
    let mut merged = IdColumn::default();
    for &(input, doc) in &plan.sources {
        merged.push(all[input as usize].get(doc)?)?;
    }
    write::ids(&mut writer, &merged)?;
    drop(merged);
    merge_stored(inputs, schema, &mut writer)?;
    if let Some(ordinals) = &plan.ordinals {
        writer.section(Section::Ordinals, NO_FIELD, |out| ordinals::write(ordinals, out))?;
    }
    writer.finish().map(Some)
}

/// Whether a document that stays has several numbers in a field.
fn has_several(inputs: &[Input], plan: &MergePlan, schema: &Schema) -> Result<bool> {
    let mut found = false;
    for ((segment, _), places) in inputs.iter().zip(&plan.maps).filter(|((segment, _), _)| segment.flags().several) {
        for (field, _) in schema.fields.iter().enumerate().filter(|(_, field)| field.kind == Kind::Numeric) {
            let stays = |doc: u32| places.get(doc as usize).is_some_and(|&place| place != GONE);
            segment.column(field)?.each_further(|doc, _| found |= stays(doc));
        }
    }
    Ok(found)
}

fn merge_numbers(inputs: &[Input], plan: &MergePlan, field: usize, writer: &mut SegmentWriter) -> Result<()> {
    let columns: Vec<_> = inputs.iter().map(|(segment, _)| segment.column(field)).collect::<Result<_>>()?;
    let mut numbers = Numbers::default();
    for &(input, doc) in &plan.sources {
        let column = &columns[input as usize];
        match column.has_several() {
            false => numbers.push(column.get(doc))?,
            true => numbers.push_all(&mut memory::collected(column.all_of(doc))?)?,
        }
    }
    write::numbers(writer, field, &numbers)
}

fn merge_points(inputs: &[Input], plan: &MergePlan, field: usize, writer: &mut SegmentWriter) -> Result<()> {
    let all = inputs.iter().map(|(segment, _)| segment.points(field)?.all()).collect::<Result<Vec<_>>>()?;
    let merged = plan.sources.iter().map(|&(input, doc)| all[input as usize].get(doc));
    points::write(&memory::collected(merged)?, field, writer)
}

/// Merges the stored values, which are in the order of insertion in all segments.
fn merge_stored(inputs: &[Input], schema: &Schema, writer: &mut SegmentWriter) -> Result<()> {
    if !schema.fields.iter().any(|field| field.stored) {
        return write::no_stored(writer);
    }
    let mut blocks = Blocks::default();
    writer.begin(Section::Stored, NO_FIELD)?;
    for input in inputs {
        let mut out = |values: &[u8]| {
            blocks.reserve(values.len())?;
            blocks.add(values, writer).map_err(|error| failed(writer.path(), error))
        };
        let (segment, deleted) = input;
        let stored = segment.all_stored()?;
        if stored.is_empty() {
            by_rank(input)?.iter().try_for_each(|_| out(&[]))?;
            continue;
        }
        let docs = reordered(segment)?;
        stored.each(|rank, values| {
            let doc = docs.as_ref().map_or(rank, |docs| docs[rank as usize]);
            if is_deleted(*deleted, doc) { Ok(()) } else { out(values) }
        })?;
    }
    blocks.finish(writer).map_err(|error| failed(writer.path(), error))?;
    writer.end();
    writer.section(Section::StoredDirectory, NO_FIELD, |out| blocks.write_directory(out))
}

/// Merges the length bytes of a field, writes them, and returns them.
fn merge_lengths(inputs: &[Input], plan: &MergePlan, field: usize, writer: &mut SegmentWriter) -> Result<Vec<u8>> {
    let mut lengths = memory::room(plan.sources.len())?;
    let all: Vec<&[u8]> = inputs.iter().map(|(segment, _)| segment.lengths(field)).collect::<Result<_>>()?;
    lengths.extend(plan.sources.iter().map(|&(input, doc)| all[input as usize][doc as usize]));
    write::lengths(writer, field, &lengths)?;
    Ok(lengths)
}

/// Merges the lists of a field's terms. `lengths`: those of a text field's documents.
fn merge_terms(
    inputs: &[Input],
    plan: &MergePlan,
    field: usize,
    lengths: &[u8],
    mut lost: Option<&mut Lost>,
    writer: &mut SegmentWriter,
) -> Result<()> {
    let dictionaries: Vec<_> = inputs.iter().map(|(segment, _)| segment.dictionary(field)).collect::<Result<_>>()?;
    let mut union = Union::of(dictionaries)?;
    let mut out = FieldWriter::new(writer, field, plan.sources.len() as u32)?;
    let mut lists = Vec::new();
    let mut merger = Merger::new(plan, inputs[0].0.parts(field), lengths.is_empty())?;
    while let Some((term, values)) = union.next()? {
        lists.clear();
        lists.extend(values.iter().map(|value| (value.index, value.value)));
        lists.sort_unstable();
        merger.clear();
        for &(input, value) in &lists {
            inputs[input].0.decode(field, value, &mut merger.decoded)?;
            merger.append(input)?;
        }
        if let Some(lost) = &mut lost {
            lost.term(term, merger.before, merger.merged.doc_ids.len())?;
        }
        merger.put_in_order()?;
        if !merger.merged.doc_ids.is_empty() {
            out.term(term, &merger.postings(lengths))?;
        }
    }
    let with_terms = match lengths {
        [] => merger.with_terms.iter().map(|word| word.count_ones()).sum(),
        lengths => lengths.iter().filter(|&&length| length != 0).count() as u32,
    };
    out.finish(with_terms, lengths)
}

/// Makes room in `to` for what `from` has.
fn reserve(to: &mut Decoded, from: &Decoded) -> Result<()> {
    memory::reserve(&mut to.doc_ids, from.doc_ids.len())?;
    memory::reserve(&mut to.frequencies, from.frequencies.len())?;
    memory::reserve(&mut to.positions, from.positions.len())
}

/// Puts the lists of a term together.
struct Merger<'p> {
    plan: &'p MergePlan,
    /// Per input, the merged docID of its first document, if none of its documents is gone and all keep their order.
    shifts: Vec<Option<u32>>,
    parts: ListParts,
    /// The list of an input.
    decoded: Decoded,
    merged: Decoded,
    /// Postings of the inputs' lists.
    before: usize,
    /// A bit per document with a term; empty for text, of which lengths tell it.
    with_terms: Vec<u64>,
    order: Vec<(u32, u32)>,
    sorted: Decoded,
    begins: Vec<usize>,
}

impl<'p> Merger<'p> {
    fn new(plan: &'p MergePlan, parts: ListParts, counts: bool) -> Result<Merger<'p>> {
        let shift = |map: &Vec<u32>| match plan.in_order {
            true if !map.contains(&GONE) => map.first().copied(),
            _ => None,
        };
        let with_terms = if counts { memory::zeros(plan.sources.len().div_ceil(64))? } else { Vec::new() };
        Ok(Merger {
            plan,
            shifts: plan.maps.iter().map(shift).collect(),
            parts,
            decoded: Decoded::default(),
            merged: Decoded::default(),
            before: 0,
            with_terms,
            order: Vec::new(),
            sorted: Decoded::default(),
            begins: Vec::new(),
        })
    }

    fn clear(&mut self) {
        self.before = 0;
        self.merged.doc_ids.clear();
        self.merged.frequencies.clear();
        self.merged.positions.clear();
    }

    /// Appends the decoded list of an input, with the merged docIDs.
    fn append(&mut self, input: usize) -> Result<()> {
        let (decoded, merged) = (&self.decoded, &mut self.merged);
        self.before += decoded.doc_ids.len();
        reserve(merged, decoded)?;
        if let Some(shift) = self.shifts[input] {
            merged.doc_ids.extend(decoded.doc_ids.iter().map(|doc| doc + shift));
            merged.frequencies.extend_from_slice(&decoded.frequencies);
            merged.positions.extend_from_slice(&decoded.positions);
            return Ok(());
        }
        let map = &self.plan.maps[input];
        let mut positions = &decoded.positions[..];
        for (i, &doc) in decoded.doc_ids.iter().enumerate() {
            let new = map[doc as usize];
            let frequency = decoded.frequencies.get(i).copied().unwrap_or(0);
            let mut of_document: &[u32] = &[];
            if self.parts.positions {
                let split = positions.split_at_checked(frequency as usize);
                // Decoding has made sure of it.
                let wrong = || Error::Argument(format!("{} positions for {frequency}", positions.len()));
                (of_document, positions) = split.ok_or_else(wrong)?;
            }
            if new != GONE {
                merged.doc_ids.push(new);
                if self.parts.frequencies {
                    merged.frequencies.push(frequency);
                }
                merged.positions.extend_from_slice(of_document);
            }
        }
        Ok(())
    }

    /// Sorts the postings by docID, unless they are in order; counts documents.
    fn put_in_order(&mut self) -> Result<()> {
        if !self.with_terms.is_empty() {
            for &doc in &self.merged.doc_ids {
                self.with_terms[doc as usize / 64] |= 1 << (doc % 64);
            }
        }
        if self.plan.in_order {
            return Ok(());
        }
        if !self.parts.frequencies {
            self.merged.doc_ids.sort_unstable();
            return Ok(());
        }
        let (merged, sorted) = (&mut self.merged, &mut self.sorted);
        self.order.clear();
        memory::reserve(&mut self.order, merged.doc_ids.len())?;
        self.order.extend(merged.doc_ids.iter().copied().zip(0..));
        self.order.sort_unstable();
        sorted.doc_ids.clear();
        sorted.frequencies.clear();
        sorted.positions.clear();
        reserve(sorted, merged)?;
        sorted.doc_ids.extend(self.order.iter().map(|&(doc, _)| doc));
        sorted.frequencies.extend(self.order.iter().map(|&(_, i)| merged.frequencies[i as usize]));
        if self.parts.positions {
            self.begins.clear();
            memory::reserve(&mut self.begins, merged.frequencies.len())?;
            let mut begin = 0;
            for &frequency in &merged.frequencies {
                self.begins.push(begin);
                begin += frequency as usize;
            }
            for (&(_, i), &frequency) in self.order.iter().zip(&sorted.frequencies) {
                let begin = self.begins[i as usize];
                sorted.positions.extend_from_slice(&merged.positions[begin..begin + frequency as usize]);
            }
        }
        std::mem::swap(merged, sorted);
        Ok(())
    }

    fn postings<'a>(&'a self, lengths: &'a [u8]) -> Postings<'a> {
        let Decoded { doc_ids, frequencies, positions } = &self.merged;
        Postings { doc_ids, frequencies, positions, lengths }
    }
}
