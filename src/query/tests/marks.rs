//! What queries match in texts, compared with the definition: word by word.

use super::super::fuzzy::tests::distance;
use super::super::matches::keep_longest;
use super::super::snippet::fragments;
use super::*;
use std::ops::Range;

fn highlighted(query: &Query, text: &str) -> String {
    let style = Style { before: "[", after: "]", escape: true };
    highlight(text, &found(query, text), &style)
}

fn found(query: &Query, text: &str) -> Vec<Match> {
    let analyzer = analyzer(Some("english"), &["the", "of"]);
    Matcher::new(query, |_| true).matches(text, &analyzer, &mut Scratch::new())
}

fn read(query: &str, reading: Reading) -> Query {
    parse(query, FIELDS, true, reading, &analyzer(Some("english"), &["the", "of"]), &mut Scratch::new())
}

#[test]
fn examples() {
    for (query, text, expected) in [
        ("list", "A List of lists, listed.", "A [List] of [lists], [listed]."),
        ("title:x", "x y", "[x] y"),
        ("comp*", "Computers compare, co", "[Computers] [compare], co"),
        // The word, not only its stem
        ("runni*", "running runs", "[running] runs"),
        ("serach~ hause~1", "Search searching House", "[Search] [searching] [House]"),
        ("a", "<a href=\"x\">'&", "&lt;[a] href=&quot;x&quot;&gt;&#39;&amp;"),
        // Phrases
        ("\"posting list\" -toy", "posting toy list, posting lists", "posting toy list, [posting lists]"),
        ("\"posting list\" list", "posting toy list, posting lists", "posting toy [list], [posting lists]"),
        ("\"a b\" \"b c\" \"x y z\" y", "a b c, b a. x y, x y z", "[a b c], b a. x [y], [x y z]"),
        ("\"a a\"", "a a a b a", "[a a a] b a"),
        ("full-text", "full text, Full-Text; full, text", "[full text], [Full-Text]; [full, text]"),
        ("\"house of the lists\"", "house of lists, house on a list", "house of lists, [house on a list]"),
        ("\"a the b\" \"a of the c\"", "a x b a the b c", "[a x b] [a the b c]"),
        ("検索語", "全文検索語の検索", "全文[検索語]の検索"),
        ("検索 索語", "全文検索語の検索", "全文[検索語]の[検索]"),
        // Words close to each other
        ("\"a b\"~1", "a x b; a x y b; b a", "[a] x [b]; a x y b; b a"),
        ("\"a b\"~2", "b a x x x a x y b", "[b] [a] x x x [a] x y [b]"),
        ("\"a a b\"~2", "a b x x x a b a", "a b x x x [a] [b] [a]"),
        ("", "x", "x"),
        ("-x", "x", "x"),
    ] {
        assert_eq!(highlighted(&parsed(query, true), text), expected, "{query}");
    }
    let words = parsed("\"posting list\"", false);
    assert_eq!(highlighted(&words, "list posting"), "[list] [posting]");
}

#[test]
fn as_they_were_read() {
    let auto = Reading { typos: Typos::Auto, prefix: true, ..Reading::default() };
    for (query, text, expected) in [
        ("runing sho", "Running shoes, a show; rinning hsoes", "[Running] [shoes], a [show]; rinning hsoes"),
        ("hous large", "House housing large largest", "[House] [housing] [large] [largest]"),
        ("serch", "searching search research", "[searching] [search] research"),
        ("sea", "the sea seas search", "the [sea] [seas] [search]"),
        ("large the", "the theory of large things", "the [theory] of [large] things"),
    ] {
        assert_eq!(highlighted(&read(query, auto), text), expected, "{query}");
    }
    let plain = Reading { operators: false, ..Reading::default() };
    assert_eq!(highlighted(&read("-a b*", plain), "a b bc"), "[a] [b] bc");
    let few = Reading { words: 1, ..Reading::default() };
    assert_eq!(highlighted(&read("a b", few), "a b"), "[a] b");
    let mut synonyms = Synonyms::default();
    let english = analyzer(Some("english"), &["the", "of"]);
    assert!(synonyms.add(&english, "tv", "television set") && synonyms.add(&english, "united states", "usa"));
    let mut query = parsed("tv united states", true);
    synonyms.apply(&mut query, true, &english);
    let text = "TV, a television set, a television; states united, USA";
    assert_eq!(highlighted(&query, text), "[TV], a [television set], a television; [states] [united], [USA]");
}

