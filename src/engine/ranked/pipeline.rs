//! A batch that devices are to answer alone, in chunks on their way: threads prepare the queries, devices rank them, threads make
//! hits of what they found, and the calling thread passes these on.
//!
//! All threads take chunks in the same order, first to prepare them, then to make hits. A device's thread takes what is
//! prepared. Nothing waits for a step to be done with the whole batch.

use super::Put;
use super::fleet::Fleet;
use super::job::{Answer, Job};
use super::prepare::{MOST_SIZE, prepare};
use crate::base::error::{Error, Result};
use crate::base::threads::{self, lock};
use crate::device::TERMS_PER_SUB_BATCH;
use crate::engine::cost::{Batch, Features, Ran};
use crate::engine::offload::on_cpu;
use crate::search::prepared::Prepared;
use crate::search::{Asked, End, Found, Options, Typos};
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Bytes of text, some hundred queries, for which a thread more is started than a few, if queries are [light](is_light). What threads do
/// for those takes a tenth of what answering them would, and starting a thread as long as for several: for 1,000 short queries 31 threads
/// are half as fast as eight.
const TEXT_PER_THREAD: usize = 2_048;
const FEW_THREADS: usize = 8;

/// More hits of a query are much work to make.
const FEW_HITS: usize = 100;

/// Queries of a chunk at most, and chunks of a thread at least, of which there are as many as the queries allow.
const AT_ONCE: usize = 64;
const CHUNKS_PER_THREAD: usize = 4;

/// Terms of a part at least, unless no more are left, if more are not prepared and the device would have to wait for them; if it need
/// not, but has its share. A part takes a device's thread a tenth of a millisecond, and a third of a microsecond more for each query.
const LEAST_TERMS: usize = 500;
const LEAST_SHARED_TERMS: usize = 1_500;

/// Queries that follow each other.
#[derive(Default)]
struct Chunk {
    prepared: OnceLock<Part>,
    /// What devices have found, for each query; nothing at all if they cannot answer any.
    ranked: OnceLock<Vec<Option<Answer>>>,
    /// The hits of each query, until they are passed on.
    found: OnceLock<Mutex<Vec<Found>>>,
}

/// Prepared queries; `None` for those that devices cannot answer.
#[derive(Default)]
struct Part {
    queries: Vec<Option<Prepared>>,
    /// What devices do for them.
    work: [f64; Features::DEVICE],
}

/// A batch on its way.
pub(super) struct Pipeline<'r> {
    batch: &'r Batch<'r>,
    job: &'r Job<'r>,
    wanted: usize,
    end: End,
    threads: usize,
    /// Who takes calls.
    workers: usize,
    /// Queries of a chunk.
    at_once: usize,
    chunks: Vec<Chunk>,
    /// The next worker that has no thread; the next chunks to prepare, to rank, and to make hits of.
    next_worker: AtomicUsize,
    to_prepare: AtomicUsize,
    to_rank: AtomicUsize,
    to_finish: AtomicUsize,
    left: Mutex<Left>,
    /// Some worker does no more.
    ended: Condvar,
    /// The numbers of all recipes.
    size: AtomicUsize,
    /// Queries that devices have left to the CPU.
    left_to_cpu: AtomicUsize,
    /// Whether nobody wants more, as something went wrong; and what.
    stopped: AtomicBool,
    wrong: Mutex<Option<Error>>,
    /// What calls of devices did, and the nanoseconds that one device alone would have taken.
    calls: Mutex<Vec<([f64; Features::DEVICE], f64)>>,
}

/// What workers that have failed leave to the others.
struct Left {
    chunks: Vec<usize>,
    /// Workers that have not begun, those that rank chunks, and those that only wait for what others may leave.
    unstarted: usize,
    working: usize,
    waiting: usize,
}

impl Left {
    fn is_last(&self) -> bool {
        self.unstarted + self.working + self.waiting == 0
    }
}

/// A chunk that a worker ranks.
struct Claim {
    chunk: usize,
    answers: Vec<Option<Answer>>,
    /// The queries that nobody has answered.
    missing: usize,
}

/// What a worker has claimed.
#[derive(Default)]
struct Claims {
    chunks: Vec<Claim>,
    /// Of each query that the device was given, the claim and the place in the chunk.
    queries: Vec<(usize, usize)>,
    work: [f64; Features::DEVICE],
    waited: Duration,
}

