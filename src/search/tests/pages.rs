//! Facets, groups and pages of searches, compared with all hits and the documents that match.

use super::*;

/// `all` are all hits of the query, `matching` the documents that count, `tags` their two most frequent tags.
pub(super) fn check(
    index: &Index,
    definition: &Definition,
    text: &str,
    options: &Options,
    all: &[FoundHit],
    matching: &[usize],
    tags: Vec<(Vec<u8>, u64)>,
) {
    let of_documents = || matching.iter().map(|&doc| &definition.docs[doc].prices).filter(|prices| !prices.is_empty());
    let prices: Vec<f64> = of_documents().flatten().copied().collect();
    let least = prices.iter().copied().reduce(f64::min);
    let range = least.zip(prices.iter().copied().reduce(f64::max));
    let facets = vec![
        FieldFacet { field: TAG, facet: Facet::Values(tags) },
        FieldFacet { field: PRICE, facet: Facet::Numbers { range, count: of_documents().count() as u64 } },
    ];
    let asked = Options { facets: Some(vec![(TAG, 2), (PRICE, 9)]), total: true, ..options.clone() };
    let found = index.search(text, &asked).unwrap();
    assert_eq!(found.facets, Some(facets), "{text} {options:?}");
    assert_eq!(found.total, Some(matching.len() as u64), "{text} {options:?}");

    for field in [TAG, PRICE] {
        let mut seen = Vec::new();
        let first = |hit: &&FoundHit| {
            let Id::Int(id) = hit.id else { panic!("{:?} is no id of these documents", hit.id) };
            let doc = (0..definition.docs.len()).find(|&doc| definition.live[doc] && definition.docs[doc].id == id);
            let doc = &definition.docs[doc.unwrap()];
            let value = match field {
                TAG => doc.tags.iter().min().cloned(),
                _ => doc.prices.iter().copied().reduce(f64::min).map(|price| price.to_string()),
            };
            let is_new = value.is_none() || !seen.contains(&value);
            seen.push(value);
            is_new
        };
        // In large indexes that would take long.
        if all.len() > 500 {
            break;
        }
        let distinct: Vec<FoundHit> = all.iter().filter(first).cloned().collect();
        let wanted: Vec<FoundHit> = distinct.into_iter().skip(options.offset).take(options.limit).collect();
        let asked = Options { distinct: Some(field), ..options.clone() };
        let found = index.search(text, &asked).unwrap();
        assert_eq!(found.hits, wanted, "{text} {asked:?}");
        assert_eq!(found.total, options.total.then_some(matching.len() as u64), "{text} {asked:?}");
    }

    let positions = [0, 1, all.len() / 2, all.len().saturating_sub(2), all.len().saturating_sub(1)];
    for at in positions.into_iter().filter(|&at| at < all.len()) {
        let after = index.after(all[at].doc_id, all[at].score, options).unwrap();
        let asked = Options { after: Some(after), total: true, limit: options.limit.max(1), ..options.clone() };
        if options.matching == Matching::AllThenAny {
            assert!(matches!(index.search(text, &asked), Err(Error::Argument(_))));
            continue;
        }
        let wanted: Vec<FoundHit> = all[at + 1..].iter().skip(asked.offset).take(asked.limit).cloned().collect();
        let found = index.search(text, &asked).unwrap();
        assert_eq!(found.hits, wanted, "{text} {asked:?}");
        assert_eq!(found.total, Some(matching.len() as u64), "{text} {asked:?}");
    }
}

/// Many values, of which documents have none, one or several.
#[test]
fn many_values() {
    let mut noise = Noise(11);
    let doc = |id: i64, noise: &mut Noise| {
        let tags = (0..noise.below(4)).map(|_| format!("{}", noise.below(20_000))).collect();
        let body = vec!["all".to_owned(), format!("w{}", noise.below(200))];
        Change::Add(Doc {
            id,
            texts: [vec![], body, vec![]],
            tags,
            prices: vec![noise.below(9) as f64],
            ..Doc::default()
        })
    };
    let docs: Vec<Change> = (0..6000).map(|id| doc(id * 7 % 6000, &mut noise)).collect();
    let mut commits = [docs[..5000].to_vec(), docs[5000..].to_vec(), Vec::new()];
    commits[2].extend((0..200).map(|_| Change::Delete(noise.below(6000) as i64)));
    for optimize in [None, Some(false), Some(true)] {
        let folder = tempfile::tempdir().unwrap();
        let index = build(folder.path(), &commits, Way { optimize, ..PLAIN });
        let definition = define(&index, &commits);
        for query in ["all", "w7"] {
            for sort in [SortKey::Field(TAG), SortKey::Id] {
                for direction in [Direction::Ascending, Direction::Descending] {
                    let sort = vec![(sort, direction), (SortKey::Score, Direction::Ascending)];
                    super::check(&index, &definition, &[word(query)], &Options { sort, ..Options::default() });
                }
            }
        }
        super::check(&index, &definition, &[], &Options::default());
    }
}

/// Pages of a thousand keywords, each after the last hit of the one before, in several segments.
#[test]
fn pages_follow_each_other() {
    let doc = |id: i64| {
        let (prices, tags) = (vec![(id % 13) as f64], vec![format!("t{}", id * 31 % 997)]);
        let body = vec!["a".to_owned(); (id % 7) as usize + 1];
        Change::Add(Doc { id, texts: [vec![], body, vec![]], tags, prices, ..Doc::default() })
    };
    let commits: Vec<Vec<Change>> = (0..3).map(|part| (part * 500..(part + 1) * 500).map(doc).collect()).collect();
    let folder = tempfile::tempdir().unwrap();
    let index = build(folder.path(), &commits, PLAIN);
    assert!(index.snapshot().parts().len() > 1);
    let keys = [SortKey::Field(TAG), SortKey::Field(PRICE), SortKey::Id, SortKey::Score];
    for sort in keys.iter().map(|&key| vec![(key, Direction::Descending)]).chain([Vec::new()]) {
        let mut options = Options { sort, limit: 64, ..Options::default() };
        let all = index.search("a", &Options { limit: 5000, ..options.clone() }).unwrap().hits;
        let mut pages = Vec::new();
        loop {
            let hits = index.search("a", &options).unwrap().hits;
            let Some(last) = hits.last() else { break };
            options.after = Some(index.after(last.doc_id, last.score, &options).unwrap());
            pages.extend(hits);
        }
        assert_eq!(pages, all, "{options:?}");
    }
    // A value that no segment has any more.
    let after = After { values: vec![SortValue::Keyword(b"t5005".to_vec())], doc_id: 3 };
    let sort = vec![(SortKey::Field(TAG), Direction::Ascending)];
    let options = Options { sort: sort.clone(), after: Some(after), ..Options::default() };
    let all = index.search("a", &Options { sort, limit: 5000, ..Options::default() }).unwrap().hits;
    let tag = |hit: &&FoundHit| matches!(hit.id, Id::Int(id) if *format!("t{}", id * 31 % 997) > *"t5005");
    let wanted: Vec<FoundHit> = all.iter().filter(tag).take(10).cloned().collect();
    assert_eq!(index.search("a", &options).unwrap().hits, wanted);
}
