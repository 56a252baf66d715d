//! The PHP face, thin: arguments in, one call of the engine, a result or an exception out.
//!
//! | file | what |
//! |---|---|
//! | `mod.rs` | the module: what PHP loads, starts and stops |
//! | [`call`] | a call from PHP, and the frame that no panic leaves |
//! | [`input`] | docIDs and lists out of arguments |
//! | [`output`] | arrays and strings, allocated once and filled in place |
//! | [`fill`] | docIDs into the elements of an array, with SIMD |
//! | [`exception`] | the exception classes; which error is which exception |
//! | [`ini`] | settings, phpinfo |
//! | [`log`] | the `log` crate into PHP's error log |
//! | [`codec`], [`posting_list`], [`iterator`] | the enum and the classes |
//! | [`shard`], [`conjunction`] | the classes for Yioop |
//! | [`foreach`] | `foreach` over them, without method calls |
//! | [`functions`], [`yioop`], [`drop_in`] | the functions of each namespace |
//! | [`ffi`] | what ext-php-rs does not bind |

mod call;
mod codec;
mod conjunction;
mod drop_in;
mod exception;
mod ffi;
mod fill;
mod foreach;
mod functions;
mod ini;
mod input;
mod iterator;
mod log;
mod output;
mod posting_list;
mod shard;
mod yioop;

use ext_php_rs::builders::{ModuleBuilder, ModuleStartup};
use ext_php_rs::class::RegisteredClass;
use ext_php_rs::ffi::{zend_function, zend_hash_str_find_ptr_lc};
use ext_php_rs::types::ZendHashTable;
use ext_php_rs::zend::{ClassEntry, ModuleAllocations, ModuleEntry, StaticModuleEntry};
use once_cell::sync::OnceCell;

const MAY_BE_FALSE: u32 = 1 << 2;
const MAY_BE_STRING: u32 = 1 << 6;

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
            let mut builder = ModuleBuilder::new("postings", env!("CARGO_PKG_VERSION"))
                .startup_function(start)
                .shutdown_function(stop)
                .request_startup_function(begin_request)
                .request_shutdown_function(end_request)
                .info_function(ini::info)
                // The iterator before the class that returns it, or PHP refuses to start.
                .class::<iterator::Object>()
                .class::<posting_list::Object>()
                .class::<shard::Records>()
                .class::<shard::Object>()
                .class::<conjunction::Object>();
            let of_yioop = yioop::builders().into_iter().chain(conjunction::builders());
            for function in functions::builders().into_iter().chain(of_yioop) {
                builder = builder.function(function);
            }
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
        // Before any script can change it.
        crate::environment::take();
        ini::register(module_number);
        ::log::info!("version {}, CPU path {}", env!("CARGO_PKG_VERSION"), crate::cpu::tier().name());
        exception::register()?;
        codec::register()?;
        if let Some(Startup(startup)) = STARTUP.get() {
            startup.startup(kind, module_number)?;
        }
        posting_list::finish_registration();
        foreach::register(class_entry::<posting_list::Object>(), class_entry::<iterator::Object>());
        for function in ["Postings\\simple9_encode", "Postings\\qs_encode"] {
            widen_argument(function_table(), function, 0, MAY_BE_STRING);
        }
        widen_argument(&raw const posting_list::Object::get_metadata().ce().function_table, "encode", 0, MAY_BE_STRING);
        if ini::yioop() {
            drop_in::register(kind)?;
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
    let _ = std::panic::catch_unwind(crate::environment::begin_request);
    ffi::SUCCESS
}

/// RSHUTDOWN: what threads logged meanwhile.
///
/// # Safety
/// PHP calls it, between [`start`] and [`stop`].
unsafe extern "C" fn end_request(_: i32, _: i32) -> i32 {
    log::flush();
    ffi::SUCCESS
}

/// The entry of a registered class.
fn class_entry<T: RegisteredClass>() -> *mut ClassEntry {
    std::ptr::from_ref(T::get_metadata().ce()).cast_mut()
}

fn function_table() -> *const ZendHashTable {
    // SAFETY: the compiler's globals exist from before MINIT on; those of the executor have no function table yet.
    unsafe { (*ext_php_rs::ffi::ext_php_rs_compiler_globals()).function_table.cast_const() }
}

/// Adds types to an argument (or, for -1, to the return value) of a registered function: the builders of ext-php-rs
/// know no unions.
fn widen_argument(table: *const ZendHashTable, name: &str, argument: isize, types: u32) {
    // SAFETY: the function is registered, has that argument, and its argument table was copied to the heap when it
    // was registered; MINIT runs before anyone reads it.
    unsafe {
        let function: *mut zend_function = zend_hash_str_find_ptr_lc(table, name.as_ptr().cast(), name.len()).cast();
        if let Some(function) = function.as_mut() {
            (*function.internal_function.arg_info.offset(argument)).type_.type_mask |= types;
        }
    }
}
