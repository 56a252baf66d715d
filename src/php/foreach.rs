//! `foreach` over objects of this extension, without method calls: iterators, their five methods, and the classes that
//! return one from `getIterator()`.

use super::call::{Call, run};
use super::class::{self, Class, Method, method, this, this_and_result};
use super::declare::{function, nullable};
use super::exception::{self, Outcome};
use super::ffi::ends_for_memory;
use ext_php_rs::ffi::{zend_class_entry, zend_object_iterator, zend_object_iterator_funcs};
use ext_php_rs::flags::DataType;
use ext_php_rs::types::Zval;
use ext_php_rs::zend::ExecuteData;
use std::ffi::c_int;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A class that implements PHP's `Iterator`, made with [`iterator_class!`].
pub trait Iterate: Class {
    /// The types of its keys and elements.
    const KEY: DataType;
    const CURRENT: DataType;

    /// Whether there is a current element: there is none past the end.
    fn valid(&self) -> bool;
    /// Makes the current element's key the value of `target`; null past the end.
    fn key(&self, target: &mut Zval) -> Outcome;
    /// Makes the current element the value of `target`; null past the end. Every now and then it must ask whether the
    /// script [ends](ends_for_memory): `iterator_to_array` and its like do not.
    fn current(&mut self, target: &mut Zval) -> Outcome;
    /// Moves to the next element.
    fn advance(&mut self) -> Outcome;
    /// Moves back to the first element.
    fn rewind(&mut self) -> Outcome;
}

/// Makes an [`Iterate`] a class of that name.
macro_rules! iterator_class {
    ($iterator:ty, $name:literal) => {
        $crate::php::class::class!($iterator);

        impl $crate::php::class::Class for $iterator {
            const NAME: &'static str = $name;
            const INTERFACES: &'static [ext_php_rs::class::ClassEntryInfo] =
                &[(ext_php_rs::zend::ce::iterator, "Iterator")];

            fn methods() -> Vec<$crate::php::class::Method> {
                $crate::php::foreach::iterator_methods::<$iterator>()
            }

            fn finish() {
                $crate::php::foreach::over_iterator::<$iterator>();
            }
        }
    };
}
pub(super) use iterator_class;

/// A class that implements PHP's `IteratorAggregate`. Its method is [`get_iterator`].
pub trait Aggregate: Class {
    type Iterator: Iterate;

    /// An iterator before the first element.
    fn iterator(&self) -> Outcome<Self::Iterator>;
}

/// The methods of an iterator.
pub fn iterator_methods<T: Iterate>() -> Vec<Method> {
    fn object<'a, T: Iterate>(call: &'a mut Call) -> Outcome<(&'a mut T, &'a mut Zval)> {
        call.no_arguments()?;
        this_and_result(call)
    }
    extern "C" fn current<T: Iterate>(frame: &mut ExecuteData, result: &mut Zval) {
        run(frame, result, |call| {
            let (object, result) = object::<T>(call)?;
            object.current(result)
        });
    }
    extern "C" fn key<T: Iterate>(frame: &mut ExecuteData, result: &mut Zval) {
        run(frame, result, |call| {
            let (object, result) = object::<T>(call)?;
            object.key(result)
        });
    }
    extern "C" fn next<T: Iterate>(frame: &mut ExecuteData, result: &mut Zval) {
        run(frame, result, |call| object::<T>(call)?.0.advance());
    }
    extern "C" fn rewind<T: Iterate>(frame: &mut ExecuteData, result: &mut Zval) {
        run(frame, result, |call| object::<T>(call)?.0.rewind());
    }
    extern "C" fn valid<T: Iterate>(frame: &mut ExecuteData, result: &mut Zval) {
        run(frame, result, |call| {
            let (object, result) = object::<T>(call)?;
            result.set_bool(object.valid());
            Ok(())
        });
    }
    [
        nullable("current", current::<T>, T::CURRENT),
        nullable("key", key::<T>, T::KEY),
        function("next", next::<T>, DataType::Void),
        function("rewind", rewind::<T>, DataType::Void),
        function("valid", valid::<T>, DataType::Bool),
    ]
    .map(method)
    .into()
}

