//! [`MergePlan`]: which documents of several segments go where when they become one.

use super::Segment;
use crate::base::bits::has_bit;
use crate::base::error::{Error, Result};
use crate::base::memory::{collected, filled, room, zeros};
use std::sync::Arc;

/// A segment to be merged, and its deleted documents: bit `doc % 64` of word `doc / 64`. Missing words are 0.
pub type Input<'d> = (Arc<Segment>, Option<&'d [u64]>);

/// What deleted documents become.
pub(super) const GONE: u32 = u32::MAX;

/// The documents of a merged segment. The *rank* of a document is its place in the order of insertion: inputs one after
/// the other, each by its ordinals, without deleted documents.
#[derive(Debug)]
pub(super) struct MergePlan {
    /// Per input and document, its docID in the merged segment, or [`GONE`].
    pub maps: Vec<Vec<u32>>,
    /// Per merged document, its input and its docID there.
    pub sources: Vec<(u32, u32)>,
    /// Per merged document, its rank, if that is not its docID.
    pub ordinals: Option<Vec<u32>>,
    /// Whether documents of an input keep their order, after those of the inputs before.
    pub in_order: bool,
    /// Per input, the merged docID of its first document, if none of its documents is gone and all keep their order.
    pub shifts: Vec<Option<u32>>,
}

/// Whether a document is deleted.
pub(super) fn is_deleted(deleted: Option<&[u64]>, doc: u32) -> bool {
    deleted.is_some_and(|words| has_bit(words, doc))
}

/// The documents of a reordered segment by rank, deleted ones too; `None` if ranks are docIDs.
pub(super) fn reordered(segment: &Segment) -> Result<Option<Vec<u32>>> {
    let Some(ordinals) = segment.ordinals()? else { return Ok(None) };
    let mut docs = zeros(ordinals.len())?;
    (0..).zip(ordinals).for_each(|(doc, ordinal)| docs[ordinal as usize] = doc);
    Ok(Some(docs))
}

/// Per input, the documents that are not deleted, by rank.
pub(super) fn by_rank((segment, deleted): &Input) -> Result<Vec<u32>> {
    let mut docs = match reordered(segment)? {
        Some(docs) => docs,
        None => collected(0..segment.documents())?,
    };
    docs.retain(|&doc| !is_deleted(*deleted, doc));
    Ok(docs)
}

impl MergePlan {
    /// The plan for these inputs. Ordinals that are docIDs are left out. With a permutation (docID → rank) documents
    /// are reordered by it; without one they stay in the order of docIDs, and reordered inputs stay reordered.
    ///
    /// # Errors
    /// [`Error::Argument`] if the permutation is none of that many ranks, or documents are too many;
    /// [`Error::OutOfMemory`].
    pub fn new(inputs: &[Input], permutation: Option<&[u32]>) -> Result<MergePlan> {
        let total: u64 = inputs.iter().map(|(segment, _)| u64::from(segment.documents())).sum();
        if total >= u32::MAX.into() {
            return Err(Error::Argument(format!("{total} documents are too many for one segment")));
        }
        let map = |(segment, _): &Input| filled(GONE, segment.documents() as usize);
        let mut maps: Vec<Vec<u32>> = inputs.iter().map(map).collect::<Result<_>>()?;
        let mut by_ranks = room(total as usize)?;
        for (input, number) in inputs.iter().zip(0..) {
            by_ranks.extend(by_rank(input)?.into_iter().map(|doc| (number, doc)));
        }
        let ordinals = match permutation {
            Some(permutation) => Some(collected(permutation.iter().copied())?),
            None if inputs.iter().any(|(segment, _)| segment.is_reordered()) => {
                for (rank, &(input, doc)) in (0..).zip(&by_ranks) {
                    maps[input as usize][doc as usize] = rank;
                }
                let mut ranks = room(by_ranks.len())?;
                ranks.extend(maps.iter().flatten().copied().filter(|&rank| rank != GONE));
                Some(ranks)
            }
            None => None,
        };
        let identity = |ordinals: &Vec<u32>| ordinals.iter().copied().eq(0..by_ranks.len() as u32);
        let ordinals = ordinals.filter(|ordinals| !identity(ordinals));
        let mut sources: Vec<(u32, u32)> = by_ranks;
        maps.iter_mut().for_each(|map| map.fill(GONE));
        if let Some(ordinals) = &ordinals {
            let by_ranks = std::mem::replace(&mut sources, room(ordinals.len())?);
            if ordinals.len() != by_ranks.len() {
                let what = format!("a permutation of {} documents, not {}", ordinals.len(), by_ranks.len());
                return Err(Error::Argument(what));
            }
            for (doc, &rank) in (0..).zip(ordinals) {
                let Some(&(input, old)) = by_ranks.get(rank as usize) else {
                    return Err(Error::Argument(format!("rank {rank} of {} documents", by_ranks.len())));
                };
                let place = &mut maps[input as usize][old as usize];
                if std::mem::replace(place, doc) != GONE {
                    return Err(Error::Argument(format!("rank {rank} occurs twice")));
                }
                sources.push((input, old));
            }
        } else {
            for (doc, &(input, old)) in (0..).zip(&sources) {
                maps[input as usize][old as usize] = doc;
            }
        }
        let in_order = sources.is_sorted();
        let shift = |map: &Vec<u32>| match in_order {
            true if !map.contains(&GONE) => map.first().copied(),
            _ => None,
        };
        let shifts = maps.iter().map(shift).collect();
        Ok(MergePlan { maps, sources, ordinals, in_order, shifts })
    }
}
