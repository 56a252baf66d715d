//! CIFF and PISA: files of known contents both ways, indexes that come back as they were, damaged files.

use crate::common::skipped;
use postings::analysis::{self, Analyzer};
use postings::index::segment::IdRef;
use postings::index::{Codecs, Document, Field, Id, Kind, Schema, Snapshot, Value, Writer, WriterOptions};
use postings::interchange::ciff::{read_ciff, write_ciff};
use postings::interchange::pisa::{Files, SUFFIXES, read_pisa};
use postings::interchange::{Counts, MOST_TOKENS, export_ciff, export_pisa, import_ciff, import_pisa};
use postings::search::{self, Index, Matching};
use postings::{Error, Result};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::io::Cursor;
use std::path::{Path, PathBuf};

fn schema(positions: bool) -> Schema {
    let field = |name: &str, kind| Field::new(name, kind);
    let analyzer = Analyzer::new(analysis::AnalyzerOptions::default()).unwrap();
    Schema {
        fields: vec![field("tag", Kind::Keyword), field("body", Kind::Text)],
        positions,
        codecs: Codecs::default(),
        analyzer,
    }
}

const BODY: usize = 1;

fn writer(path: &Path) -> Writer {
    Writer::open(path, Some(schema(false)), WriterOptions::default()).unwrap()
}

fn tokens(text: &str) -> Document {
    let tokens = text.split_whitespace().map(|token| token.as_bytes().to_vec()).collect();
    Document { values: vec![(BODY, Value::Tokens(tokens))] }
}

fn string(id: &str) -> Id {
    Id::Bytes(id.as_bytes().into())
}

/// A field of protobuf with a number, or with bytes.
enum Is<'a> {
    Number(u8, u64),
    Bytes(u8, &'a [u8]),
}

fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number > 127 {
        bytes.push((number % 128) as u8 + 128);
        number /= 128;
    }
    bytes.push(number as u8);
    bytes
}

/// A message, without its length.
fn message(fields: &[Is]) -> Vec<u8> {
    let one = |field: &Is| match *field {
        Is::Number(field, number) => [vec![field * 8], varint(number)].concat(),
        Is::Bytes(field, bytes) => [vec![field * 8 + 2], varint(bytes.len() as u64), bytes.to_vec()].concat(),
    };
    fields.iter().flat_map(one).collect()
}

fn with_length(message: Vec<u8>) -> Vec<u8> {
    [varint(message.len() as u64), message].concat()
}

fn header(lists: u64, documents: u64) -> Vec<u8> {
    with_length(message(&[Is::Number(1, 1), Is::Number(2, lists), Is::Number(3, documents)]))
}

fn list(term: &str, df: u64, postings: &[(u64, u64)]) -> Vec<u8> {
    let postings: Vec<Vec<u8>> =
        postings.iter().map(|&(gap, tf)| message(&[Is::Number(1, gap), Is::Number(2, tf)])).collect();
    let mut fields = vec![Is::Bytes(1, term.as_bytes()), Is::Number(2, df), Is::Number(3, 7)];
    fields.extend(postings.iter().map(|posting| Is::Bytes(4, posting)));
    with_length(message(&fields))
}

fn record(doc_id: u64, id: &str) -> Vec<u8> {
    with_length(message(&[Is::Number(1, doc_id), Is::Bytes(2, id.as_bytes()), Is::Number(3, 4)]))
}

/// Three documents: "a b a", "", "b b b".
fn small() -> Vec<Vec<u8>> {
    vec![
        header(2, 3),
        list("a", 1, &[(0, 2)]),
        list("b", 2, &[(0, 1), (2, 3)]),
        record(0, "one"),
        record(1, "two"),
        record(2, "three"),
    ]
}

type Contents = Vec<(Id, Vec<String>)>;

fn read(bytes: &[u8], memory: usize) -> Result<(Counts, Contents)> {
    let mut contents = Contents::new();
    let counts = read_ciff(Cursor::new(bytes), "x.ciff", memory, |id: IdRef, tokens| {
        contents.push((id.to_id(), tokens.into_iter().map(|token| String::from_utf8(token).unwrap()).collect()));
        Ok(())
    })?;
    Ok((counts, contents))
}

fn contents(of: &[(&str, &str)]) -> Contents {
    of.iter().map(|(id, text)| (string(id), text.split_whitespace().map(str::to_owned).collect())).collect()
}

