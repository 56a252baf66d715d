use super::block_max;
use super::clause::Clause;
use super::collector::{Collector, Restriction};
use super::score::{Saturations, Scorer};
use super::term::{Source, Term, Together};
use super::*;
use crate::base::cpu::Tier;
use crate::codec::BLOCK;
use crate::index::list::{BlockCodec, Codecs, Decoded, List, ListParts, PADDING, Postings, decode_short, encode};
use crate::index::segment::Allowed;
use byteorder::{ByteOrder, LittleEndian};
use proptest::prelude::*;
use std::sync::Arc;

/// A segment of noise.
struct Corpus {
    documents: u32,
    lengths: Vec<u8>,
    /// Per term: docIDs and frequencies.
    postings: Vec<(Vec<u32>, Vec<u32>)>,
    words: Vec<u32>,
    values: Vec<u64>,
    bm25: Bm25,
}

const CODECS: Codecs = Codecs { frequencies: BlockCodec::BP128, positions: BlockCodec::BP128 };
const PARTS: ListParts = ListParts { frequencies: true, positions: false, codecs: CODECS };

impl Corpus {
    /// Term t is in a document with about the t-th of `densities`, in thousandths; clustered in some.
    fn new(documents: u32, densities: &[u32], seed: u64) -> Corpus {
        Corpus::with(documents, densities, seed, |_, _, noise| if noise() % 4 == 0 { 1 + noise() % 300 % 7 } else { 1 })
    }

    /// The same; how often a document has a term, `frequency` says, given the term, the docID, and noise.
    fn with(
        documents: u32,
        densities: &[u32],
        seed: u64,
        frequency: impl Fn(usize, u32, &mut dyn FnMut() -> u32) -> u32,
    ) -> Corpus {
        let mut state = seed | 1;
        let mut noise = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 16) as u32
        };
        let lengths: Vec<u8> = (0..documents).map(|_| (5 + noise() % 60) as u8).collect();
        let mut postings: Vec<(Vec<u32>, Vec<u32>)> = Vec::new();
        for (at, &density) in densities.iter().enumerate() {
            let mut dense = true;
            let mut doc_ids = Vec::new();
            for doc_id in 0..documents {
                if doc_id % 3000 == 0 {
                    dense = noise() % 4 != 0;
                }
                let density = if dense { density } else { density / 8 };
                if noise() % 1000 < density {
                    doc_ids.push(doc_id);
                }
            }
            if doc_ids.is_empty() {
                doc_ids.push(noise() % documents);
            }
            let frequencies = doc_ids.iter().map(|&doc_id| frequency(at, doc_id, &mut noise)).collect();
            postings.push((doc_ids, frequencies));
        }
        let mut out = Vec::new();
        let encoded = postings.iter().map(|(doc_ids, frequencies): &(Vec<u32>, Vec<u32>)| {
            let postings = Postings { doc_ids, frequencies, positions: &[], lengths: &lengths };
            encode(&postings, documents, CODECS, 0, &mut out).unwrap()
        });
        let values = encoded.collect();
        out.resize((out.len() + PADDING).next_multiple_of(4), 0);
        let mut words = vec![0; out.len() / 4];
        LittleEndian::read_u32_into(&out, &mut words);
        Corpus { documents, lengths, postings, words, values, bm25: Bm25::default() }
    }

    fn term<'s>(&'s self, at: usize, norms: &'s Norms, weight: f32, tier: Tier) -> Term<'s> {
        // SAFETY: any words are valid bytes.
        let bytes = unsafe { self.words.align_to().1 };
        let list = List::find(bytes, self.values[at], self.documents, PARTS).unwrap();
        list.check(self.documents).unwrap();
        let source = match list {
            List::Long(view) => Source::List(view),
            List::Short(bytes) => {
                let mut decoded = Decoded::default();
                decode_short(bytes, self.documents, PARTS, false, &mut decoded).unwrap();
                let less_one = decoded.frequencies.iter().map(|frequency| frequency - 1).collect();
                Source::decoded(decoded.doc_ids, less_one).unwrap()
            }
        };
        Term::new(tier, Scorer { weight, saturations: Saturations::Bm25 { norms, lengths: &self.lengths } }, source)
    }

    /// Scores of a term's documents.
    fn scores(&self, at: usize, norms: &Norms, weight: f32) -> Vec<Option<f64>> {
        let mut scores = vec![None; self.documents as usize];
        let (doc_ids, frequencies) = &self.postings[at];
        for (&doc_id, &frequency) in doc_ids.iter().zip(frequencies) {
            let norm = norms.of(self.lengths[doc_id as usize]);
            scores[doc_id as usize] = Some(f64::from(bm25::score(weight, frequency, norm)));
        }
        scores
    }

    /// The definition: every document is scored, in the order of the clauses.
    fn exhaustive(
        &self,
        clauses: &[Vec<usize>],
        required: usize,
        norms: &Norms,
        k: usize,
        allows: impl Fn(u32) -> bool,
    ) -> Vec<(u32, f64)> {
        let scores: Vec<Vec<_>> = clauses
            .iter()
            .map(|clause| clause.iter().map(|&at| self.scores(at, norms, weight(at))).collect())
            .collect();
        let mut hits: Vec<(u32, f64)> = Vec::new();
        for doc_id in (0..self.documents).filter(|&doc_id| allows(doc_id)) {
            let of_clause = |clause: &Vec<Vec<Option<f64>>>| -> Option<f64> {
                let found: Vec<f64> = clause.iter().filter_map(|term| term[doc_id as usize]).collect();
                (!found.is_empty()).then(|| found.iter().sum())
            };
            let found: Vec<Option<f64>> = scores.iter().map(of_clause).collect();
            if found[..required].iter().all(Option::is_some) && found.iter().any(Option::is_some) {
                hits.push((doc_id, found.into_iter().flatten().sum()));
            }
        }
        hits.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        hits.truncate(k);
        hits
    }
}

