//! The file of a manifest.
//!
//! ```text
//! "PMAN", version u32, identity u64, generation u64, next segment number u64
//! positions u8, fields u8; per field: length u16, name, kind u8, weight f32, stored u8
//! length u32, analyzer
//! codec of frequencies u8, codec of positions u8 (from version 2 on)
//! grown u8 (from version 3 on)
//! segments u32; per segment, in order of insertion:
//!     number u64, documents u32, bytes u64, CRC-32 of its footer u32,
//!     generation u64, count u32 and CRC-32 u32 of its file of deleted docIDs (zeros: none)
//! CRC-32 u32 of all before
//! ```
//! All numbers are little-endian. The identity is random and chosen when the index is created. In manifests of version 1,
//! which older releases can read, both codecs are 0. Version 3 has what those of version 2 cannot read: several fields of one
//! name, fields that are only stored, or (grown) segments with fewer fields. Version 4 has geo fields.

use super::{DeletedMeta, Entry, MAGIC, Manifest, check_schema};
use crate::analysis::Analyzer;
use crate::base::error::{Error, Result};
use crate::base::memory::room;
use crate::index::list::Codecs;
use crate::index::schema::{Field, Kind, Schema};
use crate::index::segment::SegmentMeta;
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

/// The newest version.
const VERSION: u32 = 4;
/// The bytes of one segment.
const ENTRY: usize = 40;

impl Manifest {
    /// The bytes of the file.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn encode(&self) -> Result<Vec<u8>> {
        let mut out = room(256 + ENTRY * self.segments.len())?;
        out.extend(MAGIC);
        let version = match self.schema.codecs == Codecs::FIRST {
            _ if self.schema.fields.iter().any(|field| field.kind == Kind::Geo) => VERSION,
            _ if self.needs_version_3() => 3,
            true => 1,
            false => 2,
        };
        out.extend(version.to_le_bytes());
        out.extend(self.identity.to_le_bytes());
        out.extend(self.generation.to_le_bytes());
        out.extend(self.next.to_le_bytes());
        out.extend([self.schema.positions.into(), self.schema.fields.len() as u8]);
        for field in &self.schema.fields {
            out.extend((field.name.len() as u16).to_le_bytes());
            out.extend(field.name.as_bytes());
            out.push(field.kind as u8);
            out.extend(field.weight.to_le_bytes());
            out.push(field.stored.into());
        }
        let analyzer = self.schema.analyzer.to_bytes();
        out.extend((analyzer.len() as u32).to_le_bytes());
        out.extend(analyzer);
        if version > 1 {
            out.extend(self.schema.codecs.numbers());
        }
        if version > 2 {
            out.push(self.grown.into());
        }
        out.extend((self.segments.len() as u32).to_le_bytes());
        for Entry { meta, deleted } in &self.segments {
            out.extend(meta.number.to_le_bytes());
            out.extend(meta.documents.to_le_bytes());
            out.extend(meta.bytes.to_le_bytes());
            out.extend(meta.footer_crc.to_le_bytes());
            let deleted = deleted.unwrap_or(DeletedMeta { generation: 0, count: 0, crc: 0 });
            out.extend(deleted.generation.to_le_bytes());
            out.extend(deleted.count.to_le_bytes());
            out.extend(deleted.crc.to_le_bytes());
        }
        let crc = crc32fast::hash(&out);
        out.extend(crc.to_le_bytes());
        Ok(out)
    }

    fn needs_version_3(&self) -> bool {
        let Schema { fields, .. } = &*self.schema;
        let is_second = |(number, field): (usize, &Field)| self.schema.field(&field.name) != Some(number);
        self.grown || fields.iter().any(|field| field.kind == Kind::Stored) || fields.iter().enumerate().any(is_second)
    }

    /// Reads the bytes of a manifest; `path` is named in errors.
    ///
    /// # Errors
    /// [`Error::Corrupt`], and those of [`Analyzer::from_bytes`].
    pub fn parse(bytes: &[u8], path: &Path) -> Result<Manifest> {
        let whole = Reader { bytes, at: 0, path };
        if !bytes.starts_with(MAGIC) {
            return Err(whole.wrong("header", "it does not begin with PMAN"));
        }
        let Some((checked, crc)) = bytes.split_last_chunk::<4>().filter(|(checked, _)| checked.len() >= MAGIC.len())
        else {
            return Err(whole.wrong("header", "the file is cut off"));
        };
        let mut reader = Reader { bytes: checked, at: MAGIC.len(), path };
        let version = reader.u32("version")?;
        if !(1..=VERSION).contains(&version) {
            let what = format!("it is of version {version}; this release reads versions 1 to {VERSION}");
            return Err(whole.wrong("version", &what));
        }
        let (stored, actual) = (u32::from_le_bytes(*crc), crc32fast::hash(checked));
        if stored != actual {
            let what = format!("it is {stored:08x}, but that of the bytes is {actual:08x}: the file is damaged");
            return Err(Error::corrupt("manifest", reader.name("CRC-32"), checked.len(), what));
        }
        let identity = reader.u64("identity")?;
        let generation = reader.u64("generation")?;
        let next = reader.u64("next segment number")?;
        let schema = Arc::new(reader.schema(version)?);
        let grown = version > 2 && reader.flag("grown")?;
        let count = reader.u32("number of segments")? as usize;
        let left = checked.len() - reader.at;
        if count.checked_mul(ENTRY) != Some(left) {
            return Err(reader.wrong("number of segments", &format!("{left} bytes follow, but {count} segments")));
        }
        let mut numbers = HashSet::with_capacity(count);
        let mut segments = room(count)?;
        for index in 0..count {
            let entry = reader.entry(index, generation)?;
            if entry.meta.number >= next || !numbers.insert(entry.meta.number) {
                let what = format!("its number {} was not given to it", entry.meta.number);
                return Err(reader.wrong(&format!("segment {index}"), &what));
            }
            segments.push(entry);
        }
        Ok(Manifest { identity, generation, schema, next, grown, segments })
    }
}

