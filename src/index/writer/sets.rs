//! Deleting many documents at once.

use super::{Pending, Writer};
use crate::base::bits::has_bit;
use crate::base::error::Result;
use crate::index::segment::Segment;

impl Writer {
    /// Deletes all documents, those that were not committed too, from the next commit on. The schema stays. Costs nothing
    /// per document.
    ///
    /// # Errors
    /// [`Error::File`](crate::Error::File) as [`Writer::delete`].
    pub fn clear(&mut self) -> Result<()> {
        self.check()?;
        self.pending = Pending::new(&self.schema, &self.options);
        self.segments.clear();
        self.filter = None;
        self.lookups = 0;
        // Files of segments that no commit has named.
        self.clean();
        Ok(())
    }

    /// Deletes the documents of the sets that `matching` returns of the segments: bit `d % 64` of word `d / 64` is docID d,
    /// and missing words are 0. Documents that were not committed are written as segments first, so that they count, too.
    /// Returns how many were deleted.
    ///
    /// # Errors
    /// Those of `matching`, and as [`Writer::add`]; no document was deleted then.
    pub fn delete_sets(&mut self, mut matching: impl FnMut(&Segment) -> Result<Vec<u64>>) -> Result<u64> {
        self.check()?;
        self.flush()?;
        self.end_runs()?;
        self.check_files()?;
        let sets = self.segments.iter().map(|part| matching(&part.segment));
        let sets = sets.collect::<Result<Vec<_>>>()?;
        for (part, set) in self.segments.iter_mut().zip(&sets) {
            if set.iter().any(|&word| word != 0) {
                part.prepare_to_delete()?;
            }
        }
        let mut count = 0;
        for (part, set) in self.segments.iter_mut().zip(&sets) {
            for doc_id in (0..part.segment.documents()).filter(|&doc_id| has_bit(set, doc_id)) {
                count += u64::from(part.is_live(doc_id));
                part.delete(doc_id);
            }
        }
        Ok(count)
    }
}
