use super::*;
use crate::codec::values::tests::{
    are_refused_or_decode, every_path_gives, every_path_gives_with, of_any_width, part, values,
};
use proptest::prelude::*;

fn options(b: Option<u32>, levels: u32) -> Options {
    let mut given = vec![("levels", f64::from(levels))];
    given.extend(b.map(|b| ("b", f64::from(b))));
    Options::named(PForDelta::NAME, PForDelta::OPTIONS, &given).unwrap()
}

fn with_options(values: &[u32], b: u32, levels: u32) -> Vec<u32> {
    let mut words = Vec::new();
    PForDelta::encode(values, &options(Some(b), levels), &mut words);
    words
}

const EXAMPLE: [u32; 6] = [3, 0, 2, 77, 1, 30];

#[test]
#[expect(clippy::unusual_byte_groupings, reason = "a group is a field")]
fn the_worked_example() {
    let words = with_options(&EXAMPLE, 2, 1);
    let stream = [(12, 0b10_01_01_10_00_11), (9, 0b01_11_00_010), (18, 0b00110_10010_00_000101)];
    let (mut bits, mut position) = ([0; 2], 0);
    for (width, value) in stream {
        bits::put(&mut bits, position, width, value);
        position += u64::from(width);
    }
    assert_eq!(words, [0x4082, bits[0], bits[1]]);
    assert_eq!(PForDelta::check(&words, 6), Ok(()));
    // Uncompressed arrays: 12 bits of slots, and 8 + 32 bits for each exception.
    assert_eq!(with_options(&EXAMPLE, 2, 0).len(), 4);
}

#[test]
fn nine_in_ten_fit() {
    let mut widths = [0; 33];
    (widths[3], widths[20]) = (90, 10);
    assert_eq!(holds_most(&widths), 3);
    widths[20] += 1;
    assert_eq!(holds_most(&widths), 20);
    assert_eq!(holds_most(&[0; 33]), 0);
    let mut open = options(None, 1);
    PForDelta::settle(&widths, &mut open);
    assert_eq!(open.whole(B), Some(20));
    let mut fixed = options(Some(7), 1);
    PForDelta::settle(&widths, &mut fixed);
    assert_eq!(fixed.whole(B), Some(7));
}

#[test]
fn every_width_and_length_to_two_blocks() {
    for width in 0..=32 {
        for count in (0..=2 * BLOCK + 1).step_by(if width % 9 == 1 { 1 } else { 13 }) {
            for step in [13, 1000] {
                every_path_gives::<PForDelta>(&values(count, width, step));
            }
        }
    }
}

/// b is one for a list, so that a block of it may have anything from no exceptions to nothing else.
#[test]
fn every_slot_width_and_level() {
    for b in 0..=32 {
        for levels in 0..=MOST_LEVELS {
            for (width, step) in [(0, 40), (b, 9), (9, 1000), (32, 1000)] {
                every_path_gives_with::<PForDelta>(&values(300, width, step), &options(Some(b), levels));
            }
        }
    }
}

/// Exceptions of all scales, so that their arrays have exceptions in several levels.
fn nested(count: usize) -> Vec<u32> {
    let value = |i: usize| match i as u32 {
        i if i % 61 == 60 => u32::MAX - i,
        i if i % 31 == 30 => 1 << 20,
        i if i % 2 == 1 => 16 + i % 16,
        i => i % 16,
    };
    (0..count).map(value).collect()
}

#[test]
fn levels_nest() {
    let words: Vec<usize> = (0..=MOST_LEVELS).map(|levels| with_options(&nested(128), 4, levels).len()).collect();
    assert!(words[0] > words[1] && words[1] > words[2], "{words:?}");
    for levels in 0..=MOST_LEVELS {
        every_path_gives_with::<PForDelta>(&nested(300), &options(Some(4), levels));
    }
}

#[test]
fn damage_is_named() {
    let words = with_options(&EXAMPLE, 2, 1);
    let check = |words: &[u32], count: usize| PForDelta::check(words, count).map_err(|(word, _)| word);
    let with = |at: usize, bits: u32| {
        let mut words = words.clone();
        words[at] ^= bits;
        check(&words, 6)
    };
    assert_eq!(check(&[], 6), Err(0));
    assert_eq!(check(&words[..2], 6), Err(0));
    assert_eq!(check(&[&words[..], &[0]].concat(), 6), Err(0));
    // Unused bits of the header and at the end; 34 bits; 5 levels; more exceptions than values.
    assert_eq!(with(0, 1 << 17), Err(0));
    assert_eq!(with(2, 1 << 31), Err(2));
    assert_eq!(with(0, 1 << 5), Err(0));
    assert_eq!(with(0, 4 << 14), Err(0));
    assert_eq!(with(0, 1 << 13), Err(0));
    // Positions 3 and 6: the second gap from 1 to 2.
    assert_eq!(with(1, 3 << 19), Err(1));
    // The array of positions has three exceptions among two; the other one has slots of 37 bits.
    assert_eq!(with(1, 3 << 15), Err(1));
    assert_eq!(with(1, 32 << 21), Err(1));
    // Bits above that do not fit: all 32 of them, with level 0.
    let raw = with_options(&[0, u32::MAX], 2, 0);
    assert_eq!(check(&raw, 2), Ok(()));
    let mut larger = raw.clone();
    // The first two values take four bits, the position eight, and the bits above follow.
    bits::put(&mut larger, 32 + 12, 32, u32::MAX);
    assert_eq!(check(&larger, 2), Err(1));
    // More values than a block has.
    assert_eq!(check(&[0], 128), Ok(()));
    assert_eq!(check(&[0], 129), Err(0));
}

#[test]
fn a_list_has_one_width() {
    let values = [values(128, 3, 1000), values(128, 9, 1000)].concat();
    let doc_ids: Vec<u32> = values
        .iter()
        .scan(0, |last, value| {
            *last += value + 1;
            Some(*last)
        })
        .collect();
    let list = crate::list::PostingList::encode(&doc_ids, crate::codec::Codec::PForDelta).unwrap();
    assert_eq!(list.decode(), doc_ids);
    assert_ne!(header(part::<PForDelta>(&values[..128])[0]).0, header(part::<PForDelta>(&values[128..])[0]).0);
}

proptest! {
    #[test]
    fn any_values(
        values in of_any_width(0..400),
        b in 0u32..=32,
        levels in 0u32..=MOST_LEVELS,
    ) {
        every_path_gives_with::<PForDelta>(&values, &options(Some(b), levels));
        every_path_gives::<PForDelta>(&values);
    }

    #[test]
    fn random_words_are_refused_or_decode(
        words in prop::collection::vec((any::<u32>(), any::<u32>()).prop_map(|(a, b)| a & b), 1..20),
        header in (0u32..4, 0u32..8, 0u32..=MOST_LEVELS),
        count in 0usize..140,
    ) {
        let mut words = words;
        words[0] = header.0 | header.1 << B_BITS | header.2 << (B_BITS + EN_BITS);
        for used in 1..=words.len() {
            are_refused_or_decode::<PForDelta>(&words[..used], count);
        }
    }
}
