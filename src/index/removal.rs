//! Whether there is an index in a folder, removing one, and removing files that no manifest names.
//!
//! The manifest is renamed first: from then on there is no index. A removal that was interrupted leaves `manifest.tmp`, by
//! which the next one knows that the files beside it are an index's.

use super::lock::{self, Lock};
use super::manifest;
use super::snapshot;
use super::storage::{self, Folder};
use crate::base::error::{Error, Result};
use std::collections::HashSet;
use std::fs;
use std::io::{ErrorKind, Read};
use std::path::Path;

/// Whether there is an index, be it a damaged one: whether the folder has a manifest.
///
/// # Errors
/// [`Error::File`] if that cannot be known.
pub fn exists(path: &Path) -> Result<bool> {
    match path.join(manifest::NAME).symlink_metadata() {
        Ok(_) => Ok(true),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(false),
        Err(error) => Err(storage::failed(path, &error)),
    }
}

/// Removes an index, and its folder if that has nothing else in it and is no symbolic link. Returns whether there was one.
/// Readers that have it open go on. Damaged indexes are removed, too.
///
/// # Errors
/// [`Error::Locked`] if a writer has it, and [`Error::File`] if one of its files is a symbolic link, or the manifest is
/// none: nothing was removed then. [`Error::File`] if a file cannot be removed: call again.
pub fn remove(path: &Path) -> Result<bool> {
    let opened = fs::canonicalize(path).map_err(|error| (error.kind(), storage::failed(path, &error)));
    let real = match opened {
        Err((ErrorKind::NotFound | ErrorKind::NotADirectory, _)) => return Ok(false),
        opened => opened.map_err(|(_, error)| error)?,
    };
    if !real.is_dir() {
        return Ok(false);
    }
    let folder = Folder::open_to_write(&real)?;
    if !has_one(&folder)? {
        return Ok(false);
    }
    let held = Lock::take(&folder)?;
    held.check(&folder)?;
    // Another removal may have been faster.
    let is_there = has_one(&folder)?;
    let names: Vec<String> = files(&folder)?.into_iter().map(|(name, _)| name).collect();
    names.iter().try_for_each(|name| folder.refuse_link(name))?;
    if folder.status(manifest::NAME).is_ok() {
        if folder.status(manifest::TEMPORARY).is_ok() {
            folder.remove(manifest::TEMPORARY)?;
        }
        folder.rename(manifest::NAME, manifest::TEMPORARY)?;
        folder.sync_all()?;
    }
    snapshot::forget(folder.identity()?);
    names.iter().try_for_each(|name| folder.remove(name))?;
    if folder.status(manifest::TEMPORARY).is_ok() {
        folder.remove(manifest::TEMPORARY)?;
    }
    // Last, so that no writer comes before; one that waits for it notices that it is gone.
    folder.remove(lock::NAME)?;
    folder.sync_all()?;
    if !path.is_symlink() && folder.is_in_place() {
        // It may have files of others.
        let _ = fs::remove_dir(&real);
    }
    Ok(is_there)
}

/// The files of segments in a folder, whoever wrote them, with the numbers of their segments. Others are none of ours.
pub(super) fn files(folder: &Folder) -> Result<Vec<(String, u64)>> {
    let mut files = Vec::new();
    for name in folder.names()? {
        if let Some(name) = name.to_str()
            && let Some(number) = manifest::number_of(name)
        {
            files.push((name.to_owned(), number));
        }
    }
    Ok(files)
}

/// Removes the files of segments that are not among those names, and a manifest that was not finished. Failures are left to
/// the next time.
pub(super) fn remove_unnamed(folder: &Folder, named: &HashSet<String>) {
    let Ok(files) = files(folder) else {
        return;
    };
    let temporary = folder.status(manifest::TEMPORARY).is_ok().then_some(manifest::TEMPORARY);
    let unnamed = files.iter().map(|(name, _)| name.as_str()).filter(|&name| !named.contains(name));
    for name in unnamed.chain(temporary) {
        if let Err(error) = folder.remove(name) {
            log::warn!("a file that is no longer needed stays: {error}");
        }
    }
}

/// Whether a folder has an index, or what a removal has left of one.
pub(super) fn has_one(folder: &Folder) -> Result<bool> {
    for name in [manifest::NAME, manifest::TEMPORARY] {
        let failed = |error: std::io::Error| storage::failed(&folder.path_of(name), &error);
        let file = match folder.open_file(name) {
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            file => file.map_err(failed)?.0,
        };
        let mut magic = Vec::new();
        file.take(4).read_to_end(&mut magic).map_err(failed)?;
        if name == manifest::NAME && magic != manifest::MAGIC {
            let what = "is not the manifest of an index, so nothing is removed".into();
            return Err(Error::File { path: folder.path_of(name).display().to_string(), what });
        }
        if magic == manifest::MAGIC {
            return Ok(true);
        }
    }
    Ok(false)
}
