//! How near to each other the words of a query stand in a document.
//!
//! Yioop computes this in PHP for every document that has all words; the results here are the same numbers
//! (`testdata.jsonl` holds some that Yioop computed).

use super::Weights;

/// How near to each other the words stand: the sum over all covers (shortest intervals that hold every word) of the
/// weight of the document's part that the cover ends in, over the cover's length. 0 if a word has no position.
///
/// Covers are found by a plane sweep over all positions, O(positions × words). Like Yioop's, the sweep takes a position
/// that two words share (a word that the query repeats) for one of them only, and the sum leaves out the first cover
/// that ends after the title.
pub fn proximity<L: AsRef<[u32]>>(lists: &[L], is_document: bool, weights: &Weights) -> f64 {
    let covers = covers(lists);
    // The sum is made in f64: a cover may be 2^32 long.
    let over_length = |weight: f64, &(left, right): &(u32, u32)| weight / (f64::from(right - left) + 1.0);
    let mut sum = 0.0;
    if !is_document {
        for cover in &covers {
            sum += over_length(weights.link, cover);
        }
        return sum;
    }
    let in_title = covers.iter().take_while(|cover| i64::from(cover.1) < weights.title_length).count();
    for cover in &covers[..in_title] {
        sum += over_length(weights.title, cover);
    }
    for cover in covers.iter().skip(in_title + 1) {
        sum += over_length(weights.description, cover);
    }
    sum
}

/// The first and last position of each cover, in the order of the sweep.
fn covers<L: AsRef<[u32]>>(lists: &[L]) -> Vec<(u32, u32)> {
    let mut sweep = Sweep { rest: lists.iter().map(AsRef::as_ref).collect() };
    // One position a word, ascending: the window that slides over the document.
    let mut window: Vec<(u32, usize)> = Vec::with_capacity(lists.len());
    for word in 0..lists.len() {
        if let Some(position) = sweep.take(word) {
            window.push((position, word));
        }
    }
    if window.is_empty() || window.len() != lists.len() {
        return Vec::new();
    }
    window.sort_unstable();
    let mut found = Vec::new();
    loop {
        let (left, word) = window.remove(0);
        // With one word alone the window is its position.
        let right = window.last().map_or(left, |last| last.0);
        let Some(next) = sweep.take(word) else {
            found.push((left, right));
            return found;
        };
        if next > right || window.is_empty() {
            found.push((left, right));
        }
        let index = window.partition_point(|&entry| entry < (next, word));
        window.insert(index, (next, word));
    }
}

/// The positions that the sweep has not come to, word by word.
struct Sweep<'a> {
    rest: Vec<&'a [u32]>,
}

impl Sweep<'_> {
    /// The next position of a word, which no other word that stands there next will use again.
    fn take(&mut self, word: usize) -> Option<u32> {
        let (&position, rest) = self.rest[word].split_first()?;
        self.rest[word] = rest;
        for rest in &mut self.rest {
            if rest.first() == Some(&position) {
                *rest = &rest[1..];
            }
        }
        Some(position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_without_positions_is_near_nothing() {
        let weights = Weights::default();
        assert_eq!(proximity(&[vec![1], vec![]], true, &weights), 0.0);
        assert_eq!(proximity::<Vec<u32>>(&[], true, &weights), 0.0);
    }

    #[test]
    fn a_repeated_word_uses_a_position_once() {
        let list = vec![60, 70];
        // The first copy takes 60, and with it the other copy's; that one takes 70: no cover is left for description.
        assert_eq!(proximity(&[&list, &list], true, &Weights::default()), 0.0);
        assert_eq!(proximity(&[&list, &list], false, &Weights::default()), 2.0 / 11.0);
    }

    #[test]
    fn a_cover_of_all_positions_has_a_length() {
        let weights = Weights::default();
        assert_eq!(proximity(&[vec![0], vec![u32::MAX]], false, &weights), 2.0 / 4_294_967_296.0);
        // Covers from 0 to 65 (left out), 65 to 70, 70 to the last position there is.
        let sum = 1.0 / 6.0 + 1.0 / 4_294_967_226.0;
        assert_eq!(proximity(&[vec![0, 70], vec![65, u32::MAX]], true, &weights), sum);
    }
}
