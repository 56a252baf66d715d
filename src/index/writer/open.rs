//! Opening an index for writing, or creating it.

use super::patience::Patience;
use super::{Pending, Writer, WriterOptions, WriterSegment, commit};
use crate::base::error::{Error, Result};
use crate::index::deleted::Deleted;
use crate::index::lock::Lock;
use crate::index::manifest::{self, Entry, Manifest};
use crate::index::removal::files;
use crate::index::segment::Segment;
use crate::index::storage::{self, Folder};
use crate::index::{Field, Schema};
use crate::vector::Shape;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

impl Writer {
    /// Opens the index in a folder for writing. If there is none, and there is a schema, creates it, and the folder. An
    /// index that exists keeps its codecs, whatever those of the schema, unless the options name others: these are for what
    /// is written from now on, and [`optimize`](Writer::optimize) rewrites the rest. It gets fields of the schema that it does
    /// not have, if they come after those that it has, and the schema's weights, with the next commit; documents that are there
    /// have no value in new fields.
    ///
    /// # Errors
    /// [`Error::Locked`] if it is being written already (with the process id of who does) and still is after the time that
    /// the options say; [`Error::Missing`] if there is no index; [`Error::File`] if a file cannot be read or written;
    /// [`Error::Argument`] if the index has another schema; [`Error::Corrupt`] if it is damaged.
    pub fn open(path: &Path, schema: Option<Schema>, options: WriterOptions) -> Result<Writer> {
        Writer::open_unless(path, schema, options, &|| false)
    }

    /// The same; the wait for another writer also ends as soon as `interrupted` says so, which is asked some 20 times per
    /// second, and after each signal. It may run anything but what waits for this lock.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_unless(
        path: &Path,
        schema: Option<Schema>,
        options: WriterOptions,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Writer> {
        let patience = Patience::new(options.wait, interrupted);
        match &schema {
            Some(schema) => {
                manifest::check_schema(schema)?;
                if !has_manifest(path) {
                    schema.check_names()?;
                }
            }
            None if !has_manifest(path) => {
                let what = "there is no index: to create one, say which fields it has".into();
                return Err(Error::Missing { path: path.display().to_string(), what });
            }
            None => {}
        }
        let (folder, lock) = lock(path, schema.is_some(), &patience)?;
        folder.refuse_link(manifest::TEMPORARY)?;
        let mut asked = None;
        let committed = match (Manifest::read(&folder)?, schema) {
            (Some(bytes), schema) => {
                let manifest = Manifest::parse(&bytes, &folder.path_of(manifest::NAME))?;
                if let Some(schema) = schema {
                    asked = joined(&manifest.schema, &schema, path)?.map(Arc::new);
                }
                manifest
            }
            (None, Some(schema)) => {
                schema.check_names()?;
                if let Some((name, _)) = files(&folder)?.first() {
                    let what =
                        format!("{name} is there, but no manifest: the index is damaged, or not one of this library");
                    return Err(Error::File { path: path.display().to_string(), what });
                }
                let manifest = Manifest::new((*options.applied(&Arc::new(schema))).clone())?;
                commit::replace(&folder, &manifest, &[])?;
                folder.sync_all()?;
                manifest
            }
            (None, None) => {
                return Err(Error::Missing { path: path.display().to_string(), what: "has no manifest".into() });
            }
        };
        let litter = files(&folder)?;
        let past = litter.iter().map(|(_, number)| number.saturating_add(1)).max().unwrap_or(0);
        let schema = options.applied(asked.as_ref().unwrap_or(&committed.schema));
        let mut writer = Writer {
            next: committed.next.max(past),
            segments: open_segments(&folder, &committed, &schema)?,
            pending: Pending::new(&schema, &options),
            schema,
            folder,
            options,
            committed,
            unsure: false,
            filter: None,
            lookups: 0,
            lost: None,
            lock,
        };
        // A writer may have ended between renaming the manifest and making that durable.
        writer.folder.sync_all()?;
        writer.clean();
        Ok(writer)
    }
}

/// The folder of an index, locked. A folder that was [removed](crate::index::removal) meanwhile is created anew if it may.
fn lock(path: &Path, may_create: bool, patience: &Patience) -> Result<(Folder, Lock)> {
    loop {
        if may_create {
            storage::create_folder(path)?;
        }
        let folder = fs::canonicalize(path).map_err(|error| storage::failed(path, &error))?;
        let folder = Folder::open_to_write(&folder)?;
        let taken = patience.until_free(|| Lock::take(&folder));
        match taken.and_then(|lock| lock.check(&folder).map(|()| lock)) {
            Ok(lock) => return Ok((folder, lock)),
            // Whoever removed it while this writer waited for it is the reason; a second try finds another folder.
            Err(Error::File { .. }) if may_create && !folder.is_in_place() && !patience.is_over() => {}
            Err(error) => return Err(error),
        }
    }
}

