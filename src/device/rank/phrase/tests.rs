//! Compares lists of phrases with their definition and with the CPU's, on PoCL or the device that `POSTINGS_TEST_DEVICE` names.

use super::*;
use crate::base::cpu::Tier;
use crate::base::identity::Identity;
use crate::device::Device;
use crate::device::tests::test_device;
use crate::index::list::Decoded;
use crate::rank::Clock;
use crate::rank::chain::Chain;
use crate::rank::phrase::{PhraseTerm, phrase};
use crate::rank::positions::Places;
use crate::rank::term::Source as Postings;

/// A segment of some words, and phrases of these.
struct Segment {
    identity: Identity,
    documents: u32,
    words: Vec<Decoded>,
    /// The index of the first position of each posting of each word.
    starts: Vec<Vec<usize>>,
    /// Offset and word.
    phrases: Vec<Vec<(u32, usize)>>,
}

impl Segment {
    fn new(documents: u32, words: Vec<Decoded>, phrases: Vec<Vec<(u32, usize)>>) -> Segment {
        let starts = |word: &Decoded| {
            let mut next = 0;
            word.frequencies
                .iter()
                .map(|&frequency| {
                    next += frequency as usize;
                    next - frequency as usize
                })
                .collect()
        };
        Segment { identity: Identity::new(), documents, starts: words.iter().map(starts).collect(), words, phrases }
    }

    /// The positions of a word in a document; none if it does not contain it.
    fn positions(&self, word: usize, doc_id: u32) -> &[u32] {
        let Decoded { doc_ids, frequencies, positions } = &self.words[word];
        let Ok(at) = doc_ids.binary_search(&doc_id) else { return &[] };
        &positions[self.starts[word][at]..][..frequencies[at] as usize]
    }

    fn by_definition(&self, phrase: &[(u32, usize)]) -> (Vec<u32>, Vec<u32>) {
        let count = |doc_id: u32| {
            let words: Vec<(u32, &[u32])> =
                phrase.iter().map(|&(offset, word)| (offset, self.positions(word, doc_id))).collect();
            let has = |begin: u32| words.iter().all(|(offset, positions)| positions.contains(&(begin + offset)));
            if words.iter().any(|(_, positions)| positions.is_empty()) {
                0
            } else {
                (0..POSITIONS).filter(|&at| has(at)).count()
            }
        };
        let counts = (0..self.documents).map(|doc_id| (doc_id, count(doc_id))).filter(|&(_, count)| count > 0);
        counts.map(|(doc_id, count)| (doc_id, count as u32 - 1)).unzip()
    }

    /// What a device finds: docIDs and frequencies less 1; `None` if it leaves the phrase to the host.
    fn on_device(&self, device: &Device) -> Vec<Option<(Vec<u32>, Vec<u32>)>> {
        let phrase = |(term, phrase): (usize, &Vec<(u32, usize)>)| {
            let words = self.phrase(0, term).unwrap();
            let key = |word| self.key(Wanted::Positions { segment: 0, term, word }).unwrap();
            let rarest = words.iter().map(|word| word.documents).min().unwrap();
            Phrase { at: term, segment: 0, term, positions: (0..phrase.len()).map(key).collect(), words, rarest }
        };
        let phrases: Vec<Phrase> = self.phrases.iter().enumerate().map(phrase).collect();
        let mut made = Made::new();
        assert!(device.lock().unwrap().make(0, 1, &phrases, self, &mut made).unwrap());
        let halves = |words: Vec<u32>| {
            let (doc_ids, less_one) = words.split_at(words.len() / 2);
            (doc_ids.to_vec(), less_one.to_vec())
        };
        (0..phrases.len()).map(|at| made.remove(&at).map(halves)).collect()
    }
}

impl Provider for Segment {
    fn key(&self, wanted: Wanted) -> Option<Key<'_>> {
        let item = match wanted {
            Wanted::Word { term, word, .. } => (0, self.phrases[term][word].1 as u64),
            Wanted::Positions { term, word, .. } => (1, self.phrases[term][word].1 as u64),
            _ => return None,
        };
        Some(Key { owner: &self.identity, item, of: None })
    }

    fn reads(&self, _: Wanted) -> u64 {
        1 << 20
    }

    fn build(&self, wanted: Wanted) -> Result<Vec<u32>> {
        Ok(match wanted {
            Wanted::Word { term, word, .. } => {
                let Decoded { doc_ids, frequencies, .. } = &self.words[self.phrases[term][word].1];
                let less_one = frequencies.iter().map(|frequency| frequency - 1).collect();
                let source = Postings::of(doc_ids.clone(), less_one);
                let lengths = vec![1; self.documents as usize];
                tiled::encode(Tier::Scalar, &source, tiled::Coding::Lengths(&lengths), self.documents).unwrap()
            }
            Wanted::Positions { term, word, .. } => tiled::positions::of_short(&self.words[self.phrases[term][word].1]),
            _ => Vec::new(),
        })
    }

    fn phrase(&self, _: usize, term: usize) -> Result<Vec<PhraseWord>> {
        let documents = |word: usize| self.words[word].doc_ids.len() as u64;
        let word = |&(offset, word): &(u32, usize)| PhraseWord { offset, documents: documents(word) };
        Ok(self.phrases[term].iter().map(word).collect())
    }

    fn encode(&self, _: usize, _: usize, doc_ids: Vec<u32>, less_one: Vec<u32>) -> Result<Vec<u32>> {
        Ok([doc_ids, less_one].concat())
    }
}

