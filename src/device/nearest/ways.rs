//! Which kernel a device runs: one that multiplies by what the device has for that, once it was seen to be right, or plain code.

use super::form::{Queries, encode, steps};
use super::launch::{Launch, states};
use super::{CANDIDATE, CANDIDATES, CHUNK, ITEMS, QUERIES, ROWS, SOURCE, STATE, STATES, STEP, TERMS, TRIAL, VECTORS};
use crate::base::environment;
use crate::base::error::{Error, Result};
use crate::device::handle::Device;
use crate::device::memory::ALIGNMENT;
use crate::device::program::KernelOf;
use crate::device::session::{Arg, Session};
use crate::vector::{Metric, OFF, Precision, Query, Shape, encode_bytes};

/// How products are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::device) struct Way {
    /// Its name in `POSTINGS_DEVICE_NEAREST`.
    name: &'static str,
    options: &'static str,
}

/// For NVIDIA's devices, the fastest first: tensor cores (compute capability 8.0 and newer), with registers for two work-groups
/// of a multiprocessor or as the compiler likes, rows of the next step loaded ahead or not; DP4A (6.1).
const NVIDIA: [Way; 4] = [
    Way { name: "mma", options: "-DMMA=1 -DDOT=0 -DAHEAD=1 -cl-nv-maxrregcount=128" },
    Way { name: "mma-late", options: "-DMMA=1 -DDOT=0 -DAHEAD=0 -cl-nv-maxrregcount=128" },
    Way { name: "mma-free", options: "-DMMA=1 -DDOT=0 -DAHEAD=1" },
    Way { name: "dot", options: "-DMMA=0 -DDOT=1" },
];
/// For all devices.
pub(super) const PLAIN: Way = Way { name: "plain", options: "-DMMA=0 -DDOT=0" };
/// What tensor cores do, by plain code.
pub(super) const EMULATED: Way = Way { name: "emulated", options: "-DMMA=2 -DDOT=0 -DAHEAD=1" };

/// A way that was chosen for vectors of a shape.
#[derive(Debug, Clone, Copy)]
pub(in crate::device) struct Chosen {
    shape: Shape,
    way: Way,
}

/// Kernels see vectors in 8 bits a dimension, however they are kept.
fn of_kernels(shape: Shape) -> Shape {
    Shape { precision: Precision::Bits32, ..shape }
}

/// The build options of the kernels for vectors of a shape.
pub(super) fn options(shape: Shape, way: Way) -> String {
    let steps = steps(shape);
    let (chunk, euclidean) = (steps.div_ceil(steps.div_ceil(CHUNK)), u32::from(shape.metric == Metric::Euclidean));
    format!(
        "-DITEMS={ITEMS}u -DROWS={ROWS}u -DQUERIES={QUERIES}u -DSTEPS={steps}u -DCHUNK={chunk}u -DSTATE={STATE}u -DALIGNMENT={ALIGNMENT}u \
         -DEUCLIDEAN={euclidean} -DOFF={OFF:?}f {}",
        way.options
    )
}

pub(super) fn kernel<'o>(options: &'o str, name: &'static str) -> KernelOf<'o> {
    KernelOf { source: &SOURCE, options, name }
}

/// The ways that a platform's devices may have, the fastest first; `EMULATED` only if asked for.
fn ways(platform: &str) -> impl Iterator<Item = &'static Way> {
    let own = if platform.contains("NVIDIA") { &NVIDIA[..] } else { &[] };
    own.iter().chain([&PLAIN, &EMULATED])
}

