//! The points of a geo field, by document and in cells.
//!
//! ```text
//! documents with a point u32, width u8, missing u8 (1 if some have none), 10 zeros
//! per document: steps of latitude i32, of longitude i32; 0 if it has no point
//! per 32 documents in the order of the codes of their points: the code of the first u64; the code of the last of all u64
//! packed, in the order of their codes: the docIDs of the documents with a point
//! if missing is 1, a bit per document, 1 for those that have a point
//! ```
//! Steps and codes are those of [`Point`]. Without a point there are no codes. Documents with the same code are in the order
//! of docIDs.
//!
//! The documents in an area are found by cells: blocks of 32 documents that are within the area as a whole are taken without
//! being looked at, and those of blocks at its border are compared one by one.

use super::file::SegmentWriter;
use super::format::{FieldCounts, Section, u32_at, u64_at};
use super::packed::{self, Packed};
use super::section::SectionRef;
use crate::base::earth::Point;
use crate::base::earth::area::{Area, Relation};
use crate::base::earth::cell::Cell;
use crate::base::error::Result;
use crate::base::memory::room;
use std::io::Write;
use std::ops::Range;

const HEAD: usize = 16;

/// The bytes of a point, and of a code.
const EIGHT: usize = 8;

/// Documents of a block.
const BLOCK: usize = 32;

/// Bytes of memory per document that [`write`] takes.
pub(super) const MEMORY: usize = size_of::<(u64, u32)>();

/// Writes the section of a field: the points of all documents.
pub(super) fn write(points: &[Option<Point>], field: usize, writer: &mut SegmentWriter) -> Result<()> {
    let with_codes = points.iter().zip(0u32..).filter_map(|(point, doc)| Some((point.as_ref()?.code(), doc)));
    let mut sorted: Vec<(u64, u32)> = room(points.len())?;
    sorted.extend(with_codes);
    sorted.sort_unstable();
    let width = packed::width_for(points.len().saturating_sub(1) as u64);
    let mut head = [0; HEAD];
    head[..4].copy_from_slice(&(sorted.len() as u32).to_le_bytes());
    head[4] = width as u8;
    head[5] = (sorted.len() < points.len()).into();
    writer.section(Section::Points, field as u8, |out| {
        out.write_all(&head)?;
        for point in points {
            let Point { lat, lng } = point.unwrap_or(Point { lat: 0, lng: 0 });
            out.write_all(&lat.to_le_bytes())?;
            out.write_all(&lng.to_le_bytes())?;
        }
        for (code, _) in sorted.iter().step_by(BLOCK).chain(sorted.last()) {
            out.write_all(&code.to_le_bytes())?;
        }
        packed::pack(sorted.iter().map(|&(_, doc)| doc.into()), width, out)?;
        if sorted.len() < points.len() {
            for eight in points.chunks(8) {
                out.write_all(&[eight.iter().rev().fold(0, |byte, point| byte << 1 | u8::from(point.is_some()))])?;
            }
        }
        Ok(())
    })?;
    writer.set_counts(field, FieldCounts { documents: sorted.len() as u32, ..FieldCounts::default() });
    Ok(())
}

/// The points of a field. What is read of them is checked when it is first read.
#[derive(Debug, Clone, Copy)]
pub struct Points<'s> {
    /// `None` if no document has a point.
    part: Option<SectionRef<'s>>,
    documents: usize,
    count: usize,
    width: u32,
    /// Empty if all documents have a point.
    present: &'s [u8],
}

/// Some documents in the order of the codes of their points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidates {
    blocks: Range<usize>,
    /// Whether all of them are known to be in the area.
    inside: bool,
}

impl Candidates {
    /// How many documents there are at most.
    pub fn most(&self) -> usize {
        self.blocks.len() * BLOCK
    }

    /// The same in parts of at most some thousand.
    pub fn parts(&self) -> impl Iterator<Item = Candidates> + '_ {
        const MOST: usize = 256;
        let parts = self.blocks.clone().step_by(MOST);
        parts.map(|from| Candidates { blocks: from..self.blocks.end.min(from + MOST), inside: self.inside })
    }
}

impl<'s> Points<'s> {
    /// Those of a field in which no document has a point.
    pub(super) const NONE: Points<'static> = Points { part: None, documents: 0, count: 0, width: 0, present: &[] };

