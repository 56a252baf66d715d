//! Properties that PHP code can read and nobody can change: typed and readonly, in the object's own table.

use super::ffi::zend_declare_typed_property;
use ext_php_rs::ffi::{zend_class_entry, zend_string_init_interned, zend_type};
use ext_php_rs::types::{ZendObject, Zval};

const MAY_BE_NULL: u32 = 1 << 1;
const MAY_BE_BOOL: u32 = 1 << 2 | 1 << 3;
const MAY_BE_LONG: u32 = 1 << 4;
const MAY_BE_DOUBLE: u32 = 1 << 5;
const MAY_BE_STRING: u32 = 1 << 6;
const MAY_BE_ARRAY: u32 = 1 << 7;

/// The types of properties.
pub const INT: u32 = MAY_BE_LONG;
pub const NULLABLE_INT: u32 = MAY_BE_LONG | MAY_BE_NULL;
pub const INT_OR_STRING: u32 = MAY_BE_LONG | MAY_BE_STRING;
pub const BOOL: u32 = MAY_BE_BOOL;
pub const FLOAT: u32 = MAY_BE_DOUBLE;
pub const NULLABLE_FLOAT: u32 = MAY_BE_DOUBLE | MAY_BE_NULL;
pub const ARRAY: u32 = MAY_BE_ARRAY;
pub const NULLABLE_ARRAY: u32 = MAY_BE_ARRAY | MAY_BE_NULL;

/// Declares a property of a registered class. In MINIT, before the class has objects. Properties are numbered in the order
/// in which they are declared.
pub fn declare(class: *mut zend_class_entry, name: &str, types: u32) {
    const PUBLIC: i32 = 1;
    const READONLY: i32 = 1 << 7;
    let kind = zend_type { ptr: std::ptr::null_mut(), type_mask: types };
    // SAFETY: in MINIT the interning function is set; the name lives as long as the class. A typed property starts
    // uninitialised, which is type 0, and such a value owns nothing.
    unsafe {
        let Some(intern) = zend_string_init_interned else { return };
        let name = intern(name.as_ptr().cast(), name.len(), true);
        let mut uninitialised = Zval::new();
        uninitialised.u1.type_info = 0;
        zend_declare_typed_property(class, name, &mut uninitialised, PUBLIC | READONLY, std::ptr::null_mut(), kind);
    }
}

/// Sets the property with that number of a new object, which was not set yet.
///
/// # Safety
/// The object is new, and its class declared the property.
pub unsafe fn set(object: *mut ZendObject, number: usize, value: Zval) {
    // SAFETY: the object has a place for each declared property; what is there owns nothing. The second word of the place
    // becomes 0, as it is in a new value: the property is initialised.
    unsafe {
        let place = (&raw mut (*object).properties_table).cast::<Zval>().add(number);
        place.write(value);
        (*place).u2 = std::mem::zeroed();
    }
}

/// The property with that number of an object; null if it is not set.
///
/// # Safety
/// The object's class declared the property.
pub unsafe fn get(object: &ZendObject, number: usize) -> Zval {
    // SAFETY: the object has a place for each declared property; one that is not set has type 0.
    unsafe {
        let place = &*(&raw const object.properties_table).cast::<Zval>().add(number);
        if place.u1.type_info == 0 { Zval::null() } else { place.shallow_clone() }
    }
}
