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

/// A sink with limited room, which refuses more docIDs than that.
struct Room(usize, Vec<u32>);

impl Sink for Room {
    fn expect(&mut self, count: usize) -> bool {
        assert!(self.1.is_empty());
        count <= self.0
    }

    fn take(&mut self, doc_ids: &[u32]) {
        assert!(self.1.len() + doc_ids.len() <= self.0);
        self.1.extend_from_slice(doc_ids);
    }
}

#[test]
fn a_sink_gets_all_docids_or_none() {
    for codec in Codec::ALL {
        for n in [0, 1, 127, 128, 129, 2047, 2048, 2049, 5000] {
            let doc_ids = strided(n, 7);
            let list = PostingList::encode(&doc_ids, codec).unwrap();
            let mut room = Room(n, Vec::new());
            list.decode_to(&mut room);
            assert_eq!(room.1, doc_ids, "{codec:?} {n}");
            if n > 0 {
                let mut room = Room(n - 1, Vec::new());
                list.decode_to(&mut room);
                assert!(room.1.is_empty());
            }
        }
    }
}

#[test]
fn lists_remember_their_options() {
    for codec in Codec::ALL {
        let list = PostingList::encode(&strided(300, 9), codec).unwrap();
        assert_eq!(list.options().len(), codec.options().len());
        assert!(PostingList::encode_with(&[1], codec, &[("no such option", 1.0)]).is_err());
        for option in codec.options() {
            for value in [option.range.0, option.range.1] {
                let list = PostingList::encode_with(&strided(300, 9), codec, &[(option.name, value)]).unwrap();
                let again = PostingList::from_bytes(&list.to_bytes()).unwrap();
                let found = again.options().into_iter().find(|(found, _)| found.name == option.name).unwrap();
                assert_eq!(found.1, Some(f64::from(value as f32)), "{codec:?} {option:?}");
                assert_eq!(again.decode(), strided(300, 9));
            }
            assert!(PostingList::encode_with(&[1], codec, &[(option.name, option.range.1 + 1.0)]).is_err());
        }
    }
    let c = |c: f64| PostingList::encode_with(&strided(300, 900), Codec::QuasiSuccinct, &[("c", c)]).unwrap();
    assert!(c(4.0).parameter() == c(1.0).parameter() + 2 && c(1.0).to_bytes()[4] == 1 && c(4.0).to_bytes()[4] == 2);
}
