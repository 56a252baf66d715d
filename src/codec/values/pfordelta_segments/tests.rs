use super::*;
use crate::codec::values::tests::{
    are_refused_or_decode, every_path_gives, every_path_gives_with, of_any_width, part, values,
};
use proptest::prelude::*;

fn options(segment: u32, share: f64) -> Options {
    let given = [("segment", f64::from(segment)), ("exceptions", share)];
    Options::named(PForDeltaSegments::NAME, PForDeltaSegments::OPTIONS, &given).unwrap()
}

fn with_options(values: &[u32], segment: u32, share: f64) -> Vec<u32> {
    let mut words = Vec::new();
    PForDeltaSegments::encode(values, &options(segment, share), &mut words);
    words
}

const EXAMPLE: [u32; 13] = [3, 0, 77, 1, 2, 1, 0, 1, 90, 2, 3, 0, 1];

#[test]
fn the_worked_example() {
    let words = part::<PForDeltaSegments>(&EXAMPLE);
    assert_eq!(words, [0x0003_A002, 0x0938_5673, 0x1680_4D04]);
    assert_eq!(PForDeltaSegments::check(&words, 13), Ok(()));
    assert_eq!(exceptions(&EXAMPLE, 2), [2, 6, 8]);
    assert_eq!(with_options(&EXAMPLE, 64, 0.0).len(), 4, "91 bits without exceptions");
}

#[test]
fn exceptions_are_forced_where_links_do_not_fit() {
    let mut values = vec![0; 128];
    (values[3], values[100]) = (1000, 1000);
    assert_eq!(exceptions(&values, 7), [3, 100]);
    assert_eq!(exceptions(&values, 6), [3, 67, 100]);
    assert_eq!(exceptions(&values, 5), [3, 35, 67, 99, 100]);
    assert_eq!(exceptions(&values, 0), (3..=100).collect::<Vec<_>>());
}

#[test]
fn every_width_and_length_to_two_blocks() {
    for width in 0..=32 {
        for count in (0..=2 * BLOCK + 1).step_by(if width % 9 == 1 { 1 } else { 13 }) {
            for step in [13, 61, 1000] {
                every_path_gives::<PForDeltaSegments>(&values(count, width, step));
            }
        }
    }
}

#[test]
fn any_options() {
    for segment in [64, 96, 128] {
        for share in [0.0, 0.05, 0.6] {
            for step in [2, 3, 7, 20, 127] {
                every_path_gives_with::<PForDeltaSegments>(&values(300, 3, step), &options(segment, share));
            }
        }
        assert_eq!(Header::of(with_options(&values(128, 3, 9), segment, 0.1)[0]).segment, segment as usize);
    }
}

#[test]
fn each_segment_has_its_width() {
    let mut values = values(128, 3, 1000);
    values[64..].fill(500);
    let header = |segment| Header::of(with_options(&values, segment, 0.1)[0]);
    assert_eq!(header(64).slots, [3, 9]);
    assert_eq!(header(96).slots, [9, 9]);
    assert_eq!(header(128).slots, [9, 0]);
}

#[test]
fn damage_is_named() {
    let words = part::<PForDeltaSegments>(&EXAMPLE);
    let check = |words: &[u32], count: usize| PForDeltaSegments::check(words, count).map_err(|(word, _)| word);
    let with = |at: usize, bits: u32| {
        let mut words = words.clone();
        words[at] ^= bits;
        check(&words, 13)
    };
    assert_eq!(check(&[], 13), Err(0));
    assert_eq!(check(&words[..2], 13), Err(0));
    assert_eq!(check(&[&words[..], &[0]].concat(), 13), Err(0));
    // Unused bits of the header and at the end; 34 bits; widths of a second segment that is not there; segments of 0,
    // 160 and 224 values.
    assert_eq!(with(0, 1 << 27), Err(0));
    assert_eq!(with(2, 1 << 29), Err(2));
    assert_eq!(with(0, 1 << 5), Err(0));
    assert_eq!(with(0, 1 << 20), Err(0));
    assert_eq!(with(0, 1 << 6), Err(0));
    assert_eq!(with(0, 1 << 21), Err(0));
    for bits in [2, 7, 5] {
        assert_eq!(with(0, bits << 12), Err(0));
    }
    // The first exception is value 10, whose slot leads to value 14. One exception more takes another word; value 8 then
    // leads to value 9, but if value 6 leads to value 10, that leads to 14.
    assert_eq!(with(1, 8 << 26), Err(1));
    assert_eq!(with(2, 1 << 1), Err(0));
    let mut longer = [&words[..], &[0]].concat();
    longer[2] ^= 1 << 1;
    assert_eq!(check(&longer, 13), Ok(()));
    longer[1] ^= 2 << 12;
    assert_eq!(check(&longer, 13), Err(1));
    // More values than a block has.
    assert_eq!(check(&[0x2000], 128), Ok(()));
    assert_eq!(check(&[0x2000], 129), Err(0));
}

proptest! {
    #[test]
    fn any_values(
        values in of_any_width(0..400),
        segment in (2u32..=4).prop_map(|units| 32 * units),
        share in 0.0f64..0.6,
    ) {
        every_path_gives_with::<PForDeltaSegments>(&values, &options(segment, share));
    }

    #[test]
    fn random_words_are_refused_or_decode(
        words in prop::collection::vec(any::<u32>(), 1..40),
        header in (0u32..5, 0u32..5, 2u32..5, 0u32..3, 0u32..3),
        count in 0usize..140,
    ) {
        let mut words = words;
        let (b0, b1, segment, w0, w1) = header;
        words[0] = b0 | b1 << 6 | segment << 12 | w0 << 15 | w1 << 21;
        for used in 1..=words.len() {
            are_refused_or_decode::<PForDeltaSegments>(&words[..used], count);
        }
    }
}
