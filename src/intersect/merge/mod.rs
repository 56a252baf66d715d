//! Intersects two lists of similar length. Both are decoded a tile at a time and the tiles merged, comparing sixteen
//! docIDs of one with sixteen of the other. Dense lists use a map instead (`windows`), uncompressed ones are merged without
//! being copied to tiles, and partitioned lists have a way of their own (`partitions`).

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
pub(super) mod partitions;
pub(crate) mod slices;
mod tiles;
mod windows;

use super::TILE;
use crate::base::cpu::Tier;
use crate::list::PostingList;
use std::ops::Range;
pub(crate) use tiles::Tiles;

/// The most docIDs that a vector kernel compares at a time. Fewer than this may remain of a tile.
pub(super) const VECTOR: usize = 16;

/// Room for the rest of a tile and the next tile.
pub(super) const ROOM: usize = VECTOR + TILE;

/// How two lists are merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Merging {
    /// Runs, bit sets and Elias–Fano partitions meet as they are.
    Partitions,
    /// The docIDs of one list are marked in a map, and those of the other looked up there.
    Windows,
    /// Uncompressed docIDs are merged where they are.
    Slices,
    /// Both lists are decoded in tiles, and the tiles merged.
    Tiles,
}

impl Merging {
    /// The way that takes least for these lists, as the functions that are asked say.
    pub(super) fn of(tier: Tier, a: &PostingList, b: &PostingList) -> Merging {
        if windows::suits(tier, a, b) {
            Merging::Windows
        } else if a.plain().is_some() && b.plain().is_some() {
            Merging::Slices
        } else {
            Merging::Tiles
        }
    }
}

/// Sends the docIDs common to both lists to `common`, ascending, at most a tile at a time, until it returns false.
// Inlined, its tiles would lie on the stack of every intersection, and make short ones a third slower.
#[inline(never)]
pub(super) fn merge(
    tier: Tier,
    merging: Merging,
    a: &PostingList,
    b: &PostingList,
    common: impl FnMut(&mut [u32]) -> bool,
) {
    match (merging, a.plain(), b.plain()) {
        (Merging::Windows, ..) => windows::merge(tier, a, b, common),
        (Merging::Slices, Some(a), Some(b)) => slices::merge(tier, a, b, common),
        _ => merge_tiles(tier, a, b, common),
    }
}

fn merge_tiles(tier: Tier, a: &PostingList, b: &PostingList, mut common: impl FnMut(&mut [u32]) -> bool) {
    let mut merge = TileMerge::new(tier, 0, Tiles::of_list(tier, a), Tiles::of_list(tier, b));
    let mut out = COMMON;
    while let Some(found) = merge.next(&mut out) {
        if !common(found) {
            return;
        }
    }
}

/// Room for what two tiles have in common, and a vector.
pub(crate) type Common = [u32; ROOM + VECTOR];

/// A fresh one.
pub(crate) const COMMON: Common = [0; ROOM + VECTOR];

/// What two lists have in common, a tile at a time.
pub(crate) struct TileMerge<'l, A, B> {
    tier: Tier,
    from: u32,
    a: Tiles<'l, A>,
    b: Tiles<'l, B>,
}

impl<'l, A, B> TileMerge<'l, A, B>
where
    A: FnMut(Range<usize>, *mut u32) -> usize,
    B: FnMut(Range<usize>, *mut u32) -> usize,
{
    /// Of docIDs from `from` on.
    pub(crate) fn new(tier: Tier, from: u32, a: Tiles<'l, A>, b: Tiles<'l, B>) -> Self {
        TileMerge { tier, from, a, b }
    }

    /// The next docIDs that both lists have, which may be none; `None` at the end.
    #[inline]
    pub(crate) fn next<'o>(&mut self, out: &'o mut Common) -> Option<&'o mut [u32]> {
        let TileMerge { tier, from, a, b } = self;
        a.fill(b.least().max(*from));
        b.fill(a.least().max(*from));
        if a.is_empty() || b.is_empty() {
            return None;
        }
        let Met { in_a, in_b, found } = meet_tiles(*tier, a.rest(), b.rest(), out);
        a.at += in_a;
        b.at += in_b;
        Some(&mut out[..found])
    }

    /// What both lists have is less, or comes next.
    pub(crate) fn reached(&self) -> u32 {
        self.a.least().max(self.b.least())
    }
}

