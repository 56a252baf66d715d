//! Intersections: pairs of lists of given lengths, pairs by length ratio, and a batch of queries.

use super::support::clock::{median, seconds};
use super::support::{data, plot, report::Row};
use super::{Bench, size_name};
use croaring::Bitmap;
use postings::device::Stages;
use postings::engine::{self, Offload, Settings};
use postings::list::results::Results;
use postings::{Codec, PostingList, Result};
use std::time::Duration;

fn encode(doc_ids: &[u32]) -> Result<PostingList> {
    PostingList::encode(doc_ids, Codec::default())
}

/// The three pairs that have targets, in a universe of 2^28. With a smaller `--log-max` lengths and universe shrink
/// alike.
pub fn pairs(bench: &mut Bench) -> Result<()> {
    let smaller = 28 - bench.log_max;
    let universe = 1u64 << bench.log_max;
    bench.report.note("pairs of lists", format!("uniform, universe 2^{}", bench.log_max));
    for (purpose, (short, long, target)) in [(10, 24, 0.03), (20, 26, 0.15), (26, 26, 0.45)].into_iter().enumerate() {
        let logs = [short, long].map(|log: u32| log.saturating_sub(smaller).max(4));
        let [a, b] = [0, 1].map(|k| data::uniform(1 << logs[k], universe, 100 + 2 * purpose as u64 + k as u64));
        let query = [vec![encode(&a)?, encode(&b)?]];
        let (kernel, found) = bench.kernel_time(|| bench.device.intersect_batch(&query, 0))?;
        assert!(found.get(0) == data::merge(&a, &b), "2^{short} and 2^{long}: device and plain merge differ");
        let never = bench.settings(Offload::Never);
        let mut doc_ids = Vec::new();
        let cpu = bench.call_time(bench.samples(), || {
            doc_ids = engine::intersect(&query[0], &never);
            Ok(())
        })?;
        assert!(found.get(0) == doc_ids, "2^{short} and 2^{long}: device and CPU differ");
        let whole = bench.call_time(bench.samples(), || bench.device.intersect_batch(&query, 0))?;
        let roaring = roaring_time(bench, &a, &b, doc_ids.len() as u64)?;
        let what = format!("intersection qs {} × {}", size_name(logs[0]), size_name(logs[1]));
        // The bytes of both lists, as if each were read once.
        let bytes: usize = query[0].iter().map(PostingList::size).sum();
        let rows = [
            Row::new(format!("{what}: kernel"), kernel * 1e3, "ms")
                .peer("CRoaring, one thread", roaring * 1e3)
                .at_most(target)
                .only_if(bench.full_size()),
            Row::new(format!("{what}: list bytes / kernel time"), bytes as f64 / kernel / 1e12, "TB/s")
                .peer("copy kernel", bench.ceilings.copied_bytes / 1e12),
            Row::new(format!("{what}: whole call, {} docIDs back", doc_ids.len()), whole * 1e3, "ms")
                .peer("CPU, one thread", cpu * 1e3),
        ];
        rows.into_iter().for_each(|row| bench.report.add(row));
    }
    Ok(())
}

fn roaring_time(bench: &Bench, a: &[u32], b: &[u32], common: u64) -> Result<f64> {
    let (a, b) = (Bitmap::of(a), Bitmap::of(b));
    assert_eq!(a.and(&b).cardinality(), common, "CRoaring finds others");
    bench.call_time(bench.samples(), || Ok(a.and(&b)))
}

/// One list of 2^24 docIDs with lists of 2^10 to 2^24.
pub fn by_ratio(bench: &mut Bench) -> Result<()> {
    let universe = 1u64 << bench.log_max;
    let longest = bench.log_max - 4;
    let long = encode(&data::uniform(1 << longest, universe, 200))?;
    let never = bench.settings(Offload::Never);
    let mut curves: [Vec<(f64, f64)>; 3] = Default::default();
    for log_ratio in 0..=14.min(longest) {
        let short = encode(&data::uniform(1 << (longest - log_ratio), universe, 201 + u64::from(log_ratio)))?;
        let query = [vec![short, long.clone()]];
        let (kernel, found) = bench.kernel_time(|| bench.device.intersect_batch(&query, 0))?;
        assert!(found.get(0) == engine::intersect(&query[0], &never), "1:2^{log_ratio}: device and CPU differ");
        let whole = bench.call_time(bench.samples(), || bench.device.intersect_batch(&query, 0))?;
        let cpu = bench.call_time(bench.samples(), || Ok(engine::intersect(&query[0], &never)))?;
        for (curve, time) in curves.iter_mut().zip([kernel, whole, cpu]) {
            curve.push((f64::from(log_ratio).exp2(), time * 1e3));
        }
    }
    let what = format!("longer list {}", size_name(longest));
    for (curve, how) in curves.into_iter().zip(["device, kernel", "device, whole call", "CPU beside it"]) {
        bench.report.curve(plot::intersect_by_ratio(), &format!("{how}, {what}"), curve);
    }
    Ok(())
}

