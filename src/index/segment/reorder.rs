//! An order of documents in which those with the same terms are neighbours: lists become shorter, and bounds of blocks
//! tighter.
//!
//! Recursive graph bisection (L. Dhulipala et al., *Compressing graphs and indexes with recursive graph bisection*, KDD
//! 2016): documents are cut into two halves; those that gain most are exchanged until nothing is gained; then each half is
//! treated in the same way. The gain of a move is the estimated change of bits of the gaps: a term in `d` of a half's `n`
//! documents costs `d · log2(n / (d + 1))`. As in J. Mackenzie, M. Petri, A. Moffat, *Faster index reordering with bipartite
//! graph partitioning* (SIGIR 2021), documents are exchanged as pairs in order of their gains, of which only the best are
//! sorted, with few iterations.
//!
//! Each part has the terms of its documents under numbers of its own, without those in one document only (moving it changes
//! nothing) or in all. So small parts have short lists of terms, and counts that stay in the cache. Memory is four bytes
//! per posting considered, twice, and some 30 per document. The result is the same whatever the number of threads.

use super::Union;
use super::merge_plan::{GONE, Input, MergePlan};
use crate::base::error::{Error, Result};
use crate::base::memory::{self, collected, filled, room, zeros};
use crate::index::Schema;
use crate::index::list::Decoded;

/// How documents are reordered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReorderOptions {
    /// Threads to use; at least 1.
    pub threads: usize,
    /// Terms in fewer documents are not considered.
    pub least_documents: u32,
    /// Terms in more than this part of the documents are not considered.
    pub most_documents: f64,
    /// Exchanges per part, at most.
    pub iterations: usize,
}

impl Default for ReorderOptions {
    fn default() -> Self {
        ReorderOptions { threads: 1, least_documents: 8, most_documents: 0.1, iterations: 20 }
    }
}

/// ListParts of this many documents are not cut further: about as many as a block has.
const SMALLEST: usize = 32;

/// Documents and the terms of each.
#[derive(Debug, Default)]
struct Forward {
    /// Ranks of the documents.
    docs: Vec<u32>,
    /// Where the terms of each document end.
    ends: Vec<u32>,
    terms: Vec<u32>,
    /// How many different ones there are.
    distinct: usize,
}

impl Forward {
    fn terms(&self, doc: usize) -> &[u32] {
        let begin = if doc == 0 { 0 } else { self.ends[doc - 1] };
        &self.terms[begin as usize..self.ends[doc] as usize]
    }

    /// The part with the documents `of`, with numbers of its own for the terms that matter in it. `numbers` is room.
    fn part(&self, of: &[u32], numbers: &mut Vec<u32>) -> Result<Forward> {
        numbers.clear();
        memory::reserve(numbers, self.distinct)?;
        numbers.resize(self.distinct, 0);
        for &doc in of {
            self.terms(doc as usize).iter().for_each(|&term| numbers[term as usize] += 1);
        }
        let (mut distinct, mut postings) = (0, 0);
        for number in numbers.iter_mut() {
            *number = match *number {
                0 | 1 => GONE,
                count if count as usize == of.len() => GONE,
                count => {
                    postings += count as usize;
                    distinct += 1;
                    distinct - 1
                }
            };
        }
        let mut part = Forward {
            docs: collected(of.iter().map(|&doc| self.docs[doc as usize]))?,
            ends: room(of.len())?,
            terms: room(postings)?,
            distinct: distinct as usize,
        };
        for &doc in of {
            let kept = self.terms(doc as usize).iter().map(|&term| numbers[term as usize]);
            part.terms.extend(kept.filter(|&number| number != GONE));
            part.ends.push(part.terms.len() as u32);
        }
        Ok(part)
    }
}

