//! What is asked for.

use crate::data::{Passages, words};
use crate::engine::Match;
use crate::queries::Query;

/// How many hits are wanted.
pub const TOP: usize = 10;
/// How many values of a facet are wanted: from PHP the default.
pub const VALUES: usize = 10;
/// How many queries of two words.
pub const QUERIES: usize = 60;
const BEST_OF: usize = 7;

/// What documents are searched for by.
#[derive(Clone, Debug)]
pub enum Text {
    /// Nothing: all documents.
    None,
    Words(Query, Match),
    /// Words that begin so.
    Prefix(&'static str),
    /// Words within so many edits.
    Fuzzy(&'static str, u8),
}

impl Text {
    /// Whether tantivy gives all documents the same score.
    pub fn has_constant_scores(&self) -> bool {
        !matches!(self, Text::Words(..))
    }
}

/// What documents must have besides.
#[derive(Clone, Debug)]
pub enum Filter {
    Brand(&'static str),
    Seller(&'static str),
    /// A price from the first to the second.
    Price(f64, f64),
    /// The same, with bounds that no run had before, but between the same prices.
    NewPrice(f64, f64),
}

#[derive(Clone, Debug)]
pub struct Request {
    pub text: Text,
    pub filters: Vec<Filter>,
    /// Lowest price first, in place of the score.
    pub by_price: bool,
    /// The field of which the most frequent values are wanted.
    pub facet: Option<&'static str>,
    /// Whether only the number of documents is wanted.
    pub count: bool,
}

impl Request {
    fn of(text: Text) -> Request {
        Request { text, filters: Vec::new(), by_price: false, facet: None, count: false }
    }

    /// As it is asked for the time with this number, from 0.
    pub fn again(&self, time: usize) -> Request {
        let mut request = self.clone();
        for filter in &mut request.filters {
            if let Filter::NewPrice(from, to) = *filter {
                // Prices are whole cents.
                let less = (time + 1) as f64 * 1e-6;
                *filter = Filter::Price(from - less, to + less);
            }
        }
        request
    }
}

/// Requests that one figure is the mean of.
pub struct Row {
    pub besides: &'static str,
    /// Which words documents must have; nothing if the row has no queries of two words.
    pub matching: &'static str,
    pub requests: Vec<Request>,
    pub best_of: usize,
}

/// Two neighbours of every 5,000th passage, in the way of conditions.php.
pub fn queries(passages: &Passages, most: usize) -> Vec<Query> {
    let of_passage = |number: usize| {
        let is_word = |word: &&str| word.len() >= 4 && word.bytes().all(|byte| byte.is_ascii_alphabetic());
        let found: Vec<String> = words(passages.get(number - 1)).filter(is_word).map(str::to_ascii_lowercase).collect();
        (found.len() >= 8).then(|| found[number % 6..][..2].to_vec())
    };
    (5000..=passages.len())
        .step_by(5000)
        .filter_map(of_passage)
        .filter(|query| query[0] != query[1])
        .take(most)
        .collect()
}

/// All rows.
pub fn rows(queries: &[Query]) -> impl Iterator<Item = Row> {
    let besides: [(_, fn(&mut Request)); 10] = [
        ("the words alone", |_| {}),
        ("one brand, a tenth", |request| request.filters.push(Filter::Brand("b3"))),
        ("one seller, about 21 documents", |request| request.filters.push(Filter::Seller("s77"))),
        ("prices of 1 %", |request| request.filters.push(Filter::Price(100.0, 107.0))),
        ("prices of 50 %", |request| request.filters.push(Filter::Price(1.0, 31.5))),
        ("sorted by price", |request| request.by_price = true),
        ("facets of 10 values", |request| request.facet = Some("brand")),
        ("facets of 50,000 values", |request| request.facet = Some("seller")),
        ("prices of 1 %, another range each time", |request| request.filters.push(Filter::NewPrice(100.0, 107.0))),
        ("prices of 50 %, another range each time", |request| request.filters.push(Filter::NewPrice(1.0, 31.5))),
    ];
    let matching = [("all words", Match::And), ("any word", Match::Or)];
    let of_words = besides.into_iter().flat_map(move |(besides, change)| {
        matching.map(|(matching, how)| {
            let request = |query: &Query| {
                let mut request = Request::of(Text::Words(query.clone(), how));
                change(&mut request);
                request
            };
            Row { besides, matching, requests: queries.iter().map(request).collect(), best_of: BEST_OF }
        })
    });
    let price = Filter::Price(100.0, 107.0);
    let all = || Request::of(Text::None);
    let alone = [
        ("prices of 1 %, by price", Request { filters: vec![price.clone()], by_price: true, ..all() }),
        (
            "prices of 1 % of a brand, counted",
            Request { filters: vec![price, Filter::Brand("b3")], count: true, ..all() },
        ),
        ("`a*`", Request::of(Text::Prefix("a"))),
        ("`x~1`", Request::of(Text::Fuzzy("x", 1))),
        ("`network~2`", Request::of(Text::Fuzzy("network", 2))),
    ];
    let of_one = |(besides, request)| Row { besides, matching: "", requests: vec![request], best_of: 3 * BEST_OF };
    of_words.chain(alone.into_iter().map(of_one))
}
