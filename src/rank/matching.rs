//! Which documents match, without scores: counts and sets.
//!
//! [`count_common_bits`] intersects whole bit sets. [`matching`], [`count`] and what is made of them go through the segment in windows
//! of [`WINDOW`] documents and combine bit sets of these. Lists that are shorter are merged, or looked up in
//! ([`conjunction`](super::conjunction)).

use super::clause::Clause;
use super::clock::Clock;
use super::collector::Restriction;
use super::term::Term;
use super::window::within;
use crate::base::bits::{has_bit, in_pairs, pair};
use crate::base::cpu::Tier;
use crate::base::tiers::tiered;
use crate::codec::{SLACK, bit_set};
use bytemuck::zeroed_box;
use std::ops::ControlFlow;

/// Documents whose bits are combined at a time: 8 KiB of them.
pub const WINDOW: usize = 1 << 16;

const WORDS: usize = WINDOW / 64;

/// The bits of a window's documents.
type Bits = [u64; WORDS];

/// Moves the documents that have the term to the front, and returns their number. docIDs ascend.
#[inline(always)]
pub(super) fn retain(term: &mut Term, doc_ids: &mut [u32]) -> usize {
    if let Some(bits) = term.bits() {
        return retain_in_bits(bits, doc_ids);
    }
    match term.retain(doc_ids) {
        Some(kept) => kept,
        None => retain_if(doc_ids, |doc_id| term.contains(doc_id)),
    }
}

/// Moves the documents that have their bit set to the front, and returns their number.
#[inline(always)]
pub(super) fn retain_in_bits(bits: &[u32], doc_ids: &mut [u32]) -> usize {
    assert_within(bits, doc_ids);
    // SAFETY: as was just asserted.
    unsafe { bit_set::retain(bits.as_ptr().cast(), 0, doc_ids) }
}

/// How many documents have their bit set.
#[inline(always)]
pub(super) fn count_in_bits(bits: &[u32], doc_ids: &[u32]) -> usize {
    assert_within(bits, doc_ids);
    // SAFETY: as was just asserted.
    unsafe { bit_set::count(bits.as_ptr().cast(), doc_ids) }
}

/// # Panics
/// If there is no bit for one of the documents.
#[inline(always)]
fn assert_within(bits: &[u32], doc_ids: &[u32]) {
    let greatest = doc_ids.iter().copied().max();
    assert!(greatest.is_none_or(|greatest| greatest as usize / 32 < bits.len()));
}

#[inline(always)]
pub(super) fn retain_if(doc_ids: &mut [u32], mut keep: impl FnMut(u32) -> bool) -> usize {
    let mut kept = 0;
    for at in 0..doc_ids.len() {
        let doc_id = doc_ids[at];
        doc_ids[kept] = doc_id;
        kept += usize::from(keep(doc_id));
    }
    kept
}

tiered! {
    /// How many documents are in all of these bit sets of one segment.
    pub(super) fn count_common_bits<'a, 's>(sets: &'a [&'s [u32]]) -> u64 = count_common_bits_on_tier;
}

#[inline(always)]
fn count_common_bits_on_tier(sets: &[&[u32]]) -> u64 {
    let Some((first, others)) = sets.split_first() else { return 0 };
    let mut common = [0u32; 256];
    let mut count = 0u64;
    for (at, words) in first.chunks(common.len()).enumerate() {
        let common = &mut common[..words.len()];
        common.copy_from_slice(words);
        for other in others {
            for (word, other) in common.iter_mut().zip(&other[256 * at..][..words.len()]) {
                *word &= other;
            }
        }
        count += ones(common, u32::count_ones);
    }
    count
}

/// Counts the bits that are set, of which each word has so many.
#[inline(always)]
fn ones<W: Copy>(words: &[W], of: impl Fn(W) -> u32) -> u64 {
    let mut count = 0;
    for &word in words {
        count += u64::from(of(word));
    }
    count
}

tiered! {
    /// Counts the bits of a set.
    pub fn count_bits<'a>(set: &'a [u64]) -> u64 = count_bits_on_tier;
}

#[inline(always)]
fn count_bits_on_tier(set: &[u64]) -> u64 {
    ones(set, u64::count_ones)
}

