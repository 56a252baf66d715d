//! What the kernels of a chunk have found, put in the order of its queries: by the calling thread, or by one beside it, if there are
//! many chunks.

use super::chunk::{Batch, HEAD, MANY};
use super::plan::ChunkPlan;
use crate::base::error::{Error, Result};
use crate::base::threads::{self, lock};
use crate::device::pieces::{Pieces, STRIDE};
use crate::device::session::Taken;
use crate::list::results::Results;
use std::sync::Mutex;
use std::sync::mpsc::{self, Receiver, Sender};

/// What a chunk has found, with all that is needed to put it in order.
struct Unordered {
    plan: ChunkPlan,
    capacity: usize,
    /// Records and docIDs; none if the plan has no work-groups.
    words: Option<[Taken; 2]>,
}

/// Adds the results of a chunk's queries: none, or `out` in the order of the plan's queries. `queries`: those of the whole batch.
pub(super) fn append(
    plan: &ChunkPlan,
    capacity: usize,
    found: Option<(&[u32], &[u32])>,
    queries: usize,
    results: &mut Results,
) -> Result<()> {
    let Some((records, out)) = found else {
        plan.range.clone().for_each(|_| results.push(|_| ()));
        return Ok(());
    };
    let pieces = Pieces::new(&records[HEAD..], capacity)?;
    // Those to come may find a little more.
    let rest = pieces.total() / plan.range.len() * (queries - plan.range.start);
    results.make_room(pieces.total() + STRIDE, rest + rest / 8)?;
    for groups in plan.groups_of_each() {
        results.push(|doc_ids| pieces.append_strides(groups, out, doc_ids));
    }
    Ok(())
}

impl Batch<'_, '_> {
    /// The docIDs of all queries. Up to one thread more is started, unless `threads` is 1.
    pub(super) fn results(&mut self, threads: usize) -> Result<Results> {
        let queries = self.queries.len();
        let worth = if self.ranges.len() < MANY { 1 } else { 2 };
        let (to_order, chunks) = mpsc::channel();
        let (to_return, returned) = mpsc::channel();
        let chunks = Mutex::new(chunks);
        let order = || order(&lock(&chunks), &to_return, queries);
        let (own, ordered) = threads::beside(threads::at_most(threads, worth) - 1, order, |others| match others {
            0 => {
                let mut results = Results::with_spans(queries);
                self.run(|batch, lane| batch.order(lane, &mut results))?;
                Ok(Some(results))
            }
            _ => self.run_beside(to_order, &returned).map(|()| None),
        });
        // What went wrong there comes before that nothing came back from there.
        let ordered = ordered.into_iter().next().transpose()?;
        own?.or(ordered).ok_or_else(has_ended)
    }

    /// Takes each chunk through the device and to the thread that puts it in order. While that has one, the next two are on their way.
    fn run_beside(&mut self, to_order: Sender<Unordered>, returned: &Receiver<Unordered>) -> Result<()> {
        let mut is_away = false;
        self.run(|batch, lane| {
            if std::mem::replace(&mut is_away, true) {
                batch.take_back(returned)?;
            }
            let chunk = batch.take(lane)?;
            to_order.send(chunk).map_err(|_| has_ended())
        })?;
        self.take_back(returned)
    }

    /// What a lane's chunk has found. The memory of the chunk before goes to the lane.
    fn take(&mut self, lane: usize) -> Result<Unordered> {
        let chunk = &mut self.lanes[lane];
        let plan = std::mem::replace(&mut chunk.plan, std::mem::take(&mut self.spare));
        let words = match std::mem::take(&mut chunk.readings) {
            [Some(records), Some(out)] => Some([self.session.take(records)?, self.session.take(out)?]),
            _ => None,
        };
        Ok(Unordered { plan, capacity: chunk.capacity, words })
    }

    /// Waits until a chunk is in order, and takes its memory back.
    fn take_back(&mut self, returned: &Receiver<Unordered>) -> Result<()> {
        let Unordered { plan, words, .. } = returned.recv().map_err(|_| has_ended())?;
        self.spare = plan;
        words.into_iter().flatten().for_each(|words| self.session.take_back(words));
        Ok(())
    }
}

/// What the thread beside the calling one does, until no more chunks come.
fn order(chunks: &Receiver<Unordered>, to_return: &Sender<Unordered>, queries: usize) -> Result<Results> {
    let mut results = Results::with_spans(queries);
    for chunk in chunks {
        let words = chunk.words.as_ref().map(|[records, out]| (records.words(), out.words()));
        let appended = append(&chunk.plan, chunk.capacity, words, queries, &mut results);
        // Nobody takes it after an error of the device.
        let _ = to_return.send(chunk);
        appended?;
    }
    Ok(results)
}

fn has_ended() -> Error {
    Error::Device("the thread that puts results in order has ended".into())
}
