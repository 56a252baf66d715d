//! The INI settings, checked when they change, and the phpinfo section.

use super::ffi::{
    E_CORE_WARNING, FAILURE, INI_STAGE_STARTUP, SUCCESS, display_ini_entries, zend_error, zend_ini_long,
    zend_unregister_ini_entries,
};
use super::{ffi, log};
use crate::base::cpu;
use crate::engine::{self, DeviceInfo, Offload, Settings};
use ext_php_rs::ffi::{sapi_module, zend_ini_entry, zend_string};
use ext_php_rs::flags::IniEntryPermission;
use ext_php_rs::types::ZendStr;
use ext_php_rs::zend::{IniEntryDef, IniEntryDefs, ModuleEntry};
use ext_php_rs::{info_table_end, info_table_row, info_table_start};
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_int, c_void};
use std::rc::Rc;
use std::str::FromStr;
use std::time::Duration;

const DEVICE: &CStr = c"postings.device";
const OFFLOAD: &CStr = c"postings.offload";
const THREADS: &CStr = c"postings.threads";
const DEVICE_MEMORY: &CStr = c"postings.device_memory";
const DEVICE_TIMEOUT: &CStr = c"postings.device_timeout";
/// As text what the engine has as a time.
const USUAL_TIMEOUT: &CStr = c"10";
const _: () = assert!(engine::USUAL_DEVICE_TIMEOUT.as_secs() == 10);
const YIOOP: &CStr = c"postings.yioop";
const OPENCL: &CStr = c"postings.opencl";
const LOG_LEVEL: &CStr = c"postings.log_level";

thread_local! {
    /// The settings of this PHP thread. PHP calls the handler below at every change, restoring at the end of a
    /// request included, so that a call need not read INI.
    static SETTINGS: RefCell<Rc<Settings>> = RefCell::new(Rc::new(Settings::default()));
}

/// The settings now.
pub fn settings() -> Rc<Settings> {
    SETTINGS.with(|settings| settings.borrow().clone())
}

fn change(set: impl FnOnce(&mut Settings)) {
    SETTINGS.with(|settings| set(Rc::make_mut(&mut settings.borrow_mut())));
}

const fn entry(name: &'static CStr, value: &'static CStr, permission: IniEntryPermission) -> IniEntryDef {
    let mut entry = IniEntryDef::new(name, value, permission);
    entry.on_modify = Some(on_modify);
    entry
}

static ENTRIES: IniEntryDefs<9> = entries(c"1");
/// Drivers read the environment at any time, without PHP's lock, and a thread that changes it meanwhile ends the process.
static OF_THREADS: IniEntryDefs<9> = entries(c"0");

const fn entries(opencl: &'static CStr) -> IniEntryDefs<9> {
    IniEntryDefs::new([
        entry(DEVICE, c"auto", IniEntryPermission::All),
        entry(OFFLOAD, c"auto", IniEntryPermission::All),
        entry(THREADS, c"0", IniEntryPermission::All),
        entry(DEVICE_MEMORY, c"0", IniEntryPermission::All),
        entry(DEVICE_TIMEOUT, USUAL_TIMEOUT, IniEntryPermission::All),
        entry(YIOOP, c"0", IniEntryPermission::System),
        entry(OPENCL, opencl, IniEntryPermission::System),
        entry(LOG_LEVEL, c"warn", IniEntryPermission::All),
        IniEntryDef::end(),
    ])
}

/// Registers the settings and takes what php.ini and the command line say.
pub fn register(module_number: i32) {
    let entries = if ffi::has_threads() { &OF_THREADS } else { &ENTRIES };
    IniEntryDef::register(entries.as_slice(), module_number);
}

/// Takes the settings out of PHP's table: their handler may be unloaded.
pub fn unregister(module_number: i32) {
    // SAFETY: MSHUTDOWN of the module that registered them.
    unsafe { zend_unregister_ini_entries(module_number) };
}

/// Whether `postings.yioop` is on.
pub fn yioop() -> bool {
    // SAFETY: the name and its length belong together.
    unsafe { zend_ini_long(YIOOP.as_ptr(), YIOOP.count_bytes(), 0) != 0 }
}

/// Takes a new value of one of the settings. A wrong one is refused, so that `ini_set` returns false; while PHP starts it
/// is reported, and the default holds.
///
/// # Safety
/// PHP calls it, with the setting's entry and its new value.
unsafe extern "C" fn on_modify(
    entry: *mut zend_ini_entry,
    value: *mut zend_string,
    _: *mut c_void,
    _: *mut c_void,
    _: *mut c_void,
    stage: c_int,
) -> c_int {
    // SAFETY: PHP gives the entry, which has a name, and the new value: null or a string.
    let (name, value) = unsafe {
        let text = |string: *mut zend_string| string.as_ref().map_or(&[][..], ZendStr::as_bytes);
        (text((*entry).name), text(value))
    };
    // Nothing in it calls PHP, which could jump over the frame.
    if std::panic::catch_unwind(|| take(name, value, stage)).unwrap_or(false) {
        return SUCCESS;
    }
    if stage == INI_STAGE_STARTUP {
        let text = |bytes: &[u8]| CString::new(bytes.split(|&byte| byte == 0).next().unwrap_or_default());
        let (name, value) = (text(name).unwrap_or_default(), text(value).unwrap_or_default());
        // SAFETY: the format takes two C strings.
        unsafe {
            zend_error(
                E_CORE_WARNING,
                c"%s cannot be \"%s\"; the default is used".as_ptr(),
                name.as_ptr(),
                value.as_ptr(),
            );
        }
    }
    FAILURE
}

