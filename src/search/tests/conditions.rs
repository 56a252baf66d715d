//! Conditions: generated ones, and those that are too many.

use super::*;

pub(super) fn condition() -> impl Strategy<Value = Condition> {
    let tags = prop::collection::vec(prop::sample::select(vec!["red", "blue", "", "none"]), 0..3);
    let number = || prop::sample::select(vec![-1.5, -0.0, 0.5, 2.0, 7.25, f64::INFINITY, f64::NEG_INFINITY]);
    let leaf = prop_oneof![
        4 => tags.prop_map(|tags| Condition::Keywords(TAG, tags.into_iter().map(Into::into).collect())),
        4 => (number(), number()).prop_map(|(low, high)| Condition::Range(PRICE, low, high)),
        2 => prop::collection::vec(number(), 0..4).prop_map(|numbers| Condition::Numbers(PRICE, numbers)),
        2 => prop::sample::select(vec![TAG, PRICE, TITLE, BODY, NOTE]).prop_map(Condition::Exists),
        2 => prop::collection::vec(0..40i64, 0..20)
            .prop_map(|ids| Condition::Ids(ids.into_iter().map(Id::Int).chain([Id::Bytes((*b"7").into())]).collect())),
    ];
    leaf.prop_recursive(3, 12, 4, |of| {
        prop_oneof![
            prop::collection::vec(of.clone(), 0..4).prop_map(Condition::All),
            prop::collection::vec(of.clone(), 0..4).prop_map(Condition::Any),
            of.prop_map(|of| Condition::Not(Box::new(of))),
        ]
    })
}

/// An index of some thousand documents, in which conditions are rare and dense.
fn large(folder: &Path) -> (Index, Definition) {
    let mut noise = Noise(21);
    let commits: Vec<Vec<Change>> = [4000, 900, 100]
        .into_iter()
        .map(|number| {
            let change = |noise: &mut Noise| {
                let id = noise.below(6000) as i64;
                let mut doc = noisy_doc(id, noise);
                doc.tags.retain(|_| noise.below(3) > 0);
                if noise.below(60) == 0 {
                    doc.tags.push("rare".into());
                }
                if noise.below(9) == 0 { Change::Delete(id) } else { Change::Add(doc) }
            };
            (0..number).map(|_| change(&mut noise)).collect()
        })
        .collect();
    let index = build(folder, &commits, PLAIN);
    let definition = define(&index, &commits);
    (index, definition)
}

#[test]
fn rare_and_dense_conditions() {
    let folder = tempfile::tempdir().unwrap();
    let (index, definition) = large(folder.path());
    let mut runner = TestRunner::deterministic();
    let rare = Condition::Keywords(TAG, vec![b"rare".to_vec()]);
    for _ in 0..200 {
        let other = condition().new_tree(&mut runner).unwrap().current();
        let (two, few) = (vec![rare.clone(), other.clone()], Condition::Ids((0..50).map(Id::Int).collect()));
        for condition in
            [other.clone(), Condition::All(two.clone()), Condition::Any(two), Condition::All(vec![few, other])]
        {
            // What comes again is kept.
            for _ in 0..3 {
                let options =
                    Options { filter: filter(condition.clone()), limit: 7, total: true, ..Options::default() };
                let found = index.search("", &options).unwrap();
                let wanted = definition.find(&[], true, &options);
                assert_eq!(found.total, Some(wanted.len() as u64), "{options:?}");
                let ids: Vec<Id> =
                    index.matching(&options).unwrap().into_iter().map(|at| index.id(at).unwrap().unwrap()).collect();
                let wanted: Vec<Id> = wanted.iter().map(|&(doc, _)| Id::Int(definition.docs[doc].id)).collect();
                assert_eq!(ids, wanted, "{options:?}");
                assert!(found.hits.iter().map(|hit| &hit.id).eq(wanted.iter().take(7)));
            }
        }
    }
}

#[test]
fn doc_ids_are_those_of_the_snapshot() {
    let folder = tempfile::tempdir().unwrap();
    let (index, _) = large(folder.path());
    let last = index.snapshot().documents() as u32;
    let some: Vec<u32> = (0..last).filter(|doc_id| doc_id % 7 < 2).collect();
    let few = [3, 700, last - 1, last, last + 5, u32::MAX];
    for (given, codec) in [(&few[..], Codec::Raw), (&some, Codec::QuasiSuccinct), (&[], Codec::default())] {
        let list = PostingList::encode(given, codec).unwrap();
        let condition = Condition::DocIds(DocIds(list));
        let is_live = |doc_id: &u64| index.id(*doc_id).unwrap().is_some();
        let live = |given: &[u32]| given.iter().map(|&at| u64::from(at)).filter(is_live).collect::<Vec<_>>();
        let of = |condition: Condition| {
            index.matching(&Options { filter: filter(condition), ..Options::default() }).unwrap()
        };
        assert_eq!(of(condition.clone()), live(given));
        let others: Vec<u32> = (0..last).filter(|doc_id| !given.contains(doc_id)).collect();
        assert_eq!(of(Condition::Not(Box::new(condition))), live(&others));
    }
}

