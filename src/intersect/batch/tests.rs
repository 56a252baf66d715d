use super::*;
use crate::codec::Codec;
use proptest::prelude::*;
use std::thread;

fn each(queries: &[Vec<PostingList>]) -> Vec<Vec<u32>> {
    let intersected = |lists: &Vec<PostingList>| {
        let mut found = Vec::new();
        intersect::intersect(lists, &mut found);
        found
    };
    queries.iter().map(intersected).collect()
}

fn same(results: &Results, expected: &[Vec<u32>]) -> bool {
    results.iter().eq(expected.iter().map(Vec::as_slice))
}

/// Lists of each codec, long and short.
fn lists() -> Vec<PostingList> {
    let doc_ids = |n: u32| (0..n).map(move |at| at * (60_000 / n) + at % (60_000 / n).min(3));
    let of = |codec| [1, 7, 150, 900, 6_000, 30_000].map(|n| (codec, n));
    let empty = PostingList::encode(&[], Codec::ALL[0]).unwrap();
    let encoded = Codec::ALL
        .into_iter()
        .flat_map(of)
        .map(|(codec, n)| PostingList::encode(&doc_ids(n).collect::<Vec<_>>(), codec).unwrap());
    encoded.chain([empty]).collect()
}

proptest! {
    #[test]
    fn any_number_of_threads_finds_the_same(
        threads in 1usize..=8,
        queries in proptest::collection::vec(proptest::collection::vec(any::<proptest::sample::Index>(), 0..4), 0..200),
    ) {
        let lists = lists();
        let pick = |query: &Vec<proptest::sample::Index>| query.iter().map(|at| at.get(&lists).clone()).collect();
        let queries: Vec<Vec<PostingList>> = queries.iter().map(pick).collect();
        let expected = each(&queries);
        for bound in [0, queries.iter().map(|lists| most(lists)).sum()] {
            prop_assert!(same(&intersect_by(&queries, threads, bound).unwrap(), &expected));
        }
        prop_assert!(same(&intersect_batch(&queries, threads).unwrap(), &expected));
    }
}

#[test]
fn a_thread_is_started_for_work_that_is_worth_it() {
    assert_eq!(worth(8, 10_000, 2 * SHARE - 1), 1);
    assert_eq!(worth(8, 10_000, 2 * SHARE), 2);
    assert_eq!(worth(8, 10_000, 100 * SHARE), 8);
    assert_eq!(worth(8, 3, 100 * SHARE), 3);
    assert_eq!(worth(1, 10_000, 100 * SHARE), 1);
    assert_eq!(worth(0, 10_000, usize::MAX), thread::available_parallelism().map_or(1, usize::from));
    assert_eq!(worth(0, 0, 0), 1);
}
