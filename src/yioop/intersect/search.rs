//! The meaning of a list whose doc indexes do not increase: a document counts if the search finds it.
//!
//! The search for a document halves the bytes of the list, from the whole list on. The first posting that begins in the
//! upper half decides: if its doc index is below the wanted one, the search goes on from that posting to the end of the
//! range; otherwise it goes on before that posting, and remembers it. If no posting begins in the upper half, the
//! search goes on in the lower half. Once [`REST`] bytes or fewer are left, the first posting that begins in them and
//! has the wanted doc index is found; if there is none, the remembered posting, if it has the wanted doc index.
//!
//! If doc indexes increase, this finds every document of the list; if they increase but some are equal, the first
//! posting of each. A posting out of place is found only if the search happens to come to it, as with Yioop's own
//! galloping search. Unlike Yioop's, this search depends on nothing but the list, so all ways to intersect lists can
//! give the same answer: [`probe`](crate::yioop::probe) does it on the file, [`findable`] on doc indexes in memory.

use crate::codec::rises;
use crate::yioop::format::scan::Located;
use std::ops::Range;

/// Bytes at which halving ends.
pub(in crate::yioop) const REST: u32 = 4096;

/// Where the upper half of a range of bytes begins.
pub(in crate::yioop) fn middle(low: u32, high: u32) -> u32 {
    low + (high - low) / 2 / 4 * 4
}

/// A range of the list's bytes, and the documents whose search comes to it.
struct Step {
    low: u32,
    high: u32,
    /// The remembered posting, or the number of postings if there is none.
    beyond: usize,
    wanted: Range<usize>,
}

/// The postings of a list of `bytes` bytes that are found when their doc index is searched for, by increasing doc
/// index. O(n log n), or O(n) if doc indexes increase.
pub(super) fn findable(list: Located, bytes: u32) -> Located {
    if rises(&list.docs) {
        return list;
    }
    let Located { docs, offsets } = list;
    let mut wanted = docs.clone();
    wanted.sort_unstable();
    wanted.dedup();
    let mut found = Located::default();
    // The range with the smaller doc indexes is always on top.
    let mut steps = vec![Step { low: 0, high: bytes, beyond: docs.len(), wanted: 0..wanted.len() }];
    while let Some(Step { low, high, beyond, wanted: these }) = steps.pop() {
        if these.is_empty() {
            continue;
        }
        let begins_before = |limit: u32| offsets.partition_point(|&offset| offset < limit);
        if high - low <= REST {
            let mut postings: Vec<(u32, usize)> = (begins_before(low)..begins_before(high))
                .chain((beyond < docs.len()).then_some(beyond))
                .map(|rank| (docs[rank], rank))
                .collect();
            postings.sort_unstable();
            postings.dedup_by_key(|posting| posting.0);
            for &(doc, rank) in postings.iter().filter(|(doc, _)| wanted[these.clone()].binary_search(doc).is_ok()) {
                found.docs.push(doc);
                found.offsets.push(offsets[rank]);
            }
            continue;
        }
        let middle = middle(low, high);
        let rank = begins_before(middle);
        if offsets.get(rank).is_none_or(|&offset| offset >= high) {
            steps.push(Step { low, high: middle, beyond, wanted: these });
            continue;
        }
        let split = these.start + wanted[these.clone()].partition_point(|&doc| doc <= docs[rank]);
        steps.push(Step { low: offsets[rank], high, beyond, wanted: split..these.end });
        steps.push(Step { low, high: offsets[rank], beyond: rank, wanted: these.start..split });
    }
    found
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The search by its definition, for one document: the rank of the posting that it finds.
    pub(in crate::yioop::intersect) fn search(list: &Located, bytes: u32, doc: u32) -> Option<usize> {
        let (mut low, mut high, mut beyond) = (0, bytes, None);
        let begins_in = |low, high| (0..list.docs.len()).filter(move |&rank| (low..high).contains(&list.offsets[rank]));
        while high - low > REST {
            let middle = middle(low, high);
            match begins_in(middle, high).next() {
                Some(rank) if list.docs[rank] < doc => low = list.offsets[rank],
                Some(rank) => (high, beyond) = (list.offsets[rank], Some(rank)),
                None => high = middle,
            }
        }
        begins_in(low, high).chain(beyond).find(|&rank| list.docs[rank] == doc)
    }

    /// Postings of 4 bytes and sometimes many more, with doc indexes that increase but for some.
    fn disordered() -> impl Strategy<Value = (Located, u32)> {
        let posting = (1u32..4, prop_oneof![30 => 1u32..6, 1 => 100u32..3000]);
        let moves =
            prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<bool>()), 0..6);
        (prop::collection::vec(posting, 0..1500), moves, 0u32..2).prop_map(|(postings, moves, least)| {
            let (mut list, mut doc, mut bytes) = (Located::default(), 0, 0);
            for (step, words) in postings {
                doc += step * (least + step % 2);
                list.docs.push(doc);
                list.offsets.push(bytes);
                bytes += 4 * words;
            }
            for (from, to, swap) in moves {
                let len = list.docs.len();
                match (len, swap) {
                    (0, _) => {}
                    (_, true) => list.docs.swap(from.index(len), to.index(len)),
                    (_, false) => list.docs[from.index(len)] = list.docs[to.index(len)] / 2,
                }
            }
            (list, bytes)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        #[test]
        fn what_is_findable_is_what_the_search_finds((list, bytes) in disordered()) {
            let mut docs = list.docs.clone();
            docs.sort_unstable();
            docs.dedup();
            let found: Vec<(u32, u32)> = docs
                .iter()
                .filter_map(|&doc| Some((doc, list.offsets[search(&list, bytes, doc)?])))
                .collect();
            let findable = findable(list.clone(), bytes);
            prop_assert_eq!(findable.docs.into_iter().zip(findable.offsets).collect::<Vec<_>>(), &found[..]);
            // Where doc indexes at least do not fall, nothing is lost, and the first posting counts.
            if list.docs.is_sorted() {
                for (doc, offset) in docs.iter().zip(found.iter().map(|posting| posting.1)) {
                    prop_assert_eq!(offset, list.offsets[list.docs.partition_point(|other| other < doc)]);
                }
                prop_assert_eq!(docs.len(), found.len());
            }
        }
    }
}
