//! Feeds hostile bytes to every parser, which must return an error or a valid list and never panic. The first byte
//! selects the parser. `cargo fuzz run bytes` (with `-s none` if there is no nightly compiler).

#![no_main]

use libfuzzer_sys::fuzz_target;
use postings::codec::{quasi_succinct, simple9};
use postings::{PostingList, yioop};

fuzz_target!(|input: &[u8]| {
    let Some((&parser, bytes)) = input.split_first() else { return };
    match parser % 5 {
        0 => {
            if let Ok(list) = PostingList::from_bytes(bytes) {
                let doc_ids = list.decode();
                assert!(doc_ids.is_sorted_by(|a, b| a < b));
                assert_eq!(list.to_bytes(), bytes);
                assert_eq!(doc_ids.len(), list.len());
            }
        }
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
        _ => {
            // A fuzzer cannot guess the checksum, so it is corrected first to reach the checks after it.
            let mut bytes = bytes.to_vec();
            let whole = 4 * (bytes.len() / 4);
            if whole >= 24 {
                let checksum = crc32(bytes[..20].iter().chain(&bytes[24..whole]));
                bytes[20..24].copy_from_slice(&checksum.to_le_bytes());
            }
            if let Ok(list) = PostingList::from_bytes(&bytes) {
                assert!(list.decode().is_sorted_by(|a, b| a < b));
            }
        }
    }
});

/// CRC-32 (IEEE), bit by bit.
fn crc32<'b>(bytes: impl Iterator<Item = &'b u8>) -> u32 {
    !bytes.fold(u32::MAX, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| crc >> 1 ^ if crc & 1 == 1 { 0xEDB8_8320 } else { 0 })
    })
}
