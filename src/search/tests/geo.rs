//! Areas and distances, compared with a look at every document.

use super::super::nearest::nearest;
use super::super::plan::QueryPlan;
use super::*;
use crate::base::earth::area::{Area, Circle, Rect};
use crate::base::earth::{Origin, Point};
use crate::index::{Codecs, Document, Field};
use crate::rank::Clock;

const BODY: usize = 0;
const TAG: usize = 1;
const PLACE: usize = 2;

fn schema() -> Schema {
    let field = |name: &str, kind| Field { stored: kind == Kind::Geo, ..Field::new(name, kind) };
    let fields = vec![field("body", Kind::Text), field("tag", Kind::Keyword), field("place", Kind::Geo)];
    let analyzer = crate::analysis::Analyzer::new(crate::analysis::AnalyzerOptions::default()).unwrap();
    Schema { fields, positions: true, codecs: Codecs::default(), analyzer }
}

/// A document: in degrees, with a word that one in three has, and a tag that one in forty has.
#[derive(Debug, Clone, Copy)]
struct Doc {
    id: i64,
    place: Option<(f64, f64)>,
}

impl Doc {
    fn has_word(&self) -> bool {
        self.id % 3 == 0
    }

    fn has_tag(&self) -> bool {
        self.id % 40 == 0
    }

    fn document(&self) -> Document {
        let body = if self.has_word() { "all word" } else { "all" };
        let mut values = vec![(BODY, Value::Text(body.into()))];
        values.extend(self.has_tag().then(|| (TAG, Value::Keywords(vec![b"rare".to_vec()]))));
        values.extend(self.place.map(|(lat, lng)| (PLACE, Value::Point(lat, lng))));
        Document { values }
    }

    fn point(&self) -> Option<Point> {
        self.place.map(|(lat, lng)| Point::new(lat, lng).unwrap())
    }
}

#[derive(Debug, Clone)]
enum Step {
    Add(Doc),
    Delete(i64),
}

/// An index, and its documents in the order of insertion.
fn built(folder: &Path, commits: &[Vec<Step>], optimize: Option<bool>) -> (Index, Vec<Doc>) {
    let mut writer = Writer::open(folder, Some(schema()), index::WriterOptions::default()).unwrap();
    let mut live: Vec<Doc> = Vec::new();
    for commit in commits {
        for step in commit {
            let (Step::Add(Doc { id, .. }) | Step::Delete(id)) = step;
            live.retain(|doc| doc.id != *id);
            match step {
                Step::Delete(id) => drop(writer.delete(&Id::Int(*id)).unwrap()),
                Step::Add(doc) => {
                    writer.add(Id::Int(doc.id), doc.document()).unwrap();
                    live.push(*doc);
                }
            }
        }
        writer.commit().unwrap();
    }
    if let Some(reorder) = optimize {
        writer.optimize(reorder).unwrap();
    }
    (Index::open(folder).unwrap(), live)
}

/// Where something could go wrong: a town, the antimeridian, the poles, the same point many times.
fn place() -> impl Strategy<Value = (f64, f64)> {
    prop_oneof![
        4 => (48.0..48.2f64, 11.4..11.8f64),
        2 => (-20.0..20.0f64, prop_oneof![179.0..=180.0f64, -180.0..=-179.0f64]),
        2 => (prop_oneof![89.0..=90.0f64, -90.0..=-89.0f64], -180.0..=180.0f64),
        1 => Just((48.1, 11.6)),
        1 => (-90.0..=90.0f64, -180.0..=180.0f64),
    ]
}

fn area() -> impl Strategy<Value = Area> {
    let metres = prop_oneof![Just(0.0), 0.0..3e4, 1e4..2e6, 1e6..2.1e7];
    prop_oneof![
        3 => (place(), metres).prop_map(|((lat, lng), metres)| {
            Area::Circle(Circle::new(Point::new(lat, lng).unwrap(), metres).unwrap())
        }),
        2 => (place(), place()).prop_map(|(a, b)| {
            Area::Rect(Rect::new((a.0.min(b.0), a.1), (a.0.max(b.0), b.1)).unwrap())
        }),
    ]
}