fn weight(at: usize) -> f32 {
    [2.5, 0.3, 6.0, 1.1, 0.01, 3.3][at % 6]
}

/// The documents that pass a filter: one of so many, a few of them in a row.
fn passing(documents: u32, one_of: u32, lists_few: bool) -> Arc<Allowed> {
    let few: Vec<u32> = (0..documents).filter(|doc_id| (doc_id / 3 + doc_id / 700).is_multiple_of(one_of)).collect();
    let mut bits = vec![0u64; documents.div_ceil(64) as usize];
    few.iter().for_each(|&doc_id| bits[doc_id as usize / 64] |= 1 << (doc_id % 64));
    Arc::new(Allowed { bits, count: few.len(), few: lists_few.then_some(few) })
}

fn check(
    corpus: &Corpus,
    clauses: &[Vec<usize>],
    k: usize,
    deleted: Option<&[u64]>,
    excluded: Option<usize>,
    allowed: Option<&Arc<Allowed>>,
) {
    let norms = Norms::new(&corpus.bm25, 35 * u64::from(corpus.documents), corpus.documents.into());
    for tier in Tier::available() {
        let term = |at: usize| corpus.term(at, &norms, weight(at), tier);
        // All clauses, any, or the first and perhaps others.
        for required in [clauses.len(), 0, 1] {
            let allows = |doc_id: u32| {
                deleted.is_none_or(|deleted| !crate::base::bits::has_bit(deleted, doc_id))
                    && excluded.is_none_or(|at| corpus.postings[at].0.binary_search(&doc_id).is_err())
                    && allowed.is_none_or(|allowed| crate::base::bits::has_bit(&allowed.bits, doc_id))
            };
            let wanted = corpus.exhaustive(clauses, required, &norms, k, allows);
            let all = corpus.exhaustive(clauses, required, &norms, usize::MAX, allows);
            let mut all: Vec<u32> = all.into_iter().map(|(doc_id, _)| doc_id).collect();
            all.sort_unstable();
            let restriction = || {
                let excluded = excluded.into_iter().map(term).collect();
                Restriction { deleted, allowed: allowed.cloned(), after: None, excluded }
            };
            let of_clause = |clause: &Vec<usize>| clause.iter().map(|&at| term(at)).collect();
            let clause = |clause: &Vec<usize>| Clause { terms: of_clause(clause), required: false };
            let divided = || -> Vec<Clause> {
                let clause = |(at, of): (usize, _)| Clause { required: at < required, ..clause(of) };
                clauses.iter().enumerate().map(clause).collect()
            };
            let few = allowed.filter(|allowed| allowed.few.is_some());
            for few in std::iter::once(None).chain(few.map(Some)) {
                let mut top = TopK::new(k);
                let mut collector = Collector {
                    top: &mut top,
                    restriction: restriction(),
                    segment: 0,
                    base: 0,
                    ordinals: None,
                    in_order: true,
                    clock: &Clock::never(),
                };
                let (of_required, optional) = clauses.split_at(required);
                let optional = || optional.iter().flatten().map(|&at| term(at)).collect::<Vec<Term>>();
                if let Some(allowed) = few {
                    few::passing(tier, allowed, divided(), &mut collector);
                } else if required > 0 {
                    block_max::all(tier, of_required.iter().map(clause).collect(), optional(), &mut collector);
                } else {
                    match <[Term; 1]>::try_from(optional()) {
                        Ok([mut term]) => block_max::one(tier, &mut term, &mut collector),
                        Err(terms) => block_max::any(tier, terms, &mut collector),
                    }
                }
                let got: Vec<(u32, f64)> = top.into_hits().iter().map(|hit| (hit.doc_id, hit.score)).collect();
                assert_eq!(got, wanted, "{} {clauses:?} required: {required}, k {k}", tier.name());
            }
            let never = &Clock::never();
            let found = found::found(tier, corpus.documents, divided(), &mut restriction(), never).unwrap();
            assert_eq!(found.count(tier), all.len());
            let mut got = Vec::new();
            found.for_each(|doc_id| got.push(doc_id));
            assert_eq!(got, all, "{} required: {required}", tier.name());
            let count = found::count(tier, corpus.documents, divided(), &mut restriction(), never).unwrap();
            assert_eq!(count, all.len() as u64);
        }
    }
}

