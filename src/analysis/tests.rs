use proptest::prelude::*;
use unicode_segmentation::UnicodeSegmentation;

use super::segment::{LETTERS_OF_TWO_BYTES, is_unit, words};
use super::*;

fn analyzer(language: Option<&str>, fold: bool, stop_words: &[&str]) -> Analyzer {
    Analyzer::new(AnalyzerOptions {
        language: language.map(str::to_owned),
        fold,
        stop_words: stop_words.iter().map(|word| word.to_string()).collect(),
        ..AnalyzerOptions::default()
    })
    .unwrap()
}

fn with_compounds(analyzer: &Analyzer, words: &[&str]) -> Analyzer {
    let compounds = words.iter().map(|word| word.to_string()).collect();
    Analyzer::new(AnalyzerOptions { compounds, ..analyzer.options().clone() }).unwrap()
}

type Owned = (String, u32, usize, usize);

fn tokens_with(analyzer: &Analyzer, text: &str, scratch: &mut Scratch) -> Vec<Owned> {
    let mut tokens = Vec::new();
    analyzer.tokens(text, scratch, |t| tokens.push((t.term.to_owned(), t.position, t.start, t.end)));
    tokens
}

fn tokens(analyzer: &Analyzer, text: &str) -> Vec<Owned> {
    tokens_with(analyzer, text, &mut Scratch::new())
}

fn terms(analyzer: &Analyzer, text: &str) -> Vec<String> {
    tokens(analyzer, text).into_iter().map(|token| token.0).collect()
}

#[track_caller]
fn assert_terms(analyzer: &Analyzer, text: &str, expected: &str) {
    assert_eq!(terms(analyzer, text).join(" "), expected, "{text}");
}

/// Words by the crate alone, for texts without units.
fn segments(text: &str) -> Vec<&str> {
    text.split_word_bounds()
        .filter(|segment| segment.contains(char::is_alphanumeric))
        .map(|segment| {
            segment
                .trim_start_matches(|c: char| c.is_whitespace() || (c.is_ascii() && c != '_' && !c.is_alphanumeric()))
        })
        .collect()
}

fn our_segments(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    words(text, |word| {
        let kind = if !text[word.start..word.end].is_ascii() {
            Kind::Unicode
        } else if text[word.start..word.end].contains(|c: char| c.is_ascii_uppercase()) {
            Kind::Capitals
        } else {
            Kind::Lower
        };
        assert_eq!(word.kind, kind, "{text:?}");
        found.push(&text[word.start..word.end]);
    });
    found
}

#[test]
fn letters_of_two_bytes_are_those_of_the_crate() {
    let pieces = |text: String| text.split_word_bounds().count();
    let mut expected = [0u64; 30];
    for code in 0x80..0x800u32 {
        let c = char::from_u32(code).unwrap();
        // Joined to letters, not to a parenthesis (marks are), over a colon (digits are not), not over a quote (Hebrew is);
        // ALetter has some symbols too.
        let letter = pieces(format!("a{c}a")) == 1
            && pieces(format!("({c}")) == 2
            && pieces(format!("{c}:{c}")) == 1
            && pieces(format!("{c}\"{c}")) == 3
            && c.is_alphanumeric();
        expected[code as usize / 64 - 2] |= u64::from(letter) << (code % 64);
    }
    assert_eq!(LETTERS_OF_TWO_BYTES, expected, "{expected:#018X?}");
}

