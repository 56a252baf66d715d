//! What a writer writes is what a snapshot shows: after any changes, faults, kills and losses of power.

mod add_index;
mod codecs;
mod copies;
mod disk;
mod faults;
mod fields;
mod kills;
mod life;
mod links;
mod memory;
mod processes;
mod truncated;

use super::*;
use crate::analysis::{self, Analyzer};
use crate::index::Codecs;
use crate::index::{Field, Kind, Snapshot, Value};
use proptest::prelude::*;
use std::fs;

/// Documents in order of insertion: their ids and texts.
pub(super) type Model = Vec<(Id, Vec<u8>)>;

pub(super) fn schema() -> Schema {
    let field = |name: &str, kind| Field { stored: true, ..Field::new(name, kind) };
    Schema {
        fields: vec![field("body", Kind::Text), field("lang", Kind::Keyword), field("price", Kind::Numeric)],
        positions: true,
        codecs: Codecs::default(),
        analyzer: Analyzer::new(analysis::AnalyzerOptions::default()).unwrap(),
    }
}

/// A document with that text.
pub(super) fn document(text: &[u8]) -> Document {
    let price = Value::Number(text.len() as f64);
    Document { values: vec![(0, Value::Text(text.into())), (1, Value::Keywords(vec![b"en".to_vec()])), (2, price)] }
}

pub(super) fn create(folder: &Path) -> Writer {
    Writer::open(folder, Some(schema()), WriterOptions::default()).unwrap()
}

pub(super) fn id(number: u64) -> Id {
    if number.is_multiple_of(3) {
        Id::Bytes(format!("doc-{number}").into_bytes().into())
    } else {
        Id::Int(number as i64)
    }
}

/// What a change does to documents in memory.
pub(super) fn replace(model: &mut Model, id: Id, text: &[u8]) {
    model.retain(|(other, _)| *other != id);
    model.push((id, text.into()));
}

/// The documents of a snapshot.
pub(super) fn read(snapshot: &Snapshot) -> Model {
    let mut documents = Vec::new();
    let mut base = 0;
    for part in snapshot.parts() {
        assert_eq!(part.base, base);
        base += u64::from(part.segment.documents());
        let mut of_part: Vec<(u32, Id, Vec<u8>)> = Vec::new();
        for doc_id in 0..part.segment.documents() {
            let id = part.segment.id(doc_id).unwrap();
            assert_eq!(part.segment.find(&id).unwrap(), Some(doc_id), "an id is once in a segment");
            if part.deleted.as_ref().is_some_and(|deleted| deleted.contains(doc_id)) {
                continue;
            }
            let values = part.segment.stored(doc_id).unwrap();
            let Some((0, Value::Text(text))) = values.first() else { panic!("{values:?}") };
            assert_eq!(part.segment.number(2, doc_id).unwrap(), Some(text.len() as f64));
            of_part.push((part.segment.ordinal(doc_id).unwrap(), id, text.clone()));
        }
        assert_eq!(of_part.len(), part.live() as usize);
        of_part.sort();
        documents.extend(of_part.into_iter().map(|(_, id, text)| (id, text)));
    }
    assert_eq!((snapshot.documents(), snapshot.live()), (base, documents.len() as u64));
    documents
}

/// The documents of an index.
pub(super) fn committed(folder: &Path) -> Model {
    read(&Snapshot::open(folder).unwrap())
}

/// The names of the files in a folder, sorted.
pub(super) fn names(folder: &Path) -> Vec<String> {
    let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
    let mut names: Vec<String> = fs::read_dir(folder).unwrap().map(name).collect();
    names.sort();
    names
}

/// Fails unless the folder has the files that the manifest names, and no others but those two.
pub(super) fn assert_clean(folder: &Path) {
    let snapshot = Snapshot::open(folder).unwrap();
    let mut expected = vec!["lock".to_string(), "manifest".to_string()];
    for entry in snapshot.parts().iter().map(crate::index::snapshot::SnapshotSegment::entry) {
        expected.push(format!("{}.segment", entry.meta.number));
        if let Some(deleted) = entry.deleted {
            expected.push(format!("{}-{}.deleted", entry.meta.number, deleted.generation));
        }
    }
    expected.sort();
    assert_eq!(names(folder), expected);
}

