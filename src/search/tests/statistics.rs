//! Several indexes, told the sum of their statistics, as one index of all their documents.

use super::*;
use crate::search::{Facet, Merging, MergingPart, Page, Statistics, merge, merge_facets};

/// Shards, and an index of all their documents.
pub(super) struct Shards {
    _folder: tempfile::TempDir,
    pub(super) shards: Vec<Index>,
    pub(super) one: Index,
}

impl Shards {
    /// Of the changes of each shard, whose ids must differ.
    pub(super) fn new(changes: &[Vec<Vec<Change>>], way: Way) -> Shards {
        let folder = tempfile::tempdir().unwrap();
        let schema = definition::schema_in(way.language, way.positions);
        let mut writer =
            Writer::open(&folder.path().join("one"), Some(schema), index::WriterOptions::default()).unwrap();
        let mut shards = Vec::new();
        for (number, commits) in changes.iter().enumerate() {
            let path = folder.path().join(number.to_string());
            shards.push(build(&path, commits, way));
            writer.add_index(&path).unwrap();
        }
        writer.commit().unwrap();
        let one = Index::open(&folder.path().join("one")).unwrap();
        Shards { _folder: folder, shards, one }
    }

    /// Whether no merge has removed deleted documents, which the statistics of shards count.
    fn has_all(&self) -> bool {
        let documents = self.shards.iter().map(|shard| shard.snapshot().documents()).sum::<u64>();
        self.one.snapshot().documents() == documents
    }

    /// The sum of the statistics, in so many rounds, by way of their bytes.
    pub(super) fn sum(&self, queries: &[&str], options: &Options, rounds: usize) -> Arc<Statistics> {
        let mut sum = None;
        for _ in 0..rounds {
            let options = Options { statistics: sum.take(), ..options.clone() };
            let of_shard = |shard: &Index| {
                let bytes = shard.statistics(queries, &options).unwrap().to_bytes();
                let statistics = Statistics::from_bytes(&bytes).unwrap();
                assert_eq!(statistics.to_bytes(), bytes);
                statistics
            };
            let parts: Vec<Statistics> = self.shards.iter().map(of_shard).collect();
            let all = Statistics::sum(&parts).unwrap();
            // In any order, and in steps.
            let (first, last) = parts.split_at(parts.len() / 2);
            let halves = [last, first].map(|half| Statistics::sum(half).ok());
            assert_eq!(Statistics::sum(halves.iter().flatten()).unwrap(), all);
            sum = Some(Arc::new(all));
        }
        sum.unwrap()
    }
}

/// What is found in an index, however its docIDs are.
fn plain(hits: &[FoundHit]) -> Vec<(Id, u64, Option<f64>)> {
    hits.iter().map(|hit| (hit.id.clone(), hit.score.to_bits(), hit.distance)).collect()
}

/// What the shards find, merged.
pub(super) fn merged(shards: &Shards, found: Vec<Found>, options: &Options) -> Found {
    let own = Options { offset: 0, limit: options.offset.saturating_add(options.limit), ..options.clone() };
    let page = Page::new(&own);
    let part = |(shard, found): (&Index, &Found)| MergingPart {
        page: &page,
        with_all: found.with_all,
        hits: found.hits.iter().map(|hit| shard.merging(&page, hit.doc_id, hit.score).unwrap()).collect(),
    };
    let parts: Vec<MergingPart> = shards.shards.iter().zip(&found).map(part).collect();
    let (places, with_all) = merge(&parts, options.offset, options.limit).unwrap();
    let hits = places.into_iter().map(|(part, at)| found[part].hits[at].clone()).collect();
    let facets = options.facets.as_ref().map(|fields| {
        let facet = |(at, &(field, limit)): (usize, &(usize, usize))| {
            let parts: Vec<_> =
                found.iter().map(|found| (found.facets.as_ref().unwrap()[at].facet.clone(), limit)).collect();
            FieldFacet { field, facet: merge_facets(&parts, limit).unwrap() }
        };
        fields.iter().enumerate().map(facet).collect()
    });
    let total = options.total.then(|| found.iter().map(|found| found.total.unwrap()).sum());
    Found { hits, total, facets, with_all, ..Found::default() }
}