/// 10,000 conjunctive queries in one call.
pub fn batch(bench: &mut Bench) -> Result<()> {
    let count = if bench.log_max >= 24 { 10_000 } else { 200 };
    let workload = data::workload(count);
    let lists: Vec<PostingList> = workload.terms.iter().map(|doc_ids| encode(doc_ids)).collect::<Result<_>>()?;
    let queries: Vec<Vec<PostingList>> =
        workload.queries.iter().map(|terms| terms.iter().map(|&term| lists[term].clone()).collect()).collect();
    // In one chunk: kernels of several run at the same time, so their times do not add up.
    let (kernel, found) = bench.kernel_time(|| Ok(bench.device.intersect_batch_in(&queries, queries.len(), 0)?.0))?;
    let never = Settings { threads: 1, ..bench.settings(Offload::Never) };
    let (cpu, on_cpu) = seconds(|| engine::intersect_batch(&queries, &never).expect("memory"));
    assert!(found == on_cpu, "a batch: device and CPU differ");
    for (terms, found) in workload.queries.iter().zip(found.iter()).step_by(count / 50) {
        let merged = terms[1..]
            .iter()
            .fold(workload.terms[terms[0]].clone(), |common, &term| data::merge(&common, &workload.terms[term]));
        assert!(found == merged, "a batch: device and plain merge differ");
    }
    let results: Vec<f64> = (2..=6)
        .map(|terms| {
            let of_these = workload.queries.iter().zip(found.iter()).filter(|(query, _)| query.len() == terms);
            let (queries, doc_ids) = of_these.fold((0, 0), |(q, d), (_, found)| (q + 1, d + found.len()));
            f64::from(doc_ids as u32) / f64::from(queries.max(1))
        })
        .collect();
    let sizes: Vec<String> = results.iter().map(|mean| format!("{mean:.0}")).collect();
    bench.report.note(
        "batch",
        format!(
            "{count} queries of 2 to 6 of {} terms, universe {}, shortest list {} docIDs on average, shorter / longer 13.6 to \
             34 %, {} docIDs found on average by 2, 3, 4, 5, 6 terms",
            lists.len(),
            data::UNIVERSE,
            data::SHORTEST,
            sizes.join(", ")
        ),
    );
    let whole = bench.call_time(bench.samples(), || bench.device.intersect_batch(&queries, 0))?;
    let alone = bench.call_time(bench.samples(), || bench.device.intersect_batch(&queries, 1))?;
    let counts = bench.call_time(bench.samples(), || bench.device.intersect_count_batch(&queries))?;
    let sent = bench.call_time(bench.samples(), || {
        bench.device.forget_lists()?;
        bench.device.intersect_batch(&queries, 0)
    })?;
    let rate = |time: f64| count as f64 / time / 1e6;
    let what = format!("batch of {count} queries");
    let peer = "CPU, one thread";
    let rows = [
        Row::new(format!("{what}: results on the host"), rate(whole), "M queries/s")
            .peer(peer, rate(cpu))
            .at_least(2.0)
            .only_if(count == 10_000 && bench.full_size()),
        Row::new(format!("{what}: one thread"), rate(alone), "M queries/s").peer(peer, rate(cpu)),
        Row::new(format!("{what}: kernels alone"), rate(kernel), "M queries/s").peer(peer, rate(cpu)),
        Row::new(format!("{what}: counts only"), rate(counts), "M queries/s").peer(peer, rate(cpu)),
        Row::new(format!("{what}: all lists sent first"), rate(sent), "M queries/s").peer(peer, rate(cpu)),
    ];
    rows.into_iter().for_each(|row| bench.report.add(row));
    for chunk in [count / 40, count / 20, count / 10, count / 5, count / 2, count] {
        by_chunk(bench, &queries, chunk, &found)?;
    }
    Ok(())
}

/// The rate of a batch in chunks of so many queries, and what the host did.
pub fn by_chunk(bench: &mut Bench, queries: &[Vec<PostingList>], chunk: usize, wanted: &Results) -> Result<()> {
    assert!(bench.device.intersect_batch_in(queries, chunk, 0)?.0 == *wanted, "chunks of {chunk}: other docIDs");
    let mut stages = Vec::new();
    let time = bench.call_time(3 * bench.samples(), || {
        let (found, spent) = bench.device.intersect_batch_in(queries, chunk, 0)?;
        stages.push(spent);
        Ok(found)
    })?;
    let of = |stage: fn(&Stages) -> Duration| {
        median(&mut stages.iter().map(|stages| stage(stages).as_secs_f64() * 1e3).collect::<Vec<_>>())
    };
    let (planning, submitting) = (of(|of| of.planning), of(|of| of.submitting));
    let (waiting, ordering) = (of(|of| of.waiting), of(|of| of.ordering));
    let what = format!("batch of {} queries, chunks of {chunk}", queries.len());
    bench.report.note(
        &what,
        format!("planning {planning:.3} ms, submitting {submitting:.3}, waiting {waiting:.3}, ordering {ordering:.3}"),
    );
    bench.report.add(Row::new(what, queries.len() as f64 / time / 1e6, "M queries/s"));
    Ok(())
}
