//! Blocks of longer lists that need not be decoded: Ding 2009, section 8.1.

use crate::corpora;
use crate::harness::context::Context;
use crate::harness::outcome::{Cell, Outcome, Table};
use crate::harness::{Experiment, Failure};
use crate::support::data::merge;
use postings::codec::BLOCK;

pub const EXPERIMENT: Experiment = Experiment {
    name: "skipping",
    title: "Blocks that are skipped",
    question: "Which share of the blocks of a longer list lies between two neighbouring docIDs of what a query has found so \
               far, and need not be decoded?",
    redraws: &[("ding-2009", "section 8.1")],
    why: "Ding et al. state in section 8.1, without figures, that most blocks of a longer list can be skipped if the shorter \
          one is much shorter, and that an intersection by merging blocks decodes as few as a document-at-a-time one. Whether \
          a block is hit depends on lists alone. At random, a block of 128 is missed with probability (1 − 128/m)^n, so \
          skipping begins when the result is a hundredth of the list; where documents of a kind stand side by side, results \
          crowd in few blocks and skipping begins earlier.",
    run,
};

const QUERIES: usize = 500;

/// The blocks of `list` that contain a docID between which one of `candidates` may lie.
fn hit(list: &[u32], candidates: &[u32]) -> usize {
    let mut at = 0;
    list.chunks(BLOCK)
        .filter(|block| {
            let (first, last) = (block[0], block[block.len() - 1]);
            while candidates.get(at).is_some_and(|&candidate| candidate < first) {
                at += 1;
            }
            candidates.get(at).is_some_and(|&candidate| candidate <= last)
        })
        .count()
}

fn run(context: &Context) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    let mut table = Table::new(
        "Share of blocks skipped by stage, %, and of all blocks of longer lists",
        ["corpus", "stage 1", "stage 2", "stage 3", "stage 4", "stage 5", "all"],
    );
    let mut late = Vec::new();
    for name in [corpora::GOV, corpora::NATURAL, corpora::RANDOM, corpora::ORDERED] {
        for corpus in context.corpora_of(name)? {
            outcome.note(corpus.describe());
            let (mut blocks, mut decoded) = ([0usize; 5], [0usize; 5]);
            for query in corpus.queries.iter().take(QUERIES) {
                let mut found = corpus.lists[query[0]].clone();
                for (stage, &next) in query[1..].iter().enumerate().take(5) {
                    let list = &corpus.lists[next];
                    blocks[stage] += list.len().div_ceil(BLOCK);
                    decoded[stage] += hit(list, &found);
                    found = merge(&found, list);
                }
            }
            let share =
                |decoded: usize, blocks: usize| (blocks > 0).then(|| 100.0 * (1.0 - decoded as f64 / blocks as f64));
            let mut cells: Vec<Cell> = (0..5).map(|stage| share(decoded[stage], blocks[stage]).into()).collect();
            let all = share(decoded.iter().sum(), blocks.iter().sum());
            cells.push(all.into());
            table.row(name, cells);
            late.push((name, share(decoded[2], blocks[2]).unwrap_or(f64::NAN), all.unwrap_or(f64::NAN)));
        }
    }
    outcome.tables.push(table);
    let each: Vec<String> =
        late.iter().map(|(name, third, all)| format!("{name}: {third:.0} % in stage 3, {all:.0} % of all")).collect();
    outcome.finding(
        ("ding-2009", "section 8.1"),
        "Most blocks of the longer lists can be skipped",
        late.iter().all(|(_, third, all)| *third > 50.0 && *all > 50.0),
        format!("{} (rule: over half in stage 3 and of all blocks).", each.join("; ")),
    );
    Ok(outcome)
}