#[test]
fn words_of_ascii() {
    let plain = analyzer(None, false, &[]);
    for (text, expected) in [
        ("", ""),
        (" .,:;'\"_-", ""),
        ("The quick, BROWN fox.", "the quick brown fox"),
        ("can't 'quoted' dogs'", "can't quoted dogs"),
        ("3.14 1,000,000 1.2.3 3. .5", "3.14 1,000,000 1.2.3 3 5"),
        ("a.b U.S.A. e.g. a..b", "a.b u.s.a e.g a b"),
        ("a:b 1:2 a;b 1;2", "a:b 1 2 a b 1;2"),
        ("foo_bar __x__ _ 1_2", "foo_bar __x__ 1_2"),
        ("a1.b2 1a,2b a'1", "a1 b2 1a 2b a 1"),
        ("full-text a/b x@y.org", "full text a b x y.org"),
    ] {
        assert_terms(&plain, text, expected);
    }
    assert_eq!(tokens(&plain, "A, bc"), [("a".to_owned(), 0, 0, 1), ("bc".to_owned(), 1, 3, 5)]);
}

#[test]
fn words_of_unicode() {
    let plain = analyzer(None, false, &[]);
    for (text, expected) in [
        ("Ärger über ÉTÉ", "ärger über été"),
        ("“Hello” — world…no", "hello world no"),
        ("don’t DON’T", "don't don't"),
        ("Ελλάδα ΟΔΟΣ", "ελλάδα οδος"),
        ("ΟΔΟΣ.", "οδος"),
        ("e\u{301}te\u{301}", "été"),
        ("soft\u{AD}hyphen", "softhyphen"),
        ("ПРИВЕТ мир", "привет мир"),
        ("צה\"ל", "צה\"ל"),
        ("한국어 검색", "한국어 검색"),
        ("हिन्दी खोज", "हिन्दी खोज"),
        ("🇩🇪 👩‍🚀 ok", "ok"),
        ("a\u{FFFD}b", "a b"),
    ] {
        assert_terms(&plain, text, expected);
    }
}

#[test]
fn scripts_without_spaces_give_pairs() {
    let plain = analyzer(None, false, &[]);
    for (text, expected) in [
        ("検索語", "検索 索語"),
        ("語", "語"),
        ("第3章", "第 3 章"),
        ("日本。東京", "日本 東京"),
        ("食べる", "食べ べる"),
        ("カタカナ", "カタ タカ カナ"),
        ("Rustで検索", "rust で検 検索"),
        ("ภาษาไทย", "ภา าษ ษา าไ ไท ทย"),
        ("ที่นี่", "ที่นี่"),
        ("๑๒๓", "๑๒๓"),
        ("សួស្តី", "សួស្ ស្តី"),
        ("が\u{3099}か\u{3099}", "が\u{3099}が"),
        ("カ_a", "カ_a"),
    ] {
        assert_terms(&plain, text, expected);
    }
    assert_eq!(
        tokens(&plain, "a 検索語 b"),
        [
            ("a".to_owned(), 0, 0, 1),
            ("検索".to_owned(), 1, 2, 8),
            ("索語".to_owned(), 2, 5, 11),
            ("b".to_owned(), 3, 12, 13)
        ]
    );
}

#[test]
fn folding() {
    let fold = analyzer(None, true, &[]);
    for (text, expected) in [
        ("Ärger ÉTÉ naïve Łódź Ørsted", "arger ete naive lodz orsted"),
        ("Straße STRASSE ẞ", "strasse strasse ss"),
        ("Æsir œuvre Þór", "aesir oeuvre thor"),
        ("ﬁnal ＡＢＣ x²", "final abc x 2"),
        ("й ё ї ѓ за́мок", "й е ї ѓ замок"),
        ("ΟΔΟΣ Ελλάδα", "οδοσ ελλαδα"),
        ("İstanbul ISTANBUL", "istanbul istanbul"),
        ("हिन्दी 한국어", "हिन्दी 한국어"),
        ("がか ｶﾞ", "がか ガ"),
        ("שָׁלוֹם كِتَاب", "שלום كتاب"),
        ("ที่นี่", "ที่นี่"),
    ] {
        assert_terms(&fold, text, expected);
    }
}

