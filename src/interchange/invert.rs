//! Lists by term → documents.

use super::Counts;
use crate::base::error::{Error, Result};
use crate::base::memory::{filled, room};
use crate::index::segment::IdRef;

/// The terms of a document, each as often as it occurs.
pub type Tokens = Vec<Vec<u8>>;

/// The most tokens of a document that comes in: with their room, 200 MB of memory. A file can ask for any number in a few
/// bytes.
pub const MOST_TOKENS: u64 = 1 << 22;

/// Documents whose cost in memory is counted together.
const CHUNK: u32 = 1024;

/// What a file consists of, in its order.
pub(super) trait Visitor {
    /// A list begins.
    fn list(&mut self, term: &[u8]);
    /// A posting of that list. docIDs increase and are those of documents, frequencies are at least 1.
    fn posting(&mut self, doc_id: u32, frequency: u32);
    /// A document. They come after all lists, from docID 0 on, none left out.
    fn document(&mut self, doc_id: u32, id: IdRef<'_>) -> Result<()>;
}

/// A file that can be read any number of times.
pub(super) trait Source {
    /// Reads it from front to back, checking all of it.
    fn scan(&mut self, visitor: &mut impl Visitor) -> Result<()>;
}

/// Calls `each` for every document of a file, in the order of docIDs. Takes about `memory` bytes, or what [`CHUNK`]
/// documents need if that is more, and 8 bytes per chunk.
///
/// # Errors
/// Those of the file, of which everything is checked before the first document comes; [`Error::Argument`] if a document
/// has more than [`MOST_TOKENS`]; those of `each`.
pub(super) fn invert(
    source: &mut impl Source,
    memory: usize,
    each: &mut impl FnMut(IdRef<'_>, Tokens) -> Result<()>,
) -> Result<Counts> {
    let mut costs = Costs::default();
    source.scan(&mut costs)?;
    let documents = costs.counts.documents as u32;
    let mut from = 0;
    while from < documents {
        let mut to = from;
        let (mut bytes, mut postings) = (0, 0);
        loop {
            let chunk = costs.of(to);
            (bytes, postings) = (bytes + chunk.bytes(), postings + chunk.postings);
            to = to.saturating_add(CHUNK).min(documents);
            let next = costs.of(to);
            if to == documents || bytes + next.bytes() > memory as u64 || postings + next.postings >= NONE.into() {
                break;
            }
        }
        if postings >= NONE.into() {
            return Err(Error::Argument(format!("{CHUNK} documents have more than 2^32 postings")));
        }
        let mut range = Range {
            from,
            latest: filled(NONE, (to - from) as usize)?,
            entries: room(postings as usize)?,
            terms: Vec::new(),
            ends: Vec::new(),
            term: Vec::new(),
            is_kept: false,
            each,
        };
        source.scan(&mut range)?;
        from = to;
    }
    Ok(costs.counts)
}

/// What a chunk of documents has.
#[derive(Clone, Copy, Default)]
struct Chunk {
    postings: u64,
    /// Bytes that its terms take.
    terms: u64,
}

impl Chunk {
    /// Bytes of memory that it takes.
    fn bytes(&self) -> u64 {
        self.postings * size_of::<Entry>() as u64 + self.terms + u64::from(CHUNK) * size_of::<u32>() as u64
    }
}

/// Counts what each chunk takes.
#[derive(Default)]
struct Costs {
    counts: Counts,
    chunks: Vec<Chunk>,
    /// Bytes that the term takes, once per range.
    term: u64,
    /// The chunk of the posting before.
    last: Option<u32>,
}

impl Costs {
    fn of(&self, doc_id: u32) -> Chunk {
        self.chunks.get((doc_id / CHUNK) as usize).copied().unwrap_or_default()
    }
}

impl Visitor for Costs {
    fn list(&mut self, term: &[u8]) {
        self.counts.lists += 1;
        (self.term, self.last) = ((term.len() + size_of::<usize>()) as u64, None);
    }

    #[inline]
    fn posting(&mut self, doc_id: u32, frequency: u32) {
        let chunk = doc_id / CHUNK;
        if self.chunks.len() <= chunk as usize {
            self.chunks.resize(chunk as usize + 1, Chunk::default());
        }
        let place = &mut self.chunks[chunk as usize];
        place.postings += 1;
        if self.last != Some(chunk) {
            self.last = Some(chunk);
            place.terms += self.term;
        }
        self.counts.postings += 1;
        self.counts.tokens += u64::from(frequency);
    }

    fn document(&mut self, _: u32, _: IdRef<'_>) -> Result<()> {
        self.counts.documents += 1;
        Ok(())
    }
}

/// Stands for no entry.
const NONE: u32 = u32::MAX;

/// A posting of a document.
struct Entry {
    /// The posting of the same document before, by its index.
    before: u32,
    term: u32,
    frequency: u32,
}

/// Puts together the documents of a range of docIDs.
struct Range<'e, E> {
    from: u32,
    /// The latest entry of each document of the range.
    latest: Vec<u32>,
    entries: Vec<Entry>,
    /// The bytes of terms that occur in the range, and the end of each.
    terms: Vec<u8>,
    ends: Vec<usize>,
    /// The term of the list that is being read.
    term: Vec<u8>,
    /// Whether it is the last of `terms`.
    is_kept: bool,
    each: &'e mut E,
}

impl<E: FnMut(IdRef<'_>, Tokens) -> Result<()>> Visitor for Range<'_, E> {
    fn list(&mut self, term: &[u8]) {
        self.term.clear();
        self.term.extend_from_slice(term);
        self.is_kept = false;
    }

    #[inline]
    fn posting(&mut self, doc_id: u32, frequency: u32) {
        let Some(latest) = self.latest.get_mut(doc_id.wrapping_sub(self.from) as usize) else { return };
        if !self.is_kept {
            self.is_kept = true;
            self.terms.extend_from_slice(&self.term);
            self.ends.push(self.terms.len());
        }
        // Fewer than 2^32: they were counted.
        let entry = Entry { before: *latest, term: self.ends.len() as u32 - 1, frequency };
        *latest = self.entries.len() as u32;
        self.entries.push(entry);
    }

    fn document(&mut self, doc_id: u32, id: IdRef<'_>) -> Result<()> {
        let Some(&latest) = self.latest.get(doc_id.wrapping_sub(self.from) as usize) else { return Ok(()) };
        let (mut terms, mut count) = (Vec::new(), 0);
        let mut next = latest;
        while let Some(entry) = self.entries.get(next as usize) {
            terms.push((entry.term as usize, entry.frequency));
            count += u64::from(entry.frequency);
            next = entry.before;
        }
        if count > MOST_TOKENS {
            return Err(Error::Argument(format!("document {doc_id} has {count} tokens; at most {MOST_TOKENS}")));
        }
        let mut tokens = room(count as usize)?;
        for &(term, frequency) in terms.iter().rev() {
            let begin = term.checked_sub(1).map_or(0, |before| self.ends[before]);
            let term = &self.terms[begin..self.ends[term]];
            tokens.extend((0..frequency).map(|_| term.to_vec()));
        }
        (self.each)(id, tokens)
    }
}
