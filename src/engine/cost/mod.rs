//! The cost model of `postings.offload=auto`: would the device be faster, transfers included?
//!
//! An operation is described by its [`Work`]: how many units of each kind of work `intersect` and `device` would do.
//! [`Rates`] give the nanoseconds per unit. Their products are added up to one estimate each for the CPU and the
//! device:
//!
//! ```text
//! CPU     lists · list + docIDs decoded · decoded + docIDs merged · merged
//!         + look-ups · (between near and far, depending on the distance)
//! device  calls · (decode | intersect) + queries · query + bytes not resident · sent + results · (received | gathered)
//!         + docIDs decoded · unpacked + work of the cheaper kernel · (probed | marked)
//! ```
//!
//! The size of results is estimated as if the lists were independent. The CPU is used if the estimates are close, or if
//! it takes less time than a device call without any work.
//!
//! The rates are measured with a few small operations when they are first needed, once per machine, device and version,
//! and kept in the cache folder. Until a device is open, [`Rates::assumed`] decide whether opening one is worth its
//! cost (0.3 s on a GPU): a process opens the device once the time that it would have saved so far adds up to that
//! cost. Until then it uses the CPU, so a short script does not pay for a device that it hardly uses, and no process
//! loses more than twice the cost.
//!
//! | file | what it does |
//! |---|---|
//! | `mod.rs` | the choice |
//! | `work` | what an operation does |
//! | `rates` | nanoseconds per unit of each kind of work |
//! | `calibrate` | measures the rates |
//! | `sample` | samples of large batches |
//! | `vectors` | the nearest vectors, of which another rule says where they are looked for |
//! | `queries` | ranked queries, which are predicted otherwise |

mod calibrate;
mod queries;
mod rates;
mod sample;
mod vectors;
mod work;

pub(super) use queries::{Batch, Models, Ran, choose_for_queries, divides_segments, learn, models};
pub use queries::{CpuModel, DeviceModel, Features};
pub(super) use rates::Rates;
pub(super) use sample::missing;
pub(super) use vectors::{VectorWork, choose_for_vectors, may_offload};
pub(super) use work::Work;

use crate::base::cache_folder;
use crate::base::cpu;
use crate::base::error::Result;
use crate::codec::Codec;
use crate::device::{self, Device};
use crate::engine::settings::Settings;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Nanoseconds that finding and opening a device takes (120–360 ms for a context on an H200).
const OPENING: f64 = 3e8;
/// Work that takes the CPU fewer nanoseconds than this always stays there: a launch and the wait for it take longer.
const TRIFLE: f64 = 2e4;
/// The device is used only if its estimate is below this share of the CPU's. If the two are closer, either will do, and
/// the CPU's time varies less.
const MARGIN: f64 = 0.8;

/// The device, if it is expected to be faster.
///
/// # Errors
/// [`Error::Device`](crate::Error::Device) if the device cannot be used.
pub(super) fn choose(
    settings: &Settings,
    work: Option<Work>,
    missing: impl FnOnce(&Device) -> u64,
) -> Result<Option<Device>> {
    /// Nanoseconds that the device would have saved so far.
    static LOST: AtomicU64 = AtomicU64::new(0);

    let Some(work) = work else {
        return Ok(None);
    };
    let assumed = work.on_cpu(Rates::assumed());
    if assumed < TRIFLE || device::is_none(&settings.device) {
        return Ok(None);
    }
    let device = match settings.opened() {
        Some(device) => device,
        None => {
            let saving = (assumed - work.on_device(Rates::assumed(), 0.0)).max(0.0);
            if ((LOST.fetch_add(saving as u64, Relaxed) as f64) + saving) < OPENING {
                return Ok(None);
            }
            match settings.select()? {
                Some(device) => device,
                None => return Ok(None),
            }
        }
    };
    let Some(rates) = rates(&device)? else {
        return Ok(None);
    };
    Ok(work.offloads(&rates, || missing(&device)).then_some(device))
}

/// The rates of a device and this CPU: from memory, from the cache folder, or measured. `None` if measuring them failed
/// before.
///
/// # Errors
/// [`Error::Device`](crate::Error::Device) the first time that measuring fails.
pub(super) fn rates(device: &Device) -> Result<Option<Rates>> {
    static KNOWN: Mutex<Vec<(String, Option<Rates>)>> = Mutex::new(Vec::new());

    let target = device.target();
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, rates)) = known.iter().find(|(name, _)| name == target) {
        return Ok(*rates);
    }
    let codecs = Codec::ALL.map(Codec::name).join(" ");
    let cores = std::thread::available_parallelism();
    let key = format!("rates 3\n{target}\n{}\n{cores:?}\n{codecs}", cpu::tier().name());
    if let Some(rates) = cache_folder::load("rates", &key).and_then(|bytes| Rates::from_bytes(&bytes)) {
        known.push((target.to_owned(), Some(rates)));
        return Ok(Some(rates));
    }
    let measured = calibrate::measure(device);
    known.push((target.to_owned(), measured.as_ref().ok().copied()));
    let rates = measured?;
    log::debug!("measured for postings.offload=auto: {rates:?}");
    cache_folder::keep("rates", &key, &rates.to_bytes());
    Ok(Some(rates))
}

#[cfg(test)]
mod tests;
