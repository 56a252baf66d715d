//! Vectors: what leaves find together is what one index of all documents finds, and what is wrong is refused.

use super::why;
use crate::analysis::{Analyzer, AnalyzerOptions};
use crate::base::earth::Point;
use crate::base::earth::area::{Area, Circle};
use crate::base::error::{Error, Refusal, Result};
use crate::engine::Settings;
use crate::exchange::{Answer, LeafFound, MOST_HITS, MOST_QUERIES, Question, Response, handle, sealed};
use crate::index::list::Codecs;
use crate::index::{Document, Field, Id, Kind, Schema, Value, Writer, WriterOptions};
use crate::search::{
    Asked, Condition, Direction, Facet, FieldFacet, Filter, Found, FoundHit, Fusion, Index, Matching, Merging,
    MergingPart, NearestIn, Options, Page, RankedList, Ranking, RankingPart, SortKey, Statistics, WINDOW, fingerprint,
    merge, merge_facets, merge_rankings,
};
use crate::vector::{Metric, Precision, Query, Shape};
use proptest::prelude::*;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

const BODY: usize = 0;
const TAG: usize = 1;
const PLACE: usize = 2;
const FIRST: usize = 3;
const SECOND: usize = 4;

fn schema(first: Shape, second: Shape) -> Schema {
    let field = |(name, kind, vector): (&str, Kind, Option<Shape>)| Field {
        name: name.into(),
        kind,
        weight: 1.0,
        stored: vector.is_none(),
        analyzer: None,
        vector,
        weights: None,
        clusters: name == "first",
    };
    let fields = [
        ("body", Kind::Text, None),
        ("tag", Kind::Keyword, None),
        ("place", Kind::Geo, None),
        ("first", Kind::Vector, Some(first)),
        ("second", Kind::Vector, Some(second)),
    ];
    let analyzer = Analyzer::new(AnalyzerOptions::default()).unwrap();
    Schema { fields: fields.into_iter().map(field).collect(), positions: true, codecs: Codecs::default(), analyzer }
}

/// A document by what it is made of: which words, and vectors, unless it has none; and whether it is deleted again.
#[derive(Debug, Clone)]
struct Doc {
    number: u8,
    gone: bool,
    first: Option<Vec<f32>>,
    second: Option<Vec<f32>>,
}

fn write(folder: &Path, schema: Schema, docs: &[Doc], shard: i64) -> Index {
    let mut writer = Writer::open(folder, Some(schema), WriterOptions::default()).unwrap();
    let mut gone = Vec::new();
    for (at, doc) in (0..).zip(docs) {
        let number = doc.number;
        let words = ["sail ship", "ship ship ship", "sail", "ocean wind", "ship wind wind", "wind"];
        let text = words[usize::from(number) % words.len()].repeat(1 + usize::from(number) % 3);
        let mut values = vec![
            (BODY, Value::Text(text.into_bytes())),
            (TAG, Value::Keywords(vec![format!("t{}", number % 4).into_bytes()])),
        ];
        values.extend((number % 3 > 0).then(|| (PLACE, Value::Point(f64::from(number) / 4.0, 1.0))));
        values.extend(doc.first.clone().map(|vector| (FIRST, Value::Vector(vector))));
        values.extend(doc.second.clone().map(|vector| (SECOND, Value::Vector(vector))));
        let id = 1000 * shard + at;
        let id = if number % 5 == 0 { Id::Bytes(format!("id {id}").into_bytes().into()) } else { Id::Int(id) };
        gone.extend(doc.gone.then(|| id.clone()));
        writer.add(id, Document { values }).unwrap();
        if at % 50 == 30 {
            writer.commit().unwrap();
        }
    }
    writer.commit().unwrap();
    for id in &gone {
        writer.delete(id).unwrap();
    }
    writer.commit().unwrap();
    Index::open(folder).unwrap()
}

/// Shards, and an index of all their documents.
struct Shards {
    _folder: tempfile::TempDir,
    shards: Vec<Index>,
    one: Index,
}

