//! How fast do lists decode and intersect on one core, compared with the best peers on the same data in the same run?
//!
//!     cargo bench --no-default-features --features lab --bench cpu [-- [--log-max 24] [--lists DIR] [--out DIR] [--quick]]
//!
//! One thread, on every tier that the processor has. Each figure is the median of alternating rounds, each ratio the
//! median of the ratios within a round. Decoding: geometric or clustered gaps, to a reused buffer, compared with
//! BitPacker4x (`decompress_sorted`, blocks of 128). Intersection: uniform docIDs, compared with CRoaring's `and`; ours
//! returns a list of docIDs, CRoaring's a bitmap. `--lists` names a folder of real lists, one per file, as numbers
//! separated by commas.
//!
//! Built with `POSTINGS_BENCH_PEER=avx2` or `scalar`, and a CRoaring that is held back to the same (`make bench-tiers` does
//! both), it measures intersections on that tier alone and writes `cpu-avx2.json` or `cpu-scalar.json`.

mod support;

use bitpacking::{BitPacker, BitPacker4x};
use croaring::{Bitmap, Portable};
use postings::base::cpu::Tier;
use postings::intersect::intersect_with;
use postings::{Codec, PostingList};
use std::path::Path;
use support::args::Args;
use support::clock::{median_of, rounds, seconds};
use support::plot::{self, Plot};
use support::report::{Report, Row};
use support::{data, machine, targets};

const USAGE: &str = "cpu [--log-max 24] [--lists DIR] [--out DIR] [--quick]";

/// The universes of the intersections: docIDs are below these.
const UNIVERSES: [u64; 2] = [61_700_000, 1 << 26];

/// The tier to which CRoaring was restricted when this was built, by name. Otherwise it uses AVX-512 if available.
const HELD_BACK: Option<&str> = option_env!("POSTINGS_BENCH_PEER");

/// The tier to which CRoaring was restricted, if any.
fn held_back() -> Option<Tier> {
    HELD_BACK
        .map(|name| Tier::ALL.iter().copied().find(|tier| tier.name() == name).expect("POSTINGS_BENCH_PEER is a tier"))
}

/// The tiers to measure intersections on: all available ones, or the one to which CRoaring was restricted.
fn intersecting_tiers() -> impl Iterator<Item = Tier> {
    Tier::available().filter(|&tier| held_back().is_none_or(|peer| tier == peer))
}

type Contestant<'a> = Box<dyn FnMut() -> u64 + 'a>;

/// The number of rounds, for turns of at most a few milliseconds and for longer ones. Turns are short so that most run
/// undisturbed even if other processes share the cores.
const ROUNDS: usize = 25;
const LONG_ROUNDS: usize = 9;

/// What all parts of this benchmark share.
struct Bench {
    quick: bool,
    report: Report,
}

fn main() {
    let args = Args::read(USAGE);
    let mut bench = Bench { quick: args.quick, report: Report::default() };
    bench.report.about = machine::about();
    bench.report.note("seed", data::SEED.to_string());
    bench.report.note("decoding", "gaps geometric; clustered: runs of 64 with mean gap 2, mean gap of all as said");
    bench.report.note("intersection", format!("uniform docIDs below {} and {}", UNIVERSES[0], UNIVERSES[1]));
    if let Some(peer) = HELD_BACK {
        bench.report.note("CRoaring", format!("held back to {peer}"));
    } else {
        bench.by_length(args.log_max.unwrap_or(24));
        bench.by_gap();
        bench.encoding(&data::geometric(1 << 20, 8.0, 8));
    }
    bench.intersections();
    if let Some(folder) = &args.lists {
        bench.real_lists(folder);
    }
    let name = HELD_BACK.map_or("cpu".to_owned(), |peer| format!("cpu-{peer}"));
    if let Err(error) = bench.report.finish(&name, &args.out) {
        eprintln!("{}: {error}", args.out.display());
        std::process::exit(1);
    }
}

/// A list encoded by BitPacker4x in sorted blocks of 128. The last block must be full.
struct Packed {
    bytes: Vec<u8>,
    widths: Vec<u8>,
}

