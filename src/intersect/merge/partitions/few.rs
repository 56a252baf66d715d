//! Lists of a few docIDs, which are kept decoded.

use super::side::Side;
use crate::base::cpu::Tier;
use crate::codec::monotone::partitioned_elias_fano::{Kind, Runs};
use crate::codec::{BLOCK, SLACK, Sink, bit_set};
use crate::intersect::Filter;
use crate::intersect::merge::{VECTOR, meet_few};
use std::mem::MaybeUninit;

/// The most docIDs of a list that are looked up one by one in a longer one.
pub(super) const FEW: usize = 16;

/// Sends what two short lists have in common.
pub(super) fn common_few<S: Sink>(tier: Tier, a: &[u32], b: &[u32], out: &mut Filter<'_, '_, S>) {
    let mut common = [MaybeUninit::<u32>::uninit(); BLOCK + VECTOR];
    // SAFETY: the shorter list has at most a block; the tier is available; as many as are said were written.
    let found = unsafe {
        let to = common.as_mut_ptr().cast::<u32>();
        let found = meet_few(tier, a, b, to).found;
        std::slice::from_raw_parts_mut(to, found)
    };
    out.take(found);
}

/// Looks a few docIDs, at most [`FEW`], up in a list.
pub(super) fn few_of<S: Sink>(tier: Tier, few: &[u32], mut side: Side, out: &mut Filter<'_, '_, S>) {
    let mut common = [0; FEW];
    let mut found = 0;
    // The block that was decoded last, and the number of its docIDs.
    let (mut decoded, mut count) = (usize::MAX, 0);
    let mut buffer = [MaybeUninit::<u32>::uninit(); BLOCK + SLACK];
    for &doc_id in few {
        if side.last < doc_id && !side.advance(doc_id) {
            break;
        }
        let partition = &side.partition;
        let is_there = match partition.kind {
            _ if doc_id < partition.first => false,
            Kind::Run => true,
            // SAFETY: the docID is from the first to the last of the partition, so the bit set has a word for it.
            Kind::Bits => unsafe {
                bit_set::word(side.stream, ((doc_id - side.line()) / 64) as usize) >> (doc_id % 64) & 1 == 1
            },
            Kind::Runs => {
                let runs = Runs::of(partition);
                runs.range(runs.at_or_after(0, doc_id)).0 <= doc_id
            }
            Kind::EliasFano(_) => {
                let block = partition.block + side.lasts[partition.block..].partition_point(|&last| last < doc_id);
                // SAFETY: the list was checked when it was made; the block is of this partition, because its largest
                // docID is not less than `doc_id`; there is room for it and the slack; the first `count` are written.
                let doc_ids: &[u32] = unsafe {
                    if block != decoded {
                        count = partition.decode(tier, side.lasts, block..block + 1, buffer.as_mut_ptr().cast());
                        decoded = block;
                    }
                    std::slice::from_raw_parts(buffer.as_ptr().cast(), count)
                };
                doc_ids.binary_search(&doc_id).is_ok()
            }
        };
        common[found] = doc_id;
        found += usize::from(is_there);
    }
    out.take(&mut common[..found]);
}
