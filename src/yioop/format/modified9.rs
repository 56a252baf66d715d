//! Modified 9: Yioop's variant of Simple-9, for short lists of values ≥ 1, stored one after the other.
//!
//! ```text
//!  31 30 29          28 … 24                               0
//! ┌─────┬──────────────────┬────────────────────────────────┐
//! │place│ prefix           │ values, the last at the low end│
//! └─────┴──────────────────┴────────────────────────────────┘
//! place   11 first word of a list   10 middle   01 last word   00 the only word
//! prefix  00   01   10   1100  1101  1110  11110  111110  111111
//! values   1    2    3      4     5     6      7      12      24
//! bits    28   14    9      6     5     4      3       2       1
//! ```
//! Words are big-endian. Values are never 0: a word with fewer values than its layout holds has zeros above them, so
//! `[1, 2]` is `0x3E000006` (12 × 2 bits, two of them used). Bits that belong neither to the prefix nor to a value are
//! 0. There is no length: the places of its words say where a list ends.
//!
//! The encoder fills a word as long as the values fit. It writes exactly Yioop's bytes, including two of Yioop's
//! habits: the layout depends on the widest value so far, *not* on how many values are left; and from the second word
//! on, a word's first value (unless it is 1) counts as one bit wider than it is, so a value of 14 bits may take a whole
//! word.
//!
//! At worst 32 bits per value, at best 32/24.

use crate::base::error::{Error, Result};

/// The largest value that can be coded.
pub const MAX_VALUE: u32 = (1 << 28) - 1;

/// The most values that a word holds.
pub const MAX_VALUES: usize = 24;

/// What error messages call this codec.
pub(crate) const NAME: &str = "modified9";

/// How a word is cut into values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout {
    /// The prefix, in bits 29 … 24 of the word, followed by zeros.
    pub prefix: u32,
    /// Bits of a value.
    pub width: u32,
    /// Values of a full word.
    pub count: u32,
    /// The highest bit of each value.
    pub high_bits: u32,
    /// All other bits of the values.
    pub low_bits: u32,
    /// Bits 29 … 0 that belong neither to the prefix nor to a value.
    pub unused: u32,
}

impl Layout {
    /// `prefix_bits`: how many of the bits 29 … 24 are the prefix.
    const fn new(prefix: u32, prefix_bits: u32, width: u32, count: u32) -> Layout {
        let mut high_bits = 0;
        let mut i = 0;
        while i < count {
            high_bits |= 1 << (i * width + width - 1);
            i += 1;
        }
        let payload = (1 << (width * count)) - 1;
        Layout {
            prefix: prefix << 24,
            width,
            count,
            high_bits,
            low_bits: payload & !high_bits,
            unused: ((1 << (30 - prefix_bits)) - 1) & !payload,
        }
    }

    /// The highest bit of each value of `word` that is not 0.
    fn nonzero(&self, word: u32) -> u32 {
        (((word & self.low_bits) + self.low_bits) | word) & self.high_bits
    }

    pub(crate) fn payload(&self, word: u32) -> u32 {
        word & (self.high_bits | self.low_bits)
    }
}

/// The layouts, widest values first.
pub(crate) const LAYOUTS: [Layout; 9] = [
    Layout::new(0b000000, 2, 28, 1),
    Layout::new(0b010000, 2, 14, 2),
    Layout::new(0b100000, 2, 9, 3),
    Layout::new(0b110000, 4, 6, 4),
    Layout::new(0b110100, 4, 5, 5),
    Layout::new(0b111000, 4, 4, 6),
    Layout::new(0b111100, 5, 3, 7),
    Layout::new(0b111110, 6, 2, 12),
    Layout::new(0b111111, 6, 1, 24),
];

/// The layout of a word, by its bits 29 … 24: the last of [`LAYOUTS`] all of whose prefix bits are set there.
pub(crate) const BY_PREFIX: [Layout; 64] = {
    let mut table = [LAYOUTS[0]; 64];
    let mut bits = 0;
    while bits < 64 {
        let mut i = 0;
        while i < 9 {
            let prefix = LAYOUTS[i].prefix >> 24;
            if bits as u32 & prefix == prefix {
                table[bits] = LAYOUTS[i];
            }
            i += 1;
        }
        bits += 1;
    }
    table
};

/// The narrowest layout for values of that many bits, as an index into [`LAYOUTS`].
const BY_WIDTH: [u8; 30] = {
    let mut table = [0; 30];
    let mut width = 1;
    while width < 30 {
        let mut i = 0;
        while i < 9 && LAYOUTS[i].width >= width {
            table[width as usize] = i as u8;
            i += 1;
        }
        width += 1;
    }
    table
};

