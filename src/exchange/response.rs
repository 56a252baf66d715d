//! [`Response`]: what a leaf answers.
//!
//! ```text
//! schema      the bytes of a manifest without segments
//! statistics  their bytes
//! search      how many queries; of each whether it expired u8, total, how many hits have all words, facets, and hits; if hits are fused
//!             by ranks and begin at the first, the ranking in place of them
//! nearest     as of a search
//! hit         id, score f64, docID, distance f64 (whether there is one first); unless hits are merged by their scores alone
//!             the value of each key and the one they are distinct by; its stored fields, a string
//! ranking     how many documents, each as a hit without score; of each list how many of its hits have all words, how many hits, each the
//!             number of its document, score f64
//! facet       field u8, form u8, then values and counts (0), or whether there are a least and a greatest, these, count (1)
//! suggest     how many, each word and count
//! stored      how many; of each whether there is such a document u8, and its stored fields, a string
//! ```
//! What may be missing begins with whether it is there.

use super::condition::{read_id, write_id};
use super::write::{float, list, optional};
use super::{Commit, MOST_HITS, Question, VERSION, opened, put_commit, ranking, read_commit, refused, sealed};
use crate::base::error::{Error, Refusal, Result};
use crate::base::leb128::{put, put_string};
use crate::base::memory::collected;
use crate::base::reader::Reader;
use crate::index::manifest::Manifest;
use crate::index::segment::{values_from_bytes, values_to_bytes};
use crate::index::{Kind, Schema, Value};
use crate::search::{Facet, FieldFacet, Found, FoundHit, Merging, Options, Page, SortValue, Statistics};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

const MAGIC: &[u8; 4] = b"PRES";

/// A text in place of an answer is not longer, in bytes.
const LONGEST_REFUSAL: usize = 1 << 16;

/// What a leaf answers.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    /// The commit that answered.
    pub commit: Commit,
    /// The answer.
    pub answer: Answer,
}

/// The answer to a [`Question`].
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// The schema.
    Schema(Arc<Schema>),
    /// What searches need to know.
    Statistics(Statistics),
    /// What was found for each query.
    Found(Vec<LeafFound>),
    /// Words, with in how many documents they are.
    Words(Vec<(String, u64)>),
    /// The stored fields of each document; `None` if there is no such document.
    Stored(Vec<Option<Stored>>),
}

/// The stored values of a document, by field number.
pub type Stored = Vec<(usize, Value)>;

/// What a leaf found for a query.
#[derive(Debug, Clone, PartialEq)]
pub struct LeafFound {
    /// What was found; docIDs are the leaf's.
    pub found: Found,
    /// What each hit is merged by; none if that is their scores alone.
    pub merging: Vec<Merging>,
    /// The stored fields of each hit, or of each document of the ranking; none if they were not asked for.
    pub stored: Vec<Stored>,
}

/// The commit that answered, or refused to.
///
/// # Errors
/// [`Error::Corrupt`]; [`Error::Refused`] if it is of another version.
pub fn commit_of(bytes: &[u8]) -> Result<Commit> {
    read_commit(&mut opened("response", MAGIC, bytes)?)
}

fn head(commit: Commit) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    out.push(VERSION);
    put_commit(&mut out, commit);
    out
}

/// A refusal in place of a response.
pub(super) fn refusal(commit: Commit, why: Refusal, what: &str) -> Vec<u8> {
    let mut out = head(commit);
    out.push(why as u8);
    let mut end = what.len().min(LONGEST_REFUSAL);
    while !what.is_char_boundary(end) {
        end -= 1;
    }
    put_string(&mut out, &what.as_bytes()[..end]);
    // It is short.
    sealed(out).unwrap_or_default()
}

