//! [`Compared`]: which words an atom stands for.

use super::Index;
use super::frequent;
use super::pattern::Pattern;
use super::words::{Beginning, Of, Word, Words};
use crate::base::error::Result;
use crate::query::Atom;
use crate::rank::Clock;

/// What words are compared with.
pub(super) enum Compared<'a> {
    Prefix(&'a str),
    Pattern(Pattern),
}

impl<'a> Compared<'a> {
    /// An atom that stands for words.
    pub(super) fn new(atom: &'a Atom) -> Compared<'a> {
        if let Atom::Prefix(prefix) = atom { Compared::Prefix(prefix) } else { Compared::Pattern(Pattern::new(atom)) }
    }

    /// The `limit` closest words of a field, in order.
    ///
    /// # Errors
    /// [`Error::Expired`](crate::Error::Expired); [`Error::Corrupt`](crate::Error::Corrupt).
    pub(super) fn closest(
        &self,
        index: &Index,
        field: usize,
        of: Of,
        limit: usize,
        clock: &Clock,
    ) -> Result<Vec<Word>> {
        match self {
            Compared::Prefix(prefix) => {
                if let Some(words) = frequent::closest(index, field, of, prefix.as_bytes(), limit, clock)? {
                    return Ok(words);
                }
                let automaton = &Beginning(prefix.len());
                Words { index, field, of, automaton, first: prefix.as_bytes(), key: None, clock }.closest(limit)
            }
            Compared::Pattern(pattern) => {
                let (first, key) = (pattern.first(), Some(pattern.key()));
                match pattern.of_whole() {
                    Some(automaton) => Words { index, field, of, automaton, first, key, clock }.closest(limit),
                    None => Words { index, field, of, automaton: pattern, first, key, clock }.closest(limit),
                }
            }
        }
    }
}
