//! More like this: documents that are like others, or like texts.

use super::fused::search_batch;
use super::settings::Settings;
use crate::base::error::Result;
use crate::base::threads;
use crate::search::{Asked, Found, Index, Like, Matching, Options};

/// Texts are analysed by several threads if each gets at least so many.
const PER_THREAD: usize = 8;

/// For each of `likes` the documents that are most like it: what a search for any of its [best
/// `words`](Index::best_words) finds, without the document itself. Of the options, limit, offset, filter, weights,
/// fields and BM25's parameters count. A device ranks them as it ranks a [batch](search_batch).
///
/// # Errors
/// As [`Index::best_words`] and [`Index::search`].
pub fn similar(
    index: &Index,
    likes: &[Like],
    words: usize,
    options: &Options,
    settings: &Settings,
) -> Result<Vec<Found>> {
    let threads = threads::at_most(settings.threads, likes.len() / PER_THREAD);
    let best = threads::map(threads, likes.len(), |at| index.best_words(&likes[at], words, options))?;
    // The document itself may be among them.
    let limit = options.offset.saturating_add(options.limit).saturating_add(1);
    let any = Options { limit, offset: 0, matching: Matching::Any, ..options.clone() };
    // An empty query would find everything.
    let queries: Vec<Asked> =
        best.iter().filter(|(query, _)| !query.is_empty()).map(|(query, _)| query.into()).collect();
    let mut found = search_batch(index, &queries, &any, settings)?.into_iter();
    let without_itself = |(query, itself): &(String, Option<u64>)| {
        let mut found = if query.is_empty() { None } else { found.next() }.unwrap_or_default();
        found.hits.retain(|hit| Some(hit.doc_id) != *itself);
        found.hits.drain(..options.offset.min(found.hits.len()));
        found.hits.truncate(options.limit);
        found
    };
    Ok(best.iter().map(without_itself).collect())
}
