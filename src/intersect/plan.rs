//! The choice of how lists are intersected, by their lengths, codecs and densities.

use super::merge::{Merging, partitions};
use crate::base::cpu::{self, Tier};
use crate::codec::Codec;
use crate::list::PostingList;
use std::fmt;
use std::ops::Deref;

/// How the lists of a query are intersected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// Not at all: there are no lists, or one of them is empty.
    Nothing,
    /// The two shortest lists are merged, and what they have in common is looked up in the others.
    Merge(Merging),
    /// The docIDs of the shortest list are looked up in the others, if there are any.
    LookUp,
}

/// A choice for given lists.
#[derive(Debug)]
pub struct Plan<'l> {
    pub(super) strategy: Strategy,
    /// The lists without repetition, the shortest first.
    pub(super) lists: Sorted<'l>,
}

/// The lists of a query in order. Two lists, which most queries have, need no allocation.
#[derive(Debug)]
pub(super) enum Sorted<'l> {
    One([&'l PostingList; 1]),
    Two([&'l PostingList; 2]),
    Many(Vec<&'l PostingList>),
}

impl<'l> Sorted<'l> {
    fn new(lists: &'l [PostingList]) -> Sorted<'l> {
        match lists {
            [a, b] if a.is_same(b) => Sorted::One([a]),
            [a, b] if (a.len(), a.id()) <= (b.len(), b.id()) => Sorted::Two([a, b]),
            [a, b] => Sorted::Two([b, a]),
            _ => {
                let mut sorted: Vec<&PostingList> = lists.iter().collect();
                sorted.sort_by_key(|list| (list.len(), list.id()));
                sorted.dedup_by(|a, b| a.is_same(b));
                Sorted::Many(sorted)
            }
        }
    }
}

impl<'l> Deref for Sorted<'l> {
    type Target = [&'l PostingList];

    fn deref(&self) -> &Self::Target {
        match self {
            Sorted::One(one) => one,
            Sorted::Two(two) => two,
            Sorted::Many(many) => many,
        }
    }
}

impl<'l> Plan<'l> {
    /// The cheapest way to intersect these lists with the instructions of `tier`.
    pub fn new(tier: Tier, lists: &'l [PostingList]) -> Plan<'l> {
        let lists = Sorted::new(lists);
        let strategy = match lists[..] {
            [] => Strategy::Nothing,
            [shortest, ..] if shortest.is_empty() => Strategy::Nothing,
            [shortest, next, ..] if partitions::suits(shortest, next) => Strategy::Merge(Merging::Partitions),
            [shortest, next, ..] if merges(tier, shortest, next) => Strategy::Merge(Merging::of(tier, shortest, next)),
            _ => Strategy::LookUp,
        };
        Plan { strategy, lists }
    }

    /// What was chosen.
    pub fn strategy(&self) -> Strategy {
        self.strategy
    }
}

/// How these lists are intersected on this processor, in words: what [`intersect`](super::intersect) would do.
pub fn explain(lists: &[PostingList]) -> String {
    Plan::new(cpu::tier(), lists).to_string()
}

/// Whether merging these lists costs less than looking up the docIDs of the shorter one. Uncompressed lists that are
/// merged in plain Rust, 3.3 ns per docID of either, where a look-up takes 9 ns, are merged only if a map can be used.
fn merges(tier: Tier, shorter: &PostingList, longer: &PostingList) -> bool {
    let is_plain = tier == Tier::Scalar && longer.plain().is_some();
    let ratio = match is_plain && Merging::of(tier, shorter, longer) != Merging::Windows {
        true => 2,
        false => merge_ratio(tier, longer.codec()),
    };
    longer.len() / ratio < shorter.len()
}

/// A list at least this many times as long as another one is probed; otherwise the two are merged. Measured on Zen 5
/// and a Xeon: a merge takes 0.4 to 0.9 ns per docID of either list (1 to 4 in plain Rust), a look-up in upper bits 3
/// to 5 ns (10 in plain Rust), and one in decoded blocks 25 to 45 ns. In uncompressed lists of 2^20 docIDs, on a Xeon: a
/// merge 0.7 to 0.85 ns per docID of either list, a look-up in buckets 5 to 8 ns; galloping takes 20 ns or more per docID
/// of the shorter list, and a bit set per list 2 to 3 times as long as a merge. NEON was not measured, and is taken for
/// the other vectors.
pub(crate) fn merge_ratio(tier: Tier, longer: Codec) -> usize {
    match tier {
        _ if longer.looks_up() => 8,
        Tier::Scalar => 8,
        _ => 48,
    }
}

/// As `merge in tiles: qs 1000, qs 3000; then look up in raw 90000 (the codec's look-up), simple9 95000 (block skipping)`.
impl fmt::Display for Plan<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, looked_up_in) = match self.strategy {
            Strategy::Nothing => return f.write_str("nothing: no lists, or an empty one"),
            Strategy::Merge(_) => self.lists.split_at(2),
            Strategy::LookUp => self.lists.split_at(1),
        };
        f.write_str(match self.strategy {
            Strategy::Merge(Merging::Partitions) => "merge partitions:",
            Strategy::Merge(Merging::Windows) => "merge with a map:",
            Strategy::Merge(Merging::Slices) => "merge uncompressed docIDs:",
            Strategy::Merge(Merging::Tiles) => "merge in tiles:",
            Strategy::LookUp | Strategy::Nothing => "decode:",
        })?;
        for (at, list) in first.iter().enumerate() {
            write!(f, "{} {} {}", if at == 0 { "" } else { "," }, list.codec().name(), list.len())?;
        }
        for (at, list) in looked_up_in.iter().enumerate() {
            let how = if list.codec().looks_up() { "the codec's look-up" } else { "block skipping" };
            let before = if at == 0 { "; then look up in" } else { "," };
            write!(f, "{before} {} {} ({how})", list.codec().name(), list.len())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(codec: Codec, count: u32, gap: u32) -> PostingList {
        PostingList::encode(&(0..count).map(|i| i * gap).collect::<Vec<u32>>(), codec).unwrap()
    }

    #[test]
    fn the_choice_is_told() {
        let tier = cpu::tier();
        let told = |lists: &[PostingList]| (Plan::new(tier, lists).strategy(), explain(lists));
        let (qs, raw) = (list(Codec::QuasiSuccinct, 1000, 5000), list(Codec::Raw, 900, 5001));
        assert_eq!(told(&[]).0, Strategy::Nothing);
        assert_eq!(told(&[qs.clone(), list(Codec::Raw, 0, 1)]).0, Strategy::Nothing);
        assert_eq!(told(&[qs.clone(), qs.clone()]), (Strategy::LookUp, "decode: qs 1000".into()));
        let (strategy, text) = told(&[qs.clone(), raw.clone(), list(Codec::Simple9, 90_000, 40)]);
        assert_eq!(strategy, Strategy::Merge(Merging::Tiles));
        assert_eq!(text, "merge in tiles: raw 900, qs 1000; then look up in simple9 90000 (block skipping)");
        let (strategy, text) = told(&[raw.clone(), list(Codec::Raw, 8000, 50)]);
        assert_eq!(
            (strategy, &text[..]),
            (Strategy::LookUp, "decode: raw 900; then look up in raw 8000 (the codec's look-up)")
        );
        assert_eq!(told(&[raw.clone(), list(Codec::Raw, 1500, 5000)]).0, Strategy::Merge(Merging::Slices));
        let pair = [raw, list(Codec::Raw, 3000, 5000)];
        assert_eq!(Plan::new(Tier::Scalar, &pair).strategy(), Strategy::LookUp);
        let partitioned = [list(Codec::PartitionedEliasFano, 90, 30), list(Codec::PartitionedEliasFano, 20_000, 4)];
        assert_eq!(told(&partitioned).0, Strategy::Merge(Merging::Partitions));
        let dense = [list(Codec::QuasiSuccinct, 20_000, 3), list(Codec::QuasiSuccinct, 20_000, 4)];
        assert_eq!(told(&dense).0, Strategy::Merge(Merging::Windows));
    }
}
