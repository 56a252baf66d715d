//! The papers' laboratory: what only their experiments need, for benches and tests. The extension does not contain it
//! (feature `lab`); `docs/experiments.md` shows what comes of it.
//!
//! | file | what | kernels |
//! |---|---|---|
//! | [`locate`] | searches of a sorted slice | |
//! | [`meet`] | intersections of two slices | |
//! | [`device_search`] | the same searches of uncompressed lists in device memory | `cl/lab/search.cl` |
//! | [`parallel_qs`] | the thesis' Parallel-QS, step by step | `cl/lab/parallel_qs.cl` |
//! | [`accumulators`] | OR with an accumulator for each document | `cl/lab/accumulators.cl` |
//! | [`para`] | a queue that collects queries until they are a batch | |
//! | [`ceiling`] | the memory bandwidth of a device | `cl/lab/ceiling.cl` |

pub mod accumulators;
pub mod ceiling;
pub mod device_search;
pub mod locate;
pub mod meet;
pub mod para;
pub mod parallel_qs;
