//! The nearest vectors, and hits of words and vectors together, compared with a look at every document.

use super::*;
use crate::base::error::Error;
use crate::engine::{self, Settings};
use crate::index::{Codecs, Document, Field};
use crate::vector::clusters;
use crate::vector::{Metric, Precision, Query, Shape};
use std::sync::Arc;
use std::time::Duration;

const BODY: usize = 0;
const TAG: usize = 1;
const VECTOR: usize = 2;

/// A document: a word of several frequencies, a tag, and a vector, unless it has none.
#[derive(Debug, Clone)]
struct Doc {
    id: i64,
    vector: Option<Vec<f32>>,
}

impl Doc {
    fn body(&self) -> String {
        let words = ["sail ship", "ship ship ship", "sail", "ocean wind", "ship wind wind"];
        words[self.id as usize % words.len()].repeat(1 + self.id as usize % 3)
    }

    fn has_tag(&self) -> bool {
        self.id % 3 == 1
    }
}

fn schema(shape: Shape) -> Schema {
    let field = |name: &str, kind, vector| Field {
        name: name.into(),
        kind,
        weight: 1.0,
        stored: false,
        analyzer: None,
        vector,
        weights: None,
        clusters: kind == Kind::Vector,
    };
    let fields = vec![
        field("body", Kind::Text, None),
        field("tag", Kind::Keyword, None),
        field("embedding", Kind::Vector, Some(shape)),
    ];
    let analyzer = crate::analysis::Analyzer::new(crate::analysis::AnalyzerOptions::default()).unwrap();
    Schema { fields, positions: true, codecs: Codecs::default(), analyzer }
}

/// An index of these commits, documents with a known id being replaced, and what is in it in the order of insertion.
fn built(
    folder: &Path,
    shape: Shape,
    commits: &[Vec<Doc>],
    gone: &[i64],
    way: (usize, Option<bool>),
) -> (Index, Vec<Doc>) {
    let options = index::WriterOptions { threads: way.0, ..index::WriterOptions::default() };
    let mut writer = Writer::open(folder, Some(schema(shape)), options).unwrap();
    let mut live: Vec<Doc> = Vec::new();
    for commit in commits {
        for doc in commit {
            let mut values = vec![(BODY, Value::Text(doc.body().into()))];
            values.extend(doc.has_tag().then(|| (TAG, Value::Keywords(vec![b"x".to_vec()]))));
            values.extend(doc.vector.clone().map(|vector| (VECTOR, Value::Vector(vector))));
            writer.add(Id::Int(doc.id), Document { values }).unwrap();
            live.retain(|other| other.id != doc.id);
            live.push(doc.clone());
        }
        writer.commit().unwrap();
    }
    for id in gone {
        writer.delete(&Id::Int(*id)).unwrap();
        live.retain(|doc| doc.id != *id);
    }
    writer.commit().unwrap();
    if let Some(reorder) = way.1 {
        writer.optimize(reorder).unwrap();
    }
    (Index::open(folder).unwrap(), live)
}

/// A vector as its field keeps it.
fn kept(shape: Shape, vector: &[f32]) -> Vec<f32> {
    match shape.precision {
        Precision::Bits16 => vector.iter().map(|&x| half::f16::from_f32(x).to_f32()).collect(),
        Precision::Bits32 => vector.to_vec(),
    }
}

fn similarity(metric: Metric, q: &[f32], x: &[f32]) -> f64 {
    let sum = |of: &dyn Fn(f64, f64) -> f64| q.iter().zip(x).map(|(&q, &x)| of(q.into(), x.into())).sum::<f64>();
    match metric {
        Metric::Dot => sum(&|q, x| q * x),
        Metric::Euclidean => 1.0 / (1.0 + sum(&|q, x| (q - x).powi(2))),
        Metric::Cosine => sum(&|q, x| q * x) / sum(&|q, _| q * q).sqrt() / sum(&|_, x| x * x).sqrt(),
    }
}

