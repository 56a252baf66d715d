//! Commits: merging segments, and replacing the manifest.

use super::{Writer, WriterSegment};
use crate::base::error::{Error, Result};
use crate::base::threads::spread;
use crate::index::Kind;
use crate::index::manifest::{self, DeletedMeta, Entry, Manifest};
use crate::index::policy::{self, Limits, Size};
use crate::index::segment::{self, Segment, SegmentMeta, reorder};
use crate::index::storage::Folder;
use std::ops::Range;
use std::sync::Arc;

/// Pending segments are merged before a commit only if there are more segments than this: a commit that merges all of them
/// at once writes less.
const MANY: usize = 48;

impl Writer {
    /// Makes all changes durable and visible; returns the number of the commit. If there are no changes, nothing is
    /// written, and the number is that of the last commit.
    ///
    /// Segments are merged so that there are few: in an index of n bytes, a document is written at most 1 + log16(n / s)
    /// times, s being the bytes of the segment that it was first written to, and once more before that, as a run, if memory
    /// was full. What cannot be merged because there is no room on the disk is left to a later commit, but for runs, each of
    /// which becomes a segment.
    ///
    /// # Errors
    /// [`Error::File`] if something cannot be written, [`Error::Corrupt`] if a segment that had to be merged is damaged.
    /// The last commit is intact then, and what readers see; the changes stay pending, and commit can be called again,
    /// unless the error says that they are lost. If only the last step fails, making the folder durable, the error says
    /// that the changes are visible already.
    pub fn commit(&mut self) -> Result<u64> {
        self.check()?;
        self.flush()?;
        if self.has_unpublished() {
            self.merge_if_possible()?;
        }
        self.publish()
    }

    /// Commits, and merges all segments into one, without what was deleted and with the codecs of this writer. With
    /// `reorder`, documents with similar terms get neighbouring docIDs, which makes the index smaller and searches faster if
    /// the order of insertion says little of their contents; that order still decides between equal scores. Several segments
    /// stay if one would be larger than the format allows.
    ///
    /// # Errors
    /// As [`Writer::commit`].
    pub fn optimize(&mut self, reorder: bool) -> Result<u64> {
        self.check()?;
        self.flush()?;
        let sizes = self.sizes()?;
        let mut jobs: Vec<Range<usize>> = Vec::new();
        for at in 0..sizes.len() {
            match jobs.last_mut() {
                Some(job) if Limits::FORMAT.allow(&sizes[job.start..=at]) => job.end = at + 1,
                _ => jobs.push(at..at + 1),
            }
        }
        let (parts, codecs) = (&self.segments, self.schema.codecs);
        jobs.retain(|job| {
            let done = |part: &WriterSegment| {
                let WriterSegment { segment, .. } = part;
                let is_as_wanted = (!reorder || segment.is_reordered()) && segment.codecs() == codecs;
                part.deleted() == 0 && is_as_wanted && !part.is_run()
            };
            job.len() > 1 || !done(&parts[job.start])
        });
        self.merge(&jobs, reorder)?;
        self.publish()
    }

    /// Merges pending segments if there are too many.
    pub(super) fn merge_many(&mut self) -> Result<()> {
        if self.segments.len() <= MANY {
            return Ok(());
        }
        self.merge_by_policy()
    }

    fn merge_by_policy(&mut self) -> Result<()> {
        let jobs = policy::merges(&self.sizes()?, Limits::FORMAT);
        self.merge(&jobs, false)
    }

    /// Merges what the policy says. A disk that has no room for that may have enough for the commit: then only runs become segments,
    /// one by one.
    fn merge_if_possible(&mut self) -> Result<()> {
        match self.merge_by_policy() {
            Err(error @ Error::File { .. }) => {
                log::warn!("merging is left to a later commit: {error}");
                while let Some(at) = self.segments.iter().position(|part| part.is_run()) {
                    self.merge(std::slice::from_ref(&(at..at + 1)), false)?;
                    self.clean();
                }
                Ok(())
            }
            merged => merged,
        }
    }

    /// Makes segments of runs, which cannot be searched.
    pub(super) fn end_runs(&mut self) -> Result<()> {
        if self.has_runs() { self.merge_if_possible() } else { Ok(()) }
    }

    pub(super) fn has_runs(&self) -> bool {
        self.segments.iter().any(|part| part.is_run())
    }

    fn sizes(&self) -> Result<Vec<Size>> {
        let size = |part: &WriterSegment| {
            let schema = part.segment.schema();
            let mut tokens = 0;
            for (number, _) in schema.fields.iter().enumerate().filter(|(_, field)| field.kind == Kind::Text) {
                // A limit of each field's lists.
                tokens = part.segment.counts(number)?.tokens.max(tokens);
            }
            let SegmentMeta { bytes, documents, .. } = part.meta();
            Ok(Size { bytes, documents, deleted: part.deleted(), tokens, is_run: part.is_run() })
        };
        self.segments.iter().map(size).collect()
    }

