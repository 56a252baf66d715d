//! Which words follow each other.

use super::damage::{forge, names_the_file};
use super::*;
use crate::index::segment::Pair;
use crate::index::segment::format::u32_at;

/// Documents and frequencies, by the words' values of the dictionary.
type Pairs = BTreeMap<(u64, u64), Vec<(u32, u32)>>;

fn values(segment: &Segment, field: usize) -> Result<Vec<u64>> {
    let (mut terms, mut values) = (segment.dictionary(field)?.terms()?, Vec::new());
    while let Some((_, value, ())) = terms.next()? {
        values.push(value);
    }
    Ok(values)
}

/// All pairs that a segment knows something of.
pub(super) fn pairs_of(segment: &Segment, field: usize) -> Result<Pairs> {
    pairs_among(segment, field, &values(segment, field)?)
}

/// The same of some words, which stand beside the commonest one somewhere or could: others have few pairs.
pub(super) fn pairs_of_known(segment: &Segment, field: usize) -> Result<Pairs> {
    let mut counted = Vec::new();
    for value in values(segment, field)? {
        counted.push((segment.documents_with(field, value)?, std::cmp::Reverse(value)));
    }
    let Some(&(_, std::cmp::Reverse(commonest))) = counted.iter().max() else { return Ok(Pairs::new()) };
    let mut known = Vec::new();
    for (_, std::cmp::Reverse(value)) in counted {
        if segment.pair(field, value, commonest)? != Pair::Unknown {
            known.push(value);
        }
    }
    pairs_among(segment, field, &known)
}

fn pairs_among(segment: &Segment, field: usize, values: &[u64]) -> Result<Pairs> {
    let mut pairs = Pairs::new();
    for &first in values {
        for &second in values {
            let documents = match segment.pair(field, first, second)? {
                Pair::Unknown => continue,
                Pair::Nowhere => Vec::new(),
                Pair::List(value) => {
                    let mut decoded = Decoded::default();
                    if let Some(view) = segment.pair_list(field, value, &mut decoded)? {
                        view.append_doc_ids(&mut decoded.doc_ids);
                        view.frequencies.append_to(&mut decoded.frequencies);
                        decoded.frequencies.iter_mut().for_each(|less_one| *less_one = less_one.wrapping_add(1));
                    }
                    decoded.doc_ids.into_iter().zip(decoded.frequencies).collect()
                }
            };
            pairs.insert((first, second), documents);
        }
    }
    Ok(pairs)
}

/// The same of all words, by their positions.
fn by_definition(segment: &Segment, field: usize) -> Pairs {
    let mut words: BTreeMap<(u32, u32), Vec<u64>> = BTreeMap::new();
    for value in values(segment, field).unwrap() {
        let mut decoded = Decoded::default();
        segment.decode(field, value, &mut decoded).unwrap();
        let mut positions = decoded.positions.into_iter();
        for (doc_id, frequency) in decoded.doc_ids.into_iter().zip(decoded.frequencies) {
            for position in positions.by_ref().take(frequency as usize) {
                words.entry((doc_id, position)).or_default().push(value);
            }
        }
    }
    let mut counts: BTreeMap<(u64, u64), BTreeMap<u32, u32>> = BTreeMap::new();
    for (&(doc_id, position), here) in &words {
        let next = position.checked_add(1).and_then(|next| words.get(&(doc_id, next)));
        for (&first, &second) in
            here.iter().flat_map(|first| next.into_iter().flatten().map(move |second| (first, second)))
        {
            *counts.entry((first, second)).or_default().entry(doc_id).or_default() += 1;
        }
    }
    counts.into_iter().map(|(pair, documents)| (pair, documents.into_iter().collect())).collect()
}

/// How many pairs it knows something of, all of it right.
fn checked(segment: &Segment) -> usize {
    let (known, mut right) = (pairs_of(segment, 0).unwrap(), by_definition(segment, 0));
    for (pair, documents) in &known {
        assert_eq!(documents, &right.remove(pair).unwrap_or_default(), "{pair:?}");
    }
    known.len()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn words_follow_each_other_where_positions_say(
        texts in prop::collection::vec(prop::collection::vec(0u8..40, 0..60), 4..300), of in 1u8..40, seed: u64, replaces: bool
    ) {
        let folder = tempfile::tempdir().unwrap();
        // The first third is replaced by the last one.
        let ids = if replaces { (texts.len() * 2 / 3).max(4) } else { texts.len() };
        let last = &texts[texts.len() - ids..];
        let text = |words: &Vec<u8>| words.iter().map(|word| format!("w{}", word % of)).collect::<Vec<_>>().join(" ");
        let documents: Vec<(Id, Document)> = (0..)
            .zip(&texts)
            .map(|(at, words)| {
                (Id::Int(at % ids as i64), Document { values: vec![(0, Value::Text(text(words).into_bytes()))] })
            })
            .collect();
        let built = build(folder.path(), 1, &documents, &schema(true)).unwrap();
        prop_assert_eq!(built.documents() as usize, ids);
        let known = checked(&built);
        // Few words follow each other in few ways.
        prop_assert!(known > 0 || of > 4 || last.iter().all(|text| text.len() < 2));
        let order = shuffled(ids, seed);
        let merged = |number: u64, threads| {
            let input = (built.clone(), None);
            merge(&[input], &opened(folder.path()), number, &schema(true), Some(&order), threads).unwrap().unwrap()
        };
        let [meta, of_several] = [merged(2, 1), merged(3, 3)];
        let path = |number: u64| folder.path().join(format!("{number}.segment"));
        checked(&Segment::open(&path(2), &meta, schema(true)).unwrap());
        prop_assert_eq!(meta.footer_crc, of_several.footer_crc);
        prop_assert!(std::fs::read(path(2)).unwrap() == std::fs::read(path(3)).unwrap(), "by several threads");
    }
}

