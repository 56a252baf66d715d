//! Compares every kernel with the CPU, on PoCL or on the device that `POSTINGS_TEST_DEVICE` names.

use crate::common::random::Random;
use crate::common::ranked::{PATIENCE, settings, turn};
use crate::common::skipped;
use postings::device::{self, Device};
use postings::engine::{self, Settings};
use postings::{Codec, PostingList, intersect, yioop};
use std::sync::MutexGuard;

/// The device; if there is none, prints that the test is skipped.
pub fn device() -> Option<Device> {
    let named = settings().device;
    let device = device::select(&named).expect("a usable device");
    if device.is_none() {
        skipped(&format!("no OpenCL device {named:?}"));
    }
    device.map(|device| device.with_timeout(PATIENCE))
}

/// The device and its [`turn`]: what is sent and evicted is counted for the whole process.
pub fn device_in_turn() -> Option<(Device, MutexGuard<'static, ()>)> {
    device().map(|device| (device, turn()))
}

/// Runs an operation of the engine and checks that the device did it, because the engine falls back to the CPU
/// silently.
fn by_device<T>(operation: impl FnOnce(&Settings) -> T) -> T {
    // The counters belong to the whole process and tests run at the same time, so all calls of the engine here take
    // turns.
    let _turn = turn();
    let before = engine::stats();
    let result = operation(&settings());
    let after = engine::stats();
    assert_eq!(after.device_failures, before.device_failures, "the device failed");
    assert_eq!((after.device_calls, after.cpu_calls), (before.device_calls + 1, before.cpu_calls), "not by the device");
    result
}

/// Up to `len` docIDs with gaps of 1 to `widest` and an occasional gap of `leap`.
pub fn doc_ids(len: usize, widest: u64, leap: u64, seed: u64) -> Vec<u32> {
    let mut random = Random(seed | 1);
    let mut last = random.below(widest);
    let mut doc_ids = Vec::with_capacity(len);
    while doc_ids.len() < len && last <= u64::from(u32::MAX) {
        doc_ids.push(last as u32);
        last += 1 + random.below(widest) + if random.below(100) == 0 { leap } else { 0 };
    }
    doc_ids
}

pub fn naive(lists: &[Vec<u32>]) -> Vec<u32> {
    let Some((first, rest)) = lists.split_first() else { return Vec::new() };
    first.iter().copied().filter(|doc_id| rest.iter().all(|list| list.binary_search(doc_id).is_ok())).collect()
}

#[test]
fn decodes_every_length() {
    let Some((device, _turn)) = device_in_turn() else { return };
    let edges = [2047, 2048, 2049, 8191, 8192, 8193, 20_000];
    for len in (0..=2 * 128 + 1).chain(edges) {
        for (widest, leap) in [(1, 0), (2, 0), (15, 0), (15, 50_000), (3000, 1_000_000)] {
            let doc_ids = doc_ids(len, widest, leap, 7 + len as u64);
            for codec in Codec::ALL {
                let list = PostingList::encode(&doc_ids, codec).unwrap();
                assert_eq!(device.decode(&list).unwrap(), doc_ids, "{codec:?} {len} {widest} {leap}");
            }
        }
    }
}

#[test]
fn decodes_lists_of_any_options() {
    let Some((device, _turn)) = device_in_turn() else { return };
    // In blocks of the second list nearly all gaps are wide, in those of the first few.
    let few = doc_ids(700, 30, 1_000_000, 5);
    let many = doc_ids(700, 500, 10_000_000, 6);
    for codec in Codec::ALL {
        for option in codec.options() {
            let (least, most) = option.range;
            let values = (0..=8).map(|step| least + (most - least) * f64::from(step) / 8.0);
            for value in values.map(|value| if option.is_whole { value.round() } else { value }) {
                for doc_ids in [&few, &many] {
                    // Some values of some options are refused, depending on the list.
                    let Ok(list) = PostingList::encode_with(doc_ids, codec, &[(option.name, value)]) else { continue };
                    assert_eq!(&device.decode(&list).unwrap(), doc_ids, "{codec:?}, {} {value}", option.name);
                }
            }
        }
    }
    // Exceptions of exceptions, in each number of levels.
    for levels in 0..=4 {
        let options = [("b", 2.0), ("levels", f64::from(levels))];
        let list = PostingList::encode_with(&few, Codec::PForDelta, &options).unwrap();
        assert_eq!(device.decode(&list).unwrap(), few, "{levels} levels");
    }
}