#[test]
fn a_ciff_file_by_hand_is_read() {
    let (counts, found) = read(&small().concat(), 1 << 20).unwrap();
    assert_eq!(counts, Counts { documents: 3, lists: 2, postings: 3, tokens: 6 });
    assert_eq!(found, contents(&[("one", "a a b"), ("two", ""), ("three", "b b b")]));
    // Fields that are not known are passed over.
    let mut all = small();
    let unknown = message(&[Is::Bytes(9, b"xyz"), Is::Number(10, 1 << 60), Is::Bytes(11, b"")]);
    all[5] = with_length([unknown, record(2, "three")[1..].to_vec()].concat());
    assert_eq!(read(&all.concat(), 1 << 20).unwrap().1, found);
    let empty = [header(0, 0)].concat();
    assert_eq!(read(&empty, 0).unwrap().0, Counts::default());
}

#[test]
fn a_field_becomes_a_ciff_file_of_known_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = writer(folder.path());
    writer.add(string("one"), tokens("a b a")).unwrap();
    writer.add(Id::Int(-5), tokens("gone b")).unwrap();
    writer.add(Id::Int(7), tokens("b b b")).unwrap();
    writer.commit().unwrap();
    writer.add(string("ü"), tokens(&"b ".repeat(43))).unwrap();
    assert!(writer.delete(&Id::Int(-5)).unwrap());
    writer.commit().unwrap();
    let path = folder.path().join("out.ciff");
    let snapshot = Snapshot::open(folder.path()).unwrap();
    let counts = export_ciff(&snapshot, BODY, &path).unwrap();
    assert_eq!(counts, Counts { documents: 3, lists: 2, postings: 4, tokens: 49 });
    let bytes = std::fs::read(&path).unwrap();
    let front = [1 << 3, 1, 2 << 3, 2, 3 << 3, 3, 4 << 3, 2, 5 << 3, 3, 6 << 3, 49, 7 << 3 | 1];
    assert_eq!(bytes[1..14], front);
    assert_eq!(bytes[14..22], (49.0 / 3.0f64).to_le_bytes());
    let a = [11, 0x0A, 1, b'a', 0x10, 1, 0x18, 2, 0x22, 2, 0x10, 2];
    let b = [
        [23, 0x0A, 1, b'b', 0x10, 3, 0x18, 47].as_slice(),
        &[0x22, 2, 0x10, 1, 0x22, 4, 0x08, 1, 0x10, 3, 0x22, 4, 0x08, 1, 0x10, 43],
    ]
    .concat();
    let records = [
        [7, 0x12, 3, b'o', b'n', b'e', 0x18, 3].as_slice(),
        &[7, 0x08, 1, 0x12, 1, b'7', 0x18, 3],
        // 43 tokens: the index knows 42.
        &[8, 0x08, 2, 0x12, 2, 0xC3, 0xBC, 0x18, 42],
    ]
    .concat();
    let wanted = [&a[..], &b, &records].concat();
    assert_eq!(&bytes[bytes.len() - wanted.len()..], wanted);
    assert_eq!(bytes.len(), 1 + usize::from(bytes[0]) + wanted.len() + usize::from(bytes[0] > 127));
    let files = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(files.into_iter().all(|name| !name.to_string_lossy().ends_with(".part")));
}

