//! [`SegmentBuilder`]: documents in memory → a segment.

use super::file::{Has, SegmentWriter};
use super::format::{NO_FIELD, Section};
use super::ids::{IdColumn, IdRef};
use super::invert::Inverted;
use super::numbers::Numbers;
use super::stored::{self, Blocks};
use super::texts::Reader;
use super::tokens::Tokens;
use super::vectors::Vectors;
use super::weights::{self, Weights};
use super::write::{self, FieldWriter};
use super::write_pairs::{Documents, Texts};
use super::{Form, SegmentMeta, frequent, gather, hash, points, words};
use crate::base::bits::has_bit;
use crate::base::earth::Point;
use crate::base::error::{Error, Result};
use crate::base::files::failed;
use crate::base::memory;
use crate::index::storage::Folder;
use crate::index::values::GAP;
use crate::index::{Document, Field, Id, Kind, LONGEST_KEYWORD, Schema, Uses, Value};
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use std::sync::Arc;

/// The most bytes of text of one document.
pub const LARGEST_DOCUMENT: usize = 256 << 20;

/// More tokens than these, or bytes of terms, are not gathered. A largest document, the bytes of which become up to 11
/// each when they are normalized, still fits below 2^32.
const FULL: usize = 1 << 30;

/// What is gathered of a field.
#[derive(Debug)]
enum Gathered {
    Tokens(Box<Tokens>),
    Numbers(Numbers),
    Points(Vec<Option<Point>>),
    Vectors(Vectors),
    Weights(Box<Weights>),
    Nothing,
}

/// Gathers documents in memory and writes them as a segment. Documents of all threads go into segments of their own.
#[derive(Debug)]
pub struct SegmentBuilder {
    schema: Arc<Schema>,
    fields: Vec<Gathered>,
    /// Per field, the field whose value it has: the first with its name.
    given: Vec<usize>,
    /// Per field, what is done with the values of its name.
    uses: Vec<Uses>,
    /// Whether a stored value has a form of version 3.
    new_forms: bool,
    ids: IdColumn,
    /// Documents by the hashes of their ids, from the first id on that is not an integer greater than the one before.
    places: Option<HashTable<u32>>,
    seed: u64,
    /// A bit per document; those after the end are 0.
    dead: Vec<u64>,
    deaths: usize,
    stored: Option<Blocks>,
    stored_bytes: Vec<u8>,
    reader: Reader,
}

impl SegmentBuilder {
    /// No documents.
    pub fn new(schema: Arc<Schema>) -> SegmentBuilder {
        let gathered = |(number, field): (usize, &Field)| match field.kind {
            Kind::Text => Gathered::Tokens(Box::new(Tokens::new(schema.analyzer_of(number).stems()))),
            Kind::Keyword => Gathered::Tokens(Box::new(Tokens::new(false))),
            Kind::Numeric => Gathered::Numbers(Numbers::default()),
            Kind::Stored => Gathered::Nothing,
            Kind::Geo => Gathered::Points(Vec::new()),
            Kind::Vector => {
                field.vector.map_or(Gathered::Nothing, |shape| Gathered::Vectors(Vectors::new(shape, field.clusters)))
            }
            Kind::Weights => field
                .weights
                .map_or(Gathered::Nothing, |precision| Gathered::Weights(Box::new(Weights::new(precision)))),
        };
        let given = |field: &Field| schema.field(&field.name).unwrap_or_default();
        SegmentBuilder {
            fields: schema.fields.iter().enumerate().map(gathered).collect(),
            given: schema.fields.iter().map(given).collect(),
            uses: schema.uses(),
            new_forms: false,
            stored: schema.fields.iter().any(|field| field.stored).then(Blocks::default),
            schema,
            ids: IdColumn::default(),
            places: None,
            seed: hash::seed_of_process(),
            dead: Vec::new(),
            deaths: 0,
            stored_bytes: Vec::new(),
            reader: Reader::default(),
        }
    }

