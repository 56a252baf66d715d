use super::*;
use crate::analysis::{self, Analyzer};
use crate::index::Kind;
use crate::index::impacts::Precision;
use crate::index::list::{BlockCodec, Codecs};
use crate::vector::{self, Metric, Shape};
use proptest::prelude::*;
use std::path::Path;

fn field() -> impl Strategy<Value = Field> {
    let kind = prop_oneof![Just(Kind::Text), Just(Kind::Keyword), Just(Kind::Numeric)];
    ("\\PC{1,9}", kind, 0.1f32..9.0, any::<bool>()).prop_map(|(name, kind, weight, stored)| Field {
        weight,
        stored,
        ..Field::new(name, kind)
    })
}

fn entry() -> impl Strategy<Value = Entry> {
    let meta = (1..u32::MAX, any::<u64>(), any::<u32>());
    let deleted = proptest::option::of((1u64..50, 1u32..1000, any::<u32>()));
    (meta, deleted).prop_map(|((documents, bytes, footer_crc), deleted)| Entry {
        meta: SegmentMeta { number: 0, documents, bytes, footer_crc },
        deleted: deleted.map(|(generation, count, crc)| DeletedMeta { generation, count: count.min(documents), crc }),
    })
}

fn codecs() -> impl Strategy<Value = Codecs> {
    let all: Vec<BlockCodec> = BlockCodec::all().collect();
    let one = || prop_oneof![Just(BlockCodec::BP128), proptest::sample::select(all.clone())];
    (one(), one()).prop_map(|(frequencies, positions)| Codecs { frequencies, positions })
}

prop_compose! {
    fn manifest()(
        fields in proptest::collection::vec(field(), 1..6),
        positions in any::<bool>(),
        codecs in codecs(),
        identity in any::<u64>(),
        mut segments in proptest::collection::vec(entry(), 0..9),
        first in 0u64..1000,
        (grown, several, geo) in any::<(bool, bool, bool)>(),
        own in proptest::collection::vec(proptest::option::of(0..3usize), 6),
    ) -> Manifest {
        let analyzer = Analyzer::new(analysis::AnalyzerOptions::default()).unwrap();
        let mut schema = Schema { fields, positions, codecs, analyzer };
        for (number, field) in schema.fields.iter_mut().enumerate() {
            field.name.push_str(&number.to_string());
            field.analyzer = own[number].filter(|_| field.kind == Kind::Text).map(of_number);
        }
        if several {
            let Field { name, kind: first, .. } = schema.fields[0].clone();
            for kind in [Kind::Text, Kind::Keyword, Kind::Numeric].into_iter().filter(|&kind| kind != first) {
                schema.fields.push(Field::new(name.clone(), kind));
            }
            schema.fields.push(Field { stored: true, ..Field::new("kept", Kind::Stored) });
        }
        if geo {
            schema.fields.push(Field { stored: several, ..Field::new("place", Kind::Geo) });
        }
        for (number, entry) in segments.iter_mut().enumerate() {
            entry.meta.number = first + number as u64;
        }
        let next = first + segments.len() as u64;
        let schema = Arc::new(schema.with_one_of_each_analyzer());
        Manifest { identity, generation: 50, schema, next, grown, segments }
    }
}

/// Different analyzers; the first is that of the index.
fn of_number(number: usize) -> Analyzer {
    let language = [None, Some("german"), Some("english")][number].map(str::to_owned);
    Analyzer::new(analysis::AnalyzerOptions { language, ..analysis::AnalyzerOptions::default() }).unwrap()
}

fn with_crc(mut bytes: Vec<u8>) -> Vec<u8> {
    let length = bytes.len() - 4;
    let crc = crc32fast::hash(&bytes[..length]);
    bytes[length..].copy_from_slice(&crc.to_le_bytes());
    bytes
}

