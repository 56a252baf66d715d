//! The byte format: the layout of a list's words.
//!
//! A list is a sequence of little-endian `u32` words. This is version 2; version 1 lacks word 6 and the codec's own
//! words.
//!
//! | word | contents |
//! |---|---|
//! | 0 | the bytes `PSTL` |
//! | 1 | version (bits 0–7), number of the codec (8–15), the codec's parameter byte (16–23), 0 (24–31) |
//! | 2 | n, the number of docIDs |
//! | 3 | u, the largest docID (0 if n is 0) |
//! | 4 | number of payload words |
//! | 5 | CRC-32 (IEEE) of all other words |
//! | 6 | number of the codec's own words |
//! | 7 … | the codec's own words |
//! | … | the last docID of each block, unless the codec derives them |
//! | … | for codecs of gaps: the word of the payload at which each block begins |
//! | … | payload |

use crate::base::error::{Error, Result};
use crate::codec::{BLOCK, Codec, Encoded, OWN_COUNT, Shape, dispatch};
use byteorder::{ByteOrder, LittleEndian};

const MAGIC: u32 = u32::from_le_bytes(*b"PSTL");
/// Words of the header in version 1. The header of version 2 begins with the same words.
pub(crate) const HEADER_WORDS: usize = OWN_COUNT;
/// The index of the word that holds the number of payload words, and of that with the checksum.
const PAYLOAD_WORDS: usize = 4;
pub(super) const CHECKSUM: usize = 5;
/// The versions that can be read.
const VERSIONS: std::ops::RangeInclusive<u32> = 1..=2;

const NAME: &str = "posting list";

/// An error for a damaged list; `word` is the index of the word at fault.
pub(super) fn corrupt(item: impl Into<String>, word: usize, what: impl Into<String>) -> Error {
    Error::corrupt(NAME, item, 4 * word, what)
}

/// The contents of a header, and the word at which each part of the list begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) codec: Codec,
    pub(super) shape: Shape,
    pub(super) own_at: usize,
    pub(super) lasts_at: usize,
    pub(super) starts_at: usize,
    pub(super) payload_at: usize,
}

impl Layout {
    fn new(version: u32, codec: Codec, shape: Shape) -> Layout {
        let blocks = shape.count.div_ceil(BLOCK);
        let own_at = if version == 1 { HEADER_WORDS } else { HEADER_WORDS + 1 };
        let lasts_at = own_at + shape.own_words;
        let stores_lasts = !dispatch!(codec, C => C::DERIVES_LASTS);
        let starts_at = if stores_lasts { lasts_at + blocks } else { lasts_at };
        let has_starts = dispatch!(codec, C => C::HAS_STARTS);
        let payload_at = if has_starts { starts_at + blocks } else { starts_at };
        Layout { codec, shape, own_at, lasts_at, starts_at, payload_at }
    }

    /// The length of the whole list in words.
    pub(super) fn words(&self) -> usize {
        self.payload_at + self.shape.payload_words
    }

    /// Whether the last docIDs are not among the words.
    pub(super) fn derives_lasts(&self) -> bool {
        dispatch!(self.codec, C => C::DERIVES_LASTS)
    }

    /// The list with this layout in its padded `words`, as its codec sees it. `derived` are the last docIDs that are not
    /// among the words.
    pub(super) fn encoded<'w>(&self, words: &'w [u32], derived: &'w [u32]) -> Encoded<'w> {
        let stored = &words[self.lasts_at..self.starts_at];
        Encoded {
            count: self.shape.count,
            universe: self.shape.universe,
            parameter: self.shape.parameter,
            own: &words[self.own_at..self.lasts_at],
            last_doc_ids: if stored.is_empty() { derived } else { stored },
            starts: &words[self.starts_at..self.payload_at],
            payload: &words[self.payload_at..],
            payload_words: self.shape.payload_words,
        }
    }

