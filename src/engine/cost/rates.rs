//! [`Rates`]: nanoseconds per unit of each kind of work.

use crate::codec::{Codec, Cost};
use crate::device;
use once_cell::sync::Lazy;

/// One number for each kind of work: units of work, or nanoseconds per unit.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Terms {
    /// CPU: one list of a query, whatever its length.
    pub(super) list: f64,
    /// Device: the fixed cost of a call that decodes a list.
    pub(super) decode: f64,
    /// Device: the fixed cost of a call that intersects.
    pub(super) intersect: f64,
    /// Device: one query of a call.
    pub(super) query: f64,
    /// Device: one byte of a list sent.
    pub(super) sent: f64,
    /// Device: one docID of a decoded list read back.
    pub(super) received: f64,
    /// Device: one docID found by an intersection, read back and put in order.
    pub(super) gathered: f64,
    /// Device: probing work that takes an H200's kernels one nanosecond ([`device::kernel_work`]).
    pub(super) probed: f64,
    /// Device: marking work that takes an H200's kernels one nanosecond.
    pub(super) marked: f64,
    /// The kinds of work whose cost depends on the codec, by its [index](Codec::index).
    pub(super) codecs: [CodecTerms; Codec::COUNT],
}

/// The kinds of work on lists of one codec.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct CodecTerms {
    /// CPU: one docID decoded to memory.
    pub(super) decoded: f64,
    /// CPU: one docID of either of two lists that are merged.
    pub(super) merged: f64,
    /// CPU: one look-up right after the previous one in the list.
    pub(super) near: f64,
    /// CPU: one look-up at least [`reach`] docIDs after the previous one.
    pub(super) far: f64,
    /// Device: one docID decoded by a kernel.
    pub(super) unpacked: f64,
}

impl Terms {
    pub(super) const COUNT: usize = 9 + 5 * Codec::COUNT;

    /// All numbers, in the order of the fields. [`rates`](super::rates) keeps them in this order in the cache folder.
    pub(super) fn numbers(&mut self) -> impl Iterator<Item = &mut f64> {
        let Terms { list, decode, intersect, query, sent, received, gathered, probed, marked, codecs } = self;
        let own = [list, decode, intersect, query, sent, received, gathered, probed, marked];
        own.into_iter().chain(codecs.iter_mut().flat_map(|codec| {
            let CodecTerms { decoded, merged, near, far, unpacked } = codec;
            [decoded, merged, near, far, unpacked]
        }))
    }

    pub(super) fn of(&mut self, codec: Codec) -> &mut CodecTerms {
        &mut self.codecs[codec.index()]
    }
}

/// Nanoseconds per unit of each kind of work.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::engine) struct Rates(pub(super) Terms);

impl Rates {
    /// The rates assumed before any are measured: one core of a server with AVX-512, and a GPU in a PCIe slot.
    pub(super) fn assumed() -> &'static Rates {
        static ASSUMED: Lazy<Rates> = Lazy::new(|| {
            Rates(Terms {
                list: 100.0,
                decode: 25_000.0,
                intersect: 90_000.0,
                query: 110.0,
                sent: 0.1,
                received: 0.3,
                gathered: 1.0,
                probed: 1.0,
                marked: 1.0,
                codecs: Codec::ALL.map(|codec| {
                    let Cost { decoded, merged, near, far } = codec.cost();
                    CodecTerms { decoded, merged, near, far, unpacked: device::assumed_decoding(codec) }
                }),
            })
        });
        &ASSUMED
    }

    pub(super) fn to_bytes(mut self) -> Vec<u8> {
        self.0.numbers().flat_map(|number| number.to_le_bytes()).collect()
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote; `None` if the count is wrong or a number cannot be a rate.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Rates> {
        let (numbers, rest) = bytes.as_chunks::<8>();
        if !rest.is_empty() || numbers.len() != Terms::COUNT {
            return None;
        }
        let mut terms = Terms::default();
        terms.numbers().zip(numbers).for_each(|(to, &number)| *to = f64::from_le_bytes(number));
        let sound = terms.numbers().all(|number| (0.0..1e9).contains(number));
        sound.then_some(Rates(terms))
    }
}
