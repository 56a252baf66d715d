//! [`Leaf`]: what one list of postings is made of, and [`Weighted`], what is known of it in the whole index.

use super::Index;
use super::options::Options;
use super::statistics::Whole;
use crate::base::error::Result;
use crate::index::impacts::Precision;
use crate::index::segment::{Pair, Segment};
use crate::rank::bm25::idf;
use crate::rank::term::Source;
use once_cell::unsync::OnceCell;
use smallvec::{SmallVec, smallvec};
use std::borrow::Cow;

/// What one list of postings is made of, in one field.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Leaf {
    /// A term.
    Term { field: usize, term: String },
    /// Terms at these offsets, moved by `slop` in all.
    Phrase { field: usize, offsets: Vec<u32>, terms: Vec<String>, slop: u32 },
    /// Terms that count as one: those that begin with a prefix, or are as many edits away from a word. They count for the
    /// `discount` of the word itself, and are no rarer than `common` documents. `counts`: the documents that contain each.
    Words { field: usize, typed: String, words: Vec<Vec<u8>>, counts: Vec<u64>, discount: f32, common: u64 },
    /// Terms that a document must have all.
    Together { field: usize, terms: Vec<String> },
    /// A term of a weights field, of which the query gives the weight.
    Weight { field: usize, term: Vec<u8>, weight: f32 },
}

impl Leaf {
    /// The number of the field.
    pub(super) fn field(&self) -> usize {
        match self {
            Leaf::Term { field, .. }
            | Leaf::Phrase { field, .. }
            | Leaf::Words { field, .. }
            | Leaf::Together { field, .. }
            | Leaf::Weight { field, .. } => *field,
        }
    }

    /// By how much it counts for less than what was typed.
    pub(super) fn discount(&self) -> f32 {
        if let Leaf::Words { discount, .. } = self { *discount } else { 1.0 }
    }

    fn terms(&self) -> SmallVec<[&[u8]; 1]> {
        match self {
            Leaf::Term { term, .. } => smallvec![term.as_bytes()],
            Leaf::Phrase { terms, .. } | Leaf::Together { terms, .. } => {
                terms.iter().map(|term| term.as_bytes()).collect()
            }
            Leaf::Words { words, .. } => words.iter().map(|word| &word[..]).collect(),
            Leaf::Weight { term, .. } => smallvec![&term[..]],
        }
    }

    /// The terms that it stands for, for explanations.
    pub(super) fn words(&self) -> String {
        let words: Vec<_> = self.terms().into_iter().map(String::from_utf8_lossy).collect();
        words.join(" ")
    }

    /// What was typed, for explanations.
    pub(super) fn typed(&self) -> String {
        match self {
            Leaf::Term { term, .. } => term.clone(),
            Leaf::Phrase { terms, slop: slop @ 1.., .. } => format!("\"{}\"~{slop}", terms.join(" ")),
            Leaf::Phrase { terms, .. } | Leaf::Together { terms, .. } => format!("\"{}\"", terms.join(" ")),
            Leaf::Words { typed, .. } => typed.clone(),
            Leaf::Weight { .. } => self.words(),
        }
    }
}

/// The dictionary's value of each term of a leaf in a segment. Most leaves are one term.
pub(super) type Values = SmallVec<[Option<u64>; 1]>;

/// The leaves of a clause, most often one.
pub(super) type Leaves = SmallVec<[Weighted; 1]>;

/// A leaf with what is known of it in the whole index.
pub(super) struct Weighted {
    /// What it is.
    pub(super) leaf: Leaf,
    /// Per segment, the values of its terms. Most indexes have one large segment.
    pub(super) values: SmallVec<[Values; 1]>,
    /// Per segment, the postings of a leaf that is put together of several lists, once that was done; empty for a term.
    pub(super) joined: Vec<OnceCell<Option<Source<'static>>>>,
    /// The most documents of the [whole](Whole) that contain one of its terms.
    pub(super) documents: u64,
    /// At most so many documents of the whole contain it.
    pub(super) in_whole: u64,
    /// At most so many documents, in all segments, contain it.
    pub(super) at_most: u64,
    /// Postings that are read to put its own together, or what takes as long; 0 if it is a term, or kept as one.
    pub(super) joins: u64,
    /// Its idf; of a phrase the sum of those of its terms.
    pub(super) idf: f64,
    /// BM25's weight, with that of the field and how often the clause was typed.
    pub(super) weight: f32,
}

