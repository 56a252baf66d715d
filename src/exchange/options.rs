//! [`Options`] as bytes. Fields are numbers u8; what may be missing begins with whether it is there u8.
//!
//! ```text
//! page: limit, offset, milliseconds to the deadline; filter: condition
//! matching u8, total u8, k1 f32, b f32, typos u8 (0 none, 1 by length, from 2 on so many less 2), prefix u8, syntax u8; how many
//! words count (2^64 - 1: all)
//! weights: how many, each field, f32; order: how many, each what u8, field or point, whether descending u8
//! facets: how many, each field, values; distinct: field; fields: how many, each field
//! synonyms: how many, each two strings; statistics: string
//! fusion u8 (0 by ranks, 1 by scores); if by scores: of the text f64, how many, each field, f64
//! vector: a string, its components f32, whatever the field keeps
//! ```
//! Weights, keys of the order, facets and fields are of a field each, and of none twice.

use super::condition;
use super::write::{float, list, optional};
use crate::base::error::{Error, Result};
use crate::base::leb128::{put, put_string};
use crate::base::memory::collected;
use crate::base::reader::Reader;
use crate::index::{Kind, Schema};
use crate::rank::Bm25;
use crate::search::{Direction, Filter, Fusion, MAX_DISTANCE, Matching, Options, SortKey, Statistics, Synonyms, Typos};
use crate::vector::{Query, Shape};
use std::sync::Arc;
use std::time::Duration;

const MATCHING: [Matching; 3] = [Matching::All, Matching::Any, Matching::AllThenAny];

/// With a deadline that is no later than this one, either.
///
/// # Errors
/// [`Error::Argument`] if something of it can only be told to an index itself: docIDs, and places in its order.
pub(super) fn write(out: &mut Vec<u8>, options: &Options, deadline: Option<Duration>) -> Result<()> {
    if options.after.is_some() {
        return Err(Error::Argument("a place after which hits are wanted is one of one index: use an offset".into()));
    }
    write_page(out, options, deadline)?;
    out.push(MATCHING.iter().position(|&matching| matching == options.matching).unwrap_or(0) as u8);
    out.push(options.total.into());
    out.extend(options.bm25.k1.to_le_bytes());
    out.extend(options.bm25.b.to_le_bytes());
    out.push(match options.typos {
        Typos::None => 0,
        Typos::Auto => 1,
        Typos::UpTo(edits) => edits + 2,
    });
    out.extend([options.prefix, options.syntax].map(u8::from));
    put(out, options.words.try_into().unwrap_or(u64::MAX));
    list(out, &options.weights, |out, (field, weight)| {
        out.push(*field as u8);
        out.extend(weight.to_le_bytes());
    });
    list(out, &options.sort, |out, (key, direction)| {
        match key {
            SortKey::Field(field) => out.extend([0, *field as u8]),
            SortKey::Score => out.push(1),
            SortKey::Id => out.push(2),
            SortKey::Distance(field, from) => {
                out.extend([3, *field as u8]);
                condition::write_point(out, *from);
            }
        }
        out.push(u8::from(*direction == Direction::Descending));
    });
    optional(out, options.facets.as_deref(), |out, facets| {
        list(out, facets, |out, (field, values)| {
            out.push(*field as u8);
            put(out, *values as u64);
        });
    });
    optional(out, options.distinct, |out, field| out.push(field as u8));
    optional(out, options.fields.as_deref(), |out, fields| list(out, fields, |out, field| out.push(*field as u8)));
    list(out, options.synonyms.as_deref().map_or(&[][..], Synonyms::given), |out, (typed, synonym)| {
        put_string(out, typed.as_bytes());
        put_string(out, synonym.as_bytes());
    });
    optional(out, options.statistics.as_deref(), |out, statistics| put_string(out, &statistics.to_bytes()));
    match &options.fusion {
        Fusion::Ranks => out.push(0),
        Fusion::Scores { text, fields } => {
            out.push(1);
            float(out, *text);
            list(out, fields, |out, (field, weight)| {
                out.push(*field as u8);
                float(out, *weight);
            });
        }
    }
    Ok(())
}

