//! NEON: compares four docIDs of one slice with all rotations of four of the other.

use super::{Met, ROOM, VECTOR};
use std::arch::aarch64::*;

const LANES: usize = 4;

/// By mask of lanes, a shuffle that moves these lanes to the front, in their order; the other entries are unused.
static TO_FRONT: [[u8; 16]; 1 << LANES] = {
    let mut table = [[0; 16]; 1 << LANES];
    let mut mask = 0;
    while mask < table.len() {
        let (mut byte, mut at) = (0, 0);
        while byte < 16 {
            if mask >> (byte / 4) & 1 == 1 {
                table[mask][at] = byte as u8;
                at += 1;
            }
            byte += 1;
        }
        mask += 1;
    }
    table
};

/// By lane: its bit of a mask, and 1 in the byte above, so that a sum has the mask and the number of its lanes.
static BITS: [u32; LANES] = [0x101, 0x102, 0x104, 0x108];

/// As [`super::meet_tiles`].
///
/// # Safety
/// Each slice has at least [`LANES`] docIDs, and the shorter at most [`ROOM`]; the processor has NEON.
#[target_feature(enable = "neon")]
pub(super) unsafe fn meet(a: &[u32], b: &[u32], out: &mut [u32; ROOM + VECTOR]) -> Met {
    let (last_a, last_b) = (a.len() - LANES, b.len() - LANES);
    let (mut in_a, mut in_b, mut found) = (0, 0, 0);
    // SAFETY: the array is as long as the vector.
    let bits = unsafe { vld1q_u32(BITS.as_ptr()) };
    while in_a <= last_a && in_b <= last_b {
        // SAFETY: `in_a <= last_a` and `in_b <= last_b`, so a vector remains of each slice. Both slices increase, so
        // `found` is at most the length of the shorter one, and `out` has room for a vector after that.
        unsafe {
            let (x, y) = (vld1q_u32(a.as_ptr().add(in_a)), vld1q_u32(b.as_ptr().add(in_b)));
            let even = vorrq_u32(vceqq_u32(x, y), vceqq_u32(x, vextq_u32::<2>(y, y)));
            let odd = vorrq_u32(vceqq_u32(x, vextq_u32::<1>(y, y)), vceqq_u32(x, vextq_u32::<3>(y, y)));
            let equal = vaddvq_u32(vandq_u32(vorrq_u32(even, odd), bits)) as usize;
            let shuffle = vld1q_u8(TO_FRONT[equal & 0xF].as_ptr());
            let common = vqtbl1q_u8(vreinterpretq_u8_u32(x), shuffle);
            vst1q_u8(out.as_mut_ptr().add(found).cast(), common);
            found += equal >> 8;
            let (greatest_a, greatest_b) = (*a.get_unchecked(in_a + LANES - 1), *b.get_unchecked(in_b + LANES - 1));
            in_a += usize::from(greatest_a <= greatest_b) * LANES;
            in_b += usize::from(greatest_b <= greatest_a) * LANES;
        }
    }
    Met { in_a, in_b, found }
}
