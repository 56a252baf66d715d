//! Statistics of any bytes, and of an index with changed bytes, with checksums that fit: what is read can be written, summed up
//! and read again, and searched by. `cargo fuzz run index_statistics` (with `-s none` without a nightly compiler).

#![no_main]

mod index_support;

use index_support::edit;
use libfuzzer_sys::fuzz_target;
use postings::Error;
use postings::search::{Index, Matching, Options, Statistics, Typos};
use std::sync::{Arc, OnceLock};

fn with_crc(mut bytes: Vec<u8>) -> Vec<u8> {
    let crc = crc32fast::hash(&bytes);
    bytes.extend(crc.to_le_bytes());
    bytes
}

fuzz_target!(|input: (u8, &str, Vec<u8>, Vec<(u16, u8)>)| {
    static INDEX: OnceLock<Index> = OnceLock::new();
    let index = INDEX.get_or_init(|| Index::open(index_support::index()).expect("it was just written"));
    let (flags, query, any, edits) = input;
    let matching = [Matching::All, Matching::Any, Matching::AllThenAny][usize::from(flags) % 3];
    let options =
        Options { matching, typos: Typos::UpTo(flags >> 2 & 1), prefix: flags & 8 != 0, total: true, ..Options::default() };
    let own = index.statistics(&[query], &options).expect("any text is a query");
    let bytes = own.to_bytes();
    assert_eq!(Statistics::from_bytes(&bytes).as_ref(), Ok(&own));
    // Its own statistics change nothing, once all stems are told of.
    let by = |statistics| Options { statistics: Some(Arc::new(statistics)), ..options.clone() };
    let again = index.statistics(&[query], &by(own.clone())).expect("of the same index");
    assert_eq!(index.search(query, &by(again)), index.search(query, &options));
    let mut changed = bytes[..bytes.len() - 4].to_vec();
    edit(&mut changed, &edits);
    for bytes in [with_crc(changed), with_crc([&b"PSTA\x01"[..], &any].concat()), any] {
        let Ok(read) = Statistics::from_bytes(&bytes) else { continue };
        assert_eq!(read.to_bytes(), bytes);
        let Ok(sum) = Statistics::sum([&own, &read]) else { continue };
        assert_eq!(Statistics::from_bytes(&sum.to_bytes()).as_ref(), Ok(&sum));
        for statistics in [read, sum] {
            match index.search(query, &by(statistics.clone())) {
                Ok(found) => assert!(found.hits.iter().all(|hit| !hit.score.is_nan())),
                Err(error) => assert!(matches!(error, Error::Statistics(_)), "{error}"),
            }
            assert!(index.statistics(&[query], &by(statistics)).is_ok());
        }
    }
});
