//! Creating folders.

use super::{Folder, Operation, failed, gate};
use crate::base::error::Result;
use std::fs;
use std::io;
use std::path::Path;

/// Creates a folder and those that it lies in, unless they are there, and makes them durable.
///
/// # Errors
/// [`Error::File`](crate::Error::File). A path that is too long for the system creates nothing.
pub(crate) fn create_folder(path: &Path) -> Result<()> {
    // No path of existing folders is longer, so this also bounds what follows.
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::InvalidFilename => return Err(failed(path, &error)),
        _ => {}
    }
    let missing: Vec<&Path> = path.ancestors().take_while(|folder| !is_folder(folder)).collect();
    for folder in missing.into_iter().rev() {
        match gate(Operation::CreateFolder, folder).and_then(|()| fs::create_dir(folder)) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(failed(folder, &error)),
            _ => {}
        }
        // Who may not read the folder above can still use the one inside.
        let _ = sync_folder(folder.parent().map_or(Path::new("."), or_here));
    }
    Ok(())
}

/// The path of the current folder if it is empty.
fn or_here(path: &Path) -> &Path {
    if path.as_os_str().is_empty() { Path::new(".") } else { path }
}

fn is_folder(path: &Path) -> bool {
    or_here(path).is_dir()
}

fn sync_folder(path: &Path) -> Result<()> {
    Folder::open_to_write(path)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_created_at_any_depth_that_the_system_allows() {
        let top = tempfile::tempdir().unwrap();
        let deep = top.path().join(["f"; 1500].join("/"));
        create_folder(&deep).unwrap();
        assert!(deep.is_dir());
        create_folder(&deep).unwrap();
        create_folder(&top.path().join("a/../b/./c")).unwrap();
        assert!(top.path().join("b/c").is_dir());
        create_folder(&top.path().join("a/b")).unwrap();
        assert!(top.path().join("a/b").is_dir());
        fs::write(top.path().join("file"), "").unwrap();
        assert!(create_folder(&top.path().join("file/in")).is_err());
    }

    #[test]
    fn a_path_that_is_too_long_is_an_error_and_creates_nothing() {
        let top = tempfile::tempdir().unwrap();
        for path in [["g"; 100_000].join("/"), ["g"; 3000].join("/")] {
            let error = create_folder(&top.path().join(path)).unwrap_err().to_string();
            assert!(error.contains("File name too long"), "{error}");
            assert!(!top.path().join("g").exists());
        }
    }
}
