//! The shortest engine that finds what both contestants must find: BM25 as tantivy defines it, of every passage.

use crate::data::{Passages, Random, words};
use crate::engine::{Engine, Found, Hit, Match, Result, Want};
use tantivy::fieldnorm::FieldNormReader;

/// Passages of few words, so that all shapes of queries have answers and many scores are equal. Some are longer than
/// lengths are exact.
pub fn passages() -> Passages {
    let mut random = Random(1);
    let mut text = String::new();
    for _ in 0..3000 {
        let longest = if random.below(10) == 0 { 200 } else { 30 };
        for _ in 0..random.below(longest) + 3 {
            // Small numbers are frequent; as letters.
            let limit = random.below(3000) + 1;
            let number = random.below(limit);
            let letter = |at: usize| char::from(b'a' + (number / 26_usize.pow(at as u32) % 26) as u8);
            text.extend([letter(0), letter(1), letter(2), ' ']);
        }
        text.push('\n');
    }
    Passages::of(text)
}

pub struct ByDefinition {
    passages: Vec<Vec<String>>,
    pub k1: f64,
    b: f64,
}

impl ByDefinition {
    pub fn new(passages: &Passages) -> Self {
        let tokens = |passage| words(passage).map(str::to_ascii_lowercase).collect();
        ByDefinition { passages: passages.iter().map(tokens).collect(), k1: 1.2, b: 0.75 }
    }

    /// How often each scored thing (a word, or the phrase) is in a passage; `None` if the passage does not match.
    fn frequencies(&self, passage: &[String], words: &[String], how: Match) -> Option<Vec<usize>> {
        let frequencies: Vec<usize> = match how {
            Match::Phrase if words.len() > 1 => {
                vec![passage.windows(words.len()).filter(|some| *some == words).count()]
            }
            _ => words.iter().map(|word| passage.iter().filter(|token| *token == word).count()).collect(),
        };
        let present = |frequency: &usize| *frequency > 0;
        let matches = match how {
            Match::Or => frequencies.iter().any(present),
            Match::First => present(&frequencies[0]),
            Match::And | Match::Phrase => frequencies.iter().all(present),
        };
        matches.then_some(frequencies)
    }

    fn idf(&self, word: &String) -> f64 {
        let (documents, with) = (self.passages.len() as f64, self.passages.iter().filter(|p| p.contains(word)).count());
        (1.0 + (documents - with as f64 + 0.5) / (with as f64 + 0.5)).ln()
    }
}

impl Engine for ByDefinition {
    fn search(&mut self, words: &[String], how: Match, want: Want, found: &mut Found) -> Result<()> {
        let average = self.passages.iter().map(Vec::len).sum::<usize>() as f64 / self.passages.len() as f64;
        let mut idf: Vec<f64> = words.iter().map(|word| self.idf(word)).collect();
        if how == Match::Phrase {
            idf = vec![idf.iter().sum()];
        }
        found.hits.clear();
        for (id, passage) in self.passages.iter().enumerate() {
            let Some(frequencies) = self.frequencies(passage, words, how) else { continue };
            // Lengths are rounded down to one of 256.
            let length = FieldNormReader::id_to_fieldnorm(FieldNormReader::fieldnorm_to_id(passage.len() as u32));
            let norm = self.k1 * (1.0 - self.b + self.b * f64::from(length) / average);
            let score = |(idf, &tf): (&f64, &usize)| idf * (self.k1 + 1.0) * tf as f64 / (tf as f64 + norm);
            let score: f64 = idf.iter().zip(&frequencies).map(score).sum();
            found.hits.push(Hit { id: id as u64, score: score as f32 });
        }
        found.count = matches!(want, Want::Count | Want::TopAndCount(_)).then_some(found.hits.len() as u64);
        found.hits.sort_by(|a, b| b.score.total_cmp(&a.score));
        found.hits.truncate(want.top());
        Ok(())
    }

    fn ids(&mut self, _: &mut Found) -> Result<()> {
        Ok(())
    }
}
