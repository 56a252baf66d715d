//! Before and after a fork.

use super::{SKIPPED, always, calls, code, has_device, named, results_are_right, skip};
use postings::{Codec, Error, PostingList, device, engine};
use std::time::{Duration, Instant};

pub fn forked_after_use() {
    if !has_device() {
        return;
    }
    let settings = always(&named());
    let kept = device::select(&named()).expect("it opens").expect("it is there");
    let list = PostingList::encode(&[1, 2, 3], Codec::ALL[0]).expect("sorted");
    in_child(|| {
        // The parent's device refuses to work; selecting one fails once, and from then on there is none.
        assert!(matches!(kept.decode(&list), Err(Error::Device(_))));
        results_are_right(&settings);
        assert_eq!(calls(), (2, 0, 1));
        assert!(device::select(&named()).expect("told once").is_none());
        assert!(device::devices(&named()).iter().all(|device| !device.selected));
        // A grandchild has no device either.
        in_child(|| assert!(device::select(&named()).expect("told").is_none()));
        drop(kept);
    });
    // The parent still has its device.
    results_are_right(&settings);
    assert!(device::select(&named()).expect("open").is_some());
}

/// A child in a separate PID namespace can have the same process id as its parent.
pub fn forked_with_the_same_id() {
    let outer = in_namespace(|| {
        if !has_device() {
            return;
        }
        let kept = device::select(&named()).expect("it opens").expect("it is there");
        let list = PostingList::encode(&[1, 2, 3], Codec::ALL[0]).expect("sorted");
        assert_eq!(std::process::id(), 1);
        let inner = in_namespace(|| {
            assert_eq!(std::process::id(), 1);
            assert!(matches!(kept.decode(&list), Err(Error::Device(_))));
            results_are_right(&always(&named()));
            assert_eq!(engine::stats().device_calls, 0);
        });
        assert!(inner, "a namespace in a namespace");
        assert_eq!(kept.decode(&list).expect("the parent goes on"), [1, 2, 3]);
    });
    if !outer {
        skip("this process may not make PID namespaces");
    }
}

/// Runs `work` in a child that is the first process of a new PID namespace; false if none can be created.
fn in_namespace(work: impl FnOnce()) -> bool {
    for flags in [libc::CLONE_NEWPID, libc::CLONE_NEWPID | libc::CLONE_NEWUSER] {
        // SAFETY: without a stack this is a fork, except that fork handlers do not run; this process has one thread of
        // its own.
        let pid = unsafe { libc::syscall(libc::SYS_clone, flags | libc::SIGCHLD, 0, 0, 0, 0) } as i32;
        if pid >= 0 {
            ends_well(pid, work);
            return true;
        }
    }
    false
}

pub fn forked_before_use() {
    in_child(|| {
        if has_device() {
            assert!(device::select(&named()).expect("it opens").is_some());
        }
    });
    if has_device() {
        assert!(device::select(&named()).expect("it opens").is_some());
    }
}

/// Runs `work` in a forked child, which must exit successfully within a minute.
pub fn in_child(work: impl FnOnce()) {
    // SAFETY: this process has only one thread of its own; that a driver's threads are missing in the child is what
    // this tests.
    let pid = unsafe { libc::fork() };
    assert!(pid >= 0, "fork");
    ends_well(pid, work);
}

/// Runs `work` in the child, and waits for the child in the parent.
fn ends_well(pid: i32, work: impl FnOnce()) {
    if pid == 0 {
        let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        // SAFETY: `_exit` ends this child without the exit handlers, which belong to its parent.
        unsafe { libc::_exit(if ended.is_err() { 1 } else { code() }) };
    }
    let begun = Instant::now();
    let mut status = 0;
    // SAFETY: `pid` is a child of this process, and `status` has room for its status.
    while unsafe { libc::waitpid(pid, &mut status, libc::WNOHANG) } == 0 {
        assert!(begun.elapsed() < Duration::from_secs(60), "the forked child hangs");
        std::thread::sleep(Duration::from_millis(5));
    }
    match libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status)) {
        Some(SKIPPED) => skip("in the forked child, see above"),
        code => assert_eq!(code, Some(0), "the forked child's status"),
    }
}
