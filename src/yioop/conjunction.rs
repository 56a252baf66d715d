//! A conjunctive query over an index: the documents that have all words, in index order, with Yioop's scores.
//!
//! The index consists of shards, one per generation. The caller intersects the lists of all generations beforehand;
//! positions are unpacked, documents read and scores computed only when a document is asked for, so that a first page
//! of results costs little.

use super::probe::List;
use super::score::{self, Auxiliary, Collection, Match, Query, Rank, Round, Weights};
use super::shard::Window;
use super::{Matches, Postings, Shard, shard};
use crate::base::error::{Error, Result};
use std::sync::Arc;

/// A shard with the posting lists of a query's words in it.
#[derive(Debug)]
pub struct Generation {
    /// The shard.
    pub shard: Arc<Shard>,
    /// One list per word.
    pub lists: Vec<List>,
    /// What the lists have in common.
    pub matches: Matches,
}

/// A document that matches.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Index of its generation among those given.
    pub generation: usize,
    /// Its doc index there.
    pub doc_index: u32,
    /// What the doc map has on it.
    pub document: shard::Document,
    /// Weights of its positions and ranks given by classifiers.
    pub auxiliary: Auxiliary,
    /// The positions of the first list's word in it.
    pub positions: Vec<u32>,
    /// Byte offset of its posting in each list.
    pub offsets: Vec<u32>,
    /// Its rank, whatever the query.
    pub rank: Rank,
    /// The sum of the words' relevances.
    pub relevance: f64,
    /// How near to each other the words stand.
    pub proximity: f64,
    /// Documents before it, since the hit before, that have all words but not the phrases.
    pub passed_over: u32,
}

/// A cursor over the documents that have all words of a query.
#[derive(Debug)]
pub struct Conjunction {
    query: Query,
    weights: Weights,
    round: Round,
    generations: Vec<Generation>,
    generation: usize,
    row: usize,
    /// The position lists of the document at hand; kept for their memory.
    positions: Vec<Vec<u32>>,
    /// What was read of the current generation's doc map.
    window: Window,
}

impl Conjunction {
    /// A cursor before the first document. All generations have as many lists as the query asks for.
    ///
    /// # Errors
    /// [`Error::Argument`] if a generation has another number of lists.
    pub fn new(generations: Vec<Generation>, query: Query, weights: Weights, round: Round) -> Result<Self> {
        let lists = query.lists();
        for (index, generation) in generations.iter().enumerate() {
            let (given, matched) = (generation.lists.len(), generation.matches.lists);
            if given != lists || matched != lists {
                return Err(Error::Argument(format!("generation {index} has {given} lists, the query {lists}")));
            }
        }
        let positions = vec![Vec::new(); lists];
        Ok(Conjunction {
            query,
            weights,
            round,
            generations,
            generation: 0,
            row: 0,
            positions,
            window: Window::default(),
        })
    }

    /// How many documents have all words, whether or not they have the phrases.
    pub fn len(&self) -> usize {
        self.generations.iter().map(|generation| generation.matches.docs.len()).sum()
    }

    /// Whether no document has all words.
    pub fn is_empty(&self) -> bool {
        self.generations.iter().all(|generation| generation.matches.docs.is_empty())
    }

    /// Moves forward to the first document from (`generation`, `doc_index`) on; never backward.
    pub fn seek(&mut self, generation: usize, doc_index: u32) {
        if generation > self.generation {
            self.generation = generation;
            self.row = 0;
            self.window = Window::default();
        }
        if generation == self.generation
            && let Some(here) = self.generations.get(generation)
        {
            let from = here.matches.docs.partition_point(|&other| other < doc_index);
            self.row = self.row.max(from);
        }
    }

    /// The next `count` documents that have all words and phrases, or as many as are left. If a document is damaged,
    /// those before it; the error is then that of the next call, unless [`seek`](Self::seek) passes over the document.
    ///
    /// # Errors
    /// As [`next_hit`](Self::next_hit), of the first document.
    pub fn next_hits(&mut self, count: usize) -> Result<Vec<Hit>> {
        let mut hits = Vec::new();
        while hits.len() < count {
            let before = (self.generation, self.row);
            match self.next_hit() {
                Ok(Some(hit)) => hits.push(hit),
                Ok(None) => break,
                Err(error) if hits.is_empty() => return Err(error),
                Err(_) => {
                    (self.generation, self.row) = before;
                    self.window = Window::default();
                    break;
                }
            }
        }
        Ok(hits)
    }

