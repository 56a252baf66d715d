//! How fast do lists decode and intersect on one core, beside the best peers on the same data in the same run?
//!
//! `cargo bench --no-default-features --bench cpu [-- [--max-log N] [--json FILE]]`: corpora of up to 2^N docIDs
//! (default 24); the rows also as a JSON list. One thread. Each figure is the median of alternating rounds, each ratio
//! the median of the ratios within a round.
//!
//! Decoding: geometric gaps of mean 8 (and, for each lower width, others) to a reused buffer, against BitPacker4x
//! (`decompress_sorted`, blocks of 128). Intersection: uniform docIDs below 2^26, against CRoaring's `and`, into a list of
//! docIDs (ours) or a bitmap (its).

mod support;

use bitpacking::{BitPacker, BitPacker4x};
use croaring::{Bitmap, Portable};
use postings::cpu::Tier;
use postings::intersect::intersect_with;
use postings::{Codec, PostingList};
use std::time::Instant;
use support::{Row, Target, geometric, median, rounds, uniform};

const ROUNDS: usize = 9;

type Contestant<'a> = Box<dyn FnMut() -> u64 + 'a>;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let option = |name: &str| arguments.iter().position(|a| a == name).and_then(|at| arguments.get(at + 1));
    let max_log: u32 = option("--max-log").and_then(|text| text.parse().ok()).unwrap_or(24);
    println!("{}; bitpacking 0.9, croaring 2; seeds 8 (decoding), 26 and 27 (intersection)\n", support::processor());
    let mut rows = Vec::new();
    for log in [14, 20, 24, 27].into_iter().filter(|&log| log <= max_log) {
        decoding(&format!("2^{log}, mean gap 8"), &geometric(1 << log, 8.0, 8), true, &mut rows);
    }
    for (name, mean) in [("1.1", 1.1), ("3", 3.0), ("50", 50.0), ("1000", 1000.0)] {
        decoding(&format!("2^20, mean gap {name}"), &geometric(1 << 20, mean, 8), false, &mut rows);
    }
    encoding(&geometric(1 << 20, 8.0, 8), &mut rows);
    for (shorter, longer, name, most) in [
        (1 << 10, 1 << 22, "1K × 4M", Some(1.0)),
        (1 << 14, 1 << 22, "16K × 4M", None),
        (1 << 18, 1 << 22, "256K × 4M", Some(1.0)),
        (1 << 20, 1 << 22, "1M × 4M", None),
        (1 << 22, 1 << 22, "4M × 4M", Some(1.5)),
    ] {
        let lists = [uniform(shorter, 1 << 26, 26), uniform(longer, 1 << 26, 27)];
        intersection(name, &lists, most, &mut rows);
    }
    support::print(&rows);
    if let Some(file) = option("--json") {
        let rows: Vec<_> = rows.iter().map(Row::json).collect();
        let text = serde_json::to_string_pretty(&rows).expect("rows are plain values");
        std::fs::write(file, text + "\n").unwrap_or_else(|error| panic!("{file}: {error}"));
    }
}

fn decoding(corpus: &str, doc_ids: &[u32], has_target: bool, rows: &mut Vec<Row>) {
    let count = doc_ids.len();
    let packer = BitPacker4x::new();
    let (mut packed, mut widths, mut end, mut before) = (vec![0; 4 * count + 4 * BitPacker4x::BLOCK_LEN], vec![], 0, 0);
    for block in doc_ids.chunks(BitPacker4x::BLOCK_LEN) {
        let width = packer.num_bits_sorted(before, block);
        end += packer.compress_sorted(before, block, &mut packed[end..], width);
        widths.push(width);
        before = block[block.len() - 1];
    }
    let lists = Codec::ALL.map(|codec| PostingList::encode(doc_ids, codec).expect("gaps below 2^28"));
    let mut plain = vec![0; count];
    let mut contestants: Vec<Contestant> = vec![Box::new(|| {
        let (mut at, mut before) = (0, 0);
        for (block, &width) in plain.chunks_mut(BitPacker4x::BLOCK_LEN).zip(&widths) {
            at += packer.decompress_sorted(before, &packed[at..], block, width);
            before = block[block.len() - 1];
        }
        before.into()
    })];
    let mut names = Vec::new();
    for list in &lists {
        for tier in Tier::available() {
            let target = match (list.codec(), tier) {
                (Codec::QuasiSuccinct, Tier::Avx512) => 1.0,
                (Codec::QuasiSuccinct, Tier::Avx2) => 0.6,
                (Codec::QuasiSuccinct, Tier::Scalar) => 0.3,
                (Codec::Simple9, Tier::Avx512) => 0.8,
                (Codec::Simple9, Tier::Avx2) => 0.6,
                (Codec::Simple9, Tier::Scalar) => 0.4,
            };
            let bits = 8.0 * list.size() as f64 / count as f64;
            names.push((format!("decode {} {} {corpus} ({bits:.1} bits)", list.codec().name(), tier.name()), target));
            let mut out = Vec::with_capacity(count + 64);
            list.decode_into_with(tier, &mut out);
            assert!(out == doc_ids, "{} decodes wrongly", tier.name());
            contestants.push(Box::new(move || {
                out.clear();
                list.decode_into_with(tier, &mut out);
                out.len() as u64
            }));
        }
    }
    let seconds = rounds(ROUNDS, ((1 << 24) / count).max(1), &mut contestants);
    let rate = |seconds: &f64| count as f64 / seconds / 1e9;
    for ((name, target), ours) in names.into_iter().zip(&seconds[1..]) {
        rows.push(Row {
            name,
            value: median(ours.iter().map(rate)),
            unit: "G docIDs/s",
            peer: Some(("BitPacker4x".into(), median(seconds[0].iter().map(rate)))),
            ratio: Some(median(ours.iter().zip(&seconds[0]).map(|(ours, peer)| peer / ours))),
            target: has_target.then_some(Target::AtLeast(target)),
        });
    }
}

