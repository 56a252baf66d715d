//! [`Lists`]: what kernels need of an index.

use crate::base::cpu;
use crate::base::error::{Error, Result};
use crate::device::tiled::{self, Coding};
use crate::device::{Key, PhraseWord, Provider, Wanted};
use crate::engine::keys;
use crate::index::list::Decoded;
use crate::index::segment::Segment;
use crate::index::snapshot::SnapshotSegment;
use crate::rank::Norms;
use crate::rank::term::Source;
use crate::search::prepared::{self, PreparedTerm};
use crate::search::recipe::Recipe;
use crate::search::{Index, Options};

/// What kernels need of an index.
pub(super) struct Lists<'j> {
    pub(super) index: &'j Index,
    pub(super) options: &'j Options,
    pub(super) parts: &'j [SnapshotSegment],
    /// The field of each table.
    pub(super) fields: Vec<usize>,
    pub(super) terms: Vec<&'j PreparedTerm>,
}

impl Lists<'_> {
    /// A term, and what its postings are made of in a segment.
    fn list(&self, segment: usize, term: usize) -> Option<(&PreparedTerm, &Recipe)> {
        let term = self.terms[term];
        Some((term, term.lists[segment].as_ref()?))
    }

    /// The field and the dictionary's value of a word of a phrase.
    fn word(&self, segment: usize, term: usize, word: usize) -> Option<(usize, u64)> {
        let (term, recipe) = self.list(segment, term)?;
        recipe.phrase().nth(word).map(|(_, value)| (term.field, value))
    }
}

impl Lists<'_> {
    /// The postings that a recipe makes in a segment, in the tiled form.
    ///
    /// # Errors
    /// [`Error::Corrupt`]; [`Error::Argument`] for more than [`tiled::MOST`] postings.
    fn tiled(&self, segment: usize, field: usize, recipe: &Recipe) -> Result<Vec<u32>> {
        let segment = &self.parts[segment].segment;
        let source = prepared::source(segment, field, recipe)?;
        let coding = match segment.schema().fields[field].weights {
            Some(_) => Coding::Impacts,
            None => Coding::Lengths(segment.lengths(field)?),
        };
        let tiled = tiled::encode(cpu::tier(), &source, coding, segment.documents());
        tiled.ok_or_else(|| Error::Argument(format!("a term has more than {} postings", tiled::MOST)))
    }
}

/// The positions of a term in a segment, as a device compares them.
fn tiled_positions(segment: &Segment, field: usize, value: u64) -> Result<Vec<u32>> {
    let mut decoded = Decoded::default();
    let view = segment.list(field, value, true, &mut decoded)?;
    Ok(view.map_or_else(|| tiled::positions::of_short(&decoded), |view| tiled::positions::of_long(&view)))
}

impl Provider for Lists<'_> {
    fn key(&self, wanted: Wanted) -> Option<Key<'_>> {
        let of_segment = |segment: usize| self.parts[segment].segment.identity();
        Some(match wanted {
            Wanted::Table(table) => {
                let bm25 = &self.options.bm25;
                keys::table(self.index.identity_of_norms(self.options), self.fields[table], [bm25.k1, bm25.b])
            }
            Wanted::Ordinals(segment) => {
                self.parts[segment].segment.is_reordered().then(|| keys::ordinals(of_segment(segment)))?
            }
            Wanted::List { segment, term } => {
                let (term, recipe) = self.list(segment, term)?;
                keys::list(of_segment(segment), term.field, recipe)
            }
            Wanted::Word { segment, term, word } => {
                let (field, value) = self.word(segment, term, word)?;
                keys::term(of_segment(segment), field, value)
            }
            Wanted::Positions { segment, term, word } => {
                let (field, value) = self.word(segment, term, word)?;
                keys::positions(of_segment(segment), field, value)
            }
        })
    }

    fn reads(&self, wanted: Wanted) -> u64 {
        match wanted {
            Wanted::Table(_) => tiled::TABLE as u64,
            Wanted::Ordinals(segment) => self.parts[segment].segment.documents().into(),
            Wanted::List { term, .. } | Wanted::Word { term, .. } | Wanted::Positions { term, .. } => {
                self.terms[term].documents.max(self.terms[term].joins)
            }
        }
    }

    fn build(&self, wanted: Wanted) -> Result<Vec<u32>> {
        let words = match wanted {
            Wanted::Table(table) => {
                let field = self.fields[table];
                let of_table = |mut words: Vec<u32>, norms: &Norms| {
                    words.extend(tiled::norms(norms));
                    words
                };
                Some(match self.index.schema().fields[field].weights {
                    Some(precision) => of_table(tiled::table_of_impacts(precision), Norms::NONE),
                    None => {
                        let norms = self.index.norms_of(field, self.options)?;
                        of_table(tiled::table(&norms), &norms)
                    }
                })
            }
            Wanted::Ordinals(segment) => self.parts[segment].segment.kept_ordinals()?.map(<[u32]>::to_vec),
            Wanted::List { segment, term } => {
                let list = self.list(segment, term);
                list.map(|(term, recipe)| self.tiled(segment, term.field, recipe)).transpose()?
            }
            Wanted::Word { segment, term, word } => {
                let list = self.word(segment, term, word);
                let build = |(field, value)| self.tiled(segment, field, &Recipe::Term(value));
                list.map(build).transpose()?
            }
            Wanted::Positions { segment, term, word } => {
                let list = self.word(segment, term, word);
                let build = |(field, value)| tiled_positions(&self.parts[segment].segment, field, value);
                list.map(build).transpose()?
            }
        };
        Ok(words.unwrap_or_default())
    }

    fn phrase(&self, segment: usize, term: usize) -> Result<Vec<PhraseWord>> {
        let Some((term, recipe)) = self.list(segment, term) else { return Ok(Vec::new()) };
        let word = |(offset, value)| {
            let documents = self.parts[segment].segment.documents_with(term.field, value)?;
            Ok(PhraseWord { offset, documents })
        };
        recipe.phrase().map(word).collect()
    }

    fn encode(&self, segment: usize, term: usize, doc_ids: Vec<u32>, less_one: Vec<u32>) -> Result<Vec<u32>> {
        let (segment, field) = (&self.parts[segment].segment, self.terms[term].field);
        let increasing = doc_ids.is_sorted_by(|a, b| a < b);
        if !increasing || doc_ids.last().is_some_and(|&last| last >= segment.documents()) {
            return Err(Error::Device("it found documents that the segment does not have".into()));
        }
        let source = Source::decoded(doc_ids, less_one).unwrap_or_else(Source::none);
        let coding = Coding::Lengths(segment.lengths(field)?);
        let tiled = tiled::encode(cpu::tier(), &source, coding, segment.documents());
        tiled.ok_or_else(|| Error::Device("it found too many documents".into()))
    }
}
