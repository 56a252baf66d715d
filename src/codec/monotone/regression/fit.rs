//! Lines through docIDs, in fixed point, and the deviations of docIDs from them.
//!
//! A slope is a number of 64 bits, 32 of them after the point. Deviations are of docIDs from ⌊slope · i⌋, for which 96
//! bits suffice (i is below 2^32), so they are exact; the smallest deviation becomes the line's intercept.

/// The slope of the least-squares line through the points (i, `doc_ids[i]`): Σ(i − ī)·y / Σ(i − ī)², rounded. 0 for fewer
/// than two docIDs, otherwise at least 1, as docIDs increase.
pub(super) fn slope(doc_ids: &[u32]) -> u64 {
    let n = doc_ids.len() as i128;
    if n < 2 {
        return 0;
    }
    // Twice the distance from the mean index is a whole number, 2i − (n − 1), here `twice`. Sums over parts are below
    // 2^(12 + 12 + 32), and the whole one is below 2^95: the distances from the middle of the universe are at most 2^31,
    // and the sum of all |twice| is at most n²/2.
    const PART: usize = 1 << 12;
    let mut weighted = 0;
    for (part, first) in doc_ids.chunks(PART).zip((0..).step_by(PART)) {
        let (mut sum, mut by_index) = (0u64, 0u64);
        for (&doc_id, index) in part.iter().zip(0u64..) {
            sum += u64::from(doc_id);
            by_index += index * u64::from(doc_id);
        }
        let twice = 2 * first - (n - 1);
        weighted += twice * i128::from(sum) + 2 * i128::from(by_index);
    }
    // Σ twice² = n(n² − 1)/3, so the slope is 2·weighted / that. It is positive.
    let (over, under) = ((weighted.max(0) as u128) << 33, (n * (n * n - 1) / 3) as u128);
    u64::try_from((over + under / 2) / under).unwrap_or(u64::MAX)
}

/// The value of a line of that slope through 0, without what is after the point.
fn rise(slope: u64, index: usize) -> i128 {
    (i128::from(slope) * index as i128) >> 32
}

/// A line from which all docIDs deviate upwards, by less than 2^32.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fit {
    pub(super) slope: u64,
    /// The line's value at index 0, modulo 2^32: the smallest deviation of the docIDs from a line through 0.
    pub(super) intercept: u32,
    least: i128,
}

impl Fit {
    /// The line with that slope from which docIDs deviate least. If it deviates so much that a *stretch* (see
    /// [`LineCheck`](super::LineCheck)) could not be searched, a line of slope 0. `first` is the index of the first
    /// docID, and a stretch begins at each multiple of `stretch`.
    pub(super) fn new(doc_ids: &[u32], slope: u64, first: usize, stretch: usize) -> Fit {
        let deviation = |(&doc_id, index): (&u32, usize)| i128::from(doc_id) - rise(slope, index);
        let (least, most) = doc_ids
            .iter()
            .zip(first..)
            .map(deviation)
            .fold((i128::MAX, i128::MIN), |(least, most), deviation| (least.min(deviation), most.max(deviation)));
        let is_near = |(part, index): (&[u32], usize)| {
            let last = part.last().copied().unwrap_or(0);
            i128::from(last) - (least + rise(slope, index)) < 1 << 32
        };
        let parts = doc_ids.chunks(stretch).zip((first..).step_by(stretch));
        if least.saturating_add(1 << 32) > most && parts.into_iter().all(is_near) {
            return Fit { slope, intercept: least as u32, least };
        }
        let least = doc_ids.first().copied().unwrap_or(0);
        Fit { slope: 0, intercept: least, least: least.into() }
    }

    /// The deviations of docIDs, of which the first has index `first`. They are among those that the line was made for.
    pub(super) fn deviations(&self, doc_ids: &[u32], first: usize) -> Vec<u32> {
        let deviation =
            |(&doc_id, index): (&u32, usize)| (i128::from(doc_id) - rise(self.slope, index) - self.least) as u32;
        doc_ids.iter().zip(first..).map(deviation).collect()
    }
}

/// Bits of a slope in short form: 21 of mantissa, above them five of exponent.
pub(super) const SHORT_BITS: u32 = 26;
const MANTISSA_BITS: u32 = 21;
/// Bits by which a mantissa is shifted with exponent 0.
const LEAST_SHIFT: u32 = 12;

