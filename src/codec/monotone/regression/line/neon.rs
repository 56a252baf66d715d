//! NEON: eight docIDs at a time.

use super::Line;
use crate::codec::fields::{Eights, store};
use std::arch::aarch64::*;

/// As [`super::decode`], for widths of at most [`WIDEST`](crate::codec::fields::WIDEST).
///
/// # Safety
/// As there; the processor has NEON.
#[target_feature(enable = "neon")]
pub(super) unsafe fn decode(line: Line, stream: *const u8, width: u32, count: usize, out: *mut u32) {
    let mut values = Values::new(line);
    let mut deviations = Eights::new(stream, width);
    for at in (0..count).step_by(8) {
        // SAFETY: 64 bytes are readable from the first of each eight fields on; `out` has room for seven more than
        // `count`.
        unsafe { store(out.add(at), values.add_next(deviations.next())) };
    }
}

/// As [`super::scalar`].
///
/// # Safety
/// As there; seven words after the deviations may be read and written; the processor has NEON.
#[target_feature(enable = "neon")]
pub(super) unsafe fn add(line: Line, count: usize, out: *mut u32) {
    let mut values = Values::new(line);
    for at in (0..count).step_by(8) {
        // SAFETY: the vectors begin before `count`; they end there or within the slack.
        unsafe {
            let to = out.add(at);
            store(to, values.add_next([vld1q_u32(to), vld1q_u32(to.add(4))]));
        }
    }
}

/// A line in 64-bit lanes, for the next eight docIDs.
struct Values {
    pairs: [uint64x2_t; 4],
    /// What all rise by to the next eight docIDs.
    step: uint64x2_t,
}

impl Values {
    #[target_feature(enable = "neon")]
    #[inline]
    fn new(line: Line) -> Values {
        let at =
            |index: usize| vcombine_u64(vcreate_u64(line.from(index).origin), vcreate_u64(line.from(index + 1).origin));
        Values { pairs: [at(0), at(2), at(4), at(6)], step: vdupq_n_u64(line.slope.wrapping_mul(8)) }
    }

    /// The sums of eight deviations and the values of the next eight docIDs.
    #[target_feature(enable = "neon")]
    #[inline]
    fn add_next(&mut self, deviations: [uint32x4_t; 2]) -> [uint32x4_t; 2] {
        let halves = self.pairs.map(|pair| vreinterpretq_u32_u64(pair));
        // The odd lanes are the upper halves.
        let values = [vuzp2q_u32(halves[0], halves[1]), vuzp2q_u32(halves[2], halves[3])];
        for pair in &mut self.pairs {
            *pair = vaddq_u64(*pair, self.step);
        }
        [vaddq_u32(deviations[0], values[0]), vaddq_u32(deviations[1], values[1])]
    }
}
