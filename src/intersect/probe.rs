//! Looking up ascending docIDs in a list.

use super::select;
use crate::codec::Codec;
use crate::cpu::Tier;
use crate::list::{Cursor, PostingList};

/// A forward-only look-up in one list.
#[allow(clippy::large_enum_variant)] // A query makes a few, of which small lists would notice the allocation.
pub(super) enum Probe<'l> {
    /// In the upper bits of a quasi-succinct list.
    Select(select::Select<'l>, Tier),
    /// In decoded blocks.
    Blocks(Box<Cursor<'l>>, u32),
}

/// Whether look-ups in lists of that codec need no decoding.
pub(crate) fn selects(_: Tier, codec: Codec) -> bool {
    codec == Codec::QuasiSuccinct
}

impl<'l> Probe<'l> {
    /// `list` is not empty, the processor has `tier`.
    pub(super) fn new(tier: Tier, list: &'l PostingList) -> Self {
        debug_assert!(!list.is_empty() && tier.is_available());
        if selects(tier, list.codec()) {
            return Probe::Select(select::Select::new(list), tier);
        }
        Probe::Blocks(Box::new(list.cursor_with(tier)), list.universe())
    }

    /// The largest docID of the list.
    pub(super) fn universe(&self) -> u32 {
        match self {
            Probe::Select(select, _) => select.universe(),
            Probe::Blocks(_, universe) => *universe,
        }
    }

    /// Moves those `candidates` that the list has to the front and returns how many they are. Candidates ascend, from
    /// call to call too.
    pub(super) fn retain(&mut self, candidates: &mut [u32]) -> usize {
        match self {
            // SAFETY: the processor has the tier, as `new` was promised.
            Probe::Select(select, tier) => unsafe { select.retain(*tier, candidates) },
            Probe::Blocks(cursor, _) => {
                let mut kept = 0;
                for i in 0..candidates.len() {
                    let candidate = candidates[i];
                    let Some(found) = cursor.next_geq(candidate) else { break };
                    candidates[kept] = candidate;
                    kept += usize::from(found == candidate);
                }
                kept
            }
        }
    }
}
