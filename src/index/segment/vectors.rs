//! The vectors of a vector field, by row: one for each document that has one, in the order of docIDs. Their codes are apart, so
//! that a search reads what it needs from one place to the next.
//!
//! ```text
//! vectors: rows u32, missing u8 (1 if some documents have none), zeros up to byte 64
//!          per row: the components f16 or f32
//!          if missing is 1, per row: the docID u32
//! codes:   per row: coarse code; per row: its factor; per row: the length f32, unless vectors are compared by cosines;
//!          per row: what makes the code fine, the factor of the fine code
//! ```
//! Codes and factors are those of [`Codes`].

use super::clusters;
use super::file::SegmentWriter;
use super::format::{FieldCounts, Section, u32_at};
use super::merge_plan::{Input, MergePlan};
use super::section::SectionRef;
use crate::base::error::Result;
use crate::base::memory::{prefetch, reserve, room};
use crate::vector::{self, Codes, Factor, Metric, Run, Shape};
use std::io::Write;
use std::ops::Range;

const HEAD: usize = 64;

/// What there is of each row's codes, in the order of the section.
#[derive(Debug, Clone, Copy)]
enum Part {
    Coarse,
    Factor,
    Norm,
    Fine,
}

impl Part {
    const ALL: [Part; 4] = [Part::Coarse, Part::Factor, Part::Norm, Part::Fine];

    /// Its bytes in a row.
    fn bytes(self, shape: Shape) -> usize {
        match self {
            Part::Coarse => Codes::bytes(shape),
            Part::Factor => Factor::BYTES,
            Part::Fine => Codes::bytes(shape) + Factor::BYTES,
            Part::Norm if shape.metric == Metric::Cosine => 0,
            Part::Norm => size_of::<f32>(),
        }
    }

    /// The bytes of all parts before it, in a row.
    fn before(self, shape: Shape) -> usize {
        Part::ALL[..self as usize].iter().map(|part| part.bytes(shape)).sum()
    }
}

/// Bytes of all parts of a row's codes.
fn bytes_of_codes(shape: Shape) -> usize {
    Part::ALL.iter().map(|part| part.bytes(shape)).sum()
}

/// Vectors that are gathered in memory.
#[derive(Debug)]
pub(super) struct Vectors {
    shape: Shape,
    /// The document of each row.
    docs: Vec<u32>,
    components: Vec<u8>,
    /// Whether they are to be in clusters.
    clusters: bool,
}

impl Vectors {
    pub fn new(shape: Shape, clusters: bool) -> Vectors {
        Vectors { shape, docs: Vec::new(), components: Vec::new(), clusters }
    }

    /// Adds the vector of a document after all others, rounded as the field keeps it.
    pub fn push(&mut self, doc: u32, components: &[f32]) -> Result<()> {
        reserve(&mut self.docs, 1)?;
        reserve(&mut self.components, self.shape.bytes())?;
        self.docs.push(doc);
        self.shape.precision.encode(components, &mut self.components);
        Ok(())
    }

    /// Takes back the vectors of documents from that one on.
    pub fn undo(&mut self, documents: usize) {
        let rows = self.docs.partition_point(|&doc| (doc as usize) < documents);
        self.docs.truncate(rows);
        self.components.truncate(self.shape.bytes() * rows);
    }

    /// Bytes of memory in use, and those that [`Vectors::write`] takes besides.
    pub fn memory(&self) -> (usize, usize) {
        let of_row = bytes_of_codes(self.shape) + size_of::<(u32, u32)>();
        let of_clusters = if self.clusters { vector::clusters::memory(self.shape, self.docs.len()) } else { 0 };
        let rows = self.docs.len();
        (self.components.capacity() + size_of::<u32>() * self.docs.capacity(), of_clusters.max(of_row * rows))
    }

