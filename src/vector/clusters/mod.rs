//! Clusters: vectors in groups of similar ones, each with a centroid, so that a search may look at some groups only.
//!
//! Lloyd's algorithm (1957) on a sample: each vector goes to the closest centroid, then each centroid to the mean of its vectors, some
//! times over. With [cosines](Metric::Cosine) vectors count as if they had the length 1, and so have centroids; otherwise the
//! closest centroid is the one at the least distance. The centroids are themselves in groups, and a vector is compared with those of
//! the closest groups alone: a few lose their closest one, which costs recall and no hit's score.
//!
//! Vectors and centroids are compared in 8 bits a dimension ([`encode_bytes`]), so sums of products are integers, and clusters the same on
//! all tiers.

use super::precision::{Single, components};
use super::{Metric, Query, Shape, encode_bytes};
use crate::base::cpu::{self, Tier};
use crate::base::error::Result;
use crate::base::memory::{filled, reserve, room, zeros};
use crate::base::tiers::tiered;
use std::ops::{Range, RangeInclusive};

#[cfg(test)]
mod tests;

/// Fewer vectors have no clusters: a search looks at all of them within a tenth of a millisecond. Tests have few.
pub const FEWEST: usize = if cfg!(any(test, fuzzing)) { 16 } else { 1 << 12 };

/// How many clusters there may be.
pub const COUNTS: RangeInclusive<usize> = if cfg!(any(test, fuzzing)) { 2..=1 << 16 } else { 16..=1 << 16 };

/// Clusters by the root of the number of vectors. Of a million, 16 clusters of 2,000 have as many of the ten nearest as 16 of 4,000,
/// which have half of the vectors, but twice the centroids to compare, and take twice as long to make.
const PER_ROOT: f64 = 2.0;

/// Vectors of the sample, for each cluster.
const SAMPLE: usize = 64;

/// How often centroids move.
const ROUNDS: usize = 6;

/// As many centroids are in groups, of which there are as many as each has centroids.
const GROUPED: usize = if cfg!(any(test, fuzzing)) { 6 } else { 256 };

/// The part of the groups whose centroids a vector is compared with while centroids move, and in the end; and the least number of
/// them. Of a million vectors of passages 98 in 100 are in their closest cluster with a third, 93 with a sixth; and of the ten nearest,
/// 16 clusters have one or two in 100 more.
const WHILE_MOVING: usize = 6;
const IN_THE_END: usize = 3;
const LEAST: usize = 4;

/// How often the centres of groups move.
const ROUNDS_OF_GROUPS: usize = 3;

/// Sums that are made beside each other.
const LANES: usize = 32;

/// Vectors in clusters.
#[derive(Debug, Default, PartialEq)]
pub struct Clusters {
    /// The components of the centroids, one after the other.
    pub centroids: Vec<f32>,
    /// The cluster of each vector.
    pub of_rows: Vec<u32>,
}

/// How many clusters so many vectors have; none if they are few.
pub fn count(rows: usize) -> Option<usize> {
    let count = (PER_ROOT * (rows as f64).sqrt()) as usize;
    (rows >= FEWEST).then(|| count.clamp(*COUNTS.start(), *COUNTS.end()))
}

/// Bytes of memory that making and writing clusters takes at most.
pub fn memory(shape: Shape, rows: usize) -> usize {
    // Centroids and the sums that they become, in both forms, twice while they are put in the order of groups.
    let of_centroid = usize::from(shape.dimensions) * (3 * size_of::<f32>() + 2 * size_of::<i16>());
    // The cluster of each row, and the rows by cluster.
    count(rows).map_or(0, |count| of_centroid * count + 2 * size_of::<u32>() * rows)
}

