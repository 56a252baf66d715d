//! The shortest engine that finds what both contestants must find: BM25 as tantivy defines it, of every passage.

use crate::data::{Passages, Random, titled, words};
use crate::engine::{Engine, Fields, Found, Hit, Match, Result, Want};
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
    /// By field, then by passage.
    fields: Vec<Vec<Vec<String>>>,
    pub k1: f64,
    b: f64,
}

impl ByDefinition {
    /// With one field, or two.
    pub fn new(passages: &Passages, fields: Fields) -> Self {
        let tokens = |text| words(text).map(str::to_ascii_lowercase).collect();
        let fields = match fields {
            Fields::Two => {
                (0..2).map(|field| passages.iter().map(|passage| tokens(titled(passage)[field])).collect()).collect()
            }
            _ => vec![passages.iter().map(tokens).collect()],
        };
        ByDefinition { fields, k1: 1.2, b: 0.75 }
    }

    /// How often each scored thing (a word, or the phrase) is in a text.
    fn frequencies(text: &[String], words: &[String], how: Match) -> Vec<usize> {
        match how {
            Match::Phrase if words.len() > 1 => vec![text.windows(words.len()).filter(|some| *some == words).count()],
            _ => words.iter().map(|word| text.iter().filter(|token| *token == word).count()).collect(),
        }
    }

    fn idf(texts: &[Vec<String>], word: &String) -> f64 {
        let (documents, with) = (texts.len() as f64, texts.iter().filter(|text| text.contains(word)).count());
        (1.0 + (documents - with as f64 + 0.5) / (with as f64 + 0.5)).ln()
    }
}

impl Engine for ByDefinition {
    fn search(&mut self, words: &[String], how: Match, want: Want, found: &mut Found) -> Result<()> {
        let documents = self.fields[0].len();
        let things = if how == Match::Phrase { 1 } else { words.len() };
        let (mut present, mut scores) = (vec![vec![false; things]; documents], vec![0.0; documents]);
        for texts in &self.fields {
            let average = texts.iter().map(Vec::len).sum::<usize>() as f64 / documents as f64;
            let mut idf: Vec<f64> = words.iter().map(|word| Self::idf(texts, word)).collect();
            if how == Match::Phrase {
                idf = vec![idf.iter().sum()];
            }
            for (id, text) in texts.iter().enumerate() {
                // Lengths are rounded down to one of 256.
                let length = FieldNormReader::id_to_fieldnorm(FieldNormReader::fieldnorm_to_id(text.len() as u32));
                let norm = self.k1 * (1.0 - self.b + self.b * f64::from(length) / average);
                for (thing, tf) in Self::frequencies(text, words, how).into_iter().enumerate() {
                    present[id][thing] |= tf > 0;
                    scores[id] += idf[thing] * (self.k1 + 1.0) * tf as f64 / (tf as f64 + norm);
                }
            }
        }
        let matches = |present: &Vec<bool>| match how {
            Match::Or => present.contains(&true),
            Match::First => present[0],
            Match::And | Match::Phrase => !present.contains(&false),
        };
        let hits = (0..documents).filter(|&id| matches(&present[id]));
        found.hits.clear();
        found.hits.extend(hits.map(|id| Hit { id: id as u64, score: scores[id] as f32 }));
        found.count = matches!(want, Want::Count | Want::TopAndCount(_)).then_some(found.hits.len() as u64);
        found.hits.sort_by(|a, b| b.score.total_cmp(&a.score));
        found.hits.truncate(want.top());
        Ok(())
    }

    fn ids(&mut self, _: &mut Found) -> Result<()> {
        Ok(())
    }
}
