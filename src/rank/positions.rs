//! [`Places`]: a list of a segment with its positions, read forwards.

use super::score::Chosen;
use super::term::{Source, Term};
use crate::base::cpu::Tier;
use crate::codec::{BLOCK, BlockBuffer};
use crate::index::list::{Decoded, View};

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

/// A long list.
pub struct Long<'s> {
    term: Term<'s>,
    view: View<'s>,
    /// The block whose frequencies less 1 are unpacked.
    counted: usize,
    less_one: [u32; BLOCK],
    /// The number of documents of that block whose frequencies are added up, and their sum.
    summed: usize,
    sum: u32,
    /// The block of gaps that was read last, and the one that is unpacked.
    read: usize,
    unpacked: usize,
    gaps: [u32; BLOCK + EIGHT],
}

#[cfg(test)]
thread_local! {
    /// Positions that [`Places::positions`] has read in this thread.
    pub(crate) static READ: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Positions that are compared together.
pub const EIGHT: usize = 8;

impl<'s> Places<'s> {
    /// Of a short list.
    pub fn short(decoded: Decoded) -> Places<'s> {
        Places::Short { decoded, at: 0, before: 0 }
    }

    /// Of a long list, which is checked and has positions.
    pub fn long(tier: Tier, view: View<'s>) -> Places<'s> {
        Places::Long(Box::new(Long {
            term: Term::without_scores(tier, Source::List(view)),
            view,
            counted: NONE,
            less_one: [0; BLOCK],
            summed: 0,
            sum: 0,
            read: NONE,
            unpacked: NONE,
            gaps: [0; BLOCK + EIGHT],
        }))
    }

    /// The number of postings.
    pub fn postings(&self) -> usize {
        match self {
            Places::Short { decoded, .. } => decoded.doc_ids.len(),
            Places::Long(long) => long.view.count,
        }
    }

    /// The index of a document in the list, if the list contains it. docIDs must not decrease.
    #[inline(always)]
    pub fn index(&mut self, doc_id: u32) -> Option<usize> {
        match self {
            Places::Short { decoded, at, before } => {
                while *decoded.doc_ids.get(*at)? < doc_id {
                    *before += decoded.frequencies[*at] as usize;
                    *at += 1;
                }
                (decoded.doc_ids[*at] == doc_id).then_some(*at)
            }
            Places::Long(long) => long.term.index(doc_id),
        }
    }

    /// The index of a document that is the `within`-th of a block. docIDs must not decrease.
    #[inline(always)]
    pub fn index_at(&mut self, block: usize, within: usize, doc_id: u32) -> usize {
        match self {
            Places::Short { .. } => self.index(doc_id).unwrap_or(within),
            Places::Long(_) => BLOCK * block + within,
        }
    }

    /// Where the positions of the document with this index are, which [`index`](Self::index) or
    /// [`index_at`](Self::index_at) returned last: the first, and how many.
    #[inline(always)]
    pub fn locate(&mut self, index: usize) -> (usize, usize) {
        match self {
            Places::Short { decoded, before, .. } => (*before, decoded.frequencies[index] as usize),
            Places::Long(long) => long.locate(index),
        }
    }

    /// The same of a document, if the list contains it. docIDs must not decrease.
    #[inline(always)]
    pub fn located(&mut self, doc_id: u32) -> Option<(usize, usize)> {
        let index = self.index(doc_id)?;
        Some(self.locate(index))
    }

    /// Fetches the positions of a document into the caches: the `count` from the `first` on.
    #[inline(always)]
    pub fn prefetch(&self, (first, count): (usize, usize)) {
        if let Places::Long(long) = self
            && let Some(places) = long.view.positions
            && long.unpacked != first / BLOCK
        {
            places.gaps.prefetch(first);
            places.gaps.prefetch(first + count - 1);
        }
    }

    /// The `count` positions from the `first` on, each plus `shift`, and then `rest`; `None` if they are more than
    /// [`EIGHT`], or not in one block.
    #[inline(always)]
    pub fn eight(&mut self, (first, count): (usize, usize), shift: u32, rest: u32) -> Option<[u32; EIGHT]> {
        if count > EIGHT {
            return None;
        }
        let mut positions = [rest; EIGHT];
        match self {
            Places::Short { decoded, .. } => {
                let of_document = &decoded.positions[first..first + count];
                positions.iter_mut().zip(of_document).for_each(|(to, position)| *to = position.wrapping_add(shift));
            }
            Places::Long(long) => {
                if first % BLOCK + count > BLOCK {
                    return None;
                }
                let mut next = shift;
                let Some(gaps) = long.unpacked_gaps(first) else {
                    let gaps = long.view.positions?.gaps;
                    for (position, at) in positions.iter_mut().zip(first..first + count) {
                        *position = next.wrapping_add(gaps.get(at));
                        next = position.wrapping_add(1);
                    }
                    return Some(positions);
                };
                for (at, (position, gap)) in positions.iter_mut().zip(gaps).enumerate() {
                    let here = next.wrapping_add(*gap);
                    *position = if at < count { here } else { rest };
                    next = here.wrapping_add(1);
                }
            }
        }
        Some(positions)
    }

    /// The `count` positions from the `first` on, each plus `shift`.
    #[inline(always)]
    pub fn positions(&mut self, (first, count): (usize, usize), shift: u32, positions: &mut Vec<u32>) {
        positions.clear();
        #[cfg(test)]
        READ.set(READ.get() + count);
        match self {
            Places::Short { decoded, .. } => {
                let of_document = &decoded.positions[first..first + count];
                positions.extend(of_document.iter().map(|position| position.wrapping_add(shift)));
            }
            Places::Long(long) => {
                let (mut next, mut at) = (shift, first);
                while at < first + count {
                    let end = (first + count).min((at / BLOCK + 1) * BLOCK);
                    for gap in long.gaps(at, end - at) {
                        let position = next.wrapping_add(*gap);
                        next = position.wrapping_add(1);
                        positions.push(position);
                    }
                    at = end;
                }
            }
        }
    }

    /// Keeps the documents that the list contains. docIDs ascend, across calls too.
    #[inline(always)]
    pub fn keep(&mut self, chosen: &mut Chosen) {
        match self {
            Places::Short { decoded, .. } => {
                let mut kept = 0;
                for at in 0..chosen.len {
                    let doc_id = chosen.doc_ids[at];
                    chosen.doc_ids[kept] = doc_id;
                    kept += usize::from(decoded.doc_ids.binary_search(&doc_id).is_ok());
                }
                chosen.len = kept;
            }
            // What is not found out here is asked for one by one later.
            Places::Long(long) => long.term.keep(chosen),
        }
    }

    /// The postings of a long list.
    #[inline(always)]
    pub fn term(&mut self) -> Option<&mut Term<'s>> {
        match self {
            Places::Short { .. } => None,
            Places::Long(long) => Some(&mut long.term),
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
            Places::Long(long) => long.view.decode_doc_ids(long.term.tier(), block, doc_ids),
        }
    }
}

