//! A segment of up to 256 values: a header and the arrays l, i and h. A part of the value codec is one segment; linear
//! regression codes its deviations in segments of 256.

use crate::base::bits;
use crate::base::cpu::Tier;
use crate::codec::fields;
use crate::codec::values::parts::check_end;
use crate::codec::values::widths::{Exceptions, TIME, Widths, width};

/// The most values in a segment.
pub const MOST_VALUES: usize = 256;

/// The bits of the header word, from the lowest on: b, ib, hb and en. The rest are 0.
const B_BITS: u32 = 6;
const IB_BITS: u32 = 4;
const HB_BITS: u32 = 6;
const EN_BITS: u32 = 9;
const USED_BITS: u32 = B_BITS + IB_BITS + HB_BITS + EN_BITS;

/// Bits of a word.
const WORD: usize = 32;

/// The header of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// b, the width of the slots.
    pub slot_width: u32,
    /// ib, the width of an exception's index.
    pub index_width: u32,
    /// hb, the width of an exception's overflow.
    pub high_width: u32,
    /// en, the number of exceptions.
    pub exceptions: usize,
}

impl Header {
    /// The header in the first word of a segment.
    #[inline(always)]
    pub fn of(word: u32) -> Header {
        Header {
            slot_width: word & bits::low_mask(B_BITS),
            index_width: word >> B_BITS & bits::low_mask(IB_BITS),
            high_width: word >> (B_BITS + IB_BITS) & bits::low_mask(HB_BITS),
            exceptions: (word >> (B_BITS + IB_BITS + HB_BITS) & bits::low_mask(EN_BITS)) as usize,
        }
    }

    fn word(&self) -> u32 {
        self.slot_width
            | self.index_width << B_BITS
            | self.high_width << (B_BITS + IB_BITS)
            | (self.exceptions as u32) << (B_BITS + IB_BITS + HB_BITS)
    }

    /// The bit of the segment at which the indices begin.
    #[inline(always)]
    pub fn indices_at(&self, count: usize) -> usize {
        WORD + count * self.slot_width as usize
    }

    /// The bit of the segment at which the overflows begin.
    #[inline(always)]
    pub fn highs_at(&self, count: usize) -> usize {
        self.indices_at(count) + self.exceptions * self.index_width as usize
    }

    /// The bit of the segment after the last overflow.
    #[inline(always)]
    fn end(&self, count: usize) -> usize {
        self.highs_at(count) + self.exceptions * self.high_width as usize
    }

    /// The words of a segment of `count` values.
    #[inline(always)]
    pub fn words(&self, count: usize) -> usize {
        self.end(count).div_ceil(WORD)
    }
}

/// Appends a segment of up to [`MOST_VALUES`] values, of which at most `most` are exceptions. More of them must
/// save space.
///
/// # Panics
/// If there are more values.
pub fn encode_segment(values: &[u32], most: usize, words: &mut Vec<u32>) {
    assert!(values.len() <= MOST_VALUES, "{} values in a segment", values.len());
    let header = choose(values, most);
    let begin = words.len();
    words.resize(begin + header.words(values.len()), 0);
    let segment = &mut words[begin..];
    segment[0] = header.word();
    let (mut slot, mut index_at, mut high_at) = (WORD, header.indices_at(values.len()), header.highs_at(values.len()));
    for (&value, index) in values.iter().zip(0..) {
        bits::put(segment, slot as u64, header.slot_width, value);
        slot += header.slot_width as usize;
        let high = u64::from(value) >> header.slot_width;
        if high != 0 {
            bits::put(segment, index_at as u64, header.index_width, index);
            bits::put(segment, high_at as u64, header.high_width, high as u32);
            index_at += header.index_width as usize;
            high_at += header.high_width as usize;
        }
    }
}

/// The header with the fewest words, and [`TIME`] for each exception; of several the one with the fewest exceptions, and
/// then the fewest bits.
fn choose(values: &[u32], most: usize) -> Header {
    let header = |exceptions: &Exceptions| Header {
        slot_width: exceptions.width,
        index_width: width(exceptions.last),
        high_width: exceptions.high_width,
        exceptions: exceptions.count,
    };
    header(&Widths::of(values).choose(most, |exceptions| {
        let header = header(exceptions);
        let cost = WORD * header.words(values.len()) + TIME * exceptions.count;
        (cost, exceptions.count, header.end(values.len()))
    }))
}

/// Checks that `words` are one segment with exactly `count` values, which is all that decoding relies on.
///
/// # Errors
/// The index of the word that is wrong, and what is wrong with it.
pub fn check_segment(words: &[u32], count: usize) -> Result<(), (usize, String)> {
    let wrong = |word: usize, what: String| Err((word, what));
    let Some(&first) = words.first() else {
        return wrong(0, "the header is missing".into());
    };
    let header = Header::of(first);
    let Header { slot_width, index_width, high_width, exceptions } = header;
    if first >> USED_BITS != 0 {
        return wrong(0, "unused bits are not 0".into());
    }
    if slot_width > 32 || slot_width + high_width > 32 {
        return wrong(0, format!("values of {slot_width} and {high_width} bits"));
    }
    if count > MOST_VALUES || exceptions > count {
        return wrong(0, format!("{exceptions} exceptions among {count} values"));
    }
    if (exceptions == 0) != (high_width == 0) || (exceptions == 0 && index_width != 0) || index_width > 8 {
        let what = format!("{exceptions} exceptions with indices of {index_width} and overflows of {high_width} bits");
        return wrong(0, what);
    }
    check_end(words, header.end(count))?;
    let mut least = 0;
    for rank in 0..exceptions {
        let at = header.indices_at(count) + rank * index_width as usize;
        let index = bits::get(words, at as u64, index_width) as usize;
        if index < least || index >= count {
            return wrong(at / WORD, format!("exception {rank} is value {index} of {count}"));
        }
        least = index + 1;
    }
    Ok(())
}

