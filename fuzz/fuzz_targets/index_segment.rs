//! Changes bytes of a segment, dictionaries more often than the rest, puts all checksums right, and reads everything.
//! `cargo fuzz run index_segment` (with `-s none` without a nightly compiler).

#![no_main]

mod index_support;

use index_support::{crc32c, edit, folder, index, put_crc, schema, u64_at};
use libfuzzer_sys::fuzz_target;
use postings::base::cpu::tier;
use postings::base::earth::Point;
use postings::base::earth::area::{Area, Circle};
use postings::index::Snapshot;
use postings::index::list::Decoded;
use postings::index::segment::{Candidates, Dictionary, Segment, SegmentMeta, Union, Words};
use postings::vector::Query;
use std::hint::black_box;
use std::ops::Range;
use std::sync::{Arc, Once, OnceLock};

const TAIL: usize = 24;
const ROW: usize = 24;
const CHUNK: usize = 16 << 10;
const DICTIONARY: u8 = 1;
/// A dictionary after a head of eight bytes, with a checksum of its own at its end.
const WORDS: u8 = 10;
/// Dictionaries after a table.
const FREQUENT: u8 = 13;

struct Sample {
    meta: SegmentMeta,
    bytes: Vec<u8>,
    body: usize,
    /// Where dictionaries are.
    dictionaries: Vec<usize>,
    /// Those of words.
    words: Vec<Range<usize>>,
}

fn sample() -> &'static Sample {
    static SAMPLE: OnceLock<Sample> = OnceLock::new();
    SAMPLE.get_or_init(|| {
        let snapshot = Snapshot::open(index()).expect("it was just written");
        let segment = &snapshot.parts()[0].segment;
        let bytes = std::fs::read(segment.path()).expect("it is there");
        let tail = bytes.len() - TAIL;
        let body = tail - u64_at(&bytes, tail) as usize;
        let (mut dictionaries, mut words) = (Vec::new(), Vec::new());
        let sections = u32::from_le_bytes(std::array::from_fn(|i| bytes[body + i])) as usize;
        for row in (0..sections).map(|i| body + ROW + i * ROW) {
            if [DICTIONARY, WORDS, FREQUENT].contains(&bytes[row]) {
                let begin = u64_at(&bytes, row + 8) as usize;
                let end = begin + u64_at(&bytes, row + 16) as usize;
                dictionaries.extend(begin..end);
                words.extend((bytes[row] == WORDS).then_some(begin + 8..end));
            }
        }
        Sample { meta: segment.meta(), bytes, body, dictionaries, words }
    })
}

/// `fst` panics where nodes are not where they should be, which is caught. The fuzzer would end at any panic.
fn let_fst_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let other = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !info.location().is_some_and(|location| location.file().contains("/fst-0")) {
                other(info);
            }
        }));
    });
}

/// Goes through a dictionary in all ways.
fn walk(dictionary: &Dictionary) -> postings::Result<()> {
    let mut all = dictionary.terms()?;
    let mut terms = Vec::new();
    while let Some((term, value, ())) = all.next()? {
        terms.push((term.to_vec(), value));
    }
    for (term, value) in terms.iter().step_by(7) {
        black_box((dictionary.get(term)?, dictionary.term_of(*value)?, dictionary.from(term)?.next()?));
    }
    let mut all = Union::of([dictionary, dictionary])?;
    while all.next()?.is_some() {}
    Ok(())
}

