//! Where ranked queries are to run.
//!
//! | file | what |
//! |---|---|
//! | `features` | what is known of a query beforehand |
//! | `model` | what it costs on a CPU thread and on a device, by these features |
//!
//! The models begin with queries that were timed elsewhere (`measured.txt`), and learn from all that run while a device is
//! open; the cache folder keeps what they have learned. Of a batch, a sample is looked at.

mod features;
mod model;
#[cfg(test)]
mod tests;

pub use features::Features;
pub use model::{CpuModel, DeviceModel};

use super::{MARGIN, OPENING, Spread, different_of_all};
use crate::base::cpu;
use crate::base::error::Result;
use crate::base::{cache_folder, threads};
use crate::device::{self, Device, Key, MOST_HITS};
use crate::engine::keys;
use crate::engine::schedule::{Cost, Costs, split};
use crate::search::prepared::Prepared;
use crate::search::{Index, Matching, Options, QUERIES_PER_THREAD};
use once_cell::sync::Lazy;
use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The most queries of a batch that are looked at beforehand.
const SAMPLE: usize = 32;
/// Batches of fewer queries are not looked at before a device is open: it is opened once queries have taken long.
const FEW: usize = 32;
/// So many queries, times documents, take a CPU thread less time than a device needs for nothing.
const TRIFLE: u64 = 4000;
/// So many queries can be divided nearly as evenly as any number.
const MANY: usize = 512;

/// The models of a device and this CPU.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::engine) struct Models {
    /// All, any, all then any.
    cpu: [CpuModel; 3],
    device: DeviceModel,
    /// Queries learned.
    learned: f64,
}

fn kind(matching: Matching) -> usize {
    match matching {
        Matching::All => 0,
        Matching::Any => 1,
        Matching::AllThenAny => 2,
    }
}

impl Models {
    /// What other machines have taken.
    fn assumed() -> &'static Models {
        static ASSUMED: Lazy<Models> = Lazy::new(|| {
            let mut models = Models { cpu: Default::default(), device: DeviceModel::default(), learned: 0.0 };
            for (matching, query, nanoseconds) in measured() {
                models.cpu[kind(matching)].learn(&query, nanoseconds);
            }
            models.cpu.iter_mut().for_each(CpuModel::update);
            models
        });
        &ASSUMED
    }

    /// What a query is expected to cost.
    pub(in crate::engine) fn cost(&self, query: &Features, matching: Matching) -> Cost {
        let (cpu, device) = (&self.cpu[kind(matching)], self.device.predict(&query.on_device(matching)));
        Cost { cpu: cpu.predict(query) + query.joining(), device }
    }

    /// Nanoseconds of a call of the device, if so many bytes have to be sent.
    pub(in crate::engine) fn call(&self, documents: u64, bytes: f64) -> f64 {
        let mut call = Features::call(documents);
        call[Features::SENT] = bytes;
        self.device.predict(&call)
    }

    fn numbers(&mut self) -> impl Iterator<Item = &mut f64> {
        let Models { cpu, device, learned } = self;
        std::iter::once(learned).chain(cpu.iter_mut().flat_map(CpuModel::numbers)).chain(device.numbers())
    }

    fn to_bytes(&self) -> Vec<u8> {
        self.clone().numbers().flat_map(|number| number.to_le_bytes()).collect()
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote; `None` if the count is wrong or numbers cannot be.
    fn from_bytes(bytes: &[u8]) -> Option<Models> {
        let mut models = Models::assumed().clone();
        let (numbers, rest) = bytes.as_chunks::<8>();
        if !rest.is_empty() || numbers.len() != models.numbers().count() {
            return None;
        }
        models.numbers().zip(numbers).for_each(|(to, &number)| *to = f64::from_le_bytes(number));
        let sound = models.cpu.iter_mut().all(CpuModel::sound) && models.device.sound();
        (sound && (0.0..1e15).contains(&models.learned)).then_some(models)
    }
}

