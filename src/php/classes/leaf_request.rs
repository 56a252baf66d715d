//! The class `Postings\LeafRequest`: what leaves are asked, and what their responses mean.

use super::index::words::store_counts;
use super::{hits, statistics, stored};
use crate::base::error::{Error, Refusal};
use crate::exchange::{Answer, Question, Response, commit_shown};
use crate::index::Schema;
use crate::php::call::{Call, check, check_index, handler, parse};
use crate::php::class::{self, Class, Method, class, method, this_and_result};
use crate::php::declare::function;
use crate::php::exception::{self, Outcome};
use crate::php::input::{self, milliseconds};
use crate::php::output::{self, List, Map};
use crate::php::zend::elements;
use crate::search::{Page, fingerprint};
use ext_php_rs::args::Arg;
use ext_php_rs::class::ClassEntryInfo;
use ext_php_rs::flags::DataType;
use ext_php_rs::types::{ZendStr, Zval};
use ext_php_rs::zend::BailoutGuard;
use std::ptr::null_mut;
use std::rc::Rc;
use std::sync::Arc;

/// What a response becomes in memory is at most so many times as long.
const IN_MEMORY: usize = 32;

pub struct Object {
    question: Question,
    /// The array whose keys the queries of a batch had; null if there is one query.
    keys: Zval,
    of: Asked,
}

/// What is known of the leaves that are asked.
#[derive(Clone)]
pub struct Asked {
    pub schema: Arc<Schema>,
    fingerprint: u64,
}

impl Asked {
    /// Leaves with that schema.
    pub fn new(schema: Arc<Schema>) -> Asked {
        Asked { fingerprint: fingerprint(&schema), schema }
    }
}

class!(Object);

impl Class for Object {
    const NAME: &'static str = "Postings\\LeafRequest";
    const INTERFACES: &'static [ClassEntryInfo] = &[];

    fn methods() -> Vec<Method> {
        vec![
            method(
                function("bytes", handler!(bytes), DataType::String)
                    .not_required()
                    .arg(Arg::new("commit", DataType::String).allow_null().default("null"))
                    .arg(Arg::new("deadline", DataType::Long).allow_null().default("null")),
            ),
            method(function("read", handler!(read), DataType::Mixed).arg(Arg::new("response", DataType::String))),
        ]
    }

    fn finish() {
        class::only_itself_is_equal::<Object>();
    }
}

/// Makes a new object the value of `target`, unless its bytes would be too many, or no leaf could answer.
pub fn store(question: Question, keys: Zval, of: &Asked, target: &mut Zval) -> Outcome {
    check(question.to_bytes(of.fingerprint, None, None), 1)?;
    class::store(Object { question, keys, of: of.clone() }, target)
}

fn bytes(call: &mut Call) -> Outcome {
    let (mut commit, mut deadline, mut is_null) = (null_mut::<ZendStr>(), 0i64, true);
    parse!(call, c"|S!l!", &raw mut commit, &raw mut deadline, &raw mut is_null)?;
    let deadline = (!is_null).then(|| milliseconds(deadline, 2)).transpose()?;
    // SAFETY: parsing set it to a string that the frame holds, or left it null.
    let commit = unsafe { commit.as_ref() };
    let commit = match commit {
        None => None,
        Some(text) => match std::str::from_utf8(text.as_bytes()).ok().and_then(commit_shown) {
            Some(commit) => Some(commit),
            None => return Err(exception::argument_value(1, "must be a commit as LeafClient::commit() returns it")),
        },
    };
    let (object, result) = this_and_result::<Object>(call)?;
    let bytes = BailoutGuard::new(check(object.question.to_bytes(object.of.fingerprint, commit, deadline), 1)?);
    Ok(output::bytes(result, &bytes)?)
}

fn read(call: &mut Call) -> Outcome {
    let response = call.bytes()?;
    input::ensure_memory(response.len().saturating_mul(IN_MEMORY))?;
    let (object, result) = this_and_result::<Object>(call)?;
    let Response { answer, .. } = check_index(Response::read(response, &object.question, &object.of.schema), 1)?;
    match answer {
        Answer::Statistics(told) => statistics::store(told, result),
        Answer::Words(words) => store_counts(words, result),
        Answer::Stored(all) => {
            let all = BailoutGuard::new(all);
            let mut list = List::with_room(all.len())?;
            for values in all.iter() {
                list.push(
                    values.as_ref().map_or_else(|| Ok(Zval::null()), |of| stored::by_name(&object.of.schema, of))?,
                );
            }
            list.store(result);
            Ok(())
        }
        Answer::Found(mut all) => {
            let options = match &object.question {
                Question::Search { options, .. } | Question::Nearest { options, .. } => options,
                _ => return not_asked(),
            };
            let plain = BailoutGuard::new(Rc::new(Page::new(options)));
            let page = |at: usize| match &object.question {
                Question::Search { queries, .. } => {
                    queries.get(at).map(|asked| Page::of_one(asked.get(), options, &plain))
                }
                _ => Some(plain.clone()),
            };
            let Some(keys) = object.keys.array() else {
                let Some((found, page)) = all.pop().zip(page(0)) else { return not_asked() };
                let page = BailoutGuard::new(page);
                hits::prepare(result)?;
                return hits::fill_from_leaf(result, &object.of.schema, &page, found);
            };
            all.reverse();
            let mut all = BailoutGuard::new(all);
            let mut map = Map::with_room(all.len())?;
            for (at, (key, _)) in elements(keys).enumerate() {
                let mut value = Zval::new();
                hits::prepare(&mut value)?;
                let Some((found, page)) = all.pop().zip(page(at)) else { break };
                let page = BailoutGuard::new(page);
                hits::fill_from_leaf(&mut value, &object.of.schema, &page, found)?;
                map.put(key, value);
            }
            map.store(result);
            Ok(())
        }
        Answer::Schema(_) => not_asked(),
    }
}

/// A response is read as the question says.
fn not_asked() -> Outcome {
    let what = "the response answers another question".into();
    check_index(Err(Error::Refused { why: Refusal::Failed, what }), 1)
}
