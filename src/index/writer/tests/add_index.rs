//! Documents of another index: after any changes of both, and faults.

use super::*;
use crate::analysis::AnalyzerOptions;
use crate::index::storage::Operation;
use crate::index::storage::faults::{Fault, Watch};
use std::os::unix::fs::FileExt;

#[derive(Debug, Clone)]
enum Step {
    Add(u64, Vec<u8>),
    Delete(u64),
    Commit,
    Rollback,
    Optimize(bool),
    Clear,
    Reopen,
    /// The next steps change the other index.
    Change,
    AddIndex,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        16 => (0u64..40, "[a-d ]{0,12}").prop_map(|(id, text)| Step::Add(id, text.into_bytes())),
        5 => (0u64..40).prop_map(Step::Delete),
        4 => Just(Step::Commit),
        1 => Just(Step::Rollback),
        1 => any::<bool>().prop_map(Step::Optimize),
        1 => Just(Step::Clear),
        1 => Just(Step::Reopen),
        2 => Just(Step::Change),
        4 => Just(Step::AddIndex),
    ]
}

struct Side {
    writer: Writer,
    folder: tempfile::TempDir,
    pending: Model,
    visible: Model,
}

impl Side {
    fn new() -> Side {
        let folder = tempfile::tempdir().unwrap();
        Side { writer: create(folder.path()), folder, pending: Model::new(), visible: Model::new() }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn it_adds_the_documents_in_their_order(
        steps in proptest::collection::vec(step(), 0..200),
        links in any::<bool>(),
        threads in 1usize..3,
    ) {
        let (mut own, mut other) = (Side::new(), Side::new());
        let options = WriterOptions { threads, ..WriterOptions::default() };
        let no_links = (!links).then_some((0, Fault::Of(Operation::Link, libc::EXDEV)));
        let _watches = [own.folder.path(), other.folder.path()].map(|folder| Watch::new(folder, no_links));
        for step in steps {
            match step {
                Step::Add(number, text) => {
                    own.writer.add(id(number), document(&text)).unwrap();
                    replace(&mut own.pending, id(number), &text);
                }
                Step::Delete(number) => {
                    let is_there = own.pending.iter().any(|(other, _)| *other == id(number));
                    prop_assert_eq!(own.writer.delete(&id(number)).unwrap(), is_there);
                    own.pending.retain(|(other, _)| *other != id(number));
                }
                Step::Commit | Step::Optimize(_) => {
                    match step {
                        Step::Optimize(reorder) => own.writer.optimize(reorder).unwrap(),
                        _ => own.writer.commit().unwrap(),
                    };
                    own.visible = own.pending.clone();
                    assert_clean(own.folder.path());
                }
                Step::Rollback => {
                    own.writer.rollback().unwrap();
                    own.pending = own.visible.clone();
                    assert_clean(own.folder.path());
                }
                Step::Clear => {
                    own.writer.clear().unwrap();
                    own.pending.clear();
                }
                Step::Reopen => {
                    let Side { writer, folder, pending, visible } = own;
                    drop(writer);
                    assert_clean(folder.path());
                    let writer = Writer::open(folder.path(), None, options).unwrap();
                    own = Side { writer, folder, pending: visible.clone(), visible };
                    drop(pending);
                }
                Step::Change => std::mem::swap(&mut own, &mut other),
                Step::AddIndex => {
                    // The other one may have documents that were not committed.
                    let count = own.writer.add_index(other.folder.path()).unwrap();
                    prop_assert_eq!(count, other.visible.len() as u64);
                    other.visible.iter().for_each(|(id, text)| replace(&mut own.pending, id.clone(), text));
                }
            }
            prop_assert_eq!(&committed(own.folder.path()), &own.visible);
            prop_assert_eq!(&committed(other.folder.path()), &other.visible);
        }
        for mut side in [own, other] {
            side.writer.commit().unwrap();
            prop_assert_eq!(committed(side.folder.path()), side.pending);
            assert_clean(side.folder.path());
        }
    }
}

fn filled(folder: &Path, numbers: std::ops::Range<u64>, text: &[u8]) -> Writer {
    let mut writer = create(folder);
    numbers.for_each(|number| writer.add(id(number), document(text)).unwrap());
    writer.commit().unwrap();
    writer
}

#[test]
fn other_schemas_are_refused_and_say_what_differs() {
    let top = tempfile::tempdir().unwrap();
    let own = top.path().join("own");
    let mut writer = filled(&own, 0..5, b"one");
    let mut refused = |name: &str, change: fn(&mut Schema), expected: &str| {
        let (folder, mut schema) = (top.path().join(name), schema());
        change(&mut schema);
        drop(Writer::open(&folder, Some(schema), WriterOptions::default()).unwrap());
        let error = writer.add_index(&folder).unwrap_err();
        assert!(matches!(error, Error::Argument(_)), "{error}");
        let (error, folder) = (error.to_string(), folder.display().to_string());
        assert!(error.contains(expected) && error.contains(&folder), "{error}");
        assert!(error.contains(&own.display().to_string()), "{error}");
        assert!(!writer.has_pending());
    };
    refused("kind", |schema| schema.fields[0].kind = Kind::Keyword, "field \"body\" is Text, not Keyword");
    refused("stored", |schema| schema.fields[1].stored = false, "field \"lang\" is stored");
    refused("positions", |schema| schema.positions = false, "it has positions");
    refused("fewer", |schema| drop(schema.fields.pop()), "it has a field \"price\"");
    refused("order", |schema| schema.fields.swap(0, 1), "its fields are in another order");
    let more = |schema: &mut Schema| {
        let field = Field { name: "cost".into(), ..schema.fields[2].clone() };
        schema.fields.push(field);
    };
    refused("more", more, "it has no field \"cost\"");
    let folding = |schema: &mut Schema| {
        schema.analyzer = Analyzer::new(AnalyzerOptions { fold: true, ..Default::default() }).unwrap();
    };
    refused("analyzer", folding, "its analyzer is ");
    let own_analyzer = |schema: &mut Schema| {
        schema.fields[0].analyzer = Some(Analyzer::new(AnalyzerOptions { fold: true, ..Default::default() }).unwrap());
    };
    refused("field analyzer", own_analyzer, "the analyzer of field \"body\" is");
    for itself in [own.clone(), own.join("../own")] {
        let error = writer.add_index(&itself).unwrap_err().to_string();
        assert!(error.contains("cannot be added to itself"), "{error}");
    }
    assert!(matches!(writer.add_index(&top.path().join("absent")), Err(Error::Missing { .. })));
    assert!(matches!(writer.add_index(top.path()), Err(Error::Missing { .. })));
    // Weights and codecs are the writer's.
    let (folder, mut other) = (top.path().join("weights"), schema());
    other.fields[0].weight = 7.0;
    other.codecs = Codecs { frequencies: crate::index::BlockCodec::all().nth(1).unwrap(), ..other.codecs };
    let mut other = Writer::open(&folder, Some(other), WriterOptions::default()).unwrap();
    other.add(id(100), document(b"theirs")).unwrap();
    other.commit().unwrap();
    assert_eq!(writer.add_index(&folder).unwrap(), 1);
    writer.commit().unwrap();
    let snapshot = Snapshot::open(&own).unwrap();
    assert_eq!((snapshot.live(), snapshot.schema().fields[0].weight), (6, 1.0));
}

#[test]
fn an_index_that_grew_brings_segments_with_fewer_fields() {
    let top = tempfile::tempdir().unwrap();
    let [own, other] = ["own", "other"].map(|name| top.path().join(name));
    let grown = || {
        let mut schema = schema();
        schema.fields.push(Field { name: "cost".into(), ..schema.fields[2].clone() });
        schema
    };
    drop(filled(&other, 0..5, b"one"));
    let mut writer = Writer::open(&other, Some(grown()), WriterOptions::default()).unwrap();
    writer.commit().unwrap();
    drop(writer);
    let mut writer = Writer::open(&own, Some(grown()), WriterOptions::default()).unwrap();
    assert_eq!(writer.add_index(&other).unwrap(), 5);
    writer.commit().unwrap();
    assert!(Snapshot::open(&own).unwrap().manifest().grown);
    assert_eq!(committed(&own), committed(&other));
    writer.optimize(false).unwrap();
    assert_eq!(committed(&own), committed(&other));
}

/// Operations in the writer's folder fail: a link alone, which is a copy then, and all from one on.
#[test]
fn after_a_failure_nothing_is_added() {
    let top = tempfile::tempdir().unwrap();
    let other = top.path().join("other");
    let mut source = filled(&other, 3..20, b"theirs");
    source.add(id(30), document(b"late")).unwrap();
    source.delete(&id(19)).unwrap();
    source.commit().unwrap();
    let theirs = committed(&other);
    for fault in [Fault::Once(libc::EMLINK), Fault::From(libc::ENOSPC)] {
        let mut failed = 0;
        for at in 0.. {
            let own = tempfile::tempdir().unwrap();
            let mut writer = filled(own.path(), 0..10, b"ours");
            let before = (names(own.path()), committed(own.path()));
            let mut model = before.1.clone();
            writer.add(id(25), document(b"pending")).unwrap();
            replace(&mut model, id(25), b"pending");
            writer.flush().unwrap();
            let watch = Watch::new(own.path(), Some((at, fault)));
            let result = writer.add_index(&other);
            let is_over = watch.operations().len() <= at;
            drop(watch);
            if let Err(error) = result {
                failed += 1;
                assert!(matches!(error, Error::File { .. }));
                assert!(writer.lost.is_none());
                if at % 2 == 0 {
                    writer.rollback().unwrap();
                    assert_eq!((names(own.path()), committed(own.path())), before);
                    continue;
                }
                assert_eq!(writer.add_index(&other).unwrap(), theirs.len() as u64);
            }
            theirs.iter().for_each(|(id, text)| replace(&mut model, id.clone(), text));
            writer.commit().unwrap();
            assert_eq!(committed(own.path()), model);
            assert_clean(own.path());
            if is_over {
                break;
            }
        }
        assert_eq!(failed > 0, fault == Fault::From(libc::ENOSPC), "{failed} failed");
    }
}

#[test]
fn what_was_not_committed_goes_with_the_writer() {
    let top = tempfile::tempdir().unwrap();
    let [own, other] = ["own", "other"].map(|name| top.path().join(name));
    drop(filled(&other, 0..20, b"theirs"));
    let mut writer = filled(&own, 10..30, b"ours");
    let model = committed(&own);
    assert_eq!(writer.add_index(&other).unwrap(), 20);
    assert!(writer.has_pending());
    assert_eq!(committed(&own), model);
    // As by a process that is killed.
    let files = names(&own);
    assert!(files.contains(&"2.segment".into()), "{files:?}");
    drop(writer.rollback());
    assert_eq!(committed(&own), model);
    assert_clean(&own);
    writer.add_index(&other).unwrap();
    std::mem::forget(std::mem::replace(&mut writer, filled(&top.path().join("third"), 0..1, b"x")));
    fs::remove_file(own.join("lock")).unwrap();
    let mut writer = Writer::open(&own, None, WriterOptions::default()).unwrap();
    assert_clean(&own);
    assert_eq!(committed(&own), model);
    // Deleted before and after.
    writer.delete(&id(25)).unwrap();
    writer.add_index(&other).unwrap();
    assert!(writer.delete(&id(0)).unwrap());
    writer.commit().unwrap();
    let ids: Vec<Id> = committed(&own).into_iter().map(|(id, _)| id).collect();
    let expected = (20..25).chain(26..30).chain(1..20);
    assert_eq!(ids, expected.map(id).collect::<Vec<_>>());
}

/// Documents are added once their segments are, whatever becomes of merging.
#[test]
fn merging_that_fails_is_left_to_the_commit() {
    let top = tempfile::tempdir().unwrap();
    let [own, other] = ["own", "other"].map(|name| top.path().join(name));
    drop(filled(&other, 100..103, b"theirs"));
    let mut writer = create(&own);
    let mut noise = crate::base::noise::Noise(7);
    for number in 0..49 {
        let text: String = (0..8_000).map(|_| format!("{:x} ", noise.below(1 << 40))).collect();
        writer.add(id(number), document(text.as_bytes())).unwrap();
        writer.flush().unwrap();
    }
    let damaged = fs::OpenOptions::new().write(true).open(own.join("25.segment")).unwrap();
    damaged.write_all_at(&[0x55; 64], damaged.metadata().unwrap().len() / 2).unwrap();
    assert_eq!(writer.add_index(&other).unwrap(), 3);
    assert!(writer.delete(&id(101)).unwrap());
    assert!(matches!(writer.commit(), Err(Error::Corrupt { .. })));
}
