//! [`Recipe`]: what the postings of a leaf are made of in a segment.

use super::leaf::Leaf;
use std::sync::Arc;

/// Offset and value of each word of a phrase.
pub(super) fn words(numbers: &[u64]) -> impl ExactSizeIterator<Item = (u32, u64)> + Clone + '_ {
    numbers.chunks_exact(2).map(|word| (word[0] as u32, word[1]))
}

/// What the postings of a leaf are made of in a segment. Equal recipes give equal postings, so that a device keeps one list
/// of each.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Recipe {
    /// The postings of a term, by the dictionary's value.
    Term(u64),
    /// A phrase: the offset and the dictionary's value of each of its words.
    Phrase(Arc<[u64]>),
    /// Words of a phrase close to each other: by how much they may be moved, and as of a phrase.
    Near(Arc<[u64]>),
    /// Terms that count as one, by their values.
    Words(Arc<[u64]>),
    /// Terms of which a document must have all, by their values.
    Together(Arc<[u64]>),
}

impl Recipe {
    /// Of a leaf whose terms have these values in the segment; `None` if no document there can have it.
    pub(super) fn new(leaf: &Leaf, values: &[Option<u64>]) -> Option<Recipe> {
        match leaf {
            Leaf::Term { .. } | Leaf::Weight { .. } => values.first().copied().flatten().map(Recipe::Term),
            Leaf::Words { .. } => {
                let present: Arc<[u64]> = values.iter().copied().flatten().collect();
                match *present {
                    [] => None,
                    [one] => Some(Recipe::Term(one)),
                    _ => Some(Recipe::Words(present)),
                }
            }
            // The others need all of their terms.
            Leaf::Together { .. } => values.iter().copied().collect::<Option<_>>().map(Recipe::Together),
            Leaf::Phrase { offsets, slop, .. } => {
                let words = offsets.iter().zip(values).map(|(&offset, &value)| Some([offset.into(), value?]));
                let words: Vec<[u64; 2]> = words.collect::<Option<_>>()?;
                Some(match slop {
                    0 => Recipe::Phrase(words.as_flattened().into()),
                    _ => Recipe::Near([&[(*slop).into()], words.as_flattened()].concat().into()),
                })
            }
        }
    }

    /// The words of a phrase, offset and value of each; none of anything else.
    pub(crate) fn phrase(&self) -> impl ExactSizeIterator<Item = (u32, u64)> + Clone + '_ {
        let words: &[u64] = if let Recipe::Phrase(words) = self { words } else { &[] };
        self::words(words)
    }

    /// The numbers that it consists of.
    pub(crate) fn len(&self) -> usize {
        match self {
            Recipe::Term(_) => 1,
            Recipe::Phrase(of) | Recipe::Near(of) | Recipe::Words(of) | Recipe::Together(of) => of.len(),
        }
    }
}
