//! What a query may cost, and what becomes of one that would cost more.

use super::super::plan::QueryPlan;
use super::*;
use crate::base::error::Error;
use crate::query::{MOST_EXPANDED, MOST_PHRASE_WORDS};
use crate::rank::Clock;
use crate::rank::positions::READ;

fn noisy_index(folder: &Path, documents: i64) -> Index {
    let mut noise = Noise(11);
    let docs: Vec<Change> = (0..documents).map(|id| Change::Add(noisy_doc(id, &mut noise))).collect();
    let commits: Vec<Vec<Change>> = docs.chunks(700).map(<[Change]>::to_vec).collect();
    build(folder, &commits, PLAIN)
}

fn of_bodies(bodies: &[&str]) -> (tempfile::TempDir, Index) {
    let doc = |(id, body): (i64, &&str)| {
        let body = body.split(' ').map(str::to_owned).collect();
        Change::Add(Doc { id, texts: [vec![], body, vec![]], ..Doc::default() })
    };
    let folder = tempfile::tempdir().unwrap();
    let index = build(folder.path(), &[(0..).zip(bodies).map(doc).collect()], PLAIN);
    (folder, index)
}

fn ids(found: &Found) -> Vec<i64> {
    let id = |hit: &FoundHit| if let Id::Int(id) = hit.id { id } else { panic!("{hit:?}") };
    let mut ids: Vec<i64> = found.hits.iter().map(id).collect();
    ids.sort_unstable();
    ids
}

/// Terms of expanded words, and postings of what is put together, as the plan of a query bounds them.
fn cost(index: &Index, text: &str, options: &Options) -> (usize, u64) {
    let plan = QueryPlan::new(index, text.into(), options, &Clock::never()).unwrap();
    let leaves = plan.clauses.iter().flat_map(|clause| &clause.leaves).chain(&plan.excluded);
    let (mut terms, mut postings) = (0, 0);
    for leaf in leaves {
        terms += leaf.values[0].len();
        postings += if leaf.joins > 0 { leaf.at_most } else { 0 };
    }
    (terms, postings)
}

#[test]
fn prefixes_and_fuzzy_words_share_what_a_query_may_expand_to() {
    let folder = tempfile::tempdir().unwrap();
    let index = noisy_index(folder.path(), 1500);
    let words: Vec<String> = (0..16).map(|at| format!("f{at}* -f1{at}~2")).collect();
    let text = words.join(" ");
    let usual = Options { matching: Matching::Any, ..Options::default() };
    let (terms, postings) = cost(&index, &text, &usual);
    assert!(terms > 1000 && postings > 5000, "{terms} {postings}");
    for (expansions, joined) in [(500, None), (96, None), (0, None), (500, Some(3000)), (usize::MAX, Some(0))] {
        let options = Options { expansions, joined, ..usual.clone() };
        let (terms, postings) = cost(&index, &text, &options);
        // Words in three fields keep a term each.
        assert!(terms <= expansions.max(96) && terms >= 60, "{options:?}: {terms}");
        assert!(joined.is_none_or(|joined| postings <= joined), "{options:?}: {postings}");
        assert!(ids(&index.search(&text, &options).unwrap()).len() == 10, "{options:?}");
    }
    // The first is the one that the most documents have.
    let one = Options { expansions: 0, ..usual };
    let found = index.explain("body:a*", &index.search("a", &one).unwrap().hits[0].id, &one).unwrap().unwrap();
    assert_eq!(found.parts.iter().map(|part| &*part.term).collect::<Vec<_>>(), ["a"]);
}

#[test]
fn words_that_are_too_many_to_be_expanded_are_words() {
    let (_folder, index) = of_bodies(&["abc", "abd", "xyz"]);
    let any = Options { matching: Matching::Any, ..Options::default() };
    for operator in ["*", "~"] {
        let few = format!("{} ab{operator}", vec![format!("q{operator}"); MOST_EXPANDED - 1].join(" "));
        assert_eq!(ids(&index.search(&few, &any).unwrap()), [0, 1], "{operator}");
        let many = format!("{} ab{operator} xyz{operator}", vec![format!("q{operator}"); MOST_EXPANDED].join(" "));
        assert_eq!(ids(&index.search(&many, &any).unwrap()), [2], "{operator}");
    }
}

