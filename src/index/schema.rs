//! [`Schema`]: which fields the documents of an index have, and how their texts become terms.

use super::impacts::Precision;
use super::list::Codecs;
use crate::analysis::Analyzer;
use crate::base::error::{Error, Result};
use crate::query;
use crate::vector::Shape;
use std::ops::RangeInclusive;

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// Text that the analyzer turns into terms; searched and scored.
    Text = 0,
    /// Whole values, one or more per document, for filters and facets; not scored.
    Keyword = 1,
    /// A number per document, for ranges and sorting.
    Numeric = 2,
    /// Nothing but the stored value.
    Stored = 3,
    /// A point on the earth per document, for areas and distances.
    Geo = 4,
    /// A vector per document, for the nearest ones.
    Vector = 5,
    /// Terms with weights that the caller gives, for sums of products.
    Weights = 6,
}

impl Kind {
    /// All of them, by number.
    pub const ALL: [Kind; 7] =
        [Kind::Text, Kind::Keyword, Kind::Numeric, Kind::Stored, Kind::Geo, Kind::Vector, Kind::Weights];

    /// Whether fields of that kind have terms, and lists of them.
    pub fn has_terms(self) -> bool {
        matches!(self, Kind::Text | Kind::Keyword | Kind::Weights)
    }

    /// Whether it is known of each document how many terms it has.
    pub fn has_lengths(self) -> bool {
        matches!(self, Kind::Text | Kind::Weights)
    }
}

/// What is done with the value that documents give for a name: the kinds of all fields that have it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Uses {
    /// A bit per kind.
    kinds: u8,
    /// Whether the value is kept.
    pub stored: bool,
}

impl Uses {
    /// Whether a field of the name is of that kind.
    #[inline]
    pub fn has(self, kind: Kind) -> bool {
        self.kinds >> kind as u8 & 1 != 0
    }

    /// The kinds of the name's fields.
    #[inline]
    pub fn kinds(self) -> impl Iterator<Item = Kind> {
        Kind::ALL.into_iter().filter(move |&kind| self.has(kind))
    }
}

/// A field of an index. Several fields may have one name and different kinds: then documents give one value for all of
/// them, the first of them keeps it, and the purpose says which is meant.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// The name that documents and queries use.
    pub name: String,
    /// What it holds.
    pub kind: Kind,
    /// The factor of the field's BM25 in a document's score; one of [`Schema::WEIGHTS`].
    pub weight: f32,
    /// Whether the values are kept, to be returned with hits.
    pub stored: bool,
    /// How its texts become terms, if otherwise than by that of the [schema](Schema::analyzer).
    pub analyzer: Option<Analyzer>,
    /// What its vectors have in common, if it holds vectors.
    pub vector: Option<Shape>,
    /// How exactly its weights are kept, if it holds weights.
    pub weights: Option<Precision>,
    /// Whether its vectors are in clusters, in segments that are written from now on, so that searches can look at some of
    /// them only.
    pub clusters: bool,
}

impl Field {
    /// A field with nothing but a name and a kind: weight 1, not stored, with the analyzer of the schema.
    pub fn new(name: impl Into<String>, kind: Kind) -> Field {
        Field {
            name: name.into(),
            kind,
            weight: 1.0,
            stored: false,
            analyzer: None,
            vector: None,
            weights: None,
            clusters: false,
        }
    }
}

/// Text fields with one analyzer.
#[derive(Debug, Clone, PartialEq)]
pub struct Analyzed {
    /// How their texts become terms.
    pub analyzer: Analyzer,
    /// Their numbers, increasing.
    pub fields: Vec<usize>,
}

/// The fields of an index and how text is analysed. It is chosen when the index is created. Fields may be
/// added at the end, weights and clusters change, and [`codecs`](Schema::codecs), by the [options](super::WriterOptions) of a writer.
#[derive(Debug, Clone, PartialEq)]
pub struct Schema {
    /// The fields; their indices are the numbers by which all other parts name them. At most [`Schema::MOST_FIELDS`].
    pub fields: Vec<Field>,
    /// Whether positions of terms are kept, which phrases need.
    pub positions: bool,
    /// The codecs of frequencies and positions in what is written. Segments keep those that they were written with.
    pub codecs: Codecs,
    /// How texts become terms, unless their field has an analyzer of its own.
    pub analyzer: Analyzer,
}

impl Schema {
    /// The weights of fields. With those of two fields further apart, what the lighter one adds could be lost in the
    /// rounding of a sum, and on a device a document that only it finds.
    pub const WEIGHTS: RangeInclusive<f32> = 1e-3..=1e3;

    /// The greatest number of fields.
    pub const MOST_FIELDS: usize = 255;

    /// Whether queries can name all fields, of which those of a new index must be able. Older versions did not check it.
    ///
    /// # Errors
    /// [`Error::Argument`].
    pub(super) fn check_names(&self) -> Result<()> {
        for Field { name, .. } in &self.fields {
            if let Some(what) = query::unusable_name(name) {
                return Err(Error::Argument(format!("the name of the field \"{name}\" {what}")));
            }
        }
        Ok(())
    }

    /// How the texts of a field become terms.
    pub fn analyzer_of(&self, field: usize) -> &Analyzer {
        self.fields.get(field).and_then(|field| field.analyzer.as_ref()).unwrap_or(&self.analyzer)
    }

    /// The different analyzers of the text fields, in the order of their first fields.
    pub fn analyzed(&self) -> Vec<Analyzed> {
        let mut analyzed: Vec<Analyzed> = Vec::new();
        let texts = self.fields.iter().enumerate().filter(|(_, field)| field.kind == Kind::Text);
        for (number, _) in texts {
            let analyzer = self.analyzer_of(number);
            match analyzed.iter_mut().find(|other| other.analyzer == *analyzer) {
                Some(other) => other.fields.push(number),
                None => analyzed.push(Analyzed { analyzer: analyzer.clone(), fields: vec![number] }),
            }
        }
        analyzed
    }

    /// The same schema in which equal analyzers are one, and that of the schema is no field's own: comparing them then takes
    /// no time, however many words they have.
    #[must_use]
    pub fn with_one_of_each_analyzer(mut self) -> Schema {
        let mut known: Vec<Analyzer> = Vec::new();
        for own in self.fields.iter_mut().map(|field| &mut field.analyzer) {
            *own = own.take().filter(|own| *own != self.analyzer).map(|own| {
                let same = known.iter().find(|known| **known == own).cloned();
                same.unwrap_or_else(|| {
                    known.push(own.clone());
                    own
                })
            });
        }
        self
    }

    /// The number of the first field with that name.
    pub fn field(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name == name)
    }

    /// The number of the field with that name and kind.
    pub fn of_kind(&self, name: &[u8], kind: Kind) -> Option<usize> {
        self.fields.iter().position(|field| field.name.as_bytes() == name && field.kind == kind)
    }

    /// The fields with that name, in their order.
    pub fn named<'s>(&'s self, name: &'s str) -> impl Iterator<Item = &'s Field> {
        self.fields.iter().filter(move |field| field.name == name)
    }

    /// By field, what is done with the values that documents give for its name.
    pub fn uses(&self) -> Vec<Uses> {
        let uses = |name| {
            self.named(name).fold(Uses::default(), |uses, field| Uses {
                kinds: uses.kinds | 1 << field.kind as u8,
                stored: uses.stored || field.stored,
            })
        };
        self.fields.iter().map(|field| uses(&field.name)).collect()
    }

    /// The names, each once.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for Field { name, .. } in &self.fields {
            if !names.contains(&&**name) {
                names.push(name);
            }
        }
        names
    }
}
