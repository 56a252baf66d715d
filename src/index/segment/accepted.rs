//! The words that an automaton accepts, kept once they are wanted again: a dictionary is gone through for them, and the words
//! that visitors mistype come again.

use super::Segment;
use super::kept::Kept;
use std::sync::Arc;

/// A word that was accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    /// Its bytes.
    pub word: Box<[u8]>,
    /// How many documents contain it.
    pub documents: u64,
    /// How far it is from what was typed.
    pub class: u8,
}

/// What is kept takes at most so many bytes per document of the segment.
const BYTES_PER_DOCUMENT: usize = 2;

/// By field, and what tells the automaton from others.
pub(super) type KeptAccepted = Kept<(usize, Box<[u8]>), Arc<[Accepted]>>;

impl Segment {
    /// What [`keep_accepted`](Self::keep_accepted) kept.
    pub fn accepted(&self, field: usize, key: &[u8]) -> Option<Arc<[Accepted]>> {
        self.accepted.get(|(other, of)| *other == field && **of == *key)
    }

    /// Keeps all words of a field that an automaton accepts, which `key` tells from others, if they are wanted again, and other
    /// words do not take their place. What is kept takes 2 bytes per document of the segment at most.
    pub fn keep_accepted(&self, field: usize, key: &[u8], accepted: Vec<Accepted>) {
        let bytes: usize = accepted.iter().map(|of| size_of::<Accepted>() + of.word.len()).sum();
        let most = BYTES_PER_DOCUMENT * self.documents() as usize;
        if bytes <= most {
            self.accepted.keep((field, key.into()), &accepted.into(), key.len() + bytes, most);
        }
    }
}
