use super::*;
use crate::codec::{PADDING, SLACK};
use byteorder::{ByteOrder, LittleEndian};
use proptest::prelude::*;

/// Decodes one docID at a time, by definition. Every path must give the same.
fn by_definition(parts: &Parts) -> Vec<u32> {
    let width = parts.lower_width;
    let mut position = 0u64;
    (0..parts.count as u64)
        .map(|rank| {
            while bits::get(parts.upper, position, 1) == 1 {
                position += 1;
            }
            position += 1;
            let lower = bits::get(parts.lower, rank * u64::from(width), width);
            ((position - 1 - rank) as u32) << width | lower
        })
        .collect()
}

/// Encodes with lower bits of `width`, each bit stream in separate words with junk after its end.
fn streams(doc_ids: &[u32], width: u32, junk: u32) -> (Vec<u32>, Vec<u32>) {
    let mut words = Vec::new();
    encode_parts(doc_ids, 0, width, &mut words);
    let universe = doc_ids.last().copied().unwrap_or(0);
    let (lower_words, upper_words) = sizes(doc_ids.len(), universe, width);
    assert_eq!(words.len() as u64, lower_words + upper_words);
    let upper = words.split_off(lower_words as usize);
    let poison = |mut words: Vec<u32>, bits: u64| {
        if !bits.is_multiple_of(32) {
            *words.last_mut().unwrap() |= junk << (bits % 32);
        }
        words.extend([junk; PADDING]);
        words
    };
    let count = doc_ids.len() as u64;
    (poison(words, count * u64::from(width)), poison(upper, count + u64::from(universe >> width)))
}

/// Checks that each tier decodes the input: the whole list, each block, and ranges of blocks.
fn every_path_gives(doc_ids: &[u32], width: u32) {
    for junk in [0, u32::MAX, 0xA5C3_5A3C] {
        let (lower, upper) = streams(doc_ids, width, junk);
        let universe = doc_ids.last().copied().unwrap_or(0);
        let parts = Parts { count: doc_ids.len(), universe, base: 0, lower_width: width, lower: &lower, upper: &upper };
        assert_eq!(by_definition(&parts), doc_ids, "width {width}");
        let blocks = doc_ids.len().div_ceil(BLOCK);
        let runs =
            (0..blocks).map(|k| k..k + 1).chain((0..blocks).map(|k| k..blocks)).chain((1..=blocks).map(|k| 0..k));
        for (tier, run) in runs.flat_map(|run| Tier::available().map(move |tier| (tier, run.clone()))) {
            let previous = if run.start == 0 { 0 } else { doc_ids[run.start * BLOCK - 1] };
            let wanted = &doc_ids[run.start * BLOCK..doc_ids.len().min(run.end * BLOCK)];
            // Exactly the room that the contract asks for, then a guard word that reveals writes past it.
            let mut out = vec![0xDEAD_BEEF; wanted.len() + SLACK + 1];
            // SAFETY: the parts were encoded and padded by `streams`; `out` has room for the docIDs and the slack; the
            // tier is available.
            let count = unsafe { decode_blocks(tier, &parts, run.clone(), previous, out.as_mut_ptr()) };
            assert_eq!(out[wanted.len() + SLACK], 0xDEAD_BEEF, "{} wrote past the slack", tier.name());
            assert_eq!(&out[..count], wanted, "{} width {width} blocks {run:?}", tier.name());
            if width <= MAX_HALVES_WIDTH {
                let mut halves = vec![0xBEEF; wanted.len() + SLACK + 1];
                // SAFETY: as above; the width was just asked for.
                let count = unsafe { decode_halves(tier, &parts, run.clone(), previous, halves.as_mut_ptr()) };
                assert_eq!(halves[wanted.len() + SLACK], 0xBEEF, "{} wrote past the slack", tier.name());
                let wanted: Vec<u16> = wanted.iter().map(|&doc_id| doc_id as u16).collect();
                assert_eq!(halves[..count], wanted, "{} halves, width {width} blocks {run:?}", tier.name());
            }
        }
    }
}

/// Up to `count` pseudorandom docIDs in `0..=span`, the same for the same seed.
fn spread(count: usize, span: u32, seed: u64) -> Vec<u32> {
    let mut state = seed | 1;
    let mut doc_ids: Vec<u32> = (0..count)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            ((u64::from((state >> 16) as u32) * (u64::from(span) + 1)) >> 32) as u32
        })
        .collect();
    doc_ids.sort_unstable();
    doc_ids.dedup();
    doc_ids
}

#[test]
fn the_worked_example() {
    let bytes = encode(&[1, 3, 16, 35], 1.0).unwrap();
    let word = |i: usize| LittleEndian::read_u32(&bytes[4 * i..]);
    assert_eq!((word(1), word(2), word(3)), (4, 35, 3));
    assert_eq!(word(5), 0b011_000_011_001);
    assert_eq!(word(6), 0b0110_1100);
    assert_eq!(decode(&bytes).unwrap(), [1, 3, 16, 35]);
}

