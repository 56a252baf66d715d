//! Vectors and queries as the kernels read them: `cl/op/nearest.cl` has the order of words.

use super::{QUERIES, ROWS, STEP};
use crate::base::cpu;
use crate::base::error::Result;
use crate::base::memory::zeros;
use crate::base::threads;
use crate::vector::{Query, Shape, encode_bytes};
use std::sync::{Mutex, PoisonError};

/// Words of a part, about: many, so that launches are few, but few enough to be gathered in the host's memory.
const PART_WORDS: usize = if cfg!(test) { 1 << 15 } else { 1 << 26 };

/// Words of a step of a row.
const STEP_WORDS: usize = STEP / size_of::<u32>();
/// Words of what stands for a row besides its integers: the factor, the length, 0.
const FACTOR_WORDS: usize = 4;
/// Rows, and queries, whose words lie among each other.
const SIXTEEN: usize = 16;
const EIGHT: usize = 8;

/// The steps of a vector.
pub(super) fn steps(shape: Shape) -> usize {
    usize::from(shape.dimensions).div_ceil(STEP)
}

fn words_of_row(shape: Shape) -> usize {
    STEP_WORDS * steps(shape) + FACTOR_WORDS
}

/// Words of so many rows.
pub(super) fn words(shape: Shape, rows: usize) -> usize {
    rows.next_multiple_of(ROWS) * words_of_row(shape)
}

/// Rows of a part, but of the last one of a segment.
pub(super) fn rows_of_part(shape: Shape) -> usize {
    (PART_WORDS / words_of_row(shape)).next_multiple_of(ROWS)
}

/// The words of `rows` vectors, by so many threads.
///
/// # Errors
/// Those of `vector`; [`Error::OutOfMemory`](crate::Error::OutOfMemory).
pub(super) fn encode<'v>(
    shape: Shape,
    rows: usize,
    threads: usize,
    vector: impl Fn(usize) -> Result<&'v [u8]> + Sync,
) -> Result<Vec<u32>> {
    let (tiles, steps, tier) = (rows.div_ceil(ROWS), steps(shape), cpu::tier());
    let mut words = zeros(words(shape, rows))?;
    let (codes, factors) = words.split_at_mut(tiles * ROWS * STEP_WORDS * steps);
    let parts = codes.chunks_mut(ROWS * STEP_WORDS * steps).zip(factors.chunks_mut(ROWS * FACTOR_WORDS));
    let parts = Mutex::new(parts.enumerate());
    let next = || parts.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = |takings: threads::Takings| -> Result<()> {
        let mut integers = vec![0i8; STEP * steps];
        for _ in takings.flatten() {
            let Some((tile, (codes, factors))) = next() else { break };
            for of_tile in 0..ROWS.min(rows - tile * ROWS) {
                let (factor, norm) = encode_bytes(tier, shape, vector(tile * ROWS + of_tile)?, &mut integers);
                put(&mut codes[of_tile / SIXTEEN * SIXTEEN * STEP_WORDS * steps..], &integers, |t, half| {
                    4 * (4 * (of_tile % EIGHT) + t) + of_tile % SIXTEEN / EIGHT + 2 * half
                });
                let factor = [factor.scale, factor.rest, norm].map(f32::to_bits);
                factors[FACTOR_WORDS * of_tile..][..factor.len()].copy_from_slice(&factor);
            }
        }
        Ok(())
    };
    let threads = threads::at_most(threads, tiles);
    threads::spread(threads, tiles, 1, work).into_iter().collect::<Result<()>>()?;
    Ok(words)
}

/// Puts integers among others: in each step, those at dimensions 4t and 16 · half later where `place` says.
fn put(to: &mut [u32], integers: &[i8], place: impl Fn(usize, usize) -> usize) {
    let of_step = SIXTEEN * STEP_WORDS;
    for (to, integers) in to.chunks_mut(of_step).zip(integers.chunks_exact(STEP)) {
        for (at, four) in integers.as_chunks::<4>().0.iter().enumerate() {
            to[place(at % 4, at / 4)] = u32::from_le_bytes(four.map(i8::cast_unsigned));
        }
    }
}

/// What kernels are told of some queries: their integers, and what bounds are made of.
pub(super) struct Queries {
    pub(super) vectors: Vec<u32>,
    pub(super) terms: Vec<u32>,
}

impl Queries {
    /// Those of queries of which all have terms.
    pub(super) fn new<'q>(shape: Shape, queries: impl ExactSizeIterator<Item = &'q Query>) -> Queries {
        let (steps, padded) = (steps(shape), queries.len().next_multiple_of(QUERIES));
        let of_eight = EIGHT * STEP_WORDS * steps;
        let (mut vectors, mut terms) = (vec![0; padded / EIGHT * of_eight], vec![0; FACTOR_WORDS * padded]);
        for (at, query) in queries.enumerate() {
            let own = &mut vectors[at / EIGHT * of_eight..][..of_eight];
            let steps = own.chunks_exact_mut(EIGHT * STEP_WORDS).zip(query.integers().chunks_exact(STEP));
            for (to, integers) in steps {
                put(to, integers, |t, half| 2 * (4 * (at % EIGHT) + t) + half);
            }
            if let Some(of) = query.terms() {
                let of = [of.step, of.coded, of.off, of.square].map(f32::to_bits);
                terms[FACTOR_WORDS * at..][..of.len()].copy_from_slice(&of);
            }
        }
        Queries { vectors, terms }
    }
}
