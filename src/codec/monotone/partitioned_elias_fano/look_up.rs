//! Looking docIDs up without decoding blocks.

use super::decode::parts;
use super::directory::{Directory, Kind, Partition, Runs};
use crate::base::cpu::Tier;
use crate::codec::monotone::quasi_succinct::look_up::Select;
use crate::codec::{Encoded, bit_set, gallop};

/// A forward-only look-up in one Elias–Fano partition.
pub(crate) struct PartLookUp<'l> {
    select: Select<'l>,
    base: u32,
}

impl<'l> PartLookUp<'l> {
    /// `width` is that of the partition's lower bits, `lasts` the last docIDs of the list's blocks.
    ///
    /// # Safety
    /// The processor has `tier`; the partition's list was checked.
    pub(crate) unsafe fn new(tier: Tier, partition: &Partition<'l>, width: u32, lasts: &'l [u32]) -> Self {
        let lasts = &lasts[partition.block..partition.end_block];
        let parts = parts(partition, width, lasts[lasts.len() - 1]);
        // SAFETY: the parts were checked, and a partition is not empty.
        PartLookUp { select: unsafe { Select::in_parts(tier, parts, lasts) }, base: parts.base }
    }

    /// As [`LookUp::retain`](crate::codec::LookUp::retain).
    ///
    /// # Safety
    /// As there; candidates are at least the partition's first docID.
    pub(crate) unsafe fn retain(&mut self, candidates: &mut [u32]) -> usize {
        let base = self.base;
        candidates.iter_mut().for_each(|candidate| *candidate -= base);
        // SAFETY: as candidates ascend, so do their differences to the first docID.
        let kept = unsafe { crate::codec::LookUp::retain(&mut self.select, candidates) };
        candidates[..kept].iter_mut().for_each(|candidate| *candidate += base);
        kept
    }
}

/// A forward-only look-up in one list.
pub struct LookUp<'l> {
    tier: Tier,
    directory: Directory<'l>,
    lasts: &'l [u32],
    /// The partition of the latest candidate, its index, and its largest docID.
    partition: Partition<'l>,
    at: usize,
    last: u32,
    inside: Inside<'l>,
}

/// A look-up in the present partition.
#[expect(clippy::large_enum_variant, reason = "one per look-up")]
enum Inside<'l> {
    EliasFano(PartLookUp<'l>),
    Bits,
    Run,
    Runs { runs: Runs<'l>, at: usize },
}

impl<'l> Inside<'l> {
    /// # Safety
    /// The processor has `tier`; the partition's list was checked.
    unsafe fn new(tier: Tier, partition: &Partition<'l>, lasts: &'l [u32]) -> Self {
        match partition.kind {
            // SAFETY: this function has the same contract.
            Kind::EliasFano(width) => Inside::EliasFano(unsafe { PartLookUp::new(tier, partition, width, lasts) }),
            Kind::Bits => Inside::Bits,
            Kind::Run => Inside::Run,
            Kind::Runs => Inside::Runs { runs: Runs::of(partition), at: 0 },
        }
    }
}

impl<'l> crate::codec::LookUp<'l> for LookUp<'l> {
    const EXISTS: bool = true;

    unsafe fn new(tier: Tier, list: Encoded<'l>) -> Option<Self> {
        let (directory, lasts) = (Directory::of(&list), list.last_doc_ids);
        let partition = directory.get(0);
        // SAFETY: this function has the same contract.
        let inside = unsafe { Inside::new(tier, &partition, lasts) };
        let last = directory.last(&partition);
        Some(LookUp { tier, directory, lasts, partition, at: 0, last, inside })
    }

    unsafe fn retain(&mut self, candidates: &mut [u32]) -> usize {
        let (mut from, mut kept) = (0, 0);
        while from < candidates.len() {
            if self.last < candidates[from] && !self.advance(candidates[from]) {
                break;
            }
            let rest = &candidates[from..];
            let end = from + if rest[rest.len() - 1] <= self.last { rest.len() } else { gallop(rest, self.last + 1) };
            // Candidates before the partition are in none.
            from += gallop(&candidates[from..end], self.partition.first);
            // SAFETY: they ascend, and those before the partition, and after it, were left out.
            let some = unsafe { self.retain_here(&mut candidates[from..end]) };
            candidates.copy_within(from..from + some, kept);
            kept += some;
            from = end;
        }
        kept
    }
}

impl LookUp<'_> {
    /// Goes on to the partition that ends at or after `doc_id`. False if there is none.
    fn advance(&mut self, doc_id: u32) -> bool {
        let after = self.partition.end_block;
        let block = after + gallop(&self.lasts[after..], doc_id);
        if block == self.lasts.len() {
            return false;
        }
        let next = self.directory.next(&self.partition, self.at + 1);
        (self.at, self.partition) = match block < next.end_block {
            true => (self.at + 1, next),
            false => {
                let at = self.directory.find(self.at + 1, block);
                (at, self.directory.get(at))
            }
        };
        self.last = self.directory.last(&self.partition);
        // SAFETY: the processor has the tier, and the list was checked, by the contract of `new`.
        self.inside = unsafe { Inside::new(self.tier, &self.partition, self.lasts) };
        true
    }

    /// [`retain`](crate::codec::LookUp::retain) in the present partition.
    ///
    /// # Safety
    /// As there; candidates are from the partition's first docID to its last.
    unsafe fn retain_here(&mut self, candidates: &mut [u32]) -> usize {
        let first = self.partition.first;
        match &mut self.inside {
            _ if candidates.is_empty() => 0,
            Inside::Run => candidates.len(),
            // SAFETY: this function has the same contract.
            Inside::EliasFano(look_up) => unsafe { look_up.retain(candidates) },
            // SAFETY: the candidates are from the first to the last docID of the partition, so each has a word there.
            Inside::Bits => unsafe {
                bit_set::retain(self.partition.payload.as_ptr().cast(), first / 64 * 64, candidates)
            },
            Inside::Runs { runs, at } => {
                let (mut begin, mut end) = runs.range(*at);
                let mut kept = 0;
                for i in 0..candidates.len() {
                    let candidate = candidates[i];
                    if candidate > end {
                        *at = runs.at_or_after(*at + 1, candidate);
                        (begin, end) = runs.range(*at);
                    }
                    candidates[kept] = candidate;
                    kept += usize::from(begin <= candidate);
                }
                kept
            }
        }
    }
}
