//! Finds the documents in which common words follow each other, in a segment that is being written.
//!
//! Of documents that were just added the [`tokens`] are still in memory, where words follow each other as they do in the text. Of a
//! merge there are only the lists that it wrote. They are read forwards ([`cursor`]), for a [`window`] of documents at a time: the
//! positions of all common words are put in the order of documents, and words at neighbouring positions counted. Several threads look at
//! parts of the documents. Which pairs are worth it ([`limit`]), a [`sample`] of the documents tells before; if they get too large, those
//! that are worth least are given up.

mod counts;
mod cursor;
mod gaps;
mod limit;
mod sample;
mod tokens;
mod window;

use super::format::has_pairs;
use crate::base::error::Result;
use crate::base::threads::{at_most, in_order};
use crate::index::Schema;
use crate::index::list::ListParts;
use counts::PairCounts;
use cursor::Cursor;
pub(super) use gaps::Gaps;
use limit::Limit;
use sample::{Sample, stretches};
use std::ops::Range;
use tokens::InTokens;
use window::{InLists, WINDOW, windows};

/// Pairs are kept of words that one of so many documents has both of. So each is in one of so many.
const TOGETHER: u64 = 512;
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
const OTHERS: usize = MOST * (MOST / 4 + 2 * MOST + sample::BYTES_PER_WORD + size_of::<Cursor>())
    + SLOTS * (2 * 8 + 2 + 4 + size_of::<Gaps>());
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
        if containing as u64 * TOGETHER >= u64::from(documents) {
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
    /// The common words, their values ascending.
    pub words: Vec<Word>,
    /// Per word, its number while pairs were gathered.
    numbers: Vec<u16>,
    limit: Limit,
    pairs: Vec<Gaps>,
}

impl Gathered {
    fn new(mut words: Vec<Word>, limit: Limit, pairs: Pairs) -> Gathered {
        let mut numbers: Vec<u16> = (0..words.len() as u16).collect();
        numbers.sort_unstable_by_key(|&number| words[usize::from(number)].value);
        words.sort_unstable_by_key(|word| word.value);
        Gathered { words, numbers, limit, pairs: pairs.gaps }
    }

    /// As [`Limit::least`].
    pub fn least(&self) -> u64 {
        self.limit.least()
    }

    /// The pairs that were found, by the indices of their words and in this order, each with its documents.
    pub fn pairs(&self) -> impl Iterator<Item = ([u16; 2], &Gaps)> {
        let indices = 0..self.words.len() as u16;
        let all = indices.clone().flat_map(move |first| indices.clone().map(move |second| [first, second]));
        all.filter_map(|words| Some((words, self.pair(words)?)))
    }

