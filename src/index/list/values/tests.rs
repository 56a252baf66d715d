use super::*;
use proptest::prelude::*;

/// The data and directory of values, and [`PADDING`] words of junk.
fn encoded(codec: BlockCodec, values: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let (mut directory, mut data) = (Vec::new(), Vec::new());
    assert!(encode(codec, values.iter().copied(), &mut directory, &mut data));
    data.resize(data.len() + PADDING, 0xA5A5_A5A5);
    (directory, data)
}

/// What comes back is what was given, whole, by block, and one by one.
fn comes_back(codec: BlockCodec, values: &[u32]) {
    let (directory, data) = encoded(codec, values);
    let words = data.len() - PADDING;
    let blocks = Blocks::new(codec, &directory, &data, words, values.len()).unwrap();
    assert_eq!(blocks.check(), Ok(()), "{codec:?}");
    let mut all = vec![7];
    blocks.append_to(&mut all);
    assert_eq!(all[1..], *values, "{codec:?}");
    for (index, &value) in values.iter().enumerate() {
        assert_eq!(blocks.get(index), value, "{codec:?}, value {index}");
    }
    for (block, of_block) in values.chunks(BLOCK).enumerate() {
        let mut out = [9; BLOCK];
        blocks.unpack(block, &mut out);
        assert_eq!(out[..of_block.len()], *of_block, "{codec:?}, block {block}");
        assert!(out[of_block.len()..].iter().all(|&value| value == 0), "{codec:?}, block {block}");
        assert_eq!(blocks.is_zero(block), of_block.iter().all(|&value| value == 0), "{codec:?}, block {block}");
    }
    if words > 0 {
        let short = Blocks::new(codec, &directory, &data, words - 1, values.len()).unwrap();
        // Without its only word a block has none, and so zeros.
        let (begin, end) = blocks.extent(directory.len() - 1);
        assert_eq!(short.check().is_err(), codec == BlockCodec::BP128 || end != begin + 1, "{codec:?}");
    }
}

#[test]
fn every_codec_width_and_length() {
    for codec in BlockCodec::all() {
        for width in 0..=32 {
            for count in [1, 2, 4, 31, 127, 128, 129, 255, 256, 257, 300] {
                let most = if width == 32 { u32::MAX } else { (1 << width) - 1 };
                let value = |i: u32| i.wrapping_mul(0x9E37_79B9).rotate_left(i) & most;
                comes_back(codec, &(0..count).map(value).collect::<Vec<_>>());
            }
        }
        comes_back(codec, &[]);
    }
}

#[test]
fn every_length_to_two_blocks() {
    for codec in BlockCodec::all() {
        for count in 0..=2 * BLOCK as u32 + 1 {
            // Few are not 0, some are large; the second block of some is all zeros.
            let value = |i: u32| if i % 17 == 3 { i.wrapping_mul(0x0100_0193) } else { i % 5 / 4 };
            comes_back(codec, &(0..count).map(value).collect::<Vec<_>>());
            comes_back(codec, &(0..count).map(|i| if i < BLOCK as u32 { value(i) } else { 0 }).collect::<Vec<_>>());
        }
    }
}

#[test]
fn data_without_padding_are_refused() {
    for codec in BlockCodec::all().filter(|codec| codec.values().is_some()) {
        let (directory, data) = encoded(codec, &[1, 2, 3]);
        let words = data.len() - PADDING;
        assert!(Blocks::new(codec, &directory, &data[..data.len() - 1], words, 3).is_none(), "{codec:?}");
        assert!(Blocks::new(codec, &directory, &data, usize::MAX, 3).is_none(), "{codec:?}");
    }
}

fn values() -> impl Strategy<Value = Vec<u32>> {
    prop::collection::vec(prop_oneof![20 => 0u32..4, 2 => 0u32..300, 1 => any::<u32>()], 0..500)
}

proptest! {
    #[test]
    fn values_come_back(values in values()) {
        BlockCodec::all().for_each(|codec| comes_back(codec, &values));
    }

    /// Changed words are refused, or are other values; nothing is read outside.
    #[test]
    fn damage_is_refused_or_decoded(
        values in values(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u32>()), 1..4),
    ) {
        prop_assume!(!values.is_empty());
        for codec in BlockCodec::all() {
            let (mut directory, mut data) = encoded(codec, &values);
            let words = data.len() - PADDING;
            for (at, by) in &changes {
                let at = at.index(directory.len() + words);
                let word = if at < directory.len() { &mut directory[at] } else { &mut data[at - directory.len()] };
                *word ^= by >> (by % 32);
            }
            let blocks = Blocks::new(codec, &directory, &data, words, values.len()).unwrap();
            if blocks.check().is_ok() {
                let mut all = Vec::new();
                blocks.append_to(&mut all);
                let one_by_one: Vec<u32> = (0..values.len()).map(|index| blocks.get(index)).collect();
                prop_assert_eq!(all, one_by_one, "{:?}", codec);
            }
        }
    }
}
