//! LRC: one line and one width for the list (section 5.2 of the paper).
//!
//! ```text
//! intercept | slope, low | slope, high | width | fields
//! intercept | slope, low | slope, high | 0 | start of each segment | ParaPFor's segments     with exceptions
//! ```
//!
//! Each part but the last takes a word; a start is a word of the payload.

use super::line::Line;
use super::look_up::Place;
use super::piece::Piece;
use super::{Checker, EXCEPTED, SEGMENT, Scheme, Writer, check_parameter, coded, fit, look_up, segment_of};
use crate::base::error::Result;
use crate::codec::{BLOCK, Cost, Encoded, Shape};
use std::ops::Range;

/// Words before the fields or the starts.
const LINE_WORDS: usize = 4;
const WIDTH: usize = 3;

/// The scheme.
pub struct Lrc;

impl Scheme for Lrc {
    const NAME: &'static str = "lrc";
    const COST: Cost = Cost { decoded: 0.15, merged: 0.6, near: 12.0, far: 70.0 };

    fn encode(doc_ids: &[u32], writer: &mut Writer) -> Result<()> {
        let fit = fit::Fit::new(doc_ids, fit::slope(doc_ids), 0, BLOCK);
        let (low, high) = (fit.slope as u32, (fit.slope >> 32) as u32);
        writer.push(&[fit.intercept, low, high, 0]);
        if writer.is_excepted() {
            writer.zeros(doc_ids.len().div_ceil(SEGMENT));
            for (index, segment) in doc_ids.chunks(SEGMENT).enumerate() {
                let start = writer.at()?;
                writer.set(LINE_WORDS + index, &[start]);
                writer.deviations(&fit.deviations(segment, index * SEGMENT));
            }
        } else {
            let width = writer.deviations(&fit.deviations(doc_ids, 0));
            writer.set(WIDTH, &[width]);
        }
        Ok(())
    }

    fn head(shape: &Shape) -> std::result::Result<u64, String> {
        check_parameter(shape.parameter, 0)?;
        let starts = if shape.parameter & EXCEPTED == 0 { 0 } else { shape.count.div_ceil(SEGMENT) };
        Ok((LINE_WORDS + starts) as u64)
    }

    fn check(list: &Encoded, checker: &mut Checker) -> Result<()> {
        let width = list.payload[WIDTH];
        checker.next = LINE_WORDS;
        if list.parameter & EXCEPTED == 0 {
            return checker.fields(WIDTH, width, list.count);
        }
        if width != 0 {
            return Err(checker.corrupt("head", WIDTH, "a width where segments have theirs"));
        }
        let segments = list.count.div_ceil(SEGMENT);
        checker.next += segments;
        for index in 0..segments {
            checker.begins(LINE_WORDS + index)?;
            checker.segment(segment_of(list, index * SEGMENT).len())?;
        }
        Ok(())
    }

    #[inline(always)]
    fn piece<'l>(list: &Encoded<'l>, rank: usize, _: &mut usize) -> Piece<'l> {
        let line = line(list);
        if list.parameter & EXCEPTED == 0 {
            let coded = coded(list, LINE_WORDS, list.payload[WIDTH]);
            return Piece { first: 0, end: list.count, line, coded };
        }
        let ranks = segment_of(list, rank);
        let start = list.payload[LINE_WORDS + rank / SEGMENT] as usize;
        Piece { first: ranks.start, end: ranks.end, line: line.from(ranks.start), coded: coded(list, start, 0) }
    }

    fn locate(list: &Encoded, doc_id: u32, place: &mut Place) -> Range<usize> {
        // With exceptions the largest deviation is not known, so the safe range is only guessed.
        let most = crate::base::bits::low_mask(list.payload[WIDTH].min(u32::BITS));
        look_up::seek_near(list.last_doc_ids, doc_id, &mut place.block, line(list), most);
        list.ranks(&(place.block..place.block + 1))
    }
}

/// The line in the first three words of the payload.
#[inline(always)]
pub(super) fn line(list: &Encoded) -> Line {
    let [intercept, low, high] = [0, 1, 2].map(|at| u64::from(list.payload[at]));
    Line { origin: intercept << 32, slope: high << 32 | low }
}
