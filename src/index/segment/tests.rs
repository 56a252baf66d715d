//! Whole segments against the shortest definition of what they hold, and under damage.

use super::*;
use crate::analysis::{Analyzer, AnalyzerOptions, Scratch};
use crate::base::earth::Point;
use crate::base::error::Error;
use crate::index::list::{Codecs, Decoded};
use crate::index::{Document, Field, Id, Kind, Value, length};
use frequent::frequent_of;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

mod codecs;
mod collisions;
mod damage;
mod frequent;
mod pairs;

type Counts = BTreeMap<Vec<u8>, u64>;
type Terms = BTreeMap<Vec<u8>, Vec<(u32, Vec<u32>)>>;

/// All that a segment holds.
#[derive(Debug, PartialEq)]
pub(super) struct Contents {
    terms: Vec<Terms>,
    counts: Vec<FieldCounts>,
    lengths: Vec<Vec<u8>>,
    numbers: Vec<Vec<Vec<f64>>>,
    points: Vec<Vec<Option<Point>>>,
    pub ids: Vec<Id>,
    stored: Vec<Vec<(usize, Value)>>,
    pub ordinals: Vec<u32>,
    /// Per field, whether all words are known, and the documents with each.
    words: Vec<Option<(bool, Counts)>>,
}

pub(super) fn schema(positions: bool) -> Arc<Schema> {
    let field = |name: &str, kind, stored| Field { stored, ..Field::new(name, kind) };
    let fields = vec![
        field("body", Kind::Text, false),
        field("lang", Kind::Keyword, true),
        field("title", Kind::Text, true),
        field("price", Kind::Numeric, true),
        field("rare", Kind::Numeric, false),
    ];
    let analyzer = Analyzer::new(AnalyzerOptions::default()).unwrap();
    Arc::new(Schema { fields, positions, codecs: Codecs::default(), analyzer })
}

/// The same with an analyzer that stems.
pub(super) fn english(positions: bool) -> Arc<Schema> {
    let language = Some("english".to_owned());
    let analyzer = Analyzer::new(AnalyzerOptions { language, ..AnalyzerOptions::default() }).unwrap();
    Arc::new(Schema { analyzer, ..Schema::clone(&schema(positions)) })
}

/// What a segment of these documents holds, in that order; `ordinals` are their ranks in the order of insertion.
pub(super) fn definition(documents: &[(Id, Document)], ordinals: Vec<u32>, schema: &Schema) -> Contents {
    let empty = || vec![Vec::new(); schema.fields.len()];
    let mut contents = Contents {
        terms: vec![Terms::new(); schema.fields.len()],
        counts: vec![FieldCounts::default(); schema.fields.len()],
        lengths: empty(),
        numbers: vec![Vec::new(); schema.fields.len()],
        points: vec![Vec::new(); schema.fields.len()],
        ids: documents.iter().map(|(id, _)| id.clone()).collect(),
        stored: documents
            .iter()
            .map(|(_, document)| document.values.iter().filter(|(f, _)| schema.fields[*f].stored).cloned().collect())
            .collect(),
        ordinals,
        words: vec![None; schema.fields.len()],
    };
    for (field, _) in schema.fields.iter().enumerate().filter(|(_, field)| field.kind == Kind::Text) {
        if schema.analyzer.stems() {
            contents.words[field] = Some(written(documents, field, schema));
        }
    }
    let mut scratch = Scratch::default();
    for (doc, (_, document)) in (0..).zip(documents) {
        for (field, Field { kind, .. }) in schema.fields.iter().enumerate() {
            let value = document.values.iter().find(|(number, _)| *number == field).map(|(_, value)| value);
            let mut occurrences: Vec<(Vec<u8>, u32)> = Vec::new();
            match value {
                Some(Value::Text(text)) => {
                    let text = String::from_utf8_lossy(text);
                    schema.analyzer.tokens(&text, &mut scratch, |token| {
                        occurrences.push((token.term.as_bytes().to_vec(), token.position));
                    });
                }
                Some(Value::Tokens(tokens)) => occurrences.extend(tokens.iter().cloned().zip(0..)),
                Some(Value::Keywords(values)) => {
                    occurrences.extend(BTreeSet::from_iter(values).into_iter().map(|value| (value.clone(), 0)));
                }
                _ => {}
            }
            occurrences.retain(|(term, _)| *kind == Kind::Keyword || term.len() <= crate::analysis::MAX_TERM);
            let mut numbers: Vec<f64> = match value {
                Some(Value::Number(number)) => vec![*number],
                Some(Value::List(many)) => many.iter().filter_map(Value::number).collect(),
                _ => Vec::new(),
            };
            numbers.sort_by(f64::total_cmp);
            numbers.dedup();
            let point = match value {
                Some(Value::Point(lat, lng)) => Point::new(*lat, *lng),
                _ => None,
            };
            let counts = &mut contents.counts[field];
            counts.documents += u32::from(!occurrences.is_empty() || !numbers.is_empty() || point.is_some());
            match kind {
                Kind::Text => {
                    contents.lengths[field].push(length::encode(occurrences.len() as u32));
                    counts.tokens += occurrences.len() as u64;
                }
                Kind::Numeric => contents.numbers[field].push(numbers),
                Kind::Geo => contents.points[field].push(point),
                Kind::Keyword | Kind::Stored | Kind::Vector | Kind::Weights => {}
            }
            for (term, position) in occurrences {
                let postings = contents.terms[field].entry(term).or_default();
                match postings.last_mut() {
                    Some((last, positions)) if *last == doc => positions.push(position),
                    _ => postings.push((doc, vec![position])),
                }
            }
        }
    }
    for (field, Field { kind, .. }) in schema.fields.iter().enumerate() {
        contents.counts[field].terms = contents.terms[field].len() as u64;
        for (_, positions) in contents.terms[field].values_mut().flatten() {
            match (kind, schema.positions) {
                (Kind::Keyword, _) => positions.clear(),
                // The frequency alone.
                (_, false) => *positions = vec![0; positions.len()],
                _ => {}
            }
        }
    }
    contents
}

