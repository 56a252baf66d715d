mod vectors;

use super::*;
use crate::analysis::{Analyzer, AnalyzerOptions};
use crate::base::earth::Point;
use crate::base::earth::area::{Area, Circle, Rect};
use crate::engine::Settings;
use crate::index::list::Codecs;
use crate::index::{Document, Field, Id, Kind, Schema, Value, Writer, WriterOptions};
use crate::list::PostingList;
use crate::rank::Bm25;
use crate::search::{
    After, Condition, Direction, DocIds, Facet, FieldFacet, Filter, Found, Index, Matching, Merging, Options, Page,
    SortKey, SortValue, Statistics, Synonyms, Typos,
};
use proptest::prelude::*;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

const TITLE: usize = 0;
const BODY: usize = 1;
const TAG: usize = 2;
const PRICE: usize = 3;
const PLACE: usize = 4;

fn schema(weight: f32) -> Schema {
    let field = |(name, kind): (&str, Kind)| Field {
        weight: if kind == Kind::Text { weight } else { 1.0 },
        stored: true,
        ..Field::new(name, kind)
    };
    let fields = [
        ("title", Kind::Text),
        ("body", Kind::Text),
        ("tag", Kind::Keyword),
        ("price", Kind::Numeric),
        ("place", Kind::Geo),
    ];
    Schema {
        fields: fields.into_iter().map(field).collect(),
        positions: true,
        codecs: Codecs::default(),
        analyzer: Analyzer::new(AnalyzerOptions::default()).unwrap(),
    }
}

fn with_weight(weight: f32) -> (tempfile::TempDir, Index) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    let mut writer = Writer::open(&path, Some(schema(weight)), WriterOptions::default()).unwrap();
    for number in 0..60i64 {
        let id = if number % 3 == 0 { Id::Bytes(format!("id {number}").into_bytes().into()) } else { Id::Int(number) };
        let text = format!("w{} w{} w{} common", number % 5, number % 7, number % 11);
        let values = vec![
            (TITLE, Value::Text(format!("w{} title", number % 13).into_bytes())),
            (BODY, Value::Text(text.into_bytes())),
            (TAG, Value::Keywords(vec![format!("t{}", number % 4).into_bytes()])),
            (PRICE, Value::Number((number % 9) as f64 / 2.0)),
            (PLACE, Value::Point((number % 30) as f64, number as f64)),
        ];
        writer.add(id, Document { values }).unwrap();
        if number % 20 == 19 {
            writer.commit().unwrap();
        }
    }
    (folder, Index::open(&path).unwrap())
}

fn index() -> &'static Index {
    static INDEX: OnceLock<(tempfile::TempDir, Index)> = OnceLock::new();
    &INDEX.get_or_init(|| with_weight(2.0)).1
}

fn search(queries: &[&str], options: Options) -> Question {
    Question::Search { queries: queries.iter().map(|&query| query.into()).collect(), options, stored: true }
}

fn asked(question: &Question, commit: Option<Commit>) -> Vec<u8> {
    question.to_bytes(index().fingerprint(), commit, None).unwrap()
}

fn answered(question: &Question) -> Result<Answer> {
    let response = handle(index(), &asked(question, None), &Settings::default(), None);
    Response::read(&response, question, index().schema()).map(|response| response.answer)
}

