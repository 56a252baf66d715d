//! Indexes for the targets `index_*`, and checksums for files that were changed.
#![allow(dead_code)]

use postings::analysis::{self, Analyzer};
use postings::index::{BlockCodec, Codecs, Document, Field, Id, Kind, Schema, Value, Writer, WriterOptions};
use postings::index::impacts::Precision;
use postings::vector::{self, Metric, Shape};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The CRC-32C of what `fst` writes.
pub fn crc32c(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| (crc >> 1) ^ (0x82f6_3b78 & (crc & 1).wrapping_neg()))
    })
}

/// A folder in memory for this process, which the system forgets when it starts anew.
pub fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let path = PathBuf::from(format!("/dev/shm/postings-fuzz-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("/dev/shm");
        path
    })
}

pub fn schema() -> Schema {
    let analyzer = |language: &str| {
        // Of letters that queries have.
        let compounds = if language == "german" { ["title", "ab", "aa", "w1"].map(String::from).into() } else { Vec::new() };
        let options =
            analysis::AnalyzerOptions { language: Some(language.into()), compounds, ..analysis::AnalyzerOptions::default() };
        Analyzer::new(options).expect("a language")
    };
    let field = |name: &str, kind, stored| {
        let weight = if stored { 2.0 } else { 1.0 };
        Field { weight, stored, analyzer: (name == "title").then(|| analyzer("german")), ..Field::new(name, kind) }
    };
    let vectors = |name: &str, metric, precision| {
        Field { vector: Some(Shape { dimensions: 7, metric, precision }), clusters: metric == Metric::Dot, ..field(name, Kind::Vector, false) }
    };
    let fields = vec![
        field("title", Kind::Text, true),
        field("body", Kind::Text, false),
        field("tag", Kind::Keyword, true),
        field("year", Kind::Numeric, true),
        field("rare", Kind::Numeric, false),
        field("place", Kind::Geo, false),
        vectors("embedding", Metric::Dot, vector::Precision::Bits32),
        Field { weights: Some(Precision::Bits8), ..field("expansion", Kind::Weights, false) },
        vectors("half", Metric::Cosine, vector::Precision::Bits16),
    ];
    // Those of a file of the newest version.
    let codecs =
        Codecs { frequencies: BlockCodec::BP128, positions: BlockCodec::from_name("optpfd").expect("a codec") };
    Schema {
        fields,
        positions: true,
        codecs,
        // With words beside stems.
        analyzer: analyzer("english"),
    }
}

/// An index with lists of every form, ids of both kinds, stored values, and deleted documents; its segment is reordered.
pub fn index() -> &'static Path {
    static INDEX: OnceLock<PathBuf> = OnceLock::new();
    INDEX.get_or_init(|| {
        let path = folder().join("index");
        let mut writer = Writer::open(&path, Some(schema()), WriterOptions::default()).expect("a new index");
        let mut state = 7u64;
        let mut random = move |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for i in 0..400u64 {
            let mut text = String::from("all ");
            for _ in 0..random(20) {
                let most = 1 + random(60);
                text.push_str(&format!("w{} ", random(most)));
            }
            let values = vec![
                (0, Value::Text(format!("title {i} titlew1 aasab{}", i % 3).into())),
                (1, Value::Text(text.into())),
                (2, Value::Keywords((0..i % 3).map(|tag| format!("t{tag}").into()).collect())),
                (3, Value::Number(1900.0 + (i % 120) as f64)),
            ];
            let place = (i % 9 > 0).then(|| (5, Value::Point((i % 180) as f64 - 90.0, random(360) as f64 - 180.0)));
            let several = Value::List(vec![Value::Number(i as f64 / 3.0), Value::Int(7), Value::Int(i as i64)]);
            let vector = |field, every| {
                (i % every > 0).then(|| (field, Value::Vector((0..7).map(|at| (i * at) as f32 - 40.0).collect())))
            };
            let vectors = vector(6, 5).into_iter().chain(vector(8, 3));
            let weights = (0..i % 6).map(|term| (format!("w{}", term * 97 + i % 9).into_bytes(), 0.1 + i as f32 / 50.0));
            let weights = Some((7, Value::Weights(weights.collect())));
            let rare = (i % 40 == 0).then_some((4, several));
            let id = if i % 2 == 0 { Id::Int(i as i64) } else { Id::Bytes(format!("id {i}").into_bytes().into()) };
            writer.add(id, Document { values: values.into_iter().chain(rare).chain(place).chain(vectors).chain(weights).collect() }).expect("it fits");
        }
        writer.commit().expect("a commit");
        writer.optimize(true).expect("one segment");
        for i in (0..400).step_by(20) {
            writer.delete(&Id::Int(i)).expect("it is there");
        }
        writer.commit().expect("a commit");
        path
    })
}

pub fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]))
}

pub fn put_crc(bytes: &mut [u8]) -> u32 {
    let checked = bytes.len().saturating_sub(4);
    let crc = crc32fast::hash(&bytes[..checked]);
    if bytes.len() >= 4 {
        bytes[checked..].copy_from_slice(&crc.to_le_bytes());
    }
    crc
}

/// Sets bytes at places, counted from the front, or from the end if the number is odd.
pub fn edit(bytes: &mut [u8], edits: &[(u16, u8)]) {
    for &(place, byte) in edits {
        let half = usize::from(place / 2) % bytes.len().max(1);
        let at = if place % 2 == 0 { half } else { bytes.len() - 1 - half };
        if at < bytes.len() {
            bytes[at] = byte;
        }
    }
}
