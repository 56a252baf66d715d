//! Bounds hold, tiers agree.

use super::codes::LEVELS;

use super::*;
use crate::base::cpu::Tier;
use proptest::prelude::*;

fn bytes(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// What a similarity is, by its definition.
fn defined(metric: Metric, q: &[f32], x: &[f32]) -> f64 {
    let sum = |of: &dyn Fn(f64, f64) -> f64| q.iter().zip(x).map(|(&q, &x)| of(q.into(), x.into())).sum::<f64>();
    match metric {
        Metric::Dot => sum(&|q, x| q * x),
        Metric::Euclidean => 1.0 / (1.0 + sum(&|q, x| (q - x).powi(2))),
        Metric::Cosine => sum(&|q, x| q * x) / sum(&|q, _| q * q).sqrt() / sum(&|_, x| x * x).sqrt(),
    }
}

/// Components of all sizes, most of them usual.
fn component() -> impl Strategy<Value = f32> {
    prop_oneof![
        20 => -1.0f32..1.0,
        1 => Just(0.0f32),
        1 => any::<f32>().prop_filter("finite", |x| x.is_finite()),
    ]
}

fn vectors() -> impl Strategy<Value = (Metric, Vec<Vec<f32>>)> {
    let metric = prop_oneof![Just(Metric::Cosine), Just(Metric::Dot), Just(Metric::Euclidean)];
    let dimensions = prop_oneof![1usize..300, Just(384), Just(128), Just(1100)];
    let usual =
        dimensions.clone().prop_flat_map(|d| prop::collection::vec(prop::collection::vec(-1.0f32..1.0, d), 2..40));
    let any = dimensions.prop_flat_map(|d| prop::collection::vec(prop::collection::vec(component(), d), 2..40));
    (metric, prop_oneof![usual, any])
}

proptest! {
    #[test]
    fn bounds_hold_and_tiers_agree((metric, vectors) in vectors(), with_norms in any::<bool>()) {
        let shape = Shape { dimensions: vectors[0].len() as u16, metric };
        prop_assume!(vectors.iter().all(|vector| shape.check(vector).is_ok()));
        let query = Query::new(shape, &vectors[0]).unwrap();
        let (mut codes, mut fine) = (Vec::new(), Vec::new());
        let (mut factors, mut of_fine, mut norms) = (Vec::new(), Vec::new(), Vec::new());
        let mut one = Codes::default();
        for vector in &vectors {
            one.encode(shape, &bytes(vector));
            codes.extend_from_slice(&one.coarse);
            fine.push(one.fine.clone());
            factors.extend(one.factors[0].to_bytes());
            of_fine.push((one.factors[1], one.norm));
            norms.extend(one.norm.to_le_bytes());
        }
        if metric == Metric::Cosine && !with_norms {
            norms.clear();
        }
        let run = Run { codes: &codes, factors: &factors, norms: &norms };
        let closeness: Vec<f64> = vectors.iter().map(|vector| query.closeness(Tier::Scalar, &bytes(vector))).collect();
        let mut expected = None;
        for tier in Tier::available() {
            let (mut sums, mut bounds) = (Vec::new(), vec![0.0; vectors.len()]);
            query.coarse(tier, run, &mut sums, &mut bounds);
            let mut of_codes = Vec::new();
            for (at, &close) in closeness.iter().enumerate() {
                prop_assert_eq!(query.closeness(tier, &bytes(&vectors[at])).to_bits(), close.to_bits());
                let coarse = &codes[at * Codes::bytes(shape)..][..Codes::bytes(shape)];
                let bound = query.fine(tier, [coarse, &fine[at]], of_fine[at].0, of_fine[at].1);
                prop_assert!(f64::from(bounds[at]) >= close, "{} {} {:?}", bounds[at], close, tier);
                prop_assert!(f64::from(bound) >= close, "{} {} {:?}", bound, close, tier);
                of_codes.push(bound);
            }
            let expected = expected.get_or_insert_with(|| (bounds.clone(), of_codes.clone()));
            prop_assert_eq!((&bounds, &of_codes), (&expected.0, &expected.1));
        }
        for (vector, &close) in vectors.iter().zip(&closeness) {
            let (similarity, defined) = (metric.similarity(close), defined(metric, &vectors[0], vector));
            let least = if metric == Metric::Dot { 1e-10 * vector.iter().zip(&vectors[0]).map(|(a, b)| f64::from(*a).abs() * f64::from(*b).abs()).sum::<f64>() } else { 1e-10 };
            prop_assert!((similarity - defined).abs() <= least, "{} {}", similarity, defined);
            prop_assert!(metric.closeness(similarity) <= close);
        }
    }
}

#[test]
fn what_is_as_similar_is_as_close_as_it_is_said_to_be() {
    let mut seed = 7;
    for _ in 0..100_000 {
        let closeness = -f64::from(normal(&mut seed)).powi(2) * 10f64.powi((normal(&mut seed) * 20.0) as i32);
        for metric in Metric::ALL {
            let least = metric.closeness(metric.similarity(closeness));
            assert!(least <= closeness && least >= closeness - 1e-14 * (1.0 - closeness), "{least} {closeness}");
        }
    }
    assert_eq!(Metric::Euclidean.closeness(f64::NEG_INFINITY), f64::NEG_INFINITY);
}

proptest! {
    #[test]
    fn bounds_of_bytes_hold_and_tiers_agree((metric, vectors) in vectors()) {
        let shape = Shape { dimensions: vectors[0].len() as u16, metric };
        prop_assume!(vectors.iter().all(|vector| shape.check(vector).is_ok()));
        let query = Query::new(shape, &vectors[0]).unwrap();
        let Some(terms) = query.terms() else { return Ok(()) };
        for vector in &vectors {
            let close = query.closeness(Tier::Scalar, &bytes(vector));
            let mut integers = vec![1; query.integers().len()];
            let (factor, norm) = encode_bytes(Tier::Scalar, shape, &bytes(vector), &mut integers);
            let sum = query.integers().iter().zip(&integers).map(|(&q, &x)| i32::from(q) * i32::from(x)).sum();
            let [low, high] = terms.bounds(metric, sum, factor, norm);
            prop_assert!(f64::from(low) <= close && close <= f64::from(high), "{low} {close} {high}");
            for tier in Tier::available() {
                let mut of_tier = vec![1; integers.len()];
                prop_assert_eq!(encode_bytes(tier, shape, &bytes(vector), &mut of_tier), (factor, norm));
                prop_assert_eq!(&of_tier, &integers);
            }
        }
    }
}

/// Where products are too large for 32-bit floats, a bound of minus infinity would be too low.
#[test]
fn bounds_hold_where_floats_overflow() {
    let shape = Shape { dimensions: 2, metric: Metric::Dot };
    let query = Query::new(shape, &[1e25, 0.0]).unwrap();
    for vector in [[-1e25f32, 0.0], [-1e20, 1e25], [1e25, 1e25], [-4e13, 0.0]] {
        let mut codes = Codes::default();
        codes.encode(shape, &bytes(&vector));
        let mut bounds = [0.0];
        let [factors, norms] = [codes.factors[0].to_bytes().to_vec(), codes.norm.to_le_bytes().to_vec()];
        query.coarse(
            Tier::Scalar,
            Run { codes: &codes.coarse, factors: &factors, norms: &norms },
            &mut Vec::new(),
            &mut bounds,
        );
        let fine = query.fine(Tier::Scalar, [&codes.coarse, &codes.fine], codes.factors[1], codes.norm);
        let close = query.closeness(Tier::Scalar, &bytes(&vector));
        assert!(f64::from(bounds[0]) >= close && f64::from(fine) >= close, "{bounds:?} {fine} {close}");
    }
    assert_eq!(query.terms(), None);
}

/// Noise as of a normal distribution.
fn normal(seed: &mut u64) -> f32 {
    let mut uniform = || {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 40) as f32 / (1 << 24) as f32 - 0.5
    };
    (0..12).map(|_| uniform()).sum()
}