/// The words of a field as they were written.
fn written(documents: &[(Id, Document)], field: usize, schema: &Schema) -> (bool, BTreeMap<Vec<u8>, u64>) {
    let (mut all_known, mut words) = (true, BTreeMap::new());
    for (_, document) in documents {
        match document.values.iter().find(|(number, _)| *number == field) {
            Some((_, Value::Text(text))) => {
                let text = String::from_utf8_lossy(text);
                let mut different = BTreeSet::new();
                schema.analyzer.words(&text, |start, end, _| {
                    let word = schema.analyzer.normalize(&text[start..end]).into_bytes();
                    if (1..=crate::analysis::MAX_TERM).contains(&word.len()) {
                        different.insert(word);
                    }
                });
                different.into_iter().for_each(|word| *words.entry(word).or_default() += 1);
            }
            Some((_, Value::Tokens(tokens))) => {
                all_known &= tokens.iter().all(|term| term.len() > crate::analysis::MAX_TERM);
            }
            _ => {}
        }
    }
    (all_known, words)
}

/// Reads everything.
pub(super) fn contents(segment: &Segment) -> Result<Contents> {
    segment.check_file()?;
    let schema = segment.schema().clone();
    let documents = 0..segment.documents();
    let mut contents = Contents {
        terms: Vec::new(),
        counts: Vec::new(),
        lengths: Vec::new(),
        numbers: Vec::new(),
        points: Vec::new(),
        ids: documents.clone().map(|doc| segment.id(doc)).collect::<Result<_>>()?,
        stored: documents.clone().map(|doc| segment.stored(doc)).collect::<Result<_>>()?,
        ordinals: documents.clone().map(|doc| segment.ordinal(doc)).collect::<Result<_>>()?,
        words: Vec::new(),
    };
    for field in 0..schema.fields.len() {
        contents.words.push(match segment.words(field)? {
            None => None,
            Some(words) => {
                let (mut words_of, mut all) = (words.map().terms()?, BTreeMap::new());
                while let Some((word, value, ())) = words_of.next()? {
                    all.insert(word.to_vec(), Words::documents(value));
                }
                Some((words.all_known(), all))
            }
        });
        frequent_of(segment, field)?;
    }
    if let Some(ordinals) = segment.ordinals()? {
        assert_eq!(ordinals, contents.ordinals);
    }
    for (doc, id) in documents.clone().zip(&contents.ids) {
        assert_eq!(segment.find(id)?, Some(doc), "{id:?}");
    }
    for absent in [Id::Int(i64::MIN + 5), Id::Bytes(b"nowhere".as_slice().into()), Id::Int(-99)] {
        if !contents.ids.contains(&absent) {
            assert_eq!(segment.find(&absent)?, None);
        }
    }
    let mut decoded = Decoded::default();
    for (field, Field { kind, .. }) in schema.fields.iter().enumerate() {
        let mut terms = Terms::new();
        if kind.has_terms() {
            let mut all = segment.dictionary(field)?.terms()?;
            while let Some((term, value, ())) = all.next()? {
                assert_eq!(segment.term(field, term)?, Some(value));
                segment.decode(field, value, &mut decoded)?;
                let mut positions = decoded.positions.iter().copied();
                let frequencies = decoded.frequencies.iter().copied().chain(std::iter::repeat(0));
                let postings = decoded.doc_ids.iter().zip(frequencies);
                let posting = |(&doc, frequency): (&u32, u32)| match schema.positions {
                    true => (doc, positions.by_ref().take(frequency as usize).collect()),
                    false => (doc, vec![0; frequency as usize]),
                };
                terms.insert(term.to_vec(), postings.map(posting).collect());
            }
        }
        contents.terms.push(terms);
        contents.counts.push(segment.counts(field)?);
        contents.lengths.push(if *kind == Kind::Text { segment.lengths(field)?.to_vec() } else { Vec::new() });
        contents.numbers.push(match kind {
            Kind::Numeric => {
                let column = segment.column(field)?;
                documents.clone().map(|doc| column.all_of(doc).collect()).collect()
            }
            _ => Vec::new(),
        });
        contents.points.push(match kind {
            Kind::Geo => {
                let column = segment.points(field)?.all()?;
                documents.clone().map(|doc| column.get(doc)).collect()
            }
            _ => Vec::new(),
        });
    }
    Ok(contents)
}

