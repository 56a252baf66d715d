//! Prefixes and typos where terms are stems.

use super::*;
use crate::analysis::Analyzer;
use crate::index::segment;
use std::collections::BTreeSet;

/// In place of [`WORDS`].
const ENGLISH: [&str; 14] = [
    "run",
    "runs",
    "running",
    "runner",
    "runners",
    "ruin",
    "ruins",
    "ruining",
    "ruined",
    "hope",
    "hoping",
    "hopped",
    "universe",
    "university",
];

const STEMMED: Way = Way { language: Some("english"), ..PLAIN };

fn english(word: &str) -> String {
    let at = WORDS.iter().position(|other| *other == word);
    at.map_or(word, |at| ENGLISH[at]).to_owned()
}

/// Documents of every third commit at most are added as terms.
fn in_english(commits: &[Vec<Change>], as_terms: &[bool], analyzer: &Analyzer) -> Vec<Vec<Change>> {
    let translate = |(at, change): (usize, &Change)| match change {
        Change::Delete(id) => Change::Delete(*id),
        Change::Add(doc) => {
            let as_terms = as_terms.get(at % as_terms.len().max(1)).copied().unwrap_or(false);
            let word = |word: &String| match as_terms {
                true => analyzer.stem(&english(word)).into_owned(),
                false => english(word),
            };
            let texts = doc.texts.clone().map(|words| words.iter().map(word).collect());
            Change::Add(Doc { texts, as_terms, ..doc.clone() })
        }
    };
    commits.iter().map(|commit| commit.iter().enumerate().map(translate).collect()).collect()
}

fn query_in_english(query: &[Clause]) -> Vec<Clause> {
    let prefixes = [("a", "run"), ("ab", "runni"), ("z", "universi"), ("x", "hop")];
    let atom = |atom: &Atom| match atom {
        Atom::Word(word) => Atom::Word(english(word)),
        Atom::Phrase(words) => Atom::Phrase(words.iter().map(|word| english(word)).collect()),
        Atom::Near(words, slop) => Atom::Near(words.iter().map(|word| english(word)).collect(), *slop),
        Atom::Fuzzy(word, distance) => Atom::Fuzzy(english(word), *distance),
        Atom::Prefix(prefix) => {
            let other = prefixes.iter().find(|(of, _)| of == prefix);
            Atom::Prefix(other.map_or(&**prefix, |(_, other)| other).to_owned())
        }
    };
    query.iter().map(|clause| Clause { atom: atom(&clause.atom), ..clause.clone() }).collect()
}

/// The words that a segment knows, with the numbers of documents that it says.
fn known(segment: &segment::Segment, field: usize) -> Option<(BTreeMap<String, u64>, bool)> {
    let words = segment.words(field).unwrap()?;
    let mut known = BTreeMap::new();
    let mut all = words.map().terms().unwrap();
    while let Some((word, value, ())) = all.next().unwrap() {
        known.insert(String::from_utf8(word.to_vec()).unwrap(), segment::Words::documents(value));
    }
    Some((known, words.all_known()))
}