/// Words have positions below this one.
const POSITIONS: u32 = 24;

/// A word in so many documents, at random positions.
fn word(seed: u32, count: u32, documents: u32) -> Decoded {
    let noise = |at: u32| (at ^ seed.wrapping_mul(0x9E37_79B9)).wrapping_mul(0x85EB_CA6B) >> 9;
    let step = documents / count;
    let mut word = Decoded::default();
    for at in 0..count {
        word.doc_ids.push(at * step + noise(at) % step);
        let positions: Vec<u32> =
            (0..POSITIONS).filter(|position| noise(at * 31 + position * 7 + 1) % 4 == 0).collect();
        let positions = if positions.is_empty() { vec![noise(at) % POSITIONS] } else { positions };
        word.frequencies.push(positions.len() as u32);
        word.positions.extend(positions);
    }
    word
}

#[test]
fn documents_and_frequencies_are_those_of_the_definition() {
    let Some(device) = test_device() else { return };
    const DOCUMENTS: u32 = 1 << 13;
    // Around work-groups, tiles and the blocks of the CPU.
    let words: Vec<Decoded> = [1, 2, 100, 128, 255, 256, 257, 512, 513, 4096, 8192]
        .iter()
        .zip(1..)
        .map(|(&count, seed)| word(seed, count, DOCUMENTS))
        .collect();
    let mut phrases: Vec<Vec<(u32, usize)>> = Vec::new();
    for a in 0..words.len() {
        phrases.push(vec![(0, a), (1, a)]);
        phrases.push(vec![(0, a), (2, words.len() - 1), (3, words.len() - 2)]);
        phrases.extend((0..words.len()).map(|b| vec![(0, a), (1 + (b % 3) as u32, b)]));
    }
    phrases.push((0..MOST_WORDS as u32).map(|offset| (offset, 10)).collect());
    let segment = Segment::new(DOCUMENTS, words, phrases);
    let found = segment.on_device(&device);
    let mut some = 0;
    for (phrase_words, found) in segment.phrases.iter().zip(found) {
        let found = found.expect("a device finds all of them");
        some += found.0.len();
        assert_eq!(found, segment.by_definition(phrase_words), "{phrase_words:?}");
        let words = phrase_words.iter().map(|&(offset, word)| (offset, segment.words[word].clone()));
        if words.clone().all(|(_, word)| word.doc_ids.len() <= 128) {
            let places =
                words.map(|(offset, word)| PhraseTerm { offsets: vec![offset], places: Places::short(word) }).collect();
            assert_eq!(
                found,
                phrase(Tier::Scalar, places, Chain::none(), Vec::new(), &Clock::never()).unwrap(),
                "{phrase_words:?}"
            );
        }
    }
    assert!(some > 10_000, "{some}");
}

#[test]
fn documents_with_very_many_positions_are_left_to_the_host() {
    let Some(device) = test_device() else { return };
    let many = |count: u32| Decoded {
        doc_ids: vec![3, 700],
        frequencies: vec![1, count],
        positions: [7].into_iter().chain((0..count).map(|at| 2 * at)).collect(),
    };
    let half = MOST_POSITIONS as u32 / 2;
    let words = vec![many(half), many(half + 1)];
    let segment = Segment::new(1000, words, vec![vec![(0, 0), (2, 0)], vec![(0, 0), (2, 1)]]);
    assert_eq!(segment.on_device(&device), [Some((vec![700], vec![half - 2])), None]);
}

#[test]
fn what_is_missing_of_a_phrase_is_noticed() {
    let found = [[4, 0], [9, 2], [1, 0]];
    assert_eq!(gather(&[[2, 1], [0, 0], [0, 2]], &found), Some((vec![1, 4, 9], vec![0, 0, 2])));
    assert_eq!(gather(&[[2, 1], [0, NONE]], &found), None);
    // There was no room for the last one.
    assert_eq!(gather(&[[0, 2], [2, 2]], &found), None);
    assert_eq!(gather(&[], &found), Some((vec![], vec![])));
}