/// Options with something of everything.
fn full() -> Options {
    let around = Point::new(10.0, 11.0).unwrap();
    let conditions = vec![
        Condition::Any(vec![
            Condition::Keywords(TAG, vec![b"t1".to_vec(), b"t2".to_vec(), vec![0xFF]]),
            Condition::Numbers(PRICE, vec![0.5, 1.0]),
            Condition::Ids(vec![Id::Int(-4), Id::Bytes(b"id 3".as_slice().into())]),
        ]),
        Condition::Not(Box::new(Condition::Range(PRICE, f64::NEG_INFINITY, 0.25))),
        Condition::Any(vec![
            Condition::Within(PLACE, Area::Circle(Circle::new(around, 3e6).unwrap())),
            Condition::Within(PLACE, Area::Rect(Rect::new((-10.0, 170.0), (60.0, -120.0)).unwrap())),
        ]),
        Condition::Exists(BODY),
    ];
    let mut synonyms = Synonyms::default();
    assert!(synonyms.add(&index().schema().analyzer, "w1", "w2 w3"));
    Options {
        limit: 7,
        offset: 1,
        matching: Matching::Any,
        filter: Filter::new(Condition::All(conditions)).unwrap(),
        sort: vec![
            (SortKey::Field(PRICE), Direction::Descending),
            (SortKey::Distance(PLACE, around), Direction::Ascending),
            (SortKey::Field(TAG), Direction::Descending),
            (SortKey::Score, Direction::Descending),
            (SortKey::Id, Direction::Ascending),
        ],
        weights: vec![(TITLE, 0.0), (BODY, 3.5)],
        total: true,
        bm25: Bm25::new(0.9, 0.4).unwrap(),
        deadline: Some(Duration::from_millis(60_000)),
        facets: Some(vec![(TAG, 3), (PRICE, 0)]),
        typos: Typos::UpTo(1),
        prefix: true,
        fields: Some(vec![BODY]),
        syntax: false,
        words: 5,
        synonyms: Some(Arc::new(synonyms)),
        ..Options::default()
    }
}

#[test]
fn questions_are_read_as_they_were_written() {
    let own = index().statistics(&["w1 c*"], &Options::default()).unwrap();
    let by_statistics = Options { statistics: Some(Arc::new(own)), distinct: Some(TAG), ..Options::default() };
    let questions = [
        Question::Schema,
        search(&["w1", "", "ö \"w2 w3\""], full()),
        search(&["w1"], by_statistics),
        Question::Statistics {
            queries: vec!["w1".into()],
            options: Options { typos: Typos::Auto, ..Options::default() },
        },
        Question::Suggest { text: "w".into(), field: Some(BODY), limit: 3 },
        Question::Suggest { text: "w".into(), field: None, limit: usize::MAX },
        Question::Stored { ids: vec![Id::Int(1), Id::Bytes(b"id 3".as_slice().into())] },
    ];
    for question in questions {
        let here = index().snapshot().commit();
        for commit in [None, Some(here)] {
            assert_eq!(Question::read(&asked(&question, commit), index()).as_ref(), Ok(&question));
        }
    }
}

#[test]
fn a_leaf_answers_what_its_index_does() {
    let plain = Options { matching: Matching::Any, limit: 20, ..Options::default() };
    let several = [
        plain.clone(),
        full(),
        Options { distinct: Some(TAG), total: true, ..plain.clone() },
        Options { sort: vec![(SortKey::Field(TAG), Direction::Ascending)], ..plain.clone() },
        Options { matching: Matching::AllThenAny, ..plain.clone() },
        Options { facets: Some(vec![(PRICE, 2), (TAG, 9)]), limit: 0, ..plain },
    ];
    let queries = ["w1 w2", "w3 common", "nothing", ""];
    for options in several {
        let Answer::Found(all) = answered(&search(&queries, options.clone())).unwrap() else { panic!() };
        assert_eq!(all.len(), queries.len());
        let page = Page::new(&options);
        for (query, LeafFound { found, merging, stored }) in queries.iter().zip(all) {
            assert_eq!(found, index().search(query, &options).unwrap(), "{query} {options:?}");
            for (at, hit) in found.hits.iter().enumerate() {
                let by = merging.get(at).cloned().unwrap_or_else(|| Merging::by_score(hit.score));
                assert_eq!(by, index().merging(&page, hit.doc_id, hit.score).unwrap());
                assert_eq!(stored[at], index().stored(hit.doc_id).unwrap());
            }
        }
    }
    let Answer::Words(words) = answered(&Question::Suggest { text: "co".into(), field: None, limit: 9 }).unwrap()
    else {
        panic!()
    };
    assert_eq!(words, index().suggest("co", None, 9).unwrap());
    let ids = vec![Id::Int(1), Id::Int(3)];
    let Answer::Stored(stored) = answered(&Question::Stored { ids }).unwrap() else { panic!() };
    assert_eq!(stored, [Some(index().stored(1).unwrap()), None]);
    let question = Question::Statistics { queries: vec!["w1 c*".into()], options: Options::default() };
    let own = index().statistics(&["w1 c*"], &Options::default()).unwrap();
    assert_eq!(answered(&question), Ok(Answer::Statistics(own)));
    let response = handle(index(), &Question::Schema.to_bytes(0, None, None).unwrap(), &Settings::default(), None);
    assert_eq!(schema_of(&response).as_ref(), Ok(index().schema()));
    assert_eq!(commit_of(&response), Ok(index().snapshot().commit()));
}

