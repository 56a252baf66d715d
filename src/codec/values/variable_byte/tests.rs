use super::*;
use crate::codec::values::tests::{are_refused_or_decode, every_path_gives, of_any_width, part};
use proptest::prelude::*;

#[test]
fn the_worked_example() {
    let words = part::<VariableByte>(&[7, 300, 0, 70_000]);
    assert_eq!(words, [0x84, 0x0001_2C07, 0x0001_1170]);
    assert_eq!(VariableByte::check(&words, 4), Ok(()));
}

#[test]
fn every_width_and_length_to_two_blocks() {
    for width in 0..=32 {
        for count in (0..=2 * BLOCK as u32 + 1).step_by(if width % 8 < 2 { 1 } else { 13 }) {
            let values = |i: u32| ((u64::from(i.wrapping_mul(0x9E37_79B9)) << width) >> 32) as u32;
            every_path_gives::<VariableByte>(&(0..count).map(values).collect::<Vec<_>>());
        }
    }
}

#[test]
fn lengths_change_where_a_byte_is_full() {
    for (value, wanted) in
        [(0, 1), (255, 1), (256, 2), (65_535, 2), (65_536, 3), (0xFF_FFFF, 3), (0x100_0000, 4), (u32::MAX, 4)]
    {
        assert_eq!(length(value), wanted, "{value}");
    }
}

#[test]
fn damage_is_named() {
    let words = part::<VariableByte>(&[1, 2, 300]);
    assert_eq!(words.len(), 2);
    let check = |words: &[u32], count: usize| VariableByte::check(words, count).map_err(|(word, _)| word);
    assert_eq!(check(&words, 3), Ok(()));
    assert_eq!(check(&[], 3), Err(0));
    assert_eq!(check(&words[..1], 3), Err(1));
    assert_eq!(check(&[words[0], words[1], 0], 3), Err(1));
    assert_eq!(check(&[words[0] | 1 << 6, words[1]], 3), Err(0));
    assert_eq!(check(&[words[0] | 3, words[1]], 3), Err(1));
    let mut five = part::<VariableByte>(&[1, 1, 1, 1, 1]);
    five[2] |= 1 << 8;
    assert_eq!(check(&five, 5), Err(2));
}

proptest! {
    #[test]
    fn any_values(values in of_any_width(0..400)) {
        every_path_gives::<VariableByte>(&values);
    }

    #[test]
    fn random_words_are_refused_or_decode(words in prop::collection::vec(any::<u32>(), 0..40), count in 0usize..40) {
        are_refused_or_decode::<VariableByte>(&words, count);
    }
}