/// A change or another call.
#[derive(Debug, Clone)]
enum Step {
    Add(u64, Vec<u8>),
    Delete(u64),
    Write(Form),
    Commit,
    Rollback,
    Optimize,
    Reopen,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        12 => (0u64..40, "[a-d ]{0,12}").prop_map(|(id, text)| Step::Add(id, text.into_bytes())),
        4 => (0u64..40).prop_map(Step::Delete),
        4 => Just(Step::Write(Form::Segment)),
        4 => Just(Step::Write(Form::Run)),
        2 => Just(Step::Commit),
        1 => Just(Step::Rollback),
        1 => Just(Step::Optimize),
        1 => Just(Step::Reopen),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn an_index_is_a_list_of_documents_by_id(steps in proptest::collection::vec(step(), 0..160), threads in 1usize..3) {
        let folder = tempfile::tempdir().unwrap();
        let options = WriterOptions { threads, ..WriterOptions::default() };
        let mut writer = Writer::open(folder.path(), Some(schema()), options).unwrap();
        let (mut pending, mut visible) = (Model::new(), Model::new());
        let mut generation = 1;
        for step in steps {
            match step {
                Step::Add(number, text) => {
                    writer.add(id(number), document(&text)).unwrap();
                    replace(&mut pending, id(number), &text);
                }
                Step::Delete(number) => {
                    let is_there = pending.iter().any(|(other, _)| *other == id(number));
                    prop_assert_eq!(writer.delete(&id(number)).unwrap(), is_there);
                    pending.retain(|(other, _)| *other != id(number));
                }
                Step::Write(form) => writer.write(form).unwrap(),
                Step::Commit | Step::Optimize => {
                    let optimized = matches!(step, Step::Optimize);
                    let now = if optimized { writer.optimize(false) } else { writer.commit() }.unwrap();
                    prop_assert!(now == generation || now == generation + 1);
                    prop_assert!(now > generation || pending == visible);
                    prop_assert!(!writer.has_pending());
                    generation = now;
                    visible = pending.clone();
                    assert_clean(folder.path());
                    if optimized {
                        prop_assert_eq!(Snapshot::open(folder.path()).unwrap().parts().len(), usize::from(!visible.is_empty()));
                    }
                }
                Step::Rollback => {
                    writer.rollback().unwrap();
                    pending = visible.clone();
                    prop_assert!(!writer.has_pending());
                    assert_clean(folder.path());
                }
                Step::Reopen => {
                    drop(writer);
                    assert_clean(folder.path());
                    writer = Writer::open(folder.path(), None, options).unwrap();
                    pending = visible.clone();
                }
            }
            let snapshot = Snapshot::open(folder.path()).unwrap();
            prop_assert_eq!(snapshot.generation(), generation);
            prop_assert_eq!(&read(&snapshot), &visible);
        }
    }
}

#[test]
fn nothing_is_visible_before_a_commit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a/b");
    let mut writer = create(&path);
    assert_eq!((writer.generation(), committed(&path)), (1, vec![]));
    assert!(!writer.has_pending());
    assert_eq!(writer.commit().unwrap(), 1, "nothing to commit");
    writer.add(Id::Int(7), document(b"one")).unwrap();
    writer.add("7".into_id(), document(b"two")).unwrap();
    assert!(writer.has_pending());
    assert_eq!(committed(&path), vec![]);
    let before = Snapshot::open(&path).unwrap();
    assert_eq!(writer.commit().unwrap(), 2);
    assert_eq!(committed(&path), [(Id::Int(7), b"one".to_vec()), ("7".into_id(), b"two".to_vec())]);
    assert!(!before.is_current().unwrap());
    assert_eq!(read(&before), vec![]);
    let after = before.reload().unwrap();
    assert_eq!((after.generation(), after.live()), (2, 2));
    assert!(after.is_current().unwrap());
    assert!(Arc::ptr_eq(&after, &after.reload().unwrap()));
    assert!(Arc::ptr_eq(&after, &Snapshot::open(&path).unwrap()), "a process opens a commit once");
    // Files are shared from commit to commit.
    writer.delete(&Id::Int(7)).unwrap();
    writer.commit().unwrap();
    let last = after.reload().unwrap();
    assert!(Arc::ptr_eq(&last.parts()[0].segment, &after.parts()[0].segment));
    assert!(last.parts()[0].deleted.is_some() && after.parts()[0].deleted.is_none());
}

trait IntoId {
    fn into_id(self) -> Id;
}

impl IntoId for &str {
    fn into_id(self) -> Id {
        Id::Bytes(self.as_bytes().into())
    }
}

