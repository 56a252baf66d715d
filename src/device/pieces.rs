//! Putting the output of a launch in order: a work-group reserves its place in the output when it has counted what it
//! found, so places come in no order; its record tells where its piece is.

use crate::error::{Error, Result};
use crate::room::with_room;

/// Where the work-groups of a launch put their pieces of the output: pairs of place and length, by work-group.
pub(super) struct Pieces<'r> {
    records: &'r [u32],
    total: usize,
}

impl<'r> Pieces<'r> {
    /// The records as they were read, checked: all pieces lie within the first `capacity` words.
    pub(super) fn new(records: &'r [u32], capacity: usize) -> Result<Pieces<'r>> {
        let total: u64 = records.chunks_exact(2).map(|record| u64::from(record[1])).sum();
        let ends = records.chunks_exact(2).map(|record| u64::from(record[0]) + u64::from(record[1]));
        if total > capacity as u64 || ends.max().unwrap_or(0) > total {
            return Err(Error::Device("a kernel reported pieces outside its output".into()));
        }
        Ok(Pieces { records, total: total as usize })
    }

    /// Words of all pieces.
    pub(super) fn total(&self) -> usize {
        self.total
    }

    /// The pieces of `out` in the order of their work-groups; `out` itself where they lie so already.
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

    /// Appends the pieces of these work-groups to `to`.
    pub(super) fn append(&self, groups: std::ops::Range<usize>, out: &[u32], to: &mut Vec<u32>) {
        for record in self.records[2 * groups.start..2 * groups.end].chunks_exact(2) {
            to.extend_from_slice(&out[record[0] as usize..][..record[1] as usize]);
        }
    }
}
