//! [`Deleted`]: which documents of a segment are deleted.
//!
//! ```text
//! "PDEL", version u32, segment u64, documents u32, count u32
//! ⌈documents / 64⌉ words u64: bit d % 64 of word d / 64 is set if docID d is deleted
//! CRC-32 u32 of all before
//! ```
//! All numbers are little-endian. The file is never changed: a later commit writes another one.

use super::manifest::{self, DeletedMeta};
use super::segment::SegmentMeta;
use super::storage::{self, Folder};
use crate::base::bits::has_bit;
use crate::base::error::{Error, Result};
use crate::base::memory::{collected, copied, room, zeros};

const MAGIC: &[u8; 4] = b"PDEL";
const VERSION: u32 = 1;
const HEADER: usize = 24;

/// The deleted documents of a segment, as a bit set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deleted {
    words: Vec<u64>,
    documents: u32,
    count: u32,
}

impl Deleted {
    /// No document is deleted of a segment with that many.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn none(documents: u32) -> Result<Deleted> {
        Ok(Deleted { words: zeros(documents.div_ceil(64) as usize)?, documents, count: 0 })
    }

    /// The same documents.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn try_clone(&self) -> Result<Deleted> {
        Ok(Deleted { words: copied(&self.words)?, ..*self })
    }

    /// Whether a document is deleted. docIDs that the segment does not have are not.
    #[inline]
    pub fn contains(&self, doc_id: u32) -> bool {
        has_bit(&self.words, doc_id)
    }

    /// Deletes a document; returns whether it was not deleted before.
    ///
    /// # Panics
    /// If the segment has no such document.
    pub fn insert(&mut self, doc_id: u32) -> bool {
        assert!(doc_id < self.documents, "no document {doc_id}");
        let word = &mut self.words[doc_id as usize / 64];
        let bit = 1 << (doc_id % 64);
        let new = *word & bit == 0;
        *word |= bit;
        self.count += u32::from(new);
        new
    }

    /// How many documents are deleted.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// How many documents the segment has, deleted ones included.
    pub fn documents(&self) -> u32 {
        self.documents
    }

    /// Bit `d % 64` of word `d / 64` is set if docID `d` is deleted. Bits past the last document are 0.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The length of the file of a segment with that many documents.
    pub(super) fn file_bytes(documents: u32) -> u64 {
        HEADER as u64 + 8 * u64::from(documents.div_ceil(64)) + 4
    }

    /// Writes the file, which is durable after [`Folder::sync`]. Returns the checksum at its end.
    pub(super) fn write(&self, folder: &Folder, name: &str, segment: u64) -> Result<u32> {
        let mut out = room(HEADER + 8 * self.words.len() + 4)?;
        out.extend(MAGIC);
        out.extend(VERSION.to_le_bytes());
        out.extend(segment.to_le_bytes());
        out.extend(self.documents.to_le_bytes());
        out.extend(self.count.to_le_bytes());
        out.extend(self.words.iter().flat_map(|word| word.to_le_bytes()));
        let crc = crc32fast::hash(&out);
        out.extend(crc.to_le_bytes());
        folder.write(name, &out)?;
        Ok(crc)
    }

    /// Reads the file of a segment, which must be the one that the manifest names.
    ///
    /// # Errors
    /// [`Error::File`], [`Error::Corrupt`].
    pub(super) fn read(folder: &Folder, segment: &SegmentMeta, meta: &DeletedMeta) -> Result<Deleted> {
        use std::io::Read;
        let name = manifest::deleted_name(segment.number, meta.generation);
        let path = folder.path_of(&name);
        let failed = |error: std::io::Error| storage::failed(&path, &error);
        let expected = Deleted::file_bytes(segment.documents) as usize;
        let (file, length) = folder.open_file(&name).map_err(failed)?;
        let wrong = |item: &str, offset: usize, what: String| {
            Err(Error::corrupt("deleted docIDs", format!("{item} of {}", path.display()), offset, what))
        };
        if length != expected as u64 {
            return wrong("length", 0, format!("the file has {length} bytes, not {expected}"));
        }
        let mut bytes = room(expected)?;
        file.take(expected as u64).read_to_end(&mut bytes).map_err(failed)?;
        let Some((checked, crc)) = bytes.split_last_chunk::<4>().filter(|_| bytes.len() == expected) else {
            return wrong("length", 0, "the file is cut off".into());
        };
        if !checked.starts_with(MAGIC) {
            return wrong("header", 0, "it does not begin with PDEL".into());
        }
        let version = u32::from_le_bytes(checked[4..8].try_into().unwrap_or_default());
        if version != VERSION {
            return wrong("version", 4, format!("it is of version {version}; this release reads version {VERSION}"));
        }
        let (stored, actual) = (u32::from_le_bytes(*crc), crc32fast::hash(checked));
        if stored != actual || stored != meta.crc {
            let what =
                format!("it is {stored:08x}, that of the bytes {actual:08x}, and in the manifest {:08x}", meta.crc);
            return wrong("CRC-32", checked.len(), what);
        }
        let header = [&segment.number.to_le_bytes()[..], &segment.documents.to_le_bytes(), &meta.count.to_le_bytes()];
        if checked[8..HEADER] != header.concat() {
            return wrong("header", 8, "segment, documents and count are not those of the manifest".into());
        }
        let words = checked[HEADER..].as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word));
        let words: Vec<u64> = collected(words)?;
        let count: u64 = words.iter().map(|word| u64::from(word.count_ones())).sum();
        let past = words.last().map_or(0, |last| last.checked_shr(segment.documents % 64).unwrap_or(0));
        if count != u64::from(meta.count) || (!segment.documents.is_multiple_of(64) && past != 0) {
            return wrong("words", HEADER, format!("{count} documents are deleted, not {}", meta.count));
        }
        Ok(Deleted { words, documents: segment.documents, count: meta.count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn it_is_a_set_and_comes_back(documents in 1u32..300, doc_ids in proptest::collection::vec(any::<u32>(), 1..99)) {
            let mut deleted = Deleted::none(documents).unwrap();
            let mut expected = BTreeSet::new();
            for doc_id in doc_ids {
                prop_assert_eq!(deleted.insert(doc_id % documents), expected.insert(doc_id % documents));
            }
            prop_assert!((0..documents + 100).all(|doc_id| deleted.contains(doc_id) == expected.contains(&doc_id)));
            prop_assert_eq!(deleted.count() as usize, expected.len());

            let folder = tempfile::tempdir().unwrap();
            let open = Folder::open_to_write(folder.path()).unwrap();
            let segment = SegmentMeta { number: 3, documents, bytes: 0, footer_crc: 0 };
            let meta = DeletedMeta { generation: 4, count: deleted.count(), crc: deleted.write(&open, "3-4.deleted", 3).unwrap() };
            prop_assert_eq!(&Deleted::read(&open, &segment, &meta).unwrap(), &deleted);
            let refused = |segment: SegmentMeta, meta: DeletedMeta| Deleted::read(&open, &segment, &meta).is_err();
            assert!(refused(SegmentMeta { number: 2, ..segment }, meta));
            assert!(refused(SegmentMeta { documents: documents + 1, ..segment }, meta));
            assert!(refused(segment, DeletedMeta { count: meta.count + 1, ..meta }));
            assert!(refused(segment, DeletedMeta { crc: !meta.crc, ..meta }));
        }
    }

    #[test]
    fn damage_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let (path, open) = (folder.path().join("3-4.deleted"), Folder::open_to_write(folder.path()).unwrap());
        let mut deleted = Deleted::none(100).unwrap();
        deleted.insert(17);
        let segment = SegmentMeta { number: 3, documents: 100, bytes: 0, footer_crc: 0 };
        let meta = DeletedMeta { generation: 4, count: 1, crc: deleted.write(&open, "3-4.deleted", 3).unwrap() };
        let whole = std::fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x20;
            std::fs::write(&path, &damaged).unwrap();
            assert!(matches!(Deleted::read(&open, &segment, &meta), Err(Error::Corrupt { .. })), "byte {at}");
            std::fs::write(&path, &whole[..at]).unwrap();
            assert!(matches!(Deleted::read(&open, &segment, &meta), Err(Error::Corrupt { .. })), "cut at {at}");
        }
        // A bit past the last document, and another count, with a checksum that fits.
        for (at, bit) in [(HEADER + 15, 0x80), (HEADER, 1)] {
            let mut forged = whole.clone();
            forged[at] ^= bit;
            let length = forged.len() - 4;
            let crc = crc32fast::hash(&forged[..length]);
            forged[length..].copy_from_slice(&crc.to_le_bytes());
            std::fs::write(&path, &forged).unwrap();
            let meta = DeletedMeta { crc, ..meta };
            assert!(matches!(Deleted::read(&open, &segment, &meta), Err(Error::Corrupt { .. })), "byte {at}");
        }
        std::fs::remove_file(&path).unwrap();
        assert!(matches!(Deleted::read(&open, &segment, &meta), Err(Error::File { .. })));
    }
}
