//! [`Answers`]: what is done and not taken yet, and a descriptor to wait for it with.

use super::Taken;
use crate::base::error::Result;
use crate::search::Found;
use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// What came of a query.
pub(super) type Answer = Result<Found>;

pub(super) struct Answers {
    done: Mutex<Done>,
    /// An eventfd(2) that can be read while `done` is not empty. It is written and read under the lock alone.
    ready: OwnedFd,
}

#[derive(Default)]
struct Done {
    answers: VecDeque<(u64, Answer)>,
    /// How many of them are errors.
    failed: usize,
}

impl Answers {
    pub(super) fn new() -> io::Result<Answers> {
        // SAFETY: takes no pointers.
        let ready = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) };
        if ready < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor is new, and nobody else's.
        Ok(Answers { done: Mutex::default(), ready: unsafe { OwnedFd::from_raw_fd(ready) } })
    }

    pub(super) fn add(&self, answers: impl IntoIterator<Item = (u64, Answer)>) {
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        let Done { answers: all, failed } = &mut *done;
        let was_empty = all.is_empty();
        all.extend(answers.into_iter().inspect(|(_, answer)| *failed += usize::from(answer.is_err())));
        if was_empty && !all.is_empty() {
            let one = 1u64;
            // SAFETY: eight bytes that live. Adding 1 to 0 cannot fail.
            unsafe { libc::write(self.ready.as_raw_fd(), (&raw const one).cast(), size_of::<u64>()) };
        }
    }

    /// At most so many answers, up to the first query that failed; that one, if it is the first of all.
    pub(super) fn take(&self, most: usize) -> Taken {
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        let count = most.min(done.answers.len());
        if count == 0 {
            return Taken::Found(Vec::new());
        }
        let fine = if done.failed == 0 {
            count
        } else {
            done.answers.iter().take(count).take_while(|(_, answer)| answer.is_ok()).count()
        };
        let taken = if fine == done.answers.len() {
            std::mem::take(&mut done.answers)
        } else {
            done.answers.drain(..fine.max(1)).collect()
        };
        done.failed -= usize::from(fine == 0);
        if done.answers.is_empty() {
            let mut count = 0u64;
            // SAFETY: room for eight bytes.
            unsafe { libc::read(self.ready.as_raw_fd(), (&raw mut count).cast(), size_of::<u64>()) };
        }
        drop(done);
        let mut found = Vec::with_capacity(taken.len());
        for (ticket, answer) in taken {
            match answer {
                Ok(one) => found.push((ticket, one)),
                Err(error) => return Taken::Failed { ticket, error },
            }
        }
        Taken::Found(found)
    }

    pub(super) fn are_none(&self) -> bool {
        self.done.lock().unwrap_or_else(PoisonError::into_inner).answers.is_empty()
    }

    /// Waits until there is an answer, that much time has passed, or the thread has handled a signal.
    pub(super) fn wait(&self, time: Duration) {
        let milliseconds = i32::try_from(time.as_nanos().div_ceil(1_000_000)).unwrap_or(i32::MAX);
        let mut ready = libc::pollfd { fd: self.ready.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: one descriptor, which lives.
        unsafe { libc::poll(&raw mut ready, 1, milliseconds) };
    }

    pub(super) fn descriptor(&self) -> BorrowedFd<'_> {
        self.ready.as_fd()
    }
}
