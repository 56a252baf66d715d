//! Suggestions: how a word that is being typed may go on.

use super::Index;
use super::frequent;
use super::words::{Beginning, Of, Words, best, count};
use crate::analysis::Analyzer;
use crate::base::error::{Error, Result};
use crate::index::Kind;
use crate::index::segment;
use crate::rank::Clock;
use std::collections::HashMap;

pub(super) fn suggest(index: &Index, text: &str, field: Option<usize>, limit: usize) -> Result<Vec<(String, u64)>> {
    let (typed, word) = operators(index, text.rsplit(char::is_whitespace).next().unwrap_or_default());
    let fields: Vec<usize> = match field.or(typed) {
        Some(field) if index.schema().fields.get(field).is_none_or(|field| field.kind != Kind::Text) => {
            return Err(Error::Argument("suggestions come from text fields".into()));
        }
        Some(field) => vec![field],
        None => index.text_fields().collect(),
    };
    let clock = Clock::never();
    if let Some(found) = of_frequent(index, &fields, word, limit, &clock)? {
        return Ok(found);
    }
    let mut found: HashMap<Vec<u8>, u64> = HashMap::new();
    for field in fields {
        let analyzer = index.schema().analyzer_of(field);
        let Some(word) = last_word(analyzer, word) else { continue };
        let (automaton, first) = (Beginning(word.len()), word.as_bytes());
        let words = |of| Words { index, field, of, automaton: &automaton, first, key: None, clock: &clock };
        let mut add = |term: &[u8], _: &(), documents| {
            count(&mut found, term, documents);
            Ok(true)
        };
        if !analyzer.stems() {
            words(Of::Terms).in_segments(add)?;
            continue;
        }
        for part in index.snapshot().parts() {
            let segment = &part.segment;
            let written = segment.words(field)?;
            words(Of::Written).in_segment(segment, &mut add)?;
            // What is a word, too, is in as many documents as the term.
            words(Of::Unknown).in_segment(segment, |term, state, documents| {
                let known = written.map(|written| written.map().get(term)).transpose()?.flatten();
                let known = known.map_or(0, segment::Words::documents);
                add(term, state, documents.saturating_sub(known))
            })?;
        }
    }
    // The caller's own terms may be any bytes.
    let text = |(term, documents)| Some((String::from_utf8(term).ok()?, documents));
    let mut found: Vec<(String, u64)> = found.into_iter().filter_map(text).collect();
    best(&mut found, limit);
    Ok(found)
}

/// The same, if the frequent words of all fields tell.
fn of_frequent(
    index: &Index,
    fields: &[usize],
    word: &str,
    limit: usize,
    clock: &Clock,
) -> Result<Option<Vec<(String, u64)>>> {
    let mut of_fields = fields.iter().map(|&field| {
        let analyzer = index.schema().analyzer_of(field);
        (last_word(analyzer, word), analyzer.stems())
    });
    let Some((first, stems)) = of_fields.next() else { return Ok(None) };
    let alike = of_fields.all(|other| other == (first.clone(), stems));
    let Some(first) = first.filter(|_| alike) else { return Ok(None) };
    if stems {
        for &field in fields {
            if Of::Unknown.is_in(index, field)? {
                return Ok(None);
            }
        }
    }
    let of = if stems { Of::Written } else { Of::Terms };
    let found = frequent::most_frequent(index, fields, of, first.as_bytes(), limit, clock)?;
    let text = |(word, documents)| Some((String::from_utf8(word).ok()?, documents));
    // With the caller's own terms, which may be any bytes, there may be too few.
    Ok(found.and_then(|found| found.into_iter().map(text).collect()))
}

/// Takes `-` and `field:` off the start of a word that is being typed.
fn operators<'t>(index: &Index, word: &'t str) -> (Option<usize>, &'t str) {
    let word = word.strip_prefix('-').unwrap_or(word);
    let after = |field: usize| word.strip_prefix(&*index.schema().fields[field].name)?.strip_prefix(':');
    let named = index.text_fields().find_map(|field| Some((Some(field), after(field)?)));
    named.unwrap_or((None, word))
}

/// The last word of what is being typed, as it stands in the dictionary but for stemming; `None` if there is none.
fn last_word(analyzer: &Analyzer, word: &str) -> Option<String> {
    let mut last = None;
    analyzer.words(word, |start, end, _| last = Some((start, end)));
    let (start, end) = last?;
    let word = analyzer.normalize(&word[start..end]);
    (!word.is_empty()).then_some(word)
}
