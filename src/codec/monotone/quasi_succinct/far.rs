//! Stop bits one by one, however far apart they are.

use crate::base::bits::read_u64;

/// The bit after the `count`-th stop bit from `start` on.
///
/// # Safety
/// At least `count` stop bits follow from `start` on.
pub(super) unsafe fn bit_after(upper: *const u8, start: u64, count: usize) -> u64 {
    let mut stops = Far::new(upper, start);
    // SAFETY: `next` is called `count` times, and so many stop bits follow.
    (0..count).map(|_| unsafe { stops.next() } + 1).last().unwrap_or(start)
}

/// Finds stop bits one by one.
pub(super) struct Far {
    upper: *const u8,
    word: u64,
    /// The remaining stop bits of the word, as 1 bits.
    stops: u64,
    /// Whether `word` has been read.
    is_read: bool,
    /// The bits to skip at the beginning of the next word.
    skip: u64,
}

impl Far {
    /// Before the first stop bit from `start` on.
    pub(super) fn new(upper: *const u8, start: u64) -> Self {
        Far { upper, word: start / 64, stops: 0, is_read: false, skip: start % 64 }
    }

    /// The position of the next stop bit in the upper bits.
    ///
    /// # Safety
    /// Another stop bit follows.
    pub(super) unsafe fn next(&mut self) -> u64 {
        while self.stops == 0 {
            self.word += u64::from(self.is_read);
            // SAFETY: a stop bit follows, so the word begins in the upper bits; it may end in the padding.
            let bits = unsafe { read_u64(self.upper, 8 * self.word as usize) };
            self.stops = !bits >> self.skip << self.skip;
            (self.is_read, self.skip) = (true, 0);
        }
        let bit = u64::from(self.stops.trailing_zeros());
        self.stops &= self.stops - 1;
        self.word * 64 + bit
    }
}
