//! Shard files: those that Yioop built, and small ones built and damaged here.

use crate::common::skipped_in_part;
use crate::common::yioop::*;
use postings::Error;
use postings::yioop::shard::{Key, Shard};
use postings::yioop::{self, Postings};
use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A temporary file, removed when dropped.
struct TempFile(PathBuf);

impl TempFile {
    fn new(name: &str, bytes: &[u8]) -> TempFile {
        let path = std::env::temp_dir().join(format!("postings-{}-{name}", std::process::id()));
        std::fs::write(&path, bytes).unwrap();
        TempFile(path)
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// The parts of a small shard.
struct Parts {
    lists: BTreeMap<Key, Vec<u8>>,
    /// Documents: summary offset, length and flags, keys.
    documents: Vec<(u32, u32, Vec<[u8; 8]>)>,
}

fn be(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_be_bytes()).collect()
}

impl Parts {
    fn small() -> Parts {
        let key = |a: u8, b: u8, c: u8| {
            let mut key = [c; 20];
            (key[0], key[1]) = (a, b);
            key
        };
        let list =
            |docs: &[u32]| docs.iter().flat_map(|&doc| yioop::pack_posting(doc, &[1, 7, 900]).unwrap()).collect();
        let lists = [
            (key(0, 0, 1), list(&[0])),
            (key(0, 0, 9), list(&[0, 2])),
            (key(3, 200, 5), list(&[0, 2, 5])),
            (key(3, 200, 6), list(&[5])),
            (key(255, 255, 255), list(&[2, 5])),
        ];
        let documents = vec![
            (100, 3, vec![[1; 8], [2; 8], [3; 8]]),
            (200, 1 << 23 | 7, vec![[4; 8], [5; 8], [6; 8], [7; 8]]),
            (300, 0, vec![[8; 8]; 200]),
        ];
        Parts { lists: lists.into_iter().collect(), documents }
    }