pub(crate) fn layout(word: u32) -> &'static Layout {
    &BY_PREFIX[(word >> 24 & 63) as usize]
}

/// Where a word stands in its list: its top two bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// 00: it is the whole list.
    Only,
    /// 01: the last of several.
    Last,
    /// 10: neither the first nor the last.
    Middle,
    /// 11: the first of several.
    First,
}

impl Place {
    /// The place of a word.
    pub fn of(word: u32) -> Place {
        match word >> 30 {
            0 => Place::Only,
            1 => Place::Last,
            2 => Place::Middle,
            _ => Place::First,
        }
    }

    /// Whether a list begins with it.
    pub fn begins(self) -> bool {
        matches!(self, Place::Only | Place::First)
    }

    /// Whether a list ends with it.
    pub fn ends(self) -> bool {
        matches!(self, Place::Only | Place::Last)
    }
}

/// The values of a word, first to last.
///
/// For a word that no encoder writes (see [`fault`]), the values that Yioop reads: those after the last 0.
#[derive(Debug, Clone)]
pub struct Values {
    payload: u32,
    width: u32,
    /// Bit of the next value's low end, below 0 at the end.
    shift: i32,
}

impl Values {
    /// The values of `word`, whatever its place.
    pub fn of(word: u32) -> Values {
        let layout = layout(word);
        let zeros = layout.high_bits & !layout.nonzero(word);
        // The bits below the lowest value that is 0; all bits if there is none.
        let below = match zeros & zeros.wrapping_neg() {
            0 => u32::MAX,
            lowest => (lowest >> (layout.width - 1)) - 1,
        };
        Values::of_payload(layout.payload(word) & below, layout)
    }

    /// The values of a word without [`fault`]. For other words, those from the first nonzero value on.
    #[inline]
    pub(crate) fn of_sound(word: u32) -> Values {
        let layout = layout(word);
        Values::of_payload(layout.payload(word), layout)
    }

    #[inline]
    fn of_payload(payload: u32, layout: &Layout) -> Values {
        let shift = match layout.nonzero(payload) {
            0 => -1,
            nonzero => 32 - nonzero.leading_zeros() as i32 - layout.width as i32,
        };
        Values { payload, width: layout.width, shift }
    }
}

impl Iterator for Values {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        if self.shift < 0 {
            return None;
        }
        let value = (self.payload >> self.shift) & ((1 << self.width) - 1);
        self.shift -= self.width as i32;
        Some(value)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = ((self.shift + self.width as i32) / self.width as i32) as usize;
        (left, Some(left))
    }
}

impl ExactSizeIterator for Values {}

/// The first value of a word without [`fault`].
#[inline]
pub(crate) fn first_value(word: u32) -> u32 {
    let layout = layout(word);
    layout.payload(word) >> (32 - layout.nonzero(word).leading_zeros() - layout.width)
}

/// Why no encoder writes this word, apart from its place; `None` if it is sound.
#[inline]
pub fn fault(word: u32) -> Option<&'static str> {
    let layout = layout(word);
    let payload = layout.payload(word);
    let zeros = layout.high_bits & !layout.nonzero(word);
    let lowest_zero = zeros & zeros.wrapping_neg();
    if payload == 0 {
        Some("it holds no value")
    } else if zeros != 0 && payload >= lowest_zero {
        Some("a value of 0 stands behind another value")
    } else if word & layout.unused != 0 {
        Some("bits that belong to no value are set")
    } else {
        None
    }
}

/// Appends the words of a list to `out`, as [`encode`] does. Errors count values from `index_of_first`.
pub(crate) fn encode_into(
    values: impl IntoIterator<Item = u32>,
    index_of_first: usize,
    out: &mut Vec<u8>,
) -> Result<()> {
    let mut word = Word { values: [0; MAX_VALUES], len: 0 };
    // `width` chooses the layout; `reach` is the widest value that does not change it. See the head of this file.
    let (mut width, mut reach) = (1, 1);
    let mut first = true;
    for (i, value) in values.into_iter().enumerate() {
        if value == 0 || value > MAX_VALUE {
            return Err(Error::NotCodable {
                codec: NAME,
                index: index_of_first.wrapping_add(i),
                value: value.into(),
                limit: "values are 1 to 2^28 - 1",
            });
        }
        let before = width;
        let bits = 32 - value.leading_zeros();
        if bits > reach {
            width = bits.max(width + 1);
            reach = width;
        }
        if word.len >= layout_for(width).count as usize {
            word.write(if first { 0b11 } else { 0b10 }, layout_for(before), out);
            first = false;
            reach = bits;
            width = if value == 1 { 1 } else { bits + 1 };
        }
        word.values[word.len] = value;
        word.len += 1;
    }
    if word.len == 0 {
        return Err(Error::Argument("modified9 cannot code a list without values".into()));
    }
    word.write(if first { 0b00 } else { 0b01 }, layout_for(width), out);
    Ok(())
}

