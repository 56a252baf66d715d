//! Uncompressed docIDs.

pub(crate) mod buckets;
