//! The environment variables read by this library, OpenCL loaders and drivers, as they were when the process started.
//!
//! A PHP script can change its process's environment with `putenv`, and a script restricted by `open_basedir` must not
//! choose which library is loaded or where files are written. So our own variables are read once, before any script
//! runs, and OpenCL is not used if a variable that loaders and drivers read themselves has changed since.
//!
//! Under PHP, the environment is captured when the module is loaded ([`take`]), and again at the first request of a
//! process that was forked since ([`begin_request`]), because php-fpm gives its workers another environment. Without
//! PHP, it is captured on first use.

use crate::base::error::{Error, Result};
use crate::base::process::{self, Process};
use once_cell::sync::{Lazy, OnceCell};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::{CStr, OsStr, OsString, c_char};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::os::unix::ffi::OsStrExt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// The prefix of our own variables.
const OURS: &str = "POSTINGS_";

/// Variables by which loaders, drivers, their compilers and the C library load code, run programs or write files. A
/// name that ends in `_` stands for all names with that prefix.
#[rustfmt::skip]
const DRIVERS: &[&str] = &[
    // The dynamic linker and the C library.
    "LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "LD_BIND_NOW", "LD_DEBUG_OUTPUT", "LD_ORIGIN_PATH", "LD_PROFILE_",
    "LD_PROFILE", "GCONV_PATH", "LOCPATH", "GLIBC_TUNABLES",
    // OpenCL loaders and layers.
    "OCL_", "OPENCL_", "CL_",
    // PoCL and Oclgrind, and the compilers and linkers they run.
    "POCL_", "OCLGRIND_", "LIBCLC_", "LLVM_", "CLANG_", "CCC_", "GCC_EXEC_PREFIX", "COMPILER_PATH", "LIBRARY_PATH",
    "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "PATH", "OMP_", "KMP_", "TBB_",
    // NVIDIA, AMD, Intel, Mesa, and OpenCL on Vulkan.
    "CUDA_", "NV_", "NVIDIA_", "__NV_", "__GL_",
    "AMD_", "AMDGPU_", "GPU_", "HSA_", "HIP_", "ROCM_", "ROCR_", "ROCCLR_",
    "IGC_", "INTEL_", "NEO_", "NEOReadDebugKeys", "ZE_", "ZES_", "ZET_", "SYCL_",
    "MESA_", "RUSTICL_", "CLOVER_", "GALLIUM_", "LIBGL_", "DRI_", "CLVK_",
    "VK_ICD_", "VK_DRIVER_", "VK_ADD_", "VK_LAYER_", "VK_INSTANCE_", "VK_LOADER_", "CLSPV_", "EGL_",
    // Where drivers keep programs and put temporary files.
    "HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_DATA_HOME", "XDG_DATA_DIRS", "XDG_RUNTIME_DIR",
    "TMPDIR", "TMP", "TEMPDIR", "TEMP",
];

/// The captured variables, and the process that captured them.
struct Taken {
    process: Process,
    variables: BTreeMap<OsString, OsString>,
}

static TAKEN: RwLock<Option<Arc<Taken>>> = RwLock::new(None);

fn is_ours(name: &OsStr) -> bool {
    name.as_bytes().starts_with(OURS.as_bytes())
}

fn is_drivers(name: &OsStr) -> bool {
    let name = name.as_bytes();
    DRIVERS.iter().any(|known| match known.strip_suffix('_') {
        Some(_) => name.starts_with(known.as_bytes()),
        None => name == known.as_bytes(),
    })
}

/// Our variables and those of drivers, with their present values.
fn now() -> BTreeMap<OsString, OsString> {
    let mut variables = BTreeMap::new();
    let _held = Held::new();
    // SAFETY: nothing in this loop changes the environment, and other threads wait.
    for variable in unsafe { all() } {
        let variable = variable.to_bytes();
        let Some(at) = variable.iter().position(|&byte| byte == b'=') else { continue };
        let [name, value] = [&variable[..at], &variable[at + 1..]].map(OsStr::from_bytes);
        if is_ours(name) || is_drivers(name) {
            // If a name occurs twice, the C library finds the first.
            variables.entry(name.to_owned()).or_insert_with(|| value.to_owned());
        }
    }
    variables
}

