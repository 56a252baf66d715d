//! Decoding the shortest lists of queries: Ao 2011, figure 8.

use crate::corpora;
use crate::harness::context::Context;
use crate::harness::outcome::{Cell, Outcome, Table};
use crate::harness::{Experiment, Failure};
use postings::{Codec, PostingList};

pub const EXPERIMENT: Experiment = Experiment {
    name: "shortest-lists",
    title: "Decoding the shortest lists of queries",
    question: "How fast are the shortest lists of all queries decoded, which are the only ones that a search of the others \
               needs whole?",
    redraws: &[("ao-2011", "figure 8")],
    why: "The paper's difference was between codecs whose exceptions form a chain that one thread follows, and \
          codecs in which each thread finds its docID alone. Blocks that decode side by side took the chain away; \
          but codecs of gaps still patch their exceptions and end in a prefix sum, while a docID on a line is a \
          multiplication and two additions. So the order stands, at two to four times the speed, and for more bits \
          per docID.",
    run,
};

fn run(context: &Context) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    let mut found: Vec<(&str, f64)> = Vec::new();
    for name in [corpora::GOV, corpora::NATURAL] {
        for corpus in context.corpora_of(name)? {
            let mut shortest: Vec<usize> = corpus.queries.iter().take(200).map(|query| query[0]).collect();
            shortest.sort_unstable();
            shortest.dedup();
            let postings: usize = shortest.iter().map(|&list| corpus.lists[list].len()).sum();
            outcome.note(format!("{} {} shortest lists, {postings} docIDs.", corpus.describe(), shortest.len()));
            let mut table =
                Table::new(format!("{name}: 10⁹ docIDs/s"), ["codec", "CPU, one thread", "device, whole kernels"]);
            let encode = |codec| shortest.iter().map(|&list| PostingList::encode(&corpus.lists[list], codec)).collect();
            let encoded: Vec<Vec<PostingList>> = Codec::ALL
                .into_iter()
                .filter_map(|codec| {
                    let lists: Result<Vec<PostingList>, _> = encode(codec);
                    lists.ok()
                })
                .collect();
            let out = std::cell::RefCell::new(Vec::new());
            let mut calls: Vec<Box<dyn FnMut() + '_>> = Vec::new();
            for lists in &encoded {
                let out = &out;
                calls.push(Box::new(move || {
                    let mut out = out.borrow_mut();
                    for list in lists {
                        out.clear();
                        list.decode_into(&mut out);
                    }
                }));
            }
            let times = context.times_of(&mut calls);
            drop(calls);
            for (lists, time) in encoded.iter().zip(times) {
                let n = postings as f64 / 1e9;
                let mut on_device = None;
                if let Some(device) = &context.device {
                    // As a batch: the intersection of each list with itself decodes it once.
                    let batch: Vec<Vec<PostingList>> = lists.iter().map(|list| vec![list.clone()]).collect();
                    let (kernel, decoded) = context.kernels(device, || device.intersect_batch(&batch, 0))?;
                    assert!(decoded.iter().zip(&shortest).all(|(found, &list)| found == corpus.lists[list]));
                    on_device = Some(kernel.rate(n));
                }
                let rate = time.rate(n);
                let case = lists[0].codec().php_case();
                table.row(case, [Cell::from(rate), Cell::from(on_device)]);
                if name == corpora::GOV {
                    found.push((case, on_device.unwrap_or(rate).median));
                }
            }
            outcome.tables.push(table);
        }
    }
    let of = |case: &str| found.iter().find(|(known, _)| *known == case).map(|(_, rate)| *rate);
    let lr = ["LRC", "LRCSeg", "SegLRC"].map(of);
    if let ([Some(a), Some(b), Some(c)], Some(pfd), Some(new)) = (lr, of("PForDeltaSegments"), of("NewPFD")) {
        outcome.finding(
            ("ao-2011", "figure 8"),
            "LRC, LRCSeg and SegLRC decode significantly faster than PFD and NewPFD",
            a.min(b).min(c) > 1.2 * pfd.max(new),
            format!(
                "LRC {a:.2}, LRCSeg {b:.2}, SegLRC {c:.2}; PFD {pfd:.2}, NewPFD {new:.2} · 10⁹ docIDs/s (rule: the slowest \
                 of one 1.2 times the fastest of the other)."
            ),
        );
    }
    Ok(outcome)
}