/// The segments and deleted documents of a commit.
pub(super) fn open_segments(folder: &Folder, manifest: &Manifest, schema: &Arc<Schema>) -> Result<Vec<WriterSegment>> {
    let part = |entry: &Entry| {
        let meta = &entry.meta;
        let deleted = entry.deleted.map(|deleted| Deleted::read(folder, meta, &deleted));
        let name = manifest::segment_name(meta.number);
        Ok(WriterSegment {
            segment: Segment::open_in(folder, &name, meta, schema.clone())?,
            deleted: deleted.transpose()?,
            saved: entry.deleted,
        })
    };
    manifest.segments.iter().map(part).collect()
}

/// Whether there is an index, be it a damaged one.
fn has_manifest(path: &Path) -> bool {
    !matches!(path.join(manifest::NAME).symlink_metadata(), Err(error) if error.kind() == ErrorKind::NotFound)
}

/// What a field contains, in words.
fn kind_of(field: &Field) -> String {
    match (field.vector, field.weights) {
        (Some(Shape { dimensions, metric, precision }), _) => {
            format!("{:?} of {dimensions} numbers in {} bits ({metric:?})", field.kind, precision.bits())
        }
        (_, Some(precision)) => format!("{:?} in {} bits", field.kind, precision.bits()),
        _ => format!("{:?}", field.kind),
    }
}

/// In what the schema of an index differs from another one, as far as it cannot be changed. It may lack fields of the other.
pub(super) fn differences(index: &Schema, given: &Schema) -> Vec<String> {
    let mut differences = Vec::new();
    for name in index.names() {
        if given.field(name).is_none() {
            differences.push(format!("it has a field \"{name}\""));
            continue;
        }
        let kinds = |schema: &Schema| {
            let kinds: Vec<String> = schema.named(name).map(kind_of).collect();
            kinds.join(" and ")
        };
        let (is, wanted) = (kinds(index), kinds(given));
        if is != wanted {
            differences.push(format!("field \"{name}\" is {is}, not {wanted}"));
        }
        let is_stored = |schema: &Schema| schema.named(name).any(|field| field.stored);
        if is_stored(index) != is_stored(given) {
            differences.push(format!("field \"{name}\" is {}stored", if is_stored(index) { "" } else { "not " }));
        }
    }
    for field in index.analyzed().into_iter().flat_map(|analyzed| analyzed.fields) {
        let Field { name, kind, analyzer, .. } = &index.fields[field];
        let Some(other) = given.of_kind(name.as_bytes(), *kind) else { continue };
        let (is, wanted) = (index.analyzer_of(field), given.analyzer_of(other));
        if is != wanted && (analyzer.is_some() || given.fields[other].analyzer.is_some()) {
            let (is, wanted) = (is.describe(), wanted.describe());
            differences.push(format!("the analyzer of field \"{name}\" is {is}, not {wanted}"));
        }
    }
    if index.positions != given.positions {
        differences.push(format!("it has {}positions", if index.positions { "" } else { "no " }));
    }
    if index.analyzer != given.analyzer {
        let (is, given) = (index.analyzer.describe(), given.analyzer.describe());
        differences.push(format!("its analyzer is {is}, not {given}"));
    }
    differences
}

/// The schema of the index at `path` with what a given one changes: more fields, other weights, clusters or none. `None` if that is nothing.
///
/// # Errors
/// [`Error::Argument`], with all that cannot be changed.
fn joined(index: &Schema, given: &Schema, path: &Path) -> Result<Option<Schema>> {
    let differences = differences(index, given);
    if !differences.is_empty() {
        return Err(Error::Argument(format!(
            "the index {} was created otherwise: {}. Open it without fields and analyzer to go on with its own, or create a new \
             index in another folder and add the documents again. Fields can be added, and weights changed",
            path.display(),
            differences.join("; ")
        )));
    }
    let mut joined = index.clone();
    for field in &mut joined.fields {
        if let Some(other) = given.of_kind(field.name.as_bytes(), field.kind) {
            field.weight = given.fields[other].weight;
            field.clusters = given.fields[other].clusters;
        }
    }
    joined.fields.extend(given.fields.iter().filter(|field| index.field(&field.name).is_none()).cloned());
    if joined.fields == index.fields {
        return Ok(None);
    }
    manifest::check_schema(&joined)?;
    let joined = joined.with_one_of_each_analyzer();
    Schema { fields: joined.fields[index.fields.len()..].to_vec(), ..joined.clone() }.check_names()?;
    Ok(Some(joined))
}
