use super::models::{kind, measured};
use super::sample::{MANY, Sample};
use super::*;
use crate::engine::cost::MARGIN;
use crate::engine::schedule::Costs;
use crate::search::Matching;
use crate::search::prepared::Prepared;

fn relative_error(model: &CpuModel, queries: &[(Features, f64)]) -> f64 {
    let errors = queries.iter().map(|(query, time)| (model.predict(query) - time).abs() / time);
    errors.sum::<f64>() / queries.len() as f64
}

fn of(matching: Matching) -> Vec<(Features, f64)> {
    measured().filter(|(of, ..)| *of == matching).map(|(_, query, time)| (query, time)).collect()
}

#[test]
fn queries_that_were_not_learned_are_predicted() {
    for (matching, most) in [(Matching::All, 0.4), (Matching::Any, 0.6), (Matching::AllThenAny, 0.8)] {
        let mut model = CpuModel::default();
        let (learned, others): (Vec<_>, Vec<_>) = of(matching).into_iter().enumerate().partition(|(at, _)| at % 2 == 0);
        let [learned, others] = [learned, others].map(|half| half.into_iter().map(|(_, of)| of).collect::<Vec<_>>());
        assert!(learned.len() > 100);
        learned.iter().for_each(|(query, time)| model.learn(query, *time));
        model.update();
        let error = relative_error(&model, &others);
        println!("{matching:?}: {error:.2}");
        assert!(error < most, "{matching:?}: {error}");
        // A guess without features, the geometric mean, is several times as far off.
        let mean = others.iter().map(|(_, time)| time.ln()).sum::<f64>() / others.len() as f64;
        let guess = others.iter().map(|(_, time)| (mean.exp() - time).abs() / time).sum::<f64>() / others.len() as f64;
        assert!(guess > 2.0 * error, "{matching:?}: {guess}, {error}");
    }
}

#[test]
fn another_machine_is_learned() {
    let mut model = Models::assumed().cpu[kind(Matching::Any)].clone();
    let slower: Vec<(Features, f64)> = of(Matching::Any).into_iter().map(|(query, time)| (query, 5.0 * time)).collect();
    assert!(relative_error(&model, &slower) > 0.7);
    for _ in 0..15 {
        slower.iter().for_each(|(query, time)| model.learn(query, *time));
        model.update();
    }
    let error = relative_error(&model, &slower);
    assert!(error < 0.7, "{error}");
}

#[test]
fn what_batches_take_corrects_the_predictions() {
    let mut model = Models::assumed().cpu[kind(Matching::All)].clone();
    let queries = of(Matching::All);
    let sum = |model: &CpuModel| queries.iter().map(|(query, _)| model.predict(query)).sum::<f64>();
    let before = sum(&model);
    for _ in 0..200 {
        let predicted = sum(&model);
        model.learn_bias(3.0 * before, predicted, 32.0);
    }
    let after = sum(&model);
    assert!((2.8 * before..3.2 * before).contains(&after), "{before} {after}");
    model.learn_bias(f64::NAN, 1.0, 32.0);
    model.learn_bias(1.0, 0.0, 32.0);
    assert_eq!(sum(&model), after);
}

#[test]
fn beyond_what_was_learned_predictions_are_bounded() {
    let models = Models::assumed();
    for model in &models.cpu {
        let predict = |length: u64| model.predict(&Features::new(&mut [length, length], 2, 10, 2 * length));
        let (one, ten) = (predict(1_000_000_000), predict(10_000_000_000));
        assert!((9.0..11.0).contains(&(ten / one)), "{one} {ten}");
        for query in [Features::new(&mut [], 0, 0, 0), Features::new(&mut [u64::MAX; 300], 300, usize::MAX, u64::MAX)] {
            let time = model.predict(&query);
            assert!((10.0..=1e13).contains(&time), "{time}");
        }
    }
    assert!((1e1..1e3).contains(&CpuModel::default().predict(&Features::new(&mut [5], 1, 1, 10))));
}

