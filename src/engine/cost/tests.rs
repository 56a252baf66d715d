use super::*;
use std::io::Write;
use std::time::Instant;

fn list(n: u32, gap: u32, codec: Codec) -> PostingList {
    PostingList::encode(&(0..n).map(|i| i * gap).collect::<Vec<_>>(), codec).unwrap()
}

#[test]
fn rates_come_back_and_damage_does_not() {
    let bytes = Rates::ASSUMED.to_bytes();
    assert_eq!(Rates::from_bytes(&bytes), Some(Rates::ASSUMED));
    assert_eq!(Rates::from_bytes(&bytes[1..]), None);
    assert_eq!(Rates::from_bytes(&[&bytes[..], &[0; 8]].concat()), None);
    for wrong in [f64::NAN, f64::INFINITY, -1.0] {
        let damaged = [&bytes[..8], &wrong.to_le_bytes(), &bytes[16..]].concat();
        assert_eq!(Rates::from_bytes(&damaged), None, "{wrong}");
    }
}

#[test]
fn rates_are_measured() {
    let named = std::env::var("POSTINGS_TEST_DEVICE").unwrap_or_else(|_| "portable".into());
    let Some(device) = device::select(&named).unwrap() else {
        // Not `eprintln!`: the harness keeps what that prints where a test passes. In one piece, as other tests
        // print too.
        let _ = std::io::stderr().write_all(format!("SKIPPED: no OpenCL device {named:?}\n").as_bytes());
        return;
    };
    for _ in 0..2 {
        let begun = Instant::now();
        let rates = calibrate::measure(&device).unwrap();
        let all = begun.elapsed();
        let begun = Instant::now();
        calibrate::on_cpu(&mut rates.clone()).unwrap();
        println!("{rates:?} in {all:?}, of which the CPU's in {:?}", begun.elapsed());
        assert_eq!(Rates::from_bytes(&rates.to_bytes()), Some(rates));
    }
}

fn work_of(query: &[PostingList], counted: bool) -> [f64; KINDS] {
    Work::intersect([query].into_iter(), counted).unwrap().0
}

#[test]
fn work_is_what_is_done() {
    let (short, long) = (list(10, 70_000, Codec::Simple9), list(100_000, 7, Codec::QuasiSuccinct));
    let work = Work::decode(&long).unwrap().0;
    assert_eq!((work[DECODED], work[DECODED + 1], work[RECEIVED]), (0.0, 1e5, 1e5));
    assert_eq!(Work::decode(&short), None);
    // Probed, far apart: the longer list ends with the 10th docID.
    let query = [long.clone(), short.clone()];
    let work = work_of(&query, false);
    assert_eq!(work[MERGED..NEAR], [0.0; 2]);
    assert!((work[DECODED] - 10.0).abs() < 1.0 && (work[FAR + 1] - 10.0).abs() < 1.0, "{work:?}");
    assert!(work[GATHERED] > 1.0 && work[GATHERED] < 2.0, "{work:?}");
    assert_eq!(work_of(&query, true)[GATHERED], 0.0);
    // Merged; the same list again costs nothing.
    let pair = [long.clone(), list(50_000, 14, Codec::QuasiSuccinct), long.clone()];
    let work = work_of(&pair, false);
    assert!((work[MERGED + 1] - 150_000.0).abs() < 100.0, "{work:?}");
    assert_eq!((work[NEAR + 1], work[FAR + 1]), (0.0, 0.0));
    // A list that ends early is met with the beginning of the other only.
    let early = [list(1000, 7, Codec::QuasiSuccinct), long];
    let work = work_of(&early, false);
    assert!(work[FAR + 1] < 40.0 && (work[NEAR + 1] + work[FAR + 1] - 1000.0).abs() < 10.0, "{work:?}");
    assert!((work[GATHERED] - 1000.0 / 7.0).abs() < 10.0, "{work:?}");
    // A sample of many equal queries is as good as all of them.
    let many = Work::intersect(std::iter::repeat_n(&early[..], 10_000), false).unwrap().0;
    assert_eq!(many[QUERY], 10_000.0);
    assert!((many[NEAR + 1] / (1e4 * work[NEAR + 1]) - 1.0).abs() < 1e-9);
    // Little work.
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
    // All of them seen.
    assert_eq!(different_of_all(64.0, 24.0, 64.0), 24.0);
    assert_eq!(different_of_all(10.0, 10.0, 30.0), 30.0);
    // 24 seen, and there are no more than these.
    assert!((different_of_all(1000.0, 24.0, 1e6) - 24.0).abs() < 0.1);
    // 1000 draws from 1000 lists see 632 of them.
    assert!((different_of_all(1000.0, 632.0, 1e6) - 1000.0).abs() < 5.0);
}