impl Shards {
    fn new(schema: &Schema, docs: &[Vec<Doc>]) -> Shards {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let mut writer = Writer::open(&path("one"), Some(schema.clone()), WriterOptions::default()).unwrap();
        let mut shards = Vec::new();
        for (docs, number) in docs.iter().zip(0i64..) {
            let path = path(&number.to_string());
            shards.push(write(&path, schema.clone(), docs, number));
            writer.add_index(&path).unwrap();
        }
        writer.commit().unwrap();
        drop(writer);
        let one = Index::open(&path("one")).unwrap();
        Shards { shards, one, _folder: folder }
    }

    /// Whether no merge has removed deleted documents, which the statistics of shards count.
    fn has_all(&self) -> bool {
        let documents = self.shards.iter().map(|shard| shard.snapshot().documents()).sum::<u64>();
        self.one.snapshot().documents() == documents
    }

    /// What each shard answers.
    fn ask(&self, question: &Question) -> Vec<Answer> {
        self.shards.iter().map(|shard| answered(shard, question).unwrap()).collect()
    }

    fn statistics(&self, queries: &[String], options: &Options) -> Arc<Statistics> {
        let question = Question::Statistics { queries: queries.to_vec(), options: options.clone() };
        let told = self.ask(&question).into_iter().map(|answer| match answer {
            Answer::Statistics(told) => told,
            other => panic!("{other:?}"),
        });
        Arc::new(Statistics::sum(&told.collect::<Vec<_>>()).unwrap())
    }

    /// What each shard finds for the last query, with the page that was asked for.
    fn found(&self, question: &Question) -> (Page, Vec<LeafFound>) {
        let found = self.ask(question).into_iter().map(|answer| match answer {
            Answer::Found(mut all) => all.pop().unwrap(),
            other => panic!("{other:?}"),
        });
        (page(question), found.collect())
    }
}

/// Of the last query.
fn page(question: &Question) -> Page {
    match question {
        Question::Search { queries, options, .. } => Page::of(queries.last().unwrap().get(), options),
        Question::Nearest { options, .. } => Page::new(options),
        other => panic!("{other:?}"),
    }
}

fn answered(index: &Index, question: &Question) -> Result<Answer> {
    let request = question.to_bytes(index.fingerprint(), None, None).unwrap();
    assert_eq!(Question::read(&request, index).as_ref(), Ok(question));
    let response = handle(index, &request, &Settings::default(), None);
    Response::read(&response, question, index.schema()).map(|response| response.answer)
}

/// Hits, however their docIDs are.
fn plain(hits: &[FoundHit]) -> Vec<(Id, u64, Option<u64>)> {
    hits.iter().map(|hit| (hit.id.clone(), hit.score.to_bits(), hit.distance.map(f64::to_bits))).collect()
}

/// As of one index.
fn merged(page: &Page, found: &[LeafFound], offset: usize, limit: usize) -> Vec<FoundHit> {
    let (hits, _) = match page.is_by_ranks() {
        true => {
            let part = |of| RankingPart { page, ranking: ranking(of) };
            let (ranking, of) = merge_rankings(&found.iter().map(part).collect::<Vec<_>>(), offset, limit).unwrap();
            for (document, &(part, at)) in ranking.documents().iter().zip(&of) {
                assert_eq!(document.id, found[part].found.ranking.as_ref().unwrap().documents()[at].id);
            }
            (ranking.page(offset, limit), None)
        }
        false => {
            let hits = |of: &LeafFound| of.found.hits.iter().map(|hit| Merging::by_score(hit.score)).collect();
            let part = |of| MergingPart { page, with_all: None, hits: hits(of) };
            let (places, with_all) = merge(&found.iter().map(part).collect::<Vec<_>>(), offset, limit).unwrap();
            (places.into_iter().map(|(part, at)| found[part].found.hits[at].clone()).collect(), with_all)
        }
    };
    hits
}

fn ranking(of: &LeafFound) -> Option<&Ranking> {
    of.found.ranking.as_deref()
}

fn facets(found: &[LeafFound], options: &Options) -> Option<Vec<FieldFacet>> {
    let facet = |(at, &(field, limit)): (usize, &(usize, usize))| {
        let parts = found.iter().map(|of| (of.found.facets.as_ref().unwrap()[at].facet.clone(), limit));
        FieldFacet { field, facet: merge_facets(&parts.collect::<Vec<(Facet, usize)>>(), limit).unwrap() }
    };
    options.facets.as_ref().map(|fields| fields.iter().enumerate().map(facet).collect())
}

