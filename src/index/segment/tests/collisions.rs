//! Ids that somebody chose so that they share a bucket of the index of ids.

use super::damage::forge;
use super::*;
use crate::index::segment::ids::{COMPARED, IdRef, bucket};

const DOCUMENTS: usize = 4096;

/// Buckets of that many documents, as a logarithm.
const BITS: u32 = (DOCUMENTS as u32 / 4).ilog2();

/// Ids of the first bucket, integers and strings in turn, in no order.
fn chosen(count: usize) -> Vec<Id> {
    let all = (0u64..).map(|i| {
        let mixed = i.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        if i % 2 == 0 { Id::Int(mixed as i64) } else { Id::Bytes(format!("id {mixed:x}").into_bytes().into()) }
    });
    all.filter(|id| bucket(IdRef::from(id), BITS) == 0).take(count).collect()
}

/// Looks all of them up; returns how many comparisons the one that took most needed.
fn most_comparisons(segment: &Segment, there: &[Id], absent: &[Id]) -> usize {
    let mut most = 0;
    let expected = there.iter().zip(0..).map(|(id, doc)| (id, Some(doc)));
    for (id, doc) in expected.chain(absent.iter().map(|id| (id, None))) {
        COMPARED.set(0);
        assert_eq!(segment.find(id).unwrap(), doc, "{id:?}");
        most = most.max(COMPARED.get());
    }
    most
}

#[test]
fn they_are_found_as_fast_as_others() {
    let (schema, folder) = (schema(true), tempfile::tempdir().unwrap());
    let ids = chosen(DOCUMENTS + 50);
    let (there, absent) = ids.split_at(DOCUMENTS);
    let documents: Vec<_> = there.iter().map(|id| (id.clone(), Document::default())).collect();
    let segment = build(folder.path(), 1, &documents, &schema).unwrap();
    let most = BITS as usize + 4;
    assert!(most_comparisons(&segment, there, absent) <= most);

    let (first, second) = documents.split_at(1000);
    let parts = [first, second].into_iter().zip(2..);
    let inputs: Vec<Input> =
        parts.map(|(part, number)| (build(folder.path(), number, part, &schema).unwrap(), None)).collect();
    let meta = merge(&inputs, &opened(folder.path()), 4, &schema, None, 1).unwrap().unwrap();
    let merged = Segment::open(&folder.path().join("4.segment"), &meta, schema.clone()).unwrap();
    assert!(most_comparisons(&merged, there, absent) <= most);

    // Those of older versions have another order in the buckets, and say so.
    let mut bytes = std::fs::read(folder.path().join("1.segment")).unwrap();
    let extent = *segment.frame.extents.iter().find(|extent| extent.section == Section::IdIndex).unwrap();
    assert_eq!(bytes[extent.offset as usize + 1], 1);
    bytes[extent.offset as usize + 1] = 0;
    let mut meta = segment.meta();
    forge(&mut bytes, &mut meta);
    std::fs::write(folder.path().join("5.segment"), &bytes).unwrap();
    let older = Segment::open(&folder.path().join("5.segment"), &meta, schema).unwrap();
    assert_eq!(most_comparisons(&older, &there[..300], absent), DOCUMENTS);
}