impl Clusters {
    /// Makes clusters of vectors, of which `vector` gives the little-endian bytes of one.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory), and those of `vector`.
    pub fn new<'v>(
        shape: Shape,
        rows: usize,
        count: usize,
        vector: impl Fn(usize) -> Result<&'v [u8]>,
    ) -> Result<Clusters> {
        Clusters::new_on(cpu::tier(), shape, rows, count, vector)
    }

    fn new_on<'v>(
        tier: Tier,
        shape: Shape,
        rows: usize,
        count: usize,
        vector: impl Fn(usize) -> Result<&'v [u8]>,
    ) -> Result<Clusters> {
        let mut bytes = zeros::<i8>(shape.dimensions.into())?;
        let mut coded = |row: usize, to: &mut Coded| {
            let (factor, _) = encode_bytes(tier, shape, vector(row)?, &mut bytes);
            to.scale = factor.scale;
            to.integers.iter_mut().zip(&bytes).for_each(|(to, &from)| *to = from.into());
            Ok(())
        };
        let sampled = rows.min(SAMPLE.saturating_mul(count));
        let mut of_sample = |at: usize, to: &mut Coded| coded(spread(at, sampled, rows), to);
        let centroids = train(tier, shape, sampled, count, ROUNDS, &mut of_sample)?;
        let mut of_rows = room(rows)?;
        let mut search = Nearby::new(&centroids, IN_THE_END)?;
        let mut one = Coded::new(shape)?;
        for row in 0..rows {
            coded(row, &mut one)?;
            of_rows.push(search.closest(tier, &centroids, &one));
        }
        Ok(Clusters { centroids: centroids.components, of_rows })
    }
}

