//! What codecs are to reach, by name; a codec that is not here has no target.

use postings::Codec;
use postings::cpu::Tier;

/// Codec; decoding on the tiers scalar, AVX2 and AVX-512 as shares of BitPacker4x's speed; decoding by a kernel, in
/// G docIDs/s and as a share of the speed of writing.
const TARGETS: [(&str, [f64; 3], f64, Option<f64>); 2] =
    [("qs", [0.3, 0.6, 1.0], 600.0, Some(0.5)), ("simple9", [0.4, 0.6, 0.8], 300.0, None)];

fn of(codec: Codec) -> Option<&'static (&'static str, [f64; 3], f64, Option<f64>)> {
    TARGETS.iter().find(|(name, ..)| *name == codec.name())
}

/// The share of BitPacker4x's speed that a codec is to decode with.
pub fn decoding(codec: Codec, tier: Tier) -> Option<f64> {
    of(codec).map(|(_, shares, ..)| shares[tier as usize])
}

/// What the kernel of a codec is to decode: G docIDs/s, and the share of the speed of writing.
pub fn kernel(codec: Codec) -> Option<(f64, Option<f64>)> {
    of(codec).map(|&(_, _, rate, share)| (rate, share))
}
