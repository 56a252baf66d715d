//! tantivy.

use crate::data::{Passages, Product, product};
use crate::engine::{Built, Contestant, Engine, Found, Hit, Job, Match, Result, Want};
use crate::tokens::Words;
use std::path::Path;
use std::time::Instant;
use tantivy::collector::{Count, TopDocs};
use tantivy::columnar::Column;
use tantivy::query::{BooleanQuery, Occur, PhraseQuery, Query, TermQuery};
use tantivy::schema::{FAST, Field, INDEXED, IndexRecordOption, STRING, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::TextAnalyzer;
use tantivy::{DocAddress, Index, IndexWriter, Score, Searcher, TantivyDocument, Term};

/// The tokenizer of both contestants, as tantivy knows it. `default` is its own: letters and digits of Unicode,
/// lower-cased, at most 40 bytes.
const WORDS: &str = "words";

pub struct Tantivy;

impl Contestant for Tantivy {
    fn name(&self) -> &'static str {
        "tantivy"
    }

    fn build(&self, folder: &Path, passages: &Passages, job: Job) -> Result<Built> {
        let mut schema = Schema::builder();
        let indexing = TextFieldIndexing::default()
            .set_tokenizer(if job.own_analyzer { "default" } else { WORDS })
            .set_index_option(IndexRecordOption::WithFreqsAndPositions);
        let body = schema.add_text_field("body", TextOptions::default().set_indexing_options(indexing));
        let id = schema.add_u64_field("id", INDEXED | FAST);
        let of_product = job.product.then(|| {
            let [brand, seller] = ["brand", "seller"].map(|name| schema.add_text_field(name, STRING | FAST));
            (brand, seller, schema.add_f64_field("price", INDEXED | FAST))
        });
        let index = Index::create_in_dir(folder, schema.build())?;
        index.tokenizers().register(WORDS, TextAnalyzer::from(Words::default()));

        let start = Instant::now();
        let mut writer: IndexWriter = index.writer_with_num_threads(job.threads, job.memory)?;
        for (number, passage) in passages.iter().enumerate() {
            let mut document = TantivyDocument::new();
            document.add_text(body, passage);
            document.add_u64(id, number as u64);
            if let Some(fields) = of_product {
                let Product { brand, seller, price } = product(number);
                document.add_text(fields.0, brand);
                document.add_text(fields.1, seller);
                document.add_f64(fields.2, price);
            }
            writer.add_document(document)?;
        }
        writer.commit()?;
        let commit = start.elapsed().as_secs_f64();

        let start = Instant::now();
        writer.wait_merging_threads()?;
        let segments = index.searchable_segment_ids()?;
        if segments.len() > 1 {
            let mut writer: IndexWriter = index.writer_with_num_threads(1, job.memory)?;
            writer.merge(&segments).wait()?;
            writer.garbage_collect_files().wait()?;
            writer.wait_merging_threads()?;
        }
        let merge = start.elapsed().as_secs_f64();

        let searcher = index.reader()?.searcher();
        let mut tokens = 0;
        for segment in searcher.segment_readers() {
            tokens += segment.inverted_index(body)?.total_num_tokens();
        }
        Ok(Built { commit, merge, tokens })
    }

    fn open(&self, folder: &Path) -> Result<Box<dyn Engine>> {
        Ok(Box::new(Open::of(folder)?))
    }
}

pub struct Open {
    pub searcher: Searcher,
    pub body: Field,
    ids: Column<u64>,
}

impl Open {
    pub fn of(folder: &Path) -> Result<Open> {
        let index = Index::open_in_dir(folder)?;
        index.tokenizers().register(WORDS, TextAnalyzer::from(Words::default()));
        let schema = index.schema();
        let body = schema.get_field("body")?;
        let searcher = index.reader()?.searcher();
        assert_eq!(searcher.segment_readers().len(), 1, "tantivy's index has one segment");
        let ids = searcher.segment_reader(0).fast_fields().u64("id")?;
        Ok(Open { searcher, body, ids })
    }

    fn term(&self, word: &str) -> Term {
        Term::from_field_text(self.body, word)
    }

    fn term_query(&self, word: &str) -> TermQuery {
        TermQuery::new(self.term(word), IndexRecordOption::WithFreqs)
    }

    /// What tantivy's parser of queries makes of the same words.
    pub fn query(&self, words: &[String], how: Match) -> Box<dyn Query> {
        if let [word] = words {
            return Box::new(self.term_query(word));
        }
        let terms = || -> Vec<Box<dyn Query>> {
            words.iter().map(|word| Box::new(self.term_query(word)) as Box<dyn Query>).collect()
        };
        match how {
            Match::And => Box::new(BooleanQuery::intersection(terms())),
            Match::Or => Box::new(BooleanQuery::union(terms())),
            Match::First => {
                let occurs = std::iter::once(Occur::Must).chain(std::iter::repeat(Occur::Should));
                Box::new(BooleanQuery::new(occurs.zip(terms()).collect()))
            }
            Match::Phrase => Box::new(PhraseQuery::new(words.iter().map(|word| self.term(word)).collect())),
        }
    }
}

pub fn hit((score, address): (Score, DocAddress)) -> Hit {
    Hit { id: u64::from(address.doc_id), score }
}

impl Engine for Open {
    fn search(&mut self, words: &[String], how: Match, want: Want, found: &mut Found) -> Result<()> {
        let query = self.query(words, how);
        let best = |k| TopDocs::with_limit(k).order_by_score();
        let (hits, count) = match want {
            Want::Top(k) => (self.searcher.search(&query, &best(k))?, None),
            Want::Count => (Vec::new(), Some(query.count(&self.searcher)?)),
            Want::TopAndCount(k) => {
                let (hits, count) = self.searcher.search(&query, &(best(k), Count))?;
                (hits, Some(count))
            }
        };
        found.hits.clear();
        found.hits.extend(hits.into_iter().map(hit));
        found.count = count.map(|count| count as u64);
        Ok(())
    }

    fn ids(&mut self, found: &mut Found) -> Result<()> {
        for hit in &mut found.hits {
            hit.id = self.ids.first(hit.id as u32).ok_or("tantivy has lost an id")?;
        }
        Ok(())
    }
}
