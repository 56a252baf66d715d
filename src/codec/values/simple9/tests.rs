use super::raw::decode_words;
use super::*;
use crate::base::error::Error;
use crate::codec::sums::BEFORE_FIRST;
use crate::codec::values::tests::every_path_gives;
use byteorder::{BigEndian, ByteOrder};
use proptest::prelude::*;

#[test]
fn the_worked_example() {
    let bytes = encode(&[1624, 1650, 1876, 1972, 2356]).unwrap();
    let bits: Vec<String> = bytes.chunks(4).map(|w| format!("{:032b}", BigEndian::read_u32(w))).collect();
    assert_eq!(bits, ["00010001100101100000000000011001", "00100111000010010111111011111110"]);
    assert_eq!(decode(&bytes).unwrap(), [1624, 1650, 1876, 1972, 2356]);
}

#[test]
fn selector_8_is_read_as_28_ones() {
    let mut bytes = encode(&(0..28).collect::<Vec<_>>()).unwrap();
    assert_eq!(bytes, [0x90, 0, 0, 0]);
    bytes[0] = 0x80;
    assert_eq!(decode(&bytes).unwrap(), (0..28).collect::<Vec<_>>());
}

#[test]
fn what_cannot_be_coded_is_refused() {
    let not_codable = |doc_ids: &[u32]| match encode(doc_ids) {
        Err(Error::NotCodable { index, value, .. }) => (index, value),
        other => panic!("{other:?}"),
    };
    assert_eq!(not_codable(&[1 << 28]), (0, 1 << 28));
    assert_eq!(not_codable(&[5, 6, 7 + (1 << 28)]), (2, 1 << 28));
    assert!(encode(&[(1 << 28) - 1, (1 << 29) - 1]).is_ok());
    assert!(matches!(encode(&[3, 3]), Err(Error::NotIncreasing { index: 1, .. })));
}

#[test]
fn damage_is_named() {
    let text = |bytes: &[u8]| decode(bytes).unwrap_err().to_string();
    assert_eq!(text(&[0x90, 0, 0, 0, 0xB0, 0, 0, 0]), "simple9: word 1 at byte 4: selector 11 is not defined");
    assert_eq!(text(&[0x90, 0, 0, 0, 0xB0]), "simple9: word 1 at byte 4: 3 of its 4 bytes are missing");
    let full = [0x0F, 0xFF, 0xFF, 0xFF].repeat(17);
    assert_eq!(text(&full), "simple9: word 16 at byte 64: a docID exceeds 2^32 - 1");
    assert_eq!(decode(&full[..64]).unwrap().last(), Some(&u32::MAX));
}

proptest! {
    #[test]
    fn lists_come_back(gaps in prop::collection::vec(prop_oneof![0u32..2, 0u32..100, 0u32..1 << 20], 0..400)) {
        let doc_ids: Vec<u32> = gaps.iter().scan(u32::MAX, |last, &gap| {
            *last = last.wrapping_add(gap + 1);
            Some(*last)
        }).collect();
        prop_assert_eq!(decode(&encode(&doc_ids).unwrap()).unwrap(), doc_ids);
    }

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        if let Ok(doc_ids) = decode(&bytes) {
            prop_assert!(doc_ids.is_sorted_by(|a, b| a < b));
        }
    }
}

/// Decodes one value at a time, by definition. Every path must give the same.
fn by_definition(words: &[u32], previous: u32) -> Vec<u32> {
    let gaps = words.iter().flat_map(|&word| values(word));
    gaps.scan(previous, |last, gap| {
        *last = last.wrapping_add(gap + 1);
        Some(*last)
    })
    .collect()
}

fn every_path_equals_the_definition(words: &[u32], previous: u32) {
    let wanted = by_definition(words, previous);
    for tier in Tier::available() {
        // Exactly the room that the contract asks for, then a guard word that reveals writes past it.
        let mut out = vec![0xDEAD_BEEF; wanted.len() + crate::codec::SLACK + 1];
        // SAFETY: the tests use defined selectors only; `out` has room for the values and the slack; the tier is
        // available.
        unsafe { decode_words(tier, words, previous, out.as_mut_ptr()) };
        assert_eq!(out.pop(), Some(0xDEAD_BEEF), "{} wrote past the slack", tier.name());
        assert_eq!(&out[..wanted.len()], wanted, "{}", tier.name());
    }
    let values: Vec<u32> = words.iter().flat_map(|&word| values(word)).collect();
    // Whichever of the two is chosen here.
    #[cfg(target_arch = "x86_64")]
    if Tier::Avx512.is_available() {
        for decode in [avx2::decode, avx512::decode] {
            let mut out = vec![0xDEAD_BEEF; values.len() + crate::codec::SLACK + 1];
            // SAFETY: as above.
            assert_eq!(unsafe { decode(words, out.as_mut_ptr()) }, values.len());
            assert_eq!(out.pop(), Some(0xDEAD_BEEF), "wrote past the slack");
            assert_eq!(&out[..values.len()], values);
        }
    }
    // What processors other than x86-64 run.
    let mut out = vec![0xDEAD_BEEF; values.len() + crate::codec::SLACK + 1];
    // SAFETY: as above.
    assert_eq!(unsafe { scalar::decode(words, out.as_mut_ptr()) }, values.len());
    assert_eq!(out.pop(), Some(0xDEAD_BEEF), "wrote past the slack");
    assert_eq!(&out[..values.len()], values);
}

