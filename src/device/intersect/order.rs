//! What the kernels of a chunk have found, put in the order of its queries: by the calling thread, or by others beside it, if there are
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

/// Threads that put chunks in order, at most. Copying what kernels find takes one about as long as kernels do.
const ORDERING: usize = 2;

/// What a chunk has found, with all that is needed to put it in order.
struct Unordered {
    plan: ChunkPlan,
    /// Records and docIDs; none if the plan has no work-groups.
    words: Option<[Taken; 2]>,
}

/// What comes back from a thread: a chunk that is in order, or nothing if it has ended.
type Returned = Option<Unordered>;

/// Says that a thread has ended, whatever the reason.
struct Ends<'c>(&'c Sender<Returned>);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        // Nobody waits for it after an error of the device.
        let _ = self.0.send(None);
    }
}

/// Results of some queries, and which ones they are.
type Part = (Results, Vec<usize>);

/// Adds the results of a chunk's queries: none, or `out` in the order of the plan's queries. `rest`: queries of this chunk and of those to
/// come.
pub(super) fn append(
    plan: &ChunkPlan,
    found: Option<(&[u32], &[u32])>,
    rest: usize,
    results: &mut Results,
) -> Result<()> {
    let Some((records, out)) = found else {
        plan.range.clone().for_each(|_| results.push(|_| ()));
        return Ok(());
    };
    let pieces = Pieces::new(&records[HEAD..], out.len())?;
    // Those to come may find a little more.
    let expected = pieces.total() / plan.range.len() * rest;
    results.make_room(pieces.total() + STRIDE, expected + expected / 8)?;
    for groups in plan.groups_of_each() {
        results.push(|doc_ids| pieces.append_strides(groups, out, doc_ids));
    }
    Ok(())
}

impl Batch<'_, '_> {
    /// The docIDs of all queries. `threads` at most, or one per core if that is 0, take part.
    pub(super) fn results(&mut self, threads: usize) -> Result<Results> {
        let queries = self.queries.len();
        let worth = if self.ranges.len() < MANY { 1 } else { 1 + ORDERING };
        let (to_order, chunks) = mpsc::channel();
        let (to_return, returned) = mpsc::channel();
        let chunks = Mutex::new(chunks);
        let order = || order(&chunks, &to_return, queries);
        let (own, ordered) = threads::beside(threads::at_most(threads, worth) - 1, order, |others| match others {
            0 => {
                let mut results = Results::with_spans(queries);
                self.run(|batch, lane| batch.order(lane, &mut results))?;
                Ok(Some(results))
            }
            _ => self.run_beside(others, to_order, &returned).map(|()| None),
        });
        // What went wrong there comes before that nothing came back from there.
        let ordered = ordered.into_iter().collect::<Result<Vec<Part>>>()?;
        Ok(own?.unwrap_or_else(|| Results::of_pieces(queries, ordered)))
    }

    /// Takes each chunk through the device and to one of some threads that put them in order. While these have one each, the next two are
    /// on their way.
    fn run_beside(&mut self, others: usize, to_order: Sender<Unordered>, returned: &Receiver<Returned>) -> Result<()> {
        let mut away = 0;
        self.run(|batch, lane| {
            if away == others {
                batch.take_back(returned)?;
                away -= 1;
            }
            let chunk = batch.take(lane)?;
            away += 1;
            to_order.send(chunk).map_err(|_| has_ended())
        })?;
        (0..away).try_for_each(|_| self.take_back(returned))
    }

    /// What a lane's chunk has found. The memory of a chunk before goes to the lane, if there is some.
    fn take(&mut self, lane: usize) -> Result<Unordered> {
        let chunk = &mut self.lanes[lane];
        let plan = std::mem::replace(&mut chunk.plan, self.spares.pop().unwrap_or_default());
        let words = match std::mem::take(&mut chunk.readings) {
            [Some(records), Some(out)] => Some([self.session.take(records)?, self.session.take(out)?]),
            _ => None,
        };
        Ok(Unordered { plan, words })
    }

    /// Waits until a chunk is in order, and takes its memory back.
    fn take_back(&mut self, returned: &Receiver<Returned>) -> Result<()> {
        let Unordered { plan, words, .. } = returned.recv().ok().flatten().ok_or_else(has_ended)?;
        self.spares.push(plan);
        words.into_iter().flatten().for_each(|words| self.session.take_back(words));
        Ok(())
    }
}

/// What a thread beside the calling one does, until no more chunks come. A batch has so many `queries`.
fn order(chunks: &Mutex<Receiver<Unordered>>, to_return: &Sender<Returned>, queries: usize) -> Result<Part> {
    let ends = Ends(to_return);
    let (mut results, mut whose) = Part::default();
    loop {
        let Ok(chunk) = lock(chunks).recv() else { return Ok((results, whose)) };
        let words = chunk.words.as_ref().map(|[records, out]| (records.words(), out.words()));
        let rest = (queries - chunk.plan.range.start).div_ceil(ORDERING).max(chunk.plan.range.len());
        append(&chunk.plan, words, rest, &mut results)?;
        whose.extend(chunk.plan.range.clone());
        // Nobody takes it back after an error of the device.
        let _ = ends.0.send(Some(chunk));
    }
}

fn has_ended() -> Error {
    Error::Device("a thread that puts results in order has ended".into())
}
