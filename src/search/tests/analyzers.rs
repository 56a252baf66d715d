//! Fields with analyzers of their own, by definition: each field is also an index of its own, and what is found in all of them
//! is what these find, put together.

use super::*;
use crate::analysis::{Analyzer, AnalyzerOptions, Scratch};
use crate::index::{Document, Field, Value, WriterOptions};
use std::collections::{BTreeSet, HashSet};

const NAMES: [&str; 4] = ["en", "de", "sku", "all"];
const WEIGHTS: [f32; 4] = [2.0, 1.0, 0.5, 3.0];

/// The last one is that of the index, which `sku` names too.
fn analyzers() -> [Analyzer; 4] {
    let of = |language: Option<&str>, stop_words: &[&str], parts, compounds: &[&str]| {
        let [stop_words, compounds] =
            [stop_words, compounds].map(|words| words.iter().map(|&word| word.to_owned()).collect());
        let language = language.map(str::to_owned);
        Analyzer::new(AnalyzerOptions { language, stop_words, parts, compounds, ..AnalyzerOptions::default() }).unwrap()
    };
    let en = of(Some("english"), &["the", "of"], true, &[]);
    let de = of(Some("german"), &["die", "of"], false, &["haus", "run"]);
    [en, de, of(None, &[], false, &[]), of(None, &[], false, &[])]
}

fn schema(positions: bool) -> Schema {
    let [en, de, sku, analyzer] = analyzers();
    let own = [Some(en), Some(de), Some(sku), None];
    let field = |((name, weight), analyzer): ((&str, f32), Option<Analyzer>)| Field {
        weight,
        stored: true,
        analyzer,
        ..Field::new(name, Kind::Text)
    };
    let fields = NAMES.into_iter().zip(WEIGHTS).zip(own).map(field).collect();
    Schema { fields, analyzer, positions, codecs: index::Codecs::default() }
}

/// An index of one of the fields.
fn schema_of(number: usize) -> Schema {
    let all = schema(true);
    let field = Field { name: "own".into(), analyzer: None, ..all.fields[number].clone() };
    Schema { fields: vec![field], analyzer: all.analyzer_of(number).clone(), ..all }
}

type Texts = [String; 4];

/// Commits of ids with their texts.
fn commits() -> impl Strategy<Value = Vec<Vec<(i64, Texts)>>> {
    let text = || prop::collection::vec(word(), 0..6).prop_map(|words| words.join(" "));
    let document = (0..9i64, [text(), text(), text(), text()]);
    prop::collection::vec(prop::collection::vec(document, 1..6), 1..4)
}

fn word() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "run",
        "running",
        "runs",
        "Runner",
        "the",
        "die",
        "of",
        "Haus",
        "Häuser",
        "hauses",
        "Hausrun",
        "die.haus",
        "run-the",
        "the-of",
        "検索語",
    ])
}

#[derive(Debug, Clone)]
struct Typed {
    sign: &'static str,
    field: Option<usize>,
    text: String,
}

impl Typed {
    fn text(&self, with_field: bool) -> String {
        let field = self.field.filter(|_| with_field).map_or(String::new(), |field| format!("{}:", NAMES[field]));
        format!("{}{field}{}", self.sign, self.text)
    }
}

fn query() -> impl Strategy<Value = Vec<Typed>> {
    let operator = prop_oneof![
        8 => word().prop_map(str::to_owned),
        2 => (word(), word()).prop_map(|(a, b)| format!("\"{a} {b}\"")),
        1 => (word(), word()).prop_map(|(a, b)| format!("\"{a} {b}\"~2")),
        1 => prop::sample::select(vec!["ru*", "haus*", "rnu~", "runing~2", "the*", "häus*"]).prop_map(str::to_owned),
    ];
    let sign = prop_oneof![8 => Just(""), 1 => Just("-"), 1 => Just("+")];
    let field = prop_oneof![5 => Just(None), 1 => (0..NAMES.len()).prop_map(Some)];
    let typed = (sign, field, operator).prop_map(|(sign, field, text)| Typed { sign, field, text });
    prop::collection::vec(typed, 1..5)
}

