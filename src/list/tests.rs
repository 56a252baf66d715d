use super::*;

fn strided(n: usize, step: u32) -> Vec<u32> {
    (0..n as u32).map(|i| i * step + i % 3).collect()
}

#[test]
fn every_length_to_two_blocks_comes_back() {
    for codec in Codec::ALL {
        for n in (0..=2 * BLOCK + 1).chain([1000, 4096]) {
            for step in [3, 4, 300, 70_000] {
                let doc_ids = strided(n, step);
                let list = PostingList::encode(&doc_ids, codec).unwrap();
                assert_eq!(list.decode(), doc_ids, "{codec:?} {n} {step}");
                let again = PostingList::from_bytes(&list.to_bytes()).unwrap();
                assert_eq!(again.decode(), doc_ids);
                assert!(again.equals(&list));
            }
        }
    }
}

#[test]
fn every_tier_decodes_every_block_and_the_whole() {
    for codec in Codec::ALL {
        for (n, step) in [(0, 3), (1, 3), (128, 3), (129, 5), (5000, 3), (20_000, 4), (3000, 90_000)] {
            let doc_ids = strided(n, step);
            let list = PostingList::encode(&doc_ids, codec).unwrap();
            for tier in Tier::available() {
                let mut all = vec![7];
                list.decode_into_with(tier, &mut all);
                assert_eq!(all[1..], doc_ids);
                let mut buffer = block_buffer();
                for (block, wanted) in doc_ids.chunks(BLOCK).enumerate() {
                    assert_eq!(list.decode_block_with(tier, block, &mut buffer), wanted);
                }
            }
        }
    }
}
