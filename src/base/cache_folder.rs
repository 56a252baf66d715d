//! The cache folder, for results that a later process can reuse: program binaries, measurements, and verdicts of the
//! OpenCL trial.
//!
//! It is `POSTINGS_CACHE_DIR`, otherwise `XDG_CACHE_HOME/postings`, otherwise `HOME/.cache/postings`, with the values
//! that they had when the [process started](crate::base::environment). If none is set, or the folder is not writable, nothing
//! is kept and nothing fails. A file is written under a temporary name and renamed, so readers never see a partial one.
//! A file that is damaged, owned by another user, writable by others, or a symbolic link is ignored.
//!
//! A file holds: the bytes `PSTCACH1`, the key's length and the CRC-32 of the rest (both little-endian `u32`), the key,
//! the content. The file's name ends in a hash of the key, so that files with different keys can coexist.

use crate::base::environment;
use crate::base::fnv1a::fnv1a;
use std::fs::{DirBuilder, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 8] = b"PSTCACH1";
const MAX_FILE: u64 = 64 << 20;

/// The content kept under that name for that key, if any.
pub(crate) fn load(name: &str, key: &str) -> Option<Vec<u8>> {
    read(&file(&folder()?, name, key), key)
}

/// Keeps `content` under that name for that key, if possible.
pub(crate) fn keep(name: &str, key: &str, content: &[u8]) {
    let Some(folder) = folder() else {
        return;
    };
    if let Err(error) = write(&folder, &file(&folder, name, key), key, content) {
        log::debug!("{name} is not kept in {}: {error}", folder.display());
    }
}

fn folder() -> Option<PathBuf> {
    let named = |name: &str| environment::variable(name).map(PathBuf::from);
    let folder = named("POSTINGS_CACHE_DIR")
        .or_else(|| named("XDG_CACHE_HOME").map(|folder| folder.join("postings")))
        .or_else(|| named("HOME").map(|folder| folder.join(".cache").join("postings")))?;
    folder.is_absolute().then_some(folder)
}

/// Collisions of hashes are harmless, because the keys are compared in full.
fn file(folder: &Path, name: &str, key: &str) -> PathBuf {
    folder.join(format!("{name}-{:016x}.bin", fnv1a(key.as_bytes())))
}

fn read(file: &Path, key: &str) -> Option<Vec<u8>> {
    let mut opened = OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(file).ok()?;
    let meta = opened.metadata().ok()?;
    // SAFETY: takes no arguments and cannot fail.
    let me = unsafe { libc::geteuid() };
    if !meta.is_file() || meta.uid() != me || meta.mode() & 0o022 != 0 || meta.len() > MAX_FILE {
        return None;
    }
    let mut bytes = Vec::with_capacity(meta.len() as usize);
    Read::by_ref(&mut opened).take(MAX_FILE).read_to_end(&mut bytes).ok()?;
    let (length, rest) = bytes.strip_prefix(MAGIC)?.split_first_chunk::<4>()?;
    let (sum, rest) = rest.split_first_chunk::<4>()?;
    let (stored, content) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    (stored == key.as_bytes() && crc32fast::hash(rest) == u32::from_le_bytes(*sum)).then(|| content.to_vec())
}

fn write(folder: &Path, file: &Path, key: &str, content: &[u8]) -> std::io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let rest = [key.as_bytes(), content].concat();
    let hash = fnv1a(file.as_os_str().as_encoded_bytes());
    let temporary = folder.join(format!(".{}-{hash:016x}.new", std::process::id()));
    let whole = || {
        let _ = std::fs::remove_file(&temporary);
        let mut out = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&temporary)?;
        out.write_all(MAGIC)?;
        out.write_all(&(key.len() as u32).to_le_bytes())?;
        out.write_all(&crc32fast::hash(&rest).to_le_bytes())?;
        out.write_all(&rest)?;
        std::fs::rename(&temporary, file)
    };
    whole().inspect_err(|_| {
        let _ = std::fs::remove_file(&temporary);
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn files_are_believed_only_whole_and_own() {
        let top = std::env::temp_dir().join(format!("postings-cache-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&top);
        let folder = top.join("a");
        let file = folder.join("x.bin");
        assert_eq!(read(&file, "key"), None);
        write(&folder, &file, "key", b"content").unwrap();
        assert_eq!(std::fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "nothing temporary is left");
        assert_eq!(read(&file, "key").as_deref(), Some(&b"content"[..]));
        for other in ["", "ke", "keyc", "kez"] {
            assert_eq!(read(&file, other), None, "{other}");
        }
        let whole = std::fs::read(&file).unwrap();
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x10;
            std::fs::write(&file, &damaged).unwrap();
            assert_eq!(read(&file, "key"), None, "byte {at}");
            std::fs::write(&file, &whole[..at]).unwrap();
            assert_eq!(read(&file, "key"), None, "cut at {at}");
        }
        std::fs::write(&file, &whole).unwrap();
        std::fs::set_permissions(&file, PermissionsExt::from_mode(0o666)).unwrap();
        assert_eq!(read(&file, "key"), None, "writable by others");
        std::fs::set_permissions(&file, PermissionsExt::from_mode(0o600)).unwrap();
        let link = top.join("link.bin");
        symlink(&file, &link).unwrap();
        assert_eq!(read(&link, "key"), None, "a symbolic link");
        assert!(read(&file, "key").is_some());
        std::fs::remove_dir_all(&top).unwrap();
    }
}
