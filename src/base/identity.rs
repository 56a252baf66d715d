//! [`Identity`]: tells an object of this process from all others, also when it is gone.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Weak};

static NEXT: AtomicU64 = AtomicU64::new(1);

/// The identity of an object. Clones are the same identity.
#[derive(Debug, Clone)]
pub(crate) struct Identity(Arc<u64>);

/// An [`Identity`] that does not keep its object.
#[derive(Debug, Clone)]
pub(crate) struct WeakIdentity(Weak<u64>);

impl Identity {
    /// One that no other object of this process has or had.
    pub(crate) fn new() -> Identity {
        Identity(Arc::new(NEXT.fetch_add(1, Relaxed)))
    }

    /// Its number.
    pub(crate) fn number(&self) -> u64 {
        *self.0
    }

    pub(crate) fn downgrade(&self) -> WeakIdentity {
        WeakIdentity(Arc::downgrade(&self.0))
    }
}

impl WeakIdentity {
    /// Whether anything with this identity exists.
    pub(crate) fn is_alive(&self) -> bool {
        self.0.strong_count() > 0
    }
}
