//! Compares phrases, prefixes and fuzzy words on a device with the CPU, on PoCL or on the device that `POSTINGS_TEST_DEVICE`
//! names: the same ids, order and scores, to the last bit.

use crate::common::random::Random;
use crate::common::ranked::*;
use postings::analysis::{self, Analyzer};
use postings::device;
use postings::engine;
use postings::index::{Document, Id, Schema, Value, Writer};
use postings::search::{Index, Matching, Options};
use std::path::Path;

/// Phrases of the documents' words, and much else that is put together of several lists.
fn queries(words: u64, count: usize) -> Vec<String> {
    let mut random = Random(4711);
    let mut queries = Vec::new();
    for at in 0..count {
        let mut next = |most: u64| format!("w{}", word(&mut random, most));
        let mut phrase = |words: usize| (0..words).map(|_| next(12)).collect::<Vec<_>>().join(" ");
        let (two, other, three) = (phrase(2), phrase(2), phrase(3));
        let own = next(words);
        queries.push(match at % 16 {
            0 => format!("\"{two}\""),
            1 => format!("\"{two}\" {own}"),
            2 => format!("\"{two}\" \"{other}\""),
            3 => format!("{own} -\"{two}\""),
            4 => format!("title:\"{two}\" {own}"),
            5 => format!("\"{three}\""),
            // Repeated words, and a phrase that is there twice.
            6 => format!("\"w1 {own} w1\" \"w0 w0\""),
            7 => format!("\"{two}\" \"{two}\" {own}"),
            // Words that no document has, or that never stand together.
            8 => format!("\"{two} unknown\" {own}"),
            9 => format!("\"{own} {own} {own} {own}\" {two}"),
            10 => format!("{own} w1*"),
            11 => format!("w2* -w23* \"{two}\""),
            12 => format!("w11~ {own}"),
            13 => format!("\"{own} {two}\" w0"),
            14 => format!("\"{two} {three} {other}\" -title:\"{other}\""),
            _ => format!("{own} {two}"),
        });
    }
    queries.push(format!("\"{}\"", ["w0"; 20].join(" ")));
    queries.push("-\"w0 w1\"".into());
    queries.push("\"w0 w1\" -w0".into());
    queries.push("unknown* \"w0 w1\"".into());
    queries
}

/// Adds documents whose words stand where others' do not.
fn add_long_documents(folder: &Path) -> Index {
    let mut writer = Writer::open(folder, None, postings::index::WriterOptions::default()).unwrap();
    let words = |words: &mut dyn Iterator<Item = &str>| -> Vec<Vec<u8>> { words.map(|word| word.into()).collect() };
    // Positions of more than 16 bits; more positions than a work-item looks at; frequencies without a code of their own.
    let far = words(&mut (0..70_000).map(|_| "filler").chain(["w0", "w1", "w0", "w2"]));
    let many = words(&mut (0..9_000).flat_map(|_| ["w3", "w4"]));
    let some = words(&mut (0..300).flat_map(|_| ["w0", "w1", "w0"]));
    for (number, body) in [far, many, some].into_iter().enumerate() {
        let values = vec![(TITLE, Value::Tokens(vec![b"w1".to_vec()])), (BODY, Value::Tokens(body))];
        writer.add(Id::Int(1_000_000 + number as i64), Document { values }).unwrap();
    }
    writer.commit().unwrap();
    Index::open(folder).unwrap()
}

fn compare(name: &str, schema: Schema, shape: Shape) {
    if !has_device() {
        return;
    }
    let folder = Folder::new(&format!("phrases-{name}"));
    build(&folder.0, schema, shape);
    let index = add_long_documents(&folder.0);
    for options in all_options() {
        check(&index, &queries(shape.words, 80), &options, &settings());
    }
}

#[test]
fn one_small_segment() {
    compare("small", schema(), SMALL);
}

#[test]
fn many_segments_with_deleted_documents() {
    compare("segments", schema(), Shape { documents: 4_000, commits: 5, deletes: true, ..SMALL });
}

#[test]
fn many_tiles_in_another_order() {
    compare("tiles", schema(), Shape { documents: 20_000, words: 3_000, length: 20, optimize: Some(true), ..SMALL });
}

