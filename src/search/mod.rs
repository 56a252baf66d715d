//! Searching an index.
//!
//! | file | what |
//! |---|---|
//! | `mod.rs` | [`Index`]: what can be asked |
//! | [`asked`](Asked) | what a search is for: words, terms with weights, and vectors |
//! | [`options`](Options) | how a search can be told to work |
//! | `read` | a query as the analyzers of the fields read it |
//! | `plan` | a query becomes leaves with weights, by the statistics of the whole index |
//! | `expansion` | the terms that prefixes and fuzzy words stand for, and what a query may cost |
//! | `pattern`, `closest`, `stemmed` | which terms they are, and how far from what was typed; the same by words where terms are stems |
//! | `leaf` | what one list of postings is made of |
//! | `prepared` | a query as a device can rank it |
//! | `lists` | the postings of a leaf in a segment |
//! | `among` | the same among the documents of another clause |
//! | `cursors` | the terms of a query in a segment, and which documents count there |
//! | `run`, `phrases` | hits and counts, segment by segment; those of a query that is one phrase |
//! | `order`, `sort`, `sorted`, `walk` | what hits can be ordered by; keys and values of documents; hits in such an order; documents in the order of a field |
//! | `check` | whether options fit the index |
//! | `facets`, `distinct` | what the documents that match have in a field; the first hit of each value |
//! | `distance`, `nearest` | how far documents are from a point; the nearest ones, found near by |
//! | `condition`, `filter`, `set` | what hits must meet besides the query; conditions become sets of documents |
//! | `delete` | deleting by filters |
//! | `words`, `frequent`, `suggest` | the dictionary, and words beside stems: prefixes, fuzzy words, counts; the most frequent of them; how a word may go on |
//! | `explain` | explains a score |
//! | `marks` | what a query matches in a text |
//! | `merge` | the hits of several indexes as those of one |
//! | `statistics`, `tell` | what scores depend on besides the documents, apart from the index: summed up and given; told |
//! | `similar` | the best words of a document as a query |
//! | `vectors`, `screened`, `fusion`, `fused` | the nearest vectors; the same among those that a device leaves; how hits of words and of vectors become one list; that list |
//!
//! A search asks one snapshot, segment by segment, with the hits of all in one heap. Scores depend on the whole index only,
//! so they are the same however it is cut into segments: N and n count documents in all segments, also deleted ones that
//! no merge has removed yet, and so does the average length.

mod among;
mod asked;
mod check;
mod closest;
mod condition;
mod cursors;
mod delete;
mod distance;
mod distinct;
mod expansion;
mod explain;
mod facets;
mod filter;
mod frequent;
mod fused;
mod fusion;
mod leaf;
mod lists;
mod marks;
mod merge;
mod nearest;
mod options;
mod order;
mod pattern;
mod phrases;
mod plan;
pub(crate) mod prepared;
mod read;
pub(crate) mod recipe;
mod run;
mod screened;
mod set;
mod similar;
mod sort;
mod sorted;
mod statistics;
mod stemmed;
mod suggest;
mod tell;
#[cfg(test)]
mod tests;
mod vectors;
mod walk;
mod words;

pub use asked::{Asked, AskedBuf, NearestIn, WeightedTerms};
pub use condition::{Condition, DocIds, Filter, MOST_CONDITIONS, MOST_DEPTH};
pub use delete::delete_where;
pub use explain::{Explanation, TermScore};
pub use facets::{Facet, FieldFacet};
pub use fused::{Fused, FusedList};
pub(crate) use fusion::window;
pub use fusion::{Fusion, RANK, RankedList, Ranking, WINDOW};
pub use merge::{Merging, MergingPart, Page, Places, RankingPart, merge, merge_facets, merge_rankings};
pub(crate) use options::End;
pub use options::{FEW_JOINED, JOINED_PER_DOCUMENT, Matching, Options};
pub use order::{After, Direction, SortKey, SortValue};
pub use read::MOST_LEAVES;
pub(crate) use screened::{Near, Screening};
pub use similar::Like;
pub use statistics::{MOST_TOLD, Statistics, fingerprint};
pub use words::MOST_WORDS;