/// Checks that the shards find what one index does. `told`: whether all must be known.
fn check_sum(shards: &Shards, texts: &[&str], options: &Options, sum: &Arc<Statistics>, told: bool) {
    let given = Options {
        statistics: Some(sum.clone()),
        offset: 0,
        limit: options.offset.saturating_add(options.limit),
        ..options.clone()
    };
    for text in texts {
        let of_shards: Result<Vec<Found>> = shards.shards.iter().map(|shard| shard.search(text, &given)).collect();
        let of_shards = match of_shards {
            Err(Error::Statistics(_)) if !told => continue,
            found => found.unwrap(),
        };
        let counts: u64 = shards.shards.iter().map(|shard| shard.count(text, &given).unwrap()).sum();
        assert_eq!(counts, shards.one.count(text, options).unwrap(), "{text} {options:?}");
        let (got, wanted) = (merged(shards, of_shards, options), shards.one.search(text, options).unwrap());
        assert_eq!(plain(&got.hits), plain(&wanted.hits), "{text} {options:?}");
        assert_eq!((got.total, &got.facets), (wanted.total, &wanted.facets), "{text} {options:?}");
        // Of a page with no hits there is nothing to say.
        if !wanted.hits.is_empty() && options.distinct.is_none() {
            assert_eq!(got.with_all, wanted.with_all, "{text} {options:?}");
        }
        for hit in &wanted.hits {
            let of_shards: Vec<_> =
                shards.shards.iter().filter_map(|shard| shard.explain(text, &hit.id, &given).unwrap()).collect();
            assert_eq!(of_shards, [shards.one.explain(text, &hit.id, options).unwrap().unwrap()], "{text} {options:?}");
        }
    }
    for shard in &shards.shards {
        let found = shard.search_batch(texts, &given, 2);
        match texts.iter().map(|text| shard.search(text, &given)).collect::<Result<Vec<_>>>() {
            Ok(wanted) => assert_eq!(found.unwrap(), wanted),
            Err(_) => assert!(matches!(found, Err(Error::Statistics(_)))),
        }
    }
}

/// The changes of shards, each with ids of its own.
fn apart(shards: Vec<Vec<Vec<Change>>>) -> Vec<Vec<Vec<Change>>> {
    let moved = |number: usize, change: Change| match change {
        Change::Add(doc) => Change::Add(Doc { id: doc.id + 100 * number as i64, ..doc }),
        Change::Delete(id) => Change::Delete(id + 100 * number as i64),
    };
    let commit = |number, commit: Vec<Change>| commit.into_iter().map(|change| moved(number, change)).collect();
    let shard = |(number, commits): (usize, Vec<Vec<Change>>)| {
        commits.into_iter().map(|changes| commit(number, changes)).collect()
    };
    shards.into_iter().enumerate().map(shard).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn shards_find_what_one_index_finds(
        changes in prop::collection::vec(commits(), 1..6).prop_map(apart),
        queries in prop::collection::vec((query(), options()), 1..16),
        optimize in prop::option::of(any::<bool>()),
        positions in prop::bool::weighted(0.8),
        language in prop::sample::select(vec![None, None, Some("english")]),
        distinct in prop::option::weighted(0.2, prop::sample::select(vec![TAG, PRICE])),
        has_facets in any::<bool>(),
    ) {
        let shards = Shards::new(&changes, Way { at_once: false, threads: 1, optimize, positions, language });
        prop_assume!(shards.has_all());
        for (query, options) in &queries {
            let text = typed(query);
            let facets = has_facets.then(|| vec![(TAG, 100), (PRICE, 1)]);
            // It is not known which of them have all words.
            let distinct = distinct.filter(|_| options.matching != Matching::AllThenAny);
            let options = Options { distinct, facets, ..options.clone() };
            let texts = [&*text, "a b"];
            let sum = shards.sum(&texts, &options, 1);
            check_sum(&shards, &texts, &options, &sum, language.is_none());
            if language.is_some() {
                let sum = shards.sum(&texts, &options, 2);
                check_sum(&shards, &texts, &options, &sum, true);
            }
        }
    }

    #[test]
    fn other_bytes_are_refused(
        changes in commits(),
        queries in prop::collection::vec(query(), 1..3),
        at in any::<prop::sample::Index>(),
        bits in 1..=255u8,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let index = build(folder.path(), &changes, PLAIN);
        let texts: Vec<String> = queries.iter().map(|query| typed(query)).collect();
        let texts: Vec<&str> = texts.iter().map(|text| &**text).collect();
        let bytes = index.statistics(&texts, &Options::default()).unwrap().to_bytes();
        let at = at.index(bytes.len());
        let is_corrupt = |bytes: &[u8]| matches!(Statistics::from_bytes(bytes), Err(Error::Corrupt { .. }));
        prop_assert!(is_corrupt(&bytes[..at]));
        prop_assert!(is_corrupt(&[&bytes[..], &[bits]].concat()));
        let mut changed = bytes.clone();
        changed[at] ^= bits;
        prop_assert!(is_corrupt(&changed));
        // With a right checksum it may be anything, but not more than there is.
        changed.truncate(bytes.len() - 4);
        let crc = crc32fast::hash(&changed);
        changed.extend(crc.to_le_bytes());
        if let Ok(other) = Statistics::from_bytes(&changed) {
            let options = Options { statistics: Some(Arc::new(other)), ..Options::default() };
            for text in texts {
                let found = index.search(text, &options);
                prop_assert!(matches!(found, Ok(_) | Err(Error::Statistics(_))));
            }
        }
    }
}

