use super::*;
use crate::codec::Codec;
use proptest::prelude::{Strategy, *};
use std::collections::BTreeSet;

/// The definition of an intersection, with sets.
fn by_sets(lists: &[Vec<u32>]) -> Vec<u32> {
    let sets: Vec<BTreeSet<u32>> = lists.iter().map(|list| list.iter().copied().collect()).collect();
    let Some((first, rest)) = sets.split_first() else { return Vec::new() };
    first.iter().copied().filter(|doc_id| rest.iter().all(|set| set.contains(doc_id))).collect()
}

/// The list in that codec, or in the default one if that codec cannot code it.
fn encode(doc_ids: &[u32], codec: Codec) -> PostingList {
    PostingList::encode(doc_ids, codec).or_else(|_| PostingList::encode(doc_ids, Codec::default())).unwrap()
}

/// The codecs of two lists: each codec with itself and with the default, in both orders.
fn pairs() -> impl Iterator<Item = [Codec; 2]> {
    let default = Codec::default();
    Codec::ALL.into_iter().flat_map(move |codec| match codec == default {
        true => vec![[codec, codec]],
        false => vec![[codec, codec], [codec, default], [default, codec]],
    })
}

/// Intersects on every tier with codecs in [`pairs`], and compares the results with the definition.
fn every_path_gives_what_sets_give(lists: &[Vec<u32>]) {
    let wanted = by_sets(lists);
    for [one, other] in pairs() {
        let codecs = [one, other, one];
        let encoded: Vec<PostingList> =
            lists.iter().zip(codecs.into_iter().cycle()).map(|(list, codec)| encode(list, codec)).collect();
        for tier in Tier::available() {
            let mut found = Vec::new();
            intersect_with(tier, &encoded, &mut found);
            assert_eq!(found, wanted, "{} {codecs:?}", tier.name());
            let mut count = Count::default();
            intersect_with(tier, &encoded, &mut count);
            assert_eq!(count.0 as usize, wanted.len());
        }
    }
}

/// At most `count` pseudo-random docIDs below `span`, the same in every run.
fn spread(count: usize, span: u64, seed: u64) -> Vec<u32> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let set: BTreeSet<u32> = (0..count)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (((state >> 32) * span) >> 32) as u32
        })
        .collect();
    set.into_iter().collect()
}

#[test]
fn every_length_ratio() {
    let span = 60_000;
    for (shorter, seed) in [1, 2, 15, 16, 17, 40, 127, 128, 129, 500, 1024, 1040, 5000, 20_000].into_iter().zip(1..) {
        for longer in [1, 16, 100, 129, 1000, 1023, 1024, 1025, 3000, 20_000] {
            every_path_gives_what_sets_give(&[spread(shorter, span, seed), spread(longer, span, 77)]);
        }
    }
}

#[test]
fn every_width_of_lower_bits() {
    for bits in 6..=32 {
        for (shorter, longer) in [(40, 300), (300, 300), (2, 2), (5, 60)] {
            let (mut a, mut b) = (spread(shorter, 1 << bits, bits), spread(longer, 1 << bits, 5));
            // Half of the shorter list is in common, and so are the ends of the universe.
            b.extend(a.iter().step_by(2).chain(&[0, u32::MAX >> (32 - bits)]));
            a.push(u32::MAX >> (32 - bits));
            for list in [&mut a, &mut b] {
                list.sort_unstable();
                list.dedup();
            }
            every_path_gives_what_sets_give(&[a, b]);
        }
    }
}

#[test]
fn clusters_in_a_wide_universe() {
    // Lower bits are wide and thousands of docIDs share their upper part. Between clusters the upper bits are all 1.
    let clusters = |starts: &[u32], step: usize| -> Vec<u32> {
        starts.iter().flat_map(|&start| (start..start + 3000).step_by(step)).collect()
    };
    let dense = clusters(&[5, 100_000, 5_000_000, 1 << 31, u32::MAX - 3000], 1);
    let sparse = clusters(&[5, 101_000, 5_000_000, 70_000_000, u32::MAX - 5000], 7);
    let probes = clusters(&[0, 100_000, 5_001_000, u32::MAX - 3000], 500);
    every_path_gives_what_sets_give(&[dense.clone(), sparse.clone()]);
    every_path_gives_what_sets_give(&[dense.clone(), probes.clone()]);
    every_path_gives_what_sets_give(&[dense, sparse, probes]);
}