/// The queries of `measured.txt`: 1,059,204 documents.
fn measured() -> impl Iterator<Item = (Matching, Features, f64)> {
    let lines = include_str!("measured.txt").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| {
        let mut words = line.split(' ');
        let matching = match words.next()? {
            "all" => Matching::All,
            "any" => Matching::Any,
            _ => Matching::AllThenAny,
        };
        let (k, nanoseconds) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        let mut lengths: Vec<u64> = words.next()?.split(',').filter_map(|length| length.parse().ok()).collect();
        let terms = lengths.len();
        Some((matching, Features::new(&mut lengths, terms, k, 1_059_204), nanoseconds))
    })
}

/// The models of devices that this process uses, by [`Device::target`].
static KNOWN: Mutex<Vec<(String, Arc<Models>)>> = Mutex::new(Vec::new());

fn key(target: &str) -> String {
    format!("queries 1\n{target}\n{}\n{:?}", cpu::tier().name(), std::thread::available_parallelism())
}

/// The models of a device: from memory, from the cache folder, or assumed.
pub(in crate::engine) fn models(device: &Device) -> Arc<Models> {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, models)) = known.iter().find(|(target, _)| target == device.target()) {
        return models.clone();
    }
    let kept = cache_folder::load("queries", &key(device.target())).and_then(|bytes| Models::from_bytes(&bytes));
    let models = Arc::new(kept.unwrap_or_else(|| Models::assumed().clone()));
    known.push((device.target().to_owned(), models.clone()));
    models
}

/// What ran of a batch, to be learned from.
#[derive(Debug, Clone, Default)]
pub(in crate::engine) struct Ran {
    /// Queries of CPU threads, and nanoseconds.
    pub(in crate::engine) cpu: Vec<(Features, f64)>,
    /// Calls of the device with what was resident: what they did, and nanoseconds.
    pub(in crate::engine) device: Vec<([f64; features::DEVICE], f64)>,
}

/// Learns from what ran, and keeps it now and then.
pub(in crate::engine) fn learn(device: &Device, matching: Matching, ran: &Ran) {
    /// Calls count for as many queries.
    const CALL: f64 = 16.0;
    const OFTEN: f64 = 4096.0;

    // At 64, 128 and so on, and later whenever there is a good deal more.
    let step = |learned: f64| match learned < OFTEN {
        true => learned.max(32.0).log2().floor(),
        false => 99.0 + (learned / OFTEN).floor(),
    };
    let mut before = 0.0;
    let models = change(device, |models| {
        before = models.learned;
        let cpu = &mut models.cpu[kind(matching)];
        ran.cpu.iter().for_each(|(query, nanoseconds)| cpu.learn(query, *nanoseconds));
        if !ran.cpu.is_empty() {
            cpu.update();
        }
        ran.device.iter().for_each(|(call, nanoseconds)| models.device.learn(call, *nanoseconds));
        models.learned += ran.cpu.len() as f64 + CALL * ran.device.len() as f64;
    });
    if step(models.learned) > step(before) {
        cache_folder::keep("queries", &key(device.target()), &models.to_bytes());
    }
}

/// Changes the models of a device for the predictions that follow.
fn change(device: &Device, with: impl FnOnce(&mut Models)) -> Arc<Models> {
    let mut changed = models(device);
    // Changes that other threads make meanwhile are lost, which does not matter: there will be others.
    with(Arc::make_mut(&mut changed));
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, known)) = known.iter_mut().find(|(target, _)| target == device.target()) {
        *known = changed.clone();
    }
    changed
}

/// The features of a query that wants `k` hits.
pub(in crate::engine) fn features(query: &Prepared, k: usize, documents: u64) -> Features {
    let mut clauses: Vec<u64> = Vec::with_capacity(query.terms.len());
    let mut last = None;
    let scored = query.terms.iter().filter(|term| term.clause.is_some());
    let terms = scored.clone().count();
    for term in scored {
        match clauses.last_mut().filter(|_| last == term.clause) {
            Some(clause) => *clause += term.documents,
            None => clauses.push(term.documents),
        }
        last = term.clause;
    }
    let joins = query.terms.iter().map(|term| term.joins).sum();
    Features::new(&mut clauses, terms, k, documents).with_joins(joins)
}

