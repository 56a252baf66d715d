//! Segments whose frequencies and positions have other codecs than the default.

use super::damage::{forge, names_the_file};
use super::*;
use crate::codec::BLOCK;
use crate::index::BlockCodec;
use crate::index::segment::format::{self, Flags, TAIL, u32_at, u64_at};
use crate::vector::{Metric, Precision, Shape};

fn with(frequencies: BlockCodec, positions: BlockCodec) -> Arc<Schema> {
    let codecs = Codecs { frequencies, positions };
    Arc::new(Schema { codecs, ..(*schema(true)).clone() })
}

/// Documents whose common words have lists of several blocks, with frequencies and gaps of all sizes.
fn texts(count: i64, first: i64) -> Vec<(Id, Document)> {
    let text = |doc: i64| {
        let noise = |i: i64| hash::hash(doc as u64, &i.to_le_bytes());
        let mut words = Vec::new();
        for i in 0..3 + noise(99) as i64 % 30 {
            words.push(["a", "a", "b", "quick", "brown"][(noise(i) % 5) as usize]);
            if doc % 97 == 0 {
                words.extend(["x1"; 150]);
            }
        }
        Value::Text(words.join(" ").into_bytes())
    };
    (first..first + count).map(|doc| (Id::Int(doc), Document { values: vec![(0, text(doc))] })).collect()
}

#[test]
fn segments_of_several_codecs_become_one() {
    let all: Vec<BlockCodec> = BlockCodec::all().collect();
    let documents: Vec<_> = (0..3).map(|part| texts(300, 300 * part)).collect();
    let (every, gone) = (documents.concat(), bits(&[1, 2, 130], 300));
    let expected = definition(&every, (0..900).collect(), &schema(true));
    let kept: Vec<_> =
        every.iter().zip(0..).filter(|(_, doc)| ![1, 2, 130].contains(doc)).map(|(d, _)| d.clone()).collect();
    for (at, &codec) in all.iter().enumerate() {
        let folder = tempfile::tempdir().unwrap();
        let other = |by: usize| all[(at + by) % all.len()];
        let target = with(codec, other(1));
        let inputs: Vec<Arc<Segment>> = (0..3)
            .map(|part| {
                build(folder.path(), part as u64, &documents[part], &with(other(part), other(2 * part + 1))).unwrap()
            })
            .collect();
        let merged = |deleted: Option<&[u64]>, order: Option<&[u32]>, number: u64| {
            let inputs: Vec<Input> =
                inputs.iter().enumerate().map(|(at, one)| (one.clone(), deleted.filter(|_| at == 0))).collect();
            let path = folder.path().join(format!("{number}.segment"));
            let meta = merge(&inputs, &opened(folder.path()), number, &target, order, 1).unwrap().unwrap();
            Segment::open(&path, &meta, target.clone()).unwrap()
        };
        let one = merged(None, None, 10);
        assert_eq!(one.codecs(), target.codecs);
        assert_eq!(contents(&one).unwrap(), expected, "{codec:?}");
        let built = build(folder.path(), 10 + 1, &every, &target).unwrap();
        assert_eq!(one.meta().footer_crc, built.meta().footer_crc, "{codec:?}: the same bytes");
        let left = merged(Some(&gone), None, 12);
        assert_eq!(contents(&left).unwrap(), definition(&kept, (0..897).collect(), &target), "{codec:?}");
        let order = shuffled(900, at as u64);
        let by: Vec<_> = order.iter().map(|&rank| every[rank as usize].clone()).collect();
        assert_eq!(contents(&merged(None, Some(&order), 13)).unwrap(), definition(&by, order, &target), "{codec:?}");
    }
}

#[test]
fn only_other_codecs_need_the_newer_version() {
    let folder = tempfile::tempdir().unwrap();
    let bp128 = BlockCodec::BP128;
    for (number, codec) in (0..).zip(BlockCodec::all()) {
        let schema = with(bp128, codec);
        let built = build(folder.path(), number, &texts(200, 0), &schema).unwrap();
        let meta = built.meta();
        let path = folder.path().join(format!("{number}.segment"));
        let bytes = std::fs::read(&path).unwrap();
        let is_first = codec == bp128;
        // Larger segments have pairs, and so do those of tests; these need the newest version.
        assert_eq!(u32_at(&bytes, 4), 4, "{codec:?}");
        let without = format::header(200, Flags { pairs: false, frequent: false, ..built.flags() });
        assert_eq!(u32_at(&without, 4), if is_first { 1 } else { 2 }, "{codec:?}");
        let forms = format::header(200, Flags { pairs: false, frequent: false, new_forms: true, ..built.flags() });
        assert_eq!(u32_at(&forms, 4), 3, "{codec:?}");
        // The segment says which codecs it has, whatever the index has now.
        let segment = Segment::open(&path, &meta, super::schema(true)).unwrap();
        assert_eq!(segment.codecs(), schema.codecs);
        assert_eq!(contents(&segment).unwrap(), contents(&Segment::open(&path, &meta, schema).unwrap()).unwrap());
    }
}

