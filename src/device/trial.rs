//! Tries OpenCL in a child process first, because some drivers abort, crash or hang while devices are enumerated.
//!
//! The child loads the drivers and enumerates their devices. If it dies or takes too long, this process does not use
//! OpenCL. The verdict is kept in the cache folder, one for each environment. It is valid until the machine is rebooted
//! or the container, the drivers' files or the device nodes change. A bad verdict expires after ten minutes.
//!
//! The child is created by `clone` without flags, before this process has touched OpenCL. No signal is sent when it
//! ends, and an ordinary `wait` does not see it, so the program's `SIGCHLD` handlers and wait loops are not disturbed.
//! (A process with several threads forks in the ordinary way.) It runs with default signal handlers, without core dumps and
//! with its standard streams on `/dev/null`, ends with `_exit`, and is killed when its parent dies.

/// Whether `look` completes in a child process. Always so on systems other than Linux, where it is not tried.
///
/// # Errors
/// What went wrong in the child.
#[cfg(not(target_os = "linux"))]
pub(super) fn passes(_look: fn()) -> Result<(), String> {
    Ok(())
}

#[cfg(target_os = "linux")]
pub(super) use linux::passes;

#[cfg(target_os = "linux")]
mod linux {
    use crate::base::{cache_folder, environment};
    use libc::{c_int, pid_t};
    use std::fmt::Write;
    use std::fs;
    use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::MetadataExt;
    use std::path::{Path, PathBuf};
    use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

    /// The name of verdict files in the cache folder.
    const NAME: &str = "opencl";
    /// A driver that takes longer than this counts as hanging. (The first process after a boot has been seen to take
    /// several seconds.)
    const LIMIT: Duration = Duration::from_secs(20);
    /// How long a bad verdict is valid. It expires because a driver may have failed only temporarily.
    const KEPT: Duration = Duration::from_secs(600);
    /// How long to wait for a child to disappear after it has finished or been killed.
    const REAPING: Duration = Duration::from_secs(2);

    /// What became of the child.
    enum Outcome {
        Passed,
        Failed(String),
        TookTooLong,
        /// No child could be created.
        NotTried(std::io::Error),
    }

    pub(in super::super) fn passes(look: fn()) -> Result<(), String> {
        // SAFETY: takes no arguments and cannot fail.
        let user = unsafe { libc::geteuid() };
        let key = format!("{} {user}\n{}", env!("CARGO_PKG_VERSION"), environment::of_opencl());
        let facts = facts();
        if let Some(verdict) = cache_folder::load(NAME, &key).and_then(|kept| read(&kept, &facts, now())) {
            return verdict.map_err(|reason| failed(&format!("{reason} (seen by an earlier process)")));
        }
        let limit = limit();
        let (reason, keep) = match run(look, limit) {
            Outcome::Passed => {
                cache_folder::keep(NAME, &key, format!("passed\n{facts}").as_bytes());
                return Ok(());
            }
            // A limit of this process may be the cause.
            Outcome::Failed(reason) => (reason, !is_limited()),
            // With several threads a time-out proves nothing: a lock that another thread held when the child was
            // created stays locked in the child for ever.
            Outcome::TookTooLong => (format!("it took longer than {} s", limit.as_secs_f32()), threads() == Some(1)),
            Outcome::NotTried(error) => (format!("no child process could be created: {error}"), false),
        };
        if keep {
            cache_folder::keep(NAME, &key, format!("failed {} {reason}\n{facts}", now()).as_bytes());
        }
        Err(failed(&reason))
    }

    fn failed(reason: &str) -> String {
        format!("a child process looked for devices, and {reason}")
    }

    /// Parses a kept verdict; `None` if its facts differ from the present ones or it has expired.
    fn read(kept: &[u8], facts: &str, now: u64) -> Option<Result<(), String>> {
        let (verdict, found_with) = std::str::from_utf8(kept).ok()?.split_once('\n')?;
        if found_with != facts {
            return None;
        }
        if verdict == "passed" {
            return Some(Ok(()));
        }
        let (time, reason) = verdict.strip_prefix("failed ")?.split_once(' ')?;
        let age = now.checked_sub(time.parse().ok()?)?;
        (age < KEPT.as_secs()).then(|| Err(reason.to_owned()))
    }