proptest! {
    #[test]
    fn what_is_written_is_read(manifest in manifest()) {
        let bytes = manifest.encode().unwrap();
        prop_assert_eq!(Manifest::parse(&bytes, Path::new("m")).unwrap(), manifest);
    }

    #[test]
    fn damage_is_an_error(manifest in manifest(), at in any::<proptest::sample::Index>(), bit in 0..8u8) {
        let mut bytes = manifest.encode().unwrap();
        let at = at.index(bytes.len());
        bytes[at] ^= 1 << bit;
        assert!(matches!(Manifest::parse(&bytes, Path::new("m")), Err(Error::Corrupt { .. })));
        bytes[at] ^= 1 << bit;
        assert!(matches!(Manifest::parse(&bytes[..at], Path::new("m")), Err(Error::Corrupt { .. })));
    }

    /// Whoever writes a CRC that fits gets an error or a manifest that can be written, never a panic.
    #[test]
    fn forged_bytes_are_parsed_or_refused(
        manifest in manifest(),
        changes in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut bytes = manifest.encode().unwrap();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Ok(read) = Manifest::parse(&with_crc(bytes), Path::new("m")) {
            let again = Manifest::parse(&read.encode().unwrap(), Path::new("m")).unwrap();
            prop_assert_eq!(again.encode().unwrap(), read.encode().unwrap());
        }
    }
}

#[test]
fn errors_name_file_part_and_offset() {
    let analyzer = Analyzer::new(analysis::AnalyzerOptions::default()).unwrap();
    let field = Field::new("body", Kind::Text);
    let schema = Schema { fields: vec![field], positions: true, codecs: Codecs::default(), analyzer };
    let mut manifest = Manifest::new(schema).unwrap();
    let meta = SegmentMeta { number: 7, documents: 3, bytes: 100, footer_crc: 5 };
    manifest.segments.push(Entry { meta, deleted: None });
    let error = Manifest::parse(&manifest.encode().unwrap(), Path::new("/x/manifest")).unwrap_err().to_string();
    assert!(error.starts_with("manifest: segment 0 of /x/manifest at byte "), "{error}");
    manifest.next = 8;
    manifest.segments.push(manifest.segments[0]);
    assert!(Manifest::parse(&manifest.encode().unwrap(), Path::new("m")).is_err(), "the same number twice");
    manifest.segments.pop();
    let mut other = manifest.encode().unwrap();
    other[4] = 9;
    let error = Manifest::parse(&with_crc(other), Path::new("m")).unwrap_err().to_string();
    assert!(error.contains("version 9; this release reads versions 1 to 5"), "{error}");
    for deleted in [(0, 1, 1), (2, 1, 1), (1, 0, 1), (1, 4, 1)] {
        let (generation, count, crc) = deleted;
        manifest.segments[0].deleted = Some(DeletedMeta { generation, count, crc });
        assert!(Manifest::parse(&manifest.encode().unwrap(), Path::new("m")).is_err(), "{deleted:?}");
    }
}

#[test]
fn codecs_need_version_2_and_must_exist() {
    let analyzer = Analyzer::new(analysis::AnalyzerOptions::default()).unwrap();
    let field = Field::new("body", Kind::Text);
    let of = |codecs| {
        let fields = vec![field.clone()];
        Manifest::new(Schema { fields, positions: true, codecs, analyzer: analyzer.clone() }).unwrap().encode().unwrap()
    };
    let first = of(Codecs::FIRST);
    let rice = of(Codecs { positions: BlockCodec::from_name("rice").unwrap(), ..Codecs::FIRST });
    assert_eq!((first[4], rice[4], rice.len()), (1, 2, first.len() + 2));
    // Before the number of segments and the CRC.
    let at = rice.len() - 10;
    assert_eq!(rice[at..at + 2], [0, 4]);
    // Simple-9, quasi-succinct, and none.
    for number in [1, 2, 255] {
        for at in [at, at + 1] {
            let mut other = rice.clone();
            other[at] = number;
            let error = Manifest::parse(&with_crc(other), Path::new("m")).unwrap_err();
            assert!(matches!(error, Error::Corrupt { .. }), "{error}");
            let wanted = format!("no codec of frequencies or positions has the number {number}");
            assert!(error.to_string().contains(&wanted), "{error}");
        }
    }
}