/// More documents than fit into a window, lists of several blocks, and terms that stand at the same position.
fn of_three_words(folder: &Path) -> Arc<Segment> {
    let tokens = |id: i64| -> Vec<Vec<u8>> {
        (0..id % 7)
            .map(|at| [&b"a"[..], b"b", b"c", b"rare"][(id * at % 3) as usize + usize::from(id % 501 == 0)].to_vec())
            .collect()
    };
    let documents: Vec<(Id, Document)> =
        (0..9000).map(|id| (Id::Int(id), Document { values: vec![(0, Value::Tokens(tokens(id)))] })).collect();
    build(folder, 1, &documents, &schema(true)).unwrap()
}

#[test]
fn windows_and_blocks_have_borders() {
    let folder = tempfile::tempdir().unwrap();
    let built = of_three_words(folder.path());
    assert_eq!(checked(&built), 9);
    let a = built.term(0, b"a").unwrap().unwrap();
    assert!(pairs_of(&built, 0).unwrap()[&(a, a)].len() > 1000);
}

/// In segments of version 4 any two words of the table make a pair.
#[test]
fn tables_of_both_forms_are_read_and_wrong_ones_refused() {
    let folder = tempfile::tempdir().unwrap();
    let built = of_three_words(folder.path());
    let mut known = pairs_of(&built, 0).unwrap();
    let meta = merge(&[(built, None)], &opened(folder.path()), 2, &schema(true), None, 1).unwrap().unwrap();
    let bytes = std::fs::read(folder.path().join("2.segment")).unwrap();
    let path = folder.path().join("damaged.segment");
    let read = |mut bytes: Vec<u8>| {
        let mut meta = meta;
        forge(&mut bytes, &mut meta);
        std::fs::write(&path, &bytes).unwrap();
        Segment::open(&path, &meta, schema(true))
    };
    let whole = read(bytes.clone()).unwrap();
    assert_eq!(pairs_of(&whole, 0).as_ref(), Ok(&known));
    let extent = *whole.frame.extents.iter().find(|extent| extent.section == Section::Pairs).unwrap();
    drop(whole);
    let begin = extent.offset as usize;
    let [words, form] = [0, 4].map(|at| u32_at(&bytes, begin + at));
    assert_eq!((words, form), (3, 1));

    // The other form lacks the least product and the numbers of documents.
    let section = &bytes[begin..][..extent.length as usize];
    let (table, rest) = section[16..].split_at(8 * words as usize);
    let map = &rest[4 * words as usize..];
    let content = [&u64::from(words).to_le_bytes()[..], table, map].concat();
    let mut earlier = bytes.clone();
    earlier[begin..][..content.len()].copy_from_slice(&content);
    let [long, short] = [extent.length, content.len() as u64]
        .map(|length| [extent.offset.to_le_bytes(), length.to_le_bytes()].concat());
    let at = bytes.windows(long.len()).rposition(|bytes| bytes == long).unwrap();
    earlier[at..][..short.len()].copy_from_slice(&short);
    assert_eq!(pairs_of(&read(earlier).unwrap(), 0).as_ref(), Ok(&known));

    for (at, number, what) in
        [(0, 1 << 16, "65536 words"), (0, 60_000, "too few"), (4, 2, "form 2"), (16, u32::MAX, "words do not ascend")]
    {
        let mut wrong = bytes.clone();
        wrong[begin + at..][..4].copy_from_slice(&u32::to_le_bytes(number));
        let error = read(wrong).and_then(|segment| pairs_of(&segment, 0)).unwrap_err();
        assert!(names_the_file(&error) && error.to_string().contains(what), "{error}");
    }
    // Of words of less than the product, only lists tell.
    let mut larger = bytes.clone();
    larger[begin + 8..][..8].copy_from_slice(&(9000u64 * 9000).to_le_bytes());
    let all = known.len();
    known.retain(|_, documents| !documents.is_empty());
    assert!(known.len() < all);
    assert_eq!(pairs_of(&read(larger).unwrap(), 0), Ok(known));
}

#[test]
fn small_segments_and_those_without_positions_have_none() {
    let folder = tempfile::tempdir().unwrap();
    let text = || Document { values: vec![(0, Value::Text(b"a b a b".to_vec()))] };
    for (number, (count, positions)) in (0..).zip([(3, true), (100, false)]) {
        let documents: Vec<(Id, Document)> = (0..count).map(|id| (Id::Int(id), text())).collect();
        let built = build(folder.path(), number, &documents, &schema(positions)).unwrap();
        assert!(pairs_of(&built, 0).unwrap().is_empty());
    }
}