/// Checks that hits are the best of all expected ones, equal scores aside.
fn same(found: &Found, mut expected: Vec<(i64, f64)>, options: &Options) {
    expected.sort_by(|a, b| b.1.total_cmp(&a.1));
    let page = expected.iter().skip(options.offset).take(options.limit);
    let scores: Vec<f64> = found.hits.iter().map(|hit| hit.score).collect();
    assert_eq!(scores.len(), page.len());
    for (hit, (_, score)) in found.hits.iter().zip(page) {
        assert!((hit.score - score).abs() < 1e-9, "{} {score}", hit.score);
        let own = expected.iter().find(|(id, _)| Id::Int(*id) == hit.id).unwrap();
        assert!((own.1 - score).abs() < 1e-9);
    }
}

fn commits(shape: Shape) -> impl Strategy<Value = Vec<Vec<Doc>>> {
    // Few values, so that some vectors are alike.
    let component = prop_oneof![3 => (-3i8..4).prop_map(|x| f32::from(x) / 2.0), 1 => -1.0f32..1.0];
    let vector = prop::collection::vec(component, usize::from(shape.dimensions));
    let vector = vector.prop_filter("no cosine", move |vector| shape.check(vector).is_ok());
    let doc = (0i64..120, prop::option::weighted(0.9, vector)).prop_map(|(id, vector)| Doc { id, vector });
    prop::collection::vec(prop::collection::vec(doc, 0..60), 1..5)
}

