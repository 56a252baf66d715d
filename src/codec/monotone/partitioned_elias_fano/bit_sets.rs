//! Bit sets of dense partitions that are stored in another way, for intersections: the codes are smaller, but only bit
//! sets are intersected 64 docIDs at a time.

use super::directory::{Directory, Kind, Partition, Runs};
use crate::codec::{BLOCK, Encoded, SLACK};
use crate::cpu::{self, Tier};
use crate::room::with_room;

/// The fewest docIDs, per 32, that a partition has for which a bit set is made. So it takes at most 4 bytes per docID, as
/// decoded docIDs do.
const DENSEST: usize = 32;

/// Runs are intersected by their ends if they begin at least this many words of a bit set apart.
const APART: usize = 16;

/// 64-bit words in a cache line.
const LINE: usize = 8;

/// The bit sets of a list's dense partitions.
pub(crate) struct BitSets {
    words: Vec<u64>,
    /// By partition, where its bit set begins, if it has one. A bit set begins with the word of the partition's first
    /// docID. In all lists, the words of the same docIDs are at the same place in a cache line.
    places: Vec<Option<usize>>,
}

impl BitSets {
    /// The bit sets of a checked list. O(n).
    pub(crate) fn of(list: &Encoded) -> BitSets {
        let directory = Directory::of(list);
        let partitions = || (0..directory.len).map(|at| directory.get(at));
        let lines = |partition: &Partition| directory.last(partition) / 64 - partition.first / 64 + 1;
        let mut end = 0;
        let places: Vec<Option<usize>> = partitions()
            .map(|partition| {
                let words = lines(&partition) as usize;
                let suits = words * 64 <= partition.count * DENSEST
                    && match partition.kind {
                        Kind::EliasFano(_) => true,
                        Kind::Runs => Runs::of(&partition).len * APART > words,
                        Kind::Run | Kind::Bits => false,
                    };
                suits.then(|| {
                    let begin = end + ((partition.first / 64) as usize).wrapping_sub(end) % LINE;
                    end = begin + words;
                    begin
                })
            })
            .collect();
        if end == 0 {
            return BitSets { words: Vec::new(), places: Vec::new() };
        }
        let mut words = vec![0u64; end + LINE];
        let shift = words.as_ptr().align_offset(LINE * size_of::<u64>()).min(LINE - 1);
        let places: Vec<Option<usize>> = places.into_iter().map(|place| place.map(|place| place + shift)).collect();
        let mut doc_ids = with_room(BLOCK + SLACK);
        for (partition, place) in partitions().zip(&places) {
            let Some(place) = *place else { continue };
            let words = &mut words[place..];
            let line = partition.first / 64 * 64;
            for block in partition.block..partition.end_block {
                // SAFETY: the list was checked; the block is of this partition; there is room for it and the slack; the
                // tier is this processor's.
                unsafe {
                    let to = doc_ids.as_mut_ptr();
                    let count = partition.decode(cpu::tier(), list.last_doc_ids, block..block + 1, to);
                    doc_ids.set_len(count);
                }
                for doc_id in &doc_ids {
                    words[((doc_id - line) / 64) as usize] |= 1 << (doc_id % 64);
                }
            }
        }
        BitSets { words, places }
    }

    /// The bit set of a partition, from the word of its first docID to that of its last.
    #[inline]
    pub(crate) fn get(&self, partition: usize) -> Option<&[u64]> {
        self.places.get(partition).copied().flatten().map(|place| &self.words[place..])
    }

    /// The bytes of memory that they take.
    pub(crate) fn bytes(&self) -> u64 {
        (8 * self.words.len() + size_of::<Option<usize>>() * self.places.len()) as u64
    }
}

/// What is derived from a list to intersect it, and kept with it.
pub(crate) struct Near {
    /// The first docID.
    pub(crate) first: u32,
    /// All docIDs, if the list has one block.
    pub(crate) few: Box<[u32]>,
}

impl Near {
    /// That of a checked list, which is not empty.
    pub(crate) fn of(list: &Encoded) -> Near {
        let mut buffer = crate::codec::block_buffer();
        let directory = Directory::of(list);
        // SAFETY: the list was checked and has a block, for which the buffer has room; plain Rust runs everywhere.
        let count = unsafe { directory.get(0).decode(Tier::Scalar, list.last_doc_ids, 0..1, buffer.as_mut_ptr()) };
        let few = if list.count <= BLOCK { buffer[..count].into() } else { Box::default() };
        Near { first: buffer[0], few }
    }
}
