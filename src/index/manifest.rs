//! [`Manifest`]: the file that says what an index consists of. Replacing it is a commit.
//!
//! ```text
//! "PMAN", version u32, identity u64, generation u64, next segment number u64
//! positions u8, fields u8; per field: length u16, name, kind u8, weight f32, stored u8
//! length u32, analyzer
//! codec of frequencies u8, codec of positions u8 (from version 2 on)
//! segments u32; per segment, in order of insertion:
//!     number u64, documents u32, bytes u64, CRC-32 of its footer u32,
//!     generation u64, count u32 and CRC-32 u32 of its file of deleted docIDs (zeros: none)
//! CRC-32 u32 of all before
//! ```
//! All numbers are little-endian. The identity is random and chosen when the index is created. In manifests of version 1,
//! which older releases can read, both codecs are 0.

use super::list::Codecs;
use super::schema::{Field, Kind, Schema};
use super::segment::SegmentMeta;
use super::storage;
use crate::analysis::Analyzer;
use crate::base::error::{Error, Result};
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const MAGIC: &[u8; 4] = b"PMAN";
/// The newest version.
const VERSION: u32 = 2;
/// The largest manifest, in bytes: with the most fields of the longest names, and a million stop words or segments.
const LARGEST: u64 = 64 << 20;
/// The bytes of one segment.
const ENTRY: usize = 40;
/// The longest name of a field, in bytes.
const LONGEST_NAME: usize = 1000;

/// Of what an index consists, as of one commit.
#[derive(Debug, Clone, PartialEq)]
pub struct Manifest {
    /// A random number that tells this index from others at the same path.
    pub identity: u64,
    /// The number of the commit: 1 for the empty index, one more with each commit.
    pub generation: u64,
    /// The fields and the analyzer.
    pub schema: Arc<Schema>,
    /// The number that the next segment gets. Numbers are never used again.
    pub next: u64,
    /// The segments, in order of insertion.
    pub segments: Vec<Entry>,
}

/// A segment in a [`Manifest`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The segment.
    pub meta: SegmentMeta,
    /// Its deleted documents, if any.
    pub deleted: Option<DeletedMeta>,
}

/// A file of deleted docIDs in a [`Manifest`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeletedMeta {
    /// The commit that wrote it.
    pub generation: u64,
    /// How many docIDs are deleted; at least 1.
    pub count: u32,
    /// The checksum at its end.
    pub crc: u32,
}

/// The path of an index's manifest.
pub fn path(folder: &Path) -> PathBuf {
    folder.join("manifest")
}

/// The name of a manifest that is being written.
pub(super) const TEMPORARY: &str = "manifest.tmp";

/// The path of a manifest that is being written.
pub(super) fn temporary_path(folder: &Path) -> PathBuf {
    folder.join(TEMPORARY)
}

/// The path of a segment.
pub fn segment_path(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("{number}.segment"))
}

/// The path of a segment's file of deleted docIDs.
pub fn deleted_path(folder: &Path, number: u64, generation: u64) -> PathBuf {
    folder.join(format!("{number}-{generation}.deleted"))
}

/// The number of the segment to which a file with that name belongs, if it has the name of one of an index's files.
pub(super) fn number_of(name: &str) -> Option<u64> {
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten();
    if let Some(number) = name.strip_suffix(".segment").or_else(|| name.strip_suffix(".spill")) {
        return digits(number);
    }
    let (number, generation) = name.strip_suffix(".deleted")?.split_once('-')?;
    digits(generation).and(digits(number))
}

