//! Clusters are the same everywhere, and vectors are in close ones.

use super::*;
use crate::vector::Precision;

/// Numbers between −1 and 1.
fn random(seed: &mut u64) -> f32 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 40) as f32 / (1 << 23) as f32 - 1.0
}

/// Vectors around some centres, one after the other.
fn around(centres: usize, noise: f32, dimensions: usize, rows: usize) -> Vec<Vec<f32>> {
    let mut seed = 3;
    let centres: Vec<Vec<f32>> = (0..centres).map(|_| (0..dimensions).map(|_| random(&mut seed)).collect()).collect();
    let row = |row: usize| {
        let centre = &centres[row * 7 % centres.len()];
        centre.iter().map(|x| x + noise * random(&mut seed)).collect()
    };
    (0..rows).map(row).collect()
}

fn bytes(vectors: &[Vec<f32>]) -> Vec<Vec<u8>> {
    vectors.iter().map(|vector| vector.iter().flat_map(|x| x.to_le_bytes()).collect()).collect()
}

fn clusters_of(tier: Tier, shape: Shape, vectors: &[Vec<u8>]) -> Clusters {
    let count = count(vectors.len()).unwrap();
    let clusters = Clusters::new_on(tier, shape, vectors.len(), count, |row| Ok(&vectors[row])).unwrap();
    assert_eq!(clusters.of_rows.len(), vectors.len());
    assert_eq!(clusters.centroids.len(), count * usize::from(shape.dimensions));
    assert!(clusters.of_rows.iter().all(|&cluster| (cluster as usize) < count));
    assert!(clusters.centroids.iter().all(|x| x.is_finite()));
    clusters
}

fn little_endian(centroids: &[f32]) -> Vec<u8> {
    centroids.iter().flat_map(|x| x.to_le_bytes()).collect()
}

#[test]
fn counts_grow_with_the_root() {
    assert_eq!((count(FEWEST - 1), count(FEWEST)), (None, Some(8)));
    assert_eq!((count(1_000_000), count(usize::MAX)), (Some(2000), Some(1 << 16)));
}

#[test]
fn places_are_spread_evenly() {
    for (count, of) in [(1, 1), (3, 10), (10, 10), (64, 4099), (3, 3)] {
        let places: Vec<usize> = (0..count).map(|at| spread(at, count, of)).collect();
        assert!(places.is_sorted_by(|a, b| a < b) && places[count - 1] < of, "{places:?}");
    }
}

#[test]
fn clusters_are_the_same_on_all_tiers() {
    for metric in Metric::ALL {
        for dimensions in [1, 33, 384] {
            let shape = Shape { dimensions, metric, precision: Precision::Bits32 };
            let vectors = bytes(&around(30, 0.5, dimensions.into(), 400));
            let expected = clusters_of(Tier::Scalar, shape, &vectors);
            Tier::available().for_each(|tier| assert_eq!(clusters_of(tier, shape, &vectors), expected));
        }
    }
}

/// Of those of other clusters no more than a few are closer, and a sixteenth of all clusters has nine in ten of the ten nearest.
#[test]
fn vectors_are_in_close_clusters() {
    for metric in Metric::ALL {
        let shape = Shape { dimensions: 32, metric, precision: Precision::Bits32 };
        let vectors = around(300, 0.5, 32, 5000);
        let own = bytes(&vectors);
        let Clusters { centroids, of_rows } = clusters_of(cpu::tier(), shape, &own);
        let centroids = little_endian(&centroids);
        let (mut own_is_closest, mut found, mut looked_at) = (0, 0, 0);
        for at in (0..vectors.len()).step_by(50) {
            let query = Query::new(shape, &vectors[at]).unwrap();
            let closest = closest(&query, &centroids, 1).unwrap();
            own_is_closest += usize::from(closest == [of_rows[at]]);
            let probed = super::closest(&query, &centroids, 8).unwrap();
            let mut all: Vec<(f64, u32)> =
                own.iter().zip(&of_rows).map(|(x, &of)| (query.closeness(cpu::tier(), x), of)).collect();
            looked_at += all.iter().filter(|of| probed.contains(&of.1)).count();
            all.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
            found += all[..10].iter().filter(|of| probed.contains(&of.1)).count();
        }
        // By the dot product, the closest centroid is not the one at the least distance.
        assert!(own_is_closest >= if metric == Metric::Dot { 50 } else { 85 }, "{metric:?} {own_is_closest}");
        assert!(found >= 900, "{metric:?} {found}");
        assert!(looked_at < 100 * 5000 / 8, "{metric:?} {looked_at}");
    }
}

