//! [`Patience`]: waiting for the lock of another writer.

use crate::base::error::{Error, Result};
use std::time::{Duration, Instant};

/// The first pause between two tries, and the longest. The kernel's lock has no wait with an end, and a descriptor that
/// would tell of it does not exist.
const PAUSES: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(50));

/// How long to wait.
pub(super) struct Patience<'i> {
    end: Option<Instant>,
    waits: bool,
    interrupted: &'i dyn Fn() -> bool,
}

impl<'i> Patience<'i> {
    /// From now on, for that time, or until it is interrupted.
    pub fn new(wait: Duration, interrupted: &'i dyn Fn() -> bool) -> Patience<'i> {
        // A time too far away to be told never comes.
        Patience { end: Instant::now().checked_add(wait), waits: !wait.is_zero(), interrupted }
    }

    /// Whether it is at an end.
    pub fn is_over(&self) -> bool {
        !self.waits || self.end.is_some_and(|end| Instant::now() >= end) || (self.interrupted)()
    }

    /// Tries again and again while what is tried is [locked](Error::Locked).
    ///
    /// # Errors
    /// Those of the last try.
    pub fn until_free<T>(&self, mut attempt: impl FnMut() -> Result<T>) -> Result<T> {
        let mut pause = PAUSES.0;
        loop {
            match attempt() {
                Err(Error::Locked { .. }) if !self.is_over() => {}
                result => return result,
            }
            let left = self.end.map_or(pause, |end| end.saturating_duration_since(Instant::now()));
            sleep(pause.min(left));
            pause = (2 * pause).min(PAUSES.1);
        }
    }
}

/// Sleeps for less than a second; a signal ends it.
fn sleep(time: Duration) {
    let time = libc::timespec { tv_sec: 0, tv_nsec: time.subsec_nanos().into() };
    // SAFETY: the structure lives; what is left of the time is not asked for.
    unsafe {
        libc::nanosleep(&raw const time, std::ptr::null_mut());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    fn locked() -> Result<()> {
        Err(Error::Locked { path: String::new(), what: String::new() })
    }

    #[test]
    fn it_ends_with_success_another_error_the_time_or_an_interruption() {
        let tries = Cell::new(0);
        let after = |count: u32, result: Result<()>| {
            tries.set(0);
            let result = Cell::new(Some(result));
            move |tries: &Cell<u32>| {
                tries.set(tries.get() + 1);
                if tries.get() < count { locked() } else { result.take().unwrap_or(Ok(())) }
            }
        };
        let long = Duration::from_secs(600);
        let never = || false;
        let attempt = after(4, Ok(()));
        assert_eq!(Patience::new(long, &never).until_free(|| attempt(&tries)), Ok(()));
        assert_eq!(tries.get(), 4);
        assert_eq!(Patience::new(Duration::MAX, &never).until_free(|| Ok(7)), Ok(7));
        let attempt = after(2, Err(Error::Panicked));
        assert_eq!(Patience::new(long, &never).until_free(|| attempt(&tries)), Err(Error::Panicked));
        assert_eq!(Patience::new(Duration::from_millis(3), &never).until_free(locked), locked());
        // Without a wait there is one try.
        let attempt = after(9, Ok(()));
        assert_eq!(Patience::new(Duration::ZERO, &never).until_free(|| attempt(&tries)), locked());
        assert_eq!(tries.get(), 1);
        let asked = Cell::new(0);
        let interrupted = || asked.replace(asked.get() + 1) == 2;
        assert_eq!(Patience::new(long, &interrupted).until_free(locked), locked());
        assert_eq!(asked.get(), 3);
    }
}
