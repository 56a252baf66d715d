use super::*;
use crate::codec::{Codec, LookUp as _, SLACK};
use crate::list::PostingList;
use proptest::prelude::*;

fn encode(doc_ids: &[u32]) -> PostingList {
    PostingList::encode(doc_ids, Codec::PartitionedEliasFano).unwrap()
}

fn kinds(list: &PostingList) -> Vec<Kind> {
    let list = list.encoded();
    let directory = Directory::of(&list);
    (0..directory.len).map(|at| directory.get(at).kind).collect()
}

/// Encodes, decodes whole and in pieces on every tier, reads the bytes again, and looks docIDs up.
fn comes_back(doc_ids: &[u32]) -> PostingList {
    let list = encode(doc_ids);
    let again = PostingList::from_bytes(&list.to_bytes()).unwrap();
    assert_eq!(again.last_doc_ids(), list.last_doc_ids());
    let mut candidates: Vec<u32> =
        doc_ids.iter().flat_map(|&id| [id.saturating_sub(1), id, id.saturating_add(1)]).collect();
    candidates.sort_unstable();
    candidates.dedup();
    for tier in Tier::available() {
        let mut decoded = Vec::new();
        again.decode_into_with(tier, &mut decoded);
        assert!(decoded == doc_ids, "{tier:?} {:?}", kinds(&list));
        for (from, many) in [(0, 3), (1, 1), (1, 2), (2, 5), (3, 9)] {
            let blocks = from..(from + many).min(list.blocks());
            if blocks.is_empty() {
                continue;
            }
            let wanted = &doc_ids[from * BLOCK..doc_ids.len().min(blocks.end * BLOCK)];
            let mut out = vec![0; wanted.len() + SLACK];
            // SAFETY: the blocks exist, there is room for them and the slack, and the tier is available.
            let count = unsafe { list.decode_blocks_to(tier, blocks, out.as_mut_ptr()) };
            assert_eq!(&out[..count], wanted);
        }
        if doc_ids.is_empty() {
            continue;
        }
        for step in [1, 7, 300] {
            let some: Vec<u32> = candidates.iter().copied().step_by(step).collect();
            let wanted: Vec<u32> = some.iter().copied().filter(|id| doc_ids.binary_search(id).is_ok()).collect();
            // SAFETY: the list is not empty, and the tier is available.
            let mut look_up = unsafe { look_up::LookUp::new(tier, list.encoded()) }.unwrap();
            let mut found = Vec::new();
            for part in some.chunks(1000) {
                let mut part = part.to_vec();
                // SAFETY: candidates ascend.
                let kept = unsafe { look_up.retain(&mut part) };
                found.extend_from_slice(&part[..kept]);
            }
            assert!(found == wanted, "{tier:?} {step} {:?}", kinds(&list));
        }
    }
    list
}

fn random(state: &mut u64) -> u32 {
    *state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
    (*state >> 32) as u32
}

/// docIDs below `end`, of which one in `one_in` is there.
fn dense(from: u32, end: u32, one_in: u32) -> Vec<u32> {
    let mut state = u64::from(from) + u64::from(one_in);
    (from..end).filter(|_| random(&mut state).is_multiple_of(one_in)).collect()
}

#[test]
fn a_run_takes_six_words() {
    for (first, count) in
        [(0, 1), (7, 1), (u32::MAX, 1), (0, 128), (1000, 129), (63, 65_536), (u32::MAX - 65_535, 65_536)]
    {
        let run: Vec<u32> = (first..=first + (count - 1)).collect();
        let list = comes_back(&run);
        assert_eq!((list.size(), kinds(&list)), (24, vec![Kind::Run]), "{first} {count}");
    }
    // A longer one takes several partitions.
    let list = comes_back(&(5..200_000).collect::<Vec<_>>());
    assert_eq!(kinds(&list), [Kind::Run; 4]);
}