/// Each damage, and a part of the message.
#[test]
fn damaged_ciff_files_are_refused() {
    let replaced = |at: usize, with: Vec<u8>| {
        let mut all = small();
        all[at] = with;
        all.concat()
    };
    let postings = |postings: &[(u64, u64)], df| replaced(2, list("b", df, postings));
    let late = with_length(message(&[Is::Number(2, 1), Is::Bytes(4, &[0x10, 1]), Is::Bytes(1, b"b")]));
    let cases: Vec<(Vec<u8>, &str)> = vec![
        (vec![], "header of x.ciff at byte 0: ends early"),
        (replaced(0, with_length(message(&[Is::Number(2, 2), Is::Number(3, 3)]))), "version 0"),
        (replaced(0, header(2, 9000)), "2 postings lists and 9000 documents, in"),
        (replaced(0, header(1 << 31, 3)), "2147483648 is not from 0 to 2147483647"),
        (replaced(0, header(u64::MAX, 3)), "number of postings lists -1 is not"),
        (replaced(0, header(1, 3)), "docID 0: documents are not in order"),
        (replaced(0, header(3, 3)), "postings list 2 of x.ciff at byte 41: 0 postings"),
        (replaced(0, header(2, 2)), "docID 2 of 2 documents"),
        (replaced(0, header(2, 4)), "document 3 of x.ciff at byte 73: ends early"),
        ([small().concat(), vec![0]].concat(), "1 bytes follow the last document"),
        (postings(&[(0, 1), (3, 3)], 2), "docID 3 of 3 documents"),
        (postings(&[(0, 1), (0, 3)], 2), "docID 0 for the second time"),
        (postings(&[(1, 1), (i32::MAX as u64, 3)], 2), "docID 2147483648 of 3"),
        (postings(&[(0, 1), (1 << 40, 3)], 2), "gap 1099511627776 is not from"),
        (postings(&[(0, 1), (u64::MAX, 3)], 2), "gap -1 is not from"),
        (postings(&[(0, 0), (1, 3)], 2), "document 0 with a frequency of 0"),
        (postings(&[(0, u64::MAX - 1), (1, 3)], 2), "frequency -2 is not from"),
        (postings(&[(0, 1), (2, 3)], 3), "2 postings; 3 are announced"),
        (postings(&[(0, 1), (2, 3)], 1), "2 postings; 1 are announced"),
        (postings(&[], 0), "0 postings; 0 are announced"),
        (replaced(2, late), "its term comes after its postings"),
        (replaced(2, vec![200, 1, 0]), "a message of 200 bytes, and"),
        (replaced(2, [vec![0xFF; 10], vec![1]].concat()), "a number of more than 64 bits"),
        (replaced(2, vec![2, 0x0A, 5]), "ends early"),
        (replaced(2, vec![4, 0x22, 9, 0x10, 1]), "a message of 9 bytes, and 2 are left"),
        (replaced(2, vec![2, 0x0B, 5]), "protobuf has no wire type 3"),
        (replaced(2, vec![2, 0x39, 5]), "ends early"),
        (replaced(4, record(2, "two")), "document 1 of x.ciff at byte 51: docID 2: documents are not in order"),
        (postings(&[(0, MOST_TOKENS), (1, 3)], 2), "document 0 has 4194306 tokens; at most 4194304"),
    ];
    for (bytes, wanted) in cases {
        let error = read(&bytes, 1 << 20).unwrap_err();
        assert!(error.to_string().contains(wanted), "{error}, not {wanted}");
        assert!(matches!(error, Error::Corrupt { .. }) || wanted.contains("tokens"), "{error:?}");
    }
    let whole = small().concat();
    for length in 0..whole.len() {
        assert!(matches!(read(&whole[..length], 0), Err(Error::Corrupt { .. })), "{length}");
    }
}

#[test]
fn nothing_is_added_from_a_damaged_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = writer(&folder.path().join("index"));
    let path = folder.path().join("x.ciff");
    let mut bytes = small().concat();
    bytes.push(1);
    std::fs::write(&path, &bytes).unwrap();
    assert!(matches!(import_ciff(&path, &mut writer, BODY), Err(Error::Corrupt { .. })));
    assert!(!writer.has_pending());
    bytes.pop();
    std::fs::write(&path, &bytes).unwrap();
    assert!(matches!(import_ciff(&path, &mut writer, 0), Err(Error::Argument(_))));
    assert!(matches!(import_ciff(&path, &mut writer, 9), Err(Error::Argument(_))));
    assert!(matches!(import_ciff(&folder.path().join("none"), &mut writer, BODY), Err(Error::File { .. })));
    assert_eq!(import_ciff(&path, &mut writer, BODY).unwrap().documents, 3);
    writer.commit().unwrap();
    let index = Index::open(&folder.path().join("index")).unwrap();
    assert_eq!(index.documents(), 3);
    assert_eq!(index.doc_id(&string("three")).unwrap(), Some(2));
    assert_eq!(index.terms(b"", BODY, 9).unwrap(), [(b"a".to_vec(), 1), (b"b".to_vec(), 2)]);
}

