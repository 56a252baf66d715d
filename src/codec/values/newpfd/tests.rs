use super::*;
use crate::codec::values::tests::{are_refused_or_decode, every_path_gives, every_path_gives_with, of_any_width, part};
use proptest::prelude::*;

fn options(share: f64) -> Options {
    Options::named("newpfd", NewPFD::OPTIONS, &[("exceptions", share)]).unwrap()
}

#[test]
fn the_worked_example() {
    let mut words = Vec::new();
    NewPFD::encode(&[3, 0, 2, 77, 1, 30], &options(0.4), &mut words);
    assert_eq!(words, [0x4082, 0x963, 0x1D00_0000, 0x8918_0000]);
    assert_eq!(NewPFD::check(&words, 6), Ok(()));
    // Without exceptions, slots of 7 bits.
    assert_eq!(part::<NewPFD>(&[3, 0, 2, 77, 1, 30]).len(), 3);
}

/// Values of `width` bits, every `step`th of them of 32 bits or of one more.
fn values(count: usize, width: u32, step: usize, wide: bool) -> Vec<u32> {
    let value = |i: usize| {
        let bits = (i as u32).wrapping_mul(0x9E37_79B9);
        let narrow = ((u64::from(bits) << width) >> 32) as u32;
        match i % step == step - 1 {
            true if wide => bits | 1 << 31,
            true => narrow | 1 << width.min(31),
            false => narrow,
        }
    };
    (0..count).map(value).collect()
}

#[test]
fn every_width_and_length_to_two_blocks() {
    for width in 0..=32 {
        for count in (0..=2 * BLOCK + 1).step_by(if width % 9 == 1 { 1 } else { 13 }) {
            for (step, wide) in [(11, false), (13, true), (1000, true)] {
                let values = values(count, width, step, wide);
                every_path_gives::<NewPFD>(&values);
                every_path_gives::<OptPFD>(&values);
            }
        }
    }
}

#[test]
fn parts_with_nearly_only_exceptions() {
    let options = options(0.6);
    for width in [0, 1, 5, 31] {
        for wide in [false, true] {
            for step in 1..5 {
                every_path_gives_with::<NewPFD>(&values(300, width, step, wide), &options);
                every_path_gives_with::<OptPFD>(&values(300, width, step, wide), &options);
            }
        }
    }
}

#[test]
fn the_narrowest_and_the_smallest() {
    // Three values in a tenth of 128 may be exceptions; the widths are 3, 7 and 12.
    let mut values = vec![5; 128];
    values[10..22].fill(100);
    values[22] = 4000;
    assert_eq!(Header::of(part::<NewPFD>(&values)[0]).width, 7);
    values[21] = 5;
    assert_eq!(Header::of(part::<NewPFD>(&values)[0]).width, 3);
    for share in [0.0, 0.1, 0.6] {
        let length = |words: &mut dyn FnMut(&mut Vec<u32>)| {
            let mut all = Vec::new();
            words(&mut all);
            all.len()
        };
        let smallest = length(&mut |words| OptPFD::encode(&values, &options(share), words));
        let narrowest = length(&mut |words| NewPFD::encode(&values, &options(share), words));
        assert!(smallest <= narrowest, "{share}: {smallest} and {narrowest} words");
    }
}

#[test]
fn damage_is_named() {
    let mut words = Vec::new();
    NewPFD::encode(&[3, 0, 2, 77, 1, 30], &options(0.4), &mut words);
    let check = |words: &[u32], count: usize| NewPFD::check(words, count).map_err(|(word, _)| word);
    assert_eq!(check(&words, 6), Ok(()));
    assert_eq!(check(&[], 6), Err(0));
    assert_eq!(check(&words[..2], 6), Err(0));
    assert_eq!(check(&words[..3], 6), Err(3));
    assert_eq!(check(&[&words[..], &[0]].concat(), 6), Err(4));
    let with = |at: usize, bits: u32| {
        let mut words = words.clone();
        words[at] ^= bits;
        check(&words, 6)
    };
    // Unused bits of the header and of the slots; 34 bits; exceptions 3, 5 and 6; one exception.
    assert_eq!(with(0, 1 << 20), Err(0));
    assert_eq!(with(1, 1 << 12), Err(1));
    assert_eq!(with(0, 1 << 5), Err(0));
    assert_eq!(with(0, 1 << 6), Err(2));
    assert_eq!(with(0, 3 << 6), Err(2));
    // Exceptions 3 and 6; overflows above 2 bits that are just in 30 bits, and that are not.
    assert_eq!(with(2, 3 << 24), Err(2));
    let escaped = |high: u32| [&words[..3], &[u32::MAX, high, 0xF000_0000]].concat();
    assert_eq!(check(&escaped((1 << 30) - 2), 6), Ok(()));
    assert_eq!(check(&escaped((1 << 30) - 1), 6), Err(3));
    assert_eq!(check(&escaped(u32::MAX), 6), Err(3));
    // More values than a block has.
    assert_eq!(check(&[0], 128), Ok(()));
    assert_eq!(check(&[0], 129), Err(0));
}

proptest! {
    #[test]
    fn any_values(values in of_any_width(0..400)) {
        every_path_gives::<NewPFD>(&values);
        every_path_gives::<OptPFD>(&values);
    }

    #[test]
    fn the_smallest_is_the_least(
        values in prop::collection::vec((any::<u32>(), 20u32..32).prop_map(|(value, by)| value >> by), 0..=128),
        share in 0.0f64..0.6,
    ) {
        let most = most_exceptions(&options(share), 0, values.len());
        let cost = |candidate: &Exceptions| {
            let words = fields::words(values.len(), candidate.width) + Arrays::of(&values, candidate.width).words();
            32 * words + 4 * candidate.count
        };
        let found = cost(&Smallest::choose(&values, most));
        for candidate in Widths::of(&values).candidates().take_while(|candidate| candidate.count <= most) {
            prop_assert!(found <= cost(&candidate));
        }
    }

    #[test]
    fn random_words_are_refused_or_decode(
        words in prop::collection::vec(prop_oneof![any::<u32>(), 0xE000_0000u32..0xE000_0010], 1..40),
        shape in (0u32..8, 0u32..4, 0u32..3),
        count in 0usize..140,
    ) {
        let mut words = words;
        words[0] = Header { width: shape.0, exceptions: shape.1 as usize, position_words: shape.2 as usize }.word();
        are_refused_or_decode::<NewPFD>(&words, count);
    }
}
