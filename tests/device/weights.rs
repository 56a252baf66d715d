//! Compares sums of products of weights on a device with the CPU's, alone and beside words: the same ids, order and scores, to
//! the last bit.

use crate::common::random::Random;
use crate::common::ranked::{Folder, by_device, has_device, settings, turn};
use postings::analysis::{Analyzer, AnalyzerOptions};
use postings::engine;
use postings::index::impacts::Precision;
use postings::index::{Codecs, Document, Field, Id, Kind, Schema, Value, Writer, WriterOptions};
use postings::search::{Asked, Condition, Filter, Index, Matching, Options, WeightedTerms};

const BODY: usize = 0;
const TAG: usize = 1;
/// Of 8 bits, and of 16.
const WEIGHTS: [usize; 2] = [2, 3];

fn schema() -> Schema {
    let field = |name: &str, kind, weights| Field { weights, ..Field::new(name, kind) };
    let fields = vec![
        field("body", Kind::Text, None),
        field("tag", Kind::Keyword, None),
        field("coarse", Kind::Weights, Some(Precision::Bits8)),
        field("fine", Kind::Weights, Some(Precision::Bits16)),
    ];
    let analyzer = Analyzer::new(AnalyzerOptions::default()).unwrap();
    Schema { fields, positions: true, codecs: Codecs::default(), analyzer }
}

fn build(folder: &Folder, documents: i64, commits: i64) -> Index {
    let mut random = Random(5);
    let mut writer = Writer::open(&folder.0, Some(schema()), WriterOptions::default()).unwrap();
    for id in 0..documents {
        let mut values = vec![(BODY, Value::Text(format!("sea w{} w{}", id % 7, id % 50).into()))];
        values.extend((id % 3 == 0).then(|| (TAG, Value::Keywords(vec![b"x".to_vec()]))));
        for field in WEIGHTS {
            let mut weights = Vec::new();
            for term in 0..30 {
                if random.below(1 + term) == 0 {
                    // From the least weight to the greatest.
                    let weight = 240.0 / (1u64 << random.below(17)) as f32 * (1.0 + random.below(1000) as f32) / 1001.0;
                    weights.push((format!("t{term}").into_bytes(), weight));
                }
            }
            values.push((field, Value::Weights(weights)));
        }
        writer.add(Id::Int(id), Document { values }).unwrap();
        if (id + 1) % (documents / commits) == 0 {
            writer.commit().unwrap();
        }
    }
    for id in (0..documents).step_by(11) {
        writer.delete(&Id::Int(id)).unwrap();
    }
    writer.commit().unwrap();
    Index::open(&folder.0).unwrap()
}

fn compare(name: &str, documents: i64, commits: i64) {
    if !has_device() {
        return;
    }
    let folder = Folder::new(name);
    let index = build(&folder, documents, commits);
    let mut random = Random(6);
    let mut queries: Vec<(String, Vec<WeightedTerms>)> = Vec::new();
    for at in 0..40 {
        let text = ["", "", "", "w3", "sea -w2", "w1 w49"][at % 6];
        let fields = [&WEIGHTS[..1], &WEIGHTS[1..], &WEIGHTS][at % 3];
        let of = |&field: &usize| {
            let terms = (0..1 + random.below(30)).map(|_| {
                // Some are in no document.
                let weight = 1000.0 / (1 + random.below(100_000)) as f32;
                (format!("t{}", random.below(33)).into_bytes(), weight)
            });
            WeightedTerms { field, terms: terms.collect() }
        };
        queries.push((text.into(), fields.iter().map(of).collect()));
    }
    let asked: Vec<Asked> = queries.iter().map(|(text, weighted)| Asked { text, weighted, nearest: &[] }).collect();
    let alone: Vec<Asked> = asked.iter().copied().filter(|asked| asked.text.is_empty()).collect();
    for matching in [Matching::All, Matching::Any, Matching::AllThenAny] {
        let usual = Options { matching, ..Options::default() };
        let filter = Filter::new(Condition::Keywords(TAG, vec![b"x".to_vec()])).unwrap();
        for options in [
            Options { total: true, ..usual.clone() },
            Options { limit: 1000, ..usual.clone() },
            Options { offset: 3, limit: 12, filter, total: true, ..usual },
        ] {
            for asked in [&asked, &alone] {
                let expected = index.search_batch(asked, &options, 1).unwrap();
                let _turn = turn();
                // Beside words, kernels do not know what documents need not have.
                let found = match matching == Matching::Any || asked.iter().all(|asked| asked.text.is_empty()) {
                    true => by_device(&index, asked, &options, &settings()),
                    false => engine::search_batch(&index, asked, &options, &settings()).unwrap(),
                };
                for ((found, expected), asked) in found.iter().zip(&expected).zip(asked) {
                    assert_eq!(found, expected, "{asked:?} {options:?}");
                }
            }
        }
    }
}

#[test]
fn one_segment() {
    compare("weights-one", 900, 1);
}

#[test]
fn several_segments() {
    compare("weights-several", 6_000, 3);
}
