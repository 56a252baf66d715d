//! Codecs of frequencies and positions: remembered, changed, and merged.

use super::*;
use crate::index::BlockCodec;

fn codec(name: &str) -> BlockCodec {
    BlockCodec::from_name(name).unwrap()
}

fn options(frequencies: Option<&str>, positions: Option<&str>) -> WriterOptions {
    WriterOptions {
        frequency_codec: frequencies.map(codec),
        position_codec: positions.map(codec),
        ..WriterOptions::default()
    }
}

fn codecs(frequencies: &str, positions: &str) -> Codecs {
    Codecs { frequencies: codec(frequencies), positions: codec(positions) }
}

/// Those of the manifest, and of each segment.
fn written(folder: &Path) -> (Codecs, Vec<Codecs>) {
    let snapshot = Snapshot::open(folder).unwrap();
    (snapshot.schema().codecs, snapshot.parts().iter().map(|part| part.segment.codecs()).collect())
}

#[test]
fn an_index_keeps_its_codecs_until_a_writer_changes_them() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (codecs("optpfd", "simple16"), codecs("optpfd", "variablebyte"));
    let add = |writer: &mut Writer, number: u64| {
        writer.add(id(number), document(b"some words")).unwrap();
        writer.commit().unwrap();
    };
    let mut writer = Writer::open(folder.path(), Some(schema()), options(Some("optpfd"), Some("simple16"))).unwrap();
    assert!(!writer.has_pending());
    add(&mut writer, 1);
    drop(writer);
    assert_eq!(written(folder.path()), (first, vec![first]));
    // Neither a schema with the default codecs nor none changes them.
    for schema in [Some(schema()), None] {
        let writer = Writer::open(folder.path(), schema, WriterOptions::default()).unwrap();
        assert_eq!(writer.schema().codecs, first);
        assert!(!writer.has_pending());
    }
    // Opening with another is a change, which a commit publishes.
    let mut writer = Writer::open(folder.path(), None, options(None, Some("variablebyte"))).unwrap();
    assert!(writer.has_pending());
    assert_eq!((writer.schema().codecs, written(folder.path()).0), (second, first));
    let generation = writer.commit().unwrap();
    assert_eq!(written(folder.path()), (second, vec![first]));
    assert!(!writer.has_pending() && writer.commit().unwrap() == generation);
    add(&mut writer, 2);
    assert_eq!(written(folder.path()), (second, vec![first, second]));
    // What is deleted, rolled back and committed again has the codecs of its segment or of the writer.
    assert!(writer.delete(&id(2)).unwrap());
    writer.rollback().unwrap();
    assert_eq!(writer.schema().codecs, second);
    writer.optimize(false).unwrap();
    assert_eq!(written(folder.path()), (second, vec![second]));
    drop(writer);
    // One segment of other codecs is rewritten; one of the same is left alone.
    let mut writer = Writer::open(folder.path(), None, options(Some("bp128"), Some("bp128"))).unwrap();
    let generation = writer.optimize(false).unwrap();
    assert_eq!(written(folder.path()), (Codecs::FIRST, vec![Codecs::FIRST]));
    assert_eq!(writer.optimize(false).unwrap(), generation);
    assert_eq!(read(&Snapshot::open(folder.path()).unwrap()).len(), 2);
}

#[test]
fn indexes_with_the_first_codecs_are_of_version_1() {
    for (options, version) in [(options(Some("bp128"), Some("bp128")), 1), (options(None, Some("rice")), 2)] {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = Writer::open(folder.path(), Some(schema()), options).unwrap();
        writer.add(id(1), document(b"words")).unwrap();
        writer.commit().unwrap();
        for file in ["manifest", "1.segment"] {
            assert_eq!(std::fs::read(folder.path().join(file)).unwrap()[4], version, "{file}");
        }
    }
}
