//! Generated lists, which are the same for the same seed.

/// The seed of all benchmarks.
pub const SEED: u64 = 20_160_229;

/// The SplitMix64 generator of random numbers.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// A generator for one purpose, independent of those for others.
    pub fn new(purpose: u64) -> Random {
        Random(SEED ^ purpose.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// 64 random bits.
    #[inline]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }

    /// A number greater than 0 and at most 1.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        ((self.next() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }
}

/// Geometrically distributed gaps, from a table of 2^16 quantiles. The last quantile stands for the tail: the table's
/// range is added and another number is drawn, which is exact because the distribution is memoryless.
struct Gaps {
    table: Vec<u32>,
    reach: u32,
    random: Random,
    bits: u64,
    left: u32,
    /// ln(1 − 1 / mean), for means for which the table is too coarse.
    log: f64,
}

/// The largest mean for which the table is used.
const TABLE_MEAN: f64 = 256.0;

impl Gaps {
    fn new(mean: f64, random: Random) -> Gaps {
        assert!(mean >= 1.0);
        let log = (1.0 - 1.0 / mean).ln();
        let quantile = |q: f64| if mean == 1.0 { 1 } else { (1.0 + (1.0 - q).ln() / log) as u32 };
        let table = if mean > TABLE_MEAN {
            Vec::new()
        } else {
            (0..if mean == 1.0 { 0x10000 } else { 0xFFFF }).map(|i| quantile((f64::from(i) + 0.5) / 65_536.0)).collect()
        };
        let reach = if mean == 1.0 { 0 } else { ((1.0f64 / 65_536.0).ln() / log).round() as u32 };
        Gaps { table, reach, random, bits: 0, left: 0, log }
    }

    #[inline]
    fn next(&mut self) -> u32 {
        if self.table.is_empty() {
            return 1 + (self.random.unit().ln() / self.log) as u32;
        }
        let mut gap = 0;
        loop {
            if self.left == 0 {
                (self.bits, self.left) = (self.random.next(), 4);
            }
            let index = self.bits as usize & 0xFFFF;
            self.bits >>= 16;
            self.left -= 1;
            match self.table.get(index) {
                Some(more) => return gap + more,
                None => gap += self.reach,
            }
        }
    }
}

/// `n` docIDs with geometric gaps of that mean (1: every docID).
pub fn geometric(n: usize, mean: f64, purpose: u64) -> Vec<u32> {
    let mut gaps = Gaps::new(mean, Random::new(purpose));
    let mut doc_ids = Vec::with_capacity(n);
    let mut last = 0u32;
    for _ in 0..n {
        last = last.checked_add(gaps.next()).expect("docIDs of 32 bits");
        doc_ids.push(last);
    }
    doc_ids
}

/// Each of the numbers below `universe` with that probability, ascending.
pub fn sample(universe: u64, probability: f64, purpose: u64) -> Vec<u32> {
    assert!(universe <= 1 << 32 && probability > 0.0);
    if probability >= 1.0 {
        return (0..universe).map(|doc_id| doc_id as u32).collect();
    }
    let mut gaps = Gaps::new(1.0 / probability, Random::new(purpose));
    let mut doc_ids = Vec::with_capacity((universe as f64 * probability * 1.02) as usize + 64);
    let mut next = u64::from(gaps.next()) - 1;
    while next < universe {
        doc_ids.push(next as u32);
        next += u64::from(gaps.next());
    }
    doc_ids
}

/// `n` of the docIDs below `universe`, all equally likely. Few are drawn and sorted; many are made by geometric gaps
/// with a mean that is smaller by 4 standard deviations of the sum, so that all fit.
pub fn uniform(n: usize, universe: u64, purpose: u64) -> Vec<u32> {
    assert!(n as u64 <= universe && universe <= 1 << 32);
    let mean = universe as f64 / n as f64;
    if n > 1 << 22 && mean >= 1.01 {
        let deviation = (mean * (mean - 1.0) / n as f64).sqrt();
        let doc_ids = geometric(n, mean - 4.0 * deviation, purpose);
        assert!(doc_ids.last().is_none_or(|&last| u64::from(last) < universe));
        return doc_ids;
    }
    let mut random = Random::new(purpose);
    let mut doc_ids: Vec<u32> = Vec::with_capacity(n + n / 8);
    while doc_ids.len() < n {
        let missing = n - doc_ids.len();
        doc_ids.extend((0..missing + missing / 8).map(|_| random.below(universe) as u32));
        doc_ids.sort_unstable();
        doc_ids.dedup();
    }
    // If there are too many, some at equal distances are removed.
    let surplus = doc_ids.len() - n;
    let step = doc_ids.len().checked_div(surplus).unwrap_or(usize::MAX);
    let (mut index, mut gone) = (0, 0);
    doc_ids.retain(|_| {
        index += 1;
        let goes = gone < surplus && index % step == 0;
        gone += usize::from(goes);
        !goes
    });
    doc_ids
}

/// `n` clustered docIDs: clusters of 64 docIDs on average, with a mean gap of 2 within a cluster. The gaps between
/// clusters make the mean of all gaps `mean`, which must be more than 2.
pub fn clustered(n: usize, mean: f64, purpose: u64) -> Vec<u32> {
    const RUN: f64 = 64.0;
    let mut within = Gaps::new(2.0, Random::new(purpose));
    let mut between = Gaps::new(RUN * mean - (RUN - 1.0) * 2.0, Random::new(purpose + 1));
    let mut random = Random::new(purpose + 2);
    let mut last = 0u32;
    let next = |_| {
        let gap = if random.unit() <= 1.0 / RUN { between.next() } else { within.next() };
        last = last.checked_add(gap).expect("docIDs of 32 bits");
        last
    };
    (0..n).map(next).collect()
}

/// The common docIDs of two lists by a plain merge, with which all intersections are compared.
pub fn merge(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut common = Vec::with_capacity(a.len().min(b.len()));
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        let (x, y) = (a[i], b[j]);
        if x == y {
            common.push(x);
        }
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    common
}

/// Conjunctive queries over terms: the shape of Ao et al. (PVLDB 4(8), 2011), Table 4, in a generated vocabulary.
pub struct Workload {
    /// The docIDs of each term.
    pub terms: Vec<Vec<u32>>,
    /// The term numbers of each query, the one with the shortest list first.
    pub queries: Vec<Vec<usize>>,
}

/// The number of documents in the collection.
pub const UNIVERSE: u64 = 1_053_372;
/// The mean length of the shortest list of a query.
pub const SHORTEST: u64 = 8_500;
/// The length of the shortest list divided by that of a longer one, in per mille.
pub const RATIOS: std::ops::RangeInclusive<u64> = 136..=340;

/// `count` queries of 2 to 6 terms, equally many of each number, over 40 topics. A tenth of the documents are about a
/// topic, seven tenths of the docIDs of a term are among the documents of its topic, and all terms of a query belong to
/// one topic.
pub fn workload(count: usize) -> Workload {
    const TOPICS: u64 = 40;
    const RARE: u64 = 12;
    const COMMON: u64 = 36;
    let mut random = Random::new(77);
    let mut terms = Vec::new();
    for topic in 0..TOPICS {
        let about = uniform(UNIVERSE as usize / 10, UNIVERSE, 1000 + topic);
        for term in 0..RARE + COMMON {
            let wanted = if term < RARE {
                SHORTEST * 3 / 4 + random.below(SHORTEST / 2)
            } else {
                SHORTEST * 1000 / (RATIOS.start() + random.below(RATIOS.end() - RATIOS.start() + 1))
            };
            let mut doc_ids: Vec<u32> = Vec::with_capacity(wanted as usize + 1000);
            while (doc_ids.len() as u64) < wanted {
                for _ in doc_ids.len() as u64..wanted {
                    let of_topic = random.below(10) < 7;
                    doc_ids.push(match of_topic {
                        true => about[random.below(about.len() as u64) as usize],
                        false => random.below(UNIVERSE) as u32,
                    });
                }
                doc_ids.sort_unstable();
                doc_ids.dedup();
            }
            terms.push(doc_ids);
        }
    }
    let queries = (0..count)
        .map(|query| {
            let first = random.below(TOPICS) * (RARE + COMMON);
            let mut chosen = vec![(first + random.below(RARE)) as usize];
            while chosen.len() < 2 + query % 5 {
                let term = (first + RARE + random.below(COMMON)) as usize;
                if !chosen.contains(&term) {
                    chosen.push(term);
                }
            }
            chosen
        })
        .collect();
    Workload { terms, queries }
}
