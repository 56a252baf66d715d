//! The arrays of exceptions: positions and the bits above the slots, with exceptions of their own.

use crate::base::bits;
use crate::codec::BLOCK;
use crate::codec::fields::Packer;
use crate::codec::values::widths::{Exceptions, Widths, width};
use std::mem::MaybeUninit;

/// What an array has: numbers below a block, or any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Positions,
    Highs,
}

impl Kind {
    /// The width of a number in level 0.
    #[inline(always)]
    fn raw_width(self) -> u32 {
        match self {
            Kind::Positions => 8,
            Kind::Highs => 32,
        }
    }

    /// The bits of b' in the other levels.
    #[inline(always)]
    fn width_bits(self) -> u32 {
        match self {
            Kind::Positions => 3,
            Kind::Highs => 6,
        }
    }
}

/// The header of an array of `count` numbers that begins with the low bits of `word`, at level 1 or above: the width of
/// the slots, the number of exceptions, and the bits of the header.
#[inline(always)]
fn header(word: u32, count: usize, kind: Kind) -> (u32, usize, usize) {
    let (width_bits, exceptions_bits) = (kind.width_bits(), width(count as u32));
    let exceptions = word >> width_bits & bits::low_mask(exceptions_bits);
    (word & bits::low_mask(width_bits), exceptions as usize, (width_bits + exceptions_bits) as usize)
}

/// The exceptions of values: where they are, and what they have above their slots.
pub(super) struct Numbers {
    /// The first position, then gaps minus one.
    pub(super) positions: Vec<u32>,
    /// The bits above, minus one.
    highs: Vec<u32>,
}

impl Numbers {
    pub(super) fn of(values: &[u32], slot_width: u32) -> Numbers {
        let mut numbers = Numbers { positions: Vec::new(), highs: Vec::new() };
        let mut least = 0;
        for (&value, at) in values.iter().zip(0u32..) {
            let high = (u64::from(value) >> slot_width) as u32;
            if high != 0 {
                numbers.positions.push(at - least);
                numbers.highs.push(high - 1);
                least = at + 1;
            }
        }
        numbers
    }

    /// Writes both arrays, if there are exceptions.
    pub(super) fn write(&self, level: u32, kind: Kind, packer: &mut Packer) {
        if !self.positions.is_empty() {
            write(&self.positions, level, Kind::Positions, packer);
            write(&self.highs, level, kind, packer);
        }
    }
}

/// Writes an array.
fn write(numbers: &[u32], level: u32, kind: Kind, packer: &mut Packer) {
    let Some(below) = level.checked_sub(1) else {
        return numbers.iter().for_each(|&number| packer.push(kind.raw_width(), number));
    };
    // As in the paper, at most a tenth are exceptions, and none if that is smaller. What an exception takes is known for
    // level 0, and estimated above it.
    let taken = |exceptions: &Exceptions| match below {
        0 => 8 + kind.raw_width(),
        _ => 8 + exceptions.high_width,
    };
    let bits = |exceptions: &Exceptions| {
        numbers.len() * exceptions.width as usize + exceptions.count * taken(exceptions) as usize
    };
    let chosen = Widths::of(numbers).choose(numbers.len() / 10, bits);
    packer.push(kind.width_bits(), chosen.width);
    packer.push(width(numbers.len() as u32), chosen.count as u32);
    numbers.iter().for_each(|&number| packer.push(chosen.width, number));
    Numbers::of(numbers, chosen.width).write(below, kind, packer);
}

/// The numbers of an array, of which there are at most a block.
type Decoded = [u32; BLOCK];

/// Checks both arrays of `exceptions` exceptions among `count` numbers with slots of `slot_width` bits. They begin at bit
/// `at`. Returns their end, the positions and the bits above.
///
/// # Errors
/// The word that is wrong, and what is wrong with it.
pub(super) fn check(
    words: &[u32],
    at: usize,
    exceptions: usize,
    count: usize,
    slot_width: u32,
    level: u32,
    kind: Kind,
) -> Result<(usize, Decoded, Decoded), (usize, String)> {
    let (highs_at, mut positions) = check_array(words, at, exceptions, level, Kind::Positions)?;
    let mut end = 0;
    for position in &mut positions[..exceptions] {
        end += u64::from(*position) + 1;
        if end > count as u64 {
            return Err((at / 32, format!("exception of value {} of {count}", end - 1)));
        }
        *position = end as u32 - 1;
    }
    let (end, mut highs) = check_array(words, highs_at, exceptions, level, kind)?;
    for high in &mut highs[..exceptions] {
        match u32::try_from((u64::from(*high) + 1) << slot_width) {
            Ok(in_place) => *high = in_place,
            Err(_) => return Err((highs_at / 32, format!("{high} above {slot_width} bits"))),
        }
    }
    Ok((end, positions, highs))
}

