//! The positions of a term in the form in which a device compares them: those of each posting stand together, and are found
//! by the posting's index in the tiled form of the list.
//!
//! | words | contents |
//! |---|---|
//! | 1 | postings; 0 if there are too many positions |
//! | 1 | 1 if positions take a word each, 0 if they take half of one |
//! | 2 | 0 |
//! | postings + 1 | the index of each posting's first position; the number of positions |
//! | positions, or half as many, rounded up | positions, increasing within a posting |
//!
//! Nearly all texts are so short that positions take 16 bits. About 7 bytes a posting. Twin: `cl/op/phrase.cl`.

use crate::codec::BLOCK;
use crate::index::list::{Decoded, View};

/// Words before the indices.
pub const HEADER: usize = 4;

/// The most positions of a list.
pub const MOST: usize = 1 << 30;

/// Of a short list, decoded with positions.
pub fn of_short(decoded: &Decoded) -> Vec<u32> {
    let mut words = header(&decoded.frequencies, decoded.positions.len());
    if words[0] != 0 {
        append(&mut words, &decoded.positions);
    }
    words
}

/// Of a long list, which is checked and has positions.
pub fn of_long(view: &View) -> Vec<u32> {
    let Some(places) = view.positions.filter(|places| places.gaps.len() <= MOST) else { return header(&[], 0) };
    let (mut unpacked, mut frequencies) = ([0; BLOCK], Vec::with_capacity(view.count));
    for block in 0..view.blocks() {
        view.frequencies_less_one(block, &mut unpacked);
        let count = BLOCK.min(view.count - BLOCK * block);
        frequencies.extend(unpacked[..count].iter().map(|less_one| less_one.wrapping_add(1)));
    }
    let mut words = header(&frequencies, places.gaps.len());
    let mut positions = Vec::with_capacity(places.gaps.len());
    for block in 0..places.gaps.len().div_ceil(BLOCK) {
        places.gaps.unpack(block, &mut unpacked);
        let count = BLOCK.min(places.gaps.len() - BLOCK * block);
        positions.extend_from_slice(&unpacked[..count]);
    }
    // From gaps to positions.
    let mut rest = &mut positions[..];
    for &frequency in &frequencies {
        let of_posting = rest.split_off_mut(..(frequency as usize).min(rest.len())).unwrap_or_default();
        let mut next = 0u32;
        for position in of_posting {
            *position = position.wrapping_add(next);
            next = position.wrapping_add(1);
        }
    }
    append(&mut words, &positions);
    words
}

/// What comes before the positions.
fn header(frequencies: &[u32], positions: usize) -> Vec<u32> {
    let count = if positions > MOST { 0 } else { frequencies.len() };
    let mut words = Vec::with_capacity(HEADER + count + 1 + positions / 2);
    words.extend([count as u32, 0, 0, 0, 0]);
    words.extend(frequencies[..count].iter().scan(0u32, |sum, &frequency| {
        *sum = sum.wrapping_add(frequency);
        Some((*sum).min(positions as u32))
    }));
    words
}

fn append(words: &mut Vec<u32>, positions: &[u32]) {
    if positions.iter().all(|&position| position <= u16::MAX.into()) {
        words.extend(positions.chunks(2).map(|pair| pair[0] | pair.get(1).unwrap_or(&0) << 16));
    } else {
        words[1] = 1;
        words.extend_from_slice(positions);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::list::{self, Codecs, List, ListParts, Postings};
    use proptest::prelude::*;

    /// The positions of each posting, found as a kernel finds them.
    fn read(words: &[u32]) -> Vec<Vec<u32>> {
        let (count, wide) = (words[0] as usize, words[1] == 1);
        let (starts, positions) = words[HEADER..].split_at(count + 1);
        let position = |at: u32| match wide {
            true => positions[at as usize],
            false => positions[at as usize / 2] >> (16 * (at % 2)) & 0xFFFF,
        };
        starts.windows(2).map(|pair| (pair[0]..pair[1]).map(position).collect()).collect()
    }

    /// As the encoder of a segment leaves a long list.
    fn long(decoded: &Decoded) -> Vec<u32> {
        let parts = ListParts { frequencies: true, positions: true, codecs: Codecs::default() };
        let documents = decoded.doc_ids.len() as u32;
        let Decoded { doc_ids, frequencies, positions } = decoded;
        let lengths = &vec![1; documents as usize][..];
        let postings = Postings { doc_ids, frequencies, positions, lengths };
        let mut bytes = Vec::new();
        let value = list::encode(&postings, documents, Codecs::default(), 0, &mut bytes).unwrap();
        bytes.resize((bytes.len() + list::PADDING).next_multiple_of(4), 0);
        let words: Vec<u32> = bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
        // SAFETY: any words are valid bytes.
        let list = List::find(unsafe { words.align_to().1 }, value, documents, parts).unwrap();
        list.check(documents).unwrap();
        let List::Long(view) = list else { panic!("a short list") };
        of_long(&view)
    }

    proptest! {
        #[test]
        fn positions_are_found_by_posting(
            frequencies in prop::collection::vec(prop_oneof![6 => 1usize..4, 1 => 100usize..400], 129..700),
            gaps in prop::collection::vec(0u32..40, 400),
            far in prop_oneof![Just(0u32), Just(65_000), Just(1 << 24)],
        ) {
            let of_document = |(at, &frequency): (usize, &usize)| -> Vec<u32> {
                let first = if at % 100 == 99 { far } else { at as u32 % 7 };
                gaps[..frequency].iter().scan(first, |next, gap| { *next += gap + 1; Some(*next - 1) }).collect()
            };
            let expected: Vec<Vec<u32>> = frequencies.iter().enumerate().map(of_document).collect();
            let decoded = Decoded {
                doc_ids: (0..frequencies.len() as u32).collect(),
                frequencies: frequencies.iter().map(|&frequency| frequency as u32).collect(),
                positions: expected.concat(),
            };
            let words = of_short(&decoded);
            prop_assert_eq!(words[1] == 1, decoded.positions.iter().any(|&position| position > 65_535));
            prop_assert_eq!(read(&words), expected);
            prop_assert_eq!(long(&decoded), words);
        }
    }
}