#[test]
fn the_device_wins_where_much_is_merged_and_little_comes_back() {
    let rates = Rates::ASSUMED;
    let long = list(4_000_000, 8, Codec::QuasiSuccinct);
    let other = list(3_000_000, 9, Codec::QuasiSuccinct);
    let count = Work(work_of(&[long.clone(), other], true));
    assert!(count.offloads(&rates, || 0));
    // Sending the lists costs less than merging them; sending them at a tenth of the speed does not.
    assert!(count.offloads(&rates, || 1 << 30));
    let mut slow = rates;
    slow.0[SENT] *= 10.0;
    assert!(!count.offloads(&slow, || count.0[SENT] as u64) && count.offloads(&slow, || 0));
    let small = [list(100, 8, Codec::QuasiSuccinct), long];
    assert!(!Work(work_of(&small, true)).offloads(&rates, || 0));
}

/// A cell of `h200.txt`.
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
            codec: Codec::QuasiSuccinct,
            len,
            universe: (16 * len - 1) as u32,
            // 6 bits a docID and the directory.
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

    /// How many times as long as the better choice the model's takes.
    fn excess(&self, rates: &Rates) -> f64 {
        let chosen = if self.work.offloads(rates, || self.missing as u64) { self.always } else { self.never };
        chosen / self.always.min(self.never)
    }
}

/// Fitted to that machine, of which `calibrate` measures the same.
const H200: Rates = Rates([
    100.0, 0.3, 0.25, 0.8, 0.61, 15.0, 2.7, 120.0, 22.0, 22_000.0, 90_000.0, 110.0, 0.08, 0.27, 1.0, 0.0044, 0.0015,
    1.0, 1.0,
]);

fn cells() -> Vec<Cell> {
    include_str!("h200.txt").lines().filter(|line| !line.starts_with('#')).map(Cell::parse).collect()
}

#[test]
fn choices_match_what_was_measured_on_an_h200() {
    let cells = cells();
    for cell in &cells {
        let (cpu, there) = (cell.work.on_cpu(&H200) / 1e6, cell.work.on_device(&H200, cell.missing) / 1e6);
        println!("{} model {there:.4} {cpu:.4} {:.2}", cell.name, cell.excess(&H200));
    }
    let near = cells.iter().filter(|cell| cell.excess(&H200) <= 1.1).count();
    assert_eq!(cells.len(), 82);
    assert!(near * 10 >= cells.len() * 9, "{near} of {}", cells.len());
    // Not 1.5: in two cells the device took twice as long as it did, in the same run, for the same lists sent.
    let worst = cells.iter().map(|cell| cell.excess(&H200)).fold(0.0, f64::max);
    assert!(worst <= 2.0, "{worst}");
}

#[test]
fn choices_survive_noise_of_the_rates() {
    // Each rate a quarter to a third off, either way, alone; and those of the CPU or of the device together.
    let cells = cells();
    let groups = (0..KINDS).map(|kind| kind..kind + 1).chain([0..DECODE, DECODE..KINDS]);
    for kinds in groups {
        for factor in [0.75, 1.33] {
            let mut rates = H200;
            rates.0[kinds.clone()].iter_mut().for_each(|rate| *rate *= factor);
            let near = cells.iter().filter(|cell| cell.excess(&rates) <= 1.1).count();
            let worst = cells.iter().map(|cell| cell.excess(&rates)).fold(0.0, f64::max);
            println!("{kinds:?} × {factor}: {near}, worst {worst:.2}");
            assert!(near * 10 >= cells.len() * 9 && worst <= 2.0, "{kinds:?} × {factor}: {near}, worst {worst:.2}");
        }
    }
}
