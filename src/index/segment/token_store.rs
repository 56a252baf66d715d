//! [`TokenStore`]: the tokens of documents in memory.
//!
//! A token is the number of its term. Terms are numbered in the order of their first occurrence, so most tokens have small numbers:
//! those below 49,152 take 16 bits, others 32. The codes of weights are kept alike.

use super::terms::{HOLE, documents};
use crate::base::error::{Error, Result};
use crate::base::memory;

/// The upper bits of the first of two units. The others are the upper half of the number.
const LONG: u16 = 0xC000;

/// Numbers below it take one unit of 16 bits.
const SHORT: u32 = if cfg!(any(test, fuzzing)) { 20 } else { LONG as u32 };

/// The unit of a [`HOLE`].
const EMPTY: u16 = u16::MAX;

/// Numbers of tokens, by documents.
#[derive(Debug, Default)]
pub(super) struct TokenStore {
    units: Vec<u16>,
    /// Where the units of each document end.
    ends: Vec<u32>,
}

impl TokenStore {
    /// The greatest number.
    pub const GREATEST: u32 = (((EMPTY - LONG) as u32) << 16) - 1;

    /// How many documents there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// How many units of 16 bits they take; fewer than 2^32.
    pub fn units(&self) -> usize {
        self.units.len()
    }

    /// Bytes in use, and a quarter as many: the heap may still hold what a vector grew out of. What it has in reserve takes no
    /// memory until it is written to.
    pub fn memory(&self) -> usize {
        let used = size_of_val(&self.units[..]) + size_of_val(&self.ends[..]);
        used + used / 4
    }

    /// Adds a document with these tokens, each a number or a [`HOLE`].
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; nothing has changed then.
    pub fn push(&mut self, tokens: &[u32]) -> Result<()> {
        let is_long = |token: u32| token >= SHORT && token != HOLE;
        let more = tokens.len() + tokens.iter().filter(|&&token| is_long(token)).count();
        memory::reserve(&mut self.units, more)?;
        memory::reserve(&mut self.ends, 1)?;
        let end = self.units.len() + more;
        let end = u32::try_from(end).map_err(|_| Error::OutOfMemory { bytes: size_of::<u16>() * end })?;
        for &token in tokens {
            if is_long(token) {
                debug_assert!(token <= TokenStore::GREATEST);
                self.units.push(LONG | (token >> 16) as u16);
            }
            self.units.push(token as u16);
        }
        self.ends.push(end);
        Ok(())
    }

    /// Keeps that many documents.
    pub fn truncate(&mut self, documents: usize) {
        self.ends.truncate(documents);
        self.units.truncate(self.ends.last().map_or(0, |&end| end as usize));
    }

    /// The tokens of each document.
    pub fn documents(&self) -> impl Iterator<Item = TokensOf<'_>> {
        documents(&self.ends).map(|units| TokensOf(self.units[units].iter()))
    }
}

/// The tokens of a document.
#[derive(Debug, Clone)]
pub(super) struct TokensOf<'t>(std::slice::Iter<'t, u16>);

impl Iterator for TokensOf<'_> {
    type Item = u32;

    #[inline(always)]
    fn next(&mut self) -> Option<u32> {
        let unit = *self.0.next()?;
        Some(match unit {
            EMPTY => HOLE,
            LONG.. => u32::from(unit - LONG) << 16 | u32::from(*self.0.next()?),
            _ => unit.into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn token() -> impl Strategy<Value = u32> {
        let around = |number: u32| number - 2..number + 3;
        prop_oneof![
            Just(HOLE),
            0..9u32,
            around(SHORT),
            around(LONG.into()),
            around(u16::MAX.into()),
            0..=TokenStore::GREATEST,
            Just(TokenStore::GREATEST)
        ]
    }

    proptest! {
        #[test]
        fn documents_are_as_they_were_added(
            mut added in prop::collection::vec(prop::collection::vec(token(), 0..20), 0..20),
            kept in 0..25usize,
        ) {
            let mut store = TokenStore::default();
            for tokens in &added {
                store.push(tokens).unwrap();
            }
            let all = |store: &TokenStore| store.documents().map(Iterator::collect).collect::<Vec<Vec<u32>>>();
            prop_assert_eq!(all(&store), added.clone());
            store.truncate(kept);
            added.truncate(kept);
            store.push(&[HOLE, TokenStore::GREATEST, 7]).unwrap();
            added.push(vec![HOLE, TokenStore::GREATEST, 7]);
            prop_assert_eq!(store.units(), 4 + added[..added.len() - 1].iter().flatten().map(|&token| 1 + usize::from(token >= SHORT && token != HOLE)).sum::<usize>());
            prop_assert_eq!(all(&store), added);
        }
    }
}
