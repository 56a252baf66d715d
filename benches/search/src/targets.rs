//! How fast Postings is to be: at most so many times the other contestant's time, by means.

use crate::queries::Shape;
use crate::searching::Task;

/// The most that the ratio of times may be.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Target {
    pub mean: f64,
    /// Of the 99th percentiles.
    pub p99: Option<f64>,
}

/// The target of a task with queries of a shape, if it has one.
pub fn of(shape: Shape, task: Task) -> Option<Target> {
    let mean = match (shape, task.name) {
        (Shape::Passage, "and-top10" | "or-top10") => 0.25,
        (Shape::Passage, "and-top1000" | "or-top1000") => 0.33,
        (Shape::Passage, "and-count" | "or-count") => 0.10,
        (Shape::Passage, "or-top100-count") => 0.15,
        (Shape::Passage, "first-top10") => 0.20,
        (Shape::Many | Shape::Thirty | Shape::Hundred, "or-top10") => 0.35,
        (Shape::Rare, "or-top10") => 1.0,
        (Shape::Common, "or-top10") => 0.40,
        (Shape::Phrase | Shape::LongPhrase, "phrase-top10" | "phrase-count") => 0.20,
        _ => return None,
    };
    let is_phrase = matches!(shape, Shape::Phrase | Shape::LongPhrase);
    Some(Target { mean, p99: is_phrase.then_some(0.10) })
}

/// Indexing from text on one thread is to be so many times as fast as the other contestant's.
pub const INDEXING: f64 = 2.0;

/// On several threads it is to be so many times as fast as on one, where there is a target.
pub fn speed_up(threads: usize) -> Option<f64> {
    match threads {
        2 => Some(1.8),
        4 => Some(3.4),
        _ => None,
    }
}
