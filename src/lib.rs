//! **Postings**: a search engine, and its inner loop by itself. Keeps a ranked, durable index; decodes compressed posting
//! lists and intersects them, on the CPU with SIMD and on OpenCL devices.
//!
//! Bytes from outside are checked once, decoded and intersected where it is cheapest, and come back as docIDs.
//! `docs/architecture.md` has the project's words and the way of a query through the rooms.
//!
//! # The rooms
//! Each uses only rooms above it.
//!
//! | room | what it does | uses |
//! |---|---|---|
//! | [`error`] | one error type; every variant says what was wrong and where | nothing |
//! | `identity` | tells an object from all others, also when it is gone | nothing |
//! | `process` | tells a process from the children it forks | nothing |
//! | `environment` | environment variables as they were when the process began | `process` |
//! | [`cpu`] | which instruction sets this process may use | `environment` |
//! | `cache` | a folder for what a later process can use again | `environment` |
//! | `room` | memory for large results | nothing |
//! | `files` | opens files that may be something else | nothing |
//! | `threads` | threads for the work of one call | nothing |
//! | `background` | threads that outlive a call, and forks | `threads`, `process`, `environment` |
//! | [`bits`] | words and bit fields | nothing |
//! | [`codec`] | docIDs ⇄ words; the registry of codecs | `bits`, `cpu`, `room` |
//! | [`results`] | the docIDs found by a batch of queries | `room` |
//! | [`list`] | [`PostingList`]: codec, payload and block directory; the byte format and its checks | `codec`, `cpu`, `room` |
//! | [`yioop`] | Yioop's posting lists, shard files and scores | `codec`, `cpu` |
//! | [`intersect`] | CPU intersection of posting lists, with block skipping | `list`, `codec`, `cpu` |
//! | [`analysis`] | text to terms | nothing |
//! | [`query`] | what a visitor typed, as clauses; highlighting | `analysis` |
//! | [`index`] | the ranked index: what is stored, how it is written and read | `analysis`, `list`, `codec`, `identity`, `cpu`, `threads`, `process` |
//! | [`rank`] | the best documents of a segment, and how many match | `index` (its lists), `codec`, `cpu` |
//! | [`search`] | searching an index | `rank`, `index`, `query`, `analysis`, `list`, `codec`, `cpu`, `threads` |
//! | [`interchange`] | text fields in and out as CIFF and as PISA's collections | `search`, `index` |
//! | [`device`] | everything about OpenCL | `rank` (its tiled form), `identity`, `threads`, `list`, `codec`, `results`, `cache`, `environment`, `process`, `room` |
//! | [`engine`] | the choice between CPU and device, its cost model, the fallback, the threads, streams of queries, the counters | `device`, `search`, `rank`, `intersect`, `yioop`, `list`, `codec`, `results`, `cache`, `cpu`, `background`, `threads`, `environment`, `process` |
//! | `php` | the PHP side (feature `php`) | `engine`, `search`, `interchange`, `index`, `query`, `analysis`, `yioop`, `list`, `codec`, `environment`, `cpu`, `room` |
//!
//! All rooms use `error`.

pub mod analysis;
pub mod base;
pub mod codec;
pub mod device;
pub mod engine;
pub mod index;
pub mod interchange;
pub mod intersect;
#[cfg(feature = "lab")]
pub mod lab;
pub mod list;
pub mod query;
pub mod rank;
pub mod search;
pub mod yioop;

#[cfg(feature = "php")]
mod php;

pub use base::error::{Error, Result};
pub use codec::Codec;
pub use list::PostingList;
