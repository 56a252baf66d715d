//! Puts the output of a launch in order. A work-group reserves a range of the output, its piece, once it has counted
//! what it found, so the pieces lie in no particular order. Its record says where its piece begins and how long it is.

use crate::base::error::{Error, Result};
use crate::base::huge_pages::with_room;
use crate::base::memory::prefetch;
use std::ops::Range;

/// Words that are copied at a time.
pub(crate) const STRIDE: usize = 32;

/// So many pieces are on their way while one is copied: neighbours lie far apart, in memory that the device has just written.
const AHEAD: usize = 16;

/// The pieces of a launch: a record of two words, offset and length, for each work-group.
pub(crate) struct Pieces<'r> {
    records: &'r [u32],
    total: usize,
}

impl<'r> Pieces<'r> {
    /// Checks records read from the device: all pieces must lie within the first `capacity` words of the output.
    pub(crate) fn new(records: &'r [u32], capacity: usize) -> Result<Pieces<'r>> {
        let total: u64 = records.chunks_exact(2).map(|record| u64::from(record[1])).sum();
        let ends = records.chunks_exact(2).map(|record| u64::from(record[0]) + u64::from(record[1]));
        if total > capacity as u64 || ends.max().unwrap_or(0) > total {
            return Err(Error::Device("a kernel reported pieces outside its output".into()));
        }
        Ok(Pieces { records, total: total as usize })
    }

    /// Words of all pieces together.
    pub(crate) fn total(&self) -> usize {
        self.total
    }

    /// The pieces of `out` in the order of their work-groups. Returns `out` itself if they already are in that order.
    pub(crate) fn gather(&self, out: Vec<u32>) -> Vec<u32> {
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
    pub(crate) fn append(&self, groups: Range<usize>, out: &[u32], to: &mut Vec<u32>) {
        self.of(groups).for_each(|piece| to.extend_from_slice(&out[piece]));
    }

    /// As [`append`](Self::append), for many small pieces: a piece is copied as [`STRIDE`] words if there is room for that,
    /// whatever its length, and so without branches on it. What is too much is overwritten by the next piece. `to` should
    /// have room for [`STRIDE`] words more.
    pub(crate) fn append_strides(&self, groups: Range<usize>, out: &[u32], to: &mut Vec<u32>) {
        for (group, piece) in groups.clone().zip(self.of(groups)) {
            if let Some(&soon) = self.records.get(2 * (group + AHEAD)) {
                let soon = &out[out.len().min(soon as usize)..];
                prefetch(&soon[..soon.len().min(STRIDE)]);
            }
            let (from, len) = (piece.start, piece.len());
            if len <= STRIDE && from + STRIDE <= out.len() && to.capacity() - to.len() >= STRIDE {
                // SAFETY: both ranges of `STRIDE` words were just checked to lie within `out` and the capacity of `to`; the
                // first `len` words are initialised by the copy.
                unsafe {
                    let end = to.as_mut_ptr().add(to.len());
                    std::ptr::copy_nonoverlapping(out.as_ptr().add(from), end, STRIDE);
                    to.set_len(to.len() + len);
                }
            } else {
                to.extend_from_slice(&out[piece]);
            }
        }
    }

    /// Where the pieces of these work-groups are.
    fn of(&self, groups: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let records = self.records[2 * groups.start..2 * groups.end].chunks_exact(2);
        records.map(|record| record[0] as usize..(record[0] + record[1]) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_all_lengths_are_put_in_order() {
        // Each piece has its own numbers; they lie in the output from back to front.
        let lengths = [0u32, 1, 5, STRIDE as u32, STRIDE as u32 + 1, 0, 200, 3];
        let total: u32 = lengths.iter().sum();
        let (mut records, mut out, mut end) = (Vec::new(), vec![0; total as usize], total);
        for (number, &len) in (0..).zip(&lengths) {
            end -= len;
            records.extend([end, len]);
            (0..len).for_each(|k| out[(end + k) as usize] = 1000 * number + k);
        }
        let wanted: Vec<u32> =
            (0..).zip(&lengths).flat_map(|(number, &len)| (0..len).map(move |k| 1000 * number + k)).collect();
        let pieces = Pieces::new(&records, total as usize).unwrap();
        assert_eq!(pieces.total(), wanted.len());
        for room in [0, wanted.len(), wanted.len() + STRIDE] {
            let mut to = Vec::with_capacity(room);
            pieces.append_strides(0..3, &out, &mut to);
            pieces.append_strides(3..lengths.len(), &out, &mut to);
            assert_eq!(to, wanted);
        }
        assert_eq!(pieces.gather(out), wanted);
        assert!(Pieces::new(&records, wanted.len() - 1).is_err());
        assert!(Pieces::new(&[1, 4, 9, 1], 10).is_err());
    }
}
