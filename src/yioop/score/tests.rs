//! Against `testdata.jsonl`: numbers that Yioop 2019 computed, under PHP 8.2. Floats stand there as the hex digits of
//! their big-endian bits.

use super::*;
use serde_json::Value;

fn lines(kind: &str) -> Vec<Value> {
    let lines: Vec<Value> = include_str!("testdata.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|line: &Value| line["kind"] == kind)
        .collect();
    assert!(!lines.is_empty());
    lines
}

fn float(value: &Value) -> f64 {
    f64::from_bits(u64::from_str_radix(value.as_str().unwrap(), 16).unwrap())
}

fn integer(value: &Value) -> u32 {
    value.as_u64().unwrap() as u32
}

fn integers(value: &Value) -> Vec<u32> {
    value.as_array().unwrap().iter().map(integer).collect()
}

fn lists(value: &Value) -> Vec<Vec<u32>> {
    value.as_array().unwrap().iter().map(integers).collect()
}

fn bytes(value: &Value) -> Vec<u8> {
    let digits = value.as_str().unwrap();
    (0..digits.len() / 2).map(|at| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).unwrap()).collect()
}

#[test]
fn proximity_is_yioops() {
    for line in lines("proximity") {
        let is_document = line["is_doc"].as_bool().unwrap();
        assert_eq!(
            proximity(&lists(&line["lists"]), is_document, &Weights::default()),
            float(&line["value"]),
            "{line}"
        );
    }
}

#[test]
fn phrases_occur_where_yioop_finds_them() {
    for line in lines("phrase") {
        let parts = line["parts"].as_array().unwrap().iter().map(|part| match part.as_array() {
            Some(word) => PhrasePart::Word { list: integer(&word[0]) as usize, length: integer(&word[1]) },
            None => PhrasePart::Wildcard,
        });
        let phrase = Phrase::new(parts.collect()).unwrap();
        assert_eq!(phrase.occurs(&lists(&line["lists"])), line["occurs"].as_bool().unwrap(), "{line}");
    }
}

#[test]
fn rank_and_relevance_are_yioops() {
    let weights = Weights::default();
    for line in lines("item") {
        let header = integers(&line["collection"]);
        let collection = Collection {
            generation: header[0],
            documents_per_generation: header[1],
            documents: header[2],
            links: header[3],
            documents_length: header[4],
            links_length: header[5],
        };
        let length = integer(&line["length_word"]) >> 8;
        let document = Document {
            summary_offset: integer(&line["summary_offset"]),
            is_link: length >> 23 == 1,
            length: length & 0x7f_ffff,
            auxiliary: Auxiliary::parse(&bytes(&line["auxiliary"])).unwrap(),
        };
        let scores: Vec<(u32, f64)> =
            line["scores"].as_array().unwrap().iter().map(|pair| (integer(&pair[0]), float(&pair[1]))).collect();
        assert_eq!(document.auxiliary.description_scores, scores, "{line}");
        let ranks: Vec<f64> = line["ranks"].as_array().unwrap().iter().map(float).collect();
        assert_eq!(document.auxiliary.user_ranks, ranks, "{line}");
        assert_eq!(collection.rank(0, &document, &weights, round).value(), float(&line["doc_rank"]), "{line}");
        let relevance =
            collection.relevance(&document, &integers(&line["positions"]), float(&line["postings"]), &weights, round);
        assert_eq!(relevance.unwrap(), float(&line["relevance"]), "{line}");
    }
}

#[test]
fn rounds_as_number_format_does() {
    for line in lines("round") {
        assert_eq!(round(float(&line["value"]), 10), float(&line["rounded"]), "{line}");
    }
    assert!(round(f64::NAN, 10).is_nan());
    assert_eq!(round(-1.25, 1), -1.3);
    assert_eq!(round(1e300, 10), 1e300);
}

#[test]
fn a_header_without_documents_is_corrupt() {
    let collection = Collection {
        generation: 0,
        documents_per_generation: 1,
        documents: 0,
        links: 0,
        documents_length: 0,
        links_length: 0,
    };
    let document = Document { summary_offset: 0, is_link: false, length: 1, auxiliary: Auxiliary::default() };
    assert!(collection.relevance(&document, &[1], 1.0, &Weights::default(), round).is_err());
}

#[test]
fn a_query_scores_a_document() {
    let collection = Collection {
        generation: 0,
        documents_per_generation: 10,
        documents: 10,
        links: 0,
        documents_length: 100,
        links_length: 0,
    };
    let document = Document { summary_offset: 0, is_link: false, length: 10, auxiliary: Auxiliary::default() };
    let matches = [
        Match { positions: &[1, 5], list_bytes: 12, posting_bytes: 4 },
        Match { positions: &[2], list_bytes: 12, posting_bytes: 4 },
    ];
    let weights = Weights::default();
    let score = |words: Vec<usize>, phrases: Vec<Phrase>| {
        let query = Query::new(2, words, phrases).unwrap();
        query.score(&collection, &document, &matches, &weights, round).unwrap()
    };
    let word = |list| PhrasePart::Word { list, length: 1 };
    let both = score(vec![0, 1], Vec::new()).unwrap();
    assert_eq!(both.proximity, 4.0 / 2.0 + 4.0 / 4.0);
    assert_eq!(score(vec![0, 1], vec![Phrase::new(vec![word(0), word(1)]).unwrap()]), Some(both));
    assert_eq!(score(vec![0, 1], vec![Phrase::new(vec![word(1), word(0)]).unwrap()]), None);
    let first = score(vec![0], Vec::new()).unwrap();
    assert_eq!(first.proximity, 1.0);
    assert_eq!(score(vec![0, 0], Vec::new()).unwrap().relevance, 2.0 * first.relevance);
    assert!(Query::new(2, vec![0, 2], Vec::new()).is_err());
    assert!(Query::new(2, vec![1, 0], Vec::new()).is_err());
    assert!(Query::new(2, vec![0, 1], vec![Phrase::new(vec![word(0), word(2)]).unwrap()]).is_err());
    assert!(Query::new(0, Vec::new(), Vec::new()).is_err());
}
