//! Lines `{"id": …, "text": …, "sort_field": …}` from standard input → an index in the folder that is named.

use postings::analysis::{Analyzer, AnalyzerOptions};
use postings::index::{Codecs, Document, Field, Id, Kind, Schema, Value, Writer, WriterOptions};
use std::error::Error;
use std::io::BufRead;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("which folder?")?;
    let reorder = std::env::var("REORDER").is_ok_and(|reorder| reorder == "1");
    let field = |name: &str, kind, stored| Field { stored, ..Field::new(name, kind) };
    let schema = Schema {
        fields: vec![
            field("text", Kind::Text, false),
            field("sort_field", Kind::Numeric, false),
            field("url", Kind::Stored, true),
        ],
        positions: true,
        codecs: Codecs::default(),
        analyzer: Analyzer::new(AnalyzerOptions::default())?,
    };
    let options = WriterOptions { memory: 1 << 30, threads: 4, ..WriterOptions::default() };
    let mut writer = Writer::open(folder.as_ref(), Some(schema), options)?;
    let mut documents = 0;
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let document: serde_json::Value = serde_json::from_str(&line)?;
        let mut values = Vec::new();
        if let Some(text) = document["text"].as_str() {
            values.push((0, Value::Text(text.to_owned().into_bytes().into())));
        }
        if let Some(number) = document["sort_field"].as_f64() {
            values.push((1, Value::Number(number)));
        }
        if let Some(url) = document["id"].as_str() {
            values.push((2, Value::Text(url.to_owned().into_bytes().into())));
        }
        writer.add(Id::Int(documents), Document { values })?;
        documents += 1;
        if documents % 100_000 == 0 {
            println!("{documents}");
        }
    }
    writer.commit()?;
    writer.optimize(reorder)?;
    Ok(())
}
