//! The elements of an argument that may be an array or a `Traversable`.

use super::exception::{self, Outcome, Thrown, no_exception, type_name};
use super::ffi::zend_iterator_dtor;
use super::zend::{Key, elements, type_of_string};
use ext_php_rs::types::{ZendHashTable, ZendIterator, Zval};
use std::ops::ControlFlow;

/// What is done with each key and value.
type Each<'a> = &'a mut dyn FnMut(&Zval, &Zval) -> Outcome;

/// Calls `each` with every key and value of an argument, in order. A `Traversable` runs PHP code, which may end the script
/// by a jump over this frame; `each` may run some, too.
pub fn each(all: &Zval, argument: u32, each: Each) -> Outcome {
    match all.array() {
        Some(array) => each_of_array(array, each),
        None => each_of_object(all, argument, each),
    }
}

/// The array is an argument, so nothing can change it meanwhile.
fn each_of_array(array: &ZendHashTable, each: Each) -> Outcome {
    for (key, value) in elements(array) {
        let mut name = Zval::new();
        match key {
            Key::Int(key) => name.set_long(key),
            // SAFETY: the array owns the key; the copy counts itself.
            Key::String(key) => unsafe {
                let mut borrowed = std::mem::ManuallyDrop::new(Zval::new());
                borrowed.value.str_ = key;
                borrowed.u1.type_info = type_of_string(key);
                name = borrowed.shallow_clone();
            },
        }
        each(&name, value)?;
    }
    Ok(())
}

fn each_of_object(all: &Zval, argument: u32, each: Each) -> Outcome {
    let wrong = || {
        let text = format!("must be of type Traversable|array, {} given", type_name(all));
        exception::argument_type(argument, &text)
    };
    let mut held = all.shallow_clone();
    let Some(class) = all.object().filter(|_| all.is_traversable()).map(|object| object.get_class_entry()) else {
        return Err(wrong());
    };
    // An iterator without an exception, or none with one.
    let Some(iterator) = class.get_iterator(&mut held, false) else {
        no_exception()?;
        return Err(wrong());
    };
    let outcome = each_of_iterator(iterator, each);
    // SAFETY: it is ours, and not used after this.
    unsafe { zend_iterator_dtor(iterator) };
    outcome
}

fn each_of_iterator(iterator: &mut ZendIterator, each: Each) -> Outcome {
    no_exception()?;
    iterator.index = 0;
    if !iterator.rewind() {
        return Err(Thrown);
    }
    loop {
        let step = next_of_iterator(iterator, each)?;
        if step.is_break() {
            return Ok(());
        }
        iterator.index += 1;
        if !iterator.move_forward() {
            return Err(Thrown);
        }
    }
}

fn next_of_iterator(iterator: &mut ZendIterator, each: Each) -> Outcome<ControlFlow<()>> {
    if !iterator.valid() {
        no_exception()?;
        return Ok(ControlFlow::Break(()));
    }
    // Copies, as PHP code that runs meanwhile may move the iterator.
    let value = iterator.get_current_data().map(Zval::shallow_clone).ok_or(Thrown)?;
    let name = match iterator.get_current_key() {
        Some(name) => name,
        None => {
            no_exception()?;
            let mut name = Zval::new();
            name.set_long(iterator.index as i64);
            name
        }
    };
    each(&name, &value)?;
    Ok(ControlFlow::Continue(()))
}