/// Gaps of which about a tenth need more bits than the others, and some of these more than the others of these: codecs with
/// exceptions have exceptions of exceptions.
#[test]
fn decodes_gaps_of_all_probabilities() {
    let Some((device, _turn)) = device_in_turn() else { return };
    for (mean, len) in [(2, 1024), (8, 1024), (8, 128), (8, 40_000), (300, 5000)] {
        let mut random = Random(mean);
        let mut last = 0u32;
        let gaps = (0..len).map(|_| 1.0 - mean as f64 * ((1 + random.below(1 << 40)) as f64 / 2f64.powi(40)).ln());
        let doc_ids: Vec<u32> = gaps
            .map(|gap| {
                last += gap as u32;
                last
            })
            .collect();
        for codec in Codec::ALL {
            let list = PostingList::encode(&doc_ids, codec).unwrap();
            let decoded = device.decode(&list).unwrap();
            let wrong = decoded.iter().zip(&doc_ids).position(|(decoded, doc_id)| decoded != doc_id);
            assert_eq!((wrong, decoded.len()), (None, len), "{codec:?}, mean {mean}, {len} docIDs");
        }
    }
}

#[test]
fn decodes_gaps_of_every_width() {
    let Some((device, _turn)) = device_in_turn() else { return };
    for width in 0..=31 {
        for len in [1, 2, 31, 32, 33, 129, 1000] {
            let doc_ids = doc_ids(len, (2u64 << width) - 1, 0, 99 + width);
            for list in Codec::ALL.into_iter().filter_map(|codec| PostingList::encode(&doc_ids, codec).ok()) {
                assert_eq!(device.decode(&list).unwrap(), doc_ids, "{list:?}, width {width}");
            }
        }
    }
    for doc_ids in [vec![0, u32::MAX], vec![u32::MAX]] {
        for list in Codec::ALL.into_iter().filter_map(|codec| PostingList::encode(&doc_ids, codec).ok()) {
            assert_eq!(device.decode(&list).unwrap(), doc_ids, "{list:?}");
        }
    }
}

/// Lists of a codec with each option at the ends of its range and between them.
fn with_options(doc_ids: &[u32], codec: Codec) -> Vec<PostingList> {
    let values = |option: &postings::codec::OptionOf| {
        let (least, most) = option.range;
        let between = [0.02, 0.2, 0.6].map(|share| least + (most - least) * share);
        let whole = option.is_whole;
        [least, most].into_iter().chain(between).map(move |value| if whole { value.round() } else { value })
    };
    let named =
        |option: &postings::codec::OptionOf| values(option).map(|value| (option.name, value)).collect::<Vec<_>>();
    let options: Vec<(&str, f64)> = codec.options().iter().flat_map(named).collect();
    options.iter().filter_map(|&option| PostingList::encode_with(doc_ids, codec, &[option]).ok()).collect()
}

#[test]
fn intersects_lists_of_any_options() {
    let Some((device, _turn)) = device_in_turn() else { return };
    for (len, widest, leap) in [(1, 9, 0), (300, 1, 0), (3000, 15, 50_000), (3000, 900_000, 0)] {
        let one = doc_ids(len, widest, leap, 3 + len as u64);
        let other: Vec<u32> = one.iter().copied().step_by(7).chain([u32::MAX - 1]).collect();
        let short = PostingList::encode(&other, Codec::default()).unwrap();
        for codec in Codec::ALL {
            for list in with_options(&one, codec) {
                let about = format!("{list:?} {:?}", list.options());
                let found =
                    device.intersect_batch(&[vec![list.clone(), short.clone()], vec![list.clone(), list]], 0).unwrap();
                let wanted = [naive(&[one.clone(), other.clone()]), one.clone()];
                assert!(found.iter().eq(wanted.iter().map(Vec::as_slice)), "{about}");
            }
        }
    }
}