#[test]
fn one_gap_over_most_of_the_upper_bits() {
    // docIDs below 20,000, then one at the end: the upper bits in between are thousands of words of 1 bits. Look-ups
    // end there and after it.
    let mut list: Vec<u32> = (0..20_000).collect();
    list.push(5_000_000);
    let probes: Vec<u32> = (10_000..5_000_100).step_by(7_001).chain([4_999_999, 5_000_000, 5_000_001]).collect();
    let probes: Vec<u32> = BTreeSet::from_iter(probes).into_iter().collect();
    every_path_gives_what_sets_give(&[probes, list]);
}

#[test]
fn docs_behind_the_last_one_are_not_found() {
    // More docIDs could have the last upper part. The bits after the list's end must not be taken for them.
    for last in 0..64 {
        let list: Vec<u32> = (0..2000).map(|i| i * 17).chain([40_000 + last]).collect();
        let probes: Vec<u32> = (39_990..40_100).collect();
        every_path_gives_what_sets_give(&[probes[..60].to_vec(), list.clone()]);
        every_path_gives_what_sets_give(&[probes, list]);
    }
}

/// The definition for two lists, by binary search: faster than sets for long lists.
fn by_merge(a: &[u32], b: &[u32]) -> Vec<u32> {
    a.iter().copied().filter(|doc_id| b.binary_search(doc_id).is_ok()).collect()
}

/// Intersects two lists on every tier with codecs in [`pairs`], in both orders.
fn every_path_gives_what_a_merge_gives(a: &[u32], b: &[u32]) {
    let wanted = by_merge(a, b);
    for [of_a, of_b] in pairs() {
        let lists = [encode(a, of_a), encode(b, of_b)];
        for tier in Tier::available() {
            for lists in [&lists[..], &[lists[1].clone(), lists[0].clone()]] {
                let mut found = Vec::new();
                intersect_with(tier, lists, &mut found);
                assert!(found == wanted, "{} {of_a:?} {of_b:?}: {} for {}", tier.name(), found.len(), wanted.len());
            }
        }
    }
}

#[test]
fn dense_lists_of_like_length() {
    // More runs than the map has generations, and mean gaps up to the largest for which the map is used.
    for (count, gap) in [(300_000, 2), (300_000, 15), (60_000, 16), (40_000, 60), (20_000, 200), (9_000, 255)] {
        let span = count as u64 * gap;
        let (a, b) = (spread(count, span, gap), spread(count * 3 / 4, span, gap + 7));
        every_path_gives_what_a_merge_gives(&a, &b);
    }
}

#[test]
fn dense_lists_with_gaps_that_no_run_spans() {
    // Gaps between clusters are too wide for a run, some of them within a block, and some docIDs have equal low halves.
    let starts = [0u32, 70_000, 70_000 + (1 << 16), 400_000, 1_000_000, 1_065_536];
    let clusters = |step: usize, skip: usize| -> Vec<u32> {
        starts.iter().flat_map(|&start| (start..start + 9_000).step_by(step)).skip(skip).collect()
    };
    for (a, b) in [(1, 2), (2, 3), (3, 3), (1, 1)] {
        every_path_gives_what_a_merge_gives(&clusters(a, 0), &clusters(b, 77));
    }
    // One list lies between the other's clusters; one list ends long before the other.
    let between: Vec<u32> = (200_000..240_000).chain(1_030_000..1_034_000).collect();
    every_path_gives_what_a_merge_gives(&clusters(1, 0), &between);
    every_path_gives_what_a_merge_gives(&(0..30_000).collect::<Vec<u32>>(), &(29_000..60_000).collect::<Vec<u32>>());
    every_path_gives_what_a_merge_gives(&(0..131_072).collect::<Vec<u32>>(), &(65_535..196_608).collect::<Vec<u32>>());
}

