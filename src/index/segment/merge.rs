//! Several segments → one, without their deleted documents.
//!
//! Memory is that of the longest list, some 30 bytes per document and thread, and, in large segments, 8 per term.

use super::file::{Has, SegmentWriter};
use super::format::{NO_FIELD, Section};
use super::frequent;
use super::ids::IdColumn;
use super::merge_plan::{GONE, Input, MergePlan, by_rank, is_deleted, reordered};
use super::merge_terms::merge_terms;
use super::numbers::Numbers;
use super::stored::Blocks;
use super::words::{self, Lost};
use super::{Form, SegmentMeta, ordinals, points, vectors, write};
use crate::base::error::Result;
use crate::base::files::failed;
use crate::base::memory;
use crate::index::storage::Folder;
use crate::index::{Field, Kind, Schema};

/// Merges segments to one of that number, whose file must not exist. The file is not durable before it is synchronised.
/// Without documents, nothing is written.
///
/// Documents keep the order of insertion: inputs one after the other. With a `permutation` (docID in the merged segment →
/// rank in the order of insertion, without deleted documents) docIDs are given in another order, and the ranks are kept as
/// ordinals. Without one docIDs are in the order of the inputs' docIDs, and ordinals stay what they are.
///
/// Lists are merged by up to `threads` threads, as many as they are worth. The file is the same with any number of them.
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
    threads: usize,
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
        form: Form::Segment,
    };
    let mut writer = SegmentWriter::create(folder, number, documents, has, schema)?;
    for (field, Field { kind, clusters, .. }) in schema.fields.iter().enumerate() {
        match kind {
            Kind::Numeric => merge_numbers(inputs, &plan, field, &mut writer)?,
            Kind::Text => {
                let lengths = merge_lengths(inputs, &plan, field, &mut writer)?;
                let analyzer = schema.analyzer_of(field);
                let mut lost = (words && analyzer.stems()).then(Lost::new);
                merge_terms(inputs, &plan, field, &lengths, lost.as_mut(), threads, &mut writer)?;
                if let Some(lost) = lost {
                    words::merge(inputs, &plan, field, analyzer, lost, &mut writer)?;
                    frequent::write_of_words(&mut writer, field)?;
                }
            }
            Kind::Keyword => merge_terms(inputs, &plan, field, &[], None, threads, &mut writer)?,
            Kind::Weights => {
                merge_lengths(inputs, &plan, field, &mut writer)?;
                merge_terms(inputs, &plan, field, &[], None, threads, &mut writer)?;
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