fn build(folder: &Path, schema: Schema, commits: &[Vec<(i64, Texts)>], fields: &[usize]) -> Index {
    let mut writer = Writer::open(folder, Some(schema), WriterOptions::default()).unwrap();
    for commit in commits {
        for (id, texts) in commit {
            let value = |(at, &field): (usize, &usize)| (at, Value::Text(texts[field].clone().into()));
            let values = fields.iter().enumerate().map(value).collect();
            writer.add(Id::Int(*id), Document { values }).unwrap();
        }
        writer.commit().unwrap();
    }
    writer.optimize(false).unwrap();
    Index::open(folder).unwrap()
}

fn everything() -> Options {
    Options { limit: 1000, ..Options::default() }
}

/// The documents that an index finds, with their scores.
fn found(index: &Index, query: &str, options: &Options) -> BTreeMap<i64, f64> {
    let hits = index.search(query, options).unwrap().hits;
    let id = |id: &Id| if let Id::Int(id) = id { *id } else { panic!("{id:?}") };
    hits.iter().map(|hit| (id(&hit.id), hit.score)).collect()
}

/// What is found, by the rule: in each of the fields by its own index.
fn by_definition(own: &[Index], query: &[Typed], searched: &[usize], options: &Options) -> BTreeMap<i64, f64> {
    let analyzers = analyzers();
    let is_kept = |typed: &Typed, field: usize| {
        let mut kept = typed.text.ends_with(['*', '~', '2']) && !typed.text.starts_with('"');
        analyzers[field].tokens(typed.text.trim_end_matches("~2"), &mut Scratch::new(), |_| kept = true);
        kept
    };
    let is_unnamed = |typed: &&Typed| typed.sign != "-" && typed.field.is_none();
    // Fields in which some of what was typed without a field is looked for.
    let counting: Vec<usize> = (searched.iter().copied())
        .filter(|&field| query.iter().filter(is_unnamed).any(|typed| is_kept(typed, field)))
        .collect();
    let all = found(&own[0], "", &everything());
    let (mut matching, mut excluded) = (all.clone(), BTreeSet::new());
    let (mut any, mut wanted) = (BTreeSet::new(), false);
    let needs_all = options.matching == Matching::All;
    let mut some_required = false;
    for typed in query {
        let fields: Vec<usize> = match (typed.field, typed.sign) {
            (Some(field), _) if !searched.contains(&field) && options.fields.is_some() => vec![],
            (Some(field), _) => vec![field],
            _ => searched.to_vec(),
        };
        // An excluded compound is only itself.
        let excludes_one = typed.sign == "-" && typed.text == "Hausrun";
        let text = if excludes_one { "\"Hausrun\"" } else { &typed.text };
        let has: BTreeSet<i64> = (fields.iter())
            .filter(|&&field| is_kept(typed, field))
            .flat_map(|&field| found(&own[field], text, &everything()).into_keys())
            .collect();
        if typed.sign == "-" {
            excluded.extend(has);
            continue;
        }
        if !fields.iter().any(|&field| is_kept(typed, field)) {
            continue;
        }
        wanted = true;
        any.extend(has.iter().copied());
        let optional = typed.field.is_none() && counting.iter().any(|&field| !is_kept(typed, field));
        if (needs_all || typed.sign == "+") && !optional {
            some_required = true;
            matching.retain(|id, _| has.contains(id));
        }
    }
    let is_something = query.iter().any(|typed| {
        typed.field.map_or(searched.to_vec(), |field| vec![field]).into_iter().any(|field| is_kept(typed, field))
    });
    matching.retain(|id, _| is_something && !excluded.contains(id) && (!wanted || (some_required || any.contains(id))));
    let any = Options { matching: Matching::Any, ..everything() };
    for (field, own) in own.iter().enumerate() {
        let of_field: Vec<String> = (query.iter())
            .filter(|typed| typed.sign != "-" && typed.field.map_or(searched.contains(&field), |named| named == field))
            .map(|typed| typed.text(false).trim_start_matches('+').to_owned())
            .collect();
        if !of_field.is_empty() {
            let scores = found(own, &of_field.join(" "), &any);
            matching.iter_mut().for_each(|(id, score)| *score += scores.get(id).copied().unwrap_or(0.0));
        }
    }
    matching
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn fields_are_found_by_their_own_analyzers(
        commits in commits(),
        queries in prop::collection::vec((query(), prop::sample::select(vec![Matching::All, Matching::Any])), 1..24),
        fields in prop::option::of(prop::sample::subsequence(vec![0usize, 1, 2, 3], 1..=4)),
    ) {
        let folders: Vec<_> = (0..5).map(|_| tempfile::tempdir().unwrap()).collect();
        let index = build(folders[4].path(), schema(true), &commits, &[0, 1, 2, 3]);
        let own: Vec<Index> =
            (0..4).map(|field| build(folders[field].path(), schema_of(field), &commits, &[field])).collect();
        let searched = fields.clone().unwrap_or(vec![0, 1, 2, 3]);
        for (query, matching) in queries {
            // A name of a field that is not searched is text.
            if fields.is_some() && query.iter().any(|typed| typed.field.is_some_and(|field| !searched.contains(&field))) {
                continue;
            }
            let options = Options { matching, fields: fields.clone(), ..everything() };
            let expected = by_definition(&own, &query, &searched, &options);
            let typed: Vec<String> = query.iter().map(|typed| typed.text(true)).collect();
            let typed = typed.join(" ");
            let given = found(&index, &typed, &options);
            prop_assert_eq!(given.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>(), "{} {:?}", typed, options);
            for (id, score) in &given {
                prop_assert!((score - expected[id]).abs() < 1e-4, "{typed}: {id} {score} {}", expected[id]);
                let explained = index.explain(&typed, &Id::Int(*id), &options).unwrap().unwrap();
                prop_assert!(explained.matches && (explained.score - score).abs() < 1e-4);
            }
            // The other ways to find them.
            prop_assert_eq!(index.count(&typed, &options).unwrap(), given.len() as u64);
            let sort = vec![(SortKey::Id, Direction::Ascending)];
            let sorted = index.search(&typed, &Options { sort, ..options.clone() }).unwrap().hits;
            prop_assert_eq!(sorted.len(), given.len());
            let batch = index.search_batch(&[&typed], &options, 1).unwrap();
            prop_assert_eq!(&batch[0].hits, &index.search(&typed, &options).unwrap().hits);
            let then_any = Options { matching: Matching::AllThenAny, ..options };
            let all = Options { matching: Matching::All, ..then_any.clone() };
            let any = Options { matching: Matching::Any, ..then_any.clone() };
            let mut both = index.search(&typed, &all).unwrap().hits;
            let first: HashSet<Id> = both.iter().map(|hit| hit.id.clone()).collect();
            both.extend(index.search(&typed, &any).unwrap().hits.into_iter().filter(|hit| !first.contains(&hit.id)));
            prop_assert_eq!(index.search(&typed, &then_any).unwrap().hits, both);
        }
        // What a field is made of, and what it completes.
        for (field, own) in own.iter().enumerate() {
            prop_assert_eq!(index.terms(b"", field, 1000).unwrap(), own.terms(b"", 0, 1000).unwrap());
            for start in ["r", "Hä", "th"] {
                prop_assert_eq!(index.suggest(start, Some(field), 9).unwrap(), own.suggest(start, None, 9).unwrap());
            }
            let texts = ["the running die.haus of Häuser", "runs hauses"];
            for (text, query) in texts.into_iter().flat_map(|text| [(text, "run haus"), (text, "\"die haus\" the runn*")]) {
                let by = |index: &Index, field| index.matches(query, text, &everything(), field).unwrap();
                prop_assert_eq!(by(&index, Some(field)), by(own, None));
            }
        }
    }
}

