//! Intersects two partitioned Elias–Fano lists, of any lengths: partitions that overlap, pair by pair, each in the way
//! that suits both kinds. Runs meet runs by their ends, runs and bit sets give bits, two bit sets the AND of their words;
//! docIDs of Elias–Fano partitions are decoded, looked up in the other partition if there are few of them there,
//! otherwise merged. Only the last way touches every docID of both. For dense partitions that are not bit sets, bit sets are
//! derived when a list is intersected for the second time.

mod bits;
mod few;
mod overlap;
mod side;

use super::super::Filter;
use crate::base::cpu::Tier;
use crate::codec::monotone::partitioned_elias_fano::Kind;
use crate::codec::{Codec, Sink};
use crate::list::PostingList;
use few::{FEW, common_few, few_of};
use overlap::Overlap;
use side::Side;

/// The words of bit sets that are put together before they are sent: 4,096 docIDs.
const CHUNK: usize = 64;

/// Whether the lists are of this codec.
pub(in crate::intersect) fn suits(a: &PostingList, b: &PostingList) -> bool {
    [a, b].iter().all(|list| list.codec() == Codec::PartitionedEliasFano)
}

/// Sends the docIDs common to both lists, which are not empty, to `out`.
pub(in crate::intersect) fn merge<S: Sink>(tier: Tier, a: &PostingList, b: &PostingList, out: &mut Filter<'_, '_, S>) {
    assert!(suits(a, b) && tier.is_available());
    let (view_a, view_b) = (a.view(), b.view());
    if a.universe() < view_b.first || b.universe() < view_a.first {
        return;
    }
    match (&view_a.few[..], &view_b.few[..]) {
        ([], []) => {}
        ([], few) | (few, []) if few.len() > FEW => {}
        ([], few) => return few_of(tier, few, Side::new(a, view_a), out),
        (few, []) => return few_of(tier, few, Side::new(b, view_b), out),
        (few, others) => return common_few(tier, few, others, out),
    }
    let (mut a, mut b) = (Side::new(a, view_a), Side::new(b, view_b));
    let mut common = None;
    loop {
        if a.last < b.partition.first {
            if !a.advance(b.partition.first) {
                return;
            }
        } else if b.last < a.partition.first {
            if !b.advance(a.partition.first) {
                return;
            }
        } else {
            let overlap = Overlap { tier, from: a.partition.first.max(b.partition.first), to: a.last.min(b.last) };
            let goes_on = if order(a.partition.kind) <= order(b.partition.kind) {
                overlap.send(&a, &b, &mut common, out)
            } else {
                overlap.send(&b, &a, &mut common, out)
            };
            if !goes_on {
                return;
            }
            let behind = if a.last <= b.last { &mut a } else { &mut b };
            match overlap.to.checked_add(1) {
                Some(next) if behind.advance(next) => {}
                _ => return,
            }
        }
    }
}

/// The order of kinds in which pairs are handled.
fn order(kind: Kind) -> u32 {
    match kind {
        Kind::Run => 0,
        Kind::Runs => 1,
        Kind::Bits => 2,
        Kind::EliasFano(_) => 3,
    }
}
