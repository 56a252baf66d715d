//! Golden files of every codec and version of the byte format. Every released version stays readable.
//!
//! `tests/data/format/<codec>-v<version>.bin` is the list of [`doc_ids`]. A file is written only once, when a codec or
//! a version is added, with `POSTINGS_WRITE_GOLDEN=1 cargo test --no-default-features --test format`.

use postings::{Codec, PostingList};
use std::fs;
use std::path::{Path, PathBuf};

/// Three blocks, the last one short: consecutive docIDs, small gaps, and gaps of all widths that every codec can
/// encode.
fn doc_ids() -> Vec<u32> {
    let gaps = (0..300u32).map(|i| match i % 10 {
        0..=4 => 1,
        5..=7 => 1 + (i * 37) % 90,
        8 => 1 + (i * 7919) % 30_000,
        _ => 1 + (1 << (i % 23)),
    });
    gaps.scan(0, |last, gap| {
        *last += gap;
        Some(*last)
    })
    .collect()
}

fn file(codec: Codec, version: u8) -> PathBuf {
    let name = format!("{}-v{version}.bin", codec.name());
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/format").join(name)
}

fn version(bytes: &[u8]) -> u8 {
    bytes[4]
}

/// Converts a list from version 1 to 2: inserts word 6, which says that there are no words of the codec's own, and
/// updates the checksum.
fn as_version_2(bytes: &[u8]) -> Vec<u8> {
    let mut later = [&bytes[..24], &[0; 4], &bytes[24..]].concat();
    later[4] = 2;
    seal(&mut later);
    later
}

/// Sets the checksum.
fn seal(bytes: &mut [u8]) {
    let mut crc = crc32fast::Hasher::new();
    crc.update(&bytes[..20]);
    crc.update(&bytes[24..]);
    bytes[20..24].copy_from_slice(&crc.finalize().to_le_bytes());
}

/// The list of [`doc_ids`] as it is written, and in version 2 too if that is not what is written.
fn versions(codec: Codec) -> Vec<Vec<u8>> {
    let written = PostingList::encode(&doc_ids(), codec).unwrap().to_bytes();
    match version(&written) {
        1 => vec![as_version_2(&written), written],
        _ => vec![written],
    }
}

#[test]
fn lists_of_all_versions_are_read() {
    let doc_ids = doc_ids();
    for codec in Codec::ALL {
        for bytes in versions(codec) {
            let file = file(codec, version(&bytes));
            if std::env::var_os("POSTINGS_WRITE_GOLDEN").is_some() && !file.exists() {
                fs::write(&file, &bytes).unwrap();
            }
            let golden = fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            assert_eq!(bytes, golden, "{} is no longer written as it was", file.display());
            let list = PostingList::from_bytes(&golden).unwrap();
            assert_eq!(list.decode(), doc_ids);
            assert_eq!(list.to_bytes(), golden);
        }
    }
}

#[test]
fn damage_of_any_byte_is_found_in_all_versions() {
    for codec in Codec::ALL {
        for bytes in versions(codec) {
            for at in 0..bytes.len() {
                let mut damaged = bytes.clone();
                damaged[at] ^= 0x11;
                assert!(PostingList::from_bytes(&damaged).is_err(), "{codec:?}, byte {at}");
                assert!(PostingList::from_bytes(&bytes[..at]).is_err(), "{codec:?}, cut at {at}");
            }
            assert!(PostingList::from_bytes(&[&bytes[..], &[0; 4]].concat()).is_err(), "{codec:?}, a word too many");
        }
    }
}

/// With a valid checksum, the checks of the structure must find the damage, or it must be harmless.
#[test]
fn damage_under_a_right_checksum_is_refused_or_harmless() {
    for codec in Codec::ALL {
        for bytes in versions(codec) {
            for at in (0..bytes.len()).filter(|at| !(20..24).contains(at)) {
                for flip in [0x01, 0x80, 0xFF] {
                    let mut damaged = bytes.clone();
                    damaged[at] ^= flip;
                    seal(&mut damaged);
                    if let Ok(list) = PostingList::from_bytes(&damaged) {
                        let doc_ids = list.decode();
                        assert!(doc_ids.is_sorted_by(|a, b| a < b), "{codec:?}, byte {at}");
                        assert_eq!(doc_ids.len(), list.len());
                        assert_eq!(doc_ids.last().copied().unwrap_or(0), list.universe());
                    }
                }
            }
        }
    }
}
