//! [`Results`]: the docIDs that a batch of queries found.

use crate::base::error::Result;
use crate::base::huge_pages;

/// The most docIDs in a part, unless a single query has more. At 16 MB, most of a part lies in huge pages, and the C
/// library's heap keeps it for the next batch.
const PART: usize = 1 << 22;

/// The results of a batch of queries; the docIDs of each query ascend. They are stored in a few parts, each with the
/// results of several queries. So several threads can produce them, and none is moved when more are added.
#[derive(Debug, Clone, Default)]
pub struct Results {
    parts: Vec<Vec<u32>>,
    /// Where the docIDs of each query are.
    spans: Vec<Span>,
}

/// The range `start..end` of a part.
#[derive(Debug, Clone, Copy, Default)]
struct Span {
    part: usize,
    start: usize,
    end: usize,
}

impl Results {
    /// Empty results with room for that many queries, and for that many docIDs in all.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn with_room(queries: usize, doc_ids: usize) -> Result<Results> {
        Ok(Results { parts: vec![huge_pages::try_with_room(doc_ids)?], spans: Vec::with_capacity(queries) })
    }

    /// Empty results with room for the parts of that many queries.
    pub(crate) fn with_spans(queries: usize) -> Results {
        Results { parts: Vec::new(), spans: Vec::with_capacity(queries) }
    }

    /// The result of a single query.
    pub fn of_one(doc_ids: Vec<u32>) -> Results {
        Results { spans: vec![Span { part: 0, start: 0, end: doc_ids.len() }], parts: vec![doc_ids] }
    }

    /// Combines separately computed results of `queries` queries. Each item holds the results of some queries,
    /// and the indices of these queries in the same order.
    ///
    /// # Panics
    /// If an item has fewer results than indices, or an index is not below `queries`.
    pub(crate) fn of_pieces(queries: usize, pieces: impl IntoIterator<Item = (Results, Vec<usize>)>) -> Results {
        let mut all = Results { parts: Vec::new(), spans: vec![Span::default(); queries] };
        for (piece, whose) in pieces {
            let before = all.parts.len();
            for (at, query) in whose.into_iter().enumerate() {
                let span = piece.spans[at];
                all.spans[query] = Span { part: before + span.part, ..span };
            }
            all.parts.extend(piece.parts);
        }
        all
    }

    /// Adds the result of the next query: `append` appends its docIDs to the vector that it is given.
    pub fn push(&mut self, append: impl FnOnce(&mut Vec<u32>)) {
        if self.parts.is_empty() {
            self.parts.push(Vec::new());
        }
        let part = self.parts.len() - 1;
        let doc_ids = &mut self.parts[part];
        let start = doc_ids.len();
        append(doc_ids);
        let end = doc_ids.len();
        self.spans.push(Span { part, start, end });
    }

    /// As [`Results::push`], for a query that finds at most `most` docIDs; this and all later queries find at most
    /// `rest` together. See [`make_room`](Self::make_room).
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub(crate) fn push_at_most(&mut self, most: usize, rest: usize, append: impl FnOnce(&mut Vec<u32>)) -> Result<()> {
        if most <= PART {
            self.make_room(most, rest)?;
        } else if self.room() < most {
            // Such a result usually turns out much smaller, so it starts empty and grows.
            self.parts.push(Vec::new());
        }
        self.push(append);
        Ok(())
    }

    /// If the last part has no room for `least` docIDs, begins a new one, with room for `rest` if that is not too much. A
    /// vector that grows would be moved, and faulting in untouched memory takes as long as finding the docIDs.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub(crate) fn make_room(&mut self, least: usize, rest: usize) -> Result<()> {
        if self.room() < least {
            self.parts.push(huge_pages::try_with_room(rest.min(PART).max(least))?);
        }
        Ok(())
    }

    /// How many docIDs fit into the last part.
    fn room(&self) -> usize {
        self.parts.last().map_or(0, |part| part.capacity() - part.len())
    }

    /// The number of queries.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Whether there are no queries.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// The docIDs of a query.
    ///
    /// # Panics
    /// If there is no such query.
    pub fn get(&self, query: usize) -> &[u32] {
        let Span { part, start, end } = self.spans[query];
        // An empty result may belong to no part at all.
        if start == end { &[] } else { &self.parts[part][start..end] }
    }

    /// The docIDs of each query.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        (0..self.len()).map(|query| self.get(query))
    }

    /// The docIDs of all queries, concatenated.
    pub fn into_doc_ids(mut self) -> Vec<u32> {
        match self.parts.len() {
            1 if self.spans.is_sorted_by_key(|span| span.start) => self.parts.pop().unwrap_or_default(),
            _ => self.iter().collect::<Vec<_>>().concat(),
        }
    }
}