/// The method `getIterator`.
pub fn get_iterator<T: Aggregate>() -> Method {
    extern "C" fn get_iterator<T: Aggregate>(frame: &mut ExecuteData, result: &mut Zval) {
        run(frame, result, |call| {
            call.no_arguments()?;
            let iterator = this::<T>(call)?.iterator()?;
            class::store(iterator, call.result)
        });
    }
    method(function("getIterator", get_iterator::<T>, DataType::object("Iterator")))
}

/// Makes `foreach` over an iterator use this module. For [`Class::finish`].
pub fn over_iterator<T: Iterate>() {
    // SAFETY: `finish` runs during MINIT, when entries may be written to.
    unsafe { (*class::entry::<T>()).get_iterator = Some(iterate_itself::<T>) };
}

/// Makes `foreach` over a class with `getIterator()` use this module. For [`Class::finish`].
pub fn over_aggregate<T: Aggregate>() {
    // SAFETY: `finish` runs during MINIT, when entries may be written to.
    unsafe { (*class::entry::<T>()).get_iterator = Some(iterate::<T>) };
}

unsafe extern "C" {
    fn zend_iterator_init(iterator: *mut zend_object_iterator);
}

/// Zend's iterator, which holds our iterator object in `data`, a pointer into that, and the current element.
#[repr(C)]
struct Iteration<T> {
    zend: zend_object_iterator,
    object: *mut T,
    current: Zval,
}

struct Functions<T>(PhantomData<T>);

impl<T: Iterate> Functions<T> {
    const TABLE: zend_object_iterator_funcs = zend_object_iterator_funcs {
        dtor: Some(end::<T>),
        valid: Some(valid::<T>),
        get_current_data: Some(current::<T>),
        get_current_key: Some(key::<T>),
        move_forward: Some(next::<T>),
        rewind: Some(rewind::<T>),
        invalidate_current: None,
        get_gc: None,
    };
}

/// Runs `body`; a panic is logged by the hook and gives `otherwise`, as these functions cannot throw.
fn guarded<R>(otherwise: R, body: impl FnOnce() -> R) -> R {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(otherwise)
}

/// # Safety
/// Zend calls it, with an object of the class.
unsafe extern "C" fn iterate<T: Aggregate>(
    _: *mut zend_class_entry,
    object: *mut Zval,
    by_reference: c_int,
) -> *mut zend_object_iterator {
    guarded(std::ptr::null_mut(), || {
        // SAFETY: PHP gives an object of the class.
        let object = class::value_of::<T>(unsafe { &*object }).ok_or_else(class::uninitialised::<T>);
        let mut value = Zval::new();
        match object.and_then(T::iterator).and_then(|iterator| class::store(iterator, &mut value)) {
            Ok(()) => begin::<T::Iterator>(value, by_reference),
            Err(_) => std::ptr::null_mut(),
        }
    })
}

/// # Safety
/// Zend calls it, with an object of the class.
unsafe extern "C" fn iterate_itself<T: Iterate>(
    _: *mut zend_class_entry,
    object: *mut Zval,
    by_reference: c_int,
) -> *mut zend_object_iterator {
    // SAFETY: PHP gives an object of the class; the copy counts itself.
    guarded(std::ptr::null_mut(), || begin::<T>(unsafe { &*object }.shallow_clone(), by_reference))
}