fn of_texts(positions: bool, texts: &[Texts]) -> (tempfile::TempDir, Index) {
    let folder = tempfile::tempdir().unwrap();
    let commit = texts.iter().zip(1..).map(|(texts, id)| (id, texts.clone())).collect();
    let index = build(folder.path(), schema(positions), &[commit], &[0, 1, 2, 3]);
    (folder, index)
}

#[test]
fn what_an_analyzer_leaves_out_is_optional() {
    let texts = |texts: [&str; 4]| texts.map(str::to_owned);
    for positions in [true, false] {
        let (_folder, index) = of_texts(
            positions,
            &[
                texts(["The run of the house", "", "", ""]),
                texts(["run house", "die Häuser", "", ""]),
                texts(["", "", "the run of", ""]),
                texts(["", "", "of", "the"]),
            ],
        );
        let ids = |query: &str, options: Options| found(&index, query, &options).into_keys().collect::<Vec<_>>();
        // Stop words of `en` and `de`, but words of `sku` and `all`.
        assert_eq!(ids("the run", everything()), [1, 2, 3]);
        assert_eq!(ids("+the run", everything()), [1, 2, 3]);
        assert_eq!(ids("of run", everything()), [1, 2, 3]);
        // The others leave nothing of it.
        assert_eq!(ids("of", everything()), [3, 4]);
        assert_eq!(ids("of of", everything()), [3, 4]);
        // "the" is left out by `en` alone; "die" by `de` alone: none is needed, but one must be there.
        assert_eq!(ids("the die", everything()), [3, 4]);
        assert_eq!(ids("sku:the sku:run", everything()), [3]);
        assert_eq!(ids("en:the en:run", everything()), [1, 2]);
        assert_eq!(ids("\"the run\"", everything()), [1, 2, 3]);
        assert_eq!(ids("the run", Options { fields: Some(vec![2, 3]), ..everything() }), [3]);
        assert_eq!(ids("the run", Options { weights: vec![(0, 0.0), (1, 0.0)], ..everything() }), [3]);
        assert_eq!(ids("run -the", everything()), [1, 2]);
        assert_eq!(ids("the run", Options { words: 1, ..everything() }), [3, 4]);
        let any = |query: &str| ids(query, Options { matching: Matching::Any, ..everything() });
        assert_eq!(any("+the run"), [1, 2, 3, 4]);
        assert!(index.prepare("the run", &everything()).unwrap().is_none());
        assert!(index.prepare("house run", &everything()).unwrap().is_some());
    }
}

