use bitpacking::{BitPacker, BitPacker4x};
use postings::cpu::Tier;
use postings::{Codec, PostingList};
use std::time::Instant;
fn main() {
    let log: u32 = std::env::var("LOG").ok().and_then(|v| v.parse().ok()).unwrap_or(22);
    let n = 1usize << log;
    let mut seed = 1u64;
    let mut next = move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut docs = Vec::with_capacity(n);
    let mut last = 0u32;
    for _ in 0..n {
        last += 1 + (next().max(1e-18).ln() / (7.0f64 / 8.0).ln()) as u32;
        docs.push(last);
    }
    let packer = BitPacker4x::new();
    let mut packed = vec![0u8; n * 5];
    let mut meta = vec![];
    let mut at = 0;
    let mut prev = 0;
    for c in docs.chunks(128) {
        let b = packer.num_bits_sorted(prev, c);
        let w = packer.compress_sorted(prev, c, &mut packed[at..], b);
        meta.push(b);
        at += w;
        prev = c[127];
    }
    let lists: Vec<_> = Codec::ALL
        .iter()
        .map(|&c| {
            let t = Instant::now();
            let l = PostingList::encode(&docs, c).unwrap();
            println!(
                "{c:?} encode {:.0} M/s b={} bits {:.2}",
                n as f64 / t.elapsed().as_secs_f64() / 1e6,
                l.lower_width(),
                l.size() as f64 * 8.0 / n as f64
            );
            let bytes = l.to_bytes();
            let t = Instant::now();
            let _ = PostingList::from_bytes(&bytes).unwrap();
            println!("   check {:.2} ns/docID", t.elapsed().as_secs_f64() * 1e9 / n as f64);
            l
        })
        .collect();
    let mut out: Vec<u32> = Vec::with_capacity(n + 1000);
    let reps = ((1usize << 26) / n).max(1);
    for _ in 0..3 {
        let t = Instant::now();
        for _ in 0..reps {
            let (mut at, mut prev) = (0, 0);
            unsafe { out.set_len(n) };
            for (c, &b) in out.chunks_mut(128).zip(&meta) {
                at += packer.decompress_sorted(prev, &packed[at..], c, b);
                prev = c[127];
            }
        }
        let g = (n * reps) as f64 / t.elapsed().as_secs_f64() / 1e9;
        print!("bp4x {g:.2} |");
        for l in &lists {
            for tier in Tier::available() {
                let t = Instant::now();
                for _ in 0..reps {
                    out.clear();
                    l.decode_into_with(tier, &mut out);
                }
                let r = (n * reps) as f64 / t.elapsed().as_secs_f64() / 1e9;
                assert!(out == docs);
                print!(" {} {} {r:.2} ({:.2}x)", l.codec().name(), tier.name(), r / g);
            }
        }
        println!();
    }
}