pub(super) fn words(of: &'static [&'static str], most: usize) -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop::sample::select(of), 0..most).prop_map(|words| words.join(" ").into_bytes())
}

pub(super) fn an_id() -> impl Strategy<Value = Id> {
    prop_oneof![
        4 => (0i64..60).prop_map(Id::Int),
        1 => any::<i64>().prop_map(Id::Int),
        3 => prop::collection::vec(any::<u8>(), 0..12).prop_map(|bytes| Id::Bytes(bytes.into())),
        1 => (0i64..60).prop_map(|int| Id::Bytes(int.to_le_bytes().into())),
    ]
}

pub(super) fn a_document() -> impl Strategy<Value = Document> {
    const WORDS: &[&str] =
        &["a", "b", "quick", "brown", "Fox", "internationalisation", "foxes", "über", "\u{0}", "x1", "2024"];
    let tokens = || prop::collection::vec(prop::collection::vec(any::<u8>(), 0..10), 0..6);
    let number = prop_oneof![
        (-1000i32..1000).prop_map(f64::from),
        prop::num::f64::NORMAL,
        Just(9_007_199_254_740_992.0),
        Just(-9_007_199_254_740_992.0)
    ];
    let long = prop::sample::select(vec![254usize, 255, 256, 300]).prop_map(|length| vec![b'l'; length]);
    let body = prop_oneof![
        5 => words(WORDS, 60).prop_map(Value::Text),
        1 => tokens().prop_map(Value::Tokens),
        1 => prop::collection::vec(long, 0..4).prop_map(Value::Tokens),
        1 => prop::collection::vec(any::<u8>(), 0..40).prop_map(Value::Text)
    ];
    (
        prop::option::of(body),
        prop::option::of(prop_oneof![tokens(), prop::collection::vec(prop::collection::vec(97u8..110, 0..2), 0..60)]),
        prop::option::of(words(WORDS, 8)),
        prop::option::of(number),
        prop::option::weighted(0.2, prop::collection::vec(0i32..20, 0..5)),
    )
        .prop_map(|(body, lang, title, price, rare)| {
            let values = [
                (3, price.map(Value::Number)),
                (0, body),
                (1, lang.map(Value::Keywords)),
                (2, title.map(Value::Text)),
                (
                    4,
                    rare.map(|rare| match rare[..] {
                        [rare] => Value::Number(rare.into()),
                        _ => Value::List(rare.into_iter().map(|rare| Value::Number(rare.into())).collect()),
                    }),
                ),
            ];
            Document { values: values.into_iter().filter_map(|(field, value)| Some((field, value?))).collect() }
        })
}

