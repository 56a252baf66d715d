//! The best documents with a phrase, which are looked for among those that can be hits: the first of all documents that have it.

use super::*;
use crate::analysis::{Analyzer, AnalyzerOptions};
use crate::index::{Document, Field, Value, WriterOptions};
use crate::rank::Clock;
use crate::search::lists;
use crate::search::plan::QueryPlan;

const DOCUMENTS: usize = 6000;

/// Words of which the first are the most frequent.
const VOCABULARY: usize = 40;

fn word(noise: &mut Noise) -> String {
    format!("w{}", noise.below(VOCABULARY) * noise.below(VOCABULARY) / VOCABULARY)
}

/// Documents of 1 to 60 words, in two segments, some of them deleted.
fn index_of(folder: &Path, reorder: Option<bool>) -> Index {
    let field = |name: &str, kind| Field::new(name, kind);
    let fields = vec![field("body", Kind::Text), field("seller", Kind::Keyword), field("price", Kind::Numeric)];
    let analyzer = Analyzer::new(AnalyzerOptions::default()).unwrap();
    let schema = Schema { fields, analyzer, positions: true, codecs: index::Codecs::default() };
    let mut writer = Writer::open(folder, Some(schema), WriterOptions::default()).unwrap();
    let mut noise = Noise(5);
    for doc in 0..DOCUMENTS {
        let length = 1 + noise.below(60) * noise.below(60) / 60;
        let words: Vec<String> = (0..length).map(|_| word(&mut noise)).collect();
        let values = vec![
            (0, Value::Text(words.join(" ").into())),
            (1, Value::Keywords(vec![format!("s{}", doc % 300).into()])),
            (2, Value::Number(doc as f64)),
        ];
        writer.add(Id::Int(doc as i64), Document { values }).unwrap();
        if doc == DOCUMENTS / 3 {
            writer.commit().unwrap();
        }
    }
    writer.commit().unwrap();
    if let Some(reorder) = reorder {
        writer.optimize(reorder).unwrap();
    }
    for doc in (0..DOCUMENTS).step_by(7) {
        writer.delete(&Id::Int(doc as i64)).unwrap();
    }
    writer.commit().unwrap();
    Index::open(folder).unwrap()
}

#[test]
fn the_best_documents_with_a_phrase_are_the_first_of_all() {
    let mut noise = Noise(9);
    let mut queries: Vec<String> = (0..60)
        .map(|at| {
            let words: Vec<String> = (0..2 + at % 3).map(|_| word(&mut noise)).collect();
            format!("\"{}\"", words.join(" "))
        })
        .collect();
    queries.extend(
        ["\"w0 w0\"", "\"w0 w0 w0\"", "\"w1 w0 w1\"", "\"w2 w0\"^3 -w3", "\"w7 w2\" -\"w0 w0\"", "\"w1 none\""]
            .map(Into::into),
    );
    for reorder in [None, Some(false), Some(true)] {
        let folder = tempfile::tempdir().unwrap();
        let index = index_of(folder.path(), reorder);
        let filters = [
            Filter::default(),
            filter(Condition::Keywords(1, vec![b"s33".to_vec()])),
            filter(Condition::Range(2, 1000.0, 5000.0)),
        ];
        let (mut sought, mut left_out) = (0, 0);
        for query in &queries {
            let plan = QueryPlan::new(&index, (&**query).into(), &Options::default(), &Clock::never()).unwrap();
            if let Some(phrase) = plan.only_phrase() {
                let parts = index.snapshot().parts();
                sought += (parts.iter().enumerate())
                    .filter(|(number, part)| lists::unjoined(&part.segment, *number, phrase).unwrap().is_some())
                    .count();
            }
            for filter in &filters {
                for matching in MATCHINGS {
                    // With a total, all documents that have it are found first.
                    let all = Options {
                        filter: filter.clone(),
                        matching,
                        total: true,
                        limit: DOCUMENTS,
                        ..Options::default()
                    };
                    let all_hits = index.search(query, &all).unwrap().hits;
                    for limit in [1, 3, 10, 200] {
                        let options = Options { total: false, limit, ..all.clone() };
                        let best = index.search(query, &options).unwrap().hits;
                        assert_eq!(best, all_hits[..limit.min(all_hits.len())], "{query} {options:?}");
                        left_out += all_hits.len() - best.len();
                        if let Some(last) = best.last().filter(|_| matching != Matching::AllThenAny) {
                            let values = vec![SortValue::Number(last.score)];
                            let after = Some(After { values, doc_id: last.doc_id });
                            let next = index.search(query, &Options { after, ..options }).unwrap().hits;
                            assert_eq!(next, all_hits[best.len()..all_hits.len().min(best.len() + limit)], "{query}");
                        }
                    }
                }
            }
        }
        // That is how they were found.
        assert!(sought > 40 && left_out > 10_000, "{sought} {left_out}");
    }
}

/// Documents are looked for among those of the words; the phrase adds what it adds alone.
#[test]
fn phrases_beside_words_are_found_in_documents_with_both() {
    let folder = tempfile::tempdir().unwrap();
    let index = index_of(folder.path(), None);
    let hits = |text: &str, matching| -> HashMap<u64, f64> {
        let options = Options { matching, limit: DOCUMENTS, ..Options::default() };
        index.search(text, &options).unwrap().hits.into_iter().map(|hit| (hit.doc_id, hit.score)).collect()
    };
    let mut some = 0;
    for phrase in ["\"w0 w1\"", "\"w3 w0 w2\"", "\"w9 w4\"", "\"w1 w1\"", "\"w20 w0\""] {
        let of_phrase = hits(phrase, Matching::All);
        for words in ["w0", "w5", "w30", "w38 w2", "w39", "none"] {
            let of_words = hits(words, Matching::All);
            let both = format!("{phrase} {words}");
            let expected: HashMap<u64, f64> =
                (of_words.iter()).filter_map(|(doc, score)| Some((*doc, score + of_phrase.get(doc)?))).collect();
            some += expected.len();
            assert_eq!(hits(&both, Matching::All), expected, "{both}");
            assert_eq!(index.count(&both, &Options::default()).unwrap(), expected.len() as u64, "{both}");
            let required: Vec<String> = words.split(' ').map(|word| format!("+{word}")).collect();
            let optional = format!("{phrase} {}", required.join(" "));
            let expected: HashMap<u64, f64> = (of_words.iter())
                .map(|(doc, score)| (*doc, score + of_phrase.get(doc).copied().unwrap_or(0.0)))
                .collect();
            assert_eq!(hits(&optional, Matching::Any), expected, "{optional}");
        }
    }
    assert!(some > 1000, "{some}");
}
