//! [`Question`]: what a leaf can be asked.
//!
//! ```text
//! schema (0)      nothing
//! statistics (1)  how many queries, each a string; options
//! search (2)      how many queries, each a string; how many weights fields, of each the field u8 and how many terms, each a
//!                 string and a weight f32; how many vectors, each the field u8 and the vector; options, and whether stored
//!                 fields are wanted u8
//! suggest (3)     text, whether a field is named u8, if so its number u8; limit
//! stored (4)      how many ids, each
//! nearest (5)     field u8, how many vectors, each; the page of options, whether stored fields are wanted u8, and how many
//!                 clusters are looked at, 0 if all are
//! ```

use super::condition::{read_id, write_id};
use super::write::{list, optional};
use super::{Commit, MOST_HITS, VERSION, opened, options, put_commit, read_commit, refused, sealed, shown};
use crate::base::error::{Refusal, Result};
use crate::base::leb128::{put, put_string};
use crate::base::reader::Reader;
use crate::index::{Id, Kind, Schema};
use crate::search::{Asked, AskedBuf, Index, Options, WeightedTerms};
use crate::vector::Query;
use std::sync::Arc;
use std::time::Duration;

const MAGIC: &[u8; 4] = b"PREQ";

/// The most queries of a request.
pub const MOST_QUERIES: usize = 1 << 16;

/// What a leaf is asked.
#[derive(Debug, Clone, PartialEq)]
pub enum Question {
    /// Its schema.
    Schema,
    /// What searches for these queries need to know of its documents: [`Index::statistics`].
    Statistics {
        /// The queries.
        queries: Vec<String>,
        /// How they are searched for.
        options: Options,
    },
    /// Its hits of each query: [`Index::search_batch`].
    Search {
        /// The queries.
        queries: Vec<AskedBuf>,
        /// How to search.
        options: Options,
        /// Whether the stored fields of hits are wanted.
        stored: bool,
    },
    /// Its hits nearest to each vector: [`Index::nearest`].
    Nearest {
        /// The vector field.
        field: usize,
        /// The vectors.
        vectors: Vec<Query>,
        /// How to search: limit, offset, filter, deadline and probes.
        options: Options,
        /// Whether the stored fields of hits are wanted.
        stored: bool,
    },
    /// How what was typed may go on: [`Index::suggest`].
    Suggest {
        /// What was typed.
        text: String,
        /// The text field.
        field: Option<usize>,
        /// The most words.
        limit: usize,
    },
    /// The stored fields of documents.
    Stored {
        /// Their ids.
        ids: Vec<Id>,
    },
}

impl Question {
    /// The bytes of a request: of an index whose schema has that [fingerprint](crate::search::fingerprint), which is 0 where the
    /// schema is asked for, and of that commit, if one is named. Statistics and searches end at the deadline.
    ///
    /// # Errors
    /// [`Error::Argument`] if options can only be told to an index itself; [`Error::Refused`] if there are too many bytes or
    /// queries or ids.
    pub fn to_bytes(&self, fingerprint: u64, commit: Option<Commit>, deadline: Option<Duration>) -> Result<Vec<u8>> {
        let mut out = MAGIC.to_vec();
        out.push(VERSION);
        out.extend(fingerprint.to_le_bytes());
        optional(&mut out, commit, put_commit);
        match self {
            Question::Schema => out.push(0),
            Question::Statistics { queries, options } => {
                out.push(1);
                let write = |out: &mut Vec<u8>, query: &String| put_string(out, query.as_bytes());
                write_queries(&mut out, queries, write, options, deadline)?;
            }
            Question::Search { queries, options, stored } => {
                out.push(2);
                write_queries(&mut out, queries, write_asked, options, deadline)?;
                out.push((*stored).into());
            }
            Question::Suggest { text, field, limit } => {
                out.push(3);
                put_string(&mut out, text.as_bytes());
                optional(&mut out, *field, |out, field| out.push(field as u8));
                put(&mut out, *limit as u64);
            }
            Question::Stored { ids } => {
                out.push(4);
                check_count(ids.len(), MOST_HITS, "ids")?;
                list(&mut out, ids, write_id);
            }
            Question::Nearest { field, vectors, options, stored } => {
                out.extend([5, *field as u8]);
                check_count(vectors.len(), MOST_QUERIES, "vectors")?;
                list(&mut out, vectors, options::write_vector);
                options::write_page(&mut out, options, deadline)?;
                out.push((*stored).into());
                put(&mut out, options.probes.unwrap_or(0) as u64);
            }
        }
        sealed(out)
    }

    /// The same with a deadline that is no later than this.
    pub(super) fn within(mut self, most: Option<Duration>) -> Question {
        if let Question::Statistics { options, .. }
        | Question::Search { options, .. }
        | Question::Nearest { options, .. } = &mut self
        {
            options.deadline = options::earlier(options.deadline, most);
        }
        self
    }