#[test]
fn models_come_back_and_damage_does_not() {
    let mut models = Models::assumed().clone();
    models.device.learn(&Features::call(1000), 5e5);
    let bytes = models.to_bytes();
    assert_eq!(Models::from_bytes(&bytes), Some(models));
    assert_eq!(Models::from_bytes(&bytes[1..]), None);
    assert_eq!(Models::from_bytes(&[&bytes[..], &[0; 8]].concat()), None);
    for at in (0..bytes.len()).step_by(8 * 61) {
        for wrong in [f64::NAN, f64::INFINITY, -1e30] {
            let damaged = [&bytes[..at], &wrong.to_le_bytes(), &bytes[at + 8..]].concat();
            assert_eq!(Models::from_bytes(&damaged), None, "number {}: {wrong}", at / 8);
        }
    }
}

#[test]
fn a_device_is_learned() {
    // Half the assumed cost of a call and of a query, and ten times that of a posting.
    let mut rates = Features::ASSUMED;
    (rates[0], rates[2], rates[5]) = (rates[0] / 2.0, rates[2] / 2.0, rates[5] * 10.0);
    let mut model = DeviceModel::default();
    let query = |length: u64| Features::new(&mut [length, 2 * length], 2, 10, 1_000_000).on_device(Matching::Any);
    let call = |queries: u64, length: u64| {
        let (mut call, query) = (Features::call(1_000_000), query(length));
        call.iter_mut().zip(query).for_each(|(sum, of)| *sum += queries as f64 * of);
        let time: f64 = call.iter().zip(rates).map(|(of, rate)| of * rate).sum();
        (call, time)
    };
    for at in 0..200 {
        let (call, time) = call([1, 30, 10_000][at % 3], [10, 10_000, 300_000][at / 3 % 3]);
        model.learn(&call, time);
    }
    for (queries, length) in [(1, 100), (100, 100_000), (5000, 1000)] {
        let (call, time) = call(queries, length);
        let predicted = model.predict(&call);
        assert!((0.8..1.25).contains(&(predicted / time)), "{queries} {length}: {predicted} {time}");
    }
}

/// A batch of equal queries, as a sample sees it.
fn sample(query: &Features, matching: Matching, queries: usize, threads: usize) -> Sample {
    let models = Models::assumed();
    let taken = queries.min(MANY);
    let each = queries as f64 / taken as f64;
    let call = models.call(1_000_000, 0.0) / each;
    let costs = Costs { queries: vec![models.cost(query, matching); taken], call };
    Sample { costs, threads, each, each_list: each, lists: Vec::new() }
}

#[test]
fn large_batches_and_long_queries_are_for_the_device() {
    let short = Features::new(&mut [15_000, 70_000, 200_000], 3, 10, 1_000_000);
    let long = Features::new(&mut [80_000; 60], 60, 10, 1_000_000);
    let wins = |query, matching, queries, threads, more| {
        let [cpu, both] = sample(query, matching, queries, threads).times(more);
        both < MARGIN * cpu
    };
    assert!(!wins(&short, Matching::All, 1, 1, 0.0));
    assert!(wins(&short, Matching::All, 10_000, 16, 0.0));
    assert!(wins(&long, Matching::Any, 1, 1, 0.0));
    assert!(!wins(&long, Matching::Any, 1, 1, 1e9), "it takes a second to send the lists");
    // Threads of the CPU work as well, so that it takes no longer than the CPU or the device alone.
    let [cpu, both] = sample(&short, Matching::Any, 10_000, 16).times(0.0);
    let device = 10_000.0 * Models::assumed().cost(&short, Matching::Any).device;
    assert!(both < cpu && both < device + 1e6, "{both} {cpu} {device}");
}

#[test]
fn clauses_are_counted_as_clauses() {
    use crate::search::prepared::{PreparedTerm, Recipes};
    let term = |clause, documents, joins| PreparedTerm {
        field: 0,
        weight: 1.0,
        clause,
        documents,
        joins,
        lists: Recipes::new(),
    };
    let terms = vec![term(Some(0), 10, 0), term(Some(0), 20, 50), term(Some(1), 100, 0), term(None, 7, 14)];
    let query = Prepared { terms: terms.into(), none_has_all: false };
    let expected = Features::new(&mut [30, 100], 3, 10, 1000).with_joins(64);
    assert_eq!(Features::of(&query, 10, 1000), expected);
    assert!(expected.joining() > 0.0 && Features::new(&mut [30, 100], 3, 10, 1000).joining() == 0.0);
}