/// Long lists, and prefixes of more words than count.
#[test]
fn large_shards() {
    let mut noise = Noise(21);
    let shard = |number: i64, noise: &mut Noise| -> Vec<Vec<Change>> {
        [1200, 300]
            .map(|count| {
                let doc = |noise: &mut Noise| {
                    let mut doc = noisy_doc(10_000 * number + noise.below(2000) as i64, noise);
                    doc.texts[1].extend((0..noise.below(4)).map(|_| format!("p{}", noise.below(40) * noise.below(60))));
                    doc.texts[1].push(format!("p{}", noise.below(3000)));
                    Change::Add(doc)
                };
                (0..count).map(|_| doc(noise)).collect()
            })
            .into()
    };
    let changes: Vec<_> = (0..4).map(|number| shard(number, &mut noise)).collect();
    let mut runner = TestRunner::deterministic();
    for optimize in [None, Some(true)] {
        let shards = Shards::new(&changes, Way { optimize, ..PLAIN });
        assert!(shards.has_all());
        let terms = shards.one.terms(b"p", BODY, usize::MAX).unwrap();
        assert!(terms.len() > MOST_WORDS);
        for text in ["p*", "body:p1*", "p* -p1*", "\"a ab\" p*", "a p12~1"] {
            for matching in MATCHINGS {
                let options = Options { matching, total: true, limit: 50, ..Options::default() };
                check_sum(&shards, &[text], &options, &shards.sum(&[text], &options, 1), true);
            }
        }
        for _ in 0..24 {
            let text = typed(&query().new_tree(&mut runner).unwrap().current());
            let options = options().new_tree(&mut runner).unwrap().current();
            check_sum(&shards, &[&text], &options, &shards.sum(&[&text], &options, 1), true);
        }
    }
}

fn one_doc(id: i64, body: &str) -> Vec<Vec<Change>> {
    vec![vec![Change::Add(Doc { id, texts: [vec![], vec![body.into()], vec![]], ..Doc::default() })]]
}

#[test]
fn what_statistics_lack_is_said() {
    let shards = Shards::new(&[one_doc(1, "abc"), one_doc(2, "zebra")], PLAIN);
    let options = Options::default();
    let fails = |text: &str, sum: Arc<Statistics>| {
        shards.shards[0].search(text, &Options { statistics: Some(sum), ..options.clone() }).unwrap_err().to_string()
    };
    let sum = shards.sum(&["abc"], &options, 1);
    assert_eq!((sum.documents(), sum.indexes(), sum.len()), (2, 2, 3));
    assert_eq!(sum.tokens().collect::<Vec<_>>(), [("title", 0), ("body", 2), ("note", 0)]);
    assert_eq!(fails("zebra", sum.clone()), "the statistics do not tell of the term \"zebra\" of the field title");
    assert!(fails("ab*", sum).contains("do not tell of what \"ab*\" stands for in the field title"));
    // Statistics of different queries.
    let [first, second] = [0, 1].map(|at| shards.shards[at].statistics(&[["abc", "zebra"][at]], &options).unwrap());
    let sum = Arc::new(Statistics::sum([&first, &second]).unwrap());
    assert!(fails("abc", sum).contains("of the term \"abc\" of the field title only 1 of 2 indexes tell"));
    assert!(matches!(Statistics::sum([]), Err(Error::Statistics(_))));

    let other = Shards::new(&[one_doc(1, "abc")], Way { language: Some("en"), ..PLAIN });
    let foreign = other.sum(&["abc"], &options, 1);
    let refused = fails("abc", foreign.clone());
    assert!(refused.starts_with("the statistics are of another schema or analyzer, "), "{refused}");
    assert!(matches!(Statistics::sum([&*foreign, &first]), Err(Error::Statistics(_))));
}

