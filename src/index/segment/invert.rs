//! Tokens in the order of documents → postings in the order of terms.
//!
//! While documents come in, a token is four bytes: the number of its term, at the index that is its position. At the end
//! the numbers are replaced by the ranks of the terms, and the tokens are sorted by a counting sort. That is done for one
//! range of terms after the other, so that a quarter of the tokens, at eight bytes each, is sorted at a time.

use super::terms::Terms;
use crate::base::error::Result;
use crate::index::length;
use crate::index::list::Postings;

/// What stands at positions without an indexed term.
const HOLE: u32 = u32::MAX;

/// Ranges of terms that are sorted one after the other, unless some term is more frequent than that.
const RANGES: usize = 4;

/// The tokens of a text or keyword field, in memory.
#[derive(Debug)]
pub(super) struct Tokens {
    terms: Terms,
    tokens: Vec<u32>,
    /// Per document, where its tokens end.
    ends: Vec<u32>,
    /// Per document of a text field, its length byte.
    lengths: Vec<u8>,
}

impl Tokens {
    /// Nothing.
    pub fn new() -> Tokens {
        Tokens { terms: Terms::new(), tokens: Vec::new(), ends: Vec::new(), lengths: Vec::new() }
    }

    /// Bytes in use, and those that [`Tokens::invert`] will need besides.
    pub fn memory(&self) -> (usize, usize) {
        // What large vectors have in reserve takes no memory until it is written to.
        let kept = 4 * (self.tokens.len() + self.ends.len()) + self.lengths.len() + self.terms.memory();
        let range = (self.tokens.len() / RANGES).max(self.terms.most() as usize);
        let of_term = 3 * 4 * self.terms.most() as usize;
        (kept, 8 * range + of_term + self.terms.len() * (Terms::SORTING + 12))
    }

    /// Entries in use of those that 32 bits can name: tokens and bytes of terms.
    pub fn used(&self) -> usize {
        self.tokens.len().max(self.terms.bytes())
    }

    /// Adds a term of the document that has not been ended, whose tokens begin at `begin` ([`Tokens::next`]). Positions
    /// between it and the one before stay empty; it is put after the one before in any case.
    #[inline]
    pub fn push(&mut self, begin: usize, position: u32, term: &[u8]) {
        let index = begin + position as usize;
        if self.tokens.len() < index {
            self.tokens.resize(index, HOLE);
        }
        let number = self.terms.count(term);
        if self.tokens.len() == self.tokens.capacity() {
            super::reserve(&mut self.tokens, 1);
        }
        self.tokens.push(number);
    }

    /// Where the next document's tokens begin.
    pub fn next(&self) -> usize {
        self.ends.last().map_or(0, |&end| end as usize)
    }

    /// Ends a document of a text field that has `length` terms.
    pub fn end_text(&mut self, length: u32) {
        super::reserve(&mut self.lengths, 1);
        self.lengths.push(length::encode(length));
        self.end();
    }

