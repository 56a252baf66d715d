//! [`Chain`]: what lists of neighbouring words tell of a phrase.

use super::matching::retain;
use super::score::Chosen;
use super::term::Term;
use crate::base::cpu::Tier;

/// The lists of those words of a phrase that follow each other, as far as there are such.
pub struct Chain<'s> {
    /// In the order of the phrase: documents in which one word follows another, and how often.
    pairs: Vec<Term<'s>>,
    /// If the pairs are all of the phrase: the words between its first and its last.
    between: Option<Vec<Term<'s>>>,
    /// In that case, the pair in the fewest documents.
    lead: usize,
}

impl<'s> Chain<'s> {
    /// No lists.
    pub fn none() -> Chain<'s> {
        Chain::new(Vec::new(), None)
    }

    /// Lists whose scores are not asked for.
    pub fn new(pairs: Vec<Term<'s>>, between: Option<Vec<Term<'s>>>) -> Chain<'s> {
        let postings = |&pair: &usize| pairs[pair].postings();
        let lead = (0..pairs.len()).min_by_key(postings).filter(|_| between.is_some()).unwrap_or(usize::MAX);
        Chain { pairs, between, lead }
    }

    /// The pair in the fewest documents, if the pairs are all of the phrase: only these documents can have it.
    #[inline(always)]
    pub(super) fn lead(&mut self) -> Option<&mut Term<'s>> {
        self.pairs.get_mut(self.lead)
    }

    /// Keeps the documents that all pairs contain; if there is a [lead](Self::lead), of its documents. docIDs ascend, across
    /// calls too.
    #[inline(always)]
    pub(super) fn keep(&mut self, tier: Tier, chosen: &mut Chosen) {
        let lead = self.lead;
        for (_, pair) in self.pairs.iter_mut().enumerate().filter(|&(pair, _)| pair != lead) {
            match pair.bits() {
                Some(bits) => chosen.keep_in(tier, bits),
                None => chosen.len = retain(pair, &mut chosen.doc_ids[..chosen.len]),
            }
        }
    }

    /// How often a document that [all pairs contain](Self::keep) has the phrase, unless positions have to tell. docIDs ascend.
    ///
    /// If all occurrences of a word end what is before them in the phrase, it goes on as often as the next pair says; if all
    /// begin that pair, as often as before. Otherwise they may be others.
    #[inline(always)]
    pub(super) fn count(&mut self, doc_id: u32) -> Option<u32> {
        let (first, others) = self.pairs.split_first_mut()?;
        let between = self.between.as_mut()?;
        let mut count = first.frequency(doc_id)?;
        for (pair, word) in others.iter_mut().zip(between) {
            let (following, of_word) = (pair.frequency(doc_id)?, word.frequency(doc_id)?);
            if count == of_word {
                count = following;
            } else if following != of_word {
                return None;
            }
        }
        Some(count)
    }
}
