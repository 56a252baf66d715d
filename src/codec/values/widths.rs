//! Which values would be exceptions: the count of values by width, for the codecs that store the low bits of all values
//! in slots of one width, and the rest separately.

use crate::codec::{OptionOf, Options};

/// The option for the largest share of exceptions. On lists with long runs, three in ten make slots of no or few bits
/// possible: the lists of wikileaks then take 4.4 bits per docID in ParaPFor, where one in ten gives 10.4.
pub(crate) const EXCEPTIONS: OptionOf = OptionOf::fraction("exceptions", 0.0, 0.6, 0.3);

/// Bits charged for each exception, besides its own, when widths are compared: exceptions take time to decode. Without them, lists
/// with geometric gaps of 8 on average take 1 % (ParaPFor) or 2 % (OptPFD) less space, but have up to twelve exceptions
/// in a hundred values instead of one or two.
pub(crate) const TIME: usize = 4;

/// The most exceptions among `count` values, by the option at that index.
pub(crate) fn most_exceptions(options: &Options, at: usize, count: usize) -> usize {
    (options.get(at).unwrap_or_default() * count as f64) as usize
}

/// The widths of up to 2^16 values, in bits.
pub(crate) struct Widths {
    /// By width: the number of values that are exactly so wide.
    exactly: [u32; 33],
    /// By width: the index of the last such value.
    last: [u32; 33],
    /// The width of the widest value.
    widest: u32,
}

/// The values that do not fit in slots of `width` bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exceptions {
    /// The width of the slots.
    pub width: u32,
    /// The number of exceptions.
    pub count: usize,
    /// The index of the last exception; 0 if there is none.
    pub last: u32,
    /// The width of the widest exception's bits above its slot; 0 if there is none.
    pub high_width: u32,
}

/// The number of bits of a value, 0 to 32.
pub(crate) fn width(value: u32) -> u32 {
    32 - value.leading_zeros()
}

impl Widths {
    pub(crate) fn of(values: &[u32]) -> Widths {
        let mut widths = Widths { exactly: [0; 33], last: [0; 33], widest: 0 };
        for (&value, index) in values.iter().zip(0..) {
            let width = width(value);
            widths.exactly[width as usize] += 1;
            widths.last[width as usize] = index;
            widths.widest = widths.widest.max(width);
        }
        widths
    }

    /// For each width from that of the widest value, which leaves no exception, down to 0: the exceptions.
    pub(crate) fn candidates(&self) -> impl Iterator<Item = Exceptions> {
        let none = Exceptions { width: self.widest, count: 0, last: 0, high_width: 0 };
        std::iter::successors(Some(none), |wider| {
            let width = wider.width.checked_sub(1)?;
            let more = wider.width as usize;
            Some(Exceptions {
                width,
                count: wider.count + self.exactly[more] as usize,
                last: wider.last.max(self.last[more]),
                high_width: self.widest - width,
            })
        })
    }

    /// Among the candidates with at most `most` exceptions, the one whose `cost` is least; of several, the widest.
    pub(crate) fn choose<C: Ord>(&self, most: usize, cost: impl FnMut(&Exceptions) -> C) -> Exceptions {
        let within = self.candidates().take_while(|exceptions| exceptions.count <= most);
        // `min_by_key` takes the first of equals. The first candidate has no exceptions, so there is always one.
        within.min_by_key(cost).unwrap_or(Exceptions { width: self.widest, count: 0, last: 0, high_width: 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn candidates_are_what_their_names_say(
            values in prop::collection::vec((any::<u32>(), 0u32..=32), 0..300),
        ) {
            let values: Vec<u32> = values.into_iter().map(|(value, by)| value.checked_shr(by).unwrap_or(0)).collect();
            let widest = values.iter().map(|&value| width(value)).max().unwrap_or(0);
            let candidates: Vec<Exceptions> = Widths::of(&values).candidates().collect();
            prop_assert_eq!(candidates.len(), widest as usize + 1);
            for (found, wanted) in candidates.iter().zip((0..=widest).rev()) {
                let exceptions = || values.iter().enumerate().filter(|&(_, &value)| width(value) > wanted);
                prop_assert_eq!(found.width, wanted);
                prop_assert_eq!(found.count, exceptions().count());
                prop_assert_eq!(found.last as usize, exceptions().next_back().map_or(0, |(index, _)| index));
                prop_assert_eq!(found.high_width, widest - wanted);
            }
        }
    }

    #[test]
    fn the_least_size_within_the_most_exceptions() {
        // Widths 3, 5, 5 and 9.
        let widths = Widths::of(&[7, 31, 16, 300]);
        let bits = |exceptions: &Exceptions| 4 * exceptions.width as usize + 6 * exceptions.count;
        let width = |most| widths.choose(most, bits).width;
        assert_eq!((width(0), width(1), width(2), width(3)), (9, 5, 5, 5));
        assert_eq!(widths.choose(4, |_| 1).count, 0);
        assert_eq!(Widths::of(&[]).choose(4, bits).width, 0);
    }
}
