//! Block maxima: what bounds the scores of a block's documents.
//!
//! BM25 rises with the frequency and falls with the length. So the documents of a block that no other one beats in
//! both, the *Pareto front*, bound the scores of all, whatever k1, b, the weights and the average length are at the time
//! of the search. A block keeps four pairs of a frequency (255 stands for 255 and more) and a length byte. If the front
//! has more, neighbours are replaced by the greater frequency with the smaller length, which still bounds both, such that the block's
//! bound grows least; if it has fewer, the last is repeated.
//!
//! A block takes two words: pair j is bytes 2j (frequency) and 2j + 1 (length byte). A list has the maxima of each
//! block, then those of each [`GROUP`] blocks, then those of the whole list.
//!
//! In a weights field, the first word is the greatest [code](crate::index::impacts), and the second is 0.

use crate::codec::BLOCK;
use crate::index::length;
use std::array;

/// Blocks per group.
pub const GROUP: usize = 32;

/// Words per block.
pub const WORDS: usize = 2;

/// Pairs per block.
pub const PAIRS: usize = 4;

/// The frequency that stands for itself and all greater ones.
pub const ANY_FREQUENCY: u8 = u8::MAX;

/// The maxima of a block of documents, given as frequencies and length bytes.
pub(crate) fn encode(documents: impl Iterator<Item = (u32, u8)>) -> [u32; WORDS] {
    // The least length byte of each frequency; then only those below all that follow are on the front.
    let mut least = [None::<u8>; 256];
    for (frequency, byte) in documents {
        let least = &mut least[frequency.min(ANY_FREQUENCY.into()) as usize];
        *least = Some(least.map_or(byte, |least| least.min(byte)));
    }
    let mut front: Vec<(u8, u8)> = Vec::new();
    for (frequency, byte) in least.into_iter().enumerate().rev().filter_map(|(at, least)| Some((at as u8, least?))) {
        if front.last().is_none_or(|&(_, shortest)| byte < shortest) {
            front.push((frequency, byte));
        }
    }
    if front.len() > PAIRS {
        join(&mut front);
    }
    let last = front.last().copied().unwrap_or_default();
    front.resize(PAIRS, last);
    let mut words = [0; WORDS];
    for (at, &(frequency, byte)) in front.iter().enumerate() {
        words[at / 2] |= (u32::from(frequency) | u32::from(byte) << 8) << (16 * (at % 2));
    }
    words
}

/// Joins neighbours until there are [`PAIRS`]: first those whose join does not exceed the greatest saturation of all, which bounds the
/// block, with texts as long as some average; of these those that lose least.
fn join(front: &mut Vec<(u8, u8)>) {
    let mut saturations: Vec<[f32; AVERAGES.len()]> =
        front.iter().map(|&(frequency, byte)| saturations(frequency, byte)).collect();
    let best = saturations.iter().fold([0.0; AVERAGES.len()], |best, of| array::from_fn(|at| of[at].max(best[at])));
    while front.len() > PAIRS {
        let loss = |at: usize| -> f32 {
            let joined = self::saturations(front[at].0, front[at + 1].1);
            let of_average = |of: usize| {
                let lost = joined[of] - saturations[at][of].min(saturations[at + 1][of]);
                (joined[of] - best[of]).max(0.0) + LITTLE * lost
            };
            (0..AVERAGES.len()).map(of_average).sum()
        };
        let losses = (0..front.len() - 1).map(|at| (loss(at), at));
        let at = losses.min_by(|a, b| a.0.total_cmp(&b.0)).map_or(0, |least| least.1);
        front[at].1 = front[at + 1].1;
        saturations[at] = self::saturations(front[at].0, front[at].1);
        front.remove(at + 1);
        saturations.remove(at + 1);
    }
}

/// All maxima of a list, given its postings and the length bytes of all documents. One that has none counts as empty.
pub(crate) fn of_list(doc_ids: &[u32], less_one: &[u32], lengths: &[u8]) -> Vec<u32> {
    let mut words = Vec::with_capacity(words_for(doc_ids.len().div_ceil(BLOCK)));
    for (doc_ids, less_one) in doc_ids.chunks(BLOCK).zip(less_one.chunks(BLOCK)) {
        let frequencies = less_one.iter().map(|less_one| less_one.saturating_add(1));
        let lengths = doc_ids.iter().map(|&doc_id| lengths.get(doc_id as usize).copied().unwrap_or(0));
        words.extend(encode(frequencies.zip(lengths)));
    }
    append_groups(&mut words, 0);
    words
}

