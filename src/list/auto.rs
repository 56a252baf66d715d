//! The choice of a codec by measuring the list.

use super::PostingList;
use crate::base::error::Result;
use crate::codec::Codec;

/// A codec is a candidate if decoding takes at most this many times as long as with the fastest.
const SLOWEST: f64 = 4.0;

impl PostingList {
    /// Encodes strictly increasing docIDs in the codec that takes the fewest bytes for them, of those that decode at
    /// least a quarter as fast as the fastest codec does (by the rates that the registry states for all machines, so
    /// that the same docIDs have the same codec everywhere). Every candidate encodes the list once: O(n) for each.
    ///
    /// # Errors
    /// As [`encode`](Self::encode), but every list can be coded.
    pub fn encode_auto(doc_ids: &[u32]) -> Result<PostingList> {
        let mut best = PostingList::encode(doc_ids, Codec::default())?;
        for codec in candidates().filter(|&codec| codec != Codec::default()) {
            // A codec that cannot code the list is no candidate.
            if let Ok(list) = PostingList::encode(doc_ids, codec)
                && list.size() < best.size()
            {
                best = list;
            }
        }
        Ok(best)
    }
}

/// The codecs that decode fast enough.
fn candidates() -> impl Iterator<Item = Codec> {
    let fastest = Codec::ALL.into_iter().map(|codec| codec.cost().decoded).fold(f64::INFINITY, f64::min);
    Codec::ALL.into_iter().filter(move |codec| codec.cost().decoded <= SLOWEST * fastest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_candidate_is_smaller() {
        let lists: [Vec<u32>; 5] = [
            Vec::new(),
            vec![u32::MAX],
            (0..5000).collect(),
            (0..5000).map(|i| i * 100 + i % 7).collect(),
            (0..5000).map(|i| i % 50 + i / 50 * 10_000).collect(),
        ];
        for doc_ids in lists {
            let auto = PostingList::encode_auto(&doc_ids).unwrap();
            assert_eq!(auto.decode(), doc_ids);
            for codec in candidates() {
                if let Ok(list) = PostingList::encode(&doc_ids, codec) {
                    assert!(auto.size() <= list.size(), "{codec:?} is smaller than {:?}", auto.codec());
                }
            }
        }
        assert!(candidates().any(|codec| codec == Codec::default()));
        assert!(PostingList::encode_auto(&[2, 1]).is_err());
    }
}
