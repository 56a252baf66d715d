use super::*;
use crate::codec::{BLOCK, Codec, LookUp, PADDING, SLACK};
use crate::list::PostingList;
use proptest::prelude::*;

const FAMILY: [Codec; 4] = [Codec::LRC, Codec::LRCSeg, Codec::SegLRC, Codec::HS_LRC];

/// Options that lead to every form of the payload.
fn variants(codec: Codec) -> Vec<Vec<(&'static str, f64)>> {
    let mut all = vec![vec![], vec![("exceptions", 0.1)], vec![("exceptions", 0.6)]];
    if codec == Codec::HS_LRC {
        all.extend([vec![("bucket", 128.0)], vec![("bucket", 16.0)], vec![("bucket", 4096.0), ("exceptions", 0.3)]]);
    }
    all
}

/// Encodes docIDs with every codec of the family and every variant, and checks that each tier decodes them: the whole
/// list, each block, and ranges of blocks; that a single one is found, and others are not.
fn every_path_gives(doc_ids: &[u32]) {
    for codec in FAMILY {
        for options in variants(codec) {
            let about = format!("{codec:?} {options:?} {}", doc_ids.len());
            let list = PostingList::encode_with(doc_ids, codec, &options).unwrap();
            let again = PostingList::from_bytes(&list.to_bytes()).unwrap_or_else(|error| panic!("{about}: {error}"));
            assert!(again.equals(&list), "{about}");
            let blocks = list.blocks();
            let runs = (0..blocks).flat_map(|k| [k..k + 1, k..blocks, 0..k + 1]);
            for (tier, run) in runs.flat_map(|run| Tier::available().map(move |tier| (tier, run.clone()))) {
                let wanted = &doc_ids[run.start * BLOCK..doc_ids.len().min(run.end * BLOCK)];
                // Exactly the room that the contract asks for, then a guard word that reveals writes past it.
                let mut out = vec![0xDEAD_BEEF; wanted.len() + SLACK + 1];
                // SAFETY: the list was encoded; `out` has room for the docIDs and the slack; the tier is available.
                let count = unsafe { list.decode_blocks_to(tier, run.clone(), out.as_mut_ptr()) };
                assert_eq!(out[wanted.len() + SLACK], 0xDEAD_BEEF, "{about}: {} wrote past the slack", tier.name());
                assert_eq!(&out[..count], wanted, "{about}: {} blocks {run:?}", tier.name());
            }
            if !doc_ids.is_empty() {
                looks_up_as_a_search_does(doc_ids, &list, &about);
            }
        }
    }
}

fn looks_up_as_a_search_does(doc_ids: &[u32], list: &PostingList, about: &str) {
    let near = doc_ids.iter().flat_map(|&doc_id| [doc_id.saturating_sub(1), doc_id, doc_id.saturating_add(1)]);
    let spread = (0..64).map(|i| (i << 26) + i * 77);
    let mut all: Vec<u32> = near.chain(spread).collect();
    all.sort_unstable();
    all.dedup();
    for step in [1, 3, 50, 1000] {
        let candidates: Vec<u32> = all.iter().copied().step_by(step).collect();
        let wanted: Vec<u32> =
            candidates.iter().copied().filter(|doc_id| doc_ids.binary_search(doc_id).is_ok()).collect();
        let found = match list.codec() {
            Codec::LRC => retain::<lrc::Lrc>(list, &candidates),
            Codec::LRCSeg => retain::<lrc_seg::LrcSeg>(list, &candidates),
            Codec::SegLRC => retain::<seg_lrc::SegLrc>(list, &candidates),
            _ => retain::<hs_lrc::HsLrc>(list, &candidates),
        };
        assert_eq!(found, wanted, "{about}, every {step}");
    }
}

