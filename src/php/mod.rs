//! The PHP side, thin: arguments in, one call of the engine, a result or an exception out.
//!
//! | file | what | knows |
//! |---|---|---|
//! | `mod.rs` | the module: what PHP loads, starts and stops | all |
//! | [`functions`] | the functions of each namespace | `classes`, and what those know |
//! | [`classes`] | the classes and the enums | all below |
//! | [`foreach`] | `foreach` over objects, without method calls | `class` |
//! | [`class`] | what all classes have in common | `call`, `declare` |
//! | [`declare`] | how functions and methods are declared | `call` |
//! | [`call`] | a call from PHP: arguments, result, and the frame that no panic leaves | `input`, `exception`, `log` |
//! | [`enumeration`] | enums of PHP | `exception`, `ffi` |
//! | [`property`] | typed, readonly properties | `ffi` |
//! | [`documents`] | ids and documents out of arguments | `fields`, `input`, `exception`, `zend`, `ffi` |
//! | [`fields`] | the fields of an index, out of arguments and into PHP | the class `Analyzer`, `output`, `exception`, `zend` |
//! | [`path`] | paths that open_basedir allows | `exception`, `ffi` |
//! | [`traverse`] | the elements of an array or a `Traversable` | `exception`, `zend`, `ffi` |
//! | [`input`] | numbers and docIDs out of arguments | `exception`, `zend` |
//! | [`output`] | arrays and strings, allocated once and filled in place | `exception`, `fill`, `zend`, `ffi` |
//! | [`fill`] | docIDs into the elements of an array, with SIMD | `zend` |
//! | [`ini`] | settings, phpinfo | `log`, `ffi` |
//! | [`exception`] | the exception classes; which error is which exception | `ffi` |
//! | [`log`] | the `log` crate into PHP's error log | `ffi` |
//! | [`zend`] | Zend's values and arrays in memory | nothing |
//! | [`ffi`] | what ext-php-rs does not bind | nothing |

mod asked;
mod call;
mod class;
mod classes;
mod declare;
mod documents;
mod enumeration;
mod exception;
mod ffi;
mod fields;
mod fill;
mod foreach;
mod functions;
mod ini;
mod input;
mod log;
mod output;
mod path;
mod points;
mod property;
mod traverse;
mod vectors;
mod weights;
mod zend;

use ext_php_rs::builders::{ModuleBuilder, ModuleStartup};
use ext_php_rs::zend::{ModuleAllocations, ModuleEntry, StaticModuleEntry};
use once_cell::sync::OnceCell;

struct Startup(ModuleStartup);

// SAFETY: it is made before PHP starts threads and only read, in MINIT, afterwards; it holds functions and no values.
unsafe impl Send for Startup {}
// SAFETY: as above.
unsafe impl Sync for Startup {}

static STARTUP: OnceCell<Startup> = OnceCell::new();

/// What PHP calls when it has loaded the library.
#[unsafe(no_mangle)]
pub extern "C" fn get_module() -> *mut ModuleEntry {
    static MODULE: StaticModuleEntry = StaticModuleEntry::new();
    let made = std::panic::catch_unwind(|| {
        MODULE.get_or_init(|| {
            let builder = ModuleBuilder::new("postings", env!("CARGO_PKG_VERSION"))
                .startup_function(start)
                .shutdown_function(stop)
                .request_startup_function(begin_request)
                .request_shutdown_function(end_request)
                .info_function(ini::info);
            let builder = functions::add_to(classes::add_to(builder));
            let (entry, startup, owned): (ModuleEntry, ModuleStartup, ModuleAllocations) =
                builder.try_into().expect("the module's tables are built from constants");
            let _ = STARTUP.set(Startup(startup));
            (entry, owned)
        })
    });
    made.unwrap_or(std::ptr::null_mut())
}

/// MINIT. Touches no device: PHP may fork later.
///
/// # Safety
/// PHP calls it, once, while it starts.
unsafe extern "C" fn start(kind: i32, module_number: i32) -> i32 {
    let started = std::panic::catch_unwind(|| -> ext_php_rs::error::Result<()> {
        log::install();
        if let Some(lock) = ffi::environment_lock() {
            // SAFETY: PHP's functions live as long as the process.
            unsafe { crate::base::environment::lock_with(lock) };
        }
        // Rust needs one key of thread-local storage, which other modules may have used up later.
        let _ = std::thread::current();
        // Before any script can change it.
        crate::base::environment::take();
        ini::register(module_number);
        ::log::info!("version {}, CPU path {}", env!("CARGO_PKG_VERSION"), crate::base::cpu::tier().name());
        exception::register()?;
        classes::register_enums()?;
        if let Some(Startup(startup)) = STARTUP.get() {
            startup.startup(kind, module_number)?;
        }
        classes::finish_all();
        functions::finish_all();
        if ini::yioop() {
            functions::drop_in::register(kind)?;
        }
        Ok(())
    });
    // What was logged is written with the first request: PHP's log is not quite ready before.
    match started {
        Ok(Ok(())) => ffi::SUCCESS,
        _ => ffi::FAILURE,
    }
}

/// MSHUTDOWN.
///
/// # Safety
/// PHP calls it, once, after [`start`].
unsafe extern "C" fn stop(_: i32, module_number: i32) -> i32 {
    log::uninstall();
    ini::unregister(module_number);
    ffi::SUCCESS
}

/// RINIT, before any code of the request.
///
/// # Safety
/// PHP calls it, between [`start`] and [`stop`].
unsafe extern "C" fn begin_request(_: i32, _: i32) -> i32 {
    // A panic must not reach PHP; the environment stays as it was taken then.
    let _ = std::panic::catch_unwind(crate::base::environment::begin_request);
    ffi::SUCCESS
}

/// RSHUTDOWN: what threads logged meanwhile is written, and memory of large results given back.
///
/// # Safety
/// PHP calls it, between [`start`] and [`stop`].
unsafe extern "C" fn end_request(_: i32, _: i32) -> i32 {
    log::flush();
    classes::end_request();
    ffi::SUCCESS
}
