//! **Postings**: the inner loop of a search engine. Decodes compressed posting lists and intersects them, on the CPU
//! with SIMD and on OpenCL devices.
//!
//! Bytes from outside are checked once, decoded and intersected where it is cheapest, and come back as docIDs.
//!
//! # The rooms
//! | room | what it does | knows |
//! |---|---|---|
//! | [`error`] | one error type; every variant says what was wrong and where | nothing |
//! | `process` | which process this is, told apart across forks | nothing |
//! | `environment` | environment variables, as they were when the process began | `process` |
//! | [`cpu`] | which instruction sets this process may use | `environment` |
//! | `cache` | a folder for what a later process can use again | `environment` |
//! | `room` | memory for large results | nothing |
//! | [`bits`] | words and bit fields | nothing |
//! | [`codec`] | bytes ⇄ docIDs, one file (or folder) a codec | `bits`, `cpu` |
//! | [`list`] | [`PostingList`]: codec, payload and block directory; the byte format and its checks | `codec`, `bits`, `room` |
//! | [`intersect`] | CPU intersection of posting lists, with block skipping | `list`, `codec`, `bits`, `room` |
//! | [`yioop`] | Yioop's posting lists, shard files and scores | `codec` |
//! | [`device`] | all that touches OpenCL | `list`, `codec`, `cache`, `process`, `environment`, `room`, the `Results` of `intersect` |
//! | [`engine`] | one decision, CPU or device; its cost model; the fallback; the counters | `intersect`, `device`, `yioop`, `list`, `codec`, `cache` |
//! | `php` | the PHP face, thin (feature `php`) | `engine`, `yioop`, `list`, `codec` |
//!
//! All rooms know `error`; those with a path for each instruction set know `cpu`.

pub mod bits;
mod cache;
pub mod codec;
pub mod cpu;
pub mod device;
pub mod engine;
mod environment;
pub mod error;
pub mod intersect;
pub mod list;
mod process;
pub mod results;
mod room;
pub mod yioop;

#[cfg(feature = "php")]
mod php;

pub use codec::Codec;
pub use error::{Error, Result};
pub use list::PostingList;