#[test]
fn phrases_that_have_too_many_postings_are_words() {
    let (_folder, index) = of_bodies(&["a b", "b a", "a x b", "b c", "c b", "b"]);
    let found = |text: &str, joined| ids(&index.search(text, &Options { joined, ..Options::default() }).unwrap());
    assert_eq!(found("\"a b\"", None), [0]);
    assert_eq!(found("\"a b\"", Some(2)), [0, 1, 2]);
    assert_eq!(found("\"a b\"", Some(3)), [0]);
    // The first of two has what there is.
    assert_eq!(found("\"b c\" \"a b\"", Some(4)), [0; 0]);
    let any = |joined| {
        let options = Options { joined, matching: Matching::Any, ..Options::default() };
        ids(&index.search("\"b c\" \"a b\"", &options).unwrap())
    };
    assert_eq!(any(None), [0, 3]);
    assert_eq!(any(Some(4)), [0, 1, 2, 3, 4, 5]);
    assert_eq!(found("b -\"a b\"", None), [1, 2, 3, 4, 5]);
    assert_eq!(found("b -\"a b\"", Some(0)), [0, 1, 2, 3, 4, 5]);
}

#[test]
fn words_that_are_too_many_are_left_out() {
    let (_folder, index) = of_bodies(&["first", "last"]);
    // In three fields.
    let many: Vec<String> = (0..MOST_LEAVES / 3 - 1).map(|at| format!("w{at}")).collect();
    let any = Options { matching: Matching::Any, ..Options::default() };
    let text = format!("{} first last", many.join(" "));
    assert_eq!(ids(&index.search(&text, &any).unwrap()), [0]);
    assert_eq!(ids(&index.search(&text.replace("w0 ", "w1 "), &any).unwrap()), [0, 1]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn what_is_left_out_does_not_depend_on_the_segments(
        commits in commits(),
        queries in prop::collection::vec(query(), 1..12),
        options in options(),
        expansions in 0..12usize,
        joined in 0..60u64,
    ) {
        let options = Options { expansions, joined: Some(joined), ..options };
        let mut first: Option<Vec<Found>> = None;
        for (at_once, threads, optimize) in [(false, 1, Some(false)), (true, 1, Some(true)), (false, 2, Some(false))] {
            let folder = tempfile::tempdir().unwrap();
            let index = build(folder.path(), &commits, Way { at_once, threads, optimize, ..PLAIN });
            let search = |query: &Vec<Clause>| index.search(&typed(query), &options).unwrap();
            let mut found: Vec<Found> = queries.iter().map(search).collect();
            found.iter_mut().flat_map(|found| &mut found.hits).for_each(|hit| hit.doc_id = 0);
            prop_assert_eq!(first.get_or_insert_with(|| found.clone()), &found);
        }
    }
}

/// Whatever a search is doing when its time is over, it says so; its hits are never some of them.
#[test]
fn searches_end_in_time_or_are_complete() {
    let folder = tempfile::tempdir().unwrap();
    let index = noisy_index(folder.path(), 3000);
    let mut queries: Vec<String> =
        ["a b", "f1* ab~2", "\"a b\" \"ab a\" -\"a a\"", "a b -f2*", ""].map(str::to_owned).into();
    queries.push((0..300).map(|at| format!("f{at} ")).collect());
    for text in queries {
        for (matching, sort) in [(Matching::All, false), (Matching::Any, false), (Matching::AllThenAny, true)] {
            let sort = if sort { vec![(SortKey::Field(PRICE), Direction::Ascending)] } else { Vec::new() };
            let options = Options { matching, sort, total: true, limit: 20, ..Options::default() };
            let whole = index.search(&text, &options).unwrap();
            let (mut expired, mut steps) = (0, 0);
            loop {
                match run::in_time(&index, (&text).into(), &options, &Clock::after(steps)) {
                    Err(Error::Expired) => expired += 1,
                    found => {
                        assert_eq!(found.unwrap(), whole, "{text} {options:?} {steps}");
                        break;
                    }
                }
                steps += 1 + steps / 8;
            }
            assert!(expired > 0 || text.is_empty(), "{text} {options:?}");
        }
    }
    let late = Options { deadline: Some(std::time::Duration::ZERO), ..Options::default() };
    assert_eq!(index.search("a b", &late).unwrap(), Found::late());
    assert_eq!(index.count("a b", &late), Err(Error::Expired));
    assert_eq!(index.facets(TAG, "a b", &late, 3), Err(Error::Expired));
}

#[test]
fn phrases_that_repeat_a_word_read_its_positions_once() {
    let run = vec!["0"; 3000].join(" ");
    let mixed = "0 1 ".repeat(1500);
    let bodies = [&*run, &*mixed, &*run];
    let (_folder, index) = of_bodies(&bodies);
    let options = Options::default();
    for words in [["0", "0"], ["0", "1"]] {
        let read = |length: usize| {
            let phrase: Vec<&str> = words.iter().copied().cycle().take(length).collect();
            let before = READ.get();
            let found = index.search(&format!("body:\"{}\"", phrase.join(" ")), &options).unwrap();
            let wanted: &[i64] = if words == ["0", "0"] { &[0, 2] } else { &[1] };
            assert_eq!(ids(&found), wanted, "{length}");
            READ.get() - before
        };
        let twice = read(2);
        assert!(twice >= 3000, "{twice}");
        for length in [3, 10, 60, MOST_PHRASE_WORDS, 1000, 10_000] {
            // The first two can also be compared eight at a time.
            assert!(read(length) <= twice.max(7500), "{length}: {} {twice}", read(length));
        }
    }
    let frequency = |length: usize| {
        let phrase = vec!["0"; length].join(" ");
        let found = index.explain(&format!("body:\"{phrase}\""), &Id::Int(0), &options).unwrap().unwrap();
        found.parts[0].frequency as usize
    };
    for length in [2, 3, 17, MOST_PHRASE_WORDS] {
        assert_eq!(frequency(length), 3000 - length + 1);
    }
    // Further words do not count.
    assert_eq!(frequency(MOST_PHRASE_WORDS + 5), 3000 - MOST_PHRASE_WORDS + 1);
}

/// Of what may be chosen, nothing makes a score that is lost, or no number.
#[test]
fn extreme_weights_and_parameters_lose_no_hit() {
    let folder = tempfile::tempdir().unwrap();
    let index = noisy_index(folder.path(), 3000);
    let (least, most) = (*Schema::WEIGHTS.start(), *Schema::WEIGHTS.end());
    for weights in [[least; 3], [most; 3], [least, most, 1.0], [most, least, least]] {
        for (k1, b) in [(0.0, 0.0), (1e-42, 1.0), (1.2, 0.75), (Bm25::GREATEST_K1, 0.0), (Bm25::GREATEST_K1, 1.0)] {
            for text in ["a", "a b cab", "zz f7", "a* zebra~", "\"a b\" f1"] {
                for matching in MATCHINGS {
                    let bm25 = Bm25::new(k1, b).unwrap();
                    let weights = TEXTS.iter().zip(weights).map(|(text, weight)| (text.0, weight)).collect();
                    let options =
                        Options { matching, bm25, weights, total: true, limit: 1 << 20, ..Options::default() };
                    let all = index.search(text, &options).unwrap();
                    let count = index.count(text, &options).unwrap();
                    assert_eq!(all.total, Some(count), "{text} {options:?}");
                    assert_eq!(all.hits.len() as u64, count, "{text} {options:?}");
                    assert!(all.hits.iter().all(|hit| hit.score.is_normal() && hit.score > 0.0), "{text} {options:?}");
                    for limit in [1, 10, 100, 1000] {
                        let some = index.search(text, &Options { limit, ..options.clone() }).unwrap();
                        assert_eq!(some.total, Some(count), "{text} {options:?}");
                        assert_eq!(some.hits[..], all.hits[..all.hits.len().min(limit)], "{text} {options:?} {limit}");
                    }
                }
            }
        }
    }
    let with = |options: Options| index.search("a", &options).unwrap_err().to_string();
    for weight in [1e-42, 9e-4, 1001.0, 1e6, -1.0, f32::NAN, f32::INFINITY] {
        let error = with(Options { weights: vec![(TITLE, weight)], ..Options::default() });
        assert!(error.starts_with("the weight of title must be 0 or from 0.001 to 1000, "), "{error}");
    }
    for k1 in [3e38, 1001.0, -1.0, f32::NAN] {
        let error = with(Options { bm25: Bm25 { k1, b: 0.5 }, ..Options::default() });
        assert!(error.starts_with("k1 must be a number from 0 to 1000, "), "{error}");
    }
}

/// The folder of the index in the process that has little memory.
const WITHOUT_MEMORY: &str = "POSTINGS_TEST_WITHOUT_MEMORY";

/// In a process of its own, as the limit is that of a process.
#[cfg(target_os = "linux")]
#[test]
fn lists_for_which_there_is_no_memory_are_errors() {
    if let Some(folder) = std::env::var_os(WITHOUT_MEMORY) {
        let index = Index::open(Path::new(&folder)).unwrap();
        let options = Options::default();
        assert_eq!(index.count("pa pb", &options).unwrap(), 0);
        let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
        let pages: u64 = statm.split(' ').next().unwrap().parse().unwrap();
        let most = 4096 * pages + (600 << 10);
        let limit = libc::rlimit { rlim_cur: most, rlim_max: libc::RLIM_INFINITY };
        // SAFETY: `limit` is initialised.
        assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_AS, &limit) }, 0);
        // The best documents with a phrase are no list.
        assert_eq!(index.search("\"pa q q\"", &options).unwrap().hits.len(), options.limit);
        let options = Options { total: true, ..options };
        for text in ["p*", "pa q -p*", "\"pa q q\"", "\"q q\"~1"] {
            let found = index.search(text, &options);
            assert!(matches!(found, Err(Error::OutOfMemory { .. })), "{text}: {found:?}");
        }
        return;
    }
    let doc = |id: i64| {
        let body = vec![["pa", "pb", "pbc"][id as usize % 3].into(), "q".into(), "q".into()];
        Change::Add(Doc { id, texts: [vec![], body, vec![]], ..Doc::default() })
    };
    let folder = tempfile::tempdir().unwrap();
    build(folder.path(), &[(0..300_000).map(doc).collect()], PLAIN);
    let name = "search::tests::limits::lists_for_which_there_is_no_memory_are_errors";
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name])
        .env(WITHOUT_MEMORY, folder.path())
        // Others have room that was reserved before.
        .env("MALLOC_ARENA_MAX", "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{output:?}");
}

