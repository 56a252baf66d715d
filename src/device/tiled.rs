//! The postings of a term in the form in which a device scores them: nothing to decode, and found by docID.
//!
//! A device has memory to spare and a hundred times the processor's bandwidth, but its work-items have to find their
//! postings at once, wherever they begin. So postings lie open: docIDs as words, and beside each a *code* of 16 bits, the
//! frequency and the length byte, which indexes a table of all saturations (frequency / (frequency + norm)). A directory
//! by ranges of docIDs, the buckets of hash segmentation (Ao et al. 2011, 4.2), says where each range begins.
//!
//! | words | contents |
//! |---|---|
//! | 1 | count |
//! | 1 | shift: a range is 2^shift docIDs, at least a tile |
//! | 1 | ranges |
//! | 1 | exceptions |
//! | 2 | [`maxima`] of all postings |
//! | 2 | 0 |
//! | count, to an even number | docIDs |
//! | count / 2, to an even number | codes: frequency · 256 + length byte; frequencies from 255 on are 255. Of stored weights: [`of_impact`] |
//! | ranges + 1, to an even number | directory: the index of each range's first posting; the count |
//! | 2 per range | maxima: four codes, of which none has a smaller saturation than a posting of the range |
//! | 2 per exception | exceptions: the index of a posting whose frequency is 255 or more, and the frequency as `f32` |
//!
//! Ranges have four postings or more on average unless there are fewer than that, so that rare terms have small directories.
//! About 6.5 bytes a posting. Twin: `cl/tiled.cl`.

pub mod positions;

use crate::base::cpu::Tier;
use crate::codec::{BLOCK, block_buffer};
use crate::index::impacts::Precision;
use crate::index::list::maxima;
use crate::rank::Norms;
use crate::rank::term::Source;

/// The logarithm of a tile's documents: what a work-group scores at a time.
pub const TILE_LOG: u32 = 12;

/// Words before the docIDs.
pub const HEADER: usize = 8;

/// Frequencies from this one on are exceptions.
pub const EXCEPTION: u32 = 255;

/// Entries of a [`table`].
pub const TABLE: usize = 1 << 16;

/// The most postings of a list.
pub const MOST: usize = 1 << 30;

/// The saturation of each code: frequency / (frequency + norm). Codes of exceptions have 1, which bounds theirs.
pub fn table(norms: &Norms) -> Vec<u32> {
    let saturation = |code: usize| {
        let (frequency, byte) = ((code >> 8) as u32, code as u8);
        if frequency == EXCEPTION {
            return 1.0f32;
        }
        let frequency = frequency as f32;
        frequency / (frequency + norms.of(byte))
    };
    (0..TABLE).map(|code| saturation(code).to_bits()).collect()
}

/// The same for stored weights; those of 32 bits have no such codes.
pub fn table_of_impacts(precision: Precision) -> Vec<u32> {
    let saturation = |code: usize| match (code >> 8) as u32 {
        0 => 0.0,
        EXCEPTION => 1.0f32,
        _ => precision.saturation(impact_of(code as u16)),
    };
    (0..TABLE).map(|code| saturation(code).to_bits()).collect()
}

/// The code of a weight's [code](crate::index::impacts) of at most 16 bits. As with frequencies and lengths, the greater high byte and the
/// smaller low one have the greater saturation, and no code is 0 or an exception.
fn of_impact(impact: u32) -> u16 {
    debug_assert!(impact >> 8 < EXCEPTION - 1);
    let (high, low) = ((impact >> 8).min(EXCEPTION - 2), impact & 0xFF);
    ((1 + high) << 8 | (0xFF - low)) as u16
}

/// What [`of_impact`] was given.
fn impact_of(code: u16) -> u32 {
    (u32::from(code >> 8) - 1) << 8 | (0xFF - u32::from(code & 0xFF))
}

/// What the codes of a list are made of.
#[derive(Debug, Clone, Copy)]
pub enum Coding<'l> {
    /// The frequencies, and these length bytes.
    Lengths(&'l [u8]),
    /// Stored weights.
    Impacts,
}

/// The norms of all length bytes, as words.
pub fn norms(norms: &Norms) -> impl Iterator<Item = u32> {
    (0..=u8::MAX).map(|byte| norms.of(byte).to_bits())
}

/// Builds the tiled form of one list after another.
#[derive(Default)]
struct Builder {
    doc_ids: Vec<u32>,
    codes: Vec<u16>,
    exceptions: Vec<[u32; 2]>,
}

