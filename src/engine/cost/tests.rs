use super::rates::Terms;
use super::sample::{Spread, different_of_all};
use super::work::Shape;
use super::*;
use crate::base::cpu::Tier;
use crate::device::tests::test_device;
use crate::list::PostingList;

fn list(n: u32, gap: u32, codec: Codec) -> PostingList {
    PostingList::encode(&(0..n).map(|i| i * gap).collect::<Vec<_>>(), codec).unwrap()
}

#[test]
fn rates_come_back_and_damage_does_not() {
    let bytes = Rates::assumed().to_bytes();
    assert_eq!(Rates::from_bytes(&bytes), Some(*Rates::assumed()));
    assert_eq!(Rates::from_bytes(&bytes[1..]), None);
    assert_eq!(Rates::from_bytes(&[&bytes[..], &[0; 8]].concat()), None);
    for wrong in [f64::NAN, f64::INFINITY, -1.0] {
        let damaged = [&bytes[..8], &wrong.to_le_bytes(), &bytes[16..]].concat();
        assert_eq!(Rates::from_bytes(&damaged), None, "{wrong}");
    }
}

#[test]
fn rates_are_measured() {
    let Some(device) = test_device() else { return };
    // Whatever else runs can disturb one measurement.
    let mut odd = String::new();
    for _ in 0..5 {
        let mut rates = calibrate::measure(&device).unwrap();
        assert_eq!(Rates::from_bytes(&rates.to_bytes()), Some(rates));
        for (at, rate) in rates.0.numbers().enumerate() {
            assert!(*rate > 0.0 && rate.is_finite(), "rate {at} is {rate}");
        }
        // True on any machine: a look-up far away costs more than decoding a docID along with its neighbours, and a call
        // costs more than one of its queries.
        let looks_up_too_fast = |&codec: &Codec| rates.0.of(codec).far <= rates.0.of(codec).decoded;
        let codec = Codec::ALL.into_iter().find(looks_up_too_fast);
        if codec.is_none() && rates.0.intersect > rates.0.query && rates.0.decode > rates.0.received {
            return;
        }
        odd = format!("{codec:?}: {rates:?}");
    }
    panic!("five measurements were odd; the last: {odd}");
}

fn work_of(query: &[PostingList], counted: bool) -> Terms {
    Work::intersect([query].into_iter(), counted).unwrap().0
}

/// The codecs of the test lists. `SECOND` is one that looks docIDs up without decoding, on processors that can.
const FIRST: Codec = Codec::ALL[0];
const SECOND: Codec = Codec::ALL[1];

/// Whether two estimates are equal up to rounding.
fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

#[test]
fn work_is_what_is_done() {
    let (short, long) = (list(10, 70_000, FIRST), list(100_000, 7, SECOND));
    let mut work = Work::decode(&long).unwrap().0;
    assert_eq!((work.of(FIRST).decoded, work.of(SECOND).decoded, work.received), (0.0, 1e5, 1e5));
    assert_eq!(Work::decode(&short), None);
    // Looked up, far apart: the longer list ends at about the 10th docID of the shorter one.
    let query = [long.clone(), short.clone()];
    let mut work = work_of(&query, false);
    assert!(work.codecs.iter().all(|codec| codec.merged == 0.0));
    assert!((work.of(FIRST).decoded - 10.0).abs() < 1.0 && (work.of(SECOND).far - 10.0).abs() < 1.0, "{work:?}");
    assert!(work.gathered > 1.0 && work.gathered < 2.0, "{work:?}");
    assert_eq!(work_of(&query, true).gathered, 0.0);
    // Merged. A repeated list costs nothing.
    let pair = [long.clone(), list(50_000, 14, SECOND), long.clone()];
    let mut work = work_of(&pair, false);
    assert!((work.of(SECOND).merged - 150_000.0).abs() < 100.0, "{work:?}");
    assert_eq!((work.of(SECOND).near, work.of(SECOND).far), (0.0, 0.0));
    // A list that ends early is only compared with the beginning of the other. At a hundredth of its length, it is
    // looked up.
    let early = [list(1000, 7, SECOND), long];
    let mut work = work_of(&early, false);
    let of_second = *work.of(SECOND);
    assert!(of_second.far < 40.0 + 1000.0 * f64::from(u8::from(!SECOND.looks_up())), "{work:?}");
    assert!((of_second.near + of_second.far - 1000.0).abs() < 10.0, "{work:?}");
    assert!((work.gathered - 1000.0 / 7.0).abs() < 10.0, "{work:?}");
    // For equal queries, a sample gives the same estimate as all of them.
    let mut many = Work::intersect(std::iter::repeat_n(&early[..], 10_000), false).unwrap().0;
    assert_eq!(many.query, 10_000.0);
    assert!(near(many.of(SECOND).near, 1e4 * of_second.near), "{many:?}");
    // Too little work to be modelled.
    assert_eq!(Work::intersect([].into_iter(), false), None);
    assert_eq!(Work::intersect([&[][..], &[short][..]].into_iter(), false), None);
}

