//! With `postings.yioop=1`: the module `yioop`, and in it the six functions of `seekquarry\yioop\library` that Yioop
//! defines itself where there is no such module.

use super::ffi::zend_register_internal_module;
use ext_php_rs::builders::{FunctionBuilder, ModuleBuilder, ModuleStartup};
use ext_php_rs::error::{Error, Result};
use ext_php_rs::ffi::MODULE_PERSISTENT;
use ext_php_rs::zend::{ExecutorGlobals, ModuleAllocations, ModuleEntry, StaticModuleEntry};

/// Registers the module. In MINIT of ours: PHP starts it after us. Not for a module that `dl()` loads, which would be
/// unloaded before it.
pub fn register(kind: i32) -> Result<()> {
    static MODULE: StaticModuleEntry = StaticModuleEntry::new();
    if kind != MODULE_PERSISTENT as i32 {
        return Ok(());
    }
    let entry = MODULE.get_or_init(|| {
        let mut builder = ModuleBuilder::new("yioop", env!("CARGO_PKG_VERSION"));
        for function in builders() {
            builder = builder.function(function);
        }
        let (entry, _, owned): (ModuleEntry, ModuleStartup, ModuleAllocations) =
            builder.try_into().expect("the module's tables are built from constants");
        (entry, owned)
    });
    let current = ExecutorGlobals::get().current_module;
    // SAFETY: the entry is static; MINIT is the time for it. Registering changes the current module, which is ours
    // again afterwards.
    let registered = unsafe { zend_register_internal_module(entry) };
    ExecutorGlobals::get_mut().current_module = current;
    if registered.is_null() { Err(Error::InvalidPointer) } else { Ok(()) }
}

fn builders() -> Vec<FunctionBuilder<'static>> {
    Vec::new()
}