#[test]
fn snapshots_outlive_their_files() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = create(folder.path());
    let mut model = Model::new();
    let mut snapshots = Vec::new();
    for number in 0..30 {
        writer.add(id(number), document(b"some text")).unwrap();
        replace(&mut model, id(number), b"some text");
        writer.commit().unwrap();
        snapshots.push((Snapshot::open(folder.path()).unwrap(), model.clone()));
    }
    writer.optimize(false).unwrap();
    drop(writer);
    fs::remove_dir_all(folder.path()).unwrap();
    for (snapshot, model) in snapshots {
        assert_eq!(read(&snapshot), model);
        assert!(snapshot.reload().is_err());
    }
}

#[test]
fn opening_with_another_schema_says_what_differs() {
    let folder = tempfile::tempdir().unwrap();
    drop(create(folder.path()));
    let open = |schema: Schema| Writer::open(folder.path(), Some(schema), WriterOptions::default());
    let differs = |change: fn(&mut Schema), expected: &str| {
        let mut schema = schema();
        change(&mut schema);
        let error = open(schema).unwrap_err();
        assert!(matches!(error, Error::Argument(_)));
        assert!(error.to_string().contains(expected), "{error}");
        assert!(error.to_string().contains("Open it without fields"), "{error}");
    };
    differs(|schema| schema.fields[0].kind = Kind::Keyword, "field \"body\" is Text, not Keyword");
    differs(|schema| schema.fields[1].stored = false, "field \"lang\" is stored");
    differs(|schema| schema.positions = false, "it has positions");
    differs(|schema| drop(schema.fields.pop()), "it has a field \"price\"");
    differs(|schema| schema.fields[2].name = "cost".into(), "it has a field \"price\"");
    let folding = |schema: &mut Schema| {
        schema.analyzer = Analyzer::new(analysis::AnalyzerOptions { fold: true, ..Default::default() }).unwrap();
    };
    differs(folding, "its analyzer is ");
    let own = |schema: &mut Schema| {
        let options = analysis::AnalyzerOptions { fold: true, ..Default::default() };
        schema.fields[0].analyzer = Some(Analyzer::new(options).unwrap());
    };
    differs(own, "the analyzer of field \"body\" is version 1, language none, not version 1, language none, fold");
    let in_other_order = |mut schema: Schema| {
        schema.fields.swap(0, 1);
        schema
    };
    drop(open(in_other_order(schema())).unwrap());
    drop(Writer::open(folder.path(), None, WriterOptions::default()).unwrap());
}

#[test]
fn folders_without_an_index_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let error = Writer::open(folder.path(), None, WriterOptions::default()).unwrap_err().to_string();
    assert!(error.contains("there is no index: to create one, say which fields it has"), "{error}");
    assert_eq!(names(folder.path()), [""; 0]);
    let error = Snapshot::open(folder.path()).unwrap_err().to_string();
    assert!(error.contains("is not an index"), "{error}");
    assert!(Snapshot::open(&folder.path().join("absent")).is_err());
    assert!(Writer::open(&folder.path().join("absent"), None, WriterOptions::default()).is_err());
    // An index that has lost its manifest is not replaced by an empty one.
    fs::write(folder.path().join("3.segment"), "").unwrap();
    fs::write(folder.path().join("mine.txt"), "").unwrap();
    let error = Writer::open(folder.path(), Some(schema()), WriterOptions::default()).unwrap_err().to_string();
    assert!(error.contains("3.segment is there, but no manifest"), "{error}");
    fs::remove_file(folder.path().join("3.segment")).unwrap();
    drop(create(folder.path()));
    assert_eq!(names(folder.path()), ["lock", "manifest", "mine.txt"]);
    // Litter of a writer that ended early; its numbers are not used again.
    for litter in ["7.segment", "7-2.deleted", "8.spill", "manifest.tmp"] {
        fs::write(folder.path().join(litter), "").unwrap();
    }
    let mut writer = Writer::open(folder.path(), None, WriterOptions::default()).unwrap();
    assert_eq!(names(folder.path()), ["lock", "manifest", "mine.txt"]);
    writer.add(Id::Int(1), document(b"text")).unwrap();
    writer.commit().unwrap();
    assert_eq!(names(folder.path()), ["9.segment", "lock", "manifest", "mine.txt"]);
}