impl PartialEq for Results {
    /// Compares the docIDs of each query, regardless of how they are divided into parts.
    fn eq(&self, other: &Results) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Results {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_query_has_its_own() {
        let mut results = Results::with_room(3, 4).unwrap();
        results.push(|doc_ids| doc_ids.extend([3, 4]));
        results.push(|_| ());
        results.push(|doc_ids| doc_ids.push(1));
        assert!(results.iter().eq([&[3, 4][..], &[], &[1]]));
        assert_eq!((results.len(), results.get(2)), (3, &[1][..]));
        assert_eq!(results.into_doc_ids(), [3, 4, 1]);
        assert_eq!(Results::of_one(vec![7]).into_doc_ids(), [7]);
    }

    #[test]
    fn queries_that_have_room_are_in_one_part() {
        let mut results = Results::with_spans(4);
        results.make_room(3, 2).unwrap();
        results.push(|doc_ids| doc_ids.extend([3, 4]));
        results.make_room(1, 5).unwrap();
        results.push(|doc_ids| doc_ids.push(1));
        assert_eq!(results.parts.len(), 1);
        results.push(|_| ());
        let left = results.room();
        results.make_room(left + 1, 0).unwrap();
        results.push(|doc_ids| doc_ids.extend([9, 10]));
        assert_eq!(results.parts.len(), 2);
        assert!(results.iter().eq([&[3, 4][..], &[1], &[], &[9, 10]]));
        assert_eq!(results.into_doc_ids(), [3, 4, 1, 9, 10]);
    }

    #[test]
    fn parts_are_not_seen() {
        let mut results = Results::default();
        results.push_at_most(2, 2, |doc_ids| doc_ids.extend([5, 6])).unwrap();
        results.push_at_most(1, 1, |doc_ids| doc_ids.push(2)).unwrap();
        results.push_at_most(PART + 1, PART + 1, |doc_ids| doc_ids.push(9)).unwrap();
        assert_eq!(results.parts.len(), 3);
        let mut one = Results::with_room(3, 4).unwrap();
        [&[5, 6][..], &[2], &[9]].iter().for_each(|found| one.push(|doc_ids| doc_ids.extend(*found)));
        assert_eq!(results, one);
        assert_eq!(results.into_doc_ids(), [5, 6, 2, 9]);
    }

    #[test]
    fn room_is_shared_by_the_queries_to_come() {
        let mut results = Results::default();
        for rest in (1..=10).rev() {
            results.push_at_most(3, 3 * rest, |doc_ids| doc_ids.extend([1, 2])).unwrap();
        }
        assert_eq!(results.parts.len(), 1);
    }

    #[test]
    fn pieces_are_put_in_order() {
        let piece = |found: &[&[u32]]| {
            let mut results = Results::default();
            found.iter().for_each(|found| results.push(|doc_ids| doc_ids.extend(*found)));
            results
        };
        let pieces =
            [(piece(&[&[4], &[1, 2]]), vec![3, 0]), (Results::default(), vec![]), (piece(&[&[], &[7, 8]]), vec![1, 4])];
        let results = Results::of_pieces(5, pieces);
        assert!(results.iter().eq([&[1, 2][..], &[], &[], &[4], &[7, 8]]));
        let one = Results::of_pieces(2, [(piece(&[&[9], &[3]]), vec![1, 0])]);
        assert_eq!(one.into_doc_ids(), [3, 9]);
        assert!(Results::of_pieces(0, []).is_empty());
    }
}
