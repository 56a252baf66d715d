//! How large are real, sorted, dense and run-like lists in each codec, and how fast are neighbours of them intersected,
//! compared with CRoaring on the same lists in the same run?
//!
//!     cargo bench --no-default-features --features lab --bench real [-- [--lists DIR] [--out DIR] [--quick]]
//!
//! `--lists` names the folder of zip files (census1881 and others of the public real-roaring-datasets), otherwise
//! `../shared/lists`. Each set is also taken with its documents sorted: rows in lexicographic order of the sets that they
//! are in. Generated sets: four lists of each density from 1/2 to 1/32 of 2^20 docIDs, and of runs. CRoaring's bitmaps are
//! run-optimised (the faster of that and of bitmaps as they were built counts). What is compared: a list of docIDs or a
//! `PostingList` of ours with the bitmap that `and` makes; our count with `and_cardinality`. Each result is compared with
//! CRoaring's before it is timed; each ratio is the median of the ratios within a round.

mod support;

use croaring::{Bitmap, Portable};
use postings::base::cpu::Tier;
use postings::intersect::{Count, intersect_list_with, intersect_with};
use postings::{Codec, PostingList};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use support::args::Args;
use support::clock::{median_of, rounds};
use support::data::{self, Random};
use support::machine;
use support::report::{Report, Row};

const USAGE: &str = "real [--lists DIR] [--out DIR] [--quick]";

/// The tier to which CRoaring was held back when this was built, as for the bench `cpu`. Otherwise it uses AVX-512 if
/// available, also where ours uses AVX2.
const HELD_BACK: Option<&str> = option_env!("POSTINGS_BENCH_PEER");

/// The codecs whose intersections are measured.
const CODECS: [Codec; 2] = [Codec::PartitionedEliasFano, Codec::QuasiSuccinct];

type Contestant<'a> = Box<dyn FnMut() -> u64 + 'a>;

fn main() {
    let args = Args::read(USAGE);
    let mut report = Report { about: machine::about(), ..Report::default() };
    report.note("seed", data::SEED.to_string());
    let folder = args.lists.clone().unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/lists"));
    for name in ["census1881", "uscensus2000", "wikileaks-noquotes"] {
        match lists(&folder.join(format!("{name}.zip"))) {
            Ok(lists) => {
                measure(&mut report, name, &lists, args.quick);
                measure(&mut report, &format!("{name}_srt"), &sorted(&lists), args.quick);
            }
            Err(error) => report.note("real lists", format!("{name}: {error}")),
        }
    }
    for one_in in [2, 4, 8, 16, 32] {
        let universe = 1 << 20;
        let lists: Vec<_> = (0..4).map(|i| data::uniform((universe / one_in) as usize, universe, 40 + i)).collect();
        measure(&mut report, &format!("density 1/{one_in}"), &lists, args.quick);
    }
    for (mean, between) in [(8, 24), (100, 300), (3000, 9000)] {
        let lists: Vec<_> = (0..4).map(|i| runs(mean, between, 60 + i)).collect();
        measure(&mut report, &format!("runs of {mean}, gaps of {between}"), &lists, args.quick);
    }
    let name = HELD_BACK.map_or("real".to_owned(), |peer| format!("real-{peer}"));
    if let Err(error) = report.finish(&name, &args.out) {
        eprintln!("{}: {error}", args.out.display());
        std::process::exit(1);
    }
}

/// The lists of a zip file, each stored as integers separated by commas.
fn lists(path: &Path) -> Result<Vec<Vec<u32>>, Box<dyn std::error::Error>> {
    let mut archive = zip::ZipArchive::new(File::open(path)?)?;
    let mut lists = Vec::new();
    for at in 0..archive.len() {
        let mut text = String::new();
        archive.by_index(at)?.read_to_string(&mut text)?;
        lists.push(text.trim().split(',').map(str::parse).collect::<Result<_, _>>()?);
    }
    Ok(lists)
}

/// The same sets of documents, with the documents in lexicographic order of the sets that they are in.
fn sorted(lists: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let documents = lists.iter().filter_map(|list| list.last()).max().map_or(0, |&last| last as usize + 1);
    let mut sets: Vec<Vec<u32>> = vec![Vec::new(); documents];
    for (set, list) in lists.iter().enumerate() {
        list.iter().for_each(|&document| sets[document as usize].push(set as u32));
    }
    sets.sort();
    let mut lists = vec![Vec::new(); lists.len()];
    for (document, sets) in sets.iter().enumerate() {
        sets.iter().for_each(|&set| lists[set as usize].push(document as u32));
    }
    lists
}

/// Runs of docIDs below 2^20, with these mean lengths and distances.
fn runs(mean: u64, between: u64, purpose: u64) -> Vec<u32> {
    let mut random = Random::new(purpose);
    let (mut doc_ids, mut next) = (Vec::new(), 0);
    loop {
        next += 1 + random.below(2 * between) as u32;
        let end = next + 1 + random.below(2 * mean) as u32;
        if end > 1 << 20 {
            return doc_ids;
        }
        doc_ids.extend(next..end);
        next = end;
    }
}

