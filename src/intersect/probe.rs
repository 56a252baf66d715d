//! Looking up ascending docIDs in a list.

use crate::base::cpu::Tier;
use crate::codec::AnyLookUp;
use crate::list::{Cursor, PostingList};

/// A forward-only look-up in one list.
pub(super) struct Probe<'l> {
    how: How<'l>,
    universe: u32,
}

#[expect(clippy::large_enum_variant, reason = "a few per query, and an allocation each would cost more")]
enum How<'l> {
    /// The codec's own look-up, which decodes no blocks.
    LookUp(AnyLookUp<'l>),
    /// A look-up in decoded blocks.
    Blocks(Box<Cursor<'l>>),
}

impl<'l> Probe<'l> {
    /// `list` must not be empty, and the processor must have `tier`.
    pub(super) fn new(tier: Tier, list: &'l PostingList) -> Self {
        assert!(!list.is_empty() && tier.is_available());
        // SAFETY: every `PostingList` is checked when it is made; the rest was just asserted.
        let look_up = unsafe { AnyLookUp::new(list.codec(), tier, list.encoded()) };
        let how = look_up.map_or_else(|| How::Blocks(Box::new(list.cursor_with(tier))), How::LookUp);
        Probe { how, universe: list.universe() }
    }

    /// The largest docID of the list.
    pub(super) fn universe(&self) -> u32 {
        self.universe
    }

    /// Moves those `candidates` that the list contains to the front and returns their number. Candidates must ascend,
    /// across calls too.
    pub(super) fn retain(&mut self, candidates: &mut [u32]) -> usize {
        match &mut self.how {
            // SAFETY: they ascend: the docIDs of a list, or some of them, in its order.
            How::LookUp(look_up) => unsafe { look_up.retain(candidates) },
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
