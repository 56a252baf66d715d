//! The packed values without the header, which is also how an index stores frequencies and positions: plain Rust, which
//! the compiler turns into vectors of four lanes.

use crate::base::bits::low_mask;
use crate::codec::BLOCK;

/// Lanes of a block.
pub(crate) const LANES: usize = 4;

/// Runs the body once for each row of a block, with its number as a constant. Loops of so many rows are not unrolled
/// otherwise, and then their shifts are no constants, which takes twice as long.
macro_rules! each_row {
    ($ROW:ident => $body:block) => {
        each_row!(@ $ROW $body 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31)
    };
    ($ROW:ident by 2 => $body:block) => {
        each_row!(@ $ROW $body 0 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30)
    };
    (@ $ROW:ident $body:block $($row:literal)*) => {
        $({
            const $ROW: usize = $row;
            $body
        })*
    };
}

/// Calls the function for values of `$width` bits, which is at most 32, with the width as a constant.
macro_rules! by_width {
    ($width:expr, $unpack:ident($($argument:expr),*)) => {
        by_width!(@ $width, $unpack, ($($argument),*),
            0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32)
    };
    (@ $width:expr, $unpack:ident, $arguments:tt, $($constant:literal)*) => {
        match $width {
            $($constant => by_width!(@ $unpack, $constant, $arguments),)*
            width => unreachable!("values of {width} bits"),
        }
    };
    (@ $unpack:ident, $constant:literal, ($($argument:expr),*)) => {
        $unpack::<$constant>($($argument),*)
    };
}
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) use {by_width, each_row};

/// The width of the widest value.
pub(crate) fn width(values: &[u32]) -> u32 {
    u32::BITS - values.iter().fold(0, |all, value| all | value).leading_zeros()
}

/// Words that `count` values of `width` bits take.
#[inline(always)]
pub(crate) fn words(count: usize, width: u32) -> usize {
    LANES * (count.div_ceil(LANES) * width as usize).div_ceil(32)
}

/// Appends values of at most `width` bits.
pub(crate) fn pack(values: &[u32], width: u32, words: &mut Vec<u32>) {
    let from = words.len();
    words.resize(from + self::words(values.len(), width), 0);
    if width == 0 {
        return;
    }
    let (rows, rest) = values.as_chunks::<LANES>();
    let mut last = [0; LANES];
    last[..rest.len()].copy_from_slice(rest);
    let last = (!rest.is_empty()).then_some(&last);
    // The next word of each lane, and how many of its bits are set.
    let (mut next, mut bits) = ([0; LANES], 0);
    let mut packed = words[from..].chunks_exact_mut(LANES);
    let mut write = |next: &[u32; LANES]| packed.next().expect("as many words as `words` says").copy_from_slice(next);
    for row in rows.iter().chain(last) {
        next = std::array::from_fn(|lane| next[lane] | row[lane] << bits);
        bits += width;
        if bits >= 32 {
            write(&next);
            bits -= 32;
            next = row.map(|value| if bits == 0 { 0 } else { value >> (width - bits) });
        }
    }
    if bits != 0 {
        write(&next);
    }
}

/// The first of the [`LANES`] words in one of which a value begins.
#[inline(always)]
pub(crate) fn row(width: u32, index: usize) -> usize {
    LANES * (index / LANES * width as usize / 32)
}

/// One value.
///
/// # Panics
/// If there are not enough words.
#[inline(always)]
pub(crate) fn get(packed: &[u32], width: u32, index: usize) -> u32 {
    if width == 0 {
        return 0;
    }
    let (row, lane) = (index / LANES, index % LANES);
    let bit = row * width as usize;
    let (word, shift) = (LANES * (bit / 32) + lane, bit as u32 % 32);
    // Whether it goes on in the next word nothing predicts: that is always read, if there is one.
    let next = packed.get(word + LANES).copied().unwrap_or(0);
    let value = u64::from(packed[word]) | u64::from(next) << 32;
    (value >> shift) as u32 & low_mask(width)
}

/// All values of a whole block.
///
/// # Panics
/// If the width is above 32, or there are not as many words as a block takes.
#[inline(never)]
pub(crate) fn unpack(packed: &[u32], width: u32, out: &mut [u32; BLOCK]) {
    by_width!(width, unpack_width(packed, out));
}

#[inline(always)]
fn unpack_width<const WIDTH: usize>(packed: &[u32], out: &mut [u32; BLOCK]) {
    if WIDTH == 0 {
        return out.fill(0);
    }
    let packed = &packed[..LANES * WIDTH];
    each_row!(ROW => {
        let (word, shift) = (LANES * (ROW * WIDTH / 32), (ROW * WIDTH % 32) as u32);
        let row: &mut [u32] = &mut out[LANES * ROW..LANES * (ROW + 1)];
        for (lane, value) in row.iter_mut().enumerate() {
            let low = packed[word + lane] >> shift;
            let high = if shift as usize + WIDTH > 32 { packed[word + LANES + lane] << (32 - shift) } else { 0 };
            *value = (low | high) & low_mask(WIDTH as u32);
        }
    });
}
