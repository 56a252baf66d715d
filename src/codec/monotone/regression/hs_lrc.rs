//! HS_LRC: hash segmentation with linear regression (sections 4.4 and 5.3 of the paper). docIDs with the same leading bits
//! form a *bucket*, which has a line, a smallest deviation and a width of its own. So the bucket that may have a docID is
//! found without a search.
//!
//! Let k be the bits of the largest docID u, and m the smallest number with n / 2^m ≤ `bucket` (HS128, HS256: the option is
//! 256 if it is not given), at most k. Bucket h has the docIDs with `docID >> (k − m)` = h; there are
//! (u >> (k − m)) + 1, and some may be empty.
//!
//! ```text
//! first, start, intercept, slope and width of each bucket | deviations
//! ```
//!
//! A record of a bucket takes four words: the rank of its first docID or, if it is empty, of the next; the word of the
//! payload at which its deviations begin; the intercept; the slope in [short form](super::fit::shorten) in the low 26
//! bits, and the width of the fields above it (0 with exceptions). In an empty bucket the last two are 0. With
//! exceptions, the deviations are a segment of ParaPFor, or, of more than 256 docIDs, several after the words at which
//! they begin. The parameter byte is k − m, with bit 7 for exceptions.
//!
//! The paper's buckets are searched from the pointers of one bucket to those of the next; blocks, which the directory is
//! made for, may begin and end within a bucket, and are decoded from there.

use super::fit::{SHORT_BITS, lengthen, shorten};
use super::line::Line;
use super::look_up::Place;
use super::piece::Piece;
use super::seg_lrc::{check_deviations, short_fit};
use super::{Checker, EXCEPTED, EXCEPTIONS, SEGMENT, Scheme, Writer, check_parameter, coded, look_up};
use crate::base::error::Result;
use crate::codec::{Cost, Encoded, OptionOf, Options, Shape};
use std::ops::Range;

/// Words of a record.
const RECORD: usize = 4;
const START: usize = 1;
const SHORT: usize = 3;

/// The bits of the parameter byte that hold k − m.
const SHIFT: u32 = 63;

/// The largest mean number of docIDs per bucket, of those that can be chosen, and the smallest.
const BUCKETS: Range<u32> = 16..4096;

/// The scheme.
pub struct HsLrc;

impl Scheme for HsLrc {
    const NAME: &'static str = "hs_lrc";
    const COST: Cost = Cost { decoded: 0.17, merged: 0.6, near: 12.0, far: 50.0 };
    const OPTIONS: &'static [OptionOf] =
        &[EXCEPTIONS, OptionOf::whole("bucket", BUCKETS.start, BUCKETS.end, Some(SEGMENT as u32))];
    const HAS_WHOLE_BLOCKS: bool = false;

    fn parameter(doc_ids: &[u32], options: &Options) -> u32 {
        let bucket = options.whole(1).map_or(SEGMENT, |bucket| bucket as usize).max(1);
        let bits = u32::BITS - doc_ids.last().map_or(u32::BITS, |last| last.leading_zeros());
        bits - doc_ids.len().div_ceil(bucket).max(1).next_power_of_two().ilog2().min(bits)
    }

    fn encode(doc_ids: &[u32], writer: &mut Writer) -> Result<()> {
        let shift = writer.parameter & SHIFT;
        let buckets = doc_ids.last().map_or(0, |&last| bucket_of(last, shift) + 1);
        writer.zeros(RECORD * buckets);
        let mut first = 0;
        for bucket in 0..buckets {
            let rest = &doc_ids[first..];
            let count = rest.iter().take_while(|&&doc_id| bucket_of(doc_id, shift) == bucket).count();
            let (start, members) = (writer.at()?, &rest[..count]);
            let (mut intercept, mut slope) = (0, 0);
            if count != 0 {
                let fit = short_fit(members, count);
                if writer.is_excepted() && count > SEGMENT {
                    let starts = writer.words.len() - writer.payload;
                    writer.zeros(count.div_ceil(SEGMENT));
                    for (index, segment) in members.chunks(SEGMENT).enumerate() {
                        let start = writer.at()?;
                        writer.set(starts + index, &[start]);
                        writer.deviations(&fit.deviations(segment, SEGMENT * index));
                    }
                    slope = shorten(fit.slope);
                } else {
                    slope = shorten(fit.slope) | writer.deviations(&fit.deviations(members, 0)) << SHORT_BITS;
                }
                intercept = fit.intercept;
            }
            writer.set(RECORD * bucket, &[first as u32, start, intercept, slope]);
            first += count;
        }
        Ok(())
    }

    fn head(shape: &Shape) -> std::result::Result<u64, String> {
        check_parameter(shape.parameter, SHIFT)?;
        let shift = shape.parameter & SHIFT;
        if shift > u32::BITS {
            return Err(format!("docIDs shifted by {shift} bits"));
        }
        Ok((RECORD * (bucket_of(shape.universe, shift) + 1)) as u64)
    }