/// Reads fields of a manifest in turn.
struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
    path: &'b Path,
}

impl<'b> Reader<'b> {
    fn name(&self, item: &str) -> String {
        format!("{item} of {}", self.path.display())
    }

    fn wrong(&self, item: &str, what: &str) -> Error {
        Error::corrupt("manifest", self.name(item), self.at, what)
    }

    fn take(&mut self, count: usize, item: &str) -> Result<&'b [u8]> {
        let rest = &self.bytes[self.at..];
        let taken = rest.get(..count).ok_or_else(|| self.wrong(item, "the file is cut off"))?;
        self.at += count;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self, item: &str) -> Result<[u8; N]> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N, item)?);
        Ok(array)
    }

    fn flag(&mut self, item: &str) -> Result<bool> {
        match self.array(item)? {
            [flag @ (0 | 1)] => Ok(flag == 1),
            [other] => Err(self.wrong(item, &format!("it is neither 0 nor 1: {other}"))),
        }
    }

    fn u16(&mut self, item: &str) -> Result<u16> {
        Ok(u16::from_le_bytes(self.array(item)?))
    }

    fn u32(&mut self, item: &str) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array(item)?))
    }

    fn u64(&mut self, item: &str) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array(item)?))
    }

    fn schema(&mut self, version: u32) -> Result<Schema> {
        let positions = self.flag("positions")?;
        let [count] = self.array("number of fields")?;
        let mut fields = Vec::with_capacity(count.into());
        for index in 0..count {
            let item = format!("field {index}");
            let length = self.u16(&item)?;
            let name = std::str::from_utf8(self.take(length.into(), &item)?);
            let name = name.map_err(|_| self.wrong(&item, "its name is not UTF-8"))?.to_owned();
            let kind = match self.array(&item)? {
                [0] => Kind::Text,
                [1] => Kind::Keyword,
                [2] => Kind::Numeric,
                [3] if version > 2 => Kind::Stored,
                [4] if version > 3 => Kind::Geo,
                [other] => return Err(self.wrong(&item, &format!("no kind has the number {other}"))),
            };
            let mut weight = f32::from_le_bytes(self.array(&item)?);
            // Earlier releases took any up to a million.
            if weight > 0.0 && weight <= 1e6 {
                weight = weight.clamp(*Schema::WEIGHTS.start(), *Schema::WEIGHTS.end());
            }
            fields.push(Field { name, kind, weight, stored: self.flag(&item)? });
        }
        let length = self.u32("analyzer")?;
        let analyzer = Analyzer::from_bytes(self.take(length as usize, "analyzer")?)?;
        let codecs = match version {
            1 => Codecs::FIRST,
            _ => Codecs::from_numbers(self.array("codecs")?).map_err(|number| {
                self.wrong("codecs", &format!("no codec of frequencies or positions has the number {number}"))
            })?,
        };
        let schema = Schema { fields, positions, codecs, analyzer };
        check_schema(&schema).map_err(|error| self.wrong("schema", &error.to_string()))?;
        Ok(schema)
    }

    fn entry(&mut self, index: usize, newest: u64) -> Result<Entry> {
        let item = format!("segment {index}");
        let number = self.u64(&item)?;
        let documents = self.u32(&item)?;
        let bytes = self.u64(&item)?;
        let footer_crc = self.u32(&item)?;
        let (generation, count, crc) = (self.u64(&item)?, self.u32(&item)?, self.u32(&item)?);
        if documents == 0 {
            return Err(self.wrong(&item, "it has no documents"));
        }
        let meta = SegmentMeta { number, documents, bytes, footer_crc };
        match (generation, count, crc) {
            (0, 0, 0) => Ok(Entry { meta, deleted: None }),
            _ if generation == 0 || generation > newest || count == 0 || count > documents => {
                let what = format!("{count} of its {documents} documents are deleted as of commit {generation}");
                Err(self.wrong(&item, &what))
            }
            _ => Ok(Entry { meta, deleted: Some(DeletedMeta { generation, count, crc }) }),
        }
    }
}