/// How many docIDs of two tiles were merged, and how many of them were common.
pub(super) struct Met {
    pub(super) in_a: usize,
    pub(super) in_b: usize,
    pub(super) found: usize,
}

/// Merges until less than a vector remains of either slice, or if that is so already, until nothing does. Writes at
/// most as many docIDs as the shorter slice has, plus a vector.
pub(super) fn meet_tiles(tier: Tier, a: &[u32], b: &[u32], out: &mut [u32; ROOM + VECTOR]) -> Met {
    let shorter = a.len().min(b.len());
    assert!(shorter <= ROOM);
    match tier {
        // SAFETY: `out` has room for the shorter slice and a vector; the processor has the tier.
        _ if shorter < VECTOR => unsafe { meet_few(tier, a, b, out.as_mut_ptr()) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the processor has the tier; both slices have a vector, and `out` room for the shorter and one more.
        Tier::Avx512 => unsafe { avx512::meet(a, b, out) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Tier::Avx2 => unsafe { avx2::meet(a, b, out) },
        #[cfg(target_arch = "aarch64")]
        // SAFETY: as above.
        Tier::Neon => unsafe { neon::meet(a, b, out) },
        // SAFETY: as above.
        _ => unsafe { scalar(a, b, out.as_mut_ptr()) },
    }
}

/// Merges until nothing remains of one of two slices.
///
/// # Safety
/// `out` has room for the shorter one and a vector; the processor has the tier.
pub(super) unsafe fn meet_few(tier: Tier, a: &[u32], b: &[u32], out: *mut u32) -> Met {
    // SAFETY: the contract.
    unsafe {
        match tier {
            #[cfg(target_arch = "x86_64")]
            Tier::Avx512 => avx512::meet_few(a, b, out),
            #[cfg(target_arch = "x86_64")]
            Tier::Avx2 => avx2::meet_few(a, b, out),
            _ => scalar(a, b, out),
        }
    }
}

/// Returns `doc_id`, hiding from the compiler where it came from. Otherwise the compiler would compare the last docIDs
/// of both sides in a vector, and moving them to a vector register and back at each step halves the speed.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn opaque(doc_id: u32) -> u32 {
    let mut doc_id = doc_id;
    // SAFETY: the assembly contains no instruction.
    unsafe { std::arch::asm!("/* {0:e} */", inout(reg) doc_id, options(pure, nomem, nostack, preserves_flags)) };
    doc_id
}

/// One docID at a time without a branch on which is greater.
///
/// # Safety
/// `out` has room for the shorter slice.
unsafe fn scalar(a: &[u32], b: &[u32], out: *mut u32) -> Met {
    let (mut in_a, mut in_b, mut found) = (0, 0, 0);
    while in_a < a.len() && in_b < b.len() {
        let (x, y) = (a[in_a], b[in_b]);
        // SAFETY: fewer were found than the shorter slice has.
        unsafe { out.add(found).write(x) };
        found += usize::from(x == y);
        in_a += usize::from(x <= y);
        in_b += usize::from(y <= x);
    }
    Met { in_a, in_b, found }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn short_lists_have_the_same_in_common_on_every_tier(
            a in prop::collection::btree_set(prop_oneof![0u32..60, u32::MAX - 60..=u32::MAX], 0..70),
            b in prop::collection::btree_set(prop_oneof![0u32..60, u32::MAX - 60..=u32::MAX], 0..70),
        ) {
            let wanted: Vec<u32> = a.intersection(&b).copied().collect();
            let (a, b): (Vec<u32>, Vec<u32>) = (a.into_iter().collect(), b.into_iter().collect());
            for tier in Tier::available() {
                let mut out = [0; 70 + VECTOR];
                // SAFETY: there is room for the shorter list and a vector; the tier is available.
                let Met { in_a, in_b, found } = unsafe { meet_few(tier, &a, &b, out.as_mut_ptr()) };
                prop_assert_eq!(&out[..found], &wanted[..]);
                prop_assert!(in_a == a.len() || in_b == b.len());
            }
        }
    }
}
