//! Compares every kernel with the CPU, on PoCL or on the device that `POSTINGS_TEST_DEVICE` names.

use postings::device::{self, Device};
use postings::engine::{self, Offload, Settings};
use postings::{Codec, PostingList, intersect, yioop};
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

/// The device; if there is none, prints that the test is skipped.
fn device() -> Option<Arc<Device>> {
    let named = settings().device;
    let device = device::select(&named).expect("a usable device");
    if device.is_none() {
        // Not `eprintln!`: the harness captures its output and hides it if the test passes. One write, because other
        // tests print at the same time.
        let _ = std::io::stderr().write_all(format!("SKIPPED: no OpenCL device {named:?}\n").as_bytes());
    }
    device
}

fn settings() -> Settings {
    let device = std::env::var("POSTINGS_TEST_DEVICE").unwrap_or_else(|_| "portable".into());
    Settings { device, offload: Offload::Always, ..Settings::default() }
}

/// Runs an operation of the engine and checks that the device did it, because the engine falls back to the CPU
/// silently.
fn by_device<T>(operation: impl FnOnce(&Settings) -> T) -> T {
    // The counters belong to the whole process and tests run at the same time, so all calls of the engine here take
    // turns.
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let before = engine::stats();
    let result = operation(&settings());
    let after = engine::stats();
    assert_eq!(after.device_failures, before.device_failures, "the device failed");
    assert_eq!((after.device_calls, after.cpu_calls), (before.device_calls + 1, before.cpu_calls), "not by the device");
    result
}

/// A generator of pseudorandom numbers, the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: u64) -> u64 {
        (self.next() >> 11) % bound
    }
}

/// Up to `len` docIDs with gaps of 1 to `widest` and an occasional gap of `leap`.
fn doc_ids(len: usize, widest: u64, leap: u64, seed: u64) -> Vec<u32> {
    let mut random = Random(seed | 1);
    let mut last = random.below(widest);
    let mut doc_ids = Vec::with_capacity(len);
    while doc_ids.len() < len && last <= u64::from(u32::MAX) {
        doc_ids.push(last as u32);
        last += 1 + random.below(widest) + if random.below(100) == 0 { leap } else { 0 };
    }
    doc_ids
}

fn naive(lists: &[Vec<u32>]) -> Vec<u32> {
    let Some((first, rest)) = lists.split_first() else { return Vec::new() };
    first.iter().copied().filter(|doc_id| rest.iter().all(|list| list.binary_search(doc_id).is_ok())).collect()
}

#[test]
fn decodes_every_length() {
    let Some(device) = device() else { return };
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
fn decodes_gaps_of_every_width() {
    let Some(device) = device() else { return };
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

#[test]
fn intersects_as_the_model_does() {
    let Some(device) = device() else { return };
    device.set_profiling(true);
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
    let results = device.intersect_batch(&queries).unwrap();
    assert!(results.iter().eq(expected.iter().map(Vec::as_slice)));
    let counts = device.intersect_count_batch(&queries).unwrap();
    assert_eq!(counts, expected.iter().map(|result| result.len() as u64).collect::<Vec<_>>());
    for (lists, expected) in queries.iter().zip(&expected) {
        let lists: &Vec<PostingList> = lists;
        assert_eq!(&by_device(|settings| engine::intersect(lists, settings)), expected);
        assert_eq!(by_device(|settings| engine::intersect_count(lists, settings)), expected.len() as u64);
        let mut on_cpu = Vec::new();
        intersect::intersect(lists, &mut on_cpu);
        assert_eq!(&on_cpu, expected);
    }
    let times = device.take_kernel_times().unwrap();
    for kernel in ["intersect_probe", "intersect_tiles"] {
        assert!(times.iter().any(|time| time.kernel == kernel), "{kernel} did not run");
    }
}

#[test]
fn large_batches_come_back_in_order() {
    let Some(device) = device() else { return };
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
        let results = device.intersect_batch(&queries).unwrap();
        let counts = device.intersect_count_batch(&queries).unwrap();
        for (q, result) in results.iter().enumerate() {
            assert_eq!(result, &expected[q % 4], "query {q}");
            assert_eq!(counts[q], expected[q % 4].len() as u64);
        }
    }
}

#[test]
fn results_beyond_the_first_capacity_come_back() {
    let Some(device) = device() else { return };
    let len = (1 << 25) + 12_345;
    let dense = PostingList::encode(&(0..len).collect::<Vec<_>>(), Codec::default()).unwrap();
    let shifted = PostingList::encode(&(7..len + 7).collect::<Vec<_>>(), Codec::ALL[0]).unwrap();
    let results = device.intersect_batch(&[vec![dense, shifted]]).unwrap();
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
    let Some(device) = device() else { return };
    let stretches = |shift: u32| -> Vec<u32> {
        let mut doc_ids: Vec<u32> = (70 + shift..3000 + shift).collect();
        doc_ids.extend((0..40).flat_map(|run| 5000 + shift + run * 900..5000 + shift + run * 900 + 50 + 3 * run));
        doc_ids.extend((0..9000u64).filter(|i| i * 2_654_435_761 % (1 << 32) < 1 << 31).map(|i| 60_000 + i as u32));
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
        let results = device.intersect_batch(&queries).unwrap();
        for (query, found) in queries.iter().zip(results.iter()) {
            let mut wanted = Vec::new();
            intersect::intersect(query, &mut wanted);
            assert!(found == wanted, "{codec:?}");
        }
    }
}
