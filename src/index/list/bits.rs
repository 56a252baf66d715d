//! docIDs as a bit set, for dense lists: bit i of the sequence is set if the list contains docID i.

use crate::base::cpu::Tier;
use crate::codec::bit_set;

/// Appends the bit set of increasing docIDs below `documents` to `words`.
pub(super) fn encode(doc_ids: &[u32], documents: u32, words: &mut Vec<u32>) {
    let first = words.len();
    words.resize(first + words_for(documents), 0);
    for &doc_id in doc_ids {
        words[first + doc_id as usize / 32] |= 1 << (doc_id % 32);
    }
}

/// The words of a bit set.
pub(super) fn words_for(documents: u32) -> usize {
    documents.div_ceil(32) as usize
}

/// The bits of word `at` that lie in `from..=last`.
#[inline(always)]
fn bits_within(words: &[u32], at: u32, from: u32, last: u32) -> u32 {
    let mut bits = words[at as usize];
    if at == from / 32 {
        bits &= u32::MAX << (from % 32);
    }
    if at == last / 32 {
        bits &= u32::MAX >> (31 - last % 32);
    }
    bits
}

/// Writes the docIDs in `from..=last` to `out`, and returns their number. The codecs' [bit sets](bit_set) have words of 64 bits: the
/// first and the last one are cut off at the range.
///
/// # Safety
/// `from..=last` lies in `words`, `out` has room for the docIDs and [`SLACK`](crate::codec::SLACK) more, and the processor has `tier`.
pub(super) unsafe fn decode(tier: Tier, words: &[u32], from: u32, last: u32, out: *mut u32) -> usize {
    let (first, end) = (from / 32, last / 32 + 1);
    let pair = |at: u32| {
        let high = if at + 1 < end { bits_within(words, at + 1, from, last) } else { 0 };
        u64::from(bits_within(words, at, from, last)) | u64::from(high) << 32
    };
    let pairs = (end - first).div_ceil(2);
    // SAFETY: the pairs between the first and the last lie in `words`; there is room for the docIDs and the slack.
    unsafe {
        let mut count = bit_set::expand(tier, &pair(first).to_le(), 1, 32 * first, out);
        if pairs > 2 {
            let between = words.as_ptr().add(first as usize + 2).cast();
            count += bit_set::expand(tier, between, pairs as usize - 2, 32 * (first + 2), out.add(count));
        }
        if pairs > 1 {
            let at = first + 2 * (pairs - 1);
            count += bit_set::expand(tier, &pair(at).to_le(), 1, 32 * at, out.add(count));
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::SLACK;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_tier_finds_the_set_bits(
            bits in prop::collection::vec(any::<bool>(), 1..400), a in 0usize..400, b in 0usize..400
        ) {
            let (from, last) = (a.min(b).min(bits.len() - 1), a.max(b).min(bits.len() - 1));
            let all: Vec<u32> = (0..bits.len() as u32).filter(|&at| bits[at as usize]).collect();
            let mut words = vec![9];
            encode(&all, bits.len() as u32, &mut words);
            prop_assert_eq!(words.len(), 1 + words_for(bits.len() as u32));
            let wanted: Vec<u32> = all.into_iter().filter(|&at| (from..=last).contains(&(at as usize))).collect();
            for tier in Tier::available() {
                let mut out = vec![0; wanted.len() + SLACK];
                // SAFETY: the range lies in the words, `out` has the room, the tier is there.
                let count = unsafe { decode(tier, &words[1..], from as u32, last as u32, out.as_mut_ptr()) };
                prop_assert_eq!(&out[..count], &wanted[..]);
            }
        }
    }
}
