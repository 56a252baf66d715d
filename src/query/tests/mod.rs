use proptest::prelude::*;

mod marks;

use super::*;
use crate::analysis::{Analyzer, AnalyzerOptions, Scratch};

const FIELDS: &[&str] = &["title", "body", "ü"];

fn analyzer(language: Option<&str>, stop_words: &[&str]) -> Analyzer {
    Analyzer::new(AnalyzerOptions {
        language: language.map(str::to_owned),
        stop_words: stop_words.iter().map(|word| word.to_string()).collect(),
        ..AnalyzerOptions::default()
    })
    .unwrap()
}

fn parsed(text: &str, phrases: bool) -> Query {
    parse(text, FIELDS, phrases, Reading::default(), &analyzer(Some("english"), &["the", "of"]), &mut Scratch::new())
}

/// A query in short: `-title:"a 2:b"`, `all(a b)`, `comp*`, `serach~1`.
fn short(query: &Query) -> String {
    let clause = |clause: &Clause| {
        let atom = match &clause.atom {
            Atom::Term(term) => term.clone(),
            Atom::Phrase(terms) => {
                let terms: Vec<_> = terms.iter().map(|(position, term)| format!("{position}:{term}")).collect();
                format!("\"{}\"", terms.join(" "))
            }
            Atom::All(terms) => format!("all({})", terms.join(" ")),
            Atom::Prefix(prefix) => format!("{prefix}*"),
            Atom::Fuzzy { word, distance } => format!("{word}~{distance}"),
            Atom::Near { terms, slop } => {
                let terms: Vec<_> = terms.iter().map(|(position, term)| format!("{position}:{term}")).collect();
                format!("\"{}\"~{slop}", terms.join(" "))
            }
            Atom::OneOf(atoms) => {
                let one = |atom: &Atom| {
                    short(&Query { clauses: vec![Clause { atom: atom.clone(), ..plain() }], words: true, read: 0 })
                };
                format!("({})", atoms.iter().map(one).collect::<Vec<_>>().join(" | "))
            }
            Atom::Like { term, word, edits, start } => {
                format!("{}={word}~{edits}{}", term.as_deref().unwrap_or_default(), if *start { "*" } else { "" })
            }
        };
        let field = clause.field.map_or(String::new(), |field| format!("{}:", FIELDS[field]));
        let sign = if clause.exclude { "-" } else { "" }.to_owned() + if clause.required { "+" } else { "" };
        let boost = clause.boost.factor();
        format!("{sign}{field}{atom}{}", if boost == 1.0 { String::new() } else { format!("^{boost}") })
    };
    query.clauses.iter().map(clause).collect::<Vec<_>>().join(" ")
}

