//! What all benchmarks share: corpora by seed, alternating rounds, and rows that print as a table and as JSON.

use serde_json::{Value, json};
use std::hint::black_box;
use std::time::Instant;

/// Pseudo-random numbers (SplitMix64): the same seed gives the same corpus on every machine.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform in 0 … 1, 0 excluded.
    pub fn unit(&mut self) -> f64 {
        ((self.next() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }
}

/// `count` docIDs whose gaps are geometric with that mean (above 1): what Bernoulli trials give.
pub fn geometric(count: usize, mean: f64, seed: u64) -> Vec<u32> {
    let mut random = Random(seed);
    let scale = (1.0 - 1.0 / mean).ln();
    (0..count)
        .scan(u32::MAX, |last, _| {
            *last = last.wrapping_add(1 + (random.unit().ln() / scale) as u32);
            Some(*last)
        })
        .collect()
}

/// `count` different docIDs below `universe`, each set of them as likely.
pub fn uniform(count: usize, universe: u32, seed: u64) -> Vec<u32> {
    let mut random = Random(seed);
    let mut bits = vec![0u64; universe as usize / 64 + 1];
    let mut left = count;
    while left != 0 {
        let doc_id = ((u128::from(random.next()) * u128::from(universe)) >> 64) as usize;
        let bit = 1 << (doc_id % 64);
        left -= usize::from(bits[doc_id / 64] & bit == 0);
        bits[doc_id / 64] |= bit;
    }
    let mut doc_ids = Vec::with_capacity(count);
    for (i, mut word) in bits.into_iter().enumerate() {
        while word != 0 {
            doc_ids.push(i as u32 * 64 + word.trailing_zeros());
            word &= word - 1;
        }
    }
    doc_ids
}

/// Seconds of each contestant in each round; in a round each runs in its turn, `repeats` times in a row, so that what
/// disturbs the machine disturbs all alike. Before its turn each runs once uncounted: caches are its own.
pub fn rounds(rounds: usize, repeats: usize, contestants: &mut [Box<dyn FnMut() -> u64 + '_>]) -> Vec<Vec<f64>> {
    let mut seconds = vec![Vec::new(); contestants.len()];
    for _ in 0..rounds {
        for (contestant, seconds) in contestants.iter_mut().zip(&mut seconds) {
            black_box(contestant());
            let start = Instant::now();
            for _ in 0..repeats {
                black_box(contestant());
            }
            seconds.push(start.elapsed().as_secs_f64() / repeats as f64);
        }
    }
    seconds
}

pub fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// What a ratio of ours to the peer's is held against.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Target {
    AtLeast(f64),
    AtMost(f64),
}

impl Target {
    fn is_met(self, ratio: f64) -> bool {
        match self {
            Target::AtLeast(least) => ratio >= least,
            Target::AtMost(most) => ratio <= most,
        }
    }

    fn number(self) -> f64 {
        match self {
            Target::AtLeast(number) | Target::AtMost(number) => number,
        }
    }
}

/// One figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub name: String,
    pub value: f64,
    pub unit: &'static str,
    pub peer: Option<(String, f64)>,
    /// Ours to the peer's: the median of the rounds' ratios, not the ratio of the medians.
    pub ratio: Option<f64>,
    pub target: Option<Target>,
}

impl Row {
    pub fn met(&self) -> Option<bool> {
        self.ratio.zip(self.target).map(|(ratio, target)| target.is_met(ratio))
    }

    /// An object of report.json.
    pub fn json(&self) -> Value {
        json!({
            "name": self.name,
            "value": self.value,
            "unit": self.unit,
            "peer": self.peer.as_ref().map(|peer| &peer.0),
            "peer_value": self.peer.as_ref().map(|peer| peer.1),
            "ratio": self.ratio,
            "target": self.target.map(Target::number),
            "met": self.met(),
        })
    }
}

/// Prints rows as a table.
pub fn print(rows: &[Row]) {
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    println!("{:width$}  {:>9} {:<11} {:<22} {:>9} {:>7} {:>8}  met", "", "ours", "", "peer", "its", "ratio", "target");
    for row in rows {
        let (peer, peer_value) = match &row.peer {
            Some((peer, value)) => (peer.as_str(), format!("{value:.4}")),
            None => ("", String::new()),
        };
        let target = match row.target {
            Some(Target::AtLeast(number)) => format!("≥ {number}"),
            Some(Target::AtMost(number)) => format!("≤ {number}"),
            None => String::new(),
        };
        let met = row.met().map_or("", |met| if met { "yes" } else { "NO" });
        let ratio = row.ratio.map_or(String::new(), |ratio| format!("{ratio:.2}"));
        println!(
            "{:width$}  {:>9.4} {:<11} {peer:<22} {peer_value:>9} {ratio:>7} {target:>8}  {met}",
            row.name, row.value, row.unit
        );
    }
}

/// The processor by its own name, where the system tells.
pub fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": ").map(|(_, name)| name));
    name.unwrap_or("unknown processor").to_string()
}
