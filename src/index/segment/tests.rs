//! Whole segments against the shortest definition of what they hold, and under damage.

use super::*;
use crate::analysis::{Analyzer, Options, Scratch};
use crate::index::{Document, Field, length};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

type Terms = BTreeMap<Vec<u8>, Vec<(u32, Vec<u32>)>>;

/// All that a segment holds.
#[derive(Debug, PartialEq)]
pub(super) struct Contents {
    terms: Vec<Terms>,
    counts: Vec<FieldCounts>,
    lengths: Vec<Vec<u8>>,
    numbers: Vec<Vec<Option<f64>>>,
    pub ids: Vec<Id>,
    stored: Vec<Vec<(usize, Value)>>,
    pub ordinals: Vec<u32>,
}

pub(super) fn schema(positions: bool) -> Arc<Schema> {
    let field = |name: &str, kind, stored| Field { name: name.into(), kind, weight: 1.0, stored };
    let fields = vec![
        field("body", Kind::Text, false),
        field("lang", Kind::Keyword, true),
        field("title", Kind::Text, true),
        field("price", Kind::Numeric, true),
        field("rare", Kind::Numeric, false),
    ];
    Arc::new(Schema { fields, positions, analyzer: Analyzer::new(Options::default()).unwrap() })
}

/// What a segment of these documents holds, in that order; `ordinals` are their ranks in the order of insertion.
pub(super) fn definition(documents: &[(Id, Document)], ordinals: Vec<u32>, schema: &Schema) -> Contents {
    let empty = || vec![Vec::new(); schema.fields.len()];
    let mut contents = Contents {
        terms: vec![Terms::new(); schema.fields.len()],
        counts: vec![FieldCounts::default(); schema.fields.len()],
        lengths: empty(),
        numbers: vec![Vec::new(); schema.fields.len()],
        ids: documents.iter().map(|(id, _)| id.clone()).collect(),
        stored: documents
            .iter()
            .map(|(_, document)| document.values.iter().filter(|(f, _)| schema.fields[*f].stored).cloned().collect())
            .collect(),
        ordinals,
    };
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
            occurrences.retain(|(term, _)| *kind == Kind::Keyword || term.len() <= crate::index::LONGEST_TERM);
            let number = if let Some(Value::Number(number)) = value { Some(*number) } else { None };
            let counts = &mut contents.counts[field];
            counts.documents += u32::from(!occurrences.is_empty() || number.is_some());
            match kind {
                Kind::Text => {
                    contents.lengths[field].push(length::encode(occurrences.len() as u32));
                    counts.tokens += occurrences.len() as u64;
                }
                Kind::Numeric => contents.numbers[field].push(number),
                Kind::Keyword => {}
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

/// Reads everything.
pub(super) fn contents(segment: &Segment) -> Result<Contents> {
    use fst::Streamer;
    segment.still_whole()?;
    let schema = segment.schema().clone();
    let documents = 0..segment.documents();
    let mut contents = Contents {
        terms: Vec::new(),
        counts: Vec::new(),
        lengths: Vec::new(),
        numbers: Vec::new(),
        ids: documents.clone().map(|doc| segment.id(doc)).collect::<Result<_>>()?,
        stored: documents.clone().map(|doc| segment.stored(doc)).collect::<Result<_>>()?,
        ordinals: documents.clone().map(|doc| segment.ordinal(doc)).collect::<Result<_>>()?,
    };
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
        if *kind != Kind::Numeric {
            let mut stream = segment.dictionary(field)?.stream();
            while let Some((term, value)) = stream.next() {
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
            Kind::Numeric => documents.clone().map(|doc| segment.number(field, doc)).collect::<Result<_>>()?,
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
    const WORDS: &[&str] = &["a", "b", "quick", "brown", "Fox", "internationalisation", "über", "\u{0}", "x1", "2024"];
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
        prop::option::weighted(0.1, 0i32..100),
    )
        .prop_map(|(body, lang, title, price, rare)| {
            let values = [
                (3, price.map(Value::Number)),
                (0, body),
                (1, lang.map(Value::Keywords)),
                (2, title.map(Value::Text)),
                (4, rare.map(|rare| Value::Number(rare.into()))),
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

/// Builds and opens a segment.
pub(super) fn build(
    folder: &Path,
    number: u64,
    documents: &[(Id, Document)],
    schema: &Arc<Schema>,
) -> Option<Arc<Segment>> {
    let mut builder = SegmentBuilder::new(schema.clone());
    for (id, document) in documents {
        builder.add(id.clone(), document).unwrap();
    }
    let path = folder.join(format!("{number}.segment"));
    let meta = builder.finish(&path, number).unwrap()?;
    Some(Segment::open(&path, &meta, schema.clone()).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn what_was_added_is_there(
        documents in prop::collection::vec((an_id(), a_document()), 0..120),
        removed in prop::collection::btree_set(an_id(), 0..5),
        positions in any::<bool>(),
    ) {
        let (schema, folder) = (schema(positions), tempfile::tempdir().unwrap());
        let mut builder = SegmentBuilder::new(schema.clone());
        for (id, document) in &documents {
            builder.add(id.clone(), document).unwrap();
        }
        for id in &removed {
            let there = documents.iter().any(|(other, _)| other == id);
            prop_assert_eq!(builder.remove(id), there);
            prop_assert!(!builder.remove(id));
        }
        let alive = alive(&documents, &removed);
        prop_assert_eq!(builder.documents(), alive.len());
        let path = folder.path().join("7.segment");
        let meta = builder.finish(&path, 7).unwrap();
        prop_assert_eq!(meta.map(|meta| meta.documents as usize), (!alive.is_empty()).then_some(alive.len()));
        prop_assert_eq!(path.exists(), meta.is_some());
        if let Some(meta) = meta {
            let segment = Segment::open(&path, &meta, schema.clone()).unwrap();
            let expected = definition(&alive, (0..meta.documents).collect(), &schema);
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
        builder.add(Id::Int(i), &document(&i.to_string())).unwrap();
    }
    assert!(builder.remove(&Id::Int(9)) && !builder.remove(&Id::Int(10)));
    builder.add(Id::Int(9), &document("again")).unwrap();
    builder.add(Id::Int(3), &document("three")).unwrap();
    builder.add(Id::Int(3), &document("third")).unwrap();
    let path = folder.path().join("1.segment");
    let meta = builder.finish(&path, 1).unwrap().unwrap();
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
        vec![(1, text())],
        vec![(3, text())],
        vec![(0, Value::Number(1.0))],
        vec![(3, Value::Number(f64::NAN))],
        vec![(3, Value::Number(f64::INFINITY))],
        vec![(0, text()), (1, Value::Keywords(vec![vec![b'k'; LONGEST + 1]]))],
    ];
    const LONGEST: usize = crate::index::LONGEST_KEYWORD;
    builder.add(Id::Int(1), &Document { values: vec![(1, Value::Keywords(vec![vec![b'k'; LONGEST]]))] }).unwrap();
    for values in wrong {
        assert!(matches!(builder.add(Id::Int(1), &Document { values }), Err(Error::Argument(_))));
    }
    assert_eq!(builder.documents(), 1);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("1.segment");
    builder.finish(&path, 1).unwrap().unwrap();
    let other = SegmentBuilder::new(super::tests::schema(true));
    assert_eq!(other.finish(&folder.path().join("2.segment"), 2), Ok(None));
    let mut third = SegmentBuilder::new(super::tests::schema(true));
    third.add(Id::Int(1), &Document::default()).unwrap();
    assert!(matches!(third.finish(&path, 1), Err(Error::File { .. })), "a file that is there is not overwritten");
    assert!(path.exists());
}