impl Weighted {
    /// A term of a weights field, of which the query gives the weight.
    ///
    /// # Errors
    /// [`Error::Corrupt`](crate::Error::Corrupt).
    pub(super) fn with_weight(
        index: &Index,
        field: usize,
        term: &[u8],
        weight: f32,
        precision: Precision,
    ) -> Result<Weighted> {
        let values = look_up(index, &[(field, term)])?;
        let documents = containing(index, field, &values, 1)?[0];
        Ok(Weighted {
            leaf: Leaf::Weight { field, term: term.to_vec(), weight },
            values,
            joined: Vec::new(),
            documents,
            in_whole: documents,
            at_most: documents,
            joins: 0,
            idf: 1.0,
            weight: weight * precision.scale(),
        })
    }

    /// By what a score grows with the saturation; of a term of a weights field, the weight in the query.
    pub(super) fn query_weight(&self) -> f32 {
        if let Leaf::Weight { weight, .. } = self.leaf { weight } else { self.weight }
    }

    /// Whether the lists of several terms are put together for it.
    pub(super) fn is_union(&self) -> bool {
        matches!(self.leaf, Leaf::Words { .. }) && self.joins > 0
    }
}

/// Looking a posting up and comparing its positions takes as long as reading so many.
const WITH_POSITIONS: u64 = 8;
/// Clearing the counters of so many documents takes as long as reading a posting.
const OF_ARRAY: u64 = 8;

/// Whether a segment, in which the terms of a phrase have these values, keeps its postings, or has none.
fn is_kept(segment: &Segment, leaf: &Leaf, values: &[Option<u64>]) -> bool {
    match (leaf, values) {
        (_, values) if values.contains(&None) => true,
        (Leaf::Phrase { field, offsets, slop: 0, .. }, &[Some(first), Some(second)])
            if offsets[0].checked_add(1) == Some(offsets[1]) =>
        {
            // What is wrong will be said when the list is read.
            segment.pair(*field, first, second).is_ok_and(|pair| pair != Pair::Unknown)
        }
        _ => false,
    }
}

/// In how many documents of the whole each of its terms is, of which so many of the index contain it.
fn of_whole<'c>(whole: &Whole, leaf: &Leaf, terms: &[&[u8]], containing: &'c [u64]) -> Result<Cow<'c, [u64]>> {
    if whole.is_own() {
        return Ok(Cow::Borrowed(containing));
    }
    // Who expanded a prefix or a fuzzy word knows already.
    if let Leaf::Words { counts, .. } = leaf {
        return Ok(Cow::Owned(counts.clone()));
    }
    let counts = terms.iter().zip(containing).map(|(term, &own)| whole.containing(leaf.field(), term, own));
    counts.collect::<Result<Vec<_>>>().map(Cow::Owned)
}

/// The dictionary's values of some terms, each of a field, in each segment.
///
/// # Errors
/// [`Error::Corrupt`](crate::Error::Corrupt).
fn look_up(index: &Index, terms: &[(usize, &[u8])]) -> Result<SmallVec<[Values; 1]>> {
    let parts = index.snapshot().parts();
    let mut values: SmallVec<[Values; 1]> = smallvec![smallvec![None; terms.len()]; parts.len()];
    for (part, values) in parts.iter().zip(&mut values) {
        look_up_in(&part.segment, terms, values)?;
    }
    Ok(values)
}

