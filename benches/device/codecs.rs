//! Every codec: its kernel, and intersections of its lists beside those of quasi-succinct ones. A program is built for
//! each codec alone, because NVIDIA's compiler takes a minute for one with all codecs.

use super::intersect::by_chunk;
use super::support::{data, report::Row};
use super::{Bench, size_name};
use postings::{Codec, PostingList, Result};

/// The three pairs of `intersect::pairs`, with both lists in the same codec: kernel times as multiples of those of
/// quasi-succinct lists. The second pair's longer list is one of the third pair.
pub fn pairs(bench: &mut Bench) -> Result<()> {
    let smaller = 28 - bench.log_max;
    let universe = 1u64 << bench.log_max;
    let logs = [10, 24, 20, 26, 26].map(|log: u32| log.saturating_sub(smaller).max(4));
    let plain = [0, 1, 2, 3, 4].map(|k| data::uniform(1 << logs[k], universe, 150 + k as u64));
    let pairs = [(0, 1), (2, 3), (3, 4)];
    let merged = pairs.map(|(a, b)| data::merge(&plain[a], &plain[b]));
    let mut of_qs = [0.0; 3];
    let others = Codec::ALL.into_iter().filter(|codec| *codec != Codec::default());
    for codec in std::iter::once(Codec::default()).chain(others) {
        let lists: Vec<PostingList> =
            plain.iter().map(|doc_ids| PostingList::encode(doc_ids, codec)).collect::<Result<_>>()?;
        for (at, (a, b)) in pairs.into_iter().enumerate() {
            let query = [vec![lists[a].clone(), lists[b].clone()]];
            let (kernel, found) = bench.kernel_time(|| bench.device.intersect_batch(&query, 0))?;
            let name = codec.name();
            let what = format!("intersection {name} {} × {}", size_name(logs[a]), size_name(logs[b]));
            assert!(found.get(0) == merged[at], "{what}: device and plain merge differ");
            if codec == Codec::default() {
                of_qs[at] = kernel;
            }
            bench.report.add(Row::new(format!("{what}: kernel"), kernel * 1e3, "ms").peer("qs", of_qs[at] * 1e3));
            let row = Row::new(format!("{what}: times qs"), kernel / of_qs[at], "×");
            bench.report.add(row.at_most(3.0).only_if(bench.full_size()));
        }
        bench.device.forget_lists()?;
    }
    Ok(())
}

/// The kernels that decode the longest list, of mean gap 8, in every codec. The part on decoding by length has more of them
/// and takes longer.
pub fn decode(bench: &mut Bench) -> Result<()> {
    let doc_ids = data::geometric(1 << bench.log_max, 8.0, 1);
    for codec in Codec::ALL {
        let list = PostingList::encode(&doc_ids, codec)?;
        let (kernel, decoded) = bench.kernel_time(|| bench.device.decode(&list))?;
        assert!(decoded == doc_ids, "{}: device and input differ", codec.name());
        let what = format!("{} {}: decode, kernel", codec.name(), size_name(bench.log_max));
        bench.report.add(Row::new(what, doc_ids.len() as f64 / kernel / 1e9, "G docIDs/s"));
        bench.device.forget_lists()?;
    }
    Ok(())
}

/// The batch of `intersect::batch` with lists in HS_LRC, in buckets of 256.
pub fn batch(bench: &mut Bench) -> Result<()> {
    let count = if bench.log_max >= 24 { 10_000 } else { 200 };
    let workload = data::workload(count);
    let queries = |codec, options: &[(&str, f64)]| -> Result<Vec<Vec<PostingList>>> {
        let encode = |doc_ids: &Vec<u32>| PostingList::encode_with(doc_ids, codec, options);
        let lists: Vec<PostingList> = workload.terms.iter().map(encode).collect::<Result<_>>()?;
        Ok(workload.queries.iter().map(|terms| terms.iter().map(|&term| lists[term].clone()).collect()).collect())
    };
    let wanted = bench.device.intersect_batch(&queries(Codec::default(), &[])?, 0)?;
    let queries = queries(Codec::HS_LRC, &[("bucket", 256.0)])?;
    let (kernel, found) = bench.kernel_time(|| Ok(bench.device.intersect_batch_in(&queries, queries.len(), 0)?.0))?;
    assert!(found == wanted, "hs_lrc: other docIDs than of qs lists");
    let whole = bench.call_time(bench.samples(), || bench.device.intersect_batch(&queries, 0))?;
    let rate = |time: f64| count as f64 / time / 1e6;
    let what = format!("batch of {count} queries, HS256_LRC");
    let rows = [
        Row::new(format!("{what}: results on the host"), rate(whole), "M queries/s")
            .at_least(1.5)
            .only_if(count == 10_000 && bench.full_size()),
        Row::new(format!("{what}: kernels alone"), rate(kernel), "M queries/s"),
    ];
    rows.into_iter().for_each(|row| bench.report.add(row));
    by_chunk(bench, &queries, count / 10, &wanted)
}