fn commits(most: usize) -> impl Strategy<Value = Vec<Vec<Step>>> {
    let doc = (0..400i64, prop::option::weighted(0.9, place())).prop_map(|(id, place)| Doc { id, place });
    let step = prop_oneof![9 => doc.prop_map(Step::Add), 1 => (0..400i64).prop_map(Step::Delete)];
    prop::collection::vec(prop::collection::vec(step, 0..most), 1..4)
}

fn ids(found: &Found) -> Vec<i64> {
    let id = |hit: &FoundHit| if let Id::Int(id) = hit.id { id } else { panic!("{hit:?}") };
    found.hits.iter().map(id).collect()
}

fn is_in(doc: &Doc, area: &Area) -> bool {
    match (doc.point(), area) {
        (Some(point), Area::Rect(rect)) => rect.contains(point),
        (Some(point), Area::Circle(circle)) => circle.origin().distance(point) <= circle.metres(),
        (None, _) => false,
    }
}

/// Whether a document is meant.
type Is<'a> = &'a dyn Fn(&Doc) -> bool;

/// Filters alone, and beside others of which few or many documents are left.
fn check_filters(index: &Index, live: &[Doc], area: Area) {
    let within = || Condition::Within(PLACE, area);
    let tag = || Condition::Keywords(TAG, vec![b"rare".to_vec()]);
    let cases: [(Condition, Is); 5] = [
        (within(), &|doc| is_in(doc, &area)),
        (Condition::Not(Box::new(within())), &|doc| !is_in(doc, &area)),
        (Condition::All(vec![within(), tag()]), &|doc| is_in(doc, &area) && doc.has_tag()),
        (Condition::Any(vec![tag(), within()]), &|doc| is_in(doc, &area) || doc.has_tag()),
        (
            Condition::All(vec![
                tag(),
                Condition::Any(vec![within(), Condition::Not(Box::new(Condition::Exists(PLACE)))]),
            ]),
            &|doc| doc.has_tag() && (doc.place.is_none() || is_in(doc, &area)),
        ),
    ];
    for (condition, passes) in cases {
        let options = Options { filter: filter(condition), limit: usize::MAX, ..Options::default() };
        for (query, matches) in [("", &(|_: &Doc| true) as Is), ("word", &Doc::has_word)] {
            let found = index.search(query, &options).unwrap();
            let wanted: Vec<i64> = live.iter().filter(|doc| matches(doc) && passes(doc)).map(|doc| doc.id).collect();
            assert_eq!(ids(&found), wanted, "{query} {options:?}");
            assert_eq!(index.count(query, &options).unwrap(), wanted.len() as u64);
            for hit in &found.hits {
                let doc = live.iter().find(|doc| Id::Int(doc.id) == hit.id).unwrap();
                let distance = match area {
                    Area::Circle(circle) => doc.point().map(|point| circle.origin().distance(point)),
                    Area::Rect(_) => None,
                };
                assert_eq!(hit.distance, distance);
            }
        }
    }
}