/// Finds an order for the documents of these inputs: docID → rank in the order of insertion, the permutation that
/// [`merge`](super::merge) takes. Starts from the order that they have.
///
/// # Errors
/// [`Error::Corrupt`](crate::Error::Corrupt), which names the file;
/// [`Error::Argument`](crate::Error::Argument) if documents are too many.
pub fn order(inputs: &[Input], schema: &Schema, options: &ReorderOptions) -> Result<Vec<u32>> {
    let all = forward(inputs, schema, options)?;
    let mut order = zeros(all.docs.len())?;
    bisect(all, &mut order, options.threads.max(1), options.iterations)?;
    Ok(order)
}

/// The terms of each document, with document `i` being that of merged docID `i`.
fn forward(inputs: &[Input], schema: &Schema, options: &ReorderOptions) -> Result<Forward> {
    let plan = MergePlan::new(inputs, None)?;
    let documents = plan.sources.len();
    let most = (documents as f64 * options.most_documents) as usize;
    let mut postings: Vec<u32> = Vec::new();
    let mut lists: Vec<usize> = Vec::new();
    let mut decoded = Decoded::default();
    for (field, kind) in schema.fields.iter().map(|field| field.kind).enumerate() {
        if !kind.has_terms() {
            continue;
        }
        let terms = inputs.iter().map(|(segment, _)| segment.all_terms(field)).collect::<Result<Vec<_>>>()?;
        let mut union = Union::of(terms)?;
        while let Some((_, values)) = union.next()? {
            let begin = postings.len();
            for value in values {
                inputs[value.index].0.decode(field, value.value, &mut decoded)?;
                memory::reserve(&mut postings, decoded.doc_ids.len())?;
                let docs = decoded.doc_ids.iter().map(|&doc| plan.maps[value.index][doc as usize]);
                postings.extend(docs.filter(|&doc| doc != GONE));
            }
            let count = postings.len() - begin;
            if count < options.least_documents.max(2) as usize || count > most {
                postings.truncate(begin);
            } else {
                memory::reserve(&mut lists, 1)?;
                lists.push(postings.len());
            }
        }
    }
    // Terms by document: a counting sort.
    let mut ends = zeros::<u32>(documents + 1)?;
    postings.iter().for_each(|&doc| ends[doc as usize + 1] += 1);
    for i in 1..ends.len() {
        ends[i] += ends[i - 1];
    }
    let mut terms = zeros(postings.len())?;
    let mut begin = 0;
    for (term, &end) in (0u32..).zip(&lists) {
        for &doc in &postings[begin..end] {
            let next = &mut ends[doc as usize];
            terms[*next as usize] = term;
            *next += 1;
        }
        begin = end;
    }
    ends.pop();
    let docs = match plan.ordinals {
        Some(ordinals) => ordinals,
        None => collected(0..documents as u32)?,
    };
    Ok(Forward { docs, ends, terms, distinct: lists.len() })
}

/// Puts the documents in order.
fn bisect(all: Forward, order: &mut [u32], threads: usize, iterations: usize) -> Result<()> {
    if all.docs.len() <= SMALLEST || all.terms.is_empty() {
        order.copy_from_slice(&all.docs);
        return Ok(());
    }
    let docs = settle(&all, iterations)?;
    let (left, right) = docs.split_at(docs.len() / 2);
    let mut numbers = Vec::new();
    let (left, right) = (all.part(left, &mut numbers)?, all.part(right, &mut numbers)?);
    drop((all, docs, numbers));
    let (first, second) = order.split_at_mut(left.docs.len());
    if threads > 1 {
        std::thread::scope(|scope| {
            let first = scope.spawn(|| bisect(left, first, threads / 2, iterations));
            let second = bisect(right, second, threads - threads / 2, iterations);
            first.join().unwrap_or(Err(Error::Panicked)).and(second)
        })
    } else {
        bisect(left, first, 1, iterations)?;
        bisect(right, second, 1, iterations)
    }
}

/// `log2` of small numbers.
struct Logs([f32; 4096]);

static LOGS: std::sync::LazyLock<Logs> = std::sync::LazyLock::new(|| {
    // Of 0, which is never asked for, it is 0.
    Logs(std::array::from_fn(|i| if i == 0 { 0.0 } else { (i as f32).log2() }))
});

