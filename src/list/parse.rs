//! The checked parser of the byte format: nothing is decoded or allocated before its size is known to be right.

use super::{HEADER_WORDS, Inner, MAGIC, NEXT_ID, PostingList, VERSION};
use crate::codec::{BLOCK, Codec, quasi_succinct, simple9};
use crate::error::{Error, Result};
use byteorder::{ByteOrder, LittleEndian};
use std::sync::Arc;
use std::sync::atomic::Ordering;

const NAME: &str = "posting list";

fn corrupt(item: impl Into<String>, word: usize, what: impl Into<String>) -> Error {
    Error::corrupt(NAME, item, 4 * word, what)
}

/// CRC-32 of all words but the checksum.
pub(super) fn checksum(words: &[u32]) -> u32 {
    let mut crc = crc32fast::Hasher::new();
    let mut bytes = [0; 4096];
    for part in [&words[..HEADER_WORDS - 1], &words[HEADER_WORDS..]] {
        for chunk in part.chunks(bytes.len() / 4) {
            let bytes = &mut bytes[..4 * chunk.len()];
            LittleEndian::write_u32_into(chunk, bytes);
            crc.update(bytes);
        }
    }
    crc.finalize()
}

pub(super) fn from_bytes(bytes: &[u8]) -> Result<PostingList> {
    let used = bytes.len() / 4;
    if used < HEADER_WORDS {
        return Err(Error::corrupt(NAME, "header", bytes.len(), "ends within the header"));
    }
    let mut header = [0; HEADER_WORDS];
    LittleEndian::read_u32_into(&bytes[..4 * HEADER_WORDS], &mut header);
    let [magic, format, count, universe, payload_words, _] = header;
    if magic != MAGIC {
        return Err(corrupt("header", 0, "does not begin with PSTL"));
    }
    let [version, codec, lower_width, unused] = format.to_le_bytes();
    if u32::from(version) != VERSION {
        return Err(corrupt("header", 1, format!("version {version} is not known, {VERSION} is")));
    }
    let codec = Codec::from_number(codec).ok_or_else(|| corrupt("header", 1, format!("codec {codec} is not known")))?;
    let lower_width = u32::from(lower_width);
    if unused != 0
        || lower_width > quasi_succinct::MAX_LOWER_WIDTH
        || (lower_width != 0 && (codec != Codec::QuasiSuccinct || count == 0))
    {
        return Err(corrupt("header", 1, "unused bits are not 0"));
    }
    if count == 0 && universe != 0 {
        return Err(corrupt("header", 3, "an empty list has no largest docID"));
    }
    let count = count as usize;
    let blocks = count.div_ceil(BLOCK);
    let (directory, payload_expected) = match codec {
        Codec::Simple9 => (2 * blocks, u64::from(payload_words)),
        Codec::QuasiSuccinct => {
            let (lower, upper) = quasi_succinct::sizes(count, universe, lower_width);
            (blocks, lower + upper)
        }
    };
    if u64::from(payload_words) != payload_expected {
        return Err(corrupt(
            "header",
            4,
            format!("{payload_words} words of payload where {payload_expected} are needed"),
        ));
    }
    let payload = HEADER_WORDS + directory;
    let expected = 4 * (payload as u64 + payload_expected);
    if bytes.len() as u64 != expected {
        return Err(corrupt(
            "header",
            0,
            format!("{expected} bytes are needed for {count} docIDs, {} given", bytes.len()),
        ));
    }
    let mut words = vec![0; used + quasi_succinct::PADDING];
    LittleEndian::read_u32_into(bytes, &mut words[..used]);
    if checksum(&words[..used]) != words[5] {
        return Err(corrupt("header", 5, "the checksum does not match"));
    }
    let list = PostingList {
        inner: Arc::new(Inner {
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            codec,
            lower_width,
            count,
            universe,
            used,
            payload,
            words,
        }),
    };
    check_directory(&list)?;
    match codec {
        Codec::Simple9 => check_simple9(&list)?,
        Codec::QuasiSuccinct => check_quasi_succinct(&list)?,
    }
    Ok(list)
}

/// The last docIDs increase up to u.
fn check_directory(list: &PostingList) -> Result<()> {
    let lasts = list.last_doc_ids();
    if let Some(at) = lasts.windows(2).position(|pair| pair[0] >= pair[1]) {
        return Err(corrupt(
            format!("directory, block {}", at + 1),
            HEADER_WORDS + at + 1,
            "its last docID is not greater than the one before",
        ));
    }
    match lasts.last() {
        Some(&last) if last != list.universe() => Err(corrupt(
            "header",
            3,
            format!("the largest docID is {last} by the directory, {} by the header", list.universe()),
        )),
        _ => Ok(()),
    }
}

/// Every block begins where the directory says, holds its number of docIDs and ends with its last one.
fn check_simple9(list: &PostingList) -> Result<()> {
    let inner = &*list.inner;
    let payload_words = inner.used - inner.payload;
    let starts_at = HEADER_WORDS + list.blocks();
    let starts = &inner.words[starts_at..inner.payload];
    if list.is_empty() && payload_words != 0 {
        return Err(corrupt("header", 4, "an empty list has no payload"));
    }
    for (block, &start) in starts.iter().enumerate() {
        let least = if block == 0 { 0 } else { starts[block - 1] as usize + 1 };
        let start = start as usize;
        if start < least || start >= payload_words || (block == 0 && start != 0) {
            return Err(corrupt(
                format!("directory, block {block}"),
                starts_at + block,
                format!("begins at payload word {start}"),
            ));
        }
    }
    let mut previous = simple9::BEFORE_FIRST;
    for (block, &last) in list.last_doc_ids().iter().enumerate() {
        let first_word = starts[block] as usize;
        let offset = 4 * (inner.payload + first_word);
        let checked = simple9::check(list.simple9_block(block), previous, first_word, offset)?;
        let wanted = simple9::Checked { count: list.block_len(block), last };
        if checked != wanted {
            return Err(Error::corrupt(
                NAME,
                format!("block {block}"),
                offset,
                format!(
                    "{} docIDs up to {} where the directory has {} up to {last}",
                    checked.count, checked.last, wanted.count
                ),
            ));
        }
        previous = last;
    }
    Ok(())
}

/// The stop bits are as many as docIDs; every block increases from the one before and ends with its last docID. The
/// place of a block depends on the last docID before it, so blocks are checked in order.
fn check_quasi_succinct(list: &PostingList) -> Result<()> {
    let parts = list.quasi_succinct();
    let inner = &*list.inner;
    let (lower_words, _) = quasi_succinct::sizes(inner.count, inner.universe, inner.lower_width);
    let lower_at = inner.payload;
    let upper_at = lower_at + lower_words as usize;
    quasi_succinct::check(&parts, (4 * lower_at, 4 * upper_at))?;
    let mut buffer = crate::codec::block_buffer();
    let mut previous = None;
    for (block, &last) in list.last_doc_ids().iter().enumerate() {
        let doc_ids = list.decode_block(block, &mut buffer);
        if let Some(at) = quasi_succinct::not_increasing(doc_ids, previous) {
            return Err(corrupt(
                format!("docID {}", block * BLOCK + at),
                lower_at,
                "is not greater than the one before",
            ));
        }
        if doc_ids.last() != Some(&last) {
            return Err(corrupt(
                format!("directory, block {block}"),
                HEADER_WORDS + block,
                "its last docID is not the one of the payload",
            ));
        }
        previous = Some(last);
    }
    Ok(())
}
