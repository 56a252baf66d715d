//! [`Models`]: what queries cost on a device and this CPU, as known so far, and learning from what ran.

use super::features::{self, Features};
use super::model::{CpuModel, DeviceModel};
use crate::base::{cache_folder, cpu};
use crate::device::Device;
use crate::engine::schedule::Cost;
use crate::search::Matching;
use once_cell::sync::Lazy;
use std::sync::{Arc, Mutex, PoisonError};

/// The models of a device and this CPU.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::engine) struct Models {
    /// All, any, all then any.
    pub(super) cpu: [CpuModel; 3],
    pub(super) device: DeviceModel,
    /// Queries learned.
    learned: f64,
}

pub(super) fn kind(matching: Matching) -> usize {
    match matching {
        Matching::All => 0,
        Matching::Any => 1,
        Matching::AllThenAny => 2,
    }
}

impl Models {
    /// What other machines have taken.
    pub(super) fn assumed() -> &'static Models {
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
        self.device_time(&call)
    }

    /// Nanoseconds in which the device does this work.
    pub(in crate::engine) fn device_time(&self, work: &[f64; Features::DEVICE]) -> f64 {
        self.device.predict(work)
    }

    fn numbers(&mut self) -> impl Iterator<Item = &mut f64> {
        let Models { cpu, device, learned } = self;
        std::iter::once(learned).chain(cpu.iter_mut().flat_map(CpuModel::numbers)).chain(device.numbers())
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        self.clone().numbers().flat_map(|number| number.to_le_bytes()).collect()
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote; `None` if the count is wrong or numbers cannot be.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Models> {
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
pub(super) fn measured() -> impl Iterator<Item = (Matching, Features, f64)> {
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
pub(super) fn change(device: &Device, with: impl FnOnce(&mut Models)) -> Arc<Models> {
    let mut changed = models(device);
    // Changes that other threads make meanwhile are lost, which does not matter: there will be others.
    with(Arc::make_mut(&mut changed));
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, known)) = known.iter_mut().find(|(target, _)| target == device.target()) {
        *known = changed.clone();
    }
    changed
}
