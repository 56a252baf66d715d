//! What words that are not spelled as in the index stand for is kept once it comes again, and stays the same.

use super::rare::index_of;
use super::*;
use std::sync::Arc;

#[test]
fn words_that_come_again_stand_for_the_same() {
    let folder = tempfile::tempdir().unwrap();
    // Two segments.
    let index = index_of(folder.path());
    for limit in [usize::MAX, 3] {
        for (query, typos, prefix) in [
            ("w1~1", Typos::None, false),
            ("w11~2 w0", Typos::None, false),
            ("w55555 w4", Typos::UpTo(2), true),
            ("w10", Typos::UpTo(1), false),
            ("none~1", Typos::None, false),
        ] {
            let options = Options {
                typos,
                prefix,
                expansions: limit,
                matching: Matching::Any,
                total: true,
                ..Options::default()
            };
            let found = || {
                let found = index.search(query, &options).unwrap();
                let hits = found.hits.into_iter().map(|hit| (hit.id, hit.score)).collect::<Vec<_>>();
                (hits, found.total, index.explain(query, &Id::Int(1), &options).unwrap())
            };
            let first = found();
            (0..4).for_each(|_| assert_eq!(found(), first, "{query}"));
        }
    }
    let kept = |atom: &str| {
        let key = [atom.as_bytes(), &[0]].concat();
        index.snapshot().parts().iter().map(|part| part.segment.accepted(0, &key)).collect::<Option<Vec<Arc<[_]>>>>()
    };
    let options = Options::default();
    (0..2).for_each(|_| drop(index.search("w1~1", &options).unwrap()));
    let of_segments = kept(r#"Fuzzy { word: "w1", distance: 1 }"#).unwrap();
    // w1, w0 and w2 to w9, w10 and w11.
    of_segments.iter().for_each(|accepted| assert_eq!(accepted.len(), 12));
    assert!(kept(r#"Fuzzy { word: "w3", distance: 1 }"#).is_none());
}
