//! Identifies this process, so that a child can tell that it is not its parent.
//!
//! The process id is not enough: a child in another PID namespace can have its parent's id, and ids are reused. So each
//! process has a number, kept in a page that the kernel zeroes in a child (`MADV_WIPEONFORK`, since Linux 4.14). A fork
//! handler zeroes it too. Without such a page, the process id is compared as well.

use once_cell::sync::OnceCell;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The identity of a process, which differs from those of all its ancestors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Process(u32);

impl Process {
    /// The process's number, which is never 0.
    pub(crate) fn number(self) -> u32 {
        self.0
    }
}

/// This process. Takes a few nanoseconds.
pub(crate) fn current() -> Process {
    MARK.get_or_init(Mark::new).process()
}

static MARK: OnceCell<Mark> = OnceCell::new();
/// The next number. A child inherits it, so it never gets the number of an ancestor.
static NEXT: AtomicU32 = AtomicU32::new(1);

struct Mark {
    /// The process's number; 0 in a child that has not been given its own yet.
    number: &'static AtomicU32,
    /// Whether the kernel zeroes `number` in every child, however it is created.
    wiped: bool,
    id: AtomicU32,
}

impl Mark {
    fn new() -> Mark {
        // SAFETY: the handler is a function of this library; the C library forgets it when the library is unloaded.
        unsafe { libc::pthread_atfork(None, None, Some(forget)) };
        match wiped_page() {
            Some(number) => Mark { number, wiped: true, id: AtomicU32::new(0) },
            None => Mark::without_page(),
        }
    }

    fn without_page() -> Mark {
        Mark { number: Box::leak(Box::new(AtomicU32::new(0))), wiped: false, id: AtomicU32::new(0) }
    }

    fn process(&self) -> Process {
        let number = self.number.load(Relaxed);
        if number != 0 && (self.wiped || self.id.load(Relaxed) == std::process::id()) {
            return Process(number);
        }
        let new = NEXT.fetch_add(1, Relaxed);
        self.id.store(std::process::id(), Relaxed);
        // A thread that lost the race takes the winner's number.
        Process(self.number.compare_exchange(number, new, Relaxed, Relaxed).map_or_else(|winner| winner, |_| new))
    }
}

/// Runs in the child of each `fork`.
extern "C" fn forget() {
    if let Some(mark) = MARK.get() {
        mark.number.store(0, Relaxed);
    }
}

#[cfg(target_os = "linux")]
fn wiped_page() -> Option<&'static AtomicU32> {
    const BYTES: usize = 4096;
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: maps new memory at an address of the kernel's choice, so nothing is replaced.
    let page = unsafe { libc::mmap(std::ptr::null_mut(), BYTES, protection, flags, -1, 0) };
    if page == libc::MAP_FAILED {
        return None;
    }
    // SAFETY: the range is the page mapped above.
    if unsafe { libc::madvise(page, BYTES, libc::MADV_WIPEONFORK) } != 0 {
        // SAFETY: as above, and nothing refers to it.
        unsafe { libc::munmap(page, BYTES) };
        return None;
    }
    // SAFETY: `mmap` gave zeroed memory, aligned to a page, that is never unmapped.
    Some(unsafe { &*page.cast::<AtomicU32>() })
}

#[cfg(not(target_os = "linux"))]
fn wiped_page() -> Option<&'static AtomicU32> {
    None
}

#[cfg(all(test, target_os = "linux"))]
pub(crate) mod tests {
    use super::*;

    /// Runs `check` in a child created without `fork`, so that no fork handler runs. Returns what `check` returned.
    fn in_raw_child(check: impl FnOnce() -> bool) -> bool {
        // SAFETY: like fork; the child only compares numbers and exits.
        of_child(unsafe { libc::syscall(libc::SYS_clone, libc::SIGCHLD, 0, 0, 0, 0) } as libc::pid_t, check)
    }

    /// What `check` returns in a forked child, which has one thread.
    pub(crate) fn in_child(check: impl FnOnce() -> bool) -> bool {
        // SAFETY: the child runs `check`, which does what a child of a process with threads may do, and exits.
        of_child(unsafe { libc::fork() }, check)
    }

    /// What `check` returns in the child; `child` is what fork returned, here and there.
    fn of_child(child: libc::pid_t, check: impl FnOnce() -> bool) -> bool {
        assert!(child >= 0);
        if child == 0 {
            let code = i32::from(!check());
            // SAFETY: `_exit` ends the child without the exit handlers, which belong to the parent.
            unsafe { libc::_exit(code) };
        }
        let mut status = -1;
        // SAFETY: `child` is a child of this process, and `status` has room for its status.
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        status == 0
    }

    #[test]
    fn a_child_is_another_process_however_it_was_made() {
        let me = current();
        assert_eq!(me, current());
        assert!(in_raw_child(|| current() != me && current() == current()));
        assert_eq!(me, current());
    }

    #[test]
    fn the_page_alone_tells() {
        let mark = MARK.get_or_init(Mark::new);
        assert!(mark.wiped, "this kernel has no MADV_WIPEONFORK");
        let me = mark.process();
        // As in a child that was given its parent's process id.
        assert!(in_raw_child(|| {
            mark.id.store(std::process::id(), Relaxed);
            mark.process() != me
        }));
    }

    #[test]
    fn without_a_page_the_id_tells() {
        let mark = Mark::without_page();
        let me = mark.process();
        assert_eq!(mark.process(), me);
        assert!(in_raw_child(|| mark.process() != me));
    }
}
