//! The Cranfield collection (Cleverdon, 1967): 1,400 abstracts on aerodynamics, 225 questions, and which abstracts answer
//! them. Not committed; read from `cranfield` in the folder that `POSTINGS_SHARED` names, by default `../shared`.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

pub struct Collection {
    /// Numbers and abstracts, which begin with the title.
    pub abstracts: Vec<(u64, String)>,
    pub questions: Vec<String>,
    /// By question: the abstracts that answer it, with how well.
    answers: Vec<HashMap<u64, f64>>,
}

/// How good rankings are, on average over all questions; as trec_eval has it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quality {
    /// Mean average precision.
    pub map: f64,
    /// Normalized discounted cumulative gain of the first ten.
    pub ndcg: f64,
}

impl Collection {
    /// `root` is the repository's. `None` if the collection is not there.
    pub fn read(root: &Path) -> Option<Collection> {
        let shared = std::env::var_os("POSTINGS_SHARED").map_or_else(|| root.join("../shared"), PathBuf::from);
        let read = |name: &str| fs::read_to_string(shared.join("cranfield").join(name)).ok();
        let (abstracts, questions) = (read("cran.all.1400.xml")?, read("cran.qry.xml")?);
        let judgements = read("cranqrel.trec.txt")?;
        let abstracts = elements(&abstracts, "doc")
            .map(|doc| {
                let number = elements(doc, "docno").next().expect("a number").trim().parse().expect("a number");
                (number, elements(doc, "text").next().expect("a text").to_owned())
            })
            .collect();
        let questions: Vec<String> = elements(&questions, "title").map(str::to_owned).collect();
        // The k-th question is number k, whatever it calls itself.
        let mut answers = vec![HashMap::new(); questions.len()];
        for line in judgements.lines() {
            let numbers: Vec<i64> = line.split_whitespace().map(|number| number.parse().expect("a number")).collect();
            let [question, _, number, grade] = numbers[..] else { panic!("{line}") };
            if grade > 0 {
                answers[question as usize - 1].insert(number as u64, grade as f64);
            }
        }
        Some(Collection { abstracts, questions, answers })
    }

    /// The quality of what `search` finds: numbers of abstracts, best first.
    pub fn quality(&self, mut search: impl FnMut(&str) -> Vec<u64>) -> Quality {
        let (mut map, mut ndcg) = (0.0, 0.0);
        for (question, answers) in self.questions.iter().zip(&self.answers) {
            let found = search(question);
            let grades: Vec<f64> = found.iter().map(|number| answers.get(number).copied().unwrap_or(0.0)).collect();
            let mut hits = 0.0;
            for (rank, _) in grades.iter().enumerate().filter(|(_, grade)| **grade > 0.0) {
                hits += 1.0;
                map += hits / (rank as f64 + 1.0) / answers.len() as f64;
            }
            let mut best: Vec<f64> = answers.values().copied().collect();
            best.sort_by(|a, b| b.total_cmp(a));
            ndcg += gain(&grades) / gain(&best);
        }
        let number = self.questions.len() as f64;
        Quality { map: map / number, ndcg: ndcg / number }
    }
}

/// Discounted cumulative gain of the first ten.
fn gain(grades: &[f64]) -> f64 {
    grades.iter().take(10).enumerate().map(|(rank, grade)| grade / (rank as f64 + 2.0).log2()).sum()
}

/// What stands in the elements of that name, which do not nest.
fn elements<'t>(text: &'t str, name: &str) -> impl Iterator<Item = &'t str> {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    let mut rest = text;
    std::iter::from_fn(move || {
        let (inside, after) = rest.split_once(&open)?.1.split_once(&close)?;
        rest = after;
        Some(inside)
    })
}
