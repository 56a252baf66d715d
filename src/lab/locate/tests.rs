use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Ranks by definition: how many docIDs are smaller.
fn by_definition(sorted: &[u32], targets: &[u32]) -> Vec<usize> {
    targets.iter().map(|&target| sorted.partition_point(|&doc_id| doc_id < target)).collect()
}

fn every_search_gives_the_definition(sorted: &[u32], targets: &BTreeSet<u32>) {
    let targets: Vec<u32> = targets.iter().copied().collect();
    let wanted = by_definition(sorted, &targets);
    let common: Vec<u32> = targets.iter().copied().filter(|target| sorted.binary_search(target).is_ok()).collect();
    for locate in Locate::ALL {
        let located = locate.prepare(sorted);
        let mut ranks = vec![7];
        located.ranks(&targets, &mut ranks);
        assert_eq!(ranks[1..], wanted, "{}", locate.name());
        let mut candidates = targets.clone();
        let kept = located.retain(&mut candidates);
        assert_eq!(candidates[..kept], common, "{}", locate.name());
    }
}

/// All targets next to a docID of the list, and the ends.
fn around(sorted: &[u32]) -> BTreeSet<u32> {
    let next = |&doc_id: &u32| [doc_id.saturating_sub(1), doc_id, doc_id.saturating_add(1)];
    sorted.iter().flat_map(next).chain([0, 1, u32::MAX - 1, u32::MAX]).collect()
}

#[test]
fn every_length_to_three_levels_of_sixteen() {
    for length in (0..600).chain([4095, 4096, 4097, 5000]) {
        let even: Vec<u32> = (0..length).map(|i| i * 7 + 3).collect();
        every_search_gives_the_definition(&even, &around(&even));
        let squares: Vec<u32> = (0..length).map(|i| i * i).collect();
        every_search_gives_the_definition(&squares, &around(&squares));
    }
}

#[test]
fn docids_at_both_ends_of_their_range() {
    let mut ends: Vec<u32> = (0..3000).collect();
    ends.extend((0..3000).map(|i| u32::MAX - 2999 + i));
    every_search_gives_the_definition(&ends, &around(&ends));
    for lone in [0, 1, 1 << 31, u32::MAX] {
        every_search_gives_the_definition(&[lone], &around(&[lone]));
    }
    every_search_gives_the_definition(&[0, u32::MAX], &around(&[0, u32::MAX]));
    every_search_gives_the_definition(&[u32::MAX - 1, u32::MAX], &around(&[u32::MAX]));
    // Powers of two: interpolation by itself would move by one docID at a time.
    let powers: Vec<u32> = (0..32).map(|bit| 1 << bit).collect();
    every_search_gives_the_definition(&powers, &around(&powers));
}

#[test]
fn clusters() {
    let clusters: Vec<u32> =
        [5u32, 100_000, 5_000_000, 1 << 31, u32::MAX - 3000].iter().flat_map(|&at| at..at + 3000).collect();
    every_search_gives_the_definition(&clusters, &around(&clusters));
}

proptest! {
    #[test]
    fn any_lists_and_targets(
        sorted in prop::collection::btree_set(prop_oneof![any::<u32>(), 0u32..3000], 0..400),
        mut targets in prop::collection::btree_set(prop_oneof![any::<u32>(), 0u32..3000], 0..100),
    ) {
        targets.extend(sorted.iter().step_by(5));
        every_search_gives_the_definition(&sorted.into_iter().collect::<Vec<u32>>(), &targets);
    }

    /// The definition of the safe range (section 4.3): it has the rank of every docID of the list, and no narrower
    /// one around the same estimates does.
    #[test]
    fn the_safe_range_is_the_narrowest(set in prop::collection::btree_set(any::<u32>(), 1..300)) {
        let sorted: Vec<u32> = set.into_iter().collect();
        let line = lr_range::LrRange::of(&sorted, 0);
        let (mut touches_left, mut touches_right) = (false, false);
        for (rank, &doc_id) in sorted.iter().enumerate() {
            let range = line.range(sorted.len(), doc_id);
            prop_assert!(range.contains(&rank));
            touches_left |= rank == range.start;
            touches_right |= rank + 1 == range.end;
        }
        prop_assert!(touches_left && touches_right);
        prop_assert!((0.0..=2.0).contains(&line.contraction(sorted.len())));
    }
}
