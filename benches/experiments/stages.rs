//! Ao 2011, table 4: lengths and results of queries, stage by stage.

use crate::corpora::{self, Corpus};
use crate::harness::context::Context;
use crate::harness::outcome::{Cell, Outcome, Table};
use crate::harness::{Experiment, Failure, papers};
use crate::support::data::merge;

pub const EXPERIMENT: Experiment = Experiment {
    name: "stages",
    title: "Results stage by stage",
    question: "How long is what is left of a query's shortest list after each further list, and how long is the list that \
               it meets next?",
    redraws: &[("ao-2011", "table 4")],
    why: "The generated collection is made to have the table's lengths and results, so its agreement says only that the \
          other experiments on it measure queries of that shape. Queries of a text, drawn from its documents, fall off as \
          steeply: the shortest list decides, and after two stages what is left is a hundredth of the next list. It is \
          why searches of long lists, not merges, decide the speed of conjunctions.",
    run,
};

/// Queries looked at per corpus.
const QUERIES: usize = 1_000;

/// By number of terms, 2 to 6, and stage: the mean result before it, and the mean R.
type Stages = Vec<Vec<(f64, f64)>>;

fn stages(corpus: &Corpus) -> Stages {
    let mut sums: Vec<Vec<[f64; 2]>> = (2..=6).map(|terms| vec![[0.0; 2]; terms - 1]).collect();
    let mut counts = [0.0; 5];
    for query in corpus.queries.iter().take(QUERIES).filter(|query| (2..=6).contains(&query.len())) {
        let mut result = corpus.lists[query[0]].clone();
        counts[query.len() - 2] += 1.0;
        for (sum, &next) in sums[query.len() - 2].iter_mut().zip(&query[1..]) {
            let next = &corpus.lists[next];
            sum[0] += result.len() as f64;
            sum[1] += result.len() as f64 / next.len() as f64;
            result = merge(&result, next);
        }
    }
    let mean = |(sums, count): (Vec<[f64; 2]>, f64)| sums.into_iter().map(|[l, r]| (l / count, r / count)).collect();
    sums.into_iter().zip(counts).map(mean).collect()
}

fn run(context: &Context) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    let mut farthest = 1f64;
    for name in [corpora::GOV, corpora::NATURAL] {
        for corpus in context.corpora_of(name)? {
            outcome.note(corpus.describe());
            let found = stages(corpus);
            let head = (2..=6).flat_map(|terms| [format!("{terms} terms: R, %"), "length".to_owned()]);
            let mut table =
                Table::new(format!("{name}: what each stage meets"), ["stage".to_owned()].into_iter().chain(head));
            for stage in 0..5 {
                let cells = found.iter().flat_map(|stages| match stages.get(stage) {
                    Some(&(length, ratio)) => [Cell::from(100.0 * ratio), Cell::from(length)],
                    None => [Cell::Empty, Cell::Empty],
                });
                table.row((stage + 1).to_string(), cells);
            }
            outcome.tables.push(table);
            if name != corpora::GOV {
                continue;
            }
            for (terms, stages) in (2..).zip(&found) {
                for (stage, &(length, ratio)) in (1..).zip(stages) {
                    let row = i32::to_string(&stage);
                    let columns = [format!("{terms}: R"), format!("{terms}: |l|")];
                    for (column, ours) in columns.iter().zip([100.0 * ratio, length / 1000.0]) {
                        let what = format!("{terms} terms, stage {stage}");
                        let theirs = papers::number("ao-2011", "table 4", &row, column);
                        farthest = farthest.max(ours / theirs).max(theirs / ours);
                        outcome.beside(what, ("ao-2011", "table 4", &row, column), ours);
                    }
                }
            }
        }
    }
    outcome.finding(
        ("ao-2011", "table 4"),
        "The generated queries have the paper's length ratios and result sizes",
        farthest <= 1.25,
        format!("the figure furthest from the paper's is {farthest:.2} times it or its inverse (rule: at most 1.25)."),
    );
    Ok(outcome)
}
