//! The best documents with one word, of which segments keep champions: those that begin the list of all.

use super::*;
use crate::analysis::{Analyzer, AnalyzerOptions};
use crate::index::list::{Decoded, champions};
use crate::index::{Document, Field, Value, WriterOptions};

const DOCUMENTS: usize = 3000;

/// Words in one to three of four documents, once to six times, beside up to 30 others. Some documents come again; some are deleted.
fn index_of(folder: &Path, optimize: Option<bool>) -> Index {
    let analyzer = Analyzer::new(AnalyzerOptions::default()).unwrap();
    let fields = vec![Field::new("body", Kind::Text), Field::new("shop", Kind::Keyword)];
    let schema = Schema { fields, analyzer, positions: false, codecs: index::Codecs::default() };
    let mut writer = Writer::open(folder, Some(schema), WriterOptions::default()).unwrap();
    let mut noise = Noise(11);
    for doc in 0..DOCUMENTS {
        let mut words = vec!["rest"; noise.below(30)];
        for (word, of_four) in [("common", 3), ("half", 2), ("some", 1)] {
            if noise.below(4) < of_four {
                words.extend(vec![word; 1 + noise.below(6)]);
            }
        }
        let shop = format!("s{}", noise.below(if doc % 100 == 0 { 2 } else { 40 }));
        let values = vec![(0, Value::Text(words.join(" ").into())), (1, Value::Keywords(vec![shop.into()]))];
        writer.add(Id::Int(noise.below(20 * DOCUMENTS) as i64), Document { values }).unwrap();
        if doc == DOCUMENTS / 3 {
            writer.commit().unwrap();
        }
    }
    writer.commit().unwrap();
    if let Some(reorder) = optimize {
        writer.optimize(reorder).unwrap();
    }
    let of_shop = Options { filter: filter(Condition::Keywords(1, vec![b"s7".to_vec()])), ..Options::default() };
    delete_where(&mut writer, &of_shop).unwrap();
    writer.commit().unwrap();
    Index::open(folder).unwrap()
}

/// The champions of a word, of each segment.
fn champions_of(index: &Index, word: &str) -> Vec<usize> {
    let count = |part: &index::snapshot::SnapshotSegment| {
        let value = part.segment.term(0, word.as_bytes()).unwrap().unwrap();
        let view = part.segment.list(0, value, false, &mut Decoded::default()).unwrap();
        view.map_or(0, |view| champions::all(view.champions).len())
    };
    index.snapshot().parts().iter().map(count).collect()
}

#[test]
fn the_best_begin_the_list_of_all() {
    for optimize in [None, Some(false), Some(true)] {
        let folder = tempfile::tempdir().unwrap();
        let index = index_of(folder.path(), optimize);
        for word in ["common", "half", "some"] {
            assert!(champions_of(&index, word).iter().all(|&count| count >= champions::MOST), "{word}");
            for bm25 in [Bm25::default(), Bm25 { k1: 0.9, b: 0.4 }, Bm25 { k1: 1.2, b: 0.0 }, Bm25 { k1: 0.0, b: 0.75 }]
            {
                for filter in [
                    Filter::default(),
                    filter(Condition::Keywords(1, vec![b"s1".to_vec()])),
                    filter(Condition::Not(Box::new(Condition::Keywords(1, vec![b"s1".to_vec()])))),
                ] {
                    let of = |limit: usize, offset: usize| {
                        let options = Options { limit, offset, bm25, filter: filter.clone(), ..Options::default() };
                        index.search(word, &options).unwrap().hits
                    };
                    let all = of(DOCUMENTS, 0);
                    for (limit, offset) in [(1, 0), (2, 0), (10, 0), (10, 5), (27, 5), (28, 5), (32, 0), (33, 0)] {
                        let best = all.iter().skip(offset).take(limit);
                        assert!(of(limit, offset).iter().eq(best), "{word} {limit} {bm25:?} {filter:?} {optimize:?}");
                    }
                }
            }
        }
    }
}
