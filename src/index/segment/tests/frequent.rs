//! Which words are kept apart.

use super::*;

/// Checks that each level has all words in as many documents, which are counted as in the whole segment; returns how many words
/// each has, and how many there are, unless there are no levels.
pub(super) fn frequent_of(segment: &Segment, field: usize) -> Result<(Vec<usize>, usize)> {
    if segment.frequent(field)?.is_empty() {
        return Ok((Vec::new(), 0));
    }
    let mut all: Vec<(Vec<u8>, u64)> = Vec::new();
    if let Some(words) = segment.words(field)? {
        let mut words = words.map().terms()?;
        while let Some((word, value, ())) = words.next()? {
            all.push((word.to_vec(), Words::documents(value)));
        }
    } else {
        let mut words = segment.dictionary(field)?.terms()?;
        while let Some((word, value, ())) = words.next()? {
            all.push((word.to_vec(), segment.documents_with(field, value)?));
        }
    }
    let mut sizes = Vec::new();
    for level in segment.frequent(field)? {
        let (mut words, mut expected) = (level.words().terms()?, all.iter().filter(|word| word.1 >= level.least()));
        while let Some((word, documents, ())) = words.next()? {
            assert_eq!(expected.next(), Some(&(word.to_vec(), documents)));
        }
        assert_eq!(expected.next(), None);
        sizes.push(level.words().len());
    }
    Ok((sizes, all.len()))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn levels_have_the_most_frequent_words(
        texts in prop::collection::vec(prop::collection::vec(0u32..60, 0..30), 4..60), stems: bool, dead in 0usize..60
    ) {
        let folder = tempfile::tempdir().unwrap();
        let schema = if stems { english(true) } else { schema(true) };
        let word = |word: &u32| format!("{}{}", ["gain", "gained", "gaining"][*word as usize % 3], word * word / 90);
        let text = |words: &Vec<u32>| words.iter().map(word).collect::<Vec<_>>().join(" ");
        let documents: Vec<(Id, Document)> = (0..)
            .zip(&texts)
            .map(|(id, words)| (Id::Int(id), Document { values: vec![(0, Value::Text(text(words).into_bytes()))] }))
            .collect();
        let built = build(folder.path(), 1, &documents, &schema).unwrap();
        let mut deleted = vec![0u64; documents.len().div_ceil(64)];
        if dead < documents.len() - 4 {
            deleted[dead / 64] |= 1 << (dead % 64);
        }
        let inputs = [(built.clone(), Some(&deleted[..])), (built.clone(), None)];
        let path = folder.path().join("2.segment");
        let meta = merge(&inputs, &opened(folder.path()), 2, &schema, None, 1).unwrap().unwrap();
        for segment in [built, Segment::open(&path, &meta, schema).unwrap()] {
            let (sizes, all) = frequent_of(&segment, 0).unwrap();
            prop_assert!(sizes.iter().zip([8, 2]).all(|(size, one_of)| size * one_of <= all), "{sizes:?} of {all}");
        }
    }
}

#[test]
fn words_as_frequent_as_each_other_are_not_divided() {
    let folder = tempfile::tempdir().unwrap();
    let text =
        |id: i64| format!("{} often {}", if id % 2 == 0 { "even" } else { "" }, if id < 5 { "" } else { "later" });
    let documents: Vec<(Id, Document)> = (0..10)
        .map(|id| {
            let text = format!("{} a{id} b{id} c{id}", text(id));
            (Id::Int(id), Document { values: vec![(0, Value::Text(text.into_bytes()))] })
        })
        .collect();
    let built = build(folder.path(), 1, &documents, &schema(true)).unwrap();
    assert_eq!(frequent_of(&built, 0).unwrap(), (vec![3], 33));
    let small = build(folder.path(), 2, &documents[..3], &schema(true)).unwrap();
    assert!(frequent_of(&small, 0).unwrap().0.is_empty());
}