    /// The next document that has all words and phrases; `None` after the last. Documents without a full key, which
    /// Yioop's word iterators drop, are left out.
    ///
    /// Costs two or three small reads and the unpacking of the document's positions.
    ///
    /// # Errors
    /// [`Error::Corrupt`] or [`Error::File`] if the shard changed or is damaged; the cursor then stands after the
    /// document in question.
    pub fn next_hit(&mut self) -> Result<Option<Hit>> {
        let mut passed_over = 0;
        while let Some(generation) = self.generations.get(self.generation) {
            if self.row >= generation.matches.docs.len() {
                self.generation += 1;
                self.row = 0;
                self.window = Window::default();
                continue;
            }
            let row = self.row;
            self.row += 1;
            if let Some(hit) = self.hit(row, passed_over)? {
                return Ok(Some(hit));
            }
            passed_over += 1;
        }
        Ok(None)
    }

    fn hit(&mut self, row: usize, passed_over: u32) -> Result<Option<Hit>> {
        let index = self.generation;
        let generation = &self.generations[index];
        let lists = generation.lists.len();
        let doc_index = generation.matches.docs[row];
        let offsets = &generation.matches.offsets[row * lists..(row + 1) * lists];
        let document = generation.shard.document_in(doc_index, &mut self.window)?;
        if document.id().is_none() {
            return Ok(None);
        }
        let auxiliary = match document.auxiliary_keys() {
            Some(keys) => Auxiliary::parse(keys)?,
            None => Auxiliary::default(),
        };
        let scored_document = score::Document {
            summary_offset: document.summary_offset,
            is_link: document.is_link,
            length: document.length,
            auxiliary,
        };
        let mut lengths = Vec::with_capacity(lists);
        for ((positions, list), &offset) in self.positions.iter_mut().zip(&generation.lists).zip(offsets) {
            lengths.push(unpack(list.from(offset), positions)?);
        }
        let matches: Vec<Match<'_>> = self
            .positions
            .iter()
            .zip(&generation.lists)
            .zip(lengths)
            .map(|((positions, list), posting_bytes)| Match { positions, list_bytes: list.bytes(), posting_bytes })
            .collect();
        let collection = Collection::from(generation.shard.header());
        let scored = self.query.score(&collection, &scored_document, &matches, &self.weights, self.round)?;
        let Some(scored) = scored else { return Ok(None) };
        Ok(Some(Hit {
            generation: index,
            doc_index,
            rank: collection.rank(doc_index, &scored_document, &self.weights, self.round),
            document,
            auxiliary: scored_document.auxiliary,
            positions: self.positions[0].clone(),
            offsets: offsets.to_vec(),
            relevance: scored.relevance,
            proximity: scored.proximity,
            passed_over,
        }))
    }
}

/// Unpacks the positions of the first posting, and returns its length in bytes. Only this posting is looked at.
fn unpack(rest: &[u8], positions: &mut Vec<u32>) -> Result<usize> {
    let words = rest.chunks_exact(4).take_while(|word| word[0] & 0x80 != 0).count() + 1;
    let posting = Postings::parse(&rest[..rest.len().min(4 * words)])?;
    positions.clear();
    if let Some(posting) = posting.iter().next() {
        positions.extend(posting.positions());
    }
    Ok(posting.as_bytes().len())
}

impl shard::Document {
    /// The key that Yioop knows the document by: its first three keys, or two that fill three places; trailing zeros of
    /// a third key do not count. `None` if there are fewer keys than Yioop asks for.
    pub fn id(&self) -> Option<[u8; 24]> {
        let mut id = [0xff; 24];
        for (place, key) in id.chunks_exact_mut(8).zip(&self.keys) {
            place.copy_from_slice(key);
        }
        let ends_in = |byte: u8, many: usize| id.iter().rev().take_while(|&&other| other == byte).count() == many;
        let short = match self.keys.len() {
            0 | 1 => true,
            2 => ends_in(0xff, 8),
            // With more than 120 keys Yioop takes the entry for damaged, and for one of three keys.
            3 | 121.. => ends_in(0, 8),
            _ => false,
        };
        (!short).then_some(id)
    }

    /// The bytes after the third key, if a document (not a link) has some.
    pub fn auxiliary_keys(&self) -> Option<&[u8]> {
        let keys = self.keys.get(3..).filter(|_| !self.is_link && self.keys.len() <= 120)?;
        (!keys.is_empty()).then_some(keys.as_flattened())
    }
}

impl From<&shard::Header> for Collection {
    fn from(header: &shard::Header) -> Self {
        Collection {
            generation: header.generation,
            documents_per_generation: header.docs_per_generation,
            documents: header.documents,
            links: header.links,
            documents_length: header.documents_len,
            links_length: header.links_len,
        }
    }
}
