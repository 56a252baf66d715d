//! The `log` crate into PHP's error log, down to the level of `postings.log_level`.
//!
//! PHP's log may only be written by a PHP thread, and writing it may end the script by a jump over our frames. So
//! records wait in a short queue until a call is about to return to PHP.

use super::ffi::php_log_err_with_severity;
use log::{Level, LevelFilter, Log, Metadata, Record};
use std::collections::VecDeque;
use std::ffi::{CString, c_int};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// How many records may wait; further ones are counted and dropped.
const CAPACITY: usize = 256;

struct Queue {
    records: VecDeque<(Level, String)>,
    dropped: usize,
}

static QUEUE: Mutex<Queue> = Mutex::new(Queue { records: VecDeque::new(), dropped: 0 });
static WAITING: AtomicBool = AtomicBool::new(false);

struct Logger;

static LOGGER: Logger = Logger;

impl Log for Logger {
    fn enabled(&self, metadata: &Metadata) -> bool {
        metadata.target().starts_with("postings") && metadata.level() <= log::max_level()
    }

    fn log(&self, record: &Record) {
        if !self.enabled(record.metadata()) {
            return;
        }
        let text = format!("postings: {}", record.args());
        let mut queue = QUEUE.lock().unwrap_or_else(PoisonError::into_inner);
        if queue.records.len() < CAPACITY {
            queue.records.push_back((record.level(), text));
        } else {
            queue.dropped += 1;
        }
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
    if !WAITING.swap(false, Ordering::AcqRel) {
        return;
    }
    loop {
        let next = {
            let mut queue = QUEUE.lock().unwrap_or_else(PoisonError::into_inner);
            match queue.records.pop_front() {
                None if queue.dropped > 0 => {
                    let text = format!("postings: {} log records were dropped", std::mem::take(&mut queue.dropped));
                    Some((Level::Warn, text))
                }
                next => next,
            }
        };
        match next {
            Some((level, text)) => write(level, text),
            None => return,
        }
    }
}
