//! Statistics as bytes.
//!
//! ```text
//! "PSTA", version u8 (1), fingerprint u64
//! indexes, documents; text fields: how many, per field its number u8, name, tokens
//! terms: how many fields have some, per field its number u8, how many terms; per term, increasing:
//!     term, documents, indexes
//! expansions: how many kinds, per kind field u8, of u8, how many; per expansion, increasing:
//!     what was typed, indexes, rest of each class, how many words; per word, increasing:
//!         word, class u8, documents, more
//! CRC-32 u32 of all before
//! ```
//! Numbers without a type are LEB128; strings are such a length and the bytes. u64 and u32 are little-endian. Equal statistics
//! have equal bytes.

use super::{ByBytes, CLASSES, Count, Expansion, Field, MOST_DOCUMENTS, Statistics, Told};
use crate::base::error::{Error, Result};
use crate::base::identity::Identity;
use crate::base::leb128::{put as number, put_string};
use crate::base::reader::Reader;
use std::collections::BTreeMap;

const MAGIC: &[u8; 4] = b"PSTA";
const VERSION: u8 = 1;

impl Statistics {
    /// More bytes are not read.
    pub const MOST_BYTES: usize = 1 << 26;

    /// As bytes: those of each term, and some five more.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        out.extend(MAGIC);
        out.push(VERSION);
        out.extend(self.fingerprint.to_le_bytes());
        number(&mut out, self.indexes.into());
        number(&mut out, self.documents);
        number(&mut out, self.fields.len() as u64);
        for field in &self.fields {
            out.push(field.number);
            put_string(&mut out, field.name.as_bytes());
            number(&mut out, field.tokens);
        }
        number(&mut out, self.terms.len() as u64);
        for (&field, terms) in &self.terms {
            out.push(field);
            number(&mut out, terms.len() as u64);
            for (term, count) in terms {
                put_string(&mut out, term);
                number(&mut out, count.documents);
                number(&mut out, count.indexes.into());
            }
        }
        number(&mut out, self.expansions.len() as u64);
        for (&(field, of), expansions) in &self.expansions {
            out.extend([field, of]);
            number(&mut out, expansions.len() as u64);
            for (typed, expansion) in expansions {
                put_string(&mut out, typed);
                number(&mut out, expansion.indexes.into());
                expansion.rest.iter().for_each(|&rest| number(&mut out, rest));
                number(&mut out, expansion.words.len() as u64);
                for (word, told) in &expansion.words {
                    put_string(&mut out, word);
                    out.push(told.class);
                    number(&mut out, told.documents);
                    number(&mut out, told.more);
                }
            }
        }
        out.extend(crc32fast::hash(&out).to_le_bytes());
        out
    }

    /// The statistics of which [`to_bytes`](Self::to_bytes) gave all of `bytes`. Memory is in proportion to them.
    ///
    /// # Errors
    /// [`Error::Corrupt`] if none did.
    pub fn from_bytes(bytes: &[u8]) -> Result<Statistics> {
        if bytes.len() > Self::MOST_BYTES {
            return Err(corrupt("end", bytes.len(), format!("more than {} bytes", Self::MOST_BYTES)));
        }
        let Some((content, crc)) = bytes.split_last_chunk::<4>() else {
            return Err(corrupt("end", bytes.len(), "no checksum"));
        };
        let mut reader = Reader::new("statistics", content);
        if reader.take(MAGIC.len(), "begin")? != MAGIC {
            return Err(corrupt("begin", 0, "these are no statistics"));
        }
        match reader.byte("version")? {
            VERSION => (),
            other => return Err(corrupt("version", MAGIC.len(), format!("{other} instead of {VERSION}"))),
        }
        if crc32fast::hash(content) != u32::from_le_bytes(*crc) {
            return Err(corrupt("checksum", content.len(), "it is wrong"));
        }
        let fingerprint = reader.u64("fingerprint")?;
        let of_indexes = indexes(&mut reader)?;
        let all = documents(&mut reader, MOST_DOCUMENTS)?;
        let mut fields: Vec<Field> = Vec::new();
        for _ in 0..reader.number("fields")? {
            let number = reader.byte("field")?;
            if fields.last().is_some_and(|last| last.number >= number) {
                return Err(reader.wrong("field", "it is not after the one before"));
            }
            let name = reader.text("name")?.to_owned();
            fields.push(Field { number, name, tokens: reader.number("tokens")? });
        }
        let mut statistics = Statistics {
            fingerprint,
            indexes: of_indexes,
            documents: all,
            fields,
            terms: BTreeMap::new(),
            expansions: BTreeMap::new(),
            identity: Identity::new(),
        };
        for _ in 0..reader.number("fields with terms")? {
            let field = reader.byte("field")?;
            let terms = map(&mut reader, "term", |reader| {
                Ok(Count { documents: documents(reader, all)?, indexes: indexes(reader)? })
            })?;
            is_after(&reader, &statistics.terms, &field, "field")?;
            statistics.terms.insert(field, terms);
        }
        for _ in 0..reader.number("kinds of expansions")? {
            let kind = (reader.byte("field")?, reader.byte("kind")?);
            let expansions = map(&mut reader, "what was typed", |reader| {
                let (indexes, mut rest) = (indexes(reader)?, [0; CLASSES]);
                for rest in &mut rest {
                    *rest = reader.number("rest")?;
                }
                let words = map(reader, "word", |reader| {
                    let class = reader.byte("class")?;
                    if usize::from(class) >= CLASSES {
                        return Err(reader.wrong("class", &format!("{class} instead of 0 to {}", CLASSES - 1)));
                    }
                    Ok(Told { class, documents: documents(reader, all)?, more: reader.number("more")? })
                })?;
                Ok(Expansion { words, rest, indexes })
            })?;
            is_after(&reader, &statistics.expansions, &kind, "kind of expansions")?;
            statistics.expansions.insert(kind, expansions);
        }
        reader.end()?;
        Ok(statistics)
    }
}

fn corrupt(item: &str, offset: usize, what: impl Into<String>) -> Error {
    Error::corrupt("statistics", item, offset, what)
}

fn indexes(reader: &mut Reader) -> Result<u32> {
    let indexes = reader.number("indexes")?;
    u32::try_from(indexes).map_err(|_| reader.wrong("indexes", &format!("{indexes} are too many")))
}

/// How many documents contain something, of so many.
fn documents(reader: &mut Reader, all: u64) -> Result<u64> {
    match reader.number("documents")? {
        documents if documents <= all => Ok(documents),
        documents => Err(reader.wrong("documents", &format!("{documents} of {all}"))),
    }
}

/// How many, and what is known of each.
fn map<T>(reader: &mut Reader, item: &str, mut value: impl FnMut(&mut Reader) -> Result<T>) -> Result<ByBytes<T>> {
    let mut map = BTreeMap::new();
    for _ in 0..reader.number(item)? {
        let key: Box<[u8]> = reader.string(item)?.into();
        is_after(reader, &map, &key, item)?;
        map.insert(key, value(reader)?);
    }
    Ok(map)
}

fn is_after<K: Ord, T>(reader: &Reader, map: &BTreeMap<K, T>, key: &K, item: &str) -> Result<()> {
    match map.last_key_value() {
        Some((last, _)) if last >= key => Err(reader.wrong(item, "it is not after the one before")),
        _ => Ok(()),
    }
}