#[test]
fn many_ids_and_values() {
    let folder = tempfile::tempdir().unwrap();
    let (index, definition) = large(folder.path());
    let ids: Vec<Id> = (0..1_000_000).rev().map(|id| Id::Int(2 * id)).collect();
    let tags: Vec<Vec<u8>> = (0..100_000).map(|tag| format!("tag {tag}").into()).chain([b"red".to_vec()]).collect();
    let numbers: Vec<f64> = (0..100_000).map(|number| f64::from(number) / 2.0).collect();
    for condition in [Condition::Ids(ids), Condition::Keywords(TAG, tags), Condition::Numbers(PRICE, numbers)] {
        let options = Options { filter: filter(condition), ..Options::default() };
        let first = match options.filter.condition() {
            // The definition would look through all of them.
            Some(Condition::Ids(_)) => {
                definition.docs.iter().zip(&definition.live).filter(|(doc, live)| **live && doc.id % 2 == 0).count()
            }
            Some(Condition::Keywords(..)) => definition
                .docs
                .iter()
                .zip(&definition.live)
                .filter(|(doc, live)| **live && doc.tags.contains(&"red".into()))
                .count(),
            _ => definition
                .docs
                .iter()
                .zip(&definition.live)
                .filter(|(doc, live)| {
                    **live && doc.prices.iter().any(|price| *price >= 0.0 && (2.0 * price).fract() == 0.0)
                })
                .count(),
        };
        assert_eq!(index.count("", &options).unwrap(), first as u64);
    }
}

#[test]
fn too_many_conditions_are_refused() {
    let refused = |condition| match Filter::new(condition) {
        Err(Error::Argument(what)) => what,
        other => panic!("{other:?}"),
    };
    let nested = |depth| (1..depth).fold(Condition::Exists(TAG), |of, _| Condition::Not(Box::new(of)));
    assert!(Filter::new(nested(MOST_DEPTH)).is_ok());
    assert!(refused(nested(MOST_DEPTH + 1)).contains("deeper than 64"));
    let many = |count| Condition::Any(vec![Condition::Exists(TAG); count]);
    assert!(Filter::new(many(MOST_CONDITIONS - 1)).is_ok());
    assert!(refused(many(MOST_CONDITIONS)).contains("more than 10000"));
    for condition in [Condition::Range(PRICE, f64::NAN, 1.0), Condition::Numbers(PRICE, vec![1.0, f64::NAN])] {
        assert!(refused(Condition::All(vec![condition])).contains("not a number"));
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let index = build(folder.path(), &[vec![Change::Add(Doc { id: 1, ..Doc::default() })]], PLAIN);
    let conditions = [
        Condition::Keywords(PRICE, Vec::new()),
        Condition::Range(TAG, 0.0, 1.0),
        Condition::Numbers(BODY, Vec::new()),
        Condition::Exists(99),
    ];
    for condition in conditions {
        let options = Options { filter: filter(Condition::Not(Box::new(condition))), ..Options::default() };
        assert!(matches!(index.search("a", &options), Err(Error::Argument(_))), "{options:?}");
        assert!(matches!(index.matching(&options), Err(Error::Argument(_))), "{options:?}");
    }
    let values = |values: Vec<SortValue>, doc_id| Some(After { values, doc_id });
    let one = Options { sort: vec![(SortKey::Field(PRICE), Direction::Ascending)], ..Options::default() };
    for options in [
        Options { sort: vec![(SortKey::Field(BODY), Direction::Ascending)], ..Options::default() },
        Options { facets: Some(vec![(BODY, 3)]), ..Options::default() },
        Options { distinct: Some(BODY), ..Options::default() },
        Options { after: values(vec![SortValue::Number(1.0)], 99), ..Options::default() },
        Options { after: values(vec![], 0), ..Options::default() },
        Options { after: values(vec![SortValue::Number(f64::NAN)], 0), ..Options::default() },
        Options { after: values(vec![SortValue::Keyword(Vec::new())], 0), ..one.clone() },
        Options { after: values(vec![SortValue::Number(1.0); 2], 0), ..one.clone() },
        Options { after: values(vec![SortValue::Number(1.0)], 0), distinct: Some(TAG), ..one },
    ] {
        assert!(matches!(index.search("a", &options), Err(Error::Argument(_))), "{options:?}");
    }
}

/// A filter's sets are made once, whoever asks.
#[test]
fn a_batch_shares_the_sets() {
    let folder = tempfile::tempdir().unwrap();
    let (index, definition) = large(folder.path());
    let condition = Condition::All(vec![
        Condition::Not(Box::new(Condition::Keywords(TAG, vec![b"rare".to_vec()]))),
        Condition::Range(PRICE, 0.0, 3.0),
    ]);
    let options = Options { filter: filter(condition), limit: 50, total: true, ..Options::default() };
    let queries: Vec<&str> = WORDS.into_iter().cycle().take(100).collect();
    let found = index.search_batch(&queries, &options, 3).unwrap();
    for (found, query) in found.into_iter().zip(queries) {
        let total = definition.find(&[word(query)], true, &options).len();
        assert_eq!(found.total, Some(total as u64));
        assert_eq!(found, index.search(query, &options).unwrap());
    }
}