fn cases() -> impl Strategy<Value = (Shape, Vec<Vec<Doc>>, Vec<i64>)> {
    let metric = prop_oneof![Just(Metric::Cosine), Just(Metric::Dot), Just(Metric::Euclidean)];
    let dimensions = prop_oneof![1u16..20, Just(129)];
    let precision = prop::sample::select(&Precision::ALL[..]);
    let shape = (dimensions, metric, precision).prop_map(|(dimensions, metric, precision)| Shape {
        dimensions,
        metric,
        precision,
    });
    shape.prop_flat_map(|shape| (Just(shape), commits(shape), prop::collection::vec(0i64..120, 0..10)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
    #[test]
    fn the_nearest_are_found(
        (shape, commits, gone) in cases(),
        threads in 1usize..3,
        optimize in prop_oneof![Just(None), Just(Some(false)), Just(Some(true))],
        (limit, offset) in (0usize..40, 0usize..5),
        filtered in any::<bool>(),
        matching in prop_oneof![Just(Matching::All), Just(Matching::Any), Just(Matching::AllThenAny)],
        text in prop_oneof![Just(1.0), Just(0.01), Just(0.0)],
    ) {
        let folder = tempfile::tempdir().unwrap();
        let (index, live) = built(folder.path(), shape, &commits, &gone, (threads, optimize));
        let filter = if filtered { Filter::new(Condition::Keywords(TAG, vec![b"x".to_vec()])).unwrap() } else { Filter::default() };
        let options = Options { limit, offset, filter, ..Options::default() };
        let live: Vec<&Doc> = live.iter().filter(|doc| !filtered || doc.has_tag()).collect();
        let vectors: Vec<&[f32]> = commits.iter().flatten().filter_map(|doc| doc.vector.as_deref()).take(5).collect();
        let queries: Vec<Query> = vectors.iter().map(|vector| Query::new(shape, vector).unwrap()).collect();
        let all = index.nearest(VECTOR, &queries, &options, threads).unwrap();
        for ((vector, query), found) in vectors.iter().zip(&queries).zip(&all) {
            let similar = |doc: &&Doc| doc.vector.as_ref().map(|own| similarity(shape.metric, vector, &kept(shape, own)));
            let expected: Vec<(i64, f64)> = live.iter().filter_map(|doc| Some((doc.id, similar(doc)?))).collect();
            same(found, expected.clone(), &options);
            for threads in [1, 3] {
                prop_assert_eq!(&index.nearest(VECTOR, std::slice::from_ref(query), &options, threads).unwrap()[0], found);
            }
            // Equal ones are in the order of insertion.
            let place = |hit: &FoundHit| live.iter().position(|doc| Id::Int(doc.id) == hit.id);
            prop_assert!(found.hits.is_sorted_by(|a, b| a.score > b.score || place(a) < place(b)));

            let everything = Options { limit: 1000, offset: 0, matching, ..options.clone() };
            let nearest = vec![(VECTOR, Arc::new(query.clone()))];
            for typed in ["ship wind", "sail", "nothing", ""] {
                let of_text = if typed.is_empty() { Found::default() } else { index.search(typed, &everything).unwrap() };
                let number = |hit: &FoundHit| match hit.id { Id::Int(id) => id, _ => unreachable!() };
                let mut sums: BTreeMap<i64, f64> = BTreeMap::new();
                of_text.hits.iter().for_each(|hit| *sums.entry(number(hit)).or_default() += text * hit.score);
                expected.iter().for_each(|(id, similar)| *sums.entry(*id).or_default() += 0.5 * similar);
                let fusion = Fusion::Scores { text, fields: vec![(VECTOR, 0.5)] };
                let asked = Asked { text: typed, nearest: &nearest, ..Asked::default() };
                let by_scores = Options { fusion, matching, total: true, ..options.clone() };
                let found = index.search(asked, &by_scores).unwrap();
                same(&found, sums.into_iter().collect(), &options);

                let mut sums: BTreeMap<i64, f64> = BTreeMap::new();
                let all_nearest = index.nearest(VECTOR, std::slice::from_ref(query), &everything, 1).unwrap();
                for list in [&of_text, &all_nearest[0]] {
                    for (hit, rank) in list.hits.iter().zip(1..).take(WINDOW) {
                        *sums.entry(number(hit)).or_default() += 1.0 / (RANK + f64::from(rank));
                    }
                }
                let by_ranks = Options { matching, ..options.clone() };
                let ranked = index.search(asked, &by_ranks).unwrap();
                same(&ranked, sums.into_iter().collect(), &options);

                // In a batch with and without vectors, the same, whoever makes the lists.
                let without = Asked { nearest: &[], ..asked };
                let settings = Settings { threads, ..Settings::default() };
                for (options, found) in [(&by_scores, &found), (&by_ranks, &ranked)] {
                    let batch = [asked, without, asked];
                    let alone = index.search(without, options).unwrap();
                    let expected = vec![found.clone(), alone, found.clone()];
                    prop_assert_eq!(&index.search_batch(&batch, options, threads).unwrap(), &expected);
                    prop_assert_eq!(&engine::search_batch(&index, &batch, options, &settings).unwrap(), &expected);
                    let late = Options { deadline: Some(Duration::ZERO), ..options.clone() };
                    let late = engine::search_batch(&index, &batch, &late, &settings).unwrap();
                    // What asks for nothing may be done before it is late.
                    let fits = |(late, found): (&Found, &Found)| if late.expired { late.hits.is_empty() } else { late == found };
                    prop_assert!(late.iter().zip(&expected).all(fits));
                }
            }
        }
    }
}

/// What is to be found by so many probes, clusters being as they are.
fn among(index: &Index, shape: Shape, query: &Query, probes: usize, tagged: bool) -> Vec<(i64, f64)> {
    let mut expected = Vec::new();
    for part in index.snapshot().parts() {
        let column = part.segment.vectors(VECTOR).unwrap();
        let clusters = part.segment.clusters(VECTOR).unwrap();
        assert_eq!(clusters.is_some(), column.rows() >= clusters::FEWEST);
        let rows: Vec<usize> = match clusters {
            None => (0..column.rows()).collect(),
            Some(clusters) => {
                let closest = clusters::closest(query, clusters.centroids(), probes).unwrap();
                assert_eq!(closest.len(), probes.min(clusters.count()));
                closest.into_iter().flat_map(|cluster| clusters.rows(cluster)).collect()
            }
        };
        for row in rows {
            let doc = column.doc(row).unwrap();
            let Id::Int(id) = part.segment.id(doc).unwrap() else { unreachable!() };
            if part.is_live(doc) && (!tagged || id % 3 == 1) {
                let bytes = column.vector(row).unwrap();
                let vector: Vec<f32> = match shape.precision {
                    Precision::Bits16 => {
                        bytes.as_chunks().0.iter().map(|&x| half::f16::from_le_bytes(x).into()).collect()
                    }
                    Precision::Bits32 => bytes.as_chunks().0.iter().map(|&x| f32::from_le_bytes(x)).collect(),
                };
                expected.push((id, similarity(shape.metric, query.components(), &vector)));
            }
        }
    }
    expected
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
    #[test]
    fn the_nearest_of_some_clusters_are_found(
        (shape, commits, gone) in cases(),
        threads in 1usize..3,
        optimize in prop_oneof![Just(None), Just(Some(false)), Just(Some(true))],
        (limit, offset) in (0usize..40, 0usize..5),
        filtered in any::<bool>(),
        probes in 1usize..20,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let (index, _) = built(folder.path(), shape, &commits, &gone, (threads, optimize));
        let filter = if filtered { Filter::new(Condition::Keywords(TAG, vec![b"x".to_vec()])).unwrap() } else { Filter::default() };
        let exact = Options { limit, offset, filter, ..Options::default() };
        let options = Options { probes: Some(probes), ..exact.clone() };
        let vectors = commits.iter().flatten().filter_map(|doc| doc.vector.as_deref()).take(5);
        let queries: Vec<Query> = vectors.map(|vector| Query::new(shape, vector).unwrap()).collect();
        let all = index.nearest(VECTOR, &queries, &options, threads).unwrap();
        for (query, found) in queries.iter().zip(&all) {
            same(found, among(&index, shape, query, probes, filtered), &options);
            let one = std::slice::from_ref(query);
            prop_assert_eq!(&index.nearest(VECTOR, one, &options, 1).unwrap()[0], found);
            let of_all = Options { probes: Some(usize::MAX), ..exact.clone() };
            prop_assert_eq!(index.nearest(VECTOR, one, &of_all, 1).unwrap(), index.nearest(VECTOR, one, &exact, 1).unwrap());
            // Lists that are fused are those of all vectors.
            let fused = |options: &Options| {
                let nearest = [(VECTOR, Arc::new(query.clone()))];
                index.search(Asked { text: "ship", nearest: &nearest, ..Asked::default() }, options).unwrap()
            };
            prop_assert_eq!(fused(&options), fused(&exact));
        }
    }
}

#[test]
fn clusters_come_and_go_with_the_schema() {
    let shape = Shape { dimensions: 3, metric: Metric::Euclidean, precision: Precision::Bits16 };
    let folder = tempfile::tempdir().unwrap();
    let doc = |id: i64| Doc { id, vector: Some(vec![(id % 7) as f32, (id % 5) as f32, id as f32 / 10.0]) };
    let with = |clusters: bool, commits: &[Vec<Doc>], optimize: bool| {
        let mut schema = schema(shape);
        schema.fields[VECTOR].clusters = clusters;
        let mut writer = Writer::open(folder.path(), Some(schema), index::WriterOptions::default()).unwrap();
        for doc in commits.iter().flatten() {
            let values = vec![(VECTOR, Value::Vector(doc.vector.clone().unwrap()))];
            writer.add(Id::Int(doc.id), Document { values }).unwrap();
        }
        writer.commit().unwrap();
        if optimize {
            writer.optimize(false).unwrap();
        }
        Index::open(folder.path()).unwrap()
    };
    let query = [Query::new(shape, &[1.0, 2.0, 3.0]).unwrap()];
    let some = Options { probes: Some(1), ..Options::default() };
    let have = |index: &Index| -> Vec<bool> {
        index.snapshot().parts().iter().map(|part| part.segment.clusters(VECTOR).unwrap().is_some()).collect()
    };
    let index = with(false, &[(0..60).map(doc).collect()], false);
    assert_eq!(have(&index), [false]);
    assert!(matches!(index.nearest(VECTOR, &query, &some, 1), Err(Error::Argument(_))));
    let exact = index.nearest(VECTOR, &query, &Options::default(), 1).unwrap();
    // Segments that were written before are looked at as a whole.
    let index = with(true, &[], false);
    assert_eq!((have(&index), index.nearest(VECTOR, &query, &some, 1).unwrap()), (vec![false], exact));
    let none = Options { probes: Some(0), ..Options::default() };
    assert!(matches!(index.nearest(VECTOR, &query, &none, 1), Err(Error::Argument(_))));
    let index = with(true, &[(60..100).map(doc).collect()], true);
    assert_eq!(have(&index), [true]);
    same(&index.nearest(VECTOR, &query, &some, 1).unwrap()[0], among(&index, shape, &query[0], 1, false), &some);
    assert!(among(&index, shape, &query[0], 1, false).len() < 50);
    let index = with(false, &[], false);
    assert_eq!(have(&index), [true]);
    assert!(index.nearest(VECTOR, &query, &some, 1).is_err());
    let index = with(false, &[(100..120).map(doc).collect()], true);
    assert_eq!(have(&index), [false]);
}
