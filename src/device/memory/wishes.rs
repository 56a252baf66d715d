//! [`Wishes`]: whether a device makes the list of a phrase, or the host.
//!
//! A device needs the positions of all words of a phrase, and to send these costs the host more than to make the list of one
//! phrase, unless all words are rare. Once they are there, they serve all phrases of these words. So a word's positions are
//! sent when the work that the host did, or is about to do, for lack of them adds up to what sending them takes: whatever
//! queries follow, that is at most twice what would have been best.

use super::{Key, Name};
use std::collections::HashMap;

/// Postings of which the host prepares the positions in the time in which it looks for a phrase in a document of its rarest
/// word: 4.3 with 250 pairs of neighbours from a million passages, of which sending takes some back.
const WORK: f64 = 4.0;

/// Words that are remembered. When there are more, all are forgotten.
const MOST: usize = 1 << 16;

/// The work that the host did for lack of positions, by what these are called in the cache.
#[derive(Default)]
pub(crate) struct Wishes(HashMap<Name, f64>);

impl Wishes {
    /// Notes that the host makes the list of a phrase, whose rarest word is in that many documents, unless it has the
    /// positions of a word.
    pub(in crate::device) fn add(&mut self, positions: &Key<'_>, documents: u64) {
        if self.0.len() >= MOST {
            self.0.clear();
        }
        *self.0.entry(positions.name()).or_default() += WORK * documents as f64;
    }

    /// Whether it is worth sending the positions of a word that is in that many documents.
    pub(in crate::device) fn are_enough(&self, positions: &Key<'_>, documents: u64) -> bool {
        self.0.get(&positions.name()).is_some_and(|&work| work >= documents as f64)
    }

    /// Forgets the wish for positions, which have been sent.
    pub(in crate::device) fn granted(&mut self, positions: &Key<'_>) {
        self.0.remove(&positions.name());
    }
}
