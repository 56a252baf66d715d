//! The documents of a segment: their ids, numbers, ranks and stored values.

use super::format::Section;
use super::{Column, IdRef, Ids, Points, Segment, VectorColumn, ordinals, stored};
use crate::base::error::{Error, Result};
use crate::index::{Id, Kind, Value};

impl Segment {
    /// The numbers of a numeric field, for many documents.
    ///
    /// # Errors
    /// As [`Segment::section`].
    pub fn column(&self, field: usize) -> Result<Column<'_>> {
        if self.lacks(field) && self.schema.fields[field].kind == Kind::Numeric {
            return Ok(Column::NONE);
        }
        Column::parse(self.section_ref(Section::Numbers, field)?, self.documents())
    }

    /// The number of a document, if it has one.
    ///
    /// # Errors
    /// As [`Segment::section`].
    pub fn number(&self, field: usize, doc: u32) -> Result<Option<f64>> {
        Ok(self.column(field)?.get(doc))
    }

    /// The points of a geo field.
    ///
    /// # Errors
    /// As [`Segment::section`].
    pub fn points(&self, field: usize) -> Result<Points<'_>> {
        if self.lacks(field) && self.schema.fields[field].kind == Kind::Geo {
            return Ok(Points::NONE);
        }
        Points::parse(self.section_ref(Section::Points, field)?, self.documents())
    }

    /// The vectors of a vector field.
    ///
    /// # Errors
    /// As [`Segment::section`].
    pub fn vectors(&self, field: usize) -> Result<VectorColumn<'_>> {
        let Some(shape) = self.schema.fields.get(field).and_then(|field| field.vector) else {
            return Err(self.no_field(field, Section::Vectors.name()));
        };
        if self.lacks(field) {
            return Ok(VectorColumn::none(shape));
        }
        let [vectors, codes] = [Section::Vectors, Section::Codes].map(|section| self.section_ref(section, field));
        VectorColumn::parse(shape, vectors?, codes?, self.documents())
    }

    /// The ids, for many documents.
    ///
    /// # Errors
    /// [`Error::Corrupt`].
    pub fn ids(&self) -> Result<Ids<'_>> {
        Ids::parse(self.common_section(Section::Ids)?, self.documents())
    }

    /// The id of a document.
    ///
    /// # Errors
    /// [`Error::Argument`] if there is no such document, [`Error::Corrupt`].
    pub fn id(&self, doc: u32) -> Result<Id> {
        Ok(self.ids()?.get(doc)?.to_id())
    }

    /// The document that has an id, deleted or not.
    ///
    /// # Errors
    /// [`Error::Corrupt`].
    pub fn find<'i>(&self, id: impl Into<IdRef<'i>>) -> Result<Option<u32>> {
        let (id, ids) = (id.into(), self.ids()?);
        if ids.increases() { ids.search(id) } else { ids.look_up(self.common_section(Section::IdIndex)?, id) }
    }

    /// Whether documents of both may have the same id: not if their ids are increasing integers in different ranges. O(1).
    ///
    /// # Errors
    /// [`Error::Corrupt`].
    pub fn may_share_ids(&self, other: &Segment) -> Result<bool> {
        let range = |segment: &Segment| segment.ids()?.range();
        let (Some([first, last]), Some([others_first, others_last])) = (range(self)?, range(other)?) else {
            return Ok(true);
        };
        Ok(first <= others_last && others_first <= last)
    }

    /// The rank of a document in the order of insertion: its docID, unless the segment is reordered.
    ///
    /// # Errors
    /// [`Error::Argument`] if there is no such document, [`Error::Corrupt`].
    #[inline]
    pub fn ordinal(&self, doc: u32) -> Result<u32> {
        if self.is_reordered() {
            return ordinals::get(self.common_section(Section::Ordinals)?, self.documents(), doc);
        }
        if doc < self.documents() {
            Ok(doc)
        } else {
            Err(Error::Argument(format!("document {doc} of {}", self.documents())))
        }
    }

    /// The ranks of all documents, if the segment is reordered; each rank occurs once.
    ///
    /// # Errors
    /// [`Error::Corrupt`].
    pub fn ordinals(&self) -> Result<Option<Vec<u32>>> {
        match self.is_reordered() {
            true => ordinals::all(self.common_section(Section::Ordinals)?, self.documents()).map(Some),
            false => Ok(None),
        }
    }

    /// As [`ordinals`](Self::ordinals), decoded by the first call and kept: four bytes per document.
    ///
    /// # Errors
    /// [`Error::Corrupt`].
    pub fn kept_ordinals(&self) -> Result<Option<&[u32]>> {
        if !self.is_reordered() {
            return Ok(None);
        }
        if let Some(ordinals) = self.ordinals.get() {
            return Ok(Some(ordinals));
        }
        let ordinals = self.ordinals()?.unwrap_or_default().into_boxed_slice();
        Ok(Some(self.ordinals.get_or_init(|| ordinals)))
    }

    /// The stored values of a document, by field number, in the order in which they were given.
    ///
    /// # Errors
    /// [`Error::Argument`] if there is no such document, [`Error::Corrupt`].
    pub fn stored(&self, doc: u32) -> Result<Vec<(usize, Value)>> {
        self.all_stored()?.get(self.ordinal(doc)?)
    }

    pub(super) fn all_stored(&self) -> Result<stored::Stored<'_>> {
        Ok(stored::Stored {
            blocks: self.common_section(Section::Stored)?,
            directory: self.common_section(Section::StoredDirectory)?,
            documents: self.documents(),
            fields: self.schema.fields.len(),
        })
    }
}