#[test]
fn sparse_look_ups() {
    // Steps from less than a block to more than the directory counts at a time.
    let longer = spread(400_000, 1 << 27, 5);
    for step in [700, 5_000, 40_000, 300_000, 5_000_000] {
        let mut shorter: Vec<u32> = (0..(1 << 27) + 9).step_by(step).collect();
        shorter.extend(longer.iter().step_by(step / 100));
        shorter.sort_unstable();
        shorter.dedup();
        every_path_gives_what_a_merge_gives(&shorter, &longer);
    }
    // The upper bits of one block are mostly a gap.
    let mut far: Vec<u32> = (0..5_000).map(|i| i * 3).collect();
    far.extend((0..5_000).map(|i| 90_000_000 + i * 3));
    let probes: Vec<u32> = (0..200).map(|i| i * 450_007).chain(90_000_003..90_000_009).collect();
    every_path_gives_what_a_merge_gives(&BTreeSet::from_iter(probes).into_iter().collect::<Vec<u32>>(), &far);
}

#[test]
fn three_dense_lists() {
    let lists = [spread(20_000, 200_000, 1), spread(30_000, 200_000, 2), spread(40_000, 150_000, 3)];
    every_path_gives_what_sets_give(&lists);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_path_equals_the_definition(lists in prop::collection::vec(list(), 0..5)) {
        every_path_gives_what_sets_give(&lists);
    }

    #[test]
    fn commutative(a in list(), b in list()) {
        prop_assert_eq!(meet(&[&a, &b]), meet(&[&b, &a]));
    }

    #[test]
    fn associative(a in list(), b in list(), c in list()) {
        let of_three = meet(&[&a, &b, &c]);
        prop_assert_eq!(&meet(&[&meet(&[&a, &b]), &c]), &of_three);
        prop_assert_eq!(&meet(&[&a, &meet(&[&b, &c])]), &of_three);
    }

    #[test]
    fn idempotent(a in list()) {
        prop_assert_eq!(meet(&[&a, &a]), a.clone());
        let list = encode(&a, Codec::default());
        let mut twice = Vec::new();
        intersect(&[list.clone(), list], &mut twice);
        prop_assert_eq!(twice, a);
    }

    #[test]
    fn of_one_list_the_list(a in list()) {
        prop_assert_eq!(meet(&[&a]), a);
    }

    #[test]
    fn of_a_subset_the_subset(a in list(), step in 1usize..50) {
        let subset: Vec<u32> = a.iter().copied().step_by(step).collect();
        prop_assert_eq!(meet(&[&a, &subset]), subset);
    }

    #[test]
    fn with_the_empty_list_empty(a in list(), b in list()) {
        prop_assert_eq!(meet(&[&a, &[]]), Vec::<u32>::new());
        prop_assert_eq!(meet(&[&[], &a, &b]), Vec::<u32>::new());
    }

    #[test]
    fn of_disjoint_lists_empty(a in list()) {
        let even: Vec<u32> = BTreeSet::from_iter(a.iter().map(|doc_id| doc_id & !1)).into_iter().collect();
        let odd: Vec<u32> = even.iter().map(|doc_id| doc_id | 1).collect();
        prop_assert_eq!(meet(&[&even, &odd]), Vec::<u32>::new());
    }
}

/// Lists of many lengths and densities, some of which share docIDs.
fn list() -> impl Strategy<Value = Vec<u32>> {
    let length = prop_oneof![0usize..4, 0usize..300, 0usize..4000];
    let span = prop_oneof![Just(8u64), Just(5000), Just(40_000), Just(1 << 24), Just(1 << 32)];
    (length, span, 0u64..50).prop_map(|(length, span, seed)| spread(length, span, seed))
}

fn meet(lists: &[&[u32]]) -> Vec<u32> {
    let codecs = Codec::ALL.into_iter().cycle();
    let encoded: Vec<PostingList> = lists.iter().zip(codecs).map(|(list, codec)| encode(list, codec)).collect();
    let mut found = Vec::new();
    intersect(&encoded, &mut found);
    found
}

