//! Intersection of lists. No position is unpacked: the doc indexes and offsets of each list come from the scan of
//! [`doc_indexes`](super::doc_indexes()), and what they have in common is found shortest list first.

use super::doc_indexes::{Located, locate};
use crate::error::Result;

/// The doc indexes that several lists have in common, and where their postings are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Matches {
    /// The doc indexes, ascending, each once.
    pub docs: Vec<u32>,
    /// For each doc index in turn, the byte offset of its posting in each list, in the order of the lists.
    pub offsets: Vec<u32>,
    /// How many lists there were.
    pub lists: usize,
}

impl Matches {
    /// Each doc index with the offsets of its postings.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &[u32])> {
        self.docs.iter().copied().zip(self.offsets.chunks_exact(self.lists.max(1)))
    }
}

/// Where one list is this many times as long as the other, each docID of the shorter is searched for in the longer;
/// else both are merged. Measured on Zen 5: even at 16 to 32.
const GALLOP: usize = 24;

/// The doc indexes that all lists have, ascending, with the byte offset of the posting in each list, in the order of
/// the arguments; none where there is no list.
///
/// See [`intersect_flat`], which is the same without an allocation for each match.
///
/// # Errors
/// As [`intersect_flat`].
pub fn intersect(lists: &[&[u8]]) -> Result<Vec<(u32, Vec<u32>)>> {
    Ok(intersect_flat(lists)?.iter().map(|(doc, offsets)| (doc, offsets.to_vec())).collect())
}

/// The doc indexes that all lists have, ascending, with the byte offset of the posting in each list.
///
/// It is the intersection of what [`doc_indexes`](super::doc_indexes()) gives of each list, as sets. Where a list has
/// a doc index in several postings, the offset is that of the first of them, as in Yioop's own search forward through
/// a list; where doc indexes do not rise, which Yioop writes only by mistake, the list is sorted first.
///
/// Takes time linear in the bytes of the lists (to check them and to find the doc indexes), and less than linear in
/// the postings of much longer lists thereafter. Allocates up to twice the size of the lists.
///
/// # Errors
/// [`Error::Corrupt`](crate::Error::Corrupt) of the first list that is damaged, even where the others are empty;
/// [`Error::Argument`](crate::Error::Argument) where a list has 4 GiB or more.
pub fn intersect_flat(lists: &[&[u8]]) -> Result<Matches> {
    let located = lists.iter().map(|list| Ok(rising(locate(list)?))).collect::<Result<Vec<_>>>()?;
    let mut order: Vec<&Located> = located.iter().collect();
    order.sort_by_key(|list| list.docs.len());
    let Some((shortest, longer)) = order.split_first() else { return Ok(Matches::default()) };
    let mut docs = shortest.docs.clone();
    for list in longer {
        keep_common(&mut docs, &list.docs);
    }
    let mut offsets = vec![0; docs.len() * lists.len()];
    for (i, list) in located.iter().enumerate() {
        let mut at = 0;
        for (row, &doc) in docs.iter().enumerate() {
            at = seek(&list.docs, at, doc);
            offsets[row * lists.len() + i] = list.offsets[at];
        }
    }
    Ok(Matches { docs, offsets, lists: lists.len() })
}

/// The list with doc indexes strictly rising: sorted where need be, the first posting of each doc index kept.
fn rising(list: Located) -> Located {
    // All pairs are looked at, so that the loop has no exit and is vectorised.
    let falls = list.docs.windows(2).fold(0, |falls, pair| falls | u32::from(pair[0] >= pair[1]));
    if falls == 0 {
        return list;
    }
    let mut postings: Vec<(u32, u32)> = list.docs.into_iter().zip(list.offsets).collect();
    // Offsets rise in the list, so this puts the first posting of a doc index first.
    postings.sort_unstable();
    postings.dedup_by_key(|posting| posting.0);
    let (docs, offsets) = postings.into_iter().unzip();
    Located { docs, offsets }
}

/// Keeps of `docs` what `other`, which is not shorter, has as well. Both rise.
fn keep_common(docs: &mut Vec<u32>, other: &[u32]) {
    let mut kept = 0;
    if other.len() / GALLOP >= docs.len() {
        let mut at = 0;
        for i in 0..docs.len() {
            at = seek(other, at, docs[i]);
            if other.get(at) == Some(&docs[i]) {
                docs[kept] = docs[i];
                kept += 1;
            }
        }
    } else {
        let (mut i, mut j) = (0, 0);
        while let (Some(&x), Some(&y)) = (docs.get(i), other.get(j)) {
            // Branch-free: `kept` is at most `i`, so what is overwritten has been read.
            docs[kept] = x;
            kept += usize::from(x == y);
            i += usize::from(x <= y);
            j += usize::from(y <= x);
        }
    }
    docs.truncate(kept);
}

/// The first index from `from` on whose docID is `doc` or more: steps that double, then a binary search.
fn seek(docs: &[u32], from: usize, doc: u32) -> usize {
    let rest = &docs[from..];
    let mut reach = 1;
    while reach < rest.len() && rest[reach] < doc {
        reach *= 2;
    }
    let low = reach / 2;
    let high = (reach + 1).min(rest.len());
    from + low + rest[low..high].partition_point(|&other| other < doc)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn seek_is_partition_point(
            docs in prop::collection::btree_set(0u32..500, 0..100),
            from in 0usize..100,
            doc in 0u32..600,
        ) {
            let docs: Vec<u32> = docs.into_iter().collect();
            let from = from.min(docs.len());
            let naive = from + docs[from..].iter().filter(|&&other| other < doc).count();
            prop_assert_eq!(seek(&docs, from, doc), naive);
        }

        #[test]
        fn common_docs_are_kept(
            one in prop::collection::btree_set(0u32..3000, 0..40),
            other in prop::collection::btree_set(0u32..3000, 0..2500),
        ) {
            let mut docs: Vec<u32> = one.iter().copied().collect();
            keep_common(&mut docs, &other.iter().copied().collect::<Vec<_>>());
            prop_assert_eq!(docs, one.intersection(&other).copied().collect::<Vec<_>>());
        }
    }
}
