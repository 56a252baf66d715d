//! Which documents match, without scores: counts and sets.
//!
//! [`count_all`] looks the documents of the rarest term up in the other lists, or intersects bit sets of dense ones. The
//! other functions go through the segment in windows of [`WINDOW`] documents and combine bit sets of them.

use super::clause::Clause;
use super::collector::{Restriction, has_bit};
use super::term::{Source, Term};
use super::tiers::tiered;
use crate::codec::{AnyLookUp, BLOCK, block_buffer};
use crate::cpu::Tier;
use crate::index::list::{DocIds, View};

/// Documents whose bits are combined at a time: 8 KiB of them.
pub const WINDOW: usize = 1 << 16;

const WORDS: usize = WINDOW / 64;

tiered! {
    /// How many documents have all terms, if no other condition is to be met and each clause is one term.
    pub fn count_all<'s>(terms: Vec<Term<'s>>) -> u64 = count_all_on_tier;
}

#[inline(always)]
fn count_all_on_tier(mut terms: Vec<Term>) -> u64 {
    terms.sort_by_key(Term::postings);
    let Some((lead, others)) = terms.split_first_mut() else { return 0 };
    let tier = lead.tier();
    if let Some(sets) = bit_sets(lead, others) {
        return count_common_bits(&sets);
    }
    let mut tests: Vec<Test> = others.iter_mut().map(|term| Test::new(tier, term)).collect();
    // Bits are asked first: that costs least.
    tests.sort_by_key(|test| !matches!(test, Test::Bits(_)));
    let mut count = 0;
    let mut doc_ids = block_buffer();
    for block in 0..lead.blocks() {
        let loaded = lead.load(block);
        let mut kept = loaded.len();
        doc_ids[..kept].copy_from_slice(loaded);
        for test in &mut tests {
            kept = test.retain(&mut doc_ids[..kept]);
            if kept == 0 {
                break;
            }
        }
        count += kept as u64;
    }
    count
}

/// The bit sets of all terms, if they all are bit sets.
fn bit_sets<'s>(lead: &Term<'s>, others: &[Term<'s>]) -> Option<Vec<&'s [u32]>> {
    let bits = |term: &Term<'s>| match term.source() {
        Source::List(View { doc_ids: DocIds::Bits(words), .. }) => Some(*words),
        _ => None,
    };
    std::iter::once(lead).chain(others).map(bits).collect()
}

#[inline(always)]
fn count_common_bits(sets: &[&[u32]]) -> u64 {
    let Some((first, others)) = sets.split_first() else { return 0 };
    let mut common = [0u32; 256];
    let mut count = 0u64;
    for (at, words) in first.chunks(common.len()).enumerate() {
        let common = &mut common[..words.len()];
        common.copy_from_slice(words);
        for other in others {
            let other = &other[256 * at..][..words.len()];
            common.iter_mut().zip(other).for_each(|(word, other)| *word &= other);
        }
        count += ones(common);
    }
    count
}

/// Counts the bits that are set.
#[inline(always)]
fn ones(words: &[u32]) -> u64 {
    words.iter().map(|word| u64::from(word.count_ones())).sum()
}

