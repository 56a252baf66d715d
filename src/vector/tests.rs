//! Bounds hold, tiers agree.

use super::codes::LEVELS;

use super::*;
use crate::base::cpu::Tier;
use proptest::prelude::*;

/// A vector as a field keeps it.
fn bytes(shape: Shape, vector: &[f32]) -> Vec<u8> {
    let mut bytes = Vec::new();
    shape.precision.encode(vector, &mut bytes);
    assert_eq!(bytes.len(), shape.bytes());
    bytes
}

/// What is left of a vector once it is kept.
fn kept(shape: Shape, vector: &[f32]) -> Vec<f32> {
    match shape.precision {
        Precision::Bits16 => vector.iter().map(|&x| half::f16::from_f32(x).to_f32()).collect(),
        Precision::Bits32 => vector.to_vec(),
    }
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

/// Components of all sizes that can be kept, most of them usual.
fn component(precision: Precision) -> impl Strategy<Value = f32> {
    let any = match precision {
        Precision::Bits16 => any::<u16>().prop_map(|bits| half::f16::from_bits(bits).to_f32()).boxed(),
        Precision::Bits32 => any::<f32>().boxed(),
    };
    prop_oneof![
        20 => -1.0f32..1.0,
        1 => Just(0.0f32),
        1 => any.prop_filter("finite", |x| x.is_finite()),
    ]
}

/// A query, and vectors of a field. Often the query is one of these.
fn vectors() -> impl Strategy<Value = (Shape, Vec<f32>, Vec<Vec<f32>>)> {
    let metric = prop::sample::select(&Metric::ALL[..]);
    let precision = prop::sample::select(&Precision::ALL[..]);
    let dimensions = prop_oneof![1u16..300, Just(384), Just(128), Just(1100)];
    let shape = (dimensions, metric, precision).prop_map(|(dimensions, metric, precision)| Shape {
        dimensions,
        metric,
        precision,
    });
    let case = shape.prop_flat_map(|shape| {
        let d = usize::from(shape.dimensions);
        let usual = prop::collection::vec(prop::collection::vec(-1.0f32..1.0, d), 2..40);
        let any = prop::collection::vec(prop::collection::vec(component(shape.precision), d), 2..40);
        let query = prop::option::of(prop::collection::vec(component(Precision::Bits32), d));
        (Just(shape), query, prop_oneof![usual, any])
    });
    let case = case.prop_map(|(shape, query, vectors)| (shape, query.unwrap_or_else(|| vectors[0].clone()), vectors));
    case.prop_filter("vectors", |(shape, query, vectors)| {
        shape.of_queries().check(query).is_ok() && vectors.iter().all(|vector| shape.check(vector).is_ok())
    })
}

proptest! {
    #[test]
    fn bounds_hold_and_tiers_agree((shape, looked_for, vectors) in vectors(), with_norms in any::<bool>()) {
        let (metric, query) = (shape.metric, Query::new(shape, &looked_for).unwrap());
        let (mut codes, mut fine) = (Vec::new(), Vec::new());
        let (mut factors, mut of_fine, mut norms) = (Vec::new(), Vec::new(), Vec::new());
        let mut one = Codes::default();
        for vector in &vectors {
            one.encode(shape, &bytes(shape, vector));
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
        let closeness: Vec<f64> = vectors.iter().map(|vector| query.closeness(Tier::Scalar, &bytes(shape, vector))).collect();
        let mut expected = None;
        for tier in Tier::available() {
            let (mut sums, mut bounds) = (Vec::new(), vec![0.0; vectors.len()]);
            query.coarse(tier, run, &mut sums, &mut bounds);
            let mut of_codes = Vec::new();
            for (at, &close) in closeness.iter().enumerate() {
                prop_assert_eq!(query.closeness(tier, &bytes(shape, &vectors[at])).to_bits(), close.to_bits());
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
            let vector = kept(shape, vector);
            let (similarity, defined) = (metric.similarity(close), defined(metric, &looked_for, &vector));
            let least = if metric == Metric::Dot { 1e-10 * vector.iter().zip(&looked_for).map(|(a, b)| f64::from(*a).abs() * f64::from(*b).abs()).sum::<f64>() } else { 1e-10 };
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
    fn bounds_of_bytes_hold_and_tiers_agree((shape, looked_for, vectors) in vectors()) {
        let (metric, query) = (shape.metric, Query::new(shape, &looked_for).unwrap());
        let Some(terms) = query.terms() else { return Ok(()) };
        for vector in &vectors {
            let close = query.closeness(Tier::Scalar, &bytes(shape, vector));
            let mut integers = vec![1; query.integers().len()];
            let (factor, norm) = encode_bytes(Tier::Scalar, shape, &bytes(shape, vector), &mut integers);
            let sum = query.integers().iter().zip(&integers).map(|(&q, &x)| i32::from(q) * i32::from(x)).sum();
            let [low, high] = terms.bounds(metric, sum, factor, norm);
            prop_assert!(f64::from(low) <= close && close <= f64::from(high), "{low} {close} {high}");
            for tier in Tier::available() {
                let mut of_tier = vec![1; integers.len()];
                prop_assert_eq!(encode_bytes(tier, shape, &bytes(shape, vector), &mut of_tier), (factor, norm));
                prop_assert_eq!(&of_tier, &integers);
            }
        }
    }
}

/// Where products are too large for 32-bit floats, a bound of minus infinity would be too low.
#[test]
fn bounds_hold_where_floats_overflow() {
    let shape = Shape { dimensions: 2, metric: Metric::Dot, precision: Precision::Bits32 };
    let query = Query::new(shape, &[1e25, 0.0]).unwrap();
    for vector in [[-1e25f32, 0.0], [-1e20, 1e25], [1e25, 1e25], [-4e13, 0.0]] {
        let mut codes = Codes::default();
        codes.encode(shape, &bytes(shape, &vector));
        let mut bounds = [0.0];
        let [factors, norms] = [codes.factors[0].to_bytes().to_vec(), codes.norm.to_le_bytes().to_vec()];
        query.coarse(
            Tier::Scalar,
            Run { codes: &codes.coarse, factors: &factors, norms: &norms },
            &mut Vec::new(),
            &mut bounds,
        );
        let fine = query.fine(Tier::Scalar, [&codes.coarse, &codes.fine], codes.factors[1], codes.norm);
        let close = query.closeness(Tier::Scalar, &bytes(shape, &vector));
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
    let shape = Shape { dimensions: 384, metric: Metric::Cosine, precision: Precision::Bits32 };
    let (mut seed, mut codes) = (1, Codes::default());
    let mut rests = [0.0; 2];
    for _ in 0..100 {
        let vector: Vec<f32> = (0..384).map(|_| normal(&mut seed)).collect();
        codes.encode(shape, &bytes(shape, &vector));
        rests.iter_mut().zip(codes.factors).for_each(|(rest, factor)| *rest += f64::from(factor.rest) / 100.0);
    }
    assert!(rests[0] < 0.36 && rests[1] < 0.12, "{rests:?}");
    let mut integers = vec![0; 384];
    let vector: Vec<f32> = (0..384).map(|_| normal(&mut seed)).collect();
    let (factor, _) = encode_bytes(Tier::Scalar, shape, &bytes(shape, &vector), &mut integers);
    assert!(factor.rest < 0.01, "{factor:?}");
    assert!(LEVELS.is_sorted());
}

#[test]
fn what_is_no_vector_is_refused() {
    let shape = Shape { dimensions: 2, metric: Metric::Cosine, precision: Precision::Bits32 };
    assert_eq!(shape.check(&[1.0]), Err(Unusable::Count(1)));
    assert_eq!(shape.check(&[1.0, f32::NAN]), Err(Unusable::NotFinite(1)));
    assert_eq!(shape.check(&[f32::INFINITY, 1.0]), Err(Unusable::NotFinite(0)));
    assert_eq!(shape.check(&[0.0, -0.0]), Err(Unusable::Zero));
    assert_eq!(Shape { metric: Metric::Dot, ..shape }.check(&[0.0, 0.0]), Ok(()));
    let half = Shape { precision: Precision::Bits16, ..shape };
    assert_eq!((shape.bytes(), half.bytes()), (8, 4));
    assert_eq!((half.check(&[65_519.9, 0.0]), half.check(&[0.0, -65_520.0])), (Ok(()), Err(Unusable::NotFinite(1))));
    // 2^-25 is a tie between 0 and the least one above it.
    assert_eq!((half.check(&[0.0, 3e-8]), half.check(&[1e-8, -0.5f32.powi(25)])), (Ok(()), Err(Unusable::Zero)));
    assert_eq!(half.of_queries(), shape);
    let said = |components: &[f32]| half.explain(components).unwrap_err();
    assert_eq!(said(&[0.0, 1e5]), "must have finite numbers: number 1 is not, as a 16-bit float");
    assert_eq!(said(&[0.0, 1e-9]), "must not have zeros alone, as 16-bit floats, which have no cosine");
    assert_eq!(said(&[0.0, 0.0]), "must not have zeros alone, which have no cosine");
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