fn sequence(numbers: &[u32]) -> Vec<u8> {
    [&[numbers.len() as u32], numbers].concat().iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// The collection of [`small`]: docs, freqs, sizes, terms, names.
fn small_pisa() -> [Option<Vec<u8>>; 5] {
    [
        Some([sequence(&[3]), sequence(&[0]), sequence(&[0, 2])].concat()),
        Some([sequence(&[2]), sequence(&[1, 3])].concat()),
        Some(sequence(&[3, 0, 3])),
        Some(b"a\nb\n".to_vec()),
        Some(b"one\ntwo\nthree\n".to_vec()),
    ]
}

fn read_files(files: &[Option<Vec<u8>>; 5], memory: usize) -> Result<(Counts, Contents)> {
    let file = |at: usize| files[at].as_ref().map(|bytes| (Cursor::new(bytes), format!("x{}", SUFFIXES[at])));
    let must = |at| file(at).unwrap();
    let files = Files { docs: must(0), freqs: must(1), sizes: must(2), terms: file(3), names: file(4) };
    let mut contents = Contents::new();
    let counts = read_pisa(files, memory, |id: IdRef, tokens| {
        contents.push((id.to_id(), tokens.into_iter().map(|token| String::from_utf8(token).unwrap()).collect()));
        Ok(())
    })?;
    Ok((counts, contents))
}

#[test]
fn a_pisa_collection_by_hand_is_read() {
    let mut files = small_pisa();
    let (counts, found) = read_files(&files, 0).unwrap();
    assert_eq!(counts, Counts { documents: 3, lists: 2, postings: 3, tokens: 6 });
    assert_eq!(found, contents(&[("one", "a a b"), ("two", ""), ("three", "b b b")]));
    files[3] = None;
    files[4] = None;
    let (_, found) = read_files(&files, 0).unwrap();
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(found, [(Id::Int(0), words("0 0 1")), (Id::Int(1), words("")), (Id::Int(2), words("1 1 1"))]);
}

#[test]
fn damaged_pisa_collections_are_refused() {
    let cases: Vec<(usize, Vec<u8>, &str)> = vec![
        (0, vec![], "header of x.docs at byte 0: it does not begin"),
        (0, sequence(&[3, 4]), "it does not begin with a sequence of one number"),
        (0, [sequence(&[2]), sequence(&[0]), sequence(&[0, 1])].concat(), "3 lengths of 2 documents"),
        (0, [sequence(&[3]), sequence(&[0]), sequence(&[0, 3])].concat(), "docID 3 of term 1"),
        (0, [sequence(&[3]), sequence(&[0]), sequence(&[1, 1])].concat(), "docID 1 of term 1: it should be from 2"),
        (0, [sequence(&[3]), sequence(&[0]), sequence(&[0, 1, 2])].concat(), "2 frequencies for the 3 postings"),
        (0, [sequence(&[3]), sequence(&[0])].concat(), "end of x.freqs at byte 8: 12 bytes are too many"),
        (0, [sequence(&[3]), vec![255; 4]].concat(), "a sequence of 4294967295 numbers in 0 bytes"),
        (0, [sequence(&[3]), sequence(&[0]), vec![1, 0]].concat(), "postings of x.docs at byte 18: ends early"),
        (1, sequence(&[2]), "none frequencies for the 2 postings of term 1"),
        (1, [sequence(&[2]), sequence(&[1, 0])].concat(), "document 2 of term 1 has a frequency of 0"),
        (2, vec![], "0 lengths of 3 documents"),
        (2, [sequence(&[3, 0, 3]), vec![7]].concat(), "end of x.sizes at byte 16: 1 bytes are too many"),
        (3, b"a\n".to_vec(), "terms of x.terms at byte 2: only 1 lines"),
        (3, b"a\nb\nc\n".to_vec(), "2 bytes are too many"),
        (4, b"one\ntwo".to_vec(), "names of x.documents at byte 7: only 2 lines"),
        (4, [&[b'x'; (1 << 20) + 1][..], b"\n\n\n"].concat(), "a line of more than 1048576 bytes"),
    ];
    for (at, bytes, wanted) in cases {
        let mut files = small_pisa();
        files[at] = Some(bytes);
        let error = read_files(&files, 0).unwrap_err();
        assert!(matches!(error, Error::Corrupt { .. }), "{error:?}");
        assert!(error.to_string().contains(wanted), "{error}, not {wanted}");
    }
    for at in 0..5 {
        let whole = small_pisa()[at].clone().unwrap();
        for length in 0..whole.len() {
            let mut files = small_pisa();
            files[at] = Some(whole[..length].to_vec());
            // What is left of a line is a line.
            let lines = |bytes: &[u8]| bytes.split_inclusive(|&byte| byte == b'\n').count();
            let is_whole = at >= 3 && lines(&whole[..length]) == lines(&whole);
            assert_eq!(read_files(&files, 0).is_ok(), is_whole, "{at} {length}");
        }
    }
}

/// Documents; terms with the number of documents; ids and scores by query.
type Seen = (u64, Vec<(Vec<u8>, u64)>, BTreeMap<String, Vec<(String, u64)>>);

/// What a search sees of a field, by the ids as text.
fn survey(path: &Path) -> Seen {
    let index = Index::open(path).unwrap();
    let text = |id: Id| match id {
        Id::Int(int) => int.to_string(),
        Id::Bytes(bytes) => String::from_utf8(bytes.into()).unwrap(),
    };
    let options = search::Options { limit: 5000, matching: Matching::Any, total: true, ..Default::default() };
    let mut scores = BTreeMap::new();
    for query in ["t1", "t3 t40", "t2 t5 t77 t200", "t0", "none"] {
        let found = index.search(query, &options).unwrap();
        assert_eq!(found.total, Some(found.hits.len() as u64));
        let hits = found.hits.into_iter().map(|hit| (text(hit.id), hit.score.to_bits()));
        let mut hits: Vec<_> = hits.collect();
        hits.sort();
        scores.insert(query.to_owned(), hits);
    }
    (index.documents(), index.terms(b"", BODY, 10_000).unwrap(), scores)
}

/// An index with short and long lists, several segments, and deleted documents if `deleted`.
fn generated(path: &Path, deleted: bool) {
    let mut writer = Writer::open(path, Some(schema(true)), WriterOptions::default()).unwrap();
    let mut state = 1u64;
    let mut random = move |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for i in 0..3000u64 {
        let mut words = Vec::new();
        for _ in 0..random(90) {
            let most = 1 + random(300);
            words.push(format!("t{}", random(most)));
        }
        let id = if i % 3 == 0 { Id::Int(i as i64) } else { string(&format!("d{i}")) };
        writer.add(id, tokens(&words.join(" "))).unwrap();
        if i % 1100 == 0 {
            writer.commit().unwrap();
        }
    }
    writer.commit().unwrap();
    if deleted {
        for i in (0..3000).step_by(7) {
            let id = if i % 3 == 0 { Id::Int(i) } else { string(&format!("d{i}")) };
            assert!(writer.delete(&id).unwrap());
        }
        writer.commit().unwrap();
    }
}

#[test]
fn an_index_comes_back_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    generated(&at("a"), false);
    let before = survey(&at("a"));
    assert!(before.1.len() > 250 && before.2["t1"].len() > 500 && before.2["none"].is_empty());
    let snapshot = Snapshot::open(&at("a")).unwrap();
    let counts = export_ciff(&snapshot, BODY, &at("a.ciff")).unwrap();
    assert_eq!(export_pisa(&snapshot, BODY, &at("a")).unwrap(), counts);
    assert_eq!(counts.lists, before.1.len() as u64);
    assert_eq!(counts.postings, before.1.iter().map(|term| term.1).sum::<u64>());
    let mut writer = writer(&at("b"));
    assert_eq!(import_ciff(&at("a.ciff"), &mut writer, BODY).unwrap(), counts);
    writer.commit().unwrap();
    drop(writer);
    assert_eq!(survey(&at("b")), before);
    let mut writer = self::writer(&at("c"));
    assert_eq!(import_pisa(&at("a"), &mut writer, BODY).unwrap(), counts);
    writer.commit().unwrap();
    drop(writer);
    assert_eq!(survey(&at("c")), before);
    // What came in goes out as the same bytes, so docIDs, frequencies, lengths and names are the same.
    let snapshot = Snapshot::open(&at("b")).unwrap();
    export_ciff(&snapshot, BODY, &at("b.ciff")).unwrap();
    assert!(std::fs::read(at("a.ciff")).unwrap() == std::fs::read(at("b.ciff")).unwrap());
    export_pisa(&snapshot, BODY, &at("b")).unwrap();
    for suffix in SUFFIXES {
        let file = |name: &str| std::fs::read(at(&format!("{name}{suffix}"))).unwrap();
        assert!(file("a") == file("b"), "{suffix}");
    }
}