#[test]
fn marks_and_similar_documents_of_several_analyzers() {
    let texts = |texts: [&str; 4]| texts.map(str::to_owned);
    let (_folder, index) = of_texts(
        true,
        &[
            texts(["running shoes", "ein Haus", "shoes", ""]),
            texts(["runs", "die Häuser", "", "haus"]),
            texts(["other", "anderes", "", "running"]),
        ],
    );
    let marked = |query: &str, text: &str, field: Option<usize>| {
        let matches = index.matches(query, text, &everything(), field).unwrap();
        let style = crate::query::Style { before: "<", after: ">", escape: false };
        crate::query::highlight(text, &matches, &style)
    };
    let text = "run running Haus Häuser the";
    assert_eq!(marked("the run haus", text, Some(0)), "<run> <running> <Haus> Häuser the");
    assert_eq!(marked("the run haus", text, Some(1)), "<run> running <Haus> <Häuser> <the>");
    assert_eq!(marked("the run haus", text, Some(2)), "<run> running <Haus> Häuser <the>");
    assert_eq!(marked("the run haus", text, None), "<run> <running> <Haus> <Häuser> <the>");
    assert_eq!(marked("de:haus", text, None), "run running <Haus> <Häuser> the");
    assert_eq!(marked("de:haus", text, Some(0)), text);
    let like = Like { id: Some(Id::Int(1)), text: None };
    let (query, _) = index.best_words(&like, 9, &everything()).unwrap();
    assert_eq!(query, "\"Haus\"^1.000 \"running\"^1.000");
    let like = Like { id: None, text: Some("Häuser run") };
    assert_eq!(index.best_words(&like, 9, &everything()).unwrap().0, "\"Häuser\"^1.000 \"run\"^1.000");
}