/// Takes a setting's value; `false` if it is not a valid one.
fn take(name: &[u8], value: &[u8], stage: c_int) -> bool {
    if name == DEVICE.to_bytes() {
        take_device(value)
    } else if name == OFFLOAD.to_bytes() {
        take_offload(value)
    } else if name == THREADS.to_bytes() {
        take_threads(value)
    } else if name == DEVICE_MEMORY.to_bytes() {
        take_device_memory(value)
    } else if name == DEVICE_TIMEOUT.to_bytes() {
        take_device_timeout(value)
    } else if name == LOG_LEVEL.to_bytes() {
        log::level(value).map(|level| log::set_level(level, stage == INI_STAGE_STARTUP)).is_some()
    } else if name == OPENCL.to_bytes() {
        take_opencl(value)
    } else {
        // postings.yioop. `On` and `Off` in php.ini arrive as "1" and "".
        matches!(value, b"0" | b"1" | b"")
    }
}

fn take_device(value: &[u8]) -> bool {
    let device = match std::str::from_utf8(value) {
        // Unquoted in php.ini and after `-d`, `none` is a keyword that PHP turns into nothing.
        Ok("") => "none",
        Ok(selector) if !selector.trim().is_empty() && !selector.contains('\0') => selector,
        _ => return false,
    };
    change(|settings| settings.device = device.to_owned());
    true
}

fn take_offload(value: &[u8]) -> bool {
    let offload = match value {
        b"auto" => Offload::Auto,
        b"always" => Offload::Always,
        b"never" => Offload::Never,
        _ => return false,
    };
    change(|settings| settings.offload = offload);
    true
}

/// The number that digits alone are.
fn digits<T: FromStr>(value: &[u8]) -> Option<T> {
    let digits = value.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(value).ok().filter(|_| digits)?.parse().ok()
}

/// Threads at most that `postings.threads` can ask for.
pub const MOST_THREADS: usize = 256;

fn take_threads(value: &[u8]) -> bool {
    let threads = match digits(value) {
        // A web server has a process or thread per request already.
        Some(0) if !is_command_line() => 1,
        Some(number) if number <= MOST_THREADS => number,
        _ => return false,
    };
    change(|settings| settings.threads = threads);
    true
}

/// Less holds no index, and is probably a number without its unit.
const LEAST_DEVICE_MEMORY: u64 = 1 << 20;

/// A number of bytes as PHP writes it: `512M`.
fn take_device_memory(value: &[u8]) -> bool {
    let shift = match value.last() {
        Some(b'k' | b'K') => 10,
        Some(b'm' | b'M') => 20,
        Some(b'g' | b'G') => 30,
        _ => 0,
    };
    let number = digits(&value[..value.len() - usize::from(shift > 0)]);
    let bytes = match number.and_then(|number: u64| number.checked_mul(1 << shift)) {
        Some(bytes) if bytes == 0 || bytes >= LEAST_DEVICE_MEMORY => bytes,
        _ => return false,
    };
    change(|settings| settings.device_memory = bytes);
    true
}

/// Seconds at most that `postings.device_timeout` can ask for: a day.
const MOST_TIMEOUT: u64 = 86_400;

fn take_device_timeout(value: &[u8]) -> bool {
    let seconds = match digits(value) {
        Some(seconds) if seconds <= MOST_TIMEOUT => seconds,
        _ => return false,
    };
    change(|settings| settings.device_timeout = Duration::from_secs(seconds));
    true
}

fn is_command_line() -> bool {
    // SAFETY: PHP sets it up before it loads modules; the name, if there is one, is a C string.
    let name = unsafe { sapi_module.name };
    // SAFETY: as above, and it is not null.
    !name.is_null() && matches!(unsafe { CStr::from_ptr(name) }.to_bytes(), b"cli" | b"phpdbg")
}

/// Not a switch for scripts: only php.ini, `-d` and the server's configuration may set it.
fn take_opencl(value: &[u8]) -> bool {
    match value {
        b"1" => engine::allow_opencl(true),
        b"0" | b"" => engine::allow_opencl(false),
        _ => return false,
    }
    true
}

/// The section of `phpinfo()` and `php --ri postings`. The one place that looks for devices without being asked for a
/// result.
///
/// # Safety
/// PHP calls it, with the module.
pub unsafe extern "C" fn info(module: *mut ModuleEntry) {
    let shown = std::panic::catch_unwind(|| {
        let settings = settings();
        info_table_start!();
        info_table_row!("Postings", "enabled");
        info_table_row!("Version", env!("CARGO_PKG_VERSION"));
        info_table_row!("CPU path", cpu::tier().name());
        let devices = engine::devices(&settings);
        if devices.is_empty() {
            let why = if engine::opencl_is_allowed() { "none" } else { "off (postings.opencl)" };
            info_table_row!("OpenCL devices", why);
        }
        for device in devices {
            info_table_row!("OpenCL device", describe(&device));
        }
        info_table_end!();
    });
    if shown.is_err() {
        ::log::error!("phpinfo() could not show the devices");
    }
    // SAFETY: PHP gives the module.
    unsafe { display_ini_entries(module) };
    log::flush();
}

fn describe(device: &DeviceInfo) -> String {
    format!(
        "{} / {} ({}, {}, {} compute units, {} MiB){}",
        device.platform,
        device.name,
        device.kind,
        device.version,
        device.compute_units,
        device.global_memory >> 20,
        if device.selected { ", selected" } else { "" }
    )
}
