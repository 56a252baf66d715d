//! A text as lists: its terms, with documents in natural order, in random order and in that of graph bisection, which
//! are as Ao's GOV, GOVR and GOVPR: as they come, at random, ordered.

use super::{Corpus, terms_at};
use crate::failure::Failure;
use crate::support::data::Random;
use postings::analysis::{self, Analyzer};
use postings::index::list::Decoded;
use postings::index::segment::reorder;
use postings::index::{Codecs, Document, Field, Id, Kind, Schema, Value, Writer, WriterOptions};
use postings::search::Index;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use tempfile::TempDir;

/// Terms in fewer documents are left out: their lists are less than a block.
const LEAST: usize = 128;

/// An index of a text.
pub struct Text {
    pub index: Index,
    about: String,
    /// Lists in natural order.
    lists: Vec<Vec<u32>>,
    /// The term of each list.
    pub terms: Vec<String>,
    documents: usize,
    _folder: Option<TempDir>,
}

impl Text {
    /// Indexes at most that many documents of a file: one per line, as text or `name<TAB>text`.
    pub fn read(path: &Path, most: usize) -> Result<Text, Failure> {
        let failed = |error: std::io::Error| format!("{}: {error}", path.display());
        let folder = tempfile::tempdir()?;
        let body = Field::new("body", Kind::Text);
        let analyzer = Analyzer::new(analysis::AnalyzerOptions::default())?;
        let schema = Schema { fields: vec![body], positions: false, codecs: Codecs::default(), analyzer };
        let options = WriterOptions { memory: 256 << 20, ..WriterOptions::default() };
        let mut writer = Writer::open(folder.path(), Some(schema), options)?;
        let mut number = 0;
        for line in BufReader::new(File::open(path).map_err(failed)?).split(b'\n').take(most) {
            let line = line.map_err(failed)?;
            let begin = line.iter().position(|&byte| byte == b'\t').map_or(0, |tab| tab + 1);
            let text = Value::Text(line[begin..].to_vec());
            writer.add(Id::Int(number), Document { values: vec![(0, text)] })?;
            number += 1;
        }
        writer.commit()?;
        writer.optimize(false)?;
        drop(writer);
        let index = Index::open(folder.path())?;
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        Text::of(index, &format!("{number} documents of {name}"), Some(folder))
    }

    /// An index that is there. Its only segment must have a text as its first field.
    pub fn open(path: &Path) -> Result<Text, Failure> {
        let index = Index::open(path)?;
        let about = format!("{} documents of an index", index.documents());
        Text::of(index, &about, None)
    }

    fn of(index: Index, about: &str, folder: Option<TempDir>) -> Result<Text, Failure> {
        let [part] = index.snapshot().parts() else { return Err("the text has no documents".into()) };
        let segment = &part.segment;
        let (mut lists, mut terms, mut decoded) = (Vec::new(), Vec::new(), Decoded::default());
        let mut all = segment.dictionary(0)?.terms()?;
        while let Some((term, value, ())) = all.next()? {
            segment.decode(0, value, &mut decoded)?;
            if decoded.doc_ids.len() >= LEAST {
                lists.push(decoded.doc_ids.clone());
                terms.push(String::from_utf8_lossy(term).into_owned());
            }
        }
        let about = format!("{about}, terms in at least {LEAST} documents");
        let documents = segment.documents() as usize;
        Ok(Text { index, about, lists, terms, documents, _folder: folder })
    }

    /// The number of documents.
    pub fn documents(&self) -> usize {
        self.documents
    }

    /// In how many documents a term is.
    pub fn length(&self, term: usize) -> u64 {
        self.lists[term].len() as u64
    }

    /// New docIDs by old ones, in the order of graph bisection.
    fn ordered(&self) -> Result<Vec<u32>, Failure> {
        let [part] = self.index.snapshot().parts() else { return Err("the text has no documents".into()) };
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let how = reorder::ReorderOptions { threads, ..Default::default() };
        let order = reorder::order(&[(part.segment.clone(), None)], self.index.schema(), &how)?;
        let mut ordered = vec![0; order.len()];
        (0..).zip(&order).for_each(|(new, &old)| ordered[old as usize] = new);
        Ok(ordered)
    }

    /// Queries of 2 to 6 terms, their numbers distributed as in Ao 2011, table 4, each from a random document.
    pub fn queries(&self, count: usize) -> Vec<Vec<usize>> {
        let mut terms: Vec<Vec<u32>> = vec![Vec::new(); self.documents()];
        for (term, list) in (0..).zip(&self.lists) {
            list.iter().for_each(|&doc| terms[doc as usize].push(term));
        }
        let mut random = Random::new(14);
        let mut queries = Vec::new();
        while queries.len() < count {
            let of_doc = &mut terms[random.below(self.documents() as u64) as usize];
            let wanted = terms_at(random.unit());
            if of_doc.len() < wanted {
                continue;
            }
            for at in 0..wanted {
                let other = at + random.below((of_doc.len() - at) as u64) as usize;
                of_doc.swap(at, other);
            }
            let mut query: Vec<usize> = of_doc[..wanted].iter().map(|&term| term as usize).collect();
            query.sort_by_key(|&term| (self.lists[term].len(), term));
            queries.push(query);
        }
        queries
    }

    /// The three orders, with the same queries.
    pub fn corpora(&self, queries: usize) -> Result<[Corpus; 3], Failure> {
        let queries = self.queries(queries);
        let mut shuffled: Vec<u32> = (0..self.documents() as u32).collect();
        let mut random = Random::new(15);
        for at in (1..shuffled.len()).rev() {
            shuffled.swap(at, random.below(at as u64 + 1) as usize);
        }
        let ordered = self.ordered()?;
        let orders: [(&str, &str, Option<&[u32]>); 3] = [
            (super::NATURAL, "in their order", None),
            (super::RANDOM, "at random", Some(&shuffled)),
            (super::ORDERED, "in the order of graph bisection", Some(&ordered)),
        ];
        Ok(orders.map(|(name, how, map)| Corpus {
            name: name.into(),
            about: format!("{}, {how}", self.about),
            universe: self.documents() as u64,
            lists: self.lists.iter().map(|list| renumbered(list, map)).collect(),
            queries: queries.clone(),
        }))
    }
}

fn renumbered(list: &[u32], map: Option<&[u32]>) -> Vec<u32> {
    let Some(map) = map else { return list.to_vec() };
    let mut list: Vec<u32> = list.iter().map(|&doc| map[doc as usize]).collect();
    list.sort_unstable();
    list
}
