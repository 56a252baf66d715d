//! Vectors made by running Yioop itself, checked for encoding and decoding.

use crate::common::yioop::*;
use postings::yioop::format::modified9;
use postings::yioop::{self, queue};

#[test]
fn modified9_lists() {
    for vector in vectors("modified9_lists.jsonl") {
        let (values, hex) = (numbers(&vector["values"]), bytes(&vector["hex"]));
        assert_eq!(modified9::encode(&values).unwrap(), hex, "{vector}");
        let next = vector["next_offset"].as_u64().unwrap() as usize;
        for junk in [&[][..], &[0xFF], &[0; 8], &[0x80, 0, 0, 1]] {
            let input = [&hex[..], junk].concat();
            assert_eq!(modified9::decode(&input).unwrap(), (numbers(&vector["decoded"]), next), "{vector}");
        }
        for cut in 1..hex.len() {
            assert!(modified9::decode(&hex[..cut]).is_err(), "{vector} cut at {cut}");
        }
    }
}

/// We write the same bytes as Yioop, unless Yioop would lose data; then we write bytes that Yioop reads back correctly.
/// We read everything that Yioop writes as Yioop itself does.
#[test]
fn postings() {
    let mut lossy = 0;
    for vector in vectors("postings.jsonl") {
        let (doc_index, positions) = (number(&vector["doc_index"]), numbers(&vector["positions"]));
        let (hex, unpacked) = (bytes(&vector["hex"]), posting(&vector["unpacked"]));
        let packed = yioop::pack_posting(doc_index, &positions).unwrap();
        if unpacked == (doc_index, positions.clone()) {
            assert_eq!(packed, hex, "{vector}");
        } else {
            lossy += 1;
            assert!((32_768..262_144).contains(&doc_index) && (512..1024).contains(&positions[0]), "{vector}");
            let gaps = positions.windows(2).map(|pair| pair[1] - pair[0]);
            let separate: Vec<u32> = [doc_index + 1, positions[0]].into_iter().chain(gaps).collect();
            assert_eq!(packed, modified9::encode(&separate).unwrap());
        }
        assert_eq!(yioop::unpack_postings(&packed).unwrap(), [(doc_index, positions)]);
        assert_eq!(yioop::unpack_postings(&hex).unwrap(), std::slice::from_ref(&unpacked), "{vector}");
        assert_eq!(yioop::doc_indexes(&hex).unwrap(), [unpacked.0]);
        assert_eq!(yioop::intersect(&[&hex, &hex]).unwrap(), [(unpacked.0, vec![0, 0])]);
        assert_eq!(vector["next_offset"].as_u64().unwrap() as usize, hex.len());
        for cut in 1..hex.len() {
            assert!(yioop::unpack_postings(&hex[..cut]).is_err(), "{vector} cut at {cut}");
        }
    }
    assert!(lossy >= 46);
}

#[test]
fn words() {
    let mut defects = 0;
    for vector in vectors("words.jsonl") {
        let word = number(&vector["word"]);
        assert_eq!(queue::unpack_list_modified9(word), numbers(&vector["unpackListModified9"]), "{vector}");
        let theirs = vector["docIndexModified9"].as_i64().unwrap();
        let defect = word & 0x3800_0000 == 0x0800_0000 && word & 0x1FF >= 256;
        defects += usize::from(defect);
        assert_eq!(queue::doc_index_modified9(word), theirs - i64::from(defect), "{vector}");
    }
    assert!(defects > 0);
}

#[test]
fn rebase() {
    for vector in vectors("rebase.jsonl") {
        let (list, add) = (bytes(&vector["hex"]), vector["add"].as_i64().unwrap());
        let moved = yioop::add_doc_index(&list, add).unwrap();
        let theirs = bytes(&vector["result_hex"]);
        let wanted: Vec<_> =
            yioop::unpack_postings(&list).unwrap().into_iter().map(|(doc, at)| (doc + add as u32, at)).collect();
        assert_eq!(yioop::unpack_postings(&moved).unwrap(), wanted, "{vector}");
        if yioop::unpack_postings(&theirs).ok() == Some(wanted) {
            assert_eq!(moved, theirs, "{vector}");
        }
        assert_eq!(
            yioop::unpack_postings(&yioop::add_doc_index(&moved, -add).unwrap()).unwrap(),
            yioop::unpack_postings(&list).unwrap()
        );
    }
}

#[test]
fn queue_weights() {
    for vector in vectors("queue_weights.jsonl") {
        let order = vector["order"].as_str().unwrap() == queue::PAGE_IMPORTANCE;
        let int = |value: &serde_json::Value| value.as_i64().unwrap();
        let encoded = queue::encode_queue_weight_info(int(&vector["weight"]), int(&vector["depth"]), order);
        assert_eq!(encoded, int(&vector["encoded"]), "{vector}");
        let decoded = queue::decode_queue_weight_info(encoded, order);
        assert_eq!(decoded, (int(&vector["decoded"][0]), int(&vector["decoded"][1])), "{vector}");
        assert_eq!(queue::adjust_weight_callback(encoded, encoded), int(&vector["adjusted_by_itself"]), "{vector}");
    }
}
