//! The nearest vectors when a device fails, hangs or is lost, and by each way of making products: always what the CPU finds.

use super::hangs::{TIMEOUT, is_lost_by};
use super::{always, calls, has_device, named, warnings};
use postings::analysis::Analyzer;
use postings::engine::{self, Settings};
use postings::index::{Document, Field, Id, Kind, Schema, Value, Writer, WriterOptions};
use postings::search::{Found, Index, Options};
use postings::vector::{Metric, Precision, Query, Shape};
use std::path::PathBuf;

const SHAPE: Shape = Shape { dimensions: 45, metric: Metric::Cosine, precision: Precision::Bits32 };

/// A folder with an index, removed at the end.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The vector with that number.
fn vector(number: u64) -> Vec<f32> {
    let component = |at: u64| {
        let random = (number * 64 + at + 1).wrapping_mul(0x5851_F42D_4C95_7F2D);
        ((random ^ random >> 29).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..SHAPE.dimensions.into()).map(component).collect()
}

/// Two segments, with deleted documents.
fn index() -> (Folder, Index) {
    let folder = Folder(std::env::temp_dir().join(format!("postings-process-nearest-{}", std::process::id())));
    let _ = std::fs::remove_dir_all(&folder.0);
    let (kind, vector_of) = (Kind::Vector, Some(SHAPE));
    let field = Field { vector: vector_of, ..Field::new("v", kind) };
    let analyzer = Analyzer::new(Default::default()).expect("the usual options");
    let schema = Schema { fields: vec![field], positions: false, analyzer, codecs: Default::default() };
    let mut writer = Writer::open(&folder.0, Some(schema), WriterOptions::default()).expect("a writer");
    for ids in [0..900u64, 900..1_500] {
        for id in ids {
            let document = Document { values: vec![(0, Value::Vector(vector(id)))] };
            writer.add(Id::Int(id as i64), document).expect("added");
        }
        writer.commit().expect("committed");
    }
    for id in (0..1_500).step_by(7) {
        assert!(writer.delete(&Id::Int(id)).expect("deleted"));
    }
    writer.commit().expect("committed");
    let index = Index::open(&folder.0).expect("an index");
    assert!(index.snapshot().parts().len() > 1, "segments are not merged");
    (folder, index)
}

fn queries() -> Vec<Query> {
    (0..70).map(|at| Query::new(SHAPE, &vector(10_000 + at)).expect("room")).collect()
}

fn found(index: &Index, options: &Options, settings: &Settings) -> Vec<Found> {
    engine::nearest(index, 0, &queries(), options, settings).expect("the CPU steps in")
}

fn results_are_right(index: &Index, settings: &Settings) {
    let options = Options::default();
    let expected = index.nearest(0, &queries(), &options, 1).expect("the CPU does not fail");
    assert!(expected.iter().all(|found| found.hits.len() == 10));
    let scores = |found: &Found| found.hits.iter().map(|hit| hit.score.to_bits()).collect::<Vec<_>>();
    for (found, expected) in found(index, &options, settings).iter().zip(&expected) {
        assert_eq!((found, scores(found)), (expected, scores(expected)));
    }
}

/// Calls in twice the same batch, and warnings.
fn twice() -> Option<((u64, u64, u64), Vec<String>)> {
    has_device().then(|| {
        let (_folder, index) = index();
        (0..2)
            .for_each(|_| results_are_right(&index, &Settings { device_timeout: super::PATIENCE, ..always(&named()) }));
        (calls(), warnings())
    })
}

/// Each call fails on the device. The reason is told once.
pub fn device_fails() {
    if let Some((calls, warnings)) = twice() {
        assert_eq!(calls, (2, 0, 2));
        assert!(warnings.len() == 1 && warnings[0].contains("POSTINGS_DEVICE_FAULT"), "{warnings:?}");
    }
}

/// Only one step fails, so only the first call does.
pub fn device_fails_once() {
    if let Some((calls, warnings)) = twice() {
        assert_eq!(calls, (1, 1, 1));
        assert_eq!(warnings.len(), 1);
    }
}

fn works_by(way: &str) {
    if let Some((calls, warnings)) = twice() {
        assert_eq!((calls, &warnings[..]), ((0, 2, 0), &[][..]));
        #[cfg(feature = "lab")]
        {
            let device = postings::device::select(&named()).expect("it is open").expect("it is there");
            assert_eq!(device.nearest_way(SHAPE), Ok(Some(way)));
        }
        let _ = way;
    }
}

/// Plain code multiplies, because the process was told so, or no other way works.
pub fn plain() {
    works_by("plain");
}

/// Plain code does what tensor cores do.
pub fn emulated() {
    works_by("emulated");
}

/// The device does not answer, or is gone.
pub fn is_lost() {
    if has_device() {
        let (_folder, index) = index();
        is_lost_by(|| {
            for _ in 0..2 {
                results_are_right(&index, &Settings { device_timeout: TIMEOUT, ..always(&named()) });
            }
        });
    }
}

/// The deadline comes while the device is waited for.
pub fn hangs_until_its_deadline() {
    if has_device() {
        let (_folder, index) = index();
        let options = Options { deadline: Some(TIMEOUT / 3), ..Options::default() };
        is_lost_by(|| {
            let found = found(&index, &options, &Settings { device_timeout: TIMEOUT, ..always(&named()) });
            assert!(found.len() == queries().len() && found.iter().all(|found| found.expired));
        });
    }
}