impl Response {
    /// The bytes of a response.
    ///
    /// # Errors
    /// [`Error::Refused`] if there are too many.
    pub(super) fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut out = head(self.commit);
        out.push(0);
        match &self.answer {
            Answer::Schema(schema) => {
                let (identity, generation) = self.commit;
                let (next, grown, segments) = (1, false, Vec::new());
                out.extend(Manifest { identity, generation, schema: schema.clone(), next, grown, segments }.encode()?);
            }
            Answer::Statistics(statistics) => out.extend(statistics.to_bytes()),
            Answer::Found(all) => list(&mut out, all, write_found),
            Answer::Words(words) => list(&mut out, words, |out, (word, count)| {
                put_string(out, word.as_bytes());
                put(out, *count);
            }),
            Answer::Stored(all) => list(&mut out, all, |out, stored| {
                optional(out, stored.as_deref(), |out, stored| put_string(out, &values_to_bytes(stored)));
            }),
        }
        sealed(out)
    }

    /// What a leaf with that schema answered to a question.
    ///
    /// # Errors
    /// [`Error::Corrupt`] if no leaf answered this; [`Error::Refused`] and [`Error::Statistics`] as the leaf says.
    pub fn read(bytes: &[u8], asked: &Question, schema: &Schema) -> Result<Response> {
        let (commit, mut reader) = answered(bytes)?;
        let answer = match asked {
            Question::Schema => Answer::Schema(read_schema(&mut reader)?),
            Question::Statistics { .. } => Answer::Statistics(Statistics::from_bytes(reader.rest())?),
            Question::Search { queries, options, stored } => {
                let plain = Rc::new(Page::new(options));
                let mut pages = queries.iter().map(|asked| Page::of_one(asked.get(), options, &plain));
                let found = |reader: &mut Reader| {
                    let page = pages.next().unwrap_or_else(|| plain.clone());
                    read_found(reader, schema, options, &page, *stored)
                };
                Answer::Found(exactly(&mut reader, "queries", queries.len(), found)?)
            }
            Question::Nearest { vectors, options, stored, .. } => {
                // Nothing else counts.
                let options = Options { limit: options.limit, offset: options.offset, ..Options::default() };
                let page = Page::new(&options);
                let found = |reader: &mut Reader| read_found(reader, schema, &options, &page, *stored);
                Answer::Found(exactly(&mut reader, "vectors", vectors.len(), found)?)
            }
            Question::Suggest { limit, .. } => {
                let word = |reader: &mut Reader| Ok((reader.text("word")?.to_owned(), reader.count("count")?));
                let words = reader.list("words", (*limit).min(MOST_HITS), word)?;
                check_ranked(&reader, "words", &words)?;
                Answer::Words(words)
            }
            Question::Stored { ids } => {
                let document = |reader: &mut Reader| reader.maybe("document", |reader| read_stored(reader, schema));
                Answer::Stored(exactly(&mut reader, "documents", ids.len(), document)?)
            }
        };
        reader.end()?;
        Ok(Response { commit, answer })
    }
}

/// The schema that a leaf answered with.
///
/// # Errors
/// As [`Response::read`].
pub fn schema_of(bytes: &[u8]) -> Result<Arc<Schema>> {
    read_schema(&mut answered(bytes)?.1)
}

fn read_schema(reader: &mut Reader) -> Result<Arc<Schema>> {
    Ok(Manifest::parse(reader.rest(), Path::new("schema of a leaf"))?.schema)
}

/// The commit that answered, and its answer.
fn answered(bytes: &[u8]) -> Result<(Commit, Reader<'_>)> {
    let mut reader = opened("response", MAGIC, bytes)?;
    let commit = read_commit(&mut reader)?;
    let refused_for = reader.byte("refusal")?;
    if refused_for == 0 {
        return Ok((commit, reader));
    }
    let what = reader.text("refusal")?;
    reader.end()?;
    Err(match Refusal::ALL.get(usize::from(refused_for) - 1) {
        Some(Refusal::Statistics) => Error::Statistics(what.to_owned()),
        Some(&why) => refused(why, what),
        None => reader.wrong("refusal", &format!("{refused_for} is none")),
    })
}

/// A list of as many as were asked for.
fn exactly<T>(
    reader: &mut Reader,
    item: &str,
    count: usize,
    one: impl FnMut(&mut Reader) -> Result<T>,
) -> Result<Vec<T>> {
    let list = reader.list(item, count, one)?;
    match list.len() == count {
        true => Ok(list),
        false => Err(reader.wrong(item, &format!("{} of {count}", list.len()))),
    }
}

fn write_found(out: &mut Vec<u8>, LeafFound { found, merging, stored }: &LeafFound) {
    out.push(found.expired.into());
    optional(out, found.total, put);
    optional(out, found.with_all.map(|count| count as u64), put);
    optional(out, found.facets.as_deref(), |out, facets| list(out, facets, write_facet));
    let stored = |out: &mut Vec<u8>, at: usize| {
        if let Some(stored) = stored.get(at) {
            put_string(out, &values_to_bytes(stored));
        }
    };
    if let Some(ranking) = &found.ranking {
        return ranking::write(out, ranking, stored);
    }
    put(out, found.hits.len() as u64);
    for (at, FoundHit { id, score, doc_id, distance }) in found.hits.iter().enumerate() {
        write_id(out, id);
        float(out, *score);
        put(out, *doc_id);
        optional(out, *distance, float);
        if let Some(merging) = merging.get(at) {
            let (values, distinct) = merging.values();
            values.iter().chain([distinct]).for_each(|value| write_value(out, value));
        }
        stored(out, at);
    }
}

