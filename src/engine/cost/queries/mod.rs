//! Where ranked queries are to run.
//!
//! | file | what |
//! |---|---|
//! | `batch` | a batch of queries that are to be placed |
//! | `choose` | the choice |
//! | `features` | what is known of a query beforehand |
//! | `model` | what it costs on a CPU thread and on a device, by these features |
//! | `models` | the models of this process, and learning |
//! | `sample` | some queries of a batch, looked at to place all of them |
//! | `resident` | whether an index has room on a device |
//!
//! The models begin with queries that were timed elsewhere (`measured.txt`), and learn from all that run while a device is
//! open; the cache folder keeps what they have learned.

mod batch;
mod choose;
mod features;
mod model;
mod models;
mod resident;
mod sample;
#[cfg(test)]
mod tests;

pub(in crate::engine) use batch::Batch;
pub(in crate::engine) use choose::choose_for_queries;
pub use features::Features;
pub use model::{CpuModel, DeviceModel};
pub(in crate::engine) use models::{Models, Ran, learn, models};
pub(in crate::engine) use resident::divides_segments;
