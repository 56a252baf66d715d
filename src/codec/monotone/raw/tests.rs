use super::*;
use crate::codec::{Codec, LookUp};
use crate::list::PostingList;
use proptest::prelude::*;

fn encode(doc_ids: &[u32], bucket: u32) -> PostingList {
    PostingList::encode_with(doc_ids, Codec::Raw, &[("bucket", bucket.into())]).unwrap()
}

#[test]
fn words_are_those_of_the_picture() {
    let doc_ids: Vec<u32> = (0..40).map(|i| 2 * i + i / 20).collect();
    let list = encode(&doc_ids, 16);
    // 79 has 7 bits, and 40 / 16 <= 2^2: buckets of 32 docIDs.
    assert_eq!(list.parameter(), 5);
    assert_eq!(list.encoded().own, [16, 0, 16, 32, 40]);
    assert_eq!(list.words()[list.words().len() - 40..], doc_ids);
    assert_eq!(list.last_doc_ids(), [79]);
    let empty = encode(&[], 64);
    assert_eq!((empty.encoded().own, empty.parameter()), (&[64][..], 0));
    assert_eq!(empty.size(), 4 * 8);
}

/// Lists of that many docIDs in all buckets, in few, and in one.
fn lists() -> Vec<Vec<u32>> {
    let mut lists: Vec<Vec<u32>> = (0..=2 * 128 + 1).map(|n| (0..n).map(|i| i * 37 + i % 5).collect()).collect();
    lists.push((0..5000).collect());
    lists.push((0..5000).chain([u32::MAX]).collect());
    lists.push((0..5000).map(|i| i * i).collect());
    lists.push(vec![u32::MAX]);
    lists
}

#[test]
fn look_ups_find_what_is_there_on_every_tier() {
    for doc_ids in lists().iter().filter(|doc_ids| !doc_ids.is_empty()) {
        for bucket in [16, 100, 256] {
            let list = encode(doc_ids, bucket);
            let candidates: std::collections::BTreeSet<u32> = doc_ids
                .iter()
                .flat_map(|&id| [id.saturating_sub(1), id, id.saturating_add(1)])
                .chain([u32::MAX])
                .collect();
            for tier in Tier::available() {
                let mut candidates: Vec<u32> = candidates.iter().copied().collect();
                // SAFETY: the list was just encoded and is not empty, and the tier is available.
                let mut look_up = unsafe { look_up::InBuckets::new(tier, list.encoded()) }.unwrap();
                // SAFETY: candidates ascend.
                let kept = unsafe { look_up.retain(&mut candidates) };
                assert_eq!(candidates[..kept], doc_ids[..]);
            }
        }
    }
}

/// The list with one word changed and the checksum put right.
fn with_word(list: &PostingList, at: usize, word: u32) -> crate::Result<PostingList> {
    let mut bytes = list.to_bytes();
    bytes[4 * at..4 * at + 4].copy_from_slice(&word.to_le_bytes());
    let mut crc = crc32fast::Hasher::new();
    crc.update(&bytes[..20]);
    crc.update(&bytes[24..]);
    bytes[20..24].copy_from_slice(&crc.finalize().to_le_bytes());
    PostingList::from_bytes(&bytes)
}

#[test]
fn hostile_headers_and_pointers_are_refused() {
    let doc_ids: Vec<u32> = (0..100).map(|i| i * 50).collect();
    let list = encode(&doc_ids, 16);
    let own = list.encoded().own.len();
    assert!(with_word(&list, 7, 16).is_ok());
    for size in [0, 15, 17, 32, 257, u32::MAX] {
        // Another size with the same width of buckets is a valid list.
        let fits = (16..=256).contains(&size) && buckets::shift(100, 4950, size as usize) == list.parameter();
        assert_eq!(with_word(&list, 7, size).is_ok(), fits, "{size}");
    }
    for pointer in 8..7 + own {
        let right = list.words()[pointer];
        for wrong in [right.wrapping_sub(1), right + 1, u32::MAX] {
            assert!(with_word(&list, pointer, wrong).is_err(), "{pointer} {wrong}");
        }
    }
    for width in 0..=255u32 {
        let format = list.words()[1] & !0xFF_0000 | width << 16;
        assert_eq!(with_word(&list, 1, format).is_ok(), width == list.parameter());
    }
    for own in [0, 1, own as u32 - 1, own as u32 + 1, u32::MAX] {
        assert!(with_word(&list, 6, own).is_err());
    }
    for (at, doc_id) in [(0, 50), (99, 4949), (99, 4951), (50, 0)] {
        assert!(with_word(&list, 7 + own + at, doc_id).is_err());
    }
}

proptest! {
    #[test]
    fn any_list_with_any_buckets(
        set in prop::collection::btree_set(prop_oneof![any::<u32>(), 0u32..5000], 0..600),
        bucket in 16u32..=256,
    ) {
        let doc_ids: Vec<u32> = set.into_iter().collect();
        let list = encode(&doc_ids, bucket);
        prop_assert_eq!(list.decode(), &doc_ids[..]);
        let again = PostingList::from_bytes(&list.to_bytes()).unwrap();
        prop_assert_eq!(again.plain(), Some(&doc_ids[..]));
        prop_assert!(list.size() <= 4 * (doc_ids.len() + 2 * doc_ids.len() / bucket as usize + 12));
    }
}