impl Logs {
    #[inline]
    fn of(&self, number: u32) -> f32 {
        self.0.get(number as usize).copied().unwrap_or_else(|| (number as f32).log2())
    }
}

/// Exchanges documents of two halves until nothing is gained. Gives the indices of documents: those of the left half, then
/// those of the right.
fn settle(all: &Forward, iterations: usize) -> Result<Vec<u32>> {
    let count = all.docs.len();
    let half = count / 2;
    let mut docs: Vec<u32> = collected(0..count as u32)?;
    // Documents with each term in the left half and in the right.
    let mut degrees = filled([0u32; 2], all.distinct)?;
    for doc in 0..count {
        let side = usize::from(doc >= half);
        all.terms(doc).iter().for_each(|&term| degrees[term as usize][side] += 1);
    }
    let mut gains = filled([0.0f32; 2], all.distinct)?;
    let mut moves = filled((0.0f32, 0u32), count)?;
    for _ in 0..iterations {
        fill_gains(&degrees, half, count - half, &mut gains);
        for (place, &doc) in docs.iter().enumerate() {
            let side = usize::from(place >= half);
            let gain: f32 = all.terms(doc as usize).iter().map(|&term| gains[term as usize][side]).sum();
            moves[place] = (gain, place as u32);
        }
        if !exchange(all, &mut docs, &mut degrees, &mut moves, half) {
            break;
        }
    }
    Ok(docs)
}

/// What moving a document with the term to the other half gains in bits: from the left, from the right.
fn fill_gains(degrees: &[[u32; 2]], left: usize, right: usize, gains: &mut [[f32; 2]]) {
    let logs = &*LOGS;
    let [log_left, log_right] = [left, right].map(|count| (count as f32).log2());
    let cost = |a: u32, b: u32| a as f32 * (log_left - logs.of(a + 1)) + b as f32 * (log_right - logs.of(b + 1));
    for (&[a, b], gain) in degrees.iter().zip(gains) {
        let now = cost(a, b);
        *gain =
            [if a > 0 { now - cost(a - 1, b + 1) } else { 0.0 }, if b > 0 { now - cost(a + 1, b - 1) } else { 0.0 }];
    }
}