impl Builder {
    fn take(&mut self, doc_ids: &[u32], less_one: &[u32], coding: Coding) {
        self.doc_ids.extend_from_slice(doc_ids);
        let Coding::Lengths(lengths) = coding else {
            self.codes.extend(less_one[..doc_ids.len()].iter().map(|&impact| of_impact(impact)));
            return;
        };
        for (&doc_id, &less_one) in doc_ids.iter().zip(less_one) {
            let frequency = less_one.saturating_add(1);
            if frequency >= EXCEPTION {
                // As the CPU rounds it.
                self.exceptions.push([self.codes.len() as u32, (less_one as f32 + 1.0).to_bits()]);
            }
            self.codes.push((frequency.min(EXCEPTION) << 8) as u16 | u16::from(lengths[doc_id as usize]));
        }
    }

    fn finish(self, documents: u32) -> Vec<u32> {
        let Builder { doc_ids, codes, exceptions } = self;
        let ranges_of = |shift: u32| ((documents.max(1) - 1) >> shift) as usize + 1;
        let mut shift = TILE_LOG;
        while shift < u32::BITS - 1 && ranges_of(shift) > (doc_ids.len() / 4).max(1) {
            shift += 1;
        }
        let ranges = ranges_of(shift);
        let even = usize::next_multiple_of;
        let words = HEADER + even(doc_ids.len(), 2) + even(codes.len().div_ceil(2), 2) + even(ranges + 1, 2);
        let mut words = Vec::with_capacity(words + 2 * ranges + 2 * exceptions.len());
        words.extend([doc_ids.len() as u32, shift, ranges as u32, exceptions.len() as u32, 0, 0, 0, 0]);
        words.extend(&doc_ids);
        words.resize(words.len().next_multiple_of(2), 0);
        words.extend(codes.chunks(2).map(|pair| u32::from(pair[0]) | u32::from(*pair.get(1).unwrap_or(&0)) << 16));
        words.resize(words.len().next_multiple_of(2), 0);
        let directory = words.len();
        let mut next = 0;
        for range in 0..ranges as u64 {
            next += doc_ids[next..].partition_point(|&doc_id| u64::from(doc_id) < range << shift);
            words.push(next as u32);
        }
        words.push(doc_ids.len() as u32);
        words.resize(words.len().next_multiple_of(2), 0);
        let first = words.len();
        for range in 0..ranges {
            let (from, to) = (words[directory + range] as usize, words[directory + range + 1] as usize);
            words.extend(of_codes(&codes[from..to]));
        }
        let joined = words[first..].iter().flat_map(|&pair| [pair as u16, (pair >> 16) as u16]);
        let joined: Vec<u16> = joined.filter(|&code| code != 0).collect();
        let all = of_codes(&joined);
        words[4..6].copy_from_slice(&all);
        words.extend(exceptions.as_flattened());
        words
    }
}

/// The maxima of some codes, as four codes; 0, whose saturation is 0, if there are none.
fn of_codes(codes: &[u16]) -> [u32; maxima::WORDS] {
    if codes.is_empty() {
        return [0; maxima::WORDS];
    }
    let of = maxima::encode(codes.iter().map(|&code| (u32::from(code >> 8), code as u8)));
    // From bytes (frequency, length) to codes.
    of.map(|word| (word & 0x00FF_00FF) << 8 | (word >> 8) & 0x00FF_00FF)
}

