//! The terms of a segment's fields, and their lists.

use super::format::Section;
use super::run::{Form, RunTerms};
use super::section::SectionRef;
use super::{Dictionary, Segment, Source};
use crate::base::error::{Error, Result};
use crate::base::memory::{prefetch, zeros};
use crate::index::Kind;
use crate::index::list::{self, Decoded, List, ListParts, View};
use smallvec::SmallVec;

/// An error in a list, with the name of the file.
#[cold]
fn named(part: &SectionRef, error: Error) -> Error {
    match error {
        Error::Corrupt { item, offset, what, .. } => part.corrupt(offset, format!("{item}: {what}")),
        other => other,
    }
}

impl Segment {
    /// The terms of a field that has terms. The first call reads the whole dictionary.
    ///
    /// # Errors
    /// As [`Segment::section`].
    pub fn dictionary(&self, field: usize) -> Result<&Dictionary> {
        let Some(place) = self.dictionaries.get(field) else { return Err(self.no_field(field, "such")) };
        if let Some(dictionary) = place.get() {
            return Ok(dictionary);
        }
        if self.lacks(field) && self.schema.fields[field].kind.has_terms() {
            let none = Dictionary::empty()?;
            return Ok(place.get_or_init(|| none));
        }
        let part = self.section_ref(Section::Dictionary, field)?;
        let dictionary = part.dictionary(0)?;
        let (terms, counted) = (dictionary.len() as u64, self.frame.fields[field].1.terms);
        if terms != counted {
            return Err(part.corrupt(0, format!("{terms} terms, not {counted}")));
        }
        // Each has a list of its own.
        let bytes = self.extent(self.section_ref(Section::Lists, field)?.index).length;
        if terms > bytes {
            return Err(part.corrupt(0, format!("{terms} terms, and lists of {bytes} bytes")));
        }
        Ok(place.get_or_init(|| dictionary))
    }

