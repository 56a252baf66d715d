//! What hits can be ordered by, and places in such an order.

use crate::base::earth::Point;
use crate::index::{Id, Kind, Schema};

/// What hits can be sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SortKey {
    /// A numeric field, or a keyword field in the order of the bytes of its values: ascending by a document's least value,
    /// descending by its greatest. Documents without a value come last in both directions.
    Field(usize),
    /// The score: 0 if the query has no words.
    Score,
    /// The id: integers before strings, strings in the order of their bytes.
    Id,
    /// The distance of a geo field's points from one. Documents without a point come last in both directions.
    Distance(usize, Point),
}

impl SortKey {
    /// Whether a hit of an index with that schema may have that of it.
    pub fn has(&self, value: &SortValue, schema: &Schema) -> bool {
        match (self, value) {
            (SortKey::Field(_) | SortKey::Distance(..), SortValue::None) | (SortKey::Id, SortValue::Id(_)) => true,
            (SortKey::Score | SortKey::Distance(..), SortValue::Number(number)) => !number.is_nan(),
            (SortKey::Field(field), SortValue::Number(number)) => {
                schema.fields.get(*field).is_some_and(|field| field.kind == Kind::Numeric) && !number.is_nan()
            }
            (SortKey::Field(field), SortValue::Keyword(_)) => {
                schema.fields.get(*field).is_some_and(|field| field.kind == Kind::Keyword)
            }
            _ => false,
        }
    }
}

/// What a hit has of a [`SortKey`].
#[derive(Debug, Clone, PartialEq)]
pub enum SortValue {
    /// No value.
    None,
    /// The number of a numeric field, the score, or a distance in metres.
    Number(f64),
    /// The value of a keyword field.
    Keyword(Vec<u8>),
    /// The id.
    Id(Id),
}

/// A place in the order of hits; those after it are wanted.
#[derive(Debug, Clone, PartialEq)]
pub struct After {
    /// A value for each key of [`Options::sort`]; the score if there is none.
    pub values: Vec<SortValue>,
    /// The docID, which decides between hits with equal values: they are in the order of insertion.
    pub doc_id: u64,
}

/// The direction of sorting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// The smallest first.
    Ascending,
    /// The greatest first.
    Descending,
}
