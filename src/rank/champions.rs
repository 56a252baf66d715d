//! The best documents of a term, or their scores, by its [champions], without reading its list.

use super::bm25::{self, Norms};
use super::collector::{Collector, Restriction};
use super::term::Term;
use crate::index::list::champions::{self, Champion};

/// Scores differ by more than rounding where they differ by this factor: they are of three operations, each rounded to 2^−24 of its
/// result.
const APART: f32 = 1.0 / (1 << 20) as f32;

/// With a lesser weight, scores might be too small to be told apart.
const LEAST_WEIGHT: f32 = 1e-20;

/// Offers the champions of a term, if the hits are among them; whether they are.
#[inline(always)]
pub(super) fn offer(term: &Term, collector: &mut Collector) -> bool {
    let restriction = &collector.restriction;
    // In another order than that of docIDs, documents that they beat may come before them.
    if collector.ordinals.is_some() || restriction.after.is_some() || !restriction.excluded.is_empty() {
        return false;
    }
    let champions = champions::all(term.source().champions());
    let others = champions.clone().filter(|of| !restriction.allows(of.doc_id)).count();
    if champions.len() == 0 || collector.top.k() + others > champions::MOST || !term.tells_apart() {
        return false;
    }
    for (doc_id, score) in term.champions() {
        if collector.restriction.allows(doc_id) {
            collector.offer(doc_id, score.into());
        }
    }
    true
}

/// The scores of the champions that count.
#[inline(always)]
pub(super) fn scores(term: &Term, restriction: &Restriction) -> Vec<f32> {
    let allowed = term.champions().filter(|&(doc_id, _)| restriction.allows(doc_id));
    allowed.map(|(_, score)| score).collect()
}

impl Term<'_> {
    /// The docIDs of its champions, which ascend, and their scores.
    #[inline(always)]
    fn champions(&self) -> impl Iterator<Item = (u32, f32)> {
        let (weight, norms) = (self.scorer().weight, self.scorer().saturations.norms());
        let score = move |of: &Champion| bm25::score(weight, of.frequency, norms.of(of.length));
        champions::all(self.source().champions()).map(move |of| (of.doc_id, score(&of)))
    }

    /// Whether a champion has a greater score than a document that it beats, where frequency or length differ.
    fn tells_apart(&self) -> bool {
        let champions = champions::all(self.source().champions());
        // Those of the whole list: no document beats the one that has the greatest frequency, or the least length.
        let greatest = champions.clone().map(|of| of.frequency).max().unwrap_or(0);
        let least = champions.map(|of| of.length).min().unwrap_or(0);
        self.scorer().weight >= LEAST_WEIGHT && tell_apart(self.scorer().saturations.norms(), greatest, least)
    }
}

/// Whether frequency / (frequency + norm) differs by [`APART`] at least for any two frequencies up to `greatest`, and for any two length
/// bytes from `least` on. Of the frequencies f and f + 1, the factor is 1 + norm / (f · (f + 1 + norm)); of the norms n and m, it is
/// 1 + (m − n) / (f + n).
fn tell_apart(norms: &Norms, greatest: u32, least: u8) -> bool {
    let (greatest, shortest) = (greatest as f32, norms.of(least));
    let frequencies = shortest > APART * greatest * (greatest + 1.0 + shortest);
    let steps = norms.0[least.into()..].windows(2);
    frequencies && steps.fold(true, |all, norms| all & (norms[1] - norms[0] > APART * (greatest + norms[1])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::bm25::{Bm25, score};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn scores_that_are_told_apart_differ(
            k1 in prop_oneof![Just(1.2f32), 0f32..3.0, 0f32..1e-3, 0f32..1e3], b in prop_oneof![Just(0.75f32), 0f32..=1.0, 0f32..1e-4],
            average in 1u64..20_000, least: u8, greatest in 1u32..400, weight in 1e-20f32..10.0
        ) {
            let norms = Norms::new(&Bm25 { k1, b }, 10 * average, 10);
            prop_assume!(tell_apart(&norms, greatest, least));
            for frequency in 1..=greatest {
                for length in least..=u8::MAX {
                    let of = score(weight, frequency, norms.of(length));
                    if let Some(longer) = length.checked_add(1) {
                        prop_assert!(of > score(weight, frequency, norms.of(longer)));
                    }
                    prop_assert!(frequency == greatest || of < score(weight, frequency + 1, norms.of(length)));
                }
            }
        }
    }

    #[test]
    fn lengths_that_do_not_matter_are_not_told_apart() {
        let norms = |k1, b| Norms::new(&Bm25 { k1, b }, 350, 10);
        assert!(tell_apart(&norms(1.2, 0.75), 255, 1));
        assert!(!tell_apart(&norms(1.2, 0.0), 255, 1));
        assert!(!tell_apart(&norms(0.0, 0.75), 255, 1));
        assert!(!tell_apart(&norms(1.2, 0.75), 60_000, 1));
    }
}