fn why(answer: Result<Answer>) -> Refusal {
    match answer {
        Err(Error::Refused { why, .. }) => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_does_not_fit_is_refused_with_both_named() {
    let question = search(&["w1"], Options::default());
    let read = |request: &[u8]| {
        let response = handle(index(), request, &Settings::default(), None);
        assert_eq!(commit_of(&response), Ok(index().snapshot().commit()));
        Response::read(&response, &question, index().schema()).map(|response| response.answer)
    };
    let mut other_version = asked(&question, None);
    other_version[4] = 9;
    let error = read(&other_version).unwrap_err();
    assert!(error.to_string().contains("version 9") && error.to_string().contains("version 1"), "{error}");
    assert_eq!(why(Err(error)), Refusal::Version);
    let (_folder, other) = with_weight(3.0);
    let error = read(&question.to_bytes(other.fingerprint(), None, None).unwrap()).unwrap_err();
    for fingerprint in [other.fingerprint(), index().fingerprint()] {
        assert!(error.to_string().contains(&format!("{fingerprint:016x}")), "{error}");
    }
    assert_eq!(why(Err(error)), Refusal::Schema);
    let (number, commit) = index().snapshot().commit();
    for wanted in [(number, commit + 1), (number ^ 1, commit)] {
        let error = read(&asked(&question, Some(wanted))).unwrap_err();
        assert!(error.to_string().contains(&shown(wanted)) && error.to_string().contains(&shown((number, commit))));
        assert_eq!(why(Err(error)), Refusal::Commit);
    }
    for bytes in [&b""[..], b"PREQ", b"GET / HTTP/1.1", &asked(&question, None)[..30]] {
        assert_eq!(why(read(bytes)), Refusal::Request);
    }
    let many = Options { facets: Some(vec![(TAG, usize::MAX)]), limit: usize::MAX, ..Options::default() };
    assert_eq!(why(answered(&search(&vec!["w1"; MOST_HITS / 60], many))), Refusal::Request);
    let no_values = Options { sort: vec![(SortKey::Field(BODY), Direction::Ascending)], ..Options::default() };
    assert_eq!(why(answered(&search(&["w1"], no_values))), Refusal::Request);
    let other_query = index().statistics(&["w1"], &Options::default()).unwrap();
    let options = Options { statistics: Some(Arc::new(other_query)), ..Options::default() };
    assert!(matches!(answered(&search(&["w2"], options)), Err(Error::Statistics(_))));
    for text in
        ["", "-", "0-1", "00000000000000001-1", "000000000000000g-1", "0000000000000001-01", "0000000000000001-1 "]
    {
        assert_eq!(commit_shown(text), None, "{text}");
    }
    assert_eq!(commit_shown(&shown((1, u64::MAX))), Some((1, u64::MAX)));
}

#[test]
fn what_is_wanted_twice_is_refused() {
    let by_id = (SortKey::Id, Direction::Ascending);
    let by_price = |direction| (SortKey::Field(PRICE), direction);
    let twice = [
        Options { sort: vec![by_id, by_id], ..Options::default() },
        Options {
            sort: vec![by_price(Direction::Ascending), by_id, by_price(Direction::Descending)],
            ..Options::default()
        },
        Options { facets: Some(vec![(TAG, 0), (PRICE, 0), (TAG, 1)]), ..Options::default() },
        Options { weights: vec![(TITLE, 1.0), (TITLE, 2.0)], ..Options::default() },
        Options { fields: Some(vec![BODY, BODY]), ..Options::default() },
    ];
    for options in twice {
        assert_eq!(why(answered(&search(&["w1"], options.clone()))), Refusal::Request, "{options:?}");
    }
    // As many as there can be, and one more.
    let fields = index().schema().fields.len();
    let mut sort = vec![by_id; fields + 3];
    assert_eq!(why(answered(&search(&["w1"], Options { sort: sort.clone(), ..Options::default() }))), Refusal::Request);
    sort.truncate(2);
    sort[0] = (SortKey::Score, Direction::Descending);
    assert!(answered(&search(&["w1"], Options { sort, ..Options::default() })).is_ok());
    let facets = Options { facets: Some(vec![(TAG, 0)]), limit: 0, ..Options::default() };
    assert!(answered(&search(&vec!["w1"; MOST_QUERIES], facets)).is_ok());
    let facets = Options { facets: Some(vec![(TAG, 0), (PRICE, 0)]), limit: 16, ..Options::default() };
    assert_eq!(why(answered(&search(&vec!["w1"; MOST_QUERIES], facets))), Refusal::Request);
}

#[test]
fn a_response_has_what_was_asked_for_and_no_more() {
    let options = Options { facets: Some(vec![(TAG, 3), (PRICE, 3)]), total: true, limit: 2, ..Options::default() };
    let question = search(&["common"], options);
    let Answer::Found(all) = answered(&question).unwrap() else { panic!() };
    let read = |found: &LeafFound, times: usize| {
        let response = Response { commit: (1, 1), answer: Answer::Found(vec![found.clone(); times]) };
        Response::read(&response.to_bytes().unwrap(), &question, index().schema()).map(|_| ())
    };
    assert_eq!(read(&all[0], 1), Ok(()));
    let is_corrupt = |edit: &dyn Fn(&mut LeafFound)| {
        let mut found = all[0].clone();
        edit(&mut found);
        assert!(matches!(read(&found, 1), Err(Error::Corrupt { .. })), "{found:?}");
    };
    assert!(read(&all[0], 0).is_err() && read(&all[0], 2).is_err());
    is_corrupt(&|found| found.found.total = None);
    is_corrupt(&|found| found.found.total = Some(u64::MAX));
    is_corrupt(&|found| found.found.facets = None);
    is_corrupt(&|found| found.found.facets.as_mut().unwrap().truncate(1));
    is_corrupt(&|found| found.found.facets.as_mut().unwrap().swap(0, 1));
    is_corrupt(&|found| {
        found.stored.push(Vec::new());
        found.found.hits.push(found.found.hits[0].clone());
    });
    let values = |values: &[(&str, u64)]| {
        Facet::Values(values.iter().map(|&(value, count)| (value.as_bytes().to_vec(), count)).collect())
    };
    let with_facet = |field: usize, facet: Facet| {
        let mut found = all[0].clone();
        found.found.facets.as_mut().unwrap()[field - TAG] = FieldFacet { field, facet };
        read(&found, 1)
    };
    assert_eq!(with_facet(TAG, values(&[("b", 4), ("a", 3), ("c", 3)])), Ok(()));
    for wrong in [
        &[("a", 3), ("c", 2), ("b", 2)][..],
        &[("a", 3), ("b", 4)],
        &[("a", 3), ("a", 2)],
        &[("a", 3), ("a", 3)],
        &[("a", 4), ("b", 3), ("c", 2), ("d", 1)],
    ] {
        assert!(with_facet(TAG, values(wrong)).is_err(), "{wrong:?}");
    }
    assert!(with_facet(TAG, Facet::Numbers { range: None, count: 1 }).is_err());
    assert!(with_facet(PRICE, values(&[("a", 3)])).is_err());
    // What did not finish has no more than its hits.
    let mut expired = all[0].clone();
    expired.found = Found { expired: true, total: None, facets: None, ..expired.found };
    assert_eq!(read(&expired, 1), Ok(()));
    for (words, is_right) in
        [(vec![("b", 2), ("a", 1)], true), (vec![("b", 1), ("a", 1)], false), (vec![("a", 1); 3], false)]
    {
        let words = words.into_iter().map(|(word, count): (&str, u64)| (word.to_owned(), count)).collect();
        let response = Response { commit: (1, 1), answer: Answer::Words(words) }.to_bytes().unwrap();
        let asked = Question::Suggest { text: "a".into(), field: None, limit: 2 };
        assert_eq!(Response::read(&response, &asked, index().schema()).is_ok(), is_right);
    }
}

#[test]
fn a_request_may_end_before_its_options() {
    let minute = Some(Duration::from_secs(60));
    let question = search(&["w1"], Options { deadline: minute, ..Options::default() });
    for (deadline, wanted) in [
        (None, minute),
        (Some(Duration::from_secs(2)), Some(Duration::from_secs(2))),
        (Some(Duration::from_secs(90)), minute),
    ] {
        let request = question.to_bytes(index().fingerprint(), None, deadline).unwrap();
        let Question::Search { options, .. } = Question::read(&request, index()).unwrap() else { panic!() };
        assert_eq!(options.deadline, wanted);
    }
}

#[test]
fn what_takes_too_long_is_ended() {
    let queries = ["w* c* t*"; 64];
    let question = search(&queries, Options { deadline: Some(Duration::from_secs(600)), ..Options::default() });
    let response = handle(index(), &asked(&question, None), &Settings::default(), Some(Duration::ZERO));
    let Answer::Found(all) = Response::read(&response, &question, index().schema()).unwrap().answer else { panic!() };
    assert!(all.iter().all(|found| found.found.expired && found.found.hits.is_empty()));
    let question = Question::Statistics { queries: queries.map(str::to_owned).into(), options: Options::default() };
    let response = handle(index(), &asked(&question, None), &Settings::default(), Some(Duration::ZERO));
    assert_eq!(why(Response::read(&response, &question, index().schema()).map(|read| read.answer)), Refusal::Deadline);
}

#[test]
fn what_only_an_index_itself_can_be_told_is_not_asked() {
    let list = PostingList::encode(&[1, 2], crate::Codec::VariableByte).unwrap();
    let doc_ids = Filter::new(Condition::Not(Box::new(Condition::DocIds(DocIds(list))))).unwrap();
    let after = After { values: vec![SortValue::Number(1.0)], doc_id: 1 };
    for options in
        [Options { filter: doc_ids, ..Options::default() }, Options { after: Some(after), ..Options::default() }]
    {
        let bytes = search(&["w1"], options).to_bytes(index().fingerprint(), None, None);
        assert!(matches!(bytes, Err(Error::Argument(_))), "{bytes:?}");
    }
    let queries = vec!["".into(); MOST_QUERIES + 1];
    let question = Question::Search { queries, options: Options::default(), stored: false };
    assert_eq!(why(question.to_bytes(0, None, None).map(|_| unreachable!())), Refusal::Request);
}

/// Bytes with some changed, and a checksum that fits.
fn changed(bytes: &[u8], edits: &[(prop::sample::Index, u8)]) -> Vec<u8> {
    let mut content = bytes[..bytes.len() - 4].to_vec();
    for (at, value) in edits {
        let at = at.index(content.len());
        content[at] = *value;
    }
    sealed(content).unwrap()
}

proptest! {
    #[test]
    fn damage_is_noticed(at in any::<prop::sample::Index>(), bit in 0..8u8, end in any::<prop::sample::Index>()) {
        let question = search(&["w1 w2"], full());
        let request = asked(&question, None);
        let mut response = handle(index(), &request, &Settings::default(), None);
        let cut = &response[..end.index(response.len())];
        prop_assert!(Response::read(cut, &question, index().schema()).is_err());
        let at = at.index(response.len());
        response[at] ^= 1 << bit;
        prop_assert!(Response::read(&response, &question, index().schema()).is_err());
    }

    /// Whatever a leaf is asked, it answers; and whatever it answers, hits can be merged, or it is an error.
    #[test]
    fn forged_bytes_are_read_or_refused(edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4)) {
        for options in [full(), Options { distinct: Some(PRICE), ..Options::default() }] {
            let question = search(&["w1 w2", "common"], options);
            let request = asked(&question, None);
            let forged = handle(index(), &changed(&request, &edits), &Settings::default(), None);
            prop_assert!(commit_of(&forged).is_ok());
            let response = handle(index(), &request, &Settings::default(), None);
            if let Ok(read) = Response::read(&changed(&response, &edits), &question, index().schema()) {
                let Answer::Found(all) = read.answer else { panic!() };
                let values = |found: &LeafFound| found.merging.iter().all(|merging| !merging.values().0.is_empty());
                prop_assert!(all.iter().all(values));
            }
        }
    }
}

#[test]
fn statistics_of_several_leaves_add_up() {
    let parts: Vec<_> = (0..2)
        .map(|_| {
            let question = Question::Statistics { queries: vec!["w1".into()], options: Options::default() };
            match answered(&question).unwrap() {
                Answer::Statistics(told) => told,
                other => panic!("{other:?}"),
            }
        })
        .collect();
    assert_eq!(Statistics::sum(&parts).unwrap().documents(), 2 * index().documents());
}
