//! Champions: the documents of a list of which its k best are, whatever k1, b, the weights and the average length are at the time of the
//! search (champion lists: Manning, Raghavan and Schütze 2008, 7.1.3; which documents these must be is the k-skyband of Papadias, Tao, Fu
//! and Seeger 2005).
//!
//! One document *beats* another if its frequency is not less and its length byte not greater, and, where both are equal, if its docID is
//! less. Champions are those that fewer than [`MOST`] others beat. So every other document is beaten by [`MOST`] champions at least, none
//! of which BM25 gives a lower score; if it gives each a greater one where frequency or length differ, the best k ≤ [`MOST`] documents
//! are champions, ties included.
//!
//! A champion takes two words: its docID, and its frequency times 256 plus its length byte. They ascend by docIDs. Long lists of large
//! segments have them, if they are few beside the postings and no frequency is above [`GREATEST`].

/// How many best documents are among the champions.
pub const MOST: usize = 32;

/// Words per champion.
pub const WORDS: usize = 2;

/// Segments with so many documents, and lists with so many postings, have champions.
const LEAST_DOCUMENTS: u32 = if cfg!(any(test, fuzzing)) { 300 } else { 1 << 17 };
const LEAST_POSTINGS: usize = if cfg!(any(test, fuzzing)) { 200 } else { 4096 };

/// There is at most one for so many postings.
const ONE_OF: usize = if cfg!(any(test, fuzzing)) { 2 } else { 32 };

/// The greatest frequency.
const GREATEST: u32 = u16::MAX as u32;

/// A document of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Champion {
    /// Its docID.
    pub doc_id: u32,
    /// How often it has the term.
    pub frequency: u32,
    /// The length byte of its field.
    pub length: u8,
}

/// Whether lists of a segment with so many documents may have champions.
pub fn may_be(documents: u32) -> bool {
    documents >= LEAST_DOCUMENTS
}

/// The champions in the words of a list.
#[inline]
pub fn all(words: &[u32]) -> impl ExactSizeIterator<Item = Champion> + Clone {
    words.as_chunks::<WORDS>().0.iter().map(|&[doc_id, of]| Champion { doc_id, frequency: of >> 8, length: of as u8 })
}

/// Appends the champions of a list of a segment with so many documents, if it is to have any.
pub(super) fn append(documents: u32, doc_ids: &[u32], frequencies: &[u32], lengths: &[u8], words: &mut Vec<u32>) {
    if !may_be(documents) || doc_ids.len() < LEAST_POSTINGS {
        return;
    }
    let greatest = frequencies.iter().copied().max().unwrap_or(0);
    if greatest > GREATEST {
        return;
    }
    let mut champions = Vec::new();
    // The least lengths of those with a greater frequency, of which no more can matter; ascending.
    let mut least: Vec<u8> = Vec::new();
    for (frequency, shortest) in shortest(greatest, doc_ids, frequencies, lengths).into_iter().enumerate().rev() {
        for (before, &(length, doc_id)) in shortest.iter().enumerate() {
            if before + least.partition_point(|&other| other <= length) < MOST {
                champions.push(Champion { doc_id, frequency: frequency as u32, length });
            }
        }
        least.extend(shortest.iter().map(|&(length, _)| length));
        least.sort_unstable();
        least.truncate(MOST);
    }
    if champions.len() > doc_ids.len() / ONE_OF {
        return;
    }
    champions.sort_unstable_by_key(|champion| champion.doc_id);
    words.extend(champions.iter().flat_map(|of| [of.doc_id, of.frequency << 8 | u32::from(of.length)]));
}

/// For each frequency up to `greatest`, the documents that fewer than [`MOST`] others with this frequency beat: lengths and docIDs, which
/// ascend.
fn shortest(greatest: u32, doc_ids: &[u32], frequencies: &[u32], lengths: &[u8]) -> Vec<Vec<(u8, u32)>> {
    let mut shortest: Vec<Vec<(u8, u32)>> = vec![Vec::new(); greatest as usize + 1];
    // Above all length bytes until there are as many as can matter.
    let mut longest = vec![u16::MAX; greatest as usize + 1];
    for (&doc_id, &frequency) in doc_ids.iter().zip(frequencies) {
        let (length, at) = (lengths[doc_id as usize], frequency as usize);
        if u16::from(length) < longest[at] {
            let shortest = &mut shortest[at];
            shortest.insert(shortest.partition_point(|&(other, _)| other <= length), (length, doc_id));
            shortest.truncate(MOST);
            if let Some(&(last, _)) = shortest.get(MOST - 1) {
                longest[at] = last.into();
            }
        }
    }
    shortest
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn beats(one: &Champion, other: &Champion) -> bool {
        let equal = one.frequency == other.frequency && one.length == other.length;
        one.frequency >= other.frequency && one.length <= other.length && (!equal || one.doc_id < other.doc_id)
    }

    proptest! {
        #[test]
        fn champions_are_those_that_few_beat(
            of in prop::collection::vec((1u32..1000, 1u32..30, 1u8..60), LEAST_POSTINGS..400), steps in 1u32..50
        ) {
            let document = |(at, &(gap, frequency, length)): (usize, &(u32, u32, u8))| {
                Champion { doc_id: at as u32 * 1000 + gap, frequency: frequency / steps + 1, length }
            };
            let documents: Vec<Champion> = of.iter().enumerate().map(document).collect();
            let mut lengths = vec![0; 400_000];
            documents.iter().for_each(|of| lengths[of.doc_id as usize] = of.length);
            let doc_ids: Vec<u32> = documents.iter().map(|of| of.doc_id).collect();
            let frequencies: Vec<u32> = documents.iter().map(|of| of.frequency).collect();
            let mut words = Vec::new();
            append(400_000, &doc_ids, &frequencies, &lengths, &mut words);
            let few_beat = |of: &&Champion| documents.iter().filter(|other| beats(other, of)).count() < MOST;
            let wanted: Vec<Champion> = documents.iter().filter(few_beat).copied().collect();
            let kept = wanted.len() <= documents.len() / ONE_OF;
            prop_assert_eq!(all(&words).collect::<Vec<_>>(), if kept { wanted } else { Vec::new() });
        }
    }

    #[test]
    fn a_frequency_that_does_not_fit_leaves_a_list_without() {
        let doc_ids: Vec<u32> = (0..1000).collect();
        let (mut frequencies, lengths, mut words) = (vec![1; 1000], vec![3; 1000], Vec::new());
        frequencies[77] = GREATEST + 1;
        append(1000, &doc_ids, &frequencies, &lengths, &mut words);
        assert!(words.is_empty());
        frequencies[77] = GREATEST;
        append(1000, &doc_ids, &frequencies, &lengths, &mut words);
        let of = |doc_id| Champion { doc_id, frequency: if doc_id == 77 { GREATEST } else { 1 }, length: 3 };
        assert!(all(&words).eq((0..MOST as u32 - 1).chain([77]).map(of)));
    }
}
