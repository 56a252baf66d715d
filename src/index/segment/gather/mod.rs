//! Finds the documents in which common words follow each other, in a segment that is being written.
//!
//! Of documents that were just added the [`tokens`] are still in memory, where words follow each other as they do in the text. Of a
//! merge there are only the lists that it wrote. They are read forwards ([`cursor`]), for a [`window`] of documents at a time: the
//! positions of all common words are put in the order of documents, and words at neighbouring positions counted. Several threads look at
//! parts of the documents. If pairs get too large ([`limit`]), those of the rarest words are given up.

mod counts;
mod cursor;
mod gaps;
mod limit;
mod tokens;
mod window;

use super::format::has_pairs;
use crate::base::error::Result;
use crate::base::threads::{at_most, in_order};
use crate::index::Schema;
use crate::index::list::ListParts;
use cursor::Cursor;
use gaps::Gaps;
use limit::{Limit, Row};
use std::ops::Range;
use tokens::InTokens;
use window::{InLists, WINDOW, end_of_window};

/// Pairs are kept of words that, were they independent, would be in one of so many documents together. So each is in one of so many.
const EXPECTED: u64 = 512;
/// Whether segments are small, and many.
const TESTS: bool = cfg!(any(test, fuzzing));
/// The most common words.
const MOST: usize = if TESTS { 24 } else { 1024 };
/// Pairs of words, at most: tables of them fit into the processor's cache.
const SLOTS: usize = if TESTS { 400 } else { 1 << 16 };
/// The bytes of the lists of pairs are about so many in a hundred of those of words, at most.
const PERCENT: usize = if TESTS { 100 } else { 19 };
/// Bytes per document that are gathered at most.
const BYTES: usize = 32;
/// Other bytes: tables of pairs, and buffers of the words' lists.
const OTHERS: usize = SLOTS * (size_of::<Gaps>() + 4) + MOST * size_of::<Cursor>();
/// Documents that are worth a thread: they take some 10 ms.
const SHARE: u32 = if TESTS { 64 } else { 4 * WINDOW };
/// Parts per thread, if there are several.
const PARTS: usize = 4;

/// Bytes that finding the pairs of a segment's field takes at most, besides common words' positions in a few documents.
pub(super) fn memory(documents: usize, schema: &Schema) -> usize {
    if has_pairs(documents, schema) { OTHERS + BYTES * documents } else { 0 }
}

/// A word that may have pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Word {
    /// Its number: that of the terms written before it.
    pub term: u32,
    /// How many documents contain it.
    pub containing: u32,
    /// Its value of the dictionary.
    pub value: u64,
}

/// The common words of a field, as their lists are written.
#[derive(Default)]
pub(super) struct Common {
    words: Vec<Word>,
    /// How many terms there are.
    terms: u32,
}

impl Common {
    /// Takes the next term with its value of the dictionary, if it is common.
    pub fn add(&mut self, containing: usize, documents: u32, value: u64) {
        if containing as u64 * EXPECTED >= u64::from(documents) {
            self.words.push(Word { term: self.terms, containing: containing as u32, value });
        }
        self.terms += 1;
    }

    /// The commonest ones, in this order.
    fn commonest(mut self) -> Vec<Word> {
        self.words.sort_unstable_by_key(|word| (std::cmp::Reverse(word.containing), word.value));
        self.words.truncate(MOST);
        self.words
    }
}

/// What was found.
pub(super) struct Gathered {
    /// The words with pairs, their values ascending.
    pub words: Vec<Word>,
    /// The least product of the documents of two words whose pair was looked for.
    pub least: u64,
    /// Per word, its number while pairs were gathered.
    numbers: Vec<u16>,
    /// By these numbers.
    rows: Vec<Row>,
    pairs: Vec<Gaps>,
}

