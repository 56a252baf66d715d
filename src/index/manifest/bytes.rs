//! The file of a manifest.
//!
//! ```text
//! "PMAN", version u32, identity u64, generation u64, next segment number u64
//! positions u8, fields u8; per field: length u16, name, kind u8, weight f32, bits u8 (0: stored, 1: own analyzer);
//!     of a vector field also: dimensions u16, metric u8, bits of a component u8, clusters u8 (1 if they are to be made); of a weights
//!     field: bits u8
//! length u32, analyzer
//! analyzers u8; per analyzer: length u32, analyzer; per field with its own: number u8 (if one has)
//! codec of frequencies u8, codec of positions u8 (from version 2 on)
//! grown u8 (from version 3 on)
//! segments u32; per segment, in order of insertion:
//!     number u64, documents u32, bytes u64, CRC-32 of its footer u32,
//!     generation u64, count u32 and CRC-32 u32 of its file of deleted docIDs (zeros: none)
//! CRC-32 u32 of all before
//! ```
//! All numbers are little-endian. The identity is random and chosen when the index is created. In manifests of version 1,
//! which older releases can read, both codecs are 0. Version 3 has what those of version 2 cannot read: several fields of one
//! name, fields that are only stored, or (grown) segments with fewer fields. Version 4 has geo fields, or fields with analyzers
//! of their own; version 5 vector fields.

use super::{DeletedMeta, Entry, MAGIC, Manifest, check_schema};
use crate::analysis::{Analyzer, AnalyzerOptions};
use crate::base::error::{Error, Result};
use crate::base::memory::room;
use crate::index::impacts::Precision;
use crate::index::list::Codecs;
use crate::index::schema::{Field, Kind, Schema};
use crate::index::segment::SegmentMeta;
use crate::vector::{self, Metric, Shape};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

/// The newest version.
const VERSION: u32 = 5;
/// The bit of a field with an analyzer of its own.
const OWN_ANALYZER: u8 = 2;
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
            _ if self.schema.fields.iter().any(|field| matches!(field.kind, Kind::Vector | Kind::Weights)) => VERSION,
            _ if self.needs_version_4() => 4,
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
            out.push(u8::from(field.stored) | if field.analyzer.is_some() { OWN_ANALYZER } else { 0 });
            if let Some(Shape { dimensions, metric, precision }) = field.vector {
                out.extend(dimensions.to_le_bytes());
                out.extend([metric as u8, precision.bits(), field.clusters.into()]);
            }
            if let Some(precision) = field.weights {
                out.push(precision.bits());
            }
        }
        let add = |analyzer: &Analyzer, out: &mut Vec<u8>| {
            let bytes = analyzer.to_bytes();
            out.extend((bytes.len() as u32).to_le_bytes());
            out.extend(bytes);
        };
        add(&self.schema.analyzer, &mut out);
        let mut own: Vec<&Analyzer> = Vec::new();
        let mut numbers: Vec<u8> = Vec::new();
        for analyzer in self.schema.fields.iter().filter_map(|field| field.analyzer.as_ref()) {
            let number = own.iter().position(|other| *other == analyzer).unwrap_or_else(|| {
                own.push(analyzer);
                own.len() - 1
            });
            numbers.push(number as u8);
        }
        if !own.is_empty() {
            out.push(own.len() as u8);
            own.into_iter().for_each(|analyzer| add(analyzer, &mut out));
            out.extend(numbers);
        }
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

    fn needs_version_4(&self) -> bool {
        let is_new = |field: &Field| field.kind == Kind::Geo || field.analyzer.is_some();
        let AnalyzerOptions { parts, compounds, .. } = self.schema.analyzer.options();
        *parts || !compounds.is_empty() || self.schema.fields.iter().any(is_new)
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
        let mut with_own: Vec<usize> = Vec::new();
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
                [5] if version > 4 => Kind::Vector,
                [6] if version > 4 => Kind::Weights,
                [other] => return Err(self.wrong(&item, &format!("no kind has the number {other}"))),
            };
            let mut weight = f32::from_le_bytes(self.array(&item)?);
            // Earlier releases took any up to a million.
            if weight > 0.0 && weight <= 1e6 {
                weight = weight.clamp(*Schema::WEIGHTS.start(), *Schema::WEIGHTS.end());
            }
            let bits = match self.array(&item)? {
                [bits @ 0..=1] => bits,
                [bits @ 2..=3] if version > 3 => bits,
                [other] => return Err(self.wrong(&item, &format!("its bits are {other}"))),
            };
            if bits & OWN_ANALYZER != 0 {
                with_own.push(index.into());
            }
            let vector = match kind {
                Kind::Vector => Some(self.shape(&item)?),
                _ => None,
            };
            let clusters = kind == Kind::Vector && self.flag(&item)?;
            let weights = match kind {
                Kind::Weights => Some(self.precision(&item)?),
                _ => None,
            };
            fields.push(Field { name, kind, weight, stored: bits & 1 != 0, analyzer: None, vector, weights, clusters });
        }
        let analyzer = self.analyzer()?;
        if !with_own.is_empty() {
            let [count] = self.array("number of analyzers")?;
            let own = (0..count).map(|_| self.analyzer()).collect::<Result<Vec<_>>>()?;
            for field in with_own {
                let item = format!("analyzer of field {field}");
                let [number] = self.array(&item)?;
                let of_field = own.get(usize::from(number));
                let of_field = of_field.ok_or_else(|| self.wrong(&item, &format!("number {number} of {count}")))?;
                fields[field].analyzer = Some(of_field.clone());
            }
        }
        let codecs = match version {
            1 => Codecs::FIRST,
            _ => Codecs::from_numbers(self.array("codecs")?).map_err(|number| {
                self.wrong("codecs", &format!("no codec of frequencies or positions has the number {number}"))
            })?,
        };
        let schema = Schema { fields, positions, codecs, analyzer };
        check_schema(&schema).map_err(|error| self.wrong("schema", &error.to_string()))?;
        Ok(schema.with_one_of_each_analyzer())
    }

    fn precision(&mut self, item: &str) -> Result<Precision> {
        let [bits] = self.array(item)?;
        Precision::of_bits(bits.into()).ok_or_else(|| self.wrong(item, &format!("no weights have {bits} bits")))
    }

    fn shape(&mut self, item: &str) -> Result<Shape> {
        let dimensions = self.u16(item)?;
        let [number, bits] = self.array(item)?;
        let metric = Metric::ALL.get(usize::from(number)).copied();
        let metric = metric.ok_or_else(|| self.wrong(item, &format!("no metric has the number {number}")))?;
        let precision = vector::Precision::of_bits(bits.into());
        let precision = precision.ok_or_else(|| self.wrong(item, &format!("no vectors have {bits} bits")))?;
        Ok(Shape { dimensions, metric, precision })
    }

    fn analyzer(&mut self) -> Result<Analyzer> {
        let length = self.u32("analyzer")?;
        Analyzer::from_bytes(self.take(length as usize, "analyzer")?)
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
