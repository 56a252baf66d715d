//! A collection of documents that are terms with weights, in topics, and queries for it.

use crate::random::Random;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Terms that there are, as in the vocabulary of BERT.
pub const VOCABULARY: u32 = 30_522;
/// Terms of a document.
pub const TERMS: usize = 120;
/// Terms of a query.
pub const QUERY_TERMS: usize = 40;
/// The n-th most frequent term has a probability in proportion to 1 / (n + FLAT). So a document has about one and a half terms of a
/// query, as with SPLADE.
const FLAT: f64 = 100.0;
/// Terms of a topic.
const TOPIC: u64 = 400;
/// Documents that are generated together.
const CHUNK: u32 = 1 << 14;

/// A collection of so many documents.
pub struct Collection {
    pub documents: u32,
}

/// How a term is written.
pub fn name(term: u32) -> String {
    format!("t{term}")
}

/// A term, its documents, and its weights there.
pub type List = (String, Vec<(u32, u32)>);

/// The sum of products.
pub fn score(document: &[(u32, u32)], query: &[(u32, u32)]) -> u64 {
    let weight = |term| document.iter().find(|of| of.0 == term).map_or(0, |of| of.1);
    query.iter().map(|&(term, of_query)| u64::from(weight(term) * of_query)).sum()
}

fn seeded(seed: u64) -> Random {
    let mut random = Random(seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    (0..4).for_each(|_| _ = random.next());
    random
}

/// A term, the frequent ones more likely.
fn any(random: &mut Random) -> u32 {
    (random.zipf(FLAT, FLAT + f64::from(VOCABULARY)) - FLAT) as u32
}

/// A number without its bits after the fifth significant one.
fn five_bits(number: u32) -> u32 {
    let cut = (u32::BITS - number.leading_zeros()).saturating_sub(5);
    number >> cut << cut
}

impl Collection {
    fn topics(&self) -> f64 {
        (f64::from(self.documents) / 1000.0).max(200.0)
    }

    /// The term with that rank in a topic: frequent terms are in more of them.
    fn term_of(topic: u64, rank: u64) -> u32 {
        any(&mut seeded(topic << 20 | rank))
    }

    /// The terms of a document, each once, by falling weights as far as these are not noise.
    fn document(&self, number: u32) -> Vec<(u32, u32)> {
        let mut random = seeded(u64::from(number) << 8 | 1 << 60);
        let topics: [u64; 3] = std::array::from_fn(|_| random.zipf(1.0, self.topics()) as u64);
        let mut terms: Vec<(u32, u32)> = Vec::with_capacity(TERMS);
        while terms.len() < TERMS {
            // The first topic is what the document is about; a quarter of the terms are of no topic.
            let term = match random.below(8) {
                0..4 => Self::term_of(topics[0], random.zipf(1.0, TOPIC as f64) as u64),
                4 => Self::term_of(topics[1], random.zipf(1.0, TOPIC as f64) as u64),
                5 => Self::term_of(topics[2], random.zipf(1.0, TOPIC as f64) as u64),
                _ => any(&mut random),
            };
            if terms.iter().all(|of| of.0 != term) {
                let left = 1.0 - terms.len() as f64 / TERMS as f64;
                // Terms that many documents have get less.
                let rarity = 0.4 + 0.6 * (f64::from(term + 1).ln() / f64::from(VOCABULARY).ln());
                let noise = 0.5 + random.below(1000) as f64 / 1000.0;
                let weight = (110.0 * left.powf(1.5) * rarity * noise) as u32;
                terms.push((term, five_bits(weight.clamp(1, 124))));
            }
        }
        terms
    }

    /// The terms of a query: of what a document is about, and some others of its kind.
    pub fn query(&self, number: u32) -> Vec<(u32, u32)> {
        let mut random = seeded(u64::from(number) << 8 | 1 << 61);
        let document = self.document((random.next() >> 11) as u32 % self.documents);
        let mut terms: Vec<(u32, u32)> = Vec::with_capacity(QUERY_TERMS);
        let mut from = document.iter().take(40);
        while terms.len() < QUERY_TERMS {
            let own = if random.below(2) == 0 { from.next() } else { None };
            let term = own.map_or_else(|| any(&mut random), |of| of.0);
            if terms.iter().all(|of| of.0 != term) {
                let left = 1.0 - terms.len() as f64 / QUERY_TERMS as f64;
                let less = if own.is_some() { 1.0 } else { 0.3 };
                terms.push((term, ((32.0 * left.powf(1.5) * less) as u32).max(1)));
            }
        }
        // The greatest is 32, as those expect who scale to that.
        terms[0].1 = 32;
        terms
    }

    /// Calls `take` with each document, in order; all cores generate them.
    pub fn each(&self, mut take: impl FnMut(u32, &[(u32, u32)]) -> Result<()>) -> Result<()> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from) as u32;
        let mut from = 0;
        while from < self.documents {
            let end = self.documents.min(from.saturating_add(CHUNK * threads));
            let documents: Vec<Vec<(u32, u32)>> = std::thread::scope(|scope| {
                let step = (end - from).div_ceil(threads);
                let parts: Vec<_> = (from..end)
                    .step_by(step as usize)
                    .map(|first| {
                        let part = first..end.min(first + step);
                        scope.spawn(move || part.map(|number| self.document(number)).collect::<Vec<_>>())
                    })
                    .collect();
                parts.into_iter().flat_map(|part| part.join().expect("no panic")).collect()
            });
            for (number, terms) in (from..end).zip(&documents) {
                take(number, terms)?;
            }
            from = end;
        }
        Ok(())
    }

    /// The lists of all terms that there are, in the order of their names.
    pub fn lists(&self) -> Result<Vec<List>> {
        let mut lists: Vec<Vec<(u32, u32)>> = vec![Vec::new(); VOCABULARY as usize];
        self.each(|document, terms| {
            terms.iter().for_each(|&(term, weight)| lists[term as usize].push((document, weight)));
            Ok(())
        })?;
        let mut lists: Vec<List> = (0..).map(name).zip(lists).filter(|(_, list)| !list.is_empty()).collect();
        lists.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        Ok(lists)
    }
}