    fn check(list: &Encoded, checker: &mut Checker) -> Result<()> {
        let buckets = bucket_of(list.universe, list.parameter & SHIFT) + 1;
        checker.next = RECORD * buckets;
        let mut first = 0;
        for bucket in 0..buckets {
            let at = RECORD * bucket;
            let end = if bucket + 1 < buckets { list.payload[at + RECORD] as usize } else { list.count };
            if list.payload[at] as usize != first || end < first || end > list.count {
                let what = format!("docIDs {} to {end} after {first} of {}", list.payload[at], list.count);
                return Err(checker.corrupt(format!("bucket {bucket}"), at, what));
            }
            checker.begins(at + START)?;
            let count = end - first;
            if count == 0 && list.payload[at + SHORT - 1..at + RECORD] != [0, 0] {
                return Err(checker.corrupt(format!("bucket {bucket}"), at, "is empty but has a line"));
            }
            if list.parameter & EXCEPTED == 0 || (1..=SEGMENT).contains(&count) {
                check_deviations(list, checker, at + SHORT, count)?;
            } else if count > SEGMENT {
                let starts = checker.take(count.div_ceil(SEGMENT))?;
                if list.payload[at + SHORT] >> SHORT_BITS != 0 {
                    return Err(checker.corrupt("head", at + SHORT, "a width where segments have theirs"));
                }
                for (start, before) in starts.zip((0..).step_by(SEGMENT)) {
                    checker.begins(start)?;
                    checker.segment(SEGMENT.min(count - before))?;
                }
            }
            if count != 0 {
                for rank in [first, end - 1] {
                    let piece = piece_of(list, bucket, rank);
                    // SAFETY: the deviations of the piece were just checked.
                    let doc_id = unsafe { piece.doc_id(rank) };
                    if bucket_of(doc_id, list.parameter & SHIFT) != bucket {
                        return Err(checker.corrupt(format!("bucket {bucket}"), at, format!("has docID {doc_id}")));
                    }
                }
            }
            first = end;
        }
        if first != list.count {
            return Err(checker.corrupt("head", 0, format!("{first} of {} docIDs are in buckets", list.count)));
        }
        Ok(())
    }

    fn hint(list: &Encoded, block: usize) -> usize {
        list.previous(block).map_or(0, |previous| bucket_of(previous, list.parameter & SHIFT))
    }

    #[inline(always)]
    fn piece<'l>(list: &Encoded<'l>, rank: usize, hint: &mut usize) -> Piece<'l> {
        // The last bucket that begins at the rank or before is not empty. It is nearly always the next.
        let buckets = bucket_of(list.universe, list.parameter & SHIFT) + 1;
        let is_before = |bucket: usize| bucket < buckets && list.payload[RECORD * bucket] as usize <= rank;
        if !is_before(*hint) {
            // Only in a list that is still being checked: the docID before the block is not in the bucket of its rank.
            *hint = 0;
        }
        let mut step = 1;
        while is_before(*hint + step) {
            *hint += step;
            step *= 2;
        }
        while step > 1 {
            step /= 2;
            if is_before(*hint + step) {
                *hint += step;
            }
        }
        piece_of(list, *hint, rank)
    }

    fn locate(list: &Encoded, doc_id: u32, place: &mut Place) -> Range<usize> {
        let bucket = bucket_of(doc_id, list.parameter & SHIFT);
        place.hint = bucket;
        let ranks = ranks_of(list, bucket);
        if list.parameter & EXCEPTED == 0 {
            return ranks;
        }
        // A bucket may have several pieces, so the block is needed too.
        look_up::seek(list.last_doc_ids, doc_id, &mut place.block);
        let block = list.ranks(&(place.block..place.block + 1));
        ranks.start.max(block.start)..ranks.end.min(block.end)
    }
}

/// The bucket of a docID.
#[inline(always)]
fn bucket_of(doc_id: u32, shift: u32) -> usize {
    (u64::from(doc_id) >> shift) as usize
}

/// The ranks of a bucket's docIDs.
#[inline(always)]
fn ranks_of(list: &Encoded, bucket: usize) -> Range<usize> {
    let is_last = bucket == bucket_of(list.universe, list.parameter & SHIFT);
    let end = if is_last { list.count } else { list.payload[RECORD * (bucket + 1)] as usize };
    list.payload[RECORD * bucket] as usize..end
}

/// The piece of a bucket that has that rank: all of the bucket or, with exceptions, a segment.
#[inline(always)]
fn piece_of<'l>(list: &Encoded<'l>, bucket: usize, rank: usize) -> Piece<'l> {
    let Range { start: first, end } = ranks_of(list, bucket);
    let record = &list.payload[RECORD * bucket..][..RECORD];
    let [_, start, intercept, short] = [0, 1, 2, 3].map(|at| record[at]);
    let line = Line { origin: u64::from(intercept) << 32, slope: lengthen(short) };
    let mut start = start as usize;
    if list.parameter & EXCEPTED == 0 || end - first <= SEGMENT {
        return Piece { first, end, line, coded: coded(list, start, short >> SHORT_BITS) };
    }
    let index = (rank - first) / SEGMENT;
    start = list.payload[start + index] as usize;
    let begin = first + SEGMENT * index;
    let line = line.from(SEGMENT * index);
    Piece { first: begin, end: end.min(begin + SEGMENT), line, coded: coded(list, start, 0) }
}
