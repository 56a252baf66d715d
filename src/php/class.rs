//! What all classes of this extension have in common: objects with a Rust value in each, which only the extension makes
//! (and `new`, if the class has a public constructor).

use super::call::Call;
use super::exception::{self, Outcome, Thrown};
use super::ffi::{ends_for_memory, zend_std_compare_objects};
use ext_php_rs::builders::FunctionBuilder;
use ext_php_rs::class::{ClassEntryInfo, ConstructorMeta, ConstructorResult, RegisteredClass};
use ext_php_rs::convert::{IntoZval, IntoZvalDyn};
use ext_php_rs::describe::DocComments;
use ext_php_rs::exception::PhpException;
use ext_php_rs::flags::{ClassFlags, ConstantFlags, MethodFlags};
use ext_php_rs::types::{ZendClassObject, ZendObject, Zval};
use ext_php_rs::zend::{ClassEntry, ZendObjectHandlers};
use std::ffi::c_int;

/// A method, and how it may be called.
pub type Method = (FunctionBuilder<'static>, MethodFlags);

/// The value in each object of a class, and what the class is. [`class!`] makes such a type one that ext-php-rs can
/// register. Classes are final and have no properties and a private constructor, unless they say otherwise.
pub trait Class: RegisteredClass {
    const NAME: &'static str;
    const INTERFACES: &'static [ClassEntryInfo];

    fn methods() -> Vec<Method>;

    /// The value of an object that `unserialize()` is about to fill; `None` if objects cannot be unserialized.
    fn blank() -> Option<Self> {
        None
    }

    /// The value of a clone; `None` if objects cannot be cloned.
    fn copy(&self) -> Option<Self> {
        None
    }

    /// The constructor: private and refusing, unless the class says otherwise.
    fn constructor() -> Option<ConstructorMeta<Self>> {
        no_constructor()
    }

    /// Adds what ext-php-rs does not offer. Called in MINIT, once the class is registered.
    fn finish() {}
}

pub const FLAGS: ClassFlags = ClassFlags::Final.union(ClassFlags::NoDynamicProperties);

pub type Constants = &'static [(&'static str, &'static dyn IntoZvalDyn, DocComments, ConstantFlags)];

/// Makes a [`Class`] one that ext-php-rs can register.
macro_rules! class {
    ($class:ty) => {
        impl ext_php_rs::class::RegisteredClass for $class {
            const CLASS_NAME: &'static str = <$class as $crate::php::class::Class>::NAME;
            const BUILDER_MODIFIER: Option<
                fn(ext_php_rs::builders::ClassBuilder) -> ext_php_rs::builders::ClassBuilder,
            > = None;
            const EXTENDS: Option<ext_php_rs::class::ClassEntryInfo> = None;
            const IMPLEMENTS: &'static [ext_php_rs::class::ClassEntryInfo] =
                <$class as $crate::php::class::Class>::INTERFACES;
            const FLAGS: ext_php_rs::flags::ClassFlags = $crate::php::class::FLAGS;

            fn get_metadata() -> &'static ext_php_rs::class::ClassMetadata<Self> {
                static METADATA: ext_php_rs::class::ClassMetadata<$class> = ext_php_rs::class::ClassMetadata::new(&[]);
                &METADATA
            }

            fn method_builders() -> Vec<$crate::php::class::Method> {
                <$class as $crate::php::class::Class>::methods()
            }

            fn constructor() -> Option<ext_php_rs::class::ConstructorMeta<Self>> {
                <$class as $crate::php::class::Class>::constructor()
            }

            fn constants() -> $crate::php::class::Constants {
                &[]
            }

            fn default_init() -> Option<Self> {
                <$class as $crate::php::class::Class>::blank()
            }

            fn clone_obj(&self) -> Option<Self> {
                <$class as $crate::php::class::Class>::copy(self)
            }
        }
    };
}
pub(super) use class;