    /// Writes the sections of a field with `documents` documents, those that are not dead.
    pub fn write(
        self,
        is_dead: impl Fn(usize) -> bool,
        documents: u32,
        field: usize,
        writer: &mut SegmentWriter,
    ) -> Result<()> {
        // Which row, and its docID: without dead documents before it, that is smaller.
        let mut rows: Vec<(u32, u32)> = room(self.docs.len())?;
        let (mut doc, mut dead) = (0, 0);
        for (&of_row, row) in self.docs.iter().zip(0..) {
            dead += (doc..=of_row as usize).filter(|&doc| is_dead(doc)).count() as u32;
            doc = of_row as usize + 1;
            if !is_dead(of_row as usize) {
                rows.push((row, of_row - dead));
            }
        }
        let vector = |row: u32| &self.components[self.shape.bytes() * row as usize..][..self.shape.bytes()];
        let docs = rows.iter().map(|&(_, doc)| doc);
        write_vectors(docs, documents, field, writer, |at, out| out.write_all(vector(rows[at].0)))?;
        let mut parts: [Vec<u8>; Part::ALL.len()] = Default::default();
        for (bytes, part) in parts.iter_mut().zip(Part::ALL) {
            reserve(bytes, part.bytes(self.shape) * rows.len())?;
        }
        let mut codes = Codes::default();
        for &(row, _) in &rows {
            codes.encode(self.shape, vector(row));
            let [coarse, fine] = codes.factors.map(Factor::to_bytes);
            let norm = codes.norm.to_le_bytes();
            codes.fine.extend(fine);
            let of_row: [&[u8]; Part::ALL.len()] = [&codes.coarse, &coarse, &norm, &codes.fine];
            for ((bytes, of_row), part) in parts.iter_mut().zip(of_row).zip(Part::ALL) {
                bytes.extend_from_slice(&of_row[..part.bytes(self.shape)]);
            }
        }
        writer.section(Section::Codes, field as u8, |out| parts.iter().try_for_each(|bytes| out.write_all(bytes)))?;
        drop(parts);
        match self.clusters {
            true => clusters::write(self.shape, rows.len(), |row| Ok(vector(rows[row].0)), field, writer),
            false => Ok(()),
        }
    }
}

/// Writes the section of vectors: of rows with these docIDs, of which `write` writes the one at a place.
fn write_vectors(
    docs: impl ExactSizeIterator<Item = u32> + Clone,
    documents: u32,
    field: usize,
    writer: &mut SegmentWriter,
    write: impl Fn(usize, &mut SegmentWriter) -> std::io::Result<()>,
) -> Result<()> {
    let rows = docs.len();
    let mut head = [0; HEAD];
    head[..4].copy_from_slice(&(rows as u32).to_le_bytes());
    head[4] = ((rows as u32) < documents).into();
    writer.section(Section::Vectors, field as u8, |out| {
        out.write_all(&head)?;
        (0..rows).try_for_each(|at| write(at, out))?;
        match rows as u32 == documents {
            true => Ok(()),
            false => docs.into_iter().try_for_each(|doc| out.write_all(&doc.to_le_bytes())),
        }
    })?;
    writer.set_counts(field, FieldCounts { documents: rows as u32, ..FieldCounts::default() });
    Ok(())
}

/// Merges the vectors of a field. Codes depend on their vector alone, so all is copied; clusters are made anew, if the field has them.
pub(super) fn merge(
    inputs: &[Input],
    plan: &MergePlan,
    field: usize,
    has_clusters: bool,
    writer: &mut SegmentWriter,
) -> Result<()> {
    let columns = inputs.iter().map(|(segment, _)| segment.vectors(field)).collect::<Result<Vec<_>>>()?;
    let Some(shape) = columns.first().map(|column| column.shape) else { return Ok(()) };
    let mut rows: Vec<(u32, usize, u32)> = room(plan.sources.len())?;
    for (&(input, doc), new) in plan.sources.iter().zip(0..) {
        if let Some(row) = columns[input as usize].row_of(doc) {
            rows.push((input, row, new));
        }
    }
    let other = |error: crate::Error| std::io::Error::other(error);
    let docs = rows.iter().map(|&(.., doc)| doc);
    write_vectors(docs, plan.sources.len() as u32, field, writer, |at, out| {
        let (input, row, _) = rows[at];
        out.write_all(columns[input as usize].vector(row).map_err(other)?)
    })?;
    let codes = columns.iter().map(VectorColumn::codes).collect::<Result<Vec<_>>>()?;
    writer.section(Section::Codes, field as u8, |out| {
        for part in Part::ALL.into_iter().filter(|part| part.bytes(shape) > 0) {
            for &(input, row, _) in &rows {
                out.write_all(codes[input as usize].part(part, row..row + 1))?;
            }
        }
        Ok(())
    })?;
    let vector = |at: usize| {
        let (input, row, _) = rows[at];
        columns[input as usize].vector(row)
    };
    if has_clusters { clusters::write(shape, rows.len(), vector, field, writer) } else { Ok(()) }
}