/// Checks what the segments of an index know, and what is suggested.
fn check_known(index: &Index, definition: &Definition, exact: bool) {
    let analyzer = &index.schema().analyzer;
    let mut first = 0;
    for part in index.snapshot().parts() {
        let count = part.segment.documents() as usize;
        let docs = &definition.docs[first..first + count];
        first += count;
        for (number, (field, _)) in TEXTS.into_iter().enumerate() {
            let mut written: BTreeMap<String, u64> = BTreeMap::new();
            for doc in docs.iter().filter(|doc| !doc.as_terms) {
                let words: BTreeSet<&String> = doc.texts[number].iter().collect();
                words.into_iter().for_each(|word| *written.entry(word.clone()).or_default() += 1);
            }
            let unknown = docs.iter().any(|doc| doc.as_terms && !doc.texts[number].is_empty());
            let Some((known, all_known)) = known(&part.segment, field) else {
                // Documents that were deleted before it was written may have had words.
                assert!(written.is_empty(), "{written:?}");
                continue;
            };
            if exact {
                assert_eq!((&known, all_known), (&written, !unknown));
                continue;
            }
            assert!(!unknown || !all_known);
            assert!(written.keys().all(|word| known.contains_key(word)), "{known:?} {written:?}");
            for (word, documents) in known {
                let value = part.segment.term(field, analyzer.stem(&word).as_bytes()).unwrap();
                let of_term = part.segment.documents_with(field, value.expect("a word has a term")).unwrap();
                assert!((1..=of_term).contains(&documents), "{word}: {documents} of {of_term}");
            }
        }
    }
    for (typed, prefix) in [("runn", "runn"), ("x r", "r"), ("universit", "universit"), ("HOP", "hop")] {
        let mut sums: HashMap<String, u64> = HashMap::new();
        for part in index.snapshot().parts() {
            for (field, _) in TEXTS {
                let mut add = |word: &str, documents: u64| {
                    if word.starts_with(prefix) {
                        *sums.entry(word.to_owned()).or_default() += documents;
                    }
                };
                let (words, all_known) = known(&part.segment, field).unwrap_or_default();
                words.iter().for_each(|(word, &documents)| add(word, documents));
                let mut terms = part.segment.dictionary(field).unwrap().terms().unwrap();
                while let Some((term, value, ())) = terms.next().unwrap().filter(|_| !all_known) {
                    let term = std::str::from_utf8(term).unwrap();
                    let documents = part.segment.documents_with(field, value).unwrap();
                    add(term, documents.saturating_sub(words.get(term).copied().unwrap_or(0)));
                }
            }
        }
        let mut sums: Vec<(String, u64)> = sums.into_iter().collect();
        sums.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        sums.truncate(3);
        assert_eq!(index.suggest(typed, None, 3).unwrap(), sums, "{typed}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Some documents, or all of some segments, are added as terms, as if by an older release.
    #[test]
    fn small_indexes(
        commits in commits(),
        queries in prop::collection::vec((query(), options()), 1..24),
        optimize in prop::option::of(any::<bool>()),
        threads in 1..3usize,
        positions in prop::bool::weighted(0.8),
        as_terms in prop_oneof![
            2 => Just(vec![]),
            1 => Just(vec![true]),
            2 => prop::collection::vec(prop::bool::weighted(0.3), 1..9),
        ],
        old in prop::collection::vec(any::<bool>(), 5),
    ) {
        let analyzer = definition::schema_in(Some("english"), true).analyzer;
        let mut commits = in_english(&commits, &as_terms, &analyzer);
        if as_terms == [true] {
            // Whole commits of such documents, and others.
            for (commit, old) in commits.iter_mut().zip(old) {
                if !old {
                    *commit = in_english(std::slice::from_ref(commit), &[], &analyzer).remove(0);
                }
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let index = build(folder.path(), &commits, Way { optimize, threads, positions, ..STEMMED });
        let definition = define(&index, &commits);
        let is_change = |change: &Change| matches!(change, Change::Delete(_));
        let ids: Vec<i64> = commits.iter().flatten().filter_map(|change| if let Change::Add(doc) = change { Some(doc.id) } else { None }).collect();
        let once = ids.iter().collect::<BTreeSet<_>>().len() == ids.len();
        check_known(&index, &definition, once && !commits.iter().flatten().any(is_change));
        for (query, options) in &queries {
            let options = Options { synonyms: None, ..options.clone() };
            check(&index, &definition, &query_in_english(query), &options);
        }
    }

    /// If no document is deleted; then words may stay whose documents are gone, as long as their stem is there.
    #[test]
    fn results_do_not_depend_on_the_segments(
        commits in commits(),
        queries in prop::collection::vec(query(), 1..12),
        options in options(),
    ) {
        let analyzer = definition::schema_in(Some("english"), true).analyzer;
        let mut id = 0;
        let mut commits = in_english(&commits, &[], &analyzer);
        for commit in &mut commits {
            commit.retain(|change| matches!(change, Change::Add(_)));
            for change in commit {
                if let Change::Add(doc) = change {
                    doc.id = id;
                    id += 1;
                }
            }
        }
        let options = Options { synonyms: None, ..options };
        let mut first: Option<Vec<Found>> = None;
        for (at_once, threads, optimize) in
            [(false, 1, None), (false, 1, Some(false)), (false, 1, Some(true)), (true, 1, Some(false)), (true, 2, Some(true))]
        {
            let folder = tempfile::tempdir().unwrap();
            let index = build(folder.path(), &commits, Way { at_once, threads, optimize, ..STEMMED });
            check_known(&index, &define(&index, &commits), true);
            let texts: Vec<String> = queries.iter().map(|query| typed(&query_in_english(query))).collect();
            let texts: Vec<&str> = texts.iter().map(|text| &**text).collect();
            let mut found = index.search_batch(&texts, &options, threads).unwrap();
            found.iter_mut().flat_map(|found| &mut found.hits).for_each(|hit| hit.doc_id = 0);
            prop_assert_eq!(first.get_or_insert_with(|| found.clone()), &found);
        }
    }
}

#[test]
fn words_lead_to_their_stems() {
    let folder = tempfile::tempdir().unwrap();
    let doc =
        |id: i64, text: &str| Change::Add(Doc { id, texts: [vec![], vec![text.into()], vec![]], ..Doc::default() });
    let texts = ["running", "runs", "ruining", "rum", "universities"];
    let commits = [(0..).zip(texts).map(|(id, text)| doc(id, text)).collect::<Vec<_>>()];
    let index = build(folder.path(), &commits, STEMMED);
    let found = |text: &str, options: &Options| -> Vec<i64> {
        let hits = index.search(text, options).unwrap().hits;
        hits.iter().map(|hit| if let Id::Int(id) = hit.id { id } else { -1 }).collect()
    };
    let plain = Options::default();
    // "runs" is found by the stem of "running", as if that had been typed.
    assert_eq!(found("runni*", &plain), [0, 1]);
    assert_eq!(found("runing~", &plain), [0, 1, 2]);
    assert_eq!(found("universiti*", &plain), [4]);
    let typing = Options { typos: Typos::Auto, prefix: true, ..Options::default() };
    assert_eq!(found("runni", &typing), [0, 1, 2]);
    assert_eq!(found("runn", &typing), [0, 1, 2]);
    assert_eq!(found("rum", &typing), [3]);
    // What was typed counts in full, though no document has the word.
    let explained = index.explain("runners*", &Id::Int(0), &typing).unwrap().unwrap();
    assert!(!explained.matches && explained.parts.is_empty());
    for typed in ["run", "running", "runs"] {
        let explained = index.explain(typed, &Id::Int(0), &typing).unwrap().unwrap();
        assert_eq!(explained.parts.iter().map(|part| part.discount).collect::<Vec<_>>(), [1.0], "{typed}");
        assert_eq!(explained.parts[0].term, "run");
    }
    let explained = index.explain("ruin", &Id::Int(2), &typing).unwrap().unwrap();
    assert_eq!(explained.parts[0].discount, 1.0);
    let explained = index.explain("runni*", &Id::Int(1), &plain).unwrap().unwrap();
    assert_eq!((&*explained.parts[0].term, explained.parts[0].discount), ("run", 0.75));
}
