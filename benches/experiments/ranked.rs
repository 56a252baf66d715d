//! Ranked queries on the CPU: Ding 2009, tables 2 and 3 (the CPU half; the device half belongs to ranked search on the
//! device).

use crate::corpora::text::Text;
use crate::harness::context::Context;
use crate::harness::outcome::{Cell, Outcome, Table};
use crate::harness::{Experiment, Failure};
use postings::search::{Matching, Options};

pub const EXPERIMENT: Experiment = Experiment {
    name: "ranked",
    title: "Ranked queries",
    question: "What do the ten best documents of AND, OR and AND+OR queries cost on a CPU thread, compared with each other?",
    redraws: &[("ding-2009", "table 2"), ("ding-2009", "table 3")],
    why: "In 2009 OR cost 24 times as much as AND because every posting was scored. Bounds of blocks let today's OR pass over \
          documents that cannot be among the ten best, so most postings are neither decoded nor scored, and it costs a few \
          times as much. AND+OR, which was made to avoid OR, lies between the two. What became fast is decoding and \
          intersecting; finding lists, scoring and choosing are now the larger part of short AND queries. The collection is \
          smaller than GOV2, so absolute times are not comparable; the ratios between columns are.",
    run,
};

fn run(context: &Context) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    let Some(text) = context.text()? else {
        outcome.note("No text was given (`--text`): not measured.");
        return Ok(outcome);
    };
    let count = if context.quick() { 100 } else { 500 };
    let queries: Vec<String> = queries(text, count);
    outcome
        .note(format!("{} documents; {count} queries of 2 to 6 words, each from a document; BM25.", text.documents()));
    let options = |matching, limit| Options { matching, limit, ..Options::default() };
    let ways = [
        ("AND, top 10", options(Matching::All, 10)),
        ("OR, top 10", options(Matching::Any, 10)),
        ("AND+OR, top 10", options(Matching::AllThenAny, 10)),
    ];
    let index = &text.index;
    for query in queries.iter().take(20) {
        let [all, any] = [&ways[0].1, &ways[1].1].map(|options| index.search(query, options));
        assert!(all?.hits.len() <= any?.hits.len(), "{query}: documents that have all words have any");
    }
    let mut calls: Vec<Box<dyn FnMut() + '_>> = Vec::new();
    for (_, options) in &ways {
        calls.push(Box::new(|| {
            for query in &queries {
                std::hint::black_box(index.search(query, options).expect("it just did"));
            }
        }));
    }
    // Matching without scores: decoding and intersecting alone.
    calls.push(Box::new(|| {
        for query in &queries {
            std::hint::black_box(index.count(query, &ways[0].1).expect("it just did"));
        }
    }));
    let times: Vec<_> = context.times_of(&mut calls).into_iter().map(|time| time.times(1e3 / count as f64)).collect();
    drop(calls);
    let mut table = Table::new("One CPU thread, milliseconds per query", ["query", "ms", "times AND"]);
    let names = ways.iter().map(|(name, _)| *name).chain(["AND, count only"]);
    for (name, time) in names.zip(&times) {
        table.row(name, [Cell::from(*time), Cell::from(time.median / times[0].median)]);
    }
    outcome.tables.push(table);
    let theirs = |column: &str| crate::harness::papers::number("ding-2009", "table 2", "CPU", column);
    for (column, time) in ["AND", "OR", "AND+OR"].into_iter().zip(&times) {
        outcome.beside(
            format!("{column}, one CPU thread, smaller collection, ms"),
            ("ding-2009", "table 2", "CPU", column),
            time.median,
        );
    }
    let (ours, paper) = (times[1].median / times[0].median, theirs("OR") / theirs("AND"));
    outcome.finding(
        ("ding-2009", "table 2"),
        "OR queries are much more expensive than AND queries",
        ours > 5.0,
        format!("{ours:.1} times as expensive; the paper's CPU: {paper:.1} times (rule: over 5)."),
    );
    let share = 100.0 * (1.0 - times[3].median / times[0].median);
    outcome.finding(
        ("ding-2009", "table 3"),
        "Most of the time of AND queries goes to decompression and intersection, not to scoring",
        share < 50.0,
        format!("{share:.0} % of an AND query's time is beyond that of counting its documents (rule: below 50 %)."),
    );
    Ok(outcome)
}

/// Queries of 2 to 6 words, each from a document.
pub fn queries(text: &Text, count: usize) -> Vec<String> {
    let words = |query: Vec<usize>| query.into_iter().map(|term| &*text.terms[term]).collect::<Vec<_>>().join(" ");
    text.queries(count).into_iter().map(words).collect()
}
