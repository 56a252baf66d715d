//! Puts the output of a launch in order. A work-group reserves a range of the output, its piece, once it has counted
//! what it found, so the pieces lie in no particular order. Its record says where its piece begins and how long it is.

use crate::error::{Error, Result};
use crate::room::with_room;
use std::mem::MaybeUninit;
use std::ops::Range;

/// The pieces of a launch: a record of two words, offset and length, for each work-group.
pub(super) struct Pieces<'r> {
    records: &'r [u32],
    total: usize,
}

impl<'r> Pieces<'r> {
    /// Checks records read from the device: all pieces must lie within the first `capacity` words of the output.
    pub(super) fn new(records: &'r [u32], capacity: usize) -> Result<Pieces<'r>> {
        let total: u64 = records.chunks_exact(2).map(|record| u64::from(record[1])).sum();
        let ends = records.chunks_exact(2).map(|record| u64::from(record[0]) + u64::from(record[1]));
        if total > capacity as u64 || ends.max().unwrap_or(0) > total {
            return Err(Error::Device("a kernel reported pieces outside its output".into()));
        }
        Ok(Pieces { records, total: total as usize })
    }

    /// Words of all pieces together.
    pub(super) fn total(&self) -> usize {
        self.total
    }

    /// The pieces of `out` in the order of their work-groups. Returns `out` itself if they already are in that order.
    pub(super) fn gather(&self, out: Vec<u32>) -> Vec<u32> {
        let mut expected = 0;
        let in_order = self.records.chunks_exact(2).all(|record| {
            let here = record[1] == 0 || record[0] == expected;
            expected += record[1];
            here
        });
        if in_order {
            return out;
        }
        let mut gathered = with_room(out.len());
        self.append(0..self.records.len() / 2, &out, &mut gathered);
        gathered
    }

    /// Words of the pieces of these work-groups.
    pub(super) fn length(&self, groups: Range<usize>) -> usize {
        self.of(groups).map(|piece| piece.len()).sum()
    }

    /// Appends the pieces of these work-groups to `to`.
    pub(super) fn append(&self, groups: Range<usize>, out: &[u32], to: &mut Vec<u32>) {
        self.of(groups).for_each(|piece| to.extend_from_slice(&out[piece]));
    }

    /// Writes the pieces of these work-groups to `to`, which has their [length](Self::length).
    pub(super) fn copy(&self, groups: Range<usize>, out: &[u32], mut to: &mut [MaybeUninit<u32>]) {
        for piece in self.of(groups) {
            let (now, rest) = to.split_at_mut(piece.len());
            // SAFETY: a `u32` may be read as a `MaybeUninit<u32>`.
            now.copy_from_slice(unsafe { std::mem::transmute::<&[u32], &[MaybeUninit<u32>]>(&out[piece]) });
            to = rest;
        }
        assert!(to.is_empty());
    }

    /// Where the pieces of these work-groups are.
    fn of(&self, groups: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let records = self.records[2 * groups.start..2 * groups.end].chunks_exact(2);
        records.map(|record| record[0] as usize..(record[0] + record[1]) as usize)
    }
}
