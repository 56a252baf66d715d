//! Failures on request, for tests: of single operations on the files below a folder.

use super::Operation;
use super::power_loss::Event;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// What happens at the chosen operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// That one fails, with this error number.
    Once(i32),
    /// That one and all later ones fail, with this error number.
    From(i32),
    /// That one and all later ones fail if they are of this kind, with this error number.
    Of(Operation, i32),
    /// The process ends before that one, as by `kill -9`.
    Kill,
}

#[derive(Debug, Default)]
struct State {
    operations: Vec<(Operation, OsString)>,
    fault: Option<(usize, Fault)>,
    events: Vec<Event>,
}

/// Watches one folder until it is dropped.
#[derive(Debug)]
pub(crate) struct Watch {
    state: Arc<Mutex<State>>,
}

static WATCHED: Mutex<Vec<(PathBuf, Arc<Mutex<State>>)>> = Mutex::new(Vec::new());

impl Watch {
    /// Counts what happens below that folder from now on. Operation `at`, counted from 0, gets the fault.
    pub(crate) fn new(folder: &Path, fault: Option<(usize, Fault)>) -> Watch {
        let state = Arc::new(Mutex::new(State { fault, ..State::default() }));
        let folder = std::path::absolute(folder).unwrap();
        lock(&WATCHED).push((folder, state.clone()));
        Watch { state }
    }

    /// The operations so far, failed ones too.
    pub(crate) fn operations(&self) -> Vec<(Operation, OsString)> {
        lock(&self.state).operations.clone()
    }

    /// The events so far.
    pub(crate) fn events(&self) -> Vec<Event> {
        lock(&self.state).events.clone()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        lock(&WATCHED).retain(|(_, state)| !Arc::ptr_eq(state, &self.state));
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn watch_of(path: &Path) -> Option<Arc<Mutex<State>>> {
    lock(&WATCHED).iter().find(|(folder, _)| path.starts_with(folder)).map(|(_, state)| state.clone())
}

fn name(path: &Path) -> OsString {
    path.file_name().unwrap_or_default().into()
}

pub(super) fn gate(operation: Operation, path: &Path) -> io::Result<()> {
    let Some(state) = watch_of(path) else {
        return Ok(());
    };
    let mut state = lock(&state);
    let at = state.operations.len();
    state.operations.push((operation, name(path)));
    match state.fault {
        Some((fails, Fault::Once(number))) if at == fails => Err(io::Error::from_raw_os_error(number)),
        Some((fails, Fault::From(number))) if at >= fails => Err(io::Error::from_raw_os_error(number)),
        Some((fails, Fault::Of(kind, number))) if at >= fails && operation == kind => {
            Err(io::Error::from_raw_os_error(number))
        }
        Some((fails, Fault::Kill)) if at == fails => {
            // SAFETY: ends this process.
            unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
            unreachable!("killed")
        }
        _ => Ok(()),
    }
}

pub(super) fn done(operation: Operation, path: &Path, to: Option<&Path>) {
    let Some(state) = watch_of(path) else {
        return;
    };
    let event = match operation {
        Operation::Create => Event::Created(name(path)),
        Operation::Link => Event::Linked(name(path), std::fs::read(path).unwrap()),
        Operation::Sync => Event::Synced(name(path), std::fs::read(path).unwrap()),
        Operation::Rename => Event::Renamed(name(path), name(to.unwrap())),
        Operation::Remove => Event::Removed(name(path)),
        Operation::SyncFolder => Event::FolderSynced,
        _ => return,
    };
    lock(&state).events.push(event);
}

/// Comes after bytes were written to a file.
pub(super) fn wrote(path: &Path, bytes: &[u8]) {
    if let Some(state) = watch_of(path) {
        lock(&state).events.push(Event::Written(name(path), bytes.to_vec()));
    }
}
