use crate::codec::BLOCK;
use crate::index::impacts::Precision;

/// The scores of a block's codes.
pub(super) fn scores(weight: f32, precision: Precision, codes: &[u32; BLOCK], scores: &mut [f32; BLOCK]) {
    // One loop for each precision, whose numbers are then constants.
    match precision {
        Precision::Bits8 => all(weight, |code| Precision::Bits8.saturation(code), codes, scores),
        Precision::Bits16 => all(weight, |code| Precision::Bits16.saturation(code), codes, scores),
        Precision::Bits32 => all(weight, |code| Precision::Bits32.saturation(code), codes, scores),
    }
}

#[inline(always)]
fn all(weight: f32, saturation: impl Fn(u32) -> f32, codes: &[u32; BLOCK], scores: &mut [f32; BLOCK]) {
    scores.iter_mut().zip(codes).for_each(|(score, &code)| *score = weight * saturation(code));
}