/// The vectors of a field. What is read of them is checked when it is first read.
#[derive(Debug, Clone, Copy)]
pub struct VectorColumn<'s> {
    shape: Shape,
    /// Vectors and codes; `None` if no document has a vector.
    sections: Option<(SectionRef<'s>, SectionRef<'s>)>,
    rows: usize,
    documents: u32,
    /// The docIDs of the rows; `None` if all documents have a vector.
    docs: Option<&'s [[u8; 4]]>,
}

impl<'s> VectorColumn<'s> {
    /// Of a field in which no document has a vector.
    pub(super) fn none(shape: Shape) -> VectorColumn<'s> {
        VectorColumn { shape, sections: None, rows: 0, documents: 0, docs: None }
    }

    pub(super) fn parse(
        shape: Shape,
        vectors: SectionRef<'s>,
        codes: SectionRef<'s>,
        documents: u32,
    ) -> Result<VectorColumn<'s>> {
        let head = vectors.range(0, HEAD)?;
        let (rows, missing) = (u32_at(head, 0), u32_at(head, 4));
        let of_rows = shape.bytes() as u64 * u64::from(rows);
        let of_docs = if missing == 0 { 0 } else { size_of::<u32>() as u64 * u64::from(rows) };
        if rows > documents
            || missing != u32::from(rows < documents)
            || HEAD as u64 + of_rows + of_docs != vectors.len() as u64
        {
            let what = format!("{} bytes that are no vectors of {documents} documents", vectors.len());
            return Err(vectors.corrupt(0, what));
        }
        if bytes_of_codes(shape) as u64 * u64::from(rows) != codes.len() as u64 {
            return Err(codes.corrupt(0, format!("{} bytes that are no codes of {rows} vectors", codes.len())));
        }
        let docs = match missing {
            0 => None,
            _ => Some(vectors.range(HEAD + of_rows as usize, of_docs as usize)?.as_chunks().0),
        };
        Ok(VectorColumn { shape, sections: Some((vectors, codes)), rows: rows as usize, documents, docs })
    }

    /// What the vectors have in common.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// How many there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The document of a row; `None` if there is none.
    #[inline]
    pub fn doc(&self, row: usize) -> Option<u32> {
        let doc = match self.docs {
            None => row as u32,
            Some(docs) => u32::from_le_bytes(*docs.get(row)?),
        };
        (row < self.rows && doc < self.documents).then_some(doc)
    }

    /// The row of a document; `None` if it has none.
    #[inline]
    pub fn row_of(&self, doc: u32) -> Option<usize> {
        match self.docs {
            None => Some(doc as usize).filter(|&row| row < self.rows),
            Some(docs) => docs.binary_search_by_key(&doc, |&of_row| u32::from_le_bytes(of_row)).ok(),
        }
    }

    /// Sets the bits of the documents with a vector.
    ///
    /// # Errors
    /// [`Error::Corrupt`](crate::Error::Corrupt).
    pub fn add_present(&self, bits: &mut [u64]) -> Result<()> {
        for row in 0..self.rows {
            let word = self.doc(row).and_then(|doc| Some((bits.get_mut(doc as usize / 64)?, doc % 64)));
            match (word, self.sections) {
                (Some((word, bit)), _) => *word |= 1 << bit,
                (None, Some((vectors, _))) => return Err(vectors.corrupt(0, format!("row {row} of no document"))),
                (None, None) => (),
            }
        }
        Ok(())
    }

    /// The components of a row, in little-endian bytes.
    ///
    /// # Errors
    /// [`Error::Corrupt`](crate::Error::Corrupt); so if there is no such row.
    #[inline]
    pub fn vector(&self, row: usize) -> Result<&'s [u8]> {
        match self.sections {
            Some((vectors, _)) if row < self.rows => vectors.range(HEAD + self.shape.bytes() * row, self.shape.bytes()),
            _ => Ok(&[]),
        }
    }

    /// Has the processor fetch what [`vector`](Self::vector) reads of a row.
    #[inline]
    pub fn prefetch(&self, row: usize) {
        if let Some((vectors, _)) = self.sections {
            vectors.prefetch(HEAD + self.shape.bytes() * row, self.shape.bytes());
        }
    }

    /// Their codes, all of which are checked when they are first asked for.
    ///
    /// # Errors
    /// [`Error::Corrupt`](crate::Error::Corrupt).
    pub fn codes(&self) -> Result<CodeColumn<'s>> {
        let bytes = self.sections.map_or(Ok(&[][..]), |(_, codes)| codes.all())?;
        let part = |part: Part| {
            let begin = part.before(self.shape) * self.rows;
            &bytes[begin..begin + part.bytes(self.shape) * self.rows]
        };
        Ok(CodeColumn { shape: self.shape, parts: Part::ALL.map(part) })
    }
}

