//! [`Chain`]: what lists of neighbouring words tell of a phrase.

use super::score::Chosen;
use super::term::Term;

/// The lists of those words of a phrase that follow each other, as far as there are such.
pub struct Chain<'s> {
    /// In the order of the phrase: documents in which one word follows another, and how often.
    pairs: Vec<Term<'s>>,
    /// If the pairs are all of the phrase: the words between its first and its last.
    between: Option<Vec<Term<'s>>>,
    /// In that case, the pair in the fewest documents.
    lead: Option<usize>,
}

impl<'s> Chain<'s> {
    /// No lists.
    pub fn none() -> Chain<'s> {
        Chain::new(Vec::new(), None)
    }

    /// Lists whose scores are not asked for.
    pub fn new(pairs: Vec<Term<'s>>, between: Option<Vec<Term<'s>>>) -> Chain<'s> {
        let postings = |&pair: &usize| pairs[pair].postings();
        let lead = (0..pairs.len()).min_by_key(postings).filter(|_| between.is_some());
        Chain { pairs, between, lead }
    }

    /// The pair in the fewest documents, if the pairs are all of the phrase: only these documents can have it.
    #[inline(always)]
    pub(super) fn lead(&mut self) -> Option<&mut Term<'s>> {
        self.pairs.get_mut(self.lead?)
    }

    /// Leaves out documents that a pair does not contain, as far as that can be found out for all together; there may be others.
    /// With a [lead](Self::lead), they are of its documents. docIDs ascend, across calls too.
    #[inline(always)]
    pub(super) fn keep(&mut self, chosen: &mut Chosen) {
        for (pair, term) in self.pairs.iter_mut().enumerate() {
            if self.lead != Some(pair) {
                term.keep(chosen);
            }
        }
    }

    /// How often a document has the phrase, unless positions have to tell. docIDs ascend.
    ///
    /// If all occurrences of a word end what is before them in the phrase, it goes on as often as the next pair says; if all
    /// begin that pair, as often as before. Otherwise they may be others.
    #[inline(always)]
    pub(super) fn count(&mut self, doc_id: u32) -> Option<u32> {
        let (first, others) = self.pairs.split_first_mut()?;
        let between = self.between.as_mut()?;
        let Some(mut count) = first.frequency(doc_id) else { return Some(0) };
        for (pair, word) in others.iter_mut().zip(between) {
            let Some(following) = pair.frequency(doc_id) else { return Some(0) };
            let of_word = word.frequency(doc_id)?;
            if count == of_word {
                count = following;
            } else if following != of_word {
                return None;
            }
        }
        Some(count)
    }
}
