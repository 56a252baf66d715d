//! A batch on devices: alone, or while CPU threads answer what suits them.

use super::fleet::Fleet;
use super::job::Job;
use super::pipeline::Pipeline;
use super::prepare::{Candidate, MOST_SIZE, candidate};
use super::work_queue::WorkQueue;
use super::{Put, rest};
use crate::base::error::Result;
use crate::base::threads::{self, Takings};
use crate::engine::cost::{self, Batch, Features, Models, Ran};
use crate::engine::schedule::{Cost, Costs, Share, device_is_enough};
use crate::engine::settings::Offload;
use crate::search::prepared::Prepared;
use crate::search::{End, Found, QUERIES_PER_THREAD};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Queries of a batch that a thread times, to learn from.
const LEARNED: usize = 64;

/// Passes on the answers to the queries of a batch, which the fleet ranks as far as it can.
pub(super) fn run(batch: &Batch, fleet: &Fleet, wanted: usize, end: End, put: &mut Put<'_>) -> Result<()> {
    let began = Instant::now();
    let (count, most) = (batch.queries.len(), batch.settings.threads);
    let threads = threads::at_most(most, count / QUERIES_PER_THREAD);
    let devices = fleet.devices();
    let of_a_device = if devices.len() == 1 { most } else { threads.div_ceil(devices.len()) };
    let job = Job::new(batch.index, batch.options, batch.settings, wanted, fleet, of_a_device);
    if batch.settings.offload != Offload::Auto || batch.is_for_devices(devices.len(), threads) {
        let ran = Pipeline::new(batch, fleet, &job, wanted, threads, end).run(put)?;
        log::debug!("{count} queries answered in {:?}", began.elapsed());
        cost::learn(&devices[0], batch.options.matching, &ran);
        return Ok(());
    }
    let models = cost::models(&devices[0]);
    let candidates = prepare(batch, &models, wanted, threads, end)?;
    log::debug!("{count} queries prepared in {:?}", began.elapsed());
    if candidates.iter().all(Option::is_none) {
        put(rest::answer(batch, vec![None; count], end)?);
        return Ok(());
    }
    let share = share(batch, &models, &candidates, threads, devices.len());
    let run = Run {
        batch,
        fleet,
        job,
        candidates,
        // A thread has each worker take what is its own; the others, and then these too, have queries for the CPU.
        threads: threads.min(share.size()).max(fleet.workers()),
        share,
        queue: WorkQueue::new(fleet.workers()),
        end,
        calls: Mutex::default(),
    };
    let began = Instant::now();
    let (found, mut ran) = run.answers()?;
    log::debug!("ranked in {:?}, {} calls of devices", began.elapsed(), ran.device.len());
    // A call takes longer than alone while CPU threads work: so it only shows that devices are faster than was thought.
    ran.device.retain(|(work, time)| *time <= models.device_time(work));
    cost::learn(&devices[0], batch.options.matching, &ran);
    put(rest::answer(batch, found, end)?);
    Ok(())
}

/// The queries that devices can answer.
fn prepare(batch: &Batch, models: &Models, wanted: usize, threads: usize, end: End) -> Result<Vec<Option<Candidate>>> {
    let size = AtomicUsize::new(0);
    let fits = |candidate: &Candidate| size.fetch_add(candidate.query.size(), Relaxed) < MOST_SIZE;
    threads::map(threads, batch.queries.len(), |at| match end.has_come() {
        true => Ok(None),
        false => Ok(candidate(batch.index, batch.queries[at], batch.options, end, wanted, models)?.filter(fits)),
    })
}

