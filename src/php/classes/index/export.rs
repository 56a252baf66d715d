//! The index as files of other formats.

use super::object::Object;
use crate::interchange;
use crate::php::call::{Call, check_index, parse};
use crate::php::class::this_and_result;
use crate::php::exception::Outcome;
use crate::php::{fields, path};
use ext_php_rs::types::ZendStr;
use std::ptr::null_mut;

pub fn export_ciff(call: &mut Call) -> Outcome {
    let [mut given, mut field] = [null_mut::<ZendStr>(); 2];
    parse!(call, c"P|S!", &raw mut given, &raw mut field)?;
    let (object, result) = this_and_result::<Object>(call)?;
    let field = fields::text_or_first(object.0.schema(), field, 2)?;
    // SAFETY: parsing set it to a string that the frame holds; 'P' refuses one with a NUL byte.
    let path = path::allowed_with(unsafe { &*given }.as_bytes(), &["", ".part"])?;
    let counts = check_index(interchange::export_ciff(object.0.snapshot(), field, &path), 1)?;
    result.set_long(counts.documents as i64);
    Ok(())
}

pub fn export_pisa(call: &mut Call) -> Outcome {
    let [mut given, mut field] = [null_mut::<ZendStr>(); 2];
    parse!(call, c"P|S!", &raw mut given, &raw mut field)?;
    let (object, result) = this_and_result::<Object>(call)?;
    let field = fields::text_or_first(object.0.schema(), field, 2)?;
    let suffixes = interchange::pisa::SUFFIXES;
    // SAFETY: parsing set it to a string that the frame holds; 'P' refuses one with a NUL byte.
    let base = unsafe { &*given }.as_bytes();
    path::allowed_with(base, &suffixes.map(|suffix| format!("{suffix}.part")).each_ref().map(String::as_str))?;
    let base = path::allowed_with(base, &suffixes)?;
    let counts = check_index(interchange::export_pisa(object.0.snapshot(), field, &base), 1)?;
    result.set_long(counts.documents as i64);
    Ok(())
}