/// Stems of words that only another index has are known after a second round.
#[test]
fn stems_need_a_second_round() {
    let changes = [one_doc(1, "run"), one_doc(2, "running"), one_doc(3, "zebra")];
    let shards = Shards::new(&changes, Way { language: Some("en"), ..PLAIN });
    let options = Options { total: true, ..Options::default() };
    let first = shards.sum(&["runn*"], &options, 1);
    let told = Options { statistics: Some(first.clone()), ..options.clone() };
    let refused = shards.shards[0].search("runn*", &told).unwrap_err().to_string();
    assert!(refused.contains("of the term \"run\" of the field body only 1 of 3 indexes tell"), "{refused}");
    let second = shards.sum(&["runn*"], &options, 2);
    check_sum(&shards, &["runn*"], &options, &second, true);
    assert_eq!(shards.one.count("runn*", &options).unwrap(), 2);
}

/// Words that are left out are never taken for words that are not there.
#[test]
fn expansions_are_known_or_refused() {
    use crate::search::statistics::most_frequent;
    let values = |of: &[(&str, u64)]| of.iter().map(|(value, n)| (value.as_bytes().to_vec(), *n)).collect::<Vec<_>>();
    type Values = Vec<(Vec<u8>, u64)>;
    let all = |parts: Vec<(Values, bool)>, limit| most_frequent(parts.into_iter(), limit);
    let whole = || (values(&[("a", 5), ("b", 4), ("c", 1)]), false);
    assert_eq!(all(vec![whole(), whole()], 2), Some(values(&[("a", 10), ("b", 8)])));
    assert_eq!(
        all(vec![whole(), (values(&[("d", 2)]), false)], 9),
        Some(values(&[("a", 5), ("b", 4), ("d", 2), ("c", 1)]))
    );
    // "c" may be in as many documents as "b" of the second.
    let cut = || (values(&[("a", 5), ("b", 4)]), true);
    assert_eq!(all(vec![whole(), cut()], 3), None);
    assert_eq!(all(vec![whole(), cut()], 2), Some(values(&[("a", 10), ("b", 8)])));
    assert_eq!(all(vec![whole(), cut(), cut()], 1), Some(values(&[("a", 15)])));
    // One that nobody tells of may be as frequent as "a".
    assert_eq!(all(vec![(values(&[("a", 5)]), true), (values(&[("b", 5)]), true)], 1), None);
    assert_eq!(all(vec![(Vec::new(), true), whole()], 1), None);
}

#[test]
fn pages_that_are_too_short_are_refused() {
    let hits = |scores: &[f64]| scores.iter().map(|&score| Merging::by_score(score)).collect::<Vec<_>>();
    let page = Page::by_score(2);
    let part = |scores: &[f64]| MergingPart { page: &page, with_all: None, hits: hits(scores) };
    let parts = [part(&[3.0, 1.0]), part(&[3.0, 2.0])];
    assert_eq!(merge(&parts, 0, 2).unwrap().0, [(0, 0), (1, 0)]);
    assert_eq!(merge(&parts, 1, 1).unwrap().0, [(1, 0)]);
    assert!(matches!(merge(&parts, 1, 2), Err(Error::Argument(_))));
    assert_eq!(merge(&[part(&[3.0]), part(&[])], 0, 9).unwrap().0, [(0, 0)]);
    let later = Page::new(&Options { offset: 1, ..Options::default() });
    let part = MergingPart { page: &later, with_all: None, hits: Vec::new() };
    assert!(matches!(merge(&[part], 0, 1), Err(Error::Argument(_))));
    let numbers = |range, count| (Facet::Numbers { range, count }, 0);
    let all = merge_facets(&[numbers(Some((1.0, 2.0)), 2), numbers(None, 0), numbers(Some((-1.0, 1.5)), 5)], 0);
    assert_eq!(all, Some(Facet::Numbers { range: Some((-1.0, 2.0)), count: 7 }));
}
