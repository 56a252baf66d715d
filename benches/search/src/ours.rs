//! Postings.

use crate::data::{Passages, Product, product, titled, words};
use crate::engine::{Built, Contestant, Engine, Fields, Found, Hit, Job, Match, Result, Want};
use postings::analysis::{self, Analyzer};
use postings::index::{Codecs, Document, Field, Id, Kind, Schema, Value, Writer, WriterOptions};
use postings::search::{self, Index, Matching};
use std::path::Path;
use std::time::Instant;

pub struct Ours {
    name: &'static str,
    codecs: Codecs,
}

impl Default for Ours {
    /// With the default codecs.
    fn default() -> Self {
        Ours { name: "ours", codecs: Codecs::default() }
    }
}

impl Ours {
    /// With these codecs of frequencies and positions, under another name.
    pub fn with(name: &'static str, codecs: Codecs) -> Ours {
        Ours { name, codecs }
    }
}

/// The fields of products, by number.
pub const FIELDS: [(&str, Kind); 4] =
    [("body", Kind::Text), ("brand", Kind::Keyword), ("seller", Kind::Keyword), ("price", Kind::Numeric)];

const TWO: [(&str, Kind); 2] = [("title", Kind::Text), ("body", Kind::Text)];

impl Contestant for Ours {
    fn name(&self) -> &'static str {
        self.name
    }

    fn build(&self, folder: &Path, passages: &Passages, job: Job) -> Result<Built> {
        let field = |&(name, kind): &(&str, Kind)| Field::new(name, kind);
        let fields = match job.fields {
            Fields::One => &FIELDS[..1],
            Fields::Two => &TWO,
            Fields::Product => &FIELDS,
        };
        // Queries go through the analyzer also if the passages are tokens already. Of those tokens it makes themselves.
        let analyzer = Analyzer::new(analysis::AnalyzerOptions::default())?;
        let schema =
            Schema { fields: fields.iter().map(field).collect(), positions: true, codecs: self.codecs, analyzer };

        let start = Instant::now();
        let options = WriterOptions { memory: job.memory, threads: job.threads, ..WriterOptions::default() };
        let mut writer = Writer::open(folder, Some(schema), options)?;
        for (number, passage) in passages.iter().enumerate() {
            let value = |text: &str| match job.own_analyzer {
                true => Value::Text(text.into()),
                false => Value::Tokens(words(text).map(|word| word.to_ascii_lowercase().into_bytes()).collect()),
            };
            let mut values = match job.fields {
                Fields::Two => (0..).zip(titled(passage).map(value)).collect(),
                _ => vec![(0, value(passage))],
            };
            if job.fields == Fields::Product {
                let Product { brand, seller, price } = product(number);
                let keyword = |value: String| Value::Keywords(vec![value.into_bytes()]);
                values.extend([(1, keyword(brand)), (2, keyword(seller)), (3, Value::Number(price))]);
            }
            writer.add(Id::Int(number as i64), Document { values })?;
        }
        writer.commit()?;
        let commit = start.elapsed().as_secs_f64();

        let start = Instant::now();
        writer.optimize(false)?;
        let merge = start.elapsed().as_secs_f64();

        let mut tokens = 0;
        for part in Index::open(folder)?.snapshot().parts() {
            for field in 0..fields.len() {
                tokens += part.segment.counts(field)?.tokens;
            }
        }
        Ok(Built { commit, merge, tokens })
    }

    fn open(&self, folder: &Path) -> Result<Box<dyn Engine>> {
        Ok(Box::new(Open::of(folder)?))
    }
}

pub struct Open {
    pub index: Index,
    /// Whether prefixes and fuzzy words stand for more words than the default allows.
    pub expands_all: bool,
    /// What a visitor would type.
    query: String,
}

impl Open {
    pub fn of(folder: &Path) -> Result<Open> {
        let index = Index::open(folder)?;
        assert_eq!(index.snapshot().parts().len(), 1, "our index has one segment");
        Ok(Open { index, expands_all: false, query: String::new() })
    }
}

/// Writes what a visitor would type, and says which words documents must have.
pub fn write_query(query: &mut String, words: &[String], how: Match) -> Matching {
    let quote = if how == Match::Phrase { "\"" } else { "" };
    query.clear();
    query.push_str(if how == Match::First { "+" } else { quote });
    for word in words {
        query.push_str(word);
        query.push(' ');
    }
    query.push_str(quote);
    if matches!(how, Match::Or | Match::First) { Matching::Any } else { Matching::All }
}

/// Our number of a passage.
pub fn passage(id: Id) -> Result<u64> {
    let Id::Int(id) = id else { return Err("we have lost an id".into()) };
    Ok(id as u64)
}

impl Engine for Open {
    fn search(&mut self, words: &[String], how: Match, want: Want, found: &mut Found) -> Result<()> {
        let matching = write_query(&mut self.query, words, how);
        let options = search::Options {
            limit: want.top(),
            matching,
            total: matches!(want, Want::TopAndCount(_)),
            ..search::Options::default()
        };
        found.hits.clear();
        if want == Want::Count {
            found.count = Some(self.index.count(&self.query, &options)?);
            return Ok(());
        }
        let answer = self.index.search(&self.query, &options)?;
        for hit in answer.hits {
            found.hits.push(Hit { id: passage(hit.id)?, score: hit.score as f32 });
        }
        found.count = answer.total;
        Ok(())
    }

    /// They come with the hits.
    fn ids(&mut self, _: &mut Found) -> Result<()> {
        Ok(())
    }
}