/// Checks an array of `count` numbers that begins at bit `at`, and returns its end and the numbers. Bits past the end of
/// the words count as 0, and the caller compares the end.
fn check_array(
    words: &[u32],
    at: usize,
    count: usize,
    level: u32,
    kind: Kind,
) -> Result<(usize, Decoded), (usize, String)> {
    let mut numbers = [0; BLOCK];
    let mut read = |at: usize, width: u32| {
        for (rank, number) in numbers[..count].iter_mut().enumerate() {
            *number = bits::get(words, (at + rank * width as usize) as u64, width);
        }
        at + count * width as usize
    };
    let Some(below) = level.checked_sub(1) else {
        let end = read(at, kind.raw_width());
        return Ok((end, numbers));
    };
    let (slot_width, exceptions, header_bits) = header(bits::get(words, at as u64, 32), count, kind);
    if slot_width > 32 || exceptions > count {
        let what = format!("{exceptions} exceptions of slots of {slot_width} bits among {count} numbers");
        return Err((at / 32, what));
    }
    let mut end = read(at + header_bits, slot_width);
    if exceptions != 0 {
        let (after, positions, highs) = check(words, end, exceptions, count, slot_width, below, kind)?;
        for (&position, high) in positions[..exceptions].iter().zip(highs) {
            numbers[position as usize] |= high;
        }
        end = after;
    }
    Ok((end, numbers))
}

/// Adds what the exceptions have above their slots to the low bits in `out`. The two arrays begin at bit `at`; returns
/// their end.
///
/// # Safety
/// The arrays were encoded or passed [`check`], and are followed by padding; the low bits of all values are in `out`.
#[inline]
pub(super) unsafe fn add_highs(
    stream: *const u8,
    at: usize,
    exceptions: usize,
    slot_width: u32,
    level: u32,
    kind: Kind,
    out: *mut u32,
) -> usize {
    let mut positions = [const { MaybeUninit::<u32>::uninit() }; BLOCK];
    let mut highs = [const { MaybeUninit::<u32>::uninit() }; BLOCK];
    // SAFETY: both arrays have `exceptions` numbers, which are at most a block; the check found each position among the
    // values.
    unsafe {
        let at = decode(stream, at, exceptions, level, Kind::Positions, positions.as_mut_ptr().cast());
        let end = decode(stream, at, exceptions, level, kind, highs.as_mut_ptr().cast());
        let mut to = out;
        for (position, high) in positions.iter().zip(&highs).take(exceptions) {
            to = to.add(position.assume_init() as usize);
            *to |= (high.assume_init() + 1) << slot_width;
            to = to.wrapping_add(1);
        }
        end
    }
}

/// Decodes an array of `count` numbers that begins at bit `at`, and returns its end.
///
/// # Safety
/// As [`add_highs`]; `out` has room for the numbers.
unsafe fn decode(stream: *const u8, at: usize, count: usize, level: u32, kind: Kind, out: *mut u32) -> usize {
    let read = |mut at: usize, width: u32| {
        let mask = bits::low_mask(width);
        for rank in 0..count {
            // SAFETY: the number lies in the array, which is followed by padding; `out` has room.
            unsafe { out.add(rank).write((bits::read_u64(stream, at / 8) >> (at % 8)) as u32 & mask) };
            at += width as usize;
        }
        at
    };
    let Some(below) = level.checked_sub(1) else {
        return read(at, kind.raw_width());
    };
    // SAFETY: the array begins with its header.
    let word = (unsafe { bits::read_u64(stream, at / 8) } >> (at % 8)) as u32;
    let (slot_width, exceptions, header_bits) = header(word, count, kind);
    let end = read(at + header_bits, slot_width);
    match exceptions {
        0 => end,
        // SAFETY: the arrays of the exceptions follow, and the low bits were just written.
        _ => unsafe { add_highs(stream, end, exceptions, slot_width, below, kind, out) },
    }
}
