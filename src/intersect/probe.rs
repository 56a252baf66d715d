//! Looking up ascending docIDs in a list.

use crate::codec::AnyLookUp;
use crate::cpu::Tier;
use crate::list::{Cursor, PostingList};

/// A forward-only look-up in one list.
pub(super) struct Probe<'l> {
    how: How<'l>,
    universe: u32,
}

#[expect(clippy::large_enum_variant, reason = "a few per query, and an allocation each would cost more")]
enum How<'l> {
    /// The way of the list's codec, which decodes no block.
    LookUp(AnyLookUp<'l>),
    /// In decoded blocks.
    Blocks(Box<Cursor<'l>>),
}

impl<'l> Probe<'l> {
    /// `list` is not empty, the processor has `tier`.
    pub(super) fn new(tier: Tier, list: &'l PostingList) -> Self {
        assert!(!list.is_empty() && tier.is_available());
        // SAFETY: every list was checked when it was made; the rest was just asserted.
        let look_up = unsafe { AnyLookUp::new(list.codec(), tier, list.encoded()) };
        let how = look_up.map_or_else(|| How::Blocks(Box::new(list.cursor_with(tier))), How::LookUp);
        Probe { how, universe: list.universe() }
    }

    /// The largest docID of the list.
    pub(super) fn universe(&self) -> u32 {
        self.universe
    }

    /// Moves those `candidates` that the list has to the front and returns how many they are. Candidates ascend, also
    /// from call to call.
    pub(super) fn retain(&mut self, candidates: &mut [u32]) -> usize {
        match &mut self.how {
            How::LookUp(look_up) => look_up.retain(candidates),
            How::Blocks(cursor) => {
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