fn shapes() -> impl Strategy<Value = [Shape; 2]> {
    let metric = prop_oneof![Just(Metric::Cosine), Just(Metric::Dot), Just(Metric::Euclidean)];
    let precision = prop::sample::select(&Precision::ALL[..]);
    let shape = (1u16..6, metric, precision).prop_map(|(dimensions, metric, precision)| Shape {
        dimensions,
        metric,
        precision,
    });
    [shape.clone(), shape]
}

/// Few values, some of them very small, so that many are equally similar.
fn vector(shape: Shape) -> impl Strategy<Value = Vec<f32>> {
    let component = prop_oneof![6 => (-2i8..3).prop_map(f32::from), 2 => (-2i8..3).prop_map(|x| f32::from(x) * 1e-10), 2 => -1.0f32..1.0];
    let vector = prop::collection::vec(component, usize::from(shape.dimensions));
    vector.prop_filter("no cosine", move |vector| shape.check(vector).is_ok())
}

fn docs([first, second]: [Shape; 2], most: usize) -> impl Strategy<Value = Vec<Vec<Doc>>> {
    let of = |shape| prop::option::weighted(0.8, vector(shape));
    let gone = prop::bool::weighted(0.1);
    let doc = (any::<u8>(), gone, of(first), of(second));
    let doc = doc.prop_map(|(number, gone, first, second)| Doc { number, gone, first, second });
    prop::collection::vec(prop::collection::vec(doc, 0..most), 1..6)
}

fn cases() -> impl Strategy<Value = ([Shape; 2], Vec<Vec<Doc>>, [Vec<f32>; 2])> {
    shapes().prop_flat_map(|shapes| {
        // With many documents, lists are cut.
        let docs = prop_oneof![3 => docs(shapes, 60), 1 => docs(shapes, 400)];
        (Just(shapes), docs, shapes.map(|shape| vector(shape.of_queries())))
    })
}

fn near() -> Filter {
    let circle = Circle::new(Point::new(20.0, 1.0).unwrap(), 3e6).unwrap();
    Filter::new(Condition::Within(PLACE, Area::Circle(circle))).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
    #[test]
    fn shards_find_what_one_index_finds(
        (shapes, docs, vectors) in cases(),
        (limit, offset) in prop_oneof![(0usize..30, 0usize..6), (90usize..250, 0usize..30)],
        filtered in any::<bool>(),
        matching in prop_oneof![Just(Matching::All), Just(Matching::Any), Just(Matching::AllThenAny)],
        weights in prop_oneof![Just([1.0, 0.5, 0.0]), Just([0.01, 2.0, 1.0]), Just([0.0, 1.0, 1e6])],
    ) {
        let shards = Shards::new(&schema(shapes[0], shapes[1]), &docs);
        let filter = if filtered { near() } else { Filter::default() };
        let own = Options { limit: limit + offset, filter, matching, ..Options::default() };
        let page = |options: &Options| Options { limit, offset, ..options.clone() };
        let [first, second] = [0, 1].map(|at| Query::new(shapes[at], &vectors[at]).unwrap());
        for (field, query) in [(FIRST, &first), (SECOND, &second)] {
            let options = Options { matching: Matching::All, ..own.clone() };
            let question = Question::Nearest { field, vectors: vec![query.clone()], options, stored: false };
            let (asked, found) = shards.found(&question);
            let one = shards.one.nearest(field, std::slice::from_ref(query), &page(&own), 1).unwrap();
            prop_assert_eq!(plain(&merged(&asked, &found, offset, limit)), plain(&one[0].hits));
        }
        let both = vec![(SECOND, Arc::new(second.clone())), (FIRST, Arc::new(first.clone()))];
        let one = vec![(FIRST, Arc::new(first))];
        let of_both = Fusion::Scores { text: weights[0], fields: vec![(FIRST, weights[1]), (SECOND, weights[2])] };
        let of_one = Fusion::Scores { text: weights[0], fields: vec![(FIRST, weights[1])] };
        for text in ["ship wind", "sail", "nothing", "sail*", "-ship", ""] {
            let queries = vec!["sail".to_owned(), text.to_owned()];
            let statistics = shards.statistics(&queries, &own);
            for (nearest, fusion) in
                [(&both, Fusion::Ranks), (&one, Fusion::Ranks), (&both, of_both.clone()), (&one, of_one.clone())]
            {
                let facets_of = Some(vec![(TAG, 10)]);
                let options = Options { fusion, facets: facets_of, total: true, ..own.clone() };
                let query = Asked { text, nearest, ..Asked::default() };
                // Which documents count in scores, deleted ones among them, depends on the merges of an index.
                let told = (!shards.has_all()).then(|| statistics.clone());
                let wanted = shards.one.search(query, &page(&Options { statistics: told, ..options.clone() })).unwrap();
                let options = Options { statistics: Some(statistics.clone()), ..options };
                let question = Question::Search { queries: vec!["sail".into(), query.into()], options: options.clone(), stored: true };
                let (asked, found) = shards.found(&question);
                prop_assert_eq!(plain(&merged(&asked, &found, offset, limit)), plain(&wanted.hits), "{} {:?}", text, options);
                prop_assert_eq!(found.iter().map(|of| of.found.total.unwrap()).sum::<u64>(), wanted.total.unwrap());
                prop_assert_eq!(facets(&found, &options), wanted.facets);
                for (of, shard) in found.iter().zip(&shards.shards) {
                    prop_assert_eq!(&of.found, &shard.search(query, &options).unwrap());
                    let hits = ranking(of).map_or(&of.found.hits[..], Ranking::documents);
                    let stored: Vec<_> = hits.iter().map(|hit| shard.stored(hit.doc_id).unwrap()).collect();
                    prop_assert_eq!(&of.stored, &stored);
                }
            }
        }
    }
}