    /// The terms of a field that has terms, for a merge: those of a run, too.
    ///
    /// # Errors
    /// As [`Segment::section`].
    pub(super) fn all_terms(&self, field: usize) -> Result<Source<'_>> {
        match self.form() {
            Form::Run if !self.lacks(field) => {
                RunTerms::new(self.section_ref(Section::Terms, field)?, 0).map(Source::Run)
            }
            _ => self.dictionary(field).map(Source::Dictionary),
        }
    }

    /// The value by which the list of a term is found in the field's lists, if the segment has the term.
    ///
    /// # Errors
    /// As [`Segment::section`].
    #[inline]
    pub fn term(&self, field: usize, term: &[u8]) -> Result<Option<u64>> {
        self.dictionary(field)?.get(term)
    }

    /// The values of some terms, each of a field, in the order of the terms; as many as there are. Faster than one by one.
    ///
    /// # Errors
    /// As [`Segment::section`].
    pub fn terms(&self, terms: &[(usize, &[u8])], values: &mut [Option<u64>]) -> Result<()> {
        let of_field = |&(field, term): &(usize, _)| Ok((self.dictionary(field)?, term));
        let terms: SmallVec<[_; 8]> = terms.iter().map(of_field).collect::<Result<_>>()?;
        Dictionary::get_all(&terms, values)
    }

    /// Which parts the lists of a field have.
    pub fn parts(&self, field: usize) -> ListParts {
        let kind = self.schema.fields.get(field).map(|field| field.kind);
        let text = kind == Some(Kind::Text);
        let frequencies = text || kind == Some(Kind::Weights);
        ListParts { frequencies, positions: text && self.schema.positions, codecs: self.codecs() }
    }

    /// The list of a term, given its value: a long one as a view, a short one decoded, with positions only if they are
    /// `wanted`. The first call for a long list reads it, compares its checksums and checks its structure; later ones are
    /// O(1).
    ///
    /// # Errors
    /// [`Error::Corrupt`], which names file and field.
    pub fn list(&self, field: usize, value: u64, wanted: bool, decoded: &mut Decoded) -> Result<Option<View<'_>>> {
        self.list_in(Section::Lists, field, value, self.parts(field), wanted, decoded)
    }

    /// The same of a section of lists that have such parts.
    pub(super) fn list_in(
        &self,
        section: Section,
        field: usize,
        value: u64,
        parts: ListParts,
        wanted: bool,
        decoded: &mut Decoded,
    ) -> Result<Option<View<'_>>> {
        let part = self.section_ref(section, field)?;
        let named = |error| named(&part, error);
        let documents = self.documents();
        let start = (value >> 1) as usize;
        // Views are large: no more moves than it takes.
        let view = match List::find(self.unchecked(section, field)?, value, documents, parts) {
            Ok(List::Long(view)) => view,
            Ok(List::Short(bytes)) => {
                let length = list::decode_short(bytes, documents, parts, wanted, decoded).map_err(named)?;
                return part.range(start, length).map(|_| None);
            }
            Err(error) => return Err(named(error)),
        };
        let key = (part.index as u16, value);
        if !self.sound.read().is_ok_and(|sound| sound.contains(&key)) {
            part.range(start, view.bytes())?;
            List::Long(view).check(documents).map_err(named)?;
            if let Ok(mut sound) = self.sound.write() {
                sound.insert(key);
            }
        }
        Ok(Some(view))
    }

    /// Has the processor fetch the beginning of a list, which is read soon, given the value of its term.
    #[inline]
    pub fn prefetch_list(&self, field: usize, value: u64) {
        let start = (value >> 1) as usize;
        if let Ok(lists) = self.unchecked(Section::Lists, field) {
            prefetch(lists.get(start..start.saturating_add(list::HEADER_BYTES)).unwrap_or_default());
        }
    }

    /// How many documents contain a term, given its value.
    ///
    /// # Errors
    /// [`Error::Corrupt`].
    pub fn documents_with(&self, field: usize, value: u64) -> Result<u64> {
        let part = self.section_ref(Section::Lists, field)?;
        // A posting list begins with its length.
        let start = (value >> 1) as usize;
        let front = part.range(start, 8.min(part.len().saturating_sub(start)))?;
        list::count(front, value).map(u64::from).map_err(|error| named(&part, error))
    }

    /// How often all documents together have a term, given its value; once each if it is no text field.
    ///
    /// # Errors
    /// [`Error::Corrupt`].
    pub fn occurrences(&self, field: usize, value: u64) -> Result<u64> {
        if self.schema.fields.get(field).is_none_or(|field| field.kind != Kind::Text) {
            return self.documents_with(field, value);
        }
        if value & 1 == 0 {
            let mut decoded = Decoded::default();
            self.list(field, value, false, &mut decoded)?;
            return Ok(decoded.frequencies.iter().map(|&frequency| u64::from(frequency)).sum());
        }
        let part = self.section_ref(Section::Lists, field)?;
        let front = part.range((value >> 1) as usize, list::HEADER_BYTES)?;
        list::long_occurrences(front).map_err(|error| named(&part, error))
    }

    /// Decodes the whole list of a term, given its value; in a run, too.
    ///
    /// # Errors
    /// [`Error::Corrupt`], which names file and field.
    pub fn decode(&self, field: usize, value: u64, decoded: &mut Decoded) -> Result<()> {
        decoded.clear();
        self.append(field, value, decoded)
    }

    /// The same, appended to what is decoded.
    pub(super) fn append(&self, field: usize, value: u64, decoded: &mut Decoded) -> Result<()> {
        let part = self.section_ref(Section::Lists, field)?;
        let append = match self.form() {
            Form::Segment => list::append,
            Form::Run => list::append_stream,
        };
        append(part.all()?, value, self.documents(), self.parts(field), decoded).map_err(|error| named(&part, error))
    }

    /// The length bytes of a text or weights field, one per document.
    ///
    /// # Errors
    /// As [`Segment::section`].
    pub fn lengths(&self, field: usize) -> Result<&[u8]> {
        if self.lacks(field) && self.schema.fields[field].kind.has_lengths() {
            return self.no_lengths();
        }
        self.section(Section::Lengths, field)
    }

    fn no_lengths(&self) -> Result<&[u8]> {
        if let Some(lengths) = self.no_lengths.get() {
            return Ok(lengths);
        }
        let lengths = zeros::<u8>(self.documents() as usize)?.into_boxed_slice();
        Ok(self.no_lengths.get_or_init(|| lengths))
    }
}
