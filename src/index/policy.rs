//! Which segments a commit merges.
//!
//! Segments are in order of insertion and stay so: only neighbours are merged. Neighbours are merged if together they are
//! at least [`FACTOR`] times as large as the largest of them. So each merge that a document goes through leaves it in a
//! segment at least 16 times as large as before, and a document of an index of n bytes is written at most
//! 1 + log16(n / s) times, s being the size of the segment that it was first written to (at least [`FLOOR`]; segments
//! below that are merged more often, which is cheap). If all are first written with the same size, there are at most 15
//! segments of each power of 16; in any case there are fewer than 256 within a factor of 16. A small commit to a large
//! index merges small segments only.
//!
//! A segment of which more than half is deleted is written anew, alone if need be. Such a segment is written for fewer
//! documents than were deleted, so this at most doubles the work.
//!
//! Runs become segments in any case: neighbouring ones become one.

use std::ops::Range;

/// How many times as large as the largest of them merged segments are together.
pub(super) const FACTOR: u64 = 16;

/// Smaller segments count as if they were this large, in bytes.
pub(super) const FLOOR: u64 = 32 << 10;

/// What the policy knows of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Size {
    /// Of the file.
    pub bytes: u64,
    /// All documents, …
    pub documents: u32,
    /// … and those of them that are deleted.
    pub deleted: u32,
    /// Tokens of all text fields.
    pub tokens: u64,
    /// Whether it is a run.
    pub is_run: bool,
}

impl Size {
    fn live(self) -> u32 {
        self.documents - self.deleted
    }

    /// What the segment would weigh after a merge: the bytes of its live documents.
    fn weight(self) -> u64 {
        let live = u128::from(self.bytes) * u128::from(self.live()) / u128::from(self.documents.max(1));
        live as u64
    }

    fn is_mostly_deleted(self) -> bool {
        self.deleted > self.documents / 2
    }
}

/// The limits of one segment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub documents: u64,
    pub tokens: u64,
}

impl Limits {
    /// docIDs have 31 bits and positions in the lists of a field 32.
    pub const FORMAT: Limits = Limits { documents: (1 << 31) - 1, tokens: (1 << 32) - 1 };

    /// Whether the documents of those segments fit into one, deleted ones included.
    pub fn allow(self, sizes: &[Size]) -> bool {
        sizes.iter().map(|size| u64::from(size.documents)).sum::<u64>() <= self.documents
            && sizes.iter().map(|size| size.tokens).sum::<u64>() <= self.tokens
    }
}

/// The ranges of segments that are to become one each, ascending and disjoint.
pub(super) fn merges(sizes: &[Size], limits: Limits) -> Vec<Range<usize>> {
    // What is merged is planned as if it were there already, so that no document is written twice by one commit.
    let mut groups: Vec<(Range<usize>, u64)> = Vec::new();
    for (at, size) in sizes.iter().enumerate() {
        match groups.last_mut() {
            Some((group, weight))
                if sizes[group.start].is_run && size.is_run && limits.allow(&sizes[group.start..=at]) =>
            {
                group.end = at + 1;
                *weight += size.weight();
            }
            _ => groups.push((at..at + 1, size.weight())),
        }
    }
    while let Some(window) = cheapest(&groups, sizes, limits) {
        let all = groups[window.start].0.start..groups[window.end - 1].0.end;
        let weight = groups[window.clone()].iter().map(|group| group.1).sum();
        groups.splice(window, [(all, weight)]);
    }
    let is_job = |range: &Range<usize>| {
        let first = sizes[range.start];
        range.len() > 1 || first.is_run || first.is_mostly_deleted()
    };
    groups.into_iter().map(|(range, _)| range).filter(is_job).collect()
}

