//! Which process may use OpenCL: the first one that does.
//!
//! A child forked after that must not touch OpenCL at all: the drivers' threads do not exist there, and their locks may
//! be held for ever. So every entry point checks here first, and handles that such a child drops are not released. A
//! child forked before the first use may use OpenCL itself.

use crate::base::error::Error;
use crate::base::process;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The [number](process) of the process that uses OpenCL; 0 before the first use.
static OWNER: AtomicU32 = AtomicU32::new(0);

/// Whether this process is the one that uses OpenCL.
pub(super) fn is_ours() -> bool {
    OWNER.load(Relaxed) == process::current().number()
}

/// Makes this process the one that uses OpenCL if there is none yet. False in a child whose parent uses it.
pub(super) fn claim() -> bool {
    let me = process::current().number();
    OWNER.compare_exchange(0, me, Relaxed, Relaxed).map_or_else(|owner| owner == me, |_| true)
}

/// Why a forked child has no device.
pub(super) fn forked() -> Error {
    Error::Device("this process was forked after its parent used OpenCL".into())
}
