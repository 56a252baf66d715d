//! The size limits of PHP's arrays and strings, tested without PHP: results at and past the limits, and arrays that
//! grow.

#[path = "../../src/php/output/size.rs"]
mod size;

use size::{MOST_ELEMENTS, TooLong, of_hash, of_packed, of_string};

#[test]
fn arrays_of_more_elements_than_php_allows_are_refused() {
    for of in [of_packed, of_hash] {
        assert_eq!(of(MOST_ELEMENTS), Ok(MOST_ELEMENTS));
        assert_eq!(of(MOST_ELEMENTS - 1), Ok(MOST_ELEMENTS));
        for len in [MOST_ELEMENTS + 1, MOST_ELEMENTS * 3, u32::MAX as usize, usize::MAX] {
            assert_eq!(of(len), Err(TooLong(len)));
        }
    }
}

#[test]
fn tables_have_room_for_their_elements() {
    let lens = (1..5000).chain((13..30).flat_map(|bits| (1 << bits) - 3..(1 << bits) + 3));
    for len in lens {
        let (packed, hash) = (of_packed(len).unwrap(), of_hash(len).unwrap());
        assert!(len <= packed && packed <= hash && packed.is_multiple_of(8), "{len}: {packed}");
        assert!(hash.is_power_of_two() && (hash < 2 * len || hash == 8), "{len}: {hash}");
        assert!(packed < len + (len / 4).max(8) || len > MOST_ELEMENTS / 2, "{len}: {packed}");
    }
}

/// Zend's hash mask is minus twice the table's size. Hash values are or-ed with the mask and used as negative indices,
/// so it must stay negative as an `i32`. When a packed array becomes a hash, Zend computes the mask from its size.
#[test]
fn the_mask_of_an_array_that_becomes_a_hash_is_negative_also_after_it_has_grown_once() {
    for len in
        [1, 9, 1000, (1 << 28) + 1, MOST_ELEMENTS / 2, MOST_ELEMENTS / 2 + 1, MOST_ELEMENTS / 8 * 5, MOST_ELEMENTS]
    {
        let size = of_packed(len).unwrap();
        let grown = if size >= MOST_ELEMENTS { size } else { 2 * size };
        for size in [size, grown] {
            let mask = (2 * size as u32).wrapping_neg() as i32;
            assert!(size <= MOST_ELEMENTS && mask < 0, "{len}: {size}");
        }
    }
}

#[test]
fn strings_of_more_bytes_than_php_allows_are_refused() {
    assert_eq!(of_string(24, 0), Ok(32));
    assert_eq!(of_string(24, 7), Ok(32));
    assert_eq!(of_string(24, 8), Ok(40));
    // All 2^32 docIDs, 4 bytes each.
    assert_eq!(of_string(24, 4 << 32), Ok((4 << 32) + 32));
    for len in [isize::MAX as usize, usize::MAX - 32, usize::MAX] {
        assert_eq!(of_string(24, len), Err(TooLong(len)));
    }
}
