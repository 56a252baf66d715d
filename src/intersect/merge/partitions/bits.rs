//! Parts of a bit set, put together to words.

use super::CHUNK;
use super::side::Side;
use crate::base::cpu::Tier;
use crate::codec::{Sink, bit_set};
use crate::intersect::Filter;

/// Ranges of a bit set, put together to words. They ascend.
pub(super) struct Bits<'o, 'l, 's, 'f, S> {
    stream: *const u64,
    /// The docID of the stream's bit 0.
    first: u32,
    tier: Tier,
    out: &'o mut Filter<'f, 's, S>,
    /// The words of the chunk that holds `line`, from `low` to `high`.
    chunk: [u64; CHUNK],
    /// The chunk's first word in the stream.
    begin: usize,
    used: usize,
    _side: std::marker::PhantomData<&'l Side<'l>>,
}

impl<'o, 'l, 's, 'f, S: Sink> Bits<'o, 'l, 's, 'f, S> {
    pub(super) fn new(tier: Tier, side: &'l Side<'l>, out: &'o mut Filter<'f, 's, S>) -> Self {
        let (stream, first) = (side.words(), side.partition.first / 64 * 64);
        Bits { stream, first, tier, out, chunk: [0; CHUNK], begin: 0, used: 0, _side: std::marker::PhantomData }
    }

    /// Takes the docIDs of the bit set from `from` to `to`, which are not less than its first, nor greater than its last.
    pub(super) fn take_range(&mut self, from: u32, to: u32) -> bool {
        let (mut word, last) = (((from - self.first) / 64) as usize, ((to - self.first) / 64) as usize);
        let (head, tail) = (u64::MAX << (from % 64), u64::MAX >> (63 - to % 64));
        let mut mask = head;
        if word < self.begin + self.used {
            // The range begins in the word in which the one before ended.
            let end = if word == last { tail } else { u64::MAX };
            // SAFETY: the words of both docIDs are in the bit set.
            self.chunk[word - self.begin] |= unsafe { bit_set::word(self.stream, word) } & head & end;
            if word == last {
                return true;
            }
            word += 1;
            mask = u64::MAX;
        }
        if self.out.counts() && last - word > 2 {
            // SAFETY: as above.
            let ones = unsafe {
                let inner = self.stream.add(word + 1);
                u64::from((bit_set::word(self.stream, word) & mask).count_ones())
                    + bit_set::count_common(self.tier, inner, inner, last - word - 1)
            };
            self.out.add(ones);
            (word, mask) = (last, u64::MAX);
        }
        while word <= last {
            if word != self.begin + self.used || self.used == CHUNK {
                if !self.flush() {
                    return false;
                }
                self.begin = word;
            }
            let end = if word == last { tail } else { u64::MAX };
            // SAFETY: as above.
            self.chunk[self.used] = unsafe { bit_set::word(self.stream, word) } & mask & end;
            self.used += 1;
            word += 1;
            mask = u64::MAX;
        }
        true
    }

    /// Sends the chunk. Returns whether more are wanted.
    pub(super) fn flush(&mut self) -> bool {
        let used = std::mem::take(&mut self.used);
        let words = &self.chunk[..used];
        // SAFETY: the words are there; the tier is available.
        let ones = unsafe { bit_set::count_common(self.tier, words.as_ptr(), words.as_ptr(), used) };
        ones == 0 || self.out.take_bits(self.first + 64 * self.begin as u32, words, ones)
    }
}
