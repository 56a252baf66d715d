//! What has no subject of search: the process and its environment, threads, memory, files, errors.
//!
//! | file | what it does |
//! |---|---|
//! | [`error`] | the one error type; every variant says what is wrong and where |
//! | [`bits`] | words and bit fields |
//! | `identity` | tells an object from all others of the process, also after it is gone |
//! | `process` | tells a process from the children it forks |
//! | `environment` | environment variables as they were when the process began; the guard around calls into OpenCL |
//! | [`cpu`] | the tier of instructions that this process may use |
//! | `cache_folder` | the folder for what a later process can use again: kernels, measured rates, the trial of OpenCL |
//! | `fnv1a` | a hash that is the same everywhere |
//! | `leb128` | numbers in as many bytes as they need |
//! | `reader` | bytes from elsewhere, read with every end and count checked |
//! | `files` | opens files that something else may have replaced |
//! | `memory` | memory of sizes that documents, files and queries decide |
//! | `huge_pages` | huge pages for large results and mapped files |
//! | `threads` | threads for the work of one call |
//! | `tiers` | compiles a function for each tier |
//! | `noise` | numbers that look random, for tests |
//! | `skipped` | how tests say that they have not tested something |
//! | `background` | threads that outlive a call, and what a fork means to them |
//! | [`earth`] | points on the earth: distances, areas, cells |

pub(crate) mod background;
pub mod bits;
pub(crate) mod cache_folder;
pub mod cpu;
pub mod earth;
pub(crate) mod environment;
pub mod error;
pub(crate) mod files;
pub(crate) mod fnv1a;
pub(crate) mod huge_pages;
pub(crate) mod identity;
pub(crate) mod leb128;
pub(crate) mod memory;
#[cfg(test)]
pub(crate) mod noise;
pub(crate) mod process;
pub(crate) mod reader;
#[cfg(test)]
pub(crate) mod skipped;
pub(crate) mod threads;
pub(crate) mod tiers;