#[test]
fn samples_follow_no_pattern() {
    let taken: Vec<u32> = Spread::new(0..10_000, 40).collect();
    assert!((200..=300).contains(&taken.len()), "{}", taken.len());
    for period in [2, 5, 8, 40] {
        let mut seen = vec![0; period as usize];
        taken.iter().for_each(|item| seen[(item % period) as usize] += 1);
        assert!(seen.iter().all(|&times| times > 0), "{period}: {seen:?}");
    }
    assert!(Spread::new(0..5, 1).eq(0..5));
}

#[test]
fn lists_are_counted_once() {
    // All lists were seen.
    assert_eq!(different_of_all(64.0, 24.0, 64.0), 24.0);
    assert_eq!(different_of_all(10.0, 10.0, 30.0), 30.0);
    // After 1000 draws of 24 different lists, there are most likely no others.
    assert!((different_of_all(1000.0, 24.0, 1e6) - 24.0).abs() < 0.1);
    // 1000 draws from a pool of 1000 lists are expected to give 632 different ones.
    assert!((different_of_all(1000.0, 632.0, 1e6) - 1000.0).abs() < 5.0);
}

#[test]
fn the_device_wins_where_much_is_merged_and_little_comes_back() {
    let rates = *Rates::assumed();
    let long = list(4_000_000, 8, SECOND);
    let other = list(3_000_000, 9, SECOND);
    let count = Work(work_of(&[long.clone(), other], true));
    assert!(count.offloads(&rates, || 0));
    // Sending the lists is cheaper than merging them, but not at a tenth of the speed.
    assert!(count.offloads(&rates, || 1 << 30));
    let mut slow = rates;
    slow.0.sent *= 10.0;
    assert!(!count.offloads(&slow, || count.0.sent as u64) && count.offloads(&slow, || 0));
    let small = [list(100, 8, SECOND), long];
    assert!(!Work(work_of(&small, true)).offloads(&rates, || 0));
}

/// One measurement: a line of `h200.txt`.
struct Cell {
    name: String,
    work: Work,
    missing: f64,
    always: f64,
    never: f64,
}