/// Calls `take` with the bits of the documents that match, a window of [`WINDOW`] documents at a time, together with the
/// first of these, until it breaks off. The first window is the one in which `from` lies. Documents must have all clauses; without clauses,
/// all match. Ends early once the time of `clock` is over.
#[inline(always)]
pub fn matching(
    from: u32,
    documents: u32,
    clauses: &mut [Clause],
    restriction: &mut Restriction,
    clock: &Clock,
    mut take: impl FnMut(u32, &mut [u64]) -> ControlFlow<()>,
) {
    // The documents of this clause are put into a set, which bit sets then sift as they are.
    let begin = clauses.iter().position(|clause| clause.bits().is_none()).unwrap_or(0);
    let mut bits: Box<Bits> = zeroed_box();
    let mut of_others: Box<Bits> = zeroed_box();
    let mut first = from - from % WINDOW as u32;
    while first < documents {
        let last = first.saturating_add(WINDOW as u32 - 1).min(documents - 1);
        let bits = &mut *bits;
        match clauses.get_mut(begin) {
            Some(clause) => set_any(&mut clause.terms, first, last, bits),
            None => fill(bits, (last - first) as usize + 1),
        }
        for (at, clause) in clauses.iter_mut().enumerate() {
            if clock.is_over() {
                return;
            }
            if at != begin {
                combine_any(bits, &mut clause.terms, first, last, &mut of_others, |bits, others| bits & others);
            }
        }
        for term in &mut restriction.excluded {
            if clock.is_over() {
                return;
            }
            let term = std::slice::from_mut(term);
            combine_any(bits, term, first, last, &mut of_others, |bits, others| bits & !others);
        }
        let from = first as usize / 64;
        if let Some(deleted) = restriction.deleted {
            combine(bits, &deleted[from..], |bits, deleted| bits & !deleted);
        }
        if let Some(allowed) = &restriction.allowed {
            combine(bits, &allowed.bits[from..], |bits, allowed| bits & allowed);
        }
        let words = ((last - first) as usize + 1).div_ceil(64);
        if take(first, &mut bits[..words]).is_break() {
            return;
        }
        match last.checked_add(1) {
            Some(next) => first = next,
            None => break,
        }
    }
}

tiered! {
    /// How many documents match; see [`matching`].
    pub fn count<'a, 's>(
        documents: u32, clauses: &'a mut [Clause<'s>], restriction: &'a mut Restriction<'s>,
        clock: &'a Clock,
    ) -> u64 = count_on_tier;
}

#[inline(always)]
fn count_on_tier(documents: u32, clauses: &mut [Clause], restriction: &mut Restriction, clock: &Clock) -> u64 {
    let mut count = 0;
    matching(0, documents, clauses, restriction, clock, |_, bits| {
        count += count_bits_on_tier(bits);
        ControlFlow::Continue(())
    });
    count
}

/// Combines the words of a set with those of another one. Loops that are to use a tier's instructions are written as such: what
/// is given to `for_each` may be compiled without them.
#[inline(always)]
fn combine(bits: &mut [u64], others: &[u64], with: impl Fn(u64, u64) -> u64) {
    for (bits, &other) in bits.iter_mut().zip(others) {
        *bits = with(*bits, other);
    }
}

/// The same with the words of a bit set, from document `first` on.
#[inline(always)]
fn combine_words(bits: &mut [u64], words: &[u32], first: u32, with: impl Fn(u64, u64) -> u64) {
    let (pairs, last) = in_pairs(&words[first as usize / 32..]);
    for (bits, &words) in bits.iter_mut().zip(pairs) {
        *bits = with(*bits, pair(&words));
    }
    if let (Some(bits), Some(last)) = (bits.get_mut(pairs.len()), last) {
        *bits = with(*bits, last);
    }
}

/// The same with the documents in `first..=last` that have one of several terms. `of_terms` is reused.
#[inline(always)]
fn combine_any(
    bits: &mut Bits,
    terms: &mut [Term],
    first: u32,
    last: u32,
    of_terms: &mut Bits,
    with: impl Fn(u64, u64) -> u64,
) {
    if let [term] = terms
        && let Some(words) = term.bits()
    {
        return combine_words(bits, words, first, with);
    }
    set_any(terms, first, last, of_terms);
    combine(bits, of_terms, with);
}

