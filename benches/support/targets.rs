//! The speed targets of codecs, by name. A codec that is not listed has none.

use postings::Codec;
use postings::base::cpu::Tier;

/// For each codec: the speed of decoding on the tiers scalar, AVX2 and AVX-512, as shares of BitPacker4x's; and of
/// decoding by a kernel, in G docIDs/s and as a share of the write-only kernel's.
const TARGETS: [(&str, [f64; 3], f64, Option<f64>); 3] = [
    ("qs", [0.3, 0.6, 1.0], 600.0, Some(0.5)),
    ("simple9", [0.4, 0.6, 0.8], 300.0, None),
    ("bp128", [0.8, 1.0, 1.0], 300.0, None),
];

fn of(codec: Codec) -> Option<&'static (&'static str, [f64; 3], f64, Option<f64>)> {
    TARGETS.iter().find(|(name, ..)| *name == codec.name())
}

/// The target for decoding on a tier, as a share of BitPacker4x's speed.
pub fn decoding(codec: Codec, tier: Tier) -> Option<f64> {
    of(codec).map(|(_, shares, ..)| shares[tier as usize])
}

/// The target for decoding by a kernel: G docIDs/s, and the share of the write-only kernel's speed.
pub fn kernel(codec: Codec) -> Option<(f64, Option<f64>)> {
    of(codec).map(|&(_, _, rate, share)| (rate, share))
}