    /// What a request asks this index.
    ///
    /// # Errors
    /// [`Error::Refused`] if it is made for another version, schema or commit; [`Error::Corrupt`] if no one made it.
    pub(super) fn read(bytes: &[u8], index: &Index) -> Result<Question> {
        let mut reader = opened("request", MAGIC, bytes)?;
        let (theirs, ours) = (reader.u64("fingerprint")?, index.fingerprint());
        let here = index.snapshot().commit();
        if let Some(wanted) = reader.maybe("commit", read_commit)?.filter(|wanted| *wanted != here) {
            let what = format!("the leaf has commit {}, and {} was asked for", shown(here), shown(wanted));
            return Err(refused(Refusal::Commit, what));
        }
        let what = reader.byte("question")?;
        // Who asks for the schema has none.
        if what != 0 && theirs != ours {
            let what =
                format!("the request is made for schema and analyzer {theirs:016x}, and the leaf has {ours:016x}");
            return Err(refused(Refusal::Schema, what));
        }
        let question = Question::read_of(what, &mut reader, index.schema())?;
        reader.end()?;
        Ok(question)
    }

    fn read_of(what: u8, reader: &mut Reader, schema: &Schema) -> Result<Question> {
        Ok(match what {
            0 => Question::Schema,
            1 => {
                let queries = reader.list("queries", MOST_QUERIES, |reader| Ok(reader.text("query")?.to_owned()))?;
                Question::Statistics { queries, options: options::read(reader, schema)? }
            }
            2 => {
                let queries = reader.list("queries", MOST_QUERIES, |reader| read_asked(reader, schema))?;
                let options = options::read(reader, schema)?;
                Question::Search { queries, options, stored: reader.flag("stored")? }
            }
            3 => {
                let text = reader.text("text")?.to_owned();
                let field = reader.maybe("field", |reader| options::field(reader, schema, Some(Kind::Text)))?;
                Question::Suggest { text, field, limit: reader.size("limit")? }
            }
            4 => Question::Stored { ids: reader.list("ids", MOST_HITS, read_id)? },
            5 => {
                let (field, shape) = options::vector_field(reader, schema)?;
                let vectors = reader.list("vectors", MOST_QUERIES, |reader| options::read_vector(reader, shape))?;
                let mut options = options::read_page(reader)?;
                let stored = reader.flag("stored")?;
                options.probes = Some(reader.size("probes")?).filter(|&probes| probes > 0);
                if options.probes.is_some() && !schema.fields[field].clusters {
                    return Err(reader.wrong("probes", &format!("field {field} has no clusters")));
                }
                Question::Nearest { field, vectors, options, stored }
            }
            other => return Err(reader.wrong("question", &format!("{other} is none"))),
        })
    }
}

fn check_count(count: usize, most: usize, what: &str) -> Result<()> {
    match count <= most {
        true => Ok(()),
        false => Err(refused(Refusal::Request, format!("{count} {what} are more than {most}"))),
    }
}

fn write_queries<Q>(
    out: &mut Vec<u8>,
    queries: &[Q],
    write: impl FnMut(&mut Vec<u8>, &Q),
    options: &Options,
    deadline: Option<Duration>,
) -> Result<()> {
    check_count(queries.len(), MOST_QUERIES, "queries")?;
    list(out, queries, write);
    options::write(out, options, deadline)
}

fn write_asked(out: &mut Vec<u8>, query: &AskedBuf) {
    let Asked { text, weighted, nearest } = query.get();
    put_string(out, text.as_bytes());
    list(out, weighted, |out, WeightedTerms { field, terms }| {
        out.push(*field as u8);
        list(out, terms, |out, (term, weight)| {
            put_string(out, term);
            out.extend(weight.to_le_bytes());
        });
    });
    list(out, nearest, |out, (field, vector)| {
        out.push(*field as u8);
        options::write_vector(out, vector);
    });
}

fn read_asked(reader: &mut Reader, schema: &Schema) -> Result<AskedBuf> {
    let text = reader.text("query")?.to_owned();
    let weighted = reader.list("weights fields", schema.fields.len(), |reader| {
        let field = options::field(reader, schema, Some(Kind::Weights))?;
        let terms = reader.list("terms", Asked::MOST_TERMS, |reader| {
            Ok((reader.string("term")?.to_owned(), f32::from_le_bytes(reader.array("weight")?)))
        })?;
        Ok(WeightedTerms { field, terms })
    })?;
    if let Some(wrong) = WeightedTerms::fault(&weighted) {
        return Err(reader.wrong("weights", &wrong));
    }
    let vector = |reader: &mut Reader| {
        let (field, shape) = options::vector_field(reader, schema)?;
        Ok((field, Arc::new(options::read_vector(reader, shape)?)))
    };
    let nearest = options::once(reader, "vectors", schema.fields.len(), vector, |of| of.0)?;
    Ok(Asked { text: &text, weighted: &weighted, nearest: &nearest }.into())
}