/// Stop words leave gaps in the phrases of queries.
#[test]
fn gaps() {
    let stop_words = vec!["w2".into(), "w5".into()];
    let analyzer = Analyzer::new(analysis::AnalyzerOptions { stop_words, ..Default::default() }).unwrap();
    compare("gaps", Schema { analyzer, ..schema() }, SMALL);
}

/// Phrases are then words that occur together, which a device ranks as well.
#[test]
fn without_positions() {
    compare("without", Schema { positions: false, ..schema() }, Shape { commits: 2, ..SMALL });
}

/// Whether the device made lists of phrases to answer some queries, and whether it lacked anything.
fn makes(index: &Index, queries: &[String]) -> (bool, bool) {
    let (settings, options) = (settings(), Options { matching: Matching::Any, ..Options::default() });
    let device = device::select(&settings.device).unwrap().unwrap();
    let queries: Vec<&str> = queries.iter().map(|query| &**query).collect();
    let _turn = turn();
    let (failures, misses) = (engine::stats().device_failures, device::cache_stats().misses);
    device.take_kernel_times().unwrap();
    device.set_profiling(true);
    let found = engine::search_batch(index, &queries, &options, &settings).unwrap();
    device.set_profiling(false);
    let times = device.take_kernel_times().unwrap();
    assert_eq!(found, index.search_batch(&queries, &options, 1).unwrap());
    assert_eq!(engine::stats().device_failures, failures);
    assert!(times.iter().any(|time| time.kernel == "rank_max_score"));
    (times.iter().any(|time| time.kernel == "phrase_find"), device::cache_stats().misses != misses)
}

/// Who makes the list of a phrase is decided by what it is worth. Once made, a list stays.
#[test]
fn lists_of_phrases_are_made_once() {
    if !has_device() {
        return;
    }
    let folder = Folder::new("phrases-once");
    let index = build(&folder.0, schema(), Shape { documents: 6_000, words: 2_000, ..SMALL });
    // The positions of a frequent word for a phrase with a rare one: the host is faster.
    assert_eq!(makes(&index, &["\"w0 w1500\"".into()]), (false, true));
    let pairs: Vec<String> = (0..64).map(|at| format!("\"w{} w{}\"", at / 8, at % 8)).collect();
    assert_eq!(makes(&index, &pairs), (true, true));
    // The lists are there now, and so are the positions, for other phrases.
    assert_eq!(makes(&index, &pairs), (false, false));
    assert_eq!(makes(&index, &["\"w7 w0 w1\"".into()]), (true, true));
    // Only a list of all that it is made of is its own.
    assert_eq!(makes(&index, &["\"w7 w0 w1\" w0 \"w0 w7 w1\"".into()]), (true, true));
    assert_eq!(makes(&index, &["\"w7 w0 w1\" w0 \"w0 w7 w1\"".into()]), (false, false));
}

#[test]
fn one_query_at_a_time() {
    if !has_device() {
        return;
    }
    let folder = Folder::new("phrases-one");
    let index = build(&folder.0, schema(), SMALL);
    for query in queries(SMALL.words, 32) {
        for matching in [Matching::All, Matching::AllThenAny] {
            let options = Options { matching, total: true, ..Options::default() };
            let _turn = turn();
            let found = engine::search(&index, &query, &options, &settings()).unwrap();
            assert_eq!(found, index.search(&query, &options).unwrap(), "{query}");
        }
    }
}

#[test]
fn a_cache_that_is_too_small() {
    if !has_device() {
        return;
    }
    let folder = Folder::new("phrases-cache");
    let shape = Shape { documents: 30_000, words: 2_000, length: 30, ..SMALL };
    let index = build(&folder.0, schema(), shape);
    for device_memory in [6_000_000, 2_000_000, 800_000, 100_000, 0] {
        let settings = engine::Settings { device_memory, ..settings() };
        for matching in [Matching::All, Matching::Any] {
            check(&index, &queries(shape.words, 64), &Options { matching, ..Options::default() }, &settings);
        }
    }
}