use crate::Codec;
use crate::analysis::Scratch;
use crate::base::error::{Error, Result};
use crate::base::threads;
use crate::index::snapshot::{self, Snapshot};
use crate::index::{Analyzed, Id, Kind, Schema, Value};
use crate::list::PostingList;
pub use crate::query::fuzzy::MAX_DISTANCE;
pub use crate::query::{MOST_FRAGMENTS, Match, Style, Synonyms, Typos, escape, highlight, in_bytes, marks, snippet};
use crate::rank::{Bm25, Norms};
use crate::vector;
use std::borrow::Borrow;
use std::cell::RefCell;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// The documents that a search found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// The hits, best first, from the offset on and as many as the limit.
    pub hits: Vec<FoundHit>,
    /// The number of all documents that match, if it was asked for.
    pub total: Option<u64>,
    /// What all documents that match have in the fields that were [asked for](Options::facets), in that order.
    pub facets: Option<Vec<FieldFacet>>,
    /// If documents that have all words are followed by those with any, how many of the hits are of the first; `None` if there are
    /// no hits, or they are also [distinct](Options::distinct).
    pub with_all: Option<usize>,
    /// Whether the query was not finished by the deadline, so that nothing is known of its hits.
    pub expired: bool,
    /// If hits are fused [by ranks](Fusion::Ranks), and are the first ones: what they are made of. They are its first documents.
    pub ranking: Option<Arc<Ranking>>,
}

impl Found {
    /// Says how many of all hits, those before the offset included, have all words.
    pub(crate) fn count_with_all(&mut self, with_all: Option<usize>, options: &Options) {
        let with_all = with_all.filter(|_| !self.hits.is_empty());
        self.with_all = with_all.map(|count| count.saturating_sub(options.offset).min(self.hits.len()));
    }

    /// What comes back of a query that was not finished in time.
    pub(crate) fn late() -> Found {
        Found { expired: true, ..Found::default() }
    }
}

/// A document that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundHit {
    /// The caller's name of it.
    pub id: Id,
    /// Its score.
    pub score: f64,
    /// Its docID in this snapshot: the number of documents before it.
    pub doc_id: u64,
    /// How far it is, in metres, from where the first distance of the order is measured, otherwise from the middle of the first
    /// circle of the filter; `None` if there is neither, or it has no point in that field.
    pub distance: Option<f64>,
}

/// An index, open for searching, as of one commit. Cheap to clone; used by any number of threads.
#[derive(Debug, Clone)]
pub struct Index {
    snapshot: Arc<Snapshot>,
    /// Sums over all segments, by field number.
    fields: Arc<[FieldSums]>,
    analyzed: Arc<[Analyzed]>,
    fingerprint: Arc<OnceLock<u64>>,
}

/// What is known of a field in the whole index.
#[derive(Debug)]
struct FieldSums {
    tokens: u64,
    /// With BM25's usual parameters.
    norms: OnceLock<Arc<Norms>>,
}

/// A batch is spread over threads if each gets at least so many queries.
pub(crate) const QUERIES_PER_THREAD: usize = 8;

thread_local! {
    /// The analyzer's memory, for queries.
    static SCRATCH: RefCell<Scratch> = RefCell::new(Scratch::new());
}

fn with_scratch<T>(work: impl FnOnce(&mut Scratch) -> T) -> T {
    SCRATCH.with(|scratch| match scratch.try_borrow_mut() {
        Ok(mut scratch) => work(&mut scratch),
        Err(_) => work(&mut Scratch::new()),
    })
}

impl Index {
    /// Opens the index in a folder as of its last commit: some microseconds if the process has it open, well below a
    /// millisecond otherwise.
    ///
    /// # Errors
    /// [`Error::File`] if there is no index, [`Error::Corrupt`] if a file is damaged.
    pub fn open(path: &Path) -> Result<Index> {
        Index::of(Snapshot::open(path)?)
    }

