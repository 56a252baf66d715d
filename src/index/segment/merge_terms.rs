//! The lists of a field in several segments → those of one.
//!
//! Terms come from the dictionaries in ascending order, and are merged in batches of neighbouring ones by several threads: each list
//! is decoded, renumbered and encoded again. What is written does not depend on the number of threads.

use super::Union;
use super::file::SegmentWriter;
use super::list_writer::not_built;
use super::merge_plan::{GONE, Input, MergePlan};
use super::words::Lost;
use super::write::{self, FieldWriter};
use super::write_pairs::Texts;
use crate::base::error::{Error, Result};
use crate::base::memory;
use crate::base::threads::{at_most, in_order};
use crate::index::list::{self, Codecs, Decoded, ListParts, Postings};

/// A batch has so many terms at most, and as many bytes of lists, besides the last term's.
const TERMS: usize = if TESTS { 8 } else { 1024 };
const BYTES: u64 = 256 << 10;

/// Bytes of segments that are worth a thread: they take some 15 ms.
const SHARE: u64 = if TESTS { 1 } else { 1 << 20 };

/// Whether segments are small.
const TESTS: bool = cfg!(any(test, fuzzing));

/// Merges the lists of a field's terms. `lengths`: those of a text field's documents.
pub(super) fn merge_terms(
    inputs: &[Input],
    plan: &MergePlan,
    field: usize,
    lengths: &[u8],
    mut lost: Option<&mut Lost>,
    threads: usize,
    writer: &mut SegmentWriter,
) -> Result<()> {
    let terms = inputs.iter().map(|(segment, _)| segment.all_terms(field)).collect::<Result<Vec<_>>>()?;
    let mut batches = Batches { union: Union::of(terms)?, begins: vec![0; inputs.len()] };
    let codecs = writer.codecs();
    let (path, dictionary) = (writer.path().to_owned(), write::dictionary(writer)?);
    let mut out = FieldWriter::new(writer, field, plan.sources.len() as u32, &dictionary)?;
    let bytes: u64 = inputs.iter().map(|(segment, _)| segment.meta().bytes).sum();
    let mergers = in_order(
        at_most(threads, (bytes / SHARE) as usize),
        || Merger::new(inputs, plan, field, lengths, codecs),
        || batches.next(),
        |merger, batch| merger.merge(batch),
        |merged: Merged| {
            let (begin, moved) = (out.short_lists(&merged.short)?, out.lists(&merged.others)?);
            for (term, of) in merged.terms() {
                if let Some(lost) = &mut lost {
                    lost.term(term, of.before, of.documents)?;
                }
                if of.documents > 0 {
                    let base = if of.is_after_long { moved } else { begin };
                    out.listed(term, base + of.value, of.documents, of.tokens)?;
                }
            }
            Ok(())
        },
        || dictionary.help().map_err(|error| not_built(&path, error)),
    )?;
    let with_terms = match lengths {
        [] => with_terms(mergers.into_iter().map(|merger| merger.with_terms)),
        lengths => lengths.iter().filter(|&&length| length != 0).count() as u32,
    };
    out.finish(with_terms, lengths, Texts::Lists { threads })
}

/// How many bits are set in any of the sets.
fn with_terms(sets: impl Iterator<Item = Vec<u64>>) -> u32 {
    let all = sets.reduce(|mut all, set| {
        all.iter_mut().zip(set).for_each(|(word, other)| *word |= other);
        all
    });
    all.unwrap_or_default().iter().map(|word| word.count_ones()).sum()
}

/// Terms that follow each other.
#[derive(Default)]
struct Batch {
    /// Their bytes, one after the other.
    terms: Vec<u8>,
    /// Per term, where its bytes and its lists end.
    ends: Vec<(usize, usize)>,
    /// Input and value of each list, in the order of the inputs.
    lists: Vec<(usize, u64)>,
}

/// The terms of all inputs, in batches.
struct Batches<'d> {
    union: Union<'d>,
    /// Per input, the byte at which its first list of the batch begins.
    begins: Vec<u64>,
}