/// Captures the present environment.
#[cfg_attr(not(feature = "php"), allow(dead_code))]
pub(crate) fn take() {
    let taken = Arc::new(Taken { process: process::current(), variables: now() });
    ACCEPTED.store(0, Relaxed);
    *TAKEN.write().unwrap_or_else(PoisonError::into_inner) = Some(taken);
}

/// Called at the beginning of a request, before its code runs. Captures the environment if it was captured by another
/// process, from which this one was forked.
#[cfg_attr(not(feature = "php"), allow(dead_code))]
pub(crate) fn begin_request() {
    if taken().process != process::current() {
        take();
    }
}

/// The captured environment; captures it on first use.
fn taken() -> Arc<Taken> {
    if let Some(taken) = &*TAKEN.read().unwrap_or_else(PoisonError::into_inner) {
        return taken.clone();
    }
    let mut slot = TAKEN.write().unwrap_or_else(PoisonError::into_inner);
    slot.get_or_insert_with(|| Arc::new(Taken { process: process::current(), variables: now() })).clone()
}

/// The captured value of one of our variables or those of drivers; `None` if it is not set or empty.
pub(crate) fn variable(name: &str) -> Option<OsString> {
    debug_assert!(is_ours(OsStr::new(name)) || is_drivers(OsStr::new(name)), "{name} is not taken");
    taken().variables.get(OsStr::new(name)).filter(|value| !value.is_empty()).cloned()
}

/// Checks that the variables that loaders and drivers read have their captured values.
///
/// # Errors
/// [`Error::Device`], with the name of a variable that changed.
fn check() -> Result<()> {
    match changed(&taken().variables, &now()) {
        None => Ok(()),
        Some(name) => Err(Error::Device(format!(
            "the environment variable {} changed after the process began, and OpenCL drivers obey it",
            name.to_string_lossy()
        ))),
    }
}

/// Ensures that loaders and drivers find their variables unchanged during calls into OpenCL. Drivers may read them at
/// any time; for example, PoCL runs a linker found through `PATH` when a kernel is first launched. Changes made until
/// the guard is dropped are accepted, because drivers make them: NVIDIA's sets `OCL_ICD_FILENAMES`, for example.
///
/// Takes about a microsecond if nothing has changed since the last guard.
///
/// # Errors
/// As [`check`].
pub(crate) fn guard() -> Result<Guard> {
    if LOOKS.get() {
        let found = fingerprint();
        if ACCEPTED.load(Relaxed) != found {
            check()?;
        }
        return Ok(Guard { found: Some(found) });
    }
    let changed = CHANGED.lock().unwrap_or_else(PoisonError::into_inner);
    changed.clone().map_or(Ok(Guard { found: None }), Err)
}

/// Made by [`guard`], and held during calls into OpenCL.
pub(crate) struct Guard {
    /// The environment's fingerprint when the guard was made, by a thread that looks.
    found: Option<u64>,
}

impl Drop for Guard {
    fn drop(&mut self) {
        let Some(found) = self.found else { return };
        let left = fingerprint();
        if left != found {
            accept();
        }
        ACCEPTED.store(left, Relaxed);
    }
}

thread_local! {
    /// Whether this thread looks at the environment itself.
    static LOOKS: Cell<bool> = const { Cell::new(true) };
}

/// What [`look`] saw last.
static CHANGED: Mutex<Option<Error>> = Mutex::new(None);

/// From now on this thread relies on what others [see](look): it runs while scripts do, which may change the environment
/// at any time, and what changes meanwhile is nothing that drivers did.
pub(crate) fn leave_to_others() {
    LOOKS.set(false);
}

/// Checks for the threads that leave it to others that the variables of loaders and drivers have their captured values.
/// Takes about a microsecond if nothing has changed since the last guard.
pub(crate) fn look() {
    let seen = if ACCEPTED.load(Relaxed) == fingerprint() { None } else { check().err() };
    *CHANGED.lock().unwrap_or_else(PoisonError::into_inner) = seen;
}