impl Packed {
    fn new(packer: BitPacker4x, doc_ids: &[u32]) -> Packed {
        let mut bytes = vec![0; 4 * doc_ids.len() + 4 * BitPacker4x::BLOCK_LEN];
        let (mut widths, mut end, mut before) = (Vec::new(), 0, 0);
        for block in doc_ids.chunks_exact(BitPacker4x::BLOCK_LEN) {
            let width = packer.num_bits_sorted(before, block);
            end += packer.compress_sorted(before, block, &mut bytes[end..], width);
            widths.push(width);
            before = block[block.len() - 1];
        }
        Packed { bytes, widths }
    }

    fn decode(&self, packer: BitPacker4x, to: &mut [u32]) -> u64 {
        let (mut at, mut before) = (0, 0);
        for (block, &width) in to.chunks_exact_mut(BitPacker4x::BLOCK_LEN).zip(&self.widths) {
            at += packer.decompress_sorted(before, &self.bytes[at..], block, width);
            before = block[block.len() - 1];
        }
        before.into()
    }
}

impl Bench {
    fn rounds(&self, long: bool) -> usize {
        match (self.quick, long) {
            (true, _) => 3,
            (false, true) => LONG_ROUNDS,
            (false, false) => ROUNDS,
        }
    }

    /// Decodes a list with every codec and tier, and with BitPacker4x; adds a point to each curve of `plot`.
    fn decoding(&mut self, corpus: &str, doc_ids: &[u32], has_target: bool, plot: Option<(Plot, f64)>) {
        let count = doc_ids.len();
        let packer = BitPacker4x::new();
        let packed = Packed::new(packer, doc_ids);
        let lists = Codec::ALL.map(|codec| PostingList::encode(doc_ids, codec).expect("gaps below 2^28"));
        let mut plain = vec![0; count];
        let mut contestants: Vec<Contestant> = vec![Box::new(|| packed.decode(packer, &mut plain))];
        let mut entrants = Vec::new();
        for list in &lists {
            for tier in Tier::available() {
                entrants.push((list, tier));
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
        let times = rounds(self.rounds(count > 1 << 22), ((1 << 22) / count).max(1), &mut contestants);
        let rate = |seconds: &f64| count as f64 / seconds / 1e9;
        let peer = median_of(&times[0], rate);
        let mut points = vec![("BitPacker4x, CPU".to_owned(), peer)];
        for ((list, tier), ours) in entrants.into_iter().zip(&times[1..]) {
            let (codec, tier_name) = (list.codec().name(), tier.name());
            let value = median_of(ours, rate);
            let ratio = median_of(ours.iter().zip(&times[0]), |(ours, peer)| peer / ours);
            let target = targets::decoding(list.codec(), tier).filter(|_| has_target);
            let row = Row::new(format!("decode {codec} {tier_name}, {corpus}"), value, "G docIDs/s")
                .peer_with_ratio("BitPacker4x, sorted", peer, ratio)
                .ratio_at_least(target.unwrap_or_default())
                .only_if(target.is_some());
            self.report.add(row);
            points.push((format!("{codec}, CPU, {tier_name}"), value));
        }
        for list in &lists {
            let bits = 8.0 * list.size() as f64 / count as f64;
            let packed = 8.0 * packed.widths.iter().map(|&width| 1 + 16 * u64::from(width)).sum::<u64>() as f64;
            let name = format!("size {}, {corpus}", list.codec().name());
            self.report
                .add(Row::new(name, bits, "bits/docID").peer("BitPacker4x, no directory", packed / count as f64));
        }
        for (name, rate) in points {
            if let Some((plot, x)) = &plot {
                self.report.curve(plot.clone(), &name, vec![(*x, rate)]);
            }
        }
    }

    fn by_length(&mut self, log_max: u32) {
        for log in (10..=log_max).step_by(2) {
            let plot = Some((plot::decode_by_length(), f64::from(log).exp2()));
            self.decoding(&format!("2^{log}, mean gap 8"), &data::geometric(1 << log, 8.0, 8), log >= 14, plot);
        }
        let log = log_max.min(20);
        self.decoding(&format!("2^{log}, clustered, 8"), &data::clustered(1 << log, 8.0, 9), false, None);
    }

    fn by_gap(&mut self) {
        // As many docIDs as fit in 32 bits with the widest gaps.
        for log_mean in 0..=14 {
            let mean = f64::from(log_mean).exp2();
            let doc_ids = data::geometric(1 << 17, mean, 8);
            let plot = Some((plot::decode_by_gap(), mean));
            self.decoding(&format!("2^17, mean gap {mean}"), &doc_ids, false, plot);
        }
    }

    /// Encoding, and checking a list read from bytes, on the process's own tier.
    fn encoding(&mut self, doc_ids: &[u32]) {
        for codec in Codec::ALL {
            let bytes = PostingList::encode(doc_ids, codec).expect("gaps below 2^28").to_bytes();
            let count = doc_ids.len() as f64;
            let mut row = |name: &str, work: &mut dyn FnMut()| {
                let rate = median_of(0..self.rounds(true), |_| count / seconds(&mut *work).0 / 1e9);
                self.report.add(Row::new(format!("{name} {}, 2^20, mean gap 8", codec.name()), rate, "G docIDs/s"));
            };
            row("encode", &mut || drop(PostingList::encode(doc_ids, codec)));
            row("from bytes", &mut || drop(PostingList::from_bytes(&bytes)));
        }
    }

    /// A list of 2^22 docIDs and shorter ones, in two universes. In the larger universe half of CRoaring's containers
    /// for it are arrays and half are bitmaps, which CRoaring is slow to combine; in the smaller one all are bitmaps of
    /// 14.7 bits per docID.
    fn intersections(&mut self) {
        for universe in UNIVERSES {
            let longer = data::uniform(1 << 22, universe, 27);
            let plotted = universe == UNIVERSES[0];
            for log in (10..=22).step_by(2).filter(|log| plotted || [10, 18, 22].contains(log)) {
                let lists = [data::uniform(1 << log, universe, 100 + log), longer.clone()];
                let (name, most) = match log {
                    10 => ("1K × 4M".to_owned(), Some(1.0)),
                    18 => ("256K × 4M".to_owned(), Some(1.0)),
                    22 => ("4M × 4M".to_owned(), Some(1.5)),
                    log => (format!("2^{log} × 4M"), None),
                };
                let name = format!("{name} of {:.1}M", universe as f64 / 1e6);
                self.intersection(&name, &[lists], most, plotted.then_some((22 - log as i32).into()));
            }
        }
    }

    /// Intersects the lists of each pair, with every codec and tier.
    fn intersection(&mut self, name: &str, pairs: &[[Vec<u32>; 2]], most: Option<f64>, log_ratio: Option<f64>) {
        let bitmaps: Vec<[Bitmap; 2]> = pairs.iter().map(|pair| pair.each_ref().map(|list| Bitmap::of(list))).collect();
        let common: Vec<Vec<u32>> = bitmaps.iter().map(|[a, b]| a.and(b).to_vec()).collect();
        let encode = |codec| -> Vec<[PostingList; 2]> {
            let encoded = |list: &Vec<u32>| PostingList::encode(list, codec).expect("gaps below 2^28");
            pairs.iter().map(|pair| pair.each_ref().map(encoded)).collect()
        };
        let encoded = Codec::ALL.map(encode);
        let roaring = || bitmaps.iter().map(|[a, b]| a.and(b).cardinality()).sum();
        let mut contestants: Vec<Contestant> = vec![Box::new(roaring)];
        let mut entrants = Vec::new();
        for pairs in &encoded {
            for tier in intersecting_tiers() {
                entrants.push((pairs[0][0].codec(), tier));
                let mut out = Vec::new();
                for (pair, common) in pairs.iter().zip(&common) {
                    out.clear();
                    intersect_with(tier, pair, &mut out);
                    assert!(out == *common, "{} intersects wrongly", tier.name());
                }
                contestants.push(Box::new(move || {
                    let mut found = 0;
                    for pair in pairs {
                        out.clear();
                        intersect_with(tier, pair, &mut out);
                        found += out.len() as u64;
                    }
                    found
                }));
            }
        }
        let shorter: usize = pairs.iter().map(|pair| pair[0].len().min(pair[1].len())).sum();
        let times = rounds(self.rounds(shorter > 1 << 18), ((1 << 15) / shorter.max(1)).max(1), &mut contestants);
        let peer = median_of(&times[0], |seconds| seconds * 1e3);
        let merge = || pairs.iter().map(|[a, b]| data::merge(a, b).len()).sum::<usize>();
        let merged = median_of(0..self.rounds(true), |_| seconds(merge).0 * 1e3);
        self.report
            .add(Row::new(format!("intersect, plain merge of u32, {name}"), merged, "ms").peer("CRoaring and", peer));
        let mut points = vec![("CRoaring, CPU, longer list 4M".to_owned(), peer)];
        for ((codec, tier), ours) in entrants.into_iter().zip(&times[1..]) {
            let (of, tier_name) = (codec.name(), tier.name());
            let value = median_of(ours, |seconds| seconds * 1e3);
            let ratio = median_of(ours.iter().zip(&times[0]), |(ours, peer)| ours / peer);
            let most = most.filter(|_| codec == Codec::default()).and_then(|most| match (held_back(), tier) {
                (None, Tier::Avx512) => Some(most),
                (Some(_), Tier::Avx2) => Some(1.0),
                (Some(_), Tier::Scalar) => Some(1.5),
                _ => None,
            });
            let row = Row::new(format!("intersect {of} {tier_name}, {name}"), value, "ms")
                .peer_with_ratio("CRoaring and", peer, ratio)
                .ratio_at_most(most.unwrap_or_default())
                .only_if(most.is_some());
            self.report.add(row);
            if codec == Codec::default() {
                points.push((format!("{of}, CPU, {tier_name}, longer list 4M"), value));
            }
        }
        let longer: usize = pairs.iter().map(|pair| pair[1].len()).sum();
        let bits = |bytes: usize| 8.0 * bytes as f64 / longer as f64;
        let its = bitmaps.iter().map(|pair| pair[1].get_serialized_size_in_bytes::<Portable>()).sum();
        for pairs in &encoded {
            let codec = pairs[0][0].codec();
            let ours = bits(pairs.iter().map(|pair| pair[1].size()).sum());
            let row = Row::new(format!("size of the longer lists {}, {name}", codec.name()), ours, "bits/docID")
                .peer("CRoaring, serialised", bits(its))
                .ratio_at_most(0.5)
                .only_if(codec == Codec::default() && most.is_some() && HELD_BACK.is_none());
            self.report.add(row);
        }
        for (name, time) in points {
            if let Some(log_ratio) = log_ratio {
                self.report.curve(plot::intersect_by_ratio(), &name, vec![(log_ratio.exp2(), time)]);
            }
        }
    }

    /// Real lists: decodes all lists of a folder in turn, and intersects each with the next.
    fn real_lists(&mut self, folder: &Path) {
        let name = folder.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let lists = match read_lists(folder) {
            Ok(lists) if lists.len() > 1 => lists,
            Ok(_) => return self.report.note("real lists", format!("{name}: none there")),
            Err(error) => return self.report.note("real lists", format!("{name}: {error}")),
        };
        let count: usize = lists.iter().map(Vec::len).sum();
        self.report.note("real lists", format!("{name}: {} lists, {count} docIDs", lists.len()));
        for codec in Codec::ALL {
            let Ok(encoded) = lists.iter().map(|list| PostingList::encode(list, codec)).collect::<Result<Vec<_>, _>>()
            else {
                continue;
            };
            let mut out = Vec::new();
            let mut decode = || {
                for list in &encoded {
                    out.clear();
                    list.decode_into(&mut out);
                }
            };
            decode();
            let repeats = ((1 << 24) / count.max(1)).max(1);
            let time = median_of(0..self.rounds(true), |_| seconds(|| (0..repeats).for_each(|_| decode())).0);
            let rate = (count * repeats) as f64 / time / 1e9;
            self.report.add(Row::new(format!("decode {}, {name}", codec.name()), rate, "G docIDs/s"));
            let bits = 8.0 * encoded.iter().map(PostingList::size).sum::<usize>() as f64 / count as f64;
            self.report.add(Row::new(format!("size {}, {name}", codec.name()), bits, "bits/docID").peer("u32", 32.0));
        }
        let pairs: Vec<[Vec<u32>; 2]> = lists.windows(2).map(|pair| [pair[0].clone(), pair[1].clone()]).collect();
        self.intersection(&format!("{name}, {} pairs", pairs.len()), &pairs, None, None);
    }
}

fn read_lists(folder: &Path) -> std::io::Result<Vec<Vec<u32>>> {
    let mut paths: Vec<_> =
        std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    paths.sort();
    let read = |path: &std::path::PathBuf| -> std::io::Result<Vec<u32>> {
        let text = std::fs::read_to_string(path)?;
        Ok(text.split(',').filter_map(|number| number.trim().parse().ok()).collect())
    };
    paths.iter().map(read).filter(|list| !list.as_ref().is_ok_and(Vec::is_empty)).collect()
}
