//! Bit sets of both slices, 2^16 docIDs at a time: 64 docIDs are compared by one AND, and counted by one popcount.

use super::Pair;
use crate::base::cpu::Tier;
use crate::codec::{Sink, bit_set, gallop};

/// The docIDs of a window; both bit sets are in the first-level cache.
const WINDOW: usize = 1 << 16;
const WORDS: usize = WINDOW / 64;

type Bits = [u64; WORDS];

pub(super) struct Bitmap;

impl Pair for Bitmap {
    fn meet<S: Sink>(tier: Tier, a: &[u32], b: &[u32], sink: &mut S) {
        assert!(tier.is_available());
        let mut common = [0; WORDS];
        windows(a, b, |first, a, b| {
            // SAFETY: both bit sets have `WORDS` words, and so has `common`; the tier was asserted.
            let ones = unsafe {
                if S::COUNTS {
                    return sink.add(bit_set::count_common(tier, a.as_ptr(), b.as_ptr(), WORDS));
                }
                bit_set::common(tier, a.as_ptr(), b.as_ptr(), WORDS, common.as_mut_ptr())
            };
            sink.take_bits(tier, first, &common, ones);
        });
    }
}

/// Calls `meet` with the first docID and the bits of each window in which both slices have docIDs.
fn windows(mut a: &[u32], mut b: &[u32], mut meet: impl FnMut(u32, &Bits, &Bits)) {
    let (mut bits_a, mut bits_b) = ([0; WORDS], [0; WORDS]);
    while let (Some(&first_a), Some(&first_b)) = (a.first(), b.first()) {
        let first = first_a.max(first_b) & !(WINDOW as u32 - 1);
        let last = first | (WINDOW as u32 - 1);
        let (in_a, in_b) = (take_window(&mut a, first, last), take_window(&mut b, first, last));
        if !in_a.is_empty() && !in_b.is_empty() {
            set(in_a, &mut bits_a);
            set(in_b, &mut bits_b);
            meet(first, &bits_a, &bits_b);
        }
    }
}

/// Takes the docIDs from `first` to `last` off the front of the slice, and drops those before them.
fn take_window<'s>(slice: &mut &'s [u32], first: u32, last: u32) -> &'s [u32] {
    let rest = &slice[gallop(slice, first)..];
    let count = last.checked_add(1).map_or(rest.len(), |end| gallop(rest, end));
    let (window, rest) = rest.split_at(count);
    *slice = rest;
    window
}

/// Sets the bits of docIDs of one window, and clears all others.
fn set(doc_ids: &[u32], bits: &mut Bits) {
    bits.fill(0);
    for &doc_id in doc_ids {
        bits[doc_id as usize % WINDOW / 64] |= 1 << (doc_id % 64);
    }
}