    fn pair(&self, words: [u16; 2]) -> Option<&Gaps> {
        let [first, second] = words.map(|word| usize::from(self.numbers[usize::from(word)]));
        let place = self.limit.slot(first, second).and_then(|slot| self.limit.place(slot))?;
        Some(&self.pairs[place]).filter(|pair| pair.bytes() > 0)
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
    let words = common.commonest();
    let threads = at_most(threads, (documents / SHARE) as usize);
    let sample = sample_of_lists(lists, &words, lengths, parts, threads)?;
    let limit = limit(&words, documents, lists.len(), sample)?;
    let mut pairs = Pairs::default();
    let of_part = if threads == 1 { documents } else { documents.div_ceil((PARTS * threads) as u32) };
    let mut ranges = (0..documents).step_by(of_part.max(1) as usize).map(|from| from..documents.min(from + of_part));
    in_order(
        threads,
        || Gatherer::new(&limit, InLists::new(lists, &words, lengths, parts)?),
        || Ok(ranges.next()),
        |gatherer, range| gatherer.gather(range, lengths),
        |of_range| pairs.append(of_range, &limit),
        || Ok(()),
    )?;
    Ok(Gathered::new(words, limit, pairs))
}

/// What is seen in all [`stretches`] of the documents.
fn sample_of_lists(lists: &[u8], words: &[Word], lengths: &[u8], parts: ListParts, threads: usize) -> Result<Sample> {
    let mut stretches = stretches(lengths.len() as u32);
    let looks = in_order(
        threads,
        || Ok((Sample::new(words.len())?, InLists::new(lists, words, lengths, parts)?)),
        || Ok(stretches.next()),
        |(sample, in_lists), stretch| sample.look(in_lists, stretch, lengths),
        |()| Ok(()),
        || Ok(()),
    )?;
    let joined = looks.into_iter().map(|(sample, _)| sample).reduce(|mut all, sample| {
        all.add(&sample);
        all
    });
    joined.map_or_else(|| Sample::new(words.len()), Ok)
}

/// Finds the same pairs in the documents' tokens, given the rank of each one's term and how many bytes the lists of terms take.
///
/// # Errors
/// As [`of_lists`].
pub(super) fn of_tokens<D: Iterator<Item = u32>, I: Iterator<Item = D>>(
    tokens: impl Fn() -> I,
    ranks: &[u32],
    common: Common,
    lengths: &[u8],
    lists: usize,
) -> Result<Gathered> {
    let documents = lengths.len() as u32;
    let terms = common.terms as usize;
    let words = common.commonest();
    let mut sample = Sample::new(words.len())?;
    let mut in_tokens = InTokens::new(tokens, ranks, &words, terms)?;
    stretches(documents).try_for_each(|stretch| sample.look(&mut in_tokens, stretch, lengths))?;
    let limit = limit(&words, documents, lists, sample)?;
    let mut pairs = Pairs::default();
    pairs.append(Gatherer::new(&limit, in_tokens)?.gather(0..documents, lengths)?, &limit)?;
    Ok(Gathered::new(words, limit, pairs))
}

/// The limit of pairs of words whose lists take so many bytes, by what was seen in all [`stretches`].
fn limit(words: &[Word], documents: u32, lists: usize, sample: Sample) -> Result<Limit> {
    let bytes = (lists / 100 * PERCENT).min(BYTES * documents as usize);
    let looked_at: u64 = stretches(documents).map(|(_, stretch)| stretch.len() as u64).sum();
    let of_all = |count: u64| count * u64::from(documents) / looked_at.max(1);
    let together = |first, second| of_all(sample.together(first, second)) as u32;
    let beside = |first, second| of_all(sample.beside(first, second));
    Limit::new(words, documents, bytes, together, beside)
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
    fn append(&mut self, later: Vec<Gaps>, limit: &Limit) -> Result<()> {
        if self.gaps.is_empty() {
            self.bytes = later.iter().map(Gaps::bytes).sum();
            self.gaps = later;
        } else {
            for (gaps, later) in self.gaps.iter_mut().zip(later).take(limit.kept()) {
                let before = gaps.bytes();
                gaps.append(later)?;
                self.bytes += gaps.bytes() - before;
            }
        }
        limit.keep(&mut self.gaps, &mut self.bytes, Gaps::bytes);
        Ok(())
    }
}

/// Where it is seen which words follow each other, document by document.
trait Adjacency {
    /// Goes to a document, forwards or backwards.
    fn seek(&mut self, from: u32);

    /// Gives the words that follow each other in some documents, which come next, to `to`.
    fn each(&mut self, documents: Range<u32>, to: &mut impl Neighbours) -> Result<()>;
}

/// What becomes of words that follow each other.
trait Neighbours {
    /// Takes two of a document, by their numbers.
    fn add(&mut self, doc_id: u32, first: usize, second: usize);

    /// The document has no more.
    fn end(&mut self, doc_id: u32) -> Result<()>;
}

/// Adds the neighbours in a document whose words are given as one more than their numbers; 0 is another word, or none.
#[inline(always)]
fn add_neighbours(doc_id: u32, words: impl Iterator<Item = u16>, to: &mut impl Neighbours) {
    let mut before = 0;
    for word in words.map(usize::from) {
        if word != 0 && before != 0 {
            to.add(doc_id, before - 1, word - 1);
        }
        before = word;
    }
}

/// Gathers pairs in parts of the documents.
struct Gatherer<'l, T> {
    adjacency: T,
    gathering: Gathering<'l>,
}

