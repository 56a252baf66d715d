//! [`InLists`]: which words follow each other by the positions in their lists, a few documents at a time.

use super::counts::PairCounts;
use super::cursor::Cursor;
use super::limit::Row;
use super::{Adjacency, Word};
use crate::base::error::Result;
use crate::base::memory::{self, zeros};
use crate::index::length;
use crate::index::list::ListParts;
use std::ops::Range;

/// Documents of a window, and tokens of these, at most; but one document may have more.
pub(super) const WINDOW: u32 = 4096;
const TOKENS: u64 = 1 << 20;

/// Documents whose words stand at smaller positions need no sorting.
const PLACES: usize = 1 << 14;

/// The document after a window.
pub(super) fn end_of_window(lengths: &[u8], from: u32) -> u32 {
    let mut tokens = 0;
    let more = lengths[from as usize..].iter().take(WINDOW as usize).take_while(|&&length| {
        tokens += u64::from(length::decode(length));
        tokens <= TOKENS
    });
    from + (more.count() as u32).max(1)
}

/// The lists of common words, and a window of the documents that have them.
pub(super) struct InLists<'l> {
    /// By the words' numbers.
    cursors: Vec<Cursor<'l>>,
    window: Window,
}

impl<'l> InLists<'l> {
    /// The lists of some words, whose pairs have so many places.
    pub fn new(lists: &'l [u8], words: &[Word], documents: u32, parts: ListParts, slots: usize) -> Result<InLists<'l>> {
        let cursor = |word: &Word| Cursor::new(lists, word.value, documents, parts);
        Ok(InLists { cursors: words.iter().map(cursor).collect::<Result<_>>()?, window: Window::new(slots)? })
    }
}

impl Adjacency for InLists<'_> {
    fn seek(&mut self, from: u32) {
        self.cursors.iter_mut().for_each(|cursor| cursor.seek(from));
    }

    fn each(
        &mut self,
        rows: &[Row],
        documents: Range<u32>,
        take: impl FnMut(u32, usize, u32) -> Result<()>,
    ) -> Result<()> {
        self.window.fill(&mut self.cursors[..rows.len()], documents.start, documents.end)?;
        self.window.each(rows, take)
    }
}

/// The positions of common words in some documents.
struct Window {
    /// Document (less the first), position and word: in the order of words, then of documents.
    found: Vec<u64>,
    /// The same in the order of documents.
    sorted: Vec<u64>,
    /// Per document, where its positions begin.
    begins: Vec<u32>,
    counts: PairCounts,
    /// Per position, 1 more than the word of a document there; 0 is none.
    places: Vec<u16>,
    from: u32,
}

pub(super) const WORD_BITS: u32 = 12;
pub(super) const POSITION_BITS: u32 = 32;

fn position_of(one: u64) -> u32 {
    (one >> WORD_BITS) as u32
}

fn word_of(one: u64) -> usize {
    (one & ((1 << WORD_BITS) - 1)) as usize
}

impl Window {
    /// For pairs with so many places.
    pub fn new(slots: usize) -> Result<Window> {
        let (begins, places) = (zeros(WINDOW as usize + 1)?, zeros(PLACES + 1)?);
        let counts = PairCounts::new(slots)?;
        Ok(Window { found: Vec::new(), sorted: Vec::new(), begins, counts, places, from: 0 })
    }

    /// Takes the positions in the documents `from..to`.
    pub fn fill(&mut self, cursors: &mut [Cursor], from: u32, to: u32) -> Result<()> {
        self.from = from;
        self.found.clear();
        self.begins.fill(0);
        for (word, cursor) in (0u64..).zip(cursors) {
            cursor.read(from, to, word, &mut self.found, &mut self.begins[1..])?;
        }
        for at in 1..self.begins.len() {
            self.begins[at] += self.begins[at - 1];
        }
        self.sorted.clear();
        memory::reserve(&mut self.sorted, self.found.len())?;
        self.sorted.resize(self.found.len(), 0);
        for &one in &self.found {
            let place = &mut self.begins[(one >> (POSITION_BITS + WORD_BITS)) as usize];
            self.sorted[*place as usize] = one;
            *place += 1;
        }
        Ok(())
    }

    /// Calls `take` with each document and the place of a pair, and how often one word follows the other there.
    pub fn each(&mut self, rows: &[Row], mut take: impl FnMut(u32, usize, u32) -> Result<()>) -> Result<()> {
        let Window { sorted, begins, counts, places, from, .. } = self;
        let mut begin = 0;
        // Each was moved to the beginning of the next one.
        for (document, &end) in (0u32..).zip(&begins[..WINDOW as usize]) {
            let of_document = &mut sorted[begin..end as usize];
            begin = end as usize;
            if !count_by_places(of_document, places, rows, counts) {
                count_in_order(of_document, rows, counts);
            }
            counts.drain(|place, frequency| take(*from + document, place, frequency))?;
        }
        Ok(())
    }
}

/// Counts the pairs of a document by looking at the places after its words; `false`, and nothing is counted, if two are at one
/// position, or at a large one.
fn count_by_places(of_document: &[u64], places: &mut [u16], rows: &[Row], counts: &mut PairCounts) -> bool {
    let is_taken = |one: u64, places: &mut [u16]| {
        let position = position_of(one) as usize;
        position >= PLACES || std::mem::replace(&mut places[position], word_of(one) as u16 + 1) != 0
    };
    let placed = of_document.iter().position(|&one| is_taken(one, places)).unwrap_or(of_document.len());
    let is_whole = placed == of_document.len();
    for &one in of_document.iter().filter(|_| is_whole) {
        let next = places[position_of(one) as usize + 1];
        if next != 0 {
            counts.add(rows, word_of(one), usize::from(next) - 1);
        }
    }
    for &one in &of_document[..placed] {
        places[position_of(one) as usize] = 0;
    }
    is_whole
}

/// Counts the pairs of any document.
fn count_in_order(of_document: &mut [u64], rows: &[Row], counts: &mut PairCounts) {
    of_document.sort_unstable();
    let mut before: &[u64] = &[];
    for here in of_document.chunk_by(|&one, &next| position_of(one) == position_of(next)) {
        let position = position_of(here[0]);
        let follows = before.first().is_some_and(|&one| position_of(one).checked_add(1) == Some(position));
        for &first in before.iter().filter(|_| follows) {
            here.iter().for_each(|&second| counts.add(rows, word_of(first), word_of(second)));
        }
        before = here;
    }
}
