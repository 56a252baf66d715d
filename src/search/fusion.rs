//! [`Fusion`]: how hits of words and of vectors become one list.

/// How what a query finds and the nearest vectors become one list. A document is in it if it is in one of them. Equal scores are
/// in the order of insertion.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Fusion {
    /// By ranks: the sum of 1 / ([`RANK`] + rank) over the lists, ranks counting from 1 (Cormack, Clarke, Büttcher 2009). Each
    /// list has [`WINDOW`] hits, or as many as offset and limit ask for if that is more.
    #[default]
    Ranks,
    /// By scores: the weight of the text times the score, and of each vector field times the similarity, by field number; 0 for
    /// a document that does not match, or has no vector. Exact: over all documents.
    Scores {
        /// What the scores of the query are multiplied by.
        text: f64,
        /// What the similarities of a vector field are.
        fields: Vec<(usize, f64)>,
    },
}

impl Fusion {
    /// The weight of a vector field, or of the text: 0 if none is given, and by ranks.
    pub(super) fn weight(&self, field: Option<usize>) -> f64 {
        match (self, field) {
            (Fusion::Ranks, _) => 0.0,
            (Fusion::Scores { text, .. }, None) => *text,
            (Fusion::Scores { fields, .. }, Some(field)) => {
                fields.iter().find(|of| of.0 == field).map_or(0.0, |of| of.1)
            }
        }
    }
}

/// See [`Fusion::Ranks`].
pub const RANK: f64 = 60.0;
/// See [`Fusion::Ranks`].
pub const WINDOW: usize = 100;
