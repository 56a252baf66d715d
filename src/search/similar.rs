//! More like this: the best words of a document as a query.

use super::options::Options;
use super::{Index, plan, with_scratch};
use crate::analysis::valid_utf8;
use crate::base::error::{Error, Result};
use crate::index::{Id, Kind};
use crate::query::{Atom, Clause, Query};
use crate::rank::bm25::idf;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// What documents should be like.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Like<'t> {
    /// A document, which is not among those that are like it.
    pub id: Option<Id>,
    /// A text; otherwise the document's stored texts are taken.
    pub text: Option<&'t str>,
}

/// A term of the texts, as one of the analyzers makes it.
struct Word {
    /// How often they have it.
    times: u64,
    /// As it is written there first.
    written: String,
}

/// Texts, each with the field that has it; one that is given is of none.
type Texts<'t> = Vec<(Option<usize>, Cow<'t, str>)>;

impl Index {
    /// The best words of a document or a text, as a query for any of them: `"word"^1 "other"^0.725`. Those are the
    /// `words` terms with the greatest tf · idf: how often the texts have the term, and how few documents, of those
    /// fields of the options that are searched the one with the most, contain it (as in BM25). The greatest counts for
    /// 1, others for their part of it. What no other document has is left out; empty if there is nothing else. And the
    /// docID of the document, if there is one. A text is read by the analyzer of each field, stored ones by their own; of
    /// terms that one typed word stands for, the best counts.
    ///
    /// Linear in the length of the texts; each different term of theirs is looked up in each field.
    ///
    /// # Errors
    /// [`Error::Argument`] if there is no such document, or none of the fields is stored and there is no text;
    /// [`Error::Corrupt`].
    pub fn best_words(&self, like: &Like, words: usize, options: &Options) -> Result<(String, Option<u64>)> {
        self.check_files()?;
        let fields = plan::texts(self, options)?;
        let doc_id = like.id.as_ref().map(|id| self.existing(id)).transpose()?;
        let texts = match (like.text, doc_id, &like.id) {
            (Some(text), ..) => vec![(None, Cow::Borrowed(text))],
            (None, Some(doc_id), Some(id)) => self.stored_texts(doc_id, id, &fields)?,
            _ => return Err(Error::Argument("must be a document or a text".into())),
        };
        let analyzed = self.analyzed();
        let is_searched = |by: &usize| analyzed[*by].fields.iter().any(|field| fields.contains(field));
        let mut found: Vec<HashMap<String, Word>> = analyzed.iter().map(|_| HashMap::new()).collect();
        for (field, text) in &texts {
            let is_its = |by: &usize| field.is_none_or(|field| analyzed[*by].fields.contains(&field));
            for by in (0..analyzed.len()).filter(is_searched).filter(is_its) {
                let count = |token: crate::analysis::Token| match found[by].get_mut(token.term) {
                    Some(word) => word.times += 1,
                    None => {
                        let written = text[token.start..token.end].to_owned();
                        found[by].insert(token.term.to_owned(), Word { times: 1, written });
                    }
                };
                with_scratch(|scratch| analyzed[by].analyzer.tokens(text, scratch, count));
            }
        }
        let all = self.snapshot().documents();
        let mut best: Vec<(f64, &str, usize, &Word)> = Vec::with_capacity(found.iter().map(HashMap::len).sum());
        for (by, found) in found.iter().enumerate() {
            for (term, word) in found {
                let mut documents = 0;
                for &field in fields.iter().filter(|field| analyzed[by].fields.contains(field)) {
                    documents = documents.max(self.documents_with(field, term.as_bytes())?);
                }
                if documents > u64::from(doc_id.is_some()) {
                    best.push((word.times as f64 * idf(all, documents), term, by, word));
                }
            }
        }
        best.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)).then_with(|| a.2.cmp(&b.2)));
        let (mut query, mut count, mut greatest) = (String::new(), 0, None);
        // What the words stand for already, by analyzer.
        let mut taken: Vec<HashSet<String>> = vec![HashSet::new(); analyzed.len()];
        for (weight, term, by, word) in best {
            if count == words {
                break;
            }
            let part = (weight / *greatest.get_or_insert(weight)).max(0.001);
            if taken[by].contains(term) {
                continue;
            }
            let Some((clause, terms)) = self.clause(by, term, &word.written, part) else { continue };
            taken.iter_mut().zip(terms).for_each(|(taken, term)| taken.extend(term));
            query.push_str(if count > 0 { " " } else { "" });
            query.push_str(&clause);
            count += 1;
        }
        Ok((query, doc_id))
    }

    /// The docID of a document.
    fn existing(&self, id: &Id) -> Result<u64> {
        self.doc_id(id)?.ok_or_else(|| Error::Argument(format!("the index has no document {}", shown(id))))
    }

    /// The texts that a document has in these fields, with their fields.
    fn stored_texts(&self, doc_id: u64, id: &Id, fields: &[usize]) -> Result<Texts<'static>> {
        let schema = self.schema();
        let is_wanted = |name: &str| fields.iter().any(|&field| schema.fields[field].name == name);
        // Of the fields with one name, the first keeps the value.
        if !schema.fields.iter().any(|field| field.stored && is_wanted(&field.name)) {
            let names: Vec<_> = fields.iter().map(|&field| format!("'{}'", schema.fields[field].name)).collect();
            return Err(Error::Argument(format!(
                "the texts of document {} are not stored (fields {}): give its text",
                shown(id),
                names.join(", ")
            )));
        }
        let mut texts = Vec::new();
        for (field, value) in self.stored(doc_id)? {
            if let Some(field) = schema.fields.get(field).filter(|field| is_wanted(&field.name)) {
                let field = schema.of_kind(field.name.as_bytes(), Kind::Text);
                value.each_text(&mut |text| texts.push((field, Cow::Owned(valid_utf8(text).into_owned()))));
            }
        }
        Ok(texts)
    }

    /// A clause of a query that is this term to one of the analyzers, and the term that it is to each; none if no text that is
    /// typed is.
    fn clause(&self, by: usize, term: &str, written: &str, boost: f64) -> Option<(String, Vec<Option<String>>)> {
        let fields: Vec<usize> = self.text_fields().collect();
        let options = Options::default();
        // In quotes nothing is an operator, but in Hebrew they are part of words.
        let forms =
            [format!("\"{written}\"^{boost:.3}"), format!("{written}^{boost:.3}"), format!("\"{term}\"^{boost:.3}")];
        forms.into_iter().find_map(|form| {
            let queries = self.read(&form, &fields, &options);
            let terms: Vec<Option<String>> = queries.into_iter().map(only_term).collect();
            (terms[by].as_deref() == Some(term)).then_some((form, terms))
        })
    }
}

/// The term that is all of a query.
fn only_term(query: Query) -> Option<String> {
    let mut clauses = query.clauses.into_iter();
    match (clauses.next()?, clauses.next()) {
        (Clause { exclude: false, field: None, atom: Atom::Term(term), .. }, None) => Some(term),
        _ => None,
    }
}

fn shown(id: &Id) -> String {
    match id {
        Id::Int(id) => id.to_string(),
        Id::Bytes(id) => format!("'{}'", String::from_utf8_lossy(id)),
    }
}
