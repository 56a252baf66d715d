//! [`Source`]: where the postings of a term come from.

use crate::codec::BLOCK;
use crate::index::list::{Columns, View};
use std::sync::Arc;

/// Where the postings of a term come from. Clones share decoded postings.
#[derive(Clone)]
#[expect(clippy::large_enum_variant, reason = "one per term of a query, and read at every block: no indirection")]
pub enum Source<'s> {
    /// A long list of the segment, checked.
    List(View<'s>),
    /// Decoded postings: of a short list, or of several terms that count as one.
    Decoded {
        /// Their columns.
        columns: Arc<Columns>,
        /// The [maxima](crate::index::list::maxima) of their blocks, if they are known.
        maxima: Option<Arc<[u32]>>,
    },
}

impl Source<'_> {
    /// The [champions](crate::index::list::champions), if there are any.
    #[inline(always)]
    pub(in crate::rank) fn champions(&self) -> &[u32] {
        match self {
            Source::List(view) => view.champions,
            Source::Decoded { .. } => &[],
        }
    }

    /// The number of postings.
    #[inline(always)]
    pub fn postings(&self) -> usize {
        match self {
            Source::List(view) => view.count,
            Source::Decoded { columns, .. } => columns.doc_ids.len(),
        }
    }

    /// No postings.
    pub fn none() -> Self {
        Source::of(Vec::new(), Vec::new())
    }

    /// Decoded postings, which may be none.
    pub fn of(doc_ids: Vec<u32>, less_one: Vec<u32>) -> Self {
        Source::Decoded { columns: Arc::new(Columns { doc_ids, less_one }), maxima: None }
    }

    /// Decoded postings; `None` if there are none.
    pub fn decoded(doc_ids: Vec<u32>, less_one: Vec<u32>) -> Option<Self> {
        (!doc_ids.is_empty()).then(|| Source::of(doc_ids, less_one))
    }
}

/// The maxima of blocks, if they are known.
pub(super) fn maxima<'a>(source: &'a Source) -> Option<&'a [u32]> {
    match source {
        Source::List(view) => Some(view.maxima),
        Source::Decoded { maxima, .. } => maxima.as_deref(),
    }
}

pub(super) fn blocks_of(source: &Source) -> usize {
    match source {
        Source::List(view) => view.blocks(),
        Source::Decoded { columns, .. } => columns.doc_ids.len().div_ceil(BLOCK),
    }
}