impl<'r> Pipeline<'r> {
    /// With so many `threads`, or fewer if these are enough.
    pub(super) fn new(
        batch: &'r Batch<'r>,
        fleet: &Fleet,
        job: &'r Job<'r>,
        wanted: usize,
        mut threads: usize,
        end: End,
    ) -> Pipeline<'r> {
        let (count, workers) = (batch.queries.len(), fleet.workers());
        let text: usize = batch.queries.iter().map(|asked| asked.text.len()).sum();
        let enough = FEW_THREADS.max(text / TEXT_PER_THREAD);
        let are_few_hits = wanted <= FEW_HITS;
        if enough < threads && are_few_hits && batch.queries.iter().all(|asked| is_light(asked, batch.options)) {
            threads = enough;
        }
        let at_once = (count / (CHUNKS_PER_THREAD * threads)).clamp(1, AT_ONCE);
        let chunks = (0..count.div_ceil(at_once)).map(|_| Chunk::default()).collect();
        let [next_worker, to_prepare, to_rank, to_finish, size, left_to_cpu] = [const { AtomicUsize::new(0) }; 6];
        Pipeline {
            batch,
            job,
            wanted,
            end,
            threads: threads.max(workers),
            workers,
            at_once,
            chunks,
            next_worker,
            to_prepare,
            to_rank,
            to_finish,
            left: Mutex::new(Left { chunks: Vec::new(), unstarted: workers, working: 0, waiting: 0 }),
            ended: Condvar::new(),
            size,
            left_to_cpu,
            stopped: AtomicBool::new(false),
            wrong: Mutex::default(),
            calls: Mutex::default(),
        }
    }

    /// Passes the answers to the queries on, in their order. Returns what was learned.
    ///
    /// # Errors
    /// As [`Index::search`](crate::search::Index::search).
    pub(super) fn run(self, put: &mut Put<'_>) -> Result<Ran> {
        threads::beside(self.threads - 1, || self.work(), |others| self.pass_on(others, put));
        let left = self.left_to_cpu.into_inner();
        if left > 0 {
            on_cpu(|| log::debug!("{left} queries were left to the CPU"));
        }
        match self.wrong.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None => {
                Ok(Ran { cpu: Vec::new(), device: self.calls.into_inner().unwrap_or_else(PoisonError::into_inner) })
            }
        }
    }

    /// What a thread does that is not the calling one.
    fn work(&self) {
        while let Some(worker) = next(&self.next_worker, self.workers) {
            self.rank(worker);
        }
        while self.prepare_next() {}
        // Each worker has a thread by now.
        while self.finish_next() {}
    }

    /// What the calling thread does: it passes hits on, and helps with others while there are none.
    fn pass_on(&self, others: usize, put: &mut Put<'_>) {
        if others == 0 {
            self.work();
        }
        for (at, chunk) in self.chunks.iter().enumerate() {
            // The chunk itself is finished here only if no other thread does it.
            let is_nobodys = || self.to_finish.load(Relaxed) <= at;
            while chunk.found.get().is_none() && (self.prepare_next() || is_nobodys() && self.finish_next()) {}
            let found = std::mem::take(&mut *lock(chunk.found.wait()));
            let is_whole = found.len() == self.queries(at).len();
            if self.is_over() || !is_whole || !put(found) {
                self.stopped.store(true, Relaxed);
                return;
            }
        }
    }

    /// Whether what remains to be done is of no use.
    fn is_over(&self) -> bool {
        self.stopped.load(Relaxed)
    }

    /// Ends with an error.
    fn fail(&self, error: Error) {
        lock(&self.wrong).get_or_insert(error);
        self.stopped.store(true, Relaxed);
    }

    /// Prepares the next chunk; whether there was one.
    fn prepare_next(&self) -> bool {
        let Some(at) = next(&self.to_prepare, self.chunks.len()) else { return false };
        let fills = Fills(&self.chunks[at].prepared);
        match self.prepare(at) {
            Ok(part) => drop(fills.0.set(part)),
            Err(error) => self.fail(error),
        }
        true
    }

    fn prepare(&self, at: usize) -> Result<Part> {
        let Batch { index, options, .. } = *self.batch;
        let documents = index.snapshot().documents();
        let mut part = Part::default();
        for &asked in self.queries(at) {
            let query = match self.is_over() || self.end.has_come() {
                true => None,
                false => prepare(index, asked, options, self.end)?,
            };
            let query = query.filter(|query| self.size.fetch_add(query.size(), Relaxed) < MOST_SIZE);
            if let Some(query) = &query {
                let work = Features::of(query, self.wanted, documents).on_device(options.matching);
                part.work.iter_mut().zip(work).for_each(|(sum, of)| *sum += of);
            }
            part.queries.push(query);
        }
        Ok(part)
    }

    fn queries(&self, at: usize) -> &[Asked<'r>] {
        let first = at * self.at_once;
        &self.batch.queries[first..self.batch.queries.len().min(first + self.at_once)]
    }

    /// A chunk, once it is prepared.
    fn prepared(&self, at: usize) -> &Part {
        while self.to_prepare.load(Relaxed) <= at && self.prepare_next() {}
        self.chunks[at].prepared.wait()
    }

    /// Has a worker rank chunks until none is left, or it fails.
    fn rank(&self, worker: usize) {
        let mut left = lock(&self.left);
        (left.unstarted, left.working) = (left.unstarted - 1, left.working + 1);
        drop(left);
        while self.rank_some(worker) && self.takes_what_is_left() {}
    }

    /// Waits until other workers have left chunks, or none of those that have begun can any more; whether there are some.
    fn takes_what_is_left(&self) -> bool {
        let mut left = lock(&self.left);
        left.waiting += 1;
        loop {
            let takes = !left.chunks.is_empty() && !self.is_over() && !self.end.has_come();
            if takes || left.working == 0 {
                left.waiting -= 1;
                left.working += usize::from(takes);
                if left.is_last() {
                    self.give_up();
                }
                return takes;
            }
            left = self.ended.wait(left).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Lets nobody wait for answers of devices any more.
    fn give_up(&self) {
        self.chunks.iter().for_each(|chunk| drop(chunk.ranked.set(Vec::new())));
    }

    /// Has a worker rank chunks until none is there, or it fails; whether it has not failed.
    fn rank_some(&self, worker: usize) -> bool {
        let claims = RefCell::new(Claims::default());
        let _leaves = Leaves { pipeline: self, claims: &claims };
        let began = Instant::now();
        let done = self.job.pipe(
            worker,
            |is_idle| self.next_part(&claims, is_idle),
            |query, answer| {
                let Claims { chunks, queries, .. } = &mut *claims.borrow_mut();
                let (claim, place) = queries[query];
                let claim = &mut chunks[claim];
                claim.answers[place] = answer;
                claim.missing -= 1;
                if claim.missing == 0 {
                    let _ = self.chunks[claim.chunk].ranked.set(std::mem::take(&mut claim.answers));
                }
            },
        );
        let Claims { chunks, work, waited, .. } = &mut *claims.borrow_mut();
        log::debug!(
            "a device ranked {} chunks in {:?}, of which it waited for {waited:?}",
            chunks.len(),
            began.elapsed()
        );
        if let Some(Some(time)) = done
            && !chunks.is_empty()
        {
            let mut call = Features::call(self.batch.index.snapshot().documents());
            call.iter_mut().zip(&*work).for_each(|(sum, of)| *sum += of);
            lock(&self.calls).push((call, (time - waited.as_nanos() as f64).max(0.0)));
        }
        if done.is_some() {
            // What the device has left to the CPU although it did not fail.
            for claim in chunks.iter_mut().filter(|claim| claim.missing > 0) {
                let _ = self.chunks[claim.chunk].ranked.set(std::mem::take(&mut claim.answers));
                claim.missing = 0;
            }
        }
        done.is_some()
    }

    /// The next queries for a worker.
    fn next_part<'p>(&'p self, claims: &RefCell<Claims>, is_idle: bool) -> Option<Vec<&'p Prepared>> {
        let began = Instant::now();
        let claims = &mut *claims.borrow_mut();
        let (mut part, mut terms) = (Vec::new(), 0);
        let most_claims = claims.chunks.len() + self.fair_share();
        while !self.is_over() && !self.end.has_come() && terms < TERMS_PER_SUB_BATCH {
            let next_one = self.chunks.get(self.to_rank.load(Relaxed));
            let would_wait = next_one.is_some_and(|chunk| chunk.prepared.get().is_none());
            let is_waited_for = is_idle && would_wait && terms >= LEAST_TERMS;
            if is_waited_for || claims.chunks.len() >= most_claims && terms >= LEAST_SHARED_TERMS {
                break;
            }
            let left = || lock(&self.left).chunks.pop();
            let Some(at) = next(&self.to_rank, self.chunks.len()).or_else(left) else { break };
            let (mut claim, number) = (Claim { chunk: at, answers: Vec::new(), missing: 0 }, claims.chunks.len());
            let prepared = self.prepared(at);
            claim.answers.resize_with(prepared.queries.len(), || None);
            for (place, query) in prepared.queries.iter().enumerate() {
                let Some(query) = query else { continue };
                terms += query.terms.len();
                claims.queries.push((number, place));
                claim.missing += 1;
                part.push(query);
            }
            claims.work.iter_mut().zip(prepared.work).for_each(|(sum, of)| *sum += of);
            if claim.missing == 0 {
                let _ = self.chunks[at].ranked.set(Vec::new());
            }
            claims.chunks.push(claim);
        }
        claims.waited += began.elapsed();
        (!part.is_empty()).then_some(part)
    }

    /// Chunks of the next part: half of what is each worker's of the rest, so that all end at about the same time (guided self-scheduling:
    /// Polychronopoulos and Kuck 1987), and few hits remain to be made after that.
    fn fair_share(&self) -> usize {
        self.chunks.len().saturating_sub(self.to_rank.load(Relaxed)).div_ceil(2 * self.workers)
    }

    /// Makes hits of the next chunk; whether there was one.
    fn finish_next(&self) -> bool {
        let Some(at) = next(&self.to_finish, self.chunks.len()) else { return false };
        let fills = Fills(&self.chunks[at].found);
        match self.finish(at) {
            Ok(found) => drop(fills.0.set(found.into())),
            Err(error) => self.fail(error),
        }
        true
    }

    /// The hits of a chunk, once devices have answered. Queries that they have not answered are the CPU's.
    fn finish(&self, at: usize) -> Result<Vec<Found>> {
        let (prepared, ranked) = (self.prepared(at), &self.chunks[at].ranked);
        let of_query = |(place, &asked): (usize, &Asked<'_>)| {
            if self.is_over() {
                return Ok(Found::default());
            }
            // What devices cannot answer need not wait for them.
            let is_theirs = prepared.queries.get(place).is_some_and(Option::is_some);
            let answer = if is_theirs { ranked.wait().get(place).and_then(Option::as_ref) } else { None };
            match answer {
                Some(answer) => self.job.hits(answer),
                None if self.end.has_come() => Ok(Found::late()),
                None => {
                    self.left_to_cpu.fetch_add(is_theirs.into(), Relaxed);
                    self.batch.index.search_until(asked, self.batch.options, self.end)
                }
            }
        };
        self.queries(at).iter().enumerate().map(of_query).collect()
    }
}