#[test]
fn in_fields() {
    let query = parsed("a title:b body:\"c d\"", true);
    let english = analyzer(Some("english"), &["the", "of"]);
    for (field, expected) in [(0, "[a] [b] c d"), (1, "[a] b [c d]"), (2, "[a] b c d")] {
        let matcher = Matcher::new(&query, |of| of.is_none_or(|of| of == field));
        let matches = matcher.matches("a b c d", &english, &mut Scratch::new());
        let style = Style { before: "[", after: "]", escape: false };
        assert_eq!(highlight("a b c d", &matches, &style), expected);
    }
    assert!(Matcher::new(&parsed("-x the", true), |_| true).is_empty());
    assert!(!Matcher::new(&parsed("x*", true), |_| true).is_empty());
}

/// A word of a text: where it is, its term, and how it is written.
struct Word {
    start: usize,
    end: usize,
    term: Option<String>,
    normal: String,
}

/// The words of a text, each analysed alone.
fn words(text: &str, analyzer: &Analyzer) -> Vec<Word> {
    let mut words = Vec::new();
    analyzer.words(text, |start, end, _| {
        let mut term = None;
        analyzer.tokens(&text[start..end], &mut Scratch::new(), |token| term = Some(token.term.to_owned()));
        words.push(Word { start, end, term, normal: analyzer.normalize(&text[start..end]) });
    });
    words
}

/// The places of what an atom matches.
fn by_definition(atom: &Atom, words: &[Word], places: &mut Vec<(usize, usize)>) {
    let mut each = |is_match: &dyn Fn(&str, &str) -> bool| {
        for word in words {
            if word.term.as_ref().is_some_and(|term| is_match(term, &word.normal)) {
                places.push((word.start, word.end));
            }
        }
    };
    let has = |at: i64, term: &String| {
        usize::try_from(at).ok().and_then(|at| words.get(at)).is_some_and(|word| word.term.as_ref() == Some(term))
    };
    match atom {
        Atom::OneOf(atoms) => atoms.iter().for_each(|atom| by_definition(atom, words, places)),
        Atom::Term(wanted) => each(&|term, _| term == wanted),
        Atom::All(all) => each(&|term, _| all.iter().any(|wanted| wanted == term)),
        Atom::Prefix(prefix) => each(&|term, word| term.starts_with(prefix) || word.starts_with(prefix)),
        Atom::Fuzzy { word: wanted, distance: most } => {
            let near = |word: &str| distance(wanted, word) <= (*most).into();
            each(&|term, word| near(term) || near(word));
        }
        Atom::Like { term: stem, word: wanted, edits, start } => {
            let first = wanted.chars().next().filter(|&first| stem.as_ref().is_none_or(|stem| stem.starts_with(first)));
            let fits = |word: &str| {
                let begins = first.is_none_or(|first| word.starts_with(first));
                let near = |wanted: &str, word: &str| begins && distance(wanted, word) <= (*edits).into();
                let mut beginnings = word.char_indices().map(|(at, c)| &word[..at + c.len_utf8()]);
                let is_typo = near(wanted, word) || stem.as_ref().is_some_and(|stem| near(stem, word));
                *edits > 0 && is_typo
                    || *start && (word.starts_with(wanted) || *edits > 0 && beginnings.any(|word| near(wanted, word)))
            };
            each(&|term, word| stem.as_deref() == Some(term) || fits(term) || fits(word));
        }
        Atom::Phrase(terms) => {
            for at in 0..words.len() as i64 {
                if terms.iter().all(|(offset, term)| has(at + i64::from(*offset), term)) {
                    let last = at as usize + terms[terms.len() - 1].0 as usize;
                    places.push((words[at as usize].start, words[last].end));
                }
            }
        }
        Atom::Near { terms, slop } => {
            let last = i64::from(terms[terms.len() - 1].0);
            for start in -last..words.len() as i64 {
                let mut used = Vec::new();
                if !fits_window(terms, start, i64::from(*slop), &has, &mut used) {
                    continue;
                }
                for (offset, term) in terms {
                    let window = start..=start + i64::from(*slop);
                    for at in window.map(|difference| difference + i64::from(*offset)).filter(|&at| has(at, term)) {
                        places.push((words[at as usize].start, words[at as usize].end));
                    }
                }
            }
        }
    }
}

/// Whether the words of a phrase have positions of their own in the window.
fn fits_window(
    terms: &[(u32, String)],
    start: i64,
    slop: i64,
    has: &dyn Fn(i64, &String) -> bool,
    used: &mut Vec<i64>,
) -> bool {
    let Some(((offset, term), rest)) = terms.split_first() else { return true };
    for at in (start..=start + slop).map(|difference| difference + i64::from(*offset)) {
        if has(at, term) && !used.contains(&at) {
            used.push(at);
            if fits_window(rest, start, slop, has, used) {
                return true;
            }
            used.pop();
        }
    }
    false
}