    pub(super) fn parse(part: SectionRef<'s>, documents: u32) -> Result<Points<'s>> {
        let documents = documents as usize;
        let bad = || part.corrupt(0, format!("{} bytes that are no points of {documents} documents", part.len()));
        let head = part.range(0, HEAD)?;
        let (count, width) = (u32_at(head, 0) as usize, u32::from(head[4]));
        if count > documents
            || width != packed::width_for(documents as u64 - 1)
            || head[5] != u8::from(count < documents)
        {
            return Err(bad());
        }
        let points = Points { part: Some(part), documents, count, width, present: &[] };
        let packed = packed::bytes_for(count, width).ok_or_else(bad)?;
        let (end, bits) = (points.order_at() + packed, if head[5] == 1 { documents.div_ceil(8) } else { 0 });
        if part.len() != end + bits {
            return Err(bad());
        }
        Ok(Points { present: part.range(end, bits)?, ..points })
    }

    fn blocks(&self) -> usize {
        self.count.div_ceil(BLOCK)
    }

    fn directory_at(&self) -> usize {
        HEAD + EIGHT * self.documents
    }

    /// The bytes of the codes.
    fn directory(&self) -> usize {
        if self.count == 0 { 0 } else { EIGHT * (self.blocks() + 1) }
    }

    fn order_at(&self) -> usize {
        self.directory_at() + self.directory()
    }

    /// Whether a document has a point.
    #[inline]
    fn has(&self, doc: u32) -> bool {
        let doc = doc as usize;
        doc < self.documents && (self.present.is_empty() || self.present[doc / 8] >> (doc % 8) & 1 != 0)
    }

    /// The point of a document, if it has one and there is such a document.
    ///
    /// # Errors
    /// [`Error::Corrupt`](crate::Error::Corrupt).
    pub fn get(&self, doc: u32) -> Result<Option<Point>> {
        match self.part {
            Some(part) if self.has(doc) => Ok(Some(point(part.range(HEAD + EIGHT * doc as usize, EIGHT)?))),
            _ => Ok(None),
        }
    }

    /// Those of all documents, checked.
    ///
    /// # Errors
    /// [`Error::Corrupt`](crate::Error::Corrupt).
    pub fn all(&self) -> Result<PointColumn<'s>> {
        let bytes = self.part.map_or(Ok(&[][..]), |part| part.range(HEAD, EIGHT * self.documents))?;
        Ok(PointColumn { points: *self, bytes })
    }

    /// Sets the bits of the documents with a point.
    pub fn add_present(&self, bits: &mut [u64]) {
        for (at, word) in bits.iter_mut().enumerate() {
            let documents = (64 * at as u32..64 * (at as u32 + 1)).rev();
            *word |= documents.fold(0, |word, doc| word << 1 | u64::from(self.has(doc)));
        }
    }

    /// Documents among which are all in the area.
    ///
    /// # Errors
    /// [`Error::Corrupt`](crate::Error::Corrupt).
    pub fn candidates(&self, area: &Area) -> Result<Vec<Candidates>> {
        self.cover(area, BLOCK)
    }

    /// About how many documents are in the area at most.
    ///
    /// # Errors
    /// [`Error::Corrupt`](crate::Error::Corrupt).
    pub fn expected(&self, area: &Area) -> Result<usize> {
        let candidates = self.cover(area, (self.count / 256).max(BLOCK))?;
        Ok(candidates.iter().map(Candidates::most).sum())
    }

    /// The candidates, of which those of cells with at most so many documents are not told apart.
    fn cover(&self, area: &Area, least: usize) -> Result<Vec<Candidates>> {
        let Some(part) = self.part.filter(|_| self.count > 0) else { return Ok(Vec::new()) };
        let directory = part.range(self.directory_at(), self.directory())?;
        let mut cover = Cover { directory, area, least: least / BLOCK + 1, done: 0, found: Vec::new() };
        cover.visit(Cell::EARTH, 0..self.blocks());
        Ok(cover.found)
    }

