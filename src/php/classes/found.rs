//! What a search found, in memory of the request: memory_limit counts it, as it counts arrays.

use super::stored;
use crate::index::segment::IdRef;
use crate::index::{Schema, Value};
use crate::php::exception::Outcome;
use crate::php::ffi::allocate;
use crate::php::output::{List, NoRoom};
use crate::search::{Found, Index, Merging, Page, Ranking};
use ext_php_rs::types::Zval;
use std::cell::Cell;
use std::mem::size_of;
use std::rc::Rc;
use std::sync::Arc;

/// The hits of a search.
pub struct Results {
    source: Source,
    pub total: Option<u64>,
    /// How they were ordered and cut; `None` if that is not known.
    page: Option<Rc<Page>>,
    /// As [`Found::with_all`].
    pub with_all: Option<usize>,
    /// As [`Found::ranking`]. What more is known is then known of its documents, by their numbers, in place of the hits.
    ranking: Option<Arc<Ranking>>,
    hits: *mut Record,
    len: usize,
    /// Whether each of the hits has a distance, which is NaN if it is not known.
    distances: bool,
}

/// Where hits are from, and so what more is known of them.
pub enum Source {
    /// This index.
    Index(Rc<Index>),
    /// An index elsewhere.
    Leaf(FromLeaf),
    /// Several of these: of which each is, and its number there. The schema is that of the first.
    Merged(Option<Arc<Schema>>, Vec<(Rc<Results>, usize)>),
    /// Serialized hits, with their stored fields: a list with an array for each.
    Serialized(Zval),
}

/// What a leaf told of its hits.
pub struct FromLeaf {
    pub schema: Arc<Schema>,
    /// What each is merged by.
    pub merging: Vec<Merging>,
    /// The stored fields of each, if they were asked for.
    pub stored: Vec<Vec<(usize, Value)>>,
}

/// A hit, as a block of memory has it. After all of them come the distances, if there are any, and the ids that are strings:
/// length, bytes.
#[derive(Clone, Copy)]
struct Record {
    score: f64,
    /// The docID; [`STRING`] is set if the id is one.
    doc_id: u64,
    /// The id; where it begins, if it is a string, in bytes from the beginning of the block.
    id: u64,
}

/// A bit that no docID has: PHP's integers have none for it.
const STRING: u64 = 1 << 63;

/// Bytes of a string's length.
const LENGTH: usize = size_of::<u32>();

/// A hit.
pub struct Hit<'r> {
    pub id: IdRef<'r>,
    pub score: f64,
    pub doc_id: u64,
    pub distance: Option<f64>,
}

/// Hits of several indexes.
pub struct Merged {
    pub found: Found,
    /// Of which results each hit is, or each document of the ranking, and its number there.
    pub of: Vec<(Rc<Results>, usize)>,
    /// That of the first index, if it is known.
    pub schema: Option<Arc<Schema>>,
    pub page: Rc<Page>,
}

impl Results {
    /// A copy in memory of the request. Where PHP has no fallible allocation, it ends the script here by a jump.
    pub fn new(source: Source, page: Option<&Rc<Page>>, found: &Found) -> Result<Results, NoRoom> {
        let mut results = Results {
            source,
            total: found.total,
            page: page.cloned(),
            with_all: found.with_all,
            ranking: found.ranking.clone(),
            hits: std::ptr::null_mut(),
            len: 0,
            distances: found.hits.iter().any(|hit| hit.distance.is_some()),
        };
        let strings = found.hits.iter().filter_map(|hit| match IdRef::from(&hit.id) {
            IdRef::Int(_) => None,
            IdRef::Bytes(id) => Some(LENGTH + id.len()),
        });
        let distances = if results.distances { found.hits.len() * size_of::<f64>() } else { 0 };
        let size = found.hits.len() * size_of::<Record>() + distances + strings.sum::<usize>();
        if size == 0 {
            return Ok(results);
        }
        let block: *mut u8 = allocate(size).ok_or(NoRoom::MemoryLimit)?.cast();
        results.hits = block.cast();
        let mut end = found.hits.len() * size_of::<Record>() + distances;
        // SAFETY: if there are distances, the block has room for them after the records, and is aligned as these are.
        let of_distances = unsafe { results.hits.add(found.hits.len()).cast::<f64>() };
        for hit in &found.hits {
            debug_assert!(hit.doc_id & STRING == 0, "docID {}", hit.doc_id);
            let (id, string) = match IdRef::from(&hit.id) {
                IdRef::Int(id) => (id as u64, 0),
                IdRef::Bytes(id) => {
                    let len = u32::try_from(id.len()).map_err(|_| NoRoom::TooLong(id.len()))?;
                    // SAFETY: the block has room for the length and the bytes of each string, after the records.
                    unsafe {
                        block.add(end).cast::<[u8; LENGTH]>().write(len.to_ne_bytes());
                        block.add(end + LENGTH).copy_from_nonoverlapping(id.as_ptr(), id.len());
                    }
                    let start = end as u64;
                    end += LENGTH + id.len();
                    (start, STRING)
                }
            };
            // SAFETY: the block has room for a record for each hit.
            unsafe {
                results.hits.add(results.len).write(Record { score: hit.score, doc_id: hit.doc_id | string, id })
            };
            if results.distances {
                // SAFETY: as above.
                unsafe { of_distances.add(results.len).write(hit.distance.unwrap_or(f64::NAN)) };
            }
            results.len += 1;
        }
        debug_assert_eq!(end, size);
        Ok(results)
    }