    /// The layout of a new list, and its words up to the directory. The number of payload words is filled in by
    /// [`count_payload`], the checksum when the list leaves the process.
    pub(super) fn begin(version: u32, codec: Codec, shape: Shape, own: &[u32]) -> (Layout, Vec<u32>) {
        let format = version | (codec as u32) << 8 | shape.parameter << 16;
        let mut words = vec![MAGIC, format, shape.count as u32, shape.universe, 0, 0];
        if version >= 2 {
            words.push(own.len() as u32);
            words.extend(own);
        }
        (Layout::new(version, codec, shape), words)
    }

    /// Reads and checks the header of the list in `bytes`: the codec accepts the shape, and the parts fill `bytes`
    /// exactly. Allocates nothing that depends on the input.
    pub(super) fn read(bytes: &[u8]) -> Result<Layout> {
        let word = |at: usize| LittleEndian::read_u32(&bytes[4 * at..]);
        if bytes.len() < 4 * HEADER_WORDS {
            return Err(Error::corrupt(NAME, "header", bytes.len(), "ends within the header"));
        }
        if word(0) != MAGIC {
            return Err(corrupt("header", 0, "does not begin with PSTL"));
        }
        let [version, codec, parameter, unused] = word(1).to_le_bytes();
        let version = u32::from(version);
        if !VERSIONS.contains(&version) {
            let (first, last) = VERSIONS.into_inner();
            return Err(corrupt("header", 1, format!("version {version} is not known, {first} to {last} are")));
        }
        let number = codec;
        let codec = Codec::from_number(number).filter(|&codec| version >= dispatch!(codec, C => C::VERSION));
        let codec = codec.ok_or_else(|| corrupt("header", 1, format!("codec {number} is not known")))?;
        if unused != 0 {
            return Err(corrupt("header", 1, "unused bits are not 0"));
        }
        let own_words = match version {
            1 => 0,
            _ if bytes.len() < 4 * HEADER_WORDS + 4 => {
                return Err(Error::corrupt(NAME, "header", bytes.len(), "ends within the header"));
            }
            _ => word(HEADER_WORDS) as usize,
        };
        let shape = Shape {
            count: word(2) as usize,
            universe: word(3),
            parameter: parameter.into(),
            own_words,
            payload_words: word(PAYLOAD_WORDS) as usize,
        };
        if shape.count == 0 && shape.universe != 0 {
            return Err(corrupt("header", 3, "an empty list has no largest docID"));
        }
        if shape.universe as usize + 1 < shape.count {
            return Err(corrupt("header", 2, format!("{} docIDs up to {}", shape.count, shape.universe)));
        }
        dispatch!(codec, C => C::check_shape(&shape)).map_err(|(at, what)| corrupt("header", at, what))?;
        let layout = Layout::new(version, codec, shape);
        if bytes.len() != 4 * layout.words() {
            let (expected, given, count) = (4 * layout.words(), bytes.len(), shape.count);
            let what = format!("{expected} bytes are needed for {count} docIDs, {given} given");
            return Err(corrupt("header", 0, what));
        }
        Ok(layout)
    }
}

/// Fills in the number of payload words.
///
/// # Errors
/// [`Error::Argument`] if there are too many.
pub(super) fn count_payload(words: &mut [u32], shape: &Shape) -> Result<()> {
    let too_many = |_| Error::Argument("a posting list holds at most 2^32 - 1 words".into());
    words[PAYLOAD_WORDS] = u32::try_from(shape.payload_words).map_err(too_many)?;
    Ok(())
}

/// CRC-32 of all words except the checksum.
pub(super) fn checksum(words: &[u32]) -> u32 {
    let mut crc = crc32fast::Hasher::new();
    for part in [&words[..CHECKSUM], &words[CHECKSUM + 1..]] {
        if cfg!(target_endian = "little") {
            crc.update(bytemuck::cast_slice(part));
        } else {
            part.iter().for_each(|word| crc.update(&word.to_le_bytes()));
        }
    }
    crc.finalize()
}