impl Session<'_> {
    /// How products are made for vectors of a shape: the first way that works, or the one that `POSTINGS_DEVICE_NEAREST` names.
    ///
    /// # Errors
    /// Why not even plain code works.
    pub(super) fn way(&mut self, shape: Shape, platform: &str) -> Result<Way> {
        let shape = of_kernels(shape);
        if let Some(chosen) = self.nearest().iter().find(|chosen| chosen.shape == shape) {
            return Ok(chosen.way);
        }
        let named = environment::variable("POSTINGS_DEVICE_NEAREST");
        let is_wanted = |way: &&Way| match &named {
            Some(name) => name == way.name,
            None => **way != EMULATED,
        };
        let last = named.is_some().then_some(&PLAIN);
        let mut failure = Error::Device("there is no way to find the nearest vectors".into());
        for &way in ways(platform).filter(is_wanted).chain(last) {
            match self.try_way(shape, way) {
                Ok(()) => {
                    log::debug!("the nearest of {} dimensions are found by {}", shape.dimensions, way.name);
                    self.nearest().push(Chosen { shape, way });
                    return Ok(way);
                }
                Err(error) => {
                    log::debug!(
                        "the nearest of {} dimensions are not found by {}: {error}",
                        shape.dimensions,
                        way.name
                    );
                    failure = error;
                }
            }
        }
        Err(failure)
    }

    /// Compares what a way finds with what the host does.
    ///
    /// # Errors
    /// [`Error::Device`] if it differs, or the device fails.
    pub(super) fn try_way(&mut self, shape: Shape, way: Way) -> Result<()> {
        let (lane, count, mut noise) = (0, QUERIES - 1, 1u64);
        let mut vector = || -> Vec<f32> {
            let mut component = || {
                noise = noise.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
                (noise >> 40) as f32 / (1 << 23) as f32 - 1.0
            };
            (0..shape.dimensions).map(|_| component()).collect()
        };
        let vectors: Vec<Vec<f32>> = (0..ROWS).map(|_| vector()).collect();
        let mut rows = vec![Vec::new(); ROWS];
        vectors.iter().zip(&mut rows).for_each(|(vector, row)| shape.precision.encode(vector, row));
        let queries = (0..count).map(|_| Query::new(shape, &vector())).collect::<Result<Vec<_>>>()?;
        let words = encode(shape, ROWS, 1, |row| Ok(&rows[row][..]))?;
        let told = Queries::new(shape, queries.iter());
        self.upload(TRIAL, &words)?;
        self.upload(VECTORS[lane], &told.vectors)?;
        self.upload(TERMS[lane], &told.terms)?;
        self.upload(STATES[lane], &states(&vec![f32::NEG_INFINITY; count]))?;
        self.scratch(CANDIDATES[lane], CANDIDATE * count * ROWS)?;
        let options = options(shape, way);
        let launch = Launch { lane, options: &options, count, room: ROWS, k: 1 };
        // SAFETY: `TRIAL` has a tile, which is the first and only one.
        unsafe { self.launch_rows(&launch, Arg::Slot(TRIAL), [0, ROWS as u32, 0, 0], 0..1, None)? };
        let mut found = Vec::new();
        self.read(CANDIDATES[lane], 0..CANDIDATE * count * ROWS, &mut found)?;
        let mut integers = vec![0; STEP * steps(shape)];
        let codes: Vec<_> = rows
            .iter()
            .map(|row| {
                let (factor, norm) = encode_bytes(crate::base::cpu::tier(), shape, row, &mut integers);
                (integers.clone(), factor, norm)
            })
            .collect();
        for (query, found) in queries.iter().zip(found.chunks_exact(CANDIDATE * ROWS)) {
            let terms = query.terms().ok_or_else(|| Error::Device("a query without bounds".into()))?;
            let mut seen = found.as_chunks::<CANDIDATE>().0.to_vec();
            seen.sort_unstable();
            let rows = seen.iter().map(|&[row, ..]| row as usize);
            if !rows.eq(0..ROWS) {
                return Err(Error::Device("a kernel has not seen each row once".into()));
            }
            for ((codes, factor, norm), [_, most, least, segment]) in codes.iter().zip(seen) {
                let sum = query.integers().iter().zip(codes).map(|(&q, &x)| i32::from(q) * i32::from(x)).sum();
                let expected = terms.bounds(shape.metric, sum, *factor, *norm);
                let length = terms.square.sqrt() * norm + terms.square + norm * norm;
                let off = |(seen, expected): (u32, f32)| (f32::from_bits(seen) - expected).abs();
                let are_near = [least, most].into_iter().zip(expected).map(off).all(|off| off <= 4.0 * OFF * length);
                if !are_near || segment != 0 {
                    let [least, most] = [least, most].map(f32::from_bits);
                    return Err(Error::Device(format!("a kernel has bounds of {least} and {most}, not {expected:?}")));
                }
            }
        }
        Ok(())
    }
}

impl Device {
    /// The names of the ways in which products may be made on this device, the fastest first.
    pub fn nearest_ways(&self) -> Vec<&'static str> {
        ways(&self.info().platform).map(|way| way.name).collect()
    }

    /// Tries one of [them](Self::nearest_ways) for vectors of a shape.
    ///
    /// # Errors
    /// [`Error::Device`], with what the compiler says or what the kernel computed.
    pub fn try_nearest(&self, shape: Shape, name: &str) -> Result<()> {
        let way = ways(&self.info().platform).find(|way| way.name == name);
        let way = way.ok_or_else(|| Error::Argument(format!("no way is called {name}")))?;
        self.lock()?.try_way(shape, *way)
    }

    /// The way that was chosen for vectors of a shape.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub fn nearest_way(&self, shape: Shape) -> Result<Option<&'static str>> {
        let shape = of_kernels(shape);
        Ok(self.lock()?.nearest().iter().find(|chosen| chosen.shape == shape).map(|chosen| chosen.way.name))
    }
}
