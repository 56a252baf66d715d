//! The arguments of a call, which methods have in common: parsed and checked here, once.

use super::argument::{Argument, B, CAPACITY, K1, LENGTH, LIMIT, WORDS};
use super::{filter, fusion, options};
use crate::analysis::valid_utf8;
use crate::index::{Field, Id, Schema};
use crate::php::asked::{self, Query};
use crate::php::call::{Call, parsed};
use crate::php::class::{Method, method};
use crate::php::classes::{matching, statistics};
use crate::php::declare::widen;
use crate::php::documents::id_argument;
use crate::php::exception::{self, Outcome, Thrown};
use crate::php::ffi::{zend_parse_parameter, zend_wrong_parameters_count_error};
use crate::php::input::{milliseconds, natural, up_to};
use crate::php::weights;
use crate::search::{Index, Options};
use ext_php_rs::builders::FunctionBuilder;
use ext_php_rs::types::{ZendHashTable, ZendStr, Zval};
use std::borrow::Cow;
use std::ptr::null_mut;

/// The arguments of a method: in order, the required ones first.
#[derive(Debug)]
pub struct Signature {
    pub required: usize,
    pub arguments: &'static [Argument],
}

impl Signature {
    /// A method with these arguments.
    pub fn method(&self, mut function: FunctionBuilder<'static>) -> Method {
        for (at, argument) in self.arguments.iter().enumerate() {
            if at == self.required {
                function = function.not_required();
            }
            function = function.arg(argument.declared(at < self.required));
        }
        method(function)
    }

    /// Adds the types that a declaration cannot express. In MINIT, once the class is registered; the name is in small
    /// letters.
    pub fn widen(&self, methods: *const ZendHashTable, name: &str) {
        for (at, argument) in self.arguments.iter().enumerate() {
            if argument.widened() != 0 {
                widen(methods, name, at as isize, argument.widened());
            }
        }
    }

    /// The arguments of a call, converted as PHP's own functions do. Conversions may run PHP code.
    pub fn parse<'c>(&self, call: &Call<'c>) -> Outcome<Arguments<'c>> {
        let given = call.count() as usize;
        if !(self.required..=self.arguments.len()).contains(&given) {
            // SAFETY: a function is being called, which the error names.
            unsafe { zend_wrong_parameters_count_error(self.required as u32, self.arguments.len() as u32) };
            return Err(Thrown);
        }
        let mut arguments = Arguments::without(self.arguments);
        for (at, &argument) in self.arguments[..given].iter().enumerate() {
            let value = call.argument(at as u32);
            arguments.convert(argument, at as u32 + 1, value)?;
            arguments.values[at] = Some(value.dereference());
        }
        arguments.given = &self.arguments[..given];
        Ok(arguments)
    }
}

/// The most arguments that a method has.
const MOST: usize = 23;

/// The arguments of a call; those that are not given have their defaults.
pub struct Arguments<'c> {
    given: &'static [Argument],
    /// As they lie in the frame, converted.
    values: [Option<&'c Zval>; MOST],
    limit: i64,
    offset: i64,
    total: bool,
    k1: f64,
    b: f64,
    deadline: Option<i64>,
    capacity: i64,
    prefix: bool,
    syntax: bool,
    max_words: Option<i64>,
    probes: Option<i64>,
    pub length: i64,
    pub fragments: i64,
    pub escape: bool,
    pub or_null: bool,
    pub words: i64,
}