    /// Documents that are there: without those that were replaced or removed.
    pub fn documents(&self) -> usize {
        self.ids.len() - self.deaths
    }

    /// Whether another document might not fit, however much memory there is.
    pub fn is_full(&self) -> bool {
        let used = |field: &Gathered| match field {
            Gathered::Tokens(tokens) => tokens.used(),
            Gathered::Numbers(numbers) => numbers.used(),
            Gathered::Weights(weights) => weights.used(),
            Gathered::Points(_) | Gathered::Vectors(_) | Gathered::Nothing => 0,
        };
        self.ids.len() >= FULL || self.fields.iter().any(|field| used(field) >= FULL)
    }

    /// Bytes of memory in use, and those that [`SegmentBuilder::finish`] will need besides in that form.
    pub fn memory(&self, form: Form) -> usize {
        let pairs = if form == Form::Segment { gather::memory(self.ids.len(), &self.schema) } else { 0 };
        let (mut kept, mut most) = (0, 0);
        for field in &self.fields {
            match field {
                Gathered::Tokens(tokens) => {
                    let (field, transient) = tokens.memory();
                    kept += field;
                    // Pairs are found once tokens are sorted.
                    most = most.max(write::memory(form) + transient.max(pairs));
                }
                Gathered::Numbers(numbers) => kept += numbers.memory(),
                Gathered::Points(points) => {
                    kept += size_of::<Option<Point>>() * points.capacity();
                    most = most.max(points::MEMORY * points.len());
                }
                Gathered::Vectors(vectors) => {
                    let (field, transient) = vectors.memory();
                    kept += field;
                    most = most.max(transient);
                }
                Gathered::Weights(weights) => {
                    let (field, transient) = weights.memory();
                    kept += field;
                    most = most.max(transient + write::memory(form));
                }
                Gathered::Nothing => {}
            }
        }
        let stored = self.stored.as_ref().map_or(0, Blocks::memory) + self.stored_bytes.len();
        let places = self.places.as_ref().map_or(0, HashTable::allocation_size);
        // The index of ids takes a bucket and a docID per document, and a count per bucket.
        kept + self.ids.memory() + places + stored + 8 * self.dead.capacity() + most.max(14 * self.ids.len())
    }

    /// Adds a document. If there is one of that id, it is dropped.
    ///
    /// # Errors
    /// [`Error::Argument`] if a value does not suit its field, or [`SegmentBuilder::is_full`]; [`Error::OutOfMemory`].
    /// Nothing has changed then.
    pub fn add(&mut self, id: &Id, document: &Document) -> Result<()> {
        self.check(document)?;
        let documents = self.ids.len();
        let added = self.prepare(id.into()).and_then(|()| self.gather(document)).and_then(|()| self.store(document));
        match added.and_then(|()| self.ids.push(id.into())) {
            Ok(()) => {
                self.replace(id.into(), documents as u32);
                Ok(())
            }
            Err(error) => {
                self.undo(documents);
                Err(error)
            }
        }
    }

    /// Makes room for what an id needs.
    fn prepare(&mut self, id: IdRef) -> Result<()> {
        let documents = self.ids.len();
        self.ids.reserve(id)?;
        let words = documents / 64 + 1;
        let more = words.saturating_sub(self.dead.len());
        memory::reserve(&mut self.dead, more)?;
        if self.places.is_none() && self.ids.is_next(id) {
            return Ok(());
        }
        let (ids, seed) = (&self.ids, self.seed);
        let hash_of = |&doc: &u32| ids.get(doc as usize).hash(seed);
        let out_of_memory = |_| Error::OutOfMemory { bytes: 8 * (documents + 1) };
        match &mut self.places {
            Some(places) => places.try_reserve(1, hash_of).map_err(out_of_memory),
            None => {
                let mut places = HashTable::new();
                places.try_reserve(documents + 1, hash_of).map_err(out_of_memory)?;
                for doc in (0..documents as u32).filter(|&doc| !has_bit(&self.dead, doc)) {
                    places.insert_unique(hash_of(&doc), doc, hash_of);
                }
                self.places = Some(places);
                Ok(())
            }
        }
    }

