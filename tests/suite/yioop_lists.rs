//! Properties of Yioop's lists: packed postings unpack unchanged, all functions see the same postings, and hostile
//! bytes give errors.

use postings::Error;
use postings::yioop::{self, MAX_DOC_INDEX, Posting, Postings};
use proptest::prelude::*;
use std::collections::BTreeMap;

fn doc_index() -> impl Strategy<Value = u32> {
    prop_oneof![
        0u32..300,
        32_700u32..32_900,
        262_000u32..262_300,
        (1u32 << 27) - 40..(1u32 << 27) - 1,
        0..=MAX_DOC_INDEX
    ]
}

/// Positions with gaps of all widths; the first is 1 or more.
fn positions() -> impl Strategy<Value = Vec<u32>> {
    let gap = prop_oneof![Just(1u32), 1u32..8, 250u32..1100, 1u32..20_000, 1u32..1 << 28];
    prop::collection::vec(gap, 0..40).prop_map(|gaps| {
        let sums = gaps.into_iter().scan(0u32, |sum, gap| {
            *sum = sum.checked_add(gap)?;
            Some(*sum)
        });
        sums.collect()
    })
}

fn pack(postings: &[Posting]) -> Vec<u8> {
    postings.iter().flat_map(|(doc, at)| yioop::pack_posting(*doc, at).unwrap()).collect()
}

/// Checks that either all functions accept the bytes or none does, and that their results agree.
fn agree(bytes: &[u8]) -> Result<(), TestCaseError> {
    match (yioop::unpack_postings(bytes), yioop::doc_indexes(bytes), yioop::intersect(&[bytes])) {
        (Ok(postings), Ok(docs), Ok(matches)) => {
            prop_assert_eq!(postings.iter().map(|posting| posting.0).collect::<Vec<_>>(), docs);
            let list = Postings::parse(bytes).unwrap();
            let mut first = BTreeMap::new();
            for (view, (doc, at)) in list.iter().zip(&postings) {
                prop_assert_eq!(view.doc_index, *doc);
                prop_assert_eq!(&view.positions().collect::<Vec<_>>(), at);
                prop_assert_eq!(view.count_positions(), at.len());
                first.entry(*doc).or_insert(vec![view.offset as u32]);
                let again = list.at(view.offset).unwrap();
                prop_assert_eq!(again.as_bytes(), view.as_bytes());
            }
            prop_assert_eq!(list.iter().count(), postings.len());
            prop_assert_eq!(matches, first.into_iter().collect::<Vec<_>>());
        }
        (Err(one), Err(two), Err(three)) => {
            let named = matches!(one, Error::Corrupt { codec: "modified9", offset, .. } if offset <= bytes.len());
            prop_assert!(named, "{}", one);
            prop_assert_eq!(&one, &two);
            prop_assert_eq!(&one, &three);
        }
        other => return Err(TestCaseError::fail(format!("{other:?}"))),
    }
    Ok(())
}

#[test]
fn limits() {
    let pack = yioop::pack_posting;
    for doc in [0, 32_767, 32_768, 262_143, 262_144, MAX_DOC_INDEX] {
        for at in [&[][..], &[1], &[511], &[512], &[1023], &[1024, 1025], &[(1 << 28) - 1], &[5, 5 + (1 << 28) - 1]] {
            assert_eq!(yioop::unpack_postings(&pack(doc, at).unwrap()).unwrap(), [(doc, at.to_vec())]);
        }
    }
    assert!(matches!(pack(MAX_DOC_INDEX + 1, &[1]), Err(Error::Argument(_))));
    assert!(matches!(pack(u32::MAX, &[]), Err(Error::Argument(_))));
    assert!(matches!(pack(1, &[7, 7]), Err(Error::NotIncreasing { index: 1, .. })));
    assert!(matches!(pack(1, &[7, 9, 8]), Err(Error::NotIncreasing { index: 2, .. })));
    assert!(matches!(pack(1, &[1 << 28]), Err(Error::NotCodable { index: 0, value: 268_435_456, .. })));
    assert!(matches!(pack(1, &[1, 1 + (1 << 28)]), Err(Error::NotCodable { index: 1, .. })));
    assert!(matches!(pack(40_000, &[1, 2, 2 + (1 << 28)]), Err(Error::NotCodable { index: 2, .. })));
    // Only the form that joins doc index and first position can represent position 0.
    assert!(matches!(pack(1, &[0]), Err(Error::NotCodable { index: 0, value: 0, .. })));
    assert_eq!(yioop::unpack_postings(&pack(32_768, &[0, 3]).unwrap()).unwrap(), [(32_768, vec![0, 3])]);
    assert!(matches!(yioop::add_doc_index(&pack(32_768, &[0, 3]).unwrap(), -1), Err(Error::Argument(_))));
}

#[test]
fn moving_past_the_ends_is_refused() {
    let list = pack(&[(3, vec![1]), (MAX_DOC_INDEX - 1, vec![2])]);
    assert!(yioop::add_doc_index(&list, 1).is_ok());
    assert!(yioop::add_doc_index(&list, -3).is_ok());
    for offset in [2, -4, i64::MAX, i64::MIN] {
        assert!(matches!(yioop::add_doc_index(&list, offset), Err(Error::Argument(_))), "{offset}");
    }
}