#[test]
fn geo_fields_need_version_4() {
    let analyzer = Analyzer::new(analysis::AnalyzerOptions::default()).unwrap();
    let field = |name: &str, kind| Field::new(name, kind);
    let of =
        |fields| Manifest::new(Schema { fields, positions: true, codecs: Codecs::FIRST, analyzer: analyzer.clone() });
    let with = of(vec![field("body", Kind::Text), field("place", Kind::Geo)]).unwrap().encode().unwrap();
    let without = of(vec![field("body", Kind::Text), field("place", Kind::Keyword)]).unwrap().encode().unwrap();
    assert_eq!((with[4], without[4], with.len()), (4, 1, without.len() + 3));
    let mut older = with;
    older[4] = 3;
    let error = Manifest::parse(&with_crc(older), Path::new("m")).unwrap_err().to_string();
    assert!(error.contains("no kind has the number 4"), "{error}");
    assert!(of(vec![field("place", Kind::Geo), field("place", Kind::Keyword)]).is_err());
    assert!(of(vec![field("place", Kind::Text), field("place", Kind::Geo)]).is_err());
}

#[test]
fn vector_fields_need_version_5() {
    let analyzer = Analyzer::new(analysis::AnalyzerOptions::default()).unwrap();
    let of = |kind, vector, stored| {
        let field = Field { stored, vector, ..Field::new("embedding", kind) };
        let schema = Schema { fields: vec![field], positions: true, codecs: Codecs::FIRST, analyzer: analyzer.clone() };
        Manifest::new(schema)
    };
    let shape = |dimensions, precision| Some(Shape { dimensions, metric: Metric::Euclidean, precision });
    for precision in vector::Precision::ALL {
        let manifest = of(Kind::Vector, shape(384, precision), false).unwrap();
        let with = manifest.encode().unwrap();
        assert_eq!(with[4], 5);
        assert_eq!(Manifest::parse(&with, Path::new("m")).unwrap().schema, manifest.schema);
        let refused = |at: usize, byte: u8, wanted: &str| {
            let mut other = with.clone();
            other[at] = byte;
            let error = Manifest::parse(&with_crc(other), Path::new("m")).unwrap_err().to_string();
            assert!(error.contains(wanted), "{error}");
        };
        refused(4, 4, "no kind has the number 5");
        // After the head, the name, and kind, weight and bits of the field: dimensions, metric, bits of a component, clusters.
        let at = 32 + 2 + 2 + "embedding".len() + 6;
        assert_eq!(with[at..at + 5], [128, 1, 2, precision.bits(), 0]);
        refused(at + 1, 200, "vectors of no known shape");
        refused(at + 2, 3, "no metric has the number 3");
        refused(at + 3, 8, "no vectors have 8 bits");
        refused(at + 4, 2, "it is neither 0 nor 1: 2");
        let mut schema = Schema::clone(&manifest.schema);
        schema.fields[0].clusters = true;
        let in_clusters = Manifest::new(schema.clone()).unwrap();
        let bytes = in_clusters.encode().unwrap();
        assert_eq!(bytes[at + 4], 1);
        assert_eq!(Manifest::parse(&bytes, Path::new("m")).unwrap().schema, in_clusters.schema);
        schema.fields[0] = Field { kind: Kind::Keyword, vector: None, ..schema.fields[0].clone() };
        assert!(Manifest::new(schema).is_err());
    }
    let shape = |dimensions| shape(dimensions, vector::Precision::Bits16);
    for (kind, vector, stored) in [
        (Kind::Vector, None, false),
        (Kind::Vector, shape(0), false),
        (Kind::Vector, shape(4097), false),
        (Kind::Vector, shape(3), true),
        (Kind::Keyword, shape(3), false),
    ] {
        assert!(of(kind, vector, stored).is_err());
    }
}

