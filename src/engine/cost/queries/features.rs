//! [`Features`]: what is known of a ranked query before it runs.

use crate::device::MOST_LEADS;
use crate::search::Matching;
use crate::search::prepared::Prepared;

/// Logarithms that the time on a CPU depends on, and the constant 1.
pub(super) const VARIABLES: usize = 7;
/// Products of two of them.
pub(super) const PRODUCTS: usize = VARIABLES * (VARIABLES + 1) / 2;
/// Kinds of work of a device.
pub(super) const DEVICE: usize = 8;

/// What is known of a query before it runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Features {
    /// Postings of the clause that the fewest documents have, of the next one, and of all.
    shortest: f64,
    second: f64,
    sum: f64,
    terms: f64,
    /// The hits that are wanted.
    k: f64,
    /// The documents of the index.
    documents: f64,
    /// The documents that would have all clauses if these were independent.
    matches: f64,
    /// Nanoseconds in which a CPU puts the postings of phrases and the like together.
    joining: f64,
}

impl Features {
    /// How many kinds of work of a device there are.
    pub const DEVICE: usize = DEVICE;

    /// Where the sum of the lengths is among the variables.
    pub(super) const SUM: usize = 3;

    /// Nanoseconds of each kind of work, in the order of [`on_device`](Self::on_device), before any were measured: an H200
    /// whose host has 16 cores.
    pub(super) const ASSUMED: [f64; DEVICE] = [120_000.0, 0.05, 500.0, 150.0, 0.02, 0.0075, 10.0, 0.5];

    /// Of so many postings of a few terms a device scores one, about.
    const SKIPPED: f64 = 8.0;

    /// Nanoseconds in which a CPU reads a posting to put others together. 2,000 pairs of neighbours from a million passages took
    /// 30 to 50 ns for each document of the rarer word, sixteen such postings, on a core that other programs used as well.
    const JOIN: f64 = 2.0;

    /// The features of a query that wants `k` hits.
    pub(in crate::engine) fn of(query: &Prepared, k: usize, documents: u64) -> Features {
        let mut clauses: Vec<u64> = Vec::with_capacity(query.terms.len());
        let mut last = None;
        let scored = query.terms.iter().filter(|term| term.clause.is_some());
        let terms = scored.clone().count();
        for term in scored {
            match clauses.last_mut().filter(|_| last == term.clause) {
                Some(clause) => *clause += term.documents,
                None => clauses.push(term.documents),
            }
            last = term.clause;
        }
        let joins = query.terms.iter().map(|term| term.joins).sum();
        Features::new(&mut clauses, terms, k, documents).with_joins(joins)
    }

    /// A query whose clauses have so many postings each, of `terms` lists in all, that wants `k` hits of an index of
    /// `documents` documents.
    pub fn new(clauses: &mut [u64], terms: usize, k: usize, documents: u64) -> Features {
        clauses.sort_unstable();
        let length = |at: usize| clauses.get(at).map_or(0.0, |&length| length as f64);
        let documents = documents.max(1) as f64;
        let share = |&length: &u64| (length as f64 / documents).min(1.0);
        Features {
            shortest: length(0),
            second: length(1),
            sum: clauses.iter().map(|&length| length as f64).sum(),
            terms: terms.max(1) as f64,
            k: k.max(1) as f64,
            documents,
            matches: documents * clauses.iter().map(share).product::<f64>(),
            joining: 0.0,
        }
    }

    /// The same query, but a CPU reads so many postings to put those of phrases and the like together. A device keeps what
    /// was put together, as a list like others.
    pub(super) fn with_joins(self, postings: u64) -> Features {
        Features { joining: Features::joining_of(postings), ..self }
    }

    /// Nanoseconds in which a CPU puts the postings of phrases and the like together.
    pub(in crate::engine) fn joining(&self) -> f64 {
        self.joining
    }

    /// The same if it reads so many postings for it.
    pub(super) fn joining_of(postings: u64) -> f64 {
        Self::JOIN * postings as f64
    }

    /// The variables of a CPU's time.
    pub(super) fn variables(&self) -> [f64; VARIABLES] {
        let Features { shortest, second, sum, terms, k, matches, .. } = *self;
        [1.0, shortest.ln_1p(), second.ln_1p(), sum.ln_1p(), terms.ln(), k.ln(), matches.ln_1p()]
    }

    /// Nanoseconds that a query cannot take, if each posting is decoded and scored alone, and each hit sorted in. A polynomial
    /// may say anything where no query was learned.
    pub(super) fn most(&self) -> f64 {
        2e4 * (1.0 + self.terms) + 30.0 * self.sum + 600.0 * self.k.min(self.sum)
    }

    /// All products of two variables.
    pub(super) fn products(variables: &[f64; VARIABLES]) -> [f64; PRODUCTS] {
        let mut products = [0.0; PRODUCTS];
        let pairs = (0..VARIABLES).flat_map(|a| (a..VARIABLES).map(move |b| (a, b)));
        products.iter_mut().zip(pairs).for_each(|(product, (a, b))| *product = variables[a] * variables[b]);
        products
    }

    /// What a call of a device does for nothing: itself, and the documents of the index.
    pub fn call(documents: u64) -> [f64; DEVICE] {
        let mut call = [0.0; DEVICE];
        (call[0], call[1]) = (1.0, documents as f64);
        call
    }

    /// What the query adds to a call: queries, terms, look-ups, postings, hits.
    pub fn on_device(&self, matching: Matching) -> [f64; DEVICE] {
        let Features { shortest, sum, terms, k, documents, matches, .. } = *self;
        let read = if terms <= MOST_LEADS as f64 { sum / Self::SKIPPED } else { sum };
        let all = [0.0, 0.0, 1.0, terms, shortest * (terms - 1.0).max(1.0), 0.0, k.min(matches), 0.0];
        let any = [0.0, 0.0, 1.0, terms, 0.0, read, k.min(sum).min(documents), 0.0];
        match matching {
            Matching::All => all,
            Matching::Any => any,
            // The second pass is for queries with few matches.
            Matching::AllThenAny => {
                let few = k / (k + matches);
                std::array::from_fn(|at| all[at] + few * any[at])
            }
        }
    }

    /// About so many bytes of postings in the form in which a device keeps them.
    pub(super) fn bytes(postings: u64) -> f64 {
        /// The table of a list, and what it takes to build one.
        const LIST: f64 = 1024.0;
        const POSTING: f64 = 6.5;
        LIST + POSTING * postings as f64
    }

    /// Where bytes to send are among the features of a call.
    pub(super) const SENT: usize = 7;
}
