//! Searches of one sorted list: the rank of a docID, that is, how many docIDs of the list are smaller.
//!
//! Every search gives what its definition gives, `sorted.partition_point(|&doc_id| doc_id < target)`, for all targets,
//! whether the list contains them or not. They differ in what they read, and in what they keep beside the list:
//!
//! | search | reads per target | keeps | from |
//! |---|---|---|---|
//! | `binary` | log2 n | nothing | the base line of the papers |
//! | `interpolation` | log log n if gaps are uniform, at most 2 log2 n | nothing | Perl, Itai and Avni, CACM 21(7), 1978 |
//! | `gallop` | 2 log2 of the distance from the previous rank | nothing | Bentley and Yao, IPL 5(3), 1976 |
//! | `skip_list` | 16 per level climbed and descended | n/15 words | Moffat and Zobel, TOIS 14(4), 1996 |
//! | `lr_range` | log2 of the safe range | 4 words | Ao et al., PVLDB 4(8), 2011, section 4.3 |
//! | `lr_segments` | log2 of a segment's safe range | 4 words per segment | the same section |
//! | `hash_segmentation` | log2 of a bucket | at most 2 n/bucket words | Ao et al., section 4.4 |
//!
//! The registry below names them for experiments and tests. Lists in device memory have the same searches in
//! `cl/lab/search.cl`.

mod binary;
mod gallop;
mod hash_segmentation;
mod interpolation;
mod lr_range;
mod lr_segments;
mod skip_list;

pub use lr_range::LrRange;

/// A search of sorted, strictly increasing docIDs. Indices that it needs are made once per list.
pub trait SortedSearch: Sized {
    /// Makes what the search keeps beside the list. At most O(n).
    fn new(sorted: &[u32]) -> Self;

    /// The rank of `target` in `sorted`, which must be the list that `new` was given. `from` is the rank of an earlier
    /// target that was not greater; 0 is always right. Searches with random access ignore it.
    fn rank(&self, sorted: &[u32], from: usize, target: u32) -> usize;

    /// The words that the search keeps beside the list.
    fn words(&self) -> usize {
        0
    }
}

macro_rules! registry {
    ($($(#[$doc:meta])* $name:ident = $text:literal: $search:ty;)*) => {
        /// The name of a search.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Locate {
            $($(#[$doc])* $name,)*
        }

        impl Locate {
            /// All searches, in the order of the registry.
            pub const ALL: [Locate; [$($text),*].len()] = [$(Locate::$name),*];

            /// The name in reports: the papers' abbreviation if they have one.
            pub fn name(self) -> &'static str {
                match self {
                    $(Locate::$name => $text,)*
                }
            }

            /// Makes the search's index of `sorted`, which must be strictly increasing.
            pub fn prepare(self, sorted: &[u32]) -> Located<'_> {
                debug_assert!(crate::codec::rises(sorted));
                let kept = match self {
                    $(Locate::$name => Kept::$name(<$search>::new(sorted)),)*
                };
                Located { sorted, kept }
            }
        }

        enum Kept {
            $($name($search),)*
        }

        impl Located<'_> {
            /// Appends the rank of each target to `ranks`. Targets must ascend.
            pub fn ranks(&self, targets: &[u32], ranks: &mut Vec<usize>) {
                match &self.kept {
                    $(Kept::$name(search) => ranks_by(search, self.sorted, targets, ranks),)*
                }
            }

            /// Moves those `candidates`, which must ascend, that the list contains to the front and returns their
            /// number.
            pub fn retain(&self, candidates: &mut [u32]) -> usize {
                match &self.kept {
                    $(Kept::$name(search) => retain_by(search, self.sorted, candidates),)*
                }
            }

            /// The words that the search keeps beside the list.
            pub fn words(&self) -> usize {
                match &self.kept {
                    $(Kept::$name(search) => search.words(),)*
                }
            }
        }
    };
}

registry! {
    /// Binary search of the whole list.
    Binary = "BS": binary::Binary;
    /// Interpolation search.
    Interpolation = "IS": interpolation::Interpolation;
    /// Exponential search from the previous rank.
    Gallop = "gallop": gallop::Gallop;
    /// A skip list of several levels.
    SkipList = "skip list": skip_list::SkipList;
    /// Binary search of the safe range of one regression line.
    LrRange = "LR": lr_range::LrRange;
    /// Binary search of the safe range of a segment's own regression line.
    LrSegments = "LR local": lr_segments::LrSegments;
    /// Buckets of 16 docIDs at most on average.
    Hs16 = "HS16": hash_segmentation::HashSegmentation<16>;
    /// Buckets of 32.
    Hs32 = "HS32": hash_segmentation::HashSegmentation<32>;
    /// Buckets of 64.
    Hs64 = "HS64": hash_segmentation::HashSegmentation<64>;
    /// Buckets of 128.
    Hs128 = "HS128": hash_segmentation::HashSegmentation<128>;
    /// Buckets of 256.
    Hs256 = "HS256": hash_segmentation::HashSegmentation<256>;
}

/// A list with the index that a search needs.
pub struct Located<'l> {
    sorted: &'l [u32],
    kept: Kept,
}

fn ranks_by(search: &impl SortedSearch, sorted: &[u32], targets: &[u32], ranks: &mut Vec<usize>) {
    let mut from = 0;
    ranks.extend(targets.iter().map(|&target| {
        from = search.rank(sorted, from, target);
        from
    }));
}

fn retain_by(search: &impl SortedSearch, sorted: &[u32], candidates: &mut [u32]) -> usize {
    let (mut from, mut kept) = (0, 0);
    for at in 0..candidates.len() {
        let candidate = candidates[at];
        from = search.rank(sorted, from, candidate);
        candidates[kept] = candidate;
        kept += usize::from(sorted.get(from) == Some(&candidate));
    }
    kept
}

/// The rank of `target`, which is known to be in `range`.
fn rank_within(sorted: &[u32], range: std::ops::Range<usize>, target: u32) -> usize {
    range.start + sorted[range].partition_point(|&doc_id| doc_id < target)
}

#[cfg(test)]
mod tests;
