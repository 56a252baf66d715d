//! New fields of an index that exists, several kinds of one value, and values of every form.

use super::*;
use crate::index::segment::Segment;
use std::collections::BTreeSet;

fn field(name: &str, kind: Kind, stored: bool) -> Field {
    Field { stored, ..Field::new(name, kind) }
}

/// That of the other tests, with more fields.
fn grown() -> Schema {
    let mut schema = schema();
    schema.fields.extend([
        field("note", Kind::Text, true),
        field("note", Kind::Keyword, false),
        field("note", Kind::Numeric, false),
        field("kept", Kind::Stored, true),
    ]);
    schema
}

fn open(folder: &Path, schema: Schema, threads: usize) -> Writer {
    Writer::open(folder, Some(schema), WriterOptions { threads, ..WriterOptions::default() }).unwrap()
}

/// What a field knows of a document: its keywords or terms, its number, its length.
fn known(segment: &Segment, field: usize, doc_id: u32) -> (BTreeSet<Vec<u8>>, Option<f64>, u8) {
    let kind = segment.schema().fields[field].kind;
    let mut terms = BTreeSet::new();
    if kind.has_terms() {
        let mut all = segment.dictionary(field).unwrap().terms().unwrap();
        while let Some((term, value, ())) = all.next().unwrap() {
            let mut decoded = Default::default();
            segment.decode(field, value, &mut decoded).unwrap();
            if decoded.doc_ids.contains(&doc_id) {
                terms.insert(term.to_vec());
            }
        }
    }
    let number = if kind == Kind::Numeric { segment.number(field, doc_id).unwrap() } else { None };
    let length = if kind == Kind::Text { segment.lengths(field).unwrap()[doc_id as usize] } else { 0 };
    (terms, number, length)
}

fn set<const N: usize>(terms: [&str; N]) -> BTreeSet<Vec<u8>> {
    terms.iter().map(|term| term.as_bytes().to_vec()).collect()
}

#[test]
fn an_index_gets_fields_and_old_documents_have_none() {
    for threads in [1, 2] {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = create(folder.path());
        for number in 0..5 {
            writer.add(id(number), document(b"old text")).unwrap();
        }
        writer.commit().unwrap();
        drop(writer);
        let before = Snapshot::open(folder.path()).unwrap();
        assert_eq!(fs::read(folder.path().join("manifest")).unwrap()[4], 1, "what needs no new version has none");

        let mut writer = open(folder.path(), grown(), threads);
        assert!(writer.has_pending(), "the fields are new");
        let with = |text: &[u8], note: Value| {
            let mut document = document(text);
            document.values.extend([(3, note), (6, Value::Bool(true))]);
            document
        };
        writer.add(id(1), with(b"new", Value::Int(2020))).unwrap();
        for refused in [Value::Text(b"abc".to_vec()), Value::Bool(true), Value::Int(1 << 54)] {
            let error = writer.add(id(2), with(b"x", refused)).unwrap_err().to_string();
            assert!(error.starts_with("field note: "), "{error}");
        }
        let second = Document { values: vec![(4, Value::Int(1))] };
        assert!(writer.add(id(2), second).is_err(), "the value is that of the first kind");
        writer.commit().unwrap();
        writer.rollback().unwrap();
        assert!(!writer.has_pending());
        drop(writer);
        let after = before.reload().unwrap();
        assert_eq!((read(&before).len(), read(&after).len()), (5, 5));
        assert_eq!(fs::read(folder.path().join("manifest")).unwrap()[4], 3);
        assert_eq!((after.schema().fields.len(), after.parts().len()), (7, 2));
        let check = |snapshot: &Snapshot| {
            for part in snapshot.parts() {
                for doc_id in (0..part.segment.documents()).filter(|&doc_id| part.is_live(doc_id)) {
                    let is_new = part.segment.id(doc_id).unwrap() == id(1);
                    let stored = part.segment.stored(doc_id).unwrap();
                    let of = |field| known(&part.segment, field, doc_id);
                    if is_new {
                        assert_eq!(stored[3..], [(3, Value::Int(2020)), (6, Value::Bool(true))]);
                        assert_eq!(of(3), (set(["2020"]), None, 1));
                        assert_eq!(of(4), (set(["2020"]), None, 0));
                        assert_eq!(of(5), (set([]), Some(2020.0), 0));
                    } else {
                        assert_eq!(stored.len(), 3);
                        assert!((3..6).all(|field| of(field) == (set([]), None, 0)));
                    }
                }
                assert!(part.segment.counts(6).is_ok() && part.segment.counts(7).is_err());
                assert!(part.segment.column(3).is_err() && part.segment.dictionary(5).is_err());
                assert_eq!(part.segment.lengths(3).unwrap().len(), part.segment.documents() as usize);
            }
        };
        check(&after);
        // Without the fields, or with no schema at all.
        assert!(Writer::open(folder.path(), Some(schema()), WriterOptions::default()).is_err());
        let mut writer =
            Writer::open(folder.path(), None, WriterOptions { threads, ..WriterOptions::default() }).unwrap();
        assert!(!writer.has_pending());
        writer.optimize(threads == 2).unwrap();
        let merged = after.reload().unwrap();
        assert_eq!(merged.parts().len(), 1);
        check(&merged);
        assert!(!merged.manifest().grown);
        drop(writer);
        assert_clean(folder.path());
    }
}

