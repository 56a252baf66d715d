//! Finds the documents in which common words follow each other, in the lists of a segment that is being written.
//!
//! Documents are looked at in windows. The positions of all common words in a window are put in the order of documents and
//! positions, and words at neighbouring positions counted. If pairs get too large, the rarest words are given up.

use super::format::has_pairs;
use crate::base::cpu;
use crate::base::error::Result;
use crate::base::leb128::put;
use crate::base::memory::{self, zeros};
use crate::codec::{BLOCK, BlockBuffer, block_buffer};
use crate::index::list::{self, Decoded, List, ListParts, Numbers, View};
use crate::index::{Schema, length};

/// A word is common if it is in one of so many documents.
const COMMON: u64 = 128;
/// Whether segments are small, and many.
const TESTS: bool = cfg!(any(test, fuzzing));
/// The most common words: their pairs fit into the processor's cache.
const MOST: usize = if TESTS { 24 } else { 256 };
/// The lists of pairs are about so many times smaller than those of words, at least.
const SMALLER: usize = if TESTS { 1 } else { 6 };
/// Bytes per document that are gathered at most.
const BYTES: usize = 32;
/// Other bytes: tables of pairs, and buffers of the words' lists.
const OTHERS: usize = MOST * MOST * (size_of::<Gaps>() + 4) + MOST * size_of::<Cursor>();
/// Documents of a window, and tokens of these, at most; but one document may have more.
const WINDOW: u32 = 4096;
const TOKENS: u64 = 1 << 20;

/// Bytes that finding the pairs of a segment's field takes at most, besides common words' positions in a few documents.
pub(super) fn memory(documents: usize, schema: &Schema) -> usize {
    if has_pairs(documents, schema) { OTHERS + BYTES * documents } else { 0 }
}

/// The common words of a field, as their lists are written.
#[derive(Default)]
pub(super) struct Common(Vec<(u32, u64)>);

impl Common {
    /// Takes a word with its value of the dictionary, if it is common.
    pub fn add(&mut self, containing: usize, documents: u32, value: u64) {
        if containing as u64 * COMMON >= u64::from(documents) {
            self.0.push((containing as u32, value));
        }
    }

    /// Their values, those of the commonest first.
    fn values(mut self) -> Vec<u64> {
        self.0.sort_unstable_by_key(|&(containing, value)| (std::cmp::Reverse(containing), value));
        self.0.truncate(MOST);
        self.0.into_iter().map(|(_, value)| value).collect()
    }
}

/// What was found.
pub(super) struct Gathered {
    /// The words' values of the dictionary, ascending.
    pub words: Vec<u64>,
    /// Per word, its number while pairs were gathered.
    numbers: Vec<u16>,
    /// By the numbers of both words.
    pairs: Vec<Gaps>,
    /// How many numbers there were.
    all: usize,
}

/// Documents and frequencies: gap · 2 + (the frequency is 1), then the frequency if it is not, in LEB128 bytes.
#[derive(Default)]
struct Gaps {
    bytes: Vec<u8>,
    next: u32,
}

impl Gaps {
    fn push(&mut self, doc_id: u32, frequency: u32) -> Result<()> {
        memory::reserve(&mut self.bytes, 10)?;
        let gap = u64::from(doc_id - self.next) << 1;
        self.next = doc_id + 1;
        if frequency == 1 {
            put(&mut self.bytes, gap | 1);
        } else {
            put(&mut self.bytes, gap);
            put(&mut self.bytes, frequency.into());
        }
        Ok(())
    }

    /// Appends all to both.
    fn take(self, doc_ids: &mut Vec<u32>, frequencies: &mut Vec<u32>) -> Result<()> {
        let (mut next, mut numbers) = (0, Numbers(&self.bytes));
        while let Some(number) = numbers.next() {
            let frequency = if number & 1 == 1 { 1 } else { numbers.next().unwrap_or_default() as u32 };
            let doc_id = next + (number >> 1) as u32;
            next = doc_id + 1;
            memory::reserve(doc_ids, 1)?;
            memory::reserve(frequencies, 1)?;
            doc_ids.push(doc_id);
            frequencies.push(frequency);
        }
        Ok(())
    }
}

