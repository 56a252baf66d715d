//! [`Manifest`]: what an index consists of. Replacing its file is a commit.
//!
//! `bytes` writes and reads the file.

mod bytes;

use super::schema::{Field, Kind, Schema};
use super::segment::SegmentMeta;
use super::storage::{self, Folder};
use crate::base::error::{Error, Result};
use crate::base::memory::room;
use crate::vector::Shape;
use std::collections::HashSet;
use std::sync::Arc;

/// The largest manifest, in bytes: with the most fields of the longest names, and a million stop words or segments.
const LARGEST: u64 = 64 << 20;
/// The longest name of a field, in bytes.
const LONGEST_NAME: usize = 1000;

/// Of what an index consists, as of one commit.
#[derive(Debug, Clone, PartialEq)]
pub struct Manifest {
    /// A random number that tells this index from others at the same path.
    pub identity: u64,
    /// The number of the commit: 1 for the empty index, one more with each commit.
    pub generation: u64,
    /// The fields and the analyzer.
    pub schema: Arc<Schema>,
    /// The number that the next segment gets. Numbers are never used again.
    pub next: u64,
    /// Whether fields were added since some of the segments were written, which have fewer.
    pub grown: bool,
    /// The segments, in order of insertion.
    pub segments: Vec<Entry>,
}

/// A segment in a [`Manifest`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The segment.
    pub meta: SegmentMeta,
    /// Its deleted documents, if any.
    pub deleted: Option<DeletedMeta>,
}

/// A file of deleted docIDs in a [`Manifest`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeletedMeta {
    /// The commit that wrote it.
    pub generation: u64,
    /// How many docIDs are deleted; at least 1.
    pub count: u32,
    /// The checksum at its end.
    pub crc: u32,
}

/// How it begins.
pub(super) const MAGIC: &[u8; 4] = b"PMAN";

/// The name of an index's manifest.
pub const NAME: &str = "manifest";

/// The name of a manifest that is being written.
pub(super) const TEMPORARY: &str = "manifest.tmp";

/// The name of a segment.
pub fn segment_name(number: u64) -> String {
    format!("{number}.segment")
}

/// The name of a segment's file of deleted docIDs.
pub fn deleted_name(number: u64, generation: u64) -> String {
    format!("{number}-{generation}.deleted")
}

/// The number of the segment to which a file with that name belongs, if it has the name of one of an index's files.
pub(super) fn number_of(name: &str) -> Option<u64> {
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten();
    if let Some(number) = name.strip_suffix(".segment").or_else(|| name.strip_suffix(".spill")) {
        return digits(number);
    }
    let (number, generation) = name.strip_suffix(".deleted")?.split_once('-')?;
    digits(generation).and(digits(number))
}

/// Whether a schema can be that of an index.
///
/// # Errors
/// [`Error::Argument`].
pub fn check_schema(schema: &Schema) -> Result<()> {
    let wrong = |what: String| Err(Error::Argument(what));
    if schema.fields.is_empty() || schema.fields.len() > Schema::MOST_FIELDS {
        return wrong(format!("an index has 1 to {} fields, not {}", Schema::MOST_FIELDS, schema.fields.len()));
    }
    let mut names = HashSet::new();
    for (number, Field { name, kind, weight, stored, analyzer, vector, weights, clusters }) in
        schema.fields.iter().enumerate()
    {
        if name.is_empty() || name.len() > LONGEST_NAME {
            return wrong(format!("the name of a field has 1 to {LONGEST_NAME} bytes, not {}", name.len()));
        }
        if !names.insert((name, *kind as u8)) {
            return wrong(format!("there are two fields \"{name}\""));
        }
        let first = schema.field(name) == Some(number);
        if *kind == Kind::Stored && (!first || !stored || schema.named(name).count() > 1) {
            return wrong(format!("the field \"{name}\" is only stored, and more than that"));
        }
        if *kind == Kind::Geo && schema.named(name).count() > 1 {
            return wrong(format!("the field \"{name}\" has points, and other values"));
        }
        if *kind == Kind::Vector && (*stored || schema.named(name).count() > 1) {
            return wrong(format!("the field \"{name}\" has vectors, and more than that"));
        }
        let is_shape = |shape: &Shape| *kind == Kind::Vector && Shape::DIMENSIONS.contains(&shape.dimensions);
        if vector.as_ref().map_or(*kind == Kind::Vector, |shape| !is_shape(shape)) {
            return wrong(format!("the field \"{name}\" has vectors of no known shape"));
        }
        if *clusters && *kind != Kind::Vector {
            return wrong(format!("the field \"{name}\" has clusters, but no vectors"));
        }
        if *kind == Kind::Weights && (*stored || schema.named(name).count() > 1) {
            return wrong(format!("the field \"{name}\" has weights, and more than that"));
        }
        if weights.is_some() != (*kind == Kind::Weights) {
            return wrong(format!("the field \"{name}\" has weights of no known precision"));
        }
        if analyzer.is_some() && *kind != Kind::Text {
            return wrong(format!("the field \"{name}\" has an analyzer, but no text"));
        }
        if *stored && !first {
            return wrong(format!("the field \"{name}\" is stored twice"));
        }
        if !Schema::WEIGHTS.contains(weight) {
            let (least, most) = (Schema::WEIGHTS.start(), Schema::WEIGHTS.end());
            return wrong(format!("the weight of field \"{name}\" must be from {least} to {most}, not {weight}"));
        }
    }
    Ok(())
}

impl Manifest {
    /// That of a new index.
    ///
    /// # Errors
    /// [`Error::Argument`] as [`check_schema`].
    pub fn new(schema: Schema) -> Result<Manifest> {
        check_schema(&schema)?;
        let schema = schema.with_one_of_each_analyzer();
        // The keys of the standard library's hash tables are random.
        let identity = std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), std::process::id());
        Ok(Manifest { identity, generation: 1, schema: Arc::new(schema), next: 1, grown: false, segments: Vec::new() })
    }

    /// The names of the files of that commit besides the manifest, in order of insertion.
    pub(super) fn names(&self) -> impl Iterator<Item = String> {
        self.segments.iter().flat_map(|Entry { meta, deleted }| {
            let deleted = deleted.map(|deleted| deleted_name(meta.number, deleted.generation));
            std::iter::once(segment_name(meta.number)).chain(deleted)
        })
    }

    /// Reads the manifest of an index: its bytes, which [`Manifest::parse`] takes. `None` if the folder has none.
    ///
    /// # Errors
    /// [`Error::File`].
    pub fn read(folder: &Folder) -> Result<Option<Vec<u8>>> {
        use std::io::Read;
        let failed = |error: std::io::Error| storage::failed(&folder.path_of(NAME), &error);
        let (file, length) = match folder.open_file(NAME) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            file => file.map_err(failed)?,
        };
        if length > LARGEST {
            return Err(failed(std::io::Error::other(format!(
                "it has {length} bytes; at most {LARGEST} are possible"
            ))));
        }
        let mut bytes = room(length as usize + 1)?;
        file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(failed)?;
        Ok(Some(bytes))
    }
}

#[cfg(test)]
mod tests;