/// Who answers what. Devices have all they can, unless they are to be used only where they are faster.
fn share(batch: &Batch, models: &Models, candidates: &[Option<Candidate>], threads: usize, devices: usize) -> Share {
    let (here, elsewhere): (Vec<usize>, Vec<usize>) = (0..candidates.len()).partition(|&at| candidates[at].is_some());
    if batch.settings.offload != Offload::Auto {
        return Share::fixed(&elsewhere, &here);
    }
    let sum: f64 = candidates.iter().flatten().map(|candidate| candidate.cost.cpu).sum();
    // What a device cannot answer is taken for as long as the others.
    let of_cpu = Cost { cpu: sum / here.len().max(1) as f64, device: f64::INFINITY };
    let cost = |of: &Option<Candidate>| of.as_ref().map_or(of_cpu, |candidate| candidate.cost.on_one_of(devices));
    let call = models.call(batch.index.snapshot().documents(), 0.0);
    let costs = Costs { queries: candidates.iter().map(cost).collect(), call };
    match device_is_enough(&costs, threads, 0.0) {
        true => Share::fixed(&elsewhere, &here),
        false => Share::new(costs, threads),
    }
}

/// A batch that is being answered.
struct Run<'r> {
    batch: &'r Batch<'r>,
    fleet: &'r Fleet,
    job: Job<'r>,
    candidates: Vec<Option<Candidate>>,
    threads: usize,
    share: Share,
    queue: WorkQueue,
    end: End,
    /// What calls of devices did, and the nanoseconds that one device alone would have taken.
    calls: Mutex<Vec<([f64; Features::DEVICE], f64)>>,
}

/// What a thread has answered, and the times of some queries on the CPU.
type Answered = (Vec<(usize, Found)>, Vec<(Features, f64)>);

impl Run<'_> {
    fn answers(self) -> Result<(Vec<Option<Found>>, Ran)> {
        let mut found: Vec<Option<Found>> = vec![None; self.batch.queries.len()];
        let mut ran = Ran::default();
        for answered in threads::spread(self.threads, self.threads, 1, |takings| self.work(takings)) {
            let (answered, times) = answered?;
            answered.into_iter().for_each(|(at, of_query)| found[at] = Some(of_query));
            ran.cpu.extend(times);
        }
        // A device that failed may have left work when the others had ended.
        let mut done = Vec::new();
        for worker in 0..self.fleet.workers() {
            self.queue.work(worker, |worker, which| self.rank(worker, which), &mut done);
        }
        done.into_iter().for_each(|(at, of_query)| found[at] = Some(of_query));
        ran.device = self.calls.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok((found, ran))
    }

    /// The work of a thread.
    fn work(&self, takings: Takings) -> Result<Answered> {
        let (mut done, mut times) = (Vec::new(), Vec::new());
        for at in takings.flatten() {
            while at < self.fleet.workers() && self.queue.work(at, |worker, which| self.rank(worker, which), &mut done)
            {
                let more = self.share.for_device();
                if more.is_empty() {
                    break;
                }
                self.queue.add(more);
            }
            while let Some(at) = self.share.for_cpu() {
                if self.end.has_come() {
                    break;
                }
                let began = Instant::now();
                done.push((at, self.batch.index.search_until(self.batch.queries[at], self.batch.options, self.end)?));
                let features = self.candidates[at].as_ref().map(|candidate| candidate.features);
                if let Some(features) = features.filter(|of| times.len() < LEARNED && of.joining() == 0.0) {
                    times.push((features, began.elapsed().as_nanos() as f64));
                }
            }
        }
        Ok((done, times))
    }

    /// A call of a worker; `None` if it fails.
    fn rank(&self, worker: usize, which: &[usize]) -> Option<Vec<Option<Found>>> {
        if self.end.has_come() {
            return Some(vec![None; which.len()]);
        }
        let candidates = || which.iter().filter_map(|&at| self.candidates[at].as_ref());
        let queries: Vec<&Prepared> = candidates().map(|candidate| &candidate.query).collect();
        let (found, time) = self.job.call(worker, &queries)?;
        if let Some(time) = time {
            let work = self.job.work(candidates().map(|candidate| candidate.features));
            // One device alone would take so many times as long as a call of a worker.
            let alone = (self.fleet.devices().len() / self.fleet.workers()) as f64;
            self.calls.lock().unwrap_or_else(PoisonError::into_inner).push((work, time * alone));
        }
        Some(found)
    }
}