#[test]
fn a_look_up_that_goes_back_begins_anew() {
    let corpus = Corpus::new(30_000, &[50, 30, 10], 7);
    let norms = Norms::NONE;
    for (at, (doc_ids, _)) in corpus.postings.iter().enumerate() {
        for tier in Tier::available() {
            let mut term = corpus.term(at, norms, 1.0, tier);
            for first in [0, 29_000, 15_000, 14_999, 100] {
                let mut wanted: Vec<u32> = (first..30_000).step_by(3).take(300).collect();
                let expected: Vec<u32> = wanted.iter().copied().filter(|id| doc_ids.contains(id)).collect();
                let count = term.retain(&mut wanted).expect("these lists are no bit sets");
                assert_eq!(wanted[..count], expected, "term {at}, from {first}, {}", tier.name());
            }
        }
    }
}

#[test]
fn the_best_are_those_of_scoring_everything() {
    for documents in [40, 900, 30_000] {
        let corpus = Corpus::new(documents, &[400, 90, 30, 2, 700, 60, 10, 1], documents.into());
        let deleted: Vec<u64> =
            (0..documents.div_ceil(64)).map(|at| u64::from(at).wrapping_mul(0x9E37_79B9_7F4A_7C15) & 0x1111).collect();
        for clauses in [
            vec![vec![0]],
            vec![vec![0], vec![1]],
            vec![vec![2], vec![4], vec![3]],
            vec![vec![1], vec![5], vec![2], vec![0]],
            vec![vec![1, 4], vec![2, 5], vec![6]],
            vec![vec![7, 3], vec![0, 1, 2]],
            vec![vec![7], vec![3]],
            (0..8).map(|at| vec![at]).collect(),
        ] {
            for k in [1, 10, 100] {
                check(&corpus, &clauses, k, None, None, None);
                check(&corpus, &clauses, k, Some(&deleted), Some(5), None);
                // Filters that sift, that list few documents, and that do neither.
                for (one_of, lists_few) in [(3, false), (20, false), (50, true)] {
                    let allowed = passing(documents, one_of, lists_few);
                    let excluded = (k == 100).then_some(5);
                    check(&corpus, &clauses, k, (k == 10).then_some(&deleted[..]), excluded, Some(&allowed));
                }
            }
        }
    }
}

/// The other terms add much in every second stretch of documents, and little in those between; in all stretches a few documents of the first
/// term can be hits.
#[test]
fn candidates_of_ranges_with_different_bounds_wait_together() {
    let frequency = |at: usize, doc_id: u32, noise: &mut dyn FnMut() -> u32| match (at, noise() % 40) {
        (0, 0) => 8,
        (0, 1) => 200,
        (1.., ..10) if (doc_id / 6000).is_multiple_of(2) => 30,
        _ => 1,
    };
    for seed in 1..=6 {
        let corpus = Corpus::with(60_000, &[100, 500, 1, 300], seed, frequency);
        for clauses in [vec![vec![0], vec![3]], vec![vec![0], vec![3], vec![1]]] {
            for k in [1, 10, 20, 40, 60] {
                check(&corpus, &clauses, k, None, None, None);
            }
        }
    }
}

