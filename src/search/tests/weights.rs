//! Terms with weights, alone and beside words, compared with a look at every document.

use super::*;
use crate::index::impacts::Precision;
use crate::index::{Codecs, Document, Field, Schema};
use crate::vector::{self, Metric, Query, Shape};
use std::sync::Arc;

const BODY: usize = 0;
const TAG: usize = 1;
const WEIGHTS: usize = 2;
const VECTOR: usize = 3;

/// A document: words by its id, a tag, and weights by the seed of its collection.
#[derive(Debug, Clone)]
struct Doc {
    id: i64,
    weights: Vec<(Vec<u8>, f32)>,
}

fn term(number: usize) -> Vec<u8> {
    format!("##{number}").into_bytes()
}

impl Doc {
    fn new(id: i64, noise: &mut Noise) -> Doc {
        let mut weights = Vec::new();
        for number in 0..24 {
            // The first ones are in most documents.
            if noise.below(number + 1) == 0 {
                let weight = noise.below(1000) as f32 / 250.0;
                weights.push((term(number), if noise.below(50) == 0 { 50.0 * weight } else { weight }));
            }
        }
        Doc { id, weights }
    }

    fn body(&self) -> String {
        let words = ["sail ship", "ship ship ship", "sail", "ocean wind", "ship wind wind"];
        words[self.id as usize % words.len()].repeat(1 + self.id as usize % 3)
    }

    fn has_tag(&self) -> bool {
        self.id % 3 == 1
    }

    /// What the terms of a query add to its score, and whether it has one.
    fn score(&self, precision: Precision, query: &[(Vec<u8>, f32)]) -> Option<f64> {
        let stored = |term: &[u8]| {
            let own = self.weights.iter().find(|(own, weight)| own == term && *weight > 0.0)?;
            Some(precision.weight(precision.code(own.1)?))
        };
        let products = query.iter().filter(|(_, weight)| *weight > 0.0);
        let products = products.filter_map(|(term, weight)| Some(f64::from(*weight) * f64::from(stored(term)?)));
        let products: Vec<f64> = products.collect();
        (!products.is_empty()).then(|| products.iter().sum())
    }
}

fn schema(precision: Precision) -> Schema {
    let field = |name: &str, kind| Field {
        vector: (kind == Kind::Vector).then_some(SHAPE),
        weights: (kind == Kind::Weights).then_some(precision),
        ..Field::new(name, kind)
    };
    let fields = vec![
        field("body", Kind::Text),
        field("tag", Kind::Keyword),
        field("expansion", Kind::Weights),
        field("embedding", Kind::Vector),
    ];
    let analyzer = crate::analysis::Analyzer::new(crate::analysis::AnalyzerOptions::default()).unwrap();
    Schema { fields, positions: true, codecs: Codecs::default(), analyzer }
}

const SHAPE: Shape = Shape { dimensions: 2, metric: Metric::Dot, precision: vector::Precision::Bits32 };

/// An index of some commits, and what is in it in the order of insertion.
fn built(
    folder: &Path,
    precision: Precision,
    noise: &mut Noise,
    threads: usize,
    optimize: Option<bool>,
) -> (Index, Vec<Doc>) {
    let options = index::WriterOptions { threads, ..index::WriterOptions::default() };
    let mut writer = Writer::open(folder, Some(schema(precision)), options).unwrap();
    let mut live: Vec<Doc> = Vec::new();
    for _ in 0..1 + noise.below(3) {
        for _ in 0..noise.below(600) {
            let doc = Doc::new(noise.below(1500) as i64, noise);
            let mut values = vec![(BODY, Value::Text(doc.body().into()))];
            values.extend(doc.has_tag().then(|| (TAG, Value::Keywords(vec![b"x".to_vec()]))));
            values.push((WEIGHTS, Value::Weights(doc.weights.clone())));
            values.push((VECTOR, Value::Vector(vec![1.0, doc.id as f32])));
            writer.add(Id::Int(doc.id), Document { values }).unwrap();
            live.retain(|other| other.id != doc.id);
            live.push(doc);
        }
        writer.commit().unwrap();
    }
    for _ in 0..noise.below(100) {
        let id = noise.below(1500) as i64;
        writer.delete(&Id::Int(id)).unwrap();
        live.retain(|doc| doc.id != id);
    }
    writer.commit().unwrap();
    if let Some(reorder) = optimize {
        writer.optimize(reorder).unwrap();
    }
    (Index::open(folder).unwrap(), live)
}

fn number(hit: &FoundHit) -> i64 {
    match hit.id {
        Id::Int(id) => id,
        Id::Bytes(_) => unreachable!("ids are integers"),
    }
}

