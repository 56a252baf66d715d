use super::*;
use crate::codec::gaps::Gaps;
use crate::codec::values::tests::{are_refused_or_decode, every_path_gives, of_any_width, part, values};
use crate::codec::{Encoded, ListCodec, Plan, SLACK};
use bitpacking::{BitPacker, BitPacker4x};
use proptest::prelude::*;

const EXAMPLE: [u32; 6] = [3, 0, 2, 77, 1, 30];

#[test]
fn the_worked_example() {
    let words = part::<Bp128>(&EXAMPLE);
    assert_eq!(words, [7, 3 | 1 << 7, 30 << 7, 2, 77]);
    assert_eq!(Bp128::check(&words, 6), Ok(()));
}

/// The words that `BitPacker4x` makes of a block.
fn of_the_peer(block: &[u32; BLOCK], width: u32) -> Vec<u32> {
    let mut bytes = vec![0; 4 * BLOCK];
    let used = BitPacker4x::new().compress(block, &mut bytes, width as u8);
    bytes[..used].chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

#[test]
fn blocks_are_the_peers_at_every_width() {
    for width in 0..=32 {
        let mut block: [u32; BLOCK] = values(BLOCK, width, 1000).try_into().unwrap();
        // The widest value has all bits.
        block[77] = crate::base::bits::low_mask(width);
        assert_eq!(BitPacker4x::new().num_bits(&block), width as u8);
        let words = part::<Bp128>(&block);
        assert_eq!(words[0], width);
        assert_eq!(words[1..], of_the_peer(&block, width), "width {width}");
    }
}

#[test]
fn short_parts_begin_as_the_peers_blocks() {
    for width in 0..=32 {
        for count in 1..BLOCK {
            let values = values(count, width, 1000);
            let words = part::<Bp128>(&values);
            let mut block = [0; BLOCK];
            block[..count].copy_from_slice(&values);
            let whole = of_the_peer(&block, words[0]);
            let used = words.len() - 1;
            assert_eq!(words[1..], whole[..used], "{count} values of width {width}");
            assert!(whole[used..].iter().all(|&word| word == 0), "{count} values of width {width}");
            assert_eq!(used, 4 * (count.div_ceil(4) as u32 * words[0]).div_ceil(32) as usize);
        }
    }
}

/// docIDs of whole blocks: the peer stores gaps minus one, too, if it is told that docIDs increase strictly.
#[test]
fn lists_are_the_peers() {
    let packer = BitPacker4x::new();
    let gaps = values(5 * BLOCK, 9, 1000);
    let doc_ids: Vec<u32> = gaps.iter().scan(0, |last, gap| Some(std::mem::replace(last, *last + gap + 1))).collect();
    let (mut words, mut starts) = (Vec::new(), Vec::new());
    Gaps::<Bp128>::encode(&doc_ids, &Plan::default(), &mut words, &mut starts).unwrap();
    let mut previous = None;
    let ends = starts.iter().skip(1).map(|&start| start as usize).chain([words.len()]);
    for ((block, &start), end) in doc_ids.chunks(BLOCK).zip(&starts).zip(ends) {
        let width = packer.num_bits_strictly_sorted(previous, block);
        let mut bytes = vec![0; 4 * BLOCK];
        let used = packer.compress_strictly_sorted(previous, block, &mut bytes, width);
        let part = &words[start as usize..end];
        assert_eq!(part[0], u32::from(width));
        let ours: Vec<u8> = part[1..].iter().flat_map(|word| word.to_le_bytes()).collect();
        assert_eq!(ours, bytes[..used]);
        previous = block.last().copied();
    }
}

/// What `decode_blocks` gives for the values, on every tier, is their sum.
fn every_path_adds_up(values: &[u32], previous: u32) {
    let mut words = Vec::new();
    values.chunks(BLOCK).for_each(|values| Bp128::encode(values, &Options::defaults(&[]), &mut words));
    let used = words.len();
    words.resize(used + crate::codec::PADDING, u32::MAX);
    let mut last = previous;
    let mut wanted = Vec::new();
    for value in values {
        last = last.wrapping_add(*value).wrapping_add(1);
        wanted.push(last);
    }
    for tier in Tier::available() {
        // Exactly the room that the contract asks for, then a guard word that reveals writes past it.
        let mut out = vec![0xDEAD_BEEF; values.len() + SLACK + 1];
        // SAFETY: the words were encoded here, and padding follows; `out` has room for the docIDs and the slack; the tier
        // is available.
        unsafe { Bp128::decode_doc_ids(tier, &words[..used], values.len(), previous, out.as_mut_ptr()) };
        assert_eq!(out.pop(), Some(0xDEAD_BEEF), "{} wrote past the slack", tier.name());
        assert_eq!(&out[..values.len()], wanted, "{}", tier.name());
    }
}

#[test]
fn every_width_and_length_to_two_blocks() {
    for width in 0..=32 {
        for count in (0..=2 * BLOCK + 1).step_by(if width % 9 == 1 { 1 } else { 13 }) {
            for step in [13, 1000] {
                let values = values(count, width, step);
                every_path_gives::<Bp128>(&values);
                every_path_adds_up(&values, u32::MAX);
                every_path_adds_up(&values, 77);
            }
        }
    }
}

/// A list whose last words are the end of its memory: nothing past the padding is read.
#[test]
fn one_block_alone_is_decoded() {
    let doc_ids: Vec<u32> = (0..BLOCK as u32).map(|i| i * 1000).collect();
    let (mut payload, mut starts) = (Vec::new(), Vec::new());
    Gaps::<Bp128>::encode(&doc_ids, &Plan::default(), &mut payload, &mut starts).unwrap();
    let list = Encoded {
        count: BLOCK,
        universe: doc_ids[BLOCK - 1],
        parameter: 0,
        own: &[],
        last_doc_ids: &doc_ids[BLOCK - 1..],
        starts: &starts,
        payload: &payload,
        payload_words: payload.len(),
    };
    for tier in Tier::available() {
        let mut out = [0; BLOCK + SLACK];
        // SAFETY: the list was encoded here. It has no padding, because a whole block is decoded of its own words alone.
        let count = unsafe { Gaps::<Bp128>::decode_blocks(tier, &list, 0..1, out.as_mut_ptr()) };
        assert_eq!(out[..count], doc_ids);
    }
}

#[test]
fn damage_is_named() {
    let words = part::<Bp128>(&EXAMPLE);
    let check = |words: &[u32], count: usize| Bp128::check(words, count).map_err(|(word, _)| word);
    let with = |at: usize, bits: u32| {
        let mut words = words.clone();
        words[at] ^= bits;
        check(&words, 6)
    };
    // No words, too few, too many; no values, more than a block has.
    assert_eq!(check(&[], 6), Err(0));
    assert_eq!(check(&words[..4], 6), Err(0));
    assert_eq!(check(&[&words[..], &[0]].concat(), 6), Err(0));
    assert_eq!((check(&[], 0), check(&[0], 0)), (Ok(()), Err(0)));
    assert_eq!((check(&[0], BLOCK), check(&[0], BLOCK + 1)), (Ok(()), Err(0)));
    // Unused bits of the header; 33 and 63 bits; another width.
    assert_eq!(with(0, 1 << 6), Err(0));
    assert_eq!(check(&[33], 6), Err(0));
    assert_eq!(check(&[&[33][..], &[0; 132]].concat(), BLOCK), Err(0));
    assert_eq!(with(0, 7 ^ 63), Err(0));
    assert_eq!(with(0, 7 ^ 31), Err(0));
    // Bits after the second row, and in the lanes that have no value there; other values are no damage.
    assert_eq!(with(1, 1 << 14), Err(1));
    assert_eq!(with(2, 1 << 13), Ok(()));
    assert_eq!(with(3, 1 << 7), Err(3));
    assert_eq!(with(4, 1 << 7), Err(4));
    assert_eq!(with(4, 1 << 6), Ok(()));
    // Rows across words: of 17 values of 7 bits, lane 0 has 35 bits, the others 28.
    let five = part::<Bp128>(&[100; 17]);
    assert_eq!(five.len(), 9);
    for (at, bit, expected) in [(5, 2, Ok(())), (5, 3, Err(5)), (2, 27, Ok(())), (2, 28, Err(2)), (8, 0, Err(8))] {
        let mut words = five.clone();
        words[at] ^= 1 << bit;
        assert_eq!(check(&words, 17), expected, "word {at}, bit {bit}");
    }
}

proptest! {
    #[test]
    fn any_values(values in of_any_width(0..400), previous in any::<u32>()) {
        every_path_gives::<Bp128>(&values);
        every_path_adds_up(&values, previous);
    }

    #[test]
    fn random_words_are_refused_or_decode(
        words in prop::collection::vec((any::<u32>(), any::<u32>()).prop_map(|(a, b)| a & b), 1..20),
        width in 0u32..34,
        count in 0usize..140,
    ) {
        let mut words = words;
        words[0] = width;
        for used in 1..=words.len() {
            are_refused_or_decode::<Bp128>(&words[..used], count);
        }
    }
}
