//! An index that is asked from elsewhere: the bytes of requests and responses, and the leaf that answers.
//!
//! Who asks has no index, only its [schema](Question::Schema), by which it names fields. It sends the bytes however it likes: by
//! HTTP, for instance.
//!
//! | file | what |
//! |---|---|
//! | `question` | [`Question`]: what a leaf can be asked, and its bytes |
//! | `options` | [`Options`](crate::search::Options) as bytes |
//! | `condition` | conditions of a filter as bytes |
//! | `response` | [`Response`]: what it answers, and its bytes |
//! | `ranking` | a part of it: what hits that are fused by ranks are made of |
//! | `write` | what all of these have in common |
//! | `leaf` | [`handle`]: a request in, a response out |
//!
//! # Bytes
//! ```text
//! request   "PREQ", version u8 (1), fingerprint u64 of the schema (0 if that is asked for), whether a commit is wanted u8, if so
//!           its index u64 and number u64; what is asked u8, question; CRC-32 u32 of all before
//! response  "PRES", version u8 (1), commit: index u64 and number u64; refusal u8 (0: none), then the answer, or a text;
//!           CRC-32 u32 of all before
//! ```
//! Numbers without a type are LEB128; strings are such a length and the bytes; u64, u32 and floats are little-endian.
//!
//! # Bounds
//! Neither is longer than [`MOST_BYTES`], a request wants at most [`MOST_HITS`] hits and values of facets, what hits are ordered by
//! and their stored fields take at most [`MOST_BYTES`], a response has no more than was asked for, and what is read takes memory
//! in proportion to its bytes. Whatever the bytes are, reading them ends with a value or a typed error.

mod condition;
mod leaf;
mod options;
mod question;
mod ranking;
mod response;
#[cfg(test)]
mod tests;
mod write;

pub use leaf::handle;
pub use question::{MOST_QUERIES, Question};
pub use response::{Answer, LeafFound, Response, commit_of, schema_of};

use crate::base::error::{Error, Refusal, Result};
use crate::base::reader::Reader;

/// The version of the exchange.
pub const VERSION: u8 = 1;

/// More bytes are neither written nor read.
pub const MOST_BYTES: usize = 1 << 27;

/// The most hits and values of facets that one request may want, over all its queries.
pub const MOST_HITS: usize = 1 << 20;

/// A commit of an index: the number of the index, which tells it from all others, and that of the commit.
pub type Commit = (u64, u64);

fn refused(why: Refusal, what: impl Into<String>) -> Error {
    Error::Refused { why, what: what.into() }
}

/// A commit in words: 16 hexadecimal digits for the index, a hyphen, and the number.
pub fn shown((index, number): Commit) -> String {
    format!("{index:016x}-{number}")
}

fn put_commit(out: &mut Vec<u8>, (index, number): Commit) {
    out.extend(index.to_le_bytes());
    out.extend(number.to_le_bytes());
}

fn read_commit(reader: &mut Reader) -> Result<Commit> {
    Ok((reader.u64("index")?, reader.u64("commit")?))
}

/// The commit that is [`shown`] so.
pub fn commit_shown(text: &str) -> Option<Commit> {
    let (index, number) = text.split_once('-')?;
    let commit = (u64::from_str_radix(index, 16).ok()?, number.parse().ok()?);
    (shown(commit) == text).then_some(commit)
}

/// Ends bytes with their checksum.
fn sealed(mut out: Vec<u8>) -> Result<Vec<u8>> {
    out.extend(crc32fast::hash(&out).to_le_bytes());
    match out.len() <= MOST_BYTES {
        true => Ok(out),
        false => Err(refused(Refusal::Request, format!("{} bytes are more than {MOST_BYTES}", out.len()))),
    }
}

/// What is between the version and the checksum.
fn opened<'b>(of: &'static str, magic: &[u8; 4], bytes: &'b [u8]) -> Result<Reader<'b>> {
    let corrupt = |item: &str, offset: usize, what: String| Error::corrupt(of, item, offset, what);
    if bytes.len() > MOST_BYTES {
        return Err(corrupt("end", bytes.len(), format!("more than {MOST_BYTES} bytes")));
    }
    if !bytes.starts_with(magic) {
        return Err(corrupt("begin", 0, format!("it does not begin with {}", magic.escape_ascii())));
    }
    match bytes.get(magic.len()) {
        Some(&VERSION) => (),
        Some(other) => {
            let what = format!("the {of} is of version {other} of the exchange, and this is version {VERSION}");
            return Err(refused(Refusal::Version, what));
        }
        None => return Err(corrupt("version", bytes.len(), "the bytes end before it".into())),
    }
    match bytes.split_last_chunk::<4>() {
        Some((content, crc)) if content.len() > magic.len() && crc32fast::hash(content).to_le_bytes() == *crc => {
            let mut reader = Reader::new(of, content);
            reader.take(magic.len() + 1, "begin")?;
            Ok(reader)
        }
        _ => Err(corrupt("checksum", bytes.len(), "it is wrong, or the bytes are cut off".into())),
    }
}
