//! Postings.

use crate::data::Passages;
use crate::engine::{Built, Contestant, Engine, Found, Hit, Job, Match, Result, Want};
use crate::tokens::words;
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

impl Contestant for Ours {
    fn name(&self) -> &'static str {
        self.name
    }

    fn build(&self, folder: &Path, passages: &Passages, job: Job) -> Result<Built> {
        let body = Field { name: "body".into(), kind: Kind::Text, weight: 1.0, stored: false, analyzer: None };
        // Queries go through the analyzer also if the passages are tokens already. Of those tokens it makes themselves.
        let analyzer = Analyzer::new(analysis::AnalyzerOptions::default())?;
        let schema = Schema { fields: vec![body], positions: true, codecs: self.codecs, analyzer };

        let start = Instant::now();
        let options = WriterOptions { memory: job.memory, threads: job.threads, ..WriterOptions::default() };
        let mut writer = Writer::open(folder, Some(schema), options)?;
        for (number, passage) in passages.iter().enumerate() {
            let value = if job.own_analyzer {
                Value::Text(passage.into())
            } else {
                Value::Tokens(words(passage).map(|word| word.to_ascii_lowercase().into_bytes()).collect())
            };
            writer.add(Id::Int(number as i64), Document { values: vec![(0, value)] })?;
        }
        writer.commit()?;
        let commit = start.elapsed().as_secs_f64();

        let start = Instant::now();
        writer.optimize(false)?;
        let merge = start.elapsed().as_secs_f64();

        let mut tokens = 0;
        for part in Index::open(folder)?.snapshot().parts() {
            tokens += part.segment.counts(0)?.tokens;
        }
        Ok(Built { commit, merge, tokens })
    }

    fn open(&self, folder: &Path) -> Result<Box<dyn Engine>> {
        let index = Index::open(folder)?;
        assert_eq!(index.snapshot().parts().len(), 1, "our index has one segment");
        Ok(Box::new(Open { index, query: String::new() }))
    }
}

struct Open {
    index: Index,
    /// What a visitor would type.
    query: String,
}

impl Engine for Open {
    fn search(&mut self, words: &[String], how: Match, want: Want, found: &mut Found) -> Result<()> {
        self.query.clear();
        let quote = if how == Match::Phrase { "\"" } else { "" };
        self.query.push_str(quote);
        for word in words {
            self.query.push_str(word);
            self.query.push(' ');
        }
        self.query.push_str(quote);
        let matching = if how == Match::Or { Matching::Any } else { Matching::All };
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
            let Id::Int(id) = hit.id else { return Err("we have lost an id".into()) };
            found.hits.push(Hit { id: id as u64, score: hit.score as f32 });
        }
        found.count = answer.total;
        Ok(())
    }

    /// They come with the hits.
    fn ids(&mut self, _: &mut Found) -> Result<()> {
        Ok(())
    }
}