fn measure(report: &mut Report, name: &str, lists: &[Vec<u32>], quick: bool) {
    let count: usize = lists.iter().map(Vec::len).sum();
    let bits = |bytes: usize| 8.0 * bytes as f64 / count as f64;
    let plain: Vec<Bitmap> = lists.iter().map(|list| Bitmap::of(list)).collect();
    let mut optimised = plain.clone();
    optimised.iter_mut().for_each(|bitmap| {
        bitmap.run_optimize();
    });
    let theirs = bits(optimised.iter().map(|bitmap| bitmap.get_serialized_size_in_bytes::<Portable>()).sum());
    let mut encoded = Vec::new();
    for codec in Codec::ALL {
        // Codecs of gaps cannot code all.
        let Ok(of_codec) = lists.iter().map(|list| PostingList::encode(list, codec)).collect::<Result<Vec<_>, _>>()
        else {
            continue;
        };
        let ours = bits(of_codec.iter().map(PostingList::size).sum());
        report
            .add(Row::new(format!("size {}, {name}", codec.name()), ours, "bits/docID").peer("CRoaring, runs", theirs));
        encoded.push(of_codec);
    }
    let pairs = lists.len() - 1;
    let common: Vec<Vec<u32>> = plain.windows(2).map(|pair| pair[0].and(&pair[1]).to_vec()).collect();
    let and = |bitmaps: &[Bitmap]| bitmaps.windows(2).map(|pair| pair[0].and(&pair[1]).cardinality()).sum();
    let and_cardinality = |bitmaps: &[Bitmap]| bitmaps.windows(2).map(|pair| pair[0].and_cardinality(&pair[1])).sum();
    let mut contestants: Vec<Contestant> = vec![
        Box::new(|| and(&plain)),
        Box::new(|| and(&optimised)),
        Box::new(|| and_cardinality(&plain)),
        Box::new(|| and_cardinality(&optimised)),
    ];
    let mut entrants = Vec::new();
    for list in encoded.iter().filter(|lists| CODECS.contains(&lists[0].codec())) {
        let codec = list[0].codec().name();
        let is_measured = |tier: &Tier| HELD_BACK.map_or(*tier != Tier::Scalar, |peer| tier.name() == peer);
        for tier in Tier::available().filter(is_measured) {
            let mut out = Vec::new();
            for (pair, common) in list.windows(2).zip(&common) {
                out.clear();
                intersect_with(tier, pair, &mut out);
                assert!(out == *common, "{codec} {} intersects wrongly", tier.name());
                let mut count = Count::default();
                intersect_with(tier, pair, &mut count);
                assert_eq!(count.0 as usize, common.len(), "{codec} {} counts wrongly", tier.name());
            }
            if list[0].codec() == Codec::PartitionedEliasFano {
                for (pair, common) in list.windows(2).zip(&common) {
                    let result = intersect_list_with(tier, pair).expect("a list");
                    assert!(result.decode() == *common, "{codec} {} makes a wrong list", tier.name());
                }
                entrants.push((format!("{codec} {} to a list", tier.name()), 0));
                contestants.push(Box::new(move || {
                    list.windows(2)
                        .map(|pair| intersect_list_with(tier, pair).map_or(0, |list| list.len() as u64))
                        .sum()
                }));
            }
            entrants.push((format!("{codec} {} to docIDs", tier.name()), 0));
            contestants.push(Box::new(move || {
                list.windows(2).fold(0, |found, pair| {
                    out.clear();
                    intersect_with(tier, pair, &mut out);
                    found + out.len() as u64
                })
            }));
            entrants.push((format!("{codec} {} count", tier.name()), 2));
            contestants.push(Box::new(move || {
                let mut count = Count::default();
                list.windows(2).for_each(|pair| intersect_with(tier, pair, &mut count));
                count.0
            }));
        }
    }
    let times = rounds(if quick { 5 } else { 25 }, ((1 << 17) / count.max(1)).clamp(1, 20), &mut contestants);
    for ((what, peer), ours) in entrants.into_iter().zip(&times[4..]) {
        let peers: Vec<f64> = times[peer].iter().zip(&times[peer + 1]).map(|(one, other)| one.min(*other)).collect();
        let ratio = median_of(ours.iter().zip(&peers), |(ours, peer)| ours / peer);
        let [ours, peers] = [ours, &peers].map(|times| median_of(times, |seconds| seconds * 1e6 / pairs as f64));
        let of = if peer == 0 { "CRoaring and" } else { "CRoaring and_cardinality" };
        let row = Row::new(format!("intersect {what}, {name}"), ours, "µs/pair").peer_with_ratio(of, peers, ratio);
        report.add(row.ratio_at_most(1.0).only_if(what.starts_with("pef")));
    }
}
