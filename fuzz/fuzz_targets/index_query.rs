//! Queries and texts of any form: parsed, searched in an index, highlighted. `cargo fuzz run index_query` (with `-s none`
//! without a nightly compiler).

#![no_main]

mod index_support;

use libfuzzer_sys::fuzz_target;
use postings::search::{Index, Like, Matching, Options, Style, Typos, escape, highlight, marks, snippet};
use std::hint::black_box;
use std::sync::OnceLock;

fuzz_target!(|input: (u8, &str, &str)| {
    static INDEX: OnceLock<Index> = OnceLock::new();
    let index = INDEX.get_or_init(|| Index::open(index_support::index()).expect("it was just written"));
    let (flags, query, text) = input;
    let matching = [Matching::All, Matching::Any, Matching::AllThenAny][usize::from(flags) % 3];
    let options = Options { matching, limit: 500, total: true, ..Options::default() };
    let found = index.search(query, &options).expect("any text is a query");
    assert_eq!(found.total, Some(found.hits.len() as u64));
    assert!(found.hits.is_sorted_by(|a, b| a.score >= b.score) || matching == Matching::AllThenAny);
    assert_eq!(index.count(query, &options), Ok(found.hits.len() as u64));
    let few = Options { limit: 3, total: false, ..options };
    assert_eq!(index.search(query, &few).expect("as before").hits[..], found.hits[..found.hits.len().min(3)]);
    if let Some(hit) = found.hits.first() {
        let explained = index.explain(query, &hit.id, &few).expect("it was found");
        assert!(explained.is_some());
    }
    let _ = black_box(index.suggest(query, None, 5));
    let typos = Typos::UpTo(flags % 3);
    let read = Options { typos, prefix: flags & 4 != 0, syntax: flags & 8 == 0, ..Options::default() };
    let matches = index.matches(query, text, &read, None).expect("any text is a query");
    let places: Vec<_> = marks(&matches).collect();
    assert!(places.is_sorted_by(|a, b| a.end <= b.start) && places.iter().all(|mark| !text[mark.clone()].is_empty()));
    let mut escaped = String::new();
    escape(text, &mut escaped);
    let style = |before, after| Style { before, after, escape: true };
    assert_eq!(highlight(text, &matches, &style("", "")), escaped);
    let marked = highlight(text, &matches, &style("\u{1}", "\u{2}"));
    let count = |mark| marked.matches(mark).count() - escaped.matches(mark).count();
    assert_eq!((count('\u{1}'), count('\u{2}')), (places.len(), places.len()));
    let fragments = usize::from(flags) % 5;
    black_box(snippet(text, &matches, &style("<b>", "</b>"), usize::from(flags), fragments, "…"));
    let like = Like { id: None, text: Some(text) };
    let (words, _) = index.best_words(&like, 25, &read).expect("any text has words, or none");
    let any = Options { matching: Matching::Any, ..Options::default() };
    black_box(index.search(&words, &any).expect("it is a query"));
});