/// Decodes a segment and returns the number of its words.
///
/// # Safety
/// `words` begin with a segment of `count` values that was encoded here or passed [`check_segment`]; after it
/// [`PADDING`](crate::codec::PADDING) words may be read; `out` has room for the values and
/// [`SLACK`](crate::codec::SLACK) more; the processor has `tier`.
#[inline]
pub unsafe fn decode_segment(tier: Tier, words: &[u32], count: usize, out: *mut u32) -> usize {
    let header = Header::of(words[0]);
    let bytes = words.as_ptr().cast::<u8>();
    // SAFETY: the slots follow the header, in the segment that was encoded or checked; padding follows it, and `out` has
    // the slack.
    unsafe { fields::unpack(tier, bytes.add(WORD / 8), header.slot_width, count, out) };
    if header.exceptions != 0 {
        // SAFETY: as above; the header is that of the segment.
        unsafe { add_highs(bytes, header, count, out) };
    }
    header.words(count)
}

/// Adds the overflows to the low bits in `out`.
///
/// # Safety
/// As [`decode_segment`]; `header` is the segment's, with exceptions; the low bits of all values are in `out`.
#[inline]
unsafe fn add_highs(segment: *const u8, header: Header, count: usize, out: *mut u32) {
    let (mut index_at, mut high_at) = (header.indices_at(count), header.highs_at(count));
    let (index_mask, high_mask) = (bits::low_mask(header.index_width), bits::low_mask(header.high_width));
    for _ in 0..header.exceptions {
        // SAFETY: both fields begin in the segment, and padding follows it. The index is below `count`, because the
        // segment was encoded or checked.
        unsafe {
            let index = (bits::read_u64(segment, index_at / 8) >> (index_at % 8)) as u32 & index_mask;
            let high = (bits::read_u64(segment, high_at / 8) >> (high_at % 8)) as u32 & high_mask;
            *out.add(index as usize) |= high << header.slot_width;
        }
        index_at += header.index_width as usize;
        high_at += header.high_width as usize;
    }
}

/// The value with that index in a segment of `count` values, without decoding the others: a field and, if there are
/// exceptions, a binary search for the index.
///
/// # Panics
/// If the words are not a segment that was encoded here or passed [`check_segment`].
#[inline]
pub fn get(words: &[u32], count: usize, index: usize) -> u32 {
    let header = Header::of(words[0]);
    let low = bits::get(words, (WORD + index * header.slot_width as usize) as u64, header.slot_width);
    let (mut from, mut to) = (0, header.exceptions);
    while from < to {
        let middle = from.midpoint(to);
        let at = header.indices_at(count) + middle * header.index_width as usize;
        match (bits::get(words, at as u64, header.index_width) as usize).cmp(&index) {
            std::cmp::Ordering::Less => from = middle + 1,
            std::cmp::Ordering::Greater => to = middle,
            std::cmp::Ordering::Equal => {
                let at = header.highs_at(count) + middle * header.high_width as usize;
                return low | bits::get(words, at as u64, header.high_width) << header.slot_width;
            }
        }
    }
    low
}

/// [`get`] with reads of eight bytes at a time, and no other branch than whether there are exceptions: for hot loops.
///
/// # Safety
/// `words` begin with a segment of `count` values that was encoded here or passed [`check_segment`]; after it
/// [`PADDING`](crate::codec::PADDING) words may be read; `index` is below `count`.
#[inline]
pub unsafe fn get_in(words: &[u32], count: usize, index: usize) -> u32 {
    let header = Header::of(words[0]);
    let stream = words.as_ptr().cast::<u8>();
    // SAFETY: every field that is read begins in the segment, and padding follows it.
    let field =
        |at: usize, width: u32| (unsafe { bits::read_u64(stream, at / 8) } >> (at % 8)) as u32 & bits::low_mask(width);
    let low = field(WORD + index * header.slot_width as usize, header.slot_width);
    if header.exceptions == 0 {
        return low;
    }
    // The last exception that is not after the value: a binary search without branches.
    let (begin, width) = (header.indices_at(count), header.index_width as usize);
    let (mut from, mut left) = (0, header.exceptions);
    while left > 1 {
        let half = left / 2;
        let is_before = field(begin + (from + half) * width, header.index_width) as usize <= index;
        from = if is_before { from + half } else { from };
        left -= half;
    }
    if field(begin + from * width, header.index_width) as usize != index {
        return low;
    }
    let at = header.highs_at(count) + from * header.high_width as usize;
    low | field(at, header.high_width) << header.slot_width
}