#[test]
fn stemming_and_stop_words() {
    let english = analyzer(Some("en"), false, &["The", "of"]);
    assert_eq!(english.options().language.as_deref(), Some("english"));
    let found = tokens(&english, "The running of dogs' THE Houses");
    let found: Vec<_> = found.iter().map(|(term, position, ..)| (&**term, *position)).collect();
    assert_eq!(found, [("run", 1), ("dog", 3), ("hous", 5)]);

    // Folded before it is stemmed: both spellings are one.
    let french = analyzer(Some("french"), true, &["été"]);
    assert_eq!(terms(&french, "nationalité"), terms(&french, "nationalite"));
    assert_terms(&french, "ete Été", "");
    let german = analyzer(Some("german"), false, &[]);
    assert_terms(&german, "Häuser", "haus");
}

#[test]
fn long_words_are_skipped_and_take_a_position() {
    for language in [None, Some("english")] {
        let analyzer = analyzer(language, true, &[]);
        for (word, length) in [("x", 255), ("X", 255), ("1", 255), ("é", 255), ("я", 127)] {
            let long = word.repeat(length + 1);
            let found = tokens(&analyzer, &format!("{} {long} b", &long[word.len()..]));
            assert_eq!(found.len(), 2, "{word}");
            assert_eq!((&*found[1].0, found[1].1), ("b", 2), "{word}");
        }
        // Marks that folding drops do not count, as long as the word is not absurd.
        assert_eq!(terms(&analyzer, &format!("a{}", "\u{301}".repeat(200))), ["a"]);
        assert!(terms(&analyzer, &format!("a{}", "\u{301}".repeat(2000))).is_empty());
    }
}

#[test]
fn invalid_utf8_separates_words() {
    let text = valid_utf8(b"one\xFFtwo \xE2\x80");
    assert_eq!(text, "one\u{FFFD}two \u{FFFD}");
    assert_terms(&analyzer(None, false, &[]), &text, "one two");
}

#[test]
fn options_as_bytes() {
    for analyzer in [
        analyzer(None, false, &[]),
        analyzer(Some("english"), true, &["b", "A", "a", "É", ""]),
        analyzer(Some("tamil"), false, &["x"; 1000]),
        with_compounds(&analyzer(Some("german"), true, &["die"]), &["haus", "Tür", "die", "x"]),
    ] {
        let bytes = analyzer.to_bytes();
        assert_eq!(Analyzer::from_bytes(&bytes).as_ref(), Ok(&analyzer));
        for length in 0..bytes.len() {
            assert!(matches!(Analyzer::from_bytes(&bytes[..length]), Err(Error::Corrupt { .. })), "{length}");
        }
        let longer = [&*bytes, &[0]].concat();
        assert!(matches!(Analyzer::from_bytes(&longer), Err(Error::Corrupt { .. })));
    }
    assert_eq!(analyzer(Some("en"), true, &["É", "b", "e"]), analyzer(Some("english"), true, &["b", "e"]));
    assert_ne!(analyzer(Some("en"), true, &[]), analyzer(Some("porter"), true, &[]));
    assert_ne!(analyzer(None, true, &[]), analyzer(None, false, &[]));
    assert_eq!(analyzer(None, false, &[]).describe(), "version 1, language none");
    let described = analyzer(Some("en"), true, &["a", "b", "c"]).describe();
    assert_eq!(described, "version 1, language english, fold, 3 stop words");
    let compounds = with_compounds(&analyzer(None, true, &["die"]), &["haus", "Tür", "die", "x", "tur"]);
    assert_eq!(compounds.options().compounds, ["haus", "tur"]);
    assert_eq!(compounds.describe(), "version 1, language none, fold, 1 stop word, compounds of 2 words");
    let without = with_compounds(&analyzer(None, true, &[]), &["x"]);
    assert_eq!(without, analyzer(None, true, &[]));
    assert_eq!(without.to_bytes(), analyzer(None, true, &[]).to_bytes());
}

