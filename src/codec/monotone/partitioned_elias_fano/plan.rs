//! Where to cut a list into partitions, and how to code each.
//!
//! The cheapest partitions are a shortest path: nodes are blocks, and an edge from block i to j costs what a partition
//! of the blocks between takes. Ottaviano and Venturini (section 4.2) take few of these edges: for each of the bounds
//! (1 + eps)^k on the cost of an edge, the longest one from i within the bound. The result costs at most 1 + eps times
//! the best one of its kind; then neighbours that are cheaper together are joined. O(n).

use super::directory::{Kind, MOST_IN_RUNS, Runs, bits_for};
use crate::codec::BLOCK;
use crate::codec::quasi_succinct::{lower_width, sizes};
use std::ops::Range;

/// The factor from one bound on the cost of an edge to the next, in fourths, and the number of bounds: the largest is
/// about 1,000 times the cost of an entry of the directory.
const FACTOR: (u64, u64) = (6, 4);
const BOUNDS: usize = 18;

/// Other kinds are preferred to Elias–Fano if they take at most this much more, in sixteenths: they are much faster to
/// intersect. With the last docIDs that are not stored, a list still takes no more than a quasi-succinct one.
const SURPLUS: u64 = 1;

/// Blocks of a partition that is not chosen with care.
const QUICK: usize = 16;

/// A partition to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) kind: Kind,
    pub(super) block: usize,
    pub(super) end_block: usize,
    pub(super) words: u64,
}

/// What partitions of a list cost.
pub(super) struct Costs<'d> {
    doc_ids: &'d [u32],
    /// The number of docIDs before each block that do not follow the one before by 1.
    run_starts: Vec<u32>,
}

impl<'d> Costs<'d> {
    pub(super) fn new(doc_ids: &'d [u32]) -> Costs<'d> {
        let mut run_starts = vec![0; doc_ids.len().div_ceil(BLOCK) + 1];
        let mut starts = 0;
        for (block, before) in run_starts.iter_mut().enumerate() {
            *before = starts;
            let from = block * BLOCK;
            let Some(part) = doc_ids.get(from.saturating_sub(1)..doc_ids.len().min(from + BLOCK)) else { break };
            starts +=
                u32::from(block == 0) + part.windows(2).map(|pair| u32::from(pair[1] - pair[0] != 1)).sum::<u32>();
        }
        Costs { doc_ids, run_starts }
    }

    fn blocks(&self) -> usize {
        self.run_starts.len() - 1
    }

    pub(super) fn ranks(&self, block: usize, end_block: usize) -> Range<usize> {
        block * BLOCK..self.doc_ids.len().min(end_block * BLOCK)
    }

    /// How to code these blocks, and the words that it takes.
    pub(super) fn best(&self, block: usize, end_block: usize) -> Piece {
        let ranks = self.ranks(block, end_block);
        let (first, last) = (self.doc_ids[ranks.start], self.doc_ids[ranks.end - 1]);
        let count = ranks.len();
        let piece = |kind, words| Piece { kind, block, end_block, words };
        if count <= MOST_IN_RUNS && (last - first) as usize == count - 1 {
            return piece(Kind::Run, 0);
        }
        let width = width_from(count, first, last);
        let (lower, upper) = sizes(count, last - (first >> width << width), width);
        let mut best = piece(Kind::EliasFano(width), lower + upper);
        let bits = 2 * u64::from(last / 64 - first / 64 + 1);
        if bits <= best.words + best.words * SURPLUS / 16 {
            best = piece(Kind::Bits, bits);
        }
        if count <= MOST_IN_RUNS {
            let continues = block != 0 && first - self.doc_ids[ranks.start - 1] == 1;
            let runs = self.run_starts[end_block] - self.run_starts[block] + u32::from(continues);
            let widths = (bits_for((last - first).into()), bits_for(count as u64 - 1));
            let words = Runs::words(runs as usize, widths.0, widths.1);
            if words <= best.words {
                best = piece(Kind::Runs, words);
            }
        }
        best
    }

    /// The partitions. `overhead` is what each costs besides its words, in bits.
    pub(super) fn partition(&self, overhead: u64) -> Vec<Piece> {
        let blocks = self.blocks();
        if blocks == 1 {
            return vec![self.best(0, 1)];
        }
        let cost = |piece: &Piece| cost(piece, overhead);
        // For each node, the cost of the cheapest path there, and its last edge.
        let mut paths = vec![(u64::MAX, 0); blocks + 1];
        paths[0].0 = 0;
        let mut bounds = [(2 * overhead, 0); BOUNDS];
        for at in 1..BOUNDS {
            bounds[at].0 = bounds[at - 1].0 * FACTOR.0 / FACTOR.1;
        }
        for from in 0..blocks {
            let here = paths[from].0;
            let mut relax = |piece: &Piece| {
                let there = &mut paths[piece.end_block];
                if here + cost(piece) < there.0 {
                    *there = (here + cost(piece), from);
                }
            };
            let mut longest = self.best(from, from + 1);
            relax(&longest);
            for (bound, end) in &mut bounds {
                *end = (*end).max(longest.end_block);
                if *end > longest.end_block {
                    longest = self.best(from, *end);
                }
                while *end < blocks {
                    let next = self.best(from, *end + 1);
                    if cost(&next) > *bound {
                        break;
                    }
                    *end += 1;
                    longest = next;
                }
                relax(&longest);
            }
        }
        let mut ends = vec![blocks];
        while let Some(&end) = ends.last()
            && end != 0
        {
            ends.push(paths[end].1);
        }
        self.join(overhead, ends.windows(2).rev().map(|cut| (cut[1], cut[0])))
    }

    /// Partitions of a fixed length, but for those that are joined: found faster, and not as small.
    pub(super) fn quick(&self, overhead: u64) -> Vec<Piece> {
        let cuts = (0..self.blocks()).step_by(QUICK).map(|block| (block, self.blocks().min(block + QUICK)));
        self.join(overhead, cuts)
    }

    /// The cheaper of two ways: partitions with these beginnings and ends, or joined with their neighbours.
    fn join(&self, overhead: u64, cuts: impl Iterator<Item = (usize, usize)>) -> Vec<Piece> {
        let mut pieces: Vec<Piece> = Vec::new();
        for (block, end_block) in cuts {
            let mut piece = self.best(block, end_block);
            while let Some(before) = pieces.last() {
                let joined = self.best(before.block, piece.end_block);
                if cost(&joined, overhead) > cost(before, overhead) + cost(&piece, overhead) {
                    break;
                }
                pieces.pop();
                piece = joined;
            }
            pieces.push(piece);
        }
        pieces
    }
}

/// What a partition costs, in bits; Elias–Fano more than it takes, because other kinds are preferred.
fn cost(piece: &Piece, overhead: u64) -> u64 {
    let bits = 32 * piece.words;
    overhead + if matches!(piece.kind, Kind::EliasFano(_)) { bits + bits * SURPLUS / 16 } else { bits }
}

/// The width of lower bits for docIDs from `first` to `last`.
pub(super) fn width_from(count: usize, first: u32, last: u32) -> u32 {
    // The factor 1 is positive and gives at most two upper bits per docID.
    lower_width(count, last - first, 1.0).unwrap_or(0)
}
