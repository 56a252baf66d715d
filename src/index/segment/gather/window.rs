//! [`InLists`]: which words follow each other by the positions in their lists, a few documents at a time.

use super::cursor::Cursor;
use super::{Adjacency, Neighbours, Word, add_neighbours};
use crate::base::error::Result;
use crate::base::memory;
use crate::index::length;
use crate::index::list::ListParts;
use std::ops::Range;

/// Documents of a window, and tokens of these, at most; but one document may have more.
pub(super) const WINDOW: u32 = 4096;
const TOKENS: u32 = 1 << 20;

/// Documents of these lengths, by windows.
pub(super) fn windows(lengths: &[u8], documents: Range<u32>) -> impl Iterator<Item = Range<u32>> {
    let Range { start: mut from, end } = documents;
    std::iter::from_fn(move || {
        (from < end).then(|| {
            let window = from..end_of_window(&lengths[..end as usize], from);
            from = window.end;
            window
        })
    })
}

/// The document after a window.
fn end_of_window(lengths: &[u8], from: u32) -> u32 {
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
    /// The lists of some words in documents of these lengths.
    pub fn new(lists: &'l [u8], words: &[Word], lengths: &'l [u8], parts: ListParts) -> Result<InLists<'l>> {
        let cursor = |word: &Word| Cursor::new(lists, word.value, lengths.len() as u32, parts);
        Ok(InLists { cursors: words.iter().map(cursor).collect::<Result<_>>()?, lengths, window: Window::new()? })
    }
}

impl Adjacency for InLists<'_> {
    fn seek(&mut self, from: u32) {
        self.cursors.iter_mut().for_each(|cursor| cursor.seek(from));
    }

    fn each(&mut self, documents: Range<u32>, to: &mut impl Neighbours) -> Result<()> {
        let InLists { cursors, lengths, window } = self;
        let lengths = &lengths[documents.start as usize..documents.end as usize];
        window.fill(cursors, documents.start, lengths)?;
        window.each(to)
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
    pub fn new() -> Result<Window> {
        let begins = memory::room(WINDOW as usize + 1)?;
        Ok(Window { from: 0, texts: Vec::new(), begins, others: Vec::new() })
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

    /// Gives the words that follow each other to `to`.
    pub fn each(&self, to: &mut impl Neighbours) -> Result<()> {
        let Window { from, texts, begins, others } = self;
        let mut others = &others[..];
        for (document, place) in (0..).zip(begins.windows(2)) {
            let doc_id = from + document;
            let text = &texts[place[0] as usize..place[1] as usize];
            let (of_document, later) = others.split_at(others.partition_point(|other| other.document <= document));
            others = later;
            if of_document.is_empty() {
                add_neighbours(doc_id, text.iter().copied(), to);
            } else {
                let placed = (0..).zip(text).filter(|&(_, &word)| word != 0);
                let placed = placed.map(|(position, &word)| Occurrence { document, position, word });
                add_in_order(doc_id, memory::collected(placed.chain(of_document.iter().copied()))?, to);
            }
            to.end(doc_id)?;
        }
        Ok(())
    }
}

/// Adds the neighbours of any document.
fn add_in_order(doc_id: u32, mut of_document: Vec<Occurrence>, to: &mut impl Neighbours) {
    of_document.sort_unstable();
    let mut before: &[Occurrence] = &[];
    for here in of_document.chunk_by(|one, next| one.position == next.position) {
        let position = here[0].position;
        let follows = before.first().is_some_and(|one| one.position.checked_add(1) == Some(position));
        for first in before.iter().filter(|_| follows) {
            here.iter().for_each(|second| to.add(doc_id, usize::from(first.word) - 1, usize::from(second.word) - 1));
        }
        before = here;
    }
}
