//! Does tantivy rank the Cranfield collection as we do, if it gets the same terms and clauses?

#[path = "../../../tests/common/cranfield.rs"]
mod cranfield_collection;

use cranfield_collection::{Collection, Quality};
use postings::analysis::{self, Analyzer, Scratch};
use postings::index::{self, Codecs, Id, Kind, Schema, Value, Writer};
use postings::query::{self, Atom, Reading};
use postings::search::{Index, Matching, Options};
use std::io::Write;
use std::path::Path;
use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, Occur, PhraseQuery, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption, STORED, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{PreTokenizedString, Token};
use tantivy::{IndexWriter, TantivyDocument, Term};

/// Our index of the abstracts.
fn ours(collection: &Collection, folder: &Path, analyzer: &Analyzer) -> Index {
    let body = index::Field::new("body", Kind::Text);
    let schema = Schema { fields: vec![body], positions: true, codecs: Codecs::default(), analyzer: analyzer.clone() };
    let mut writer = Writer::open(folder, Some(schema), index::WriterOptions::default()).unwrap();
    for (number, text) in &collection.abstracts {
        let values = vec![(0, Value::Text(text.as_bytes().to_vec()))];
        writer.add(Id::Int(*number as i64), index::Document { values }).unwrap();
    }
    writer.commit().unwrap();
    Index::open(folder).unwrap()
}

fn our_quality(collection: &Collection, ours: &Index) -> Quality {
    let options = Options { limit: usize::MAX, matching: Matching::Any, ..Options::default() };
    collection.quality(|question| {
        let number = |id: &Id| if let Id::Int(number) = id { *number as u64 } else { panic!("{id:?}") };
        ours.search(question, &options).unwrap().hits.iter().map(|hit| number(&hit.id)).collect()
    })
}

fn tantivys_quality(collection: &Collection, analyzer: &Analyzer) -> Quality {
    let mut schema = tantivy::schema::Schema::builder();
    let indexing = TextFieldIndexing::default().set_index_option(IndexRecordOption::WithFreqsAndPositions);
    let body = schema.add_text_field("body", TextOptions::default().set_indexing_options(indexing));
    let number = schema.add_u64_field("number", STORED);
    let index = tantivy::Index::create_in_ram(schema.build());
    let mut writer: IndexWriter = index.writer_with_num_threads(1, 64 << 20).unwrap();
    let mut scratch = Scratch::new();
    for (id, text) in &collection.abstracts {
        let mut tokens = Vec::new();
        analyzer.tokens(text, &mut scratch, |token| {
            tokens.push(Token {
                offset_from: token.start,
                offset_to: token.end,
                position: token.position as usize,
                text: token.term.to_owned(),
                position_length: 1,
            });
        });
        let mut document = TantivyDocument::new();
        document.add_pre_tokenized_text(body, PreTokenizedString { text: text.clone(), tokens });
        document.add_u64(number, *id);
        writer.add_document(document).unwrap();
    }
    writer.commit().unwrap();
    let searcher = index.reader().unwrap().searcher();
    collection.quality(|question| {
        let clauses = query::parse(question, &[], true, Reading::default(), analyzer, &mut Scratch::new()).clauses;
        let clauses = clauses.into_iter().map(|clause| {
            let occur = if clause.exclude { Occur::MustNot } else { Occur::Should };
            (occur, of_atom(body, &clause.atom))
        });
        let found = searcher.search(&BooleanQuery::new(clauses.collect()), &TopDocs::with_limit(1400).order_by_score());
        let addresses = found.unwrap().into_iter().map(|(_, address)| address);
        let numbers = addresses.map(|address| {
            let document: TantivyDocument = searcher.doc(address).unwrap();
            tantivy::schema::Value::as_u64(&document.get_first(number).unwrap()).unwrap()
        });
        numbers.collect()
    })
}

fn of_atom(body: Field, atom: &Atom) -> Box<dyn Query> {
    let term = |term: &String| Term::from_field_text(body, term);
    match atom {
        Atom::Term(word) => Box::new(TermQuery::new(term(word), IndexRecordOption::WithFreqs)),
        Atom::Phrase(words) => {
            let terms = words.iter().map(|(offset, word)| (*offset as usize, term(word))).collect();
            Box::new(PhraseQuery::new_with_offset(terms))
        }
        other => panic!("{other:?} is in no question"),
    }
}

#[test]
fn tantivy_ranks_as_we_do() {
    let Some(collection) = Collection::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")) else {
        // Not by eprintln!, which the test harness keeps to itself.
        let _ = std::io::stderr().write_all(b"SKIPPED: there is no cranfield in the folder of shared data\n");
        return;
    };
    for language in [None, Some("english")] {
        let options =
            analysis::AnalyzerOptions { language: language.map(str::to_owned), ..analysis::AnalyzerOptions::default() };
        let analyzer = Analyzer::new(options).unwrap();
        let folder = std::env::temp_dir().join(format!("postings-cranfield-{}", std::process::id()));
        let ours = ours(&collection, &folder, &analyzer);
        let (our, tantivys) = (our_quality(&collection, &ours), tantivys_quality(&collection, &analyzer));
        std::fs::remove_dir_all(&folder).unwrap();
        println!("{language:?}: ours {our:?}, tantivy {tantivys:?}");
        assert!((our.map - tantivys.map).abs() < 5e-5 && (our.ndcg - tantivys.ndcg).abs() < 5e-5);
    }
}