#[test]
fn the_worked_example() {
    let doc_ids: Vec<u32> = (0..128).chain([1000]).collect();
    let list = comes_back(&doc_ids);
    assert_eq!(list.encoded().own, [0x0000_0002, 0xE885_0021, 0x0000_000B]);
    assert_eq!((list.parameter(), list.encoded().payload_words), (MANY, 0));
}

#[test]
fn each_kind_is_chosen_where_it_is_smallest() {
    assert_eq!(kinds(&comes_back(&dense(1_000_000, 1_020_000, 2))), [Kind::Bits]);
    let uniform = kinds(&comes_back(&dense(0, 100_000, 8)));
    assert!(uniform.len() <= 2 && uniform.iter().all(|kind| matches!(kind, Kind::EliasFano(2 | 3))), "{uniform:?}");
    let runs: Vec<u32> = (0..100).flat_map(|run| run * 1000..run * 1000 + 100 + run).collect();
    assert!(kinds(&comes_back(&runs)).iter().all(|&kind| kind == Kind::Runs));
    let mut mixed: Vec<u32> = (0..1280).collect();
    mixed.extend(dense(5_000, 20_000, 2));
    mixed.extend(dense(20_000, 2_000_000, 300));
    mixed.extend(3_000_000..3_050_000);
    mixed.extend((0..3000).map(|i| 4_000_000 + i * 50_000));
    let list = comes_back(&mixed);
    let kinds = kinds(&list);
    for wanted in [Kind::Run, Kind::Bits] {
        assert!(kinds.contains(&wanted), "{kinds:?}");
    }
    assert!(kinds.iter().any(|kind| matches!(kind, Kind::EliasFano(6..))), "{kinds:?}");
    assert!(list.size() < PostingList::encode(&mixed, Codec::QuasiSuccinct).unwrap().size() / 2);
}

#[test]
fn ends_of_the_universe() {
    for doc_ids in [
        dense(u32::MAX - 5000, u32::MAX, 2),
        dense(u32::MAX - 50_000, u32::MAX, 9),
        (u32::MAX - 300..=u32::MAX).collect(),
        (0..200).chain(u32::MAX - 300..=u32::MAX).collect(),
        (0..400).map(|i| u32::MAX - 400_000 + i * 1000).chain([u32::MAX]).collect(),
        (0..40)
            .flat_map(|run| u32::MAX - 40_000 + run * 1000..u32::MAX - 39_900 + run * 1000)
            .chain([u32::MAX])
            .collect(),
        vec![],
        vec![0],
        vec![0, u32::MAX],
    ] {
        comes_back(&doc_ids);
    }
}

#[test]
fn no_list_takes_more_than_quasi_succinct_ones() {
    let mut state = 1;
    for n in (1..300).chain([1000, 5000]) {
        for gap in [1, 2, 3, 5, 100, 10_000] {
            let mut last = 0;
            let doc_ids: Vec<u32> = (0..n)
                .map(|_| {
                    last += 1 + random(&mut state) % gap;
                    last
                })
                .collect();
            let (ours, theirs) =
                (encode(&doc_ids).size(), PostingList::encode(&doc_ids, Codec::QuasiSuccinct).unwrap());
            assert!(ours <= theirs.size(), "{n} {gap}: {ours} {}", theirs.size());
        }
    }
}

/// Stretches of docIDs that different kinds suit: (kind, number of docIDs, step).
fn stretches() -> impl Strategy<Value = Vec<u32>> {
    let stretch = (0..4u8, 1usize..700, 1u32..3000, 0u32..100_000);
    (prop::collection::vec(stretch, 0..8), any::<u64>()).prop_map(|(stretches, seed)| {
        let (mut doc_ids, mut next, mut state) = (Vec::new(), 0u32, seed);
        for (kind, count, step, distance) in stretches {
            next += distance;
            for i in 0..count {
                doc_ids.push(next);
                next += match kind {
                    0 => 1,
                    1 => 1 + random(&mut state) % 3,
                    2 => 1 + random(&mut state) % step,
                    _ if i % 40 == 39 => step,
                    _ => 1,
                };
            }
        }
        doc_ids
    })
}