    /// Gathers the values of the next document.
    fn gather(&mut self, document: &Document) -> Result<()> {
        for (number, gathered) in self.fields.iter_mut().enumerate() {
            let given = self.given[number];
            let value = document.values.iter().find(|(field, _)| *field == given).map(|(_, value)| value);
            match gathered {
                Gathered::Nothing => {}
                Gathered::Numbers(numbers) => match value {
                    Some(Value::List(many)) => {
                        numbers.push_all(&mut memory::collected(many.iter().filter_map(Value::number))?)?;
                    }
                    value => numbers.push(value.and_then(Value::number))?,
                },
                Gathered::Points(points) => {
                    memory::reserve(points, 1)?;
                    points.push(value.and_then(Value::point));
                }
                Gathered::Vectors(vectors) => {
                    if let Some(components) = value.and_then(Value::vector) {
                        vectors.push(self.ids.len() as u32, components)?;
                    }
                }
                Gathered::Weights(weights) => weights.push(value.map_or(&[], Value::weights))?,
                Gathered::Tokens(tokens) if self.schema.fields[number].kind == Kind::Keyword => {
                    if let Some(value) = value {
                        value.each_keyword(&mut |keyword| tokens.push(0, keyword));
                    }
                    tokens.end_keywords()?;
                }
                Gathered::Tokens(tokens) => self.reader.add(tokens, number, value, &self.schema)?,
            }
        }
        Ok(())
    }

    /// Keeps the stored values of the next document.
    fn store(&mut self, document: &Document) -> Result<()> {
        let Some(stored) = &mut self.stored else { return Ok(()) };
        memory::reserve(&mut self.stored_bytes, stored.reserve(stored::length(document, &self.schema))?)?;
        let fields = &self.schema.fields;
        self.new_forms |= document
            .values
            .iter()
            .any(|(field, value)| fields[*field].stored && !value.is_of_first_forms(fields[*field].kind));
        // Memory takes all that is written to it, and no document is that large.
        let added = stored.add_document(document, &self.schema, &mut self.stored_bytes);
        added.map_err(|error| Error::Argument(error.to_string()))
    }

    /// Takes back what has been gathered since there were that many documents.
    fn undo(&mut self, documents: usize) {
        for gathered in &mut self.fields {
            match gathered {
                Gathered::Numbers(numbers) => numbers.undo(documents),
                Gathered::Points(points) => points.truncate(documents),
                Gathered::Vectors(vectors) => vectors.undo(documents),
                Gathered::Weights(weights) => weights.undo(documents),
                Gathered::Tokens(tokens) => tokens.undo(documents),
                Gathered::Nothing => {}
            }
        }
    }

    /// Drops the document of that id, if there is one.
    pub fn remove(&mut self, id: &Id) -> bool {
        let (id, ids, seed) = (IdRef::from(id), &self.ids, self.seed);
        let found = match &mut self.places {
            None => ids.search(id),
            Some(places) => {
                let entry = places.find_entry(id.hash(seed), |&doc| ids.get(doc as usize) == id);
                entry.ok().map(|entry| entry.remove().0)
            }
        };
        found.is_some_and(|doc| self.kill(doc))
    }

    /// Marks a document as dead; tells whether it was not.
    fn kill(&mut self, doc: u32) -> bool {
        let (word, bit) = (doc as usize / 64, 1 << (doc % 64));
        if self.dead.len() <= word {
            self.dead.resize(word + 1, 0);
        }
        let alive = self.dead[word] & bit == 0;
        self.dead[word] |= bit;
        self.deaths += usize::from(alive);
        alive
    }