/// A batch of queries that are to be placed.
pub(in crate::engine) struct Batch<'b> {
    pub(in crate::engine) index: &'b Index,
    pub(in crate::engine) queries: &'b [&'b str],
    pub(in crate::engine) options: &'b Options,
    /// The most threads; 0 means one per core.
    pub(in crate::engine) threads: usize,
    /// Whether devices like this one are to divide the lists of the index, so that each has other lists.
    pub(in crate::engine) divides_lists: &'b dyn Fn(&Device) -> bool,
    /// The device for which nanoseconds on the CPU were predicted, and these.
    pub(in crate::engine) expected: RefCell<Option<(Arc<Device>, f64)>>,
}

impl Batch<'_> {
    /// Learns from the time in which the CPU answered the queries.
    pub(in crate::engine) fn ran_on_cpu(&self, time: Duration) {
        let nanoseconds = time.as_nanos() as f64;
        match self.expected.take() {
            Some((device, expected)) => {
                let weight = self.queries.len().min(SAMPLE) as f64;
                change(&device, |models| {
                    models.cpu[kind(self.options.matching)].learn_bias(nanoseconds, expected, weight);
                });
            }
            None => {
                let saved = (nanoseconds * MARGIN - Features::ASSUMED[0]).max(0.0);
                LOST.fetch_add(saved as u64, Relaxed);
            }
        }
    }
}

/// Nanoseconds that a device would have saved so far.
static LOST: AtomicU64 = AtomicU64::new(0);

/// The device to rank these queries, or some of them, if that is expected to be faster, transfers included. A device is
/// opened only if it is worth it: see [`choose`](super::choose).
pub(in crate::engine) fn choose_for_queries(selector: &str, batch: &Batch) -> Result<Option<Arc<Device>>> {
    let work = batch.queries.len() as u64 * batch.index.snapshot().documents();
    // Options that are wrong are not the device's failure.
    let k = batch.index.wanted(batch.options).unwrap_or(0);
    if device::is_none(selector) || work <= TRIFLE || k == 0 || k > MOST_HITS {
        return Ok(None);
    }
    let usable = |device: &Arc<Device>| device.info().kind != "CPU";
    if let Some(device) = device::opened(selector) {
        if !usable(&device) {
            return Ok(None);
        }
        let Ok(sample) = Sample::of(batch, k, &models(&device)) else { return Ok(None) };
        let holders = match (batch.divides_lists)(&device) {
            true => device::opened_twins(selector),
            false => vec![device.clone()],
        };
        if sample.offloads(&holders) {
            return Ok(Some(device));
        }
        let [expected, _] = sample.times(0.0);
        *batch.expected.borrow_mut() = Some((device, expected));
        return Ok(None);
    }
    let lost = LOST.load(Relaxed) as f64;
    if lost < OPENING {
        let saving = match batch.queries.len() < FEW {
            true => 0.0,
            false => Sample::of(batch, k, Models::assumed()).map_or(0.0, |sample| sample.saving()),
        };
        if lost + saving < OPENING {
            return Ok(None);
        }
    }
    Ok(device::select(selector)?.filter(usable))
}

/// Some queries of a batch with their predictions.
struct Sample {
    costs: Costs,
    threads: usize,
    /// How many queries of the batch each stands for.
    each: f64,
    /// How many lists of the batch each stands for.
    each_list: f64,
    /// The lists that they need, and the nanoseconds of making and sending each.
    lists: Vec<(Key, f64)>,
}

