//! What the items of ranked search, and vectors, are called in the cache of a device.

use crate::base::identity::Identity;
use crate::device::Key;
use crate::search::recipe::Recipe;
use once_cell::sync::Lazy;
use std::hash::{BuildHasher, RandomState};

/// Kinds of items. Lists of terms, and tables, have the number of their field; the others this number, plus that of their
/// field, which is below 256.
const POSITIONS: u32 = 1 << 8;
const PHRASE: u32 = 2 << 8;
const WORDS: u32 = 3 << 8;
const TOGETHER: u32 = 4 << 8;
const NEAR: u32 = 5 << 8;
const VECTORS: u32 = 6 << 8;
const ORDINALS: u32 = u32::MAX;

/// The list of a segment that a recipe makes.
pub(super) fn list<'k>(segment: &'k Identity, field: usize, recipe: &'k Recipe) -> Key<'k> {
    /// Those who choose words do not know it.
    static SEED: Lazy<RandomState> = Lazy::new(RandomState::new);

    let (field, owner) = (field as u32, segment);
    let (kind, of) = match recipe {
        Recipe::Term(value) => return term(owner, field as usize, *value),
        Recipe::Phrase(of) => (PHRASE, of),
        Recipe::Near(of) => (NEAR, of),
        Recipe::Words(of) => (WORDS, of),
        Recipe::Together(of) => (TOGETHER, of),
    };
    Key { owner, item: (kind + field, SEED.hash_one(of)), of: Some(of) }
}

/// The list of a term in a segment, by the dictionary's value.
pub(super) fn term(segment: &Identity, field: usize, value: u64) -> Key<'_> {
    Key { owner: segment, item: (field as u32, value), of: None }
}

/// The positions of a term in a segment, by the dictionary's value.
pub(super) fn positions(segment: &Identity, field: usize, value: u64) -> Key<'_> {
    Key { owner: segment, item: (POSITIONS + field as u32, value), of: None }
}

/// The saturations and norms of a field in a commit.
pub(super) fn table(commit: &Identity, field: usize, [k1, b]: [f32; 2]) -> Key<'_> {
    let [k1, b] = [k1, b].map(|of| u64::from(of.to_bits()));
    Key { owner: commit, item: (field as u32, k1 << 32 | b), of: None }
}

/// The ordinals of a segment.
pub(super) fn ordinals(segment: &Identity) -> Key<'_> {
    Key { owner: segment, item: (ORDINALS, 0), of: None }
}

/// A part of the vectors of a field in a segment.
pub(super) fn vectors(segment: &Identity, field: usize, part: usize) -> Key<'_> {
    Key { owner: segment, item: (VECTORS + field as u32, part as u64), of: None }
}
