//! What a shop asks for: words with filters, sorting and facets, prefixes and fuzzy words, each contestant in turn.
//!
//! Each passage also has a brand of 10, a seller of 50,000 and a price ([`crate::data::product`]). What is found must be
//! the same where it means the same: hits, counts, facets. For prefixes and fuzzy words tantivy gives all documents the
//! same score, where we rank, so there only counts are compared; and our prefixes stand for a bounded number of words.

mod ours;
mod peer;
mod requests;

use crate::args::Args;
use crate::data::{Passages, product};
use crate::engine::{Contestant, Engine, Fields, Found, Result, Want};
use crate::{check, indexing, report};
use requests::Request;
pub use requests::Row;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Instant;

/// Values of a field with the number of documents that have each, most frequent first.
type Facet = Vec<(String, u64)>;

/// What a request finds.
#[derive(Clone, Debug, Default, PartialEq)]
struct Answer {
    /// Scores, unless hits are sorted by price: then prices.
    found: Found,
    facet: Facet,
}

/// An open index of products.
trait Shop: Engine {
    /// This is what is timed: making the query and the filters is included.
    fn ask(&mut self, request: &Request, answer: &mut Answer) -> Result<()>;

    /// Whether a prefix or a fuzzy word stands for all words that it could; otherwise only for the most frequent ones.
    fn expands_all(&mut self, all: bool);
}

/// Microseconds of each query's fastest run.
pub struct Times(Vec<f64>);

impl Times {
    pub fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / self.0.len() as f64
    }

    /// The time that so many per cent of the queries do not exceed.
    pub fn percentile(&self, percent: usize) -> f64 {
        let mut times = self.0.clone();
        times.sort_by(f64::total_cmp);
        times[(times.len() * percent / 100).min(times.len() - 1)]
    }
}

pub fn run(args: &Args, passages: &Passages) -> Result<()> {
    let folder = |contestant: &dyn Contestant| {
        indexing::for_searches(contestant, &args.data, passages, Fields::Product, args.rebuilds(contestant.name()))
    };
    let mut shops: [Box<dyn Shop>; 2] = [
        Box::new(crate::ours::Open::of(&folder(&crate::ours::Ours::default())?)?),
        Box::new(crate::peer::Open::of(&folder(&crate::peer::Tantivy)?)?),
    ];
    let queries = requests::queries(passages, args.queries.min(requests::QUERIES));
    header();
    let mut rows = Vec::new();
    for row in requests::rows(&queries) {
        let times = measure(&mut shops, &row)?;
        print(&row, &times);
        rows.push((row, times));
    }
    match &args.out {
        Some(path) => write(path, passages, &rows),
        None => Ok(()),
    }
}

/// Compares what is found, and then times each request, the contestants in turn.
fn measure(shops: &mut [Box<dyn Shop>; 2], row: &Row) -> Result<[Times; 2]> {
    let mut times = [const { Times(Vec::new()) }; 2];
    let mut answer = Answer::default();
    for (number, request) in row.requests.iter().enumerate() {
        let differs = |difference| format!("{} {}: request {number} differs: {difference}", row.besides, row.matching);
        if let Some(difference) = compare(shops, request)? {
            return Err(differs(difference).into());
        }
        let mut best = [f64::INFINITY; 2];
        for run in 0..row.best_of {
            for turn in 0..2 {
                let at = (turn + run) % 2;
                // The other one's turn has emptied the processor's caches.
                for twice in 0..2 {
                    let request = request.again((2 * run + twice) * row.requests.len() + number);
                    let start = Instant::now();
                    shops[at].ask(&request, &mut answer)?;
                    best[at] = best[at].min(start.elapsed().as_secs_f64() * 1e6);
                }
            }
        }
        times.iter_mut().zip(best).for_each(|(times, best)| times.0.push(best));
    }
    Ok(times)
}

/// What differs between what both find, if anything.
fn compare(shops: &mut [Box<dyn Shop>; 2], request: &Request) -> Result<Option<String>> {
    let counted = Request { count: true, facet: None, by_price: false, ..request.clone() };
    for request in [request, &counted] {
        let mut answers = [const { Answer { found: Found { hits: Vec::new(), count: None }, facet: Vec::new() } }; 2];
        for (shop, answer) in shops.iter_mut().zip(&mut answers) {
            shop.expands_all(true);
            shop.ask(request, answer)?;
            shop.expands_all(false);
            shop.ids(&mut answer.found)?;
            if request.by_price {
                answer.found.hits.iter_mut().for_each(|hit| hit.score = product(hit.id as usize).price as f32);
            }
            if request.text.has_constant_scores() {
                answer.found.hits.clear();
            }
        }
        let [ours, theirs] = &mut answers;
        if let (requests::Text::Prefix(_), Some(our_count), Some(count)) =
            (&request.text, ours.found.count, theirs.found.count)
            && (count - count / 20..=count).contains(&our_count)
        {
            ours.found.count = Some(count);
        }
        let want = if request.count { Want::Count } else { Want::Top(requests::TOP) };
        let difference = check::differ(&ours.found, &theirs.found, want);
        if let Some(difference) = difference.or_else(|| facets_differ(&ours.facet, &theirs.facet)) {
            return Ok(Some(difference));
        }
    }
    Ok(None)
}