fn phrase_query() -> impl Strategy<Value = String> {
    let piece = proptest::sample::select(vec![
        "a ",
        "b ",
        "c ",
        "\"a b\" ",
        "\"a b c\" ",
        "\"b a\" ",
        "\"a a\" ",
        "\"a the b\" ",
        "\"c of the a\" ",
        "\"a b\"~1 ",
        "\"a b\"~3 ",
        "\"a b a\"~2 ",
        "\"a a b\"~2 ",
        "\"c b a\"~4 ",
        "full-text ",
        "検索語 ",
        "\"検索語\"~1 ",
        "-b ",
        "runn* ",
        "hause~ ",
        "title:a ",
        "\"running houses\" ",
        "lists ",
    ]);
    proptest::collection::vec(piece, 0..5).prop_map(|pieces| pieces.concat())
}

fn phrase_text() -> impl Strategy<Value = String> {
    let piece = proptest::sample::select(vec![
        "a ",
        "a ",
        "b ",
        "b ",
        "c ",
        "the ",
        "A, ",
        "Full-Text ",
        "full ",
        "text ",
        "検索語",
        "検索 ",
        "語",
        "Running ",
        "runs ",
        "house ",
        "housing ",
        "huose ",
        "<b>&'",
        "\u{301}",
        "é ",
        "lits ",
    ]);
    proptest::collection::vec(piece, 0..25).prop_map(|pieces| pieces.concat())
}

fn some_reading() -> impl Strategy<Value = Reading> {
    let typos = proptest::sample::select(vec![Typos::None, Typos::Auto, Typos::UpTo(1), Typos::UpTo(2)]);
    (typos, any::<bool>(), any::<bool>(), proptest::sample::select(vec![usize::MAX, 3]))
        .prop_map(|(typos, prefix, operators, words)| Reading { typos, prefix, operators, words })
}

const BEFORE: &str = "<mark>";
const AFTER: &str = "</mark>";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn matches_are_those_by_definition(
        query in prop_oneof![2 => phrase_query(), 1 => typed()],
        text in prop_oneof![2 => phrase_text(), 1 => typed()],
        reading in some_reading(),
        has_synonyms: bool,
    ) {
        let english = analyzer(Some("english"), &["the", "of"]);
        let mut query = read(&query, reading);
        if has_synonyms {
            let mut synonyms = Synonyms::default();
            prop_assert!(synonyms.add(&english, "a b", "c") && synonyms.add(&english, "lists", "full text"));
            synonyms.apply(&mut query, true, &english);
        }
        let words = words(&text, &english);
        let mut places = Vec::new();
        for clause in query.clauses.iter().filter(|clause| !clause.exclude) {
            by_definition(&clause.atom, &words, &mut places);
        }
        let mut expected: Vec<Match> =
            places.into_iter().map(|(start, end)| Match { start, end, number: 0, words: 1 }).collect();
        keep_longest(&mut expected);
        let place = |of: &Match| (of.start, of.end);
        let found = found(&query, &text);
        prop_assert_eq!(found.iter().map(place).collect::<Vec<_>>(), expected.iter().map(place).collect::<Vec<_>>());
        let marks: Vec<_> = marks(&found).collect();
        prop_assert!(marks.windows(2).all(|pair| pair[0].end <= pair[1].start));
        prop_assert!(marks.iter().all(|mark| mark.start < mark.end));
    }

    #[test]
    fn highlighting_only_adds_marks(
        query in prop_oneof![phrase_query(), typed()],
        text in prop_oneof![phrase_text(), typed()],
        length in 0..60usize,
        count in 1..5usize,
    ) {
        let plain = |html: &str| html.replace(BEFORE, "").replace(AFTER, "").replace("&lt;", "<").replace("&gt;", ">")
            .replace("&quot;", "\"").replace("&#39;", "'").replace("&amp;", "&");
        let matches = found(&parsed(&query, true), &text);
        let style = Style { before: BEFORE, after: AFTER, escape: true };
        let html = highlight(&text, &matches, &style);
        prop_assert_eq!(plain(&html), &*text);
        prop_assert_eq!(html.matches(BEFORE).count(), html.matches(AFTER).count());
        prop_assert_eq!(highlight(&text, &matches, &Style { before: "", after: "", escape: false }), &*text);

        // A snippet is its fragments, which are parts of the text one after the other.
        let parts = fragments(&text, &matches, length, count);
        prop_assert!((1..=count).contains(&parts.len()));
        prop_assert!(parts.windows(2).all(|pair| pair[0].end < pair[1].start));
        let longest = text.split_whitespace().map(|word| word.chars().count()).max().unwrap_or(0);
        let longest = matches.iter().map(|of| text[of.start..of.end].chars().count()).max().unwrap_or(0).max(longest);
        // Fragments with only spaces between them are shown as one, with the spaces.
        let written = |part: &Range<usize>| text[part.clone()].chars().filter(|c| !c.is_whitespace()).count();
        let characters: usize = parts.iter().map(written).sum();
        prop_assert!(characters <= count * length.max(longest), "{:?}", parts);
        let html = snippet(&text, &matches, &style, length, count, "…");
        let mut expected = String::new();
        for (at, part) in parts.iter().enumerate() {
            let between = if at > 0 { "… " } else if text[..part.start].trim().is_empty() { "" } else { "…" };
            expected += &(between.to_owned() + &text[part.clone()]);
        }
        expected += if text[parts[parts.len() - 1].end..].trim().is_empty() { "" } else { "…" };
        prop_assert_eq!(plain(&html), expected);
        if !matches.is_empty() {
            prop_assert!(html.contains(BEFORE));
            prop_assert!(parts.iter().all(|part| matches.iter().any(|of| part.start <= of.start && of.end <= part.end)));
        }
    }
}

