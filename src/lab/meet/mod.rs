//! Intersections of two sorted slices: the docIDs that both have, into a sink.
//!
//! Every one sends what its definition gives, `a.filter(|doc_id| b.contains(doc_id))`, ascending and some at a time:
//!
//! | intersection | time, with n docIDs in the shorter slice and m in the longer | from |
//! |---|---|---|
//! | `merge` | n + m, sixteen docIDs at a time with AVX-512 | `intersect::merge` |
//! | `gallop` | n log(m/n) | Bentley and Yao, IPL 5(3), 1976 |
//! | `parallel_merge` | n log(m/splitters), any number of docIDs at once | Ding et al., WWW 2009, section 7.2 |
//! | `bitmap` | n + m + span/64 | |
//!
//! The registry below names them for experiments and tests. `merge` is the engine's own, which the planner uses for lists in
//! the codec [`Raw`](crate::Codec::Raw), whose payload is such a slice.

mod bitmap;
mod gallop;
mod parallel_merge;

use crate::base::cpu::Tier;
use crate::codec::Sink;
use crate::intersect::merge::slices;

/// An intersection of two strictly increasing slices.
pub trait Pair {
    /// Sends the docIDs that both slices have to `sink`. The processor must have `tier`.
    fn meet<S: Sink>(tier: Tier, a: &[u32], b: &[u32], sink: &mut S);
}

/// The engine's merge.
struct Merge;

impl Pair for Merge {
    fn meet<S: Sink>(tier: Tier, a: &[u32], b: &[u32], sink: &mut S) {
        slices::merge(tier, a, b, |common| {
            sink.take(common);
            true
        });
    }
}

macro_rules! registry {
    ($($(#[$doc:meta])* $name:ident = $text:literal: $pair:ty;)*) => {
        /// The name of an intersection of two slices.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Meet {
            $($(#[$doc])* $name,)*
        }

        impl Meet {
            /// All intersections, in the order of the registry.
            pub const ALL: [Meet; [$($text),*].len()] = [$(Meet::$name),*];

            /// The name in reports.
            pub fn name(self) -> &'static str {
                match self {
                    $(Meet::$name => $text,)*
                }
            }

            /// Sends the docIDs that both strictly increasing slices have to `sink`, ascending.
            ///
            /// # Panics
            /// If the processor lacks the tier.
            pub fn meet(self, tier: Tier, a: &[u32], b: &[u32], sink: &mut impl Sink) {
                assert!(tier.is_available());
                match self {
                    $(Meet::$name => <$pair>::meet(tier, a, b, sink),)*
                }
            }
        }
    };
}

registry! {
    /// A merge with vector instructions.
    Merge = "merge": Merge;
    /// Each docID of the shorter slice is searched from where the one before was.
    Gallop = "gallop": gallop::Gallop;
    /// Parallel merge find without splitters: a binary search of the whole longer slice per docID.
    ParallelMerge0 = "PMF 0": parallel_merge::ParallelMerge<0>;
    /// With one level of splitters.
    ParallelMerge1 = "PMF 1": parallel_merge::ParallelMerge<1>;
    /// With two levels.
    ParallelMerge2 = "PMF 2": parallel_merge::ParallelMerge<2>;
    /// With three levels.
    ParallelMerge3 = "PMF 3": parallel_merge::ParallelMerge<3>;
    /// With four levels.
    ParallelMerge4 = "PMF 4": parallel_merge::ParallelMerge<4>;
    /// Bit sets of 2^16 docIDs at a time.
    Bitmap = "bitmap": bitmap::Bitmap;
}

/// docIDs that are collected before they are sent to the sink.
const CHUNK: usize = 1024;

/// Collects docIDs for a sink.
struct Chunks<'s, S: Sink> {
    sink: &'s mut S,
    len: usize,
    doc_ids: [u32; CHUNK],
}

impl<'s, S: Sink> Chunks<'s, S> {
    fn new(sink: &'s mut S) -> Self {
        Chunks { sink, len: 0, doc_ids: [0; CHUNK] }
    }

    /// Takes the docID if `is_common`, without a branch on that.
    #[inline(always)]
    fn push_if(&mut self, doc_id: u32, is_common: bool) {
        self.doc_ids[self.len] = doc_id;
        self.len += usize::from(is_common);
        if self.len == CHUNK {
            self.flush();
        }
    }

    fn flush(&mut self) {
        self.sink.take(&self.doc_ids[..self.len]);
        self.len = 0;
    }
}

#[cfg(test)]
mod tests;