#[test]
fn weights_fields_need_version_5() {
    let analyzer = Analyzer::new(analysis::AnalyzerOptions::default()).unwrap();
    let of = |kind, weights, stored| {
        let field = Field { stored, weights, ..Field::new("expansion", kind) };
        let schema = Schema { fields: vec![field], positions: true, codecs: Codecs::FIRST, analyzer: analyzer.clone() };
        Manifest::new(schema)
    };
    for precision in Precision::ALL {
        let manifest = of(Kind::Weights, Some(precision), false).unwrap();
        let with = manifest.encode().unwrap();
        assert_eq!(with[4], 5);
        assert_eq!(Manifest::parse(&with, Path::new("m")).unwrap().schema, manifest.schema);
        // After the head, the name, and kind, weight and bits of the field.
        let at = 32 + 2 + 2 + "expansion".len() + 6;
        assert_eq!(with[at], precision.bits());
        for (at, byte, wanted) in [(4, 4, "no kind has the number 6"), (at, 12, "no weights have 12 bits")] {
            let mut other = with.clone();
            other[at] = byte;
            let error = Manifest::parse(&with_crc(other), Path::new("m")).unwrap_err().to_string();
            assert!(error.contains(wanted), "{error}");
        }
    }
    let precision = Some(Precision::Bits8);
    for (kind, weights, stored) in
        [(Kind::Weights, None, false), (Kind::Weights, precision, true), (Kind::Keyword, precision, false)]
    {
        assert!(of(kind, weights, stored).is_err());
    }
}

#[test]
fn analyzers_of_fields_need_version_4() {
    let field = |name: &str, analyzer: Option<usize>| {
        let analyzer = analyzer.map(of_number);
        Field { stored: true, analyzer, ..Field::new(name, Kind::Text) }
    };
    let of = |analyzers: [Option<usize>; 4]| {
        let fields = ["a", "b", "c", "d"].into_iter().zip(analyzers).map(|(name, own)| field(name, own)).collect();
        Schema { fields, positions: true, codecs: Codecs::FIRST, analyzer: of_number(0) }
    };
    let encoded = |analyzers| Manifest::new(of(analyzers)).unwrap().encode().unwrap();
    let without = encoded([None; 4]);
    // All but identity and CRC.
    let same = encoded([Some(0), None, Some(0), Some(0)]);
    let (from, to) = (16, without.len() - 4);
    assert_eq!(same[from..to], without[from..to], "that of the index");
    let with = encoded([Some(1), None, Some(2), Some(1)]);
    assert_eq!((without[4], with[4]), (1, 4));
    // Their number, two of them, the numbers of three fields, and what version 4 has besides.
    let analyzers: usize = [1, 2].map(|number| 4 + of_number(number).to_bytes().len()).into_iter().sum();
    assert_eq!(with.len(), without.len() + 1 + analyzers + 3 + 3);
    let read = Manifest::parse(&with, Path::new("m")).unwrap();
    assert_eq!(*read.schema, of([Some(1), None, Some(2), Some(1)]));
    let analyzed = read.schema.analyzed();
    assert_eq!(analyzed.iter().map(|of| &of.fields[..]).collect::<Vec<_>>(), [&[0, 3][..], &[1], &[2]]);
    let refused = |change: &dyn Fn(&mut Vec<u8>), wanted: &str| {
        let mut bytes = with.clone();
        change(&mut bytes);
        let error = Manifest::parse(&with_crc(bytes), Path::new("m")).unwrap_err();
        assert!(matches!(error, Error::Corrupt { .. }) && error.to_string().contains(wanted), "{error}");
    };
    // Before the codecs, grown, the number of segments and the CRC: the numbers of fields.
    let end = with.len() - 11;
    assert_eq!(with[end - 3..end], [0, 1, 0]);
    refused(&|bytes| bytes[end - 2] = 2, "number 2 of 2");
    refused(&|bytes| bytes[4] = 3, "its bits are 3");
    let count = end - 3 - analyzers - 1;
    refused(&|bytes| bytes[count] = 0, " of 0");
    refused(&|bytes| bytes[count] = 200, "cut off");
    let mut keyword = of([Some(1), None, None, None]);
    keyword.fields[0].kind = Kind::Keyword;
    assert!(Manifest::new(keyword).unwrap_err().to_string().contains("has an analyzer, but no text"));
}

