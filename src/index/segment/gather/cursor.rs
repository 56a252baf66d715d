//! [`Cursor`]: a list with positions, read forwards.

use crate::base::cpu;
use crate::base::error::Result;
use crate::codec::{BLOCK, BlockBuffer, block_buffer};
use crate::index::list::{self, Decoded, List, ListParts, View};

/// A list with positions, read forwards.
#[expect(clippy::large_enum_variant, reason = "of few words, and read at every position: no indirection")]
pub(super) enum Cursor<'l> {
    Short { decoded: Decoded, at: usize, before: usize },
    Long(Long<'l>),
}

pub(super) struct Long<'l> {
    view: View<'l>,
    /// The block after the one in the buffers, of which `at` is the next posting.
    block: usize,
    count: usize,
    at: usize,
    doc_ids: BlockBuffer,
    less_one: [u32; BLOCK],
    /// The next gap, and the gaps of its block once one was read.
    gap: usize,
    gaps: [u32; BLOCK],
}

impl<'l> Cursor<'l> {
    /// `lists` come from the encoder.
    pub fn new(lists: &'l [u8], value: u64, documents: u32, parts: ListParts) -> Result<Cursor<'l>> {
        Ok(match List::find(lists, value, documents, parts)? {
            List::Long(view) => Cursor::Long(Long {
                view,
                block: 0,
                count: 0,
                at: 0,
                doc_ids: block_buffer(),
                less_one: [0; BLOCK],
                gap: 0,
                gaps: [0; BLOCK],
            }),
            List::Short(_) => {
                let mut decoded = Decoded::default();
                list::decode(lists, value, documents, parts, &mut decoded)?;
                Cursor::Short { decoded, at: 0, before: 0 }
            }
        })
    }

    /// Goes to the first document from `from` on, forwards or backwards.
    pub fn seek(&mut self, from: u32) {
        match self {
            Cursor::Short { decoded, at, before } => {
                *at = decoded.doc_ids.partition_point(|&doc_id| doc_id < from);
                *before = decoded.frequencies[..*at].iter().map(|&frequency| frequency as usize).sum();
            }
            Cursor::Long(long) => long.seek(from),
        }
    }

    /// Calls `take` with each document before `to`, once for each position in it.
    pub fn read(&mut self, to: u32, mut take: impl FnMut(u32, u32) -> Result<()>) -> Result<()> {
        match self {
            Cursor::Short { decoded, at, before } => {
                while let Some(&doc_id) = decoded.doc_ids.get(*at).filter(|&&doc_id| doc_id < to) {
                    let positions = &decoded.positions[*before..][..decoded.frequencies[*at] as usize];
                    positions.iter().try_for_each(|&position| take(doc_id, position))?;
                    (*before, *at) = (*before + positions.len(), *at + 1);
                }
            }
            Cursor::Long(long) => {
                while let Some((doc_id, count)) = long.next(to) {
                    let mut next = 0;
                    for _ in 0..count {
                        let position = next + long.next_gap();
                        next = position + 1;
                        take(doc_id, position)?;
                    }
                }
            }
        }
        Ok(())
    }
}

impl Long<'_> {
    fn seek(&mut self, from: u32) {
        self.block = self.view.last_doc_ids.partition_point(|&last| last < from);
        (self.count, self.at) = (0, 0);
        if self.block == self.view.blocks() {
            return;
        }
        let Some(positions) = self.view.positions else { return };
        self.gap = positions.starts[self.block] as usize;
        self.load();
        self.at = self.doc_ids[..self.count].partition_point(|&doc_id| doc_id < from);
        self.gap += self.less_one[..self.at].iter().map(|&less_one| less_one as usize + 1).sum::<usize>();
        if !self.gap.is_multiple_of(BLOCK) {
            positions.gaps.unpack(self.gap / BLOCK, &mut self.gaps);
        }
    }

    /// Decodes the next block, which there is.
    fn load(&mut self) {
        self.count = self.view.decode_doc_ids(cpu::tier(), self.block, &mut self.doc_ids);
        self.view.frequencies_less_one(self.block, &mut self.less_one);
        (self.block, self.at) = (self.block + 1, 0);
    }

    /// The next document before `to`, and how many positions it has.
    #[inline]
    fn next(&mut self, to: u32) -> Option<(u32, usize)> {
        if self.at == self.count {
            if self.block == self.view.blocks() {
                return None;
            }
            self.load();
        }
        let doc_id = self.doc_ids[self.at];
        (doc_id < to).then(|| {
            self.at += 1;
            (doc_id, self.less_one[self.at - 1] as usize + 1)
        })
    }

    #[inline]
    fn next_gap(&mut self) -> u32 {
        if self.gap.is_multiple_of(BLOCK)
            && let Some(positions) = self.view.positions
        {
            positions.gaps.unpack(self.gap / BLOCK, &mut self.gaps);
        }
        self.gap += 1;
        self.gaps[(self.gap - 1) % BLOCK]
    }
}
