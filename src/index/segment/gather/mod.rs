//! Finds the documents in which common words follow each other, in the lists of a segment that is being written.
//!
//! Documents are looked at in windows ([`window`]), for which the lists are read forwards ([`cursor`]): the positions of all common
//! words in a window are put in the order of documents, and words at neighbouring positions counted. Several threads look at parts of
//! the documents. If pairs get too large, the rarest words are given up.

mod cursor;
mod window;

use super::format::has_pairs;
use crate::base::error::Result;
use crate::base::leb128::put;
use crate::base::memory;
use crate::base::threads::{at_most, in_order};
use crate::index::Schema;
use crate::index::list::{ListParts, Numbers};
use cursor::Cursor;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use window::{WINDOW, Window, end_of_window};

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
/// Documents that are worth a thread: they take some 10 ms.
const SHARE: u32 = if TESTS { 64 } else { 4 * WINDOW };
/// Parts per thread, if there are several.
const PARTS: usize = 4;

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
    /// How many of them the first document takes.
    first: u8,
    next: u32,
}

impl Gaps {
    fn push(&mut self, doc_id: u32, frequency: u32) -> Result<()> {
        memory::reserve(&mut self.bytes, 10)?;
        let gap = u64::from(doc_id - self.next) << 1;
        let is_first = self.bytes.is_empty();
        self.next = doc_id + 1;
        if frequency == 1 {
            put(&mut self.bytes, gap | 1);
        } else {
            put(&mut self.bytes, gap);
            put(&mut self.bytes, frequency.into());
        }
        if is_first {
            self.first = self.bytes.len() as u8;
        }
        Ok(())
    }

    /// Appends those of later documents.
    fn append(&mut self, later: Gaps) -> Result<()> {
        if self.bytes.is_empty() {
            *self = later;
            return Ok(());
        }
        memory::reserve(&mut self.bytes, later.bytes.len())?;
        let mut numbers = Numbers(&later.bytes);
        let first = numbers.next().unwrap_or_default();
        put(&mut self.bytes, first - (u64::from(self.next) << 1));
        self.bytes.extend_from_slice(numbers.0);
        self.next = later.next;
        Ok(())
    }

