//! Tests that apply to every value codec.

use super::ValueCodec;
use crate::codec::{BLOCK, Options, PADDING, SLACK};
use crate::cpu::Tier;

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