impl Batches<'_> {
    fn next(&mut self) -> Result<Option<Batch>> {
        let mut batch = Batch::default();
        let mut bytes = 0;
        while batch.ends.len() < TERMS
            && bytes < BYTES
            && let Some((term, values)) = self.union.next()?
        {
            memory::reserve(&mut batch.terms, term.len())?;
            memory::reserve(&mut batch.lists, values.len())?;
            memory::reserve(&mut batch.ends, 1)?;
            batch.terms.extend_from_slice(term);
            let first = batch.lists.len();
            batch.lists.extend(values.iter().map(|value| (value.index, value.value)));
            batch.lists[first..].sort_unstable();
            batch.ends.push((batch.terms.len(), batch.lists.len()));
            for &(input, value) in &batch.lists[first..] {
                // What a list has is known once the next one's place is.
                let begin = std::mem::replace(&mut self.begins[input], value >> 1);
                bytes += (value >> 1).saturating_sub(begin);
            }
        }
        Ok((!batch.ends.is_empty()).then_some(batch))
    }
}

/// A batch that was merged.
struct Merged {
    batch: Batch,
    /// The lists that are left, encoded: short ones, then the first long one and those after it. (Long ones are aligned, so the place
    /// of the others depends on where the short ones end.)
    short: Vec<u8>,
    others: Vec<u8>,
    of_terms: Vec<OfTerm>,
}

/// The merged list of a term.
struct OfTerm {
    /// Its value, were those that it is among written at the beginning of a section.
    value: u64,
    /// Whether it is among the others.
    is_after_long: bool,
    /// Documents that had the term, those that have it, and how often in all.
    before: usize,
    documents: usize,
    tokens: u64,
}

impl Merged {
    fn terms(&self) -> impl Iterator<Item = (&[u8], &OfTerm)> {
        let begins = std::iter::once(0).chain(self.batch.ends.iter().map(|&(end, _)| end));
        let terms = begins.zip(&self.batch.ends).map(|(begin, &(end, _))| &self.batch.terms[begin..end]);
        terms.zip(&self.of_terms)
    }
}

/// Makes room in `to` for what `from` has.
fn reserve(to: &mut Decoded, from: &Decoded) -> Result<()> {
    memory::reserve(&mut to.doc_ids, from.doc_ids.len())?;
    memory::reserve(&mut to.frequencies, from.frequencies.len())?;
    memory::reserve(&mut to.positions, from.positions.len())
}

/// Puts the lists of a term together, one term after the other.
struct Merger<'p> {
    inputs: &'p [Input<'p>],
    plan: &'p MergePlan,
    field: usize,
    /// Those of all documents, of a text field.
    lengths: &'p [u8],
    /// The codecs of merged lists.
    codecs: Codecs,
    parts: ListParts,
    /// The list of an input.
    decoded: Decoded,
    merged: Decoded,
    /// Postings of the inputs' lists.
    before: usize,
    /// A bit per document with a term; empty for text, of which lengths tell it.
    with_terms: Vec<u64>,
    order: Vec<(u32, u32)>,
    sorted: Decoded,
    begins: Vec<usize>,
}

