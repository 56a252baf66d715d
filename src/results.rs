//! [`Results`] of a batch of queries.

/// The results of a batch of queries, the docIDs of each ascending, one query behind the other: few allocations, however
/// many queries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Results {
    doc_ids: Vec<u32>,
    /// Where each query's docIDs end.
    ends: Vec<usize>,
}

impl Results {
    /// Room for that many queries, and for that many docIDs in all.
    pub fn with_room(queries: usize, doc_ids: usize) -> Results {
        Results { doc_ids: crate::room::with_room(doc_ids), ends: Vec::with_capacity(queries) }
    }

    /// The result of a single query.
    pub fn of_one(doc_ids: Vec<u32>) -> Results {
        Results { ends: vec![doc_ids.len()], doc_ids }
    }

    /// The next query: `append` appends its docIDs to what it is given.
    pub fn push(&mut self, append: impl FnOnce(&mut Vec<u32>)) {
        append(&mut self.doc_ids);
        self.ends.push(self.doc_ids.len());
    }

    /// Queries.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no query.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The docIDs of a query.
    ///
    /// # Panics
    /// Where there is no such query.
    pub fn get(&self, query: usize) -> &[u32] {
        let start = query.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.doc_ids[start..self.ends[query]]
    }

    /// The docIDs of each query.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        (0..self.len()).map(|query| self.get(query))
    }

    /// The docIDs of all queries, one behind the other.
    pub fn into_doc_ids(self) -> Vec<u32> {
        self.doc_ids
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_query_has_its_own() {
        let mut results = Results::with_room(3, 4);
        results.push(|doc_ids| doc_ids.extend([3, 4]));
        results.push(|_| ());
        results.push(|doc_ids| doc_ids.push(1));
        assert!(results.iter().eq([&[3, 4][..], &[], &[1]]));
        assert_eq!((results.len(), results.get(2)), (3, &[1][..]));
        assert_eq!(Results::of_one(vec![7]).into_doc_ids(), [7]);
    }
}