    /// Calls `take` with those candidates that are in the area.
    ///
    /// # Errors
    /// [`Error::Corrupt`](crate::Error::Corrupt).
    pub fn for_each(&self, candidates: &Candidates, area: &Area, mut take: impl FnMut(u32)) -> Result<()> {
        let Some(part) = self.part else { return Ok(()) };
        let (from, to) = (candidates.blocks.start * BLOCK, (candidates.blocks.end * BLOCK).min(self.count));
        // The bits of a block are whole bytes.
        let at = self.order_at() + from * self.width as usize / 8;
        let wrong = |what: String| part.corrupt(at, what);
        let Some((count, bytes)) = to.checked_sub(from).and_then(|n| Some((n, packed::bytes_for(n, self.width)?)))
        else {
            return Err(wrong(format!("documents {from} to {to} of {}", self.count)));
        };
        let order = Packed::split(part.range(at, bytes)?, self.width, count);
        for doc in order.into_iter().flat_map(|(order, _)| order.iter()) {
            let doc = u32::try_from(doc).ok().filter(|&doc| self.has(doc));
            let doc = doc.ok_or_else(|| wrong("a document without a point".into()))?;
            if candidates.inside || self.get(doc)?.is_some_and(|point| area.contains(point)) {
                take(doc);
            }
        }
        Ok(())
    }
}

/// The point in eight bytes.
#[inline]
fn point(bytes: &[u8]) -> Point {
    let steps = u64_at(bytes, 0);
    Point { lat: steps as i32, lng: (steps >> 32) as i32 }
}

/// The points of a field by document.
#[derive(Debug, Clone, Copy)]
pub struct PointColumn<'s> {
    points: Points<'s>,
    bytes: &'s [u8],
}

impl PointColumn<'_> {
    /// The point of a document, if it has one and there is such a document.
    #[inline]
    pub fn get(&self, doc: u32) -> Option<Point> {
        let bytes = self.bytes.get(EIGHT * doc as usize..)?.get(..EIGHT)?;
        self.points.has(doc).then(|| point(bytes))
    }
}

/// Looks for the blocks of an area.
struct Cover<'a> {
    /// The code of the first document of each block, and the last code.
    directory: &'a [u8],
    area: &'a Area,
    /// Cells with at most so many blocks are not divided; at least 2, as neighbours share blocks.
    least: usize,
    /// The blocks before this one have been found, or left out.
    done: usize,
    found: Vec<Candidates>,
}

impl Cover<'_> {
    /// The code at which a block begins and the one before it ends.
    fn code(&self, block: usize) -> u64 {
        u64_at(self.directory, EIGHT * block)
    }

    /// Looks at the blocks of a cell: those that have one of its codes.
    fn visit(&mut self, cell: Cell, blocks: Range<usize>) {
        if blocks.is_empty() {
            return;
        }
        match (self.area.relation(cell), cell.quarters()) {
            (Relation::Outside, _) => (),
            (Relation::Inside, _) => {
                let (codes, Range { start, end }) = (cell.codes(), blocks);
                let first = start + usize::from(self.code(start) < *codes.start());
                let last = end - usize::from(self.code(end) > *codes.end());
                self.add(start..first.min(end), false);
                self.add(first..last, true);
                self.add(last.max(start)..end, false);
            }
            (Relation::Unknown, Some(quarters)) if blocks.len() > self.least => {
                for quarter in quarters {
                    let codes = quarter.codes();
                    let start = self.first(blocks.clone(), |block| self.code(block + 1) >= *codes.start());
                    let end = self.first(blocks.clone(), |block| self.code(block) > *codes.end());
                    self.visit(quarter, start..end);
                }
            }
            (Relation::Unknown, _) => self.add(blocks, false),
        }
    }

    /// The first block for which it holds, as for all after it; the end if there is none.
    fn first(&self, blocks: Range<usize>, holds: impl Fn(usize) -> bool) -> usize {
        let (mut low, mut high) = (blocks.start, blocks.end);
        while low < high {
            let middle = low.midpoint(high);
            if holds(middle) { high = middle } else { low = middle + 1 }
        }
        low
    }

    /// Adds blocks that no cell before had.
    fn add(&mut self, blocks: Range<usize>, inside: bool) {
        let blocks = blocks.start.max(self.done)..blocks.end;
        if blocks.is_empty() {
            return;
        }
        self.done = blocks.end;
        match self.found.last_mut() {
            Some(last) if last.blocks.end == blocks.start && last.inside == inside => last.blocks.end = blocks.end,
            _ => self.found.push(Candidates { blocks, inside }),
        }
    }
}
