//! `foreach` over a posting list or its iterator, without a method call for each docID.

use super::iterator::Object;
use super::{exception, iterator, posting_list};
use ext_php_rs::ffi::{zend_class_entry, zend_object_iterator, zend_object_iterator_funcs};
use ext_php_rs::types::{ZendClassObject, Zval};
use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};

unsafe extern "C" {
    fn zend_iterator_init(iterator: *mut zend_object_iterator);
}

/// Zend's iterator, which holds our iterator object in `data`, a pointer into that, and the current docID as a value.
#[repr(C)]
struct Iteration {
    zend: zend_object_iterator,
    object: *mut Object,
    current: Zval,
}

static FUNCTIONS: zend_object_iterator_funcs = zend_object_iterator_funcs {
    dtor: Some(end),
    valid: Some(valid),
    get_current_data: Some(current),
    get_current_key: Some(key),
    move_forward: Some(next),
    rewind: Some(rewind),
    invalidate_current: None,
    get_gc: None,
};

/// Makes `foreach` use this module for both classes. In MINIT, once they are registered.
pub fn register(list: *mut zend_class_entry, iterator: *mut zend_class_entry) {
    // SAFETY: both classes live as long as the module, and nobody else looks at them during MINIT.
    unsafe {
        (*list).get_iterator = Some(over_list);
        (*iterator).get_iterator = Some(over_iterator);
    }
}

/// Runs `body`; a panic is logged by the hook and gives `otherwise`, as these functions cannot throw.
fn guarded<T>(otherwise: T, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(otherwise)
}

/// # Safety
/// Zend calls it, with an object of the class.
unsafe extern "C" fn over_list(
    _: *mut zend_class_entry,
    object: *mut Zval,
    by_reference: c_int,
) -> *mut zend_object_iterator {
    guarded(std::ptr::null_mut(), || {
        // SAFETY: PHP gives an object of the class.
        let Some(Ok(list)) = posting_list::of(unsafe { &*object }) else { return std::ptr::null_mut() };
        let mut value = Zval::new();
        match iterator::store(list, &mut value) {
            Ok(()) => begin(value, by_reference),
            Err(_) => std::ptr::null_mut(),
        }
    })
}

/// # Safety
/// Zend calls it, with an object of the class.
unsafe extern "C" fn over_iterator(
    _: *mut zend_class_entry,
    object: *mut Zval,
    by_reference: c_int,
) -> *mut zend_object_iterator {
    // SAFETY: PHP gives an object of the class; the copy counts itself.
    guarded(std::ptr::null_mut(), || begin(unsafe { &*object }.shallow_clone(), by_reference))
}

fn begin(mut value: Zval, by_reference: c_int) -> *mut zend_object_iterator {
    if by_reference != 0 {
        exception::error("An iterator cannot be used with foreach by reference");
        return std::ptr::null_mut();
    }
    let object = value.object_mut().and_then(ZendClassObject::<Object>::from_zend_obj_mut);
    let Some(object) = object.and_then(|object| object.obj.as_mut()).map(std::ptr::from_mut) else {
        return std::ptr::null_mut();
    };
    let layout = std::alloc::Layout::new::<Iteration>();
    let iteration: *mut Iteration = ext_php_rs::alloc::emalloc(layout).cast();
    // SAFETY: the block is ours and has the layout; Zend initialises the object in it and frees the block when the
    // object ends.
    unsafe {
        zend_iterator_init(iteration.cast());
        (&raw mut (*iteration).zend.data).write(value);
        (*iteration).object = object;
        (*iteration).zend.funcs = &FUNCTIONS;
        (*iteration).zend.index = 0;
        (&raw mut (*iteration).current).write(Zval::new());
    }
    iteration.cast()
}

/// The iterator object behind an iteration.
///
/// # Safety
/// `iteration` is one that [`begin`] made and that has not ended; the result is the only reference to its object.
unsafe fn object<'a>(iteration: *mut zend_object_iterator) -> &'a mut Object {
    // SAFETY: the caller's promise; `data` keeps the object, and such an object keeps its Rust side, until the end.
    unsafe { &mut *(*iteration.cast::<Iteration>()).object }
}

/// # Safety
/// As [`valid`]; once, as the last.
unsafe extern "C" fn end(iteration: *mut zend_object_iterator) {
    // SAFETY: Zend ends an iteration once and frees its memory itself.
    unsafe { std::ptr::drop_in_place(&raw mut (*iteration).data) };
}

/// # Safety
/// Zend calls it, with a running iteration that [`begin`] made.
unsafe extern "C" fn valid(iteration: *mut zend_object_iterator) -> c_int {
    // SAFETY: Zend passes a running iteration.
    let valid = guarded(false, || unsafe { object(iteration) }.key().is_some());
    if valid { super::ffi::SUCCESS } else { super::ffi::FAILURE }
}

/// # Safety
/// Zend calls it, with a running iteration that [`begin`] made.
unsafe extern "C" fn current(iteration: *mut zend_object_iterator) -> *mut Zval {
    guarded(std::ptr::null_mut(), || {
        // SAFETY: Zend passes a running iteration, which `begin` made as the first part of an `Iteration`.
        unsafe {
            let current = &raw mut (*iteration.cast::<Iteration>()).current;
            match object(iteration).current() {
                Some(doc_id) => (*current).set_long(i64::from(doc_id)),
                None => (*current).set_null(),
            }
            current
        }
    })
}

/// # Safety
/// As [`valid`], and with a place for the key.
unsafe extern "C" fn key(iteration: *mut zend_object_iterator, key: *mut Zval) {
    // SAFETY: Zend passes a running iteration and a place for the key that owns nothing.
    guarded((), || unsafe {
        let mut value = Zval::new();
        match object(iteration).key() {
            Some(at) => value.set_long(at as i64),
            None => value.set_null(),
        }
        key.write(value);
    });
}

/// # Safety
/// Zend calls it, with a running iteration that [`begin`] made.
unsafe extern "C" fn next(iteration: *mut zend_object_iterator) {
    // SAFETY: Zend passes a running iteration.
    guarded((), || unsafe { object(iteration) }.advance());
}

/// # Safety
/// Zend calls it, with a running iteration that [`begin`] made.
unsafe extern "C" fn rewind(iteration: *mut zend_object_iterator) {
    // SAFETY: Zend passes a running iteration.
    guarded((), || unsafe { object(iteration) }.rewind());
}