/// Encoding, and the checks of a list that comes as bytes, by the process's own tier.
fn encoding(doc_ids: &[u32], rows: &mut Vec<Row>) {
    for codec in Codec::ALL {
        let bytes = PostingList::encode(doc_ids, codec).expect("gaps below 2^28").to_bytes();
        let mut row = |name: &str, work: &mut dyn FnMut()| {
            let rates = (0..ROUNDS).map(|_| {
                let start = Instant::now();
                work();
                doc_ids.len() as f64 / start.elapsed().as_secs_f64() / 1e9
            });
            let name = format!("{name} {} 2^20, mean gap 8", codec.name());
            rows.push(Row { name, value: median(rates), unit: "G docIDs/s", peer: None, ratio: None, target: None });
        };
        row("encode", &mut || drop(PostingList::encode(doc_ids, codec)));
        row("from bytes", &mut || drop(PostingList::from_bytes(&bytes)));
    }
}

fn intersection(name: &str, lists: &[Vec<u32>; 2], most: Option<f64>, rows: &mut Vec<Row>) {
    let bitmaps = lists.each_ref().map(|list| Bitmap::of(list));
    let common = bitmaps[0].and(&bitmaps[1]).to_vec();
    let encoded =
        Codec::ALL.map(|codec| lists.each_ref().map(|list| PostingList::encode(list, codec).expect("codable")));
    let mut contestants: Vec<Contestant> = vec![Box::new(|| bitmaps[0].and(&bitmaps[1]).cardinality())];
    let mut names = Vec::new();
    for lists in &encoded {
        for tier in Tier::available() {
            let codec = lists[0].codec();
            let target = most.filter(|_| codec == Codec::QuasiSuccinct && tier == Tier::Avx512);
            names.push((format!("intersect {} {} {name}", codec.name(), tier.name()), target));
            let mut out = Vec::new();
            intersect_with(tier, lists, &mut out);
            assert!(out == common, "{} intersects wrongly", tier.name());
            contestants.push(Box::new(move || {
                out.clear();
                intersect_with(tier, lists, &mut out);
                out.len() as u64
            }));
        }
    }
    let seconds = rounds(ROUNDS, ((1 << 18) / lists[0].len()).max(3), &mut contestants);
    for ((name, target), ours) in names.into_iter().zip(&seconds[1..]) {
        rows.push(Row {
            name,
            value: median(ours.iter().map(|seconds| seconds * 1e3)),
            unit: "ms",
            peer: Some(("CRoaring and".into(), median(seconds[0].iter().map(|seconds| seconds * 1e3)))),
            ratio: Some(median(ours.iter().zip(&seconds[0]).map(|(ours, peer)| ours / peer))),
            target: target.map(Target::AtMost),
        });
    }
    let bits = |bytes: usize| 8.0 * bytes as f64 / lists[1].len() as f64;
    let ours = bits(encoded[1][1].size());
    let its = bits(bitmaps[1].get_serialized_size_in_bytes::<Portable>());
    rows.push(Row {
        name: format!("size of the longer list of {name}, qs"),
        value: ours,
        unit: "bits/docID",
        peer: Some(("CRoaring, serialised".into(), its)),
        ratio: Some(ours / its),
        target: Some(Target::AtMost(0.5)),
    });
}
