//! Damaged files are refused with their names, or read as if nothing had happened; they never end the process.

use super::pairs::pairs_of_known;
use super::*;
use crate::base::cpu::Tier;
use crate::base::earth::area::{Area, Circle, Rect};
use crate::index::impacts::Precision;
use crate::index::segment::format::{CHUNK, TAIL, u32_at, u64_at};
use crate::vector::{self, Metric, Query, Shape};

/// A segment with every kind of section, some of them longer than a chunk, and its bytes.
fn sample(folder: &Path) -> (Arc<Schema>, SegmentMeta, Vec<u8>) {
    let mut schema = Schema::clone(&english(true));
    schema.fields.push(Field::new("place", Kind::Geo));
    let vectors = |name: &str, metric, precision| Field {
        vector: Some(Shape { dimensions: 7, metric, precision }),
        clusters: metric == Metric::Dot,
        ..Field::new(name, Kind::Vector)
    };
    schema.fields.push(vectors("embedding", Metric::Dot, vector::Precision::Bits32));
    schema.fields.push(Field { weights: Some(Precision::Bits8), ..Field::new("expansion", Kind::Weights) });
    schema.fields.push(vectors("half", Metric::Cosine, vector::Precision::Bits16));
    let schema = Arc::new(schema);
    let word = |i: u64| format!("w{}", hash::hash(1, &i.to_le_bytes()) % 400).into_bytes();
    let documents: Vec<(Id, Document)> = (0..700u64)
        .map(|i| {
            let text = (0..i % 40).map(|j| word(i * 40 + j)).collect::<Vec<_>>().join(&b' ');
            let values = vec![
                (0, Value::Text(text.clone())),
                (1, Value::Keywords((0..i % 3).map(word).collect())),
                (2, Value::Text(text)),
                (3, Value::Number(i as f64 / 3.0)),
            ];
            let rare =
                (i % 50 == 0).then(|| (4, Value::List(vec![Value::Number(i as f64), Value::Int(3), Value::Int(800)])));
            let place = (i % 9 > 0).then_some((5, Value::Point(i as f64 / 10.0, (i * i % 360) as f64 - 180.0)));
            let vector = |field, every| {
                (i % every > 0).then(|| (field, Value::Vector((0..7).map(|at| (i * at) as f32).collect())))
            };
            let vectors = vector(6, 5).into_iter().chain(vector(8, 3));
            let weights = (0..i % 6).map(|term| (format!("w{}", term * (i % 90)).into_bytes(), 0.1 + i as f32 / 50.0));
            let weights: BTreeMap<_, _> = weights.collect();
            let weights = (i % 7 > 0).then(|| (7, Value::Weights(weights.into_iter().collect())));
            let id = if i % 2 == 0 { Id::Int(i as i64) } else { Id::Bytes(word(i * 1000 + 7).repeat(3).into()) };
            (
                id,
                Document {
                    values: values.into_iter().chain(rare).chain(place).chain(vectors).chain(weights).collect(),
                },
            )
        })
        .collect();
    let built = build(folder, 1, &documents, &schema).unwrap();
    let path = folder.join("2.segment");
    let order = shuffled(built.documents() as usize, 5);
    let meta = merge(&[(built, None)], &opened(folder), 2, &schema, Some(&order), 1).unwrap().unwrap();
    let bytes = std::fs::read(&path).unwrap();
    (schema, meta, bytes)
}

/// Goes through a dictionary in all ways.
fn walk(dictionary: &Dictionary) -> Result<()> {
    let mut all = dictionary.terms()?;
    let mut terms = Vec::new();
    while let Some((term, value, ())) = all.next()? {
        terms.push((term.to_vec(), value));
    }
    for (term, value) in terms.iter().step_by(7) {
        std::hint::black_box((dictionary.get(term)?, dictionary.term_of(*value)?));
        std::hint::black_box(dictionary.from(term)?.next()?);
    }
    let automaton = fst::automaton::Subsequence::new("13");
    let mut some = dictionary.matching(&automaton, b"w", Some(b"x"))?;
    while some.next()?.is_some() {}
    let mut all = Union::of([dictionary, dictionary])?;
    while all.next()?.is_some() {}
    Ok(())
}