impl Sample {
    fn of(batch: &Batch, k: usize, models: &Models) -> Result<Sample> {
        let Batch { index, queries, options, .. } = batch;
        let documents = index.snapshot().documents();
        let parts = index.snapshot().parts();
        let threads = threads::at_most(batch.threads, queries.len() / QUERIES_PER_THREAD);
        let sending = models.call(0, 1.0) - models.call(0, 0.0);
        let (mut costs, mut lists, mut seen) = (Vec::new(), Vec::new(), 0);
        for query in Spread::new(queries.iter(), queries.len().div_ceil(SAMPLE)) {
            seen += 1;
            let Some(query) = index.prepare(query, options)? else { continue };
            costs.push(models.cost(&features(&query, k, documents), options.matching));
            for term in &query.terms {
                for (part, recipe) in parts.iter().zip(&term.lists) {
                    let Some(recipe) = recipe else { continue };
                    // About the part of the documents that are in this segment.
                    let share = f64::from(part.segment.documents()) / documents.max(1) as f64;
                    let [postings, joins] = [term.documents, term.joins].map(|of| (of as f64 * share) as u64);
                    let making = Features::joining_of(joins) / threads as f64;
                    let key = keys::list(part.segment.identity(), term.field, recipe);
                    lists.push((key, making + sending * Features::bytes(postings)));
                }
            }
        }
        let each = if seen == 0 { 0.0 } else { queries.len() as f64 / f64::from(seen) };
        let each_list = each;
        // So many that they can be divided as the batch could.
        let sampled = costs.len();
        while costs.len() < MANY.min((sampled as f64 * each) as usize) {
            costs.extend_from_within(..sampled.min(costs.len()));
        }
        let each = each * sampled as f64 / costs.len().max(1) as f64;
        let call = models.call(documents, 0.0) / each.max(1.0);
        Ok(Sample { costs: Costs { queries: costs, call }, threads, each, each_list, lists })
    }

    /// Nanoseconds by the CPU alone, and by both, if a call of the device took so much longer.
    fn times(&self, more: f64) -> [f64; 2] {
        let mut costs = self.costs.clone();
        costs.call += more / self.each.max(1.0);
        let cpu: f64 = costs.queries.iter().map(|cost| cost.cpu).sum();
        [cpu / self.threads as f64 * self.each, split(&costs, self.threads).makespan * self.each]
    }

    fn saving(&self) -> f64 {
        let [cpu, both] = self.times(0.0);
        cpu - both
    }

    /// Nanoseconds in which the lists that none of these devices has are made and sent for the batch.
    fn missing(&self, holders: &[Arc<Device>]) -> f64 {
        let (mut names, mut time, mut seen) = (HashSet::new(), 0.0, 0.0);
        let mut lacked: Vec<&(Key, f64)> = self.lists.iter().collect();
        for device in holders {
            lacked = device.lacks(&lacked, |(key, _)| key).into_iter().copied().collect();
        }
        for (key, of_list) in lacked {
            seen += 1.0;
            if names.insert(key.name()) {
                time += of_list;
            }
        }
        let different = names.len() as f64;
        if different == 0.0 { 0.0 } else { time / different * different_of_all(seen, different, seen * self.each_list) }
    }

    /// Whether the device is to be used; `holders` are those that may have its lists.
    fn offloads(&self, holders: &[Arc<Device>]) -> bool {
        /// Nanoseconds that queries would have been faster by, had their lists been there.
        static ABSENT: AtomicU64 = AtomicU64::new(0);

        let wins = |[cpu, both]: [f64; 2]| both < MARGIN * cpu;
        if !wins(self.times(0.0)) {
            return false;
        }
        let sending = self.missing(holders);
        if sending == 0.0 || wins(self.times(sending)) {
            return true;
        }
        // What is sent stays there: it pays in the end.
        let saving = self.saving();
        if ABSENT.fetch_add(saving as u64, Relaxed) as f64 + saving < sending {
            return false;
        }
        ABSENT.store(0, Relaxed);
        true
    }
}