/// The words of a list, with the checksum set right again.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let mut crc = crc32fast::Hasher::new();
    crc.update(&bytes[..20]);
    crc.update(&bytes[24..]);
    let crc = crc.finalize();
    bytes[20..24].copy_from_slice(&crc.to_le_bytes());
    bytes
}

/// A list that is accepted must decode to increasing docIDs on every tier, and look-ups must find just them.
fn refused_or_harmless(bytes: &[u8]) {
    let Ok(list) = PostingList::from_bytes(bytes) else { return };
    let wanted = list.decode();
    assert_eq!(wanted.len(), list.len());
    assert!(wanted.is_sorted_by(|a, b| a < b));
    for tier in Tier::available() {
        let mut decoded = Vec::new();
        list.decode_into_with(tier, &mut decoded);
        assert_eq!(decoded, wanted);
        if !wanted.is_empty() {
            let mut candidates: Vec<u32> = wanted.iter().flat_map(|&id| [id, id.saturating_add(1)]).collect();
            candidates.dedup();
            // SAFETY: the list is not empty, and the tier is available.
            let mut look_up = unsafe { look_up::LookUp::new(tier, list.encoded()) }.unwrap();
            // SAFETY: candidates ascend.
            let kept = unsafe { look_up.retain(&mut candidates) };
            assert_eq!(&candidates[..kept], &wanted[..]);
        }
    }
}

proptest! {
    #[test]
    fn any_mixture_comes_back(doc_ids in stretches()) {
        comes_back(&doc_ids);
    }

    #[test]
    fn corruption_under_a_right_checksum_is_refused_or_harmless(
        doc_ids in stretches(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        in_directory in any::<bool>(),
    ) {
        let list = encode(&doc_ids);
        let mut bytes = list.to_bytes();
        // Half of the time in header and directory, which are small.
        let head = if in_directory { 4 * (7 + list.encoded().own.len()) } else { bytes.len() };
        for (at, flip) in damage {
            let at = at.index(head.min(bytes.len()));
            bytes[at] ^= flip;
        }
        refused_or_harmless(&sealed(bytes));
    }

    #[test]
    fn any_words_are_refused_or_harmless(
        count in 1u32..2000, universe in any::<u32>(), parameter in 0u8..64,
        own in prop::collection::vec(any::<u32>(), 0..4), payload in prop::collection::vec(any::<u32>(), 0..40),
        version in 1u8..=2,
    ) {
        let mut words = vec![u32::from_le_bytes(*b"PSTL"), u32::from_le_bytes([version, 15, parameter, 0]), count,
            universe, payload.len() as u32, 0];
        if version == 2 {
            words.push(own.len() as u32);
            words.extend(&own);
        }
        words.extend(&payload);
        refused_or_harmless(&sealed(words.iter().flat_map(|word| word.to_le_bytes()).collect()));
    }
}

#[test]
fn small_lists_cannot_claim_many_docids() {
    // A run of 2^32 docIDs in 24 bytes, and a directory of such a run.
    for (parameter, own) in [(Kind::Run.number(), vec![]), (MANY, vec![1, 33, 0, 0])] {
        let version = if own.is_empty() { 1 } else { 2 };
        let mut words =
            vec![u32::from_le_bytes(*b"PSTL"), version | 15 << 8 | parameter << 16, u32::MAX, u32::MAX, 0, 0];
        if version == 2 {
            words.push(own.len() as u32);
            words.extend(&own);
        }
        let bytes = sealed(words.iter().flat_map(|word| word.to_le_bytes()).collect());
        let error = PostingList::from_bytes(&bytes).unwrap_err().to_string();
        assert!(error.contains("more than"), "{error}");
    }
}
