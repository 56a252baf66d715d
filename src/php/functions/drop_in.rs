//! With `postings.yioop=1`: the module `yioop`, and in it the six functions of `seekquarry\yioop\library` that Yioop
//! defines itself if there is no such module.

use crate::php::call::{Call, handler, parse};
use crate::php::declare::{MAY_BE_FALSE, RETURN_VALUE, function, function_table, widen};
use crate::php::exception::Outcome;
use crate::php::ffi::zend_register_internal_module;
use crate::php::output::List;
use crate::yioop::queue;
use ext_php_rs::args::Arg;
use ext_php_rs::builders::{FunctionBuilder, ModuleBuilder, ModuleStartup};
use ext_php_rs::error::{Error, Result};
use ext_php_rs::ffi::MODULE_PERSISTENT;
use ext_php_rs::flags::DataType;
use ext_php_rs::types::Zval;
use ext_php_rs::zend::{ExecutorGlobals, ModuleAllocations, ModuleEntry, StaticModuleEntry};

const NAMESPACE: &str = "seekquarry\\yioop\\library\\";
const UNPACK_INT: &str = "unpackInt";

/// Registers the module, which PHP then starts after this one. Called in our MINIT. Does nothing if `dl()` loads this
/// module, as that would be unloaded before the other.
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
    if registered.is_null() {
        return Err(Error::InvalidPointer);
    }
    widen(function_table(), &format!("{NAMESPACE}{UNPACK_INT}"), RETURN_VALUE, MAY_BE_FALSE);
    Ok(())
}

fn builders() -> Vec<FunctionBuilder<'static>> {
    let int = |name: &'static str| Arg::new(name, DataType::Long);
    let any = |name: &'static str| Arg::new(name, DataType::Mixed);
    let name = |name: &str| format!("{NAMESPACE}{name}");
    vec![
        function(&name("unpackListModified9"), handler!(unpack_list_modified9), DataType::Array)
            .arg(int("encoded_list")),
        function(&name("docIndexModified9"), handler!(doc_index_modified9), DataType::Long).arg(int("encoded_list")),
        function(&name(UNPACK_INT), handler!(unpack_int), DataType::Long).arg(any("str")),
        function(&name("decodeQueueWeightInfo"), handler!(decode_queue_weight_info), DataType::Array)
            .arg(int("weight_info"))
            .arg(any("crawl_order")),
        function(&name("encodeQueueWeightInfo"), handler!(encode_queue_weight_info), DataType::Long)
            .arg(int("weight"))
            .arg(int("depth"))
            .arg(any("crawl_order")),
        function(&name("adjustWeightCallback"), handler!(adjust_weight_callback), DataType::Long)
            .arg(int("weight_info"))
            .arg(int("adjustment")),
    ]
}

fn unpack_list_modified9(call: &mut Call) -> Outcome {
    let values = queue::unpack_list_modified9(call.int()? as u32);
    List::of_doc_ids(&values)?.store(call.result);
    Ok(())
}

fn doc_index_modified9(call: &mut Call) -> Outcome {
    let doc_index = queue::doc_index_modified9(call.int()? as u32);
    call.result.set_long(doc_index);
    Ok(())
}

fn unpack_int(call: &mut Call) -> Outcome {
    let mut value: *mut Zval = std::ptr::null_mut();
    parse!(call, c"z", &raw mut value)?;
    // SAFETY: parsing set it to an argument in the frame.
    match unsafe { &*value }.dereference().zend_str() {
        Some(string) => call.result.set_long(queue::unpack_int(string.as_bytes())),
        None => call.result.set_bool(false),
    }
    Ok(())
}

/// Whether a crawl order is page importance; any other value, null included, is not.
///
/// # Safety
/// `order` is an argument of the call.
unsafe fn is_page_importance(order: *const Zval) -> bool {
    // SAFETY: an argument lives in the frame of its call.
    let order = unsafe { &*order }.dereference().zend_str();
    order.is_some_and(|order| order.as_bytes() == queue::PAGE_IMPORTANCE.as_bytes())
}

fn decode_queue_weight_info(call: &mut Call) -> Outcome {
    let mut info = 0i64;
    let mut order: *mut Zval = std::ptr::null_mut();
    parse!(call, c"lz", &raw mut info, &raw mut order)?;
    // SAFETY: parsing set it to an argument in the frame.
    let (weight, depth) = queue::decode_queue_weight_info(info, unsafe { is_page_importance(order) });
    let mut pair = List::with_room(2)?;
    pair.push_long(weight);
    pair.push_long(depth);
    pair.store(call.result);
    Ok(())
}

fn encode_queue_weight_info(call: &mut Call) -> Outcome {
    let (mut weight, mut depth) = (0i64, 0i64);
    let mut order: *mut Zval = std::ptr::null_mut();
    parse!(call, c"llz", &raw mut weight, &raw mut depth, &raw mut order)?;
    // SAFETY: parsing set it to an argument in the frame.
    let info = queue::encode_queue_weight_info(weight, depth, unsafe { is_page_importance(order) });
    call.result.set_long(info);
    Ok(())
}

fn adjust_weight_callback(call: &mut Call) -> Outcome {
    let (mut info, mut adjustment) = (0i64, 0i64);
    parse!(call, c"ll", &raw mut info, &raw mut adjustment)?;
    call.result.set_long(queue::adjust_weight_callback(info, adjustment));
    Ok(())
}