#[test]
fn wrong_options_are_named() {
    let unknown = AnalyzerOptions { language: Some("klingon".to_owned()), ..AnalyzerOptions::default() };
    let Err(Error::Argument(message)) = Analyzer::new(unknown) else { panic!("klingon") };
    assert!(message.contains("\"klingon\"") && message.contains("english, "), "{message}");
    let newer = AnalyzerOptions { version: VERSION + 1, ..AnalyzerOptions::default() };
    assert!(matches!(Analyzer::new(newer), Err(Error::Argument(_))));
    for (word, count) in [("x".to_owned(), 100_001), ("x".repeat(1025), 1024)] {
        let many = AnalyzerOptions { compounds: vec![word; count], ..AnalyzerOptions::default() };
        let Err(Error::Argument(message)) = Analyzer::new(many) else { panic!("{count}") };
        assert!(message.contains("at most 100000 words, of 1048576 bytes"), "{message}");
    }
    let mut bytes = analyzer(None, false, &[]).to_bytes();
    bytes[0] += 1;
    assert!(matches!(Analyzer::from_bytes(&bytes), Err(Error::Argument(_))));
}

#[test]
fn lists_of_stop_words() {
    for language in languages() {
        let Some(list) = stop_words(language) else { continue };
        assert!(list.len() > 80 && list.is_sorted(), "{language}");
        let analyzer = analyzer(Some(language), false, list);
        assert_eq!(analyzer.options().stop_words.len(), list.len(), "{language}: twice, or not normalized");
        assert_terms(&analyzer, &list.join(" "), "");
    }
    assert_eq!(languages().filter(|language| stop_words(language).is_some()).count(), 7);
    assert!(stop_words("klingon").is_none());
}

/// Another version of Unicode gives other words or terms for some texts: [`VERSION`] has to change with it.
#[test]
fn version_of_unicode() {
    assert_eq!(VERSION, 1);
    assert_eq!(unicode_segmentation::UNICODE_VERSION, (17, 0, 0));
    assert_eq!(unicode_normalization::UNICODE_VERSION, (18, 0, 0));
}

#[test]
fn a_scratch_serves_several_analyzers() {
    let mut scratch = Scratch::new();
    let (english, plain) = (analyzer(Some("english"), false, &[]), analyzer(None, false, &["x"]));
    for _ in 0..3 {
        assert_eq!(tokens_with(&english, "houses", &mut scratch)[0].0, "hous");
        assert_eq!(tokens_with(&plain, "houses", &mut scratch)[0].0, "houses");
    }
}

/// Numbers words as they come.
struct Listed<'a> {
    analyzer: &'a Analyzer,
    words: &'a mut Vec<String>,
    found: Vec<(u32, u32)>,
}

impl Taker for Listed<'_> {
    fn number(&mut self, word: &str) -> Result<Option<u32>> {
        assert_eq!(self.analyzer.normalize(word), word);
        self.words.push(word.to_owned());
        Ok(Some(self.words.len() as u32 - 1))
    }

    fn take(&mut self, position: u32, number: u32) -> u32 {
        self.found.push((position, number));
        let word = self.words[number as usize].clone();
        let parts = self.analyzer.parts(&word);
        for (later, part) in (1..).zip(&parts) {
            self.found.push((position + later, self.words.len() as u32));
            self.words.push(word[part.clone()].to_owned());
        }
        parts.len() as u32
    }
}

/// Text of characters that the rules of UAX #29 treat differently.
fn ascii() -> impl Strategy<Value = String> {
    "([abAZ019._,:;'\"_ \t\r\n(-]|[\\x00-\\x7F]){0,60}"
}

fn mixed() -> impl Strategy<Value = String> {
    let c = prop_oneof![
        6 => proptest::sample::select("abZ09._,:;'\"_ \r\n(".chars().collect::<Vec<_>>()),
        4 => proptest::sample::select("éßЖΣς·\u{387}ªµאב\u{5F4}\u{5F3}٣ع\u{301}\u{345}\u{200D}\u{AD}’‘“—…․‧‿\u{2060}½²".chars().collect::<Vec<_>>()),
        1 => proptest::sample::select("한🇩🇪👩🚀हि\u{94D}\u{E0100}\u{3000}ｱー𝒳\u{600}֊".chars().collect::<Vec<_>>()),
        1 => any::<char>(),
    ];
    proptest::collection::vec(c, 0..40).prop_map(|chars| chars.into_iter().collect())
}