impl Gathered {
    /// Puts the documents and frequencies of two words, by their indices, in the place of what is in both; whether there are
    /// any. Once for each pair.
    pub fn take(
        &mut self,
        first: u16,
        second: u16,
        doc_ids: &mut Vec<u32>,
        frequencies: &mut Vec<u32>,
    ) -> Result<bool> {
        doc_ids.clear();
        frequencies.clear();
        let [first, second] = [first, second].map(|word| usize::from(self.numbers[usize::from(word)]));
        std::mem::take(&mut self.pairs[first * self.all + second]).take(doc_ids, frequencies)?;
        Ok(!doc_ids.is_empty())
    }
}

/// Finds the pairs of `common` words in the section of their lists.
///
/// # Errors
/// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
pub(super) fn gather(lists: &[u8], common: Common, lengths: &[u8], parts: ListParts) -> Result<Gathered> {
    let documents = lengths.len() as u32;
    let most = (lists.len() / SMALLER).min(BYTES * documents as usize);
    let mut words = common.values();
    let all = words.len();
    let cursor = |&value| Cursor::new(lists, value, documents, parts);
    let mut cursors: Vec<Cursor> = words.iter().map(cursor).collect::<Result<_>>()?;
    let mut pairs: Vec<Gaps> = Vec::new();
    pairs.resize_with(all * all, Gaps::default);
    let mut window = Window::new(all)?;
    let (mut from, mut bytes) = (0, 0);
    while from < documents {
        let to = end_of_window(lengths, from);
        window.fill(&mut cursors[..words.len()], from, to)?;
        window.each(|doc_id, pair, frequency| {
            let pair = &mut pairs[pair];
            let before = pair.bytes.len();
            pair.push(doc_id, frequency)?;
            bytes += pair.bytes.len() - before;
            Ok(())
        })?;
        while bytes > most {
            words.truncate(words.len() * 7 / 8);
            let is_left = |pair: usize| pair / all < words.len() && pair % all < words.len();
            for (_, gone) in pairs.iter_mut().enumerate().filter(|(pair, _)| !is_left(*pair)) {
                bytes -= std::mem::take(gone).bytes.len();
            }
        }
        from = to;
    }
    let mut numbers: Vec<u16> = (0..words.len() as u16).collect();
    numbers.sort_unstable_by_key(|&number| words[usize::from(number)]);
    words.sort_unstable();
    Ok(Gathered { words, numbers, pairs, all })
}

/// The document after a window.
fn end_of_window(lengths: &[u8], from: u32) -> u32 {
    let mut tokens = 0;
    let more = lengths[from as usize..].iter().take(WINDOW as usize).take_while(|&&length| {
        tokens += u64::from(length::decode(length));
        tokens <= TOKENS
    });
    from + (more.count() as u32).max(1)
}

/// The positions of common words in some documents.
struct Window {
    /// Document (less the first), position and word: in the order of words, then of documents.
    found: Vec<u64>,
    /// The same in the order of documents.
    sorted: Vec<u64>,
    /// Per document, where its positions begin.
    begins: Vec<u32>,
    /// Per pair of words, how often it is in a document.
    frequencies: Vec<u32>,
    from: u32,
    all: usize,
}

const WORD_BITS: u32 = 12;
const POSITION_BITS: u32 = 32;

impl Window {
    fn new(all: usize) -> Result<Window> {
        let (begins, frequencies) = (zeros(WINDOW as usize + 1)?, zeros(all * all)?);
        Ok(Window { found: Vec::new(), sorted: Vec::new(), begins, frequencies, from: 0, all })
    }

