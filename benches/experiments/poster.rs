//! Milliseconds per query at the size of GOV2: the poster of Ding et al. 2008, table 1.

use super::compressed::by_merges;
use crate::corpora::shaped::Shape;
use crate::harness::context::{Context, codec_of};
use crate::harness::outcome::{Cell, Outcome, Table};
use crate::harness::{Experiment, Failure};
use postings::base::cpu;
use postings::intersect::intersect;
use postings::lab::meet::Meet;
use postings::{Codec, PostingList};

pub const EXPERIMENT: Experiment = Experiment {
    name: "poster",
    title: "Queries at the size of GOV2",
    question: "With 3.74 million postings per query, how long does it take to decode all lists and then to intersect them, \
               and how long if blocks are skipped?",
    redraws: &[("ding-2008", "table 1")],
    why: "Decoding everything first was the poster's simplification; it moves every posting through memory twice. \
          Decoding gained most from fifteen years of vector instructions, a merge of lists with many common docIDs \
          least, so on a CPU thread the two have come level, where the poster's decoding took four fifths. A GPU's \
          advantage in decoding has grown with its memory's (see decoding by list length). Intersecting compressed \
          lists directly, with skipping, takes less time than decoding them all.",
    run,
};

fn run(context: &Context) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    let corpus = Shape::gov2(context.quick()).corpus();
    // Queries of all sizes: every fifth by their number of postings.
    let postings = |query: &&Vec<usize>| query.iter().map(|&list| corpus.lists[list].len()).sum::<usize>();
    let mut queries: Vec<&Vec<usize>> = corpus.queries.iter().collect();
    queries.sort_by_key(postings);
    let queries: Vec<&Vec<usize>> = queries.into_iter().skip(2).step_by(5).collect();
    let mean =
        queries.iter().map(|query| query.iter().map(|&list| corpus.lists[list].len()).sum::<usize>()).sum::<usize>()
            / queries.len();
    outcome.note(format!(
        "{} {} queries are timed, with {mean} postings on average.",
        corpus.describe(),
        queries.len()
    ));
    let n = queries.len() as f64;
    let expected: Vec<Vec<u32>> = queries.iter().map(|query| by_merges(&corpus, query)).collect();
    let mut table = Table::new(
        "Milliseconds per query",
        [
            "codec",
            "CPU: decoding all",
            "CPU: intersection, with skipping",
            "device: decoding all, kernels",
            "device: intersection, kernels",
            "decoding, CPU / device",
        ],
    );
    let mut rice = None;
    // Two codecs at a time would not fit on small devices; each is encoded alone.
    for codec in [Some(Codec::default()), codec_of("Rice"), codec_of("PForDelta")].into_iter().flatten() {
        let encode =
            |query: &&Vec<usize>| query.iter().map(|&list| PostingList::encode(&corpus.lists[list], codec)).collect();
        let coded: Vec<Vec<PostingList>> = queries.iter().map(encode).collect::<Result<_, _>>()?;
        let mut out = Vec::new();
        let decoding = context.time(&mut || {
            for list in coded.iter().flatten() {
                out.clear();
                list.decode_into(&mut out);
            }
        });
        for (query, expected) in coded.iter().zip(&expected) {
            out.clear();
            intersect(query, &mut out);
            assert!(out == *expected, "{} finds others", codec.name());
        }
        let skipping = context.time(&mut || {
            for query in &coded {
                out.clear();
                intersect(query, &mut out);
            }
        });
        let mut on_device = [None; 2];
        if let Some(device) = &context.device {
            let mut total = 0.0;
            for list in coded.iter().flatten() {
                total += context.kernels(device, || device.decode(list))?.0.median;
            }
            on_device[0] = Some(1e3 * total / n);
            let mut total = 0.0;
            for (query, expected) in coded.iter().zip(&expected) {
                let query = std::slice::from_ref(query);
                let (time, found) = context.kernels(device, || device.intersect_batch(query, 0))?;
                assert!(found.get(0) == *expected, "{} finds others on the device", codec.name());
                total += time.median;
            }
            on_device[1] = Some(1e3 * total / n);
        }
        let decoding = decoding.times(1e3 / n);
        let ratio = on_device[0].map(|device| decoding.median / device);
        let cells: [Cell; 5] =
            [decoding.into(), skipping.times(1e3 / n).into(), on_device[0].into(), on_device[1].into(), ratio.into()];
        table.row(codec.php_case(), cells);
        if codec.php_case() == "Rice" || rice.is_none() {
            rice = Some((codec, decoding.median, on_device));
        }
    }
    let tier = cpu::tier();
    let merging = context.time(&mut || {
        for query in &queries {
            let mut common = corpus.lists[query[0]].clone();
            for &list in &query[1..] {
                let mut next = Vec::new();
                Meet::Merge.meet(tier, &common, &corpus.lists[list], &mut next);
                common = next;
            }
            std::hint::black_box(common);
        }
    });
    let merging = merging.times(1e3 / n);
    table.row("merges of uncompressed lists", [Cell::Empty, merging.into()]);
    outcome.tables.push(table);
    let Some((codec, decoding, on_device)) = rice else { return Ok(outcome) };
    let (case, share) = (codec.php_case(), if context.quick() { " of a collection of a 16th" } else { "" });
    outcome.beside(
        format!("{case}{share}, one CPU thread, ms"),
        ("ding-2008", "table 1", "Decompression", "CPU, ms"),
        decoding,
    );
    outcome.beside(
        format!("merges{share}, one CPU thread, ms"),
        ("ding-2008", "table 1", "Intersection", "CPU, ms"),
        merging.median,
    );
    if let [Some(kernels), Some(intersection)] = on_device {
        outcome.beside(
            format!("{case}{share}, device, ms"),
            ("ding-2008", "table 1", "Decompression", "GPU, ms"),
            kernels,
        );
        outcome.beside(
            format!("{case}{share}, device, with skipping, ms"),
            ("ding-2008", "table 1", "Total", "GPU, ms"),
            intersection,
        );
        outcome.finding(
            ("ding-2008", "table 1"),
            "The GPU decompresses more than twice as fast as the CPU",
            decoding / kernels > 2.0,
            format!("{case}: {:.1} times as fast (rule: over 2).", decoding / kernels),
        );
    }
    outcome.finding(
        ("ding-2008", "table 1"),
        "Decompression takes most of the time, intersection little",
        decoding > 2.0 * merging.median,
        format!(
            "one CPU thread: decoding {decoding:.2} ms ({case}), merging {:.2} ms (rule: over twice).",
            merging.median
        ),
    );
    Ok(outcome)
}