fn read_found(
    reader: &mut Reader,
    schema: &Schema,
    options: &Options,
    page: &Page,
    with_stored: bool,
) -> Result<LeafFound> {
    let mut found = Found {
        expired: reader.flag("expired")?,
        total: reader.maybe("total", |reader| reader.count("total"))?,
        ..Found::default()
    };
    let with_all = reader.maybe("hits with all words", |reader| reader.count("hits with all words"))?;
    let mut asked = page.facets.iter();
    found.facets = reader.maybe("facets", |reader| {
        exactly(reader, "facets", page.facets.len(), |reader| read_facet(reader, schema, asked.next()))
    })?;
    // What did not finish has neither.
    let is_whole = found.total.is_some() >= options.total && found.facets.is_some() >= options.facets.is_some();
    if !(found.expired || is_whole) {
        return Err(reader.wrong("total", "it or the facets are missing"));
    }
    let (mut merging, mut stored) = (Vec::new(), Vec::new());
    if let Some(lists) = page.lists().filter(|_| !found.expired) {
        let ranking = ranking::read(reader, page, lists, |reader| {
            if with_stored {
                stored.push(read_stored(reader, schema)?);
            }
            Ok(())
        })?;
        found.hits = ranking.page(0, page.limit);
        found.ranking = Some(Arc::new(ranking));
        return Ok(LeafFound { found, merging, stored });
    }
    found.hits = reader.list("hits", page.limit, |reader| {
        let (id, score) = (read_id(reader)?, reader.f64("score")?);
        let doc_id = reader.count("docID")?;
        let distance = reader.maybe("distance", |reader| reader.f64("distance"))?;
        if !page.is_merged_by_score() {
            let values = (0..page.keys()).map(|_| read_value(reader)).collect::<Result<_>>()?;
            let by = Merging::new(page, schema, values, read_value(reader)?);
            merging.push(by.ok_or_else(|| reader.wrong("values", "they are not what hits are ordered by"))?);
        }
        if with_stored {
            stored.push(read_stored(reader, schema)?);
        }
        Ok(FoundHit { id, score, doc_id, distance })
    })?;
    found.with_all = match with_all.map(usize::try_from) {
        None => None,
        Some(Ok(count)) if count <= found.hits.len() => Some(count),
        Some(_) => return Err(reader.wrong("hits with all words", "they are more than there are hits")),
    };
    Ok(LeafFound { found, merging, stored })
}

/// What it is u8, and what there is of it.
fn write_value(out: &mut Vec<u8>, value: &SortValue) {
    match value {
        SortValue::None => out.push(0),
        SortValue::Number(number) => {
            out.push(1);
            float(out, *number);
        }
        SortValue::Keyword(value) => {
            out.push(2);
            put_string(out, value);
        }
        SortValue::Id(id) => {
            out.push(3);
            write_id(out, id);
        }
    }
}

fn read_value(reader: &mut Reader) -> Result<SortValue> {
    Ok(match reader.byte("value")? {
        0 => SortValue::None,
        1 => SortValue::Number(reader.f64("value")?),
        2 => SortValue::Keyword(reader.string("value")?.to_vec()),
        3 => SortValue::Id(read_id(reader)?),
        other => return Err(reader.wrong("value", &format!("{other} is none"))),
    })
}

fn write_facet(out: &mut Vec<u8>, FieldFacet { field, facet }: &FieldFacet) {
    out.push(*field as u8);
    match facet {
        Facet::Values(values) => {
            out.push(0);
            list(out, values, |out, (value, count)| {
                put_string(out, value);
                put(out, *count);
            });
        }
        Facet::Numbers { range, count } => {
            out.push(1);
            optional(out, range.map(|range| range.0), float);
            optional(out, range.map(|range| range.1), float);
            put(out, *count);
        }
    }
}

/// A facet of the field that was asked for, with at most so many values.
fn read_facet(reader: &mut Reader, schema: &Schema, asked: Option<&(usize, usize)>) -> Result<FieldFacet> {
    let field = usize::from(reader.byte("field")?);
    let Some(&(_, most)) = asked.filter(|asked| asked.0 == field) else {
        return Err(reader.wrong("facets", "they are of other fields than were asked for"));
    };
    let has_values = schema.fields.get(field).is_some_and(|field| field.kind == Kind::Keyword);
    let facet = match reader.flag("facet")? {
        is_number if is_number == has_values => return Err(reader.wrong("facet", "the field has no such facets")),
        false => {
            let value = |reader: &mut Reader| Ok((reader.string("value")?.to_vec(), reader.count("count")?));
            let values = reader.list("values", most, value)?;
            check_ranked(reader, "values", &values)?;
            Facet::Values(values)
        }
        true => {
            let range = reader
                .maybe("least", |reader| reader.f64("least"))?
                .zip(reader.maybe("greatest", |reader| reader.f64("greatest"))?);
            Facet::Numbers { range, count: reader.count("count")? }
        }
    };
    Ok(FieldFacet { field, facet })
}

/// Checks that the most frequent come first, equal ones in the order of their bytes, and none twice.
fn check_ranked<T: Ord>(reader: &Reader, item: &str, counted: &[(T, u64)]) -> Result<()> {
    let are_ordered = counted.is_sorted_by(|a, b| (b.1, &a.0) < (a.1, &b.0));
    let mut names: Vec<&T> = collected(counted.iter().map(|of| &of.0))?;
    names.sort_unstable();
    match are_ordered && names.is_sorted_by(|a, b| a < b) {
        true => Ok(()),
        false => Err(reader.wrong(item, "they are not in their order, or one is there twice")),
    }
}

fn read_stored(reader: &mut Reader, schema: &Schema) -> Result<Stored> {
    let stored = values_from_bytes(reader.string("stored fields")?, schema.fields.len());
    stored.ok_or_else(|| reader.wrong("stored fields", "they are none of that schema"))
}