impl Long<'_> {
    /// See [`Places::locate`]. Documents of a block are asked for in order, so that frequencies are added up once.
    #[inline(always)]
    fn locate(&mut self, index: usize) -> (usize, usize) {
        let (block, within) = (index / BLOCK, index % BLOCK);
        if self.counted != block || within < self.summed {
            if self.counted != block {
                self.view.frequencies_less_one(block, &mut self.less_one);
                self.counted = block;
            }
            (self.summed, self.sum) = (0, 0);
        }
        let between = &self.less_one[self.summed..within];
        if between.len() < EIGHT {
            for less_one in between {
                self.sum = self.sum.wrapping_add(*less_one).wrapping_add(1);
            }
        } else {
            let sum = between.iter().fold(0u32, |sum, &less_one| sum.wrapping_add(less_one));
            self.sum = self.sum.wrapping_add(sum).wrapping_add(between.len() as u32);
        }
        self.summed = within;
        let start = self.view.positions.map_or(0, |places| places.starts[block]);
        (start.wrapping_add(self.sum) as usize, self.less_one[within] as usize + 1)
    }

    /// The `count` gaps from the `first` on, in one block.
    #[inline(always)]
    fn gaps(&mut self, first: usize, count: usize) -> &[u32] {
        let (block, begin) = (first / BLOCK, first % BLOCK);
        if self.unpacked != block
            && let Some(places) = self.view.positions
            && let Some((gaps, _)) = self.gaps.split_first_chunk_mut()
        {
            places.gaps.unpack(block, gaps);
            self.unpacked = block;
        }
        &self.gaps[begin..begin + count]
    }

    /// The gaps from the `first` on, if their block is unpacked or worth it.
    #[inline(always)]
    fn unpacked_gaps(&mut self, first: usize) -> Option<&[u32; EIGHT]> {
        let (block, begin) = (first / BLOCK, first % BLOCK);
        if self.unpacked != block {
            // Whoever reads a block twice probably reads more of it.
            if self.read != block {
                self.read = block;
                return None;
            }
            let (gaps, _) = self.gaps.split_first_chunk_mut()?;
            self.view.positions?.gaps.unpack(block, gaps);
            self.unpacked = block;
        }
        self.gaps[begin..].first_chunk()
    }
}
