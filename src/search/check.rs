//! Whether options fit an index.

use super::fusion::Fusion;
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
    for (field, query) in &options.nearest {
        if schema.fields.get(*field).and_then(|field| field.vector) != Some(query.shape()) {
            return Err(Error::Argument(format!("field {field} has no vectors such as the one that is looked for")));
        }
    }
    let is_searched = |field: usize| options.nearest.iter().any(|of| of.0 == field);
    if let Fusion::Scores { fields, .. } = &options.fusion
        && fields.iter().any(|of| !is_searched(of.0))
    {
        return Err(Error::Argument("a field has a weight, and no vector that is looked for in it".into()));
    }
    if !options.nearest.is_empty()
        && (!options.sort.is_empty() || options.distinct.is_some() || options.after.is_some())
    {
        return Err(Error::Argument(
            "hits of vectors are in the order of their scores: not sorted, distinct or after".into(),
        ));
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