/// The greedy rule, as the module's documentation states it.
fn selector_by_definition(gaps: &[u32]) -> u32 {
    [9, 7, 6, 5, 4, 3, 2, 1, 0]
        .into_iter()
        .find(|&selector| {
            let (count, width) = LAYOUTS[selector as usize];
            gaps.len() >= count as usize && gaps[..count as usize].iter().all(|&gap| gap >> width == 0)
        })
        .unwrap()
}

#[test]
fn every_width_and_length_to_two_blocks() {
    for width in 0..=28 {
        for count in (0..=257u32).step_by(if width % 9 == 1 { 1 } else { 13 }) {
            let values = |i: u32| ((u64::from(i.wrapping_mul(0x9E37_79B9)) << width) >> 32) as u32;
            every_path_gives::<Simple9>(&(0..count).map(values).collect::<Vec<_>>());
        }
    }
}

#[test]
fn every_selector_and_pair_of_selectors() {
    for first in 0..10u32 {
        for second in 0..10u32 {
            for payload in [0, (1 << 28) - 1, 0x5A5_A5A5, 0xC30_F1E7] {
                let words = [first << 28 | payload, second << 28 | payload, first << 28 | (payload >> 3)];
                for length in 0..=3 {
                    every_path_equals_the_definition(&words[..length], 77);
                }
            }
        }
    }
}

#[test]
fn every_number_of_words_over_two_runs() {
    for length in 0..=2 * 128 + 1 {
        let words: Vec<u32> =
            (0..length as u32).map(|i| (((i * i + i / 7) % 10) << 28) | (i.wrapping_mul(0x9E37_79B9) >> 4)).collect();
        every_path_equals_the_definition(&words, BEFORE_FIRST);
    }
}

#[test]
fn the_largest_doc_id_ends_a_list() {
    let raw = |words: &[u32]| decode(&words.iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<u8>>());
    assert_eq!(raw(&[0x0FFF_FFFF; 16]).unwrap().last(), Some(&u32::MAX));
    for more in [0, 40, 140] {
        // docIDs after the largest possible one, in the same batch of words and in a later one.
        let mut words = vec![0x9000_0000; more];
        let start = 28 * more as u32;
        words.extend([0x0FFF_FFFF; 15]);
        words.push((1 << 28) - 1 - start);
        let end = words.len();
        assert_eq!(raw(&words).unwrap().last(), Some(&u32::MAX));
        words.extend([0; 133]);
        let text = raw(&words).unwrap_err().to_string();
        assert_eq!(text, format!("simple9: word {end} at byte {}: a docID exceeds 2^32 - 1", 4 * end));
    }
}

proptest! {
    #[test]
    fn every_path_equals_the_definition_on_random_words(
        words in prop::collection::vec((0u32..10, 0u32..1 << 28), 0..300),
        previous in any::<u32>(),
    ) {
        let words: Vec<u32> = words.into_iter().map(|(selector, payload)| selector << 28 | payload).collect();
        every_path_equals_the_definition(&words, previous);
    }

    #[test]
    fn a_sink_gets_what_decode_gives(
        words in prop::collection::vec((prop_oneof![1 => Just(0u32), 200 => 1u32..10, 1 => 0u32..11], 0u32..1 << 28), 0..600),
        junk in prop_oneof![9 => Just(0usize), 1 => 1usize..4],
    ) {
        let mut bytes: Vec<u8> =
            words.into_iter().flat_map(|(selector, payload)| (selector << 28 | payload).to_be_bytes()).collect();
        bytes.resize(bytes.len() + junk, 0);
        let mut doc_ids = Vec::new();
        match (decode_to(&bytes, &mut doc_ids), decode(&bytes)) {
            (Ok(()), Ok(whole)) => prop_assert_eq!(doc_ids, whole),
            (Err(one), Err(other)) => prop_assert_eq!(one.to_string(), other.to_string()),
            (one, other) => prop_assert!(false, "{:?} and {:?}", one, other),
        }
    }

    #[test]
    fn the_encoder_is_greedy(
        gaps in prop::collection::vec(prop_oneof![8 => 0u32..2, 4 => 0u32..9, 2 => 0u32..200, 1 => 0u32..1 << 28], 1..60),
    ) {
        prop_assert_eq!(selector(&gaps), selector_by_definition(&gaps));
    }
}
