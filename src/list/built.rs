//! Partitioned lists out of what an intersection sends, without encoding all of it.

use super::format::{self, Layout};
use super::{PostingList, Words};
use crate::base::error::Result;
use crate::codec::monotone::partitioned_elias_fano::{Built, HEAD};
use crate::codec::{Codec, PADDING, Shape};
use std::sync::OnceLock;

impl PostingList {
    /// The list of what a [`Builder`](crate::codec::monotone::partitioned_elias_fano::Builder) made.
    ///
    /// # Errors
    /// [`Error::Argument`](crate::Error::Argument) if it has too many words.
    pub(crate) fn of_built(built: Built) -> Result<PostingList> {
        match built {
            Built::Parts { plan, count, universe, payload, lasts } => {
                let shape = Shape {
                    count,
                    universe,
                    parameter: plan.parameter.into(),
                    own_words: plan.own.len(),
                    payload_words: payload.len() - HEAD,
                };
                of_parts(shape, &plan.own, payload, lasts)
            }
            Built::Few(doc_ids) => PostingList::of_few(&doc_ids),
        }
    }

    /// The list of a few docIDs that an intersection found, or none.
    pub(crate) fn of_few(doc_ids: &[u32]) -> Result<PostingList> {
        // Most intersections are empty, so there is one list for all of them.
        static EMPTY: OnceLock<PostingList> = OnceLock::new();
        match EMPTY.get() {
            Some(empty) if doc_ids.is_empty() => Ok(empty.clone()),
            _ => {
                let list = PostingList::encode(doc_ids, Codec::PartitionedEliasFano)?;
                Ok(if doc_ids.is_empty() { EMPTY.get_or_init(|| list).clone() } else { list })
            }
        }
    }
}

/// A partitioned list of that shape, these own words and payload, and the last docIDs of blocks, if they are known. All must be right.
/// The payload becomes the list's words, as touching fresh memory for them takes as long as intersecting bit sets.
fn of_parts(shape: Shape, own: &[u32], payload: Vec<u32>, lasts: Option<Vec<u32>>) -> Result<PostingList> {
    let (layout, mut head) = Layout::begin(2, Codec::PartitionedEliasFano, shape, own);
    format::count_payload(&mut head, &shape)?;
    let mut words = payload;
    let begin = HEAD.saturating_sub(head.len());
    words.reserve_exact(head.len().saturating_sub(HEAD) + PADDING);
    words.splice(begin..HEAD, head);
    words.resize(begin + layout.words() + PADDING, 0);
    words.shrink_to_fit();
    Ok(PostingList::new(layout, Words { all: words, begin }, lasts))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cpu;
    use crate::codec::Sink;
    use crate::codec::monotone::partitioned_elias_fano::Builder;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn ranges_bits_and_docids_make_a_list(
            parts in prop::collection::vec((0u8..5, 0u32..700, 1u32..40_000, any::<u64>()), 0..40), at_end in any::<bool>(),
        ) {
            let mut builder = Builder::default();
            let (mut wanted, mut next) = (Vec::new(), 0u32);
            let tier = cpu::tier();
            for (kind, distance, len, seed) in parts {
                next += distance;
                match kind {
                    0 => {
                        builder.take_range(tier, next, next + len - 1);
                        wanted.extend(next..next + len);
                        next += len;
                    }
                    1 => {
                        let doc_ids: Vec<u32> = (0..len % 3000).map(|i| next + i * (1 + seed as u32 % 50)).collect();
                        builder.take(&doc_ids);
                        next = doc_ids.last().map_or(next, |last| last + 1);
                        wanted.extend(doc_ids);
                    }
                    _ => {
                        next = next.next_multiple_of(64);
                        let mask = if kind == 2 { u64::MAX } else { seed | seed << 9 };
                        let random = |i| seed.rotate_left(7 * i).wrapping_mul(0x9E37_79B9_7F4A_7C15) & mask;
                        let of_runs = |i: u32| match seed.rotate_left(2 * i) % 4 {
                            0 => 0,
                            1 => u64::MAX,
                            2 => u64::MAX << (7 * i % 64),
                            _ => u64::MAX >> (5 * i % 64),
                        };
                        let words: Vec<u64> =
                            (0..len % 300).map(|i| if kind == 4 { of_runs(i) } else { random(i) }).collect();
                        let ones = words.iter().map(|word| u64::from(word.count_ones())).sum();
                        builder.take_bits(tier, next, &words, ones);
                        wanted.take_bits(tier, next, &words, ones);
                        next += 64 * words.len() as u32;
                    }
                }
            }
            if at_end {
                builder.take_range(tier, u32::MAX - 500, u32::MAX);
                wanted.extend(u32::MAX - 500..=u32::MAX);
            }
            let list = PostingList::of_built(builder.finish()).unwrap();
            prop_assert!(list.decode() == wanted);
            let again = PostingList::from_bytes(&list.to_bytes()).unwrap();
            prop_assert_eq!(again.last_doc_ids(), list.last_doc_ids());
            prop_assert!(again.equals(&list));
        }
    }
}