/// Checks hits against the scores of all documents that match, in the order of insertion.
fn same(found: &Found, expected: &[(i64, f64)], options: &Options) {
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-5 * b.abs();
    let mut best: Vec<f64> = expected.iter().map(|of| of.1).collect();
    best.sort_by(|a, b| b.total_cmp(a));
    let page: Vec<f64> = best.into_iter().skip(options.offset).take(options.limit).collect();
    assert_eq!(found.hits.len(), page.len());
    let place = |hit: &FoundHit| expected.iter().position(|of| of.0 == number(hit)).unwrap();
    for (hit, score) in found.hits.iter().zip(page) {
        assert!(close(hit.score, score) && close(expected[place(hit)].1, score), "{} {score}", hit.score);
    }
    assert!(found.hits.is_sorted_by(|a, b| a.score > b.score || (a.score == b.score && place(a) < place(b))));
    assert_eq!(found.total, options.total.then_some(expected.len() as u64));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]
    #[test]
    fn sums_of_products_are_found(
        seed in any::<u64>(),
        precision in prop_oneof![Just(Precision::Bits8), Just(Precision::Bits16), Just(Precision::Bits32)],
        threads in 1usize..3,
        optimize in prop_oneof![Just(None), Just(Some(false)), Just(Some(true))],
        (limit, offset) in (0usize..200, 0usize..5),
        (filtered, total) in any::<(bool, bool)>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let noise = &mut Noise(seed);
        let (index, live) = built(folder.path(), precision, noise, threads, optimize);
        let filter = if filtered { Filter::new(Condition::Keywords(TAG, vec![b"x".to_vec()])).unwrap() } else { Filter::default() };
        let options = Options { limit, offset, filter, total, ..Options::default() };
        let live: Vec<&Doc> = live.iter().filter(|doc| !filtered || doc.has_tag()).collect();
        for count in [1, 2, 3, 8, 24] {
            // Some terms are in no document.
            let query: Vec<(Vec<u8>, f32)> = (0..count).map(|_| (term(noise.below(27)), noise.below(100) as f32 / 16.0)).collect();
            let weighted = [WeightedTerms { field: WEIGHTS, terms: query.clone() }];
            let of_weights = |doc: &Doc| doc.score(precision, &query);
            let alone = Asked { weighted: &weighted, ..Asked::default() };
            for matching in [Matching::All, Matching::Any, Matching::AllThenAny] {
                let options = Options { matching, ..options.clone() };
                let expected: Vec<(i64, f64)> = live.iter().filter_map(|doc| Some((doc.id, of_weights(doc)?))).collect();
                let found = index.search(alone, &options).unwrap();
                same(&found, &expected, &options);
                if precision != Precision::Bits32 {
                    let score = |hit: &FoundHit| expected.iter().find(|of| of.0 == number(hit)).unwrap().1;
                    prop_assert!(found.hits.iter().all(|hit| hit.score == score(hit)));
                }
                prop_assert_eq!(index.count(alone, &options).unwrap(), expected.len() as u64);
                prop_assert_eq!(&index.search_batch(&[alone, alone], &options, threads).unwrap(), &vec![found.clone(), found.clone()]);
                prop_assert_eq!(&crate::engine::search(&index, alone, &options, &crate::engine::Settings::default()).unwrap(), &found);

                for typed in ["ship wind", "+sail ocean", "sail", "nothing"] {
                    let everything = Options { limit: 5000, offset: 0, matching: if matching == Matching::All { Matching::All } else { Matching::Any }, total: false, ..options.clone() };
                    let mut of_words: BTreeMap<i64, f64> = BTreeMap::new();
                    for hit in index.search(typed, &everything).unwrap().hits {
                        of_words.insert(number(&hit), hit.score);
                    }
                    let must = matching == Matching::All || typed.contains('+');
                    let score = |doc: &&&Doc| match (of_words.get(&doc.id), of_weights(doc)) {
                        (None, _) if must => None,
                        (None, None) => None,
                        (words, weights) => Some(words.copied().unwrap_or(0.0) + weights.unwrap_or(0.0)),
                    };
                    let expected: Vec<(i64, f64)> = live.iter().filter_map(|doc| Some((doc.id, score(&doc)?))).collect();
                    let asked = Asked { text: typed, weighted: &weighted, nearest: &[] };
                    // With all words first, the order is another one.
                    if matching != Matching::AllThenAny {
                        same(&index.search(asked, &options).unwrap(), &expected, &options);
                        prop_assert_eq!(index.count(asked, &options).unwrap(), expected.len() as u64);
                    }
                    // Both and vectors: by scores.
                    if matching == Matching::Any {
                        let vector = Query::new(SHAPE, &[0.5, 0.001]).unwrap();
                        let mut sums: BTreeMap<i64, f64> = expected.iter().copied().collect();
                        live.iter().for_each(|doc| *sums.entry(doc.id).or_default() += 0.5 + 0.001f32 as f64 * doc.id as f64);
                        let options = Options {
                            fusion: Fusion::Scores { text: 1.0, fields: vec![(VECTOR, 1.0)] },
                            total: false,
                            ..options.clone()
                        };
                        let expected: Vec<(i64, f64)> = live.iter().map(|doc| (doc.id, sums[&doc.id])).collect();
                        let asked = Asked { nearest: &[(VECTOR, Arc::new(vector))], ..asked };
                        same(&index.search(asked, &options).unwrap(), &expected, &options);
                    }
                }
            }
            if let Some(doc) = live.first() {
                let explained = index.explain(alone, &Id::Int(doc.id), &options).unwrap().unwrap();
                prop_assert_eq!(explained.matches, of_weights(doc).is_some());
                prop_assert!((explained.score - of_weights(doc).unwrap_or(0.0)).abs() <= 1e-5 * explained.score);
                let products: f64 = explained.parts.iter().map(|part| part.score).sum();
                prop_assert_eq!(products, explained.score);
            }
        }
        let exists = Options { filter: Filter::new(Condition::Exists(WEIGHTS)).unwrap(), ..Options::default() };
        let with_weights = live.iter().filter(|doc| doc.weights.iter().any(|(_, weight)| *weight > 0.0)).count();
        if !filtered {
            prop_assert_eq!(index.count("", &exists).unwrap(), with_weights as u64);
        }
    }
}