#[test]
fn intersects_as_the_model_does() {
    let Some(device) = device() else { return };
    let mut random = Random(2026);
    let mut queries = Vec::new();
    let mut expected = Vec::new();
    // Each codec meets itself and the default. The batch has all of them.
    for query in 0..300 {
        let terms = random.below(6) as usize;
        let scale = [3, 40, 2000][random.below(3) as usize];
        let mut plain: Vec<Vec<u32>> = (0..terms)
            .map(|_| {
                let len = [0, 1, 100, 128, 1000, 20_000][random.below(6).max(random.below(6)) as usize];
                let widest = 1 + random.below(scale);
                doc_ids(len, widest, [0, 10_000][random.below(2) as usize], random.next())
            })
            .collect();
        if terms > 1 && random.below(4) == 0 {
            plain[1] = plain[0].clone();
        }
        expected.push(naive(&plain));
        let codecs = [Codec::ALL[query % Codec::COUNT], Codec::default()];
        let lists = plain.iter().map(|list| PostingList::encode(list, codecs[random.below(2) as usize]).unwrap());
        queries.push(lists.collect());
    }
    let turn = turn();
    device.set_profiling(true);
    let results = device.intersect_batch(&queries, 0).unwrap();
    assert!(results.iter().eq(expected.iter().map(Vec::as_slice)));
    let counts = device.intersect_count_batch(&queries).unwrap();
    assert_eq!(counts, expected.iter().map(|result| result.len() as u64).collect::<Vec<_>>());
    let times = device.take_kernel_times().unwrap();
    device.set_profiling(false);
    drop(turn);
    for (lists, expected) in queries.iter().zip(&expected) {
        let lists: &Vec<PostingList> = lists;
        assert_eq!(&by_device(|settings| engine::intersect(lists, settings)), expected);
        assert_eq!(by_device(|settings| engine::intersect_count(lists, settings)), expected.len() as u64);
        let mut on_cpu = Vec::new();
        intersect::intersect(lists, &mut on_cpu);
        assert_eq!(&on_cpu, expected);
    }
    for kernel in ["intersect_probe", "intersect_tiles"] {
        assert!(times.iter().any(|time| time.kernel == kernel), "{kernel} did not run");
    }
}

#[test]
fn large_batches_come_back_in_order() {
    let Some((device, _turn)) = device_in_turn() else { return };
    // Enough blocks for a work-group to take several.
    let sparse: Vec<u32> = doc_ids(20_011, 4000, 0, 5);
    let denser: Vec<u32> = doc_ids(600_000, 120, 0, 6).into_iter().chain([3_000_000_000]).collect();
    let third: Vec<u32> = sparse.iter().copied().step_by(3).chain([4_000_000_000]).collect();
    let one_codec = Codec::ALL.map(|codec| vec![codec; 4]);
    for codecs in one_codec.into_iter().chain([Codec::ALL.into_iter().cycle().take(4).collect()]) {
        // A codec that cannot code such gaps leaves the list to the default one.
        let encode = |list: &Vec<u32>, codec| {
            PostingList::encode(list, codec).or_else(|_| PostingList::encode(list, Codec::default())).unwrap()
        };
        let lists: Vec<PostingList> = [&sparse, &denser, &sparse, &third]
            .into_iter()
            .zip(codecs)
            .map(|(list, codec)| encode(list, codec))
            .collect();
        let kinds = [vec![0, 1], vec![0, 1, 2], vec![1, 3, 0], vec![3, 0]];
        let queries: Vec<Vec<PostingList>> =
            (0..160).map(|q| kinds[q % 4].iter().map(|&list| lists[list].clone()).collect()).collect();
        let plain = [&sparse, &denser, &sparse, &third];
        let expected: Vec<Vec<u32>> =
            kinds.iter().map(|kind| naive(&kind.iter().map(|&list| plain[list].clone()).collect::<Vec<_>>())).collect();
        let results = device.intersect_batch(&queries, 0).unwrap();
        let counts = device.intersect_count_batch(&queries).unwrap();
        for (q, result) in results.iter().enumerate() {
            assert_eq!(result, &expected[q % 4], "query {q}");
            assert_eq!(counts[q], expected[q % 4].len() as u64);
        }
    }
}

