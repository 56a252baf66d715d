//! One decision: CPU or device? And the fallback, and the counters that show which it was.
//!
//! | file | what it does |
//! |---|---|
//! | `lists` | operations on posting lists |
//! | `yioop` | operations on Yioop's lists |
//! | `offload` | runs an operation on the device or the CPU, as the settings and the cost model say |
//! | `cost` | the cost model of `postings.offload=auto` |
//! | `threads` | a batch on the cores of this machine |
//! | `stats` | the counters |

mod cost;
mod lists;
mod offload;
mod stats;
mod threads;
mod yioop;

pub use self::yioop::{
    YioopRanges, yioop_doc_indexes, yioop_doc_indexes_to, yioop_generations, yioop_intersect, yioop_intersect_batch,
    yioop_probe,
};
pub use crate::device::{DeviceInfo, allow_opencl, is_allowed as opencl_is_allowed};
pub use crate::results::Results;
pub use lists::{decode, decode_to, intersect, intersect_batch, intersect_count};
pub use offload::{Offload, Settings, devices, on_cpu, prepare};
pub use stats::{Stats, stats};
