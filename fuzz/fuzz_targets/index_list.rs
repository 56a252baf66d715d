//! Reads lists out of any bytes, and out of encoded lists with changed bytes; those without changes come back as they were.
//! `cargo fuzz run index_list` (with `-s none` without a nightly compiler).

#![no_main]

mod index_support;

use index_support::edit;
use libfuzzer_sys::fuzz_target;
use postings::codec::block_buffer;
use postings::base::cpu;
use postings::index::list::{self, BlockCodec, Codecs, Decoded, List, PADDING, ListParts, Postings};
use std::hint::black_box;

/// Bytes at a multiple of 4, with the padding.
struct Section(Vec<u32>, usize);

impl Section {
    fn new(bytes: &[u8]) -> Section {
        let padded = bytes.len().next_multiple_of(4) + PADDING;
        let byte = |at: usize| bytes.get(at).copied().unwrap_or(0);
        let words = (0..padded).step_by(4).map(|at| u32::from_le_bytes(std::array::from_fn(|i| byte(at + i))));
        Section(words.collect(), padded)
    }

    fn bytes(&self) -> &[u8] {
        // SAFETY: any words are bytes, and there are as many.
        unsafe { std::slice::from_raw_parts(self.0.as_ptr().cast(), self.1) }
    }
}

fn read(section: &[u8], value: u64, documents: u32, parts: ListParts) -> Option<Decoded> {
    let mut decoded = Decoded::default();
    let result = list::decode(section, value, documents, parts, &mut decoded);
    let Ok(found) = List::find(section, value, documents, parts) else {
        assert!(result.is_err());
        return None;
    };
    let checked = found.check(documents);
    if let (List::Long(view), Ok(())) = (found, checked) {
        let mut buffer = block_buffer();
        let mut doc_ids = Vec::new();
        for block in 0..view.blocks() {
            let count = view.decode_doc_ids(cpu::tier(), block, &mut buffer);
            doc_ids.extend_from_slice(&buffer[..count]);
        }
        assert_eq!(doc_ids.len(), view.count);
        (0..view.frequencies.len()).for_each(|at| {
            black_box(view.frequencies.get(at));
        });
        if let Some(positions) = view.positions {
            (0..positions.gaps.len()).for_each(|at| {
                black_box(positions.gaps.get(at));
            });
        }
    }
    result.ok()?;
    assert!(decoded.doc_ids.is_sorted_by(|a, b| a < b));
    assert!(decoded.doc_ids.last().is_some_and(|&last| last < documents));
    Some(decoded)
}

fuzz_target!(|input: (u8, [u8; 2], u32, Vec<u8>, Vec<(u8, u8)>, Vec<(u16, u8)>)| {
    let (flags, codecs, documents, bytes, runs, edits) = input;
    let all: Vec<BlockCodec> = BlockCodec::all().collect();
    let [frequencies, positions] = codecs.map(|codec| all[codec as usize % all.len()]);
    let codecs = Codecs { frequencies, positions };
    let parts = ListParts { frequencies: flags & 1 != 0, positions: flags & 3 == 3, codecs };
    if flags & 4 != 0 {
        let section = Section::new(&bytes);
        read(section.bytes(), (flags >> 3).into(), documents % (1 << 24), parts);
        return;
    }
    // Runs of documents at the same distance.
    let (mut doc_ids, mut next) = (Vec::new(), 0u32);
    for &(gap, count) in &runs {
        for _ in 0..count {
            doc_ids.push(next + u32::from(gap));
            next += u32::from(gap) + 1;
        }
    }
    if doc_ids.is_empty() || doc_ids.len() > 4000 {
        return;
    }
    let documents = next + documents % 1000;
    let byte = |at: usize| u32::from(bytes.get(at % bytes.len().max(1)).copied().unwrap_or(0));
    let frequencies: Vec<u32> =
        if parts.frequencies { (0..doc_ids.len()).map(|at| 1 + byte(at) % 9).collect() } else { Vec::new() };
    let mut positions = Vec::new();
    if parts.positions {
        for (at, &frequency) in frequencies.iter().enumerate() {
            positions.extend((0..frequency).map(|i| i * (1 + byte(at + 1)) + byte(at)));
        }
    }
    let lengths = vec![7; documents as usize];
    let postings = Postings { doc_ids: &doc_ids, frequencies: &frequencies, positions: &positions, lengths: &lengths };
    let mut encoded = Vec::new();
    let value = list::encode(&postings, documents, codecs, 0, &mut encoded).expect("a short list");
    let is_changed = !edits.is_empty();
    edit(&mut encoded, &edits);
    let section = Section::new(&encoded);
    let decoded = read(section.bytes(), value, documents, parts);
    if !is_changed {
        assert_eq!(decoded, Some(Decoded { doc_ids, frequencies, positions }));
    }
});
