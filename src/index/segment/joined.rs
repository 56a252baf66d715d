//! Postings that were put together of several lists, kept in memory once they were wanted again: those of a short prefix, which
//! takes a thousand lists, come again with every visitor who types its letter.

use super::Segment;
use super::kept::Kept;
use crate::base::error::Result;
use crate::base::memory::room;
use crate::index::Kind;
use crate::index::list::{Columns, maxima};
use std::sync::{Arc, OnceLock};

/// Postings of terms that count as one.
#[derive(Debug, Clone)]
pub struct Joined {
    /// Their columns.
    pub columns: Arc<Columns>,
    maxima: Arc<OnceLock<Arc<[u32]>>>,
}

impl Joined {
    /// Postings, given as columns.
    pub fn new(columns: Columns) -> Joined {
        Joined { columns: Arc::new(columns), maxima: Arc::default() }
    }

    /// The [maxima] of their blocks, if they were kept.
    pub fn maxima(&self) -> Option<Arc<[u32]>> {
        self.maxima.get().cloned()
    }

    fn bytes(&self) -> usize {
        4 * (self.columns.doc_ids.len() + self.columns.less_one.len())
    }
}

/// What is kept takes at most so many bytes per document of the segment: what two lists of all documents take.
const BYTES_PER_DOCUMENT: usize = 16;

/// By field, and the values of the terms in its dictionary.
pub(super) type KeptJoined = Kept<(usize, Box<[u64]>), Joined>;

impl Segment {
    /// What `make` makes of the lists with these values in a field; kept if it is wanted again, and other things do not take its
    /// place. What is kept takes 16 bytes per document of the segment at most.
    pub fn joined(
        &self,
        field: usize,
        values: &[u64],
        make: impl FnOnce() -> Result<Option<Joined>>,
    ) -> Result<Option<Joined>> {
        if let Some(joined) = self.joined.get(|(other, of)| *other == field && **of == *values) {
            if joined.maxima.get().is_none() && self.schema.fields[field].kind == Kind::Text {
                let (lengths, columns) = (self.lengths(field)?, &joined.columns);
                joined.maxima.get_or_init(|| maxima::of_list(&columns.doc_ids, &columns.less_one, lengths).into());
            }
            return Ok(Some(joined));
        }
        let Some(joined) = make()? else { return Ok(None) };
        let mut key = room(values.len())?;
        key.extend_from_slice(values);
        let most = BYTES_PER_DOCUMENT * self.documents() as usize;
        self.joined.keep((field, key.into()), &joined, joined.bytes(), most);
        Ok(Some(joined))
    }
}
