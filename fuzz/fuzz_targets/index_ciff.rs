//! CIFF files of any bytes: refused, or read, and the same documents come with any memory. `cargo fuzz run index_ciff`
//! (with `-s none` without a nightly compiler).

#![no_main]

use libfuzzer_sys::fuzz_target;
use postings::interchange::ciff::read_ciff;
use std::io::Cursor;

fuzz_target!(|bytes: &[u8]| {
    let read = |memory| {
        let mut all = Vec::new();
        let counts = read_ciff(Cursor::new(bytes), "x", memory, |id, tokens| {
            // What a few bytes can ask for takes long to compare.
            all.push((id.to_id(), tokens.len(), tokens.into_iter().take(1000).collect::<Vec<_>>()));
            Ok(())
        });
        (counts, all)
    };
    let (counts, all) = read(0);
    if let Ok(counts) = counts {
        assert_eq!(counts.documents, all.len() as u64);
        assert_eq!(counts.tokens, all.iter().map(|document| document.1 as u64).sum::<u64>());
        assert_eq!(read(1 << 30), (Ok(counts), all));
    }
});
