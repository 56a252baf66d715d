//! Phrases: the documents in which terms stand at given distances.

use super::positions::Places;
use crate::codec::block_buffer;

/// Calls `found` with each document in which the terms stand as in the phrase, ascending, and how often they do. The
/// terms come with their offsets in the phrase.
///
/// The documents of the rarest term are looked up in the other lists. Only in those that have all terms are positions
/// read, of the rarest terms first.
pub fn phrase(mut terms: Vec<(u32, Places)>, mut found: impl FnMut(u32, u32)) {
    terms.sort_by_key(|(_, places)| places.len());
    let last_offset = terms.iter().map(|&(offset, _)| offset).max().unwrap_or(0);
    let Some(((offset, lead), others)) = terms.split_first_mut() else { return };
    // Positions are moved so that those of a match are equal in all terms.
    let shift = |offset: u32| last_offset - offset;
    let mut indices = vec![0; others.len()];
    let (mut matches, mut positions) = (Vec::new(), Vec::new());
    let mut doc_ids = block_buffer();
    for block in 0..lead.blocks() {
        let count = lead.decode(block, &mut doc_ids);
        for &doc_id in &doc_ids[..count] {
            let mut has_all = true;
            for ((_, places), index) in others.iter_mut().zip(&mut indices) {
                match places.index(doc_id) {
                    Some(at) => *index = at,
                    None => {
                        has_all = false;
                        break;
                    }
                }
            }
            if !has_all {
                continue;
            }
            let Some(index) = lead.index(doc_id) else { continue };
            lead.positions(index, shift(*offset), &mut matches);
            for ((offset, places), &index) in others.iter_mut().zip(&indices) {
                if matches.is_empty() {
                    break;
                }
                places.positions(index, shift(*offset), &mut positions);
                keep_common(&mut matches, &positions);
            }
            if !matches.is_empty() {
                found(doc_id, matches.len() as u32);
            }
        }
    }
}

/// Keeps the numbers of `kept` that are in `other` too; both ascend.
#[inline]
fn keep_common(kept: &mut Vec<u32>, other: &[u32]) {
    let mut at = 0;
    kept.retain(|&position| {
        while at < other.len() && other[at] < position {
            at += 1;
        }
        other.get(at) == Some(&position)
    });
}
