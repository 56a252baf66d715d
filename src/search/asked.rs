//! [`Asked`]: what a search is for.

use super::Index;
use super::leaf::Weighted;
use super::plan::{PlannedClause, QueryPlan};
use crate::base::error::{Error, Result};
use crate::vector;
use smallvec::smallvec;
use std::sync::Arc;

/// What a search is for. Texts become one without weights and vectors.
#[derive(Debug, Clone, Copy, Default)]
pub struct Asked<'q> {
    /// What a visitor typed.
    pub text: &'q str,
    /// Terms of weights fields. What they add to a document's score are products of weights: the query's and the document's.
    /// Documents need not have any of them, unless there are no words: then they must have one.
    pub weighted: &'q [WeightedTerms],
    /// Vector fields, each once, and the vectors whose nearest ones are hits besides what text and weights find; see
    /// [`Fusion`](super::Fusion). Counts and facets are of what text and weights find alone.
    pub nearest: &'q [NearestIn],
}

/// The number of a vector field, and what is looked for in it.
pub type NearestIn = (usize, Arc<vector::Query>);

/// Terms of a weights field, and their weights in a query.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightedTerms {
    /// The number of the field.
    pub field: usize,
    /// Terms with weights from 0 to [`Asked::MOST_WEIGHT`]; a weight of 0 is none.
    pub terms: Vec<(Vec<u8>, f32)>,
}

impl<'q, T: AsRef<str> + ?Sized> From<&'q T> for Asked<'q> {
    fn from(text: &'q T) -> Self {
        Asked { text: text.as_ref(), ..Asked::default() }
    }
}

impl Asked<'_> {
    /// The most terms with weights of a query.
    pub const MOST_TERMS: usize = 1 << 14;
    /// The greatest weight of a term in a query.
    pub const MOST_WEIGHT: f32 = 1e9;

    /// Bytes that it takes.
    pub(crate) fn bytes(&self) -> usize {
        let terms = self.weighted.iter().flat_map(|of| &of.terms);
        let terms = terms.map(|(term, _)| term.len() + size_of::<(Vec<u8>, f32)>()).sum::<usize>();
        self.text.len() + terms + self.nearest.iter().map(|(_, query)| query.bytes()).sum::<usize>()
    }

    /// What is asked besides vectors.
    pub(crate) fn without_vectors(self) -> Self {
        Asked { nearest: &[], ..self }
    }

    /// Whether no words were typed, only weights given.
    pub(crate) fn is_weights_alone(&self) -> bool {
        self.text.trim().is_empty() && !self.weighted.is_empty()
    }
}

impl WeightedTerms {
    /// What is wrong with the weights of a query, if anything is.
    pub fn fault(weighted: &[WeightedTerms]) -> Option<String> {
        let all = || weighted.iter().flat_map(|of| &of.terms);
        let count = all().count();
        if count > Asked::MOST_TERMS {
            return Some(format!("a query has at most {} terms with weights, {count} given", Asked::MOST_TERMS));
        }
        let (term, weight) = all().find(|(_, weight)| !(0.0..=Asked::MOST_WEIGHT).contains(weight))?;
        let (term, most) = (String::from_utf8_lossy(term), Asked::MOST_WEIGHT);
        Some(format!("the weight of \"{term}\" must be a number from 0 to {most}, {weight} given"))
    }
}

/// The same, owned.
#[derive(Debug, Clone, PartialEq)]
pub struct AskedBuf {
    text: Box<str>,
    weighted: Box<[WeightedTerms]>,
    nearest: Box<[NearestIn]>,
}

impl From<&str> for AskedBuf {
    fn from(text: &str) -> Self {
        Asked::from(text).into()
    }
}

impl From<Asked<'_>> for AskedBuf {
    fn from(asked: Asked<'_>) -> Self {
        AskedBuf { text: asked.text.into(), weighted: asked.weighted.into(), nearest: asked.nearest.into() }
    }
}

impl AskedBuf {
    /// What is asked.
    pub fn get(&self) -> Asked<'_> {
        Asked { text: &self.text, weighted: &self.weighted, nearest: &self.nearest }
    }
}

/// Weights of queries are rounded to the 2^BITS th part of their sum: of products with weights of 8 and 16 bits, which are multiples of
/// 2^-28 of their scale, no sum has more bits than `f64`. So it does not depend on the order of addition, and a device finds the same.
const BITS: i32 = 24;

/// A weight, rounded so that it has no bits below the unit, but not to 0.
fn rounded(weight: f32, unit: f32) -> f32 {
    (weight / unit).round().max(1.0) * unit
}

/// The least significant bit that weights of this sum have.
fn unit(sum: f64) -> f32 {
    let exponent = (sum.to_bits() >> 52) as i32 - 1023;
    2f32.powi((exponent + 1 - BITS).max(-126))
}

impl QueryPlan {
    /// Adds the terms with weights, each as a clause that documents need not have.
    ///
    /// # Errors
    /// [`Error::Argument`] for fields without weights and what is a [fault](WeightedTerms::fault); [`Error::Corrupt`].
    pub(super) fn add_weighted(&mut self, index: &Index, weighted: &[WeightedTerms]) -> Result<()> {
        if let Some(wrong) = WeightedTerms::fault(weighted) {
            return Err(Error::Argument(wrong));
        }
        let all = || weighted.iter().flat_map(|of| &of.terms);
        let unit = unit(all().map(|&(_, weight)| f64::from(weight)).sum());
        for WeightedTerms { field, terms } in weighted {
            let named = index.schema().fields.get(*field);
            let Some(precision) = named.and_then(|named| named.weights) else {
                return Err(Error::Argument(format!("field {field} has no weights")));
            };
            for (term, weight) in terms.iter().filter(|(_, weight)| *weight > 0.0) {
                let weight = rounded(*weight, unit);
                let leaf = Weighted::with_weight(index, *field, term, weight, precision)?;
                if leaf.documents > 0 {
                    self.clauses.push(PlannedClause { required: false, optional: true, leaves: smallvec![leaf] });
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_rounded_by_their_sum() {
        let unit = unit(3.5);
        assert_eq!(unit, 2f32.powi(-22));
        assert_eq!(rounded(3.5, unit), 3.5);
        assert_eq!(rounded(1e-9, unit), unit);
        assert!((rounded(0.3, unit) - 0.3).abs() <= unit / 2.0);
        for sum in [f32::MIN_POSITIVE, 1e-30, 1.0, 1.9999, 2.0, Asked::MOST_WEIGHT] {
            let unit = super::unit(sum.into());
            assert!(
                unit > 0.0 && sum / unit < (1 << BITS) as f32 && (rounded(sum, unit) / sum - 1.0).abs() < 1e-6,
                "{sum}"
            );
        }
    }
}