    fn bytes(&self, dictionary: bool) -> Vec<u8> {
        let (mut words, mut word_docs, mut doc_map) = (Vec::new(), Vec::new(), Vec::new());
        let mut prefixes = vec![0xFF; 8 << 17];
        for (key, list) in &self.lists {
            let entry = &mut prefixes[8 * usize::from(u16::from_be_bytes([key[0], key[1]]))..][..8];
            let (begin, count) = match u32::from_be_bytes(entry[4..].try_into().unwrap()) {
                u32::MAX => (words.len() as u32, 0),
                count => (u32::from_be_bytes(entry[..4].try_into().unwrap()), count),
            };
            entry.copy_from_slice(&be(&[begin, count + 1]));
            let documents = yioop::doc_indexes(list).unwrap().len() as u32;
            words.extend_from_slice(key);
            words.extend(be(&[7, word_docs.len() as u32, 1 << 31 | documents << 16 | list.len() as u32]));
            word_docs.extend_from_slice(list);
        }
        for (summary, info, keys) in &self.documents {
            doc_map.extend(be(&[*summary, info << 8 | keys.len() as u32]));
            doc_map.extend(keys.concat());
            doc_map.extend(vec![0xFF; if keys.len() % 2 == 0 { 8 } else { 0 }]);
        }
        if !dictionary {
            prefixes.clear();
            words.clear();
        }
        let lens = [prefixes.len(), words.len(), word_docs.len(), doc_map.len()].map(|len| len as u32);
        [be(&lens), be(&[7, 50_000, 2, 1, 10, 7]), prefixes, words, word_docs, doc_map].concat()
    }
}

/// Reads everything in the shard, to show that nothing panics. Returns the number of errors.
fn read_all(shard: &Shard, keys: &[Key]) -> usize {
    let mut errors = 0;
    let mut note = |result: Option<Error>| {
        if let Some(error) = result {
            let expected = matches!(error, Error::Corrupt { codec: "shard", .. } | Error::Argument(_));
            assert!(expected, "{error}");
            errors += 1;
        }
    };
    for key in keys {
        note(shard.lookup(key).err());
        match shard.postings(key) {
            Ok(list) => drop(list.map(|list| yioop::unpack_postings(&list))),
            Err(error) => note(Some(error)),
        }
    }
    shard.dictionary().for_each(|record| note(record.err()));
    shard.documents().for_each(|document| note(document.err()));
    errors
}

#[test]
fn a_small_shard() {
    let parts = Parts::small();
    let file = TempFile::new("small", &parts.bytes(true));
    let shard = Shard::open(&file.0).unwrap();
    let header = shard.header();
    assert_eq!((header.generation, header.docs_per_generation, header.documents, header.links), (7, 50_000, 2, 1));
    assert_eq!((header.documents_len, header.links_len), (10, 7));
    let dictionary: Vec<_> = shard.dictionary().map(Result::unwrap).collect();
    assert_eq!(
        dictionary.iter().map(|record| record.0).collect::<Vec<_>>(),
        parts.lists.keys().copied().collect::<Vec<_>>()
    );
    for ((key, list), (_, record)) in parts.lists.iter().zip(&dictionary) {
        assert_eq!(shard.lookup(key).unwrap().as_ref(), Some(record));
        assert_eq!(record.generation, 7);
        assert_eq!(record.documents as usize, yioop::doc_indexes(list).unwrap().len());
        assert_eq!((record.last_offset - record.first_offset) as usize, list.len() - 4);
        assert_eq!(shard.postings(key).unwrap().as_ref(), Some(list));
        let mut other = *key;
        other[19] ^= 1;
        assert_eq!(shard.lookup(&other).unwrap(), None);
        other[1] ^= 0x55;
        assert_eq!(shard.postings(&other).unwrap(), None);
    }
    let documents: Vec<_> = shard.documents().map(Result::unwrap).collect();
    assert_eq!(documents.iter().map(|document| document.0).collect::<Vec<_>>(), [0, 2, 5]);
    for ((doc_index, document), (summary, info, keys)) in documents.iter().zip(&parts.documents) {
        assert_eq!(&shard.document(*doc_index).unwrap(), document);
        assert_eq!((document.summary_offset, document.length), (*summary, info & 0x7F_FFFF));
        assert_eq!((document.is_link, &document.keys), (info >> 23 == 1, keys));
    }
    assert!(matches!(shard.document(u32::MAX), Err(Error::Argument(_))));
    assert!(matches!(shard.postings_at(2, 8), Err(Error::Argument(_))));
    assert!(matches!(shard.postings_at(8, 0), Err(Error::Argument(_))));
    assert!(matches!(shard.postings_at(0, u32::MAX - 3), Err(Error::Argument(_))));
}

#[test]
fn a_shard_without_a_dictionary() {
    let parts = Parts::small();
    let file = TempFile::new("plain", &parts.bytes(false));
    let shard = Shard::open(&file.0).unwrap();
    assert!(!shard.has_dictionary());
    assert!(matches!(shard.lookup(&[0; 20]), Err(Error::Argument(_))));
    assert_eq!(shard.dictionary().count(), 0);
    assert_eq!(shard.documents().count(), 3);
    let list = parts.lists.values().next().unwrap();
    assert_eq!(&shard.postings_at(0, list.len() as u32 - 4).unwrap(), list);
}

#[test]
fn files_that_are_none() {
    let missing = std::env::temp_dir().join("postings-there-is-no-such-shard");
    assert!(matches!(Shard::open(missing), Err(Error::File { .. })));
    assert!(matches!(Shard::open(std::env::temp_dir()), Err(Error::File { .. })));
    let empty = TempFile::new("empty", &[]);
    assert!(matches!(Shard::open(&empty.0), Err(Error::Corrupt { codec: "shard", offset: 0, .. })));
}

#[test]
fn truncation_and_junk_are_seen_when_opened() {
    let whole = Parts::small().bytes(false);
    for len in 0..whole.len() {
        let file = TempFile::new("cut", &whole[..len]);
        assert!(matches!(Shard::open(&file.0), Err(Error::Corrupt { codec: "shard", .. })), "{len}");
    }
    let file = TempFile::new("long", &[&whole[..], &[0]].concat());
    assert!(matches!(Shard::open(&file.0), Err(Error::Corrupt { codec: "shard", .. })));
}

#[test]
fn damage_gives_errors() {
    let parts = Parts::small();
    let keys: Vec<Key> = parts.lists.keys().copied().collect();
    let whole = parts.bytes(true);
    let words = 40 + (8 << 17);
    let damaged = |at: usize, bytes: &[u8]| {
        let mut copy = whole.clone();
        copy[at..at + bytes.len()].copy_from_slice(bytes);
        TempFile::new(&format!("damage-{at}"), &copy)
    };
    let text = |at: usize, bytes: &[u8], key: &Key| {
        Shard::open(&damaged(at, bytes).0).unwrap().lookup(key).unwrap_err().to_string()
    };
    assert_eq!(
        text(40, &be(&[0, u32::MAX]), &keys[0]),
        "shard: prefix 0x0000 at byte 40: 4294967295 records at byte 0 of a dictionary of 160 bytes"
    );
    assert_eq!(
        text(words + 32 + 24, &be(&[2]), &keys[1]),
        format!("shard: record 1 at byte {}: a list of 16 bytes at byte 2 of 72 bytes of lists", words + 32)
    );
    // Damages every byte outside the prefix index, and the first and last of the index. Errors or different contents
    // are fine; panics are not.
    let used = (0..60).chain(words - 8..whole.len());
    for at in used {
        for value in [0x00, 0x80, 0xFF] {
            let file = damaged(at, &[value]);
            if let Ok(shard) = Shard::open(&file.0) {
                read_all(&shard, &keys);
            }
        }
    }
    // Iterating over the dictionary notices keys that are out of order.
    let file = damaged(words, &[0xFF; 20]);
    let shard = Shard::open(&file.0).unwrap();
    let error = shard.dictionary().find_map(Result::err).unwrap();
    assert!(matches!(error, Error::Corrupt { offset, .. } if offset == words + 32), "{error}");
}

/// One prefix with more records than are read at a time.
#[test]
fn a_crowded_prefix() {
    let mut parts = Parts::small();
    for i in 0..3000u32 {
        let mut key = [9; 20];
        key[2..6].copy_from_slice(&(2 * i + 1).to_be_bytes());
        parts.lists.insert(key, yioop::pack_posting(i, &[i + 1]).unwrap());
    }
    let file = TempFile::new("crowded", &parts.bytes(true));
    let shard = Shard::open(&file.0).unwrap();
    assert_eq!(shard.dictionary().map(Result::unwrap).count(), 3005);
    for (key, list) in &parts.lists {
        assert_eq!(shard.postings(key).unwrap().as_ref(), Some(list));
        let mut other = *key;
        other[5] ^= 1;
        assert_eq!(shard.lookup(&other).unwrap().is_some(), parts.lists.contains_key(&other));
    }
}

#[test]
fn a_file_that_shrinks_or_changes_while_open() {
    let parts = Parts::small();
    let keys: Vec<Key> = parts.lists.keys().copied().collect();
    let whole = parts.bytes(true);
    for len in [0, 39, 40, 1000, 40 + (8 << 17) + 100, whole.len() - 1] {
        let file = TempFile::new("shrinks", &whole);
        let shard = Shard::open(&file.0).unwrap();
        assert_eq!(read_all(&shard, &keys), 0);
        std::fs::OpenOptions::new().write(true).open(&file.0).unwrap().set_len(len as u64).unwrap();
        assert!(read_all(&shard, &keys) > 0, "{len}");
    }
    let file = TempFile::new("changes", &whole);
    let shard = Shard::open(&file.0).unwrap();
    for filler in [0x00, 0x55, 0xFF] {
        std::fs::write(&file.0, vec![filler; whole.len()]).unwrap();
        read_all(&shard, &keys);
    }
}

/// SHA-256 in hex, computed by the system's tool, if there is one.
fn sha256(bytes: &[u8]) -> Option<String> {
    let mut tool = Command::new("sha256sum").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
    tool.stdin.take()?.write_all(bytes).ok()?;
    let out = tool.wait_with_output().ok()?;
    Some(String::from_utf8(out.stdout).ok()?.split_whitespace().next()?.to_string())
}

fn compare_with_yioop(folder: &Path) {
    let shard = open_shard(folder);
    let raw = std::fs::read(folder.join("postings.bin")).unwrap();
    let mut keys = HashMap::new();
    for line in std::fs::read_to_string(folder.join("terms.tsv")).unwrap().lines() {
        let [term, key, offset, len, documents] = line.split('\t').collect::<Vec<_>>().try_into().unwrap();
        let key: Key = unhex(key).try_into().unwrap();
        let (offset, len): (usize, usize) = (offset.parse().unwrap(), len.parse().unwrap());
        let record = shard.lookup(&key).unwrap().unwrap();
        assert_eq!(record.documents, documents.parse::<u32>().unwrap(), "{term}");
        let list = shard.postings(&key).unwrap().unwrap();
        assert!(list == raw[offset..offset + len], "{term}");
        Postings::parse(&list).unwrap();
        keys.insert(term.to_string(), key);
    }
    let list = |term: &str| shard.postings(&keys[term]).unwrap().unwrap();
    assert_eq!(shard.dictionary().map(Result::unwrap).count(), keys.len());

    for decoded in json_lines(&folder.join("decoded.jsonl")) {
        let list = list(decoded["term"].as_str().unwrap());
        let unpacked = yioop::unpack_postings(&list).unwrap();
        assert_eq!(unpacked.len() as u64, decoded["n"].as_u64().unwrap());
        let same = |ours: &[yioop::Posting], theirs: &serde_json::Value| {
            let theirs: Vec<_> = theirs.as_array().unwrap().iter().map(posting).collect();
            assert_eq!(ours, theirs);
        };
        if decoded.get("postings").is_some() {
            same(&unpacked, &decoded["postings"]);
        } else {
            same(&unpacked[..5], &decoded["first"]);
            same(&unpacked[unpacked.len() - 5..], &decoded["last"]);
            let docs: Vec<u8> = yioop::doc_indexes(&list).unwrap().iter().flat_map(|doc| doc.to_le_bytes()).collect();
            match sha256(&docs) {
                Some(sum) => assert_eq!(sum, decoded["sha256_of_doc_indexes_le32"].as_str().unwrap()),
                None => skipped_in_part("a checksum: there is no sha256sum"),
            }
        }
    }
    for query in json_lines(&folder.join("queries.jsonl")) {
        let lists: Vec<Vec<u8>> =
            query["terms"].as_array().unwrap().iter().map(|term| list(term.as_str().unwrap())).collect();
        let slices: Vec<&[u8]> = lists.iter().map(Vec::as_slice).collect();
        let matches = yioop::intersect(&slices).unwrap();
        assert_eq!(matches.iter().map(|found| found.0).collect::<Vec<_>>(), numbers(&query["doc_indexes"]), "{query}");
        for (doc, offsets) in matches {
            for (list, offset) in slices.iter().zip(offsets) {
                assert_eq!(Postings::parse(list).unwrap().at(offset as usize).unwrap().doc_index, doc);
            }
        }
    }
    let docs: Vec<u32> = std::fs::read_to_string(folder.join("docs.tsv"))
        .unwrap()
        .lines()
        .map(|line| line.split('\t').next().unwrap().parse().unwrap())
        .collect();
    let map: Vec<_> = shard.documents().map(Result::unwrap).collect();
    assert_eq!(map.iter().map(|document| document.0).collect::<Vec<_>>(), docs);
    assert_eq!(map.len() as u32, shard.header().documents + shard.header().links);
    assert_eq!(map.iter().map(|document| document.1.length).sum::<u32>(), shard.header().documents_len);
}

#[test]
fn the_shard_of_short_documents() {
    data("yioop/shard-short", "yioop/shard-30k").iter().for_each(|folder| compare_with_yioop(folder));
}

#[test]
fn the_shard_of_long_documents() {
    data("yioop/shard-long", "yioop/shard-long").iter().for_each(|folder| compare_with_yioop(folder));
}
