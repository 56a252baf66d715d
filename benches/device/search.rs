//! The searches of the papers on uncompressed lists, beside what the engine uses: Ao et al. (PVLDB 4(8), 2011), figures 5
//! and 6, and Ding et al. (WWW 2009), figure 6. Times of kernels, from events, unless it says otherwise.

use super::support::clock::{median, seconds};
use super::support::{data, report::Row};
use super::{Bench, size_name};
use postings::lab::device_search::{Aids, DeviceSearch, Gathering, Line};
use postings::lab::locate::LrRange;
use postings::lab::para::Para;
use postings::list::results::Results;
use postings::{Codec, PostingList, Result};

/// The line of docIDs relative to `base`, with its safe range.
fn line(doc_ids: &[u32], base: u32) -> Line {
    let line = LrRange::of(doc_ids, base);
    Line { slope: line.slope, low: line.intercept - line.left, high: line.intercept + line.right + 1 }
}

/// The median seconds that all kernels of a call take together, after a first call whose result is returned.
fn kernels_time(bench: &Bench, call: impl Fn() -> Result<Results>) -> Result<(f64, Results)> {
    let found = call()?;
    bench.device.set_profiling(true);
    let mut times = Vec::new();
    for _ in 0..bench.samples() {
        bench.device.take_kernel_times()?;
        drop(call()?);
        times.push(bench.device.take_kernel_times()?.iter().map(|time| time.nanoseconds as f64 * 1e-9).sum());
    }
    bench.device.set_profiling(false);
    Ok((median(&mut times), found))
}

/// Ding's figure 6: two uncompressed lists of equal length, with 0 to 4 levels of splitters, in ns per docID of one.
pub fn by_levels(bench: &mut Bench) -> Result<()> {
    for log in [13, 16, 19, 22, 24].into_iter().filter(|&log| log + 2 <= bench.log_max) {
        let count = 1 << log;
        let [a, b] = [0, 1].map(|k| data::uniform(count, count as u64 * 4, 400 + 2 * u64::from(log) + k));
        let wanted = data::merge(&a, &b);
        for (codec, what) in [(Codec::Raw, "raw"), (Codec::default(), "qs")] {
            let query = [vec![PostingList::encode(&a, codec)?, PostingList::encode(&b, codec)?]];
            let nanoseconds = |time: f64| time * 1e9 / count as f64;
            let (ours, found) = kernels_time(bench, || bench.device.intersect_batch(&query, 0))?;
            assert!(found.get(0) == wanted, "{what}: device and plain merge differ");
            let name = |what: &str| format!("{0} × {0}, kernels, per docID of one list: {what}", size_name(log));
            bench.report.add(Row::new(name(&format!("the engine's, {what}")), nanoseconds(ours), "ns"));
            if codec != Codec::Raw {
                continue;
            }
            for search in DeviceSearch::ALL {
                let aids = Aids::of(search, &query[0], line);
                let call = || bench.device.search_batch(&query, &aids, Gathering::Reserve);
                let (time, found) = kernels_time(bench, call)?;
                assert!(found.get(0) == wanted, "{}: device and plain merge differ", search.name());
                bench.report.add(
                    Row::new(name(search.name()), nanoseconds(time), "ns").peer("the engine's", nanoseconds(ours)),
                );
            }
        }
    }
    Ok(())
}

/// Queries shaped as Ao's table 4, with lists in a codec.
fn queries(workload: &data::Workload, codec: Codec, options: &[(&str, f64)]) -> Result<Vec<Vec<PostingList>>> {
    let encode = |doc_ids: &Vec<u32>| PostingList::encode_with(doc_ids, codec, options);
    let lists: Vec<PostingList> = workload.terms.iter().map(encode).collect::<Result<_>>()?;
    Ok(workload.queries.iter().map(|terms| terms.iter().map(|&term| lists[term].clone()).collect()).collect())
}

