use super::*;
use crate::intersect::Count;
use proptest::prelude::*;

/// The intersection by definition.
fn by_definition(a: &[u32], b: &[u32]) -> Vec<u32> {
    a.iter().copied().filter(|doc_id| b.binary_search(doc_id).is_ok()).collect()
}

fn every_intersection_gives_the_definition(a: &[u32], b: &[u32]) {
    let wanted = by_definition(a, b);
    for tier in Tier::available() {
        for meet in Meet::ALL {
            for (a, b) in [(a, b), (b, a)] {
                let mut found = Vec::new();
                meet.meet(tier, a, b, &mut found);
                assert!(found == wanted, "{} {}: {} for {}", meet.name(), tier.name(), found.len(), wanted.len());
                let mut count = Count::default();
                meet.meet(tier, a, b, &mut count);
                assert_eq!(count.0 as usize, wanted.len(), "{} {}", meet.name(), tier.name());
            }
        }
    }
}

fn every(step: usize, count: usize, first: u32) -> Vec<u32> {
    (0..count as u32).map(|i| first + i * step as u32).collect()
}

#[test]
fn every_length_to_three_vectors() {
    for length in 0..=48 {
        for other in [0, 1, 15, 16, 17, 31, 32, 33, 48, 1000, 1039, 1040, 1041, 2100] {
            every_intersection_gives_the_definition(&every(3, length, 5), &every(2, other, 0));
            every_intersection_gives_the_definition(&every(1, length, 900), &every(1, other, 0));
        }
    }
}

#[test]
fn lengths_beyond_pieces_and_windows() {
    for (step, other) in [(1, 1), (1, 2), (2, 3), (7, 5), (63, 64), (65_536, 65_535)] {
        every_intersection_gives_the_definition(&every(step, 20_000, 0), &every(other, 30_000, 1));
    }
    let ends: Vec<u32> = (0..2000).chain(u32::MAX - 2000..=u32::MAX).collect();
    every_intersection_gives_the_definition(&ends, &ends);
    every_intersection_gives_the_definition(&ends, &every(1 << 20, 4096, 7));
    every_intersection_gives_the_definition(&[u32::MAX], &ends);
}

proptest! {
    #[test]
    fn any_two_slices(
        a in prop::collection::btree_set(prop_oneof![any::<u32>(), 0u32..3000, 65_000u32..66_000], 0..600),
        b in prop::collection::btree_set(prop_oneof![any::<u32>(), 0u32..3000, 65_000u32..66_000], 0..600),
        shared in prop::collection::btree_set(any::<u32>(), 0..30),
    ) {
        let with = |set: std::collections::BTreeSet<u32>| -> Vec<u32> { set.union(&shared).copied().collect() };
        every_intersection_gives_the_definition(&with(a), &with(b));
    }
}
