//! Ranked search, on devices or the CPU: one road for single queries, batches, streams and warming.
//!
//! ```text
//! prepare  a query becomes lists with weights, and what it is expected to cost      prepare, cost::queries
//! place    the CPU, or which devices, and how they divide the work                  fleet
//! run      calls of devices; meanwhile CPU threads answer what suits them           run, pipeline, job, group, work_queue
//! rest     what no device has answered is answered by the CPU, in one place         rest
//! ```
//!
//! [`search_batch`] takes all four steps. [`Warming`] prepares queries, and sends their lists to the devices of the second
//! step. A [stream](super::stream) takes the same steps query by query, in threads of its own. One query is
//! placed, and then answered by the CPU at once, or taken along the road as a batch of one.
//!
//! | file | what |
//! |---|---|
//! | `prepare` | queries as devices rank them |
//! | `fleet` | the devices, and how they divide the work |
//! | `pipeline` | devices answer a batch |
//! | `run` | devices and CPU threads answer a batch |
//! | `work_queue` | work that devices share |
//! | `job` | calls of devices, from prepared queries to hits |
//! | `ranker`, `group` | what ranks: a device, or several that divide an index |
//! | `lists` | what kernels need of an index |
//! | `rest` | what is left over |
//! | `warm` | lists are sent ahead of time |

mod fleet;
mod group;
mod job;
mod lists;
mod pipeline;
mod prepare;
pub(crate) mod ranker;
mod rest;
mod run;
#[cfg(test)]
pub(super) mod tests;
mod warm;
mod work_queue;

pub(crate) use fleet::Fleet;
pub(super) use job::Answer;
pub(crate) use job::Job;
pub(super) use prepare::candidate;
pub(super) use rest::by_cpu;
pub use warm::Warming;

use super::cost::Batch;
use super::settings::Settings;
use crate::base::error::Result;
use crate::search::{Asked, Found, Index, Matching, Options};

/// Takes hits of the next queries of a batch, in its order; whether more are wanted. It is called by the thread that asked,
/// while others work.
pub type Put<'p> = dyn FnMut(Vec<Found>) -> bool + 'p;

/// Passes on the best hits of each of many queries without vectors; see [`Index::search_batch`]. A device ranks them, unless they
/// have very many words; with `offload=auto` the CPU meanwhile answers those that suit it. Results are the same, to the last
/// bit of the scores, wherever they come from.
///
/// # Errors
/// As there.
pub(super) fn search_batch(
    index: &Index,
    queries: &[Asked],
    options: &Options,
    settings: &Settings,
    put: &mut Put<'_>,
) -> Result<()> {
    if options.matching != Matching::Any && queries.iter().all(Asked::is_weights_alone) {
        // Documents need not have all terms of weights fields: so devices need not look for such.
        let any = Options { matching: Matching::Any, ..options.clone() };
        return ranked(index, queries, &any, settings, &mut |mut found| {
            if options.matching == Matching::AllThenAny && options.distinct.is_none() {
                // They have all words that there are.
                found.iter_mut().for_each(|found| found.count_with_all(Some(usize::MAX), options));
            }
            put(found)
        });
    }
    ranked(index, queries, options, settings, put)
}

fn ranked(index: &Index, queries: &[Asked], options: &Options, settings: &Settings, put: &mut Put<'_>) -> Result<()> {
    let batch = Batch::new(index, queries, options, settings);
    let end = options.end();
    match Fleet::of_batch(&batch)? {
        Some((fleet, wanted)) => run::run(&batch, &fleet, wanted, end, put),
        None => {
            put(rest::answer_all(&batch)?);
            Ok(())
        }
    }
}
