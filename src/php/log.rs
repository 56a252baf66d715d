//! The `log` crate into PHP's error log, down to the level of `postings.log_level`.
//!
//! PHP's log may only be written by a PHP thread, and writing it may end the script by a jump over our frames. So
//! records wait in a short queue until a call is about to return to PHP. Where requests are threads, each has its own
//! level and queue; another queue takes the records of threads that serve all of them.

use super::ffi::{self, php_log_err_with_severity};
use log::{Level, LevelFilter, Log, Metadata, Record};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::ffi::{CString, c_int};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// How many records may wait; further ones are counted and dropped.
const CAPACITY: usize = 256;

struct Queue {
    records: VecDeque<(Level, String)>,
    dropped: usize,
}

impl Queue {
    const fn new() -> Queue {
        Queue { records: VecDeque::new(), dropped: 0 }
    }

    fn push(&mut self, level: Level, text: String) {
        if self.records.len() < CAPACITY {
            self.records.push_back((level, text));
        } else {
            self.dropped += 1;
        }
    }

    fn pop(&mut self) -> Option<(Level, String)> {
        match self.records.pop_front() {
            None if self.dropped > 0 => {
                let text = format!("postings: {} log records were dropped", std::mem::take(&mut self.dropped));
                Some((Level::Warn, text))
            }
            next => next,
        }
    }
}

thread_local! {
    /// What `postings.log_level` is in this thread; `None` in threads that are not PHP's.
    static LEVEL: Cell<Option<LevelFilter>> = const { Cell::new(None) };
    /// The records of this thread, if it is PHP's.
    static OWN: RefCell<Queue> = const { RefCell::new(Queue::new()) };
}

/// The level of threads that are not PHP's.
static OTHERS: AtomicUsize = AtomicUsize::new(LevelFilter::Off as usize);
/// The records of those, which any PHP thread writes.
static QUEUE: Mutex<Queue> = Mutex::new(Queue::new());
static WAITING: AtomicBool = AtomicBool::new(false);

struct Logger;

static LOGGER: Logger = Logger;

impl Log for Logger {
    fn enabled(&self, metadata: &Metadata) -> bool {
        let level = metadata.level() as usize;
        metadata.target().starts_with("postings")
            && level <= LEVEL.get().map_or_else(|| OTHERS.load(Ordering::Relaxed), |of_thread| of_thread as usize)
    }

    fn log(&self, record: &Record) {
        if !self.enabled(record.metadata()) {
            return;
        }
        let text = format!("postings: {}", record.args());
        if LEVEL.get().is_some() {
            return OWN.with(|own| own.borrow_mut().push(record.level(), text));
        }
        QUEUE.lock().unwrap_or_else(PoisonError::into_inner).push(record.level(), text);
        WAITING.store(true, Ordering::Release);
    }

    fn flush(&self) {}
}

/// Makes this the process's logger. A second start of the module keeps the first.
pub fn install() {
    // It fails only if there is a logger already: ours, from the start before.
    let _ = log::set_logger(&LOGGER);
    std::panic::set_hook(Box::new(|panic| log::error!("internal error: {panic}")));
}

/// Silences the log: PHP's is about to go.
pub fn uninstall() {
    log::set_max_level(LevelFilter::Off);
    drop(std::panic::take_hook());
}

/// Takes the level of this thread, which is PHP's. `is_first`: of all threads, as PHP starts, or starts a thread.
pub fn set_level(level: LevelFilter, is_first: bool) {
    LEVEL.set(Some(level));
    if !ffi::has_threads() || is_first {
        OTHERS.store(level as usize, Ordering::Relaxed);
    }
    // Other threads may have asked for more.
    let most = if ffi::has_threads() { level.max(log::max_level()) } else { level };
    log::set_max_level(most);
}

/// The level of that name. Unquoted in php.ini and after `-d`, `off` is a keyword that PHP turns into nothing.
pub fn level(name: &[u8]) -> Option<LevelFilter> {
    match name {
        b"off" | b"" => Some(LevelFilter::Off),
        b"error" => Some(LevelFilter::Error),
        b"warn" => Some(LevelFilter::Warn),
        b"info" => Some(LevelFilter::Info),
        b"debug" => Some(LevelFilter::Debug),
        b"trace" => Some(LevelFilter::Trace),
        _ => None,
    }
}

/// The severities of syslog, which PHP's log takes.
fn severity(level: Level) -> c_int {
    match level {
        Level::Error => 3,
        Level::Warn => 4,
        Level::Info => 6,
        Level::Debug | Level::Trace => 7,
    }
}

fn write(level: Level, text: String) {
    let text = CString::new(text.replace('\0', "\\0")).unwrap_or_default();
    // SAFETY: a PHP thread calls this, with a C string.
    unsafe { php_log_err_with_severity(text.as_ptr(), severity(level)) };
}

/// Writes the waiting records. Only from a PHP thread, and with no value alive that a jump must not skip.
pub fn flush() {
    while let Some((level, text)) = OWN.with(|own| own.borrow_mut().pop()) {
        write(level, text);
    }
    if !WAITING.swap(false, Ordering::AcqRel) {
        return;
    }
    loop {
        let next = QUEUE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let Some((level, text)) = next else { return };
        write(level, text);
    }
}