/// Of equally frequent values at the end of a full list, others may have been taken.
fn facets_differ(a: &Facet, b: &Facet) -> Option<String> {
    let counts = |facet: &Facet| facet.iter().map(|&(_, count)| count).collect::<Vec<_>>();
    let full = a.len() == requests::VALUES;
    let certain = |facet: &Facet| {
        let last = facet.last().map_or(0, |&(_, count)| count);
        let mut certain = facet.clone();
        certain.retain(|&(_, count)| !full || count > last);
        certain.sort_unstable();
        certain
    };
    (counts(a) != counts(b) || certain(a) != certain(b)).then(|| format!("facets {a:?} and {b:?}"))
}

fn header() {
    println!("{:<40} {:<9} {:>10} {:>10} {:>7}", "besides", "", "ours µs", "tantivy", "ratio");
}

fn print(row: &Row, [ours, theirs]: &[Times; 2]) {
    let (ours, theirs) = (ours.mean(), theirs.mean());
    println!("{:<40} {:<9} {ours:>10.1} {theirs:>10.1} {:>7.2}", row.besides, row.matching, ours / theirs);
}

/// Writes the results of conditions: times in microseconds.
fn write(path: &Path, passages: &Passages, rows: &[(Row, [Times; 2])]) -> Result<()> {
    let times = |times: &Times| {
        let [mean, median, p99] =
            [times.mean(), times.percentile(50), times.percentile(99)].map(|time| (time * 100.0).round() / 100.0);
        json!({"mean": mean, "median": median, "p99": p99})
    };
    let row = |(row, [ours, theirs]): &(Row, [Times; 2])| {
        let engines = json!({"ours": times(ours), "tantivy": times(theirs)});
        json!({"besides": row.besides, "matching": row.matching, "queries": row.requests.len(), "engines": engines})
    };
    let rows: Vec<Value> = rows.iter().map(row).collect();
    report::write(
        path,
        &json!({"machine": report::machine(), "date": report::today(), "command": "make bench-search", "passages": passages.len(), "wanted": 0.5, "unit": "µs", "rows": rows}),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::by_definition::passages;
    use crate::engine::Job;

    fn shops(passages: &Passages, of: &str) -> [Box<dyn Shop>; 2] {
        let job = Job { own_analyzer: false, fields: Fields::Product, threads: 1, memory: 64 << 20 };
        let folders = [&crate::ours::Ours::default() as &dyn Contestant, &crate::peer::Tantivy].map(|contestant| {
            let name = format!("postings-conditions-{of}-{}-{}", contestant.name(), std::process::id());
            let folder = std::env::temp_dir().join(name);
            std::fs::create_dir_all(&folder).unwrap();
            contestant.build(&folder, passages, job).unwrap();
            folder
        });
        // Both have mapped their files.
        let shops: [Box<dyn Shop>; 2] = [
            Box::new(crate::ours::Open::of(&folders[0]).unwrap()),
            Box::new(crate::peer::Open::of(&folders[1]).unwrap()),
        ];
        folders.iter().for_each(|folder| std::fs::remove_dir_all(folder).unwrap());
        shops
    }

    #[test]
    fn both_find_the_same() {
        let passages = passages();
        let mut shops = shops(&passages, "same");
        let queries: Vec<_> = passages
            .iter()
            .take(20)
            .map(|passage| passage.split(' ').take(2).map(str::to_owned).collect::<Vec<_>>())
            .collect();
        for row in requests::rows(&queries) {
            let times = measure(&mut shops, &row).unwrap();
            assert!(times.iter().all(|times| times.percentile(99) >= times.percentile(50)), "{}", row.besides);
        }
    }

    #[test]
    fn another_answer_is_a_difference() {
        let some = passages();
        let mut fewer = String::new();
        some.iter().take(2500).for_each(|passage| fewer.extend([passage, "\n"]));
        let [ours, _] = shops(&some, "all");
        let [_, theirs] = shops(&Passages::of(fewer), "fewer");
        let mut shops = [ours, theirs];
        let queries = [some.get(0).split(' ').take(2).map(str::to_owned).collect::<Vec<_>>()];
        let differ = requests::rows(&queries).filter(|row| measure(&mut shops, row).is_err()).count();
        assert!(differ > requests::rows(&queries).count() / 2, "{differ}");
    }

    #[test]
    fn facets_may_end_with_others() {
        let facet = |last: &str, count| -> Facet {
            let mut facet: Facet = (0..requests::VALUES as u64 - 1).map(|at| (format!("v{at}"), 50 - at)).collect();
            facet.push((last.into(), count));
            facet
        };
        assert_eq!(facets_differ(&facet("a", 1), &facet("b", 1)), None);
        assert!(facets_differ(&facet("a", 1), &facet("a", 2)).is_some());
        let short = |name: &str| vec![(name.to_owned(), 1)];
        assert!(facets_differ(&short("a"), &short("b")).is_some());
    }
}
