//! What is found does not depend on the codecs of frequencies and positions.

use super::*;
use crate::index::{BlockCodec, Codecs};

/// Writes each commit with codecs of its own, and then all with the last.
fn build(folder: &Path, commits: &[Vec<Change>], codecs: &[Codecs], optimize: Option<bool>) -> Index {
    let mut serial = 0;
    let with = |Codecs { frequencies, positions }: Codecs| index::WriterOptions {
        frequency_codec: Some(frequencies),
        position_codec: Some(positions),
        ..index::WriterOptions::default()
    };
    let mut last = None;
    for (at, commit) in commits.iter().enumerate() {
        drop(last.take());
        let codecs = codecs[at % codecs.len()];
        let mut writer = Writer::open(folder, Some(definition::schema(true)), with(codecs)).unwrap();
        assert_eq!(writer.schema().codecs, codecs);
        for change in commit {
            match change {
                Change::Add(doc) => {
                    writer.add(Id::Int(doc.id), doc.document(serial)).unwrap();
                    serial += 1;
                }
                Change::Delete(id) => drop(writer.delete(&Id::Int(*id)).unwrap()),
            }
        }
        writer.commit().unwrap();
        last = Some(writer);
    }
    if let (Some(mut writer), Some(reorder)) = (last, optimize) {
        writer.optimize(reorder).unwrap();
    }
    let index = Index::open(folder).unwrap();
    // The codecs are those of the last writer, and of what it merged.
    assert_eq!(index.schema().codecs, codecs[(commits.len() - 1) % codecs.len()]);
    if optimize.is_some() {
        assert!(index.snapshot().parts().iter().all(|part| part.segment.codecs() == index.schema().codecs));
    }
    index
}

/// Lists of many blocks, in segments of different sizes, with phrases among the queries.
fn commits() -> Vec<Vec<Change>> {
    let mut noise = Noise(21);
    let change = |noise: &mut Noise| match noise.below(14) {
        0 => Change::Delete(noise.below(2500) as i64),
        _ => {
            let id = noise.below(2500) as i64;
            Change::Add(noisy_doc(id, noise))
        }
    };
    [1500, 600, 300].into_iter().map(|number| (0..number).map(|_| change(&mut noise)).collect()).collect()
}

/// All that is found, without docIDs.
fn found(index: &Index, limit: usize) -> Vec<Vec<(Id, f64)>> {
    let queries = [
        "a",
        "a b",
        "ab abc ba",
        "\"a b\"",
        "\"a a\"",
        "\"a ab\" -b",
        "\"a b a\"",
        "f1 a",
        "a* zebra",
        "body:a title:b",
    ];
    let mut all = Vec::new();
    for query in queries {
        for matching in MATCHINGS {
            let options = Options { limit, matching, total: true, ..Options::default() };
            let found = index.search(query, &options).unwrap();
            assert_eq!(found.total, Some(index.count(query, &options).unwrap()), "{query}");
            all.push(found.hits.into_iter().map(|hit| (hit.id, hit.score)).collect());
        }
    }
    all
}

#[test]
fn hits_and_scores_are_the_same_whatever_the_codec() {
    let commits = commits();
    for optimize in [None, Some(false), Some(true)] {
        let folder = tempfile::tempdir().unwrap();
        let plain = build(folder.path(), &commits, &[Codecs::default()], optimize);
        let expected = [1, 10, usize::MAX].map(|limit| found(&plain, limit));
        assert!(expected[2].iter().filter(|hits| hits.len() > 128).count() > 10);
        let all: Vec<BlockCodec> = BlockCodec::all().collect();
        for (at, &frequencies) in all.iter().enumerate() {
            let folder = tempfile::tempdir().unwrap();
            let codecs = Codecs { frequencies, positions: all[(at + 4) % all.len()] };
            let index = build(folder.path(), &commits, &[codecs], optimize);
            assert_eq!([1, 10, usize::MAX].map(|limit| found(&index, limit)), expected, "{codecs:?} {optimize:?}");
        }
    }
}

#[test]
fn segments_of_several_codecs_are_one_index() {
    let commits = commits();
    let all: Vec<BlockCodec> = BlockCodec::all().collect();
    let codecs: Vec<Codecs> =
        (0..3).map(|at| Codecs { frequencies: all[3 * at % all.len()], positions: all[3 * at + 2] }).collect();
    for optimize in [None, Some(true)] {
        let folder = tempfile::tempdir().unwrap();
        let index = build(folder.path(), &commits, &codecs, optimize);
        let different: std::collections::HashSet<Codecs> =
            index.snapshot().parts().iter().map(|part| part.segment.codecs()).collect();
        assert_eq!(different.len() > 1, optimize.is_none());
        let folder = tempfile::tempdir().unwrap();
        let plain = build(folder.path(), &commits, &[Codecs::default()], optimize);
        assert_eq!(found(&index, usize::MAX), found(&plain, usize::MAX));
        // The definition, too, which counts occurrences in documents.
        let definition = define(&index, &commits);
        check_words(&index, &definition);
    }
}