/// Documents in the order of insertion, after replacements.
pub(super) fn alive(documents: &[(Id, Document)], removed: &BTreeSet<Id>) -> Vec<(Id, Document)> {
    let last = |i: usize| documents[i + 1..].iter().all(|(id, _)| *id != documents[i].0);
    let alive = (0..documents.len()).filter(|&i| last(i) && !removed.contains(&documents[i].0));
    alive.map(|i| documents[i].clone()).collect()
}

pub(super) fn opened(folder: &Path) -> Folder {
    Folder::open_to_write(folder).unwrap()
}

/// Builds and opens a segment.
pub(super) fn build(
    folder: &Path,
    number: u64,
    documents: &[(Id, Document)],
    schema: &Arc<Schema>,
) -> Option<Arc<Segment>> {
    build_as(Form::Segment, folder, number, documents, schema)
}

/// Builds and opens a file of that form.
fn build_as(
    form: Form,
    folder: &Path,
    number: u64,
    documents: &[(Id, Document)],
    schema: &Arc<Schema>,
) -> Option<Arc<Segment>> {
    let mut builder = SegmentBuilder::new(schema.clone());
    for (id, document) in documents {
        builder.add(id, document).unwrap();
    }
    let folder = opened(folder);
    let meta = builder.finish(&folder, number, form).unwrap()?;
    let name = format!("{number}.segment");
    let segment = Segment::open_as(form, &folder, &name, &meta, schema.clone()).unwrap();
    let other = if form == Form::Run { Form::Segment } else { Form::Run };
    let error = Segment::open_as(other, &folder, &name, &meta, schema.clone()).unwrap_err();
    assert!(matches!(error, Error::Corrupt { .. }) && error.to_string().contains("not those of a"), "{error}");
    Some(segment)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn what_was_added_is_there(
        documents in prop::collection::vec((an_id(), a_document()), 0..120),
        removed in prop::collection::btree_set(an_id(), 0..5),
        positions in any::<bool>(),
        stems in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let schema = if stems { english(positions) } else { schema(positions) };
        let mut builder = SegmentBuilder::new(schema.clone());
        for (id, document) in &documents {
            builder.add(id, document).unwrap();
        }
        for id in &removed {
            let there = documents.iter().any(|(other, _)| other == id);
            prop_assert_eq!(builder.remove(id), there);
            prop_assert!(!builder.remove(id));
        }
        let alive = alive(&documents, &removed);
        prop_assert_eq!(builder.documents(), alive.len());
        let path = folder.path().join("7.segment");
        let meta = builder.finish(&opened(folder.path()), 7, Form::Segment).unwrap();
        prop_assert_eq!(meta.map(|meta| meta.documents as usize), (!alive.is_empty()).then_some(alive.len()));
        prop_assert_eq!(path.exists(), meta.is_some());
        if let Some(meta) = meta {
            let segment = Segment::open(&path, &meta, schema.clone()).unwrap();
            let mut expected = definition(&alive, (0..meta.documents).collect(), &schema);
            if [0, 2].iter().all(|&field| written(&documents, field, &schema).1.is_empty()) {
                expected.words.fill(None);
            }
            prop_assert_eq!(contents(&segment).unwrap(), expected);
            prop_assert!(segment.id(meta.documents).is_err() && segment.stored(u32::MAX).is_err());
            prop_assert_eq!(segment.number(3, meta.documents).unwrap(), None);
        }
    }
}

