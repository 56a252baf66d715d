//! [`Limit`]: the pairs that are gathered.

use super::gaps::Gaps;
use super::{SLOTS, TOGETHER, Word};
use crate::base::error::Result;
use crate::base::memory::{collected, filled, room, zeros};
use std::cmp::Reverse;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Which of 64 pairs of words have a slot. All of these fit into the processor's cache, which numbers of slots would not.
#[derive(Debug, Clone, Copy, Default)]
struct Run {
    /// A bit for each pair.
    bits: u64,
    /// How many slots the pairs before have.
    before: u32,
}

/// Which pairs are gathered yet, and how large these may get.
///
/// A pair saves looking for it in the documents that have both words, as often as it is asked for. The more often texts have it, the more
/// often it is asked for, and the more its list takes. So a byte of it saves as many documents as have both words, and those pairs are kept
/// whose words are together in the most: in as many as is estimated, but at least as there would be if words were independent.
///
/// Pairs that are worth least are given up as soon as those that are left are known to take too much, be it in one part of the documents:
/// a sixty-fourth at a time. So in the end as many are kept as are small enough, whoever finds that out.
pub(super) struct Limit {
    bytes: usize,
    documents: u64,
    words: usize,
    /// Of all pairs, in the order of their first words.
    runs: Vec<Run>,
    /// By slot, the place of the pair among those that were worth gathering, of which those that are worth most come first.
    places: Vec<u16>,
    /// By place, how many documents have both words; then the most that those of a pair without a place may have.
    together: Vec<u32>,
    /// How many places are kept.
    kept: AtomicUsize,
}

impl Limit {
    /// Of words of a segment with that many documents, whose pairs may take so many bytes. Estimated is, by the words' numbers, how many
    /// documents have both (`together`), and how often one is beside the other.
    pub fn new(
        words: &[Word],
        documents: u32,
        bytes: usize,
        together: impl Fn(usize, usize) -> u32,
        beside: impl Fn(usize, usize) -> u64,
    ) -> Result<Limit> {
        let documents = u64::from(documents);
        let least = (documents / TOGETHER).max(1) as u32;
        // The number of documents in the upper half, the pair in the lower one: such numbers are sorted fastest.
        let mut pairs: Vec<Reverse<u64>> = room(2 * SLOTS + words.len())?;
        let mut without = least - 1;
        let mut keep_best = |pairs: &mut Vec<Reverse<u64>>| {
            pairs.sort_unstable();
            without = without.max(pairs.get(SLOTS).map_or(0, |pair| (pair.0 >> 32) as u32));
            pairs.truncate(SLOTS);
        };
        for (first, one) in words.iter().enumerate() {
            for (second, other) in words.iter().enumerate() {
                let independent = u64::from(one.containing) * u64::from(other.containing) / documents;
                let together = together(first, second).max(independent as u32);
                if together >= least {
                    pairs.push(Reverse(u64::from(together) << 32 | (words.len() * first + second) as u64));
                }
            }
            if pairs.len() > 2 * SLOTS {
                keep_best(&mut pairs);
            }
        }
        keep_best(&mut pairs);
        // Most that would be given up later are not even begun.
        let mut estimated = 0;
        let enough = pairs.iter().position(|pair| {
            let (together, pair) = (pair.0 >> 32, pair.0 as u32 as usize);
            let having = beside(pair / words.len(), pair % words.len()).min(together);
            estimated += Gaps::estimate(having, documents);
            estimated > (bytes + bytes / 2) as u64
        });
        if let Some(enough) = enough {
            without = without.max((pairs[enough].0 >> 32) as u32);
            pairs.truncate(enough);
        }
        let together = collected(pairs.iter().map(|pair| (pair.0 >> 32) as u32).chain([without]))?;
        let mut limit = Limit {
            bytes,
            documents,
            words: words.len(),
            runs: filled(Run::default(), words.len() * words.len() / 64 + 1)?,
            places: zeros(pairs.len())?,
            together,
            kept: pairs.len().into(),
        };
        let numbers = || pairs.iter().map(|pair| pair.0 as u32 as usize);
        numbers().for_each(|pair| limit.runs[pair / 64].bits |= 1 << (pair % 64));
        let mut before = 0;
        for run in &mut limit.runs {
            run.before = before;
            before += run.bits.count_ones();
        }
        for (place, pair) in numbers().enumerate() {
            if let Some(slot) = limit.slot_of(pair) {
                limit.places[slot] = place as u16;
            }
        }
        Ok(limit)
    }

    /// The slot of a pair, by the numbers of its words, if it was worth gathering.
    #[inline(always)]
    pub fn slot(&self, first: usize, second: usize) -> Option<usize> {
        self.slot_of(self.words * first + second)
    }

    #[inline(always)]
    fn slot_of(&self, pair: usize) -> Option<usize> {
        let Run { bits, before } = self.runs[pair / 64];
        let bit = 1 << (pair % 64);
        (bits & bit != 0).then(|| before as usize + (bits & (bit - 1)).count_ones() as usize)
    }

    /// The place of the pair with that slot, if it is kept yet.
    #[inline(always)]
    pub fn place(&self, slot: usize) -> Option<usize> {
        let place = usize::from(self.places[slot]);
        (place < self.kept()).then_some(place)
    }

    /// The least product of the documents of two words whose pair is kept, however many documents have both.
    pub fn least(&self) -> u64 {
        (u64::from(self.together[self.kept()]) + 1) * self.documents
    }

    /// How many slots there are, and places.
    pub fn slots(&self) -> usize {
        self.places.len()
    }

    /// How many places are of pairs that are kept yet.
    pub fn kept(&self) -> usize {
        self.kept.load(Relaxed)
    }

    /// Gives up pairs until those that are left, which take `bytes` by `size`, are small enough, and empties the others.
    pub fn keep(&self, pairs: &mut [Gaps], bytes: &mut usize, size: impl Fn(&Gaps) -> usize) {
        while *bytes > self.bytes {
            // Others may have given up pairs that are still here.
            let kept = self.kept();
            for gone in &mut pairs[kept..] {
                *bytes -= size(&std::mem::take(gone));
            }
            if *bytes > self.bytes {
                self.kept.fetch_min(kept - kept.div_ceil(64), Relaxed);
            }
        }
    }
}
