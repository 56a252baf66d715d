//! Vectors that are generated, and an index of them.

use super::{Args, Result};
use crate::random::Random;
use postings::index::{Document, Field, Id, Kind, Schema, Value, Writer, WriterOptions};
use postings::search::Index;
use std::ops::Range;
use std::path::Path;

/// Centres of clusters.
const CENTRES: u64 = 10_000;
/// Vectors that are generated at a time.
const CHUNK: usize = 1 << 16;

pub struct Data {
    dimensions: usize,
    /// One after the other; none for noise.
    centres: Vec<f32>,
}

impl Data {
    pub fn new(args: &Args) -> Data {
        let dimensions = usize::from(args.shape.dimensions);
        let mut centres = vec![0.0; if args.clusters { CENTRES as usize * dimensions } else { 0 }];
        for (centre, number) in centres.chunks_exact_mut(dimensions).zip(1..) {
            add_noise(&mut seeded(u64::MAX - number), centre);
        }
        Data { dimensions, centres }
    }

    /// The vector with that number.
    fn vector(&self, number: u64) -> Vec<f32> {
        let mut random = seeded(number);
        let mut vector = vec![0.0; self.dimensions];
        if !self.centres.is_empty() {
            let centre = random.below(CENTRES) as usize * self.dimensions;
            vector.copy_from_slice(&self.centres[centre..][..self.dimensions]);
        }
        add_noise(&mut random, &mut vector);
        vector
    }

    /// The vectors with these numbers, by all cores.
    pub fn vectors(&self, numbers: Range<u64>) -> Vec<Vec<f32>> {
        let mut vectors = vec![Vec::new(); (numbers.end - numbers.start) as usize];
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let of_thread = vectors.len().div_ceil(threads).max(1);
        std::thread::scope(|scope| {
            for (part, first) in vectors.chunks_mut(of_thread).zip((numbers.start..).step_by(of_thread)) {
                scope.spawn(move || part.iter_mut().zip(first..).for_each(|(to, at)| *to = self.vector(at)));
            }
        });
        vectors
    }

    /// An index of the first `rows` vectors, which one commit makes.
    pub fn index(&self, args: &Args, rows: u64, folder: &Path) -> Result<Index> {
        let (kind, vector) = (Kind::Vector, Some(args.shape));
        let field = Field { vector, ..Field::new("embedding", kind) };
        let analyzer = postings::analysis::Analyzer::new(Default::default())?;
        let schema = Schema { fields: vec![field], positions: false, analyzer, codecs: Default::default() };
        // All wait for the commit, in 5/16 of the memory; then each thread makes a segment in its share of the rest.
        let memory = (4 * rows as usize * (args.shape.bytes() + 128)).max(256 << 20);
        let options = WriterOptions { memory, threads: args.segments, ..Default::default() };
        let mut writer = Writer::open(folder, Some(schema), options)?;
        for from in (0..rows).step_by(CHUNK) {
            let numbers = from..rows.min(from + CHUNK as u64);
            for (id, vector) in (from..).zip(self.vectors(numbers)) {
                writer.add(Id::Int(id as i64), Document { values: vec![(0, Value::Vector(vector))] })?;
            }
        }
        writer.commit()?;
        Ok(Index::open(folder)?)
    }
}

fn seeded(seed: u64) -> Random {
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    (0..4).for_each(|_| {
        random.next();
    });
    random
}

/// Adds noise of about the variance 1 / dimensions to components.
fn add_noise(random: &mut Random, vector: &mut [f32]) {
    // The sum of four uniform numbers, of 16 bits each, has the variance 1/3 of 2^32.
    let scale = (3.0 / vector.len() as f32).sqrt() / 65_536.0;
    for component in vector {
        let bits = random.next();
        let sum = (0..4).map(|at| (bits >> (16 * at)) as u16 as f32).sum::<f32>() - 2.0 * 65_535.0;
        *component += sum * scale;
    }
}