/// Few documents' values are read where they are stored, instead of the lists of all values.
#[test]
fn facets_of_few_documents_are_those_of_their_stored_values() {
    let mut schema = definition::schema(true);
    schema.fields[TAG].stored = true;
    let folder = tempfile::tempdir().unwrap();
    let mut writer = Writer::open(folder.path(), Some(schema), index::WriterOptions::default()).unwrap();
    let add = |writer: &mut Writer, id: i64| {
        let tags = vec![format!("own {id}"), "all".into(), format!("own {id}"), format!("third {}", id % 3)];
        let body = vec!["b".into(), format!("w{}", id % 1500)];
        let doc = Doc { id, texts: [vec!["t".into()], body, vec![]], tags, ..Doc::default() };
        writer.add(Id::Int(id), doc.document(id as usize)).unwrap();
    };
    (0..3000).for_each(|id| add(&mut writer, id));
    writer.commit().unwrap();
    (3000..3100).for_each(|id| add(&mut writer, id));
    writer.delete(&Id::Int(1507)).unwrap();
    writer.commit().unwrap();
    let index = Index::open(folder.path()).unwrap();
    let facets = |text: &str| {
        let facets = index.facets(TAG, text, &Options::default(), 5).unwrap();
        facets.into_iter().map(|(value, count)| (String::from_utf8(value).unwrap(), count)).collect::<Vec<_>>()
    };
    let of = |expected: &[(&str, u64)]| expected.iter().map(|&(value, n)| (value.to_owned(), n)).collect::<Vec<_>>();
    assert_eq!(facets("w7"), of(&[("all", 2), ("third 1", 2), ("own 3007", 1), ("own 7", 1)]));
    assert_eq!(facets("w1499"), of(&[("all", 2), ("third 2", 2), ("own 1499", 1), ("own 2999", 1)]));
    assert_eq!(facets("b")[..2], of(&[("all", 3099), ("third 0", 1034)]));
}