/// Reads everything, without expectations.
fn survey(segment: &Segment) -> Result<()> {
    let mut first = Ok(());
    let mut note = |result: Result<()>| {
        if first.is_ok() {
            first = result;
        }
    };
    for doc in (0..segment.documents()).step_by(5) {
        note(segment.id(doc).and_then(|id| segment.find(&id)).map(drop));
        note(segment.ordinal(doc).map(drop));
    }
    note(segment.all_stored().and_then(|stored| stored.each(|_, _| Ok(()))));
    for doc in (0..segment.documents()).step_by(31) {
        note(segment.stored(doc).map(drop));
    }
    note(segment.ordinals().map(drop));
    let mut decoded = Decoded::default();
    for field in [0, 1, 2, 7] {
        note(segment.dictionary(field).and_then(|dictionary| {
            let mut terms = dictionary.terms()?;
            while let Some((_, value, ())) = terms.next()? {
                segment.decode(field, value, &mut decoded)?;
            }
            Ok(())
        }));
        note(segment.dictionary(field).and_then(walk));
    }
    for field in [0, 2] {
        note(pairs_of_known(segment, field).map(drop));
        note(segment.frequent(field).and_then(|levels| levels.iter().try_for_each(|level| walk(level.words()))));
    }
    note(segment.lengths(0).map(drop));
    note(segment.lengths(7).map(drop));
    for field in [0, 2] {
        note(segment.words(field).and_then(|words| words.map_or(Ok(()), |words| walk(words.map()))));
    }
    for field in 3..5 {
        note(segment.column(field).map(|column| {
            (0..=segment.documents()).for_each(|doc| {
                std::hint::black_box((column.all_of(doc).count(), column.greatest(doc)));
            });
        }));
    }
    let circle = Area::Circle(Circle::new(Point { lat: 1 << 28, lng: 0 }, 3e6).unwrap());
    let area = Area::Rect(Rect::new((10.0, 100.0), (50.0, -100.0)).unwrap());
    for area in [circle, area] {
        let points = segment.points(5);
        note(points.as_ref().map_err(Error::clone).and_then(|points| {
            let expected = points.expected(&area)?;
            let candidates = points.candidates(&area)?;
            assert!(expected < 2000 && candidates.iter().map(Candidates::most).sum::<usize>() < 2000);
            for part in candidates.iter().flat_map(Candidates::parts) {
                points.for_each(&part, &area, |doc| assert!(doc < segment.documents()))?;
            }
            points.add_present(&mut [0; 11]);
            points.all().map(drop)
        }));
    }
    for field in [6, 8] {
        note(segment.vectors(field).and_then(|column| {
            let (shape, codes) = (column.shape(), column.codes()?);
            let query = Query::new(shape, &[1.0; 7])?;
            let mut bounds = vec![0.0; column.rows()];
            query.coarse(Tier::Scalar, codes.coarse(0..column.rows()), &mut Vec::new(), &mut bounds);
            for row in 0..=column.rows() {
                assert!(column.doc(row).is_none_or(|doc| doc < segment.documents()));
                std::hint::black_box((column.row_of(row as u32), query.closeness(Tier::Scalar, column.vector(row)?)));
            }
            for row in 0..column.rows() {
                let (of_row, factor, norm) = codes.fine(row);
                std::hint::black_box(query.fine(Tier::Scalar, of_row, factor, norm));
            }
            column.add_present(&mut [0; 11])?;
            if let Some(clusters) = segment.clusters(field)? {
                let of_clusters = (0..=clusters.count() as u32).flat_map(|cluster| clusters.rows(cluster));
                let mut rows: Vec<usize> = of_clusters.collect();
                rows.sort_unstable();
                assert!(rows.into_iter().eq(0..column.rows()));
                assert!(clusters.probed(&query, 3)?.iter().all(|&row| row < column.rows()));
            }
            Ok(())
        }));
    }
    first
}

/// Opens the bytes as a file and reads everything.
fn read(folder: &Path, bytes: &[u8], meta: &SegmentMeta, schema: &Arc<Schema>) -> Result<Contents> {
    let path = folder.join("damaged.segment");
    std::fs::write(&path, bytes).unwrap();
    contents(&*Segment::open(&path, meta, schema.clone())?)
}