/// The lightest window of groups that should be merged.
fn cheapest(groups: &[(Range<usize>, u64)], sizes: &[Size], limits: Limits) -> Option<Range<usize>> {
    let mut best: Option<(u64, Range<usize>)> = None;
    for start in 0..groups.len() {
        let (mut total, mut largest) = (0u64, 0u64);
        for end in start + 1..=groups.len() {
            let weight = groups[end - 1].1.max(FLOOR);
            total = total.saturating_add(weight);
            largest = largest.max(weight);
            if best.as_ref().is_some_and(|(best, _)| total >= *best) {
                break;
            }
            if total / FACTOR >= largest && end - start > 1 {
                if limits.allow(&sizes[groups[start].0.start..groups[end - 1].0.end]) {
                    best = Some((total, start..end));
                }
                break;
            }
        }
    }
    best.map(|(_, window)| window)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(bytes: u64) -> Size {
        Size { bytes, documents: 100, deleted: 0, tokens: 1000, is_run: false }
    }

    /// A plan of one job.
    fn once(job: Range<usize>) -> Vec<Range<usize>> {
        std::iter::once(job).collect()
    }

    /// Runs an index of commits; returns the sizes at the end, and how often each byte was written.
    fn run(commits: impl IntoIterator<Item = u64>) -> (Vec<Size>, f64, usize) {
        let (mut sizes, mut written, mut content, mut most) = (Vec::<Size>::new(), 0u64, 0u64, 0);
        for bytes in commits {
            sizes.push(of(bytes));
            written += bytes;
            content += bytes;
            for job in merges(&sizes, Limits::FORMAT).into_iter().rev() {
                let merged = sizes[job.clone()].iter().map(|size| size.bytes).sum();
                written += merged;
                sizes.splice(job, [of(merged)]);
            }
            most = most.max(sizes.len());
        }
        (sizes, written as f64 / content as f64, most)
    }

    #[test]
    fn equal_commits_are_merged_by_sixteens() {
        let (sizes, amplification, most) = run([1 << 20; 256 + 2 * 16 + 3]);
        assert_eq!(sizes.iter().map(|size| size.bytes >> 20).collect::<Vec<_>>(), [256, 16, 16, 1, 1, 1]);
        assert!(amplification < 3.0 && most == 30, "{amplification} {most}");
        assert_eq!(merges(&[of(1 << 20); 15], Limits::FORMAT), []);
        assert_eq!(merges(&[of(1 << 20); 16], Limits::FORMAT), once(0..16));
        assert_eq!(merges(&[of(1 << 20); 50], Limits::FORMAT), [0..16, 16..32, 32..48]);
        // What is merged by one commit is written once.
        assert_eq!(merges(&[of(1 << 20); 256], Limits::FORMAT), once(0..256));
    }

    #[test]
    fn a_document_is_written_as_often_as_stated() {
        let log16 = |ratio: f64| ratio.log2() / 4.0;
        let (_, amplification, most) = run([1 << 20; 10_000]);
        assert!(amplification <= 1.0 + log16(10_000.0), "{amplification}");
        assert!(most <= 4 * 15, "{most}");
        let (_, amplification, most) = run((0..20_000u64).map(|i| 40_000 + i * 7_919 % 1_000_000));
        assert!(amplification <= 1.0 + log16(20_000.0 * 540_000.0 / 40_000.0), "{amplification}");
        assert!(most <= 100, "{most}");
        // Commits of one document, of 1 KB. Below the floor a document is written up to twice more.
        let (_, amplification, most) = run([1_000; 100_000]);
        assert!(amplification <= 1.0 + 2.0 + log16(1e8 / 32_768.0), "{amplification}");
        assert!(most <= 60, "{most}");
    }

    #[test]
    fn small_ones_between_large_ones_do_not_stay() {
        let commits = (0..2_000u64).map(|i| if i % 2 == 0 { 1 << 20 } else { 1 << 14 });
        let most = run(commits).2;
        assert!(most <= 100, "{most}");
    }

    #[test]
    fn a_large_index_is_left_alone_by_small_commits() {
        // As several threads leave it.
        let mut sizes = vec![of(10 << 20); 15];
        for _ in 0..1_000 {
            sizes.push(of(2_000));
            for job in merges(&sizes, Limits::FORMAT).into_iter().rev() {
                assert!(job.start >= 15);
                let merged = sizes[job.clone()].iter().map(|size| size.bytes).sum();
                sizes.splice(job, [of(merged)]);
            }
        }
        assert!(sizes.len() <= 15 + 30, "{}", sizes.len());
    }

    #[test]
    fn what_is_mostly_deleted_is_written_anew() {
        let deleted = |deleted| Size { deleted, ..of(1 << 20) };
        assert_eq!(merges(&[deleted(50), deleted(51), deleted(0)], Limits::FORMAT), once(1..2));
        assert_eq!(merges(&[deleted(100)], Limits::FORMAT), once(0..1));
    }

    #[test]
    fn no_segment_becomes_too_large() {
        let documents = Limits { documents: 250, tokens: u64::MAX };
        assert_eq!(merges(&[of(1 << 20); 20], documents), []);
        let tokens = Limits { documents: u64::MAX, tokens: 9_999 };
        assert_eq!(merges(&[of(1 << 20); 20], tokens), []);
        assert_eq!(merges(&[of(1 << 20); 20], Limits { documents: 1600, tokens: 16_000 }), once(0..16));
        assert_eq!(merges(&[], Limits::FORMAT), []);
    }

    #[test]
    fn runs_become_segments() {
        let run = |bytes| Size { is_run: true, ..of(bytes) };
        let (large, small) = (of(1 << 30), of(1 << 20));
        assert_eq!(merges(&[run(1 << 20)], Limits::FORMAT), once(0..1));
        assert_eq!(merges(&[large, run(1 << 20), run(1 << 24), run(1)], Limits::FORMAT), once(1..4));
        // Not those on both sides of a segment, unless all are merged.
        assert_eq!(merges(&[run(1 << 20), large, run(1 << 20)], Limits::FORMAT), [0..1, 2..3]);
        assert_eq!(merges(&[small; 15], Limits::FORMAT), []);
        assert_eq!(merges(&[&[small; 15][..], &[run(1 << 19); 2]].concat(), Limits::FORMAT), once(0..17));
        assert_eq!(merges(&[run(1 << 20); 5], Limits { documents: 250, ..Limits::FORMAT }), [0..2, 2..4, 4..5]);
    }

    proptest! {
        #[test]
        fn jobs_are_disjoint_and_leave_nothing_to_do(
            sizes in proptest::collection::vec((1u64..1 << 40, 0u32..=100, any::<bool>()), 0..60),
        ) {
            let sizes: Vec<Size> = sizes.into_iter().map(|(bytes, deleted, is_run)| Size { deleted, is_run, ..of(bytes) }).collect();
            let jobs = merges(&sizes, Limits::FORMAT);
            prop_assert!(jobs.is_sorted_by(|a, b| a.end <= b.start));
            for job in &jobs {
                prop_assert!(job.end <= sizes.len());
                let first = sizes[job.start];
                prop_assert!(job.len() > 1 || first.is_run || first.is_mostly_deleted());
            }
            prop_assert!((0..sizes.len()).all(|at| !sizes[at].is_run || jobs.iter().any(|job| job.contains(&at))));
        }
    }
}
