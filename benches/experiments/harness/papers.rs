//! The papers' own numbers: a file per paper in `papers/`, with source, place, unit and hardware.

use serde_json::Value;
use std::sync::LazyLock;

const FILES: [(&str, &str); 4] = [
    ("ding-2008", include_str!("../papers/ding-2008.json")),
    ("ding-2009", include_str!("../papers/ding-2009.json")),
    ("ao-2011", include_str!("../papers/ao-2011.json")),
    ("li-2014", include_str!("../papers/li-2014.json")),
];

static PAPERS: LazyLock<Vec<(&str, Value)>> = LazyLock::new(|| {
    let parse = |text| serde_json::from_str(text).expect("papers/*.json are JSON");
    FILES.iter().map(|&(name, text)| (name, parse(text))).collect()
});

/// The files, in order of their years.
pub fn all() -> impl Iterator<Item = &'static Value> {
    PAPERS.iter().map(|(_, paper)| paper)
}

/// A paper by its file's name.
///
/// # Panics
/// If there is none.
pub fn paper(file: &str) -> &'static Value {
    &PAPERS.iter().find(|(name, _)| *name == file).unwrap_or_else(|| panic!("papers/{file}.json")).1
}

/// A table or figure.
///
/// # Panics
/// If there is none.
pub fn item(file: &str, item: &str) -> &'static Value {
    let found = &paper(file)["items"][item];
    assert!(found.is_object(), "papers/{file}.json has {item}");
    found
}

/// A number of a table or figure.
///
/// # Panics
/// If there is none.
pub fn number(file: &str, name: &str, row: &str, column: &str) -> f64 {
    let table = item(file, name);
    let found = || {
        let at = table["columns"].as_array()?.iter().position(|known| known == column)?;
        let row = table["rows"].as_array()?.iter().find(|known| known[0] == row)?;
        row[at + 1].as_f64()
    };
    found().unwrap_or_else(|| panic!("papers/{file}.json, {name}: {row}, {column}"))
}

/// The name of a paper and the item, as `Ao 2011, table 1`.
pub fn cite(file: &str, item: &str) -> String {
    format!("{}, {item}", paper(file)["name"].as_str().unwrap_or_default())
}
