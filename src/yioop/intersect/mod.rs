//! Intersection of lists. No position is unpacked: the doc indexes and offsets of each list come from the scan of
//! [`doc_indexes`](super::doc_indexes()), and are intersected shortest list first.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod runs;
pub(super) mod search;

use super::format::scan::{Located, MAX_BYTES, locate};
use crate::base::cpu::{Tier, tier};
use crate::base::error::Result;
use crate::codec::gallop;

/// The doc indexes that several lists have in common, and where their postings are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Matches {
    /// The doc indexes, ascending, each once.
    pub docs: Vec<u32>,
    /// For each doc index, the byte offset of its posting in each list, in the order of the lists.
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

/// If one list is this many times as long as the other, each docID of the shorter is searched for in the longer;
/// otherwise both are merged. Measured on Zen 5 with 100,000 docIDs in the longer: vectors still win at 64, and the
/// plain merge loses at 32.
fn gallop_from(tier: Tier) -> usize {
    match tier {
        // NEON is not used here.
        Tier::Scalar | Tier::Neon => 24,
        Tier::Avx2 => 64,
        Tier::Avx512 => 128,
    }
}

/// The doc indexes that all lists have, ascending, with the byte offset of the posting in each list, in the order of
/// the arguments; none if there is no list.
///
/// [`intersect_flat`] is the same without an allocation per match.
///
/// # Errors
/// As [`intersect_flat`].
pub fn intersect(lists: &[&[u8]]) -> Result<Vec<(u32, Vec<u32>)>> {
    Ok(intersect_flat(lists)?.iter().map(|(doc, offsets)| (doc, offsets.to_vec())).collect())
}

/// The doc indexes that all lists have, ascending, with the byte offset of the posting in each list.
///
/// A document counts in a list if the [`search`] finds it there, and the offset is that of the posting found. In a list
/// with increasing doc indexes, that is every document. If some are equal, the first posting of each counts. If doc
/// indexes fall, which Yioop writes only by mistake, a posting out of place counts only if the search comes to it;
/// which postings those are depends on nothing but that list.
///
/// Takes time linear in the bytes of the lists (to check them and to find the doc indexes), and less than linear in the
/// postings of much longer lists after that. Allocates little more than the result, unless doc indexes do not increase
/// or a posting has some thousand words: then up to four times the size of the lists.
///
/// # Errors
/// [`Error::Corrupt`](crate::Error::Corrupt) of the first damaged list, even if the others are empty;
/// [`Error::Argument`](crate::Error::Argument) if a list has 4 GiB or more.
pub fn intersect_flat(lists: &[&[u8]]) -> Result<Matches> {
    intersect_with(tier(), lists)
}

fn intersect_with(tier: Tier, lists: &[&[u8]]) -> Result<Matches> {
    let mut sorted: Vec<(usize, &[u8])> = lists.iter().copied().enumerate().collect();
    sorted.sort_by_key(|(_, list)| list.len());
    let by_runs = sorted.len() >= 2 && sorted.iter().all(|(_, list)| list.len() <= MAX_BYTES);
    if let Some(matches) = by_runs.then(|| runs::intersect(tier, &sorted)).flatten() {
        return Ok(matches);
    }
    let located = lists.iter().map(|list| Ok((locate(list)?, list.len() as u32))).collect::<Result<_>>()?;
    Ok(intersect_located_with(tier, located))
}

/// [`intersect_flat`] of lists whose doc indexes are known, each with its length in bytes (at most [`MAX_BYTES`]).
pub(crate) fn intersect_located(lists: Vec<(Located, u32)>) -> Matches {
    intersect_located_with(tier(), lists)
}

fn intersect_located_with(tier: Tier, lists: Vec<(Located, u32)>) -> Matches {
    let count = lists.len();
    let mut lists: Vec<(usize, Located)> =
        lists.into_iter().map(|(list, bytes)| search::findable(list, bytes)).enumerate().collect();
    lists.sort_by_key(|(_, list)| list.docs.len());
    let mut longer = lists.into_iter();
    let Some((index, Located { mut docs, offsets })) = longer.next() else { return Matches::default() };
    // For each list so far, the offsets of `docs`.
    let mut columns = vec![(index, offsets)];
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for (index, list) in longer {
        common(tier, &docs, &list.docs, &mut left, &mut right);
        keep(&mut docs, &left);
        columns.iter_mut().for_each(|(_, offsets)| keep(offsets, &left));
        columns.push((index, right.iter().map(|&rank| list.offsets[rank as usize]).collect()));
    }
    let mut offsets = vec![0; docs.len() * count];
    for (index, column) in columns {
        offsets.iter_mut().skip(index).step_by(count).zip(column).for_each(|(to, from)| *to = from);
    }
    Matches { docs, offsets, lists: count }
}