#[test]
fn weights_change_and_nothing_else_does() {
    let folder = tempfile::tempdir().unwrap();
    drop(create(folder.path()));
    let mut other = schema();
    other.fields[0].weight = 3.0;
    let mut writer = open(folder.path(), other.clone(), 1);
    assert_eq!(Snapshot::open(folder.path()).unwrap().schema().fields[0].weight, 1.0);
    writer.commit().unwrap();
    assert_eq!(Snapshot::open(folder.path()).unwrap().schema().fields[0].weight, 3.0);
    drop(writer);
    let refused = |change: &dyn Fn(&mut Vec<Field>)| {
        let mut schema = other.clone();
        change(&mut schema.fields);
        Writer::open(folder.path(), Some(schema), WriterOptions::default()).unwrap_err().to_string()
    };
    let says = |error: String, what: &str| assert!(error.contains(what), "{error}");
    says(refused(&|fields| fields[1].kind = Kind::Numeric), "field \"lang\" is Keyword, not Numeric");
    says(refused(&|fields| fields[1].stored = false), "field \"lang\" is stored");
    says(refused(&|fields| drop(fields.pop())), "it has a field \"price\"");
    says(
        refused(&|fields| fields.push(field("lang", Kind::Text, false))),
        "field \"lang\" is Keyword, not Keyword and Text",
    );
    says(refused(&|fields| fields.push(field("lang", Kind::Keyword, false))), "there are two fields \"lang\"");
    says(refused(&|fields| fields.push(field("-x", Kind::Keyword, false))), "\"-x\"");
    says(refused(&|fields| fields.push(field("x", Kind::Stored, false))), "only stored, and more");
}

