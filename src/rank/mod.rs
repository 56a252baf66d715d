//! Ranking on the CPU: the best documents of a segment, and how many match.
//!
//! | file | what |
//! |---|---|
//! | [`bm25`] | the formula |
//! | [`score`] | the scores of a block, on each tier |
//! | [`term`] | the postings of a term with their scores and bounds |
//! | [`clause`] | terms of which a document must have one |
//! | [`find`] | the best documents with all, or any, of some terms |
//! | `window`, `candidates` | its parts: leading terms, and what becomes of their documents |
//! | `tiers` | compiles a function for each tier |
//! | [`positions`], [`phrase`] | positions of terms, and phrases of them |
//! | [`matching`] | which documents match, without scores |
//! | [`collector`], [`top_k`] | what they are reported to |

pub mod bm25;
mod candidates;
pub mod clause;
pub mod clock;
pub mod collector;
pub mod find;
pub mod matching;
pub mod phrase;
pub mod positions;
pub mod score;
pub mod term;
#[cfg(test)]
mod tests;
mod tiers;
pub mod top_k;
mod window;

pub use bm25::{Bm25, Norms};
pub use clock::Clock;
pub use top_k::{Hit, TopK};