/// The dictionary's values of some terms, each of a field, in a segment; as many as there are. The processor fetches the beginnings of
/// their lists meanwhile, so whoever weighs several leaves looks them all up before.
///
/// # Errors
/// [`Error::Corrupt`](crate::Error::Corrupt).
pub(super) fn look_up_in(segment: &Segment, terms: &[(usize, &[u8])], values: &mut [Option<u64>]) -> Result<()> {
    match (terms, &mut *values) {
        (&[(field, term)], [value]) => *value = segment.term(field, term)?,
        (terms, values) => segment.terms(terms, values)?,
    }
    for (&(field, _), value) in terms.iter().zip(values) {
        if let Some(value) = *value {
            segment.prefetch_list(field, value);
        }
    }
    Ok(())
}

/// How many documents contain each of so many terms, given their values in each segment.
fn containing(index: &Index, field: usize, values: &[Values], terms: usize) -> Result<SmallVec<[u64; 1]>> {
    let mut containing: SmallVec<[u64; 1]> = smallvec![0; terms];
    for (part, values) in index.snapshot().parts().iter().zip(values) {
        for (value, containing) in values.iter().zip(&mut containing) {
            if let Some(value) = *value {
                *containing += part.segment.documents_with(field, value)?;
            }
        }
    }
    Ok(containing)
}

/// `weight`: that of the field, times how often the clause was typed. `values`: of its terms, if they were [looked up](look_up).
///
/// # Errors
/// [`Error::Corrupt`](crate::Error::Corrupt).
pub(super) fn weighted(
    index: &Index,
    whole: &Whole,
    leaf: Leaf,
    values: Option<SmallVec<[Values; 1]>>,
    weight: f32,
    options: &Options,
) -> Result<Weighted> {
    let field = leaf.field();
    let parts = index.snapshot().parts();
    let terms = leaf.terms();
    let values = match values {
        Some(values) => values,
        None => look_up(index, &terms.iter().map(|&term| (field, term)).collect::<SmallVec<[_; 1]>>())?,
    };
    let containing = containing(index, field, &values, terms.len())?;
    let of_whole = of_whole(whole, &leaf, &terms, &containing)?;
    let (all, documents) = (index.snapshot().documents(), whole.documents());
    let sum = |counts: &[u64]| counts.iter().sum::<u64>();
    let (documents, in_whole, at_most, joins, idf) = match leaf {
        Leaf::Phrase { .. } | Leaf::Together { .. } => {
            let every = containing.iter().copied().min().unwrap_or(0);
            let is_phrase = matches!(leaf, Leaf::Phrase { .. });
            let mut joins = sum(&containing);
            if is_phrase {
                // A phrase is looked for in the documents of its rarest term, unless it is kept.
                let all_keep_it = parts.iter().zip(&values).all(|(part, values)| is_kept(&part.segment, &leaf, values));
                joins = if all_keep_it { 0 } else { WITH_POSITIONS * every * terms.len() as u64 };
            }
            let in_whole = of_whole.iter().copied().min().unwrap_or(0);
            (in_whole, in_whole, every, joins, of_whole.iter().map(|&containing| idf(documents, containing)).sum())
        }
        _ => {
            let most = of_whole.iter().copied().max().unwrap_or(0);
            // Frequencies are added up in an array of all documents.
            let joins = if terms.len() > 1 { sum(&containing) + all / OF_ARRAY } else { 0 };
            let common = if let Leaf::Words { common, .. } = leaf { common } else { 0 };
            let [in_whole, at_most] = [sum(&of_whole).min(documents), sum(&containing).min(all)];
            (most, in_whole, at_most, joins, idf(documents, most.max(common)))
        }
    };
    drop(terms);
    let factor = (1.0 + f64::from(options.bm25.k1)) * f64::from(weight * leaf.discount());
    let is_term = matches!(leaf, Leaf::Term { .. });
    let joined = if is_term { Vec::new() } else { parts.iter().map(|_| OnceCell::new()).collect() };
    Ok(Weighted { leaf, values, joined, documents, in_whole, at_most, joins, idf, weight: (idf * factor) as f32 })
}
