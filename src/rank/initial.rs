//! A threshold to begin with: what the k best of a few promising documents have is not more than what the k best of all have.

use super::champions;
use super::collector::Collector;
use super::term::Term;
use crate::codec::BLOCK;

/// A threshold that the k best documents of the segment reach or exceed: that of the term alone that adds the most and of which a
/// few blocks tell. What the other terms add to these documents was tried: it raises the threshold no sooner than the documents that
/// are ranked first do. Terms are ordered by their upper bounds. Documents that equal it are hits.
#[inline(always)]
pub(super) fn threshold(terms: &mut [Term], collector: &Collector) -> f64 {
    let (k, restriction) = (collector.top.k(), &collector.restriction);
    if k == 0 || restriction.after.is_some() || !restriction.excluded.is_empty() {
        return f64::NEG_INFINITY;
    }
    for at in (0..terms.len()).rev() {
        if let Some(threshold) = reached(champions::scores(&terms[at], restriction), k) {
            return threshold;
        }
        let blocks = terms[at].best_blocks(k);
        if blocks.is_empty() {
            continue;
        }
        let mut counted: Vec<f32> = Vec::with_capacity(blocks.len() * BLOCK);
        for block in blocks {
            let (doc_ids, scores) = terms[at].scored_block(block);
            if restriction.has_sets() {
                let scores = doc_ids.iter().zip(scores).filter(|&(&doc_id, _)| restriction.allows(doc_id));
                counted.extend(scores.map(|(_, score)| score));
            } else {
                counted.extend_from_slice(scores);
            }
        }
        return reached(counted, k).unwrap_or(f64::NEG_INFINITY);
    }
    f64::NEG_INFINITY
}

/// The threshold that the k best of these scores exceed, if there are as many; k is at least 1.
#[inline(always)]
fn reached(mut scores: Vec<f32>, k: usize) -> Option<f64> {
    if scores.len() < k {
        return None;
    }
    let (_, kth, _) = scores.select_nth_unstable_by(k - 1, |a, b| b.total_cmp(a));
    Some(f64::from(*kth).next_down())
}
