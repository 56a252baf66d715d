//! Real lists: folders of text files or zip files of them, a list per file, as numbers separated by commas.

use super::Corpus;
use crate::failure::Failure;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The sets in a folder: each zip file and each folder in it is one; files of numbers in it are another. Each set also
/// with its documents sorted.
pub fn read(folder: &Path) -> Result<Vec<Corpus>, Failure> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .map_err(|error| format!("{}: {error}", folder.display()))?
        .map(|entry| Ok(entry?.path()))
        .collect::<std::io::Result<_>>()?;
    paths.sort();
    let mut sets: Vec<(String, Vec<Vec<u32>>)> = Vec::new();
    for path in &paths {
        let name = path.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        if path.extension().is_some_and(|extension| extension == "zip") {
            sets.push((name, zipped(path)?));
        } else if path.is_dir() {
            sets.push((name, files(path)?));
        }
    }
    if sets.is_empty() {
        let name = folder.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        sets.push((name, files(folder)?));
    }
    let mut corpora = Vec::new();
    for (name, lists) in sets.into_iter().filter(|(_, lists)| lists.len() > 1) {
        let sorted = sorted(&lists);
        corpora.push(corpus(&name, "real lists of the public real-roaring-datasets", lists));
        corpora.push(corpus(&format!("{name}, sorted"), "the same, documents sorted by the sets they are in", sorted));
    }
    Ok(corpora)
}

fn corpus(name: &str, about: &str, lists: Vec<Vec<u32>>) -> Corpus {
    let universe = lists.iter().filter_map(|list| list.last()).max().map_or(0, |&last| u64::from(last) + 1);
    // Neighbouring lists, the shorter one first.
    let pair = |at: usize| if lists[at].len() <= lists[at + 1].len() { vec![at, at + 1] } else { vec![at + 1, at] };
    let queries = (0..lists.len() - 1).map(pair).collect();
    Corpus { name: name.into(), about: about.into(), universe, queries, lists }
}

fn parse(text: &str, what: &str) -> Result<Vec<u32>, Failure> {
    let numbers = text.split(',').map(str::trim).filter(|number| !number.is_empty()).map(str::parse);
    let list: Vec<u32> = numbers.collect::<Result<_, _>>().map_err(|error| format!("{what}: {error}"))?;
    match list.is_sorted_by(|a, b| a < b) {
        true => Ok(list),
        false => Err(format!("{what}: numbers do not increase").into()),
    }
}

fn zipped(path: &Path) -> Result<Vec<Vec<u32>>, Failure> {
    let mut archive = zip::ZipArchive::new(File::open(path)?)?;
    let mut lists = Vec::new();
    for at in 0..archive.len() {
        let mut text = String::new();
        archive.by_index(at)?.read_to_string(&mut text)?;
        lists.push(parse(&text, &path.display().to_string())?);
    }
    lists.retain(|list| !list.is_empty());
    Ok(lists)
}

fn files(folder: &Path) -> Result<Vec<Vec<u32>>, Failure> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    paths.retain(|path| path.is_file());
    paths.sort();
    let read = |path: &PathBuf| parse(&std::fs::read_to_string(path)?, &path.display().to_string());
    let lists: Vec<Vec<u32>> = paths.iter().map(read).collect::<Result<_, Failure>>()?;
    Ok(lists.into_iter().filter(|list| !list.is_empty()).collect())
}

/// The same lists with documents numbered in the lexicographic order of the lists that they are in. Documents in none
/// come last.
fn sorted(lists: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut rows: BTreeMap<u32, Vec<u16>> = BTreeMap::new();
    for (number, list) in lists.iter().enumerate() {
        list.iter().for_each(|&doc| rows.entry(doc).or_default().push(number as u16));
    }
    let mut rows: Vec<Vec<u16>> = rows.into_values().collect();
    rows.sort();
    let mut sorted = vec![Vec::new(); lists.len()];
    for (doc, row) in (0..).zip(&rows) {
        row.iter().for_each(|&list| sorted[usize::from(list)].push(doc));
    }
    sorted
}
