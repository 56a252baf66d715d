//! Searches, timed one by one. The contestants alternate in blocks of queries within each round.

use crate::check;
use crate::clock::Spread;
use crate::engine::{Engine, Found, Match, Result, Want};
use crate::queries::{Query, Shape};
use std::time::Instant;

/// So many queries run on one contestant before the other's turn.
const BLOCK: usize = 50;

/// Something to ask for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Task {
    pub name: &'static str,
    pub how: Match,
    pub want: Want,
}

const fn task(name: &'static str, how: Match, want: Want) -> Task {
    Task { name, how, want }
}

const AND: [Task; 4] = [
    task("and-top10", Match::And, Want::Top(10)),
    task("and-top1000", Match::And, Want::Top(1000)),
    task("and-top10-count", Match::And, Want::TopAndCount(10)),
    task("and-count", Match::And, Want::Count),
];
const OR: [Task; 4] = [
    task("or-top10", Match::Or, Want::Top(10)),
    task("or-top1000", Match::Or, Want::Top(1000)),
    task("or-top10-count", Match::Or, Want::TopAndCount(10)),
    task("or-count", Match::Or, Want::Count),
];
const OR_TOP100: Task = task("or-top100-count", Match::Or, Want::TopAndCount(100));
const FIRST: Task = task("first-top10", Match::First, Want::Top(10));
const PHRASE: [Task; 2] =
    [task("phrase-top10", Match::Phrase, Want::Top(10)), task("phrase-count", Match::Phrase, Want::Count)];

/// What is asked for with queries of a shape.
pub fn tasks(shape: Shape) -> Vec<Task> {
    match shape {
        Shape::Passage => [AND.as_slice(), &OR, &[OR_TOP100, FIRST]].concat(),
        // Of one word AND and OR are the same, and its count stands in the index.
        Shape::Rare | Shape::Medium | Shape::Common => OR[..2].to_vec(),
        Shape::Many | Shape::TwoCommon | Shape::CommonRare => vec![AND[0], AND[3], OR[0], OR[1], OR[3]],
        Shape::Phrase | Shape::LongPhrase => PHRASE.to_vec(),
        Shape::Thirty | Shape::Hundred => OR[..1].to_vec(),
    }
}

/// Times in microseconds of one contestant.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// Means of rounds: their median and quartiles, as all benches report.
    pub rounds: Spread,
    /// Of the median round, as the next.
    pub median: f64,
    pub p99: f64,
    /// Mean of each query's fastest round: what other work on the machine disturbs least.
    pub best: f64,
}

/// Runs a warm-up round, in which all must find the same, and then `rounds` that are timed.
pub fn measure(
    engines: &mut [(&'static str, Box<dyn Engine>)],
    task: Task,
    queries: &[Query],
    rounds: usize,
) -> Result<Vec<Times>> {
    let mut times = vec![vec![vec![0.0; queries.len()]; rounds]; engines.len()];
    let mut found = vec![Found::default(); BLOCK.min(queries.len())];
    for round in 0..=rounds {
        for (number, block) in queries.chunks(BLOCK).enumerate() {
            let mut first: Option<Vec<Found>> = None;
            for turn in 0..engines.len() {
                let at = (turn + round + number) % engines.len();
                let (name, engine) = &mut engines[at];
                for (offset, (query, found)) in block.iter().zip(&mut found).enumerate() {
                    let start = Instant::now();
                    engine.search(query, task.how, task.want, found)?;
                    let micros = start.elapsed().as_secs_f64() * 1e6;
                    if let Some(round) = round.checked_sub(1) {
                        times[at][round][number * BLOCK + offset] = micros;
                    }
                }
                if round > 0 {
                    continue;
                }
                found[..block.len()].iter_mut().try_for_each(|found| engine.ids(found))?;
                match &first {
                    None => first = Some(found[..block.len()].to_vec()),
                    Some(first) => {
                        for ((a, b), query) in first.iter().zip(&found).zip(block) {
                            if let Some(difference) = check::differ(a, b, task.want) {
                                let query = query.join(" ");
                                return Err(format!("{}: {name} differs on `{query}`: {difference}", task.name).into());
                            }
                        }
                    }
                }
            }
        }
    }
    Ok(times.iter().map(|rounds| summary(rounds)).collect())
}

fn summary(rounds: &[Vec<f64>]) -> Times {
    let mut by_total: Vec<&Vec<f64>> = rounds.iter().collect();
    by_total.sort_by(|a, b| a.iter().sum::<f64>().total_cmp(&b.iter().sum()));
    let mut times = by_total[(by_total.len() - 1) / 2].clone();
    times.sort_by(f64::total_cmp);
    let number = times.len();
    let fastest = |query| rounds.iter().map(|round| round[query]).fold(f64::INFINITY, f64::min);
    Times {
        rounds: Spread::of(rounds, |round| round.iter().sum::<f64>() / number as f64),
        median: times[number / 2],
        p99: times[(number * 99 / 100).min(number - 1)],
        best: (0..number).map(fastest).sum::<f64>() / number as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::by_definition::{ByDefinition, passages};
    use crate::engine::{Contestant, Fields, Job};
    use crate::ours::Ours;
    use crate::peer::Tantivy;
    use crate::queries;

    #[test]
    fn contestants_find_what_the_definition_says() {
        for fields in [Fields::One, Fields::Two] {
            check(&Ours::default(), fields);
            check(&Tantivy, fields);
        }
    }

    fn check(contestant: &dyn Contestant, fields: Fields) {
        let passages = passages();
        let name = format!("postings-search-bench-{}-{}", contestant.name(), std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        let job = Job { own_analyzer: false, fields, threads: 1, memory: 64 << 20 };
        contestant.build(&folder, &passages, job).unwrap();
        let mut engines: Vec<(&'static str, Box<dyn Engine>)> = vec![
            (contestant.name(), contestant.open(&folder).unwrap()),
            ("by definition", Box::new(ByDefinition::new(&passages, fields))),
        ];
        for shape in [Shape::Many, Shape::Common, Shape::Phrase, Shape::LongPhrase, Shape::Thirty] {
            let number = if shape == Shape::Thirty { 10 } else { 120 };
            let queries: Vec<Query> = queries::draw(&passages, shape, number);
            let phrases = matches!(shape, Shape::Phrase | Shape::LongPhrase);
            let more = if phrases { PHRASE } else { [OR_TOP100, FIRST] };
            for task in [AND.as_slice(), &OR, &more].concat() {
                let times = measure(&mut engines, task, &queries, 1).unwrap();
                assert!(times.iter().all(|times| times.best > 0.0 && times.p99 >= times.median));
            }
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_wrong_score_is_an_error() {
        let passages = passages();
        let mut wrong = ByDefinition::new(&passages, Fields::One);
        wrong.k1 = 1.21;
        let right = ByDefinition::new(&passages, Fields::One);
        let mut engines: Vec<(&'static str, Box<dyn Engine>)> =
            vec![("right", Box::new(right)), ("wrong", Box::new(wrong))];
        let queries = queries::draw(&passages, Shape::Many, 3);
        assert!(measure(&mut engines, OR[0], &queries, 1).is_err());
        assert!(measure(&mut engines, OR[3], &queries, 1).is_ok(), "counts do not depend on k1");
    }
}