/// The fingerprint of the last accepted environment; 0 before the first.
static ACCEPTED: AtomicU64 = AtomicU64::new(0);

/// A hash of all variables, with a random key, so that no script can construct a collision.
fn fingerprint() -> u64 {
    static KEY: Lazy<RandomState> = Lazy::new(RandomState::new);
    let mut hasher = KEY.build_hasher();
    let _held = Held::new();
    // SAFETY: nothing in this loop changes the environment, and other threads wait.
    for variable in unsafe { all() } {
        hasher.write(variable.to_bytes_with_nul());
    }
    hasher.finish()
}

/// What threads hold while they change the environment: a function that takes it, and one that gives it back.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EnvironmentLock {
    pub(crate) take: unsafe extern "C" fn(),
    pub(crate) give: unsafe extern "C" fn(),
}

static LOCK: OnceCell<EnvironmentLock> = OnceCell::new();

/// From now on the environment is read with this lock. Without one, nobody changes the environment while another thread
/// reads it.
///
/// # Safety
/// Both functions can be called from any thread as long as the process lives.
#[cfg_attr(not(feature = "php"), allow(dead_code))]
pub(crate) unsafe fn lock_with(lock: EnvironmentLock) {
    let _ = LOCK.set(lock);
}

/// The lock, held.
struct Held(Option<EnvironmentLock>);

impl Held {
    fn new() -> Held {
        let lock = LOCK.get().copied();
        if let Some(lock) = lock {
            // SAFETY: by the contract of `lock_with`; this thread does not hold it yet.
            unsafe { (lock.take)() };
        }
        Held(lock)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(lock) = self.0 {
            // SAFETY: this thread took it.
            unsafe { (lock.give)() };
        }
    }
}

unsafe extern "C" {
    static environ: *const *const c_char;
}

/// The `environ` that `putenv` changes and drivers read. The linker may have copied the variable into the program, and
/// PHP loads extensions with `RTLD_DEEPBIND`, which binds ours to the original, of which nobody takes care then. The
/// standard library's is ours.
fn place() -> *const *const *const c_char {
    struct Place(*const *const *const c_char);
    // SAFETY: it is the address of a variable that lives as long as the process.
    unsafe impl Send for Place {}
    // SAFETY: as above.
    unsafe impl Sync for Place {}
    static PLACE: Lazy<Place> = Lazy::new(|| {
        // SAFETY: C strings; null stands for the program, and the libraries that were loaded with it.
        let found = unsafe {
            let program = libc::dlopen(std::ptr::null(), libc::RTLD_LAZY);
            if program.is_null() { program } else { libc::dlsym(program, c"environ".as_ptr()) }
        };
        Place(if found.is_null() { &raw const environ } else { found.cast_const().cast() })
    });
    PLACE.0
}

/// All variables, as `name=value`.
///
/// # Safety
/// Nobody changes the environment meanwhile.
unsafe fn all<'a>() -> impl Iterator<Item = &'a CStr> {
    // SAFETY: the variable lives as long as the process.
    let mut next = unsafe { *place() };
    std::iter::from_fn(move || {
        // SAFETY: `environ` is null, or a null-terminated array of C strings, which nobody changes.
        unsafe {
            let variable = next.as_ref().copied().filter(|variable| !variable.is_null())?;
            next = next.add(1);
            Some(CStr::from_ptr(variable))
        }
    })
}

/// Captures the present variables of loaders and drivers, and leaves ours as captured before.
fn accept() {
    let before = taken();
    let drivers = now().into_iter().filter(|(name, _)| is_drivers(name));
    let ours = before.variables.iter().filter(|(name, _)| !is_drivers(name));
    let ours = ours.map(|(name, value)| (name.clone(), value.clone()));
    let taken = Taken { process: before.process, variables: ours.chain(drivers).collect() };
    *TAKEN.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(taken));
}