    /// The schema of what was searched; of merged hits, that of the first index. `None` if that is not known.
    pub fn schema(&self) -> Option<&Arc<Schema>> {
        match &self.source {
            Source::Index(index) => Some(index.schema()),
            Source::Leaf(leaf) => Some(&leaf.schema),
            Source::Merged(schema, _) => schema.as_ref(),
            Source::Serialized(_) => None,
        }
    }

    pub fn page(&self) -> Option<&Rc<Page>> {
        self.page.as_ref()
    }

    /// If hits are fused by ranks, and are the first ones: what they are made of.
    pub fn ranking(&self) -> Option<&Ranking> {
        self.ranking.as_deref()
    }

    /// What the hit at that place is merged by.
    pub fn merging(&self, at: usize) -> crate::Result<Merging> {
        match (&self.source, self.get(at), &self.page) {
            (Source::Merged(_, of), ..) if let Some((results, at)) = of.get(at) => results.merging(*at),
            (Source::Leaf(leaf), ..) if let Some(merging) = leaf.merging.get(at) => Ok(merging.clone()),
            (Source::Index(index), Some(hit), Some(page)) => index.merging(page, hit.doc_id, hit.score),
            (_, hit, _) => Ok(Merging::by_score(hit.map_or(0.0, |hit| hit.score))),
        }
    }

    /// The stored fields of the hit at that place, by name.
    pub fn fields(&self, at: usize, hit: &Hit) -> Outcome<Zval> {
        let number = self.ranking().map_or(Some(at), |ranking| ranking.order().get(at).copied());
        self.fields_of(number.unwrap_or(at), hit.doc_id)
    }

    /// The same by the number of the hit, or of the document of the ranking.
    fn fields_of(&self, number: usize, doc_id: u64) -> Outcome<Zval> {
        match &self.source {
            Source::Index(index) => stored::fields(index, doc_id),
            Source::Leaf(leaf) if let Some(values) = leaf.stored.get(number) => stored::by_name(&leaf.schema, values),
            Source::Merged(_, of) if let Some((results, number)) = of.get(number) => results.fields_of(*number, doc_id),
            Source::Serialized(stored)
                if let Some(fields) = stored.array().and_then(|all| all.get_index(number as i64)) =>
            {
                Ok(fields.shallow_clone())
            }
            _ => Ok(List::with_room(0)?.into_zval()),
        }
    }

    /// Whether hits may have stored fields.
    pub fn may_have_fields(&self) -> bool {
        match &self.source {
            Source::Index(index) => index.schema().fields.iter().any(|field| field.stored),
            Source::Leaf(leaf) => !leaf.stored.is_empty(),
            Source::Merged(..) | Source::Serialized(_) => true,
        }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    /// The hit at that place.
    pub fn get(&self, at: usize) -> Option<Hit<'_>> {
        if at >= self.len {
            return None;
        }
        // SAFETY: the first `len` records are written.
        let record = unsafe { *self.hits.add(at) };
        let id = match record.doc_id & STRING {
            0 => IdRef::Int(record.id as i64),
            // SAFETY: the record says where in the block its string begins, and that where it ends.
            _ => unsafe {
                let string = self.hits.cast::<u8>().add(record.id as usize);
                let len = u32::from_ne_bytes(string.cast::<[u8; LENGTH]>().read()) as usize;
                IdRef::Bytes(std::slice::from_raw_parts(string.add(LENGTH), len))
            },
        };
        // SAFETY: if there are distances, they are after the records, one for each.
        let distance = self.distances.then(|| unsafe { *self.hits.add(self.len).cast::<f64>().add(at) });
        let distance = distance.filter(|distance| !distance.is_nan());
        Some(Hit { id, score: record.score, doc_id: record.doc_id & !STRING, distance })
    }

    pub fn iter(&self) -> impl Iterator<Item = Hit<'_>> {
        (0..self.len).filter_map(|at| self.get(at))
    }
}

impl Drop for Results {
    fn drop(&mut self) {
        if !self.hits.is_null() {
            // SAFETY: it was allocated by `new`, and nobody else has it. PHP frees objects before the request's memory.
            unsafe { ext_php_rs::alloc::efree(self.hits.cast()) };
        }
    }
}

thread_local! {
    /// Whether a search of this request had many hits.
    static HAD_MANY: Cell<bool> = const { Cell::new(false) };
}

/// Remembers how much memory the engine's hits took.
pub fn note(found: &Found) {
    /// The C library keeps less than this for itself.
    const MANY: usize = 1 << 16;
    if found.hits.len() >= MANY {
        HAD_MANY.set(true);
    }
}

/// Called at the end of a request. Returns memory of many hits to the system: the C library would keep it, and a worker
/// of php-fpm would stay as large as its largest search.
pub fn end_request() {
    if HAD_MANY.replace(false) {
        // SAFETY: it only gives back what is free.
        #[cfg(all(target_os = "linux", target_env = "gnu"))]
        unsafe {
            libc::malloc_trim(0);
        }
    }
}
