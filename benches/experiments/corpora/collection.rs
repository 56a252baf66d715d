//! An index and queries for it, with which ranked search is measured.

use super::text::Text;
use crate::failure::Failure;
use postings::search::{Index, Options};
use postings::{Codec, PostingList};
use std::collections::HashMap;
use std::path::Path;

/// The most queries.
const MOST: usize = 10_000;

/// A query.
pub struct Query {
    pub text: String,
    /// In how many documents each of its words is.
    pub lengths: Vec<u64>,
}

/// An index and queries for it.
pub struct Collection {
    pub index: Index,
    pub queries: Vec<Query>,
    /// What the queries are, for notes.
    pub about: String,
}

impl Collection {
    /// An index, and a file with a query per line: words as they are in the index, with spaces between them.
    pub fn read(index: &Path, queries: &Path) -> Result<Collection, Failure> {
        let index = Index::open(index)?;
        let text = std::fs::read_to_string(queries).map_err(|error| format!("{}: {error}", queries.display()))?;
        let mut known = HashMap::new();
        let mut length = |word: &str| -> Result<u64, Failure> {
            if let Some(&length) = known.get(word) {
                return Ok(length);
            }
            let length = index.count(word, &Options::default())?;
            known.insert(word.to_owned(), length);
            Ok(length)
        };
        let mut found = Vec::new();
        for line in text.lines().filter(|line| !line.trim().is_empty()).take(MOST) {
            let lengths = line.split_whitespace().map(&mut length).collect::<Result<_, _>>()?;
            found.push(Query { text: line.into(), lengths });
        }
        if found.is_empty() {
            return Err(format!("{}: no queries", queries.display()).into());
        }
        let counts = found.iter().map(|query| query.lengths.len());
        let (least, most) = (counts.clone().min().unwrap_or(0), counts.max().unwrap_or(0));
        let about = format!("of {least} to {most} words");
        Ok(Collection { index, queries: found, about })
    }

    /// The index of a text, and queries from its documents.
    pub fn of(text: &Text) -> Collection {
        let query = |terms: Vec<usize>| Query {
            text: terms.iter().map(|&term| &*text.terms[term]).collect::<Vec<_>>().join(" "),
            lengths: terms.iter().map(|&term| text.length(term)).collect(),
        };
        let queries = text.queries(MOST).into_iter().map(query).collect();
        Collection { index: text.index.clone(), queries, about: "of 2 to 6 words, each from a document".into() }
    }

    /// The number of documents.
    pub fn documents(&self) -> u64 {
        self.index.documents()
    }

    /// The first `count` queries, or all if there are fewer.
    pub fn first(&self, count: usize) -> &[Query] {
        &self.queries[..count.min(self.queries.len())]
    }

    /// The lists of some queries in a codec, the shortest list of each first. Queries that have a word twice, or one that is
    /// in no document, are left out.
    pub fn lists(&self, queries: &[Query], codec: Codec) -> Result<Vec<Vec<PostingList>>, Failure> {
        let mut known: HashMap<&str, PostingList> = HashMap::new();
        let mut all = Vec::new();
        for query in queries {
            let mut words: Vec<(u64, &str)> =
                query.lengths.iter().copied().zip(query.text.split_whitespace()).collect();
            words.sort_unstable();
            words.dedup();
            if words.len() < query.lengths.len() || words.first().is_none_or(|&(length, _)| length == 0) {
                continue;
            }
            let mut lists = Vec::new();
            for (_, word) in words {
                if !known.contains_key(word) {
                    let list = self.index.postings(word.as_bytes(), 0)?;
                    known.insert(word, PostingList::encode(&list.decode(), codec)?);
                }
                lists.push(known[word].clone());
            }
            all.push(lists);
        }
        Ok(all)
    }
}

/// The texts of queries, as batches take them.
pub fn texts(queries: &[Query]) -> Vec<&str> {
    queries.iter().map(|query| &*query.text).collect()
}
