//! The passages in memory, their words, and random numbers that are the same in each run.

use std::fs;
use std::io;
use std::path::Path;

/// Passages of one file, one a line; a passage's number is its line's, from 0.
pub struct Passages {
    text: String,
    /// Where each passage ends.
    ends: Vec<usize>,
}

impl Passages {
    /// Reads the first `most` passages.
    pub fn read(path: &Path, most: usize) -> io::Result<Passages> {
        let mut text = fs::read_to_string(path)
            .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}; see corpus.sh", path.display())))?;
        let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).take(most).collect();
        text.truncate(ends.last().map_or(0, |end| end + 1));
        text.shrink_to_fit();
        Ok(Passages { text, ends })
    }

    /// Those of a text, one a line.
    #[cfg(test)]
    pub fn of(text: String) -> Passages {
        let ends = text.match_indices('\n').map(|(at, _)| at).collect();
        Passages { text, ends }
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn bytes(&self) -> usize {
        self.text.len()
    }

    pub fn get(&self, number: usize) -> &str {
        let from = number.checked_sub(1).map_or(0, |before| self.ends[before] + 1);
        &self.text[from..self.ends[number]]
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|number| self.get(number))
    }
}

/// What a passage also has where it is a product of a shop.
pub struct Product {
    /// One of 10.
    pub brand: String,
    /// One of 50,000.
    pub seller: String,
    /// 1 to 1,000, evenly by its logarithm.
    pub price: f64,
}

/// That of the passage with this number.
pub fn product(number: usize) -> Product {
    let mut random = Random(number as u64);
    Product {
        brand: format!("b{}", random.below(10)),
        seller: format!("s{}", random.below(50_000)),
        price: ((random.below(691) as f64 / 100.0).exp() * 100.0).round() / 100.0,
    }
}

/// So many words of a passage are its title, where it has two fields.
const TITLE: usize = 8;

/// The title of a passage, its first words, and the rest.
pub fn titled(passage: &str) -> [&str; 2] {
    let end = words(passage).take(TITLE).last().map_or(0, |word| {
        // It lies within the passage.
        word.as_ptr() as usize - passage.as_ptr() as usize + word.len()
    });
    passage.split_at(end).into()
}

/// Longer runs are no words; tantivy's default analyzer drops them as well.
pub const LONGEST: usize = 40;

/// The words of a text: runs of ASCII letters and digits, of at most 40 bytes, in the case in which they stand there.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty() && word.len() <= LONGEST)
}

/// SplitMix64.
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// A number below `limit`, which is above 0.
    pub fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.next()) * limit as u128) >> 64) as usize
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}