#[test]
fn ids_replaced_in_ascending_order() {
    let (schema, folder) = (schema(true), tempfile::tempdir().unwrap());
    let document = |text: &str| Document { values: vec![(2, Value::Text(text.into()))] };
    let mut builder = SegmentBuilder::new(schema.clone());
    for i in 0..10 {
        builder.add(&Id::Int(i), &document(&i.to_string())).unwrap();
    }
    assert!(builder.remove(&Id::Int(9)) && !builder.remove(&Id::Int(10)));
    builder.add(&Id::Int(9), &document("again")).unwrap();
    builder.add(&Id::Int(3), &document("three")).unwrap();
    builder.add(&Id::Int(3), &document("third")).unwrap();
    let path = folder.path().join("1.segment");
    let meta = builder.finish(&opened(folder.path()), 1, Form::Segment).unwrap().unwrap();
    let segment = Segment::open(&path, &meta, schema).unwrap();
    let ids: Vec<Id> = (0..segment.documents()).map(|doc| segment.id(doc).unwrap()).collect();
    assert_eq!(ids, [0, 1, 2, 4, 5, 6, 7, 8, 9, 3].map(Id::Int));
    assert_eq!(segment.stored(8).unwrap(), document("again").values);
    assert_eq!(segment.stored(9).unwrap(), document("third").values);
    assert_eq!(segment.find(&Id::Int(3)).unwrap(), Some(9));
    assert_eq!((segment.term(2, b"three").unwrap(), segment.term(2, b"5").unwrap().is_some()), (None, true));
}

#[test]
fn what_does_not_suit_is_refused_and_changes_nothing() {
    let schema = schema(true);
    let mut builder = SegmentBuilder::new(schema);
    let text = || Value::Text(b"text".to_vec());
    let wrong = [
        vec![(5, text())],
        vec![(0, text()), (0, text())],
        vec![(1, Value::Text(vec![b'k'; LONGEST + 1]))],
        vec![(3, text())],
        vec![(3, Value::Int(i64::MIN))],
        vec![(0, Value::Bool(true))],
        vec![(1, Value::List(vec![Value::List(vec![])]))],
        vec![(3, Value::Number(f64::NAN))],
        vec![(3, Value::Number(f64::INFINITY))],
        vec![(0, text()), (1, Value::Keywords(vec![vec![b'k'; LONGEST + 1]]))],
    ];
    const LONGEST: usize = crate::index::LONGEST_KEYWORD;
    builder.add(&Id::Int(1), &Document { values: vec![(1, Value::Keywords(vec![vec![b'k'; LONGEST]]))] }).unwrap();
    for values in wrong {
        assert!(matches!(builder.add(&Id::Int(1), &Document { values }), Err(Error::Argument(_))));
    }
    assert_eq!(builder.documents(), 1);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("1.segment");
    builder.finish(&opened(folder.path()), 1, Form::Segment).unwrap().unwrap();
    let other = SegmentBuilder::new(super::tests::schema(true));
    assert_eq!(other.finish(&opened(folder.path()), 2, Form::Segment), Ok(None));
    let mut third = SegmentBuilder::new(super::tests::schema(true));
    third.add(&Id::Int(1), &Document::default()).unwrap();
    assert!(
        matches!(third.finish(&opened(folder.path()), 1, Form::Segment), Err(Error::File { .. })),
        "a file that is there is not overwritten"
    );
    assert!(path.exists());
}

/// Bits of deleted documents.
fn bits(deleted: &[u32], documents: u32) -> Vec<u64> {
    let mut words = vec![0; documents.div_ceil(64) as usize];
    deleted.iter().filter(|&&doc| doc < documents).for_each(|&doc| words[doc as usize / 64] |= 1 << (doc % 64));
    words
}

/// Words that take more than the writer gathers before it writes.
#[test]
fn many_words_beside_stems() {
    let folder = tempfile::tempdir().unwrap();
    let schema = english(false);
    let word = |i: u64| format!("{:013x}q", hash::hash(7, &i.to_le_bytes()) >> 12);
    let text = |doc: u64| (0..2000).map(|i| word(2000 * doc + i)).collect::<Vec<_>>().join(" ");
    let documents: Vec<(Id, Document)> = (0..60)
        .map(|doc| (Id::Int(doc as i64), Document { values: vec![(0, Value::Text(text(doc).into()))] }))
        .collect();
    let built = build(folder.path(), 1, &documents, &schema).unwrap();
    let run = build_as(Form::Run, folder.path(), 2, &documents, &schema).unwrap();
    let merged = |input: &Arc<Segment>, number: u64| {
        let meta = merge(&[(input.clone(), None)], &opened(folder.path()), number, &schema, None, 1).unwrap().unwrap();
        Segment::open(&folder.path().join(format!("{number}.segment")), &meta, schema.clone()).unwrap()
    };
    for segment in [merged(&built, 3), merged(&run, 4), built] {
        let words = segment.words(0).unwrap().unwrap();
        assert!(words.all_known() && words.map().bytes() > 1 << 20);
        assert_eq!(words.map().len(), 120_000);
    }
}

