//! Sorting by a number, in its order or by looking at all matches: the hits are the same.

use super::*;
use crate::analysis::{Analyzer, AnalyzerOptions};
use crate::index::{Document, Field, Value, WriterOptions};
use std::cell::RefCell;

thread_local! {
    /// Of each walk of this thread, whether it looked at documents, and whether it found all hits.
    pub(in crate::search) static ENDS: RefCell<Vec<(bool, bool)>> = const { RefCell::new(Vec::new()) };
}

const DOCUMENTS: u32 = 20_000;

/// Word i is in one of i + 1 documents. Some have no price; many have the same one.
fn index_in(folder: &Path, reorder: bool) {
    let analyzer = Analyzer::new(AnalyzerOptions::default()).unwrap();
    let field = |name: &str, kind| Field::new(name, kind);
    let fields = vec![
        field("body", Kind::Text),
        field("price", Kind::Numeric),
        field("brand", Kind::Keyword),
        field("year", Kind::Numeric),
    ];
    let schema = Schema { fields, analyzer, positions: true, codecs: index::Codecs::default() };
    let mut writer = Writer::open(folder, Some(schema), WriterOptions::default()).unwrap();
    for doc in 0..DOCUMENTS {
        let noise = doc.wrapping_mul(0x9E37_79B9);
        let words = (0..6).filter(|&word| noise.rotate_left(7 * word).is_multiple_of(word + 1));
        let text = words.map(|word| format!("w{word}")).collect::<Vec<_>>().join(" ");
        let price = f64::from((noise >> 9) % 3000) / 8.0 - 40.0;
        let mut values = vec![
            (0, Value::Text(text.into())),
            (2, Value::Keywords(vec![format!("b{}", noise >> 20 & 7).into()])),
            (3, Value::Number(f64::from(doc / 5))),
        ];
        if doc % 3 > 0 {
            values.push((1, Value::Number(price)));
        }
        writer.add(Id::Int((noise % 1_000_003).into()), Document { values }).unwrap();
        if doc == DOCUMENTS / 3 {
            writer.commit().unwrap();
        }
    }
    writer.commit().unwrap();
    let cheap = Options { filter: filter(Condition::Range(1, 3.0, 3.5)), ..Options::default() };
    delete_where(&mut writer, &cheap).unwrap();
    writer.commit().unwrap();
    if reorder {
        writer.optimize(true).unwrap();
    }
}

#[test]
fn hits_are_those_of_looking_at_all() {
    compare(false);
}

#[test]
fn hits_of_reordered_documents() {
    compare(true);
}

fn compare(reorder: bool) {
    let folder = tempfile::tempdir().unwrap();
    index_in(folder.path(), reorder);
    let warm = Index::open(folder.path()).unwrap();
    let (price, year) = (SortKey::Field(1), SortKey::Field(3));
    let (up, down) = (Direction::Ascending, Direction::Descending);
    let sorts = [
        vec![(price, up)],
        vec![(price, down)],
        vec![(price, up), (SortKey::Id, down)],
        vec![(price, down), (SortKey::Field(2), up), (year, down)],
        vec![(year, down)],
        vec![(year, up), (price, up)],
    ];
    let filters = [
        Filter::default(),
        filter(Condition::Keywords(2, vec![b"b1".to_vec(), b"b2".to_vec()])),
        // What the walk comes to last.
        filter(Condition::Range(1, 300.0, 400.0)),
        filter(Condition::Range(1, -40.0, -30.0)),
        filter(Condition::All(vec![
            Condition::Range(1, 10.0, 300.0),
            Condition::Range(1, -40.0, 50.0),
            Condition::Keywords(2, vec![b"b3".to_vec()]),
        ])),
        filter(Condition::Not(Box::new(Condition::Exists(1)))),
    ];
    ENDS.take();
    for sort in &sorts {
        for filter in &filters {
            for (text, matching) in [
                ("w0 w1 w2", Matching::Any),
                ("w0 w1", Matching::All),
                ("w0 -w1", Matching::All),
                ("+w0 w3", Matching::Any),
                ("", Matching::All),
            ] {
                let options = |limit| Options {
                    limit,
                    matching,
                    filter: filter.clone(),
                    sort: sort.clone(),
                    total: false,
                    ..Options::default()
                };
                for limit in [1, 3, 40] {
                    let found = |index: &Index, options: &Options| index.search(text, options).unwrap();
                    // An order is made in the process that has asked for it some times.
                    let fresh = Index::open(folder.path()).unwrap();
                    let wanted = found(&fresh, &options(limit));
                    assert_eq!(found(&warm, &options(limit)), wanted, "{text} {sort:?} {filter:?} {limit}");
                    // The next page.
                    let Some(last) = wanted.hits.last() else { continue };
                    let after = Some(fresh.after(last.doc_id, last.score, &options(limit)).unwrap());
                    let next = Options { after, ..options(limit) };
                    assert_eq!(found(&warm, &next), found(&fresh, &next), "{text} {sort:?} {filter:?} {limit}");
                }
            }
        }
    }
    let ends = ENDS.take();
    let count = |end: (bool, bool)| ends.iter().filter(|&&other| other == end).count();
    // Some found all hits, some nothing better than an earlier segment had, and some gave up.
    let counts = [(true, true), (false, true), (true, false)].map(count);
    assert!(counts[0] > 100 && (reorder || counts[1] > 10) && counts[2] > 100, "{counts:?}");
}
