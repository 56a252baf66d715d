//! The length of a field's text in one byte.
//!
//! Lengths (in tokens) up to 40 are exact; longer ones are rounded down to one of 215 values, eight for each doubling:
//! 42, 44, … 56, 60, … 88, 96, …, 2,013,265,944. These are the values of tantivy's field norms, so that scores can be
//! compared.

/// Lengths up to this one are exact.
const EXACT: u32 = 40;

/// The byte of a length: that of the greatest value that is not greater.
pub fn encode(length: u32) -> u8 {
    if length <= EXACT {
        return length as u8;
    }
    // Above 40, values are 24 + 16 · 2^g + k · 2^(g+1) for g from 0 and k from 1 to 8.
    let above = length - 24;
    let group = above.ilog2() - 4;
    let step = (above - (16 << group)) >> (group + 1);
    (EXACT + 8 * group + step).min(255) as u8
}

/// The length that a byte stands for.
pub fn decode(byte: u8) -> u32 {
    match u32::from(byte).checked_sub(EXACT + 1) {
        None => byte.into(),
        Some(above) => 24 + (16 << (above / 8)) + ((above % 8 + 1) << (above / 8 + 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_those_of_the_greatest_value_that_is_not_greater() {
        let values: Vec<u32> = (0..=255).map(decode).collect();
        assert!(values.is_sorted_by(|a, b| a < b));
        assert_eq!(values[..=40], (0..=40).collect::<Vec<u32>>());
        assert_eq!(values[41..58], [42, 44, 46, 48, 50, 52, 54, 56, 60, 64, 68, 72, 76, 80, 84, 88, 96]);
        assert_eq!(values[255], 2_013_265_944);
        let lengths = (0..100_000).chain(values.iter().flat_map(|&value| value.saturating_sub(1)..=value + 1));
        for length in lengths.chain([u32::MAX]) {
            assert_eq!(encode(length) as usize + 1, values.partition_point(|&value| value <= length), "{length}");
        }
    }
}