fn shown(query: &str, text: &str, length: usize, fragments: usize) -> String {
    let style = Style { before: "[", after: "]", escape: true };
    snippet(text, &found(&parsed(query, true), text), &style, length, fragments, "…")
}

#[test]
fn passages() {
    let text = "One fish, two fish. Then came a red dog, & later a blue fish with a red hat; the end.";
    for (query, length, expected) in [
        (
            "fish",
            1000,
            "One [fish], two [fish]. Then came a red dog, &amp; later a blue [fish] with a red hat; the end.",
        ),
        ("fish", 15, "…[fish], two [fish].…"),
        ("dog", 20, "…a red [dog], &amp; later…"),
        ("blue hat", 30, "…a [blue] fish with a red [hat];…"),
        ("\"red hat\" red", 15, "…a [red hat];…"),
        ("end", 13, "…hat; the [end]."),
        ("nothing", 18, "One fish, two fish…"),
        ("nothing", 0, "…"),
        ("dog", 0, "…[dog]…"),
        ("", 0, "…"),
    ] {
        assert_eq!(shown(query, text, length, 1), expected, "{query} {length}");
    }
    assert_eq!(shown("x", "", 10, 1), "");
    assert_eq!(shown("x", "short", 10, 3), "short");
    assert_eq!(shown("x", &"y".repeat(1000), 10, 1), "yyyyyyyyyy…");
    assert_eq!(shown("索語", "全文の検索語を調べる", 4, 1), "…検[索語]を…");
    // Two different terms are better than three matches of one.
    assert_eq!(shown("a b", "a a a . . . . . . . . . . b a", 5, 1), "…[b] [a]");
}

#[test]
fn several_fragments() {
    let text = "One fish, two fish. Then came a red dog, & later a blue fish with a red hat; the end.";
    for (query, length, fragments, expected) in [
        ("dog hat", 12, 1, "…red [dog], &amp;…"),
        ("dog hat", 12, 2, "…red [dog], &amp;… red [hat]; the…"),
        ("dog hat", 12, 9, "…red [dog], &amp;… red [hat]; the…"),
        // Words that were not shown come first.
        ("fish end", 14, 2, "…[fish], two [fish]… hat; the [end]."),
        ("fish end", 14, 3, "…[fish], two [fish]… blue [fish] with… hat; the [end]."),
        ("nothing", 18, 3, "One fish, two fish…"),
    ] {
        assert_eq!(shown(query, text, length, fragments), expected, "{query} {length} {fragments}");
    }
    // Without text between them they are one.
    assert_eq!(shown("a b", "a b", 1, 2), "[a] [b]");
}

/// Anything quadratic would take hours.
#[test]
fn long_texts_and_queries() {
    let text = "word ".repeat(50_000);
    let many = (0..50_000).map(|at| format!("\"word w{at}\" ")).collect::<String>();
    let slops = (0..50_000).map(|at| format!("\"word w{at}\"~3 ")).collect::<String>();
    let long = format!("\"{}\" ", "word ".repeat(64));
    for query in [
        "word".to_owned(),
        "wor~ word~2 ".repeat(16),
        (0..50_000).map(|at| format!("w{at} ")).collect(),
        many,
        slops,
        long.clone() + "\"word word\" \"word word word\"",
        format!("\"{}\"~1000", "word ".repeat(64)),
        // Phrases with gaps, each of which matches everywhere.
        (0..10_000u32)
            .map(|bits| {
                let words = (0..14).map(|at| if bits >> at & 1 == 1 { "word" } else { "the" });
                format!("\"word {} word\" ", words.collect::<Vec<_>>().join(" "))
            })
            .collect(),
    ] {
        let matches = found(&parsed(&query, true), &text);
        assert!(matches.len() <= 50_000);
        assert!(shown(&query[..query.len().min(40)], &text, 100, MOST_FRAGMENTS).len() < 100_000);
    }
    let one = "x".repeat(10_000_000);
    assert!(found(&parsed("x* xx~2", true), &one).is_empty());
}