/// Appends all maxima of a list.
pub(super) fn append(doc_ids: &[u32], frequencies: &[u32], lengths: &[u8], words: &mut Vec<u32>) {
    let first = words.len();
    for (doc_ids, frequencies) in doc_ids.chunks(BLOCK).zip(frequencies.chunks(BLOCK)) {
        let of_documents = doc_ids.iter().zip(frequencies);
        words.extend(encode(of_documents.map(|(&doc_id, &frequency)| (frequency, lengths[doc_id as usize]))));
    }
    append_groups(words, first);
}

/// Appends all maxima of a list of weights, given their codes, each and 1.
pub(super) fn append_of_weights(frequencies: &[u32], words: &mut Vec<u32>) {
    let maxima = |of: usize| frequencies.chunks(of).map(|part| part.iter().fold(0, |most, &code| code.max(most)) - 1);
    for of in [BLOCK, GROUP * BLOCK, frequencies.len().max(1)] {
        words.extend(maxima(of).flat_map(|code| [code, 0]));
    }
}

/// Appends the maxima of each group of blocks, and of all, to those of the blocks, which are the words from `first` on.
fn append_groups(words: &mut Vec<u32>, first: usize) {
    let of_blocks: Vec<[(u8, u8); PAIRS]> =
        words[first..].chunks_exact(WORDS).map(|block| pairs([block[0], block[1]])).collect();
    let joined = |blocks: &[[(u8, u8); PAIRS]]| {
        encode(blocks.as_flattened().iter().map(|&(frequency, byte)| (frequency.into(), byte)))
    };
    words.extend(of_blocks.chunks(GROUP).flat_map(joined));
    words.extend(joined(&of_blocks));
}

/// The words of all maxima of a list.
pub(super) fn words_for(blocks: usize) -> usize {
    WORDS * (blocks + blocks.div_ceil(GROUP) + 1)
}

/// The pairs of a block.
pub fn pairs(words: [u32; WORDS]) -> [(u8, u8); PAIRS] {
    let [a, b, c, d] = words[0].to_le_bytes();
    let [e, f, g, h] = words[1].to_le_bytes();
    [(a, b), (c, d), (e, f), (g, h)]
}

/// Tokens of texts on average, to choose which pairs lose least by being joined.
const AVERAGES: [f32; 4] = [12.0, 40.0, 200.0, 1000.0];

/// What a pair loses that does not bound the block counts for so little.
const LITTLE: f32 = 1.0 / 64.0;

/// BM25's dependency on frequency and length, with k1 = 1.2, b = 0.75 and each of the averages.
fn saturations(frequency: u8, byte: u8) -> [f32; AVERAGES.len()] {
    let (frequency, length) = (f32::from(frequency), length::decode(byte) as f32);
    AVERAGES.map(|average| frequency / (frequency + 1.2 * (0.25 + 0.75 * length / average)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_small_front_is_kept_exactly() {
        let words = encode([(1, 10), (3, 30), (2, 20), (2, 25), (1, 30)].into_iter());
        assert_eq!(pairs(words), [(3, 30), (2, 20), (1, 10), (1, 10)]);
        assert_eq!(pairs(encode([(1, 5), (700, 90), (255, 80)].into_iter())), [(255, 80), (1, 5), (1, 5), (1, 5)]);
    }

    #[test]
    fn what_bounds_the_block_is_joined_last() {
        let front: [(u8, u8); 7] = [(12, 40), (9, 33), (7, 26), (5, 17), (3, 8), (2, 4), (1, 2)];
        let pairs = pairs(encode(front.iter().map(|&(frequency, byte)| (frequency.into(), byte))));
        assert_eq!(pairs, [(12, 40), (9, 26), (5, 8), (2, 2)]);
        // With texts of 200 or 1,000 tokens on average the bound stays that of the best document.
        for of in [2, 3] {
            let of_pair = |&(frequency, byte): &(u8, u8)| saturations(frequency, byte)[of];
            let greatest = |pairs: &[(u8, u8)]| pairs.iter().map(of_pair).fold(0.0, f32::max);
            assert_eq!(greatest(&pairs), greatest(&front));
        }
    }

    proptest! {
        #[test]
        fn every_document_is_bounded_by_a_pair(
            documents in prop::collection::vec((1u32..400, any::<u8>()), 1..200)
        ) {
            let pairs = pairs(encode(documents.iter().copied()));
            for (frequency, byte) in documents {
                let bounded = |&(most, least): &(u8, u8)| {
                    (u32::from(most) >= frequency || most == ANY_FREQUENCY) && least <= byte
                };
                prop_assert!(pairs.iter().any(bounded));
            }
        }
    }
}
