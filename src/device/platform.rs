//! Lists the devices, and finds the one that a selector means.

use super::cl::{self, DeviceId};
use crate::base::error::Result;
use ocl::ffi;

/// An OpenCL device as `Postings\devices()` shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceInfo {
    /// The platform's name.
    pub platform: String,
    /// The device's name.
    pub name: String,
    /// `CPU`, `GPU`, `ACCELERATOR` or `OTHER`.
    pub kind: String,
    /// The OpenCL version, as the device states it.
    pub version: String,
    /// Compute units.
    pub compute_units: u32,
    /// Global memory in bytes.
    pub global_memory: u64,
    /// Whether the selector of this call means this device, and it is not lost.
    pub selected: bool,
}

/// A device, what it reports about itself, and its limits.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) id: DeviceId,
    /// `P:D`: the index of its platform, and its index within the platform.
    pub(super) place: (usize, usize),
    pub(super) info: DeviceInfo,
    /// Driver and platform versions. With the names, they determine which program binaries fit.
    pub(super) driver: String,
    pub(super) limits: Limits,
    class: Class,
    /// Whether it shares memory with the host.
    unified: bool,
}

impl Found {
    /// The key of cached program binaries and measurements: this crate's version, the device and its driver.
    pub(super) fn target(&self) -> String {
        let info = &self.info;
        [env!("CARGO_PKG_VERSION"), &info.platform, &info.name, &info.version, &self.driver].join("\n")
    }
}

/// Memory limits of a device.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// The largest buffer, in bytes.
    pub(crate) allocation: usize,
    /// Global memory, in bytes.
    pub(crate) memory: usize,
    /// Local memory of a work-group, in bytes.
    pub(crate) local: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    Gpu,
    Accelerator,
    Cpu,
    Other,
}

impl Class {
    fn of(bits: u64) -> Class {
        match bits {
            _ if bits & u64::from(ffi::CL_DEVICE_TYPE_GPU as u32) != 0 => Class::Gpu,
            _ if bits & u64::from(ffi::CL_DEVICE_TYPE_ACCELERATOR as u32) != 0 => Class::Accelerator,
            _ if bits & u64::from(ffi::CL_DEVICE_TYPE_CPU as u32) != 0 => Class::Cpu,
            _ => Class::Other,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Class::Gpu => "GPU",
            Class::Accelerator => "ACCELERATOR",
            Class::Cpu => "CPU",
            Class::Other => "OTHER",
        }
    }
}

/// All devices that can be queried and can build programs. The first call of a process loads and initialises the
/// drivers.
pub(super) fn enumerate() -> Vec<Found> {
    let mut all = Vec::new();
    for (platform, devices) in cl::devices().into_iter().enumerate() {
        for (device, id) in devices.into_iter().enumerate() {
            match ask(id, (platform, device)) {
                Ok(found) => all.extend(found),
                Err(error) => log::debug!("OpenCL device {platform}:{device} is left out: {error}"),
            }
        }
    }
    all
}

/// Queries a device. `None` if it cannot be used: it is not available, has no compiler, or is big-endian.
fn ask(id: DeviceId, place: (usize, usize)) -> Result<Option<Found>> {
    for needed in [ffi::CL_DEVICE_AVAILABLE, ffi::CL_DEVICE_COMPILER_AVAILABLE, ffi::CL_DEVICE_ENDIAN_LITTLE] {
        if id.number(needed)? == 0 {
            return Ok(None);
        }
    }
    let class = Class::of(id.number(ffi::CL_DEVICE_TYPE)?);
    let memory = id.number(ffi::CL_DEVICE_GLOBAL_MEM_SIZE)?;
    let bytes = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    Ok(Some(Found {
        id,
        place,
        info: DeviceInfo {
            platform: id.platform_text(ffi::CL_PLATFORM_NAME)?,
            name: id.text(ffi::CL_DEVICE_NAME)?,
            kind: class.name().to_owned(),
            version: id.text(ffi::CL_DEVICE_VERSION)?,
            compute_units: id.number(ffi::CL_DEVICE_MAX_COMPUTE_UNITS)?.try_into().unwrap_or(u32::MAX),
            global_memory: memory,
            selected: false,
        },
        driver: format!("{} / {}", id.text(ffi::CL_DRIVER_VERSION)?, id.platform_text(ffi::CL_PLATFORM_VERSION)?),
        limits: Limits {
            allocation: bytes(id.number(ffi::CL_DEVICE_MAX_MEM_ALLOC_SIZE)?),
            memory: bytes(memory),
            local: bytes(id.number(ffi::CL_DEVICE_LOCAL_MEM_SIZE)?),
        },
        class,
        unified: id.number(ffi::CL_DEVICE_HOST_UNIFIED_MEMORY).unwrap_or(0) != 0,
    }))
}

