//! What a loss of power may leave of the files of a folder, for tests.
//!
//! POSIX promises that the content of a file is durable once the file was synced, and which files there are once the folder
//! was. What was done since may be there or not, in any order: any name may have gone back to any file that it has had since,
//! and of what was written any sectors may be missing.

use crate::base::noise::Noise;
use std::collections::BTreeMap;
use std::ffi::OsString;

/// What was done to the files.
#[derive(Debug, Clone)]
pub(crate) enum Event {
    Created(OsString),
    /// A second name of a file that is durable elsewhere.
    Linked(OsString, Vec<u8>),
    Written(OsString, Vec<u8>),
    Synced(OsString, Vec<u8>),
    Renamed(OsString, OsString),
    Removed(OsString),
    FolderSynced,
}

/// How much of what is not durable is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Left {
    /// Nothing.
    Nothing,
    /// All names, but no content that was not made durable.
    Names,
    /// Removals, but no new names.
    Removals,
    /// Renamed files, but no other new names, and all removals.
    Renames,
    /// By chance, from that seed: of each name and each sector.
    Some(u64),
}

/// A disk writes so many bytes or none.
const SECTOR: usize = 512;

/// What made a name lead where it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    /// It is durable.
    Sync,
    Creation,
    Renaming,
    Removal,
}

#[derive(Debug, Default)]
struct Content {
    durable: Vec<u8>,
    written: Vec<u8>,
}

/// Which of the files each name has led to since the folder was synced, what is durable first.
#[derive(Debug, Default)]
struct Names(BTreeMap<OsString, Vec<(By, Option<usize>)>>);

impl Names {
    fn now(&self, name: &OsString) -> Option<usize> {
        self.0.get(name)?.last()?.1
    }

    fn lead(&mut self, name: &OsString, by: By, to: Option<usize>) {
        self.0.entry(name.clone()).or_insert_with(|| vec![(By::Sync, None)]).push((by, to));
    }

    fn sync(&mut self) {
        self.0.retain(|_, states| states.last().is_some_and(|state| state.1.is_some()));
        self.0.values_mut().for_each(|states| *states = vec![(By::Sync, states[states.len() - 1].1)]);
    }
}

/// The files that a folder has after a loss of power that comes after those events.
pub(crate) fn after_power_loss(events: &[Event], left: Left) -> BTreeMap<OsString, Vec<u8>> {
    let mut files: Vec<Content> = Vec::new();
    let mut names = Names::default();
    for event in events {
        match event {
            Event::Created(name) => {
                assert!(names.now(name).is_none(), "{name:?} is created anew, never overwritten");
                files.push(Content::default());
                names.lead(name, By::Creation, Some(files.len() - 1));
            }
            Event::Linked(name, content) => {
                assert!(names.now(name).is_none(), "{name:?} is free");
                files.push(Content { durable: content.clone(), written: content.clone() });
                names.lead(name, By::Creation, Some(files.len() - 1));
            }
            Event::Written(name, bytes) => files[names.now(name).unwrap()].written.extend(bytes),
            Event::Synced(name, content) => {
                let file = &mut files[names.now(name).unwrap()];
                assert_eq!(*content, file.written, "all that was written to {name:?} was seen");
                file.durable.clone_from(content);
            }
            Event::Renamed(old, new) => {
                let file = names.now(old).unwrap();
                names.lead(old, By::Renaming, None);
                names.lead(new, By::Renaming, Some(file));
            }
            Event::Removed(name) => names.lead(name, By::Removal, None),
            Event::FolderSynced => names.sync(),
        }
    }
    let mut chance = Noise(if let Left::Some(seed) = left { seed } else { 0 });
    let mut name_left = |states: &[(By, Option<usize>)]| {
        let is_left = |by: By| match left {
            Left::Names => true,
            Left::Removals => matches!(by, By::Sync | By::Removal),
            Left::Renames => by != By::Creation,
            Left::Nothing | Left::Some(_) => by == By::Sync,
        };
        match left {
            Left::Some(_) => states[chance.below(states.len())].1,
            _ => states.iter().rev().find(|state| is_left(state.0)).and_then(|state| state.1),
        }
    };
    let names: Vec<(OsString, usize)> =
        names.0.into_iter().filter_map(|(name, states)| Some((name, name_left(&states)?))).collect();
    let content = |(name, file): (OsString, usize)| {
        let content = &files[file];
        let bytes = if let Left::Some(_) = left { torn(content, &mut chance) } else { content.durable.clone() };
        (name, bytes)
    };
    names.into_iter().map(content).collect()
}

/// What is left of a file: all that is durable, and of the rest anything.
fn torn(Content { durable, written }: &Content, chance: &mut Noise) -> Vec<u8> {
    let rest = &written[durable.len()..];
    // The length may be there without the bytes.
    let length = [0, rest.len(), chance.below(rest.len() + 1)][chance.below(3)];
    let mut left = durable.clone();
    let mut is_missing = false;
    for (at, &byte) in rest[..length].iter().enumerate() {
        if at == 0 || left.len().is_multiple_of(SECTOR) {
            is_missing = chance.below(4) == 0;
        }
        left.push(if is_missing { 0 } else { byte });
    }
    left
}
