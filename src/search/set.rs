//! Sets of documents of a segment, which are lists while they are short.

use crate::base::cpu;
use crate::base::error::Result;
use crate::base::memory::{room, zeros};
use crate::codec::{SLACK, append_bits};
use crate::index::segment::Allowed;
use crate::rank::matching::count_bits;

/// Some documents of a segment.
pub(super) enum Set {
    /// Strictly increasing, and few.
    Few(Vec<u32>),
    /// A bit per document of the segment.
    Bits(Vec<u64>),
}

/// A list takes less memory than a set of bits if it has no more than one of so many documents.
const FEW: usize = 32;

/// Words of bits that become a list at a time.
const PIECE: usize = 64;

impl Set {
    pub(super) fn into_allowed(self, documents: u32) -> Result<Allowed> {
        Ok(match self {
            Set::Bits(bits) => {
                let count = count_bits(cpu::tier(), &bits) as usize;
                let few = (count * FEW <= documents as usize).then(|| doc_ids_of(&bits, count)).transpose()?;
                Allowed { bits, count, few }
            }
            Set::Few(doc_ids) => {
                let bits = bits_of(&doc_ids, documents)?;
                Allowed { bits, count: doc_ids.len(), few: Some(doc_ids) }
            }
        })
    }

    pub(super) fn into_bits(self, documents: u32) -> Result<Vec<u64>> {
        match self {
            Set::Bits(bits) => Ok(bits),
            Set::Few(doc_ids) => bits_of(&doc_ids, documents),
        }
    }
}

/// The documents of bits, which are so many.
///
/// # Errors
/// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
pub(super) fn doc_ids_of(bits: &[u64], count: usize) -> Result<Vec<u32>> {
    let mut doc_ids = room(count + 64 * PIECE.min(bits.len()) + SLACK)?;
    let tier = cpu::tier();
    for (first, words) in (0..).step_by(64 * PIECE).zip(bits.chunks(PIECE)) {
        append_bits(&mut doc_ids, tier, first, words);
    }
    // It may be kept.
    doc_ids.shrink_to_fit();
    Ok(doc_ids)
}

fn bits_of(doc_ids: &[u32], documents: u32) -> Result<Vec<u64>> {
    let mut bits = zeros(documents.div_ceil(64) as usize)?;
    set_all(&mut bits, doc_ids);
    Ok(bits)
}

fn set_all(bits: &mut [u64], doc_ids: &[u32]) {
    for &doc_id in doc_ids {
        bits[doc_id as usize / 64] |= 1 << (doc_id % 64);
    }
}

/// A union under construction: a list until it is long.
pub(super) struct Union {
    pub(super) few: Vec<u32>,
    bits: Option<Vec<u64>>,
    documents: u32,
}

impl Union {
    pub(super) fn new(documents: u32) -> Union {
        Union { few: Vec::new(), bits: None, documents }
    }

    /// The set of bits, if `more` documents are too many for a list.
    pub(super) fn bits_for(&mut self, more: usize) -> Result<Option<&mut Vec<u64>>> {
        if self.bits.is_none() && (self.few.len().saturating_add(more)).saturating_mul(FEW) > self.documents as usize {
            self.bits = Some(Set::Few(std::mem::take(&mut self.few)).into_bits(self.documents)?);
        }
        Ok(self.bits.as_mut())
    }

    pub(super) fn add(&mut self, set: Set) -> Result<()> {
        match set {
            Set::Few(doc_ids) => match self.bits_for(doc_ids.len())? {
                Some(bits) => set_all(bits, &doc_ids),
                None => self.few.extend(doc_ids),
            },
            Set::Bits(other) => match &mut self.bits {
                Some(bits) => bits.iter_mut().zip(other).for_each(|(word, other)| *word |= other),
                None => {
                    let bits = self.bits.insert(other);
                    set_all(bits, &self.few);
                    self.few.clear();
                }
            },
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> Set {
        match self.bits {
            Some(bits) => Set::Bits(bits),
            None => {
                self.few.sort_unstable();
                self.few.dedup();
                Set::Few(self.few)
            }
        }
    }
}

/// Takes the documents of a list that are in another one out of it. Both increase.
pub(super) fn subtract(doc_ids: &mut Vec<u32>, others: &[u32]) {
    let mut others = others.iter().copied().peekable();
    doc_ids.retain(|&doc_id| {
        while others.next_if(|&other| other < doc_id).is_some() {}
        others.peek() != Some(&doc_id)
    });
}
