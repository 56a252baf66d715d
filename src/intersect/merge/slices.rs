//! The merge with vector instructions of two slices of docIDs: some of each at a time.

use super::{ROOM, VECTOR, meet_tiles};
use crate::base::cpu::Tier;

/// Sends the docIDs that both slices have to `common`, until it returns false.
pub(crate) fn merge(tier: Tier, mut a: &[u32], mut b: &[u32], mut common: impl FnMut(&mut [u32]) -> bool) {
    let mut out = [0; ROOM + VECTOR];
    while !a.is_empty() && !b.is_empty() {
        let met = meet_tiles(tier, &a[..a.len().min(ROOM)], &b[..b.len().min(ROOM)], &mut out);
        (a, b) = (&a[met.in_a..], &b[met.in_b..]);
        if met.found != 0 && !common(&mut out[..met.found]) {
            return;
        }
    }
}