/// Orders by distance: all hits, the first ones, those after each, and beside other keys.
fn check_order(index: &Index, live: &[Doc], from: (f64, f64), area: Area) {
    let from = Point::new(from.0, from.1).unwrap();
    let distance = |doc: &Doc| doc.point().map(|point| Origin::new(from).distance(point));
    let key = |doc: &Doc| distance(doc).unwrap_or(f64::INFINITY);
    let by_distance = (SortKey::Distance(PLACE, from), Direction::Ascending);
    let all = || Options { limit: usize::MAX, ..Options::default() };
    for (query, within, others) in [
        ("", None, vec![]),
        ("word", None, vec![]),
        ("", Some(area), vec![]),
        ("", None, vec![(SortKey::Id, Direction::Descending)]),
        ("word", Some(area), vec![(SortKey::Id, Direction::Descending)]),
    ] {
        let condition = within.map_or(Condition::All(Vec::new()), |area| Condition::Within(PLACE, area));
        let sort: Vec<_> = [by_distance].into_iter().chain(others.iter().copied()).collect();
        let options = Options { filter: filter(condition), sort, ..all() };
        let mut wanted: Vec<&Doc> = live.iter().filter(|doc| query.is_empty() || doc.has_word()).collect();
        wanted.retain(|doc| within.is_none_or(|area| is_in(doc, &area)));
        let id = |doc: &&Doc| if others.is_empty() { 0 } else { -doc.id };
        wanted.sort_by(|a, b| key(a).total_cmp(&key(b)).then(id(a).cmp(&id(b))));
        let found = index.search(query, &options).unwrap();
        assert_eq!(ids(&found), wanted.iter().map(|doc| doc.id).collect::<Vec<_>>(), "{query:?} {options:?}");
        for (hit, doc) in found.hits.iter().zip(&wanted) {
            assert_eq!(hit.distance, distance(doc));
        }
        for (offset, limit) in [(0, 1), (0, 7), (3, 20)] {
            let options = Options { offset, limit, ..options.clone() };
            let page = index.search(query, &options).unwrap();
            assert_eq!(page.hits, found.hits.iter().skip(offset).take(limit).cloned().collect::<Vec<_>>());
        }
        for at in (0..found.hits.len()).step_by(1 + found.hits.len() / 4) {
            let hit = &found.hits[at];
            let after = index.after(hit.doc_id, hit.score, &options).unwrap();
            // What PHP keeps of a hit.
            let number = hit.distance.map_or(SortValue::None, SortValue::Number);
            assert_eq!(after.values[0], number);
            let options = Options { after: Some(after), limit: 9, ..options.clone() };
            let page = index.search(query, &options).unwrap();
            assert_eq!(page.hits, found.hits[at + 1..].iter().take(9).cloned().collect::<Vec<_>>(), "{at} {options:?}");
        }
    }
    // Farthest first; those without a point are last all the same.
    let options = Options { sort: vec![(by_distance.0, Direction::Descending)], ..all() };
    let mut wanted: Vec<&Doc> = live.iter().collect();
    wanted.sort_by(|a, b| distance(a).is_none().cmp(&distance(b).is_none()).then(key(b).total_cmp(&key(a))));
    assert_eq!(ids(&index.search("", &options).unwrap()), wanted.iter().map(|doc| doc.id).collect::<Vec<_>>());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn areas_and_distances(
        commits in commits(150),
        optimize in prop::option::of(any::<bool>()),
        areas in prop::collection::vec(area(), 6),
        from in place(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let (index, live) = built(folder.path(), &commits, optimize);
        for area in areas.iter().copied() {
            check_filters(&index, &live, area);
        }
        check_order(&index, &live, from, areas[0]);
    }
}

/// Enough documents for many blocks, in several segments.
#[test]
fn many_documents() {
    let mut runner = TestRunner::deterministic();
    let mut new =
        |id| Doc { id, place: prop::option::weighted(0.95, place()).new_tree(&mut runner).unwrap().current() };
    let commits: Vec<Vec<Step>> = [0..6000, 5500..8000, 7900..8300]
        .into_iter()
        .map(|ids| ids.map(|id| if id % 17 == 3 { Step::Delete(id - 2) } else { Step::Add(new(id)) }).collect())
        .collect();
    for optimize in [None, Some(true)] {
        let folder = tempfile::tempdir().unwrap();
        let (index, live) = built(folder.path(), &commits, optimize);
        assert_eq!(index.snapshot().parts().len() > 1, optimize.is_none());
        // Few of them are looked at for the nearest ones.
        let found_near = |(lat, lng): &(f64, f64)| {
            let sort = vec![(SortKey::Distance(PLACE, Point::new(*lat, *lng).unwrap()), Direction::Ascending)];
            let (options, clock) = (Options { sort, ..Options::default() }, Clock::never());
            let plan = QueryPlan::new(&index, "".into(), &options, &clock).unwrap();
            nearest(&index, &plan, &options, true, 10, &clock).unwrap().is_some_and(|hits| hits.len() == 10)
        };
        let points = [(0.0, 180.0), (5.0, -179.5), (-10.0, 179.8), (89.5, 20.0), (-89.9, 7.0), (48.05, 11.5)];
        assert!(points.iter().any(found_near));
        let mut runner = TestRunner::deterministic();
        for _ in 0..60 {
            check_filters(&index, &live, area().new_tree(&mut runner).unwrap().current());
        }
        for _ in 0..6 {
            let (from, area) = (place().new_tree(&mut runner).unwrap(), area().new_tree(&mut runner).unwrap());
            check_order(&index, &live, from.current(), area.current());
        }
    }
}

/// Documents of segments that were written before the index had the field have no point.
#[test]
fn a_field_that_was_added_later() {
    let folder = tempfile::tempdir().unwrap();
    let before = Schema { fields: schema().fields[..2].to_vec(), ..schema() };
    let mut writer = Writer::open(folder.path(), Some(before), index::WriterOptions::default()).unwrap();
    writer.add(Id::Int(1), Doc { id: 1, place: None }.document()).unwrap();
    writer.commit().unwrap();
    drop(writer);
    let mut writer = Writer::open(folder.path(), Some(schema()), index::WriterOptions::default()).unwrap();
    writer.add(Id::Int(2), Doc { id: 2, place: Some((1.0, 2.0)) }.document()).unwrap();
    writer.commit().unwrap();
    let check = || {
        let index = Index::open(folder.path()).unwrap();
        let from = Point::new(0.0, 0.0).unwrap();
        let sort = vec![(SortKey::Distance(PLACE, from), Direction::Ascending)];
        let found = index.search("", &Options { sort, ..Options::default() }).unwrap();
        assert_eq!(ids(&found), [2, 1]);
        let options = Options { filter: filter(Condition::Exists(PLACE)), ..Options::default() };
        assert_eq!(ids(&index.search("", &options).unwrap()), [2]);
        let stored = index.stored(index.doc_id(&Id::Int(2)).unwrap().unwrap()).unwrap();
        assert_eq!(stored, [(PLACE, Value::List(vec![Value::Number(1.0), Value::Number(2.0)]))]);
    };
    check();
    writer.optimize(false).unwrap();
    check();
}

#[test]
fn what_does_not_fit_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (index, _) = built(folder.path(), &[vec![Step::Add(Doc { id: 1, place: None })]], None);
    let point = Point { lat: 0, lng: 0 };
    let circle = || Area::Circle(Circle::new(point, 1.0).unwrap());
    let sorted = |key| Options { sort: vec![(key, Direction::Ascending)], ..Options::default() };
    let after = |value| Some(After { values: vec![value], doc_id: 0 });
    for options in [
        Options { filter: filter(Condition::Within(TAG, circle())), ..Options::default() },
        Options { filter: filter(Condition::Range(PLACE, 0.0, 1.0)), ..Options::default() },
        Options { facets: Some(vec![(PLACE, 3)]), ..Options::default() },
        Options { distinct: Some(PLACE), ..Options::default() },
        sorted(SortKey::Field(PLACE)),
        sorted(SortKey::Distance(TAG, point)),
        sorted(SortKey::Distance(9, point)),
        Options { after: after(SortValue::Number(f64::NAN)), ..sorted(SortKey::Distance(PLACE, point)) },
        Options { after: after(SortValue::Keyword(Vec::new())), ..sorted(SortKey::Distance(PLACE, point)) },
    ] {
        assert!(matches!(index.search("", &options), Err(Error::Argument(_))), "{options:?}");
    }
    let mut writer = Writer::open(folder.path(), None, index::WriterOptions::default()).unwrap();
    for value in
        [Value::Point(91.0, 0.0), Value::Point(0.0, f64::NAN), Value::Number(1.0), Value::Text(b"1,2".to_vec())]
    {
        let document = Document { values: vec![(PLACE, value)] };
        assert!(matches!(writer.add(Id::Int(5), document), Err(Error::Argument(_))));
    }
    let twice = Schema {
        fields: [schema().fields, vec![Field { kind: Kind::Keyword, stored: false, ..schema().fields[2].clone() }]]
            .concat(),
        ..schema()
    };
    let other = tempfile::tempdir().unwrap();
    assert!(Writer::open(other.path(), Some(twice), index::WriterOptions::default()).is_err());
}
