//! Ranked queries: Ding 2009, tables 2 and 3. The CPU half is here, the device half in `device.rs`.

mod device;

use crate::corpora::collection::texts;
use crate::harness::context::Context;
use crate::harness::outcome::{Cell, Outcome, Table};
use crate::harness::{Experiment, Failure};
use postings::search::{Matching, Options};

pub const EXPERIMENT: Experiment = Experiment {
    name: "ranked",
    title: "Ranked queries",
    question: "What do the ten best documents of AND, OR and AND+OR queries cost on a CPU thread and on the device, compared \
               with each other, and which steps of the device take how much of it?",
    redraws: &[("ding-2009", "table 2"), ("ding-2009", "table 3")],
    why: "In 2009 OR cost 24 times as much as AND because every posting was scored. Bounds of blocks let today's OR pass over \
          documents that cannot be among the ten best, so most postings are neither decoded nor scored, and it costs a few \
          times as much. AND+OR, which was made to avoid OR, lies between the two. What became fast is decoding and \
          intersecting; finding lists, scoring and choosing are now the larger part of short AND queries. The collection is \
          smaller than GOV2, so absolute times are not comparable; the ratios between columns are. A device answers one query \
          in the time of its launches and of reading the hits, whatever the query is: that is about what a core of today takes \
          for AND, and a third of what it takes for OR. In 2009 the lists were as long as to hide this; today it takes a batch. \
          Accumulators in global memory, as the paper has them, are cleared, added to and searched for each query, however \
          few postings it has; tiles of them in local memory, most of which are passed over, are a quarter to a half of that. \
          The table of steps has no decompression of its own, as ranked search keeps lists open on the device.",
    run,
};

fn run(context: &Context) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    let Some(collection) = context.collection()? else {
        outcome.note("No text was given (`--text` or `--index`): not measured.");
        return Ok(outcome);
    };
    let queries = texts(collection.first(if context.quick() { 100 } else { 500 }));
    let count = queries.len();
    outcome.note(format!("{} documents; {count} queries {}; BM25.", collection.documents(), collection.about));
    let ways = COLUMNS.map(|(column, matching)| (format!("{column}, top 10"), options(matching)));
    let index = &collection.index;
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
    let names = ways.iter().map(|(name, _)| &**name).chain(["AND, count only"]);
    for (name, time) in names.zip(&times) {
        table.row(name, [Cell::from(*time), Cell::from(time.median / times[0].median)]);
    }
    outcome.tables.push(table);
    let theirs = |column: &str| crate::harness::papers::number("ding-2009", "table 2", "CPU", column);
    for ((column, _), time) in COLUMNS.into_iter().zip(&times) {
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
    if context.device.is_some() {
        device::measure(context, collection, [0, 1, 2].map(|at| times[at].median), &mut outcome)?;
    }
    Ok(outcome)
}

/// The columns of table 2.
const COLUMNS: [(&str, Matching); 3] =
    [("AND", Matching::All), ("OR", Matching::Any), ("AND+OR", Matching::AllThenAny)];

fn options(matching: Matching) -> Options {
    Options { matching, limit: 10, ..Options::default() }
}
