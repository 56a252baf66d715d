//! The six helper functions that Yioop leaves to an extension if there is one: what they compute, on numbers. `php`
//! converts from and to PHP's types.

use super::format::first_word::doc_index_of_first_word;
use super::format::modified9::{self, Values};

/// Yioop's `unpackListModified9`: the values of a word, whatever its place (the top two bits), without a check. For a
/// word that no encoder writes, the values after the last 0; a 28-bit value is included even if it is 0.
pub fn unpack_list_modified9(word: u32) -> Vec<u32> {
    match modified9::layout(word).count {
        1 => vec![word & modified9::MAX_VALUE],
        _ => Values::of(word).collect(),
    }
}

/// Yioop's `docIndexModified9`: the doc index of a posting whose first word this is, without a check. Yioop's results
/// for words that no encoder writes too: a 28-bit value of 0 gives −1, any other word without a value 0.
///
/// One difference is deliberate: in the joint form with a first position of 256 or more, Yioop adds the position
/// instead of dropping it and returns the doc index plus one; this returns the doc index.
pub fn doc_index_modified9(word: u32) -> i64 {
    let layout = modified9::layout(word);
    match (layout.payload(word), layout.count) {
        (0, 1) => -1,
        (0, _) => 0,
        _ => doc_index_of_first_word(word).into(),
    }
}

/// Yioop's `unpackInt`: PHP's `(int) hexdec(bin2hex($bytes))`. Up to eight bytes below 2^63 it is the big-endian
/// number; for larger ones `hexdec` continues in floating point, and the cast takes the result modulo 2^64.
pub fn unpack_int(bytes: &[u8]) -> i64 {
    let mut exact: i64 = 0;
    let mut digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]).map(i64::from);
    for digit in &mut digits {
        match exact.checked_mul(16).and_then(|number| number.checked_add(digit)) {
            Some(number) => exact = number,
            None => {
                let start = exact as f64 * 16.0 + digit as f64;
                return float_to_int(digits.fold(start, |number, digit| number * 16.0 + digit as f64));
            }
        }
    }
    exact
}

/// PHP's cast of a nonnegative float.
fn float_to_int(number: f64) -> i64 {
    // From 2^117 on all doubles are multiples of 2^64; infinity is 0 in PHP too.
    if number < 2f64.powi(117) { number as u128 as i64 } else { 0 }
}

/// Weights have 24 bits.
const MAX_WEIGHT: i64 = (1 << 24) - 1;

/// The crawl order that means page importance (`CrawlConstants::PAGE_IMPORTANCE`), as PHP strings have it.
pub const PAGE_IMPORTANCE: &str = "ad";

/// Yioop's `decodeQueueWeightInfo`: weight and depth of a queue entry. Without page importance there is only a depth.
pub fn decode_queue_weight_info(info: i64, page_importance: bool) -> (i64, i64) {
    if page_importance { (info >> 8, 255 - (info & 255)) } else { (0, info) }
}

/// Yioop's `encodeQueueWeightInfo`: the weight (at most 2^24 − 1) in the high bits, 255 less the depth (0 … 255) in
/// the low eight bits; without page importance only the depth.
pub fn encode_queue_weight_info(weight: i64, depth: i64, page_importance: bool) -> i64 {
    if page_importance { (weight.min(MAX_WEIGHT) << 8).wrapping_add(255 - depth.clamp(0, 255)) } else { depth }
}

/// Yioop's `adjustWeightCallback`: the entry with the sum of the weights and the smaller depth. It assumes page
/// importance, whatever the crawl order is.
pub fn adjust_weight_callback(info: i64, adjustment: i64) -> i64 {
    let (weight, depth) = decode_queue_weight_info(info, true);
    let (more, other_depth) = decode_queue_weight_info(adjustment, true);
    encode_queue_weight_info(weight + more, depth.min(other_depth), true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unpack_int_is_phps() {
        // Made with PHP 8.2: (int) hexdec($hex).
        for (hex, int) in [
            ("", 0),
            ("00", 0),
            ("0000000000000000000000000000ff", 255),
            ("ffffffff", 4_294_967_295),
            ("7fffffffffffffff", i64::MAX),
            ("8000000000000000", i64::MIN),
            ("ffffffffffffffff", 0),
            ("0123456789abcdef0123", 5_001_117_282_205_696_000),
            ("abcdefabcdefabcdefabcdefabcdef1234567890", 0),
        ] {
            let bytes: Vec<u8> =
                (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect();
            assert_eq!(unpack_int(&bytes), int, "{hex}");
        }
        assert_eq!(unpack_int(&[0xFF; 200]), 0);
    }

    #[test]
    fn extremes_do_not_panic() {
        for info in [i64::MIN, -1, 0, i64::MAX] {
            for other in [i64::MIN, -1, 0, i64::MAX] {
                adjust_weight_callback(info, other);
                encode_queue_weight_info(info, other, true);
            }
        }
    }
}
