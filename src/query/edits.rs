//! Whether a word is within an edit distance of another one, as [`fuzzy`](super::fuzzy) has it: for the words of a
//! text, of which there are too few for an automaton to pay.
//!
//! A column of the table of distances is a word of bits: Hyyrö, "A bit-vector algorithm for computing Levenshtein and
//! Damerau edit distances" (2003). Some nanoseconds per character, and words with other letters are not compared at
//! all.

/// The most characters of a word that others are compared with.
const MOST: usize = u64::BITS as usize;

/// The words within some edits of a word, or whose beginning is.
#[derive(Debug)]
pub(super) struct Edits {
    /// Per ASCII character: at which places the word has it.
    ascii: Box<[u64; 128]>,
    others: Vec<(char, u64)>,
    characters: u32,
    letters: u64,
    edits: u32,
    /// Whether a beginning is enough.
    start: bool,
    /// What words must begin with.
    first: Option<char>,
}

/// A word of a text.
pub(super) struct Word<'t> {
    text: &'t str,
    letters: u64,
}

/// The letters of a word as a set, in which some are the same: all that are not ASCII, among others.
fn letters(word: &str) -> u64 {
    let bit = |byte: u8| 1 << if byte.is_ascii() { byte % 64 } else { 63 };
    word.bytes().fold(0, |letters, byte| letters | bit(byte))
}

impl<'t> Word<'t> {
    pub(super) fn new(text: &'t str) -> Word<'t> {
        Word { text, letters: letters(text) }
    }
}

impl Edits {
    /// `None` if the word has no characters, or more than can be compared.
    pub(super) fn new(word: &str, edits: u8, start: bool, first: Option<char>) -> Option<Edits> {
        let characters = word.chars().count();
        if !(1..=MOST).contains(&characters) {
            return None;
        }
        let (mut ascii, mut others) = (Box::new([0; 128]), Vec::<(char, u64)>::new());
        for (at, c) in word.chars().enumerate() {
            match (ascii.get_mut(c as usize), others.iter_mut().find(|(other, _)| *other == c)) {
                (Some(places), _) | (None, Some((_, places))) => *places |= 1u64 << at,
                (None, None) => others.push((c, 1 << at)),
            }
        }
        Some(Edits {
            ascii,
            others,
            characters: characters as u32,
            letters: letters(word),
            edits: edits.into(),
            start,
            first,
        })
    }

    /// The fewest bytes of a word that is accepted.
    pub(super) fn shortest(&self) -> usize {
        self.characters.saturating_sub(self.edits) as usize
    }

    fn places(&self, c: char) -> u64 {
        match self.ascii.get(c as usize) {
            Some(&places) => places,
            None => self.others.iter().find(|(other, _)| *other == c).map_or(0, |&(_, places)| places),
        }
    }

    /// Whether the word is one of these. Time does not grow with its length beyond that of the other one, but for
    /// finding its letters once.
    pub(super) fn accepts(&self, word: &Word) -> bool {
        // Each letter that only one of the two has takes an edit.
        let missing = (self.letters & !word.letters).count_ones();
        let further = (word.letters & !self.letters).count_ones();
        if missing > self.edits
            || !self.start && further > self.edits
            || self.first.is_some_and(|first| !word.text.starts_with(first))
        {
            return false;
        }
        let last = 1u64 << (self.characters - 1);
        let mut distance = self.characters;
        // The differences down the column: where it is one more, or one less; and where it is the same on the diagonal.
        let (mut more, mut less, mut same, mut before) = (!0u64, 0u64, 0u64, 0u64);
        for (at, c) in word.text.chars().enumerate() {
            if at as u32 >= self.characters + self.edits {
                return false;
            }
            let places = self.places(c);
            let swapped = ((!same & places) << 1) & before;
            same = ((places & more).wrapping_add(more) ^ more) | places | less | swapped;
            let (right_more, right_less) = (less | !(same | more), same & more);
            distance += u32::from(right_more & last != 0);
            distance -= u32::from(right_less & last != 0);
            let (right_more, right_less) = (right_more << 1 | 1, right_less << 1);
            more = right_less | !(same | right_more);
            less = right_more & same;
            before = places;
            if self.start && distance <= self.edits {
                return true;
            }
        }
        !self.start && distance <= self.edits
    }
}

#[cfg(test)]
mod tests {
    use super::super::fuzzy::tests::distance;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn accepts_by_distance(word in "[abcé検]{1,9}", other in "[abcé検]{0,9}", edits in 0..=3u8, fixed: bool) {
            let first = word.chars().next().filter(|_| fixed);
            let begins = first.is_none_or(|first| other.starts_with(first));
            let compared = Word::new(&other);
            let whole = Edits::new(&word, edits, false, first).unwrap();
            prop_assert_eq!(whole.accepts(&compared), begins && distance(&word, &other) <= edits.into());
            let start = Edits::new(&word, edits, true, first).unwrap();
            let mut beginnings = other.char_indices().map(|(at, c)| &other[..at + c.len_utf8()]);
            let near = beginnings.any(|beginning| distance(&word, beginning) <= edits.into());
            prop_assert_eq!(start.accepts(&compared), begins && near);
        }
    }

    #[test]
    fn long_words() {
        let word = "é".repeat(64);
        let edits = Edits::new(&word, 2, false, None).unwrap();
        assert!(edits.accepts(&Word::new(&"é".repeat(66))) && edits.accepts(&Word::new(&"é".repeat(62))));
        assert!(!edits.accepts(&Word::new(&"é".repeat(67))) && !edits.accepts(&Word::new(&"é".repeat(61))));
        assert!(Edits::new(&"é".repeat(65), 2, false, None).is_none() && Edits::new("", 2, false, None).is_none());
    }
}