#[test]
fn memory_decides_only_how_often_a_file_is_read() {
    let folder = tempfile::tempdir().unwrap();
    generated(folder.path(), true);
    let snapshot = Snapshot::open(folder.path()).unwrap();
    let mut bytes = Vec::new();
    let counts = write_ciff(&snapshot, BODY, &mut bytes, Path::new("x.ciff")).unwrap();
    assert_eq!(counts.documents, snapshot.live());
    let (of_all, all) = read(&bytes, 1 << 30).unwrap();
    assert_eq!(of_all, counts);
    assert_eq!(all.len() as u64, counts.documents);
    assert!(read(&bytes, 0).unwrap() == (counts, all.clone()));
    // Documents by the plain way.
    let index = Index::open(folder.path()).unwrap();
    let mut wanted: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    for (term, _) in index.terms(b"", BODY, 10_000).unwrap() {
        let name = String::from_utf8(term.clone()).unwrap();
        for doc_id in index.postings(&term, BODY).unwrap().decode() {
            wanted.entry(doc_id.into()).or_default().push(name.clone());
        }
    }
    for (id, mut terms) in all {
        let id = match id {
            Id::Bytes(text) if text.starts_with(b"d") => Id::Bytes(text),
            Id::Bytes(digits) => Id::Int(String::from_utf8(digits.into()).unwrap().parse().unwrap()),
            id => id,
        };
        let doc_id = index.doc_id(&id).unwrap().unwrap();
        terms.dedup();
        assert_eq!(terms, wanted.remove(&doc_id).unwrap_or_default());
    }
    assert!(wanted.is_empty());
}