fn some_analyzer() -> impl Strategy<Value = Analyzer> {
    let languages = proptest::sample::select(vec![None, Some("english"), Some("german"), Some("greek")]);
    (languages, any::<[bool; 4]>()).prop_map(|(language, [fold, stop, parts, compounds])| {
        let options = analyzer(language, fold, if stop { &["a", "b"] } else { &[] }).options().clone();
        let analyzer = Analyzer::new(AnalyzerOptions { parts, ..options }).unwrap();
        // Of letters that the texts have.
        with_compounds(&analyzer, if compounds { &["ab", "bZ", "é9", "ßa", "ss"] } else { &[] })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn words_of_ascii_are_those_of_the_crate(text in ascii()) {
        prop_assert_eq!(our_segments(&text), segments(&text));
    }

    #[test]
    fn words_are_those_of_the_crate(text in mixed()) {
        // Pairs of units have a test of their own.
        let text = text.replace(is_unit, " ");
        prop_assert_eq!(our_segments(&text), segments(&text));
    }

    #[test]
    fn a_mark_after_spaces_is_a_word_without_them(spaces in "[ \u{3000}\u{2003}]{0,4}", after in "[ab]{0,2}") {
        let text = format!("x{spaces}\u{345}{after}");
        prop_assert_eq!(our_segments(&text), segments(&text));
    }

    /// Runs by their definition: a run of n units is n − 1 pairs, or one unit.
    #[test]
    fn pairs_cover_runs(runs in proptest::collection::vec(
        proptest::collection::vec(proptest::sample::select(vec!["検", "が", "か\u{3099}", "カ", "ー", "ก", "ที่", "々"]), 1..6), 1..5)) {
        let text = runs.iter().map(|run| run.concat()).collect::<Vec<_>>().join("。");
        let expected: Vec<String> = runs.iter().flat_map(|run| match &run[..] {
            [unit] => vec![unit.to_string()],
            run => run.windows(2).map(|pair| pair.concat()).collect(),
        }).collect();
        let mut found = Vec::new();
        words(&text, |word| found.push(text[word.start..word.end].to_owned()));
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn tokens_are_in_order_and_within_bounds(text in mixed(), analyzer in some_analyzer()) {
        let mut scratch = Scratch::new();
        let found = tokens_with(&analyzer, &text, &mut scratch);
        let mut count = 0;
        analyzer.words(&text, |_, _, _| count += 1);
        // Words, and parts of the word before them.
        let (mut words, mut parts_of) = (Vec::new(), Vec::<Vec<(usize, usize)>>::new());
        analyzer.tokens(&text, &mut Scratch::new(), |token| match token.is_part {
            true => parts_of.last_mut().unwrap().push((token.start, token.end)),
            false => {
                words.push((token.start, token.end));
                parts_of.push(Vec::new());
            }
        });
        count += parts_of.iter().map(Vec::len).sum::<usize>() as u32;
        for (term, position, start, end) in &found {
            prop_assert!((1..=MAX_TERM).contains(&term.len()) && *position < count && start < end);
            prop_assert!(text.get(*start..*end).is_some());
        }
        prop_assert!(found.windows(2).all(|pair| pair[0].1 < pair[1].1));
        prop_assert!(words.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1));
        for ((start, end), parts) in words.into_iter().zip(parts_of) {
            prop_assert!(parts.len() != 1 && parts.iter().all(|part| part.0 >= start && part.1 <= end));
            let is_whole = |part: &(usize, usize)| *part == (start, end);
            prop_assert!(parts.windows(2).all(|pair| pair[0].1 <= pair[1].0 || is_whole(&pair[0]) && is_whole(&pair[1])));
        }
        // The cache changes nothing.
        prop_assert_eq!(tokens_with(&analyzer, &text, &mut scratch), found);
    }

    /// A word is cut where its definition says, and nothing but the marks is lost.
    #[test]
    fn parts_are_those_of_the_definition(word in "[aZé09._:]{1,9}") {
        let mut found = Vec::new();
        with_parts().words(&word, |start, end, _| found.push(word[start..end].to_owned()));
        let mut expected = Vec::new();
        words(&word, |whole| {
            let chars: Vec<char> = word[whole.start..whole.end].chars().collect();
            let digit = |at: usize| chars.get(at).is_some_and(char::is_ascii_digit);
            let mut parts = vec![String::new()];
            for (at, &c) in chars.iter().enumerate() {
                if "_:".contains(c) || c == '.' && !(at > 0 && digit(at - 1) && digit(at + 1)) {
                    parts.push(String::new());
                } else if let Some(last) = parts.last_mut() {
                    last.push(c);
                }
            }
            parts.retain(|part| !part.is_empty());
            if parts.iter().all(|part| part.chars().count() == 1) {
                parts = vec![chars.into_iter().collect()];
            }
            expected.extend(parts);
        });
        prop_assert_eq!(found, expected);
    }

    /// Words as they were written lead to the same terms.
    #[test]
    fn numbered_words_have_the_stems_that_texts_have(texts in proptest::collection::vec(mixed(), 1..4), analyzer in some_analyzer()) {
        let (mut scratch, mut numbers) = (Scratch::new(), Numbers::default());
        let mut words: Vec<Vec<String>> = vec![Vec::new(); 2];
        for (at, text) in texts.iter().chain(&texts).enumerate() {
            let space = at % 2;
            let mut taker = Listed { analyzer: &analyzer, words: &mut words[space], found: Vec::new() };
            analyzer.numbered(text, &mut numbers, space as u8, &mut taker).unwrap();
            let Listed { found, words, .. } = taker;
            let found: Vec<_> = found.into_iter().map(|(position, number)| {
                (analyzer.stem(&words[number as usize]).into_owned(), position)
            }).collect();
            let expected = tokens_with(&analyzer, text, &mut scratch);
            prop_assert_eq!(found, expected.into_iter().map(|(term, position, ..)| (term, position)).collect::<Vec<_>>());
        }
    }

    #[test]
    fn normalizing_twice_is_normalizing_once(word in mixed(), fold: bool) {
        let analyzer = analyzer(None, fold, &[]);
        let once = analyzer.normalize(&word);
        prop_assert_eq!(analyzer.normalize(&once), &*once);
        // Composed and decomposed are the same.
        use unicode_normalization::UnicodeNormalization;
        prop_assert_eq!(analyzer.normalize(&word.nfd().collect::<String>()), once);
    }
}

#[test]
fn languages_of_texts() {
    for (text, expected) in [
        ("It was the best of times, it was the worst of times, it was the age of wisdom.", Some("english")),
        ("Wer immer strebend sich bemüht, den können wir erlösen, sagen die Engel im letzten Akt.", Some("german")),
        (
            "Longtemps, je me suis couché de bonne heure. Parfois, à peine ma bougie éteinte, mes yeux se fermaient si vite que je n'avais pas le temps de me dire : « Je m'endors. »",
            Some("french"),
        ),
        (
            "En un lugar de la Mancha, de cuyo nombre no quiero acordarme, no ha mucho tiempo que vivía.",
            Some("spanish"),
        ),
        (
            "Все счастливые семьи похожи друг на друга, каждая несчастливая семья несчастлива по-своему. Все смешалось в доме. Жена узнала, что муж был в связи с бывшею в их доме гувернанткой, и объявила мужу, что не может жить с ним в одном доме.",
            Some("russian"),
        ),
        (
            "Det var en gang en konge som hadde hørt om et skip som gikk like fort til lands som til vanns. Han ville gjerne ha et slikt skip, og lovte ut kongsdatteren og halve riket til den som kunne bygge det.",
            Some("norwegian"),
        ),
        // There is no stemmer.
        ("私は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。", None),
        ("", None),
        ("12345 !?", None),
    ] {
        assert_eq!(detect(text), expected, "{text}");
    }
    // Cut within a character.
    assert_eq!(detect(&"é".repeat(5000)), detect(&"é".repeat(2048)));
}

fn with_parts() -> Analyzer {
    Analyzer::new(AnalyzerOptions { parts: true, ..AnalyzerOptions::default() }).unwrap()
}

#[test]
fn words_that_marks_join_are_several() {
    let analyzer = with_parts();
    for (text, expected) in [
        ("End of a sentence.Another one", "end of a sentence another one"),
        ("mary_jones@mail.example.com", "mary jones mail example com"),
        ("report_2024-final.tar.gz", "report 2024 final tar gz"),
        ("Postings::Index::open", "postings index open"),
        ("__init__ _private", "init private"),
        ("2.50 1.5kg v1.2 a:b2:c", "2.50 1.5kg v1.2 a b2 c"),
        ("U.S.A e.g. i.e", "u.s.a e.g i.e"),
        ("don't 検索.語", "don't 検索 語"),
    ] {
        assert_eq!(terms(&analyzer, text).join(" "), expected, "{text}");
    }
    // Positions are those of the parts, so that a query's word is the phrase of its parts.
    let positions = |text: &str| tokens(&analyzer, text).iter().map(|token| token.1).collect::<Vec<_>>();
    assert_eq!(positions("see sentence.Another thing"), [0, 1, 2, 3]);
    assert_eq!(Analyzer::from_bytes(&analyzer.to_bytes()), Ok(analyzer.clone()));
    assert_eq!(analyzer.describe(), "version 1, language none, parts");
    // Indexes of releases without parts have the same bytes as before.
    assert_eq!(analyzer.to_bytes()[4], 2);
    assert_eq!(super::tests::analyzer(None, true, &[]).to_bytes()[4], 1);
}

/// Words whose first and last bytes agree, and of every length, have entries of their own or none.
#[test]
fn the_cache_tells_words_apart() {
    let analyzer = analyzer(Some("english"), false, &["stop"]);
    let mut scratch = Scratch::new();
    for _ in 0..2 {
        for length in 1..=40 {
            for change in 0..length {
                let word: String = (0..length).map(|at| if at == change { 'Q' } else { 'z' }).collect();
                let found = tokens_with(&analyzer, &word, &mut scratch);
                assert_eq!(found[0].0, word.to_lowercase());
            }
        }
        assert!(tokens_with(&analyzer, "STOP stop", &mut scratch).is_empty());
    }
}

/// Quadratic scanning would take hours.
#[test]
fn long_texts() {
    let options = analyzer(Some("english"), true, &["x"]).options().clone();
    let analyzers = [false, true].map(|parts| {
        let analyzer = Analyzer::new(AnalyzerOptions { parts, ..options.clone() }).unwrap();
        with_compounds(&analyzer, if parts { &["xx", "ee", "xxxxxx"] } else { &[] })
    });
    let mut scratch = Scratch::new();
    for piece in [
        "x",
        "é",
        "a.",
        "a_",
        "a\u{301}",
        "\u{301}",
        "“",
        "語",
        "カ",
        "ที",
        "א\"",
        "1,",
        "_",
        "a ",
        "é’",
        "ﷺ",
        "🇩",
        "👩\u{200D}",
        ":",
    ] {
        let text = piece.repeat(2_000_000 / piece.len());
        for analyzer in &analyzers {
            let mut count = 0;
            analyzer.tokens(&text, &mut scratch, |_| count += 1);
            assert!(count <= text.len());
        }
    }
}
