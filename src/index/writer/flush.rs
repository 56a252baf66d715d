//! Pending documents become segments.

use super::filter::Filter;
use super::pending::Buffer;
use super::{Pending, Writer, WriterSegment};
use crate::base::error::{Error, Result};
use crate::base::memory;
use crate::base::threads::spread;
use crate::index::Schema;
use crate::index::manifest;
use crate::index::segment::{Form, Segment, SegmentBuilder, SegmentMeta};
use crate::index::storage::Folder;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Bytes of documents that are worth a thread of their own, which takes some 20 µs to start: they take some 3 ms to
/// analyse. More threads make more segments, too.
const SHARE: usize = 128 << 10;

/// The memory that a thread needs so that tables are not most of it: those for writing a segment take some 18 MiB, if pairs of its words
/// are kept, and those for writing a run 3.
fn per_thread(form: Form) -> usize {
    match form {
        Form::Segment => 20 << 20,
        Form::Run => 10 << 20,
    }
}

/// One part in so many of the memory may be the filter of ids.
const FILTER: usize = 8;

/// The filter is made once as many ids have been looked up as there are documents in this many parts: inserting an id
/// takes about a tenth of the time of looking it up in one segment.
const WORTH: u64 = 8;

impl Writer {
    /// Writes pending documents as segments, which the next commit will name; if there are runs, as such, which it will merge.
    ///
    /// # Errors
    /// As [`Writer::write`].
    pub(super) fn flush(&mut self) -> Result<()> {
        self.write(if self.has_runs() { Form::Run } else { Form::Segment })
    }

    /// Writes pending documents.
    ///
    /// # Errors
    /// Documents of one thread's builder are lost then; those of a buffer stay pending.
    pub(super) fn write(&mut self, form: Form) -> Result<()> {
        if self.pending.is_empty() {
            // Deleted documents may still take memory.
            if self.pending.is_full(&self.options) {
                self.pending = Pending::new(&self.schema, &self.options);
            }
            return Ok(());
        }
        // Before anything is given up. Ids are looked up in all segments.
        self.lock.check(&self.folder)?;
        self.check_files()?;
        match &mut self.pending {
            Pending::Builder(builder) => {
                let new = Box::new(SegmentBuilder::new(self.schema.clone()));
                let full = std::mem::replace(builder, new);
                let number = self.next;
                self.next += 1;
                let written = full.finish(&self.folder, number, form);
                let written = written.and_then(|meta| self.append_new(meta.into_iter().collect(), form));
                written.map_err(|error| self.lose(error))
            }
            Pending::Buffer(buffer, _) => {
                let next = AtomicU64::new(self.next);
                let work = Work { buffer, folder: &self.folder, next: &next, schema: &self.schema, form };
                let written = work.run(self.options.threads(), self.options.builders());
                self.next = next.into_inner();
                written.and_then(|metas| self.append_new(metas, form)).inspect_err(|_| self.clean())?;
                if let Pending::Buffer(buffer, _) = &mut self.pending {
                    buffer.clear();
                }
                Ok(())
            }
        }
    }

    /// Remembers that pending documents are lost; returns the error that says so.
    pub(super) fn lose(&mut self, error: Error) -> Error {
        let why = error.to_string();
        self.lost = Some(why.clone());
        let what = format!("{why}; the changes since the last commit are lost: roll back, and make them again");
        self.failed(what)
    }

    fn append_new(&mut self, metas: Vec<SegmentMeta>, form: Form) -> Result<()> {
        let open = |meta: &SegmentMeta| {
            let name = manifest::segment_name(meta.number);
            let segment = Segment::open_as(form, &self.folder, &name, meta, self.schema.clone())?;
            Ok(WriterSegment { segment, deleted: None, saved: None })
        };
        let new = metas.iter().map(open).collect::<Result<Vec<_>>>()?;
        self.append(new)
    }