#[test]
fn geo_fields_need_version_4() {
    let folder = tempfile::tempdir().unwrap();
    let mut schema = Schema::clone(&super::schema(true));
    schema.fields.push(Field::new("place", Kind::Geo));
    let schema = Arc::new(schema);
    let meta = build(folder.path(), 1, &texts(200, 0), &schema).unwrap().meta();
    let bytes = std::fs::read(folder.path().join("1.segment")).unwrap();
    assert_eq!((u32_at(&bytes, 4), bytes[12] & 8), (4, 8));
    let segment = Segment::open(&folder.path().join("1.segment"), &meta, schema).unwrap();
    assert_eq!(segment.points(5).unwrap().get(7), Ok(None));
}

#[test]
fn vector_fields_need_version_5() {
    let given = [1.0f32, -2.0, 0.1];
    // 0.1 is rounded.
    for (precision, kept) in [
        (Precision::Bits32, given.map(f32::to_le_bytes).concat()),
        (Precision::Bits16, [0x3C00u16, 0xC000, 0x2E66].map(u16::to_le_bytes).concat()),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let mut schema = Schema::clone(&super::schema(true));
        schema.fields.push(Field {
            vector: Some(Shape { dimensions: 3, metric: Metric::Cosine, precision }),
            ..Field::new("embedding", Kind::Vector)
        });
        let schema = Arc::new(schema);
        let mut documents = texts(200, 0);
        documents[7].1.values.push((5, Value::Vector(given.to_vec())));
        let segment = build(folder.path(), 1, &documents, &schema).unwrap();
        let bytes = std::fs::read(folder.path().join("1.segment")).unwrap();
        assert_eq!((u32_at(&bytes, 4), bytes[15]), (5, 1));
        let column = segment.vectors(5).unwrap();
        assert_eq!((column.rows(), column.doc(0), column.row_of(7), column.row_of(8)), (1, Some(7), Some(0), None));
        assert_eq!(column.vector(0).unwrap(), kept);
        assert_eq!(segment.counts(5).unwrap().documents, 1);
    }
}

#[test]
fn codecs_that_do_not_exist_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let schema = with(BlockCodec::BP128, BlockCodec::from_name("optpfd").unwrap());
    let meta = build(folder.path(), 1, &texts(3, 0), &schema).unwrap().meta();
    let bytes = std::fs::read(folder.path().join("1.segment")).unwrap();
    let tail = bytes.len() - TAIL;
    let footer = tail - u64_at(&bytes, tail) as usize;
    let path = folder.path().join("damaged.segment");
    // 1 is Simple-9, which cannot code all values, 2 codes docIDs only, 200 is none; the last byte is unused; and without
    // codecs, the version would be 1.
    for (at, byte) in [(1, 1), (1, 2), (2, 2), (2, 200), (3, 1), (2, 0)] {
        let (mut forged, mut meta) = (bytes.clone(), meta);
        forged[12 + at] = byte;
        forged[footer + 16 + at] = byte;
        forge(&mut forged, &mut meta);
        std::fs::write(&path, &forged).unwrap();
        let error = Segment::open(&path, &meta, schema.clone()).unwrap_err();
        assert!(names_the_file(&error) && matches!(error, Error::Corrupt { .. }), "{at}, {byte}: {error}");
    }
}

/// Reads all lists as searches do.
fn search(segment: &Segment) -> Result<()> {
    let (mut decoded, mut block_of) = (Decoded::default(), [0; BLOCK]);
    let mut terms = segment.dictionary(0)?.terms()?;
    while let Some((_, value, ())) = terms.next()? {
        let Some(view) = segment.list(0, value, true, &mut decoded)? else { continue };
        let Some(positions) = view.positions else { continue };
        for values in [view.frequencies, positions.gaps] {
            for index in 0..values.len() {
                if index % BLOCK == 0 {
                    values.unpack(index / BLOCK, &mut block_of);
                }
                assert_eq!(values.get(index), block_of[index % BLOCK]);
            }
        }
    }
    Ok(())
}

#[test]
fn forged_values_are_refused_or_decoded() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("damaged.segment");
    for (number, codec) in (0..).zip(BlockCodec::all()) {
        let schema = with(codec, codec);
        let segment = build(folder.path(), number, &texts(400, 0), &schema).unwrap();
        let meta = segment.meta();
        let lists = *segment.frame.extents.iter().find(|extent| extent.section == Section::Lists).unwrap();
        search(&segment).unwrap();
        drop(segment);
        let bytes = std::fs::read(folder.path().join(format!("{number}.segment"))).unwrap();
        let mut refused = 0;
        for place in (lists.offset..lists.offset + lists.length).step_by(31) {
            let (mut forged, mut meta) = (bytes.clone(), meta);
            forged[place as usize] ^= if place % 2 == 0 { 0x81 } else { 255 };
            forge(&mut forged, &mut meta);
            std::fs::write(&path, &forged).unwrap();
            let opened = Segment::open(&path, &meta, schema.clone()).unwrap();
            if let Err(error) = search(&opened) {
                assert!(names_the_file(&error) && matches!(error, Error::Corrupt { .. }), "{codec:?} {place}: {error}");
                refused += 1;
            }
        }
        assert!(refused > 10, "{codec:?}: {refused}");
    }
}
