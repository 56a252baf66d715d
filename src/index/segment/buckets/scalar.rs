//! One bucket after the other.

use super::{STEP, Span};

/// As [`super::each_step`].
pub(super) fn each_step(of: &[u16], some: Span, all: Option<Span>, mut take: impl FnMut(usize, u64, u64)) {
    let among = |of: &[u16], (first, more): Span| {
        of.iter().rev().fold(0, |word, bucket| word << 1 | u64::from(bucket.wrapping_sub(first) <= more))
    };
    for (at, of) in of.chunks(STEP).enumerate() {
        take(at, among(of, some), all.map_or(0, |all| among(of, all)));
    }
}
