//! Writes the [pairs](super::pairs) of a field.

use super::file::SegmentWriter;
use super::format::Section;
use super::gather::{Common, gather};
use super::list_writer::{ListWriter, not_built};
use super::pairs::{BY_DOCUMENTS, key};
use crate::base::error::Result;
use crate::index::list::{ListParts, Postings};
use fst::MapBuilder;
use std::io::Write;

/// Writes the sections of a text field whose lists are written, on up to `threads` threads.
pub(super) fn write_pairs(
    writer: &mut SegmentWriter,
    field: u8,
    common: Common,
    lengths: &[u8],
    threads: usize,
) -> Result<()> {
    let parts = ListParts { frequencies: true, positions: true, codecs: writer.codecs() };
    let (map, lists) = writer.map_section(Section::Lists, field)?;
    let mut gathered = gather(&map[lists], common, lengths, parts, threads)?;
    drop(map);
    let path = writer.path().to_owned();
    let mut lists = ListWriter::begin(writer, Section::PairLists, field)?;
    let mut keys = MapBuilder::memory();
    let (mut doc_ids, mut frequencies) = (Vec::new(), Vec::new());
    for first in 0..gathered.words.len() as u16 {
        for second in 0..gathered.words.len() as u16 {
            if !gathered.take(first, second, &mut doc_ids, &mut frequencies)? {
                continue;
            }
            let postings = Postings { doc_ids: &doc_ids, frequencies: &frequencies, positions: &[], lengths };
            let value = lists.list(&postings, lengths.len() as u32)?;
            keys.insert(key(first, second), value).map_err(|error| not_built(&path, error))?;
        }
    }
    let writer = lists.end()?;
    let keys = keys.into_inner().map_err(|error| not_built(&path, error))?;
    writer.section(Section::Pairs, field, |out| {
        out.write_all(&(gathered.words.len() as u32).to_le_bytes())?;
        out.write_all(&BY_DOCUMENTS.to_le_bytes())?;
        out.write_all(&gathered.least.to_le_bytes())?;
        gathered.words.iter().try_for_each(|word| out.write_all(&word.value.to_le_bytes()))?;
        gathered.words.iter().try_for_each(|word| out.write_all(&word.containing.to_le_bytes()))?;
        out.write_all(&keys)
    })
}
