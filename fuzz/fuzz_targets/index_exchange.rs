//! Requests of any bytes, and those of an index with changed bytes, with checksums that fit: a leaf answers each, and its
//! responses, changed in the same way, are read or refused. `cargo fuzz run index_exchange` (with `-s none` without a nightly
//! compiler).

#![no_main]

mod index_support;

use index_support::edit;
use libfuzzer_sys::fuzz_target;
use postings::engine::Settings;
use postings::exchange::{Answer, MOST_BYTES, Question, Response, commit_of, handle, schema_of};
use postings::search::{
    Asked, Direction, Fusion, Index, Matching, Options, Page, RankingPart, SortKey, Typos, WeightedTerms, fingerprint, merge_rankings,
};
use postings::vector::Query;
use std::sync::{Arc, OnceLock};

/// The field of vectors of the index.
const EMBEDDING: usize = 6;
const EXPANSION: usize = 7;

fn with_crc(mut bytes: Vec<u8>) -> Vec<u8> {
    let crc = crc32fast::hash(&bytes);
    bytes.extend(crc.to_le_bytes());
    bytes
}

/// A vector of these components, in eighths.
fn vector(index: &Index, components: [i8; 7]) -> Query {
    let shape = index.schema().fields[EMBEDDING].vector.expect("it has vectors");
    Query::new(shape, &components.map(|x| f32::from(x) / 8.0)).expect("memory")
}

fuzz_target!(|input: (u8, u8, [i8; 7], &str, Vec<u8>, Vec<(u16, u8)>, Vec<(u16, u8)>)| {
    static INDEX: OnceLock<Index> = OnceLock::new();
    let index = INDEX.get_or_init(|| Index::open(index_support::index()).expect("it was just written"));
    let (flags, of_vectors, components, query, any, of_request, of_response) = input;
    let settings = Settings::default();
    let options = Options {
        matching: [Matching::All, Matching::Any, Matching::AllThenAny][usize::from(flags) % 3],
        typos: Typos::UpTo(flags >> 2 & 1),
        prefix: flags & 8 != 0,
        total: true,
        sort: if flags & 16 != 0 { vec![(SortKey::Id, Direction::Descending)] } else { Vec::new() },
        ..Options::default()
    };
    let terms = (flags & 3 != 0).then(|| (b"w97".to_vec(), f32::from(of_vectors)));
    let weighted = [WeightedTerms { field: EXPANSION, terms: terms.into_iter().collect() }];
    let nearest = vector(index, components);
    let in_field = [(EMBEDDING, Arc::new(nearest.clone()))];
    let asked = Asked { text: query, weighted: &weighted, nearest: &in_field };
    let alone = Asked { nearest: &[], ..asked };
    let fusion = match of_vectors & 2 {
        0 => Fusion::Ranks,
        _ => Fusion::Scores { text: f64::from(of_vectors >> 4), fields: vec![(EMBEDDING, 0.5)] },
    };
    let fused = Options {
        fusion,
        sort: Vec::new(),
        offset: usize::from(of_vectors >> 2 & 1),
        ..options.clone()
    };
    let page = Options { limit: usize::from(of_vectors >> 2), offset: usize::from(flags & 3), ..Options::default() };
    let question = match flags >> 5 {
        0 => Question::Schema,
        1 => Question::Statistics { queries: vec![query.to_owned()], options },
        2 => Question::Suggest { text: query.to_owned(), field: None, limit: usize::from(flags) },
        3 => Question::Nearest { field: EMBEDDING, vectors: vec![nearest; usize::from(of_vectors % 4)], options: page, stored: flags & 1 != 0 },
        4 | 5 => Question::Search { queries: vec![asked.into(), alone.into()], options: fused, stored: flags & 1 != 0 },
        _ => Question::Search { queries: vec![alone.into()], options, stored: flags & 1 != 0 },
    };
    let request = question.to_bytes(fingerprint(index.schema()), None, None).expect("it is small");
    let response = handle(index, &request, &settings, None);
    let read = Response::read(&response, &question, index.schema()).expect("any text is a query");
    if let (Answer::Found(all), Question::Search { queries, options, .. }) = (&read.answer, &question) {
        for (of, query) in all.iter().zip(queries) {
            assert_eq!(Ok(&of.found), index.search(query.get(), options).as_ref());
        }
    }
    if let (Answer::Found(all), Question::Nearest { vectors, options, .. }) = (&read.answer, &question) {
        let found = index.nearest(EMBEDDING, vectors, options, 1).expect("the vectors fit");
        assert!(all.iter().map(|of| &of.found).eq(&found));
    }
    let mut changed = request[..request.len() - 4].to_vec();
    edit(&mut changed, &of_request);
    let any_body = [&b"PREQ\x01"[..], &any].concat();
    for request in [with_crc(changed), with_crc(any_body), any.clone()] {
        let response = handle(index, &request, &settings, None);
        assert!(response.len() <= MOST_BYTES && commit_of(&response) == Ok(index.snapshot().commit()));
        _ = Response::read(&response, &question, index.schema());
    }
    let mut changed = response[..response.len() - 4].to_vec();
    edit(&mut changed, &of_response);
    for response in [with_crc(changed), with_crc([&b"PRES\x01"[..], &any].concat()), any] {
        let read = Response::read(&response, &question, index.schema());
        if let (Ok(Response { answer: Answer::Found(all), .. }), Question::Search { queries, options, .. }) = (read, &question) {
            let page = &Page::of(queries[0].get(), options);
            let part = RankingPart { page, ranking: all[0].found.ranking.as_deref() };
            if page.lists().is_some() {
                merge_rankings(&[part, part], 0, options.limit).expect("it begins at the first hit");
            }
        }
        _ = schema_of(&response);
    }
});
