//! Tests that apply to every value codec.

use super::ValueCodec;
use crate::base::cpu::Tier;
use crate::codec::{BLOCK, Options, PADDING, SLACK};
use proptest::collection::{SizeRange, vec};
use proptest::prelude::*;

/// The part that `values` are encoded to, with the codec's default options.
pub(in crate::codec::values) fn part<V: ValueCodec>(values: &[u32]) -> Vec<u32> {
    let mut words = Vec::new();
    V::encode(values, &Options::defaults(V::OPTIONS), &mut words);
    words
}

/// Encodes values as parts of a block each, checks each part, and decodes them on every tier: all parts at once, and each
/// part on its own.
pub(in crate::codec::values) fn every_path_gives<V: ValueCodec>(values: &[u32]) {
    every_path_gives_with::<V>(values, &Options::defaults(V::OPTIONS));
}

/// [`every_path_gives`] with these options.
pub(in crate::codec::values) fn every_path_gives_with<V: ValueCodec>(values: &[u32], options: &Options) {
    let mut words = Vec::new();
    let mut ends = Vec::new();
    for part in values.chunks(BLOCK) {
        let begin = words.len();
        V::encode(part, options, &mut words);
        ends.push(words.len());
        assert_eq!(V::check(&words[begin..], part.len()), Ok(()), "{}", V::NAME);
    }
    let used = words.len();
    for junk in [0, u32::MAX] {
        words.truncate(used);
        words.resize(used + PADDING, junk);
        for tier in Tier::available() {
            let decode = |words: &[u32], count: usize| {
                // Exactly the room that the contract asks for, then a guard word that reveals writes past it.
                let mut out = vec![0xDEAD_BEEF; count + SLACK + 1];
                // SAFETY: the words were encoded here, and padding follows; `out` has room for the values and the
                // slack; the tier is available.
                unsafe { V::decode(tier, words, count, out.as_mut_ptr()) };
                assert_eq!(out.pop(), Some(0xDEAD_BEEF), "{} on {} wrote past the slack", V::NAME, tier.name());
                out.truncate(count);
                out
            };
            assert_eq!(decode(&words[..used], values.len()), values, "{} on {}", V::NAME, tier.name());
            let mut begin = 0;
            for (part, &end) in values.chunks(BLOCK).zip(&ends) {
                assert_eq!(decode(&words[begin..end], part.len()), part, "{} on {}", V::NAME, tier.name());
                for (index, &value) in part.iter().enumerate() {
                    // SAFETY: as above, for one part; the value exists.
                    let got = unsafe { V::get(tier, &words[begin..end], part.len(), index) };
                    assert_eq!(got, value, "value {index}, {} on {}", V::NAME, tier.name());
                }
                begin = end;
            }
        }
    }
}

/// Words that no encoder wrote: if they pass the check as a part of `count` values, every path decodes them, and to the same
/// values.
pub(in crate::codec::values) fn are_refused_or_decode<V: ValueCodec>(words: &[u32], count: usize) {
    if V::check(words, count).is_err() {
        return;
    }
    let mut padded = words.to_vec();
    padded.resize(words.len() + PADDING, 0);
    let mut wanted = None;
    for tier in Tier::available() {
        let mut out = vec![0; count + SLACK];
        // SAFETY: the words passed the check and are padded; `out` has room for the values and the slack; the tier is
        // available.
        unsafe { V::decode(tier, &padded[..words.len()], count, out.as_mut_ptr()) };
        out.truncate(count);
        assert_eq!(wanted.get_or_insert_with(|| out.clone()), &out, "{} on {}", V::NAME, tier.name());
    }
}

/// Values of `width` bits, every `step`th of them of 32.
pub(in crate::codec::values) fn values(count: usize, width: u32, step: usize) -> Vec<u32> {
    let value = |i: usize| {
        let bits = (i as u32).wrapping_mul(0x9E37_79B9);
        if i % step == step - 1 { bits | 1 << 31 } else { ((u64::from(bits) << width) >> 32) as u32 }
    };
    (0..count).map(value).collect()
}

/// Values of all widths but 0.
pub(in crate::codec::values) fn of_any_width(count: impl Into<SizeRange>) -> impl Strategy<Value = Vec<u32>> {
    vec((any::<u32>(), 0u32..32).prop_map(|(value, by)| value >> by), count)
}
