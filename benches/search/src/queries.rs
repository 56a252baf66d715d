//! Queries of several shapes, drawn from the passages: the same passages give the same queries.

use crate::data::{Passages, Random, words};
use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::Path;

/// Words in lower case.
pub type Query = Vec<String>;

/// Which words a query has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// 2 to 4 words of one passage.
    Passage,
    /// 2 to 8 words of one passage.
    Many,
    /// One word of few passages (2 to 1 in 20,000).
    Rare,
    /// One word of 1 in 2,000 to 1 in 200 passages.
    Medium,
    /// One word of more than 2 % of the passages.
    Common,
    /// Two words of more than 5 % of the passages each.
    TwoCommon,
    /// A word of more than 5 % and a rare one.
    CommonRare,
    /// 2 or 3 neighbours in a passage.
    Phrase,
    /// 4 to 6 neighbours in a passage.
    LongPhrase,
    /// 30 words of passages that follow each other.
    Thirty,
    /// 100 such words.
    Hundred,
}

impl Shape {
    pub const ALL: [Shape; 11] = [
        Shape::Passage,
        Shape::Many,
        Shape::Rare,
        Shape::Medium,
        Shape::Common,
        Shape::TwoCommon,
        Shape::CommonRare,
        Shape::Phrase,
        Shape::LongPhrase,
        Shape::Thirty,
        Shape::Hundred,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Shape::Passage => "passage",
            Shape::Many => "many",
            Shape::Rare => "rare",
            Shape::Medium => "medium",
            Shape::Common => "common",
            Shape::TwoCommon => "two-common",
            Shape::CommonRare => "common-rare",
            Shape::Phrase => "phrase",
            Shape::LongPhrase => "long-phrase",
            Shape::Thirty => "thirty",
            Shape::Hundred => "hundred",
        }
    }

    /// How many queries are drawn.
    fn number(self) -> usize {
        match self {
            // Some few take most of the time.
            Shape::Passage | Shape::Phrase | Shape::LongPhrase => 1000,
            _ => 200,
        }
    }
}

/// The queries of a shape, from `folder`; all shapes are drawn and written there when they are not there yet.
pub fn read(folder: &Path, shape: Shape, passages: &Passages) -> io::Result<Vec<Query>> {
    let path = folder.join(format!("{}.txt", shape.name()));
    if !path.exists() {
        write_all(folder, passages)?;
    }
    let text = fs::read_to_string(path)?;
    Ok(text.lines().map(|line| line.split(' ').map(str::to_owned).collect()).collect())
}

/// Draws the queries of all shapes and writes a file of each, one query a line.
pub fn write_all(folder: &Path, passages: &Passages) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let draw = Draw::new(passages);
    for shape in Shape::ALL {
        let mut text = String::new();
        for query in draw.queries(shape, shape.number()) {
            text.push_str(&query.join(" "));
            text.push('\n');
        }
        fs::write(folder.join(format!("{}.txt", shape.name())), text)?;
    }
    Ok(())
}

/// Queries of one shape.
#[cfg(test)]
pub fn draw(passages: &Passages, shape: Shape, number: usize) -> Vec<Query> {
    Draw::new(passages).queries(shape, number)
}

struct Draw<'a> {
    passages: &'a Passages,
    rare: Vec<String>,
    medium: Vec<String>,
    common: Vec<String>,
    very_common: Vec<String>,
}

impl<'a> Draw<'a> {
    fn new(passages: &'a Passages) -> Self {
        let frequencies = frequencies(passages);
        let number = passages.len() as u32;
        let between = |least: u32, most: u32| {
            let chosen = frequencies.iter().filter(|&(_, df)| (least..=most).contains(df));
            let mut words: Vec<String> = chosen.map(|(word, _)| word.clone()).collect();
            // The order of a hash map is another in each run.
            words.sort_unstable();
            assert!(!words.is_empty(), "no word is in {least} to {most} passages: too few passages");
            words
        };
        Draw {
            passages,
            rare: between(2, (number / 20_000).max(2)),
            medium: between(number / 2000, number / 200),
            common: between(number / 50, number),
            very_common: between(number / 20, number),
        }
    }