fuzz_target!(|input: (Vec<(u16, u8)>, Vec<(u16, u8)>, Vec<(u16, u8)>, u16, Vec<u8>)| {
    let_fst_panic();
    let sample = sample();
    let (edits, in_dictionaries, in_footer, place, replaced) = input;
    let is_whole = edits.is_empty() && in_dictionaries.is_empty() && in_footer.is_empty() && replaced.is_empty();
    let mut bytes = sample.bytes.clone();
    let (body, tail) = (sample.body, bytes.len() - TAIL);
    let checksums = tail - 4 * body.div_ceil(CHUNK);
    for (place, byte) in edits {
        // Any place is reached by 16 bits.
        let at = usize::from(place) * bytes.len() / 65536;
        bytes[at] = byte;
    }
    for (place, byte) in in_dictionaries {
        bytes[sample.dictionaries[usize::from(place) * sample.dictionaries.len() / 65536]] = byte;
    }
    edit(&mut bytes[body..checksums], &in_footer);
    for (at, byte) in (usize::from(place) * body / 65536..body).zip(replaced) {
        bytes[at] = byte;
    }
    for words in &sample.words {
        let (map, checksum) = bytes[words.clone()].split_at_mut(words.len() - 4);
        checksum.copy_from_slice(&(crc32c(map).rotate_right(15).wrapping_add(0xa282_ead8)).to_le_bytes());
    }
    for (chunk, at) in (0..body.div_ceil(CHUNK)).zip((checksums..).step_by(4)) {
        let crc = crc32fast::hash(&bytes[chunk * CHUNK..((chunk + 1) * CHUNK).min(body)]);
        bytes[at..at + 4].copy_from_slice(&crc.to_le_bytes());
    }
    let footer_crc = put_crc(&mut bytes[body..tail + 12]);
    let path = folder().join("forged.segment");
    std::fs::write(&path, &bytes).expect("there is room");
    let opened = Segment::open(&path, &SegmentMeta { footer_crc, ..sample.meta }, Arc::new(schema()));
    assert!(opened.is_ok() || !is_whole);
    let Ok(segment) = opened else { return };
    for doc in 0..segment.documents() {
        let _ = black_box((segment.id(doc), segment.ordinal(doc)));
    }
    // These take longer: a block is decompressed for each value, a bucket of ids read for each id.
    for doc in (0..segment.documents()).step_by(61) {
        let _ = black_box(segment.stored(doc));
        let _ = segment.id(doc).and_then(|id| black_box(segment.find(&id)));
    }
    let _ = black_box(segment.ordinals());
    let mut decoded = Decoded::default();
    for field in [0, 1, 2, 7] {
        let _ = black_box(segment.lengths(field));
        if let Ok(Some(words)) = segment.words(field) {
            let _ = walk(words.map());
            black_box(Words::documents(u64::from(place)));
        }
        for level in segment.frequent(field).into_iter().flatten() {
            black_box(level.least());
            let _ = walk(level.words());
        }
        let Ok(dictionary) = segment.dictionary(field) else { continue };
        let _ = walk(dictionary);
        let Ok(mut terms) = dictionary.terms() else { continue };
        while let Ok(Some((_, value, ()))) = terms.next() {
            let _ = black_box(segment.documents_with(field, value));
            let _ = black_box(segment.list(field, value, true, &mut decoded));
            if segment.decode(field, value, &mut decoded).is_ok() {
                assert!(decoded.doc_ids.is_sorted_by(|a, b| a < b));
                assert!(decoded.doc_ids.last().is_some_and(|&last| last < segment.documents()));
            }
        }
    }
    for field in 3..5 {
        if let Ok(column) = segment.column(field) {
            (0..=segment.documents()).for_each(|doc| {
                black_box((column.get(doc), column.greatest(doc), column.all_of(doc).count()));
            });
            column.add_between(3.0, 90.0, &mut vec![0; segment.documents().div_ceil(64) as usize]);
        }
    }
    let around = Point::new(10.0, 20.0).and_then(|point| Circle::new(point, 5e6)).expect("a circle");
    if let Ok(points) = segment.points(5) {
        let area = Area::Circle(around);
        let _ = black_box((points.expected(&area), points.all()));
        for part in points.candidates(&area).iter().flatten().flat_map(Candidates::parts) {
            let _ = points.for_each(&part, &area, |doc| assert!(doc < segment.documents()));
        }
    }
    for field in [6, 8] {
        let Ok(column) = segment.vectors(field) else { continue };
        let query = Query::new(column.shape(), &[1.0, -0.5, 3.0, 0.0, 2.5, 1.0, -1.0]).expect("there is memory");
        if let Ok(Some(clusters)) = segment.clusters(field)
            && let Ok(rows) = clusters.probed(&query, 3)
        {
            assert!(rows.iter().all(|&row| row < column.rows()));
        }
        let _ = column.add_present(&mut vec![0; segment.documents().div_ceil(64) as usize]);
        for row in 0..=column.rows() {
            assert!(column.doc(row).is_none_or(|doc| doc < segment.documents()));
            let _ = black_box((column.row_of(row as u32), column.vector(row).map(|vector| query.closeness(tier(), vector))));
        }
        let Ok(codes) = column.codes() else { continue };
        let mut bounds = vec![0.0; column.rows()];
        query.coarse(tier(), codes.coarse(0..column.rows()), &mut Vec::new(), &mut bounds);
        for row in 0..column.rows() {
            let (of_row, factor, norm) = codes.fine(row);
            assert!(!query.fine(tier(), of_row, factor, norm).is_nan() && !bounds[row].is_nan());
        }
    }
});