    /// Merges ranges of segments into one each. After an error nothing has changed, but files may be left.
    fn merge(&mut self, jobs: &[Range<usize>], reorder: bool) -> Result<()> {
        self.check_files()?;
        let first = self.next;
        self.next += jobs.len() as u64;
        let writer = &*self;
        let threads = self.options.threads();
        let at_once = threads.min(jobs.len()).max(1);
        let merged = spread(at_once, jobs.len(), 1, |takings| {
            let merge = |at: usize| {
                Ok((at, writer.merge_one(jobs[at].clone(), first + at as u64, reorder, threads / at_once)?))
            };
            takings.flatten().map(merge).collect::<Result<Vec<_>>>()
        });
        let merged: Result<Vec<_>> = merged.into_iter().collect();
        let merged = merged.inspect_err(|_| self.clean())?.into_iter().flatten();
        let mut merged: Vec<_> = merged.collect();
        merged.sort_unstable_by_key(|(at, _)| *at);
        for (at, part) in merged.into_iter().rev() {
            self.segments.splice(jobs[at].clone(), part);
        }
        Ok(())
    }

    /// Merges a range of segments; `None` if no document is left.
    fn merge_one(
        &self,
        range: Range<usize>,
        number: u64,
        reorder: bool,
        threads: usize,
    ) -> Result<Option<WriterSegment>> {
        let schema = &self.schema;
        let input = |part| -> segment::Input<'_> {
            let WriterSegment { segment, deleted, .. }: &WriterSegment = part;
            (segment.clone(), deleted.as_ref().map(|deleted| deleted.words()))
        };
        let inputs: Vec<_> = self.segments[range].iter().map(input).collect();
        let order = match reorder {
            true => Some(reorder::order(&inputs, schema, &reorder::ReorderOptions { threads, ..Default::default() })?),
            false => None,
        };
        let meta = segment::merge(&inputs, &self.folder, number, schema, order.as_deref(), threads)?;
        let Some(meta) = meta else { return Ok(None) };
        let segment = Segment::open_in(&self.folder, &manifest::segment_name(number), &meta, schema.clone())?;
        Ok(Some(WriterSegment { segment, deleted: None, saved: None }))
    }

    /// Whether the last manifest differs from what the next one would be.
    pub(super) fn has_unpublished(&self) -> bool {
        let entries = self.segments.iter().map(|part| Entry { meta: part.meta(), deleted: part.saved });
        self.unsure
            || !Arc::ptr_eq(&self.schema, &self.committed.schema) && self.schema != self.committed.schema
            || self.segments.iter().any(|part| part.deleted() > 0 && part.saved.is_none())
            || !entries.eq(self.committed.segments.iter().copied())
    }

    /// Makes segments that are not committed durable. After an error, their contents may be lost.
    fn sync_segments(&self) -> Result<()> {
        let is_committed = |number| self.committed.segments.iter().any(|entry| entry.meta.number == number);
        let new = self.segments.iter().map(|part| part.meta().number).filter(|&number| !is_committed(number));
        new.into_iter().try_for_each(|number| self.folder.sync(&manifest::segment_name(number)))
    }

    /// Replaces the manifest.
    fn publish(&mut self) -> Result<u64> {
        if !self.has_unpublished() {
            // New segments of which nothing is left.
            self.clean();
            return Ok(self.committed.generation);
        }
        debug_assert!(!self.has_runs(), "runs are not committed");
        self.lock.check(&self.folder)?;
        let generation = self.committed.generation + 1;
        let mut segments = Vec::with_capacity(self.segments.len());
        let mut new = Vec::new();
        for part in &self.segments {
            let meta = part.meta();
            let deleted = match (&part.deleted, part.saved) {
                (Some(deleted), None) if deleted.count() > 0 => {
                    let name = manifest::deleted_name(meta.number, generation);
                    let crc = deleted.write(&self.folder, &name, meta.number)?;
                    new.push(name);
                    Some(DeletedMeta { generation, count: deleted.count(), crc })
                }
                (_, saved) => saved,
            };
            segments.push(Entry { meta, deleted });
        }
        let (identity, schema) = (self.committed.identity, self.schema.clone());
        let grown = !self.segments.iter().all(|part| part.segment.has_all_fields());
        let manifest = Manifest { identity, generation, schema, next: self.next, grown, segments };
        self.sync_segments().map_err(|error| self.lose(error))?;
        replace(&self.folder, &manifest, &new)?;
        for (part, entry) in self.segments.iter_mut().zip(&manifest.segments) {
            part.saved = entry.deleted;
        }
        self.committed = manifest;
        self.unsure = true;
        if let Err(error) = self.folder.sync_all() {
            let what = format!("{error}; the commit is visible, but a loss of power may undo it: commit again");
            return Err(self.failed(what));
        }
        self.unsure = false;
        self.clean();
        Ok(generation)
    }
}

/// Replaces the manifest of a folder, and makes the `new` files that it names durable. The new name of the manifest is not
/// durable yet.
pub(super) fn replace(folder: &Folder, manifest: &Manifest, new: &[String]) -> Result<()> {
    folder.write(manifest::TEMPORARY, &manifest.encode()?)?;
    new.iter().try_for_each(|name| folder.sync(name))?;
    folder.sync(manifest::TEMPORARY)?;
    // The files that the manifest names must be in the folder whenever the manifest is.
    folder.sync_all()?;
    folder.rename(manifest::TEMPORARY, manifest::NAME)
}