    /// Drops the document that had the id of document `doc`, which is new. [`prepare`](Self::prepare) has made room.
    fn replace(&mut self, id: IdRef, doc: u32) {
        let (ids, seed) = (&self.ids, self.seed);
        let hash_of = |&doc: &u32| ids.get(doc as usize).hash(seed);
        let Some(places) = &mut self.places else { return };
        let old = match places.entry(id.hash(seed), |&old| ids.get(old as usize) == id, hash_of) {
            Entry::Occupied(mut entry) => Some(std::mem::replace(entry.get_mut(), doc)),
            Entry::Vacant(entry) => {
                entry.insert(doc);
                None
            }
        };
        if let Some(old) = old {
            self.kill(old);
        }
    }

    /// Checks everything that could be wrong with a document.
    pub(in crate::index) fn check(&self, document: &Document) -> Result<()> {
        let mut bytes = 0usize;
        let mut seen = [0u64; 4];
        for (number, value) in &document.values {
            let Some(field) = self.schema.fields.get(*number) else {
                return Err(Error::Argument(format!("there is no field {number}")));
            };
            let name = &field.name;
            if seen[number / 64] >> (number % 64) & 1 != 0 {
                return Err(Error::Argument(format!("field {name}: it has a value already")));
            }
            seen[number / 64] |= 1 << (number % 64);
            if self.given[*number] != *number {
                return Err(Error::Argument(format!("field {name}: its value is that of its first kind")));
            }
            let uses = self.uses[*number];
            for kind in uses.kinds() {
                value.check(kind).map_err(|what| Error::Argument(format!("field {name}: {what}")))?;
            }
            if let (Some(shape), Some(components)) = (field.vector, value.vector()) {
                shape.explain(components).map_err(|what| Error::Argument(format!("field {name}: {what}")))?;
            }
            if let Some(precision) = field.weights {
                weights::check(value.weights(), precision)
                    .map_err(|what| Error::Argument(format!("field {name}: {what}")))?;
            }
            if uses.has(Kind::Keyword) {
                let mut longest = 0;
                value.each_keyword(&mut |keyword| longest = longest.max(keyword.len()));
                if longest > LONGEST_KEYWORD {
                    let what = format!("a keyword of {longest} bytes; the longest may have {LONGEST_KEYWORD}");
                    return Err(Error::Argument(format!("field {name}: {what}")));
                }
            }
            bytes = bytes.saturating_add(match value {
                Value::Text(text) => text.len(),
                // An entry takes a place, even if it is empty, and if it is a text, those of the gap after it.
                Value::Tokens(many) => many.iter().map(|one| one.len().max(4)).sum(),
                Value::Keywords(_) | Value::List(_) => {
                    let least = if uses.has(Kind::Text) { 4 * GAP as usize } else { 4 };
                    let mut bytes = 0;
                    value.each_keyword(&mut |one| bytes += one.len().max(4) + least);
                    bytes
                }
                Value::Weights(weights) => weights.iter().map(|(term, _)| term.len().max(4)).sum(),
                Value::Number(_)
                | Value::Int(_)
                | Value::Bool(_)
                | Value::Time(..)
                | Value::Point(..)
                | Value::Vector(_) => 0,
            });
        }
        if bytes > LARGEST_DOCUMENT {
            return Err(Error::Argument(format!(
                "a document of {bytes} bytes; the largest may have {LARGEST_DOCUMENT}"
            )));
        }
        if self.is_full() {
            return Err(Error::Argument("too much is in memory: commit more often".into()));
        }
        Ok(())
    }