impl Gathered {
    /// Puts the documents and frequencies of two words, by their indices, in the place of what is in both; whether there are any.
    pub fn read(&self, first: u16, second: u16, doc_ids: &mut Vec<u32>, frequencies: &mut Vec<u32>) -> Result<bool> {
        doc_ids.clear();
        frequencies.clear();
        let [first, second] = [first, second].map(|word| usize::from(self.numbers[usize::from(word)]));
        if let Some(place) = self.rows[first].place(second) {
            self.pairs[place].read(doc_ids, frequencies)?;
        }
        Ok(!doc_ids.is_empty())
    }
}

/// Finds the pairs of `common` words in the section of their lists, on up to `threads` threads. What is found does not depend on
/// their number.
///
/// # Errors
/// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
pub(super) fn of_lists(
    lists: &[u8],
    common: Common,
    lengths: &[u8],
    parts: ListParts,
    threads: usize,
) -> Result<Gathered> {
    let documents = lengths.len() as u32;
    let mut gathering = Gathering::new(common, documents, lists.len());
    let Gathering { words, limit, pairs } = &mut gathering;
    let (words, limit) = (&*words, &*limit);
    let threads = at_most(threads, (documents / SHARE) as usize);
    let of_part = if threads == 1 { documents } else { documents.div_ceil((PARTS * threads) as u32) };
    let mut ranges = (0..documents).step_by(of_part.max(1) as usize).map(|from| from..documents.min(from + of_part));
    in_order(
        threads,
        || Ok(Gatherer::new(limit, InLists::new(lists, words, lengths, parts, limit.slots())?)),
        || Ok(ranges.next()),
        |gatherer, range| gatherer.gather(range, lengths),
        |of_range| pairs.append(of_range, limit),
        || Ok(()),
    )?;
    Ok(gathering.finish())
}

/// Finds the same pairs in the documents' tokens, given the rank of each one's term and how many bytes the lists of terms take.
///
/// # Errors
/// As [`of_lists`].
pub(super) fn of_tokens(
    tokens: impl Iterator<Item = impl Iterator<Item = u32>>,
    ranks: &[u32],
    common: Common,
    lengths: &[u8],
    lists: usize,
) -> Result<Gathered> {
    let documents = lengths.len() as u32;
    let terms = common.terms as usize;
    let mut gathering = Gathering::new(common, documents, lists);
    let Gathering { words, limit, pairs } = &mut gathering;
    let in_tokens = InTokens::new(tokens, ranks, words, terms, limit.slots())?;
    pairs.append(Gatherer::new(limit, in_tokens).gather(0..documents, lengths)?, limit)?;
    Ok(gathering.finish())
}

/// What is found, as it grows.
struct Gathering {
    /// By number: the commonest first.
    words: Vec<Word>,
    limit: Limit,
    pairs: Pairs,
}

/// The pairs of all documents that were looked at.
#[derive(Default)]
struct Pairs {
    /// By their places; none at first.
    gaps: Vec<Gaps>,
    /// Bytes that these take.
    bytes: usize,
}

impl Pairs {
    /// Adds those of later documents, and gives up those that are beyond the limit.
    fn append(&mut self, mut later: Vec<Gaps>, limit: &Limit) -> Result<()> {
        if self.gaps.is_empty() {
            self.bytes = later.iter().map(Gaps::bytes).sum();
            self.gaps = later;
        } else {
            for place in limit.rows().flat_map(Row::places) {
                let before = self.gaps[place].bytes();
                self.gaps[place].append(std::mem::take(&mut later[place]))?;
                self.bytes += self.gaps[place].bytes() - before;
            }
        }
        limit.keep(&mut self.gaps, &mut self.bytes, Gaps::bytes);
        Ok(())
    }
}

impl Gathering {
    /// None yet, of words whose lists take so many bytes.
    fn new(common: Common, documents: u32, lists: usize) -> Gathering {
        let mut words = common.commonest();
        let containing = words.iter().map(|word| word.containing).collect();
        let limit = Limit::new(containing, documents, (lists / 100 * PERCENT).min(BYTES * documents as usize));
        words.truncate(limit.rows().count());
        Gathering { words, limit, pairs: Pairs::default() }
    }