/// Batches that pass through the device in many chunks, of lists that are resident, of lists that are not, and of queries
/// that find nothing or are empty.
#[test]
fn chunks_of_a_batch_come_back_in_order() {
    let Some((device, _turn)) = device_in_turn() else { return };
    let mut random = Random(31);
    let plain: Vec<Vec<u32>> = (0..24).map(|k| doc_ids(60 + 400 * k, 1 + random.below(30), 900, k as u64)).collect();
    let codecs = [Codec::default(), Codec::Raw, Codec::ParaPFor];
    let lists: Vec<PostingList> =
        plain.iter().zip(0..).map(|(list, k)| PostingList::encode(list, codecs[k % 3]).unwrap()).collect();
    let empty = PostingList::encode(&[], Codec::default()).unwrap();
    let (mut queries, mut expected) = (Vec::new(), Vec::new());
    for query in 0..211 {
        let terms = random.below(4) as usize;
        let chosen: Vec<usize> = (0..terms).map(|_| random.below(24) as usize).collect();
        let mut lists: Vec<PostingList> = chosen.iter().map(|&k| lists[k].clone()).collect();
        let mut of_these: Vec<Vec<u32>> = chosen.iter().map(|&k| plain[k].clone()).collect();
        if query % 13 == 5 {
            lists.push(empty.clone());
            of_these.push(Vec::new());
        }
        queries.push(lists);
        expected.push(naive(&of_these));
    }
    // Chunks without a single result, too.
    queries.extend((0..30).map(|_| vec![empty.clone(), lists[3].clone()]));
    expected.resize(queries.len(), Vec::new());
    for chunk in [1, 2, 7, 50, 120, 121, 1000] {
        device.forget_lists().unwrap();
        for threads in [1, 2, 2, 1] {
            let results = device.intersect_batch_in(&queries, chunk, threads).unwrap().0;
            assert!(results.iter().eq(expected.iter().map(Vec::as_slice)), "chunks of {chunk}, {threads} threads");
        }
        device.forget_lists().unwrap();
        let counts = device.intersect_count_batch_in(&queries, chunk).unwrap();
        assert!(counts.iter().eq(expected.iter().map(|found| found.len() as u64).collect::<Vec<_>>().iter()));
    }
}

/// Chunks that find more than there is room for at first are launched again, while others are on their way.
#[test]
fn chunks_beyond_the_first_capacity_come_back() {
    let Some((device, _turn)) = device_in_turn() else { return };
    let len = 4 << 20;
    let dense = PostingList::encode(&(0..len).collect::<Vec<_>>(), Codec::default()).unwrap();
    let shifted = PostingList::encode(&(7..len + 7).collect::<Vec<_>>(), Codec::default()).unwrap();
    let few = PostingList::encode(&[8, 9, len + 3], Codec::default()).unwrap();
    let queries: Vec<Vec<PostingList>> = (0..20)
        .map(|query| {
            if (6..12).contains(&query) {
                vec![dense.clone(), shifted.clone()]
            } else {
                vec![few.clone(), shifted.clone()]
            }
        })
        .collect();
    for threads in [1, 2] {
        let results = device.intersect_batch_in(&queries, 3, threads).unwrap().0;
        for (query, found) in results.iter().enumerate() {
            match query {
                6..12 => assert!(found.iter().copied().eq(7..len), "{query}"),
                _ => assert_eq!(found, [8, 9, len + 3], "{query}"),
            }
        }
    }
}