const SHAPES: [Shape; 2] = [
    Shape { dimensions: 3, metric: Metric::Cosine, precision: Precision::Bits32 },
    Shape { dimensions: 2, metric: Metric::Euclidean, precision: Precision::Bits16 },
];

fn index() -> &'static Index {
    static INDEX: OnceLock<(tempfile::TempDir, Index)> = OnceLock::new();
    let made = || {
        let folder = tempfile::tempdir().unwrap();
        let component = |number: u8, by: u8| f32::from(number % by) + 0.5;
        let doc = |number: u8| Doc {
            number,
            gone: number % 16 == 3,
            first: (!number.is_multiple_of(7)).then(|| vec![component(number, 5), -component(number, 3), 1.0]),
            second: (!number.is_multiple_of(4)).then(|| vec![component(number, 11), component(number, 2)]),
        };
        let docs: Vec<Doc> = (0..160).map(doc).collect();
        let index = write(&folder.path().join("index"), schema(SHAPES[0], SHAPES[1]), &docs, 0);
        (folder, index)
    };
    &INDEX.get_or_init(made).1
}

fn first() -> (usize, Arc<Query>) {
    (FIRST, Arc::new(Query::new(SHAPES[0], &[1.0, 2.0, -0.5]).unwrap()))
}

fn second() -> (usize, Arc<Query>) {
    (SECOND, Arc::new(Query::new(SHAPES[1], &[1.0, 0.25]).unwrap()))
}

fn search(options: Options) -> Question {
    search_for(&[second(), first()], options)
}

fn search_for(nearest: &[NearestIn], options: Options) -> Question {
    let query = Asked { text: "ship wind", nearest, ..Asked::default() };
    Question::Search { queries: vec![query.into()], options, stored: true }
}

/// What the index finds itself.
fn found(options: &Options) -> Found {
    let asked = Asked { text: "ship wind", nearest: &[second(), first()], ..Asked::default() };
    index().search(asked, options).unwrap()
}

fn by_ranks() -> Options {
    Options { matching: Matching::AllThenAny, limit: 7, ..Options::default() }
}

fn by_scores() -> Options {
    let fusion = Fusion::Scores { text: 0.5, fields: vec![(FIRST, 1e6), (SECOND, 0.0)] };
    Options { fusion, offset: 2, ..by_ranks() }
}

fn nearest(count: usize, options: Options) -> Question {
    Question::Nearest { field: FIRST, vectors: vec![(*first().1).clone(); count], options, stored: true }
}