/// Keeps the entries at `ranks`, which increase.
fn keep(entries: &mut Vec<u32>, ranks: &[u32]) {
    for (to, &from) in ranks.iter().enumerate() {
        entries[to] = entries[from as usize];
    }
    entries.truncate(ranks.len());
}

/// Replaces `left` and `right` by the ranks, in `short` and `long`, of the docIDs that both have. Both increase.
fn common(tier: Tier, short: &[u32], long: &[u32], left: &mut Vec<u32>, right: &mut Vec<u32>) {
    left.clear();
    right.clear();
    left.reserve(short.len());
    right.reserve(short.len());
    if long.len() / gallop_from(tier) >= short.len() {
        let mut at = 0;
        for (i, &doc) in short.iter().enumerate() {
            at += gallop(&long[at..], doc);
            if long.get(at) == Some(&doc) {
                left.push(i as u32);
                right.push(at as u32);
            }
        }
        return;
    }
    let (done, pairs, lanes) = match tier {
        // SAFETY: the tier is available; both vectors have room for all of `short`.
        #[cfg(target_arch = "x86_64")]
        Tier::Avx512 if tier.is_available() => unsafe {
            let (done, pairs) = avx512::common(short, long, left.as_mut_ptr(), right.as_mut_ptr());
            (done, pairs, 16)
        },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Tier::Avx2 if tier.is_available() => unsafe {
            let (done, pairs) = avx2::common(short, long, left.as_mut_ptr(), right.as_mut_ptr());
            (done, pairs, 8)
        },
        _ => (0, 0, long.len() + 1),
    };
    // SAFETY: `pairs` entries of both were written, at most as many as were reserved.
    unsafe {
        left.set_len(pairs);
        right.set_len(pairs);
    }
    // What is left over is less than a vector of `long`, or everything without vectors.
    let (mut i, mut j) = (done, long.len() / lanes * lanes);
    while let (Some(&x), Some(&y)) = (short.get(i), long.get(j)) {
        if x == y {
            left.push(i as u32);
            right.push(j as u32);
        }
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A list of several runs: docIDs `step` apart at the most, up to three positions, now and then a posting of many
    /// words.
    fn long_list(docs: usize, step: u32, seed: u32) -> Vec<u8> {
        let mut state = seed | 1;
        let mut random = |below: u32| {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            state % below
        };
        let (mut list, mut doc) = (Vec::new(), random(40_000));
        for _ in 0..docs {
            doc += 1 + random(step);
            let count = if random(500) == 0 { random(300) } else { random(4) };
            let positions: Vec<u32> = (0..count)
                .scan(0, |last, _| {
                    *last += 1 + random(700);
                    Some(*last)
                })
                .collect();
            list.extend(super::super::pack_posting(doc, &positions).unwrap());
        }
        list
    }

    fn located(lists: &[&[u8]]) -> Result<Matches> {
        Ok(intersect_located(lists.iter().map(|list| Ok((locate(list)?, list.len() as u32))).collect::<Result<_>>()?))
    }

    /// The definition: the documents that the search finds in all lists, one after the other.
    fn searched(lists: &[&[u8]]) -> Matches {
        let lists: Vec<(Located, u32)> = lists.iter().map(|list| (locate(list).unwrap(), list.len() as u32)).collect();
        let mut matches = Matches { lists: lists.len(), ..Matches::default() };
        let docs: std::collections::BTreeSet<u32> = lists.iter().flat_map(|(list, _)| list.docs.clone()).collect();
        for doc in docs {
            let found: Option<Vec<u32>> = lists
                .iter()
                .map(|(list, bytes)| Some(list.offsets[search::tests::search(list, *bytes, doc)?]))
                .collect();
            if let Some(offsets) = found {
                matches.docs.push(doc);
                matches.offsets.extend(offsets);
            }
        }
        matches
    }

    #[test]
    fn a_posting_longer_than_a_run_is_taken() {
        let positions: Vec<u32> = (1..200_000).map(|i| 500 * i).collect();
        let mut one = long_list(3000, 3, 5);
        one.extend(super::super::pack_posting(90_000, &positions).unwrap());
        let mut other = super::super::pack_posting(90_000, &[7]).unwrap();
        other.extend(super::super::pack_posting(90_001, &positions).unwrap());
        let matches = intersect_flat(&[&one, &other]).unwrap();
        assert_eq!((&matches.docs[..], matches.offsets[1]), (&[90_000][..], 0));
        assert_eq!(matches, located(&[&one, &other]).unwrap());
    }

    /// A document that stands in its place and once more out of place, and one that stands only out of place.
    #[test]
    fn a_posting_out_of_place_is_not_found() {
        let mut common: Vec<u32> = (10..5000).map(|doc| 2 * doc).collect();
        common[3000] = 24;
        common[3001] = 7;
        let list = |docs: &[u32]| -> Vec<u8> {
            docs.iter().flat_map(|&doc| super::super::pack_posting(doc, &[1, 40, 500]).unwrap()).collect()
        };
        let place_of_24 = list(&common[..2]).len() as u32;
        let (rare, common) = (list(&[7, 24, 6018, 6020, 6022, 6024, 9998]), list(&common));
        let matches = intersect_flat(&[&rare, &common]).unwrap();
        assert_eq!(matches.docs, [24, 6018, 6024, 9998]);
        assert_eq!(matches.offsets[1], place_of_24);
        assert_eq!(matches, searched(&[&rare, &common]));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn runs_give_what_whole_lists_give(
            shapes in prop::collection::vec((0usize..5000, 1u32..30, any::<u32>()), 1..5),
            flip in prop::option::of((any::<prop::sample::Index>(), any::<prop::sample::Index>())),
        ) {
            let mut lists: Vec<Vec<u8>> = shapes.iter().map(|&(n, step, seed)| long_list(n, step, seed)).collect();
            if let Some((list, bit)) = flip {
                let list = list.get_mut(&mut lists[..]);
                if !list.is_empty() {
                    let bit = bit.index(8 * list.len());
                    list[bit / 8] ^= 1 << (bit % 8);
                }
            }
            let lists: Vec<&[u8]> = lists.iter().map(|list| &list[..]).collect();
            let (by_runs, whole) = (intersect_flat(&lists), located(&lists));
            match (by_runs, whole) {
                (Ok(by_runs), Ok(whole)) => prop_assert_eq!(by_runs, whole),
                (Err(one), Err(other)) => prop_assert_eq!(one.to_string(), other.to_string()),
                (one, other) => prop_assert!(false, "{:?} and {:?}", one, other),
            }
            for list in lists {
                let mut docs = Vec::new();
                match (super::super::doc_indexes_to(list, &mut docs), super::super::doc_indexes(list)) {
                    (Ok(()), Ok(whole)) => prop_assert_eq!(docs, whole),
                    (Err(one), Err(other)) => prop_assert_eq!(one.to_string(), other.to_string()),
                    (one, other) => prop_assert!(false, "{:?} and {:?}", one, other),
                }
            }
        }
    }

    proptest! {
        #[test]
        fn common_docs_are_found(
            one in prop::collection::btree_set(0u32..3000, 0..400),
            other in prop::collection::btree_set(0u32..3000, 0..2500),
        ) {
            let wanted: Vec<u32> = one.intersection(&other).copied().collect();
            let (one, other): (Vec<u32>, Vec<u32>) = (one.into_iter().collect(), other.into_iter().collect());
            for (short, long) in [(&one, &other), (&other, &one)] {
                for tier in Tier::available() {
                    let (mut left, mut right) = (vec![7], vec![7]);
                    common(tier, short, long, &mut left, &mut right);
                    prop_assert_eq!(left.iter().map(|&i| short[i as usize]).collect::<Vec<_>>(), &wanted[..]);
                    prop_assert_eq!(right.iter().map(|&i| long[i as usize]).collect::<Vec<_>>(), &wanted[..]);
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn lists_in_disorder_are_searched(
            shapes in prop::collection::vec((1usize..1500, 1u32..4, any::<u32>()), 1..4),
            moves in prop::collection::vec(any::<(prop::sample::Index, prop::sample::Index, prop::sample::Index)>(), 1..5),
        ) {
            let mut lists: Vec<Vec<Vec<u8>>> = shapes
                .iter()
                .map(|&(n, step, seed)| {
                    let list = long_list(n, step, seed);
                    let postings = crate::yioop::Postings::parse(&list).unwrap();
                    postings.iter().map(|posting| posting.as_bytes().to_vec()).collect()
                })
                .collect();
            for (list, from, to) in moves {
                let list = list.get_mut(&mut lists[..]);
                let (from, to) = (from.index(list.len()), to.index(list.len()));
                let posting = list.remove(from);
                list.insert(to, posting);
            }
            let lists: Vec<Vec<u8>> = lists.iter().map(|list| list.concat()).collect();
            let lists: Vec<&[u8]> = lists.iter().map(|list| &list[..]).collect();
            let wanted = searched(&lists);
            prop_assert_eq!(&located(&lists).unwrap(), &wanted);
            for tier in Tier::available() {
                prop_assert_eq!(&intersect_with(tier, &lists).unwrap(), &wanted, "{:?}", tier);
                let known = lists.iter().map(|list| (locate(list).unwrap(), list.len() as u32)).collect();
                prop_assert_eq!(&intersect_located_with(tier, known), &wanted, "{:?}", tier);
            }
        }
    }
}
