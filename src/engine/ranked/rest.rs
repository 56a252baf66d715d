//! What no device has answered is answered by the CPU. All ranked queries that the CPU answers alone come through here, and
//! are counted here.

use crate::base::error::Result;
use crate::base::threads;
use crate::engine::cost::Batch;
use crate::engine::offload::on_cpu;
use crate::search::{Asked, End, Found, Index, Options};
use std::time::Instant;

/// A batch that is the CPU's. What it takes is learned from.
pub(super) fn answer_all(batch: &Batch) -> Result<Vec<Found>> {
    let began = Instant::now();
    let Batch { index, queries, options, settings, .. } = *batch;
    let found = match queries {
        [asked] => by_cpu(index, *asked, options).map(|found| vec![found]),
        _ => on_cpu(|| index.search_batch(queries, options, settings.threads)),
    };
    batch.ran_on_cpu(began.elapsed());
    found
}

/// A query that is the CPU's.
pub(in crate::engine) fn by_cpu(index: &Index, asked: Asked<'_>, options: &Options) -> Result<Found> {
    on_cpu(|| index.search(asked, options))
}

/// What is missing in `found`, the answers of a batch whose deadline is `end`.
pub(super) fn answer(batch: &Batch, mut found: Vec<Option<Found>>, end: End) -> Result<Vec<Found>> {
    let left: Vec<usize> = (0..found.len()).filter(|&at| found[at].is_none()).collect();
    if end.has_come() {
        left.into_iter().for_each(|at| found[at] = Some(Found::late()));
    } else if !left.is_empty() {
        log::debug!("{} queries are left to the CPU", left.len());
        let Batch { index, queries, options, settings, .. } = *batch;
        let threads = threads::at_most(settings.threads, left.len());
        let answered = on_cpu(|| {
            threads::map(threads, left.len(), |at| match end.has_come() {
                false => index.search_until(queries[left[at]], options, end),
                true => Ok(Found::late()),
            })
        })?;
        left.into_iter().zip(answered).for_each(|(at, answer)| found[at] = Some(answer));
    }
    Ok(found.into_iter().flatten().collect())
}