#[test]
fn fields_that_no_query_can_name_are_refused_and_old_ones_stay() {
    let named = |name: &str| {
        let mut schema = schema();
        schema.fields[0].name = name.into();
        schema
    };
    for (name, what) in [
        ("-a", "must not begin with '-'"),
        ("\"a", "must not begin with a quotation mark"),
        ("„a", "must not begin with a quotation mark"),
        ("a:b", "must not contain ':' or white space"),
        ("a\u{a0}b", "must not contain ':' or white space"),
        ("", "has 1 to 1000 bytes"),
    ] {
        let top = tempfile::tempdir().unwrap();
        let folder = top.path().join("index");
        let error = Writer::open(&folder, Some(named(name)), WriterOptions::default()).unwrap_err();
        assert!(matches!(&error, Error::Argument(text) if text.contains(what)), "{error}");
        assert!(!folder.exists(), "nothing is created");
        if name.is_empty() {
            continue;
        }
        // As an older version wrote it.
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("manifest"), Manifest::new(named(name)).unwrap().encode().unwrap()).unwrap();
        drop(Writer::open(&folder, Some(named(name)), WriterOptions::default()).unwrap());
        let mut writer = Writer::open(&folder, None, WriterOptions::default()).unwrap();
        writer.add(Id::Int(1), document(b"text")).unwrap();
        writer.commit().unwrap();
        assert_eq!(committed(&folder).len(), 1);
    }
    for name in ["a-", "a\"b", "größe"] {
        drop(Writer::open(tempfile::tempdir().unwrap().path(), Some(named(name)), WriterOptions::default()).unwrap());
    }
}

#[test]
fn a_document_that_does_not_suit_changes_nothing() {
    for threads in [1, 2] {
        let folder = tempfile::tempdir().unwrap();
        let options = WriterOptions { threads, ..WriterOptions::default() };
        let mut writer = Writer::open(folder.path(), Some(schema()), options).unwrap();
        writer.add(Id::Int(1), document(b"text")).unwrap();
        for values in [vec![(3, Value::Number(1.0))], vec![(2, Value::Number(f64::NAN))], vec![(0, Value::Bool(true))]]
        {
            assert!(matches!(writer.add(Id::Int(1), Document { values }), Err(Error::Argument(_))));
        }
        writer.commit().unwrap();
        assert_eq!(committed(folder.path()), [(Id::Int(1), b"text".to_vec())]);
    }
}

#[test]
fn damaged_files_are_errors_and_stay() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = create(folder.path());
    for number in 0..20 {
        writer.add(id(number), document(b"some text")).unwrap();
    }
    writer.commit().unwrap();
    writer.delete(&id(3)).unwrap();
    writer.commit().unwrap();
    drop(writer);
    for name in names(folder.path()).iter().filter(|name| *name != "lock") {
        let file = folder.path().join(name);
        let whole = fs::read(&file).unwrap();
        for damaged in [&whole[..whole.len() - 1], &[&whole[..], &[0]].concat(), &[]] {
            fs::write(&file, damaged).unwrap();
            assert!(Snapshot::open(folder.path()).is_err(), "{name}");
            assert!(Writer::open(folder.path(), None, WriterOptions::default()).is_err(), "{name}");
        }
        fs::remove_file(&file).unwrap();
        assert!(Snapshot::open(folder.path()).is_err(), "{name}");
        assert!(Writer::open(folder.path(), None, WriterOptions::default()).is_err(), "{name}");
        fs::write(&file, &whole).unwrap();
        assert_eq!(committed(folder.path()).len(), 19);
    }
    drop(Writer::open(folder.path(), None, WriterOptions::default()).unwrap());
    assert_clean(folder.path());
}

#[test]
fn many_documents_by_several_threads_are_in_order() {
    // Enough for several fillings of the buffer, and for ids to be looked up by the filter.
    let text = |number: u64| [b"word ".repeat(60 + number as usize % 7), number.to_string().into_bytes()].concat();
    for threads in [1, 3] {
        let folder = tempfile::tempdir().unwrap();
        let options = WriterOptions { threads, memory: 0, ..WriterOptions::default() };
        let mut writer = Writer::open(folder.path(), Some(schema()), options).unwrap();
        let count = 60_000;
        for number in (0..count).chain((0..count).step_by(10)) {
            writer.add(id(number), document(&text(number))).unwrap();
        }
        for number in (0..count).step_by(15) {
            assert!(writer.delete(&id(number)).unwrap());
        }
        assert!(writer.segments.len() >= 3, "{}", writer.segments.len());
        assert!(writer.filter.is_some());
        writer.commit().unwrap();
        assert_clean(folder.path());
        let expected: Vec<Id> = (0..count)
            .filter(|number| number % 10 != 0)
            .chain((0..count).step_by(10))
            .filter(|number| number % 15 != 0)
            .map(id)
            .collect();
        let found = committed(folder.path());
        assert!(found.iter().map(|(id, _)| id).eq(&expected), "{threads}");
        assert_eq!(found[0].1, text(1));
    }
}
