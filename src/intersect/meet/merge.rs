//! The merge with vector instructions, of whole slices: a piece of each at a time.

use super::Pair;
use crate::codec::Sink;
use crate::cpu::Tier;
use crate::intersect::merge::{ROOM, VECTOR, meet_tiles};

pub(super) struct Merge;

impl Pair for Merge {
    fn meet<S: Sink>(tier: Tier, a: &[u32], b: &[u32], sink: &mut S) {
        merge(tier, a, b, |common| {
            sink.take(common);
            true
        });
    }
}

/// Sends the docIDs that both slices have to `common`, until it returns false.
pub(in crate::intersect) fn merge(
    tier: Tier,
    mut a: &[u32],
    mut b: &[u32],
    mut common: impl FnMut(&mut [u32]) -> bool,
) {
    let mut out = [0; ROOM + VECTOR];
    while !a.is_empty() && !b.is_empty() {
        let met = meet_tiles(tier, &a[..a.len().min(ROOM)], &b[..b.len().min(ROOM)], &mut out);
        (a, b) = (&a[met.in_a..], &b[met.in_b..]);
        if met.found != 0 && !common(&mut out[..met.found]) {
            return;
        }
    }
}
