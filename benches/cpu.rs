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
    intersections();
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
fn intersections() {
    use croaring::Bitmap;
    use postings::intersect::intersect_with;
    let u = 1u64 << 26;
    let mut seed = 7u64;
    let mut list = |n: usize| {
        let mut v = std::collections::BTreeSet::new();
        let _ = &mut v;
        let mut bits = vec![0u64; (u / 64) as usize];
        let mut k = 0;
        while k < n {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            let d = (seed >> 20) % u;
            if bits[(d / 64) as usize] >> (d % 64) & 1 == 0 {
                bits[(d / 64) as usize] |= 1 << (d % 64);
                k += 1;
            }
            v = Default::default();
            let _: &std::collections::BTreeSet<u8> = &v;
        }
        let mut out = Vec::new();
        for (i, w) in bits.iter().enumerate() {
            let mut w = *w;
            while w != 0 {
                out.push(i as u32 * 64 + w.trailing_zeros());
                w &= w - 1;
            }
        }
        out
    };
    for (na, nb) in
        [(1usize << 10, 1usize << 22), (1 << 14, 1 << 22), (1 << 18, 1 << 22), (1 << 20, 1 << 22), (1 << 22, 1 << 22)]
    {
        if std::env::var("CASE").is_ok_and(|c| c != na.to_string()) {
            continue;
        }
        let (a, b) = (list(na), list(nb));
        let (ra, rb) = (Bitmap::of(&a), Bitmap::of(&b));
        let reps = (20_000_000 / na.max(40000)).clamp(5, 200);
        for _ in 0..6 {
            let t = Instant::now();
            let mut want = 0;
            for _ in 0..reps {
                want = ra.and(&rb).cardinality();
            }
            let cr = t.elapsed().as_secs_f64() / reps as f64 * 1e3;
            print!("{na}x{nb} croaring {cr:.4} ms");
            for codec in [Codec::QuasiSuccinct, Codec::Simple9] {
                let lists = [PostingList::encode(&a, codec).unwrap(), PostingList::encode(&b, codec).unwrap()];
                for tier in Tier::available() {
                    let mut out = Vec::new();
                    let t = Instant::now();
                    for _ in 0..reps {
                        out.clear();
                        intersect_with(tier, &lists, &mut out);
                    }
                    let ms = t.elapsed().as_secs_f64() / reps as f64 * 1e3;
                    assert_eq!(out.len() as u64, want);
                    print!(" | {} {} {ms:.4} ({:.2}x)", codec.name(), tier.name(), ms / cr);
                }
            }
            println!();
        }
    }
}
