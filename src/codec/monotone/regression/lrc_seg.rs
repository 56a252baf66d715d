//! LRCSeg: one line for the list, a smallest deviation and a width for each segment of 256 (section 5.2 of the paper).
//!
//! ```text
//! intercept | slope, low | slope, high | most | start, least of each segment | end, 0 | deviations
//! ```
//!
//! Each part but the last takes a word. *Intercept* and *most* bound the deviations of the list from a line through 0 and
//! from the line with that intercept; only searches use them. *Least* is the smallest deviation of a segment from a line
//! through 0, modulo 2^32. The deviations of a segment begin at the word *start* of the payload, and the next at the
//! next start: without exceptions 8 words for each bit of their width. *End* is where a segment after the last would
//! begin; so the width of the last is known, even if it is shorter.

use super::fit::Fit;
use super::line::Line;
use super::look_up::Place;
use super::piece::Piece;
use super::{Checker, EXCEPTED, SEGMENT, Scheme, Writer, check_parameter, coded, fit, look_up, lrc, segment_of};
use crate::base::error::{Error, Result};
use crate::codec::{BLOCK, Cost, Encoded, Shape};
use std::ops::Range;

/// Words before the records of the segments.
const LINE_WORDS: usize = 4;
const MOST: usize = 3;
/// Words of a record.
const RECORD: usize = 2;
/// Words of a segment for each bit of its width.
const WORDS_A_BIT: usize = SEGMENT / 32;

/// The scheme.
pub struct LrcSeg;

impl Scheme for LrcSeg {
    const NAME: &'static str = "lrcseg";
    const COST: Cost = Cost { decoded: 0.15, merged: 0.6, near: 12.0, far: 70.0 };

    fn encode(doc_ids: &[u32], writer: &mut Writer) -> Result<()> {
        let slope = fit::slope(doc_ids);
        let fits = |slope| {
            let fit = move |(index, segment)| Fit::new(segment, slope, SEGMENT * index, BLOCK);
            doc_ids.chunks(SEGMENT).enumerate().map(fit)
        };
        // A segment that cannot have this slope gets slope 0; then so do all.
        let slope = if fits(slope).all(|fit| fit.slope == slope) { slope } else { 0 };
        let all = Fit::new(doc_ids, slope, 0, BLOCK);
        let most = if all.slope == slope { all.deviations(doc_ids, 0).into_iter().max() } else { None };
        writer.push(&[all.intercept, slope as u32, (slope >> 32) as u32, most.unwrap_or(u32::MAX)]);
        let segments = doc_ids.len().div_ceil(SEGMENT);
        writer.zeros(RECORD * (segments + 1));
        let mut end = 0;
        for ((index, segment), fit) in doc_ids.chunks(SEGMENT).enumerate().zip(fits(slope)) {
            let start = writer.at()?;
            writer.set(LINE_WORDS + RECORD * index, &[start, fit.intercept]);
            let width = writer.deviations(&fit.deviations(segment, SEGMENT * index));
            end = if writer.is_excepted() { writer.at()? } else { start.saturating_add(width * WORDS_A_BIT as u32) };
        }
        if end == u32::MAX {
            return Err(Error::Argument("a posting list holds at most 2^32 - 1 words".into()));
        }
        writer.set(LINE_WORDS + RECORD * segments, &[end]);
        Ok(())
    }

    fn head(shape: &Shape) -> std::result::Result<u64, String> {
        check_parameter(shape.parameter, 0)?;
        Ok((LINE_WORDS + RECORD * (shape.count.div_ceil(SEGMENT) + 1)) as u64)
    }

    fn check(list: &Encoded, checker: &mut Checker) -> Result<()> {
        let segments = list.count.div_ceil(SEGMENT);
        checker.next = LINE_WORDS + RECORD * (segments + 1);
        for index in 0..segments {
            let (at, count) = (LINE_WORDS + RECORD * index, segment_of(list, SEGMENT * index).len());
            checker.begins(at)?;
            if list.parameter & EXCEPTED != 0 {
                checker.segment(count)?;
                continue;
            }
            let words = (list.payload[at + RECORD] as usize).wrapping_sub(checker.next);
            if !words.is_multiple_of(WORDS_A_BIT) || words > 32 * WORDS_A_BIT {
                return Err(checker.corrupt("head", at + RECORD, "the segment before has no whole width"));
            }
            checker.fields(at, (words / WORDS_A_BIT) as u32, count)?;
        }
        let end = LINE_WORDS + RECORD * segments;
        if list.parameter & EXCEPTED != 0 {
            checker.begins(end)?;
        }
        if list.payload[end + 1] != 0 {
            return Err(checker.corrupt("head", end + 1, "unused bits are not 0"));
        }
        Ok(())
    }

    #[inline(always)]
    fn piece<'l>(list: &Encoded<'l>, rank: usize, _: &mut usize) -> Piece<'l> {
        let ranks = segment_of(list, rank);
        let record = &list.payload[LINE_WORDS + rank / SEGMENT * RECORD..][..RECORD + 1];
        let [start, least, next] = [0, 1, 2].map(|at| record[at]);
        let line = Line { origin: u64::from(least) << 32, slope: lrc::line(list).slope }.from(ranks.start);
        let width = (next - start) / WORDS_A_BIT as u32;
        Piece { first: ranks.start, end: ranks.end, line, coded: coded(list, start as usize, width) }
    }

    fn locate(list: &Encoded, doc_id: u32, place: &mut Place) -> Range<usize> {
        look_up::seek_near(list.last_doc_ids, doc_id, &mut place.block, lrc::line(list), list.payload[MOST]);
        list.ranks(&(place.block..place.block + 1))
    }
}
