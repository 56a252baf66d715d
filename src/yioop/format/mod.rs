//! Yioop's posting format.
//!
//! Yioop keeps a list of *postings* for each word: the doc index of a document, and the positions of the word in it. A
//! doc index counts 16-byte units of the shard's doc map, so doc indexes are not dense. Each posting is a
//! [Modified 9](modified9) list of its own:
//!
//! | form | first value | then | used for |
//! |---|---|---|---|
//! | joint | 2^27 + doc index · 2^9 + first position | the gaps between positions | 2^15 ≤ doc index < 2^18, first position < 2^9 |
//! | separate | doc index + 1 | first position, then the gaps | all other postings |
//!
//! Bit 2^27 of the first value tells the two apart, so a doc index is at most
//! [`MAX_DOC_INDEX`](postings::MAX_DOC_INDEX).
//!
//! All functions share one check: a list that one of them accepts is accepted by all, and they all see the same
//! postings. The check requires that every posting is complete, that each word is as Yioop writes it, and that
//! positions fit in 32 bits. It does not require that doc indexes increase, because Yioop's own lists may break that:
//! Yioop joins doc index 262,143 with a first position of 512 or more although they do not fit, and what it reads back
//! is a small doc index. [`intersect`](crate::yioop::intersect()) says what such a list means.

pub(crate) mod first_word;
pub mod modified9;
pub mod postings;
pub(crate) mod scan;
