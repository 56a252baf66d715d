//! SegLRC: a line, a smallest deviation and a width for each segment of 256 (section 5.2 of the paper).
//!
//! ```text
//! start, intercept, slope and width of each segment | deviations
//! ```
//!
//! A record of a segment takes three words: the word of the payload at which its deviations begin; the intercept; the
//! slope in [short form](super::fit::shorten) in the low 26 bits, and the width of the fields above it (0 with exceptions).

use super::fit::{Fit, SHORT_BITS, lengthen, shorten};
use super::line::Line;
use super::piece::Piece;
use super::{Checker, EXCEPTED, SEGMENT, Scheme, Writer, check_parameter, coded, fit, segment_of};
use crate::base::error::Result;
use crate::codec::{BLOCK, Cost, Encoded, Shape};

/// Words of a record.
const RECORD: usize = 3;
const SHORT: usize = 2;

/// The scheme.
pub struct SegLrc;

impl Scheme for SegLrc {
    const NAME: &'static str = "seglrc";
    const COST: Cost = Cost { decoded: 0.15, merged: 0.6, near: 12.0, far: 70.0 };

    fn encode(doc_ids: &[u32], writer: &mut Writer) -> Result<()> {
        writer.zeros(RECORD * doc_ids.len().div_ceil(SEGMENT));
        for (segment, at) in doc_ids.chunks(SEGMENT).zip((0..).step_by(RECORD)) {
            let start = writer.at()?;
            let fit = short_fit(segment, BLOCK);
            let width = writer.deviations(&fit.deviations(segment, 0));
            writer.set(at, &[start, fit.intercept, shorten(fit.slope) | width << SHORT_BITS]);
        }
        Ok(())
    }

    fn head(shape: &Shape) -> std::result::Result<u64, String> {
        check_parameter(shape.parameter, 0)?;
        Ok((RECORD * shape.count.div_ceil(SEGMENT)) as u64)
    }

    fn check(list: &Encoded, checker: &mut Checker) -> Result<()> {
        let segments = list.count.div_ceil(SEGMENT);
        checker.next = RECORD * segments;
        for index in 0..segments {
            let (at, count) = (RECORD * index, segment_of(list, SEGMENT * index).len());
            checker.begins(at)?;
            check_deviations(list, checker, at + SHORT, count)?;
        }
        Ok(())
    }

    #[inline(always)]
    fn piece<'l>(list: &Encoded<'l>, rank: usize, _: &mut usize) -> Piece<'l> {
        let ranks = segment_of(list, rank);
        let record = &list.payload[rank / SEGMENT * RECORD..][..RECORD];
        let [start, intercept, short] = [0, 1, 2].map(|at| record[at]);
        let line = Line { origin: u64::from(intercept) << 32, slope: lengthen(short) };
        Piece { first: ranks.start, end: ranks.end, line, coded: coded(list, start as usize, short >> SHORT_BITS) }
    }
}

/// The line of docIDs whose slope has a short form.
pub(super) fn short_fit(doc_ids: &[u32], stretch: usize) -> Fit {
    Fit::new(doc_ids, lengthen(shorten(fit::slope(doc_ids))), 0, stretch)
}

/// Checks the next deviations, of `count` docIDs on one line: the word `at` of the payload has the width of their fields
/// above the slope, or 0 for ParaPFor's segments.
pub(super) fn check_deviations(list: &Encoded, checker: &mut Checker, at: usize, count: usize) -> Result<()> {
    let width = list.payload[at] >> SHORT_BITS;
    if list.parameter & EXCEPTED == 0 {
        return checker.fields(at, width, count);
    }
    if width != 0 {
        return Err(checker.corrupt("head", at, "a width where segments have theirs"));
    }
    checker.segment(count)
}
