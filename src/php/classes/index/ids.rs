//! Ids, docIDs and stored fields.

use super::object::Object;
use crate::php::call::{Call, check_index, parse};
use crate::php::class::this_and_result;
use crate::php::classes::{hit, stored};
use crate::php::documents::id_argument;
use crate::php::exception::Outcome;
use crate::search::Index;
use ext_php_rs::types::Zval;
use std::ptr::null_mut;

pub fn id_of(call: &mut Call) -> Outcome {
    let doc_id = call.int()?;
    let (object, result) = this_and_result::<Object>(call)?;
    let id = match u64::try_from(doc_id) {
        Ok(doc_id) => check_index(object.0.id(doc_id), 1)?,
        Err(_) => None,
    };
    match id {
        Some(id) => hit::store_id((&id).into(), result),
        None => {
            result.set_null();
            Ok(())
        }
    }
}

/// The docID of the document whose id is the one argument; `None` if there is none.
fn doc_id_of<'a>(call: &'a mut Call) -> Outcome<(Option<u64>, &'a Index, &'a mut Zval)> {
    let mut id: *mut Zval = null_mut();
    parse!(call, c"z", &raw mut id)?;
    // SAFETY: parsing set it to an argument in the frame.
    let id = id_argument(unsafe { &*id }, 1)?;
    let (object, result) = this_and_result::<Object>(call)?;
    Ok((check_index(object.0.doc_id(&id), 1)?, &object.0, result))
}

pub fn doc_id(call: &mut Call) -> Outcome {
    match doc_id_of(call)? {
        (Some(doc_id), _, result) => result.set_long(doc_id as i64),
        (None, _, result) => result.set_null(),
    }
    Ok(())
}

pub fn stored(call: &mut Call) -> Outcome {
    match doc_id_of(call)? {
        (Some(doc_id), index, result) => *result = stored::fields(index, doc_id)?,
        (None, _, result) => result.set_null(),
    }
    Ok(())
}