/// One batch of queries: each search with both ways of gathering, and the engine's batches of raw and of qs lists.
pub fn batch(bench: &mut Bench) -> Result<()> {
    let count = if bench.log_max >= 24 { 10_000 } else { 200 };
    let workload = data::workload(count);
    let of_qs = queries(&workload, Codec::default(), &[])?;
    let (_, wanted) = kernels_time(bench, || bench.device.intersect_batch(&of_qs, 0))?;
    let rate = |time: f64| count as f64 / time / 1e6;
    type Call<'c> = &'c dyn Fn(&Bench) -> Result<Results>;
    // The kernels of several chunks run at the same time, so those of one are timed.
    let row_of = |bench: &mut Bench, what: String, in_one: Call, call: Call| -> Result<()> {
        let (kernels, found) = kernels_time(bench, || in_one(bench))?;
        assert!(found == wanted, "{what}: other docIDs than the engine's with qs lists");
        let whole = bench.call_time(bench.samples(), || call(bench))?;
        bench.report.add(Row::new(format!("{count} queries, {what}: kernels"), rate(kernels), "M queries/s"));
        bench.report.add(Row::new(format!("{count} queries, {what}: results on the host"), rate(whole), "M queries/s"));
        Ok(())
    };
    let row = |bench: &mut Bench, what: String, call: Call| row_of(bench, what, call, call);
    let engines = |bench: &mut Bench, what: &str, queries: &[Vec<PostingList>]| {
        let in_one = |bench: &Bench| Ok(bench.device.intersect_batch_in(queries, queries.len(), 0)?.0);
        row_of(bench, format!("the engine's, {what}"), &in_one, &|bench| bench.device.intersect_batch(queries, 0))
    };
    engines(bench, "qs", &of_qs)?;
    for bucket in [16, 32, 64, 128, 256] {
        let of_raw = queries(&workload, Codec::Raw, &[("bucket", f64::from(bucket))])?;
        engines(bench, &format!("raw, HS{bucket}"), &of_raw)?;
        for search in DeviceSearch::ALL {
            if bucket != 16 && search != DeviceSearch::HashSegmentation {
                continue;
            }
            let name = match search {
                DeviceSearch::HashSegmentation => format!("HS{bucket}"),
                _ => search.name().into(),
            };
            let aids = Aids::of(search, of_raw.iter().flatten(), line);
            for gathering in [Gathering::Scan, Gathering::Reserve] {
                let call = |bench: &Bench| bench.device.search_batch(&of_raw, &aids, gathering);
                row(bench, format!("{name}, {gathering:?}"), &call)?;
            }
        }
    }
    Ok(())
}

/// Answers a batch.
type Answer = Box<dyn Fn(&Bench, &[Vec<PostingList>]) -> Result<Results>>;

/// PARA: a stream of queries in batches whose shortest lists have c docIDs or more together. Throughput is that of the
/// whole stream; the response time is that of a batch (as in Ao et al.), the mean over queries. Whole calls.
pub fn batches(bench: &mut Bench) -> Result<()> {
    let count = if bench.log_max >= 24 { 10_000 } else { 200 };
    let workload = data::workload(count);
    let of_raw = queries(&workload, Codec::Raw, &[])?;
    let of_qs = queries(&workload, Codec::default(), &[])?;
    let search = |search, gathering| -> Answer {
        let aids = Aids::of(search, [], line);
        Box::new(move |bench, batch| bench.device.search_batch(batch, &aids, gathering))
    };
    let ways: [(&str, &[Vec<PostingList>], Answer); 6] = [
        ("BS, scan", &of_raw, search(DeviceSearch::Binary, Gathering::Scan)),
        ("BS, reserve", &of_raw, search(DeviceSearch::Binary, Gathering::Reserve)),
        ("HS16, scan", &of_raw, search(DeviceSearch::HashSegmentation, Gathering::Scan)),
        ("HS16, reserve", &of_raw, search(DeviceSearch::HashSegmentation, Gathering::Reserve)),
        ("the engine's, raw", &of_raw, Box::new(|bench, batch| bench.device.intersect_batch(batch, 0))),
        ("the engine's, qs", &of_qs, Box::new(|bench, batch| bench.device.intersect_batch(batch, 0))),
    ];
    let found = |of: &Results| of.iter().map(<[u32]>::len).sum::<usize>();
    let all = bench.device.intersect_batch(&of_qs, 0)?;
    for threshold in (13..=21).map(|log| 1usize << log) {
        let c = size_name(threshold.ilog2());
        // Small batches are slow, so the stream is shorter: about 200 of them, and no fewer than 1,000 queries.
        let count = (200 * threshold / data::SHORTEST as usize).clamp(count.min(1000), count);
        let wanted: usize = all.iter().take(count).map(<[u32]>::len).sum();
        for (name, stream, way) in &ways {
            let (mut rates, mut responses) = (Vec::new(), Vec::new());
            // The first round makes lists resident and builds programs.
            for round in 0..=bench.samples() {
                let (mut response, mut doc_ids) = (0.0, 0);
                let mut answer = |bench: &Bench, batch: Vec<Vec<PostingList>>| -> Result<()> {
                    let (time, results) = seconds(|| way(bench, &batch));
                    response += time * batch.len() as f64;
                    doc_ids += found(&results?);
                    Ok(())
                };
                let (time, answered) = seconds(|| -> Result<()> {
                    let mut queue = Para::new(threshold);
                    for query in &stream[..count] {
                        if let Some(batch) = queue.push(query.clone()) {
                            answer(bench, batch)?;
                        }
                    }
                    answer(bench, queue.take())
                });
                answered?;
                assert!(doc_ids == wanted, "{name}, c = {c}: {doc_ids} docIDs for {wanted}");
                if round > 0 {
                    rates.push(count as f64 / time);
                    responses.push(response / count as f64);
                }
            }
            let row = |what: &str| format!("batches of c = {c}, {name}: {what}");
            bench.report.add(Row::new(row("throughput"), median(&mut rates) / 1e3, "K queries/s"));
            bench.report.add(Row::new(row("response"), median(&mut responses) * 1e3, "ms"));
        }
    }
    Ok(())
}
