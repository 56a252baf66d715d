//! Real lists (census1881, uscensus2000 and wikileaks-noquotes of the public real-roaring-datasets): every codec,
//! look-ups and intersections, on the CPU and, if there is one, on the device that `POSTINGS_TEST_DEVICE` names (PoCL
//! by default). Uses the committed excerpts, and the full data sets if they are present.

use crate::common::skipped_in_part;
use crate::common::yioop::data;
use postings::base::cpu::Tier;
use postings::intersect::intersect_with;
use postings::{Codec, PostingList, device};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The lists of a zip file, each stored as integers separated by commas.
fn lists(path: &Path) -> Vec<Vec<u32>> {
    let mut archive = zip::ZipArchive::new(File::open(path).expect("a zip file")).expect("a zip file");
    (0..archive.len())
        .map(|at| {
            let mut text = String::new();
            archive.by_index(at).expect("a member").read_to_string(&mut text).expect("text");
            text.trim().split(',').map(|number| number.parse().expect("an integer")).collect()
        })
        .collect()
}

fn common(one: &[u32], other: &[u32]) -> Vec<u32> {
    one.iter().copied().filter(|doc_id| other.binary_search(doc_id).is_ok()).collect()
}

fn check(name: &str) {
    let name = &format!("lists/{name}");
    data(name, name).iter().for_each(|path| check_lists(name, &lists(path)));
}

fn check_lists(name: &str, plain: &[Vec<u32>]) {
    let named = std::env::var("POSTINGS_TEST_DEVICE").unwrap_or_else(|_| "portable".into());
    let device = device::select(&named).expect("a usable device");
    for codec in Codec::ALL {
        let lists: Vec<PostingList> = plain.iter().map(|list| PostingList::encode(list, codec).unwrap()).collect();
        for (doc_ids, list) in plain.iter().zip(&lists) {
            for tier in Tier::available() {
                let mut decoded = Vec::new();
                list.decode_into_with(tier, &mut decoded);
                assert_eq!(&decoded, doc_ids, "{name}, {codec:?}, {tier:?}");
            }
            assert!(PostingList::from_bytes(&list.to_bytes()).unwrap().equals(list));
            let middle = doc_ids[doc_ids.len() / 2];
            assert!(list.contains(middle));
            let next = doc_ids.get(doc_ids.partition_point(|&doc_id| doc_id <= middle)).copied();
            assert_eq!(list.next_geq(middle + 1), next);
            if let Some(device) = &device {
                assert_eq!(&device.decode(list).unwrap(), doc_ids, "{name}, {codec:?}, device");
            }
        }
        // Intersects each list with the next, and with the longest.
        let longest = (0..plain.len()).max_by_key(|&at| plain[at].len()).expect("a list");
        let pairs: Vec<[usize; 2]> =
            (0..plain.len()).flat_map(|at| [[at, (at + 1) % plain.len()], [at, longest]]).collect();
        let expected: Vec<Vec<u32>> = pairs.iter().map(|&[a, b]| common(&plain[a], &plain[b])).collect();
        let queries: Vec<Vec<PostingList>> =
            pairs.iter().map(|pair| pair.map(|at| lists[at].clone()).to_vec()).collect();
        for (query, expected) in queries.iter().zip(&expected) {
            for tier in Tier::available() {
                let mut found = Vec::new();
                intersect_with(tier, query, &mut found);
                assert_eq!(&found, expected, "{name}, {codec:?}, {tier:?}");
            }
        }
        if let Some(device) = &device {
            let results = device.intersect_batch(&queries, 0).unwrap();
            assert!(results.iter().eq(expected.iter().map(Vec::as_slice)), "{name}, {codec:?}, device");
        }
    }
    if device.is_none() {
        skipped_in_part(&format!("{name} on a device, there is no {named:?}"));
    }
}

#[test]
fn census1881() {
    check("census1881.zip");
}

#[test]
fn uscensus2000() {
    check("uscensus2000.zip");
}

#[test]
fn wikileaks_noquotes() {
    check("wikileaks-noquotes.zip");
}
