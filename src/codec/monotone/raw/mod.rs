//! Uncompressed docIDs, with the pointers of hash segmentation (Ao et al., PVLDB 4(8), 2011, section 4.4): the raw lists
//! of the papers, and what compressed lists are compared with.
//!
//! The payload is the docIDs, a word each. The codec's own words are the option `bucket`, then the pointers of the
//! [`buckets`], which take docIDs by their leading bits; a list without docIDs has no pointers. The parameter byte is s:
//! docID x is in bucket `x >> s`. `{3, 9, 10, 45}` has k = 6 bits; with `bucket` 2 (16 is the smallest allowed, and the
//! default) it would have m = 1, s = 5 and
//!
//! ```text
//! own words   2 | 0 3 4                bucket; where buckets 0 and 1 begin, and the end
//! payload     3 9 10 45
//! ```
//!
//! A look-up reads two pointers and searches the docIDs between them, `bucket` or fewer if docIDs are evenly spread. The
//! last docIDs of blocks are elements of the payload, so the directory is derived.
//!
//! Size: 32 bits per docID, and 64/`bucket` bits or fewer for pointers: 36 with HS16, 32.25 with HS256.

pub(crate) mod buckets;
mod look_up;

use crate::base::cpu::Tier;
use crate::base::error::{Error, Result};
use crate::base::huge_pages;
use crate::codec::{BLOCK, Cost, Encoded, ListCodec, OWN_COUNT, OptionOf, Options, Plan, Shape, not_increasing};
use std::ops::Range;

const NAME: &str = "raw";

/// |ℓ| / bucket ≤ 2^m: HS16 by default.
const OPTIONS: &[OptionOf] = &[OptionOf::whole("bucket", 16, 256, Some(16))];

/// The codec of posting lists.
pub struct Raw;

impl ListCodec for Raw {
    const NAME: &'static str = NAME;
    const HAS_STARTS: bool = false;
    const DERIVES_LASTS: bool = true;
    const OPTIONS: &'static [OptionOf] = OPTIONS;
    const COST: Cost = Cost { decoded: 0.2, merged: 0.75, near: 5.0, far: 12.0 };
    type LookUp<'l> = look_up::InBuckets<'l>;

    fn plan(doc_ids: &[u32], options: &Options) -> Result<Plan> {
        let universe = doc_ids.last().copied().unwrap_or(0);
        let shift = buckets::shift(doc_ids.len(), universe, bucket(options));
        let mut own = options.to_words(OPTIONS);
        buckets::push_pointers(doc_ids, shift, &mut own);
        Ok(Plan { parameter: shift as u8, own })
    }

    fn options(list: &Encoded) -> Options {
        Options::from_words(OPTIONS, list.own).unwrap_or_else(|_| Options::defaults(OPTIONS))
    }

    fn encode(doc_ids: &[u32], _: &Plan, words: &mut Vec<u32>, _: &mut Vec<u32>) -> Result<()> {
        words.extend_from_slice(doc_ids);
        Ok(())
    }

    fn check_shape(shape: &Shape) -> std::result::Result<(), (usize, String)> {
        let Shape { count, universe, parameter, own_words, payload_words } = *shape;
        if payload_words != count {
            return Err((4, format!("{payload_words} words of payload for {count} docIDs")));
        }
        // The option is not known yet. With any, s is one of the widths that `buckets::shift` gives.
        let widths = buckets::shift(count, universe, 16)..=buckets::shift(count, universe, 256);
        if !widths.contains(&parameter) {
            return Err((1, format!("buckets of 2^{parameter} docIDs")));
        }
        let needed = OPTIONS.len() + if count == 0 { 0 } else { buckets::pointer_count(universe, parameter) };
        if own_words != needed {
            return Err((OWN_COUNT, format!("{own_words} words of the codec where {needed} are needed")));
        }
        Ok(())
    }

    fn derive_lasts(list: &Encoded, _: usize) -> Result<Vec<u32>> {
        let doc_ids = doc_ids(list);
        let mut lasts = huge_pages::try_with_room(doc_ids.len().div_ceil(BLOCK))?;
        lasts.extend(doc_ids.chunks(BLOCK).map(|block| block[block.len() - 1]));
        Ok(lasts)
    }

    fn check(list: &Encoded, payload_at: usize) -> Result<()> {
        let corrupt = |item: String, word: usize, what: &str| Err(Error::corrupt(NAME, item, 4 * word, what));
        let doc_ids = doc_ids(list);
        if let Some(at) = not_increasing(doc_ids, None) {
            return corrupt(format!("docID {at}"), payload_at + at, "is not greater than the one before");
        }
        let own_at = payload_at - list.own.len();
        let Ok(options) = Options::from_words(OPTIONS, list.own) else {
            return corrupt("header".into(), own_at, "the size of buckets is out of range");
        };
        if list.parameter != buckets::shift(list.count, list.universe, bucket(&options)) {
            return corrupt("header".into(), 1, "the width of buckets does not fit their size");
        }
        // As many as `check_shape` found in the list, since the last docID is the universe.
        let mut expected = huge_pages::try_with_room(pointers(list).len())?;
        buckets::push_pointers(doc_ids, list.parameter, &mut expected);
        match expected.iter().zip(pointers(list)).position(|(expected, given)| expected != given) {
            Some(at) => {
                corrupt(format!("bucket {at}"), own_at + OPTIONS.len() + at, "does not begin where its docIDs do")
            }
            None => Ok(()),
        }
    }

    fn plain<'l>(list: &Encoded<'l>) -> Option<&'l [u32]> {
        Some(doc_ids(list))
    }

    unsafe fn decode_blocks(_: Tier, list: &Encoded, blocks: Range<usize>, out: *mut u32) -> usize {
        let doc_ids = &doc_ids(list)[list.ranks(&blocks)];
        // SAFETY: `out` has room for the docIDs of the blocks, by this function's contract, and is not part of the list,
        // which is borrowed.
        unsafe { out.copy_from_nonoverlapping(doc_ids.as_ptr(), doc_ids.len()) };
        doc_ids.len()
    }
}

/// The docIDs of a list whose shape was checked.
fn doc_ids<'l>(list: &Encoded<'l>) -> &'l [u32] {
    &list.payload[..list.count]
}

/// The pointers of a list whose shape was checked.
fn pointers<'l>(list: &Encoded<'l>) -> &'l [u32] {
    &list.own[OPTIONS.len()..]
}

/// The size of buckets that the options ask for.
fn bucket(options: &Options) -> usize {
    options.whole(0).unwrap_or(16) as usize
}

#[cfg(test)]
mod tests;
