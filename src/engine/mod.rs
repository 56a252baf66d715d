//! Runs each operation on the CPU or on a device: the choice, the fallback if the device fails, and the counters of
//! both.
//!
//! | file | what it does |
//! |---|---|
//! | `lists` | operations on posting lists |
//! | `ranked` | ranked search, on devices or the CPU |
//! | `nearest` | the nearest vectors |
//! | `fused` | searches; what words find and the nearest vectors as one list |
//! | `similar` | documents that are like others |
//! | `keys` | what lists of ranked search and vectors are called in the cache of a device |
//! | `yioop` | operations on Yioop's lists |
//! | `settings` | how a call is to run |
//! | `offload` | runs an operation on the device or the CPU, depending on the settings and the cost model |
//! | [`schedule`] | which queries the CPU answers, and which a device |
//! | [`stream`] | a stream of queries that are answered in the background |
//! | `cost` | the cost model behind `postings.offload=auto` |
//! | `stats` | counters of calls, failures and transferred bytes |

mod cost;
mod fused;
mod keys;
mod lists;
mod nearest;
mod offload;
pub(crate) mod ranked;
pub mod schedule;
mod settings;
mod similar;
mod stats;
pub mod stream;
mod yioop;

pub use self::yioop::{
    YioopRanges, yioop_doc_indexes, yioop_doc_indexes_to, yioop_generations, yioop_intersect, yioop_intersect_batch,
    yioop_probe,
};
pub use crate::device::{
    DeviceInfo, USUAL_LIMIT as USUAL_DEVICE_TIMEOUT, allow_opencl, is_allowed as opencl_is_allowed,
};
pub use crate::list::results::Results;
pub use cost::{CpuModel, DeviceModel, Features};
pub use fused::{search, search_batch, search_each};
pub use lists::{decode, decode_to, intersect, intersect_batch, intersect_count, intersect_list};
pub use nearest::nearest;
pub use offload::{devices, on_cpu, prepare};
pub use ranked::{Put, Warming};
pub use settings::{Division, Offload, Settings};
pub use similar::similar;
pub use stats::{Stats, stats};
