use super::*;
use crate::codec::Codec;
use crate::codec::values::tests::{are_refused_or_decode, every_path_gives, every_path_gives_with, of_any_width, part};
use crate::list::PostingList;
use proptest::prelude::*;

fn with_width(width: u32) -> Options {
    Options::named(Rice::NAME, Rice::OPTIONS, &[("b", width.into())]).unwrap()
}

#[test]
fn the_worked_example() {
    let words = part::<Rice>(&[2, 9, 0, 5]);
    // From the last bit to the first: quotients, remainders, b.
    assert_eq!(words, [0b010_0110_0100_0110_0000_0010]);
    assert_eq!(Rice::check(&words, 4), Ok(()));
}

#[test]
fn every_width_and_length_to_two_blocks() {
    for width in 0..=32 {
        for count in (0..=2 * BLOCK as u32 + 1).step_by(if width % 8 < 2 { 1 } else { 13 }) {
            let values = |i: u32| ((u64::from(i.wrapping_mul(0x9E37_79B9)) << width) >> 32) as u32;
            every_path_gives::<Rice>(&(0..count).map(values).collect::<Vec<_>>());
        }
    }
}

#[test]
fn every_width_as_an_option() {
    for width in 0..=MAX_WIDTH {
        for shift in 0..=31 {
            let values: Vec<u32> = (0..200u32).map(|i| i.wrapping_mul(0x9E37_79B9) >> shift).collect();
            every_path_gives_with::<Rice>(&values, &with_width(width));
        }
    }
}

#[test]
fn the_best_width_is_the_best_of_all() {
    for shift in 0..=31 {
        for count in [1, 2, 3, 50, BLOCK as u32] {
            for step in [0, 1, 0x1234_5678, 0x9E37_79B9, u32::MAX] {
                let values: Vec<u32> = (1..=count).map(|i| i.wrapping_mul(step) >> (shift + i % 4).min(31)).collect();
                let bits = |width: &u32| u64::from(count) * u64::from(*width) + unary_bits(&values, *width);
                assert_eq!(Some(best_width(&values)), (0..=MAX_WIDTH).rev().min_by_key(bits));
            }
        }
    }
}

#[test]
fn quotients_are_bounded() {
    for values in [vec![u32::MAX], vec![u32::MAX; BLOCK], [vec![0; BLOCK - 1], vec![u32::MAX]].concat()] {
        for width in 0..=MAX_WIDTH {
            let mut words = Vec::new();
            Rice::encode(&values, &with_width(width), &mut words);
            assert!(words[0] & MAX_WIDTH >= width);
            assert!(words.len() <= (MOST_UNARY as usize + 31) * values.len() / 32 + 2, "{}", words.len());
            every_path_gives_with::<Rice>(&values, &with_width(width));
        }
        let best = part::<Rice>(&values).len();
        assert!(best <= (33 * values.len() + 39).div_ceil(32), "{best}");
    }
    // As many quotient bits as are allowed.
    let longest = vec![MOST_UNARY as u32 - 1; BLOCK];
    let mut words = Vec::new();
    Rice::encode(&longest, &with_width(0), &mut words);
    assert_eq!(words[0] & MAX_WIDTH, 0);
    every_path_gives_with::<Rice>(&longest, &with_width(0));
}

#[test]
fn the_option_is_remembered() {
    let doc_ids: Vec<u32> = (0..1000).map(|i| i * 7).collect();
    let list = PostingList::encode_with(&doc_ids, Codec::Rice, &[("b", 5.0)]).unwrap();
    let again = PostingList::from_bytes(&list.to_bytes()).unwrap();
    assert_eq!(again.decode(), doc_ids);
    assert_eq!(again.options()[0].1, Some(5.0));
    assert!(PostingList::encode_with(&doc_ids, Codec::Rice, &[("b", 32.0)]).is_err());
}

#[test]
fn damage_is_named() {
    let words = part::<Rice>(&[2, 9, 0, 5]);
    let check = |words: &[u32], count: usize| Rice::check(words, count).map_err(|(word, _)| word);
    assert_eq!(check(&words, 4), Ok(()));
    assert_eq!(check(&[], 4), Err(0));
    assert_eq!(check(&[], 0), Ok(()));
    assert_eq!(check(&words, 0), Err(0));
    assert_eq!(check(&[words[0] | 1 << 5], 4), Err(0));
    assert_eq!(check(&[words[0], 0], 4), Err(1));
    assert_eq!(check(&[words[0] | 1 << 31], 4), Err(0));
    assert_eq!(check(&[u32::MAX << 8 | 2], 4), Err(0));
    // A quotient with which the value has more than 32 bits.
    assert_eq!(check(&[31, 0b11 << 7], 1), Err(1));
    assert_eq!(check(&[31, 0b1 << 7], 1), Ok(()));
    // More bits of quotients than a part may have.
    let mut long = vec![u32::MAX; 3];
    long[0] <<= 8;
    long[2] = 0x7FF;
    assert_eq!(check(&long, 1).map_err(|_| ()), Err(()));
}

proptest! {
    #[test]
    fn any_values(values in of_any_width(0..400)) {
        every_path_gives::<Rice>(&values);
    }

    #[test]
    fn random_words_are_refused_or_decode(words in prop::collection::vec(any::<u32>(), 0..40), count in 0usize..40) {
        let mut words = words;
        if let Some(first) = words.first_mut() {
            *first &= !0xE0;
        }
        are_refused_or_decode::<Rice>(&words, count);
    }
}