#[test]
fn every_lower_width() {
    for width in 0..=MAX_LOWER_WIDTH {
        for count in [1, 7, 8, 17, 127, 128, 129, 300] {
            // Half a 1 bit per docID in the upper bits, then 32.
            for span in [(count as u64) << width >> 1, (count as u64) << width << 5] {
                every_path_gives(&spread(count, span.min(u64::from(u32::MAX)) as u32, 99), width);
            }
            every_path_gives(&(0..count as u32).collect::<Vec<_>>(), width);
        }
    }
}

#[test]
fn every_length_to_two_blocks() {
    for count in 0..=2 * BLOCK + 1 {
        for gap in [1, 2, 9, 1000] {
            let doc_ids: Vec<u32> = (0..count as u32).map(|i| 3 + i * gap + i % gap.min(3)).collect();
            let universe = doc_ids.last().copied().unwrap_or(0);
            every_path_gives(&doc_ids, lower_width(count, universe, 1.0).unwrap());
        }
    }
}

#[test]
fn tiles_and_word_boundaries() {
    for count in [1023, 1024, 1025, 1152, 2047, 2048, 2111, 5000] {
        every_path_gives(&(0..count).collect::<Vec<u32>>(), 0);
        every_path_gives(&spread(count as usize, count * 9, 7), 3);
    }
}

#[test]
fn tiles_of_more_upper_bits_than_positions_count() {
    // 1 bits of less and of more than MOST_WORDS words, before, within and after a tile.
    let most = 64 * tiles::MOST_WORDS as u32;
    for gap in [most - 2000, most - 600, most - 64, most, most + 64, 3 * most] {
        for before in [0, 1, 300, 511, 512, 1000] {
            let doc_ids: Vec<u32> =
                (0..before).chain((0..700).map(|i| before + gap + i)).chain([before + 3 * gap]).collect();
            every_path_gives(&doc_ids, 0);
            let wide: Vec<u32> = doc_ids.iter().map(|&doc_id| doc_id << 5 | doc_id & 21).collect();
            every_path_gives(&wide, 5);
        }
    }
}

#[test]
fn dense_runs_and_huge_gaps() {
    // Words full of 1 bits between stretches in which every bit is a stop bit.
    let mut doc_ids = Vec::new();
    for start in [0u32, 40_000, 1 << 20, (1 << 20) + 9000] {
        doc_ids.extend(start..start + 700);
    }
    every_path_gives(&doc_ids, 0);
    every_path_gives(&doc_ids, 6);
    every_path_gives(&doc_ids, 12);
}

#[test]
fn the_ends_of_the_universe() {
    for doc_ids in [vec![0], vec![u32::MAX], vec![0, u32::MAX], vec![0, 1, u32::MAX - 1, u32::MAX]] {
        for width in 16..=MAX_LOWER_WIDTH {
            every_path_gives(&doc_ids, width);
        }
        assert_eq!(decode(&encode(&doc_ids, 1.0).unwrap()).unwrap(), doc_ids);
    }
}

#[test]
fn damage_is_named() {
    let good = encode(&spread(500, 4000, 3), 1.0).unwrap();
    assert!(decode(&good).is_ok());
    for cut in 0..good.len() {
        assert!(matches!(decode(&good[..cut]), Err(Error::Corrupt { codec: "qs", .. })), "{cut}");
    }
    for bit in 0..good.len() * 8 {
        let mut bytes = good.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert!(matches!(decode(&bytes), Err(Error::Corrupt { codec: "qs", .. })), "bit {bit}");
    }
}

/// With a valid checksum, the checks of the structure must find the damage, or it must be harmless.
#[test]
fn damage_under_a_right_checksum_is_refused_or_harmless() {
    let good = encode(&spread(300, 5000, 5), 1.0).unwrap();
    for bit in 32..good.len() * 8 {
        let mut bytes = good.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        let mut crc = crc32fast::Hasher::new();
        crc.update(&bytes[..16]);
        crc.update(&bytes[20..]);
        LittleEndian::write_u32(&mut bytes[16..20], crc.finalize());
        if let Ok(doc_ids) = decode(&bytes) {
            assert!(doc_ids.is_sorted_by(|a, b| a < b));
        }
    }
}

proptest! {
    #[test]
    fn every_path_equals_the_definition(
        gaps in prop::collection::vec(prop_oneof![4 => 1u32..3, 4 => 1u32..100, 1 => 1u32..100_000], 0..700),
        width in 0u32..20,
    ) {
        let doc_ids: Vec<u32> = gaps.iter().scan(0, |last, gap| { *last += gap; Some(*last) }).collect();
        let universe = doc_ids.last().copied().unwrap_or(0);
        every_path_gives(&doc_ids, lower_width(doc_ids.len(), universe, 1.0).unwrap());
        if universe >> width < 1 << 20 {
            every_path_gives(&doc_ids, width);
        }
    }

    #[test]
    fn lists_come_back(mut doc_ids in prop::collection::vec(any::<u32>(), 0..300), c in 0.1f64..8.0) {
        doc_ids.sort_unstable();
        doc_ids.dedup();
        prop_assert_eq!(decode(&encode(&doc_ids, c).unwrap()).unwrap(), doc_ids);
    }

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut bytes = bytes;
        if bytes.len() >= 20 {
            bytes[..4].copy_from_slice(b"PQS1");
        }
        prop_assert!(decode(&bytes).is_err());
    }
}