#[test]
fn syntax() {
    for (text, expected) in [
        ("", ""),
        ("Fast posting LISTS", "fast post list"),
        ("\"posting lists\"", "\"0:post 1:list\""),
        (
            "fast \"posting list\" -toy title:codec comp* serach~1",
            "fast \"0:post 1:list\" -toy title:codec comp* serach~1",
        ),
        ("-title:\"a b\" body:-x", "-title:\"0:a 1:b\" body:x"),
        ("“a b” „c d“ »e f« «g h»", "\"0:a 1:b\" \"0:c 1:d\" \"0:e 1:f\" \"0:g 1:h\""),
        ("\"running\" \"\" \"the\"", "run"),
        ("\"house of the lists\" \"the end\"", "\"0:hous 3:list\" end"),
        // Quotes that are not balanced
        ("\"posting list", "post list"),
        ("-\"posting list", "-post list"),
        ("\"a b\" \"c d", "\"0:a 1:b\" c d"),
        ("5\" disk", "5 disk"),
        ("\"a b\"c d", "\"0:a 1:b\" c d"),
        ("\"a b\"~2 \"c d\"* e", "\"0:a 1:b\"~2 \"0:c 1:d\" e"),
        // Operators that are alone, or elsewhere
        ("- * ~ \" : -- ** ~2 -* *~ :x x: -", "x x"),
        ("--a +b c- d&&e", "-a +b c \"0:d 1:e\""),
        // Words that are required, and boosts
        ("+a +title:b +\"c d\" ++e + +- a+", "+a +title:b +\"0:c 1:d\" +e a"),
        (
            "a^2 -b^3 title:c^.5 \"d e\"^3 f*^2 g~^0 h~2^9999999",
            "a^2 -b^3 title:c^0.5 \"0:d 1:e\"^3 f*^2 g~1^0.001 h~2^1000",
        ),
        ("a^ b^x c^-1 d^2.5.1 ^2 e^2^3", "a \"0:b 1:x\" \"0:c 1:1\" \"0:d 1:2.5.1\" 2 \"0:e 1:2\"^3"),
        (
            "\"a b\"~ \"a b\"~0 \"a b\"~99999999999 \"a b\"~3^2",
            "\"0:a 1:b\" \"0:a 1:b\" \"0:a 1:b\"~1000 \"0:a 1:b\"~3^2",
        ),
        ("\"a\"~2 -\"a b\"~1", "a -\"0:a 1:b\"~1"),
        ("title: title:\" title:", "titl titl"),
        ("other:word Title:word title:body:x", "other:word title:word title:body:x"),
        // Prefixes and fuzzy words
        ("Running* runs** *run ru*n", "running* runs* run \"0:ru 1:n\""),
        (
            "serach~ Serach~2 serach~9 serach~99999999999999999999 runs~0 x~a",
            "serach~1 serach~2 serach~2 serach~2 run \"0:x 1:a\"",
        ),
        ("title:comp* -serach~2 -title:x~", "title:comp* -serach~2 -title:x~1"),
        ("the* of~", "the* of~1"),
        ("full-te* very-full-txet~", "full te* \"0:veri 1:full\" txet~1"),
        ("-full-te*", "-\"0:full 1:te\""),
        ("comp*~ comp~*", "comp~1 comp*"),
        // Words that are several terms, or none
        ("full-text x@y.org", "\"0:full 1:text\" \"0:x 1:y.org\""),
        ("検索語 -検索語 検索", "\"0:検索 1:索語\" -\"0:検索 1:索語\" 検索"),
        ("語 \"語\" -語 検索語*", "語* 語 -語* \"0:検索 1:索語\""),
        ("the of", ""),
    ] {
        assert_eq!(short(&parsed(text, true)), expected, "{text}");
    }
}

fn read(text: &str, reading: Reading) -> String {
    short(&parse(text, FIELDS, true, reading, &analyzer(Some("english"), &["the", "of"]), &mut Scratch::new()))
}

fn plain() -> Clause {
    Clause {
        exclude: false,
        required: false,
        boost: Boost::default(),
        field: None,
        atom: Atom::Term(String::new()),
        at: 0,
    }
}

#[test]
fn synonyms() {
    let analyzer = analyzer(Some("english"), &["the", "of"]);
    let mut synonyms = Synonyms::default();
    for (typed, of) in [
        ("TV", "television"),
        ("tv", "television sets"),
        ("television", "tv"),
        ("united states", "USA"),
        ("united states of america", "usa"),
        ("e-mail", "mail"),
        ("usa", "united states"),
    ] {
        assert!(synonyms.add(&analyzer, typed, of), "{typed}");
    }
    assert!(
        !synonyms.add(&analyzer, "the", "x")
            && !synonyms.add(&analyzer, "x", "...")
            && !synonyms.add(&analyzer, "", "")
    );
    let found = |text: &str, phrases: bool| {
        let mut query = parsed(text, phrases);
        synonyms.apply(&mut query, phrases, &analyzer);
        short(&query)
    };
    for (text, expected) in [
        ("tv", "(tv | televis | \"0:televis 1:set\")"),
        ("a television x", "a (televis | tv) x"),
        ("united united states x", "unit (all(state unit) | usa) x"),
        ("united states of america", "(all(america state unit) | usa)"),
        ("united states america", "(all(america state unit) | usa)"),
        ("united +states title:united states", "unit +state title:unit state"),
        ("+usa -tv tv*", "+(usa | \"0:unit 1:state\") -tv tv*"),
        ("e-mail tv^2", "(\"0:e 1:mail\" | mail) (tv | televis | \"0:televis 1:set\")^2"),
        ("", ""),
    ] {
        assert_eq!(found(text, true), expected, "{text}");
    }
    assert_eq!(found("usa e-mail", false), "(usa | all(state unit)) (all(e mail) | mail)");
    for at in 0..Synonyms::MOST {
        assert!(synonyms.add(&analyzer, "many", &format!("m{at}")));
    }
    assert!(!synonyms.add(&analyzer, "many", "more"));
}

