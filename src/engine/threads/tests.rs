use super::*;
use crate::codec::Codec;
use proptest::prelude::*;
use std::sync::Barrier;

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

#[test]
fn threads_work_at_the_same_time_and_get_each_item_once() {
    let barrier = Barrier::new(4);
    let taken = spread(4, 1001, 10, |takings| {
        barrier.wait();
        takings.flatten().collect::<Vec<_>>()
    });
    assert_eq!(taken.len(), 4);
    let mut taken = taken.concat();
    taken.sort_unstable();
    assert!(taken.into_iter().eq(0..1001));
}

#[test]
fn a_panic_in_a_thread_reaches_the_caller_after_all_have_ended() {
    let barrier = Barrier::new(3);
    let own = thread::current().id();
    let panic = std::panic::catch_unwind(|| {
        spread(3, usize::MAX / 2, 1, |takings| {
            barrier.wait();
            assert!(thread::current().id() == own, "not the caller");
            takings.for_each(drop);
        })
    });
    // The calling thread would count for ever if the panics of the others did not stop it.
    assert_eq!(panic.unwrap_err().downcast_ref(), Some(&"not the caller"));
}

#[test]
fn signals_stay_with_the_caller() {
    fn blocked(signal: i32) -> bool {
        let mut mask = std::mem::MaybeUninit::uninit();
        // SAFETY: with a null new mask the call only writes the current mask to `mask`, which `sigismember` then reads.
        unsafe {
            libc::pthread_sigmask(libc::SIG_SETMASK, std::ptr::null(), mask.as_mut_ptr());
            libc::sigismember(mask.as_ptr(), signal) == 1
        }
    }
    let barrier = Barrier::new(2);
    let own = thread::current().id();
    let seen = spread(2, 0, 1, |_| {
        barrier.wait();
        (thread::current().id() == own, [libc::SIGALRM, libc::SIGTERM, libc::SIGPROF].map(blocked))
    });
    assert_eq!(seen, [(true, [false; 3]), (false, [true; 3])]);
    assert!(!blocked(libc::SIGALRM));
}
