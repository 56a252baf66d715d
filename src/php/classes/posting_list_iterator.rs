//! The class `Postings\PostingListIterator`, which `getIterator()` returns: decodes a block at a time.

use super::call::{Call, Outcome, function, handler};
use super::exception;
use super::posting_list::{Constants, no_constructor};
use crate::PostingList;
use crate::codec::{BLOCK, BlockBuffer, block_buffer};
use ext_php_rs::builders::{ClassBuilder, FunctionBuilder};
use ext_php_rs::class::{ClassEntryInfo, ClassMetadata, ConstructorMeta, RegisteredClass};
use ext_php_rs::flags::{ClassFlags, DataType, MethodFlags};
use ext_php_rs::types::{ZendClassObject, ZendObject, Zval};
use ext_php_rs::zend::ce;

/// The Rust side of an iterator object.
pub struct Object {
    list: PostingList,
    /// The position, and key, of the current docID; the list's length past the end.
    at: usize,
    /// The block that `buffer` holds, if any.
    decoded: Option<usize>,
    buffer: Box<BlockBuffer>,
}

static METADATA: ClassMetadata<Object> = ClassMetadata::new(&[]);

impl RegisteredClass for Object {
    const CLASS_NAME: &'static str = "Postings\\PostingListIterator";
    const BUILDER_MODIFIER: Option<fn(ClassBuilder) -> ClassBuilder> = None;
    const EXTENDS: Option<ClassEntryInfo> = None;
    const IMPLEMENTS: &'static [ClassEntryInfo] = &[(ce::iterator, "Iterator")];
    const FLAGS: ClassFlags = ClassFlags::Final.union(ClassFlags::NoDynamicProperties);

    fn get_metadata() -> &'static ClassMetadata<Self> {
        &METADATA
    }

    fn method_builders() -> Vec<(FunctionBuilder<'static>, MethodFlags)> {
        vec![
            (
                FunctionBuilder::new("current", handler!(current)).returns(DataType::Long, false, true),
                MethodFlags::Public,
            ),
            (FunctionBuilder::new("key", handler!(key)).returns(DataType::Long, false, true), MethodFlags::Public),
            (function("next", handler!(next), DataType::Void), MethodFlags::Public),
            (function("rewind", handler!(rewind), DataType::Void), MethodFlags::Public),
            (function("valid", handler!(valid), DataType::Bool), MethodFlags::Public),
        ]
    }

    fn constructor() -> Option<ConstructorMeta<Self>> {
        no_constructor()
    }

    fn constants() -> Constants {
        &[]
    }
}

impl Object {
    /// The position of the current docID, `None` past the end.
    pub fn key(&self) -> Option<usize> {
        (self.at < self.list.len()).then_some(self.at)
    }

    /// On to the next docID.
    pub fn advance(&mut self) {
        if self.at < self.list.len() {
            self.at += 1;
        }
    }

    /// Back to the first docID.
    pub fn rewind(&mut self) {
        self.at = 0;
    }

    /// The current docID, `None` past the end. Decodes a block where the current one is in another.
    pub fn current(&mut self) -> Option<u32> {
        if self.at >= self.list.len() {
            return None;
        }
        let block = self.at / BLOCK;
        if self.decoded != Some(block) {
            self.list.decode_block(block, &mut self.buffer);
            self.decoded = Some(block);
        }
        Some(self.buffer[self.at % BLOCK])
    }
}

/// Makes an iterator before the first docID of `list` the value of `target`.
pub fn store(list: PostingList, target: &mut Zval) -> Outcome {
    let object = Object { list, at: 0, decoded: None, buffer: Box::new(block_buffer()) };
    ext_php_rs::convert::IntoZval::set_zval(ZendClassObject::new(object), target, false)
        .map_err(|error| exception::error(&error.to_string()))
}

fn this<'a>(call: &'a mut Call) -> Outcome<&'a mut ZendClassObject<Object>> {
    call.no_arguments()?;
    call.this()
        .and_then(|this: &mut ZendObject| ZendClassObject::<Object>::from_zend_obj_mut(this))
        .ok_or_else(|| exception::error("Postings\\PostingListIterator object has not been initialised"))
}

fn store_int(value: Option<i64>, target: &mut Zval) {
    match value {
        Some(value) => target.set_long(value),
        None => target.set_null(),
    }
}

fn current(call: &mut Call) -> Outcome {
    let doc_id = this(call)?.current();
    store_int(doc_id.map(i64::from), call.result);
    Ok(())
}

fn key(call: &mut Call) -> Outcome {
    let key = this(call)?.key();
    store_int(key.map(|at| at as i64), call.result);
    Ok(())
}

fn next(call: &mut Call) -> Outcome {
    this(call)?.advance();
    Ok(())
}

fn rewind(call: &mut Call) -> Outcome {
    this(call)?.rewind();
    Ok(())
}

fn valid(call: &mut Call) -> Outcome {
    let valid = this(call)?.key().is_some();
    call.result.set_bool(valid);
    Ok(())
}
