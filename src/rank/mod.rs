//! Ranking on the CPU: the best documents of a segment, and how many match.
//!
//! | file | what |
//! |---|---|
//! | [`bm25`] | the formula |
//! | [`score`] | the scores of a block, on each tier |
//! | [`term`] | the postings of a term with their scores and upper bounds |
//! | [`clause`] | terms of which a document must have one |
//! | [`block_max`] | the best documents with all, or any, of some terms |
//! | [`few`] | the best of a few documents, which a filter leaves, or which are known to match |
//! | `window`, `candidates`, `waiting`, `initial` | its parts: the documents of the lead or essential terms, what becomes of them, of several ranges at once, and a threshold to begin with |
//! | `champions` | the best of a term by those that its list keeps |
//! | `accumulators` | documents with the sums of their scores, on each tier |
//! | [`positions`], [`phrase`] | positions of terms, and phrases of them: all documents, or the best |
//! | [`chain`] | what lists of neighbouring words tell of a phrase |
//! | [`near`] | words of a phrase close to each other |
//! | `conjunction` | the documents with all of several clauses |
//! | [`found`], [`matching`], `costs` | which documents match, without scores: by lists or sets, and by sets; what these take |
//! | [`collector`], [`top_k`] | what they are reported to |
//! | [`clock`] | the time limit of a search |
//!
//! # How the best documents are found
//! A segment's documents are scored by sums over terms. The k best so far set the *threshold*: a document that cannot
//! exceed it is no hit. To tell that without scoring it, there are *upper bounds* of a term's scores: of all its documents
//! (*max score*), of a block of 128 postings (*block max*), and so of a range of docIDs (the greatest block max of the blocks
//! that it touches). They come from pairs of frequency and length that are kept per block, so they hold for any k1, b and
//! average length.
//!
//! Both loops of [`block_max`] for several terms go through the segment in ranges of docIDs: as far as the present blocks of
//! the lead or essential terms reach, and at least a window of 4,096 documents if these are several. A range in which the
//! upper bounds of all terms add up to no more than the threshold is skipped. In any other
//!
//! 1. some terms give the *candidates*: their documents in the range, with the sum of these terms' scores;
//! 2. the other terms are asked about the candidates, one term after the other. Before each, candidates are dropped that
//!    cannot exceed the threshold any more, first by the upper bounds of the ranges, then, unless the term's list is a bit set, by the
//!    block max of the block in which the document would be; so most lists are not decoded there at all. The scores of the others
//!    that have the term are computed together, step by step: where each stands in the list, its frequency, its length;
//! 3. what remains is offered to the [`collector::Collector`], which raises the threshold.
//!
//! As long as the same terms give them, candidates wait until several ranges have given some, and the other terms are then asked about all of
//! these (`waiting`).
//!
//! * **Conjunction** ([`block_max::all`]): the clause with the fewest postings is the *lead*. If the documents with all clauses seem to
//!   be few, or few for each hit that is wanted, they are found in all lists before any is scored, without bounds of blocks
//!   (`conjunction`, [`matching`]). If they are many, the lead's scores come first: most candidates are dropped before another list is
//!   touched (score-first block-max AND, as in Lucene 10). Other clauses whose lists are bit sets sift its documents before these are
//!   scored. Until there is a threshold, scores leave nothing out: then too the documents with all clauses are found first. Optional
//!   terms only add to scores, until documents without any of some of them cannot exceed the threshold any more: these then are a
//!   clause that documents must have, and may lead.
//! * **Disjunction** ([`block_max::any`]): terms whose upper bounds together do not exceed the threshold cannot make a hit
//!   alone; they are *non-essential*, and the others, the *essential* ones, give the candidates (MaxScore: Turtle and Flood
//!   1995; by block: Ding and Suel 2011; in ranges of documents: Lucene 10). The scores of several essential terms are added
//!   up in an array of a window's documents, or put in order where they have few postings in a range; of many terms, where these have
//!   many postings, also those of non-essential ones, as long as that takes less than to look the candidates up. Which are essential is
//!   decided for the segment, as the threshold rises, and anew in each range by the upper bounds there.
//! * **A filter** that few documents pass sifts postings before they are scored. If they are so few that they are kept as a list, and any
//!   term is enough, documents come term by term ([`few`]), and those of the lesser terms only as long as these may exceed the threshold.
//! * **One term** ([`block_max::one`]): the 32 best of a frequent term are among its [champions](crate::index::list::champions).
//!   Otherwise groups of 32 blocks are skipped by their bounds, then blocks.
//! * **One phrase** ([`phrase::best`]): a document has it no more often than its rarest pair or term. That bounds the scores of blocks
//!   and documents, so that of most documents no positions are read. A phrase beside words that documents must have is looked for
//!   in documents with them.
//!
//! Champions, or a few blocks of a term that are likely to hold the k best of its documents, are scored first, so that there is
//! a threshold to begin with ([`initial`]).
//!
//! Upper bounds are a little greater than the scores that they bound, which covers rounding. Scores are sums of `f32` in
//! `f64`: exact as long as the largest addend is not 2^29 times the smallest, so that the order of addition does not matter.

mod accumulators;
pub mod block_max;
pub mod bm25;
mod candidates;
pub mod chain;
mod champions;
pub mod clause;
pub mod clock;
pub mod collector;
mod conjunction;
mod costs;
pub mod few;
pub mod found;
mod initial;
pub mod matching;
pub mod near;
pub mod phrase;
pub mod positions;
pub mod score;
pub mod term;
#[cfg(test)]
mod tests;
pub mod top_k;
mod waiting;
mod window;

pub use bm25::{Bm25, Norms};
pub use clock::Clock;
pub use top_k::{Hit, TopK};
