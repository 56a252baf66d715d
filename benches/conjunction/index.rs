//! An index in Yioop's form, and queries for it.

use super::{Args, Result};
use crate::random::Random;
use postings::engine::YioopRanges;
use postings::yioop::{Shard, pack_posting};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// Units of 16 bytes of the doc map that a document takes: two numbers and three keys.
const UNITS: u32 = 2;

/// First and last offset of a list.
type Range = (u32, u32);

/// Shards, and where the list of each word is in each.
pub struct Index {
    pub shards: Vec<Arc<Shard>>,
    /// Of each word and generation.
    ranges: HashMap<String, Vec<Option<Range>>>,
    /// In how many documents each word is.
    frequencies: HashMap<String, usize>,
    /// Some documents, as words.
    samples: Vec<Vec<String>>,
    documents: usize,
    pub words: usize,
}

/// What documents are made of.
enum Source {
    /// Lines of a file.
    Lines(Vec<String>),
    /// Words drawn by Zipf's law.
    Zipf,
}

impl Source {
    fn open(args: &Args) -> Result<Source> {
        let Some(path) = &args.text else { return Ok(Source::Zipf) };
        let text = |line: &str| line.split_once('\t').map_or(line, |(_, text)| text).to_owned();
        let lines: Vec<String> = String::from_utf8_lossy(&std::fs::read(path)?).lines().map(text).collect();
        if lines.is_empty() { Err("the text is empty".into()) } else { Ok(Source::Lines(lines)) }
    }

    /// The words of a document: in a text, runs of letters and digits in lower case.
    fn document(&self, random: &mut Random, texts: usize) -> Vec<String> {
        match self {
            Source::Lines(lines) => (0..texts)
                .flat_map(|_| {
                    lines[random.below(lines.len() as u64) as usize].split(|c: char| !c.is_ascii_alphanumeric())
                })
                .filter(|word| !word.is_empty())
                .map(str::to_ascii_lowercase)
                .collect(),
            Source::Zipf => (0..280).map(|_| format!("w{}", random.zipf(1.0, 1e6) as u64)).collect(),
        }
    }
}

impl Index {
    pub fn build(folder: &Path, args: &Args) -> Result<Index> {
        let source = Source::open(args)?;
        let mut random = Random(11);
        let mut index = Index {
            shards: Vec::new(),
            ranges: HashMap::new(),
            frequencies: HashMap::new(),
            samples: Vec::new(),
            documents: args.documents,
            words: 0,
        };
        let mut left = args.documents;
        while left > 0 {
            let of_generation = left.min(args.per_generation);
            left -= of_generation;
            let mut lists: HashMap<String, (Vec<u8>, usize)> = HashMap::new();
            let mut lengths = Vec::with_capacity(of_generation);
            for document in 0..of_generation as u32 {
                let mut positions: HashMap<String, Vec<u32>> = HashMap::new();
                let words = source.document(&mut random, args.texts);
                let length = words.len() as u32;
                for (position, word) in (1..).zip(words) {
                    positions.entry(word).or_default().push(position);
                }
                for (word, positions) in &positions {
                    let list = lists.entry(word.clone()).or_default();
                    list.0.extend(pack_posting(UNITS * document, positions)?);
                    list.1 += 1;
                }
                if document % 16 == 0 {
                    index.samples.push(positions.into_keys().collect());
                }
                lengths.push(length);
            }
            index.add(folder, lists, &lengths, args)?;
        }
        // The order in a hash map is not the same in every run.
        index.samples.iter_mut().for_each(|sample| sample.sort_unstable());
        Ok(index)
    }

    /// Writes a generation's shard, without a dictionary.
    fn add(
        &mut self,
        folder: &Path,
        lists: HashMap<String, (Vec<u8>, usize)>,
        lengths: &[u32],
        args: &Args,
    ) -> Result<()> {
        let generation = self.shards.len();
        let (mut word_docs, mut doc_map) = (Vec::new(), Vec::new());
        for (word, (list, documents)) in lists {
            let first = word_docs.len();
            word_docs.extend(list);
            let ranges = self.ranges.entry(word.clone()).or_default();
            ranges.resize(generation, None);
            ranges.push(Some((first as u32, word_docs.len() as u32 - 4)));
            *self.frequencies.entry(word).or_default() += documents;
        }
        for (document, length) in (0u32..).zip(lengths) {
            doc_map.extend((7 * document).to_be_bytes());
            doc_map.extend((length << 8 | 3).to_be_bytes());
            doc_map.extend(format!("u{document:07}h{document:07}r{document:07}").bytes());
        }
        let (documents, length) = (lengths.len() as u32, lengths.iter().sum::<u32>());
        self.words += length as usize;
        let numbers = [
            0,
            0,
            word_docs.len() as u32,
            doc_map.len() as u32,
            generation as u32,
            args.per_generation as u32,
            documents,
            0,
            length,
            0,
        ];
        let mut file: Vec<u8> = numbers.iter().flat_map(|number| number.to_be_bytes()).collect();
        file.extend(word_docs);
        file.extend(doc_map);
        let path = folder.join(format!("index{generation}"));
        std::fs::write(&path, file)?;
        self.shards.push(Arc::new(Shard::open(&path)?));
        Ok(())
    }

    /// Queries of words that occur together in a document, in the form in which the iterator asks for them: the generations
    /// that have all words.
    pub fn queries(&self, common: usize, rare: usize, count: usize) -> Vec<Vec<YioopRanges>> {
        let mut random = Random(23);
        let mut queries = Vec::new();
        for _ in 0..200_000 {
            if queries.len() == count {
                break;
            }
            let sample = &self.samples[random.below(self.samples.len() as u64) as usize];
            let mut chosen: Vec<&String> = Vec::new();
            let mut take = |wanted: usize, fits: &dyn Fn(usize) -> bool| {
                let of_kind: Vec<&String> = sample.iter().filter(|word| fits(self.frequencies[*word])).collect();
                for _ in 0..wanted.min(of_kind.len()) {
                    chosen.push(of_kind[random.below(of_kind.len() as u64) as usize]);
                }
            };
            take(common, &|documents| documents > self.documents / 30);
            take(rare, &|documents| documents <= self.documents / 600);
            chosen.sort_unstable();
            chosen.dedup();
            if chosen.len() == common + rare {
                queries.push(self.query(&chosen));
            }
        }
        queries
    }

    fn query(&self, words: &[&String]) -> Vec<YioopRanges> {
        let of = |(generation, shard): (usize, &Arc<Shard>)| {
            let range = |word: &&String| self.ranges[*word].get(generation).copied().flatten();
            let ranges: Option<Vec<Range>> = words.iter().map(range).collect();
            Some((shard.clone(), ranges?))
        };
        self.shards.iter().enumerate().filter_map(of).collect()
    }
}