/// A permutation that depends on the numbers.
fn shuffled(documents: usize, seed: u64) -> Vec<u32> {
    let mut order: Vec<u32> = (0..documents as u32).collect();
    order.sort_by_key(|&doc| hash::hash(seed, &doc.to_le_bytes()));
    order
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
    #[test]
    fn merged_segments_are_like_one(
        parts in prop::collection::vec(prop::collection::vec(a_document(), 1..60), 1..5),
        deleted in prop::collection::vec(prop::option::of(prop::collection::vec(0u32..60, 0..40)), 5),
        positions in any::<bool>(),
        ascending in any::<bool>(),
        threads in 1usize..4,
        seed in any::<u64>(),
    ) {
        let (schema, folder) = (schema(positions), tempfile::tempdir().unwrap());
        let mut next = 0;
        let mut all = Vec::new();
        let mut inputs = Vec::new();
        let deleted: Vec<Option<Vec<u64>>> =
            parts.iter().zip(&deleted).map(|(part, deleted)| Some(bits(deleted.as_ref()?, part.len() as u32))).collect();
        for ((number, part), deleted) in (0..).zip(&parts).zip(&deleted) {
            let documents: Vec<(Id, Document)> = part.iter().map(|document| {
                next += 1;
                let id = if ascending || next % 3 == 0 { Id::Int(next) } else { Id::Bytes(next.to_string().into_bytes().into()) };
                (id, document.clone())
            }).collect();
            inputs.push((build(folder.path(), number, &documents, &schema).unwrap(), deleted.as_deref()));
            let alive = |doc: u32| deleted.as_ref().is_none_or(|words| words[doc as usize / 64] >> (doc % 64) & 1 == 0);
            all.extend((0..).zip(documents).filter(|(doc, _)| alive(*doc)).map(|(_, document)| document));
        }
        let count = all.len();
        let merged = |inputs: &[Input], number: u64, permutation: Option<&[u32]>| {
            let path = folder.path().join(format!("{number}.segment"));
            let meta = merge(inputs, &opened(folder.path()), number, &schema, permutation, threads).unwrap()?;
            Some(Segment::open(&path, &meta, schema.clone()).unwrap())
        };
        let Some(one) = merged(&inputs, 10, None) else {
            prop_assert_eq!(count, 0);
            return Ok(());
        };
        prop_assert_eq!(contents(&one).unwrap(), definition(&all, (0..count as u32).collect(), &schema));
        let built = build(folder.path(), 11, &all, &schema).unwrap();
        let read = |number: u64| std::fs::read(folder.path().join(format!("{number}.segment"))).unwrap();
        prop_assert!(read(10) == read(11), "the same bytes");
        prop_assert_eq!(one.meta().footer_crc, built.meta().footer_crc);

        let order = shuffled(count, seed);
        let by = |order: &[u32]| order.iter().map(|&rank| all[rank as usize].clone()).collect::<Vec<_>>();
        let reordered = merged(&inputs, 12, Some(&order)).unwrap();
        prop_assert_eq!(contents(&reordered).unwrap(), definition(&by(&order), order.clone(), &schema));
        // Back to the order of insertion, and to another one.
        let identity: Vec<u32> = (0..count as u32).collect();
        let back = merged(&[(reordered.clone(), None)], 13, Some(&identity)).unwrap();
        prop_assert_eq!(contents(&back).unwrap(), definition(&all, identity, &schema));
        prop_assert!(!back.is_reordered() && read(13) == read(11));
        let again = shuffled(count, !seed);
        let another = merged(&[(reordered.clone(), None)], 14, Some(&again)).unwrap();
        prop_assert_eq!(contents(&another).unwrap(), definition(&by(&again), again.clone(), &schema));

        // With others after it, and some documents gone, what is reordered stays so.
        let more: Vec<(Id, Document)> = parts[0].iter().zip(1000..).map(|(document, id)| (Id::Int(id), document.clone())).collect();
        let second = build(folder.path(), 15, &more, &schema).unwrap();
        let gone = bits(&(0..count as u32).filter(|doc| doc % 3 == 1).collect::<Vec<_>>(), count as u32);
        let appended = merged(&[(reordered, Some(&gone)), (second, None)], 16, None).unwrap();
        let kept: Vec<u32> = order.iter().copied().zip(0..).filter(|(_, doc)| doc % 3 != 1).map(|(rank, _)| rank).collect();
        let mut ranks = kept.clone();
        ranks.sort_unstable();
        let ordinals = kept.iter().map(|rank| ranks.binary_search(rank).unwrap()).chain(kept.len()..kept.len() + more.len());
        let expected: Vec<_> = by(&kept).into_iter().chain(more).collect();
        prop_assert_eq!(contents(&appended).unwrap(), definition(&expected, ordinals.map(|rank| rank as u32).collect(), &schema));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
    #[test]
    fn of_runs_becomes_what_becomes_of_segments(
        parts in prop::collection::vec((prop::collection::vec(a_document(), 1..60), any::<bool>()), 1..5),
        deleted in prop::collection::vec(prop::option::of(prop::collection::vec(0u32..60, 0..20)), 5),
        stems in any::<bool>(),
        reorders in any::<bool>(),
        threads in 1usize..4,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let schema = if stems { english(true) } else { schema(true) };
        let bits_of = |(part, deleted): (&(Vec<_>, _), &Option<Vec<u32>>)| Some(bits(deleted.as_ref()?, part.0.len() as u32));
        let deleted: Vec<Option<Vec<u64>>> = parts.iter().zip(&deleted).map(bits_of).collect();
        let become_one = |first: u64, form_of: fn(bool) -> Form| {
            let mut next = 0;
            let mut inputs: Vec<Input> = Vec::new();
            for (((part, is_run), deleted), number) in parts.iter().zip(&deleted).zip(first..) {
                let documents: Vec<_> = part.iter().map(|document| { next += 1; (Id::Int(next), document.clone()) }).collect();
                let built = build_as(form_of(*is_run), folder.path(), number, &documents, &schema).unwrap();
                inputs.push((built, deleted.as_deref()));
            }
            let options = reorder::ReorderOptions { threads, ..Default::default() };
            let order = reorders.then(|| reorder::order(&inputs, &schema, &options).unwrap());
            let meta = merge(&inputs, &opened(folder.path()), first + 9, &schema, order.as_deref(), threads).unwrap();
            meta.map(|_| std::fs::read(folder.path().join(format!("{}.segment", first + 9))).unwrap())
        };
        let of_segments = become_one(0, |_| Form::Segment);
        prop_assert!(become_one(10, |_| Form::Run) == of_segments);
        let as_drawn = |is_run: bool| if is_run { Form::Run } else { Form::Segment };
        prop_assert!(become_one(20, as_drawn) == of_segments);
    }
}

#[test]
fn permutations_that_are_none_are_refused() {
    let (schema, folder) = (schema(true), tempfile::tempdir().unwrap());
    let documents: Vec<_> = (0..3).map(|i| (Id::Int(i), Document::default())).collect();
    let segment = build(folder.path(), 1, &documents, &schema).unwrap();
    let path = folder.path().join("2.segment");
    for permutation in [&[0, 1][..], &[0, 1, 1], &[0, 1, 3], &[0, 1, 2, 3]] {
        let result = merge(&[(segment.clone(), None)], &opened(folder.path()), 2, &schema, Some(permutation), 1);
        assert!(matches!(result, Err(Error::Argument(_))), "{permutation:?}");
        assert!(!path.exists());
    }
    assert_eq!(merge(&[(segment, Some(&[7]))], &opened(folder.path()), 2, &schema, None, 1), Ok(None));
    assert_eq!(merge(&[], &opened(folder.path()), 2, &schema, None, 1), Ok(None));
}
