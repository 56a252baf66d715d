//! Puts the output of a launch in order. A work-group reserves a range of the output, its piece, once it has counted
//! what it found, so the pieces lie in no particular order. Its record says where its piece begins and how long it is.

use crate::error::{Error, Result};
use crate::room::with_room;

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
    pub(super) fn length(&self, groups: std::ops::Range<usize>) -> usize {
        self.records[2 * groups.start..2 * groups.end].chunks_exact(2).map(|record| record[1] as usize).sum()
    }

    /// Appends the pieces of these work-groups to `to`.
    pub(super) fn append(&self, groups: std::ops::Range<usize>, out: &[u32], to: &mut Vec<u32>) {
        for record in self.records[2 * groups.start..2 * groups.end].chunks_exact(2) {
            to.extend_from_slice(&out[record[0] as usize..][..record[1] as usize]);
        }
    }
}
