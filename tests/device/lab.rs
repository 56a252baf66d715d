//! The laboratory's kernels against the CPU.

use crate::common::random::Random;
use crate::common::ranked::{Folder, SMALL, Shape, all_options, build, has_device, schema, settings, turn};
use crate::operations::{device_in_turn, doc_ids, naive};
use crate::ranked::queries;
use postings::codec::quasi_succinct::{RawList, encode};
use postings::device;
use postings::lab::accumulators;
use postings::lab::device_search::{Aids, DeviceSearch, Gathering, Line};
use postings::lab::locate::LrRange;
use postings::lab::parallel_qs::ParallelQs;
use postings::search::Matching;
use postings::{Codec, PostingList};

#[test]
fn searches_of_the_papers_find_what_the_model_finds() {
    let Some((device, _turn)) = device_in_turn() else { return };
    let mut random = Random(77);
    let mut plain: Vec<Vec<Vec<u32>>> = vec![vec![], vec![vec![], vec![1, 2]]];
    for query in 0..40 {
        let terms = 1 + random.below(4) as usize;
        let longest = [1, 40, 700, 6000][query % 4];
        let list = |random: &mut Random| doc_ids(1 + random.below(longest) as usize, 9, 700, random.next());
        plain.push((0..terms).map(|_| list(&mut random)).collect());
    }
    // docIDs at both ends; a list with itself; results that fill several pieces of the scan.
    let ends: Vec<u32> = (0..900).chain(u32::MAX - 900..=u32::MAX).collect();
    plain.push(vec![ends.clone(), (0..=u32::MAX).step_by(1 << 20).collect(), ends.clone()]);
    plain.push(vec![vec![u32::MAX], ends]);
    plain.push(vec![(0..70_000).collect(), (5..80_000).collect()]);
    let expected: Vec<Vec<u32>> = plain.iter().map(|lists| naive(lists)).collect();
    let encode = |list: &Vec<u32>| PostingList::encode(list, Codec::Raw).unwrap();
    let queries: Vec<Vec<PostingList>> = plain.iter().map(|lists| lists.iter().map(encode).collect()).collect();
    let line = |doc_ids: &[u32], base: u32| {
        let line = LrRange::of(doc_ids, base);
        Line { slope: line.slope, low: line.intercept - line.left, high: line.intercept + line.right + 1 }
    };
    for search in DeviceSearch::ALL {
        let aids = Aids::of(search, queries.iter().flatten(), line);
        for gathering in [Gathering::Scan, Gathering::Reserve] {
            let found = device.search_batch(&queries, &aids, gathering).unwrap();
            for (at, (found, expected)) in found.iter().zip(&expected).enumerate() {
                assert!(
                    found == expected,
                    "{} {gathering:?} {at}: {} for {}",
                    search.name(),
                    found.len(),
                    expected.len()
                );
            }
        }
    }
    let without = Aids::of(DeviceSearch::SkipList, [], line);
    assert!(device.search_batch(&queries, &without, Gathering::Scan).is_err());
    let binary = Aids::of(DeviceSearch::Binary, [], line);
    let other = [vec![PostingList::encode(&[1], Codec::QuasiSuccinct).unwrap()]];
    assert!(device.search_batch(&other, &binary, Gathering::Scan).is_err());
    assert!(device.search_batch(&[], &binary, Gathering::Scan).unwrap().is_empty());
}

#[test]
fn parallel_qs_decodes_as_the_model_does() {
    let Some((device, _turn)) = device_in_turn() else { return };
    let mut lists: Vec<Vec<u32>> = vec![vec![], vec![0], vec![u32::MAX], (0..300).collect()];
    // Upper bits that end within a word and at its end; one, two and three levels of prefix sums.
    lists.extend([31, 32, 33, 64, 127, 128, 129, 4_097, 70_000].map(|len| doc_ids(len, 5, 60, len as u64)));
    lists.push(doc_ids(2_000, 20, 100_000, 9));
    for doc_ids in &lists {
        for c in [0.25, 1.0, 16.0, 1e9] {
            let list = RawList::from_bytes(&encode(doc_ids, c).unwrap()).unwrap();
            for variant in ParallelQs::ALL {
                for items in [64, 128, 256] {
                    let found = device.parallel_qs(&list, variant, items);
                    let what = (doc_ids.len(), c, variant, items);
                    assert!(found.as_ref() == Ok(doc_ids), "{what:?}: {:?}", found.map(|found| found.len()));
                }
            }
        }
    }
    let list = RawList::from_bytes(&encode(&[1], 1.0).unwrap()).unwrap();
    for items in [0, 32, 96, 512] {
        assert!(device.parallel_qs(&list, ParallelQs::Merged, items).is_err(), "{items}");
    }
}

/// OR as the papers have it, for benchmarks: with an accumulator per document of the collection.
#[test]
fn accumulators_find_what_the_engine_finds() {
    if !has_device() {
        return;
    }
    let folder = Folder::new("ranked-plain");
    let shape = Shape { documents: 9_000, commits: 3, deletes: true, ..SMALL };
    let index = build(&folder.0, schema(), shape);
    let queries = queries(shape.words, 60);
    let queries: Vec<&str> = queries.iter().map(|query| &**query).collect();
    let device = device::select(&settings().device).unwrap().unwrap();
    for options in all_options().iter().filter(|options| options.matching != Matching::All) {
        let expected = index.search_batch(&queries, options, 1).unwrap();
        let _turn = turn();
        device.take_kernel_times().unwrap();
        let before = device.set_profiling(true);
        let found = accumulators::search_batch(&device, &index, &queries, options, &settings()).unwrap();
        let kernels = device.take_kernel_times();
        device.set_profiling(before);
        let mut answered = 0;
        for ((query, found), expected) in queries.iter().zip(&found).zip(&expected) {
            // Those without terms are not prepared.
            match found {
                Some(found) => assert_eq!(found, expected, "{options:?}"),
                None => assert!(expected.hits.is_empty() || query.is_empty() || query.starts_with('-'), "{query}"),
            }
            answered += usize::from(found.is_some());
        }
        assert!(answered > queries.len() / 2, "{answered} of {}", queries.len());
        let kernels: Vec<&str> = kernels.unwrap().iter().map(|time| time.kernel).collect();
        assert!(kernels.contains(&"plain_add") && !kernels.contains(&"rank_any"), "{kernels:?}");
    }
}
