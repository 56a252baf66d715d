//! Which words are within an edit distance of a word.
//!
//! An edit inserts, deletes or replaces a character, or swaps two neighbouring ones (once: "ca" is 3 from "abc", not 2).
//! The automaton is that of Schulz and Mihov, "Fast String Correction with Levenshtein-Automata" (2002), by the crate
//! `levenshtein_automata`; it runs on UTF-8 bytes and is an `fst::Automaton`.

use std::sync::OnceLock;

use levenshtein_automata::{DFA, LevenshteinAutomatonBuilder};

/// The largest edit distance.
pub const MAX_DISTANCE: u8 = 2;

/// The longest word that a query compares fuzzily, in characters; a longer one is looked up as it is. The automaton of such
/// a word has less than 5,000 states of 1 KiB, of an ASCII word less than 1,500.
pub const MAX_CHARACTERS: usize = 32;

/// The automaton that accepts the words within `distance` (at most [`MAX_DISTANCE`], more means that) of `word`, a
/// normalized word.
///
/// Time and memory grow with the length of `word`, so keep it below [`MAX_CHARACTERS`]. The first call for a distance
/// also makes its tables, which are kept.
pub fn automaton(word: &str, distance: u8) -> DFA {
    static BUILDERS: [OnceLock<LevenshteinAutomatonBuilder>; MAX_DISTANCE as usize + 1] =
        [const { OnceLock::new() }; MAX_DISTANCE as usize + 1];
    let distance = distance.min(MAX_DISTANCE);
    let builder = BUILDERS[usize::from(distance)].get_or_init(|| LevenshteinAutomatonBuilder::new(distance, true));
    builder.build_dfa(word)
}

/// Whether `automaton` accepts `word`.
#[cfg(test)]
pub fn accepts(automaton: &DFA, word: &str) -> bool {
    use levenshtein_automata::{Distance, SINK_STATE};
    let mut state = automaton.initial_state();
    for byte in word.bytes() {
        state = automaton.transition(state, byte);
        if state == SINK_STATE {
            return false;
        }
    }
    matches!(automaton.distance(state), Distance::Exact(_))
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The distance by its recurrence (optimal string alignment).
    pub(crate) fn distance(a: &str, b: &str) -> usize {
        let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
        let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
        for i in 0..=a.len() {
            for j in 0..=b.len() {
                if i == 0 || j == 0 {
                    table[i][j] = i + j;
                    continue;
                }
                let replaced = table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                table[i][j] = replaced.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    table[i][j] = table[i][j].min(table[i - 2][j - 2] + 1);
                }
            }
        }
        table[a.len()][b.len()]
    }

    #[test]
    fn examples() {
        for (word, other, edits) in [
            ("serach", "search", 1),
            ("search", "serch", 1),
            ("hause", "house", 1),
            ("ca", "abc", 3),
            ("über", "uber", 1),
        ] {
            for limit in 0..=3u8 {
                let expected = edits <= limit.min(MAX_DISTANCE);
                assert_eq!(accepts(&automaton(word, limit), other), expected, "{word} {other} {limit}");
            }
        }
    }

    #[test]
    fn automata_are_small() {
        for word in [
            "abcdefghijklmnopqrstuvwxyzäöüß01",
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            "가각간가각간가각간가각간가각간가각간가각간가각간가각간가각간가각",
        ] {
            assert_eq!(word.chars().count(), MAX_CHARACTERS);
            let states = automaton(word, MAX_DISTANCE).num_states();
            assert!(states < 5000, "{word}: {states}");
        }
    }

    proptest! {
        #[test]
        fn accepts_by_distance(word in "[abé検]{0,8}", other in "[abé検]{0,8}", limit in 0..=MAX_DISTANCE) {
            prop_assert_eq!(accepts(&automaton(&word, limit), &other), distance(&word, &other) <= limit.into());
        }
    }
}
