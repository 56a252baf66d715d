use super::*;
use crate::base::error::Error;
use proptest::prelude::*;

/// Words of a section, so that it is aligned.
fn section(bytes: &[u8]) -> Vec<u32> {
    let mut bytes = bytes.to_vec();
    bytes.resize((bytes.len() + PADDING).next_multiple_of(4), 0);
    let mut words = vec![0; bytes.len() / 4];
    LittleEndian::read_u32_into(&bytes, &mut words);
    words
}

fn as_bytes(words: &[u32]) -> &[u8] {
    // SAFETY: any words are valid bytes.
    unsafe { words.align_to().1 }
}

struct Case {
    documents: u32,
    doc_ids: Vec<u32>,
    frequencies: Vec<u32>,
    positions: Vec<u32>,
    lengths: Vec<u8>,
}

impl Case {
    /// `present` chooses documents, `seed` what they contain.
    fn new(present: impl Iterator<Item = u32>, documents: u32, seed: u32) -> Case {
        let doc_ids: Vec<u32> = present.collect();
        let noise = |i: u32| (i ^ seed).wrapping_mul(0x9E37_79B9) >> 7;
        let frequencies: Vec<u32> =
            doc_ids.iter().map(|&d| if noise(d) % 3 == 0 { 1 + noise(d) % 9 } else { 1 }).collect();
        let places =
            |(&d, &f): (&u32, &u32)| (0..f).map(move |i| noise(d) % 50 + 3 * i + noise(d + i) % 3).collect::<Vec<_>>();
        let positions = doc_ids.iter().zip(&frequencies).flat_map(places).collect();
        let lengths = (0..documents).map(|d| noise(d) as u8).collect();
        Case { documents, frequencies, positions, lengths, doc_ids }
    }

    fn postings(&self, parts: ListParts) -> Postings<'_> {
        Postings {
            doc_ids: &self.doc_ids,
            frequencies: if parts.frequencies { &self.frequencies } else { &[] },
            positions: if parts.positions { &self.positions } else { &[] },
            lengths: &self.lengths,
        }
    }

    fn check(&self) {
        let all: Vec<BlockCodec> = BlockCodec::all().collect();
        // Each codec for both, in turn.
        let codecs = |at: usize| all[(self.doc_ids.len() + at) % all.len()];
        for (frequencies, positions, at) in [(false, false, 0), (true, false, 1), (true, true, 2), (true, true, 3)] {
            let codecs = Codecs { frequencies: codecs(at), positions: codecs(3 * at) };
            let parts = ListParts { frequencies, positions, codecs };
            let mut out = vec![1, 2, 3];
            let value = encode(&self.postings(parts), self.documents, codecs, 0, &mut out).unwrap();
            let words = section(&out);
            let mut decoded = Decoded::default();
            decode(as_bytes(&words), value, self.documents, parts, &mut decoded).unwrap();
            assert_eq!(decoded.doc_ids, self.doc_ids);
            assert_eq!(decoded.frequencies, self.postings(parts).frequencies);
            assert_eq!(decoded.positions, self.postings(parts).positions);
            let list = List::find(as_bytes(&words), value, self.documents, parts).unwrap();
            assert_eq!(list.count().unwrap(), self.doc_ids.len());
            self.damage(&words, value, parts);
        }
    }

    /// Damage is found or makes other postings, but never a panic or a docID that does not exist.
    fn damage(&self, words: &[u32], value: u64, parts: ListParts) {
        let mut decoded = Decoded::default();
        for at in (0..words.len()).step_by(1 + words.len() / 50) {
            for damage in [1, 0x8000_0000, u32::MAX] {
                let mut words = words.to_vec();
                words[at] ^= damage;
                match decode(as_bytes(&words), value, self.documents, parts, &mut decoded) {
                    Ok(()) => assert!(decoded.doc_ids.iter().all(|&doc_id| doc_id < self.documents)),
                    Err(error) => assert!(matches!(error, Error::Corrupt { .. }), "{error}"),
                }
            }
            let _ = decode(as_bytes(&words[..at]), value, self.documents, parts, &mut decoded);
        }
    }
}

#[test]
fn lists_of_all_lengths_and_densities_come_back() {
    for documents in [1, 200, 5000, 70_000] {
        for step in [1, 2, 7, 15, 16, 17, 100] {
            Case::new((0..documents).step_by(step), documents, 5).check();
            Case::new((documents / 2..documents).step_by(step).take(130), documents, 9).check();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn random_lists_come_back(
        gaps in prop::collection::vec(prop_oneof![9 => 1u32..8, 1 => 1u32..900], 1..700), seed: u32, after in 1u32..99
    ) {
        let doc_ids: Vec<u32> = gaps.iter().scan(0, |next, gap| { *next += gap; Some(*next - 1) }).collect();
        let documents = doc_ids[doc_ids.len() - 1] + after;
        Case::new(doc_ids.into_iter(), documents, seed).check();
    }

    #[test]
    fn noise_is_refused_or_decoded(
        words in prop::collection::vec(any::<u32>(), 0..600),
        value in 0u64..3000,
        codecs in prop::array::uniform2(prop::sample::select(BlockCodec::all().collect::<Vec<_>>())),
    ) {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let words = section(&bytes);
        let [frequencies, positions] = codecs;
        let parts = ListParts { frequencies: true, positions: true, codecs: Codecs { frequencies, positions } };
        let _ = decode(as_bytes(&words), value, 1000, parts, &mut Decoded::default());
    }
}