fn begin<T: Iterate>(mut value: Zval, by_reference: c_int) -> *mut zend_object_iterator {
    if by_reference != 0 {
        exception::error("An iterator cannot be used with foreach by reference");
        return std::ptr::null_mut();
    }
    let Some(object) = class::value_of_mut::<T>(&mut value).map(std::ptr::from_mut) else {
        class::uninitialised::<T>();
        return std::ptr::null_mut();
    };
    let layout = std::alloc::Layout::new::<Iteration<T>>();
    let iteration: *mut Iteration<T> = ext_php_rs::alloc::emalloc(layout).cast();
    // SAFETY: the block is ours and has the layout; Zend initialises the object in it and frees the block when the
    // object ends.
    unsafe {
        zend_iterator_init(iteration.cast());
        (&raw mut (*iteration).zend.data).write(value);
        (*iteration).object = object;
        (*iteration).zend.funcs = &Functions::<T>::TABLE;
        (*iteration).zend.index = 0;
        (&raw mut (*iteration).current).write(Zval::new());
    }
    iteration.cast()
}

/// The iterator object of an iteration.
///
/// # Safety
/// `iteration` is one that [`begin`] made and that has not ended; the result is the only reference to its object.
unsafe fn object<'a, T: Iterate>(iteration: *mut zend_object_iterator) -> &'a mut T {
    // SAFETY: `begin` stored the object, `data` keeps it, and such an object keeps its value, until the end.
    unsafe { &mut *(*iteration.cast::<Iteration<T>>()).object }
}

/// # Safety
/// As [`valid`]; once, as the last.
unsafe extern "C" fn end<T: Iterate>(iteration: *mut zend_object_iterator) {
    let iteration: *mut Iteration<T> = iteration.cast();
    // SAFETY: Zend ends an iteration once and frees its memory itself.
    unsafe {
        std::ptr::drop_in_place(&raw mut (*iteration).current);
        std::ptr::drop_in_place(&raw mut (*iteration).zend.data);
    }
}

/// # Safety
/// Zend calls it, with a running iteration that [`begin`] made.
unsafe extern "C" fn valid<T: Iterate>(iteration: *mut zend_object_iterator) -> c_int {
    // SAFETY: Zend passes a running iteration.
    let valid = guarded(false, || unsafe { object::<T>(iteration) }.valid());
    if valid { super::ffi::SUCCESS } else { super::ffi::FAILURE }
}

/// # Safety
/// Zend calls it, with a running iteration that [`begin`] made.
unsafe extern "C" fn current<T: Iterate>(iteration: *mut zend_object_iterator) -> *mut Zval {
    guarded(std::ptr::null_mut(), || {
        // SAFETY: Zend passes a running iteration, which `begin` made as the first part of an `Iteration`.
        unsafe {
            let current = &raw mut (*iteration.cast::<Iteration<T>>()).current;
            if object::<T>(iteration).current(&mut *current).is_err() {
                // Zend finds the pending exception and does not look at the element.
                (*current).set_null();
                ends_for_memory();
            }
            current
        }
    })
}

/// # Safety
/// As [`valid`], and with room for the key.
unsafe extern "C" fn key<T: Iterate>(iteration: *mut zend_object_iterator, key: *mut Zval) {
    // SAFETY: Zend passes a running iteration and room for a key, which owns nothing.
    guarded((), || unsafe {
        key.write(Zval::new());
        if object::<T>(iteration).key(&mut *key).is_err() {
            (*key).set_null();
            ends_for_memory();
        }
    });
}

/// # Safety
/// Zend calls it, with a running iteration that [`begin`] made.
unsafe extern "C" fn next<T: Iterate>(iteration: *mut zend_object_iterator) {
    // SAFETY: Zend passes a running iteration. It finds a pending exception itself.
    guarded((), || drop(unsafe { object::<T>(iteration) }.advance()));
}

/// # Safety
/// Zend calls it, with a running iteration that [`begin`] made.
unsafe extern "C" fn rewind<T: Iterate>(iteration: *mut zend_object_iterator) {
    // SAFETY: Zend passes a running iteration. It finds a pending exception itself.
    guarded((), || drop(unsafe { object::<T>(iteration) }.rewind()));
}