    /// Writes the segment or run of that number, whose file must not exist. The file is not durable before it is synchronised.
    /// Writes nothing if there are no documents.
    ///
    /// # Errors
    /// [`Error::File`]; there is no file then.
    pub(in crate::index) fn finish(self, folder: &Folder, number: u64, form: Form) -> Result<Option<SegmentMeta>> {
        let SegmentBuilder {
            schema, mut fields, mut ids, places, dead, deaths, stored, stored_bytes, new_forms, ..
        } = self;
        drop(places);
        let all = ids.len();
        if all == deaths {
            return Ok(None);
        }
        let documents = (all - deaths) as u32;
        let is_dead = |doc: usize| has_bit(&dead, doc as u32);
        for field in &mut fields {
            if let Gathered::Numbers(numbers) = field {
                numbers.remove(is_dead)?;
            }
        }
        let several = fields.iter().any(|field| matches!(field, Gathered::Numbers(numbers) if numbers.has_several()));
        let words = fields.iter().any(|field| matches!(field, Gathered::Tokens(tokens) if tokens.has_words()));
        let has = Has { reordered: false, new_forms, several, words, form };
        let mut writer = SegmentWriter::create(folder, number, documents, has, &schema)?;
        for (field, gathered) in fields.into_iter().enumerate() {
            match gathered {
                Gathered::Nothing => {}
                Gathered::Numbers(numbers) => write::numbers(&mut writer, field, &numbers)?,
                Gathered::Points(mut points) => {
                    let mut doc = 0..;
                    points.retain(|_| !doc.next().is_some_and(is_dead));
                    points::write(&points, field, &mut writer)?;
                }
                Gathered::Vectors(vectors) => vectors.write(is_dead, documents, field, &mut writer)?,
                Gathered::Weights(weights) => weights.write(is_dead, documents, field, &mut writer)?,
                Gathered::Tokens(tokens) => {
                    let text = schema.fields[field].kind == Kind::Text;
                    let lengths = tokens.lengths(is_dead)?;
                    let (of_field, inverter) = tokens.into_inverter(is_dead)?;
                    if let Some(of_field) = of_field
                        && words
                    {
                        words::write(&mut writer, field, of_field.all_known, of_field.iter())?;
                        frequent::write_of_words(&mut writer, field)?;
                    }
                    if text {
                        write::lengths(&mut writer, field, &lengths)?;
                    }
                    let dictionary = write::dictionary(&writer)?;
                    let mut out = FieldWriter::new(&mut writer, field, documents, &dictionary)?;
                    let of = match text {
                        true => Inverted::Text { lengths: &lengths, positions: schema.positions },
                        false => Inverted::Keywords,
                    };
                    let ranked = inverter.invert(is_dead, of, |term, postings| out.term(term, postings))?;
                    let documents = || Box::new(ranked.documents(is_dead)) as Documents;
                    let texts = Texts::Tokens { documents: &documents, ranks: &ranked.ranks };
                    out.finish(ranked.with_terms(is_dead), &lengths, texts)?;
                }
            }
        }
        if deaths > 0 {
            let mut alive = IdColumn::default();
            (0..all).filter(|&doc| !is_dead(doc)).try_for_each(|doc| alive.push(ids.get(doc)))?;
            ids = alive;
        }
        write::ids(&mut writer, &ids)?;
        drop(ids);
        match stored {
            None => write::no_stored(&mut writer)?,
            Some(mut blocks) if deaths == 0 => {
                let mut rest = Vec::new();
                writer.section(Section::Stored, NO_FIELD, |out| {
                    blocks.finish(&mut rest)?;
                    std::io::Write::write_all(out, &stored_bytes)?;
                    std::io::Write::write_all(out, &rest)
                })?;
                writer.section(Section::StoredDirectory, NO_FIELD, |out| blocks.write_directory(out))?;
            }
            Some(mut blocks) => {
                let mut bytes = stored_bytes;
                blocks.finish(&mut bytes).map_err(|error| failed(writer.path(), error))?;
                let mut alive = Blocks::default();
                writer.section(Section::Stored, NO_FIELD, |out| {
                    let mut doc = 0..;
                    blocks.each(&bytes, |values| {
                        if doc.next().is_some_and(is_dead) {
                            return Ok(());
                        }
                        alive.reserve(values.len()).map_err(std::io::Error::other)?;
                        alive.add(values, out)
                    })?;
                    alive.finish(out)
                })?;
                writer.section(Section::StoredDirectory, NO_FIELD, |out| alive.write_directory(out))?;
            }
        }
        writer.finish().map(Some)
    }
}
