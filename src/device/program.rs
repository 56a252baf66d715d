//! Programs: embedded source, built once a device, their binaries kept on disk between processes.
//!
//! # The cache folder
//! `POSTINGS_CACHE_DIR`, else `XDG_CACHE_HOME/postings`, else `HOME/.cache/postings`; where none is named or the folder
//! cannot be written, nothing is kept. A file is written under another name and renamed, so that readers see a whole
//! one. One that is damaged, of another user, or writable by others is not believed: the program is built from source.

use super::cl::{Context, DeviceId, Kernel, Program};
use super::fault::{self, Step};
use super::platform::Found;
use crate::error::{Error, Result};
use ocl::ffi::libc;
use std::collections::HashMap;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// The source of a program: an operation file declares one, as `static`.
#[derive(Debug)]
pub(crate) struct Source {
    /// A name that no other program has; also the beginning of its cache file's name.
    pub(crate) name: &'static str,
    /// The text, in parts: helpers shared between programs first.
    pub(crate) parts: &'static [&'static str],
    /// Build options besides `-cl-std=CL1.2`: `-D` definitions mostly.
    pub(crate) options: &'static str,
}

/// A kernel of a program, by name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KernelOf {
    pub(crate) source: &'static Source,
    pub(crate) name: &'static str,
}

/// The programs and kernels of a device, as far as they were asked for. A build that failed is not tried again.
pub(super) struct Programs {
    built: HashMap<&'static str, Result<Program>>,
    kernels: HashMap<(&'static str, &'static str), Ready>,
    /// What a binary depends on besides its source: device, driver, this crate.
    target: String,
}

/// A kernel, and the largest work-group it runs in.
pub(super) struct Ready {
    pub(super) kernel: Kernel,
    pub(super) group: usize,
}

impl Programs {
    pub(super) fn new(found: &Found) -> Programs {
        let info = &found.info;
        let target = [env!("CARGO_PKG_VERSION"), &info.platform, &info.name, &info.version, &found.driver].join("\n");
        Programs { built: HashMap::new(), kernels: HashMap::new(), target }
    }

    /// The kernel, built at its first use.
    pub(super) fn kernel(&mut self, context: &Context, id: DeviceId, wanted: KernelOf) -> Result<&Ready> {
        let key = (wanted.source.name, wanted.name);
        // Looked up twice, as the borrow checker cannot yet see that a miss ends the first borrow.
        if !self.kernels.contains_key(&key) {
            let target = &self.target;
            let program = self
                .built
                .entry(wanted.source.name)
                .or_insert_with(|| build(context, id, wanted.source, target))
                .as_ref()
                .map_err(Error::clone)?;
            let kernel = program.kernel(wanted.name)?;
            let group = kernel.max_group(id)?;
            self.kernels.insert(key, Ready { kernel, group });
        }
        Ok(&self.kernels[&key])
    }
}

fn build(context: &Context, id: DeviceId, source: &Source, target: &str) -> Result<Program> {
    fault::check(Step::Build)?;
    let options = format!("-cl-std=CL1.2 {}", source.options);
    let key = [target, &options, source.name].iter().chain(source.parts).fold(String::new(), |mut key, part| {
        key.push_str(part);
        key.push('\0');
        key
    });
    let folder = cache_folder();
    let file = folder.as_ref().map(|folder| folder.join(format!("{}-{:016x}.bin", source.name, fnv1a(key.as_bytes()))));
    if let Some(program) = file.as_deref().and_then(|file| load(file, &key)).and_then(|binary| {
        context
            .load(id, &binary, &options)
            .inspect_err(|error| log::debug!("a cached program is no good: {error}"))
            .ok()
    }) {
        return Ok(program);
    }
    let program = context.build(id, source.parts, &options)?;
    if let (Some(folder), Some(file)) = (folder, file) {
        let kept =
            program.binary().map_err(std::io::Error::other).and_then(|binary| keep(&folder, &file, &key, &binary));
        if let Err(error) = kept {
            log::debug!("{}: not kept: {error}", file.display());
        }
    }
    Ok(program)
}

/// The folder of cached programs and measurements, if one is named.
pub(super) fn cache_folder() -> Option<PathBuf> {
    let named = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = named("POSTINGS_CACHE_DIR")
        .or_else(|| named("XDG_CACHE_HOME").map(|folder| folder.join("postings")))
        .or_else(|| named("HOME").map(|folder| folder.join(".cache").join("postings")))?;
    folder.is_absolute().then_some(folder)
}

/// FNV-1a, 64 bits: names files; what they hold is compared in full.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

const MAGIC: &[u8; 8] = b"PSTCACH1";
const MAX_FILE: u64 = 64 << 20;

/// What a cache file holds for that key: magic, length of the key, CRC-32 of all that follows, key, content.
pub(super) fn load(file: &Path, key: &str) -> Option<Vec<u8>> {
    let mut opened = OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(file).ok()?;
    let meta = opened.metadata().ok()?;
    // SAFETY: reads this process's own effective user id.
    let me = unsafe { libc::geteuid() };
    if !meta.is_file() || meta.uid() != me || meta.mode() & 0o022 != 0 || meta.len() > MAX_FILE {
        return None;
    }
    let mut bytes = Vec::with_capacity(meta.len() as usize);
    Read::by_ref(&mut opened).take(MAX_FILE).read_to_end(&mut bytes).ok()?;
    let rest = bytes.strip_prefix(MAGIC)?;
    let (length, rest) = rest.split_first_chunk::<4>()?;
    let (sum, rest) = rest.split_first_chunk::<4>()?;
    let content = rest.get(u32::from_le_bytes(*length) as usize..)?;
    let whole = crc32fast::hash(rest) == u32::from_le_bytes(*sum);
    (whole && rest.strip_suffix(content) == Some(key.as_bytes())).then(|| content.to_vec())
}

/// Writes a cache file.
pub(super) fn keep(folder: &Path, file: &Path, key: &str, content: &[u8]) -> std::io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let mut rest = key.as_bytes().to_vec();
    rest.extend_from_slice(content);
    let temporary =
        folder.join(format!(".{}-{:x}.new", std::process::id(), fnv1a(file.as_os_str().as_encoded_bytes())));
    let write = || -> std::io::Result<()> {
        let _ = std::fs::remove_file(&temporary);
        let mut out: File = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&temporary)?;
        out.write_all(MAGIC)?;
        out.write_all(&(key.len() as u32).to_le_bytes())?;
        out.write_all(&crc32fast::hash(&rest).to_le_bytes())?;
        out.write_all(&rest)?;
        drop(out);
        std::fs::rename(&temporary, file)
    };
    write().inspect_err(|_| {
        let _ = std::fs::remove_file(&temporary);
    })
}
