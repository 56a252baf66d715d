//! Programs: embedded source, built once a device, their binaries kept on disk between processes.

use super::cl::{Context, DeviceId, Kernel, Program};
use super::fault::{self, Step};
use crate::cache;
use crate::error::{Error, Result};
use std::collections::HashMap;

/// The source of a program: an operation file declares one, as `static`.
#[derive(Debug)]
pub(crate) struct Source {
    /// A name that no other program has: also that of its file in the [cache folder](crate::cache).
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
    /// No programs yet; `target` is [`Found::target`](super::platform::Found::target).
    pub(super) fn new(target: &str) -> Programs {
        Programs { built: HashMap::new(), kernels: HashMap::new(), target: target.to_owned() }
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
    let cached = cache::load(source.name, &key).and_then(|binary| {
        let refused = |error: &Error| log::debug!("the kept program {} is no good: {error}", source.name);
        context.load(id, &binary, &options).inspect_err(refused).ok()
    });
    if let Some(program) = cached {
        return Ok(program);
    }
    let program = context.build(id, source.parts, &options)?;
    match program.binary() {
        Ok(binary) => cache::keep(source.name, &key, &binary),
        Err(error) => log::debug!("the program {} is not kept: {error}", source.name),
    }
    Ok(program)
}
