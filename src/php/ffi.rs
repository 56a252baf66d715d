//! The parts of PHP's C interface that ext-php-rs does not bind.

use crate::base::environment::EnvironmentLock;
use ext_php_rs::ffi::{
    ext_php_rs_executor_globals, zend_class_entry, zend_object, zend_object_iterator, zend_string, zend_type,
};
use ext_php_rs::types::{ZendStr, Zval};
use ext_php_rs::zend::{ClassEntry, ExecutorGlobals, ModuleEntry};
use once_cell::sync::Lazy;
use std::alloc::Layout;
use std::ffi::{CStr, CString, c_char, c_int, c_void};

unsafe extern "C" {
    pub fn zend_parse_parameters(count: u32, spec: *const c_char, ...) -> c_int;
    pub fn zend_argument_type_error(argument: u32, format: *const c_char, ...);
    pub fn zend_argument_value_error(argument: u32, format: *const c_char, ...);
    pub fn zend_parse_parameter(flags: c_int, number: u32, argument: *const Zval, spec: *const c_char, ...) -> c_int;
    pub fn zend_unexpected_extra_named_error();
    pub fn zend_wrong_parameters_count_error(least: u32, most: u32);
    pub fn zend_std_compare_objects(left: *mut Zval, right: *mut Zval) -> c_int;
    pub fn zend_zval_type_name(value: *const Zval) -> *const c_char;
    pub fn zend_enum_get_case_cstr(class: *mut zend_class_entry, name: *const c_char) -> *mut zend_object;
    /// The interface of all dates.
    pub fn php_date_get_interface_ce() -> *mut zend_class_entry;
    /// The interface of enums whose cases have values.
    /// What handles signals, if an extension does.
    pub static zend_interrupt_function: Option<unsafe extern "C" fn(*mut ext_php_rs::zend::ExecuteData)>;
    pub static zend_ce_backed_enum: *mut zend_class_entry;
    pub fn zend_ini_long(name: *const c_char, length: usize, original: c_int) -> i64;
    pub fn zend_unregister_ini_entries(module_number: c_int);
    pub fn display_ini_entries(module: *mut ModuleEntry);
    pub fn php_log_err_with_severity(message: *const c_char, severity: c_int);
    pub fn zend_error(kind: c_int, format: *const c_char, ...);
    pub fn zend_register_internal_module(module: *mut ModuleEntry) -> *mut ModuleEntry;
    pub fn zend_declare_typed_property(
        class: *mut zend_class_entry,
        name: *mut zend_string,
        default: *mut Zval,
        flags: c_int,
        comment: *mut zend_string,
        kind: zend_type,
    ) -> *mut c_void;
    pub fn zval_try_get_string_func(value: *mut Zval) -> *mut ZendStr;
    pub fn zend_iterator_dtor(iterator: *mut zend_object_iterator);
    pub static php_json_serializable_ce: *mut ClassEntry;
    pub static spl_ce_RuntimeException: *mut ClassEntry;

    fn php_check_open_basedir_ex(path: *const c_char, warn: c_int) -> c_int;
    fn expand_filepath(path: *const c_char, buffer: *mut c_char) -> *mut c_char;

    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// A C function of Zend succeeded.
pub const SUCCESS: c_int = 0;
/// A C function of Zend failed.
pub const FAILURE: c_int = -1;
/// The severity of a wrong value at start-up.
pub const E_CORE_WARNING: c_int = 32;
/// `stage` of an INI handler while PHP starts.
pub const INI_STAGE_STARTUP: c_int = 1;

/// The address of a symbol that only some PHP versions have. The library is bound when it is loaded, so naming such a
/// symbol directly would make it unloadable elsewhere.
fn optional(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: a null handle means the global scope; the name ends in NUL.
    let address = unsafe { dlsym(std::ptr::null_mut(), name.as_ptr()) };
    (!address.is_null()).then_some(address)
}

type Allocate = unsafe extern "C" fn(size: usize) -> *mut c_void;

/// `_femalloc`, in PHP versions whose `emalloc` kills the process far above memory_limit. Debug builds of PHP give it
/// more parameters.
static FALLIBLE: Lazy<Option<Allocate>> = Lazy::new(|| {
    if ext_php_rs::PHP_DEBUG {
        return None;
    }
    // SAFETY: a function of that name has this signature in every PHP that has it (debug builds aside).
    optional(c"_femalloc").map(|address| unsafe { std::mem::transmute::<*mut c_void, Allocate>(address) })
});

/// Memory of the request, aligned to 8. `None` if memory_limit does not allow it: PHP then ends the script with its
/// fatal error once we return. PHP versions without fallible allocation end it here, by a jump over our frames; what
/// they own must be in a `BailoutGuard`.
pub fn allocate(size: usize) -> Option<*mut c_void> {
    let address = match *FALLIBLE {
        // SAFETY: allocation has no preconditions within a request.
        Some(allocate) => unsafe { allocate(size) },
        None => ext_php_rs::alloc::emalloc(Layout::from_size_align(size, 8).ok()?).cast(),
    };
    if !address.is_null() {
        // SAFETY: it was allocated just now, with that size.
        unsafe { crate::base::huge_pages::advise(address.cast(), size) };
    }
    (!address.is_null()).then_some(address)
}

/// Whether [`allocate`] ends the script by a jump where memory_limit does not allow it.
pub fn allocation_jumps() -> bool {
    FALLIBLE.is_none()
}

/// `zend_handle_delayed_oom`, in PHP versions that have [fallible allocation](allocate).
static DELAYED: Lazy<Option<unsafe extern "C" fn()>> = Lazy::new(|| {
    // SAFETY: a function of that name has this signature in every PHP that has it; its `fastcall` is C's on 64 bits.
    optional(c"zend_handle_delayed_oom")
        .map(|address| unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn()>(address) })
});

