//! What prefixes and typos stand for where terms are stems: words as they were written, each of which is searched by its
//! stem, as if it had been typed.
//!
//! Where words are not known, in segments of older releases and of documents that were added as terms, stems are compared in
//! their place.

use super::Index;
use super::closest::Compared;
use super::statistics::Whole;
use super::words::{Of, Word, keep_first};
use crate::base::error::Result;
use crate::query::Atom;
use crate::rank::Clock;
use std::cell::LazyCell;
use std::cmp::Reverse;
use std::collections::HashMap;

/// In each of some fields, the terms of the `limit` closest words, as near as the closest of their words; in order.
///
/// # Errors
/// [`Error::Expired`](crate::Error::Expired); [`Error::Corrupt`](crate::Error::Corrupt).
pub(super) fn closest(
    index: &Index,
    whole: &Whole,
    fields: &[usize],
    atom: &Atom,
    limit: usize,
    clock: &Clock,
) -> Result<Vec<(usize, Vec<Word>)>> {
    let as_written = as_written(atom);
    // Large ones take some time to make.
    let (words, terms) = (LazyCell::new(|| Compared::new(&as_written)), LazyCell::new(|| Compared::new(atom)));
    let found = |atom: &Atom, field: usize, of: Of, compared: &dyn Fn(usize) -> Result<Vec<Word>>| {
        whole.closest(field, of, atom, limit, clock, |limit| match of.is_in(index, field)? {
            true => compared(limit),
            false => Ok(Vec::new()),
        })
    };
    let in_field = |&field: &usize| {
        let analyzer = index.schema().analyzer_of(field);
        let mut classes: HashMap<Vec<u8>, u8> = HashMap::new();
        let mut add = |term: Vec<u8>, class: u8| {
            let nearest = classes.entry(term).or_insert(class);
            *nearest = class.min(*nearest);
        };
        if let Atom::Like { term: Some(term), .. } = atom {
            add(term.clone().into_bytes(), 0);
        }
        for Word { class, term: word, .. } in
            found(&as_written, field, Of::Written, &|limit| words.closest(index, field, Of::Written, limit, clock))?
        {
            // A forged file may have any bytes.
            let Ok(word) = std::str::from_utf8(&word) else { continue };
            add(analyzer.stem(word).into_owned().into_bytes(), class);
        }
        for Word { class, term, .. } in
            found(atom, field, Of::Unknown, &|limit| terms.closest(index, field, Of::Unknown, limit, clock))?
        {
            add(term, class);
        }
        let mut counted = Vec::with_capacity(classes.len());
        for (term, class) in classes {
            let own = if whole.asks_index() { index.documents_with(field, &term)? } else { 0 };
            let documents = whole.containing(field, &term, own)?;
            if documents > 0 {
                counted.push(Word { class, documents: Reverse(documents), term });
            }
        }
        keep_first(&mut counted, limit);
        Ok((field, counted))
    };
    fields.iter().map(in_field).collect()
}

/// An atom that words are compared with, in place of their stems.
fn as_written(atom: &Atom) -> Atom {
    match atom.clone() {
        Atom::Like { term, word, edits, start } => Atom::Like { term: term.map(|_| word.clone()), word, edits, start },
        other => other,
    }
}