/// However many values there are, and bytes that their numbers take, documents without one are not counted.
#[test]
fn facets_of_documents_with_one_value_or_none() {
    for values in [3, 64, 65, 255, 256] {
        let tag = |id: i64| (id % 5 < 4).then(|| format!("{:03}", id % values));
        let folder = tempfile::tempdir().unwrap();
        let options = index::WriterOptions::default();
        let mut writer = Writer::open(folder.path(), Some(definition::schema(true)), options).unwrap();
        for id in 0..1000 {
            let body = vec![["even", "odd"][id as usize % 2].into()];
            let doc = Doc {
                id,
                texts: [vec!["t".into()], body, vec![]],
                tags: tag(id).into_iter().collect(),
                ..Doc::default()
            };
            writer.add(Id::Int(id), doc.document(id as usize)).unwrap();
        }
        writer.commit().unwrap();
        let index = Index::open(folder.path()).unwrap();
        for (word, step) in [("even", 2), ("t", 1)] {
            let mut wanted: Vec<(Vec<u8>, u64)> = Vec::new();
            for value in 0..values {
                let value = format!("{value:03}");
                let count = (0..1000).step_by(step).filter(|&id| tag(id).as_ref() == Some(&value)).count() as u64;
                wanted.extend((count > 0).then_some((value.into_bytes(), count)));
            }
            wanted.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
            assert_eq!(index.facets(TAG, word, &Options::default(), 1000).unwrap(), wanted, "{word}, {values} values");
            assert_eq!(
                index.facets(TAG, word, &Options::default(), 2).unwrap(),
                wanted[..2],
                "{word}, {values} values"
            );
            // All hits are known, but where all documents are hits.
            let options = Options { limit: 1000, facets: Some(vec![(TAG, 1000)]), ..Options::default() };
            let found = index.search(word, &options).unwrap();
            assert_eq!(found.facets.unwrap()[0].facet, Facet::Values(wanted), "{word}, {values} values");
        }
    }
}

#[test]
fn terms_that_are_too_many_for_a_table_are_merged() {
    let folder = tempfile::tempdir().unwrap();
    let index = noisy_index(folder.path(), 3000);
    assert!(index.snapshot().parts().len() > 1);
    let mut told = 0;
    for prefix in ["f", "f1", "a", "zebra", "nobody"] {
        for limit in [1, 2, 10, 32, 33, 1000] {
            let [frequent, table, small, merged] = words::all_ways(&index, BODY, prefix, limit);
            assert_eq!(table, merged, "{prefix} {limit}");
            if let Some(frequent) = frequent {
                assert_eq!(frequent, merged.unwrap(), "{prefix} {limit}");
                told += 1;
            }
            assert_eq!(small.is_none(), index.terms(prefix.as_bytes(), BODY, 9).unwrap().len() > 3, "{prefix}");
        }
    }
    assert!(told > 0);
}