    /// The index of a snapshot.
    ///
    /// # Errors
    /// [`Error::Corrupt`].
    pub fn of(snapshot: Arc<Snapshot>) -> Result<Index> {
        let sums = |field| {
            let tokens = snapshot.parts().iter().map(|part| Ok(part.segment.counts(field)?.tokens));
            Ok(FieldSums { tokens: tokens.sum::<Result<u64>>()?, norms: OnceLock::new() })
        };
        let fields = (0..snapshot.schema().fields.len()).map(sums).collect::<Result<_>>()?;
        let analyzed = snapshot.schema().analyzed().into();
        Ok(Index { snapshot, fields, analyzed, fingerprint: Arc::default() })
    }

    /// Moves to the last commit; returns whether there was a newer one.
    ///
    /// # Errors
    /// As [`Index::open`]; the index stays as it was.
    pub fn reload(&mut self) -> Result<bool> {
        let snapshot = self.snapshot.reload()?;
        if Arc::ptr_eq(&snapshot, &self.snapshot) {
            return Ok(false);
        }
        *self = Index::of(snapshot)?;
        Ok(true)
    }

    /// The snapshot that is searched.
    pub fn snapshot(&self) -> &Arc<Snapshot> {
        &self.snapshot
    }

    /// The [analyzers](Schema::analyzed) of the text fields.
    fn analyzed(&self) -> &[Analyzed] {
        &self.analyzed
    }

    /// The fields and their analyzers.
    pub fn schema(&self) -> &Arc<Schema> {
        self.snapshot.schema()
    }

    /// The number of documents, without deleted ones.
    pub fn documents(&self) -> u64 {
        self.snapshot.live()
    }

    /// The number of the commit.
    pub fn generation(&self) -> u64 {
        self.snapshot.generation()
    }