impl<'p> Merger<'p> {
    fn new(
        inputs: &'p [Input],
        plan: &'p MergePlan,
        field: usize,
        lengths: &'p [u8],
        codecs: Codecs,
    ) -> Result<Merger<'p>> {
        let counts = lengths.is_empty();
        let with_terms = if counts { memory::zeros(plan.sources.len().div_ceil(64))? } else { Vec::new() };
        Ok(Merger {
            inputs,
            plan,
            field,
            lengths,
            codecs,
            parts: inputs[0].0.parts(field),
            decoded: Decoded::default(),
            merged: Decoded::default(),
            before: 0,
            with_terms,
            order: Vec::new(),
            sorted: Decoded::default(),
            begins: Vec::new(),
        })
    }

    /// Merges the lists of each term of a batch.
    fn merge(&mut self, batch: Batch) -> Result<Merged> {
        let mut of_terms = memory::room(batch.ends.len())?;
        let (mut short, mut others) = (Vec::new(), Vec::new());
        let mut first = 0;
        for &(_, end) in &batch.ends {
            self.before = 0;
            self.merged.clear();
            for &(input, value) in &batch.lists[std::mem::replace(&mut first, end)..end] {
                self.append(input, value)?;
            }
            self.put_in_order()?;
            let Decoded { doc_ids, frequencies, positions } = &self.merged;
            let is_after_long = !others.is_empty() || list::is_long(doc_ids.len());
            let value = match doc_ids.is_empty() {
                true => 0,
                false => {
                    let postings = Postings { doc_ids, frequencies, positions, lengths: self.lengths };
                    let to = if is_after_long { &mut others } else { &mut short };
                    list::encode(&postings, self.plan.sources.len() as u32, self.codecs, 0, to)?
                }
            };
            let tokens = frequencies.iter().map(|&frequency| u64::from(frequency)).sum();
            of_terms.push(OfTerm { value, is_after_long, before: self.before, documents: doc_ids.len(), tokens });
        }
        Ok(Merged { batch, short, others, of_terms })
    }

    /// Appends the list of an input, given its value, with the merged docIDs.
    fn append(&mut self, input: usize, value: u64) -> Result<()> {
        let (segment, merged) = (&self.inputs[input].0, &mut self.merged);
        if let Some(shift) = self.plan.shifts[input] {
            let first = merged.doc_ids.len();
            segment.append(self.field, value, merged)?;
            let added = &mut merged.doc_ids[first..];
            added.iter_mut().for_each(|doc| *doc += shift);
            self.before += added.len();
            return Ok(());
        }
        let decoded = &mut self.decoded;
        segment.decode(self.field, value, decoded)?;
        self.before += decoded.doc_ids.len();
        reserve(merged, decoded)?;
        let map = &self.plan.maps[input];
        let mut positions = &decoded.positions[..];
        for (i, &doc) in decoded.doc_ids.iter().enumerate() {
            let new = map[doc as usize];
            let frequency = decoded.frequencies.get(i).copied().unwrap_or(0);
            let mut of_document: &[u32] = &[];
            if self.parts.positions {
                let split = positions.split_at_checked(frequency as usize);
                // Decoding has made sure of it.
                let wrong = || Error::Argument(format!("{} positions for {frequency}", positions.len()));
                (of_document, positions) = split.ok_or_else(wrong)?;
            }
            if new != GONE {
                merged.doc_ids.push(new);
                if self.parts.frequencies {
                    merged.frequencies.push(frequency);
                }
                merged.positions.extend_from_slice(of_document);
            }
        }
        Ok(())
    }

    /// Sorts the postings by docID, unless they are in order; counts documents.
    fn put_in_order(&mut self) -> Result<()> {
        if !self.with_terms.is_empty() {
            for &doc in &self.merged.doc_ids {
                self.with_terms[doc as usize / 64] |= 1 << (doc % 64);
            }
        }
        if self.plan.in_order {
            return Ok(());
        }
        if !self.parts.frequencies {
            self.merged.doc_ids.sort_unstable();
            return Ok(());
        }
        let (merged, sorted) = (&mut self.merged, &mut self.sorted);
        self.order.clear();
        memory::reserve(&mut self.order, merged.doc_ids.len())?;
        self.order.extend(merged.doc_ids.iter().copied().zip(0..));
        self.order.sort_unstable();
        sorted.clear();
        reserve(sorted, merged)?;
        sorted.doc_ids.extend(self.order.iter().map(|&(doc, _)| doc));
        sorted.frequencies.extend(self.order.iter().map(|&(_, i)| merged.frequencies[i as usize]));
        if self.parts.positions {
            self.begins.clear();
            memory::reserve(&mut self.begins, merged.frequencies.len())?;
            let mut begin = 0;
            for &frequency in &merged.frequencies {
                self.begins.push(begin);
                begin += frequency as usize;
            }
            for (&(_, i), &frequency) in self.order.iter().zip(&sorted.frequencies) {
                let begin = self.begins[i as usize];
                sorted.positions.extend_from_slice(&merged.positions[begin..begin + frequency as usize]);
            }
        }
        std::mem::swap(merged, sorted);
        Ok(())
    }
}