#[test]
fn results_beyond_the_first_capacity_come_back() {
    let Some((device, _turn)) = device_in_turn() else { return };
    let len = (1 << 25) + 12_345;
    let dense = PostingList::encode(&(0..len).collect::<Vec<_>>(), Codec::default()).unwrap();
    let shifted = PostingList::encode(&(7..len + 7).collect::<Vec<_>>(), Codec::ALL[0]).unwrap();
    let results = device.intersect_batch(&[vec![dense, shifted]], 0).unwrap();
    assert!(results.get(0).iter().copied().eq(7..len));
}

#[test]
fn finds_doc_indexes_of_yioop_lists() {
    let Some(_) = device() else { return };
    let mut random = Random(9);
    for postings in [0, 1, 2, 100, 3000, 4095, 4096, 4097, 30_000] {
        let mut lists = Vec::new();
        for scale in [3, 60, 3000] {
            let mut bytes = Vec::new();
            for doc_index in doc_ids(postings, scale, 0, random.next()) {
                let mut position = 0;
                let positions: Vec<u32> = (0..1 + random.below(5))
                    .map(|_| {
                        position += 1 + random.below(700) as u32;
                        position
                    })
                    .collect();
                bytes.extend(yioop::pack_posting(doc_index, &positions).unwrap());
            }
            let on_device = by_device(|settings| engine::yioop_doc_indexes(&bytes, settings)).unwrap();
            assert_eq!(on_device, yioop::doc_indexes(&bytes).unwrap(), "{postings} postings");
            lists.push(bytes);
        }
        let lists: Vec<&[u8]> = lists.iter().map(Vec::as_slice).collect();
        for lists in [&lists[..], &lists[..1], &lists[1..]] {
            let on_device = by_device(|settings| engine::yioop_intersect(lists, settings)).unwrap();
            assert_eq!(on_device, yioop::intersect_flat(lists).unwrap());
        }
    }
    let _turn = turn();
    assert!(engine::yioop_doc_indexes(&[0x80, 0, 0, 0], &settings()).is_err());
}

#[test]
fn bytes_are_counted() {
    let Some(_) = device() else { return };
    let list = PostingList::encode(&[1, 2, 3], Codec::default()).unwrap();
    let before = engine::stats();
    assert_eq!(by_device(|settings| engine::decode(&list, settings)), [1, 2, 3]);
    let after = engine::stats();
    assert!(after.bytes_to_device > before.bytes_to_device && after.bytes_from_device > before.bytes_from_device);
}

/// Stretches that each kind of partition suits, decoded and intersected in every codec.
#[test]
fn runs_bits_and_sparse_stretches() {
    let Some((device, _turn)) = device_in_turn() else { return };
    let stretches = |shift: u32| -> Vec<u32> {
        let mut doc_ids: Vec<u32> = (70 + shift..3000 + shift).collect();
        doc_ids.extend((0..40).flat_map(|run| 5000 + shift + run * 900..5000 + shift + run * 900 + 50 + 3 * run));
        doc_ids.extend((0..9000u32).filter(|i| i.wrapping_mul(2_654_435_761) >> 31 == 0).map(|i| 60_000 + i));
        doc_ids.extend((0..2000).map(|i| 100_000 + shift + i * 37 + i % 5));
        doc_ids.extend(900_000 - shift..1_000_000);
        doc_ids
    };
    let plain = [0, 1, 130, 4000].map(stretches);
    for codec in Codec::ALL {
        let lists = plain.each_ref().map(|doc_ids| PostingList::encode(doc_ids, codec).unwrap());
        for (doc_ids, list) in plain.iter().zip(&lists) {
            assert!(device.decode(list).unwrap() == *doc_ids, "{codec:?}");
        }
        let few = PostingList::encode(&plain[1].iter().copied().step_by(97).collect::<Vec<_>>(), codec).unwrap();
        let queries: Vec<Vec<PostingList>> = lists
            .iter()
            .flat_map(|list| [vec![list.clone(), lists[0].clone()], vec![few.clone(), list.clone()]])
            .collect();
        let results = device.intersect_batch(&queries, 0).unwrap();
        for (query, found) in queries.iter().zip(results.iter()) {
            let mut wanted = Vec::new();
            intersect::intersect(query, &mut wanted);
            assert!(found == wanted, "{codec:?}");
        }
    }
}
