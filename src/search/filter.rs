//! Filters: conditions become sets of a segment's documents.

use super::Index;
use super::lists;
use super::options::{Filter, Options};
use crate::base::error::{Error, Result};
use crate::index::Kind;
use crate::index::segment::Segment;

/// Checks that filters fit their fields.
///
/// # Errors
/// [`Error::Argument`], which names the field.
pub(super) fn check(index: &Index, options: &Options) -> Result<()> {
    let fields = &index.schema().fields;
    for (field, filter) in &options.filter {
        let named = fields.get(*field).ok_or_else(|| Error::Argument(format!("there is no field {field}")))?;
        let wanted = match named.kind {
            Kind::Keyword if matches!(filter, Filter::Keywords(_)) => continue,
            Kind::Numeric if matches!(filter, Filter::Range(..)) => continue,
            Kind::Keyword => "by values",
            Kind::Numeric => "by a range",
            Kind::Text => "not at all, as it is a text: search it",
            Kind::Stored => "not at all, as it is only stored",
        };
        return Err(Error::Argument(format!("the field {} can be filtered {wanted}", named.name)));
    }
    for (field, _) in &options.sort {
        let named = fields.get(*field).ok_or_else(|| Error::Argument(format!("there is no field {field}")))?;
        if named.kind != Kind::Numeric {
            return Err(Error::Argument(format!("hits can be sorted by numeric fields only, not by {}", named.name)));
        }
    }
    Ok(())
}

/// The documents that meet all conditions, as a bit set; `None` if there are no conditions.
pub(super) fn allowed(segment: &Segment, filters: &[(usize, Filter)]) -> Result<Option<Vec<u64>>> {
    let mut allowed: Option<Vec<u64>> = None;
    for (field, filter) in filters {
        let set = set(segment, *field, filter)?;
        match &mut allowed {
            None => allowed = Some(set),
            Some(allowed) => allowed.iter_mut().zip(set).for_each(|(word, other)| *word &= other),
        }
    }
    Ok(allowed)
}

fn set(segment: &Segment, field: usize, filter: &Filter) -> Result<Vec<u64>> {
    let documents = segment.documents();
    let mut bits = vec![0u64; documents.div_ceil(64) as usize];
    match filter {
        Filter::Keywords(values) => {
            for value in values {
                if let Some(value) = segment.term(field, value)? {
                    lists::for_each_doc_id(segment, field, value, |doc_id| {
                        bits[doc_id as usize / 64] |= 1 << (doc_id % 64);
                        Ok(())
                    })?;
                }
            }
        }
        Filter::Range(low, high) => {
            let column = segment.column(field)?;
            let (low, high) = (low.unwrap_or(f64::NEG_INFINITY), high.unwrap_or(f64::INFINITY));
            for doc_id in 0..documents {
                let within = column.get(doc_id).is_some_and(|number| low <= number && number <= high);
                bits[doc_id as usize / 64] |= u64::from(within) << (doc_id % 64);
            }
        }
    }
    Ok(bits)
}