pub(super) fn names_the_file(error: &Error) -> bool {
    matches!(error, Error::Corrupt { .. } | Error::File { .. }) && error.to_string().contains("damaged.segment")
}

#[test]
fn flipped_bits_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let (schema, meta, bytes) = sample(folder.path());
    let whole = read(folder.path(), &bytes, &meta, &schema).unwrap();
    let body = bytes.len() - TAIL - u64_at(&bytes, bytes.len() - TAIL) as usize;
    assert!(body > 4 * CHUNK);
    let places = (0..80)
        .chain((80..body).step_by(611))
        .chain((body..bytes.len()).step_by(3))
        .chain(bytes.len() - TAIL..bytes.len());
    let mut bytes = bytes;
    let mut found = 0;
    for place in places {
        let flip = 1 << (place % 8);
        bytes[place] ^= flip;
        match read(folder.path(), &bytes, &meta, &schema) {
            Err(error) => {
                assert!(names_the_file(&error), "{place}: {error}");
                found += 1;
            }
            Ok(contents) => assert_eq!(contents, whole, "{place}"),
        }
        bytes[place] ^= flip;
    }
    // Only what is between sections could be overlooked; it shares its chunks with what is read.
    assert!(found > 400, "{found}");
}

#[test]
fn truncated_and_exchanged_files_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let (schema, meta, bytes) = sample(folder.path());
    let lengths = (0..200).chain((200..bytes.len()).step_by(997)).chain(bytes.len() - 200..bytes.len());
    for length in lengths {
        let error = read(folder.path(), &bytes[..length], &meta, &schema).unwrap_err();
        assert!(names_the_file(&error), "{length}: {error}");
        // Even if the manifest says so.
        let meta = SegmentMeta { bytes: length as u64, ..meta };
        let error = read(folder.path(), &bytes[..length], &meta, &schema).unwrap_err();
        assert!(names_the_file(&error), "{length}: {error}");
    }
    let longer = [&bytes[..], &[0]].concat();
    assert!(read(folder.path(), &longer, &meta, &schema).is_err());
    for wrong in [SegmentMeta { footer_crc: !meta.footer_crc, ..meta }, SegmentMeta { documents: 699, ..meta }] {
        let error = read(folder.path(), &bytes, &wrong, &schema).unwrap_err();
        assert!(names_the_file(&error), "{error}");
    }
    let path = folder.path().join("damaged.segment");
    let with = |change: fn(&mut Schema)| {
        let mut schema = Schema::clone(&schema);
        change(&mut schema);
        std::fs::write(&path, &bytes).unwrap();
        Segment::open(&path, &meta, Arc::new(schema)).map(drop)
    };
    assert_eq!(with(|_| ()), Ok(()));
    assert!(with(|schema| schema.positions = false).is_err());
    assert!(with(|schema| drop(schema.fields.pop())).is_err());
    assert!(with(|schema| schema.fields.swap(0, 1)).is_err());
    assert!(matches!(Segment::open(&folder.path().join("none"), &meta, schema.clone()), Err(Error::File { .. })));
}

#[test]
fn truncation_of_an_open_file_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let (schema, meta, bytes) = sample(folder.path());
    let path = folder.path().join("damaged.segment");
    std::fs::write(&path, &bytes).unwrap();
    let segment = Segment::open(&path, &meta, schema).unwrap();
    assert_eq!(segment.check_file(), Ok(()));
    std::fs::File::options().write(true).open(&path).unwrap().set_len(meta.bytes - 1).unwrap();
    assert!(names_the_file(&segment.check_file().unwrap_err()));
    std::fs::remove_file(&path).unwrap();
    assert!(segment.check_file().is_err());
}

/// Puts the checksums right, as somebody would who makes such a file on purpose.
pub(super) fn forge(bytes: &mut [u8], meta: &mut SegmentMeta) {
    let tail = bytes.len() - TAIL;
    let footer = u64_at(bytes, tail) as usize;
    let body = tail - footer;
    let first = tail - 4 * body.div_ceil(CHUNK);
    for chunk in 0..body.div_ceil(CHUNK) {
        let checksum = crc32fast::hash(&bytes[chunk * CHUNK..((chunk + 1) * CHUNK).min(body)]);
        bytes[first + 4 * chunk..][..4].copy_from_slice(&checksum.to_le_bytes());
    }
    meta.footer_crc = crc32fast::hash(&bytes[body..tail + 8]);
    bytes[tail + 8..tail + 12].copy_from_slice(&meta.footer_crc.to_le_bytes());
    assert_eq!(u32_at(bytes, tail + 8), meta.footer_crc);
}