#[test]
fn nothing_at_all() {
    assert!(yioop::doc_indexes(&[]).unwrap().is_empty());
    assert_eq!(yioop::unpack_postings(&[]).unwrap(), []);
    assert!(yioop::add_doc_index(&[], 5).unwrap().is_empty());
    assert_eq!(yioop::intersect(&[]).unwrap(), []);
    assert_eq!(yioop::intersect(&[&[], &pack(&[(1, vec![1])])]).unwrap(), []);
}

/// A list that is not increasing is treated as a set. If a doc index has several postings, the first counts.
#[test]
fn lists_that_do_not_rise() {
    let one = pack(&[(9, vec![1]), (4, vec![1]), (9, vec![2]), (4, vec![3]), (12, vec![1])]);
    let two = pack(&[(4, vec![8]), (9, vec![8])]);
    let wanted = [(4, vec![4, 0]), (9, vec![0, 4])];
    assert_eq!(yioop::intersect(&[&one, &two]).unwrap(), wanted);
}

#[test]
fn a_damaged_list_is_named_even_beside_an_empty_one() {
    let error = yioop::intersect(&[&[], &[0, 0, 0, 1, 0x80, 0, 0, 1]]).unwrap_err();
    assert_eq!(error.to_string(), "modified9: word 1 at byte 4: it goes on with a posting, but none has begun");
}

proptest! {
    #[test]
    fn postings_come_back(postings in prop::collection::vec((doc_index(), positions()), 0..12)) {
        let bytes = pack(&postings);
        prop_assert_eq!(&yioop::unpack_postings(&bytes).unwrap(), &postings);
        agree(&bytes)?;
        let mut ends = 0;
        let starts: Vec<usize> = postings.iter().map(|(doc, at)| {
            let start = ends;
            ends += yioop::pack_posting(*doc, at).unwrap().len();
            start
        }).collect();
        for cut in 0..bytes.len() {
            agree(&bytes[..cut])?;
            prop_assert_eq!(yioop::doc_indexes(&bytes[..cut]).is_ok(), starts.contains(&cut));
        }
    }

    #[test]
    fn junk_behind_a_list_is_named(
        postings in prop::collection::vec((doc_index(), positions()), 0..4),
        junk in prop::collection::vec(any::<u8>(), 1..4),
    ) {
        let mut bytes = pack(&postings);
        let len = bytes.len();
        bytes.extend(junk);
        agree(&bytes)?;
        match yioop::doc_indexes(&bytes) {
            Err(Error::Corrupt { offset, .. }) => prop_assert_eq!(offset, len),
            other => prop_assert!(false, "{:?}", other),
        }
    }

    #[test]
    fn flipped_bits_never_split_the_functions(
        postings in prop::collection::vec((doc_index(), positions()), 1..8),
        flips in prop::collection::vec(any::<prop::sample::Index>(), 1..4),
    ) {
        let mut bytes = pack(&postings);
        for flip in flips {
            let bit = flip.index(bytes.len() * 8);
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        agree(&bytes)?;
        let _ = yioop::add_doc_index(&bytes, 1);
    }

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), offset in any::<i64>()) {
        agree(&bytes)?;
        let _ = yioop::add_doc_index(&bytes, offset);
        let _ = yioop::format::modified9::decode(&bytes);
        if let Ok(list) = Postings::parse(&bytes) {
            for at in 0..bytes.len() + 8 {
                let _ = list.at(at);
            }
        }
    }

    #[test]
    fn moving_is_adding(
        postings in prop::collection::vec((0u32..300_000, positions()), 0..12),
        offset in 0i64..300_000,
    ) {
        let moved = yioop::add_doc_index(&pack(&postings), offset).unwrap();
        let wanted: Vec<Posting> = postings.into_iter().map(|(doc, at)| (doc + offset as u32, at)).collect();
        prop_assert_eq!(&yioop::unpack_postings(&moved).unwrap(), &wanted);
        prop_assert_eq!(moved, pack(&wanted));
    }

    #[test]
    fn intersection_is_the_sets(
        lists in prop::collection::vec(
            prop::collection::btree_map(0u32..400, positions(), 0..300), 1..5),
    ) {
        let packed: Vec<Vec<u8>> =
            lists.iter().map(|list| pack(&list.clone().into_iter().collect::<Vec<_>>())).collect();
        let slices: Vec<&[u8]> = packed.iter().map(Vec::as_slice).collect();
        let matches = yioop::intersect(&slices).unwrap();
        let wanted: Vec<u32> =
            lists[0].keys().copied().filter(|doc| lists.iter().all(|list| list.contains_key(doc))).collect();
        prop_assert_eq!(matches.iter().map(|found| found.0).collect::<Vec<_>>(), wanted);
        for (doc, offsets) in &matches {
            for ((list, bytes), offset) in lists.iter().zip(&slices).zip(offsets) {
                let posting = Postings::parse(bytes).unwrap().at(*offset as usize).unwrap();
                prop_assert_eq!(posting.doc_index, *doc);
                prop_assert_eq!(&posting.positions().collect::<Vec<_>>(), &list[doc]);
            }
        }
        // Commutative except for the order of the offsets, and idempotent.
        let reversed: Vec<&[u8]> = slices.iter().rev().copied().collect();
        let mut turned = yioop::intersect(&reversed).unwrap();
        turned.iter_mut().for_each(|found| found.1.reverse());
        prop_assert_eq!(&turned, &matches);
        let same = yioop::intersect(&[slices[0], slices[0]]).unwrap();
        prop_assert_eq!(same.len(), lists[0].len());
    }
}
