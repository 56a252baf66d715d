use super::Scorer;
use crate::codec::BLOCK;

pub(super) fn scores(
    scorer: &Scorer,
    doc_ids: &[u32],
    frequencies_less_one: &[u32; BLOCK],
    count: usize,
    scores: &mut [f32; BLOCK],
) {
    for at in 0..count {
        scores[at] = scorer.score(doc_ids[at], frequencies_less_one[at]);
    }
}