/// Memory for [`CodeColumn::gather`].
#[derive(Debug, Default)]
pub struct Gathered {
    codes: Vec<u8>,
    factors: Vec<u8>,
    norms: Vec<u8>,
}

/// The codes of the vectors of a field, by row.
#[derive(Debug, Clone, Copy)]
pub struct CodeColumn<'s> {
    shape: Shape,
    /// The section has what all rows have of each part.
    parts: [&'s [u8]; Part::ALL.len()],
}

impl<'s> CodeColumn<'s> {
    /// A part of the codes of some rows, which there must be.
    #[inline(always)]
    fn part(&self, part: Part, rows: Range<usize>) -> &'s [u8] {
        let bytes = part.bytes(self.shape);
        &self.parts[part as usize][bytes * rows.start..bytes * rows.end]
    }

    /// The coarse codes of some rows.
    ///
    /// # Panics
    /// If there are no such rows.
    #[inline]
    pub fn coarse(&self, rows: Range<usize>) -> Run<'s> {
        Run {
            codes: self.part(Part::Coarse, rows.clone()),
            factors: self.part(Part::Factor, rows.clone()),
            norms: self.part(Part::Norm, rows),
        }
    }

    /// The same of rows that need not follow each other.
    ///
    /// # Panics
    /// If there are no such rows.
    pub fn gather<'t>(&self, rows: &[usize], to: &'t mut Gathered) -> Run<'t> {
        let Gathered { codes, factors, norms } = to;
        for (part, to) in [(Part::Coarse, &mut *codes), (Part::Factor, factors), (Part::Norm, norms)] {
            let (from, bytes) = (self.parts[part as usize], part.bytes(self.shape));
            to.resize(bytes * rows.len(), 0);
            if bytes > 0 {
                // So short that the processor reads many rows at once: to have it fetch rows ahead would only take longer.
                let each = to.chunks_exact_mut(bytes).zip(rows);
                each.for_each(|(to, &row)| to.copy_from_slice(&from[bytes * row..][..bytes]));
            }
        }
        Run { codes, factors, norms }
    }

    /// Has the processor fetch what [`fine`](Self::fine) reads of a row.
    ///
    /// # Panics
    /// If there is no such row.
    #[inline]
    pub fn prefetch_fine(&self, row: usize) {
        [Part::Coarse, Part::Fine].into_iter().for_each(|part| prefetch(self.part(part, row..row + 1)));
    }

    /// The coarse code of a row, what makes it fine, the factor of the fine code, and the length of the vector (1 with cosines).
    ///
    /// # Panics
    /// If there is no such row.
    #[inline]
    pub fn fine(&self, row: usize) -> ([&'s [u8]; 2], Factor, f32) {
        let one = row..row + 1;
        let (fine, factor) = self.part(Part::Fine, one.clone()).split_at(Codes::bytes(self.shape));
        let factor = factor.first_chunk().copied().unwrap_or_default();
        let norm = self.part(Part::Norm, one.clone()).first_chunk().map_or(1.0, |&norm| f32::from_le_bytes(norm));
        ([self.part(Part::Coarse, one), fine], Factor::from_bytes(factor), norm)
    }
}