/// The tiled form of postings in a segment of `documents` documents; `None` for more than [`MOST`].
pub fn encode(tier: Tier, source: &Source, coding: Coding, documents: u32) -> Option<Vec<u32>> {
    let mut builder = Builder::default();
    match source {
        Source::List(view) => {
            if view.count > MOST {
                return None;
            }
            builder.doc_ids.reserve(view.count);
            builder.codes.reserve(view.count);
            let (mut doc_ids, mut less_one) = (block_buffer(), [0; BLOCK]);
            for block in 0..view.blocks() {
                let count = view.decode_doc_ids(tier, block, &mut doc_ids);
                view.frequencies_less_one(block, &mut less_one);
                builder.take(&doc_ids[..count], &less_one, coding);
            }
        }
        Source::Decoded { columns, .. } => builder.take(&columns.doc_ids, &columns.less_one, coding),
    }
    Some(builder.finish(documents))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::Bm25;
    use proptest::prelude::*;

    /// The parts, found as a kernel finds them.
    struct Parts<'w> {
        doc_ids: &'w [u32],
        codes: Vec<u16>,
        shift: u32,
        directory: &'w [u32],
        maxima: &'w [u32],
        exceptions: &'w [u32],
    }

    fn parts(words: &[u32]) -> Parts<'_> {
        let [count, shift, ranges, exceptions, ..] = *words else { panic!("no header") };
        let (count, ranges) = (count as usize, ranges as usize);
        let mut rest = &words[HEADER..];
        let mut take = |words: usize| {
            let (taken, others) = rest.split_at(words.next_multiple_of(2));
            rest = others;
            &taken[..words]
        };
        let doc_ids = take(count);
        let codes = take(count.div_ceil(2)).iter().flat_map(|&pair| [pair as u16, (pair >> 16) as u16]).take(count);
        let codes = codes.collect();
        let (directory, maxima) = (take(ranges + 1), take(2 * ranges));
        let exceptions = take(2 * exceptions as usize);
        assert!(rest.is_empty());
        Parts { doc_ids, codes, shift, directory, maxima, exceptions }
    }

    fn saturation(table: &[u32], codes: &[u32]) -> f32 {
        let each = codes.iter().flat_map(|&pair| [pair as u16, (pair >> 16) as u16]);
        each.map(|code| f32::from_bits(table[code as usize])).fold(0.0, f32::max)
    }

    #[test]
    fn impacts_are_bounded_by_their_maxima() {
        for precision in [Precision::Bits8, Precision::Bits16] {
            let table = table_of_impacts(precision);
            let most = precision.code(precision.greatest()).unwrap();
            let impacts: Vec<u32> =
                (0..5000u32).map(|at| at.wrapping_mul(2_654_435_761) % (most + 1)).chain([0, most]).collect();
            let doc_ids: Vec<u32> = (0..impacts.len() as u32).map(|at| 3 * at).collect();
            let documents = 3 * impacts.len() as u32;
            let words = encode(Tier::Scalar, &Source::of(doc_ids.clone(), impacts.clone()), Coding::Impacts, documents)
                .unwrap();
            let parts = parts(&words);
            for ((&code, &impact), doc_id) in parts.codes.iter().zip(&impacts).zip(doc_ids) {
                let exact = precision.saturation(impact);
                assert_eq!(f32::from_bits(table[code as usize]), exact, "{impact}");
                let range = (doc_id >> parts.shift) as usize;
                assert!(saturation(&table, &parts.maxima[2 * range..][..2]) >= exact);
                assert!(saturation(&table, &words[4..6]) >= exact);
            }
            assert!(parts.exceptions.is_empty());
        }
    }

    proptest! {
        #[test]
        fn postings_are_found_by_range(
            gaps in prop::collection::vec(prop_oneof![4 => 1u32..40, 1 => 1u32..40_000], 1..1500),
            frequencies in prop::collection::vec(prop_oneof![8 => 0u32..6, 1 => 250u32..260, 1 => any::<u32>()], 1500),
            more in 0u32..100_000,
        ) {
            let doc_ids: Vec<u32> = gaps.iter().scan(0, |next, gap| { *next += gap; Some(*next - 1) }).collect();
            let documents = doc_ids[doc_ids.len() - 1] + 1 + more;
            let less_one = frequencies[..doc_ids.len()].to_vec();
            let lengths: Vec<u8> = (0..documents).map(|d| (d * 37 % 251) as u8).collect();
            let source = Source::of(doc_ids.clone(), less_one.clone());
            let words = encode(Tier::Scalar, &source, Coding::Lengths(&lengths), documents).unwrap();
            let parts = parts(&words);
            prop_assert_eq!(parts.doc_ids, &doc_ids[..]);
            let norms = Norms::new(&Bm25::default(), 3_000, 100);
            let table = table(&norms);
            let mut exceptions = parts.exceptions.chunks(2);
            for (at, (&code, &less_one)) in parts.codes.iter().zip(&less_one).enumerate() {
                let byte = lengths[doc_ids[at] as usize];
                prop_assert_eq!(code as u8, byte);
                let frequency = less_one as f32 + 1.0;
                let exact = frequency / (frequency + norms.of(byte));
                if code >> 8 == 255 {
                    prop_assert_eq!(exceptions.next().unwrap(), &[at as u32, frequency.to_bits()]);
                } else {
                    prop_assert_eq!(f32::from_bits(table[code as usize]), exact);
                }
                let range = (doc_ids[at] >> parts.shift) as usize;
                prop_assert!((parts.directory[range]..parts.directory[range + 1]).contains(&(at as u32)));
                prop_assert!(saturation(&table, &parts.maxima[2 * range..][..2]) >= exact);
                prop_assert!(saturation(&table, &words[4..6]) >= exact);
            }
            prop_assert!(exceptions.next().is_none());
            prop_assert_eq!(parts.directory.len() - 1, ((documents as usize - 1) >> parts.shift) + 1);
            prop_assert!(parts.shift == TILE_LOG || parts.directory.len() - 1 <= (doc_ids.len() / 4).max(1));
        }
    }
}