/// The layout for values of `width` bits. (29 is Yioop's width for a value of 28 bits.)
fn layout_for(width: u32) -> &'static Layout {
    &LAYOUTS[BY_WIDTH[width as usize] as usize]
}

/// The values of the word that is being filled.
struct Word {
    values: [u32; MAX_VALUES],
    len: usize,
}

impl Word {
    fn write(&mut self, place: u32, layout: &Layout, out: &mut Vec<u8>) {
        let payload = self.values[..self.len].iter().fold(0, |payload, &value| payload << layout.width | value);
        out.extend_from_slice(&(place << 30 | layout.prefix | payload).to_be_bytes());
        self.len = 0;
    }
}

/// Encodes values of 1 to [`MAX_VALUE`] as one list. Linear time.
///
/// # Errors
/// [`Error::NotCodable`] for a value of 0 or 2^28 and more; [`Error::Argument`] if there is no value.
pub fn encode(values: &[u32]) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    encode_into(values.iter().copied(), 0, &mut out)?;
    Ok(out)
}

/// Decodes the list at the beginning of `bytes`: its values, and how many bytes it takes. What follows is ignored.
///
/// # Errors
/// [`Error::Corrupt`] if `bytes` does not begin with a whole list as [`encode`] writes it.
pub fn decode(bytes: &[u8]) -> Result<(Vec<u32>, usize)> {
    let mut values = Vec::new();
    let mut words = words(bytes);
    for word in &mut words {
        values.extend(Values::of(word?));
    }
    Ok((values, words.at))
}

/// The words of the list at the beginning of `bytes`, each checked when it is reached; none if `bytes` is empty. Ends
/// after the list's last word, or after the first error.
pub fn words(bytes: &[u8]) -> Words<'_> {
    Words { bytes, at: 0, done: bytes.is_empty() }
}

/// See [`words`].
#[derive(Debug, Clone)]
pub struct Words<'a> {
    bytes: &'a [u8],
    at: usize,
    done: bool,
}

impl Iterator for Words<'_> {
    type Item = Result<u32>;

    fn next(&mut self) -> Option<Result<u32>> {
        if self.done {
            return None;
        }
        let at = self.at;
        let word = checked_word(self.bytes, at, (at != 0).then_some(0));
        self.done = !matches!(word, Ok(word) if !Place::of(word).ends());
        self.at += if word.is_ok() { 4 } else { 0 };
        Some(word)
    }
}