/// Sets the bits of the documents in `first..=last` that have one of several terms, and clears those of others.
#[inline(always)]
fn set_any(terms: &mut [Term], first: u32, last: u32, bits: &mut Bits) {
    let mut rest = terms;
    match rest.first().and_then(|term| term.bits()) {
        Some(words) => {
            combine_words(bits, words, first, |_, words| words);
            rest = &mut rest[1..];
        }
        None => bits.fill(0),
    }
    for term in rest {
        set(term, first, last, bits);
    }
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
fn set(term: &mut Term, first: u32, last: u32, bits: &mut Bits) {
    if let Some(words) = term.bits() {
        return combine_words(bits, words, first, |bits, words| bits | words);
    }
    let Some(mut block) = term.seek(first) else { return };
    while block < term.blocks() && term.first_possible(block) <= last {
        let doc_ids = term.load(block);
        // A window begins at a multiple of its length.
        in_turns(&doc_ids[within(doc_ids, first, last)], |doc_id| {
            bits[doc_id as usize / 64 % WORDS] |= 1 << (doc_id % 64)
        });
        block += 1;
    }
}

/// Calls `set` with each document, to set its bit. Four stretches of them take turns: neighbours are often in the same word, and each
/// would wait for the one before.
#[inline(always)]
fn in_turns(doc_ids: &[u32], mut set: impl FnMut(u32)) {
    let (stretches, rest) = doc_ids.split_at(doc_ids.len() / 4 * 4);
    let (front, back) = stretches.split_at(stretches.len() / 2);
    let ((first, second), (third, fourth)) = (front.split_at(front.len() / 2), back.split_at(back.len() / 2));
    for (((&first, &second), &third), &fourth) in first.iter().zip(second).zip(third).zip(fourth) {
        set(first);
        set(second);
        set(third);
        set(fourth);
    }
    for &doc_id in rest {
        set(doc_id);
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

/// Adds the documents whose bits are set, ascending.
#[inline(always)]
pub(super) fn append_bits(tier: Tier, first: u32, bits: &[u64], to: &mut Vec<u32>) {
    let count = count_bits_on_tier(bits) as usize;
    to.reserve(count + SLACK);
    // SAFETY: there is room for these and the slack, of which `expand` writes as many as there are bits; the tier is available.
    unsafe {
        let out = to.as_mut_ptr().add(to.len());
        let written = bit_set::expand(tier, bits.as_ptr(), bits.len(), first, out);
        to.set_len(to.len() + written);
    }
}

tiered! {
    /// The number of documents in a list that are in a set of the whole segment.
    pub fn count_in<'a, 's>(set: &'a [u64], term: &'a mut Term<'s>) -> u64 = count_in_on_tier;
}

tiered! {
    /// Adds the documents of a list to a set of the whole segment.
    pub fn add_to<'a, 's>(set: &'a mut [u64], term: &'a mut Term<'s>) -> () = add_to_on_tier;
}

#[inline(always)]
fn add_to_on_tier(set: &mut [u64], term: &mut Term) {
    if let Some(words) = term.bits() {
        return combine_words(set, words, 0, |bits, words| bits | words);
    }
    for block in 0..term.blocks() {
        in_turns(term.load(block), |doc_id| set[doc_id as usize / 64] |= 1 << (doc_id % 64));
    }
}

tiered! {
    /// Keeps those of some documents, which ascend, that a list contains.
    pub fn retain_all<'a, 's>(term: &'a mut Term<'s>, doc_ids: &'a mut Vec<u32>) -> () = retain_all_on_tier;
}

#[inline(always)]
fn retain_all_on_tier(term: &mut Term, doc_ids: &mut Vec<u32>) {
    let kept = retain(term, doc_ids);
    doc_ids.truncate(kept);
}

#[inline(always)]
fn count_in_on_tier(set: &[u64], term: &mut Term) -> u64 {
    if let Some(words) = term.bits() {
        let (pairs, last) = in_pairs(words);
        let common = set.len().min(pairs.len());
        // SAFETY: both have so many words of 64 bits, which need not be aligned.
        let mut count = unsafe { bit_set::count_common(term.tier(), set.as_ptr(), pairs.as_ptr().cast(), common) };
        if let (Some(set), Some(last)) = (set.get(pairs.len()), last) {
            count += u64::from((set & last).count_ones());
        }
        return count;
    }
    let mut count = 0;
    for block in 0..term.blocks() {
        count += term.load(block).iter().filter(|&&doc_id| has_bit(set, doc_id)).count() as u64;
    }
    count
}