    /// Bytes that they take.
    fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Bytes that they take at least when they are appended to others.
    fn appended(&self) -> usize {
        self.bytes.len() - usize::from(self.first)
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

/// Finds the pairs of `common` words in the section of their lists, on up to `threads` threads. What is found does not depend on
/// their number.
///
/// # Errors
/// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
pub(super) fn gather(
    lists: &[u8],
    common: Common,
    lengths: &[u8],
    parts: ListParts,
    threads: usize,
) -> Result<Gathered> {
    let documents = lengths.len() as u32;
    let mut words = common.values();
    let all = words.len();
    let limit =
        Limit { bytes: (lists.len() / SMALLER).min(BYTES * documents as usize), words: AtomicUsize::new(all), all };
    let (mut pairs, mut bytes) = (Vec::new(), 0);
    let threads = at_most(threads, (documents / SHARE) as usize);
    let of_part = if threads == 1 { documents } else { documents.div_ceil((PARTS * threads) as u32) };
    let mut ranges = (0..documents).step_by(of_part.max(1) as usize).map(|from| from..documents.min(from + of_part));
    in_order(
        threads,
        || Gatherer::new(lists, &words, documents, parts),
        || Ok(ranges.next()),
        |gatherer, range| gatherer.gather(range, lengths, &limit),
        |of_range| {
            if pairs.is_empty() {
                pairs = of_range;
                bytes = pairs.iter().map(Gaps::bytes).sum();
            } else {
                let there =
                    of_range.into_iter().enumerate().filter(|(pair, gaps)| gaps.bytes() > 0 && limit.has(*pair));
                for (pair, gaps) in there {
                    let before = pairs[pair].bytes();
                    pairs[pair].append(gaps)?;
                    bytes += pairs[pair].bytes() - before;
                }
            }
            limit.keep(&mut pairs, &mut bytes, Gaps::bytes);
            Ok(())
        },
    )?;
    words.truncate(limit.words.into_inner());
    let mut numbers: Vec<u16> = (0..words.len() as u16).collect();
    numbers.sort_unstable_by_key(|&number| words[usize::from(number)]);
    words.sort_unstable();
    Ok(Gathered { words, numbers, pairs, all })
}

/// How large pairs may get, and of how many words, the commonest ones, pairs are gathered yet.
///
/// Words are given up by eighths, as soon as the pairs of those that are left are known to take too much, be it in one part of the
/// documents. So their number in the end is the first one that is small enough, whoever finds that out.
struct Limit {
    bytes: usize,
    words: AtomicUsize,
    all: usize,
}

impl Limit {
    /// Whether a pair is of words that are left.
    fn has(&self, pair: usize) -> bool {
        self.is_of(self.words.load(Relaxed), pair)
    }

    /// Whether a pair is of the first `words`.
    fn is_of(&self, words: usize, pair: usize) -> bool {
        pair / self.all < words && pair % self.all < words
    }

    /// Gives up words until the pairs, which take `bytes` by `size`, are small enough, and empties those that are given up.
    fn keep(&self, pairs: &mut [Gaps], bytes: &mut usize, size: impl Fn(&Gaps) -> usize) {
        let mut words = self.words.load(Relaxed);
        while *bytes > self.bytes {
            // Others may have given up words whose pairs are still here.
            for (_, gone) in pairs.iter_mut().enumerate().filter(|(pair, _)| !self.is_of(words, *pair)) {
                *bytes -= size(&std::mem::take(gone));
            }
            if *bytes > self.bytes {
                words = words * 7 / 8;
                self.words.fetch_min(words, Relaxed);
            }
        }
    }
}

/// Gathers pairs in parts of the documents.
struct Gatherer<'l> {
    cursors: Vec<Cursor<'l>>,
    window: Window,
    pairs: Vec<Gaps>,
}

impl<'l> Gatherer<'l> {
    fn new(lists: &'l [u8], words: &[u64], documents: u32, parts: ListParts) -> Result<Gatherer<'l>> {
        let cursors: Vec<_> =
            words.iter().map(|&value| Cursor::new(lists, value, documents, parts)).collect::<Result<_>>()?;
        Ok(Gatherer { window: Window::new(words.len())?, cursors, pairs: Vec::new() })
    }

    /// The pairs in some documents, by their numbers.
    fn gather(&mut self, range: Range<u32>, lengths: &[u8], limit: &Limit) -> Result<Vec<Gaps>> {
        self.pairs.resize_with(limit.all * limit.all, Gaps::default);
        self.cursors.iter_mut().for_each(|cursor| cursor.seek(range.start));
        let (mut from, mut bytes) = (range.start, 0);
        while from < range.end {
            let to = end_of_window(&lengths[..range.end as usize], from);
            let words = limit.words.load(Relaxed);
            self.window.fill(&mut self.cursors[..words], from, to)?;
            self.window.each(|doc_id, pair, frequency| {
                let before = self.pairs[pair].appended();
                self.pairs[pair].push(doc_id, frequency)?;
                bytes += self.pairs[pair].appended() - before;
                Ok(())
            })?;
            limit.keep(&mut self.pairs, &mut bytes, Gaps::appended);
            from = to;
        }
        Ok(std::mem::take(&mut self.pairs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::list::{self, Codecs, Postings};

    /// Words that stand in another order in each document, so that many follow each other, and their pairs take more than is allowed.
    #[test]
    fn words_are_given_up_alike_by_any_number_of_threads() {
        // A prime: the multiples of a smaller number, plus another, are all numbers below it in some order.
        const WORDS: u32 = 7;
        let documents = 6000u32;
        let doc_ids: Vec<u32> = (0..documents).collect();
        let (lengths, frequencies) = (vec![0; documents as usize], vec![1; documents as usize]);
        let parts = ListParts { frequencies: true, positions: true, codecs: Codecs::default() };
        let (mut lists, mut values) = (Vec::new(), Vec::new());
        for word in 0..WORDS {
            let position = |&doc_id: &u32| (word * (1 + doc_id % (WORDS - 1)) + doc_id / (WORDS - 1)) % WORDS;
            let positions: Vec<u32> = doc_ids.iter().map(position).collect();
            let postings =
                Postings { doc_ids: &doc_ids, frequencies: &frequencies, positions: &positions, lengths: &lengths };
            values.push(list::encode(&postings, documents, parts.codecs, 0, &mut lists).unwrap());
        }
        lists.resize(lists.len() + list::PADDING, 0);
        // Aligned, as in a segment.
        let words: Vec<u32> = lists
            .chunks(4)
            .map(|four| u32::from_le_bytes(std::array::from_fn(|at| *four.get(at).unwrap_or(&0))))
            .collect();
        // SAFETY: any words are bytes.
        let lists = unsafe { std::slice::from_raw_parts(words.as_ptr().cast::<u8>(), lists.len()) };
        let gathered = |threads: usize| {
            let mut common = Common::default();
            values.iter().for_each(|&value| common.add(documents as usize, documents, value));
            let mut gathered = gather(lists, common, &lengths, parts, threads).unwrap();
            let mut pairs = Vec::new();
            for first in 0..gathered.words.len() as u16 {
                for second in 0..gathered.words.len() as u16 {
                    let (mut doc_ids, mut frequencies) = (Vec::new(), Vec::new());
                    gathered.take(first, second, &mut doc_ids, &mut frequencies).unwrap();
                    pairs.push((doc_ids, frequencies));
                }
            }
            (gathered.words, pairs)
        };
        let of_one = gathered(1);
        assert!((1..WORDS as usize).contains(&of_one.0.len()), "{} words are left", of_one.0.len());
        for threads in 2..6 {
            assert!(gathered(threads) == of_one, "{threads} threads");
        }
    }
}