#[test]
fn ways_of_reading() {
    let usual = Reading::default();
    let auto = Reading { typos: Typos::Auto, ..usual };
    for (text, expected) in [
        ("a house searching Engineers2024", "a hous=house~1 search=searching~2 engineers2024=engineers2024~2"),
        (
            "\"large house\" -house house* house~2 +title:house^2",
            "\"0:larg 1:hous\" -hous house* house~2 +title:hous=house~1^2",
        ),
        ("full-house 12345 検索語 \"house\" the house~0", "\"0:full 1:hous\" 12345 \"0:検索 1:索語\" hous hous"),
    ] {
        assert_eq!(read(text, auto), expected, "{text}");
    }
    assert_eq!(read("a house", Reading { typos: Typos::UpTo(9), ..usual }), "a=a~2 hous=house~2");
    let prefix = Reading { prefix: true, ..usual };
    for (text, expected) in [
        ("large hou", "larg hou=hou~0*"),
        ("large houses ", "larg hous=houses~0*"),
        ("large the", "larg =the~0*"),
        ("full-tex", "full tex=tex~0*"),
        ("a -hou", "a -hou"),
        ("a \"hou\"", "a hou"),
        ("a hou~1 hou*", "a hou~1 hou*"),
        ("a 検索語", "a \"0:検索 1:索語\""),
    ] {
        assert_eq!(read(text, prefix), expected, "{text}");
    }
    assert_eq!(read("large hous", Reading { prefix: true, ..auto }), "larg=large~1 hous=hous~1*");
    let plain = Reading { operators: false, ..usual };
    assert_eq!(read("-a +b title:c d* e~2 f^2 \"g h\"", plain), "a b title:c d \"0:e 1:2\" \"0:f 1:2\" g h");
    for (words, expected) in [
        (0, ""),
        (1, "a"),
        (2, "a -b"),
        (3, "a -b c"),
        (4, "a -b \"0:c 1:d\""),
        (6, "a -b \"0:c 1:d\" e f"),
        (9, "a -b \"0:c 1:d\" e f"),
    ] {
        assert_eq!(read("a -b \"c d\" e f", Reading { words, ..usual }), expected, "{words}");
    }
}

#[test]
fn without_positions() {
    for (text, expected) in [
        ("\"posting lists\" full-text", "post list full text"),
        ("-full-text -\"a b\" -a", "-all(full text) -all(a b) -a"),
        ("title:検索語", "title:検索 title:索語"),
        ("-full-te*", "-all(full te)"),
        ("-\"a a\"", "-a"),
    ] {
        assert_eq!(short(&parsed(text, false)), expected, "{text}");
    }
}

#[test]
fn whether_there_are_words() {
    for (text, words) in
        [("", false), (" - \"\" *~ …", false), ("the", true), ("x", true), ("\"of\"", true), ("-the*", true)]
    {
        assert_eq!(parsed(text, true).words, words, "{text}");
    }
    let long = "x".repeat(300);
    let query = parsed(&format!("{long} {long}* {long}~"), true);
    assert!(query.words && query.clauses.is_empty());
    // Too long for a fuzzy word only
    assert_eq!(short(&parsed(&format!("{}~", "x".repeat(33)), true)), "x".repeat(33));
}

/// Quadratic parsing would take hours.
#[test]
fn long_queries() {
    for piece in [
        "word ",
        "\"",
        "-",
        "\"a",
        "a\" ",
        "title:",
        "title:\"",
        "~",
        "* ",
        "x*",
        "a~ ",
        "語",
        "\u{301}",
        " ",
        "“ ",
        "-\"a b\" ",
    ] {
        let text = piece.repeat(1_000_000 / piece.len());
        let query = parsed(&text, true);
        assert!(query.clauses.len() <= text.len());
    }
    assert_eq!(parsed(&"word ".repeat(10_000), true).clauses.len(), 10_000);
}