impl<'c> Arguments<'c> {
    fn without(signature: &[Argument]) -> Arguments<'c> {
        let deadline = signature.iter().find_map(|argument| match argument {
            Argument::Deadline(default) => *default,
            _ => None,
        });
        Arguments {
            given: &[],
            values: [None; MOST],
            limit: LIMIT,
            offset: 0,
            total: false,
            k1: K1,
            b: B,
            deadline,
            capacity: CAPACITY,
            prefix: false,
            syntax: true,
            max_words: None,
            probes: None,
            length: LENGTH,
            fragments: 1,
            escape: true,
            or_null: false,
            words: WORDS,
        }
    }

    /// Converts the argument with that number, from 1.
    fn convert(&mut self, argument: Argument, number: u32, value: &Zval) -> Outcome {
        /// Parses it by the letters of a format, with a target for each.
        macro_rules! parse {
            ($format:literal, $($target:expr),*) => {
                // SAFETY: each target is what its letter asks for.
                parsed(unsafe { zend_parse_parameter(0, number, value, $format.as_ptr(), $($target),*) })
            };
        }
        // Strings and arrays are left in the frame.
        let (mut string, mut array) = (null_mut::<ZendStr>(), null_mut::<Zval>());
        match argument {
            Argument::Query
            | Argument::Field
            | Argument::Text
            | Argument::Before
            | Argument::Behind
            | Argument::Ellipsis => parse!(c"S", &raw mut string),
            Argument::Queries
            | Argument::Filter
            | Argument::Sort
            | Argument::Weights
            | Argument::Facets
            | Argument::Synonyms
            | Argument::LikeIds
            | Argument::LikeTexts
            | Argument::Vectors
            | Argument::Nearest
            | Argument::Weighted => {
                parse!(c"a", &raw mut array)
            }
            Argument::Distinct | Argument::InField | Argument::LikeText => parse!(c"S!", &raw mut string),
            // What may be of several types is looked at by who uses it.
            Argument::Log
            | Argument::Id
            | Argument::LikeId
            | Argument::Matching
            | Argument::After
            | Argument::OneOrMore
            | Argument::Statistics
            | Argument::Vector
            | Argument::Fusion
            | Argument::Typos => Ok(()),
            Argument::Fields => parse!(c"a!", &raw mut array),
            Argument::Prefix => parse!(c"b", &raw mut self.prefix),
            Argument::Syntax => parse!(c"b", &raw mut self.syntax),
            Argument::MaxWords => {
                let (mut words, mut is_null) = (0i64, false);
                parse!(c"l!", &raw mut words, &raw mut is_null)?;
                self.max_words = (!is_null).then_some(words);
                Ok(())
            }
            Argument::Probes => {
                let (mut probes, mut is_null) = (0i64, false);
                parse!(c"l!", &raw mut probes, &raw mut is_null)?;
                self.probes = (!is_null).then_some(probes);
                Ok(())
            }
            Argument::Limit => parse!(c"l", &raw mut self.limit),
            Argument::Offset => parse!(c"l", &raw mut self.offset),
            Argument::Total => parse!(c"b", &raw mut self.total),
            Argument::K1 => parse!(c"d", &raw mut self.k1),
            Argument::B => parse!(c"d", &raw mut self.b),
            Argument::Deadline(_) => {
                let (mut deadline, mut is_null) = (0i64, false);
                parse!(c"l!", &raw mut deadline, &raw mut is_null)?;
                self.deadline = (!is_null).then_some(deadline);
                Ok(())
            }
            Argument::Capacity => parse!(c"l", &raw mut self.capacity),
            Argument::Length => parse!(c"l", &raw mut self.length),
            Argument::Fragments => parse!(c"l", &raw mut self.fragments),
            Argument::Escape => parse!(c"b", &raw mut self.escape),
            Argument::OrNull => parse!(c"b", &raw mut self.or_null),
            Argument::Words => parse!(c"l", &raw mut self.words),
        }
    }

    /// The number of an argument that the method has, from 1, and its value if it is given.
    pub fn find(&self, argument: Argument) -> Option<(u32, &'c Zval)> {
        let at = self.given.iter().position(|&given| given == argument)?;
        Some((at as u32 + 1, self.values[at]?))
    }

    /// A required argument, which a call that was parsed has.
    pub fn required(&self, argument: Argument) -> (u32, &'c Zval) {
        self.find(argument).expect("a required argument is given")
    }

    pub fn bytes(&self, argument: Argument) -> &'c [u8] {
        self.given(argument).and_then(Zval::zend_str).map_or(&[], ZendStr::as_bytes)
    }

    /// The value of an argument, if it is given.
    pub fn given(&self, argument: Argument) -> Option<&'c Zval> {
        self.find(argument).map(|(_, value)| value)
    }

    /// A text, or what it is by default; what is not UTF-8 is replaced.
    pub fn text_or(&self, argument: Argument, default: &'static str) -> Cow<'c, str> {
        self.given(argument).map_or(Cow::Borrowed(default), |_| valid_utf8(self.bytes(argument)))
    }

    /// The name of the field that a text is of, and the number of the argument.
    pub fn in_field(&self) -> Option<(&'c [u8], u32)> {
        let (number, name) = self.find(Argument::InField)?;
        Some((name.zend_str()?.as_bytes(), number))
    }

    /// How many arguments there are.
    pub fn count(&self) -> usize {
        self.given.len()
    }

    /// The text of the query; what is not UTF-8 is replaced.
    pub fn text(&self) -> Cow<'c, str> {
        valid_utf8(self.bytes(Argument::Query))
    }

    /// The query, and how it is searched for.
    pub fn query(&self, schema: &Schema, options: &Options) -> Outcome<Query<'c>> {
        let mut query = Query { text: self.text(), ..Query::default() };
        if let Some((number, value)) = self.find(Argument::Weighted) {
            query.weighted = weights::weighted(schema, value, number, "")?;
        }
        if let Some((number, value)) = self.find(Argument::Nearest) {
            query.nearest = asked::nearest(schema, value, number, "")?;
        }
        if let Some((number, _)) = self.find(Argument::Fusion) {
            fusion::check(options, schema, &query.nearest, number)?;
        }
        Ok(query)
    }

    /// The name of a field.
    pub fn field(&self) -> &'c [u8] {
        self.bytes(Argument::Field)
    }

    /// The queries of a batch.
    pub fn queries(&self) -> Option<&'c ZendHashTable> {
        self.required(Argument::Queries).1.array()
    }

    /// A query, or an array of them.
    pub fn one_or_more(&self) -> &'c Zval {
        self.required(Argument::OneOrMore).1
    }

    /// The queries of a log.
    pub fn log(&self) -> &'c Zval {
        self.required(Argument::Log).1
    }

    pub fn id(&self) -> Outcome<Id> {
        let (number, id) = self.required(Argument::Id);
        id_argument(id, number)
    }

    /// How many queries a stream holds: 1 to `most`.
    pub fn capacity(&self, most: usize) -> Outcome<usize> {
        up_to(self.capacity, most, self.find(Argument::Capacity).map_or(0, |(number, _)| number))
    }

    /// How many clusters of a field are looked at: at least 1, if it has clusters; `None` if all vectors are.
    pub fn probes(&self, field: &Field) -> Outcome<Option<usize>> {
        let (Some(probes), Some((number, _))) = (self.probes, self.find(Argument::Probes)) else { return Ok(None) };
        let probes = usize::try_from(probes)
            .ok()
            .filter(|&probes| probes > 0)
            .ok_or_else(|| exception::argument_value(number, &format!("must be null or at least 1, {probes} given")))?;
        match field.clusters {
            true => Ok(Some(probes)),
            false => {
                let text = format!("must be null: field '{}' has no clusters", field.name);
                Err(exception::argument_value(number, &text))
            }
        }
    }

    /// What the arguments say about how to search.
    pub fn options(&self, schema: &Schema) -> Outcome<Options> {
        let mut options = Options { limit: LIMIT as usize, ..Options::default() };
        for (at, (argument, value)) in self.given.iter().zip(self.values).enumerate() {
            let (Some(value), number) = (value, at as u32 + 1) else { continue };
            match argument {
                Argument::Limit => options.limit = natural(self.limit, number)?,
                Argument::Offset => options.offset = natural(self.offset, number)?,
                Argument::Matching => options.matching = matching::of(value, number)?,
                Argument::Filter => filter::filter(&mut options, schema, value, number)?,
                Argument::Sort => options::sort(&mut options, schema, value, number)?,
                Argument::Weights => options::weights(&mut options, schema, value, number)?,
                Argument::Total => options.total = self.total,
                Argument::K1 => options.bm25.k1 = options::k1(self.k1, number)?,
                Argument::B => options.bm25.b = options::b(self.b, number)?,
                Argument::Facets => options::facets(&mut options, schema, value, number)?,
                Argument::Distinct => options::distinct(&mut options, schema, value, number)?,
                Argument::Typos => options.typos = options::typos(value, number)?,
                Argument::Prefix => options.prefix = self.prefix,
                Argument::Fields => options.fields = options::text_fields(schema, value, number)?,
                Argument::Syntax => options.syntax = self.syntax,
                Argument::MaxWords => options.words = options::max_words(self.max_words, number)?,
                Argument::Synonyms => options.synonyms = options::synonyms(schema, value, number)?,
                Argument::Statistics => options.statistics = statistics::of(value, number)?,
                Argument::Fusion => fusion::fusion(&mut options, schema, value, number)?,
                _ => (),
            }
        }
        if let Some(deadline) = self.deadline {
            let number = self.given.iter().position(|argument| matches!(argument, Argument::Deadline(_)));
            options.deadline = Some(milliseconds(deadline, number.map_or(0, |at| at as u32 + 1))?);
        }
        Ok(options)
    }

    /// As [`options`](Self::options), with what has to be looked up in the index.
    pub fn options_in(&self, index: &Index) -> Outcome<Options> {
        let mut options = self.options(index.schema())?;
        if let Some((number, value)) = self.find(Argument::After) {
            options::after(&mut options, index, value, number)?;
        }
        Ok(options)
    }
}