#[test]
fn codes_are_as_near_as_they_are_said_to_be() {
    let (shape, mut seed, mut codes) = (Shape { dimensions: 384, metric: Metric::Cosine }, 1, Codes::default());
    let mut rests = [0.0; 2];
    for _ in 0..100 {
        let vector: Vec<f32> = (0..384).map(|_| normal(&mut seed)).collect();
        codes.encode(shape, &bytes(&vector));
        rests.iter_mut().zip(codes.factors).for_each(|(rest, factor)| *rest += f64::from(factor.rest) / 100.0);
    }
    assert!(rests[0] < 0.36 && rests[1] < 0.12, "{rests:?}");
    let mut integers = vec![0; 384];
    let vector: Vec<f32> = (0..384).map(|_| normal(&mut seed)).collect();
    let (factor, _) = encode_bytes(Tier::Scalar, shape, &bytes(&vector), &mut integers);
    assert!(factor.rest < 0.01, "{factor:?}");
    assert!(LEVELS.is_sorted());
}

#[test]
fn what_is_no_vector_is_refused() {
    let shape = Shape { dimensions: 2, metric: Metric::Cosine };
    assert_eq!(shape.check(&[1.0]), Err(Unusable::Count(1)));
    assert_eq!(shape.check(&[1.0, f32::NAN]), Err(Unusable::NotFinite(1)));
    assert_eq!(shape.check(&[f32::INFINITY, 1.0]), Err(Unusable::NotFinite(0)));
    assert_eq!(shape.check(&[0.0, -0.0]), Err(Unusable::Zero));
    assert_eq!(Shape { metric: Metric::Dot, ..shape }.check(&[0.0, 0.0]), Ok(()));
    assert_eq!(Metric::named(b"dot"), Some(Metric::Dot));
    assert_eq!(Metric::named(b"l2"), None);
}

#[test]
fn the_greatest_sums_are_the_same_on_all_tiers() {
    for blocks in [1, 7, 8, 9, 10, 17, 32] {
        for integer in [127, -127] {
            let integers = vec![integer; blocks * codes::BLOCK];
            for byte in [0xFF, 0x00] {
                let bytes = blocks * codes::BLOCK_BYTES;
                let code = vec![byte; bytes];
                for tier in Tier::available() {
                    let mut sums = [0; 3];
                    scan::coarse(tier, &integers, &vec![byte; 3 * bytes], &mut sums);
                    let total = integers.len() as i32 * i32::from(integer);
                    assert_eq!(sums, [total * i32::from(byte & 3); 3], "{tier:?} {blocks}");
                    let level = i32::from(LEVELS[usize::from(byte & 15)]);
                    assert_eq!(scan::fine(tier, &integers, &code, &code), total * level, "{tier:?} {blocks}");
                }
            }
        }
    }
}