fn typed() -> impl Strategy<Value = String> {
    let piece = proptest::sample::select(vec![
        "a",
        "Lists",
        "the",
        "full-text",
        "don't",
        "検索語",
        "語",
        "é",
        "title",
        "body:",
        "title:",
        ":",
        "\"",
        "“",
        "”",
        "«",
        "-",
        "*",
        "~",
        "~2",
        "~9",
        " ",
        " ",
        " ",
        "\t",
        "\u{3000}",
        "\u{301}",
        "<b>&'",
        "x.y",
        "3.14",
    ]);
    let piece = prop_oneof![9 => piece.prop_map(str::to_owned), 1 => any::<char>().prop_map(String::from)];
    proptest::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn clauses_are_what_the_analyzer_gives(text in typed(), phrases: bool) {
        let analyzer = analyzer(Some("english"), &["the", "of"]);
        let mut scratch = Scratch::new();
        let query = parse(&text, FIELDS, phrases, Reading::default(), &analyzer, &mut scratch);
        let mut of_text = std::collections::HashSet::new();
        analyzer.tokens(&text, &mut scratch, |token| { of_text.insert(token.term.to_owned()); });
        let mut count = 0;
        analyzer.words(&text, |_, _, _| count += 1);
        prop_assert_eq!(query.words && count == 0, false);
        for clause in &query.clauses {
            prop_assert!(clause.field.is_none_or(|field| field < FIELDS.len()));
            let is_term = |term: &String| {
                let mut given = Vec::new();
                // Quotes and operators cut words that the whole text has uncut.
                analyzer.tokens(term, &mut Scratch::new(), |token| given.push(token.term.to_owned()));
                of_text.contains(term) || !given.is_empty()
            };
            match &clause.atom {
                Atom::Term(term) => prop_assert!(is_term(term)),
                Atom::Like { .. } | Atom::OneOf(_) => prop_assert!(false, "{:?}", clause),
                Atom::Phrase(terms) | Atom::Near { terms, .. } => {
                    prop_assert!(phrases && terms.len() > 1 && terms[0].0 == 0);
                    prop_assert!(terms.iter().all(|(_, term)| is_term(term)));
                    prop_assert!(terms.windows(2).all(|pair| pair[0].0 < pair[1].0));
                }
                Atom::All(terms) => {
                    prop_assert!(!phrases && clause.exclude && terms.len() > 1);
                    prop_assert!(terms.iter().all(is_term));
                }
                Atom::Prefix(prefix) => prop_assert_eq!(&analyzer.normalize(prefix), prefix),
                Atom::Fuzzy { word, distance } => {
                    prop_assert_eq!(&analyzer.normalize(word), word);
                    prop_assert!((1..=2).contains(distance));
                }
            }
        }
    }

    /// A query without operators has the terms of its text.
    #[test]
    fn plain_words_are_their_terms(words in proptest::collection::vec("[a-zA-Zé]{1,8}", 0..10)) {
        let analyzer = analyzer(Some("english"), &["the", "of"]);
        let text = words.join(" ");
        let mut terms = Vec::new();
        analyzer.tokens(&text, &mut Scratch::new(), |token| terms.push(Atom::Term(token.term.to_owned())));
        let atoms: Vec<_> = parsed(&text, true).clauses.into_iter().map(|clause| clause.atom).collect();
        prop_assert_eq!(atoms, terms.clone());
        // In quotes they are one phrase.
        let quoted = parsed(&format!("\"{text}\""), true);
        prop_assert_eq!(quoted.clauses.len(), terms.len().min(1));
    }
}

#[test]
fn long_phrases_and_many_expansions_are_cut() {
    let words: Vec<String> = (0..100).map(|at| format!("w{at}")).collect();
    let query = parsed(&format!("\"{}\"", words.join(" ")), true);
    let [Clause { atom: Atom::Phrase(terms), .. }] = &query.clauses[..] else { panic!("{query:?}") };
    assert_eq!(terms.len(), MOST_PHRASE_WORDS);
    assert_eq!(terms[MOST_PHRASE_WORDS - 1], (63, "w63".into()));
    let query = parsed(&format!("-\"{} w0\"", words.join(" ")), false);
    let [Clause { atom: Atom::All(terms), .. }] = &query.clauses[..] else { panic!("{query:?}") };
    assert_eq!(terms.len(), MOST_PHRASE_WORDS);
    // The words that were typed first, whatever their alphabetic order.
    for (words, expected) in [(1, "-runner"), (2, "-all(runner far)")] {
        let reading = Reading { words, ..Reading::default() };
        let typed = "-\"runner far and away\"";
        let query = parse(typed, &[], false, reading, &analyzer(None, &[]), &mut Scratch::new());
        assert_eq!(short(&query), expected);
    }
    let query = parsed(&words.join("* "), true);
    let prefixes = query.clauses.iter().filter(|clause| matches!(clause.atom, Atom::Prefix(_))).count();
    assert_eq!((query.clauses.len(), prefixes), (100, MOST_EXPANDED));
    assert_eq!(query.clauses[MOST_EXPANDED].atom, Atom::Term("w32".into()));
}