    /// The best hits of a query.
    ///
    /// # Errors
    /// [`Error::Argument`] for options that do not fit the fields; [`Error::Corrupt`] and [`Error::File`] if a part of a
    /// file that is used for the first time is damaged.
    pub fn search<'q>(&self, asked: impl Into<Asked<'q>>, options: &Options) -> Result<Found> {
        self.search_until(asked.into(), options, options.end())
    }

    /// The same, of which the deadline of `options` has begun before: at the `end` it is [expired](Found::expired).
    ///
    /// # Errors
    /// As [`search`](Self::search).
    pub(crate) fn search_until(&self, asked: Asked<'_>, options: &Options, end: End) -> Result<Found> {
        self.check_files()?;
        self.search_one(asked, options, end, 1)
    }

    fn search_one(&self, asked: Asked<'_>, options: &Options, end: End, threads: usize) -> Result<Found> {
        match asked.nearest.is_empty() {
            true => run::search(self, asked, options, end),
            false => fused::search(self, asked, options, end, threads),
        }
    }

    /// The same as [`search`](Self::search) for each of many queries, on up to `threads` threads; 0 means one per core.
    ///
    /// # Errors
    /// As [`search`](Self::search): the first one.
    pub fn search_batch<'q, Q>(&self, queries: &[Q], options: &Options, threads: usize) -> Result<Vec<Found>>
    where
        Q: Copy + Sync + Into<Asked<'q>>,
    {
        self.check_files()?;
        // Starting a thread costs about as much as a few queries without vectors.
        let has_vectors = queries.iter().any(|&query| !query.into().nearest.is_empty());
        let worth = if has_vectors { queries.len() } else { queries.len() / QUERIES_PER_THREAD };
        let of_query = if has_vectors { threads::at_most(threads, usize::MAX) / queries.len() } else { 1 };
        let end = options.end();
        threads::map(threads::at_most(threads, worth), queries.len(), |at| match end.has_come() {
            false => self.search_one(queries[at].into(), options, end, of_query),
            true => Ok(Found::late()),
        })
    }

    /// For each of some queries the documents whose vectors in a field are the nearest, on up to `threads` threads (0: one per
    /// core). Of the options, limit, offset, filter, deadline and probes count. Scores are [similarities](crate::vector::Metric);
    /// documents that are as similar are in the order of their insertion.
    ///
    /// Exact: see [`vector`](crate::vector). Takes about as long as reading a sixteenth of the vectors; with a filter, as long as
    /// the filter does and some tens of nanoseconds for each document that passes. With [`probes`](Options::probes), the nearest of
    /// the vectors of some clusters.
    ///
    /// # Errors
    /// [`Error::Argument`] if the field has no vectors, or others than a query, or no clusters although there are probes, or if these
    /// are 0; as [`search`](Self::search).
    pub fn nearest(
        &self,
        field: usize,
        queries: &[vector::Query],
        options: &Options,
        threads: usize,
    ) -> Result<Vec<Found>> {
        self.nearest_until(field, queries, options, threads, options.end())
    }

    /// The same, of which the deadline of `options` has begun before: at the `end` it is [expired](Found::expired).
    ///
    /// # Errors
    /// As [`nearest`](Self::nearest).
    pub(crate) fn nearest_until<Q: Borrow<vector::Query> + Sync>(
        &self,
        field: usize,
        queries: &[Q],
        options: &Options,
        threads: usize,
        end: End,
    ) -> Result<Vec<Found>> {
        self.check_files()?;
        vectors::nearest(self, field, queries, options, threads, end)
    }

    /// How many documents match. Limit, offset and order are of no importance.
    ///
    /// # Errors
    /// As [`search`](Self::search).
    pub fn count<'q>(&self, asked: impl Into<Asked<'q>>, options: &Options) -> Result<u64> {
        self.check_files()?;
        run::count(self, asked.into(), options)
    }

    /// The values of a keyword field in the documents that match, with the number of these: the most frequent ones
    /// first, equal ones in the order of their bytes, at most `limit`.
    ///
    /// # Errors
    /// As [`search`](Self::search); [`Error::Argument`] if it is no keyword field. [`Error::Expired`].
    pub fn facets<'q>(
        &self,
        field: usize,
        asked: impl Into<Asked<'q>>,
        options: &Options,
        limit: usize,
    ) -> Result<Vec<(Vec<u8>, u64)>> {
        self.check_files()?;
        facets::facets(self, field, asked.into(), options, limit)
    }

    /// The docIDs of all documents that pass the [filter](Options::filter) of these options and are not deleted, ascending.
    /// Nothing else of the options counts but the deadline. Takes as long as the filter does, and 8 bytes per document.
    ///
    /// # Errors
    /// As [`search`](Self::search); [`Error::Expired`]; [`Error::OutOfMemory`].
    pub fn matching(&self, options: &Options) -> Result<Vec<u64>> {
        self.check_files()?;
        filter::matching(self, options)
    }

    /// Completions of the last word of `text`: words that begin with it, with the number of documents containing each,
    /// the most frequent first. They are words as they were written, but for case and folding; stems only in segments that
    /// do not know them, and numbers of documents are estimated if some were deleted before their segments were merged.
    /// `field`: in that text field alone, otherwise in the one that is named before the word (`title:wo`), or in all.
    ///
    /// # Errors
    /// As [`search`](Self::search).
    pub fn suggest(&self, text: &str, field: Option<usize>, limit: usize) -> Result<Vec<(String, u64)>> {
        self.check_files()?;
        suggest::suggest(self, text, field, limit)
    }

    /// The terms of a field that begin with `prefix`, in the order of their bytes, with the number of documents
    /// containing each, deleted ones included.
    ///
    /// # Errors
    /// As [`search`](Self::search); [`Error::Argument`] if the field is numeric.
    pub fn terms(&self, prefix: &[u8], field: usize, limit: usize) -> Result<Vec<(Vec<u8>, u64)>> {
        self.check_files()?;
        words::terms(self, prefix, field, limit)
    }

    /// The docIDs of the documents containing a term, without deleted ones.
    ///
    /// # Errors
    /// As [`terms`](Self::terms); [`Error::Argument`] if a docID exceeds 2^32 − 1.
    pub fn postings(&self, term: &[u8], field: usize) -> Result<PostingList> {
        self.check_files()?;
        let mut doc_ids = Vec::new();
        for part in self.snapshot.parts() {
            let Some(value) = part.segment.term(field, term)? else { continue };
            lists::for_each_doc_id(&part.segment, field, value, |doc_id| {
                if part.is_live(doc_id) {
                    let doc_id = u32::try_from(part.base + u64::from(doc_id));
                    doc_ids.push(doc_id.map_err(|_| Error::Argument("docIDs of this index exceed 2^32 - 1".into()))?);
                }
                Ok(())
            })?;
        }
        PostingList::encode(&doc_ids, Codec::default())
    }

    /// The id of a document; `None` if there is none, or it is deleted.
    ///
    /// # Errors
    /// [`Error::Corrupt`].
    pub fn id(&self, doc_id: u64) -> Result<Option<Id>> {
        self.check_files()?;
        let Some((part, local)) = self.place(doc_id) else { return Ok(None) };
        part.segment.id(local).map(Some)
    }

    /// The docID of the document with this id.
    ///
    /// # Errors
    /// [`Error::Corrupt`].
    pub fn doc_id(&self, id: &Id) -> Result<Option<u64>> {
        self.check_files()?;
        // Of documents with the same id only the last one is not deleted.
        for part in self.snapshot.parts().iter().rev() {
            if let Some(local) = part.segment.find(id)?
                && part.is_live(local)
            {
                return Ok(Some(part.base + u64::from(local)));
            }
        }
        Ok(None)
    }

    /// The stored values of a document, by field number; none if there is no such document.
    ///
    /// # Errors
    /// [`Error::Corrupt`].
    pub fn stored(&self, doc_id: u64) -> Result<Vec<(usize, Value)>> {
        self.check_files()?;
        match self.place(doc_id) {
            Some((part, local)) => part.segment.stored(local),
            None => Ok(Vec::new()),
        }
    }

    /// Explains the score of a document; `None` if there is no document with this id.
    ///
    /// # Errors
    /// As [`search`](Self::search).
    pub fn explain<'q>(&self, asked: impl Into<Asked<'q>>, id: &Id, options: &Options) -> Result<Option<Explanation>> {
        match self.doc_id(id)? {
            Some(doc_id) => explain::explain(self, asked.into(), doc_id, options).map(Some),
            None => Ok(None),
        }
    }

    /// The segment of a document that is not deleted, and its docID there.
    fn place(&self, doc_id: u64) -> Option<(&snapshot::SnapshotSegment, u32)> {
        let parts = self.snapshot.parts();
        let part = &parts[parts.partition_point(|part| part.base <= doc_id).checked_sub(1)?];
        let local = u32::try_from(doc_id - part.base).ok().filter(|&local| local < part.segment.documents())?;
        part.is_live(local).then_some((part, local))
    }

    /// The same, of a document that must be there.
    ///
    /// # Errors
    /// [`Error::Argument`].
    fn named_place(&self, doc_id: u64) -> Result<(&snapshot::SnapshotSegment, u32)> {
        self.place(doc_id).ok_or_else(|| Error::Argument(format!("there is no document {doc_id}")))
    }

    /// Whether there is, or was, a document with that docID.
    fn has_doc_id(&self, doc_id: u64) -> bool {
        doc_id < self.snapshot.documents()
    }

    /// Notices files that were truncated since they were opened.
    pub(crate) fn check_files(&self) -> Result<()> {
        self.snapshot.check_files_lately()
    }

    /// The numbers of the text fields.
    fn text_fields(&self) -> impl Iterator<Item = usize> {
        let fields = &self.schema().fields;
        (0..fields.len()).filter(|&field| fields[field].kind == Kind::Text)
    }

    /// That of the schema, which [`Statistics`] have, too.
    pub(crate) fn fingerprint(&self) -> u64 {
        *self.fingerprint.get_or_init(|| statistics::fingerprint(self.schema()))
    }

    /// The norms of a field.
    fn norms(&self, field: usize, bm25: &Bm25) -> Arc<Norms> {
        let sums = &self.fields[field];
        let norms = || Arc::new(Norms::new(bm25, sums.tokens, self.snapshot.documents()));
        if *bm25 == Bm25::default() { sums.norms.get_or_init(norms).clone() } else { norms() }
    }
}