/// Exchanges the documents that gain most, pair by pair. Tells whether there were any.
fn exchange(all: &Forward, docs: &mut [u32], degrees: &mut [[u32; 2]], moves: &mut [(f32, u32)], half: usize) -> bool {
    let (left, right) = moves.split_at_mut(half);
    let best_first = |a: &(f32, u32), b: &(f32, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    // Only documents that gain something together can be exchanged, so sort few, then more if need be.
    let mut sorted = 0;
    let mut any = false;
    let most = left.len().min(right.len());
    while sorted < most {
        let next = (2 * sorted).max(256).min(most);
        for side in [&mut *left, &mut *right] {
            let rest = &mut side[sorted..];
            let wanted = next - sorted;
            if wanted < rest.len() {
                rest.select_nth_unstable_by(wanted - 1, best_first);
            }
            rest[..wanted].sort_unstable_by(best_first);
        }
        for i in sorted..next {
            let ((gain_left, at_left), (gain_right, at_right)) = (left[i], right[i]);
            if gain_left + gain_right <= 0.0 {
                return any;
            }
            any = true;
            let (at_left, at_right) = (at_left as usize, at_right as usize);
            for &term in all.terms(docs[at_left] as usize) {
                degrees[term as usize][0] -= 1;
                degrees[term as usize][1] += 1;
            }
            for &term in all.terms(docs[at_right] as usize) {
                degrees[term as usize][1] -= 1;
                degrees[term as usize][0] += 1;
            }
            docs.swap(at_left, at_right);
        }
        sorted = next;
    }
    any
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::segment::tests::{build, opened, schema};
    use crate::index::segment::{Segment, hash, merge};
    use crate::index::{Document, Id, Value};
    use std::sync::Arc;

    fn random(i: u64, j: u64) -> u64 {
        hash::hash(i, &j.to_le_bytes())
    }

    fn topic(doc: u64) -> u64 {
        random(doc, 99) % 40
    }

    /// Documents of 40 topics in no order, each with 12 words of its topic and 3 of any.
    fn topics(documents: u64) -> Vec<(Id, Document)> {
        let word = |doc: u64, i: u64| match i {
            0..12 => format!("t{}w{}", topic(doc), random(doc, i) % 60),
            _ => format!("w{}", random(doc, i) % 500),
        };
        let text = |doc| (0..15).map(|i| word(doc, i)).collect::<Vec<_>>().join(" ").into_bytes();
        (0..documents)
            .map(|doc| (Id::Int(doc as i64), Document { values: vec![(0, Value::Text(text(doc)))] }))
            .collect()
    }

    /// The sum of the logarithms of all gaps.
    fn bits(segment: &Segment) -> f64 {
        let mut decoded = Decoded::default();
        let mut bits = 0.0;
        let mut terms = segment.dictionary(0).unwrap().terms().unwrap();
        while let Some((_, value, ())) = terms.next().unwrap() {
            segment.decode(0, value, &mut decoded).unwrap();
            bits += decoded.doc_ids.windows(2).map(|pair| f64::from(pair[1] - pair[0]).log2()).sum::<f64>();
        }
        bits
    }

    #[test]
    fn documents_of_a_topic_become_neighbours() {
        let (schema, folder) = (schema(true), tempfile::tempdir().unwrap());
        let documents = topics(4000);
        let first = build(folder.path(), 1, &documents[..1500], &schema).unwrap();
        let second = build(folder.path(), 2, &documents[1500..], &schema).unwrap();
        let deleted = [u64::MAX; 3];
        let inputs: Vec<Input> = vec![(first, None), (second, Some(&deleted))];
        let open = |number: u64, permutation: Option<&[u32]>| {
            let path = folder.path().join(format!("{number}.segment"));
            let meta = merge(&inputs, &opened(folder.path()), number, &schema, permutation, 1).unwrap().unwrap();
            Segment::open(&path, &meta, Arc::clone(&schema)).unwrap()
        };
        let options = ReorderOptions { least_documents: 2, ..ReorderOptions::default() };
        let permutation = order(&inputs, &schema, &options).unwrap();
        for threads in [0, 2, 3, 8] {
            assert_eq!(
                order(&inputs, &schema, &ReorderOptions { threads, ..options }).unwrap(),
                permutation,
                "{threads} threads"
            );
        }
        let reordered = open(3, Some(&permutation));
        // The best order is known here: topic by topic.
        let mut by_topic: Vec<u32> = (0..3808).collect();
        by_topic.sort_by_key(|&rank| {
            let doc = if rank < 1500 { rank } else { rank + 192 };
            topic(doc.into())
        });
        let [before, after, best] =
            [&open(4, None), &reordered, &open(5, Some(&by_topic))].map(|segment| bits(segment));
        assert!(best < 0.6 * before && after < 1.12 * best, "{before} → {after}; at best {best}");
        // A reordered segment can be reordered again.
        let again = order(&[(reordered, None)], &schema, &options).unwrap();
        let mut sorted = again;
        sorted.sort_unstable();
        assert_eq!(sorted, (0..3808).collect::<Vec<u32>>());
    }

    #[test]
    fn few_documents_or_no_terms_stay_as_they_are() {
        let (schema, folder) = (schema(true), tempfile::tempdir().unwrap());
        for (number, count) in [1, 2, 31, 32, 33, 100].into_iter().enumerate() {
            let documents: Vec<_> = (0..count).map(|i| (Id::Int(i), Document::default())).collect();
            let segment = build(folder.path(), number as u64, &documents, &schema).unwrap();
            let permutation = order(&[(segment, None)], &schema, &ReorderOptions::default()).unwrap();
            assert_eq!(permutation, (0..count as u32).collect::<Vec<_>>());
        }
        assert_eq!(order(&[], &schema, &ReorderOptions::default()), Ok(vec![]));
    }
}
