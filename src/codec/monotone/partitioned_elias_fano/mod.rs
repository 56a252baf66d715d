//! Partitioned Elias–Fano lists (Ottaviano and Venturini, SIGIR 2014): a list is cut into partitions, each coded in the
//! way that suits its docIDs: one *run*, several *runs*, a *bit set*, or *Elias–Fano* with lower bits of its own width.
//!
//! The partitions are stretches of whole blocks, which differs from the paper (there they end at any docID): each
//! block lies in one partition, and its decoding starts from the last docID before it, without a search in the
//! partition. The last docIDs of blocks are not stored. They are derived when a list is read, and cost no bits.
//!
//! ```text
//! own words    number of partitions: 26 │ width of words: 6 │
//!              for each partition: kind 6 │ first docID │ block after it │ word after it │
//! payload      of one partition after the other, each a whole number of words:
//!   run                        none
//!   runs                       number of runs − 1: 16 │ width w: 6 │ 0: 10 │ for each run but the first:
//!                              its first docID − the partition's: w │ docIDs before it in the partition │
//!   bit set                    words of 64 bits, from that of the first docID to that of the last: bit docID % 64
//!   Elias–Fano, width b        as quasi-succinct lists: n·b lower bits, then upper bits; from every docID the first one
//!                              rounded down to a multiple of 2^b is subtracted before
//! ```
//!
//! The fields of entries are as wide as the largest value: the largest docID, the number of blocks, the words of
//! payload. The field of docIDs before a run is as wide as one less than the partition's docIDs. A list that is a
//! single run, one partition of runs (its first docID stands before them), or one Elias–Fano partition from docID 0 on,
//! has no own words: its parameter byte is the kind. So no list takes more than a quasi-succinct one, and a list of one
//! run up to 2^16 docIDs takes six words.
//!
//! Example: `{0, 1, 2 … 127, 1000}` is two partitions: kind 33 (a run), first 0, block 1, word 0, and kind 33, first
//! 1000, block 2, word 0. The fields take 6 + 10 + 2 + 0 bits, so there are three own words, and no payload:
//! `0x00000002 0xE8850021 0x0000000B`.
//!
//! Size: at most that of one Elias–Fano partition, 3 + log2(u/n) bits per docID. The chosen partitions are within a
//! few per cent of the smallest size (`plan`); bit sets are preferred if they take at most 1/16 more.
//!
//! Hostile lists: only docIDs of runs take no room, and a partition of runs has at most 2^16. An entry takes at least 8
//! bits, so each byte of a list stands for at most 2^16 docIDs, or 2 KiB of derived last docIDs.

mod builder;
mod check;
mod decode;
mod directory;
mod look_up;
mod open_runs;
mod plan;
mod view;

pub(crate) use builder::{Builder, Built, FEW, HEAD};
pub(crate) use directory::{Directory, Kind, Partition, Runs};
pub(crate) use look_up::PartLookUp;
pub(crate) use view::View;

use crate::base::cpu::Tier;
use crate::base::error::{Error, Result};
use crate::codec::quasi_succinct::{encode_parts, sizes};
use crate::codec::{BLOCK, Cost, Encoded, ListCodec, Options, Plan, Shape};
use directory::{Entry, MANY, MOST_IN_RUNS, Widths};
use plan::{Costs, Piece, width_from};
use std::ops::Range;

const NAME: &str = "pef";

/// The codec of posting lists.
pub struct PartitionedEliasFano;

impl ListCodec for PartitionedEliasFano {
    const NAME: &'static str = NAME;
    // Lists without own words do without the word that counts them.
    const VERSION: u32 = 1;
    const HAS_STARTS: bool = false;
    const DERIVES_LASTS: bool = true;
    const COST: Cost = Cost { decoded: 0.3, merged: 0.6, near: 4.0, far: 25.0 };
    type LookUp<'l> = look_up::LookUp<'l>;

    fn plan(doc_ids: &[u32], _: &Options) -> Result<Plan> {
        Ok(plan_of(doc_ids))
    }

