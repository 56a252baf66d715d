//! Encodes arbitrary docIDs in every codec and compares decoding, searches and intersections with plain vectors.
//! `cargo fuzz run round_trip` (with `-s none` if there is no nightly compiler).

#![no_main]

use libfuzzer_sys::fuzz_target;
use postings::{Codec, PostingList, intersect};

fuzz_target!(|input: (Vec<u32>, Vec<u32>, Vec<u32>)| {
    let sorted = |mut doc_ids: Vec<u32>| {
        doc_ids.sort_unstable();
        doc_ids.dedup();
        doc_ids
    };
    let (one, other, targets) = (sorted(input.0), sorted(input.1), input.2);
    let common: Vec<u32> = one.iter().copied().filter(|doc_id| other.binary_search(doc_id).is_ok()).collect();
    for first in Codec::ALL {
        let Ok(list) = PostingList::encode(&one, first) else { continue };
        assert_eq!(list.decode(), one);
        assert!(PostingList::from_bytes(&list.to_bytes()).expect("its own bytes").equals(&list));
        for &target in &targets {
            let next = one.get(one.partition_point(|&doc_id| doc_id < target)).copied();
            assert_eq!(list.next_geq(target), next);
        }
        for second in [first, Codec::default()] {
            let Ok(second) = PostingList::encode(&other, second) else { continue };
            let mut found = Vec::new();
            intersect::intersect(&[list.clone(), second], &mut found);
            assert_eq!(found, common);
        }
    }
});
