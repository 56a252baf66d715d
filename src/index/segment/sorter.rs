//! [`Sorter`]: a counting sort of tokens by their terms.
//!
//! It is done for one range of terms after the other, so that half of the tokens, at four bytes each, or a quarter, at eight, are sorted
//! at a time.

use super::packed;
use super::terms::documents;
use super::token_store::TokensOf;
use crate::base::bits::has_bit;
use crate::base::error::Result;
use crate::base::memory::{self, collected, room};
use bytemuck::Zeroable;

/// Tokens that are put in their places together.
const WAITING: usize = if cfg!(any(test, fuzzing)) { 5 } else { 256 };

/// A range of terms, by their ranks.
pub(super) struct Range<'t> {
    /// The rank of each token's term.
    ranks: &'t [u32],
    low: u32,
    /// A bit per number of a token: whether its term is here. Most tokens are of another range, and these bits stay in a cache.
    here: Vec<u64>,
}

impl Range<'_> {
    pub fn new(ranks: &[u32], low: usize, taken: usize) -> Result<Range<'_>> {
        let ranks_here = low as u32..(low + taken) as u32;
        let bits = |some: &[u32]| {
            (0..).zip(some).fold(0, |bits, (at, rank)| bits | u64::from(ranks_here.contains(rank)) << at)
        };
        let here = collected(ranks.chunks(64).map(bits))?;
        Ok(Range { ranks, low: ranks_here.start, here })
    }

    /// Whether a token's term is here.
    #[inline(always)]
    fn has(&self, token: u32) -> bool {
        has_bit(&self.here, token)
    }

    /// Which term of the range a token has.
    #[inline(always)]
    fn index(&self, token: u32) -> usize {
        (self.ranks[token as usize] - self.low) as usize
    }
}

/// How a docID and what stands beside it, a position or a code, make one number.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    /// Bits of what stands beside docIDs.
    shift: u32,
    /// Whether 32 bits are enough, and not only 64.
    pub narrow: bool,
}

impl Layout {
    pub fn new(documents: usize, greatest: u32) -> Layout {
        let shift = packed::width_for(greatest.into());
        Layout { shift, narrow: (documents as u64) << shift <= 1 << u32::BITS }
    }

    /// Bytes of a pair.
    pub fn bytes(self) -> usize {
        if self.narrow { size_of::<u32>() } else { size_of::<u64>() }
    }

    /// Of so many tokens, those that are sorted at a time, unless a single term has more.
    pub fn range(self, tokens: usize) -> usize {
        tokens / if self.narrow { 2 } else { 4 }
    }

    #[inline(always)]
    fn pair<P: Pair>(self, doc: u32, second: u32) -> P {
        P::of(u64::from(doc) << self.shift | u64::from(second))
    }

    #[inline(always)]
    pub fn doc(self, pair: impl Pair) -> u32 {
        (pair.number() >> self.shift) as u32
    }

    #[inline(always)]
    pub fn second(self, pair: impl Pair) -> u32 {
        (pair.number() & ((1 << self.shift) - 1)) as u32
    }
}

/// A docID and a position, or code, as a number.
pub(super) trait Pair: Copy + Ord + Zeroable {
    fn of(number: u64) -> Self;
    fn number(self) -> u64;
}

impl Pair for u32 {
    #[inline(always)]
    fn of(number: u64) -> u32 {
        number as u32
    }

    #[inline(always)]
    fn number(self) -> u64 {
        self.into()
    }
}

impl Pair for u64 {
    #[inline(always)]
    fn of(number: u64) -> u64 {
        number
    }

    #[inline(always)]
    fn number(self) -> u64 {
        self
    }
}

/// A counting sort of the tokens of one range of terms.
pub(super) struct Sorter<P> {
    layout: Layout,
    /// Pairs of a range, unless a single term has more.
    most: usize,
    /// docID and position (or code) of each token of the range, by term.
    pairs: Vec<P>,
    /// Per term of the range, where its next pair goes; where its pairs end, once all are in.
    next: Vec<u32>,
}

impl<P: Pair> Sorter<P> {
    /// For ranges of that many tokens, unless a term has more, which has that many at most.
    pub fn new(layout: Layout, most: usize, of_term: usize) -> Result<Sorter<P>> {
        Ok(Sorter { layout, most, pairs: room(most.max(of_term))?, next: Vec::new() })
    }

    /// Takes as many of the terms with these counts as fit; returns how many, at least one.
    pub fn take(&mut self, counts: impl Iterator<Item = u32>) -> Result<usize> {
        let mut total = 0;
        self.next.clear();
        for count in counts {
            if !self.next.is_empty() && total + count as usize > self.most {
                break;
            }
            memory::reserve(&mut self.next, 1)?;
            self.next.push(total as u32);
            total += count as usize;
        }
        if self.pairs.len() < total {
            let more = total - self.pairs.len();
            memory::reserve(&mut self.pairs, more)?;
            self.pairs.resize(total, P::zeroed());
        }
        Ok(self.next.len())
    }

