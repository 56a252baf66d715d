//! The best documents with a phrase, which are looked for among those that can be hits: the first of all documents that have it.

use super::*;
use crate::analysis::{Analyzer, AnalyzerOptions};
use crate::index::segment::Pair;
use crate::index::{Document, Field, Value, WriterOptions};
use crate::rank::Clock;
use crate::search::phrases::OnePhrase;
use crate::search::plan::QueryPlan;

const DOCUMENTS: usize = 6000;

/// Words of which the first are the most frequent.
const VOCABULARY: usize = 40;

fn word(noise: &mut Noise) -> String {
    format!("w{}", noise.below(VOCABULARY) * noise.below(VOCABULARY) / VOCABULARY)
}

/// Documents of 1 to 60 words.
fn texts() -> Vec<Vec<String>> {
    let mut noise = Noise(5);
    let text = |_| {
        let length = 1 + noise.below(60) * noise.below(60) / 60;
        (0..length).map(|_| word(&mut noise)).collect()
    };
    (0..DOCUMENTS).map(text).collect()
}

/// The documents of [`texts`], in two segments, some of them deleted; with titles, if they are to have any: the same texts from the end, so
/// that a phrase in the one has the scores of one in the other.
fn index_of(folder: &Path, reorder: Option<bool>, titles: bool) -> Index {
    let field = |name: &str, kind| Field::new(name, kind);
    let mut fields = vec![field("body", Kind::Text), field("seller", Kind::Keyword), field("price", Kind::Numeric)];
    if titles {
        fields.push(field("title", Kind::Text));
    }
    let analyzer = Analyzer::new(AnalyzerOptions::default()).unwrap();
    let schema = Schema { fields, analyzer, positions: true, codecs: index::Codecs::default() };
    let mut writer = Writer::open(folder, Some(schema), WriterOptions::default()).unwrap();
    let texts = texts();
    for (doc, (words, title)) in texts.iter().zip(texts.iter().rev()).enumerate() {
        let mut values = vec![
            (0, Value::Text(words.join(" ").into())),
            (1, Value::Keywords(vec![format!("s{}", doc % 300).into()])),
            (2, Value::Number(doc as f64)),
        ];
        if titles {
            values.push((3, Value::Text(title.join(" ").into())));
        }
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
    let orders = [None, Some(false), Some(true)];
    for (reorder, titles) in orders.into_iter().flat_map(|reorder| [(reorder, false), (reorder, true)]) {
        let folder = tempfile::tempdir().unwrap();
        let index = index_of(folder.path(), reorder, titles);
        let filters = [
            Filter::default(),
            filter(Condition::Keywords(1, vec![b"s33".to_vec()])),
            filter(Condition::Range(2, 1000.0, 5000.0)),
        ];
        let (mut sought, mut left_out) = (0, 0);
        for query in &queries {
            let plan = QueryPlan::new(&index, (&**query).into(), &Options::default(), &Clock::never()).unwrap();
            sought += (index.snapshot().parts().iter().enumerate())
                .filter(|(number, part)| OnePhrase::new(&plan, part, *number, &Clock::never()).unwrap().is_some())
                .count();
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
                    assert_eq!(index.count(query, &all).unwrap(), all_hits.len() as u64, "{query} {all:?}");
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
    let index = index_of(folder.path(), None, false);
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

/// In the texts themselves; segments know all, some or none of the pairs of these phrases.
#[test]
fn phrases_are_where_their_words_follow_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let index = index_of(folder.path(), None, false);
    let texts = texts();
    let mut noise = Noise(11);
    let (mut by_known, mut found) = ([0; 3], 0);
    for at in 0..300 {
        // Some words of a text, so that it is found, and some of any.
        let text = &texts[noise.below(texts.len())];
        let count = (2 + at % 4).min(text.len());
        let begin = noise.below(text.len() - count + 1);
        let mut phrase = text[begin..][..count].to_vec();
        if at % 5 == 0 {
            phrase[count / 2] = word(&mut noise);
        }
        for part in index.snapshot().parts() {
            let values: Vec<_> = phrase.iter().map(|word| part.segment.term(0, word.as_bytes()).unwrap()).collect();
            let pair = |two: &[Option<u64>]| part.segment.pair(0, two[0]?, two[1]?).ok();
            let known = values.windows(2).filter(|two| pair(two).is_some_and(|pair| pair != Pair::Unknown)).count();
            by_known[if known == 0 { 0 } else { 1 + usize::from(known + 1 == count) }] += 1;
        }
        let frequency = |text: &Vec<String>| text.windows(count).filter(|words| *words == phrase).count();
        let frequencies: Vec<usize> = texts.iter().map(frequency).collect();
        let mut expected: Vec<usize> = (0..DOCUMENTS).filter(|doc| doc % 7 != 0 && frequencies[*doc] > 0).collect();
        found += expected.len();
        let query = format!("\"{}\"", phrase.join(" "));
        assert_eq!(index.count(&query, &Options::default()).unwrap(), expected.len() as u64, "{query}");
        let some = Options { filter: filter(Condition::Range(2, 1000.0, 5000.0)), ..Options::default() };
        let in_range = expected.iter().filter(|doc| (1000..=5000).contains(*doc)).count();
        assert_eq!(index.count(&query, &some).unwrap(), in_range as u64, "{query}");
        for total in [false, true] {
            let all = Options { limit: DOCUMENTS, total, ..Options::default() };
            let hits = index.search(&query, &all).unwrap().hits;
            let mut ids: Vec<usize> = hits.iter().map(|hit| hit.doc_id as usize).collect();
            // Where lengths are equal, the more often the better.
            for two in hits.windows(2) {
                let [first, second] = [0, 1].map(|at| two[at].doc_id as usize);
                let lengths = [first, second].map(|doc| texts[doc].len());
                assert!(lengths[0] != lengths[1] || frequencies[first] >= frequencies[second], "{query}");
            }
            ids.sort_unstable();
            expected.sort_unstable();
            assert_eq!(ids, expected, "{query}");
        }
    }
    assert!(by_known.iter().all(|&phrases| phrases > 50) && found > 3000, "{by_known:?} {found}");
}