/// Releases that read version 3 know neither parts nor compounds.
#[test]
fn parts_and_compounds_need_version_4() {
    let fields = vec![Field { stored: true, ..Field::new("a", Kind::Text) }];
    for (parts, compounds, version) in [(false, vec![], 1), (true, vec![], 4), (false, vec!["haus".to_owned()], 4)] {
        let options = analysis::AnalyzerOptions { parts, compounds, ..analysis::AnalyzerOptions::default() };
        let analyzer = Analyzer::new(options).unwrap();
        let schema = Schema { fields: fields.clone(), positions: true, codecs: Codecs::FIRST, analyzer };
        let encoded = Manifest::new(schema.clone()).unwrap().encode().unwrap();
        assert_eq!(encoded[4], version);
        assert_eq!(*Manifest::parse(&encoded, Path::new("m")).unwrap().schema, schema);
    }
}

#[test]
fn schemas_that_cannot_be_are_refused() {
    let analyzer = Analyzer::new(analysis::AnalyzerOptions::default()).unwrap();
    let field = |name: &str, weight| Field { weight, ..Field::new(name, Kind::Text) };
    let codecs = Codecs::default();
    let of = |fields| Manifest::new(Schema { fields, positions: true, codecs, analyzer: analyzer.clone() });
    assert!(of(vec![field("a", 1.0), field("b", 2.0)]).is_ok());
    assert!(of(vec![]).is_err());
    assert!(of((0..256).map(|n| field(&n.to_string(), 1.0)).collect()).is_err());
    assert!(of(vec![field("a", 1.0), field("a", 2.0)]).is_err());
    for weight in [0.0, -1.0, 1e-4, 1e-42, 1001.0, f32::NAN, f32::INFINITY] {
        assert!(of(vec![field("a", weight)]).is_err(), "{weight}");
    }
    assert!(of(vec![field("", 1.0)]).is_err());
    assert!(of(vec![field(&"x".repeat(1001), 1.0)]).is_err());
}

#[test]
fn files_of_an_index_are_told_by_their_names() {
    for (name, number) in [
        ("12.segment", Some(12)),
        ("12.spill", Some(12)),
        ("12-3.deleted", Some(12)),
        ("manifest", None),
        ("lock", None),
        ("my.segment", None),
        ("+1.segment", None),
        ("1-x.deleted", None),
        ("1.deleted", None),
        (".segment", None),
        ("99999999999999999999.segment", None),
    ] {
        assert_eq!(number_of(name), number, "{name}");
    }
}

/// Earlier releases took weights from next to nothing to a million.
#[test]
fn old_weights_become_the_nearest_ones() {
    let field = |weight| Field { weight, ..Field::new("body", Kind::Text) };
    let analyzer = Analyzer::new(analysis::AnalyzerOptions::default()).unwrap();
    for (old, weight) in [(1e-42, 1e-3), (1e-4, 1e-3), (1e-3, 1e-3), (2.5, 2.5), (1e3, 1e3), (1e6, 1e3)] {
        let schema =
            Schema { fields: vec![field(1.0)], positions: true, codecs: Codecs::default(), analyzer: analyzer.clone() };
        let mut manifest = Manifest::new(schema.clone()).unwrap();
        manifest.schema = Arc::new(Schema { fields: vec![field(old)], ..schema });
        let read = Manifest::parse(&manifest.encode().unwrap(), Path::new("m")).unwrap();
        assert_eq!(read.schema.fields[0].weight, weight);
    }
}
