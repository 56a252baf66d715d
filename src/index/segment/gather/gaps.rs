//! [`Gaps`]: the documents of a pair while pairs are gathered.

use crate::base::error::Result;
use crate::base::leb128::put;
use crate::base::memory;
use crate::index::list::Numbers;

/// Documents and frequencies: gap · 2 + (the frequency is 1), then the frequency if it is not, in LEB128 bytes.
#[derive(Default)]
pub(in crate::index::segment) struct Gaps {
    bytes: Vec<u8>,
    /// How many of them the first document takes.
    first: u8,
    next: u32,
}

impl Gaps {
    /// About how many bytes the gaps of so many documents of a segment take.
    pub fn estimate(count: u64, documents: u64) -> u64 {
        // Gaps below 64 take one byte.
        if 64 * count > documents { count } else { 2 * count }
    }

    pub fn push(&mut self, doc_id: u32, frequency: u32) -> Result<()> {
        memory::reserve_few(&mut self.bytes, 10)?;
        let gap = u64::from(doc_id - self.next) << 1;
        let is_first = self.bytes.is_empty();
        self.next = doc_id + 1;
        if frequency == 1 {
            put(&mut self.bytes, gap | 1);
        } else {
            put(&mut self.bytes, gap);
            put(&mut self.bytes, frequency.into());
        }
        if is_first {
            self.first = self.bytes.len() as u8;
        }
        Ok(())
    }

    /// Appends those of later documents.
    pub fn append(&mut self, later: Gaps) -> Result<()> {
        if later.bytes.is_empty() {
            return Ok(());
        }
        if self.bytes.is_empty() {
            *self = later;
            return Ok(());
        }
        memory::reserve_few(&mut self.bytes, later.bytes.len())?;
        let mut numbers = Numbers(&later.bytes);
        let first = numbers.next().unwrap_or_default();
        put(&mut self.bytes, first - (u64::from(self.next) << 1));
        self.bytes.extend_from_slice(numbers.0);
        self.next = later.next;
        Ok(())
    }

    /// Bytes that they take.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Bytes that they take at least when they are appended to others.
    pub fn appended(&self) -> usize {
        self.bytes.len() - usize::from(self.first)
    }

    /// Appends all to both.
    pub fn read(&self, doc_ids: &mut Vec<u32>, frequencies: &mut Vec<u32>) -> Result<()> {
        let (mut next, mut numbers) = (0, Numbers(&self.bytes));
        while let Some(number) = numbers.next() {
            let frequency = if number & 1 == 1 { 1 } else { numbers.next().unwrap_or_default() as u32 };
            let doc_id = next + (number >> 1) as u32;
            next = doc_id + 1;
            memory::reserve(doc_ids, 1)?;
            memory::reserve(frequencies, 1)?;
            doc_ids.push(doc_id);
            frequencies.push(frequency);
        }
        Ok(())
    }
}