/// A private constructor that refuses.
pub fn no_constructor<T>() -> Option<ConstructorMeta<T>> {
    Some(ConstructorMeta {
        constructor: |_| {
            ConstructorResult::Exception(PhpException::from_message("objects are made by the extension".into()))
        },
        build_fn: |function| function,
        flags: Some(MethodFlags::Private),
    })
}

/// A method of an object.
pub fn method(function: FunctionBuilder<'static>) -> Method {
    (function, MethodFlags::Public)
}

/// A method of the class.
pub fn static_method(function: FunctionBuilder<'static>) -> Method {
    (function, MethodFlags::Public.union(MethodFlags::Static))
}

/// The entry of a registered class, which lives as long as the module. It may be written to during MINIT only, while no
/// other thread runs.
pub fn entry<T: Class>() -> *mut ClassEntry {
    std::ptr::from_ref(T::get_metadata().ce()).cast_mut()
}

/// The handlers of a class's objects, in the interior-mutable cell of a static. They may be written to during MINIT
/// only, while no other thread runs.
pub fn handlers<T: Class>() -> *mut ZendObjectHandlers {
    std::ptr::from_ref(T::get_metadata().handlers()).cast_mut()
}

/// Makes `==` true of an object and itself only: two without properties, or with the same, would be equal otherwise. For
/// [`Class::finish`].
pub fn only_itself_is_equal<T: Class>() {
    // SAFETY: `finish` runs during MINIT, when the handlers may be written to.
    unsafe { (*handlers::<T>()).compare = Some(compare_identity) };
}

/// # Safety
/// PHP calls it, with two values, at least one of them an object.
unsafe extern "C" fn compare_identity(left: *mut Zval, right: *mut Zval) -> c_int {
    const UNCOMPARABLE: c_int = 1;
    // SAFETY: PHP compares two values that live.
    let objects = unsafe { ((*left).object(), (*right).object()) };
    match objects {
        (Some(left), Some(right)) if !std::ptr::eq(left, right) => UNCOMPARABLE,
        // SAFETY: at least one is an object. No value of this frame needs dropping, should PHP jump over it.
        _ => unsafe { zend_std_compare_objects(left, right) },
    }
}

/// The exception for an object without its value.
pub fn uninitialised<T: Class>() -> Thrown {
    exception::error(&format!("{} object has not been initialised", T::NAME))
}

/// The value in the object that the method was called on.
pub fn this<'a, T: Class>(call: &'a mut Call) -> Outcome<&'a mut T> {
    Ok(this_and_result(call)?.0)
}

/// The value in the object that the method was called on, and the value that PHP gets.
pub fn this_and_result<'a, T: Class>(call: &'a mut Call) -> Outcome<(&'a mut T, &'a mut Zval)> {
    let (object, result) = call.this_and_result();
    let object = object.and_then(ZendClassObject::<T>::from_zend_obj_mut).and_then(|object| object.obj.as_mut());
    Ok((object.ok_or_else(uninitialised::<T>)?, result))
}

/// The value in an object of the class; `None` for anything else.
pub fn value_of<T: Class>(value: &Zval) -> Option<&T> {
    value_in(value.object()?)
}

/// As [`value_of`].
pub fn value_in<T: Class>(object: &ZendObject) -> Option<&T> {
    ZendClassObject::<T>::from_zend_obj(object)?.obj.as_ref()
}

/// As [`value_of`], to change it.
pub fn value_of_mut<T: Class>(value: &mut Zval) -> Option<&mut T> {
    ZendClassObject::<T>::from_zend_obj_mut(value.object_mut()?)?.obj.as_mut()
}

/// Makes a new object with that value the value of `target`.
pub fn store<T: Class>(value: T, target: &mut Zval) -> Outcome {
    // A call may make many.
    if ends_for_memory() {
        return Err(Thrown);
    }
    ZendClassObject::new(value).set_zval(target, false).map_err(|error| exception::error(&error.to_string()))
}
