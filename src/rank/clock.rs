//! [`Clock`]: tells the loops of a search when to give up.

use crate::base::error::{Error, Result};
use std::cell::Cell;
use std::time::Instant;

/// The time limit of a search. Loops ask at every step; it is looked at now and then.
#[derive(Debug)]
pub struct Clock {
    end: Option<Instant>,
    /// Steps until it is looked at.
    left: Cell<u32>,
    is_over: Cell<bool>,
    /// Steps until the time is over, whatever time it is.
    #[cfg(test)]
    steps: Cell<u64>,
}

/// A step takes from some nanoseconds to some 100 microseconds, and reading the time some 30 nanoseconds.
const STEPS: u32 = 8;

impl Clock {
    /// For a search that ends at `end`, if at all.
    pub fn new(end: Option<Instant>) -> Clock {
        Clock {
            end,
            left: Cell::new(0),
            is_over: Cell::new(false),
            #[cfg(test)]
            steps: Cell::new(u64::MAX),
        }
    }

    /// For a search that ends when it has asked so many times.
    #[cfg(test)]
    pub(crate) fn after(steps: u64) -> Clock {
        let never = Instant::now() + std::time::Duration::from_secs(1 << 20);
        Clock { steps: Cell::new(steps), ..Clock::new(Some(never)) }
    }

    /// When the search ends, if at all.
    pub fn end(&self) -> Option<Instant> {
        self.end
    }

    /// For a search without a time limit.
    pub fn never() -> Clock {
        Clock::new(None)
    }

    /// Whether the time is over. Once it is, it remains so.
    #[inline(always)]
    pub fn is_over(&self) -> bool {
        self.end.is_some() && self.look()
    }

    #[inline(never)]
    fn look(&self) -> bool {
        if self.is_over.get() {
            return true;
        }
        #[cfg(test)]
        match self.steps.get().checked_sub(1) {
            Some(steps) => self.steps.set(steps),
            None => self.is_over.set(true),
        }
        match self.left.get().checked_sub(1) {
            Some(left) => self.left.set(left),
            None => {
                self.left.set(STEPS);
                self.is_over.set(self.is_over.get() || self.end.is_some_and(|end| Instant::now() >= end));
            }
        }
        self.is_over.get()
    }

    /// # Errors
    /// [`Error::Expired`] if the time is over.
    #[inline]
    pub fn check(&self) -> Result<()> {
        if self.is_over() { Err(Error::Expired) } else { Ok(()) }
    }
}