/// Which hits are wanted, until when, and what they must meet.
pub(super) fn write_page(out: &mut Vec<u8>, options: &Options, deadline: Option<Duration>) -> Result<()> {
    put(out, options.limit as u64);
    put(out, options.offset as u64);
    let deadline = earlier(options.deadline, deadline);
    let deadline = deadline.map(|deadline| u64::try_from(deadline.as_millis()).unwrap_or(u64::MAX));
    optional(out, deadline, put);
    let mut written = Ok(());
    optional(out, options.filter.condition(), |out, of| written = condition::write(out, of));
    written
}

/// The options that these are all of.
pub(super) fn read_page(reader: &mut Reader) -> Result<Options> {
    let mut options = Options { limit: reader.size("limit")?, offset: reader.size("offset")?, ..Options::default() };
    options.deadline = reader.maybe("deadline", |reader| Ok(Duration::from_millis(reader.number("deadline")?)))?;
    if let Some(condition) = reader.maybe("filter", condition::read)? {
        options.filter = Filter::new(condition).map_err(|error| reader.wrong("filter", &error.to_string()))?;
    }
    Ok(options)
}

pub(super) fn write_vector(out: &mut Vec<u8>, vector: &Query) {
    put(out, vector.shape().of_queries().bytes() as u64);
    vector.components().iter().for_each(|component| out.extend(component.to_le_bytes()));
}

/// A vector that is looked for in a field of that shape.
pub(super) fn read_vector(reader: &mut Reader, shape: Shape) -> Result<Query> {
    let (bytes, sent) = (reader.string("vector")?, shape.of_queries());
    if bytes.len() != sent.bytes() {
        return Err(reader.wrong("vector", &format!("{} bytes instead of {}", bytes.len(), sent.bytes())));
    }
    let components = collected(bytes.as_chunks().0.iter().map(|&component| f32::from_le_bytes(component)))?;
    sent.explain(&components).map_err(|what| reader.wrong("vector", &what))?;
    Query::new(shape, &components)
}

/// The number of a field with vectors, and their shape.
pub(super) fn vector_field(reader: &mut Reader, schema: &Schema) -> Result<(usize, Shape)> {
    let field = field(reader, schema, Some(Kind::Vector))?;
    match schema.fields[field].vector {
        Some(shape) => Ok((field, shape)),
        None => Err(reader.wrong("field", &format!("field {field} has no vectors"))),
    }
}

fn read_fusion(reader: &mut Reader, schema: &Schema) -> Result<Fusion> {
    let weight = |reader: &mut Reader| match reader.f64("weight")? {
        weight if Fusion::WEIGHTS.contains(&weight) => Ok(weight),
        weight => Err(reader.wrong("weight", &format!("{weight} is none"))),
    };
    match reader.flag("fusion")? {
        false => Ok(Fusion::Ranks),
        true => {
            let text = weight(reader)?;
            let of_field = |reader: &mut Reader| Ok((vector_field(reader, schema)?.0, weight(reader)?));
            Ok(Fusion::Scores { text, fields: once(reader, "weights", schema.fields.len(), of_field, |of| of.0)? })
        }
    }
}