    /// Puts the pairs of the range's terms in their places: of each document's tokens, and the second of each.
    // By itself, so that its loop stays in registers.
    #[inline(never)]
    pub fn fill<'t, S: Iterator<Item = u32>>(
        &mut self,
        range: Range,
        documents: impl Iterator<Item = (TokensOf<'t>, S)>,
    ) {
        // Which tokens are of the range cannot be foreseen: those that are wait, so that nothing branches on it.
        let mut waiting = [(0, P::zeroed()); WAITING];
        let mut count = 0;
        for (doc, (tokens, seconds)) in (0u32..).zip(documents) {
            for (token, second) in tokens.zip(seconds) {
                waiting[count] = (token, self.layout.pair(doc, second));
                count += usize::from(range.has(token));
                if count == WAITING {
                    self.put(&waiting, &range);
                    count = 0;
                }
            }
        }
        self.put(&waiting[..count], &range);
    }

    fn put(&mut self, waiting: &[(u32, P)], range: &Range) {
        for &(token, pair) in waiting {
            let next = &mut self.next[range.index(token)];
            self.pairs[*next as usize] = pair;
            *next += 1;
        }
    }

    /// The pairs of each term, in order of docIDs and positions.
    pub fn by_term(&self) -> impl Iterator<Item = &[P]> {
        documents(&self.next).map(|range| &self.pairs[range])
    }
}

#[cfg(test)]
mod tests {
    use super::super::terms::HOLE;
    use super::super::token_store::TokenStore;
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// The pairs of all terms by their ranks, sorted in ranges of about `most` tokens, with these bits beside docIDs.
    fn sorted<P: Pair>(
        store: &TokenStore,
        ranks: &[u32],
        counts: &[u32],
        most: usize,
        shift: u32,
    ) -> Vec<Vec<(u32, u32)>> {
        let layout = Layout { shift, narrow: size_of::<P>() == size_of::<u32>() };
        let of_term = counts.iter().copied().max().unwrap_or(0) as usize;
        let mut sorter = Sorter::<P>::new(layout, most, of_term).unwrap();
        let mut all = Vec::new();
        while all.len() < counts.len() {
            let taken = sorter.take(counts[all.len()..].iter().copied()).unwrap();
            let range = Range::new(ranks, all.len(), taken).unwrap();
            sorter.fill(range, store.documents().map(|tokens| (tokens, 0..)));
            all.extend(
                sorter
                    .by_term()
                    .map(|pairs| pairs.iter().map(|&pair| (layout.doc(pair), layout.second(pair))).collect::<Vec<_>>()),
            );
        }
        all
    }

    proptest! {
        #[test]
        fn tokens_are_in_the_order_of_ranks_documents_and_positions(
            documents in prop::collection::vec(prop::collection::vec(prop_oneof![Just(HOLE), 0..70u32], 0..40), 0..30),
            order in Just((0..70u32).collect::<Vec<_>>()).prop_shuffle(),
            most in 0..300usize,
        ) {
            let mut store = TokenStore::default();
            let mut expected: BTreeMap<u32, Vec<(u32, u32)>> = BTreeMap::new();
            for (doc, tokens) in (0..).zip(&documents) {
                store.push(tokens).unwrap();
                for (position, &token) in (0..).zip(tokens).filter(|&(_, &token)| token != HOLE) {
                    expected.entry(order[token as usize]).or_default().push((doc, position));
                }
            }
            // Ranks of the terms that there are.
            let ranks: Vec<u32> = order.iter().map(|place| {
                expected.keys().position(|key| key == place).map_or(HOLE, |rank| rank as u32)
            }).collect();
            let expected: Vec<_> = expected.into_values().collect();
            let counts: Vec<u32> = expected.iter().map(|pairs| pairs.len() as u32).collect();
            prop_assert_eq!(&sorted::<u32>(&store, &ranks, &counts, most, 6), &expected);
            prop_assert_eq!(&sorted::<u64>(&store, &ranks, &counts, most, 32), &expected);
        }
    }

    #[test]
    fn a_pair_is_narrow_as_long_as_32_bits_hold_it() {
        fn is_kept<P: Pair>(layout: Layout, doc: u32, second: u32) -> bool {
            let pair: P = layout.pair(doc, second);
            (layout.doc(pair), layout.second(pair)) == (doc, second)
        }
        for (documents, greatest, narrow) in [
            (0, 0, true),
            (1, u32::MAX, true),
            (2, u32::MAX, false),
            (1 << 20, 4095, true),
            ((1 << 20) + 1, 4095, false),
            (1 << 20, 4096, false),
            (1 << 30, 3, true),
            (u32::MAX as usize, 0, true),
            (u32::MAX as usize, 1, false),
            (u32::MAX as usize, u32::MAX, false),
        ] {
            let layout = Layout::new(documents, greatest);
            assert_eq!(layout.narrow, narrow, "{documents} documents, {greatest}");
            let last = documents.saturating_sub(1) as u32;
            for (doc, second) in [(0, 0), (0, greatest), (last, 0), (last, greatest), (last / 2, greatest / 3)] {
                assert!(!narrow || is_kept::<u32>(layout, doc, second), "{documents} documents, {greatest}");
                assert!(is_kept::<u64>(layout, doc, second), "{documents} documents, {greatest}");
            }
        }
    }
}