/// The word at byte `at` (a multiple of 4), checked. `open` is the byte at which the list began that the word has to
/// continue, if there is one.
pub(crate) fn checked_word(bytes: &[u8], at: usize, open: Option<usize>) -> Result<u32> {
    let corrupt = |what: String| Err(Error::corrupt(NAME, format!("word {}", at / 4), at, what));
    let rest = &bytes[at.min(bytes.len())..];
    let Some(word) = rest.first_chunk() else {
        return corrupt(match (rest.len(), open) {
            (0, Some(begin)) => format!("the input ends before the posting that begins at byte {begin} does"),
            (0, None) => "the input ends where a posting is to begin".into(),
            (part, _) => format!("{} of its 4 bytes are missing", 4 - part),
        });
    };
    let word = u32::from_be_bytes(*word);
    match (Place::of(word).begins(), open) {
        (true, Some(begin)) => {
            corrupt(format!("it begins a posting, but the one that begins at byte {begin} has not ended"))
        }
        (false, None) => corrupt("it goes on with a posting, but none has begun".into()),
        _ => match fault(word) {
            Some(what) => corrupt(what.into()),
            None => Ok(word),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Values by the definition: slots from the low end up to the first 0.
    fn naive(word: u32) -> Vec<u32> {
        let layout = LAYOUTS.iter().rfind(|layout| word & layout.prefix == layout.prefix).unwrap();
        let slots = (0..layout.count).map(|i| (word >> (i * layout.width)) & ((1 << layout.width) - 1));
        let mut values: Vec<u32> = slots.take_while(|&value| value != 0).collect();
        values.reverse();
        values
    }

    #[test]
    fn layouts_are_as_drawn() {
        for layout in LAYOUTS {
            assert_eq!(layout.high_bits.count_ones(), layout.count);
            assert_eq!((layout.high_bits | layout.low_bits).count_ones(), layout.count * layout.width);
            assert_eq!(layout.unused & (layout.high_bits | layout.low_bits | layout.prefix), 0);
        }
        let unused: Vec<u32> = LAYOUTS.iter().map(|layout| layout.unused.count_ones()).collect();
        assert_eq!(unused, [0, 0, 1, 2, 1, 2, 4, 0, 0]);
    }

    #[test]
    fn one_word() {
        assert_eq!(encode(&[1, 2]).unwrap(), [0x3E, 0, 0, 6]);
        assert_eq!(encode(&[MAX_VALUE]).unwrap(), [0x0F, 0xFF, 0xFF, 0xFF]);
        assert_eq!(decode(&[0x3E, 0, 0, 6, 0xFF]).unwrap(), (vec![1, 2], 4));
    }

    #[test]
    fn what_cannot_be_coded_is_refused() {
        let index = |values: &[u32]| match encode(values) {
            Err(Error::NotCodable { index, value, .. }) => (index, value),
            other => panic!("{other:?}"),
        };
        assert_eq!(index(&[0]), (0, 0));
        assert_eq!(index(&[7, 8, 1 << 28]), (2, 1 << 28));
        assert_eq!(index(&[7, u32::MAX]), (1, u64::from(u32::MAX)));
        assert!(matches!(encode(&[]), Err(Error::Argument(_))));
    }

    #[test]
    fn damage_is_named() {
        let text = |words: &[u32], cut: usize| {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
            decode(&bytes[..bytes.len() - cut]).unwrap_err().to_string()
        };
        assert_eq!(text(&[0xC000_0005, 0x6000_0025], 1), "modified9: word 1 at byte 4: 1 of its 4 bytes are missing");
        assert_eq!(
            text(&[0xC000_0005], 0),
            "modified9: word 1 at byte 4: the input ends before the posting that begins at byte 0 does"
        );
        assert_eq!(
            text(&[0x6000_0025], 0),
            "modified9: word 0 at byte 0: it goes on with a posting, but none has begun"
        );
        assert_eq!(
            text(&[0xC000_0005, 5], 0),
            "modified9: word 1 at byte 4: it begins a posting, but the one that begins at byte 0 has not ended"
        );
        assert_eq!(text(&[0], 0), "modified9: word 0 at byte 0: it holds no value");
        assert_eq!(text(&[0x1000_4000], 0), "modified9: word 0 at byte 0: a value of 0 stands behind another value");
        assert_eq!(text(&[0x2800_0001], 0), "modified9: word 0 at byte 0: bits that belong to no value are set");
    }

    proptest! {
        #[test]
        fn lists_come_back(
            values in prop::collection::vec(prop_oneof![Just(1u32), 1u32..4, 1u32..70, 1u32..20_000, 1..=MAX_VALUE], 1..200),
            junk in prop::collection::vec(any::<u8>(), 0..9),
        ) {
            let mut bytes = encode(&values).unwrap();
            let len = bytes.len();
            bytes.extend(junk);
            prop_assert_eq!(decode(&bytes).unwrap(), (values, len));
            for cut in 0..len {
                prop_assert_eq!(decode(&bytes[..cut]).is_ok(), cut == 0);
            }
        }

        #[test]
        fn words_are_read_by_the_definition(word in any::<u32>(), ones in 0u32..7) {
            // `ones` favours the rare prefixes.
            let word = word | (0x3F00_0000 & !(0x3FFF_FFFFu32 >> ones));
            let values = naive(word);
            prop_assert_eq!(Values::of(word).collect::<Vec<_>>(), &values[..]);
            prop_assert_eq!(Values::of(word).len(), values.len());
            let written = {
                let layout = layout(word);
                let payload = values.iter().fold(0, |payload, value| payload << layout.width | value);
                word & 0xC000_0000 | layout.prefix | payload
            };
            prop_assert_eq!(fault(word).is_none(), written == word && !values.is_empty());
            if fault(word).is_none() {
                prop_assert_eq!(first_value(word), values[0]);
            }
        }
    }
}
