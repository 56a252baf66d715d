//! Manifests of any bytes and with changed bytes, and files of deleted docIDs with changed bytes, all with checksums that
//! fit: what is read can be written and read again. `cargo fuzz run index_manifest` (with `-s none` without a nightly
//! compiler).

#![no_main]

mod index_support;

use index_support::{edit, folder, index, put_crc};
use libfuzzer_sys::fuzz_target;
use postings::index::Snapshot;
use postings::index::manifest::{self, Manifest};
use postings::search::{Index, Options};
use std::path::Path;
use std::sync::OnceLock;

/// The bytes of the manifest and of the deleted docIDs; the folder of copies.
fn sample() -> &'static (Vec<u8>, Vec<u8>, Manifest) {
    static SAMPLE: OnceLock<(Vec<u8>, Vec<u8>, Manifest)> = OnceLock::new();
    SAMPLE.get_or_init(|| {
        let snapshot = Snapshot::open(index()).expect("it was just written");
        let bytes = std::fs::read(index().join(manifest::NAME)).expect("it is there");
        let manifest = snapshot.manifest().clone();
        let entry = manifest.segments[0];
        let (number, generation) = (entry.meta.number, entry.deleted.expect("some are").generation);
        let deleted = std::fs::read(index().join(manifest::deleted_name(number, generation))).expect("it is there");
        let copy = folder().join("copy");
        std::fs::create_dir(&copy).expect("/dev/shm");
        let name = manifest::segment_name(number);
        let link = std::fs::hard_link(index().join(&name), copy.join(&name));
        link.expect("/dev/shm");
        (bytes, deleted, manifest)
    })
}

fn parse(bytes: &[u8]) {
    if let Ok(read) = Manifest::parse(bytes, Path::new("m")) {
        let again = Manifest::parse(&read.encode().expect("there is memory"), Path::new("m")).expect("its own bytes");
        assert_eq!(again.encode(), read.encode());
    }
}

fuzz_target!(|input: (Vec<u8>, Vec<(u16, u8)>, Vec<(u16, u8)>)| {
    let (any, in_manifest, in_deleted) = input;
    let (bytes, deleted, manifest) = sample();
    let mut made = [&b"PMAN\x01\0\0\0"[..], &any, &[0; 4]].concat();
    put_crc(&mut made);
    parse(&made);
    let mut changed = bytes.clone();
    edit(&mut changed, &in_manifest);
    put_crc(&mut changed);
    parse(&changed);
    if in_deleted.is_empty() {
        return;
    }
    let mut deleted = deleted.clone();
    edit(&mut deleted, &in_deleted);
    let crc = put_crc(&mut deleted);
    let mut manifest = manifest.clone();
    let entry = &mut manifest.segments[0];
    let Some(of) = &mut entry.deleted else { return };
    of.crc = crc;
    of.count = u32::from_le_bytes(std::array::from_fn(|i| deleted[20 + i]));
    let copy = folder().join("copy");
    let path = copy.join(manifest::deleted_name(entry.meta.number, of.generation));
    std::fs::write(path, &deleted).expect("there is room");
    std::fs::write(copy.join(manifest::NAME), manifest.encode().expect("there is memory")).expect("there is room");
    if let Ok(index) = Index::open(&copy) {
        let options = Options { limit: 1000, total: true, ..Options::default() };
        let found = index.search("all", &options).expect("only whole files were opened");
        assert_eq!(found.total, Some(index.documents()));
        assert_eq!(found.hits.len() as u64, index.documents());
    }
});
