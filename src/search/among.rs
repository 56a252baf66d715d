//! Postings among some documents: if documents must have all clauses, what is put together of many lists is put together
//! only for those that have the rarest clause.

use super::leaf::Weighted;
use super::lists::{of_term, source};
use super::set::doc_ids_of;
use crate::base::bits::has_bit;
use crate::base::cpu;
use crate::base::error::Result;
use crate::base::memory::{room, zeros};
use crate::codec::{BLOCK, block_buffer, gallop};
use crate::index::segment::Segment;
use crate::rank::Clock;
use crate::rank::term::Source;

/// Documents of a segment.
pub(super) struct Among {
    doc_ids: Vec<u32>,
    /// A bit for each.
    bits: Vec<u64>,
    /// Per word of `bits`, how many come before it.
    before: Vec<u32>,
}

impl Among {
    /// The documents of a segment that are in one of the lists.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub(super) fn new<'l, 's: 'l>(documents: u32, lists: impl Iterator<Item = &'l Source<'s>>) -> Result<Among> {
        let mut bits: Vec<u64> = zeros((documents as usize).div_ceil(64))?;
        let mut set = |doc_ids: &[u32]| doc_ids.iter().for_each(|&doc| bits[doc as usize / 64] |= 1 << (doc % 64));
        let mut buffer = block_buffer();
        for list in lists {
            match list {
                Source::Decoded { columns, .. } => set(&columns.doc_ids),
                Source::List(view) => {
                    for block in 0..view.blocks() {
                        let count = view.decode_doc_ids(cpu::tier(), block, &mut buffer);
                        set(&buffer[..count]);
                    }
                }
            }
        }
        let mut before = room(bits.len())?;
        let mut count = 0;
        for word in &bits {
            before.push(count);
            count += word.count_ones();
        }
        let doc_ids = doc_ids_of(&bits, count as usize)?;
        Ok(Among { doc_ids, bits, before })
    }

    /// The postings of a [union](Weighted::is_union) in the segment with that number, of these documents at least; `None` if none of
    /// them has it.
    ///
    /// # Errors
    /// As [`source`].
    pub(super) fn source<'s>(
        &self,
        segment: &'s Segment,
        number: usize,
        leaf: &Weighted,
        clock: &Clock,
    ) -> Result<Option<Source<'s>>> {
        let present: Vec<u64> = leaf.values[number].iter().copied().flatten().collect();
        match present.len() > 1 && leaf.joined[number].get().is_none() {
            true => self.union(segment, leaf.leaf.field(), &present, clock),
            false => source(segment, number, leaf, clock),
        }
    }

    /// Those of the documents that have one of several terms, which count as one term.
    fn union(&self, segment: &Segment, field: usize, values: &[u64], clock: &Clock) -> Result<Option<Source<'static>>> {
        // Per document, how often it has the terms.
        let mut counts: Vec<u32> = zeros(self.doc_ids.len())?;
        let (mut doc_ids, mut less_one) = (block_buffer(), [0; BLOCK]);
        for &value in values {
            clock.check()?;
            match of_term(segment, field, value)? {
                Source::Decoded { columns, .. } => self.count(&columns.doc_ids, &columns.less_one, &mut counts),
                Source::List(view) => {
                    let mut next = 0;
                    for block in 0..view.blocks() {
                        let (first, last) = (view.last_doc_ids[..block].last(), view.last_doc_ids[block]);
                        next += gallop(&self.doc_ids[next..], first.map_or(0, |before| before + 1));
                        match self.doc_ids.get(next) {
                            None => break,
                            Some(&doc) if doc > last => continue,
                            Some(_) => (),
                        }
                        let count = view.decode_doc_ids(cpu::tier(), block, &mut doc_ids);
                        if doc_ids[..count].iter().any(|&doc| has_bit(&self.bits, doc)) {
                            view.frequencies_less_one(block, &mut less_one);
                            self.count(&doc_ids[..count], &less_one, &mut counts);
                        }
                    }
                }
            }
        }
        let found = counts.iter().filter(|&&count| count > 0).count();
        let (mut doc_ids, mut less_one) = (room(found)?, room(found)?);
        for (&doc, &count) in self.doc_ids.iter().zip(&counts).filter(|(_, count)| **count > 0) {
            doc_ids.push(doc);
            less_one.push(count - 1);
        }
        Ok(Source::decoded(doc_ids, less_one))
    }

    /// Adds the frequencies of those postings to `counts` that are of these documents.
    fn count(&self, doc_ids: &[u32], less_one: &[u32], counts: &mut [u32]) {
        for (&doc, &less_one) in doc_ids.iter().zip(less_one) {
            let (word, bit) = (self.bits[doc as usize / 64], 1 << (doc % 64));
            if word & bit != 0 {
                let at = self.before[doc as usize / 64] + (word & (bit - 1)).count_ones();
                let count = &mut counts[at as usize];
                *count = count.saturating_add(less_one.saturating_add(1));
            }
        }
    }
}
