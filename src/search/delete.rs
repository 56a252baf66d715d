//! Deleting by filters.

use super::options::Options;
use super::{condition, filter};
use crate::base::error::{Error, Result};
use crate::index::Writer;

/// Deletes the documents that meet the filter of the options, from the next commit on: those of the last commit, and those
/// that were added since, which are written as segments first. Returns how many. Other options mean nothing.
///
/// # Errors
/// [`Error::Argument`] if there is no condition, or one does not fit its field; as [`Writer::delete_sets`].
pub fn delete_where(writer: &mut Writer, options: &Options) -> Result<u64> {
    let Some(condition) = options.filter.condition() else {
        return Err(Error::Argument("there is no condition; to delete all documents, clear the index".into()));
    };
    condition::check(condition, writer.schema())?;
    if condition.names_doc_ids() {
        return Err(Error::Argument(
            "docIDs belong to a snapshot, so documents are not deleted by them; use ids".into(),
        ));
    }
    let clock = options.end().clock();
    writer.delete_sets(|segment| {
        let allowed = filter::in_segment(segment, 0, options, &clock)?;
        Ok(allowed.map(|allowed| allowed.bits.clone()).unwrap_or_default())
    })
}
