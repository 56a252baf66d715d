use super::*;
use crate::codec::BLOCK;
use crate::codec::values::tests::{are_refused_or_decode, every_path_gives, of_any_width};
use proptest::prelude::*;

fn encoded(values: &[u32]) -> Vec<u32> {
    let mut words = Vec::new();
    encode_part(values, &mut words);
    assert_eq!(words.len(), words_of(values));
    words
}

#[test]
fn the_worked_example() {
    assert_eq!(encoded(&[1624, 25, 225, 95, 383]), [0xE196_0019, 0xD384_BF7F]);
    assert_eq!(encoded(&[ESCAPED]), [ESCAPE, ESCAPED]);
    assert_eq!(encoded(&[ESCAPED - 1]), [0xFFFF_FFFE]);
}

#[test]
fn every_layout_has_28_bits() {
    for (selector, runs) in LAYOUTS.iter().enumerate() {
        assert_eq!(runs.iter().map(|(count, width)| count * width).sum::<u32>(), 28, "{selector}");
        assert!(usize::from(COUNTS[selector]) <= MAX_VALUES);
        assert_eq!(used_bits(selector, COUNTS[selector].into()), 28);
    }
    assert!(COUNTS.is_sorted_by(|a, b| a >= b), "the first selector that fits takes the most values");
}

#[test]
fn every_layout_is_used_and_filled() {
    for (selector, widths) in WIDTHS.iter().enumerate() {
        let count = usize::from(COUNTS[selector]);
        let widest = |&width: &u8| (1u32 << width) - 1 - u32::from(width == 28);
        let values: Vec<u32> = widths[..count].iter().map(widest).collect();
        let words = encoded(&values);
        assert_eq!(words.len(), 1);
        assert_eq!(super::selector(words[0]), selector);
        for length in 1..=count {
            every_path_gives::<Simple16>(&values[..length]);
        }
    }
}

#[test]
fn every_pair_of_selectors() {
    for first in 0..16u32 {
        for second in 0..16u32 {
            for payload in [0, (1 << 28) - 2, 0x5A5_A5A5, 0xC30_F1E7] {
                let words = [first << 28 | payload, second << 28 | payload];
                let counts = words.map(|word| usize::from(COUNTS[super::selector(word)]));
                let fields = |word: u32| {
                    let mut left = 28;
                    WIDTHS[super::selector(word)].iter().take_while(|&&width| width != 0).map(move |&width| {
                        left -= u32::from(width);
                        word >> left & ((1 << width) - 1)
                    })
                };
                let wanted: Vec<u32> = words.into_iter().flat_map(fields).collect();
                assert_eq!(check_part(&words, counts[0] + counts[1]), Ok(()));
                for tier in Tier::available() {
                    let mut out = vec![0; wanted.len() + crate::codec::SLACK];
                    // SAFETY: the words passed the check; `out` has room for the values and the slack; the tier is
                    // available.
                    let used = unsafe { decode_part(tier, &words, wanted.len(), out.as_mut_ptr()) };
                    assert_eq!((used, &out[..wanted.len()]), (2, &wanted[..]), "{}", tier.name());
                }
            }
        }
    }
}

#[test]
fn every_width_and_length_to_two_blocks() {
    for width in 0..=32 {
        for count in (0..=2 * BLOCK as u32 + 1).step_by(if width % 9 == 1 { 1 } else { 13 }) {
            let values = |i: u32| ((u64::from(i.wrapping_mul(0x9E37_79B9)) << width) >> 32) as u32;
            every_path_gives::<Simple16>(&(0..count).map(values).collect::<Vec<_>>());
        }
    }
}

#[test]
fn damage_is_named() {
    let check = |words: &[u32], count: usize| check_part(words, count).map_err(|(word, _)| word);
    assert_eq!(check(&[0xE196_0019, 0xD384_BF7F], 5), Ok(()));
    assert_eq!(check(&[], 1), Err(0));
    assert_eq!(check(&[0xE196_0019], 5), Err(1));
    assert_eq!(check(&[0xE196_0019, 0xD384_BF7F], 2), Err(1));
    // The last value is missing, but not its bits.
    assert_eq!(check(&[0xE196_0019, 0xD384_BF7F], 4), Err(1));
    assert_eq!(check(&[0xE196_0019, 0xD384_BE00], 4), Ok(()));
    assert_eq!(check(&[ESCAPE], 1), Err(0));
    assert_eq!(check(&[ESCAPE, 3], 1), Ok(()));
    assert_eq!(check(&[ESCAPE, 3, 0], 1), Err(2));
}

proptest! {
    #[test]
    fn any_values(values in of_any_width(0..400)) {
        every_path_gives::<Simple16>(&values);
    }

    #[test]
    fn small_values(values in prop::collection::vec((0u32..64, 0u32..6).prop_map(|(value, by)| value >> by), 0..400)) {
        every_path_gives::<Simple16>(&values);
    }

    #[test]
    fn random_words_are_refused_or_decode(words in prop::collection::vec(any::<u32>(), 0..40), count in 0..=BLOCK) {
        are_refused_or_decode::<Simple16>(&words, count);
    }
}
