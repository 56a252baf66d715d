//! Whether options fit an index.

use super::asked::NearestIn;
use super::options::{Matching, Options};
use super::order::SortKey;
use super::{Index, condition};
use crate::base::error::{Error, Result};
use crate::index::Kind;

/// Checks filter, order, place, facets and groups.
///
/// # Errors
/// [`Error::Argument`], which names the field.
pub(super) fn check(index: &Index, options: &Options) -> Result<()> {
    if let Some(condition) = options.filter.condition() {
        condition::check(condition, index.schema())?;
    }
    let schema = index.schema();
    let named = |field: usize, what: &str| {
        let named = schema.fields.get(field).ok_or_else(|| Error::Argument(format!("there is no field {field}")))?;
        match named.kind {
            Kind::Keyword | Kind::Numeric => Ok(()),
            _ => Err(Error::Argument(format!("{what} keyword or numeric field, and {} is none", named.name))),
        }
    };
    for (key, _) in &options.sort {
        match key {
            SortKey::Field(field) => named(*field, "hits are sorted by a")?,
            SortKey::Distance(field, _) if schema.fields.get(*field).is_none_or(|field| field.kind != Kind::Geo) => {
                return Err(Error::Argument(format!("distances are those of a geo field, and {field} is none")));
            }
            _ => (),
        }
    }
    for (field, _) in options.facets.iter().flatten() {
        named(*field, "facets are those of a")?;
    }
    if let Some(field) = options.distinct {
        named(field, "hits are made distinct by a")?;
    }
    let Some(after) = &options.after else { return Ok(()) };
    if options.distinct.is_some() {
        return Err(Error::Argument("hits after another one cannot be distinct: use an offset".into()));
    }
    if options.matching == Matching::AllThenAny {
        return Err(Error::Argument("hits with any word, which follow those with all, need an offset".into()));
    }
    if !index.has_doc_id(after.doc_id) {
        return Err(Error::Argument(format!("there is no document {} for hits to come after", after.doc_id)));
    }
    let keys = options.keys();
    if keys.len() == after.values.len() && keys.iter().zip(&after.values).all(|(key, value)| key.has(value, schema)) {
        return Ok(());
    }
    Err(Error::Argument("what hits are to come after has other values than they are sorted by".into()))
}

/// The same of a search that also looks for vectors.
///
/// # Errors
/// As [`check`], and if a field has no such vectors.
pub(super) fn check_fused(index: &Index, nearest: &[NearestIn], options: &Options) -> Result<()> {
    check(index, options)?;
    for (field, query) in nearest {
        if index.schema().fields.get(*field).and_then(|field| field.vector) != Some(query.shape()) {
            return Err(Error::Argument(format!("field {field} has no vectors such as the one that is looked for")));
        }
    }
    match options.sort.is_empty() && options.distinct.is_none() && options.after.is_none() {
        true => Ok(()),
        false => Err(Error::Argument(
            "hits of vectors are in the order of their scores: not sorted, distinct or after".into(),
        )),
    }
}
