//! [`InLists`]: which words follow each other by the positions in their lists, a few documents at a time.

use super::counts::PairCounts;
use super::cursor::Cursor;
use super::limit::Row;
use super::{Adjacency, Word};
use crate::base::error::Result;
use crate::base::memory;
use crate::index::length;
use crate::index::list::ListParts;
use std::ops::Range;

/// Documents of a window, and tokens of these, at most; but one document may have more.
pub(super) const WINDOW: u32 = 4096;
const TOKENS: u32 = 1 << 20;

/// The document after a window.
pub(super) fn end_of_window(lengths: &[u8], from: u32) -> u32 {
    let mut tokens = 0;
    let more = lengths[from as usize..].iter().take(WINDOW as usize).take_while(|&&length| {
        tokens += u64::from(length::decode(length));
        tokens <= u64::from(TOKENS)
    });
    from + (more.count() as u32).max(1)
}

/// The lists of common words, and a window of the documents that have them.
pub(super) struct InLists<'l> {
    /// By the words' numbers.
    cursors: Vec<Cursor<'l>>,
    /// Of all documents.
    lengths: &'l [u8],
    window: Window,
}

impl<'l> InLists<'l> {
    /// The lists of some words, whose pairs have so many places, in documents of these lengths.
    pub fn new(
        lists: &'l [u8],
        words: &[Word],
        lengths: &'l [u8],
        parts: ListParts,
        slots: usize,
    ) -> Result<InLists<'l>> {
        let cursor = |word: &Word| Cursor::new(lists, word.value, lengths.len() as u32, parts);
        Ok(InLists { cursors: words.iter().map(cursor).collect::<Result<_>>()?, lengths, window: Window::new(slots)? })
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
        let InLists { cursors, lengths, window } = self;
        let lengths = &lengths[documents.start as usize..documents.end as usize];
        window.fill(&mut cursors[..rows.len()], documents.start, lengths)?;
        window.each(rows, take)
    }
}

/// Some documents, of whose words only common ones are known.
struct Window {
    from: u32,
    /// One document after the other, with one more than the number of the word at each position; 0 is none.
    texts: Vec<u16>,
    /// Where each of them begins, and where the last one ends.
    begins: Vec<u32>,
    /// Words for whose positions there is no room, or which another one has.
    others: Vec<Occurrence>,
    counts: PairCounts,
}

/// A word, as in a text, in a document, less the first of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Occurrence {
    document: u32,
    position: u32,
    word: u16,
}

/// The positions for which there is room in a document with that many tokens, or some more: where words are left out, tokens have
/// greater positions than their number says.
fn room(length: u8) -> u32 {
    (2 * length::decode(length)).min(TOKENS)
}

impl Window {
    /// For pairs with so many places.
    pub fn new(slots: usize) -> Result<Window> {
        let begins = memory::room(WINDOW as usize + 1)?;
        Ok(Window { from: 0, texts: Vec::new(), begins, others: Vec::new(), counts: PairCounts::new(slots)? })
    }

    /// Takes the words of the documents from `from` on that have these lengths.
    pub fn fill(&mut self, cursors: &mut [Cursor], from: u32, lengths: &[u8]) -> Result<()> {
        let Window { texts, begins, others, .. } = self;
        self.from = from;
        begins.clear();
        begins.push(0);
        let mut end = 0;
        begins.extend(lengths.iter().map(|&length| {
            end += room(length);
            end
        }));
        texts.clear();
        memory::reserve(texts, end as usize)?;
        texts.resize(end as usize, 0);
        others.clear();
        for (word, cursor) in (1..).zip(cursors) {
            cursor.read(from + lengths.len() as u32, |doc_id, position| {
                let document = doc_id - from;
                let [begin, end] = [begins[document as usize], begins[document as usize + 1]];
                if position < end - begin {
                    let place = &mut texts[(begin + position) as usize];
                    if *place == 0 {
                        *place = word;
                        return Ok(());
                    }
                }
                memory::reserve(others, 1)?;
                others.push(Occurrence { document, position, word });
                Ok(())
            })?;
        }
        others.sort_unstable();
        Ok(())
    }

    /// Calls `take` with each document and the place of a pair, and how often one word follows the other there.
    pub fn each(&mut self, rows: &[Row], mut take: impl FnMut(u32, usize, u32) -> Result<()>) -> Result<()> {
        let Window { from, texts, begins, others, counts } = self;
        let mut others = &others[..];
        for (document, place) in (0..).zip(begins.windows(2)) {
            let text = &texts[place[0] as usize..place[1] as usize];
            let (of_document, later) = others.split_at(others.partition_point(|other| other.document <= document));
            others = later;
            if of_document.is_empty() {
                counts.add_neighbours(rows, text.iter().copied());
            } else {
                let placed = (0..).zip(text).filter(|&(_, &word)| word != 0);
                let placed = placed.map(|(position, &word)| Occurrence { document, position, word });
                count_in_order(memory::collected(placed.chain(of_document.iter().copied()))?, rows, counts);
            }
            counts.drain(|place, frequency| take(*from + document, place, frequency))?;
        }
        Ok(())
    }
}

/// Counts the pairs of any document.
fn count_in_order(mut of_document: Vec<Occurrence>, rows: &[Row], counts: &mut PairCounts) {
    of_document.sort_unstable();
    let mut before: &[Occurrence] = &[];
    for here in of_document.chunk_by(|one, next| one.position == next.position) {
        let position = here[0].position;
        let follows = before.first().is_some_and(|one| one.position.checked_add(1) == Some(position));
        for first in before.iter().filter(|_| follows) {
            here.iter().for_each(|second| counts.add(rows, usize::from(first.word) - 1, usize::from(second.word) - 1));
        }
        before = here;
    }
}
