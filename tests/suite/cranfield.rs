//! Are the best hits good answers? Abstracts, questions and people's judgements of the Cranfield collection.

use crate::common::cranfield::{Collection, Quality};
use crate::common::skipped;
use postings::analysis::{self, Analyzer, stop_words};
use postings::index::{Codecs, Document, Field, Id, Kind, Schema, Value, Writer};
use postings::search::{Index, Matching, Options};
use std::path::Path;

/// By how much rankings may get worse than they were once.
const TOLERANCE: f64 = 0.002;

fn quality(collection: &Collection, language: Option<&str>, stop_words: &[&str]) -> Quality {
    let options = analysis::AnalyzerOptions {
        language: language.map(str::to_owned),
        stop_words: stop_words.iter().map(|&word| word.to_owned()).collect(),
        ..analysis::AnalyzerOptions::default()
    };
    let analyzer = Analyzer::new(options).expect("an analyzer");
    let body = Field::new("body", Kind::Text);
    let schema = Schema { fields: vec![body], positions: true, codecs: Codecs::default(), analyzer };
    let folder = tempfile::tempdir().expect("a folder");
    let mut writer = Writer::open(folder.path(), Some(schema), Default::default()).expect("a writer");
    for (number, text) in &collection.abstracts {
        let values = vec![(0, Value::Text(text.as_bytes().to_vec()))];
        writer.add(Id::Int(*number as i64), Document { values }).expect("a document");
    }
    writer.commit().expect("a commit");
    let index = Index::open(folder.path()).expect("an index");
    let options = Options { limit: usize::MAX, matching: Matching::Any, ..Options::default() };
    collection.quality(|question| {
        let found = index.search(question, &options).expect("hits");
        let number = |id: &Id| if let Id::Int(number) = id { *number as u64 } else { panic!("{id:?}") };
        found.hits.iter().map(|hit| number(&hit.id)).collect()
    })
}

#[test]
fn the_best_hits_are_good_answers() {
    let Some(collection) = Collection::read(Path::new(env!("CARGO_MANIFEST_DIR"))) else {
        return skipped("there is no cranfield in the folder of shared data");
    };
    assert_eq!((collection.abstracts.len(), collection.questions.len()), (1400, 225));
    let plain = quality(&collection, None, &[]);
    let stemmed = quality(&collection, Some("english"), &[]);
    let stopped = quality(&collection, Some("english"), stop_words("english").expect("a list"));
    println!("plain {plain:?}\nstemmed {stemmed:?}\nstemmed, without stop words {stopped:?}");
    for (found, map, ndcg) in [(plain, 0.2579, 0.3382), (stemmed, 0.2854, 0.3666), (stopped, 0.2930, 0.3696)] {
        assert!(found.map >= map - TOLERANCE && found.ndcg >= ndcg - TOLERANCE, "{found:?}, once {map}, {ndcg}");
    }
    assert!(stemmed.map >= plain.map && stemmed.ndcg >= plain.ndcg);
}