/// Those of a search in an index with that schema.
pub(super) fn read(reader: &mut Reader, schema: &Schema) -> Result<Options> {
    let mut options = read_page(reader)?;
    let matching = usize::from(reader.byte("matching")?);
    options.matching =
        *MATCHING.get(matching).ok_or_else(|| reader.wrong("matching", &format!("{matching} is none")))?;
    options.total = reader.flag("total")?;
    let [k1, b] = [reader.array("k1")?, reader.array("b")?].map(f32::from_le_bytes);
    options.bm25 = Bm25::new(k1, b).map_err(|error| reader.wrong("b", &error.to_string()))?;
    options.typos = match reader.byte("typos")? {
        0 => Typos::None,
        1 => Typos::Auto,
        edits if edits - 2 <= MAX_DISTANCE => Typos::UpTo(edits - 2),
        edits => return Err(reader.wrong("typos", &format!("{} edits are too many", edits - 2))),
    };
    options.prefix = reader.flag("prefix")?;
    options.syntax = reader.flag("syntax")?;
    options.words = usize::try_from(reader.number("words")?).unwrap_or(usize::MAX);
    let fields = schema.fields.len();
    let weight = |reader: &mut Reader| {
        let (field, weight) = (field(reader, schema, Some(Kind::Text))?, f32::from_le_bytes(reader.array("weight")?));
        match weight == 0.0 || Schema::WEIGHTS.contains(&weight) {
            true => Ok((field, weight)),
            false => Err(reader.wrong("weight", &format!("{weight} is none"))),
        }
    };
    options.weights = once(reader, "weights", fields, weight, |of| of.0)?;
    let key = |reader: &mut Reader| {
        let key = match reader.byte("key")? {
            0 => SortKey::Field(field(reader, schema, None)?),
            1 => SortKey::Score,
            2 => SortKey::Id,
            3 => SortKey::Distance(field(reader, schema, Some(Kind::Geo))?, condition::read_point(reader)?),
            other => return Err(reader.wrong("key", &format!("{other} is none"))),
        };
        let direction = if reader.flag("direction")? { Direction::Descending } else { Direction::Ascending };
        Ok((key, direction))
    };
    // Beside fields there are the score and the id.
    options.sort = once(reader, "order", fields + 2, key, |of| match of.0 {
        SortKey::Field(field) | SortKey::Distance(field, _) => Ok(field),
        other => Err(other == SortKey::Id),
    })?;
    options.facets = reader.maybe("facets", |reader| {
        let facet = |reader: &mut Reader| Ok((field(reader, schema, None)?, reader.size("values")?));
        once(reader, "facets", fields, facet, |of| of.0)
    })?;
    options.distinct = reader.maybe("distinct", |reader| field(reader, schema, None))?;
    options.fields = reader.maybe("fields", |reader| {
        once(reader, "fields", fields, |reader| field(reader, schema, Some(Kind::Text)), |of| *of)
    })?;
    let given = reader.list("synonyms", usize::MAX, |reader| Ok((reader.text("typed")?, reader.text("synonym")?)))?;
    if !given.is_empty() {
        let (analyzed, mut synonyms) = (schema.analyzed(), Synonyms::default());
        for (typed, synonym) in given {
            analyzed.iter().for_each(|analyzed| _ = synonyms.add(&analyzed.analyzer, typed, synonym));
        }
        options.synonyms = Some(Arc::new(synonyms));
    }
    options.statistics =
        reader.maybe("statistics", |reader| Ok(Arc::new(Statistics::from_bytes(reader.string("statistics")?)?)))?;
    options.fusion = read_fusion(reader, schema)?;
    Ok(options)
}

/// The earlier of two deadlines, as far as there are any.
pub(super) fn earlier(a: Option<Duration>, b: Option<Duration>) -> Option<Duration> {
    a.into_iter().chain(b).min()
}

/// A list of at most so many, none of which is there twice.
pub(super) fn once<T, K: PartialEq>(
    reader: &mut Reader,
    item: &str,
    most: usize,
    one: impl FnMut(&mut Reader) -> Result<T>,
    key: impl Fn(&T) -> K,
) -> Result<Vec<T>> {
    let list = reader.list(item, most, one)?;
    match (1..list.len()).all(|at| list[..at].iter().all(|before| key(before) != key(&list[at]))) {
        true => Ok(list),
        false => Err(reader.wrong(item, "one is there twice")),
    }
}

/// The number of a field that there is.
pub(super) fn field(reader: &mut Reader, schema: &Schema, kind: Option<Kind>) -> Result<usize> {
    let number = usize::from(reader.byte("field")?);
    match schema.fields.get(number) {
        Some(field) if kind.is_none_or(|kind| kind == field.kind) => Ok(number),
        _ => Err(reader.wrong("field", &format!("there is no such field {number}"))),
    }
}