/// Whether a query is of words alone. To look for words that are like them, for phrases, or for what else a query may have, takes
/// threads much longer.
fn is_light(asked: &Asked<'_>, options: &Options) -> bool {
    let has_words_alone =
        asked.nearest.is_empty() && asked.weighted.is_empty() && !asked.text.contains(['"', '*', '~']);
    has_words_alone && options.typos == Typos::None && !options.prefix
}

/// Puts an empty value where there is none in the end, so that nobody waits for a thread that has panicked.
struct Fills<'c, T: Default>(&'c OnceLock<T>);

impl<T: Default> Drop for Fills<'_, T> {
    fn drop(&mut self) {
        let _ = self.0.set(T::default());
    }
}

/// A worker that does no more, for whatever reason. What it has not answered goes to the others.
struct Leaves<'p, 'r> {
    pipeline: &'p Pipeline<'r>,
    claims: &'p RefCell<Claims>,
}

impl Drop for Leaves<'_, '_> {
    fn drop(&mut self) {
        let mut left = lock(&self.pipeline.left);
        if let Ok(claims) = self.claims.try_borrow() {
            let missing = claims.chunks.iter().filter(|claim| claim.missing > 0).map(|claim| claim.chunk);
            left.chunks.extend(missing);
        }
        left.working -= 1;
        if left.is_last() {
            self.pipeline.give_up();
        }
        self.pipeline.ended.notify_all();
    }
}

/// The next of `count` numbers.
fn next(from: &AtomicUsize, count: usize) -> Option<usize> {
    Some(from.fetch_add(1, Relaxed)).filter(|&at| at < count)
}
