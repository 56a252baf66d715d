//! [`FewValue`]: the values of a field that has few, in memory. Facets ask for all of them each time, and walking through the
//! dictionary takes longer than counting some thousand documents.

use super::Segment;
use crate::base::error::Result;
use crate::base::memory::{copied, room};

/// A field has few values if there are at most so many.
pub const FEW_VALUES: usize = 64;

/// A value of a field that has few.
#[derive(Debug)]
pub struct FewValue {
    /// Its bytes.
    pub bytes: Box<[u8]>,
    /// The value by which the dictionary finds its list.
    pub list: u64,
    /// How many documents have it.
    pub documents: u64,
}

impl Segment {
    /// The values of a field that has terms, in the order of their bytes, if there are at most [`FEW_VALUES`]; kept while the
    /// segment is open.
    ///
    /// # Errors
    /// As [`Segment::section`]; [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn few_values(&self, field: usize) -> Result<Option<&[FewValue]>> {
        let dictionary = self.dictionary(field)?;
        if dictionary.len() > FEW_VALUES {
            return Ok(None);
        }
        let make = || {
            let mut values = room(dictionary.len())?;
            let mut terms = dictionary.terms()?;
            while let Some((bytes, list, ())) = terms.next()? {
                let (bytes, documents) = (copied(bytes)?.into(), self.documents_with(field, list)?);
                values.push(FewValue { bytes, list, documents });
            }
            Ok(values.into())
        };
        self.kept(&self.few_values[field], make).map(|values| Some(&values[..]))
    }
}
