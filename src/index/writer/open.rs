//! Opening an index for writing, or creating it.

use super::{Pending, Writer, WriterOptions, WriterSegment, commit};
use crate::base::error::{Error, Result};
use crate::index::Schema;
use crate::index::deleted::Deleted;
use crate::index::lock::Lock;
use crate::index::manifest::{self, Entry, Manifest};
use crate::index::segment::Segment;
use crate::index::storage::{self, Folder};
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

impl Writer {
    /// Opens the index in a folder for writing. If there is none, and there is a schema, creates it, and the folder. An
    /// index that exists keeps its codecs, whatever those of the schema, unless the options name others: these are for what
    /// is written from now on, and [`optimize`](Writer::optimize) rewrites the rest.
    ///
    /// # Errors
    /// [`Error::File`] if it is being written already (with the process id of who does), there is no index, or a file
    /// cannot be read or written; [`Error::Argument`] if the index has another schema; [`Error::Corrupt`] if it is damaged.
    pub fn open(path: &Path, schema: Option<Schema>, options: WriterOptions) -> Result<Writer> {
        match &schema {
            Some(schema) => {
                manifest::check_schema(schema)?;
                if !has_manifest(path) {
                    schema.check_names()?;
                }
                storage::create_folder(path)?;
            }
            None if !has_manifest(path) => {
                let what = "there is no index: to create one, say which fields it has".into();
                return Err(Error::File { path: path.display().to_string(), what });
            }
            None => {}
        }
        let folder = fs::canonicalize(path).map_err(|error| storage::failed(path, &error))?;
        let folder = Folder::open_to_write(&folder)?;
        let lock = Lock::take(&folder)?;
        folder.refuse_link(manifest::TEMPORARY)?;
        let committed = match (Manifest::read(&folder)?, schema) {
            (Some(bytes), schema) => {
                let manifest = Manifest::parse(&bytes, &folder.path_of(manifest::NAME))?;
                if let Some(schema) = schema {
                    check_same(&manifest.schema, &schema, path)?;
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
                return Err(Error::File { path: path.display().to_string(), what: "has no manifest".into() });
            }
        };
        let litter = files(&folder)?;
        let past = litter.iter().map(|(_, number)| number.saturating_add(1)).max().unwrap_or(0);
        let schema = options.applied(&committed.schema);
        let mut writer = Writer {
            next: committed.next.max(past),
            segments: open_segments(&folder, &committed)?,
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

/// The segments and deleted documents of a commit.
pub(super) fn open_segments(folder: &Folder, manifest: &Manifest) -> Result<Vec<WriterSegment>> {
    let part = |entry: &Entry| {
        let meta = &entry.meta;
        let deleted = entry.deleted.map(|deleted| Deleted::read(folder, meta, &deleted));
        let name = manifest::segment_name(meta.number);
        Ok(WriterSegment {
            segment: Segment::open_in(folder, &name, meta, manifest.schema.clone())?,
            deleted: deleted.transpose()?,
            saved: entry.deleted,
        })
    };
    manifest.segments.iter().map(part).collect()
}

/// The files of segments in a folder, whoever wrote them, with the numbers of their segments. Others are none of ours.
pub(super) fn files(folder: &Folder) -> Result<Vec<(String, u64)>> {
    let mut files = Vec::new();
    for name in folder.names()? {
        if let Some(name) = name.to_str()
            && let Some(number) = manifest::number_of(name)
        {
            files.push((name.to_owned(), number));
        }
    }
    Ok(files)
}

/// Whether there is an index, be it a damaged one.
fn has_manifest(path: &Path) -> bool {
    !matches!(path.join(manifest::NAME).symlink_metadata(), Err(error) if error.kind() == ErrorKind::NotFound)
}

/// Whether a schema is that of the index at `path`.
fn check_same(index: &Schema, given: &Schema, path: &Path) -> Result<()> {
    let mut differences = Vec::new();
    for field in &index.fields {
        let Some(other) = given.field(&field.name).map(|number| &given.fields[number]) else {
            differences.push(format!("it has a field \"{}\"", field.name));
            continue;
        };
        let name = &field.name;
        if field.kind != other.kind {
            differences.push(format!("field \"{name}\" is {:?}, not {:?}", field.kind, other.kind));
        }
        if field.weight != other.weight {
            differences.push(format!("field \"{name}\" has weight {}, not {}", field.weight, other.weight));
        }
        if field.stored != other.stored {
            differences.push(format!("field \"{name}\" is {}stored", if field.stored { "" } else { "not " }));
        }
    }
    for field in given.fields.iter().filter(|field| index.field(&field.name).is_none()) {
        differences.push(format!("it has no field \"{}\"", field.name));
    }
    if differences.is_empty() && index.fields != given.fields {
        let names: Vec<&str> = index.fields.iter().map(|field| field.name.as_str()).collect();
        differences.push(format!("its fields are in the order {}", names.join(", ")));
    }
    if index.positions != given.positions {
        differences.push(format!("it has {}positions", if index.positions { "" } else { "no " }));
    }
    if index.analyzer != given.analyzer {
        let (is, given) = (index.analyzer.describe(), given.analyzer.describe());
        differences.push(format!("its analyzer is {is}, not {given}"));
    }
    if differences.is_empty() {
        return Ok(());
    }
    Err(Error::Argument(format!(
        "the index {} was created otherwise: {}. Open it without fields and analyzer to go on with its own, or create a new \
         index in another folder and add the documents again",
        path.display(),
        differences.join("; ")
    )))
}
