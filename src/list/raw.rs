//! A directory for raw quasi-succinct lists, which come without one.

use super::{HEADER_WORDS, Inner, MAGIC, NEXT_ID, PostingList, VERSION, parse};
use crate::codec::{BLOCK, Codec, quasi_succinct};
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl PostingList {
    /// The raw list with a block directory, found by a scan of its upper bits. Whether docIDs that share their upper
    /// part increase is not known before they are decoded, which is all that this list is for.
    pub(crate) fn from_quasi_succinct(raw: &quasi_succinct::RawList) -> PostingList {
        let parts = raw.parts();
        let (lower_words, upper_words) = quasi_succinct::sizes(parts.count, parts.universe, parts.lower_width);
        let format = VERSION | (Codec::QuasiSuccinct as u32) << 8 | parts.lower_width << 16;
        let payload_words = (lower_words + upper_words) as u32;
        let mut words = vec![MAGIC, format, parts.count as u32, parts.universe, payload_words, 0];
        debug_assert_eq!(words.len(), HEADER_WORDS);
        words.extend(last_doc_ids(&parts));
        let payload = words.len();
        words.extend_from_slice(&parts.lower[..lower_words as usize]);
        words.extend_from_slice(&parts.upper[..upper_words as usize]);
        words[5] = parse::checksum(&words);
        let used = words.len();
        words.resize(used + quasi_succinct::PADDING, 0);
        PostingList {
            inner: Arc::new(Inner {
                id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
                codec: Codec::QuasiSuccinct,
                lower_width: parts.lower_width,
                count: parts.count,
                universe: parts.universe,
                used,
                payload,
                words,
            }),
        }
    }
}

/// The last docID of each block.
fn last_doc_ids(parts: &quasi_succinct::Parts) -> Vec<u32> {
    let mut lasts = Vec::with_capacity(parts.count.div_ceil(BLOCK));
    if parts.count == 0 {
        return lasts;
    }
    let mut rank = 0;
    for (at, &word) in parts.upper.iter().enumerate() {
        let mut stops = !word;
        let here = stops.count_ones() as usize;
        // The rank of the next docID that ends a block.
        let mut wanted = ((lasts.len() + 1) * BLOCK).min(parts.count) - 1;
        let mut skipped = 0;
        while wanted < rank + here {
            while skipped < wanted - rank {
                stops &= stops - 1;
                skipped += 1;
            }
            let upper = (at as u64 * 32 + u64::from(stops.trailing_zeros()) - wanted as u64) as u32;
            let lower = crate::bits::get(parts.lower, wanted as u64 * u64::from(parts.lower_width), parts.lower_width);
            lasts.push(upper << parts.lower_width | lower);
            if wanted + 1 == parts.count {
                return lasts;
            }
            wanted = ((lasts.len() + 1) * BLOCK).min(parts.count) - 1;
        }
        rank += here;
    }
    lasts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_directory_is_that_of_encode() {
        for n in [0, 1, 2, 127, 128, 129, 255, 256, 257, 5000] {
            for step in [1, 2, 7, 1000, 100_000] {
                let doc_ids: Vec<u32> = (0..n).map(|i| 2 * i * step + i % 2).collect();
                let bytes = quasi_succinct::encode(&doc_ids, 1.0).unwrap();
                let raw = quasi_succinct::RawList::from_bytes(&bytes).unwrap();
                let list = PostingList::from_quasi_succinct(&raw);
                let encoded = PostingList::encode(&doc_ids, Codec::QuasiSuccinct).unwrap();
                assert_eq!(list.words(), encoded.words(), "{n} docIDs, step {step}");
            }
        }
    }
}