#[test]
fn leaves_answer_what_their_index_does() {
    let limits =
        Options { limit: 4, offset: 3, filter: near(), deadline: Some(Duration::from_secs(60)), ..Options::default() };
    for options in [by_ranks(), Options { offset: 3, ..by_ranks() }, by_scores(), Options { limit: 0, ..by_scores() }] {
        let Answer::Found(all) = answered(index(), &search(options.clone())).unwrap() else { panic!() };
        assert_eq!(all[0].found, found(&options));
        assert_eq!(all[0].found.hits.len(), options.limit);
        assert_eq!(all[0].found.ranking.is_some(), options.fusion == Fusion::Ranks && options.offset == 0);
    }
    for count in [0, 1, 40] {
        let Answer::Found(all) = answered(index(), &nearest(count, limits.clone())).unwrap() else { panic!() };
        let vectors = vec![(*first().1).clone(); count];
        let of_index: Vec<Found> = all.iter().map(|of| of.found.clone()).collect();
        assert_eq!(of_index, index().nearest(FIRST, &vectors, &limits, 1).unwrap());
        for (of, hit) in all.iter().flat_map(|of| of.stored.iter().zip(&of.found.hits)) {
            assert_eq!(*of, index().stored(hit.doc_id).unwrap());
        }
    }
}

#[test]
fn leaves_look_at_some_clusters() {
    let query = (*first().1).clone();
    let mut scores = Vec::new();
    for probes in [Some(1), Some(3), Some(usize::MAX), None] {
        let options = Options { probes, limit: 40, ..Options::default() };
        let Answer::Found(all) = answered(index(), &nearest(1, options.clone())).unwrap() else { panic!() };
        let found = index().nearest(FIRST, std::slice::from_ref(&query), &options, 1).unwrap();
        assert_eq!(all[0].found, found[0]);
        scores.push(found[0].hits.iter().map(|hit| hit.score).sum::<f64>());
    }
    assert!(scores[0] < scores[2] && scores[2] == scores[3], "{scores:?}");
    let vectors = vec![(*second().1).clone()];
    let options = Options { probes: Some(1), ..Options::default() };
    let question = Question::Nearest { field: SECOND, vectors, options, stored: false };
    let request = question.to_bytes(index().fingerprint(), None, None).unwrap();
    let response = handle(index(), &request, &Settings::default(), None);
    assert_eq!(why(Response::read(&response, &question, index().schema()).map(|read| read.answer)), Refusal::Request);
}

#[test]
fn leaves_of_other_vectors_have_another_schema() {
    let fingerprint = |shapes: [Shape; 2]| fingerprint(&schema(shapes[0], shapes[1]));
    let [first, second] = SHAPES;
    let others = [
        fingerprint([first, Shape { dimensions: 3, ..second }]),
        fingerprint([Shape { metric: Metric::Dot, ..first }, second]),
        fingerprint([Shape { precision: Precision::Bits16, ..first }, second]),
        fingerprint([second, first]),
    ];
    assert!(!others.contains(&fingerprint(SHAPES)));
    let request = nearest(1, Options::default()).to_bytes(others[0], None, None).unwrap();
    let response = handle(index(), &request, &Settings::default(), None);
    let read = Response::read(&response, &nearest(1, Options::default()), index().schema());
    assert_eq!(why(read.map(|read| read.answer)), Refusal::Schema);
}

/// What a leaf says of a question whose bytes have `from` replaced.
fn with(question: &Question, from: &[u8], to: &[u8]) -> Result<Answer> {
    let request = question.to_bytes(index().fingerprint(), None, None).unwrap();
    let at = request.windows(from.len()).position(|window| window == from).expect("it has such bytes");
    let changed = [&request[..at], to, &request[at + from.len()..request.len() - 4]].concat();
    let response = handle(index(), &sealed(changed).unwrap(), &Settings::default(), None);
    Response::read(&response, question, index().schema()).map(|response| response.answer)
}

fn vector_bytes(components: &[f32]) -> Vec<u8> {
    let length = [(4 * components.len()) as u8];
    length.into_iter().chain(components.iter().flat_map(|x| x.to_le_bytes())).collect()
}

