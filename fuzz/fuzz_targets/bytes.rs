//! Feeds hostile bytes to every parser, which must return an error or a valid list and never panic. The first byte
//! selects the parser. `cargo fuzz run bytes` (with `-s none` if there is no nightly compiler).

#![no_main]

use libfuzzer_sys::fuzz_target;
use postings::codec::{quasi_succinct, simple9};
use postings::{Codec, PostingList, intersect, yioop};

/// Reads a posting list, decodes it and looks docIDs up in it.
fn list(bytes: &[u8]) {
    let Ok(list) = PostingList::from_bytes(bytes) else { return };
    assert_eq!(list.to_bytes(), bytes);
    // A run of 2^32 docIDs takes a few bytes.
    if list.len() > 1 << 22 {
        return;
    }
    let doc_ids = list.decode();
    assert!(doc_ids.is_sorted_by(|a, b| a < b));
    assert_eq!(doc_ids.len(), list.len());
    let probes: Vec<u32> = doc_ids.iter().copied().step_by(1 + doc_ids.len() / 50).collect();
    let probes = PostingList::encode(&probes, Codec::default()).expect("docIDs that increase");
    for lists in [[list.clone(), probes.clone()], [probes.clone(), list.clone()]] {
        let mut found = Vec::new();
        intersect::intersect(&lists, &mut found);
        assert_eq!(found, probes.decode());
    }
}

/// The bytes with a right magic and checksum, which a fuzzer cannot guess, and a codec that exists, so that the parser goes
/// on to what follows.
fn sealed(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes[..bytes.len() / 4 * 4].to_vec();
    if bytes.len() >= 24 {
        bytes[..4].copy_from_slice(b"PSTL");
        bytes[5] = Codec::ALL[usize::from(bytes[5]) % Codec::COUNT] as u8;
        let mut crc = crc32fast::Hasher::new();
        crc.update(&bytes[..20]);
        crc.update(&bytes[24..]);
        bytes[20..24].copy_from_slice(&crc.finalize().to_le_bytes());
    }
    bytes
}

fuzz_target!(|input: &[u8]| {
    let Some((&parser, bytes)) = input.split_first() else { return };
    match parser % 5 {
        0 => list(bytes),
        1 => {
            let mut sunk = Vec::new();
            match (simple9::decode(bytes), simple9::decode_to(bytes, &mut sunk)) {
                (Ok(doc_ids), Ok(())) => {
                    assert!(doc_ids.is_sorted_by(|a, b| a < b));
                    assert_eq!(doc_ids, sunk);
                }
                (one, other) => assert_eq!(one.err(), other.err()),
            }
        }
        2 => {
            if let Ok(doc_ids) = quasi_succinct::decode(bytes) {
                assert!(doc_ids.is_sorted_by(|a, b| a < b));
            }
        }
        3 => {
            let doc_indexes = yioop::doc_indexes(bytes);
            let postings = yioop::unpack_postings(bytes);
            let mut sunk = Vec::new();
            assert_eq!(yioop::doc_indexes_to(bytes, &mut sunk).err(), doc_indexes.as_ref().err().cloned());
            match (doc_indexes, postings) {
                (Ok(doc_indexes), Ok(postings)) => {
                    assert_eq!(sunk, doc_indexes);
                    assert!(doc_indexes.iter().copied().eq(postings.iter().map(|posting| posting.0)));
                    let list = yioop::Postings::parse(bytes).expect("unpacked before");
                    for (posting, (_, positions)) in list.iter().zip(&postings) {
                        assert!(posting.positions().eq(positions.iter().copied()));
                        assert_eq!(posting.count_positions(), positions.len());
                    }
                    let common = yioop::intersect(&[bytes, bytes]).expect("both lists are sound");
                    assert!(common.iter().all(|(doc_index, _)| doc_indexes.contains(doc_index)));
                }
                (Err(one), Err(other)) => assert_eq!(one, other),
                (one, other) => panic!("{one:?} but {other:?}"),
            }
        }
        _ => list(&sealed(bytes)),
    }
});
