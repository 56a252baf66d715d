//! A collection of documents without meaning, and queries for it.

use crate::random::Random;
use postings::analysis::{self, Analyzer};
use postings::index::{Document, Field, Id, Kind, Schema, Value, Writer};
use postings::search::Index;
use std::path::Path;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// The number of a word, the n-th most frequent of a million with a probability in proportion to 1 / n, from `first` on.
fn word(random: &mut Random, first: f64) -> u64 {
    random.zipf(first, 1e6) as u64
}

/// Documents of 55 words each, drawn from a million by Zipf's law, in an index with one text field and as many segments.
pub fn generate(folder: &Path, documents: u64, segments: u64) -> Result<Index> {
    let body = Field::new("body", Kind::Text);
    let analyzer = Analyzer::new(analysis::AnalyzerOptions::default())?;
    let schema = Schema { fields: vec![body], positions: false, analyzer, codecs: Default::default() };
    let threads = std::thread::available_parallelism()?.get();
    let memory = threads * (192 << 20);
    // Each thread writes segments of its own.
    let threads = if segments == 1 { threads } else { 1 };
    let options = postings::index::WriterOptions { memory, threads, ..Default::default() };
    let mut writer = Writer::open(folder, Some(schema), options)?;
    let mut random = Random(7);
    for id in 0..documents {
        let mut text = Vec::with_capacity(512);
        for _ in 0..55 {
            let mut word = word(&mut random, 1.0);
            text.push(b'w');
            while word > 0 {
                text.push(b'a' + (word % 26) as u8);
                word /= 26;
            }
            text.push(b' ');
        }
        writer.add(Id::Int(id as i64), Document { values: vec![(0, Value::Text(text))] })?;
        // As few segments as that are not merged.
        if (id + 1) % documents.div_ceil(segments) == 0 {
            writer.commit()?;
        }
    }
    writer.commit()?;
    if segments == 1 {
        writer.optimize(false)?;
    }
    Ok(Index::open(folder)?)
}

/// Queries of 2 to 4 words of such a collection, without its five most frequent ones.
pub fn zipf_queries(count: usize) -> Vec<String> {
    let mut random = Random(99);
    let mut next = || {
        let mut word = word(&mut random, 6.0);
        let mut text = String::from("w");
        while word > 0 {
            text.push((b'a' + (word % 26) as u8) as char);
            word /= 26;
        }
        text
    };
    (0..count).map(|at| (0..2 + at % 3).map(|_| next()).collect::<Vec<_>>().join(" ")).collect()
}
