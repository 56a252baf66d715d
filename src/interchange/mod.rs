//! Indexes of other engines: text fields in and out, as CIFF or as a collection of PISA.
//!
//! | file | what |
//! |---|---|
//! | `mod.rs` | what is counted; files that appear whole or not at all |
//! | [`ciff`] | the Common Index File Format |
//! | [`pisa`] | PISA's uncompressed collections |
//! | `lists` | the lists of a field of an index, with the docIDs of others |
//! | `invert` | lists by term → documents, in memory of a given size |
//! | `input` | numbers and strings of files that may be damaged |
//!
//! Both formats have, for each term, the docIDs with frequencies, and the length of each document; neither has positions.
//! - **Out**: one field, without deleted documents. docIDs are those of the index, renumbered where documents are deleted.
//!   An index keeps lengths in a byte ([`length`](crate::index::length)), so those above 40 are rounded down; totals and
//!   averages are exact.
//! - **In**: documents that consist of their terms, each as often as its frequency, in the order of the file. Their
//!   positions mean nothing, so give the index none, or ask it for no phrases. Lengths are the sums of frequencies.
//!
//! What comes in is checked whole before the first document is added, in a scan of its own. Files list documents by term,
//! so documents are put together for a range of docIDs at a time: as many as fit into the memory, one scan for each.

pub mod ciff;
mod input;
mod invert;
mod lists;
pub mod pisa;

pub use ciff::{export_ciff, import_ciff};
pub use invert::{MOST_TOKENS, Tokens};
pub use pisa::{export_pisa, import_pisa};

use crate::base::error::{Error, Result};
use crate::base::files::{create_fresh, failed};
use crate::index::segment::IdRef;
use crate::index::{Document, Id, Kind, Schema, Value, Writer};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// How much came in or went out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Documents.
    pub documents: u64,
    /// Lists, one per term.
    pub lists: u64,
    /// Postings of all lists.
    pub postings: u64,
    /// The sum of all frequencies.
    pub tokens: u64,
}

/// Checks that a field is text.
fn text_field(schema: &Schema, field: usize) -> Result<()> {
    match schema.fields.get(field) {
        Some(field) if field.kind == Kind::Text => Ok(()),
        Some(field) => Err(Error::Argument(format!("the field {} is not text: it has no frequencies", field.name))),
        None => Err(Error::Argument(format!("there is no field {field}"))),
    }
}

/// What adds documents to a writer.
fn into(writer: &mut Writer, field: usize) -> impl FnMut(IdRef<'_>, Tokens) -> Result<()> + '_ {
    move |id: IdRef<'_>, tokens: Tokens| {
        let id: Id = id.to_id();
        writer.add(id, Document { values: vec![(field, Value::Tokens(tokens))] })
    }
}

/// A file that is written beside its place and put there once it is whole.
struct NewFile {
    path: PathBuf,
    beside: PathBuf,
    out: Option<BufWriter<File>>,
}

impl NewFile {
    fn create(path: &Path) -> Result<NewFile> {
        let beside = with_suffix(path, ".part");
        let file = create_fresh(&beside).map_err(|error| failed(&beside, &error))?;
        Ok(NewFile { path: path.into(), beside, out: Some(BufWriter::with_capacity(1 << 18, file)) })
    }

    fn failed(&self, error: &io::Error) -> Error {
        failed(&self.path, error)
    }

    /// Ends writing; the file is still beside its place.
    fn close(&mut self) -> Result<()> {
        let Some(mut out) = self.out.take() else { return Ok(()) };
        out.flush().and_then(|()| out.get_ref().sync_all()).map_err(|error| self.failed(&error))
    }

    /// Puts the file in its place, where it replaces another.
    fn finish(mut self) -> Result<()> {
        self.close()?;
        fs::rename(&self.beside, &self.path).map_err(|error| self.failed(&error))?;
        self.beside.clear();
        Ok(())
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.as_mut().map_or(Ok(0), |out| out.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if !self.beside.as_os_str().is_empty() {
            // The error that led here is the one to report.
            let _ = fs::remove_file(&self.beside);
        }
    }
}

/// A path with something added to its last part.
fn with_suffix(base: &Path, suffix: &str) -> PathBuf {
    let mut path = base.as_os_str().to_owned();
    path.push(suffix);
    path.into()
}