#[test]
fn vectors_are_checked_where_they_are_read() {
    let right = vector_bytes(&[1.0, 2.0, -0.5]);
    let wrong: [&[f32]; 6] = [
        &[],
        &[1.0, 2.0],
        &[1.0, 2.0, -0.5, 0.0],
        &[1.0, f32::NAN, -0.5],
        &[1.0, 2.0, f32::INFINITY],
        &[0.0, -0.0, 0.0],
    ];
    for question in [search(by_ranks()), search(by_scores()), nearest(2, Options::default())] {
        assert!(with(&question, &right, &right).is_ok());
        for components in wrong {
            assert_eq!(why(with(&question, &right, &vector_bytes(components))), Refusal::Request, "{components:?}");
        }
        // Longer than all bytes that follow.
        let mut long = right.clone();
        long[0] = 0x7F;
        assert_eq!(why(with(&question, &right, &long)), Refusal::Request);
        // Of no vector field, and of none that there is.
        let of = |field: usize| [&[field as u8][..], &right].concat();
        if let Question::Search { .. } = question {
            for field in [BODY, TAG, SECOND, 200] {
                assert_eq!(why(with(&question, &of(FIRST), &of(field))), Refusal::Request, "{field}");
            }
        }
    }
    for field in [BODY, SECOND, 200] {
        let question = nearest(1, Options::default());
        assert_eq!(why(with(&question, &[5, FIRST as u8, 1, 12], &[5, field as u8, 1, 12])), Refusal::Request);
    }
}

#[test]
fn options_that_do_not_fit_are_refused() {
    let sums = |text: f64, fields: Vec<(usize, f64)>| Options { fusion: Fusion::Scores { text, fields }, ..by_ranks() };
    let wrong = [
        Options { sort: vec![(SortKey::Id, Direction::Ascending)], ..by_ranks() },
        Options { distinct: Some(TAG), ..by_scores() },
        sums(-1.0, vec![]),
        sums(f64::NAN, vec![]),
        sums(1.0, vec![(FIRST, 2e6)]),
        sums(1.0, vec![(FIRST, f64::INFINITY)]),
        sums(1.0, vec![(FIRST, 1.0), (FIRST, 1.0)]),
        sums(1.0, vec![(TAG, 1.0)]),
    ];
    let vectors = [vec![first(), second(), first()], vec![(SECOND, first().1)], vec![first(); 100]];
    let wrong_vectors = vectors.iter().map(|vectors| search_for(vectors, by_ranks()));
    for question in wrong.into_iter().map(search).chain(wrong_vectors) {
        let request = question.to_bytes(index().fingerprint(), None, None).unwrap();
        let response = handle(index(), &request, &Settings::default(), None);
        let answer = Response::read(&response, &question, index().schema()).map(|read| read.answer);
        assert_eq!(why(answer), Refusal::Request, "{question:?}");
    }
    // Each list counts.
    let queries = |count| {
        let query = Asked { nearest: &[second(), first()], ..Asked::default() };
        Question::Search { queries: vec![query.into(); count], options: by_ranks(), stored: false }
    };
    assert!(answered(index(), &queries(100)).is_ok());
    assert_eq!(why(answered(index(), &queries(1 + MOST_HITS / (3 * WINDOW)))), Refusal::Request);
    let many = nearest(1 + MOST_HITS / 150, Options { limit: usize::MAX, ..Options::default() });
    assert_eq!(why(answered(index(), &many)), Refusal::Request);
    let too_many = nearest(MOST_QUERIES + 1, Options::default()).to_bytes(0, None, None);
    assert!(matches!(too_many, Err(Error::Refused { why: Refusal::Request, .. })));
    // What takes too long is ended.
    for question in [search(by_ranks()), search(by_scores()), nearest(3, Options::default())] {
        let request = question.to_bytes(index().fingerprint(), None, Some(Duration::ZERO)).unwrap();
        let response = handle(index(), &request, &Settings::default(), None);
        let Answer::Found(all) = Response::read(&response, &question, index().schema()).unwrap().answer else {
            panic!()
        };
        assert!(all.iter().all(|of| of.found == Found { expired: true, ..Found::default() }));
    }
}