#[test]
fn what_the_formats_cannot_hold_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let mut one = writer(&at("a"));
    one.add(Id::Bytes([0xFF][..].into()), tokens("a")).unwrap();
    one.commit().unwrap();
    let mut other = writer(&at("b"));
    other.add(string("two\nlines"), tokens("a")).unwrap();
    other.commit().unwrap();
    let refused = |name: &str, wanted: &str, ciff: bool| {
        let snapshot = Snapshot::open(&at(name)).unwrap();
        let exports = [export_ciff(&snapshot, BODY, &at("x.ciff")), export_pisa(&snapshot, BODY, &at("x"))];
        assert_eq!(exports[0].is_err(), ciff);
        let error = exports[1].clone().unwrap_err();
        assert!(matches!(&error, Error::Argument(what) if what.contains(wanted)), "{error}");
        assert!(export_ciff(&snapshot, 0, &at("x.ciff")).is_err());
        assert!(export_pisa(&snapshot, 0, &at("x")).is_err());
    };
    refused("a", "the id \"\\xff\" is not UTF-8", true);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left");
    refused("b", "contains a line break", false);
}

/// Files of other programs, if there are any: `CIFF=toy-complete-20200309.ciff PISA=…/test_collection`.
#[test]
fn files_of_others() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let Some(ciff) = path("CIFF") else { return skipped("CIFF= and PISA= name no files") };
    let mut writer = writer(&folder.path().join("ciff"));
    println!("{:?}", import_ciff(&ciff, &mut writer, BODY).unwrap());
    writer.commit().unwrap();
    let again = folder.path().join("again.ciff");
    export_ciff(&Snapshot::open(writer.path()).unwrap(), BODY, &again).unwrap();
    let after_header = |path: &Path| {
        let bytes = std::fs::read(path).unwrap();
        let (low, high) = (usize::from(bytes[0]), usize::from(bytes[1]));
        let header = if low < 128 { 1 + low } else { 2 + low - 128 + 128 * high };
        bytes[header..].to_vec()
    };
    assert_eq!(after_header(&again), after_header(&ciff));
    let Some(pisa) = path("PISA") else { return };
    let mut writer = self::writer(&folder.path().join("pisa"));
    let counts = import_pisa(&pisa, &mut writer, BODY).unwrap();
    println!("{counts:?}");
    writer.commit().unwrap();
    let again = folder.path().join("again");
    assert_eq!(export_pisa(&Snapshot::open(writer.path()).unwrap(), BODY, &again).unwrap(), counts);
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read(&bytes, 0);
        let third = bytes.len() / 3;
        let _ = read_files(&[Some(bytes[..third].into()), Some(bytes[third..2 * third].into()), Some(bytes[2 * third..].into()), None, None], 0);
    }

    #[test]
    fn no_changed_byte_panics(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4)) {
        let mut bytes = small().concat();
        let mut files = small_pisa();
        for (at, byte) in changes {
            let place = at.index(bytes.len());
            bytes[place] = byte;
            let file = files[at.index(5)].as_mut().unwrap();
            let place = at.index(file.len());
            file[place] = byte;
        }
        let _ = read_ciff(Cursor::new(&bytes), "x", 0, |_, _| Ok(()));
        let file = |at: usize| files[at].as_ref().map(|bytes| (Cursor::new(bytes), String::new()));
        let must = |at| file(at).unwrap();
        let _ = read_pisa(Files { docs: must(0), freqs: must(1), sizes: must(2), terms: file(3), names: file(4) }, 0, |_, _| Ok(()));
    }
}