    /// Adds a document of a keyword field.
    pub fn keywords<'v>(&mut self, values: impl Iterator<Item = &'v [u8]>) {
        let begin = self.next();
        for value in values {
            let number = self.terms.count(value);
            // Usually there are one or two.
            if self.tokens[begin..].contains(&number) && self.tokens.len() - begin < 16 {
                self.terms.uncount(number);
            } else {
                super::reserve(&mut self.tokens, 1);
                self.tokens.push(number);
            }
        }
        if self.tokens.len() - begin >= 16 {
            let mut many = self.tokens.split_off(begin);
            many.sort_unstable();
            for pair in many.windows(2).filter(|pair| pair[0] == pair[1]) {
                self.terms.uncount(pair[0]);
            }
            many.dedup();
            self.tokens.extend(many);
        }
        self.end();
    }

    fn end(&mut self) {
        super::reserve(&mut self.ends, 1);
        self.ends.push(self.tokens.len() as u32);
    }

    /// Documents and their tokens.
    fn documents(ends: &[u32]) -> impl Iterator<Item = std::ops::Range<usize>> {
        let mut begin = 0;
        ends.iter().map(move |&end| std::mem::replace(&mut begin, end as usize)..end as usize)
    }

    /// The length bytes of the documents that are not dead.
    pub fn lengths(&self, dead: impl Fn(usize) -> bool) -> Vec<u8> {
        self.lengths.iter().enumerate().filter(|(doc, _)| !dead(*doc)).map(|(_, &length)| length).collect()
    }

    /// Calls `each` with every term, in ascending order, and its postings. Documents are numbered without dead ones.
    /// Returns how many of them have a term.
    pub fn invert(
        mut self,
        dead: impl Fn(usize) -> bool,
        lengths: &[u8],
        text: bool,
        positions: bool,
        mut each: impl FnMut(&[u8], &Postings) -> Result<()>,
    ) -> Result<u32> {
        self.terms.freeze();
        let sorted = self.terms.sorted();
        let mut ranks = vec![0; sorted.len()];
        for (rank, &number) in (0..).zip(&sorted) {
            ranks[number as usize] = rank;
        }
        let mut with_terms = 0;
        for (doc, range) in Tokens::documents(&self.ends).enumerate() {
            let tokens = &mut self.tokens[range];
            if dead(doc) {
                tokens.iter().filter(|&&token| token != HOLE).for_each(|&number| self.terms.uncount(number));
                tokens.fill(HOLE);
                continue;
            }
            let mut any = false;
            for token in tokens.iter_mut().filter(|token| **token != HOLE) {
                *token = ranks[*token as usize];
                any = true;
            }
            with_terms += u32::from(any);
        }
        drop(ranks);

        let most = self.tokens.len() / RANGES;
        let (mut pairs, mut next) = (Vec::with_capacity(most.max(self.terms.most() as usize)), Vec::new());
        let [mut doc_ids, mut frequencies, mut all_positions] =
            [(); 3].map(|()| Vec::with_capacity(self.terms.most() as usize));
        let mut low = 0;
        while low < sorted.len() {
            // Where each term's pairs begin.
            let mut total = 0;
            next.clear();
            for &number in &sorted[low..] {
                let count = self.terms.counted(number) as usize;
                if !next.is_empty() && total + count > most {
                    break;
                }
                next.push(total as u32);
                total += count;
            }
            if pairs.len() < total {
                pairs.resize(total, 0u64);
            }
            let mut doc = 0u64;
            for (i, range) in Tokens::documents(&self.ends).enumerate() {
                for (position, token) in (0u64..).zip(&self.tokens[range]) {
                    if let Some(next) = next.get_mut(token.wrapping_sub(low as u32) as usize) {
                        pairs[*next as usize] = doc << 32 | position;
                        *next += 1;
                    }
                }
                doc += u64::from(!dead(i));
            }
            let mut begin = 0;
            for (&number, &end) in sorted[low..].iter().zip(&next) {
                let pairs = &pairs[begin..end as usize];
                begin = end as usize;
                if pairs.is_empty() {
                    continue;
                }
                doc_ids.clear();
                frequencies.clear();
                all_positions.clear();
                let mut last = u32::MAX;
                for pair in pairs {
                    let doc = (pair >> 32) as u32;
                    match frequencies.last_mut() {
                        Some(frequency) if doc == last => *frequency += 1,
                        _ => {
                            doc_ids.push(doc);
                            frequencies.push(1);
                            last = doc;
                        }
                    }
                }
                if positions {
                    all_positions.extend(pairs.iter().map(|&pair| pair as u32));
                }
                let postings = Postings {
                    doc_ids: &doc_ids,
                    frequencies: if text { &frequencies } else { &[] },
                    positions: &all_positions,
                    lengths,
                };
                each(self.terms.term(number), &postings)?;
            }
            low += next.len();
        }
        Ok(with_terms)
    }
}
