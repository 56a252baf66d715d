//! [`Places`]: a list of a segment with its positions, read forwards.

use crate::codec::{BLOCK, BlockBuffer, block_buffer, gallop};
use crate::cpu::Tier;
use crate::index::list::{Decoded, DocIds, View, rank};

const NONE: usize = usize::MAX;

/// A list with positions.
pub enum Places<'s> {
    /// A short one, decoded with positions.
    Short {
        /// The postings.
        decoded: Decoded,
        /// The posting at which searches begin.
        at: usize,
        /// The number of positions before it.
        before: usize,
    },
    /// A long one.
    Long(Box<Long<'s>>),
}

/// A long list with its decoded blocks.
pub struct Long<'s> {
    tier: Tier,
    view: View<'s>,
    at: usize,
    loaded: usize,
    count: usize,
    doc_ids: BlockBuffer,
    /// The block whose frequencies are summed up.
    summed: usize,
    /// The number of positions before each document of the block.
    sums: [u32; BLOCK + 1],
    /// The block of gaps that is unpacked.
    unpacked: usize,
    gaps: [u32; BLOCK],
}

impl<'s> Places<'s> {
    /// Of a short list.
    pub fn short(decoded: Decoded) -> Places<'s> {
        Places::Short { decoded, at: 0, before: 0 }
    }

    /// Of a long list, which is checked and has positions.
    pub fn long(tier: Tier, view: View<'s>) -> Places<'s> {
        Places::Long(Box::new(Long {
            tier,
            view,
            at: 0,
            loaded: NONE,
            count: 0,
            doc_ids: block_buffer(),
            summed: NONE,
            sums: [0; BLOCK + 1],
            unpacked: NONE,
            gaps: [0; BLOCK],
        }))
    }

    /// Postings.
    pub fn len(&self) -> usize {
        match self {
            Places::Short { decoded, .. } => decoded.doc_ids.len(),
            Places::Long(long) => long.view.count,
        }
    }

    /// The index of a document in the list, if the list contains it. docIDs must not decrease.
    #[inline]
    pub fn index(&mut self, doc_id: u32) -> Option<usize> {
        match self {
            Places::Short { decoded, at, before } => {
                while *decoded.doc_ids.get(*at)? < doc_id {
                    *before += decoded.frequencies[*at] as usize;
                    *at += 1;
                }
                (decoded.doc_ids[*at] == doc_id).then_some(*at)
            }
            Places::Long(long) => long.index(doc_id),
        }
    }

    /// The positions, plus `shift`, in the document with this index, which [`index`](Self::index) returned last.
    #[inline]
    pub fn positions(&mut self, index: usize, shift: u32, positions: &mut Vec<u32>) {
        positions.clear();
        match self {
            Places::Short { decoded, before, .. } => {
                let count = decoded.frequencies[index] as usize;
                let of_document = &decoded.positions[*before..*before + count];
                positions.extend(of_document.iter().map(|position| position.wrapping_add(shift)));
            }
            Places::Long(long) => long.positions(index, shift, positions),
        }
    }

    /// The number of blocks of docIDs.
    pub fn blocks(&self) -> usize {
        match self {
            Places::Short { .. } => 1,
            Places::Long(long) => long.view.blocks(),
        }
    }

    /// Decodes the docIDs of a block to the front of `doc_ids`, and returns their number.
    pub fn decode(&self, block: usize, doc_ids: &mut BlockBuffer) -> usize {
        match self {
            Places::Short { decoded, .. } => {
                doc_ids[..decoded.doc_ids.len()].copy_from_slice(&decoded.doc_ids);
                decoded.doc_ids.len()
            }
            Places::Long(long) => long.view.decode_doc_ids(long.tier, block, doc_ids),
        }
    }
}

impl Long<'_> {
    #[inline]
    fn index(&mut self, doc_id: u32) -> Option<usize> {
        let lasts = &self.view.last_doc_ids[self.at..];
        if *lasts.first()? < doc_id {
            self.at += gallop(lasts, doc_id);
            if self.at == self.view.blocks() {
                return None;
            }
        }
        let block = self.at;
        if let DocIds::Bits(words) = self.view.doc_ids {
            let has = words[doc_id as usize / 32] >> (doc_id % 32) & 1 == 1;
            return has.then(|| BLOCK * block + rank(words, self.view.first_possible(block), doc_id) - 1);
        }
        if self.loaded != block {
            self.count = self.view.decode_doc_ids(self.tier, block, &mut self.doc_ids);
            self.loaded = block;
        }
        let index = super::term::find(&self.doc_ids, self.count, doc_id)?;
        Some(BLOCK * block + index)
    }

    #[inline]
    fn positions(&mut self, index: usize, shift: u32, positions: &mut Vec<u32>) {
        let Some(places) = self.view.positions else { return };
        let block = index / BLOCK;
        if self.summed != block {
            let mut frequencies = [0; BLOCK];
            self.view.frequencies_less_one(block, &mut frequencies);
            let mut sum = 0u32;
            for (to, less_one) in self.sums[1..].iter_mut().zip(frequencies) {
                sum = sum.wrapping_add(less_one).wrapping_add(1);
                *to = sum;
            }
            self.summed = block;
        }
        let within = index % BLOCK;
        let first = places.starts[block] as usize + self.sums[within] as usize;
        let count = (self.sums[within + 1] - self.sums[within]) as usize;
        let mut next = 0u32;
        for at in first..first + count {
            // A document's few positions are read one by one unless their block is already unpacked.
            let gap = if count >= 16 || self.unpacked == at / BLOCK {
                if self.unpacked != at / BLOCK {
                    places.gaps.unpack(at / BLOCK, &mut self.gaps);
                    self.unpacked = at / BLOCK;
                }
                self.gaps[at % BLOCK]
            } else {
                places.gaps.get(at)
            };
            next = next.wrapping_add(gap);
            positions.push(next.wrapping_add(shift));
            next = next.wrapping_add(1);
        }
    }
}