/// The pairs of a part that are found yet.
struct Gathering<'l> {
    limit: &'l Limit,
    /// By their slots.
    counts: PairCounts,
    /// By their places.
    pairs: Vec<Gaps>,
    /// Bytes that these take at least when they are appended to others.
    bytes: usize,
}

impl<'l, T: Adjacency> Gatherer<'l, T> {
    fn new(limit: &'l Limit, adjacency: T) -> Result<Gatherer<'l, T>> {
        let counts = PairCounts::new(limit.slots())?;
        let gathering = Gathering { limit, counts, pairs: Vec::new(), bytes: 0 };
        Ok(Gatherer { adjacency, gathering })
    }

    /// The pairs in some documents, by their places.
    fn gather(&mut self, documents: Range<u32>, lengths: &[u8]) -> Result<Vec<Gaps>> {
        let Gatherer { adjacency, gathering } = self;
        gathering.pairs.resize_with(gathering.limit.slots(), Gaps::default);
        gathering.bytes = 0;
        adjacency.seek(documents.start);
        for window in windows(lengths, documents) {
            adjacency.each(window, gathering)?;
            gathering.limit.keep(&mut gathering.pairs, &mut gathering.bytes, Gaps::appended);
        }
        Ok(std::mem::take(&mut gathering.pairs))
    }
}

impl Neighbours for Gathering<'_> {
    #[inline(always)]
    fn add(&mut self, _: u32, first: usize, second: usize) {
        if let Some(slot) = self.limit.slot(first, second) {
            self.counts.add(slot);
        }
    }

    #[inline(always)]
    fn end(&mut self, doc_id: u32) -> Result<()> {
        let Gathering { limit, counts, pairs, bytes } = self;
        counts.drain(|slot, frequency| {
            let Some(place) = limit.place(slot) else { return Ok(()) };
            let before = pairs[place].appended();
            pairs[place].push(doc_id, frequency)?;
            *bytes += pairs[place].appended() - before;
            Ok(())
        })
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
        let words = gathered.words.len();
        let mut pairs = vec![(Vec::new(), Vec::new()); words * words];
        for (pair, gaps) in gathered.pairs() {
            let [first, second] = pair.map(usize::from);
            let (doc_ids, frequencies) = &mut pairs[words * first + second];
            gaps.read(doc_ids, frequencies).unwrap();
        }
        let least = gathered.least();
        (gathered.words, least, pairs)
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
        let all = Limit::new(words, documents, 0, |_, _| 0, |_, _| 0).unwrap();
        assert!(*least > all.least(), "none are given up");
        assert!(pairs.iter().any(|(doc_ids, _)| !doc_ids.is_empty()), "all are");
        for threads in 2..6 {
            assert!(lists.found(threads) == of_one, "{threads} threads");
        }
        let ranks: Vec<u32> = (0..WORDS).collect();
        let tokens = || tokens.iter().map(|tokens| tokens.iter().copied());
        let of_tokens = of_tokens(tokens, &ranks, lists.common(), &lists.lengths, lists.bytes().len());
        assert!(all_of(of_tokens.unwrap()) == of_one);
    }

    #[test]
    fn rare_words_that_often_follow_each_other_make_a_pair() {
        let documents = 6000u32;
        let word = |of: u32, position: u32| {
            let doc_ids: Vec<u32> = (0..documents).filter(|doc_id| doc_id % 256 < of).collect();
            (doc_ids.clone(), vec![1; doc_ids.len()], vec![position; doc_ids.len()])
        };
        let words = [word(3, 3), word(3, 4), word(3, 9), word(256, 7)];
        let lists = Lists::new(&words, vec![10; documents as usize]);
        let (found, least, pairs) = lists.found(1);
        let product = u64::from(found[0].containing) * u64::from(found[1].containing);
        assert!(product < least, "{product} {least}");
        for (number, (doc_ids, _)) in pairs.iter().enumerate() {
            let expected = if number == 1 { &words[0].0[..] } else { &[] };
            assert!(doc_ids == expected, "{number}");
        }
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
