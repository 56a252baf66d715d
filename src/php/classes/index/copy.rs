//! The index in another folder, and its files.

use super::object::Object;
use crate::index::copy::CommitFile;
use crate::php::call::{Call, check_index};
use crate::php::class::this_and_result;
use crate::php::exception::Outcome;
use crate::php::output::{List, Record};
use crate::php::path;

pub fn snapshot(call: &mut Call) -> Outcome {
    let folder = path::argument(call)?;
    let (object, result) = this_and_result::<Object>(call)?;
    check_index(object.0.snapshot().copy_to(&folder), 1)?;
    result.set_long(object.0.generation() as i64);
    Ok(())
}

pub fn files(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let (object, result) = this_and_result::<Object>(call)?;
    let files = object.0.snapshot().files();
    let mut list = List::with_room(files.len())?;
    for CommitFile { name, bytes, crc } in files {
        let file = Record::with_room(3).field("name", name).field("bytes", bytes as i64);
        list.push(file.field("crc32", format!("{crc:08x}")).into_zval());
    }
    list.store(result);
    Ok(())
}
