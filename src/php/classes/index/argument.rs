//! [`Argument`]: what methods have in common as arguments, as PHP shows them.

use crate::php::class::Class;
use crate::php::classes::{hit, statistics};
use crate::php::declare::{MAY_BE_ARRAY, MAY_BE_FALSE, MAY_BE_STRING};
use crate::php::enumeration::Enumeration;
use crate::search::Matching;
use ext_php_rs::args::Arg;
use ext_php_rs::flags::DataType;

/// An argument that several methods have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Argument {
    Query,
    /// An array of queries.
    Queries,
    /// A query, or an array of them.
    OneOrMore,
    /// An array of queries, or a `Traversable`.
    Log,
    /// The name of a field.
    Field,
    Id,
    Limit,
    Offset,
    Matching,
    Filter,
    Sort,
    Weights,
    Total,
    K1,
    B,
    /// In milliseconds, with its default: null if there is none.
    Deadline(Option<i64>),
    /// How many queries a stream holds.
    Capacity,
    /// Names of fields.
    Facets,
    /// The name of a field, or null.
    Distinct,
    /// A hit, what it is found by, or null.
    After,
    /// 'auto', how many edits, or null or false: none.
    Typos,
    /// Whether the last word is a prefix.
    Prefix,
    /// Names of text fields, or null: all.
    Fields,
    /// Whether there are operators.
    Syntax,
    /// How many words count, or null: all.
    MaxWords,
    /// What else words stand for.
    Synonyms,
    /// What scores depend on besides the index, or null.
    Statistics,
    /// A text in which matches are marked.
    Text,
    /// Characters of a fragment.
    Length,
    /// What is put before and behind marks.
    Before,
    Behind,
    Ellipsis,
    Fragments,
    /// Whether the text is escaped.
    Escape,
    /// Whether null stands for a text without matches.
    OrNull,
    /// The name of the field that a text is of, or null.
    InField,
    /// The document, or the text, that others are like, or null; and arrays of them.
    LikeId,
    LikeText,
    LikeIds,
    LikeTexts,
    /// How many words of a document are searched for.
    Words,
    /// A vector, and an array of them.
    Vector,
    Vectors,
    /// Vectors by field.
    Nearest,
    /// How words and vectors become one list.
    Fusion,
    /// Terms with weights, by field.
    Weighted,
    /// How many clusters are looked at, or null: all vectors.
    Probes,
}

pub const LIMIT: i64 = 10;
pub const CAPACITY: i64 = 65_536;
pub const LENGTH: i64 = 200;
pub const WORDS: i64 = 25;
pub const K1: f64 = 1.2;
pub const B: f64 = 0.75;

impl Argument {
    /// As PHP shows it by reflection.
    pub fn declared(self, required: bool) -> Arg<'static> {
        let with = |name: &'static str, kind: DataType, default: String| Arg::new(name, kind).default(default);
        let array = |name| with(name, DataType::Array, "[]".into());
        match self {
            Argument::Query if required => Arg::new("query", DataType::String),
            Argument::Query => with("query", DataType::String, "''".into()),
            Argument::Queries | Argument::OneOrMore => Arg::new("queries", DataType::Array),
            Argument::Log => Arg::new("queries", DataType::object("Traversable")),
            Argument::Field => Arg::new("field", DataType::String),
            Argument::Id => Arg::new("id", DataType::Long),
            Argument::Limit => with("limit", DataType::Long, LIMIT.to_string()),
            Argument::Offset => with("offset", DataType::Long, "0".into()),
            // Not the case: PHP compiles a constant anew whenever an argument after it is given by name, which takes
            // longer than many a search.
            Argument::Matching => with("matching", DataType::object(Matching::NAME), "'all'".into()),
            Argument::Filter => array("filter"),
            Argument::Sort => array("sort"),
            Argument::Weights => array("weights"),
            Argument::Total => with("total", DataType::Bool, "false".into()),
            Argument::K1 => with("k1", DataType::Double, K1.to_string()),
            Argument::B => with("b", DataType::Double, B.to_string()),
            Argument::Deadline(default) => {
                let default = default.map_or("null".into(), |default| default.to_string());
                with("deadline", DataType::Long, default).allow_null()
            }
            Argument::Capacity => with("capacity", DataType::Long, CAPACITY.to_string()),
            Argument::Facets => array("facets"),
            Argument::Distinct => with("distinct", DataType::String, "null".into()).allow_null(),
            Argument::After => with("after", DataType::object(hit::Object::NAME), "null".into()).allow_null(),
            Argument::Typos => with("typos", DataType::Long, "null".into()).allow_null(),
            Argument::Prefix => with("prefix", DataType::Bool, "false".into()),
            Argument::Fields => with("fields", DataType::Array, "null".into()).allow_null(),
            Argument::Syntax => with("syntax", DataType::Bool, "true".into()),
            Argument::MaxWords => with("maxWords", DataType::Long, "null".into()).allow_null(),
            Argument::Synonyms => array("synonyms"),
            Argument::Statistics => {
                with("statistics", DataType::object(statistics::Object::NAME), "null".into()).allow_null()
            }
            Argument::Text => Arg::new("text", DataType::String),
            Argument::Length => with("length", DataType::Long, LENGTH.to_string()),
            Argument::Before => with("before", DataType::String, "'<mark>'".into()),
            Argument::Behind => with("after", DataType::String, "'</mark>'".into()),
            Argument::Ellipsis => with("ellipsis", DataType::String, "'…'".into()),
            Argument::Fragments => with("fragments", DataType::Long, "1".into()),
            Argument::Escape => with("escape", DataType::Bool, "true".into()),
            Argument::OrNull => with("orNull", DataType::Bool, "false".into()),
            Argument::InField => with("field", DataType::String, "null".into()).allow_null(),
            Argument::LikeId => with("id", DataType::Long, "null".into()).allow_null(),
            Argument::LikeText => with("text", DataType::String, "null".into()).allow_null(),
            Argument::LikeIds => array("ids"),
            Argument::LikeTexts => array("texts"),
            Argument::Words => with("words", DataType::Long, WORDS.to_string()),
            Argument::Vector => Arg::new("vector", DataType::Array),
            Argument::Vectors => Arg::new("vectors", DataType::Array),
            Argument::Nearest => array("nearest"),
            Argument::Weighted => array("weighted"),
            Argument::Probes => with("probes", DataType::Long, "null".into()).allow_null(),
            Argument::Fusion => with("fusion", DataType::Array, "'rrf'".into()),
        }
    }

    /// The types that it has beside the declared one.
    pub fn widened(self) -> u32 {
        match self {
            Argument::Id | Argument::LikeId | Argument::Matching | Argument::OneOrMore => MAY_BE_STRING,
            Argument::Vector | Argument::Fusion => MAY_BE_STRING,
            Argument::Log | Argument::After => MAY_BE_ARRAY,
            Argument::Typos => MAY_BE_STRING | MAY_BE_FALSE,
            _ => 0,
        }
    }
}

/// The arguments of a method that reads queries: its own, then how they are read, and what came later.
macro_rules! reading {
    ($($argument:expr),* $(,)? $(; $($later:expr),*)?) => {
        &[
            $($argument,)*
            Argument::Typos,
            Argument::Prefix,
            Argument::Fields,
            Argument::Syntax,
            Argument::MaxWords,
            Argument::Synonyms,
            $($($later,)*)?
        ]
    };
}
pub(super) use reading;
