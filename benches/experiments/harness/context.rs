//! What an experiment is given: the options, the device, the corpora, and how to measure.

use super::options::Options;
use super::outcome::Outcome;
use super::{Experiment, Failure};
use crate::corpora::collection::Collection;
use crate::corpora::text::Text;
use crate::corpora::{self, Corpus};
use crate::support::clock::{Effort, Spread, turns};
use crate::support::kernels::{Round, each_kernel, kernel_times};
use crate::support::machine;
use postings::device::{self, Device};
use postings::{Codec, PostingList};
use std::cell::{OnceCell, RefCell};
use std::panic::AssertUnwindSafe;
use std::time::Instant;

/// The codec with that case in PHP's enum, if there is one.
pub fn codec_of(case: &str) -> Option<Codec> {
    Codec::ALL.into_iter().find(|codec| codec.php_case() == case)
}

/// What an experiment is given.
pub struct Context {
    pub options: Options,
    /// The device that `--device` means.
    pub device: Option<Device>,
    text: OnceCell<Option<Text>>,
    collection: OnceCell<Option<Collection>>,
    corpora: OnceCell<Vec<Corpus>>,
}

impl Context {
    /// Opens the device, if one is named.
    pub fn new(options: &Options) -> Result<Context, Failure> {
        let device = match &options.device {
            Some(name) => Some(device::select(name)?.ok_or_else(|| format!("{name}: no such device"))?),
            None => None,
        };
        Ok(Context {
            options: options.clone(),
            device,
            text: OnceCell::new(),
            collection: OnceCell::new(),
            corpora: OnceCell::new(),
        })
    }

    /// Runs an experiment. Panics, which are results that are wrong, are errors.
    pub fn run(&self, experiment: &Experiment) -> Result<Outcome, Failure> {
        let began = Instant::now();
        let outcome = std::panic::catch_unwind(AssertUnwindSafe(|| (experiment.run)(self)));
        let mut outcome = outcome.map_err(|_| "panicked")??;
        outcome.seconds = began.elapsed().as_secs_f64();
        outcome.quick = self.options.quick;
        outcome.date = machine::today();
        Ok(outcome)
    }

    /// The machine, as pairs of a name and a value.
    pub fn about(&self) -> Vec<(String, String)> {
        let mut about = machine::about();
        if let Some(device) = &self.device {
            let info = device.info();
            let name = format!("{} / {}, {} compute units", info.platform, info.name, info.compute_units);
            about.push(("device".into(), name));
            about.push(("OpenCL".into(), info.version.clone()));
        }
        about
    }

    /// Whether only a rough result is wanted.
    pub fn quick(&self) -> bool {
        self.options.quick
    }

    /// The logarithm of the length of the longest generated list.
    pub fn log_max(&self) -> u32 {
        let on_gpu = self.device.as_ref().is_some_and(|device| device.info().kind != "CPU");
        self.options.log_max.unwrap_or(match (on_gpu, self.quick()) {
            (true, false) => 28,
            (_, true) => 20,
            (false, false) => 22,
        })
    }

    /// All corpora but the largest, each with lists and queries. Made when they are first asked for.
    pub fn corpora(&self) -> Result<&[Corpus], Failure> {
        if self.corpora.get().is_none() {
            let made = corpora::all(self.options.lists.as_deref(), self.text()?, self.quick())?;
            self.corpora.get_or_init(|| made);
        }
        Ok(self.corpora.get().map_or(&[], Vec::as_slice))
    }

    /// The corpora whose names begin so.
    pub fn corpora_of<'c>(&'c self, name: &'c str) -> Result<impl Iterator<Item = &'c Corpus>, Failure> {
        Ok(self.corpora()?.iter().filter(move |corpus| corpus.name.starts_with(name)))
    }

    /// The text that `--text` or `--index` names, as an index and lists; `None` without either.
    pub fn text(&self) -> Result<Option<&Text>, Failure> {
        if self.text.get().is_none() {
            let made = match (&self.options.text, &self.options.index) {
                (Some(path), _) => Some(Text::read(path, self.documents())?),
                (None, Some(path)) => Some(Text::open(path)?),
                (None, None) => None,
            };
            self.text.get_or_init(|| made);
        }
        Ok(self.text.get().and_then(Option::as_ref))
    }

    /// The index of the text or that of `--index`, with queries; `None` without either.
    pub fn collection(&self) -> Result<Option<&Collection>, Failure> {
        if self.collection.get().is_none() {
            let made = match (&self.options.index, &self.options.queries) {
                (Some(index), Some(queries)) => Some(Collection::read(index, queries)?),
                _ => self.text()?.map(Collection::of),
            };
            self.collection.get_or_init(|| made);
        }
        Ok(self.collection.get().and_then(Option::as_ref))
    }

    fn documents(&self) -> usize {
        if self.quick() { self.options.documents.min(50_000) } else { self.options.documents }
    }

    fn effort(&self) -> Effort {
        Effort { samples: if self.quick() { 3 } else { 7 }, sample: if self.quick() { 0.002 } else { 0.01 } }
    }

    /// Seconds per call of each contestant: median and spread of interleaved rounds.
    pub fn times(&self, calls: &mut [&mut dyn FnMut()]) -> Vec<Spread> {
        turns(self.effort(), calls).into_iter().map(|times| Spread::of(times, |time| time)).collect()
    }

    /// [`times`](Self::times) of boxed contestants.
    pub fn times_of(&self, calls: &mut [Box<dyn FnMut() + '_>]) -> Vec<Spread> {
        let mut calls: Vec<&mut dyn FnMut()> = calls.iter_mut().map(|call| &mut **call as &mut dyn FnMut()).collect();
        self.times(&mut calls)
    }

    /// Seconds to decode each list, which have the same docIDs.
    pub fn decoding(&self, lists: &[PostingList]) -> Vec<Spread> {
        let out = RefCell::new(Vec::with_capacity(lists.first().map_or(0, PostingList::len) + 64));
        let decode = |list: &'_ PostingList| {
            let mut out = out.borrow_mut();
            out.clear();
            list.decode_into(&mut out);
        };
        let mut calls: Vec<Box<dyn FnMut() + '_>> = Vec::new();
        for list in lists {
            calls.push(Box::new(|| decode(list)));
        }
        self.times_of(&mut calls)
    }

    /// Seconds of one call.
    pub fn time(&self, call: &mut dyn FnMut()) -> Spread {
        self.times(&mut [call])[0]
    }

    /// Rounds of contestants that an experiment times by itself.
    pub fn rounds(&self) -> usize {
        self.effort().samples
    }

    fn samples(&self) -> usize {
        if self.quick() { 3 } else { 7 }
    }

    /// Seconds that the kernels of a call take, and the result of a first call.
    pub fn kernels<T>(
        &self,
        device: &Device,
        call: impl FnMut() -> postings::Result<T>,
    ) -> postings::Result<(Spread, T)> {
        kernel_times(device, self.samples(), call)
    }

    /// Rounds of a call with its kernels, and the result of a first call.
    pub fn each_kernel<T>(
        &self,
        device: &Device,
        call: impl FnMut() -> postings::Result<T>,
    ) -> postings::Result<(Vec<Round>, T)> {
        each_kernel(device, self.samples(), call)
    }
}