/// What is no weight is refused, in documents and in queries, and says where.
#[test]
fn what_is_no_weight_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer =
        Writer::open(folder.path(), Some(schema(Precision::Bits8)), index::WriterOptions::default()).unwrap();
    let mut add = |weights: Vec<(&str, f32)>| {
        let weights = weights.into_iter().map(|(term, weight)| (term.as_bytes().to_vec(), weight)).collect();
        writer
            .add(Id::Int(1), Document { values: vec![(WEIGHTS, Value::Weights(weights))] })
            .map_err(|error| error.to_string())
    };
    let long = "x".repeat(1001);
    for (weights, what) in [
        (vec![("sea", -0.5)], "the weight of \"sea\" must be a number from 0 to 248, -0.5 given"),
        (vec![("sea", f32::NAN)], "the weight of \"sea\" must be a number from 0 to 248, NaN given"),
        (vec![("sea", f32::INFINITY)], "the weight of \"sea\" must be a number from 0 to 248, inf given"),
        (vec![("sea", 300.0)], "the weight of \"sea\" must be a number from 0 to 248, 300 given"),
        (vec![("sea", 1.0), ("sea", 2.0)], "the term \"sea\" is given twice"),
        (vec![("", 1.0)], "a term of 0 bytes; terms have 1 to 1000"),
        (vec![(&long, 1.0)], "a term of 1001 bytes; terms have 1 to 1000"),
    ] {
        let error = add(weights).unwrap_err();
        assert!(error.contains(&format!("field expansion: {what}")), "{error}");
    }
    let many: Vec<String> = (0..100_000).map(|number| number.to_string()).collect();
    add(many.iter().map(|term| (&**term, 1.0)).collect()).unwrap();
    writer.commit().unwrap();
    let index = Index::open(folder.path()).unwrap();
    let ask = |field, terms: Vec<(&str, f32)>| {
        let terms = terms.into_iter().map(|(term, weight)| (term.as_bytes().to_vec(), weight)).collect();
        let weighted = [WeightedTerms { field, terms }];
        let found = index.search(Asked { weighted: &weighted, ..Asked::default() }, &Options::default());
        found.map(|found| found.hits.len()).map_err(|error| error.to_string())
    };
    assert_eq!(ask(WEIGHTS, vec![("99999", 0.1), ("nowhere", 1.0)]), Ok(1));
    assert_eq!(ask(WEIGHTS, vec![("nowhere", 1.0)]), Ok(0));
    assert_eq!(ask(WEIGHTS, vec![("7", 0.0)]), Ok(0));
    assert_eq!(ask(WEIGHTS, vec![]), Ok(0));
    for (field, weight, what) in [
        (WEIGHTS, -1.0, "the weight of \"7\" must be a number from 0 to 1000000000, -1 given"),
        (WEIGHTS, f32::NAN, "the weight of \"7\" must be a number from 0 to 1000000000, NaN given"),
        (WEIGHTS, 1.1e9, "the weight of \"7\" must be a number from 0 to 1000000000, 1100000000 given"),
        (BODY, 1.0, "field 0 has no weights"),
        (99, 1.0, "field 99 has no weights"),
    ] {
        assert!(ask(field, vec![("7", weight)]).unwrap_err().contains(what), "{what}");
    }
    assert!(ask(WEIGHTS, vec![("7", 1.0); Asked::MOST_TERMS + 1]).unwrap_err().contains("at most 16384 terms"));
}
