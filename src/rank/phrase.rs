//! Phrases: the documents in which terms stand at given distances.

use super::positions::{EIGHT, Places};
use super::score::Chosen;
use super::term::find;
use super::tiers::tiered;
use crate::base::cpu::{self, Tier};
use crate::codec::block_buffer;

tiered! {
    /// The documents in which the terms stand as in the phrase, ascending, and how often they do, less 1. The terms come
    /// with their offsets in the phrase.
    ///
    /// The documents of the rarest term are looked up in the other lists. Only in those that have all terms are positions
    /// read, of the rarest terms first.
    pub fn phrase<'s>(terms: Vec<(u32, Places<'s>)>) -> (Vec<u32>, Vec<u32>) = phrase_on_tier;
}

#[inline(always)]
fn phrase_on_tier(mut terms: Vec<(u32, Places)>) -> (Vec<u32>, Vec<u32>) {
    let (mut found, mut less_one) = (Vec::new(), Vec::new());
    let tier: Tier = cpu::tier();
    terms.sort_by_key(|(_, places)| places.postings());
    let last_offset = terms.iter().map(|&(offset, _)| offset).max().unwrap_or(0);
    let Some(((offset, lead), others)) = terms.split_first_mut() else { return (found, less_one) };
    // Positions are moved so that those of a match are equal in all terms.
    let shift = |offset: u32| last_offset - offset;
    let (mut matches, mut positions) = (Vec::new(), Vec::new());
    let mut doc_ids = block_buffer();
    let mut chosen = Chosen::default();
    for block in 0..lead.blocks() {
        let count = lead.decode(block, &mut doc_ids);
        chosen.take_all(&doc_ids, 0, count);
        for (_, places) in others.iter_mut() {
            if chosen.len > 0 {
                places.keep(tier, &mut chosen);
            }
        }
        let is_dense = 8 * chosen.len > count;
        let mut within = 0;
        for &doc_id in &chosen.doc_ids[..chosen.len] {
            // Those chosen are some of the block, in order.
            if is_dense {
                while doc_ids[within] != doc_id {
                    within += 1;
                }
            } else {
                within = find(&doc_ids, count, doc_id).unwrap_or(within);
            }
            let index = lead.index_at(block, within, doc_id);
            let of_lead = lead.locate(index);
            let Some(((next_offset, next), more)) = others.split_first_mut() else { continue };
            let Some(index) = next.index(doc_id) else { continue };
            let of_next = next.locate(index);
            let eights =
                (lead.eight(of_lead, shift(*offset), u32::MAX), next.eight(of_next, shift(*next_offset), u32::MAX - 1));
            if let (Some(a), Some(b)) = eights {
                let equal = equal(&a, &b);
                if equal == 0 || more.is_empty() {
                    if equal > 0 {
                        found.push(doc_id);
                        less_one.push(equal - 1);
                    }
                    continue;
                }
            }
            lead.positions(of_lead, shift(*offset), &mut matches);
            next.positions(of_next, shift(*next_offset), &mut positions);
            keep_common(&mut matches, &positions);
            for (offset, places) in more.iter_mut() {
                if matches.is_empty() {
                    break;
                }
                positions.clear();
                if let Some(index) = places.index(doc_id) {
                    let of_document = places.locate(index);
                    places.positions(of_document, shift(*offset), &mut positions);
                }
                keep_common(&mut matches, &positions);
            }
            if !matches.is_empty() {
                found.push(doc_id);
                less_one.push(matches.len() as u32 - 1);
            }
        }
    }
    (found, less_one)
}

/// How many numbers are in both.
#[inline(always)]
fn equal(a: &[u32; EIGHT], b: &[u32; EIGHT]) -> u32 {
    let mut equal = [0u32; EIGHT];
    for one in a {
        for (equal, other) in equal.iter_mut().zip(b) {
            *equal += u32::from(one == other);
        }
    }
    equal.iter().sum()
}

/// Keeps the numbers of `kept` that are in `other` too; both ascend.
#[inline(always)]
fn keep_common(kept: &mut Vec<u32>, other: &[u32]) {
    let (mut len, mut next) = (0, 0);
    for at in 0..kept.len() {
        let position = kept[at];
        while next < other.len() && other[next] < position {
            next += 1;
        }
        kept[len] = position;
        len += usize::from(other.get(next) == Some(&position));
    }
    kept.truncate(len);
}