/// The name of a variable of loaders and drivers that differs, if any. Ours may differ, because they are not read
/// again.
fn changed(before: &BTreeMap<OsString, OsString>, now: &BTreeMap<OsString, OsString>) -> Option<OsString> {
    before.keys().chain(now.keys()).find(|&name| is_drivers(name) && before.get(name) != now.get(name)).cloned()
}

/// The captured variables that affect OpenCL, one per line.
pub(crate) fn of_opencl() -> String {
    let matters = |name: &OsStr| is_drivers(name) || name.as_bytes().starts_with(b"POSTINGS_OPENCL_");
    let line = |(name, value): (&OsString, &OsString)| format!("{name:?}={value:?}\n");
    taken().variables.iter().filter(|(name, value)| matters(name) && !value.is_empty()).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::process::tests::in_child;

    #[test]
    fn a_change_that_drivers_see_is_named() {
        let of = |pairs: &[(&str, &str)]| -> BTreeMap<OsString, OsString> {
            pairs.iter().map(|&(name, value)| (name.into(), value.into())).collect()
        };
        let before = of(&[("HOME", "/home/a"), ("OCL_ICD_VENDORS", "/v"), ("POSTINGS_CACHE_DIR", "/c")]);
        assert_eq!(changed(&before, &before), None);
        for (after, name) in [
            (of(&[("HOME", "/home/b"), ("OCL_ICD_VENDORS", "/v")]), "HOME"),
            (of(&[("HOME", "/home/a")]), "OCL_ICD_VENDORS"),
            (of(&[("HOME", "/home/a"), ("OCL_ICD_VENDORS", "")]), "OCL_ICD_VENDORS"),
            (of(&[("HOME", "/home/a"), ("OCL_ICD_VENDORS", "/v"), ("LD_PRELOAD", "x.so")]), "LD_PRELOAD"),
        ] {
            assert_eq!(changed(&before, &after).as_deref(), Some(OsStr::new(name)));
        }
        let ours = of(&[("HOME", "/home/a"), ("OCL_ICD_VENDORS", "/v"), ("POSTINGS_CACHE_DIR", "/elsewhere")]);
        assert_eq!(changed(&before, &ours), None, "ours are not read again");
    }

    #[test]
    fn what_drivers_change_themselves_is_accepted_and_what_comes_later_is_not() {
        take();
        assert!(in_child(|| {
            let set = |value: &std::ffi::CStr| {
                // SAFETY: the child has one thread.
                unsafe { libc::setenv(c"OCL_ICD_FILENAMES".as_ptr(), value.as_ptr(), 1) };
            };
            take();
            let loads = guard().map(|_guard| set(c"/of the driver")).is_ok() && check().is_ok() && guard().is_ok();
            set(c"/of a script");
            let refuses = guard().is_err();
            loads && refuses
        }));
    }

    /// Like a php-fpm worker, whose environment is changed after the fork and before its first request.
    #[test]
    fn a_forked_process_takes_its_own_with_its_first_request() {
        let set = |value: &std::ffi::CStr| {
            // SAFETY: only the child calls this, and it has one thread.
            unsafe { libc::setenv(c"OCL_ICD_VENDORS".as_ptr(), value.as_ptr(), 1) };
        };
        take();
        assert!(in_child(|| {
            set(c"/of the pool");
            let refused = check().is_err();
            begin_request();
            let taken = check().is_ok() && variable("OCL_ICD_VENDORS").is_some_and(|value| value == "/of the pool");
            set(c"/of a script");
            begin_request();
            let kept = check().is_err();
            refused && taken && kept
        }));
    }

    #[test]
    fn what_programs_set_for_themselves_is_let_alone() {
        for name in [
            "APP_ENV",
            "DB_HOST",
            "LD_SDK_KEY",
            "VK_TOKEN",
            "TZ",
            "LANG",
            "LC_ALL",
            "USER",
            "PWD",
            "NEO4J_URL",
            "HOMEPAGE",
            "TEMPLATE_DIR",
        ] {
            assert!(!is_drivers(OsStr::new(name)), "{name}");
        }
    }
}
