//! Threads that outlive the call that starts them.
//!
//! A fork copies none of them, and so must not find a lock held by one: nobody would ever release the child's copy. So
//! such threads [work](busy) only while no fork is under way, and a fork waits for work in progress. What they lock outside of that, the child must not touch.

use crate::base::environment;
use crate::base::process;
use crate::base::threads::signals;
use std::io;
use std::sync::Once;
use std::sync::atomic::{
    AtomicU32, AtomicU64, Ordering::AcqRel, Ordering::Acquire, Ordering::Relaxed, Ordering::Release,
};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Threads that work, and forks under way in units of [`FORK`].
static WORK: AtomicU64 = AtomicU64::new(0);
const FORK: u64 = 1 << 32;
/// The [number](process) of the process that the threads belong to.
static OWNER: AtomicU32 = AtomicU32::new(0);

/// Forks are rare, so that who has to wait for one, or for work, looks again and again.
const AGAIN: Duration = Duration::from_micros(20);

/// Starts a thread. Signals are left to the others, and so is looking at the environment.
///
/// # Errors
/// If the system refuses to start one.
pub(crate) fn start(work: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    static WATCHED: Once = Once::new();
    // SAFETY: the handlers are functions of this library; the C library forgets them when the library is unloaded.
    WATCHED.call_once(|| unsafe {
        libc::pthread_atfork(Some(before_fork), Some(after_fork), Some(in_child));
    });
    let ours = process::current().number();
    if OWNER.swap(ours, AcqRel) != ours {
        // Threads of another process, from which this one was made without fork handlers.
        WORK.fetch_and(!(FORK - 1), AcqRel);
    }
    let _blocked = signals::block();
    let background = move || {
        environment::leave_to_others();
        work();
    };
    thread::Builder::new().name("postings".into()).spawn(background)
}

/// While it is there, a fork waits.
pub(crate) struct Busy(());

/// Begins a piece of work, after the forks that are under way. To be called by threads that [`start`] started, around all
/// that locks what others use, too.
pub(crate) fn busy() -> Busy {
    loop {
        let now = WORK.load(Relaxed);
        if now >= FORK {
            thread::sleep(AGAIN);
        } else if WORK.compare_exchange_weak(now, now + 1, Acquire, Relaxed).is_ok() {
            return Busy(());
        }
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        WORK.fetch_sub(1, Release);
    }
}

extern "C" fn before_fork() {
    WORK.fetch_add(FORK, AcqRel);
    while OWNER.load(Relaxed) == process::current().number() && WORK.load(Acquire) & (FORK - 1) != 0 {
        thread::sleep(AGAIN);
    }
}

extern "C" fn after_fork() {
    WORK.fetch_sub(FORK, AcqRel);
}

extern "C" fn in_child() {
    WORK.store(0, Release);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::process::tests::in_child;
    use std::sync::atomic::AtomicBool;
    use std::sync::{Arc, Mutex};

    /// A thread holds a lock most of the time; no child finds it held.
    #[test]
    fn a_fork_finds_no_thread_at_work() {
        let lock = Arc::new(Mutex::new(0u64));
        let stop = Arc::new(AtomicBool::new(false));
        let (of_thread, stops) = (lock.clone(), stop.clone());
        let thread = start(move || {
            while !stops.load(Relaxed) {
                let _busy = busy();
                let mut held = of_thread.lock().unwrap();
                thread::sleep(Duration::from_micros(300));
                *held += 1;
            }
        });
        while *lock.lock().unwrap() == 0 {}
        for _ in 0..50 {
            assert!(in_child(|| lock.try_lock().is_ok() && WORK.load(Relaxed) == 0), "the lock is held in a child");
        }
        let before = *lock.lock().unwrap();
        while *lock.lock().unwrap() < before + 3 {}
        stop.store(true, Relaxed);
        thread.unwrap().join().unwrap();
    }
}
