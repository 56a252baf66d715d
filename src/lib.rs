//! **Postings**: a search engine, and its inner loop by itself. Keeps a ranked, durable index; decodes compressed posting
//! lists and intersects them, on the CPU with SIMD and on OpenCL devices.
//!
//! `docs/architecture.md` has the project's words, and follows a document, a search and a query over lists through the
//! rooms.
//!
//! # Rooms
//! A *room* is a folder of `src` with one subject. Each uses only rooms below it, and exactly those that its row names:
//! `tests/suite/rooms.rs` compares this table with what the rooms import (their tests aside).
//!
//! | room | what it does | uses |
//! |---|---|---|
//! | `php` | PHP's classes and functions: arguments in, one call below, a result or an exception out (feature `php`) | `exchange`, `engine`, `search`, `interchange`, `rank`, `index`, `analysis`, `yioop`, `vector`, `list`, `codec`, `base` |
//! | `lab` | what only the papers' experiments need (feature `lab`); the extension does not contain it | `engine`, `device`, `search`, `intersect`, `list`, `codec`, `base` |
//! | [`exchange`] | an index that is asked from elsewhere: requests and responses as bytes, and the leaf that answers them | `engine`, `search`, `rank`, `index`, `vector`, `base` |
//! | [`engine`] | CPU or device: the choice and its cost model, ranked queries shared by both, streams, the repetition of failed device calls on the CPU, counters | `device`, `search`, `rank`, `index`, `intersect`, `yioop`, `vector`, `list`, `codec`, `base` |
//! | [`device`] | everything about OpenCL: loading it, contexts, memory, programs, and the operations | `rank`, `index`, `vector`, `list`, `codec`, `base` |
//! | [`search`] | questions to an index: hits, counts, facets, sorting, suggestions, explanations | `rank`, `query`, `index`, `analysis`, `vector`, `list`, `codec`, `base` |
//! | [`interchange`] | text fields to and from other engines: CIFF, collections of PISA | `index`, `base` |
//! | [`rank`] | the best documents of a segment; phrases; which documents match, without scores | `index`, `intersect`, `codec`, `base` |
//! | [`index`] | the files: segments, manifest, deleted documents, lock; the writer, and snapshots for readers | `query`, `analysis`, `vector`, `list`, `codec`, `base` |
//! | [`query`] | what a visitor typed becomes clauses; fuzzy words; highlighting and snippets | `analysis` |
//! | [`analysis`] | text becomes terms: boundaries of words, lower-casing, folding, stemming, stop words | `base` |
//! | [`intersect`] | intersection of posting lists on the CPU: merging, probing, and the choice between them | `list`, `codec`, `base` |
//! | [`yioop`] | Yioop's posting lists, shard files, conjunctions and scores | `codec`, `base` |
//! | [`vector`] | what is similar to what: vectors in a few bits a dimension, bounds of similarities, similarities themselves | `base` |
//! | [`list`] | [`PostingList`]: header, block directory, payload; the byte format and its checks; results of batches | `codec`, `base` |
//! | [`codec`] | docIDs to words and back; the registry of codecs | `base` |
//! | [`base`] | what has no subject of search: errors, bit fields, CPU, processes, environment, threads, memory, files, points on the earth | |

pub mod analysis;
pub mod base;
pub mod codec;
pub mod device;
pub mod engine;
pub mod exchange;
pub mod index;
pub mod interchange;
pub mod intersect;
#[cfg(feature = "lab")]
pub mod lab;
pub mod list;
pub mod query;
pub mod rank;
pub mod search;
pub mod vector;
pub mod yioop;

#[cfg(feature = "php")]
mod php;

pub use base::error::{Error, Result};
pub use codec::Codec;
pub use list::PostingList;
