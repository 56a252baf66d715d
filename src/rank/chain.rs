//! [`Chain`]: what lists of neighbouring words tell of a phrase.

use super::score::Chosen;
use super::term::Term;

/// The lists of those words of a phrase that follow each other, as far as there are such.
pub struct Chain<'s> {
    /// In the order of the phrase: documents in which one word follows another, and how often.
    pairs: Vec<Term<'s>>,
    /// Where the first word of each stands in the phrase.
    offsets: Vec<u32>,
    /// If the pairs are all of the phrase: the words between its first and its last.
    between: Option<Vec<Term<'s>>>,
    /// The pairs, those in the fewest documents first.
    rarest_first: Vec<usize>,
    /// Whether the first of these leads.
    leads: bool,
    /// How often the document that was asked for last has each pair, if the pairs are all of the phrase and all are there.
    frequencies: Vec<u32>,
}

impl<'s> Chain<'s> {
    /// No lists.
    pub fn none() -> Chain<'s> {
        Chain::new(Vec::new(), None)
    }

    /// Lists whose scores are not asked for, and where the first word of each stands in the phrase.
    pub fn new(pairs: Vec<(u32, Term<'s>)>, between: Option<Vec<Term<'s>>>) -> Chain<'s> {
        let (offsets, pairs): (Vec<u32>, Vec<Term>) = pairs.into_iter().unzip();
        let mut rarest_first: Vec<usize> = (0..pairs.len()).collect();
        rarest_first.sort_by_key(|&pair| pairs[pair].postings());
        Chain { pairs, offsets, between, rarest_first, leads: false, frequencies: Vec::new() }
    }

    /// Whether the pairs are all of the phrase.
    pub(super) fn is_whole(&self) -> bool {
        self.between.is_some() && !self.pairs.is_empty()
    }

    /// Whether all documents that have the pairs have a term of the phrase, given where that stands.
    pub(super) fn covers(&self, offsets: &[u32]) -> bool {
        self.offsets.iter().any(|&first| offsets.iter().any(|&offset| offset == first || offset == first + 1))
    }

    /// Lets the pair in the fewest documents lead if these are fewer than the rarest term has, or if the pairs are all of the phrase.
    pub(super) fn lead_before(&mut self, documents: usize) {
        let is_rarer = |&pair: &usize| self.is_whole() || self.pairs[pair].postings() < documents;
        self.leads = self.rarest_first.first().is_some_and(is_rarer);
    }

    /// The pair that leads: only its documents can have the phrase.
    #[inline(always)]
    pub(super) fn lead(&mut self) -> Option<&mut Term<'s>> {
        self.rarest_first.first().filter(|_| self.leads).map(|&pair| &mut self.pairs[pair])
    }

    /// Leaves out documents that a pair does not contain, as far as that can be found out for all together; there may be others.
    /// With a [lead](Self::lead), they are of its documents. docIDs ascend, across calls too.
    #[inline(always)]
    pub(super) fn keep(&mut self, chosen: &mut Chosen) {
        for &pair in &self.rarest_first[usize::from(self.leads)..] {
            if chosen.len > 0 {
                self.pairs[pair].keep(chosen);
            }
        }
    }

    /// How often a document has the phrase, unless positions have to tell. docIDs ascend.
    ///
    /// If all occurrences of a word end what is before them in the phrase, it goes on as often as the next pair says; if all
    /// begin that pair, as often as before. Otherwise they may be others, unless there are too few of the word for that: then the
    /// document has the phrase, at least as often as there are too few, which is enough if it need not be `exact`.
    #[inline(always)]
    pub(super) fn count(&mut self, doc_id: u32, exact: bool) -> Option<u32> {
        let between = self.between.as_mut()?;
        self.frequencies.clear();
        for pair in &mut self.pairs {
            let Some(frequency) = pair.frequency(doc_id) else { return Some(0) };
            self.frequencies.push(frequency);
        }
        let (&first, others) = self.frequencies.split_first()?;
        let mut count = first;
        for (&following, word) in others.iter().zip(between) {
            let of_word = word.frequency(doc_id)?;
            if count == of_word {
                count = following;
            } else if following != of_word {
                let most = count.saturating_add(following);
                if exact || most <= of_word {
                    return None;
                }
                count = most - of_word;
            }
        }
        Some(count)
    }

    /// Whether the document that [`count`](Self::count) was asked for last has the phrase wherever two of its words are where they
    /// should be, given how far each is from the phrase's end, and how often the document has it: if all other words stand beside one
    /// of the two in the phrase, and the pair is there as often as that.
    #[inline(always)]
    pub(super) fn is_told_by(&self, two: [(u32, usize); 2]) -> bool {
        let pairs = self.frequencies.len();
        let tells = |word: usize, (shift, frequency): (u32, usize)| {
            let of_pair = |pair: usize| self.frequencies[pair] as usize == frequency;
            match pairs - shift as usize {
                at if at == word => true,
                at if at + 1 == word => of_pair(at),
                at => at == word + 1 && of_pair(word),
            }
        };
        pairs > 0 && pairs == self.pairs.len() && (0..=pairs).all(|word| two.into_iter().any(|one| tells(word, one)))
    }
}
