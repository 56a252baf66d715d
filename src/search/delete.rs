//! Deleting by filters.

use super::filter;
use super::options::Options;
use crate::base::error::{Error, Result};
use crate::index::Writer;

/// Deletes the documents that meet the filter of the options, from the next commit on: those of the last commit, and those
/// that were added since, which are written as segments first. Returns how many. Other options mean nothing.
///
/// # Errors
/// [`Error::Argument`] if there is no condition, or one does not fit its field; as [`Writer::delete_sets`].
pub fn delete_where(writer: &mut Writer, options: &Options) -> Result<u64> {
    if options.filter.is_empty() {
        return Err(Error::Argument("there is no condition; to delete all documents, clear the index".into()));
    }
    writer.delete_sets(|segment| Ok(filter::allowed(segment, &options.filter)?.unwrap_or_default()))
}
