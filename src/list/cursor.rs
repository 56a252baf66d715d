//! [`Cursor`]: forward-only access to a posting list, one decoded block at a time.

use super::PostingList;
use crate::base::cpu::Tier;
use crate::codec::{BlockBuffer, block_buffer, gallop};

/// A forward-only reader of a posting list. Targets must not decrease between calls.
pub struct Cursor<'l> {
    list: &'l PostingList,
    tier: Tier,
    /// The decoded block; `list.blocks()` once the end is reached, and `None` before the first call.
    block: Option<usize>,
    /// The index in the block of the first docID that may still be returned.
    at: usize,
    len: usize,
    buffer: BlockBuffer,
}

impl<'l> Cursor<'l> {
    pub(super) fn new(list: &'l PostingList, tier: Tier) -> Self {
        Cursor { list, tier, block: None, at: 0, len: 0, buffer: block_buffer() }
    }

    /// The smallest docID that is at least `target`, or `None` if there is none. It is not consumed: the same target
    /// returns it again. Blocks whose last docID is below the target are not decoded.
    pub fn next_geq(&mut self, target: u32) -> Option<u32> {
        let lasts = self.list.last_doc_ids();
        let from = self.block.unwrap_or(0);
        if self.block.is_none() || lasts.get(from).is_some_and(|&last| last < target) {
            let block = from + gallop(&lasts[from..], target);
            if block < lasts.len() && self.block != Some(block) {
                self.len = self.list.decode_block_with(self.tier, block, &mut self.buffer).len();
                self.at = 0;
            }
            self.block = Some(block);
        }
        if self.block >= Some(lasts.len()) {
            return None;
        }
        self.at += self.buffer[self.at..self.len].partition_point(|&doc_id| doc_id < target);
        Some(self.buffer[self.at])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::Codec;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn next_geq_on_every_tier_is_what_a_scan_finds(
            gaps in prop::collection::vec(prop_oneof![9 => 1u32..20, 1 => 1u32..5000], 0..600),
            mut targets in prop::collection::vec(0u32..60_000, 0..60),
        ) {
            let doc_ids: Vec<u32> = gaps.iter().scan(0, |last, gap| { *last += gap; Some(*last) }).collect();
            targets.extend(doc_ids.iter().step_by(37));
            targets.sort_unstable();
            for codec in Codec::ALL {
                let list = PostingList::encode(&doc_ids, codec).unwrap();
                for tier in Tier::available() {
                    let mut cursor = list.cursor_with(tier);
                    for &target in &targets {
                        let wanted = doc_ids.iter().copied().find(|&doc_id| doc_id >= target);
                        prop_assert_eq!(cursor.next_geq(target), wanted);
                        prop_assert_eq!(list.next_geq(target), wanted);
                    }
                }
            }
        }
    }
}