/// Ends the script with memory_limit's fatal error if that is pending, and says whether the script is ending. Where PHP
/// has fallible allocation, the error waits until the virtual machine looks. A loop in C comes to no such place: it would
/// take what has failed for a result, or go on allocating up to twice the limit, where PHP kills the process.
#[inline]
pub fn ends_for_memory() -> bool {
    // SAFETY: the globals of this thread live as long as it does; the field is a flag in every PHP version. It says that
    // the virtual machine shall look: for a signal, a timeout, or such an error.
    let looks: bool =
        unsafe { (&raw const (*ext_php_rs_executor_globals()).vm_interrupt).cast::<bool>().read_volatile() };
    looks && ends_now()
}

#[cold]
fn ends_now() -> bool {
    if let Some(handle) = *DELAYED {
        // SAFETY: it does nothing if no error is pending. Otherwise it leaves an exception that nobody can catch; it
        // does not jump.
        unsafe { handle() };
    }
    ExecutorGlobals::has_exception()
}

/// Has PHP code handle signals that came during a wait, as the virtual machine does between two instructions: after an
/// exception it would lose them. Says whether the wait is to end: that code has thrown, or the time of the script is over.
pub fn handle_signals() -> bool {
    // SAFETY: as in `ends_for_memory`, both fields being flags; the function, if some extension has set it, takes the frame
    // that is running.
    unsafe {
        let globals = ext_php_rs_executor_globals();
        let (looks, timed_out) =
            ((&raw mut (*globals).vm_interrupt).cast::<bool>(), (&raw const (*globals).timed_out).cast::<bool>());
        if timed_out.read_volatile() {
            return true;
        }
        if looks.read_volatile()
            && let Some(handle) = zend_interrupt_function
        {
            looks.write_volatile(false);
            handle((*globals).current_execute_data);
        }
    }
    ExecutorGlobals::has_exception()
}

/// Whether `open_basedir` lets PHP code at the file of that path.
pub fn is_in_basedir(path: &[u8]) -> bool {
    let Ok(path) = CString::new(path) else { return false };
    // SAFETY: a C string; without a warning, nothing can jump over this frame.
    unsafe { php_check_open_basedir_ex(path.as_ptr(), 0) == SUCCESS }
}

/// The lock that `putenv` holds, in builds of PHP whose requests are threads; `None` in others.
pub fn environment_lock() -> Option<EnvironmentLock> {
    static LOCK: Lazy<Option<EnvironmentLock>> = Lazy::new(|| {
        let [take, give] = [optional(c"tsrm_env_lock")?, optional(c"tsrm_env_unlock")?];
        // SAFETY: functions of these names have this signature in every PHP that has them.
        let [take, give] =
            [take, give].map(|address| unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn()>(address) });
        Some(EnvironmentLock { take, give })
    });
    *LOCK
}

/// Whether requests are threads of one process.
pub fn has_threads() -> bool {
    environment_lock().is_some()
}

/// The bytes of the longest path, with its NUL; PHP's `MAXPATHLEN`.
const LONGEST_PATH: usize = libc::PATH_MAX as usize;

/// A path from the root, of one that may begin in the folder where the script is; `None` if it is too long or leads
/// through a file. Threads have each a folder of their own, of which the system knows nothing.
pub fn from_root(path: &[u8]) -> Option<Vec<u8>> {
    let path = CString::new(path).ok()?;
    let mut buffer = [0; LONGEST_PATH];
    // SAFETY: a C string, and room for the longest path.
    let expanded = unsafe { expand_filepath(path.as_ptr(), buffer.as_mut_ptr()) };
    // SAFETY: it is the buffer, with a C string in it, or null.
    (!expanded.is_null()).then(|| unsafe { CStr::from_ptr(expanded) }.to_bytes().to_vec())
}

type MathRound = unsafe extern "C" fn(value: f64, places: c_int, mode: c_int) -> f64;

static MATH_ROUND: Lazy<Option<MathRound>> = Lazy::new(|| {
    // SAFETY: a function of that name has this signature in PHP 5.3 and later.
    optional(c"_php_math_round").map(|address| unsafe { std::mem::transmute::<*mut c_void, MathRound>(address) })
});

/// Rounds as PHP's `round()` and `number_format()` do, which differ between versions.
pub fn math_round(value: f64, places: u32) -> Option<f64> {
    const HALF_UP: c_int = 1;
    // SAFETY: a pure function.
    MATH_ROUND.map(|round| unsafe { round(value, places as c_int, HALF_UP) })
}
