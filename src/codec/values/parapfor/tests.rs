use super::segment::{Header, MOST_VALUES, check_segment, decode_segment, encode_segment, get};
use super::*;
use crate::codec::values::tests::{every_path_gives, every_path_gives_with, of_any_width, part, values};
use crate::codec::{BLOCK, PADDING, SLACK};
use proptest::prelude::*;

fn segment_of(values: &[u32], most: usize) -> Vec<u32> {
    let mut words = Vec::new();
    encode_segment(values, most, &mut words);
    words
}

#[test]
fn the_worked_example() {
    let values = [3, 0, 2, 77, 1, 3];
    let words = segment_of(&values, 1);
    assert_eq!(Header::of(words[0]), Header { slot_width: 2, index_width: 2, high_width: 5, exceptions: 1 });
    assert_eq!(words, [0x0001_1482, 0x0004_FD63]);
    assert_eq!(check_segment(&words, 6), Ok(()));
    for (index, value) in values.into_iter().enumerate() {
        assert_eq!(get(&words, 6, index), value);
    }
    // Without exceptions, slots of seven bits.
    assert_eq!(segment_of(&values, 0).len(), 3);
}

/// The paper's figure 10: the first, the second and the last but one of a segment are exceptions.
#[test]
fn the_papers_figure() {
    let mut values = vec![1; 256];
    (values[0], values[1], values[254]) = (900, 800, 1000);
    let words = segment_of(&values, 26);
    assert_eq!(Header::of(words[0]), Header { slot_width: 1, index_width: 8, high_width: 9, exceptions: 3 });
    assert_eq!(words.len(), 1 + 8 + 2);
    every_segment_path_gives(&values, 26);
}

fn every_segment_path_gives(values: &[u32], most: usize) {
    let mut words = segment_of(values, most);
    let used = words.len();
    assert_eq!(check_segment(&words, values.len()), Ok(()));
    assert!(Header::of(words[0]).exceptions <= most);
    for (index, &value) in values.iter().enumerate() {
        assert_eq!(get(&words, values.len(), index), value);
    }
    words.resize(used + PADDING, u32::MAX);
    for tier in Tier::available() {
        let mut out = vec![0xDEAD_BEEF; values.len() + SLACK + 1];
        // SAFETY: the words were encoded here and are padded; `out` has room for the values and the slack; the tier is
        // available.
        let end = unsafe { decode_segment(tier, &words[..used], values.len(), out.as_mut_ptr()) };
        assert_eq!((end, out.pop()), (used, Some(0xDEAD_BEEF)), "{}", tier.name());
        assert_eq!(&out[..values.len()], values, "{}", tier.name());
    }
}

#[test]
fn every_width_and_length_of_a_segment() {
    for width in 0..=32 {
        for count in (0..=MOST_VALUES).step_by(if width % 8 < 2 { 1 } else { 17 }) {
            for step in [1, 2, 11, 1000] {
                for most in [0, count / 10, count] {
                    every_segment_path_gives(&values(count, width, step), most);
                }
            }
        }
    }
}

#[test]
fn every_width_and_length_to_two_blocks() {
    for width in 0..=32 {
        for count in (0..=2 * BLOCK + 1).step_by(if width % 8 < 2 { 1 } else { 13 }) {
            for step in [13, 1000] {
                every_path_gives::<ParaPFor>(&values(count, width, step));
            }
        }
    }
}

#[test]
fn any_share_of_exceptions() {
    for share in [0.0, 0.01, 0.3, 0.6] {
        let options = Options::named(ParaPFor::NAME, ParaPFor::OPTIONS, &[("exceptions", share)]).unwrap();
        for step in 2..20 {
            every_path_gives_with::<ParaPFor>(&values(3 * BLOCK, 3, step), &options);
        }
    }
    let options = Options::named(ParaPFor::NAME, ParaPFor::OPTIONS, &[("exceptions", 0.6)]).unwrap();
    assert_eq!((most_exceptions(&options, 0, 128), most_exceptions(&options, 0, 1)), (76, 0));
}

#[test]
fn damage_is_named() {
    let values = [3, 0, 2, 77, 1, 3, 1, 1, 1, 1, 1, 80];
    assert_eq!(Header::of(segment_of(&values, 1)[0]).exceptions, 0);
    let words = part::<ParaPFor>(&values);
    assert_eq!(Header::of(words[0]), Header { slot_width: 2, index_width: 4, high_width: 5, exceptions: 2 });
    let check = |words: &[u32], count: usize| check_segment(words, count).map_err(|(word, _)| word);
    assert_eq!(check(&words, 12), Ok(()));
    assert_eq!(check(&[], 12), Err(0));
    assert_eq!(check(&words[..1], 12), Err(0));
    assert_eq!(check(&[&words[..], &[0]].concat(), 12), Err(0));
    let with = |at: usize, bits: u32| {
        let mut words = words.clone();
        words[at] ^= bits;
        check(&words, 12)
    };
    // Unused bits of the header; b, ib, hb and en that are too large; unused bits after the arrays.
    assert_eq!(with(0, 1 << 25), Err(0));
    assert_eq!(with(0, 1 << 5), Err(0));
    assert_eq!(with(0, 8 << 6), Err(0));
    assert_eq!(with(0, 1 << 15), Err(0));
    assert_eq!(with(0, 1 << 24), Err(0));
    assert_eq!(with(words.len() - 1, 1 << 31), Err(words.len() - 1));
    // The indices are 3 and 11 in bits 24 to 31 of the second word: 3 and 3, 11 and 11, 3 and 12.
    assert_eq!(with(1, 8 << 28), Err(1));
    assert_eq!(with(1, 8 << 24), Err(1));
    assert_eq!(with(1, 7 << 28), Err(1));
    // More values than a segment has.
    assert_eq!(check(&[0], 256), Ok(()));
    assert_eq!(check(&[0], 257), Err(0));
}

proptest! {
    #[test]
    fn any_values(values in of_any_width(0..400)) {
        every_path_gives::<ParaPFor>(&values);
    }

    #[test]
    fn any_segment(
        values in of_any_width(0..=256),
        most in 0usize..=256,
    ) {
        every_segment_path_gives(&values, most);
    }

    #[test]
    fn the_cost_is_the_least(
        values in of_any_width(0..=256),
        most in 0usize..=256,
    ) {
        let cost = |most: usize| {
            let words = segment_of(&values, most);
            32 * words.len() + 4 * Header::of(words[0]).exceptions
        };
        for fewer in 0..=most {
            prop_assert!(cost(most) <= cost(fewer));
        }
    }

    #[test]
    fn random_words_are_refused_or_decode(
        words in prop::collection::vec(any::<u32>(), 0..40),
        shape in (0u32..=32, 0u32..=8, 0u32..=32, 0u32..40),
        count in 0usize..200,
    ) {
        let (b, ib, hb, en) = shape;
        let mut words = words;
        if let Some(first) = words.first_mut() {
            *first = b | ib << 6 | hb << 10 | en << 16;
            words.truncate(Header::of(words[0]).words(count));
        }
        if check_segment(&words, count).is_ok() {
            let used = words.len();
            words.resize(used + PADDING, 0);
            for tier in Tier::available() {
                let mut out = vec![0; count + SLACK];
                // SAFETY: the words passed the check and are padded; `out` has room for the values and the slack; the
                // tier is available.
                unsafe { decode_segment(tier, &words[..used], count, out.as_mut_ptr()) };
                for (index, &value) in out[..count].iter().enumerate() {
                    prop_assert_eq!(get(&words[..used], count, index), value);
                }
            }
        }
    }
}