    fn now() -> u64 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
    }

    fn limit() -> Duration {
        let named = environment::variable("POSTINGS_OPENCL_SECONDS").and_then(|text| text.to_str()?.parse().ok());
        named.filter(|seconds: &f32| (0.0..=3600.0).contains(seconds)).map_or(LIMIT, Duration::from_secs_f32)
    }

    /// Whether this process has less memory, for data or for its stack, than drivers may want.
    fn is_limited() -> bool {
        [(libc::RLIMIT_AS, 8u64 << 30), (libc::RLIMIT_DATA, 8 << 30), (libc::RLIMIT_STACK, 1 << 20)].into_iter().any(
            |(limit, enough)| {
                let mut found = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
                // SAFETY: room for the limit.
                unsafe { libc::getrlimit(limit, &mut found) == 0 && found.rlim_cur < enough }
            },
        )
    }

    fn threads() -> Option<usize> {
        fs::read_dir("/proc/self/task").ok().map(Iterator::count)
    }

    /// Runs `look` in a child.
    fn run(look: fn(), limit: Duration) -> Outcome {
        let mut ends = [0; 2];
        // SAFETY: `ends` has room for two descriptors.
        if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
            return Outcome::NotTried(std::io::Error::last_os_error());
        }
        // SAFETY: `pipe2` succeeded, so both descriptors are open and nothing else owns them.
        let [read, write] = ends.map(|end| unsafe { OwnedFd::from_raw_fd(end) });
        // SAFETY: `clone` without flags and stack is a fork that sends no signal. The child runs `child` only, which never
        // returns. Nothing of this thread's is locked. If there are other threads, `fork` sees to the C library's own
        // locks, and the signal is the lesser evil; another lock that they hold may make the child hang, which ends it
        // after `limit`.
        let pid = unsafe {
            if threads() == Some(1) { libc::syscall(libc::SYS_clone, 0, 0, 0, 0, 0) as pid_t } else { libc::fork() }
        };
        if pid == 0 {
            child(read.as_raw_fd(), write.as_raw_fd(), look);
        }
        if pid < 0 {
            return Outcome::NotTried(std::io::Error::last_os_error());
        }
        drop(write);
        let deadline = Instant::now() + limit;
        let heard = hear(&read, deadline);
        if heard == Some(true) {
            // The child has succeeded; how its drivers behave while it exits does not matter.
            if let Child::Runs = reap(pid) {
                kill(pid);
            }
            return Outcome::Passed;
        }
        match if heard.is_some() { reap(pid) } else { Child::Runs } {
            Child::Ended(status) if libc::WIFSIGNALED(status) => {
                Outcome::Failed(format!("was killed by {}", signal(libc::WTERMSIG(status))))
            }
            Child::Ended(status) => Outcome::Failed(format!("ended with status {}", libc::WEXITSTATUS(status))),
            Child::Gone => Outcome::Failed("ended unseen".into()),
            Child::Runs => {
                kill(pid);
                Outcome::TookTooLong
            }
        }
    }

    /// Whether the child reported success; false if it ended without, `None` if the time is up.
    fn hear(from: &OwnedFd, deadline: Instant) -> Option<bool> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let mut poll = libc::pollfd { fd: from.as_raw_fd(), events: libc::POLLIN, revents: 0 };
            // SAFETY: `poll` is one valid `pollfd`, and the count is 1.
            let ready = unsafe { libc::poll(&mut poll, 1, left.as_millis().min(3_600_000) as c_int) };
            if ready > 0 {
                let mut byte = 0u8;
                // SAFETY: `byte` has room for one byte.
                return Some(unsafe { libc::read(from.as_raw_fd(), (&raw mut byte).cast(), 1) } == 1);
            }
            // Otherwise `poll` was interrupted by a signal, or less than a millisecond is left.
            if left.is_zero() {
                return None;
            }
        }
    }

    /// What became of a child that was waited for.
    enum Child {
        /// It ended, with this status.
        Ended(c_int),
        /// It runs.
        Runs,
        /// It is no child any more: the program has waited for it, or ignores `SIGCHLD`.
        Gone,
    }

    /// Waits for a child that has ended or is about to end.
    fn reap(pid: pid_t) -> Child {
        let deadline = Instant::now() + REAPING;
        let mut status = 0;
        loop {
            // SAFETY: `status` has room for the status.
            match unsafe { libc::waitpid(pid, &mut status, libc::WNOHANG | libc::__WALL) } {
                0 if Instant::now() < deadline => std::thread::sleep(Duration::from_micros(200)),
                0 => return Child::Runs,
                ended if ended == pid => return Child::Ended(status),
                _ if std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted => {}
                _ => return Child::Gone,
            }
        }
    }

    fn kill(pid: pid_t) {
        // SAFETY: `reap` has not collected this child, so its id is still its own, unless foreign code has waited for
        // it.
        unsafe { libc::kill(pid, libc::SIGKILL) };
        reap(pid);
    }

    fn signal(number: c_int) -> String {
        match number {
            libc::SIGABRT => "SIGABRT".into(),
            libc::SIGSEGV => "SIGSEGV".into(),
            libc::SIGBUS => "SIGBUS".into(),
            libc::SIGILL => "SIGILL".into(),
            libc::SIGFPE => "SIGFPE".into(),
            libc::SIGKILL => "SIGKILL".into(),
            libc::SIGSYS => "SIGSYS".into(),
            number => format!("signal {number}"),
        }
    }

    /// The body of the child process.
    fn child(read: RawFd, write: RawFd, look: fn()) -> ! {
        // SAFETY: these system calls affect only this process, which has one thread; the descriptors are those of the
        // pipe, and all pointers are to live, initialised values.
        let write = unsafe {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            // Not 0, because with 0 a core-dump handler program is still started.
            let core = libc::rlimit { rlim_cur: 1, rlim_max: 1 };
            libc::setrlimit(libc::RLIMIT_CORE, &core);
            for signal in 1..=libc::SIGRTMAX() {
                libc::signal(signal, libc::SIG_DFL);
            }
            let mut none = std::mem::zeroed();
            libc::sigemptyset(&mut none);
            libc::sigprocmask(libc::SIG_SETMASK, &none, std::ptr::null_mut());
            // If the parent has closed its standard streams, the pipe may have their descriptor numbers.
            let write = libc::fcntl(write, libc::F_DUPFD_CLOEXEC, 3);
            let null = libc::open(c"/dev/null".as_ptr(), libc::O_RDWR);
            // Without /dev/null, use the read end of the pipe: writes to it fail too.
            let null = if null >= 0 { null } else { read };
            for stream in 0..3 {
                libc::dup2(null, stream);
            }
            write
        };
        log::set_max_level(log::LevelFilter::Off);
        let looked = std::panic::catch_unwind(look).is_ok();
        // SAFETY: writes one byte from a static string to the pipe. `_exit` skips the exit handlers, which belong to
        // the parent.
        unsafe {
            if looked {
                libc::write(write, b"+".as_ptr().cast(), 1);
            }
            libc::_exit(i32::from(!looked));
        }
    }

    /// What a verdict depends on besides the environment, as lines of text.
    fn facts() -> String {
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        let container = fs::read_link("/proc/self/ns/mnt").unwrap_or_default();
        let sys = Path::new("/sys/devices/system/cpu").exists();
        let mut facts = format!("{} {} {sys}\n", boot.trim(), container.display());
        let libraries = library_folders();
        // A library given by name alone is found in the cache of `ldconfig` or in one of the usual folders.
        for file in ["/etc/ld.so.cache", "/etc/ld.so.preload"] {
            describe(&mut facts, Path::new(file));
        }
        match environment::variable("POSTINGS_OPENCL_LIBRARY") {
            Some(named) => library(&mut facts, &libraries, Path::new(&named)),
            None => {
                library(&mut facts, &libraries, Path::new("libOpenCL.so.1"));
                library(&mut facts, &libraries, Path::new("libOpenCL.so"));
            }
        }
        for file in driver_files() {
            describe(&mut facts, &file);
            if fs::metadata(&file).is_ok_and(|meta| meta.is_file() && meta.len() <= 4096)
                && let Ok(named) = fs::read_to_string(&file)
            {
                let _ = writeln!(facts, "{named:?}");
                named.lines().for_each(|line| library(&mut facts, &libraries, Path::new(line.trim())));
            }
        }
        let nodes = entries(Path::new("/dev")).into_iter().filter(|node| {
            let name = node.file_name().unwrap_or_default().as_bytes();
            name.starts_with(b"nvidia") || name == b"kfd"
        });
        for node in nodes.chain(entries(Path::new("/dev/dri"))) {
            let _ = writeln!(facts, "{}", node.display());
        }
        facts
    }

    /// Adds a line that changes whenever the file does, or nothing if there is no such file.
    fn describe(facts: &mut String, file: &Path) {
        if let Ok(meta) = fs::metadata(file) {
            let _ = writeln!(
                facts,
                "{} {} {} {}.{:09}",
                file.display(),
                meta.ino(),
                meta.len(),
                meta.mtime(),
                meta.mtime_nsec()
            );
        }
    }

    /// Describes the library of that name or path, in every folder in which it may be found.
    fn library(facts: &mut String, folders: &[PathBuf], named: &Path) {
        if named.components().count() > 1 {
            describe(facts, named);
        } else if !named.as_os_str().is_empty() {
            folders.iter().for_each(|folder| describe(facts, &folder.join(named)));
        }
    }

    fn library_folders() -> Vec<PathBuf> {
        let named = environment::variable("LD_LIBRARY_PATH").unwrap_or_default();
        let triplet = format!("{}-linux-gnu", std::env::consts::ARCH);
        let usual = ["/lib", "/usr/lib", "/lib64", "/usr/lib64", "/usr/local/lib"].into_iter().map(PathBuf::from);
        let of_triplet =
            ["/lib", "/usr/lib", "/usr/local/lib"].into_iter().map(|folder| Path::new(folder).join(&triplet));
        std::env::split_paths(&named).chain(usual).chain(of_triplet).collect()
    }

    /// The files from which OpenCL loaders learn which drivers there are.
    fn driver_files() -> Vec<PathBuf> {
        let mut files = Vec::new();
        for folder in ["/etc/OpenCL/vendors", "/usr/local/etc/OpenCL/vendors", "/usr/share/OpenCL/vendors"] {
            files.extend(entries(Path::new(folder)));
        }
        for name in ["OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH", "OCL_ICD_FILENAMES", "OPENCL_LAYERS"] {
            for path in std::env::split_paths(&environment::variable(name).unwrap_or_default()) {
                files.extend(entries(&path));
                files.push(path);
            }
        }
        files
    }

    /// The sorted contents of a folder; empty if there is no such folder.
    fn entries(folder: &Path) -> Vec<PathBuf> {
        let read = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut entries: Vec<PathBuf> = read.map(|entry| entry.path()).collect();
        entries.sort();
        entries
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        fn outcome(look: fn(), limit: Duration) -> String {
            match run(look, limit) {
                Outcome::Passed => "passed".into(),
                Outcome::Failed(reason) => reason,
                Outcome::TookTooLong => "took too long".into(),
                Outcome::NotTried(error) => panic!("{error}"),
            }
        }

        #[test]
        fn the_parent_survives_whatever_the_child_does() {
            let long = Duration::from_secs(60);
            assert_eq!(outcome(|| (), long), "passed");
            assert_eq!(outcome(|| std::process::abort(), long), "was killed by SIGABRT");
            // SAFETY: runs in the child only, which it is meant to kill.
            assert_eq!(outcome(|| assert_eq!(unsafe { libc::raise(libc::SIGSEGV) }, 0), long), "was killed by SIGSEGV");
            // SAFETY: as above.
            assert_eq!(outcome(|| unsafe { libc::_exit(7) }, long), "ended with status 7");
            assert_eq!(outcome(|| panic!("in the child"), long), "ended with status 1");
            let hang = || loop {
                std::thread::sleep(Duration::from_secs(1));
            };
            assert_eq!(outcome(hang, Duration::from_millis(50)), "took too long");
        }

        #[test]
        fn verdicts_hold_for_the_same_facts_and_bad_ones_not_for_long() {
            let hour = KEPT.as_secs();
            let read = |kept: &str, now| read(kept.as_bytes(), "facts\n", now);
            assert_eq!(read("passed\nfacts\n", 0), Some(Ok(())));
            assert_eq!(read("failed 1000 was killed\nfacts\n", 1000), Some(Err("was killed".into())));
            assert_eq!(read("failed 1000 was killed\nfacts\n", 999 + hour), Some(Err("was killed".into())));
            assert_eq!(read("failed 1000 was killed\nfacts\n", 1000 + hour), None);
            for strange in ["failed 1001 from the future", "failed x y", "failed", "passed ", "", "\u{e9}"] {
                assert_eq!(read(&format!("{strange}\nfacts\n"), 1000), None, "{strange}");
            }
            for other in ["passed", "passed\n", "passed\nother\n", "passed\nfacts\nmore\n"] {
                assert_eq!(read(other, 1000), None, "{other}");
            }
        }

        #[test]
        fn facts_change_with_a_file() {
            let file = std::env::temp_dir().join(format!("postings-facts-{}", std::process::id()));
            let described = || {
                let mut facts = String::new();
                library(&mut facts, &[std::env::temp_dir()], Path::new(file.file_name().unwrap()));
                facts
            };
            assert_eq!(described(), "");
            fs::write(&file, "a").unwrap();
            let first = described();
            assert!(first.contains(" 1 "), "{first}");
            fs::write(&file, "ab").unwrap();
            assert_ne!(described(), first);
            fs::remove_file(&file).unwrap();
        }
    }
}