    fn queries(&self, shape: Shape, number: usize) -> Vec<Query> {
        let mut random = Random(8);
        (0..number).map(|_| self.query(shape, &mut random)).collect()
    }

    fn query(&self, shape: Shape, random: &mut Random) -> Query {
        match shape {
            Shape::Passage => self.of_passage(2 + random.below(3), random),
            Shape::Many => self.of_passage(2 + random.below(7), random),
            Shape::Rare => vec![random.pick(&self.rare).clone()],
            Shape::Medium => vec![random.pick(&self.medium).clone()],
            Shape::Common => vec![random.pick(&self.common).clone()],
            Shape::TwoCommon => loop {
                let two = vec![random.pick(&self.very_common).clone(), random.pick(&self.very_common).clone()];
                if two[0] != two[1] {
                    return two;
                }
            },
            Shape::CommonRare => vec![random.pick(&self.very_common).clone(), random.pick(&self.rare).clone()],
            Shape::Phrase => self.phrase(2 + random.below(2), random),
            Shape::LongPhrase => self.phrase(4 + random.below(3), random),
            Shape::Thirty => self.of_neighbours(30, random),
            Shape::Hundred => self.of_neighbours(100, random),
        }
    }

    /// Different words of one passage, in any order.
    fn of_passage(&self, number: usize, random: &mut Random) -> Query {
        loop {
            let passage = self.passages.get(random.below(self.passages.len()));
            let mut words: Vec<String> = words(passage).map(str::to_ascii_lowercase).filter(|w| is_word(w)).collect();
            words.sort_unstable();
            words.dedup();
            if words.len() >= number {
                return (0..number).map(|_| words.swap_remove(random.below(words.len()))).collect();
            }
        }
    }

    /// Different words of passages that follow each other, in their order.
    fn of_neighbours(&self, number: usize, random: &mut Random) -> Query {
        let mut query = Query::new();
        let mut passage = random.below(self.passages.len());
        while query.len() < number {
            for word in words(self.passages.get(passage)).map(str::to_ascii_lowercase).filter(|word| is_word(word)) {
                if query.len() < number && !query.contains(&word) {
                    query.push(word);
                }
            }
            passage = (passage + 1) % self.passages.len();
        }
        query
    }

    /// Neighbours in a passage, all different.
    fn phrase(&self, number: usize, random: &mut Random) -> Query {
        loop {
            let passage = self.passages.get(random.below(self.passages.len()));
            let words: Vec<String> = words(passage).map(str::to_ascii_lowercase).collect();
            if words.len() < number {
                continue;
            }
            let from = random.below(words.len() - number + 1);
            let phrase = &words[from..from + number];
            let differ = (1..number).all(|at| !phrase[..at].contains(&phrase[at]));
            if differ && phrase.iter().all(|word| is_word(word)) {
                return phrase.to_vec();
            }
        }
    }
}

/// What a person would type: two letters at least, and no numbers.
fn is_word(token: &str) -> bool {
    token.len() >= 2 && token.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// In how many passages each word is.
fn frequencies(passages: &Passages) -> HashMap<String, u32> {
    // With each word the last passage that had it.
    let mut found: HashMap<String, (u32, usize)> = HashMap::new();
    let mut word = String::new();
    for (number, passage) in passages.iter().enumerate() {
        for token in words(passage) {
            word.clear();
            word.push_str(token);
            word.make_ascii_lowercase();
            if !is_word(&word) {
                continue;
            }
            match found.get_mut(word.as_str()) {
                Some((_, last)) if *last == number => {}
                Some((df, last)) => (*df, *last) = (*df + 1, number),
                None => {
                    found.insert(word.clone(), (1, number));
                }
            }
        }
    }
    found.into_iter().map(|(word, (df, _))| (word, df)).collect()
}
