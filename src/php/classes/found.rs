//! What a search found, in memory of the request: memory_limit counts it, as it counts arrays.

use super::stored;
use crate::index::segment::IdRef;
use crate::php::exception::Outcome;
use crate::php::ffi::allocate;
use crate::php::output::{List, NoRoom};
use crate::search::{Found, Index, Merging, Page};
use ext_php_rs::types::Zval;
use std::cell::Cell;
use std::mem::size_of;
use std::rc::Rc;

/// The hits of a search.
pub struct Results {
    /// What was searched; `None` if the hits were unserialized.
    index: Option<Rc<Index>>,
    /// The stored fields of unserialized hits: a list with an array for each.
    stored: Zval,
    pub total: Option<u64>,
    /// How they were ordered and cut; `None` if that is not known.
    page: Option<Rc<Page>>,
    /// As [`Found::with_all`].
    pub with_all: Option<usize>,
    /// Of merged hits, whose each is, and where.
    of: Vec<(Rc<Results>, usize)>,
    hits: *mut Record,
    len: usize,
    /// Whether each of the hits has a distance, which is NaN if it is not known.
    distances: bool,
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
    /// Of which results each hit is, and where.
    pub of: Vec<(Rc<Results>, usize)>,
    pub index: Option<Rc<Index>>,
    pub page: Rc<Page>,
}

impl Results {
    /// A copy in memory of the request. Where PHP has no fallible allocation, it ends the script here by a jump.
    pub fn new(index: Option<&Rc<Index>>, page: Option<&Rc<Page>>, found: &Found) -> Result<Results, NoRoom> {
        let mut results = Results {
            index: index.cloned(),
            stored: Zval::null(),
            total: found.total,
            page: page.cloned(),
            with_all: found.with_all,
            of: Vec::new(),
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

    /// As [`new`](Self::new), of hits whose stored fields are an array each of the list `stored`.
    pub fn plain(found: &Found, page: Option<&Rc<Page>>, stored: Zval) -> Result<Results, NoRoom> {
        let mut results = Results::new(None, page, found)?;
        results.stored = stored;
        Ok(results)
    }

    /// As [`new`](Self::new), of hits of several indexes.
    pub fn merged(merged: &Merged) -> Result<Results, NoRoom> {
        let mut results = Results::new(merged.index.as_ref(), Some(&merged.page), &merged.found)?;
        results.of.clone_from(&merged.of);
        Ok(results)
    }

    /// What was searched; of merged hits, the first index.
    pub fn index(&self) -> Option<&Rc<Index>> {
        self.index.as_ref()
    }

    pub fn page(&self) -> Option<&Rc<Page>> {
        self.page.as_ref()
    }

    /// What the hit at that place is merged by.
    pub fn merging(&self, at: usize) -> crate::Result<Merging> {
        if let Some((results, at)) = self.of.get(at) {
            return results.merging(*at);
        }
        match (self.get(at), &self.index, &self.page) {
            (Some(hit), Some(index), Some(page)) => index.merging(page, hit.doc_id, hit.score),
            (hit, ..) => Ok(Merging::by_score(hit.map_or(0.0, |hit| hit.score))),
        }
    }

    /// The stored fields of the hit at that place, by name.
    pub fn fields(&self, at: usize, hit: &Hit) -> Outcome<Zval> {
        if let Some((results, at)) = self.of.get(at) {
            return results.fields(*at, hit);
        }
        match &self.index {
            Some(index) => stored::fields(index, hit.doc_id),
            None => match self.stored.array().and_then(|stored| stored.get_index(at as i64)) {
                Some(fields) => Ok(fields.shallow_clone()),
                None => Ok(List::with_room(0)?.into_zval()),
            },
        }
    }

    /// Whether hits may have stored fields.
    pub fn may_have_fields(&self) -> bool {
        !self.of.is_empty()
            || self.index.as_ref().is_none_or(|index| index.schema().fields.iter().any(|field| field.stored))
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