#[test]
fn values_come_back_as_they_went_in() {
    let texts = |texts: &[&str]| Value::Keywords(texts.iter().map(|text| text.as_bytes().to_vec()).collect());
    let text = |text: &str| Value::Text(text.as_bytes().to_vec());
    let mut schema = schema();
    schema.fields[1].stored = true;
    let cases = [
        (0, Value::Int(-5), set(["5"])),
        (0, Value::Number(2.5), set(["2.5"])),
        (0, texts(&["one two", "", "two three"]), set(["one", "two", "three"])),
        (0, Value::List(vec![text("one"), Value::Int(7)]), set(["one", "7"])),
        (1, text("A b"), set(["A b"])),
        (1, Value::Int(7), set(["7"])),
        (1, Value::Number(0.5), set(["0.5"])),
        (1, Value::Bool(false), set(["false"])),
        (
            1,
            Value::List(vec![Value::Bool(true), text("x"), Value::Int(-1), Value::Number(1e30)]),
            set(["true", "x", "-1", "1.0E+30"]),
        ),
        (1, texts(&["b", "a", "b"]), set(["a", "b"])),
        (1, Value::List(vec![]), set([])),
    ];
    let folder = tempfile::tempdir().unwrap();
    let mut writer = open(folder.path(), schema, 2);
    for (number, (field, value, _)) in cases.iter().enumerate() {
        writer.add(Id::Int(number as i64), Document { values: vec![(*field, value.clone())] }).unwrap();
    }
    writer
        .add(Id::Int(99), Document { values: vec![(1, Value::Time(1.5, b"1970".to_vec())), (2, Value::Int(3))] })
        .unwrap();
    writer.commit().unwrap();
    for _ in 0..2 {
        let snapshot = Snapshot::open(folder.path()).unwrap();
        let [part] = snapshot.parts() else { panic!("one segment") };
        // Positions, forms of version 3, and pairs and frequent words, which need version 4.
        let header = fs::read(part.segment.path()).unwrap();
        assert_eq!((header[4], header[12]), (4, 0b1100_0101));
        for (number, (field, value, terms)) in cases.iter().enumerate() {
            let doc_id = part.segment.find(&Id::Int(number as i64)).unwrap().unwrap();
            assert_eq!(part.segment.stored(doc_id).unwrap(), [(*field, value.clone())]);
            assert_eq!(&known(&part.segment, *field, doc_id).0, terms);
        }
        let doc_id = part.segment.find(&Id::Int(99)).unwrap().unwrap();
        assert_eq!(part.segment.stored(doc_id).unwrap(), [(1, text("1970")), (2, Value::Int(3))]);
        assert_eq!(known(&part.segment, 2, doc_id).1, Some(3.0));
        // Texts of a list are apart.
        let doc_id = part.segment.find(&Id::Int(2)).unwrap().unwrap();
        let mut decoded = Default::default();
        let value = part.segment.term(0, b"two").unwrap().unwrap();
        part.segment.decode(0, value, &mut decoded).unwrap();
        assert_eq!((decoded.doc_ids, decoded.positions), (vec![doc_id], vec![1, 102]));
        writer.delete(&Id::Int(0)).unwrap();
        writer.add(Id::Int(0), Document { values: vec![(0, Value::Int(-5))] }).unwrap();
        writer.optimize(true).unwrap();
    }
}

/// Indexes of the releases before version 3, made with PHP: see `tests/data/index/README.md`.
#[test]
fn indexes_of_older_versions_are_read_and_grow() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/index");
    for (name, version) in [("v1", 1), ("v2", 2)] {
        let folder = tempfile::tempdir().unwrap();
        for file in names(&data.join(name)) {
            fs::copy(data.join(name).join(&file), folder.path().join(&file)).unwrap();
        }
        let expected: [(Id, Vec<(usize, Value)>); 3] = [
            (
                Id::Int(1),
                vec![
                    (0, Value::Text(b"red shoe".to_vec())),
                    (1, Value::Keywords(vec![b"a".to_vec()])),
                    (2, Value::Number(2020.0)),
                ],
            ),
            (
                Id::Bytes(b"two".as_slice().into()),
                vec![
                    (0, Value::Text(b"blue shoe".to_vec())),
                    (1, Value::Keywords(vec![b"a".to_vec(), b"b".to_vec()])),
                    (2, Value::Number(0.5)),
                ],
            ),
            (Id::Int(4), vec![(0, Value::Text(b"red boot".to_vec())), (1, Value::Keywords(vec![b"7".to_vec()]))]),
        ];
        let check = |version: u8| {
            let snapshot = Snapshot::open(folder.path()).unwrap();
            assert_eq!(fs::read(folder.path().join("manifest")).unwrap()[4], version);
            assert_eq!(snapshot.live(), 3);
            for (id, values) in &expected {
                let part = snapshot.parts().iter().find(|part| part.segment.find(id).unwrap().is_some()).unwrap();
                assert_eq!(&part.segment.stored(part.segment.find(id).unwrap().unwrap()).unwrap(), values);
            }
        };
        check(version);
        let mut schema = (**Snapshot::open(folder.path()).unwrap().schema()).clone();
        schema.fields.push(field("more", Kind::Text, true));
        let mut writer = open(folder.path(), schema, 1);
        writer.commit().unwrap();
        check(3);
        writer.optimize(false).unwrap();
        check(version);
        let snapshot = Snapshot::open(folder.path()).unwrap();
        assert_eq!(fs::read(snapshot.parts()[0].segment.path()).unwrap()[4], version, "what it has needs no other");
    }
}