/// Whether a selector never means a device. The empty selector counts as `none`, because PHP's INI parser turns an
/// unquoted `none` (or `off`, `no`, `false`) into an empty string.
pub(super) fn means_none(selector: &str) -> bool {
    let selector = selector.trim();
    selector.is_empty() || selector.eq_ignore_ascii_case("none")
}

/// The index of the device that a selector means.
///
/// `auto`: a GPU, otherwise an accelerator; of several, one with its own memory is preferred. `P:D`: device D of
/// platform P, both 0-based. Anything else: the first device whose "platform / device name" contains it, ignoring case.
pub(super) fn choose(found: &[Found], selector: &str) -> Option<usize> {
    let selector = selector.trim();
    if means_none(selector) {
        return None;
    }
    if selector.eq_ignore_ascii_case("auto") {
        return (0..found.len())
            .filter(|&index| matches!(found[index].class, Class::Gpu | Class::Accelerator))
            .min_by_key(|&index| (found[index].class, found[index].unified));
    }
    if let Some(place) = place(selector) {
        return found.iter().position(|device| device.place == place);
    }
    let wanted = selector.to_lowercase();
    found
        .iter()
        .position(|device| format!("{} / {}", device.info.platform, device.info.name).to_lowercase().contains(&wanted))
}

/// Whether a selector names one device by its place, and not by what others may be called as well.
pub(super) fn is_place(selector: &str) -> bool {
    place(selector.trim()).is_some()
}

/// Parses `P:D`.
fn place(selector: &str) -> Option<(usize, usize)> {
    let digits = |part: &str| -> Option<usize> {
        let part = part.trim();
        (!part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit())).then(|| part.parse().unwrap_or(usize::MAX))
    };
    let (platform, device) = selector.split_once(':')?;
    Some((digits(platform)?, digits(device)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(place: (usize, usize), platform: &str, name: &str, class: Class, unified: bool) -> Found {
        Found {
            id: DeviceId::null(),
            place,
            info: DeviceInfo {
                platform: platform.into(),
                name: name.into(),
                kind: class.name().into(),
                version: String::new(),
                compute_units: 1,
                global_memory: 1,
                selected: false,
            },
            driver: String::new(),
            limits: Limits { allocation: 0, memory: 0, local: 0 },
            class,
            unified,
        }
    }

    fn machine() -> Vec<Found> {
        vec![
            device((0, 0), "Portable Computing Language", "pthread-skylake", Class::Cpu, true),
            device((1, 0), "Acme", "Accelerator 1", Class::Accelerator, false),
            device((2, 0), "Acme Graphics", "Built-in GPU", Class::Gpu, true),
            device((2, 1), "Acme Graphics", "Large GPU", Class::Gpu, false),
        ]
    }

    #[test]
    fn auto_takes_a_gpu_with_its_own_memory_first_and_never_a_cpu() {
        let mut machine = machine();
        assert_eq!(choose(&machine, "auto"), Some(3));
        assert_eq!(choose(&machine, " AUTO "), Some(3));
        machine.truncate(3);
        assert_eq!(choose(&machine, "auto"), Some(2));
        machine.truncate(2);
        assert_eq!(choose(&machine, "auto"), Some(1));
        machine.truncate(1);
        assert_eq!(choose(&machine, "auto"), None);
        assert_eq!(choose(&[], "auto"), None);
    }

    #[test]
    fn a_cpu_driver_is_taken_when_named() {
        for named in ["portable", "PTHREAD", "language / pthread", "0:0", " 0 : 0 "] {
            assert_eq!(choose(&machine(), named), Some(0), "{named}");
        }
    }

    #[test]
    fn places_and_names() {
        assert_eq!(choose(&machine(), "2:1"), Some(3));
        assert_eq!(choose(&machine(), "acme"), Some(1));
        assert_eq!(choose(&machine(), "large"), Some(3));
        for nothing in ["", " ", "none", "None", "2:2", "9:0", "99999999999999999999:0", "0:-1", "nvidia", ":", "\0"] {
            assert_eq!(choose(&machine(), nothing), None, "{nothing:?}");
        }
        assert_eq!(choose(&machine(), &"x".repeat(1 << 20)), None);
    }
}