    /// Takes the positions in the documents `from..to`.
    fn fill(&mut self, cursors: &mut [Cursor], from: u32, to: u32) -> Result<()> {
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

    /// Calls `take` with each document and pair, and how often one word follows the other there.
    fn each(&mut self, mut take: impl FnMut(u32, usize, u32) -> Result<()>) -> Result<()> {
        let (mut begin, mut touched) = (0, Vec::new());
        // Each was moved to the beginning of the next one.
        for (document, &end) in (0u32..).zip(&self.begins[..WINDOW as usize]) {
            let of_document = &mut self.sorted[begin..end as usize];
            begin = end as usize;
            of_document.sort_unstable();
            let position_of = |one: u64| (one >> WORD_BITS) as u32;
            let word_of = |one: u64| (one & ((1 << WORD_BITS) - 1)) as usize;
            // Several words may be at one position.
            let mut before: &[u64] = &[];
            let mut rest = &*of_document;
            while let Some(&first) = rest.first() {
                let position = position_of(first);
                let same =
                    rest[1..].iter().position(|&one| position_of(one) != position).map_or(rest.len(), |at| at + 1);
                let (here, others) = rest.split_at(same);
                let follows = before.first().is_some_and(|&one| position_of(one).checked_add(1) == Some(position));
                for &first in before.iter().filter(|_| follows) {
                    for &second in here {
                        let pair = word_of(first) * self.all + word_of(second);
                        if self.frequencies[pair] == 0 {
                            touched.push(pair);
                        }
                        self.frequencies[pair] += 1;
                    }
                }
                (before, rest) = (here, others);
            }
            for pair in touched.drain(..) {
                take(self.from + document, pair, std::mem::take(&mut self.frequencies[pair]))?;
            }
        }
        Ok(())
    }
}

/// A list with positions, read forwards.
#[expect(clippy::large_enum_variant, reason = "of few words, and read at every position: no indirection")]
enum Cursor<'l> {
    Short { decoded: Decoded, at: usize, before: usize },
    Long(Long<'l>),
}

struct Long<'l> {
    view: View<'l>,
    /// The block after the one in the buffers, of which `at` is the next posting.
    block: usize,
    count: usize,
    at: usize,
    doc_ids: BlockBuffer,
    less_one: [u32; BLOCK],
    /// The next gap, and the gaps of its block once one was read.
    gap: usize,
    gaps: [u32; BLOCK],
}

impl<'l> Cursor<'l> {
    /// `lists` come from the encoder.
    fn new(lists: &'l [u8], value: u64, documents: u32, parts: ListParts) -> Result<Cursor<'l>> {
        Ok(match List::find(lists, value, documents, parts)? {
            List::Long(view) => Cursor::Long(Long {
                view,
                block: 0,
                count: 0,
                at: 0,
                doc_ids: block_buffer(),
                less_one: [0; BLOCK],
                gap: 0,
                gaps: [0; BLOCK],
            }),
            List::Short(_) => {
                let mut decoded = Decoded::default();
                list::decode(lists, value, documents, parts, &mut decoded)?;
                Cursor::Short { decoded, at: 0, before: 0 }
            }
        })
    }

    /// Appends the positions of a word in the documents `from..to`, and adds to each document's number of positions.
    fn read(&mut self, from: u32, to: u32, word: u64, found: &mut Vec<u64>, counts: &mut [u32]) -> Result<()> {
        let mut front = |doc_id: u32, count: usize| {
            let document = doc_id - from;
            counts[document as usize] += count as u32;
            u64::from(document) << (POSITION_BITS + WORD_BITS) | word
        };
        match self {
            Cursor::Short { decoded, at, before } => {
                while let Some(&doc_id) = decoded.doc_ids.get(*at).filter(|&&doc_id| doc_id < to) {
                    let count = decoded.frequencies[*at] as usize;
                    let (front, positions) = (front(doc_id, count), &decoded.positions[*before..][..count]);
                    memory::reserve(found, count)?;
                    found.extend(positions.iter().map(|&position| front | u64::from(position) << WORD_BITS));
                    (*before, *at) = (*before + count, *at + 1);
                }
            }
            Cursor::Long(long) => {
                while let Some((doc_id, count)) = long.next(to) {
                    let (front, mut next) = (front(doc_id, count), 0u32);
                    memory::reserve(found, count)?;
                    found.extend((0..count).map(|_| {
                        let position = next + long.next_gap();
                        next = position + 1;
                        front | u64::from(position) << WORD_BITS
                    }));
                }
            }
        }
        Ok(())
    }
}

impl Long<'_> {
    /// The next document before `to`, and how many positions it has.
    #[inline]
    fn next(&mut self, to: u32) -> Option<(u32, usize)> {
        if self.at == self.count {
            if self.block == self.view.blocks() {
                return None;
            }
            self.count = self.view.decode_doc_ids(cpu::tier(), self.block, &mut self.doc_ids);
            self.view.frequencies_less_one(self.block, &mut self.less_one);
            (self.block, self.at) = (self.block + 1, 0);
        }
        let doc_id = self.doc_ids[self.at];
        (doc_id < to).then(|| {
            self.at += 1;
            (doc_id, self.less_one[self.at - 1] as usize + 1)
        })
    }

    #[inline]
    fn next_gap(&mut self) -> u32 {
        if self.gap.is_multiple_of(BLOCK)
            && let Some(positions) = self.view.positions
        {
            positions.gaps.unpack(self.gap / BLOCK, &mut self.gaps);
        }
        self.gap += 1;
        self.gaps[(self.gap - 1) % BLOCK]
    }
}