/// docIDs in stretches that different kinds of partitions suit, around the same places for all seeds.
fn stretches(seed: u64) -> Vec<u32> {
    let mut set = BTreeSet::new();
    for at in 0..24u64 {
        let begin = (at * 40_000 + seed % 40 * 977 * (at % 3)) as u32;
        match (at * 5 + seed * (1 + at % 4)) % 6 {
            0 => set.extend(begin..begin + 30_000),
            1 => {
                set.extend((0..60).flat_map(|run| begin + run * 500..begin + run * 500 + 100 + run * (seed % 7) as u32))
            }
            2 => set.extend(spread(9_000, 20_000, seed + at).into_iter().map(|doc_id| begin + doc_id)),
            3 => set.extend(spread(3_000, 39_000, seed + at).into_iter().map(|doc_id| begin + doc_id)),
            4 => set.extend(spread(150, 39_000, seed + at).into_iter().map(|doc_id| begin + doc_id)),
            _ => {}
        }
    }
    set.into_iter().collect()
}

/// Every pair of kinds of partitions meets: with vectors, ranges, counts, and a third list.
#[test]
fn partitions_of_all_kinds() {
    let lists: Vec<Vec<u32>> = (0..7).map(stretches).collect();
    let encoded: Vec<PostingList> = lists.iter().map(|list| encode(list, Codec::PartitionedEliasFano)).collect();
    let third: Vec<u32> = spread(300_000, 960_000, 5);
    for codec in [Codec::PartitionedEliasFano, Codec::QuasiSuccinct] {
        let third_list = encode(&third, codec);
        for (a, b) in (0..lists.len()).flat_map(|a| (0..lists.len()).map(move |b| (a, b))) {
            let wanted = if a == b { lists[a].clone() } else { by_merge(&lists[a], &lists[b]) };
            let of_three = by_merge(&wanted, &third);
            let pair = [encoded[a].clone(), encoded[b].clone()];
            let three = [encoded[a].clone(), encoded[b].clone(), third_list.clone()];
            for tier in Tier::available() {
                for (query, wanted) in [(&pair[..], &wanted), (&three[..], &of_three)] {
                    let mut found = Vec::new();
                    intersect_with(tier, query, &mut found);
                    assert!(found == *wanted, "{tier:?} {a} {b}: {} for {}", found.len(), wanted.len());
                    let mut count = Count::default();
                    intersect_with(tier, query, &mut count);
                    assert_eq!(count.0 as usize, wanted.len(), "{tier:?} {a} {b}");
                    assert!(intersect_list_with(tier, query).unwrap().decode() == *wanted);
                    let mut plain = Plain(Vec::new());
                    intersect_with(tier, query, &mut plain);
                    assert!(plain.0 == *wanted);
                }
            }
        }
    }
}

/// A sink with the default methods only.
struct Plain(Vec<u32>);

impl Sink for Plain {
    fn take(&mut self, doc_ids: &[u32]) {
        self.0.extend_from_slice(doc_ids);
    }
}

#[test]
fn partitions_at_the_end_of_the_universe() {
    let run: Vec<u32> = (u32::MAX - 1000..=u32::MAX).collect();
    let bits: Vec<u32> = (u32::MAX - 3001..=u32::MAX).step_by(2).collect();
    let sparse: Vec<u32> = (0..300).map(|i| u32::MAX - 299 * 40 + i * 40).collect();
    let runs: Vec<u32> = (0..30).flat_map(|run| u32::MAX - 2999 + run * 100..=u32::MAX - 2950 + run * 100).collect();
    let all = [run, bits, sparse, runs];
    for a in &all {
        for b in &all {
            every_path_gives_what_sets_give(&[a.clone(), b.clone()]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]
    #[test]
    fn partitions_of_any_form(a in 0u64..1000, b in 0u64..1000, from in 0usize..1000, step in 1usize..40) {
        let (a, b) = (stretches(a), stretches(b));
        let some: Vec<u32> = b[from.min(b.len())..].iter().copied().step_by(step).take(3000).collect();
        let wanted = by_merge(&a, &some);
        let lists = [encode(&a, Codec::PartitionedEliasFano), encode(&some, Codec::PartitionedEliasFano)];
        for tier in Tier::available() {
            let mut found = Vec::new();
            intersect_with(tier, &lists, &mut found);
            prop_assert!(found == wanted);
        }
    }
}