/// The short form of a slope, rounded: 2^-21 of it are lost at most, nothing of whole slopes below 2^21.
pub(super) fn shorten(slope: u64) -> u32 {
    let exponent = (u64::BITS - slope.leading_zeros()).saturating_sub(MANTISSA_BITS + LEAST_SHIFT);
    let half = 1u128 << (exponent + LEAST_SHIFT - 1);
    let mantissa = ((u128::from(slope) + half) >> (exponent + LEAST_SHIFT)) as u32;
    match (mantissa >> MANTISSA_BITS, exponent) {
        (0, _) => exponent << MANTISSA_BITS | mantissa,
        (_, 31) => 31 << MANTISSA_BITS | ((1 << MANTISSA_BITS) - 1),
        _ => (exponent + 1) << MANTISSA_BITS | mantissa >> 1,
    }
}

/// The slope whose short form that is.
#[inline(always)]
pub(super) fn lengthen(short: u32) -> u64 {
    u64::from(short & ((1 << MANTISSA_BITS) - 1)) << ((short >> MANTISSA_BITS & 31) + LEAST_SHIFT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The slope by the textbook's formula.
    fn by_definition(doc_ids: &[u32]) -> f64 {
        let n = doc_ids.len() as f64;
        let mean_x = (n - 1.0) / 2.0;
        let mean_y = doc_ids.iter().map(|&y| f64::from(y)).sum::<f64>() / n;
        let over: f64 = doc_ids.iter().enumerate().map(|(x, &y)| (x as f64 - mean_x) * (f64::from(y) - mean_y)).sum();
        let under: f64 = (0..doc_ids.len()).map(|x| (x as f64 - mean_x).powi(2)).sum();
        over / under
    }

    #[test]
    fn slopes_of_progressions() {
        assert_eq!((slope(&[]), slope(&[7])), (0, 0));
        assert_eq!(slope(&[0, u32::MAX]), u64::from(u32::MAX) << 32);
        for gap in [1, 2, 1000, 1 << 20] {
            for n in [2, 3, 256, 4095] {
                let doc_ids: Vec<u32> = (0..n).map(|i| 5 + i * gap).collect();
                assert_eq!(slope(&doc_ids), u64::from(gap) << 32);
                assert_eq!(lengthen(shorten(slope(&doc_ids))), u64::from(gap) << 32);
            }
        }
    }

    #[test]
    fn short_forms_at_their_ends() {
        for slope in [0, 1, 1 << 11, 1 << 32, u64::MAX, u64::MAX >> 1, (1 << 33) - 1] {
            let short = shorten(slope);
            assert!(short >> SHORT_BITS == 0);
            let loss = i128::from(lengthen(short)) - i128::from(slope);
            assert!(loss.unsigned_abs() <= (u128::from(slope) >> 20).max(1 << 12), "{slope:#X}: {loss}");
        }
    }

    #[test]
    fn a_stretch_over_the_whole_universe_gets_slope_0() {
        let doc_ids: Vec<u32> = (0..100).chain([u32::MAX]).collect();
        let fit = Fit::new(&doc_ids, slope(&doc_ids), 0, 128);
        assert_eq!((fit.slope, fit.intercept), (0, 0));
        assert_eq!(fit.deviations(&doc_ids, 0), doc_ids);
    }

    proptest! {
        #[test]
        fn slopes_are_least_squares(mut doc_ids in prop::collection::vec(any::<u32>(), 2..6000)) {
            doc_ids.sort_unstable();
            doc_ids.dedup();
            if doc_ids.len() > 1 {
                let (wanted, got) = (by_definition(&doc_ids), slope(&doc_ids) as f64 / 2f64.powi(32));
                prop_assert!((wanted - got).abs() <= wanted * 1e-6, "{wanted} {got}");
            }
        }

        #[test]
        fn docids_are_line_and_deviation(
            mut doc_ids in prop::collection::vec(any::<u32>(), 1..300),
            slope in any::<u64>(),
            shift in 0u32..64,
            first in any::<u32>(),
        ) {
            doc_ids.sort_unstable();
            doc_ids.dedup();
            let fit = Fit::new(&doc_ids, slope >> shift, first as usize, 128);
            let deviations = fit.deviations(&doc_ids, first as usize);
            for ((doc_id, deviation), index) in doc_ids.iter().zip(deviations).zip(u64::from(first)..) {
                let line = (u64::from(fit.intercept) << 32).wrapping_add(fit.slope.wrapping_mul(index));
                prop_assert_eq!(((line >> 32) as u32).wrapping_add(deviation), *doc_id);
            }
        }
    }
}
