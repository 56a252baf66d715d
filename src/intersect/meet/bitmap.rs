//! Bit sets of both slices, 2^16 docIDs at a time: 64 docIDs are compared by one AND, and counted by one popcount.

use super::Pair;
use crate::codec::{Sink, gallop};
use crate::cpu::Tier;

/// The docIDs of a window; its bit sets are in the first-level cache.
const WINDOW: usize = 1 << 16;
const WORDS: usize = WINDOW / 64;

pub(super) struct Bitmap;

impl Pair for Bitmap {
    fn meet(tier: Tier, a: &[u32], b: &[u32], sink: &mut impl Sink) {
        let mut words = [0; WORDS];
        let mut doc_ids = Vec::new();
        windows(tier, a, b, &mut words, |first, words| {
            doc_ids.clear();
            for (at, &word) in words.iter().enumerate() {
                let mut left: u64 = word;
                while left != 0 {
                    doc_ids.push(first + (at * 64) as u32 + left.trailing_zeros());
                    left &= left - 1;
                }
            }
            sink.take(&doc_ids);
        });
    }
}

/// The number of docIDs that both slices have.
pub fn count(tier: Tier, a: &[u32], b: &[u32]) -> u64 {
    let (mut words, mut count) = ([0; WORDS], 0);
    windows(tier, a, b, &mut words, |_, words| {
        count += words.iter().map(|word| u64::from(word.count_ones())).sum::<u64>()
    });
    count
}

/// Calls `common` with the first docID and the bits of each window in which both slices have docIDs.
fn windows(
    _: Tier,
    mut a: &[u32],
    mut b: &[u32],
    words: &mut [u64; WORDS],
    mut common: impl FnMut(u32, &[u64; WORDS]),
) {
    let mut marked = [0u64; WORDS];
    while let (Some(&first_a), Some(&first_b)) = (a.first(), b.first()) {
        let first = first_a.max(first_b) & !(WINDOW as u32 - 1);
        let last = first | (WINDOW as u32 - 1);
        let in_a = take_window(&mut a, first, last);
        let in_b = take_window(&mut b, first, last);
        if in_a.is_empty() || in_b.is_empty() {
            continue;
        }
        set(in_a, &mut marked);
        set(in_b, words);
        words.iter_mut().zip(&marked).for_each(|(word, &other)| *word &= other);
        common(first, words);
    }
}

/// Takes the docIDs from `first` to `last` off the front of the slice, and drops those before them.
fn take_window<'s>(slice: &mut &'s [u32], first: u32, last: u32) -> &'s [u32] {
    let rest = &slice[gallop(slice, first)..];
    let count = match last.checked_add(1) {
        Some(end) => gallop(rest, end),
        None => rest.len(),
    };
    let (window, rest) = rest.split_at(count);
    *slice = rest;
    window
}

/// Sets the bits of docIDs of one window, and clears all others.
fn set(doc_ids: &[u32], words: &mut [u64; WORDS]) {
    words.fill(0);
    for &doc_id in doc_ids {
        words[doc_id as usize % WINDOW / 64] |= 1 << (doc_id % 64);
    }
}
