//! Generated queries with the lengths and result sizes of Ao 2011, table 4, stage by stage.
//!
//! Each topic has a tenth of GOV's documents, and as much more or less as lengths are scaled. The shortest list of a
//! query is a sample of its topic; the list of stage x has each document of the topic with the probability with which
//! table 4's results survive that stage, and as many other documents as its length needs. So lists of a topic meet as
//! the table says, whichever are combined.

use super::{Corpus, SHARES, terms_at};
use crate::harness::papers;
use crate::support::data::{self, Random};

/// A collection and how many lists it has.
#[derive(Debug, Clone)]
pub struct Shape {
    name: &'static str,
    universe: u64,
    /// Lengths of table 4 are multiplied by this.
    scale: f64,
    topics: u64,
    /// Shortest lists per topic, and lists per topic, number of terms and stage.
    shortest: usize,
    longer: usize,
    queries: usize,
    about: String,
}

/// The documents of a topic, at the lengths of table 4.
const TOPIC: f64 = 105_000.0;

/// Ding's GOV2: pages, and postings of a query on average.
const GOV2_DOCUMENTS: u64 = 25_200_000;
const GOV2_POSTINGS: f64 = 3.74e6;
const GOV_DOCUMENTS: u64 = 1_053_372;

/// What table 4 says of queries of some number of terms.
#[derive(Debug, Clone)]
pub struct Stages {
    /// The mean length of the result before each stage; the first is that of the shortest list.
    pub lengths: Vec<f64>,
    /// R of each stage, as a share.
    pub ratios: Vec<f64>,
}

impl Stages {
    /// The columns of queries of this many terms.
    pub fn of(terms: usize) -> Stages {
        let cell = |stage: usize, what: &str| {
            papers::number("ao-2011", "table 4", &stage.to_string(), &format!("{terms}: {what}"))
        };
        Stages {
            lengths: (1..terms).map(|stage| 1000.0 * cell(stage, "|l|")).collect(),
            ratios: (1..terms).map(|stage| cell(stage, "R") / 100.0).collect(),
        }
    }

    /// The mean length of the list that a stage meets: table 4's result divided by its R.
    fn list(&self, stage: usize) -> f64 {
        self.lengths[stage] / self.ratios[stage]
    }

    /// The share of the result that a stage leaves. The last stage's is not printed: it is taken from the same stage of
    /// queries with one term more, and for 6 terms from the stage before.
    fn survives(&self, stage: usize) -> f64 {
        if stage + 1 < self.lengths.len() {
            return self.lengths[stage + 1] / self.lengths[stage];
        }
        match self.lengths.len() + 1 {
            6 => self.survives(stage - 1),
            terms => Stages::of(terms + 1).survives(stage),
        }
    }

    fn postings(&self) -> f64 {
        self.lengths[0] + (0..self.lengths.len()).map(|stage| self.list(stage)).sum::<f64>()
    }
}

/// The mean number of postings of a query as table 4 has them.
fn postings_of_query() -> f64 {
    let of_terms = (2..=6).map(|terms| Stages::of(terms).postings());
    of_terms.zip(SHARES).map(|(postings, share)| postings * share).sum::<f64>() / SHARES.iter().sum::<f64>()
}

impl Shape {
    /// The size of GOV.
    pub fn gov(topics: u64) -> Shape {
        Shape {
            name: super::GOV,
            universe: GOV_DOCUMENTS,
            scale: 1.0,
            topics,
            shortest: 8,
            longer: 3,
            queries: 10_000,
            about: "generated with the lengths and result sizes of Ao 2011, table 4, stage by stage".into(),
        }
    }

    /// The size of GOV2: 25.2 million documents, 3.74 million postings per query.
    pub fn gov2(quick: bool) -> Shape {
        let shrink = if quick { 16 } else { 1 };
        Shape {
            name: "GOV2-shaped",
            universe: GOV2_DOCUMENTS / shrink,
            scale: GOV2_POSTINGS / postings_of_query() / shrink as f64,
            topics: 1,
            shortest: 6,
            longer: 2,
            queries: 100,
            about: format!(
                "generated: the length ratios and survival of Ao 2011, table 4, lengths scaled to {:.3} million postings \
                 per query",
                GOV2_POSTINGS / 1e6 / shrink as f64
            ),
        }
    }

    /// Generates it.
    pub fn corpus(&self) -> Corpus {
        let mut lists: Vec<Vec<u32>> = Vec::new();
        // By topic: the shortest lists of each number of terms, then those of each stage.
        let mut pools: Vec<Vec<Vec<Vec<usize>>>> = Vec::new();
        for topic in 0..self.topics {
            let about = data::sample(self.universe, self.scale * TOPIC / self.universe as f64, 5_000 + topic);
            let mut inside = vec![0u64; self.universe as usize / 64 + 1];
            about.iter().for_each(|&doc| inside[doc as usize / 64] |= 1 << (doc % 64));
            let mut add = |length: f64, survives: f64| {
                let purpose = 10_000 + 2 * lists.len() as u64;
                let chosen = data::sample(about.len() as u64, survives, purpose);
                let mut list: Vec<u32> = chosen.into_iter().map(|at| about[at as usize]).collect();
                let others = length - survives * about.len() as f64;
                // Not fewer than none, but for a few by chance.
                assert!(others > -0.02 * length, "a list is longer within its topic than in all");
                let density = others / (self.universe as f64 - about.len() as f64);
                if density > 0.0 {
                    let outside = data::sample(self.universe, density, purpose + 1);
                    list.extend(outside.iter().filter(|&&doc| inside[doc as usize / 64] >> (doc % 64) & 1 == 0));
                    list.sort_unstable();
                }
                lists.push(list);
                lists.len() - 1
            };
            let of_terms = |terms: usize| {
                let stages = Stages::of(terms);
                let shortest = self.scale * stages.lengths[0];
                let share = shortest / about.len() as f64;
                let mut pools = vec![(0..self.shortest).map(|_| add(shortest, share)).collect::<Vec<_>>()];
                for stage in 0..stages.lengths.len() {
                    let (length, survives) = (self.scale * stages.list(stage), stages.survives(stage));
                    pools.push((0..self.longer).map(|_| add(length, survives)).collect());
                }
                pools
            };
            pools.push((2..=6).map(of_terms).collect());
        }
        let mut random = Random::new(12);
        let mut pick = |pool: &[usize]| pool[random.below(pool.len() as u64) as usize];
        // A sequence that comes near to every share after few queries.
        let quantile = |query: usize| (query as f64 + 0.5) * 0.618_033_988_75 % 1.0;
        let queries = (0..self.queries)
            .map(|query| {
                let pools = &pools[query % pools.len()][terms_at(quantile(query)) - 2];
                pools.iter().map(|pool| pick(pool)).collect()
            })
            .collect();
        Corpus { name: self.name.into(), about: self.about.clone(), universe: self.universe, lists, queries }
    }
}