fn retain<S: Scheme>(list: &PostingList, candidates: &[u32]) -> Vec<u32> {
    let mut found = Vec::new();
    for tier in Tier::available() {
        // SAFETY: the list was encoded and is not empty; the tier is available.
        let mut search = unsafe { look_up::RegressionSearch::<S>::new(tier, list.encoded()) }.unwrap();
        let mut of_tier = Vec::new();
        for some in candidates.chunks(100) {
            let mut some = some.to_vec();
            // SAFETY: candidates ascend.
            let kept = unsafe { search.retain(&mut some) };
            of_tier.extend(&some[..kept]);
        }
        assert!(tier == Tier::Scalar || of_tier == found, "{}", tier.name());
        found = of_tier;
    }
    found
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

/// The payload of a list.
fn payload(list: &PostingList) -> &[u32] {
    let encoded = list.encoded();
    &encoded.payload[..encoded.payload_words]
}

#[test]
fn the_worked_example() {
    let list = PostingList::encode(&[10, 13, 16, 20, 22, 25], Codec::LRC).unwrap();
    assert_eq!(payload(&list), [10, 0x0750_7507, 3, 1, 0b001000]);
    let list = PostingList::encode(&[10, 13, 16, 20, 22, 25], Codec::LRCSeg).unwrap();
    assert_eq!(payload(&list), [10, 0x0750_7507, 3, 1, 8, 10, 16, 0, 0b001000]);
    let list = PostingList::encode(&[10, 13, 16, 20, 22, 25], Codec::SegLRC).unwrap();
    // 3.0286 is 0x18_3A84 · 2^-19.
    assert_eq!(payload(&list), [3, 10, 1 << 26 | 1 << 21 | 0x18_3A84, 0b001000]);
    let list = PostingList::encode(&[10, 13, 16, 20, 22, 25], Codec::HS_LRC).unwrap();
    assert_eq!(payload(&list), [0, 4, 10, 1 << 26 | 1 << 21 | 0x18_3A84, 0b001000]);
    assert_eq!(list.parameter(), 5);
}

#[test]
fn every_length_to_two_segments_and_one() {
    for count in (0..=2 * BLOCK + 1).step_by(3).chain([1, 127, 128, 129, 255, 256, 257, 511, 512, 513, 2048, 5000]) {
        every_path_gives(&spread(count, 8 * count as u32, 11));
    }
}

#[test]
fn extreme_slopes() {
    for count in [1, 2, 3, 127, 129, 256, 300, 700] {
        // The steepest, the flattest, and steps between such stretches.
        let steep: Vec<u32> = (0..count).map(|i| (u64::from(u32::MAX) * i / count.max(2)) as u32).collect();
        every_path_gives(&steep);
        let flat: Vec<u32> = (0..count as u32).collect();
        every_path_gives(&flat);
        every_path_gives(&flat.iter().map(|i| u32::MAX - (count as u32 - 1) + i).collect::<Vec<_>>());
        let mut step = flat.clone();
        step.extend(flat.iter().map(|i| u32::MAX - (count as u32 - 1) + i));
        every_path_gives(&step);
        let mut late = flat;
        late.push(u32::MAX);
        every_path_gives(&late);
        let mut halves: Vec<u32> = late.iter().map(|i| u32::MAX - (u32::MAX - i) / 2).chain([0]).collect();
        halves.sort_unstable();
        halves.dedup();
        every_path_gives(&halves);
    }
}

#[test]
fn the_ends_of_the_universe() {
    for doc_ids in [vec![], vec![0], vec![u32::MAX], vec![0, u32::MAX], vec![0, 1, u32::MAX - 1, u32::MAX]] {
        every_path_gives(&doc_ids);
    }
    every_path_gives(&spread(3000, u32::MAX, 5));
}

#[test]
fn clusters_between_empty_buckets() {
    let mut doc_ids = Vec::new();
    for start in [0u32, 40_000, 1 << 20, 1 << 28, (1 << 28) + 9000, 3 << 30] {
        doc_ids.extend(start..start + 700);
        doc_ids.extend((0..200).map(|i| start + 701 + i * i % 17 + i * 17));
    }
    every_path_gives(&doc_ids);
}

#[test]
fn fields_of_every_width() {
    for width in 0..32u32 {
        let doc_ids = spread(600, (1 << 10) << width.min(22), 77 + u64::from(width));
        every_path_gives(&doc_ids);
        // Two segments: dense, then one outlier.
        let last = 256 + (1u32 << width);
        every_path_gives(&(0..256).chain([last, last + 1]).collect::<Vec<_>>());
    }
}

#[test]
fn progressions_take_no_bits() {
    for gap in [1, 7, 1 << 20] {
        let doc_ids: Vec<u32> = (0..3000).map(|i| 3 + i * gap).collect();
        for codec in [Codec::LRC, Codec::LRCSeg, Codec::SegLRC] {
            let list = PostingList::encode(&doc_ids, codec).unwrap();
            let head = payload(&list).len();
            assert!(head <= 4 + 2 * 13 || head == 3 * 12, "{codec:?} {head}");
        }
        every_path_gives(&doc_ids);
    }
}

#[test]
fn options_are_remembered() {
    let doc_ids = spread(3000, 100_000, 3);
    let list = PostingList::encode_with(&doc_ids, Codec::HS_LRC, &[("bucket", 128.0), ("exceptions", 0.25)]).unwrap();
    let again = PostingList::from_bytes(&list.to_bytes()).unwrap();
    let values: Vec<_> = again.options().iter().map(|(option, value)| (option.name, *value)).collect();
    assert_eq!(values, [("exceptions", Some(0.25)), ("bucket", Some(128.0))]);
    for (codec, name, value) in
        [(Codec::LRC, "bucket", 256.0), (Codec::LRC, "exceptions", 0.7), (Codec::HS_LRC, "bucket", 8.0)]
    {
        assert!(PostingList::encode_with(&doc_ids, codec, &[(name, value)]).is_err());
    }
}

/// Sets the checksum of a list in the byte format.
fn seal(bytes: &mut [u8]) {
    let mut crc = crc32fast::Hasher::new();
    crc.update(&bytes[..20]);
    crc.update(&bytes[24..]);
    bytes[20..24].copy_from_slice(&crc.finalize().to_le_bytes());
}

/// With a valid checksum, the checks must find the damage, or the list must be decoded alike on every tier, and every
/// docID of it found.
#[test]
fn hostile_words_are_refused_or_harmless() {
    let doc_ids: Vec<u32> = spread(700, 9000, 5).into_iter().chain([40_000, 1 << 30]).collect();
    let mut accepted = 0;
    for codec in FAMILY {
        for options in variants(codec) {
            let good = PostingList::encode_with(&doc_ids, codec, &options).unwrap().to_bytes();
            for at in (4..good.len() / 4).filter(|&at| at != 5) {
                for flip in [1u32, 1 << 7, 1 << 12, 1 << 21, 1 << 26, 1 << 31, u32::MAX, 0x0100_0100] {
                    let mut bytes = good.clone();
                    let word = u32::from_le_bytes(bytes[4 * at..][..4].try_into().unwrap()) ^ flip;
                    bytes[4 * at..][..4].copy_from_slice(&word.to_le_bytes());
                    seal(&mut bytes);
                    let Ok(list) = PostingList::from_bytes(&bytes) else { continue };
                    accepted += 1;
                    let decoded = list.decode();
                    assert!(decoded.is_sorted_by(|a, b| a < b));
                    for tier in Tier::available() {
                        let mut other = Vec::new();
                        list.decode_into_with(tier, &mut other);
                        assert_eq!(other, decoded);
                    }
                    looks_up_as_a_search_does(&decoded, &list, "hostile");
                }
            }
        }
    }
    assert!(accepted > 0);
}

#[test]
fn hostile_headers_are_refused() {
    let list = PostingList::encode(&spread(700, 9000, 5), Codec::HS_LRC).unwrap();
    // A universe and a shift for 2^32 buckets, and shifts that no u32 has.
    for (universe, parameter) in [(u32::MAX, 0), (u32::MAX, 1), (9000, 33), (9000, 63), (9000, 64)] {
        let mut bytes = list.to_bytes();
        bytes[12..16].copy_from_slice(&universe.to_le_bytes());
        bytes[6] = parameter;
        seal(&mut bytes);
        assert!(PostingList::from_bytes(&bytes).is_err());
    }
    for codec in FAMILY {
        let shape = Shape {
            count: u32::MAX as usize,
            universe: u32::MAX,
            parameter: 0,
            own_words: codec.options().len(),
            payload_words: 3,
        };
        let check = crate::codec::dispatch!(codec, C => C::check_shape(&shape));
        assert!(check.is_err(), "{codec:?}");
    }
}

#[test]
fn a_docid_beyond_its_bucket_is_refused() {
    // The last docID of the first block is in the first bucket by its rank, and is made to be in the second by its value.
    let doc_ids: Vec<u32> = (0..128).chain(439..512).chain((520..1000).step_by(2)).collect();
    let list = PostingList::encode(&doc_ids, Codec::HS_LRC).unwrap();
    let mut words = list.words().to_vec();
    let payload_at = words.len() - payload(&list).len();
    let [first, start, _, short, second, ..] = payload(&list) else { panic!("two buckets") };
    let (width, start) = (short >> fit::SHORT_BITS, payload_at + *start as usize);
    assert_eq!((list.parameter(), first, second, width), (9, &0, &201, 9));
    crate::base::bits::put(&mut words[start..], 127 * u64::from(width), width, u32::MAX);
    // What is decoded then stands in the directory, so that the next block is decoded too.
    words[payload_at - list.blocks()] = doc_ids[127] + 511;
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    seal(&mut bytes);
    let error = PostingList::from_bytes(&bytes).unwrap_err().to_string();
    assert!(error.contains("is not greater than the one before"), "{error}");
}

#[test]
fn lines_that_wrap_around_are_refused() {
    // One stretch, whose deviations make up for a line that leaves the universe: docIDs come out right, but the line does
    // not bound them.
    let fit = |slope: u64, doc_ids: &[u32]| {
        let deviations: Vec<u32> = doc_ids
            .iter()
            .zip(0u64..)
            .map(|(doc_id, i)| doc_id.wrapping_sub(((slope.wrapping_mul(i)) >> 32) as u32))
            .collect();
        let mut words = vec![0, slope as u32, (slope >> 32) as u32, 32];
        words.extend(deviations);
        words
    };
    let doc_ids = [5, 6, 1000, 1001, 70_000];
    let list = PostingList::encode(&doc_ids, Codec::LRC).unwrap();
    for (slope, is_right) in [(0, true), (1 << 31, true), (1 << 33, true), (u64::MAX, false), (1 << 62, false)] {
        let mut words = fit(slope, &doc_ids);
        let payload_words = words.len();
        words.resize(payload_words + PADDING, 0);
        let encoded = Encoded { payload: &words, payload_words, ..list.encoded() };
        let result = Regression::<lrc::Lrc>::check(&encoded, 0);
        assert_eq!(result.is_ok(), is_right, "{slope:#X} {result:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_path_gives_any_docids(
        gaps in prop::collection::vec(prop_oneof![8 => 1u32..3, 8 => 1u32..100, 1 => 1u32..10_000_000], 0..900),
        first in any::<u32>(),
    ) {
        let doc_ids: Vec<u32> = gaps
            .iter()
            .scan(u64::from(first), |last, gap| { *last += u64::from(*gap); u32::try_from(*last).ok() })
            .collect();
        every_path_gives(&doc_ids);
    }

    #[test]
    fn every_path_gives_scattered_docids(mut doc_ids in prop::collection::vec(any::<u32>(), 0..700)) {
        doc_ids.sort_unstable();
        doc_ids.dedup();
        every_path_gives(&doc_ids);
    }
}
