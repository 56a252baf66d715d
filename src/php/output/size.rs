//! How large PHP's arrays and strings may be, and the sizes that ours get. Arithmetic only, without PHP, so that
//! tests/php_sizes.rs can test it at its limits.

/// Elements that an array holds at most.
pub const MOST_ELEMENTS: usize = if cfg!(target_pointer_width = "64") { 0x4000_0000 } else { 0x0200_0000 };
/// Elements that the smallest table has room for.
const LEAST_ELEMENTS: usize = 8;

/// A result of more elements, or bytes, than an array or a string of PHP can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLong(pub usize);

/// The table size of a packed array of `len` elements: `len`, rounded up to at most three significant bits and to a
/// multiple of eight. Zend itself takes powers of two, which doubles the page faults of large results; it needs the
/// multiple of eight, as it clears hash parts 64 bytes at a time. When such an array becomes a hash, Zend makes its mask
/// out of this size; with three bits the mask still reaches two thirds as many chains as there are elements, or more.
///
/// An array that grows is doubled, and one of [`MOST_ELEMENTS`] or more is refused. A size between half of that and the
/// whole would be doubled past it, to a size whose mask is no longer negative, so these arrays get the whole.
pub fn of_packed(len: usize) -> Result<usize, TooLong> {
    if len > MOST_ELEMENTS {
        return Err(TooLong(len));
    }
    if len > MOST_ELEMENTS / 2 {
        return Ok(MOST_ELEMENTS);
    }
    let unit = (len.next_power_of_two() / 8).max(LEAST_ELEMENTS);
    Ok(len.next_multiple_of(unit))
}

/// The table size of a hash of `len` elements, as Zend has it: a power of two.
pub fn of_hash(len: usize) -> Result<usize, TooLong> {
    if len > MOST_ELEMENTS {
        return Err(TooLong(len));
    }
    Ok(len.next_power_of_two().max(LEAST_ELEMENTS))
}

/// Bytes that a string of `len` bytes takes after a header of `header` bytes, its final NUL included.
pub fn of_string(header: usize, len: usize) -> Result<usize, TooLong> {
    // PHP's own limit leaves more room for the header than there is.
    const MOST_BYTES: usize = isize::MAX as usize / 2;
    if len > MOST_BYTES {
        return Err(TooLong(len));
    }
    Ok((header + len + 1).next_multiple_of(8))
}