/// Asks whether documents are in a list.
enum Test<'t, 's> {
    Bits(&'s [u32]),
    LookUp(Box<AnyLookUp<'s>>),
    Blocks(&'t mut Term<'s>),
}

impl<'t, 's> Test<'t, 's> {
    fn new(tier: Tier, term: &'t mut Term<'s>) -> Self {
        if let Source::List(view) = term.source() {
            match view.doc_ids {
                DocIds::Bits(words) => return Test::Bits(words),
                DocIds::List(codec, encoded) => {
                    // SAFETY: lists of terms are checked and not empty; the tier is available.
                    if let Some(look_up) = unsafe { AnyLookUp::new(codec, tier, encoded) } {
                        return Test::LookUp(Box::new(look_up));
                    }
                }
            }
        }
        Test::Blocks(term)
    }

    /// Moves the documents that the list contains to the front, and returns their number. docIDs ascend.
    #[inline(always)]
    fn retain(&mut self, doc_ids: &mut [u32]) -> usize {
        match self {
            Test::Bits(words) => {
                let mut kept = 0;
                for at in 0..doc_ids.len() {
                    let doc_id = doc_ids[at];
                    doc_ids[kept] = doc_id;
                    kept += (words[doc_id as usize / 32] >> (doc_id % 32) & 1) as usize;
                }
                kept
            }
            Test::LookUp(look_up) => look_up.retain(doc_ids),
            Test::Blocks(term) => {
                let mut kept = 0;
                for at in 0..doc_ids.len() {
                    let doc_id = doc_ids[at];
                    doc_ids[kept] = doc_id;
                    kept += usize::from(term.contains(doc_id));
                }
                kept
            }
        }
    }
}

/// Calls `take` with the bits of the documents that match, a window of [`WINDOW`] documents at a time, together with the
/// first of these. Documents must have all clauses, or any. Without clauses, all match.
#[inline(always)]
pub fn matching(
    documents: u32,
    clauses: &mut [Clause],
    needs_all: bool,
    restriction: &mut Restriction,
    mut take: impl FnMut(u32, &mut [u64]),
) {
    let mut bits = vec![0u64; WORDS];
    let mut of_clause = vec![0u64; WORDS];
    let mut first = 0u32;
    while first < documents {
        let last = first.saturating_add(WINDOW as u32 - 1).min(documents - 1);
        let words = ((last - first) as usize + 1).div_ceil(64);
        let (bits, of_clause) = (&mut bits[..words], &mut of_clause[..words]);
        if clauses.is_empty() {
            fill(bits, (last - first) as usize + 1);
        } else {
            bits.fill(0);
        }
        for (at, clause) in clauses.iter_mut().enumerate() {
            if at == 0 || !needs_all {
                clause.terms.iter_mut().for_each(|term| set(term, first, last, bits));
                continue;
            }
            of_clause.fill(0);
            clause.terms.iter_mut().for_each(|term| set(term, first, last, of_clause));
            bits.iter_mut().zip(&*of_clause).for_each(|(bits, of_clause)| *bits &= of_clause);
        }
        for term in &mut restriction.excluded {
            of_clause.fill(0);
            set(term, first, last, of_clause);
            bits.iter_mut().zip(&*of_clause).for_each(|(bits, of_clause)| *bits &= !of_clause);
        }
        // Windows begin at whole words.
        let from = first as usize / 64;
        if let Some(deleted) = restriction.deleted {
            bits.iter_mut().zip(&deleted[from..]).for_each(|(bits, deleted)| *bits &= !deleted);
        }
        if let Some(allowed) = &restriction.allowed {
            bits.iter_mut().zip(&allowed[from..]).for_each(|(bits, allowed)| *bits &= allowed);
        }
        take(first, bits);
        match last.checked_add(1) {
            Some(next) => first = next,
            None => break,
        }
    }
}

tiered! {
    /// How many documents match; see [`matching`].
    pub fn count<'a, 's>(
        documents: u32, clauses: &'a mut [Clause<'s>], needs_all: bool, restriction: &'a mut Restriction<'s>,
    ) -> u64 = count_on_tier;
}

#[inline(always)]
fn count_on_tier(documents: u32, clauses: &mut [Clause], needs_all: bool, restriction: &mut Restriction) -> u64 {
    let mut count = 0;
    matching(documents, clauses, needs_all, restriction, |_, bits| {
        count += bits.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
    });
    count
}

/// Sets the first `count` bits.
fn fill(bits: &mut [u64], count: usize) {
    bits.fill(u64::MAX);
    if !count.is_multiple_of(64) {
        bits[count / 64] = (1 << (count % 64)) - 1;
    }
}

/// Sets the bits of a term's documents in `first..=last`. Windows ascend.
#[inline(always)]
fn set(term: &mut Term, first: u32, last: u32, bits: &mut [u64]) {
    if let Source::List(View { doc_ids: DocIds::Bits(words), .. }) = term.source() {
        let words = &words[first as usize / 32..];
        for (to, pair) in bits.iter_mut().zip(words.chunks(2)) {
            *to |= u64::from(pair[0]) | u64::from(pair.get(1).copied().unwrap_or(0)) << 32;
        }
        return;
    }
    let Some(mut block) = term.seek(first) else { return };
    while block < term.blocks() && term.first_possible(block) <= last {
        let doc_ids = term.load(block);
        let (Some(&lowest), Some(&highest)) = (doc_ids.first(), doc_ids.last()) else { return };
        let within = if lowest >= first && highest <= last {
            doc_ids
        } else {
            let end = doc_ids.partition_point(|&doc_id| doc_id <= last);
            &doc_ids[doc_ids.partition_point(|&doc_id| doc_id < first).min(end)..end]
        };
        for &doc_id in within {
            let at = (doc_id - first) as usize;
            bits[at / 64] |= 1 << (at % 64);
        }
        block += 1;
    }
}

/// Calls `take` with each document whose bit is set, ascending.
#[inline]
pub fn for_each_bit(first: u32, bits: &[u64], mut take: impl FnMut(u32)) {
    for (at, &word) in bits.iter().enumerate() {
        let mut word = word;
        while word != 0 {
            take(first + 64 * at as u32 + word.trailing_zeros());
            word &= word - 1;
        }
    }
}

tiered! {
    /// The number of documents in a list that are in a set of the whole segment.
    pub fn count_in<'a, 's>(set: &'a [u64], term: &'a mut Term<'s>) -> u64 = count_in_on_tier;
}

#[inline(always)]
fn count_in_on_tier(set: &[u64], term: &mut Term) -> u64 {
    if let Source::List(View { doc_ids: DocIds::Bits(words), .. }) = term.source() {
        let both = |(set, pair): (&u64, &[u32])| {
            (set & (u64::from(pair[0]) | u64::from(pair.get(1).copied().unwrap_or(0)) << 32)).count_ones()
        };
        return set.iter().zip(words.chunks(2)).map(both).map(u64::from).sum();
    }
    let mut count = 0;
    for block in 0..term.blocks() {
        count += term.load(block).iter().filter(|&&doc_id| has_bit(set, doc_id)).count() as u64;
    }
    count
}

const _: () = assert!(BLOCK <= WINDOW);
