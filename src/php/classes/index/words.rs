//! Words: what a query is told of them, and what the index has.

use super::argument::{Argument, reading};
use super::arguments::Signature;
use super::object::Object;
use crate::index::{Kind, Schema};
use crate::php::call::{Call, check_index, parse};
use crate::php::class::this_and_result;
use crate::php::classes::posting_list;
use crate::php::exception::Outcome;
use crate::php::fields;
use crate::php::input::{natural, text};
use crate::php::output::{self, List, Map, Record};
use crate::search::{Fused, FusedList};
use ext_php_rs::types::{ZendStr, Zval};
use ext_php_rs::zend::BailoutGuard;
use std::borrow::Cow;
use std::ptr::null_mut;

/// Makes value => number the value of `target`.
pub fn store_counts<T: AsRef<[u8]> + 'static>(counts: Vec<(T, u64)>, target: &mut Zval) -> Outcome {
    let counts = BailoutGuard::new(counts);
    Map::of_counts(&counts)?.store(target);
    Ok(())
}

/// What was typed, to be completed.
pub struct Typed<'c> {
    text: Cow<'c, str>,
    limit: i64,
    field: Option<&'c [u8]>,
}

impl<'c> Typed<'c> {
    /// The arguments of a call.
    pub fn parse(call: &Call<'c>) -> Outcome<Typed<'c>> {
        let [mut start, mut field] = [null_mut::<ZendStr>(); 2];
        let mut limit = 8i64;
        parse!(call, c"S|lS!", &raw mut start, &raw mut limit, &raw mut field)?;
        // SAFETY: parsing set it to a string that the frame holds, or left it null.
        let field = unsafe { field.as_ref() }.map(ZendStr::as_bytes);
        Ok(Typed { text: text(start), limit, field })
    }

    /// The text, the number of the field that it is to be looked up in, and the most words.
    pub fn of(self, schema: &Schema) -> Outcome<(Cow<'c, str>, Option<usize>, usize)> {
        let limit = natural(self.limit, 2)?;
        let number = |name| fields::of_kind(schema, name, 3, &[Kind::Text], "a text field");
        Ok((self.text, self.field.map(number).transpose()?, limit))
    }
}

pub fn suggest(call: &mut Call) -> Outcome {
    let typed = Typed::parse(call)?;
    let (object, result) = this_and_result::<Object>(call)?;
    let (text, field, limit) = typed.of(object.0.schema())?;
    store_counts(check_index(object.0.suggest(&text, field, limit), 1)?, result)
}

pub const EXPLAIN: Signature = Signature {
    required: 2,
    arguments: reading![
        Argument::Query,
        Argument::Id,
        Argument::Matching,
        Argument::Weights,
        Argument::K1,
        Argument::B;
        Argument::Statistics,
        Argument::Nearest,
        Argument::Fusion,
        Argument::Weighted
    ],
};

pub fn explain(call: &mut Call) -> Outcome {
    let arguments = EXPLAIN.parse(call)?;
    let id = arguments.id()?;
    let (object, result) = this_and_result::<Object>(call)?;
    let options = arguments.options(object.0.schema())?;
    let Some(explanation) =
        check_index(object.0.explain(arguments.query(object.0.schema(), &options)?.asked(), &id, &options), 1)?
    else {
        result.set_null();
        return Ok(());
    };
    let explanation = BailoutGuard::new(explanation);
    let mut parts = List::with_room(explanation.parts.len())?;
    for part in &explanation.parts {
        let mut term = Zval::new();
        output::bytes(&mut term, part.term.as_bytes())?;
        parts.push(
            Record::with_room(10)
                .field("clause", part.clause.as_str())
                .field("field", part.field.as_str())
                .field("term", term)
                .field("frequency", i64::from(part.frequency))
                .field("length", i64::from(part.length))
                .field("documents", part.documents as i64)
                .field("idf", part.idf)
                .field("discount", part.discount)
                .field("weight", part.weight)
                .field("score", part.score)
                .into_zval(),
        );
    }
    let record = Record::new()
        .field("matches", explanation.matches)
        .field("score", explanation.score)
        .field("parts", parts.into_zval());
    match &explanation.fused {
        Some(fused) => {
            record.field("fused", fused.score).field("lists", lists(object.0.schema(), fused)?).store(result)
        }
        None => record.store(result),
    }
    Ok(())
}

/// What each list adds.
fn lists(schema: &Schema, fused: &Fused) -> Outcome<Zval> {
    let mut lists = List::with_room(fused.lists.len())?;
    for FusedList { field, score, rank, adds } in &fused.lists {
        let name = field.and_then(|field| schema.fields.get(field)).map_or("text", |field| &field.name);
        let or_null = |number: Option<f64>| {
            number.map_or_else(Zval::null, |number| {
                let mut value = Zval::new();
                value.set_double(number);
                value
            })
        };
        let mut of_rank = Zval::null();
        if let Some(rank) = rank {
            of_rank.set_long(*rank as i64);
        }
        let record = Record::new().field("field", name).field("score", or_null(*score));
        lists.push(record.field("rank", of_rank).field("adds", *adds).into_zval());
    }
    Ok(lists.into_zval())
}

pub fn terms(call: &mut Call) -> Outcome {
    let [mut prefix, mut field] = [null_mut::<ZendStr>(); 2];
    let mut limit = 100i64;
    parse!(call, c"|SS!l", &raw mut prefix, &raw mut field, &raw mut limit)?;
    let (object, result) = this_and_result::<Object>(call)?;
    let field = fields::with_terms(object.0.schema(), field, 2)?;
    let limit = natural(limit, 3)?;
    // SAFETY: parsing set it to a string that the frame holds, or left it null.
    let prefix = unsafe { prefix.as_ref() }.map_or(&[][..], ZendStr::as_bytes);
    store_counts(check_index(object.0.terms(prefix, field, limit), 1)?, result)
}

pub fn postings(call: &mut Call) -> Outcome {
    let [mut term, mut field] = [null_mut::<ZendStr>(); 2];
    parse!(call, c"S|S!", &raw mut term, &raw mut field)?;
    let (object, result) = this_and_result::<Object>(call)?;
    let field = fields::with_terms(object.0.schema(), field, 2)?;
    // SAFETY: parsing set it to a string that the frame holds.
    let term = unsafe { &*term }.as_bytes();
    posting_list::store(check_index(object.0.postings(term, field), 1)?, result)
}

pub fn occurrences(call: &mut Call) -> Outcome {
    let [mut term, mut field] = [null_mut::<ZendStr>(); 2];
    parse!(call, c"S|S!", &raw mut term, &raw mut field)?;
    let (object, result) = this_and_result::<Object>(call)?;
    let field = fields::with_terms(object.0.schema(), field, 2)?;
    // SAFETY: parsing set it to a string that the frame holds.
    let term = unsafe { &*term }.as_bytes();
    result.set_long(check_index(object.0.occurrences(term, field), 1)? as i64);
    Ok(())
}