    fn encode(doc_ids: &[u32], plan: &Plan, words: &mut Vec<u32>, _: &mut Vec<u32>) -> Result<()> {
        let Some(&universe) = doc_ids.last() else { return Ok(()) };
        match Kind::from_number(plan.parameter.into()) {
            Some(Kind::EliasFano(width)) => encode_parts(doc_ids, 0, width, words),
            Some(Kind::Runs) => {
                words.push(doc_ids[0]);
                encode_partition(doc_ids, Some(Kind::Runs), words);
            }
            Some(_) => {}
            None => {
                let list = Encoded {
                    count: doc_ids.len(),
                    universe,
                    parameter: MANY,
                    own: &plan.own,
                    last_doc_ids: &[],
                    starts: &[],
                    payload: &[],
                    payload_words: 0,
                };
                let directory = Directory::of(&list);
                let mut block = 0;
                for at in 0..directory.len {
                    let Entry { kind, end_block, .. } = directory.entry(at);
                    let part = &doc_ids[block * BLOCK..doc_ids.len().min(end_block as usize * BLOCK)];
                    encode_partition(part, Kind::from_number(kind), words);
                    block = end_block as usize;
                }
            }
        }
        Ok(())
    }

    fn check_shape(shape: &Shape) -> std::result::Result<(), (usize, String)> {
        check::shape(shape)
    }

    fn derive_lasts(list: &Encoded, payload_at: usize) -> Result<Vec<u32>> {
        check::derive_lasts(list, payload_at)
    }

    fn check(list: &Encoded, payload_at: usize) -> Result<()> {
        check::check(list, payload_at)
    }

    unsafe fn decode_blocks(tier: Tier, list: &Encoded, blocks: Range<usize>, out: *mut u32) -> usize {
        // SAFETY: this function has the same contract.
        unsafe { decode::decode_blocks(tier, list, blocks, out) }
    }
}

fn plan_of(doc_ids: &[u32]) -> Plan {
    let Some(&universe) = doc_ids.last() else { return Plan::default() };
    let count = doc_ids.len();
    if count <= MOST_IN_RUNS && (universe - doc_ids[0]) as usize == count - 1 {
        return Plan { parameter: Kind::Run.number() as u8, own: Vec::new() };
    }
    let width = width_from(count, 0, universe);
    let (lower, upper) = sizes(count, universe, width);
    let single = lower + upper;
    let widths = Widths::new(count, universe, single as usize);
    let pieces = Costs::new(doc_ids).partition(widths.entry().into());
    let total: u64 = pieces.iter().map(|piece| piece.words).sum();
    let widths = Widths::new(count, universe, total as usize);
    // Another word counts the own words.
    let parted = 1 + widths.own_words(pieces.len()) + total;
    if let [Piece { kind: Kind::Runs, .. }] = pieces[..] {
        return Plan { parameter: Kind::Runs.number() as u8, own: Vec::new() };
    }
    // Partitions are preferred a little, as bit sets are.
    if parted > (single + single / 16).min(single + count.div_ceil(BLOCK) as u64) {
        return Plan { parameter: width as u8, own: Vec::new() };
    }
    let mut end_word = 0;
    let entry = |piece: &Piece| {
        end_word += piece.words as u32;
        Entry {
            kind: piece.kind.number(),
            first: doc_ids[piece.block * BLOCK],
            end_block: piece.end_block as u32,
            end_word,
        }
    };
    let entries: Vec<Entry> = pieces.iter().map(entry).collect();
    Plan { parameter: MANY as u8, own: widths.write(&entries) }
}

/// Appends the payload of a partition.
fn encode_partition(doc_ids: &[u32], kind: Option<Kind>, words: &mut Vec<u32>) {
    let (first, last) = (doc_ids[0], doc_ids[doc_ids.len() - 1]);
    match kind {
        Some(Kind::EliasFano(width)) => encode_parts(doc_ids, first >> width << width, width, words),
        Some(Kind::Bits) => {
            let (from, line) = (words.len(), first / 64 * 64);
            words.resize(from + 2 * (last / 64 - first / 64 + 1) as usize, 0);
            doc_ids.iter().for_each(|doc_id| words[from + ((doc_id - line) / 32) as usize] |= 1 << (doc_id % 32));
        }
        Some(Kind::Runs) => {
            let mut runs: Vec<(u32, u32)> = vec![(first, 0)];
            for (before, pair) in (1..).zip(doc_ids.windows(2)) {
                if pair[1] - pair[0] != 1 {
                    runs.push((pair[1], before));
                }
            }
            Runs::write(first, &runs, last - first, doc_ids.len(), words);
        }
        Some(Kind::Run) | None => {}
    }
}

fn corrupt(item: String, word: usize, what: impl Into<String>) -> Error {
    Error::corrupt(NAME, item, 4 * word, what)
}

#[cfg(test)]
mod tests;