/// One of the places from 0 to `of` that the `at`-th of `count` evenly spread ones is near: not always the same in its part, so that
/// what repeats itself is not missed.
fn spread(at: usize, count: usize, of: usize) -> usize {
    let place = |at: usize| (at as u128 * of as u128 / count as u128) as usize;
    let (from, to) = (place(at), place(at + 1));
    // Knuth's multiplicative hashing.
    from + ((at as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33) as usize % (to - from).max(1)
}

/// A vector in 8 bits a dimension, in integers of 16.
struct Coded {
    integers: Vec<i16>,
    scale: f32,
}

impl Coded {
    fn new(shape: Shape) -> Result<Coded> {
        Ok(Coded { integers: zeros(shape.dimensions.into())?, scale: 0.0 })
    }
}

/// Centroids, group by group.
struct Centroids {
    shape: Shape,
    components: Vec<f32>,
    /// The same in 8 bits, and what these are multiplied by.
    integers: Vec<i16>,
    scales: Vec<f32>,
    /// What a sum of products is less than a closeness by: half of the square of the length, or 0 with cosines.
    less: Vec<f32>,
    /// The centres of the groups, and where each of them ends; none if all are one.
    groups: Option<(Box<Centroids>, Vec<usize>)>,
}

impl Centroids {
    fn dimensions(&self) -> usize {
        self.shape.dimensions.into()
    }

    fn len(&self) -> usize {
        self.scales.len()
    }

    /// Those with these components, with cosines divided by the length.
    fn new(tier: Tier, shape: Shape, mut components: Vec<f32>) -> Result<Centroids> {
        // However vectors are kept, centroids have 32 bits.
        let shape = shape.of_queries();
        let dimensions = usize::from(shape.dimensions);
        let count = components.len() / dimensions;
        let (mut scales, mut less) = (room(count)?, room(count)?);
        let mut integers = zeros::<i16>(components.len())?;
        let (mut bytes, mut of_one) = (room::<u8>(shape.bytes())?, zeros::<i8>(dimensions)?);
        for (centroid, to) in components.chunks_exact_mut(dimensions).zip(integers.chunks_exact_mut(dimensions)) {
            if shape.metric == Metric::Cosine {
                let length = centroid.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>().sqrt();
                let inverse = if length > 0.0 { 1.0 / length } else { 0.0 };
                centroid.iter_mut().for_each(|x| *x = (f64::from(*x) * inverse) as f32);
            }
            bytes.clear();
            bytes.extend(centroid.iter().flat_map(|x| x.to_le_bytes()));
            let (factor, length) = encode_bytes(tier, shape, &bytes, &mut of_one);
            to.iter_mut().zip(&of_one).for_each(|(to, &from)| *to = from.into());
            scales.push(factor.scale);
            less.push(if shape.metric == Metric::Cosine { 0.0 } else { length * length / 2.0 });
        }
        Ok(Centroids { shape, components, integers, scales, less, groups: None })
    }

    /// The same in groups of close ones.
    fn grouped(mut self, tier: Tier) -> Result<Centroids> {
        if self.len() < GROUPED {
            return Ok(self);
        }
        let (dimensions, count) = (self.dimensions(), self.len());
        let mut own = |at: usize, to: &mut Coded| {
            to.integers.copy_from_slice(&self.integers[dimensions * at..][..dimensions]);
            to.scale = self.scales[at];
            Ok(())
        };
        let centres = train(tier, self.shape, count, count.isqrt(), ROUNDS_OF_GROUPS, &mut own)?;
        let mut search = Nearby::new(&centres, WHILE_MOVING)?;
        let (mut one, mut order) = (Coded::new(self.shape)?, room(count)?);
        for at in 0..count {
            own(at, &mut one)?;
            order.push((search.closest(tier, &centres, &one), at));
        }
        order.sort_unstable();
        let ends = (0..centres.len() as u32).map(|group| order.partition_point(|of| of.0 <= group)).collect();
        let mut components = room(self.components.len())?;
        for (_, at) in order {
            components.extend_from_slice(&self.components[dimensions * at..][..dimensions]);
        }
        self = Centroids::new(tier, self.shape, components)?;
        self.groups = Some((Box::new(centres), ends));
        Ok(self)
    }
}

/// The centroids of `rows` vectors, which `vector` gives.
fn train(
    tier: Tier,
    shape: Shape,
    rows: usize,
    count: usize,
    rounds: usize,
    vector: &mut dyn FnMut(usize, &mut Coded) -> Result<()>,
) -> Result<Centroids> {
    let dimensions = usize::from(shape.dimensions);
    let mut one = Coded::new(shape)?;
    let mut components = zeros::<f32>(dimensions * count)?;
    for (at, centroid) in components.chunks_exact_mut(dimensions).enumerate() {
        vector(spread(at, count, rows), &mut one)?;
        add(tier, &one.integers, one.scale, centroid);
    }
    let mut centroids = Centroids::new(tier, shape, components)?.grouped(tier)?;
    for _ in 0..rounds {
        let (mut sums, mut counts) = (zeros::<f32>(dimensions * count)?, filled(0u32, count)?);
        let mut search = Nearby::new(&centroids, WHILE_MOVING)?;
        for row in 0..rows {
            vector(row, &mut one)?;
            let closest = search.closest(tier, &centroids, &one) as usize;
            add(tier, &one.integers, one.scale, &mut sums[dimensions * closest..][..dimensions]);
            counts[closest] += 1;
        }
        let old = centroids.components.chunks_exact(dimensions);
        for ((sum, &count), old) in sums.chunks_exact_mut(dimensions).zip(&counts).zip(old) {
            match count {
                // It stays where it is.
                0 => sum.copy_from_slice(old),
                count => sum.iter_mut().for_each(|sum| *sum /= count as f32),
            }
        }
        centroids = Centroids::new(tier, shape, sums)?.grouped(tier)?;
    }
    Ok(centroids)
}

/// Looks for the closest centroid.
struct Nearby {
    sums: Vec<i32>,
    /// The closest groups, if there are any.
    groups: Vec<(f32, u32)>,
    /// How many of them are looked at.
    most: usize,
}

impl Nearby {
    fn new(centroids: &Centroids, part: usize) -> Result<Nearby> {
        let groups = centroids.groups.as_ref().map_or(0, |(centres, _)| centres.len());
        let most = (groups / part).max(LEAST).min(groups);
        Ok(Nearby { sums: zeros(centroids.len())?, groups: room(groups)?, most })
    }

    fn closest(&mut self, tier: Tier, centroids: &Centroids, one: &Coded) -> u32 {
        let mut best = (f32::NEG_INFINITY, 0);
        let Some((centres, ends)) = &centroids.groups else {
            self.look(tier, centroids, 0..centroids.len(), one, &mut best);
            return best.1;
        };
        self.groups.clear();
        let (sums, groups) = (&mut self.sums, &mut self.groups);
        closenesses(tier, centres, 0..centres.len(), one, sums, |at, closeness| groups.push((closeness, at)));
        if self.most < groups.len() {
            groups.select_nth_unstable_by(self.most, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        }
        for at in 0..self.most {
            let group = self.groups[at].1 as usize;
            let begin = if group == 0 { 0 } else { ends[group - 1] };
            self.look(tier, centroids, begin..ends[group], one, &mut best);
        }
        best.1
    }

    /// Sets `best` to the closest of some centroids, if it is closer; of equally close ones, the first counts.
    fn look(&mut self, tier: Tier, centroids: &Centroids, range: Range<usize>, one: &Coded, best: &mut (f32, u32)) {
        closenesses(tier, centroids, range, one, &mut self.sums, |at, closeness| {
            if closeness > best.0 || closeness == best.0 && at < best.1 {
                *best = (closeness, at);
            }
        });
    }
}

/// Calls `take` with each of some centroids and how close it is to a vector.
fn closenesses(
    tier: Tier,
    centroids: &Centroids,
    range: Range<usize>,
    one: &Coded,
    sums: &mut [i32],
    mut take: impl FnMut(u32, f32),
) {
    let integers = centroids.dimensions() * range.start..centroids.dimensions() * range.end;
    let sums = &mut sums[..range.len()];
    products(tier, &one.integers, &centroids.integers[integers], sums);
    let of_centroids = centroids.scales[range.clone()].iter().zip(&centroids.less[range.clone()]);
    for (((&scale, &less), &sum), at) in of_centroids.zip(&*sums).zip(range.start as u32..) {
        take(at, one.scale * (scale * sum as f32) - less);
    }
}

tiered! {
    /// The sums of the products of a vector and each of some others, as integers.
    fn products<'a>(one: &'a [i16], others: &'a [i16], sums: &'a mut [i32]) -> () = products_on_tier;
}

#[inline(always)]
fn products_on_tier(one: &[i16], others: &[i16], sums: &mut [i32]) {
    for (sum, other) in sums.iter_mut().zip(others.chunks_exact(one.len())) {
        *sum = one.iter().zip(other).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum();
    }
}

tiered! {
    /// Adds what integers stand for to a sum of vectors.
    fn add<'a>(integers: &'a [i16], scale: f32, sum: &'a mut [f32]) -> () = add_on_tier;
}

#[inline(always)]
fn add_on_tier(integers: &[i16], scale: f32, sum: &mut [f32]) {
    sum.iter_mut().zip(integers).for_each(|(sum, &integer)| *sum += scale * f32::from(integer));
}

/// The numbers of the `probes` clusters whose centroids, in little-endian bytes, are the closest to a query, in ascending order; of equally
/// close ones, those with smaller numbers.
///
/// # Errors
/// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
pub fn closest(query: &Query, centroids: &[u8], probes: usize) -> Result<Vec<u32>> {
    let bytes = size_of_val(query.components());
    let mut closenesses = zeros::<f32>(centroids.len() / bytes)?;
    closenesses_of(cpu::tier(), query.shape().metric, query.components(), centroids, &mut closenesses);
    let mut all: Vec<(f32, u32)> = Vec::new();
    reserve(&mut all, closenesses.len())?;
    all.extend(closenesses.into_iter().zip(0..));
    if probes < all.len() {
        all.select_nth_unstable_by(probes, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        all.truncate(probes);
    }
    let mut clusters = room(all.len())?;
    clusters.extend(all.into_iter().map(|of| of.1));
    clusters.sort_unstable();
    Ok(clusters)
}

tiered! {
    /// How close each of some vectors, in little-endian bytes, is to another one, in 32-bit floats: sums are always made in the same order.
    /// With cosines, they have the length 1.
    fn closenesses_of<'a>(metric: Metric, one: &'a [f32], others: &'a [u8], closenesses: &'a mut [f32]) -> () = closenesses_on_tier;
}

#[inline(always)]
fn closenesses_on_tier(metric: Metric, one: &[f32], others: &[u8], closenesses: &mut [f32]) {
    for (to, other) in closenesses.iter_mut().zip(others.chunks_exact(size_of_val(one))) {
        let closeness = match metric {
            Metric::Cosine | Metric::Dot => sum(one, other, |a, b| a * b),
            Metric::Euclidean => -sum(one, other, |a, b| (a - b) * (a - b)),
        };
        // Of what is too large for 32-bit floats nothing is known.
        *to = if closeness.is_nan() { f32::NEG_INFINITY } else { closeness };
    }
}

#[inline(always)]
fn sum(one: &[f32], other: &[u8], of: impl Fn(f32, f32) -> f32) -> f32 {
    let mut sums = [0.0; LANES];
    let mut add = |one: &[f32], other: &[u8]| {
        for ((sum, &a), b) in sums.iter_mut().zip(one).zip(components::<Single>(other)) {
            *sum += of(a, b);
        }
    };
    let (parts, last) = one.as_chunks::<LANES>();
    let (of_parts, of_last) = other.split_at(size_of::<f32>() * LANES * parts.len());
    for (one, other) in parts.iter().zip(of_parts.as_chunks::<{ size_of::<f32>() * LANES }>().0) {
        add(one, other);
    }
    add(last, of_last);
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            sums[lane] += sums[lane + width];
        }
        width /= 2;
    }
    sums[0]
}
