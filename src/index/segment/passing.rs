//! The documents that pass a filter, kept once a filter comes again: those of a shop's categories and price bands come with most
//! searches.

use super::Segment;
use super::kept::Kept;
use crate::base::error::Result;
use std::sync::Arc;

/// The documents of a segment that pass a filter.
#[derive(Debug)]
pub struct Allowed {
    /// Bit d of the sequence is document d.
    pub bits: Vec<u64>,
    /// How many there are.
    pub count: usize,
    /// The documents in order, if they are few.
    pub few: Option<Vec<u32>>,
}

/// Postings are sifted by a filter that so small a part of the documents passes, before they are scored.
const SIFTED: usize = 6;

impl Allowed {
    /// Whether it is better to ask it than scores first.
    pub fn is_sieve(&self) -> bool {
        cfg!(target_endian = "little") && self.count.saturating_mul(SIFTED) < 64 * self.bits.len()
    }

    /// The bits in words of a list's bit set, if it [is a sieve](Self::is_sieve).
    #[inline(always)]
    pub fn words(&self) -> &[u32] {
        bytemuck::cast_slice(&self.bits)
    }

    fn bytes(&self) -> usize {
        size_of::<Allowed>() + 8 * self.bits.len() + 4 * self.few.as_ref().map_or(0, Vec::len)
    }
}

/// What is kept takes at most so many bytes per document of the segment: sixteen sets of bits.
const BYTES_PER_DOCUMENT: usize = 2;

/// By what the filter is, as bytes.
pub(super) type KeptPassing = Kept<Box<[u8]>, Arc<Allowed>>;

impl Segment {
    /// What `make` makes of a filter that `key` tells from others; kept if it is wanted again, and other filters do not take its
    /// place. What is kept takes 2 bytes per document of the segment at most.
    pub fn passing(&self, key: &[u8], make: impl FnOnce() -> Result<Allowed>) -> Result<Arc<Allowed>> {
        if let Some(allowed) = self.passing.get(|other| **other == *key) {
            return Ok(allowed);
        }
        let allowed = Arc::new(make()?);
        let most = BYTES_PER_DOCUMENT * self.documents() as usize;
        self.passing.keep(key.into(), &allowed, key.len() + allowed.bytes(), most);
        Ok(allowed)
    }
}