#[test]
fn forged_files_do_not_end_the_process() {
    let folder = tempfile::tempdir().unwrap();
    let (schema, meta, bytes) = sample(folder.path());
    let path = folder.path().join("damaged.segment");
    std::fs::write(&path, &bytes).unwrap();
    let segment = Segment::open(&path, &meta, schema.clone()).unwrap();
    let extents = segment.frame.extents.clone();
    let body = segment.body;
    drop(segment);
    assert_eq!(extents.len(), 7 + 2 + 7 + 2 + 1 + 3 + 5 + 3 + 2);
    let mut places: Vec<usize> = (0..64).chain(body..bytes.len() - TAIL - 4 * body.div_ceil(CHUNK)).collect();
    for extent in &extents {
        let section = extent.offset as usize..(extent.offset + extent.length) as usize;
        let step = (section.len() / 40).max(1);
        places.extend(section.clone().take(24));
        places.extend(section.step_by(step));
    }
    let mut refused = 0;
    for place in places {
        for flip in [1u8, 255] {
            let (mut forged, mut meta) = (bytes.clone(), meta);
            forged[place] ^= flip;
            forge(&mut forged, &mut meta);
            std::fs::write(&path, &forged).unwrap();
            let result = Segment::open(&path, &meta, schema.clone()).and_then(|segment| survey(&segment));
            if let Err(error) = result {
                refused += 1;
                assert!(names_the_file(&error) || matches!(error, Error::OutOfMemory { .. }), "{place}: {error}");
            }
        }
    }
    assert!(refused > 300, "{refused}");
}

#[test]
fn clusters_have_each_row_once() {
    let folder = tempfile::tempdir().unwrap();
    let (schema, meta, bytes) = sample(folder.path());
    let path = folder.path().join("damaged.segment");
    std::fs::write(&path, &bytes).unwrap();
    let segment = Segment::open(&path, &meta, schema.clone()).unwrap();
    let begin =
        segment.frame.extents.iter().find(|extent| extent.section == Section::Clusters).unwrap().offset as usize;
    let count = segment.clusters(6).unwrap().unwrap().count();
    let last = segment.vectors(6).unwrap().rows() - 1;
    drop(segment);
    let ends = begin + 64 + 4 * 7 * count;
    let rows = ends + 4 * count;
    let [first, second] = [rows, rows + 4].map(|at| u32_at(&bytes, at));
    let full = u32_at(&bytes, ends + 4 * (count - 2));
    let with = |changes: &[(usize, u32)]| {
        let (mut forged, mut meta) = (bytes.clone(), meta);
        for (at, number) in changes {
            forged[*at..at + 4].copy_from_slice(&number.to_le_bytes());
        }
        forge(&mut forged, &mut meta);
        std::fs::write(&path, &forged).unwrap();
        let segment = Segment::open(&path, &meta, schema.clone()).unwrap();
        assert!(segment.vectors(6).is_ok());
        segment.clusters(6).map(|clusters| clusters.map(|clusters| clusters.count()))
    };
    assert_eq!(with(&[(rows, first)]), Ok(Some(count)));
    assert_eq!(u32_at(&bytes, ends + 4 * (count - 1)) as usize, last + 1);
    for changes in [
        // How many there are.
        &[(begin, 0)][..],
        &[(begin, count as u32 + 1)],
        &[(begin, u32::MAX)],
        // Where they end.
        &[(ends, u32::MAX)],
        &[(ends + 4, 0), (ends, 1)],
        &[(ends + 4 * (count - 1), full)],
        &[(ends + 4 * (count - 1), last as u32 + 2)],
        // Which rows they have: one twice, none, in another order.
        &[(rows, second)],
        &[(rows, last as u32 + 1)],
        &[(rows, u32::MAX)],
        &[(rows, second), (rows + 4, first)],
    ] {
        let error = with(changes).unwrap_err();
        assert!(names_the_file(&error) && error.to_string().contains("clusters of vectors"), "{changes:?}: {error}");
    }
}