#[test]
fn a_ranking_has_what_was_asked_for_and_no_more() {
    let question = search(Options { total: true, ..by_ranks() });
    let Answer::Found(all) = answered(index(), &question).unwrap() else { panic!() };
    let own = ranking(&all[0]).unwrap();
    assert_eq!(own.lists().len(), 3);
    assert!(own.lists()[1..].iter().all(|list| list.hits.len() == WINDOW));
    let read = |question: &Question, found: &LeafFound| {
        let response = Response { commit: (1, 1), answer: Answer::Found(vec![found.clone()]) };
        Response::read(&response.to_bytes().unwrap(), question, index().schema()).map(|read| read.answer)
    };
    assert_eq!(read(&question, &all[0]), Ok(Answer::Found(all.clone())));
    type Edit<'e> = &'e dyn Fn(&mut Vec<RankedList>);
    let with = |edit: Edit| {
        let mut lists = own.lists().to_vec();
        edit(&mut lists);
        let mut found = all[0].clone();
        found.found.ranking = Some(Arc::new(Ranking::unchecked(own.documents().to_vec(), lists)));
        read(&question, &found)
    };
    assert!(with(&|_| ()).is_ok());
    let wrong: [Edit; 10] = [
        &|lists| drop(lists.pop()),
        &|lists| lists.push(RankedList::default()),
        &|lists| lists[1].hits[0].0 = lists[1].hits[1].0,
        &|lists| lists[1].hits[0].0 = own.documents().len(),
        &|lists| lists[2].hits.swap(0, 99),
        &|lists| lists[0].with_all = None,
        &|lists| lists[0].with_all = Some(101),
        &|lists| lists[1].with_all = Some(1),
        &|lists| lists.iter_mut().for_each(|list| list.hits.retain(|hit| hit.0 != 5)),
        &|lists| lists[0].hits[0].1 = f64::NAN,
    ];
    for (number, edit) in wrong.into_iter().enumerate() {
        assert!(matches!(with(edit), Err(Error::Corrupt { .. })), "{number}");
    }
    // Fewer were asked for.
    let two = search_for(&[first()], Options { total: true, ..by_ranks() });
    assert!(read(&two, &all[0]).is_err());
    // Without a list, and with one that was not asked for.
    let mut without = all[0].clone();
    without.found.ranking = None;
    assert!(read(&question, &without).is_err());
    assert!(read(&search(Options { offset: 1, total: true, ..by_ranks() }), &all[0]).is_err());
    // What was limited to fewer than the merged lists have, or does not begin at the first, is not merged.
    let merges = |options: Options, wanted: usize| {
        let found = found(&options);
        let part = RankingPart { page: &page(&search(options)), ranking: found.ranking.as_deref() };
        merge_rankings(&[part], 0, wanted).map(|merged| merged.0.page(0, wanted).len())
    };
    assert_eq!(merges(by_ranks(), WINDOW), Ok(WINDOW));
    assert!(matches!(merges(by_ranks(), WINDOW + 1), Err(Error::Argument(_))));
    assert_eq!(merges(Options { limit: 120, ..by_ranks() }, 120), Ok(120));
    assert!(matches!(merges(Options { offset: 1, ..by_ranks() }, 5), Err(Error::Argument(_))));
    let part = MergingPart { page: &page(&search(by_ranks())), with_all: None, hits: Vec::new() };
    assert!(matches!(merge(&[part], 0, 1), Err(Error::Argument(_))));
}

proptest! {
    /// Whatever a leaf is asked, it answers; and whatever it answers, hits can be merged, or it is an error.
    #[test]
    fn forged_bytes_are_read_or_refused(edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4)) {
        for question in [search(by_ranks()), search(by_scores()), nearest(3, Options::default())] {
            let request = question.to_bytes(index().fingerprint(), None, None).unwrap();
            let forged = handle(index(), &super::changed(&request, &edits), &Settings::default(), None);
            _ = Response::read(&forged, &question, index().schema());
            let response = handle(index(), &request, &Settings::default(), None);
            if let Ok(read) = Response::read(&super::changed(&response, &edits), &question, index().schema()) {
                let Answer::Found(all) = read.answer else { panic!() };
                let (Question::Search { options, .. } | Question::Nearest { options, .. }) = &question else { unreachable!() };
                if options.offset == 0 && all.iter().all(|of| !of.found.expired) {
                    _ = merged(&page(&question), &all, 0, options.limit);
                }
            }
        }
    }
}