    /// Appends segments, in order of insertion, none of which has an id of another. Documents with these ids in earlier
    /// segments are deleted. Nothing has changed after an error.
    pub(super) fn append(&mut self, new: Vec<WriterSegment>) -> Result<()> {
        let count: usize = new.iter().map(|part| part.segment.documents() as usize).sum();
        let others: Vec<_> = new.iter().map(|added| self.may_share_ids(&added.segment)).collect::<Result<_>>()?;
        let lookups = new.iter().zip(&others).map(|(added, others)| added.segment.documents() as usize * others.len());
        self.prepare_filter(count, lookups.sum())?;
        let mut replaced = Vec::new();
        for (added, others) in new.iter().zip(&others).filter(|(_, others)| !others.is_empty()) {
            let ids = added.segment.ids()?;
            for doc_id in (0..added.segment.documents()).filter(|&doc_id| added.is_live(doc_id)) {
                let id = ids.get(doc_id)?;
                if self.filter.as_ref().is_some_and(|filter| !filter.may_contain(id)) {
                    continue;
                }
                for &at in others {
                    let part = &self.segments[at];
                    if let Some(old) = part.segment.find(id)?.filter(|&old| part.is_live(old)) {
                        memory::reserve(&mut replaced, 1)?;
                        replaced.push((at, old));
                        break;
                    }
                }
            }
        }
        if let Some(filter) = &mut self.filter {
            new.iter().try_for_each(|part| insert_all(filter, &part.segment))?;
        }
        replaced.iter().try_for_each(|&(at, _)| self.segments[at].prepare_to_delete())?;
        memory::reserve(&mut self.segments, new.len())?;
        for (at, doc_id) in replaced {
            self.segments[at].delete(doc_id);
        }
        self.segments.extend(new);
        Ok(())
    }

    /// The places of the segments that may have ids of another, the latest first.
    fn may_share_ids(&self, added: &Segment) -> Result<Vec<usize>> {
        let mut places = Vec::new();
        for (at, part) in self.segments.iter().enumerate().rev() {
            if part.segment.may_share_ids(added)? {
                places.push(at);
            }
        }
        Ok(places)
    }

    /// Makes the filter, or a larger one, if so many look-ups are worth it, of `count` new ids.
    fn prepare_filter(&mut self, count: usize, lookups: usize) -> Result<()> {
        let there: u64 = self.segments.iter().map(|part| u64::from(part.segment.documents())).sum();
        let needed = there as usize + count;
        let memory = self.options.memory() / FILTER;
        let make = match &self.filter {
            Some(filter) => {
                // One that is made anew has only ids of segments that are still there.
                needed > filter.capacity() && filter.capacity() < Filter::most(memory) || filter.len() / 4 > needed
            }
            None => {
                self.lookups += lookups as u64;
                self.lookups > there / WORTH
            }
        };
        if make && !self.segments.is_empty() {
            let mut filter = Filter::new(2 * needed, memory)?;
            self.segments.iter().try_for_each(|part| insert_all(&mut filter, &part.segment))?;
            self.filter = Some(filter);
        }
        Ok(())
    }
}

fn insert_all(filter: &mut Filter, segment: &Segment) -> Result<()> {
    let ids = segment.ids()?;
    (0..segment.documents()).try_for_each(|doc_id| {
        filter.insert(ids.get(doc_id)?);
        Ok(())
    })
}

/// The documents of a buffer, to be written as segments by several threads.
struct Work<'w> {
    buffer: &'w Buffer,
    folder: &'w Folder,
    /// The number of the next segment.
    next: &'w AtomicU64,
    schema: &'w Arc<Schema>,
    form: Form,
}

impl Work<'_> {
    /// Uses at most `threads` threads, and `memory` bytes besides those of the buffer. Returns the segments in order of
    /// insertion. After an error, files may be left.
    fn run(&self, threads: usize, memory: usize) -> Result<Vec<SegmentMeta>> {
        let threads = threads.min(memory / per_thread(self.form)).max(1);
        let ranges = self.buffer.split(threads, SHARE);
        let memory = memory / ranges.len();
        let of_thread = spread(ranges.len(), ranges.len(), 1, |takings| {
            let write = |at: usize| Ok((at, self.write(ranges[at].clone(), memory)?));
            takings.flatten().map(write).collect::<Result<Vec<_>>>()
        });
        let mut segments = of_thread.into_iter().collect::<Result<Vec<_>>>()?.concat();
        segments.sort_unstable_by_key(|(at, _)| *at);
        Ok(segments.into_iter().flat_map(|(_, metas)| metas).collect())
    }

    /// Writes a range of documents as segments, building each in that much memory.
    fn write(&self, range: Range<usize>, memory: usize) -> Result<Vec<SegmentMeta>> {
        let new = || SegmentBuilder::new(self.schema.clone());
        let mut metas = Vec::new();
        let mut finish = |builder: SegmentBuilder| -> Result<()> {
            let number = self.next.fetch_add(1, Relaxed);
            metas.extend(builder.finish(self.folder, number, self.form)?);
            Ok(())
        };
        let mut builder = new();
        for document in self.buffer.documents(range) {
            let (id, document) = document?;
            builder.add(&id, &document)?;
            drop(document);
            if builder.is_full() || builder.memory(self.form) >= memory {
                finish(std::mem::replace(&mut builder, new()))?;
            }
        }
        finish(builder)?;
        Ok(metas)
    }
}