    fn finish(self) -> Gathered {
        let Gathering { mut words, limit, pairs } = self;
        let rows: Vec<Row> = limit.rows().collect();
        words.truncate(rows.len());
        let mut numbers: Vec<u16> = (0..words.len() as u16).collect();
        numbers.sort_unstable_by_key(|&number| words[usize::from(number)].value);
        words.sort_unstable_by_key(|word| word.value);
        Gathered { words, least: limit.least(), numbers, rows, pairs: pairs.gaps }
    }
}

/// Where it is seen which words follow each other, document by document.
trait Adjacency {
    /// Goes to the first document of a part.
    fn seek(&mut self, from: u32);

    /// Calls `take` with each of the documents `from..to`, which come next, and the place of a pair, and how often one word follows the
    /// other there.
    fn each(
        &mut self,
        rows: &[Row],
        documents: Range<u32>,
        take: impl FnMut(u32, usize, u32) -> Result<()>,
    ) -> Result<()>;
}

/// Gathers pairs in parts of the documents.
struct Gatherer<'l, T> {
    limit: &'l Limit,
    adjacency: T,
    pairs: Vec<Gaps>,
}

impl<'l, T: Adjacency> Gatherer<'l, T> {
    fn new(limit: &'l Limit, adjacency: T) -> Gatherer<'l, T> {
        Gatherer { limit, adjacency, pairs: Vec::new() }
    }

    /// The pairs in some documents, by their places.
    fn gather(&mut self, range: Range<u32>, lengths: &[u8]) -> Result<Vec<Gaps>> {
        self.pairs.resize_with(self.limit.slots(), Gaps::default);
        self.adjacency.seek(range.start);
        let (mut from, mut bytes) = (range.start, 0);
        while from < range.end {
            let to = end_of_window(&lengths[..range.end as usize], from);
            let rows: Vec<Row> = self.limit.rows().collect();
            self.adjacency.each(&rows, from..to, |doc_id, place, frequency| {
                let before = self.pairs[place].appended();
                self.pairs[place].push(doc_id, frequency)?;
                bytes += self.pairs[place].appended() - before;
                Ok(())
            })?;
            self.limit.keep(&mut self.pairs, &mut bytes, Gaps::appended);
            from = to;
        }
        Ok(std::mem::take(&mut self.pairs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::list::{self, Codecs, Postings};

    /// Documents, frequencies and positions of a word.
    type Word = (Vec<u32>, Vec<u32>, Vec<u32>);
    /// By the words' numbers: what two words are, and the documents in which one follows the other, with frequencies.
    type Found = (Vec<super::Word>, u64, Vec<(Vec<u32>, Vec<u32>)>);

    /// A section of lists.
    struct Lists {
        aligned: Vec<u32>,
        words: Vec<(usize, u64)>,
        lengths: Vec<u8>,
        parts: ListParts,
    }

    impl Lists {
        fn new(words: &[Word], lengths: Vec<u8>) -> Lists {
            let parts = ListParts { frequencies: true, positions: true, codecs: Codecs::default() };
            let mut bytes = Vec::new();
            let encode = |(doc_ids, frequencies, positions): &Word| {
                let postings = Postings { doc_ids, frequencies, positions, lengths: &lengths };
                let value = list::encode(&postings, lengths.len() as u32, parts.codecs, 0, &mut bytes).unwrap();
                (doc_ids.len(), value)
            };
            let words = words.iter().map(encode).collect();
            bytes.resize(bytes.len() + list::PADDING, 0);
            let four = |four: &[u8]| u32::from_le_bytes(std::array::from_fn(|at| *four.get(at).unwrap_or(&0)));
            Lists { aligned: bytes.chunks(4).map(four).collect(), words, lengths, parts }
        }

        fn bytes(&self) -> &[u8] {
            bytemuck::cast_slice(&self.aligned)
        }

        fn common(&self) -> Common {
            let mut common = Common::default();
            let documents = self.lengths.len() as u32;
            self.words.iter().for_each(|&(containing, value)| common.add(containing, documents, value));
            common
        }

        fn found(&self, threads: usize) -> Found {
            all_of(of_lists(self.bytes(), self.common(), &self.lengths, self.parts, threads).unwrap())
        }
    }

    fn all_of(gathered: Gathered) -> Found {
        let mut pairs = Vec::new();
        for first in 0..gathered.words.len() as u16 {
            for second in 0..gathered.words.len() as u16 {
                let (mut doc_ids, mut frequencies) = (Vec::new(), Vec::new());
                gathered.read(first, second, &mut doc_ids, &mut frequencies).unwrap();
                pairs.push((doc_ids, frequencies));
            }
        }
        (gathered.words, gathered.least, pairs)
    }

    /// Words that stand in another order in each document, so that many follow each other, and their pairs take more than is allowed;
    /// at positions for which there is room by the documents' lengths, or not.
    #[test]
    fn words_are_given_up_alike_by_any_number_of_threads_and_in_tokens() {
        // A prime: the multiples of a smaller number, plus another, are all numbers below it in some order.
        const WORDS: u32 = 7;
        let documents = 6000u32;
        let mut tokens = vec![[u32::MAX; WORDS as usize]; documents as usize];
        let mut words = Vec::new();
        for word in 0..WORDS {
            // The first is in all documents, the others in ever fewer.
            let doc_ids: Vec<u32> = (0..documents).filter(|doc_id| doc_id / 50 % 64 >= word).collect();
            let frequencies = vec![1; doc_ids.len()];
            let position = |&doc_id: &u32| (word * (1 + doc_id % (WORDS - 1)) + doc_id / (WORDS - 1)) % WORDS;
            let positions: Vec<u32> = doc_ids.iter().map(position).collect();
            for (&doc_id, &position) in doc_ids.iter().zip(&positions) {
                tokens[doc_id as usize][position as usize] = word;
            }
            words.push((doc_ids, frequencies, positions));
        }
        let lists = Lists::new(&words, (0..documents).map(|doc_id| (doc_id % 5) as u8).collect());
        let of_one = lists.found(1);
        let (words, least, pairs) = &of_one;
        let all = Limit::new(words.iter().map(|word| word.containing).collect(), documents, 0);
        assert!(*least > all.least(), "none are given up");
        assert!(pairs.iter().any(|(doc_ids, _)| !doc_ids.is_empty()), "all are");
        for threads in 2..6 {
            assert!(lists.found(threads) == of_one, "{threads} threads");
        }
        let ranks: Vec<u32> = (0..WORDS).collect();
        let tokens = tokens.iter().map(|tokens| tokens.iter().copied());
        let of_tokens = of_tokens(tokens, &ranks, lists.common(), &lists.lengths, lists.bytes().len());
        assert!(all_of(of_tokens.unwrap()) == of_one);
    }

    /// Which no builder writes.
    #[test]
    fn several_words_may_be_at_one_position() {
        let documents = 200u32;
        let word = |position: u32| {
            let all: Vec<u32> = (0..documents).collect();
            (all, vec![1; documents as usize], vec![position; documents as usize])
        };
        let lists = Lists::new(&[word(3), word(3), word(4)], (0..documents).map(|doc_id| (doc_id % 5) as u8).collect());
        let (_, _, pairs) = lists.found(1);
        let all = word(0);
        for (number, (doc_ids, frequencies)) in pairs.iter().enumerate() {
            match (number / 3, number % 3) {
                (0 | 1, 2) => assert_eq!((doc_ids, frequencies), (&all.0, &all.1)),
                _ => assert!(doc_ids.is_empty(), "{number}"),
            }
        }
    }
}