/// Of two terms of the same weight, some documents have one, others the other. Only frequencies matter.
#[test]
fn equal_scores_are_in_order_where_documents_come_term_by_term() {
    let mut corpus = Corpus::new(6000, &[300, 20, 1, 1, 1, 1, 300], 9);
    corpus.bm25.b = 0.0;
    let allowed = passing(6000, 20, true);
    for k in (40..90).step_by(5) {
        for excluded in [None, Some(1)] {
            check(&corpus, &[vec![0], vec![6]], k, None, excluded, Some(&allowed));
        }
    }
}

#[test]
fn blocks_without_hits_are_skipped_where_documents_come_term_by_term() {
    let corpus = Corpus::new(200_000, &[25, 15], 3);
    let allowed = passing(200_000, 40, true);
    for k in [1, 5] {
        check(&corpus, &[vec![0]], k, None, None, Some(&allowed));
        check(&corpus, &[vec![0], vec![1]], k, None, None, Some(&allowed));
    }
}

#[test]
fn words_of_single_documents_beside_others() {
    for seed in [1, 3, 5] {
        let corpus = Corpus::new(30_000, &[400, 90, 0, 0, 0], seed);
        let every = (0..5).map(|at| vec![at]).collect();
        for clauses in [every, vec![vec![1, 2], vec![3, 4]], vec![vec![2, 3, 4]], vec![vec![2], vec![0, 2], vec![1]]] {
            check(&corpus, &clauses, 10, None, None, None);
        }
    }
}

#[test]
fn lists_of_similar_lengths_are_merged() {
    let corpus = Corpus::new(50_000, &[30, 20, 45, 60, 7, 300], 11);
    let term = |at: usize| corpus.term(at, Norms::NONE, 1.0, Tier::Scalar);
    assert!(conjunction::merges(&term(1), &term(0)) && conjunction::merges(&term(0), &term(3)));
    assert!(!conjunction::merges(&term(4), &term(3)) && !conjunction::merges(&term(3), &term(5)));
    let deleted: Vec<u64> = (0..50_000u32.div_ceil(64)).map(|at| u64::from(at % 7 == 0) << (at % 64)).collect();
    for clauses in [&[0, 1][..], &[3, 2], &[1, 0, 2], &[2, 4, 3, 0], &[0, 1, 5]] {
        let clauses: Vec<Vec<usize>> = clauses.iter().map(|&at| vec![at]).collect();
        check(&corpus, &clauses, 10, None, None, None);
        check(&corpus, &clauses, 10, Some(&deleted), Some(4), Some(&passing(50_000, 2, false)));
    }
}

#[test]
fn documents_with_all_clauses_are_found_in_parts() {
    let corpus = Corpus::new(200_000, &[90, 60, 45, 200, 7, 300, 2], 5);
    let never = Clock::never();
    for tier in Tier::available() {
        for clauses in [
            vec![vec![0], vec![1]],
            vec![vec![1], vec![2], vec![0]],
            vec![vec![4], vec![1]],
            vec![vec![3], vec![5]],
            vec![vec![1], vec![6], vec![5]],
            vec![vec![6, 4], vec![0, 3]],
            vec![vec![1, 5], vec![2], vec![3, 0, 4]],
            vec![vec![5, 3], vec![3, 5, 0]],
        ] {
            let has = |at: &usize, doc_id| corpus.postings[*at].0.binary_search(&doc_id).is_ok();
            let has_all = |&doc_id: &u32| clauses.iter().all(|clause| clause.iter().any(|at| has(at, doc_id)));
            let wanted: Vec<u32> = (0..corpus.documents).filter(has_all).collect();
            let term = |&at: &usize| corpus.term(at, Norms::NONE, 1.0, tier);
            let of_clause = |clause: &Vec<usize>| Clause { terms: clause.iter().map(term).collect(), required: true };
            for part in [1, 50, usize::MAX] {
                let mut searched: Vec<Clause> = clauses.iter().map(of_clause).collect();
                let (mut found, mut next, mut parts) = (Vec::new(), Some(0), 0);
                while let Some(from) = next {
                    let before = found.len();
                    let enough = |found: &[u32]| found.len() - before >= part;
                    next = conjunction::append_until(enough, &mut searched, from, &never, &mut found);
                    parts += 1;
                }
                assert_eq!(found, wanted, "{clauses:?} in parts of {part}, {}", tier.name());
                assert!(part == usize::MAX || wanted.len() < 1000 || parts > 2, "{clauses:?}: {parts} parts");

                let mut searched: Vec<Clause> = clauses.iter().map(of_clause).collect();
                // From a document in the middle of a word on.
                let begin = 77_777;
                let (mut found, mut next, mut parts) = (Vec::new(), Some(begin), 0);
                while let Some(from) = next {
                    let before = found.len();
                    let enough = |found: &[u32]| found.len() - before >= part;
                    next = found::some((from, corpus.documents), &mut searched, &never, enough, &mut found);
                    parts += 1;
                }
                let wanted = &wanted[wanted.partition_point(|&doc_id| doc_id < begin)..];
                assert_eq!(found, wanted, "{clauses:?} in parts of {part}, {}", tier.name());
                assert!(part == usize::MAX || wanted.len() < 1000 || parts > 2, "{clauses:?}: {parts} parts");
                // Searches in the terms begin where they did.
                for clause in &mut searched {
                    for term in &mut clause.terms {
                        assert_eq!(term.seek(0), Some(0));
                    }
                }
            }
        }
    }
}