impl Cell {
    fn parse(line: &str) -> Cell {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let number = |at: usize| fields[at].parse::<f64>().unwrap();
        let (lists, len, batch) = (number(0) as u64, 1usize << number(1) as u32, number(2) as u64);
        let shape = |id: u64, len: usize| Shape {
            id,
            codec: SECOND,
            len,
            universe: (16 * len - 1) as u32,
            // 6 bits per docID plus the directory.
            bytes: len * 25 / 32,
        };
        let pool = 24.min((1 << 26 >> fields[1].parse::<u32>().unwrap()).max(4)) as u64;
        let (mut work, mut sent) = (Work::default(), std::collections::BTreeMap::new());
        for query in 0..batch {
            let mut shapes: Vec<Shape> = match lists {
                64 => vec![shape(query * 5 % pool, len), shape(1000 + query * 5 % 4, 64 * len)],
                _ => (0..lists).map(|k| shape((query * 5 + k) % pool, len)).collect(),
            };
            sent.extend(shapes.iter().map(|shape| (shape.id, shape.bytes)));
            match lists {
                1 => work = Work::decode_of(shapes[0]),
                _ => work.add(Tier::Avx512, &mut shapes, false),
            }
        }
        if lists != 1 {
            work = work.finish(batch as f64, batch as f64);
        }
        let missing = if fields[3] == "sent" { sent.values().sum::<usize>() as f64 } else { 0.0 };
        Cell { name: line.to_owned(), work, missing, always: number(4), never: number(5) }
    }

    /// The time of the model's choice relative to that of the better choice.
    fn excess(&self, rates: &Rates) -> f64 {
        let chosen = if self.work.offloads(rates, || self.missing as u64) { self.always } else { self.never };
        chosen / self.always.min(self.never)
    }
}

/// Rates fitted to the H200 machine; `calibrate` measures about the same there.
fn h200() -> Rates {
    let mut rates = *Rates::assumed();
    let terms = &mut rates.0;
    (terms.decode, terms.sent, terms.received) = (22_000.0, 0.08, 0.27);
    let second = terms.of(SECOND);
    (second.decoded, second.merged, second.unpacked) = (0.25, 0.61, 0.0015);
    rates
}

fn cells() -> Vec<Cell> {
    include_str!("h200.txt").lines().filter(|line| !line.starts_with('#')).map(Cell::parse).collect()
}

#[test]
fn choices_match_what_was_measured_on_an_h200() {
    let (cells, h200) = (cells(), h200());
    for cell in &cells {
        let (cpu, there) = (cell.work.on_cpu(&h200) / 1e6, cell.work.on_device(&h200, cell.missing) / 1e6);
        println!("{} model {there:.4} {cpu:.4} {:.2}", cell.name, cell.excess(&h200));
    }
    let near = cells.iter().filter(|cell| cell.excess(&h200) <= 1.1).count();
    assert_eq!(cells.len(), 82);
    assert!(near * 10 >= cells.len() * 9, "{near} of {}", cells.len());
    // Not 1.5: in two cells the device took twice as long as in other calls of the same run that sent the same lists.
    let worst = cells.iter().map(|cell| cell.excess(&h200)).fold(0.0, f64::max);
    assert!(worst <= 2.0, "{worst}");
}

#[test]
fn choices_survive_noise_of_the_rates() {
    // A quarter too low or a third too high: each rate alone, and all rates of the CPU or of the device together.
    let cells = cells();
    let of_cpu = |at: usize| at == 0 || (at >= 9 && (at - 9) % 5 != 4);
    let alone = (0..Terms::COUNT).map(|kind| (0..Terms::COUNT).map(|at| at == kind).collect());
    let together = [true, false].map(|cpu| (0..Terms::COUNT).map(|at| of_cpu(at) == cpu).collect());
    for kinds in alone.chain(together) {
        let kinds: Vec<bool> = kinds;
        for factor in [0.75, 1.33] {
            let mut rates = h200();
            rates.0.numbers().zip(&kinds).filter(|(_, off)| **off).for_each(|(rate, _)| *rate *= factor);
            let near = cells.iter().filter(|cell| cell.excess(&rates) <= 1.1).count();
            let worst = cells.iter().map(|cell| cell.excess(&rates)).fold(0.0, f64::max);
            println!("{kinds:?} × {factor}: {near}, worst {worst:.2}");
            assert!(near * 10 >= cells.len() * 9 && worst <= 2.0, "{kinds:?} × {factor}: {near}, worst {worst:.2}");
        }
    }
}
