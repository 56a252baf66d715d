//! Programs: embedded source, built once per device and set of options. Their binaries are kept in the cache folder.

use super::cl::{Context, DeviceId, Kernel, Program};
use super::fault::{self, Step};
use crate::base::cache_folder;
use crate::base::error::{Error, Result};

/// The source of a program, declared as a `static` by each operation's file.
#[derive(Debug)]
pub(crate) struct Source {
    /// A unique name. Files in the [cache folder](crate::base::cache_folder) are named after it.
    pub(crate) name: &'static str,
    /// The text, in parts; helpers shared by several programs come first.
    pub(crate) parts: &'static [&'static str],
}

/// A kernel of a source built with some options. Each set of options makes a separate program.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KernelOf<'o> {
    pub(crate) source: &'static Source,
    /// Build options besides `-cl-std=CL1.2` and, for CPUs, `-D ON_CPU`: mostly definitions.
    pub(crate) options: &'o str,
    pub(crate) name: &'static str,
}

/// The programs of a device that have been requested so far. A failed build is not retried.
pub(super) struct Programs {
    /// Searched linearly, because there are only a few.
    built: Vec<Built>,
    /// What a binary depends on besides its source: the device, the driver and this crate's version.
    target: String,
    is_cpu: bool,
}

struct Built {
    source: &'static str,
    options: String,
    program: Result<Program>,
    kernels: Vec<(&'static str, Ready)>,
}

/// A kernel, and the largest work-group in which it can run.
pub(super) struct Ready {
    pub(super) kernel: Kernel,
    pub(super) group: usize,
}

impl Programs {
    /// No programs yet; `target` is [`Found::target`](super::platform::Found::target).
    pub(super) fn new(target: &str, is_cpu: bool) -> Programs {
        Programs { built: Vec::new(), target: target.to_owned(), is_cpu }
    }

    /// The kernel, built on first use.
    pub(super) fn kernel(&mut self, context: &Context, id: DeviceId, wanted: KernelOf<'_>) -> Result<&Ready> {
        let KernelOf { source, options, name } = wanted;
        let program = match self.built.iter().position(|b| b.source == source.name && b.options == options) {
            Some(index) => index,
            None => {
                let program = build(context, id, source, options, self);
                let (source, options) = (source.name, options.to_owned());
                self.built.push(Built { source, options, program, kernels: Vec::new() });
                self.built.len() - 1
            }
        };
        let Built { program, kernels, .. } = &mut self.built[program];
        let program = program.as_ref().map_err(|error| error.clone())?;
        let kernel = match kernels.iter().position(|&(known, _)| known == name) {
            Some(index) => index,
            None => {
                let kernel = program.kernel(name)?;
                let group = kernel.max_group(id)?;
                kernels.push((name, Ready { kernel, group }));
                kernels.len() - 1
            }
        };
        Ok(&kernels[kernel].1)
    }
}

fn build(context: &Context, id: DeviceId, source: &Source, options: &str, programs: &Programs) -> Result<Program> {
    fault::check(Step::Build)?;
    let on_cpu = if programs.is_cpu { " -D ON_CPU" } else { "" };
    let options = format!("-cl-std=CL1.2{on_cpu} {options}");
    let key = [programs.target.as_str(), &options, source.name].iter().chain(source.parts).fold(
        String::new(),
        |mut key, part| {
            key.push_str(part);
            key.push('\0');
            key
        },
    );
    let cached = cache_folder::load(source.name, &key).and_then(|binary| {
        let refused = |error: &Error| log::debug!("the cached program {} cannot be used: {error}", source.name);
        context.load(id, &binary, &options).inspect_err(refused).ok()
    });
    if let Some(program) = cached {
        return Ok(program);
    }
    let program = context.build(id, source.parts, &options)?;
    match program.binary() {
        Ok(binary) => cache_folder::keep(source.name, &key, &binary),
        Err(error) => log::debug!("the program {} is not cached: {error}", source.name),
    }
    Ok(program)
}