#[test]
fn the_closest_centroids_are_found() {
    for metric in Metric::ALL {
        for dimensions in [1, 31, 32, 100] {
            let shape = Shape { dimensions, metric, precision: Precision::Bits32 };
            let mut vectors = around(20, 0.9, dimensions.into(), 60);
            if metric == Metric::Cosine {
                for vector in &mut vectors {
                    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
                    vector.iter_mut().for_each(|x| *x /= length);
                }
            }
            let query = Query::new(shape, &vectors[7]).unwrap();
            let closenesses: Vec<f64> =
                bytes(&vectors).iter().map(|vector| query.closeness(Tier::Scalar, vector)).collect();
            let centroids = bytes(&vectors).concat();
            for probes in [0, 1, 5, 59, 60, 100] {
                let closest = closest(&query, &centroids, probes).unwrap();
                assert!(closest.len() == probes.min(60) && closest.is_sorted_by(|a, b| a < b));
                let is_one = |at: &usize| closest.contains(&(*at as u32));
                let of = |is: bool| (0..60).filter(move |at| is_one(at) == is).map(|at| closenesses[at]);
                let (least, most) =
                    (of(true).fold(f64::INFINITY, f64::min), of(false).fold(f64::NEG_INFINITY, f64::max));
                assert!(least >= most - 1e-5, "{least} {most}");
            }
            let mut expected = None;
            for tier in Tier::available() {
                let mut found = vec![0.0; 60];
                closenesses_of(tier, metric, query.components(), &centroids, &mut found);
                assert_eq!(*expected.get_or_insert_with(|| found.clone()), found, "{tier:?}");
            }
        }
    }
    // Of equally close ones, those with smaller numbers.
    let shape = Shape { dimensions: 2, metric: Metric::Dot, precision: Precision::Bits32 };
    let query = Query::new(shape, &[1.0, 0.0]).unwrap();
    let centroids = little_endian(&[1.0, 5.0, 2.0, 1.0, 1.0, 3.0, 1.0, 0.0]);
    assert_eq!(closest(&query, &centroids, 2).unwrap(), [0, 1]);
}

#[test]
fn odd_vectors_have_clusters() {
    for metric in Metric::ALL {
        let shape = Shape { dimensions: 3, metric, precision: Precision::Bits32 };
        let alike = vec![vec![1.0, 2.0, 3.0]; 100];
        let great: Vec<Vec<f32>> = (0..100).map(|at| vec![1e38, at as f32 * 1e30, -3e38 + at as f32]).collect();
        let small: Vec<Vec<f32>> = (0..100).map(|at| vec![1e-40, at as f32 * 1e-45, -1e-38]).collect();
        let opposite: Vec<Vec<f32>> = (0..100).map(|at| vec![if at % 2 == 0 { 1.0 } else { -1.0 }, 0.0, 0.0]).collect();
        let zeros = vec![vec![0.0; 3]; 100];
        for vectors in [alike, great, small, opposite].into_iter().chain((metric != Metric::Cosine).then_some(zeros)) {
            let clusters = clusters_of(cpu::tier(), shape, &bytes(&vectors));
            let query = Query::new(shape, &vectors[0]).unwrap();
            assert_eq!(closest(&query, &little_endian(&clusters.centroids), 3).unwrap().len(), 3);
        }
    }
}