#[test]
fn documents_scored_together_have_the_scores_of_each() {
    let corpus = Corpus::new(70_000, &[600, 130, 62, 20, 3, 1], 8);
    let norms = Norms::new(&corpus.bm25, 35 * 70_000, 70_000);
    for tier in Tier::available() {
        for at in 0..corpus.postings.len() {
            let scores = corpus.scores(at, &norms, 1.5);
            let all = &corpus.postings[at].0;
            // All, every 2nd, 9th, 150th, the first and the last, and stretches of those that follow each other.
            let every = |step: usize| all.iter().copied().step_by(step).collect::<Vec<_>>();
            let stretches = all.chunks(40).step_by(5).flatten().copied().collect();
            for doc_ids in [all.clone(), every(2), every(9), every(150), vec![all[0], all[all.len() - 1]], stretches] {
                for part in [1, 3, 100, BLOCK] {
                    let (mut term, mut together) = (corpus.term(at, &norms, 1.5, tier), Together::default());
                    for some in doc_ids.chunks(part) {
                        let wanted: Vec<f32> = some.iter().map(|&id| scores[id as usize].unwrap() as f32).collect();
                        together.take(some);
                        assert_eq!(together.scores(&mut term), wanted, "term {at}, {part}, {}", tier.name());
                    }
                }
            }
        }
    }
}

#[test]
fn champions_are_asked_only_where_the_hits_are_among_them() {
    let mut corpus = Corpus::new(9000, &[700, 90, 30], 3);
    let few: Vec<u64> = (0..9000u32.div_ceil(64)).map(|at| u64::from(at % 30 == 0) << (at % 64)).collect();
    let many: Vec<u64> = few.iter().map(|_| 0x1111_1111_1111_1111).collect();
    for (k1, b) in [(1.2, 0.75), (1.2, 0.0), (0.0, 0.75), (0.0, 0.0), (2.0, 1.0), (1e-6, 0.5)] {
        corpus.bm25 = Bm25 { k1, b };
        for k in [1, 3, 10, 29, 30, 31, 32, 33] {
            for term in 0..3 {
                let (clauses, next) = ([vec![term]], [vec![term], vec![(term + 1) % 3]]);
                for deleted in [None, Some(&few[..]), Some(&many[..])] {
                    check(&corpus, &clauses, k, deleted, None, None);
                    check(&corpus, &next, k, deleted, None, None);
                }
                check(&corpus, &clauses, k, None, Some((term + 1) % 3), None);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn any_query_on_any_segment(
        documents in 1u32..6000, densities in prop::collection::vec(1u32..1000, 1..6), seed: u64, k in 1usize..80,
        clauses in prop::collection::vec(prop::collection::vec(0usize..6, 1..3), 1..5)
    ) {
        let corpus = Corpus::new(documents, &densities, seed);
        let clauses: Vec<Vec<usize>> =
            clauses.into_iter().map(|clause| clause.into_iter().map(|at| at % densities.len()).collect()).collect();
        let allowed = passing(documents, 2 + (seed >> 8) as u32 % 40, seed % 5 == 0);
        check(&corpus, &clauses, k, None, (seed % 3 == 0).then_some(0), (seed % 2 == 0).then_some(&allowed));
    }
}
