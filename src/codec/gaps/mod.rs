//! Posting lists that store the gaps between docIDs, encoded by any value codec.
//!
//! A list is stored as its first docID followed by each gap minus one, so a docID is `previous + value + 1`, and
//! `previous` is −1 for the first. Each block is one part for the value codec; its first gap is relative to the last
//! docID of the preceding block. The directory holds the word at which each block begins.

use super::sums::BEFORE_FIRST;
use super::values::{Of, ValueCodec, Values};
use super::{BLOCK, Cost, Encoded, LARGE, ListCodec, NoLookUp, OWN_COUNT, Plan, Shape, block_buffer, prefetch};
use super::{OptionOf, Options};
use crate::base::cpu::{self, Tier};
use crate::base::error::{Error, Result};
use std::marker::PhantomData;
use std::ops::Range;

/// Blocks that are decoded at a time. Their values are few enough to stay in the first-level cache until they are summed
/// up.
const TILE_BLOCKS: usize = 16;

/// The list codec that encodes gaps with the value codec `V`.
pub struct Gaps<V>(PhantomData<V>);

impl<V: ValueCodec> ListCodec for Gaps<V> {
    const NAME: &'static str = V::NAME;
    const VERSION: u32 = V::VERSION;
    const HAS_STARTS: bool = true;
    const OPTIONS: &'static [OptionOf] = V::OPTIONS;
    const COST: Cost = V::COST;
    const VALUES: Option<&'static dyn Values> = Some(&Of::<V>(PhantomData));
    type LookUp<'l> = NoLookUp;

    fn plan(doc_ids: &[u32], options: &Options) -> Result<Plan> {
        let mut options = *options;
        V::settle(&widths(doc_ids), &mut options);
        Ok(Plan { parameter: 0, own: options.to_words(V::OPTIONS) })
    }

    fn options(list: &Encoded) -> Options {
        Options::from_words(V::OPTIONS, list.own).unwrap_or_else(|_| Options::defaults(V::OPTIONS))
    }

    fn encode(doc_ids: &[u32], plan: &Plan, words: &mut Vec<u32>, starts: &mut Vec<u32>) -> Result<()> {
        let options = Options::from_words(V::OPTIONS, &plan.own).unwrap_or_else(|_| Options::defaults(V::OPTIONS));
        let payload = words.len();
        let mut previous = BEFORE_FIRST;
        let mut values = Vec::with_capacity(BLOCK);
        for (index, block) in doc_ids.chunks(BLOCK).enumerate() {
            starts.push((words.len() - payload) as u32);
            values.clear();
            previous = to_values::<V>(block, previous, index * BLOCK, &mut values)?;
            V::encode(&values, &options, words);
        }
        Ok(())
    }

    fn check_shape(shape: &Shape) -> std::result::Result<(), (usize, String)> {
        if shape.parameter != 0 {
            return Err((1, "unused bits are not 0".into()));
        }
        if shape.own_words != V::OPTIONS.len() {
            return Err((OWN_COUNT, format!("{} options where there are {}", shape.own_words, V::OPTIONS.len())));
        }
        if shape.count == 0 && shape.payload_words != 0 {
            return Err((4, "an empty list has no payload".into()));
        }
        Ok(())
    }

    fn check(list: &Encoded, payload_at: usize) -> Result<()> {
        let corrupt = |item: String, word: usize, what: String| Err(Error::corrupt(V::NAME, item, 4 * word, what));
        if let Err(at) = Options::from_words(V::OPTIONS, list.own) {
            let what = format!("{:#X} is no value of '{}'", list.own[at], V::OPTIONS[at].name);
            return corrupt("header".into(), OWN_COUNT + 1 + at, what);
        }
        let mut least = 0;
        for (block, &start) in list.starts.iter().enumerate() {
            let start = start as usize;
            if start < least || start >= list.payload_words || (block == 0 && start != 0) {
                let word = payload_at - list.starts.len() + block;
                return corrupt(format!("directory, block {block}"), word, format!("begins at payload word {start}"));
            }
            least = start + 1;
        }
        let mut buffer = block_buffer();
        for (block, &last) in list.last_doc_ids.iter().enumerate() {
            let blocks = block..block + 1;
            let (words, count) = (list.block_words(&blocks), list.ranks(&blocks).len());
            let start = list.starts[block] as usize;
            if let Err((word, what)) = V::check(words, count) {
                return corrupt(format!("block {block}, word {}", start + word), payload_at + start + word, what);
            }
            // SAFETY: the words just passed `V::check`; the buffer has room for a block and the slack; `parse` padded
            // the list; `cpu::tier()` is available.
            unsafe { V::decode(cpu::tier(), words, count, buffer.as_mut_ptr()) };
            // The sum is computed in 64 bits, so if it equals the last docID, no docID in between exceeded it.
            let begin = list.previous(block).map_or(0, |previous| u64::from(previous) + 1);
            let end = begin + count as u64 + buffer[..count].iter().map(|&value| u64::from(value)).sum::<u64>();
            if end != u64::from(last) + 1 {
                let what = format!("its last docID is {} where the directory has {last}", end - 1);
                return corrupt(format!("block {block}"), payload_at + start, what);
            }
        }
        Ok(())
    }

    unsafe fn decode_blocks(tier: Tier, list: &Encoded, blocks: Range<usize>, out: *mut u32) -> usize {
        let mut done = 0;
        let is_large = list.ranks(&blocks).len() >= LARGE;
        for first in blocks.clone().step_by(TILE_BLOCKS) {
            let tile = first..blocks.end.min(first + TILE_BLOCKS);
            let count = list.ranks(&tile).len();
            if is_large {
                prefetch(out.wrapping_add(done), count);
            }
            let previous = list.previous(first).unwrap_or(BEFORE_FIRST);
            // SAFETY: the contract says that the list is checked and padded, and that `out` has room for the docIDs of
            // all blocks and the slack.
            unsafe { V::decode_doc_ids(tier, list.block_words(&tile), count, previous, out.add(done)) };
            done += count;
        }
        done
    }
}

/// How many values (gaps minus one) the list of these docIDs has of each width in bits.
fn widths(doc_ids: &[u32]) -> [u64; 33] {
    let mut widths = [0; 33];
    let mut previous = BEFORE_FIRST;
    for &doc_id in doc_ids {
        let value = doc_id.wrapping_sub(previous).wrapping_sub(1);
        widths[32 - value.leading_zeros() as usize] += 1;
        previous = doc_id;
    }
    widths
}

/// Appends the values (gaps minus one) of docIDs that follow `previous` to `values`, and returns the last docID.
/// `first_index` is the index of the first docID in the caller's input, for errors.
pub(crate) fn to_values<V: ValueCodec>(
    doc_ids: &[u32],
    mut previous: u32,
    first_index: usize,
    values: &mut Vec<u32>,
) -> Result<u32> {
    for (&doc_id, index) in doc_ids.iter().zip(first_index..) {
        let value = doc_id.wrapping_sub(previous).wrapping_sub(1);
        if value > V::MAX_VALUE {
            return Err(Error::NotCodable { codec: V::NAME, index, value: value.into(), limit: V::LIMIT });
        }
        values.push(value);
        previous = doc_id;
    }
    Ok(previous)
}