/// Whether a schema can be that of an index.
///
/// # Errors
/// [`Error::Argument`].
pub fn check_schema(schema: &Schema) -> Result<()> {
    let wrong = |what: String| Err(Error::Argument(what));
    if schema.fields.is_empty() || schema.fields.len() > Schema::MOST_FIELDS {
        return wrong(format!("an index has 1 to {} fields, not {}", Schema::MOST_FIELDS, schema.fields.len()));
    }
    let mut names = HashSet::new();
    for Field { name, weight, .. } in &schema.fields {
        if name.is_empty() || name.len() > LONGEST_NAME {
            return wrong(format!("the name of a field has 1 to {LONGEST_NAME} bytes, not {}", name.len()));
        }
        if !names.insert(name) {
            return wrong(format!("there are two fields \"{name}\""));
        }
        if !Schema::WEIGHTS.contains(weight) {
            let (least, most) = (Schema::WEIGHTS.start(), Schema::WEIGHTS.end());
            return wrong(format!("the weight of field \"{name}\" must be from {least} to {most}, not {weight}"));
        }
    }
    Ok(())
}

impl Manifest {
    /// That of a new index.
    ///
    /// # Errors
    /// [`Error::Argument`] as [`check_schema`].
    pub fn new(schema: Schema) -> Result<Manifest> {
        check_schema(&schema)?;
        // The keys of the standard library's hash tables are random.
        let identity = std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), std::process::id());
        Ok(Manifest { identity, generation: 1, schema: Arc::new(schema), next: 1, segments: Vec::new() })
    }

    /// The bytes of the file.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(256 + ENTRY * self.segments.len());
        out.extend(MAGIC);
        let version = if self.schema.codecs == Codecs::FIRST { 1 } else { VERSION };
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
        out
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
        let count = reader.u32("number of segments")? as usize;
        let left = checked.len() - reader.at;
        if count.checked_mul(ENTRY) != Some(left) {
            return Err(reader.wrong("number of segments", &format!("{left} bytes follow, but {count} segments")));
        }
        let mut numbers = HashSet::with_capacity(count);
        let mut segments = Vec::with_capacity(count);
        for index in 0..count {
            let entry = reader.entry(index, generation)?;
            if entry.meta.number >= next || !numbers.insert(entry.meta.number) {
                let what = format!("its number {} was not given to it", entry.meta.number);
                return Err(reader.wrong(&format!("segment {index}"), &what));
            }
            segments.push(entry);
        }
        Ok(Manifest { identity, generation, schema, next, segments })
    }

    /// Reads the manifest of an index: its bytes, which [`Manifest::parse`] takes. `None` if the folder has none.
    ///
    /// # Errors
    /// [`Error::File`].
    pub fn read(folder: &Path) -> Result<Option<Vec<u8>>> {
        use std::io::Read;
        let path = path(folder);
        let failed = |error: std::io::Error| storage::failed(&path, &error);
        let file = match fs::File::open(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            file => file.map_err(failed)?,
        };
        let length = file.metadata().map_err(failed)?.len();
        if length > LARGEST {
            return Err(failed(std::io::Error::other(format!(
                "it has {length} bytes; at most {LARGEST} are possible"
            ))));
        }
        let mut bytes = Vec::with_capacity(length as usize + 1);
        file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(failed)?;
        Ok(Some(bytes))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis;
    use crate::index::list::BlockCodec;
    use proptest::prelude::*;

    fn field() -> impl Strategy<Value = Field> {
        let kind = prop_oneof![Just(Kind::Text), Just(Kind::Keyword), Just(Kind::Numeric)];
        ("\\PC{1,9}", kind, 0.1f32..9.0, any::<bool>()).prop_map(|(name, kind, weight, stored)| Field {
            name,
            kind,
            weight,
            stored,
        })
    }

    fn entry() -> impl Strategy<Value = Entry> {
        let meta = (1..u32::MAX, any::<u64>(), any::<u32>());
        let deleted = proptest::option::of((1u64..50, 1u32..1000, any::<u32>()));
        (meta, deleted).prop_map(|((documents, bytes, footer_crc), deleted)| Entry {
            meta: SegmentMeta { number: 0, documents, bytes, footer_crc },
            deleted: deleted.map(|(generation, count, crc)| DeletedMeta {
                generation,
                count: count.min(documents),
                crc,
            }),
        })
    }

    fn codecs() -> impl Strategy<Value = Codecs> {
        let all: Vec<BlockCodec> = BlockCodec::all().collect();
        let one = || prop_oneof![Just(BlockCodec::BP128), proptest::sample::select(all.clone())];
        (one(), one()).prop_map(|(frequencies, positions)| Codecs { frequencies, positions })
    }

    prop_compose! {
        fn manifest()(
            fields in proptest::collection::vec(field(), 1..6),
            positions in any::<bool>(),
            codecs in codecs(),
            identity in any::<u64>(),
            mut segments in proptest::collection::vec(entry(), 0..9),
            first in 0u64..1000,
        ) -> Manifest {
            let analyzer = Analyzer::new(analysis::Options::default()).unwrap();
            let mut schema = Schema { fields, positions, codecs, analyzer };
            for (number, field) in schema.fields.iter_mut().enumerate() {
                field.name.push_str(&number.to_string());
            }
            for (number, entry) in segments.iter_mut().enumerate() {
                entry.meta.number = first + number as u64;
            }
            let next = first + segments.len() as u64;
            Manifest { identity, generation: 50, schema: Arc::new(schema), next, segments }
        }
    }

    fn with_crc(mut bytes: Vec<u8>) -> Vec<u8> {
        let length = bytes.len() - 4;
        let crc = crc32fast::hash(&bytes[..length]);
        bytes[length..].copy_from_slice(&crc.to_le_bytes());
        bytes
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(manifest in manifest()) {
            let bytes = manifest.encode();
            prop_assert_eq!(Manifest::parse(&bytes, Path::new("m")).unwrap(), manifest);
        }

        #[test]
        fn damage_is_an_error(manifest in manifest(), at in any::<proptest::sample::Index>(), bit in 0..8u8) {
            let mut bytes = manifest.encode();
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
            assert!(matches!(Manifest::parse(&bytes, Path::new("m")), Err(Error::Corrupt { .. })));
            bytes[at] ^= 1 << bit;
            assert!(matches!(Manifest::parse(&bytes[..at], Path::new("m")), Err(Error::Corrupt { .. })));
        }

        /// Whoever writes a CRC that fits gets an error or a manifest that can be written, never a panic.
        #[test]
        fn forged_bytes_are_parsed_or_refused(
            manifest in manifest(),
            changes in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..4),
        ) {
            let mut bytes = manifest.encode();
            for (at, byte) in changes {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            if let Ok(read) = Manifest::parse(&with_crc(bytes), Path::new("m")) {
                let again = Manifest::parse(&read.encode(), Path::new("m")).unwrap();
                prop_assert_eq!(again.encode(), read.encode());
            }
        }
    }

    #[test]
    fn errors_name_file_part_and_offset() {
        let analyzer = Analyzer::new(analysis::Options::default()).unwrap();
        let field = Field { name: "body".into(), kind: Kind::Text, weight: 1.0, stored: false };
        let schema = Schema { fields: vec![field], positions: true, codecs: Codecs::default(), analyzer };
        let mut manifest = Manifest::new(schema).unwrap();
        let meta = SegmentMeta { number: 7, documents: 3, bytes: 100, footer_crc: 5 };
        manifest.segments.push(Entry { meta, deleted: None });
        let error = Manifest::parse(&manifest.encode(), Path::new("/x/manifest")).unwrap_err().to_string();
        assert!(error.starts_with("manifest: segment 0 of /x/manifest at byte "), "{error}");
        manifest.next = 8;
        manifest.segments.push(manifest.segments[0]);
        assert!(Manifest::parse(&manifest.encode(), Path::new("m")).is_err(), "the same number twice");
        manifest.segments.pop();
        let mut other = manifest.encode();
        other[4] = 9;
        let error = Manifest::parse(&with_crc(other), Path::new("m")).unwrap_err().to_string();
        assert!(error.contains("version 9; this release reads versions 1 to 2"), "{error}");
        for deleted in [(0, 1, 1), (2, 1, 1), (1, 0, 1), (1, 4, 1)] {
            let (generation, count, crc) = deleted;
            manifest.segments[0].deleted = Some(DeletedMeta { generation, count, crc });
            assert!(Manifest::parse(&manifest.encode(), Path::new("m")).is_err(), "{deleted:?}");
        }
    }

    #[test]
    fn codecs_need_version_2_and_must_exist() {
        let analyzer = Analyzer::new(analysis::Options::default()).unwrap();
        let field = Field { name: "body".into(), kind: Kind::Text, weight: 1.0, stored: false };
        let of = |codecs| {
            let fields = vec![field.clone()];
            Manifest::new(Schema { fields, positions: true, codecs, analyzer: analyzer.clone() }).unwrap().encode()
        };
        let first = of(Codecs::FIRST);
        let rice = of(Codecs { positions: BlockCodec::from_name("rice").unwrap(), ..Codecs::FIRST });
        assert_eq!((first[4], rice[4], rice.len()), (1, 2, first.len() + 2));
        // Before the number of segments and the CRC.
        let at = rice.len() - 10;
        assert_eq!(rice[at..at + 2], [0, 4]);
        // Simple-9, quasi-succinct, and none.
        for number in [1, 2, 255] {
            for at in [at, at + 1] {
                let mut other = rice.clone();
                other[at] = number;
                let error = Manifest::parse(&with_crc(other), Path::new("m")).unwrap_err();
                assert!(matches!(error, Error::Corrupt { .. }), "{error}");
                let wanted = format!("no codec of frequencies or positions has the number {number}");
                assert!(error.to_string().contains(&wanted), "{error}");
            }
        }
    }

    #[test]
    fn schemas_that_cannot_be_are_refused() {
        let analyzer = Analyzer::new(analysis::Options::default()).unwrap();
        let field = |name: &str, weight| Field { name: name.into(), kind: Kind::Text, weight, stored: false };
        let codecs = Codecs::default();
        let of = |fields| Manifest::new(Schema { fields, positions: true, codecs, analyzer: analyzer.clone() });
        assert!(of(vec![field("a", 1.0), field("b", 2.0)]).is_ok());
        assert!(of(vec![]).is_err());
        assert!(of((0..256).map(|n| field(&n.to_string(), 1.0)).collect()).is_err());
        assert!(of(vec![field("a", 1.0), field("a", 2.0)]).is_err());
        for weight in [0.0, -1.0, 1e-4, 1e-42, 1001.0, f32::NAN, f32::INFINITY] {
            assert!(of(vec![field("a", weight)]).is_err(), "{weight}");
        }
        assert!(of(vec![field("", 1.0)]).is_err());
        assert!(of(vec![field(&"x".repeat(1001), 1.0)]).is_err());
    }

    /// Earlier releases took weights from next to nothing to a million.
    #[test]
    fn old_weights_become_the_nearest_ones() {
        let field = |weight| Field { name: "body".into(), kind: Kind::Text, weight, stored: false };
        let analyzer = Analyzer::new(analysis::Options::default()).unwrap();
        for (old, weight) in [(1e-42, 1e-3), (1e-4, 1e-3), (1e-3, 1e-3), (2.5, 2.5), (1e3, 1e3), (1e6, 1e3)] {
            let schema = Schema {
                fields: vec![field(1.0)],
                positions: true,
                codecs: Codecs::default(),
                analyzer: analyzer.clone(),
            };
            let mut manifest = Manifest::new(schema.clone()).unwrap();
            manifest.schema = Arc::new(Schema { fields: vec![field(old)], ..schema });
            let read = Manifest::parse(&manifest.encode(), Path::new("m")).unwrap();
            assert_eq!(read.schema.fields[0].weight, weight);
        }
    }

    #[test]
    fn files_of_an_index_are_told_by_their_names() {
        for (name, number) in [
            ("12.segment", Some(12)),
            ("12.spill", Some(12)),
            ("12-3.deleted", Some(12)),
            ("manifest", None),
            ("lock", None),
            ("my.segment", None),
            ("+1.segment", None),
            ("1-x.deleted", None),
            ("1.deleted", None),
            (".segment", None),
            ("99999999999999999999.segment", None),
        ] {
            assert_eq!(number_of(name), number, "{name}");
        }
    }
}
