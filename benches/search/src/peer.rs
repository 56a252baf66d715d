//! tantivy.

use crate::data::{Passages, Product, product, titled};
use crate::engine::{Built, Contestant, Engine, Fields, Found, Hit, Job, Match, Result, Want};
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
        let text = TextOptions::default().set_indexing_options(indexing);
        let title = (job.fields == Fields::Two).then(|| schema.add_text_field("title", text.clone()));
        let body = schema.add_text_field("body", text);
        let id = schema.add_u64_field("id", INDEXED | FAST);
        let of_product = (job.fields == Fields::Product).then(|| {
            let [brand, seller] = ["brand", "seller"].map(|name| schema.add_text_field(name, STRING | FAST));
            (brand, seller, schema.add_f64_field("price", INDEXED | FAST))
        });
        let index = Index::create_in_dir(folder, schema.build())?;
        index.tokenizers().register(WORDS, TextAnalyzer::from(Words::default()));

        let start = Instant::now();
        let mut writer: IndexWriter = index.writer_with_num_threads(job.threads, job.memory)?;
        for (number, passage) in passages.iter().enumerate() {
            let mut document = TantivyDocument::new();
            match title {
                None => document.add_text(body, passage),
                Some(title) => {
                    let [of_title, of_body] = titled(passage);
                    document.add_text(title, of_title);
                    document.add_text(body, of_body);
                }
            }
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
            for field in title.into_iter().chain([body]) {
                tokens += segment.inverted_index(field)?.total_num_tokens();
            }
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
    title: Option<Field>,
    ids: Column<u64>,
}

impl Open {
    pub fn of(folder: &Path) -> Result<Open> {
        let index = Index::open_in_dir(folder)?;
        index.tokenizers().register(WORDS, TextAnalyzer::from(Words::default()));
        let schema = index.schema();
        let (body, title) = (schema.get_field("body")?, schema.get_field("title").ok());
        let searcher = index.reader()?.searcher();
        assert_eq!(searcher.segment_readers().len(), 1, "tantivy's index has one segment");
        let ids = searcher.segment_reader(0).fast_fields().u64("id")?;
        Ok(Open { searcher, body, title, ids })
    }

    /// The fields that are searched.
    fn fields(&self) -> impl Iterator<Item = Field> {
        self.title.into_iter().chain([self.body])
    }

    /// A word in each field.
    fn in_fields(&self, word: &str) -> impl Iterator<Item = Box<dyn Query>> {
        let term = move |field| TermQuery::new(Term::from_field_text(field, word), IndexRecordOption::WithFreqs);
        self.fields().map(move |field| Box::new(term(field)) as Box<dyn Query>)
    }

    /// A word in any field.
    fn word(&self, word: &str) -> Box<dyn Query> {
        any(self.in_fields(word).collect())
    }

    /// What tantivy's parser of queries makes of the same words; in two fields any words are one union of all terms, of which
    /// tantivy skips what cannot be among the best, and not one of unions.
    pub fn query(&self, words: &[String], how: Match) -> Box<dyn Query> {
        if let [word] = words {
            return self.word(word);
        }
        let each = || words.iter().map(|word| self.word(word));
        match how {
            Match::And => Box::new(BooleanQuery::intersection(each().collect())),
            Match::Or => any(words.iter().flat_map(|word| self.in_fields(word)).collect()),
            Match::First => {
                let occurs = std::iter::once(Occur::Must).chain(std::iter::repeat(Occur::Should));
                Box::new(BooleanQuery::new(occurs.zip(each()).collect()))
            }
            Match::Phrase => {
                let terms = |field| words.iter().map(|word| Term::from_field_text(field, word)).collect();
                any(self.fields().map(|field| Box::new(PhraseQuery::new(terms(field))) as Box<dyn Query>).collect())
            }
        }
    }
}

/// One of some queries, of which there is one at least.
fn any(mut queries: Vec<Box<dyn Query>>) -> Box<dyn Query> {
    match queries.pop() {
        Some(only) if queries.is_empty() => only,
        last => {
            queries.extend(last);
            Box::new(BooleanQuery::union(queries))
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
