//! Codecs: bytes ⇄ sorted docIDs. Pure: no I/O, no PHP, no OpenCL.
//!
//! [`simple9`] and [`quasi_succinct`] are the codecs of a [`PostingList`](crate::PostingList). Yioop's own,
//! [`modified9`](crate::yioop::format::modified9), is in `yioop`.
//!
//! To add a codec to posting lists: a file here, a variant of [`Codec`], an arm in `list`; kernels of its own go to
//! `cl/` and `device/`.

pub mod quasi_succinct;
pub mod simple9;

/// The codec of a posting list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Codec {
    /// [`simple9`]: gaps in 32-bit words of one selector and up to 28 values.
    Simple9 = 1,
    /// [`quasi_succinct`]: Elias–Fano, lower and upper bits.
    QuasiSuccinct = 2,
}

impl Codec {
    /// All codecs.
    pub const ALL: [Codec; 2] = [Codec::Simple9, Codec::QuasiSuccinct];

    /// The name that PHP, error messages and benchmarks use.
    pub fn name(self) -> &'static str {
        match self {
            Codec::Simple9 => "simple9",
            Codec::QuasiSuccinct => "qs",
        }
    }

    /// The codec with that number in the byte format of a posting list.
    pub fn from_number(number: u8) -> Option<Codec> {
        Codec::ALL.into_iter().find(|codec| *codec as u8 == number)
    }
}

/// Checks that docIDs are strictly increasing, as every codec wants them.
pub(crate) fn check_increasing(doc_ids: &[u32]) -> crate::Result<()> {
    if rises(doc_ids) {
        return Ok(());
    }
    match doc_ids.windows(2).position(|pair| pair[0] >= pair[1]) {
        None => Ok(()),
        Some(at) => Err(crate::Error::NotIncreasing {
            what: "docID",
            index: at + 1,
            previous: doc_ids[at].into(),
            got: doc_ids[at + 1].into(),
        }),
    }
}

/// Whether each is greater than the one before, without a branch a docID.
pub(crate) fn rises(doc_ids: &[u32]) -> bool {
    doc_ids.iter().zip(doc_ids.iter().skip(1)).fold(true, |rises, (a, b)| rises & (a < b))
}

/// The index of the first element that is `target` or greater (the length where there is none): an exponential, then a
/// binary search. O(log index).
pub(crate) fn gallop(sorted: &[u32], target: u32) -> usize {
    let mut bound = 1;
    while bound <= sorted.len() && sorted[bound - 1] < target {
        bound *= 2;
    }
    let from = bound / 2;
    let to = bound.min(sorted.len());
    from + sorted[from..to].partition_point(|&element| element < target)
}

/// Takes docIDs as they are found, a run at a time, so that they are used while they lie in the first-level cache.
pub trait Sink {
    /// Says how many docIDs will come, before the first of them, where that is known. `false` means that they are not
    /// wanted after all (there is no room for them, say): none come then.
    fn expect(&mut self, count: usize) -> bool {
        let _ = count;
        true
    }

    /// Takes the next docIDs, ascending.
    fn take(&mut self, doc_ids: &[u32]);
}

impl Sink for Vec<u32> {
    fn expect(&mut self, count: usize) -> bool {
        self.reserve(count);
        true
    }

    fn take(&mut self, doc_ids: &[u32]) {
        self.extend_from_slice(doc_ids);
    }
}

/// docIDs in a block of a posting list: every block decodes on its own.
pub const BLOCK: usize = 128;

/// `u32`s that a decoder may write past the docIDs it was asked for (whole vectors are stored, the surplus is junk).
pub const SLACK: usize = 64;

/// Room for one decoded block.
pub type BlockBuffer = [u32; BLOCK + SLACK];

/// A fresh [`BlockBuffer`].
pub fn block_buffer() -> BlockBuffer {
    [0; BLOCK + SLACK]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn gallop_is_partition_point(mut sorted in prop::collection::vec(0u32..500, 0..100), target in 0u32..600) {
            sorted.sort_unstable();
            prop_assert_eq!(gallop(&sorted, target), sorted.partition_point(|&element| element < target));
        }
    }
}
