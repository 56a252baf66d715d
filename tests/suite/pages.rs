//! The pages cannot lie: what README, CHANGELOG, docs and module docs name is there, and nothing stands twice.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Names in code of pages that are those of others: PHP's, Yioop's, other engines'. They are not looked for.
#[rustfmt::skip]
const FOREIGN: &[&str] = &[
    "array_intersect", "array_intersect_key", "flock", "fsync", "iterator_to_array", "json_encode", "memory_limit",
    "number_format", "open_basedir", "pcntl_fork", "proc_open", "putenv", "range", "serialize", "set_intersection",
    "unserialize", "searchBoolean", "withMaxTotalHits", "computeProximity", "yioop_error_handler", "decompress_sorted",
    "docIndexModified9", "nextPostString", "unpackInt", "ini_set", "extension_loaded", "bm25", "asYouType", "fuzziness",
    "NUM_DOCS_PER_GENERATION",
];

pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// All files under a folder whose names end so, as paths from the root of the repository.
pub fn files(folder: &str, ends: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
            match path.is_dir() {
                true if !name.ends_with("target") => folders.push(path),
                false if ends.iter().any(|end| name.ends_with(end)) => found.push(name),
                _ => {}
            }
        }
    }
    found.sort();
    found
}

pub fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn pages() -> Vec<String> {
    let mut pages = vec!["README.md".to_owned(), "CHANGELOG.md".to_owned(), "SECURITY.md".to_owned()];
    pages.extend(files("docs", &[".md"]));
    pages
}

/// Whether a script makes the page; each such script is also run with `--check`.
fn is_generated(page: &str) -> bool {
    read(page).lines().take(6).any(|line| line.contains("do not edit"))
}

/// The lines of a page with their numbers, without fenced code.
fn prose(text: &str) -> Vec<(usize, &str)> {
    let mut fenced = false;
    let mut lines = Vec::new();
    for (at, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            lines.push((at + 1, line));
        }
    }
    lines
}

/// The texts between backticks.
fn code_spans(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// The targets of `[…](…)`, outside code.
fn links(line: &str) -> Vec<String> {
    let outside: String = line.split('`').enumerate().map(|(at, part)| if at % 2 == 0 { part } else { "x" }).collect();
    let targets = outside.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0.to_owned()));
    targets.collect()
}

/// The anchors that GitHub gives the headings of a page.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    let headings = prose(text).into_iter().filter_map(|(_, line)| {
        let title = line.trim_start_matches('#');
        (title.len() < line.len() && title.starts_with(' ')).then(|| title.trim())
    });
    headings
        .map(|title| {
            let title = title.to_lowercase();
            let kept: String = title.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c)).collect();
            let anchor = kept.replace(' ', "-");
            let seen = times.entry(anchor.clone()).or_default();
            *seen += 1;
            if *seen == 1 { anchor } else { format!("{anchor}-{}", *seen - 1) }
        })
        .collect()
}

fn report(what: &str, faults: &[String]) {
    assert!(faults.is_empty(), "{what}:\n{}", faults.join("\n"));
}

#[test]
fn links_lead_somewhere() {
    let mut faults = Vec::new();
    for page in pages() {
        let text = read(&page);
        for (number, line) in prose(&text) {
            for target in links(line).iter().filter(|target| !target.contains("://") && !target.starts_with("mailto:"))
            {
                let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
                let to = match path {
                    "" => root().join(&page),
                    _ => root().join(&page).parent().unwrap().join(path),
                };
                if !to.exists() {
                    faults.push(format!("{page}:{number}: {target}: no such file"));
                } else if !anchor.is_empty() && !anchors(&std::fs::read_to_string(&to).unwrap()).contains(anchor) {
                    faults.push(format!("{page}:{number}: {target}: no such heading"));
                }
            }
        }
    }
    report("links", &faults);
}

/// All files of the repository that a page may name.
fn repository() -> Vec<String> {
    #[rustfmt::skip]
    let folders = [
        "src", "cl", "docs", "tests", "benches", "php-tests", "examples", "stubs", "scripts", "yioop", "pie", "packaging",
    ];
    let mut all: Vec<String> = folders.iter().flat_map(|folder| files(folder, &[""])).collect();
    all.extend(files("fuzz/fuzz_targets", &[".rs"]));
    all
}

#[test]
fn files_that_pages_name_are_there() {
    let all = repository();
    let exists = |named: &str| {
        let named = named.trim_end_matches('/');
        let inside = format!("/{named}");
        root().join(named).exists()
            || all.iter().any(|file| file.ends_with(&inside) || file.contains(&format!("{inside}/")) || file == named)
    };
    let ends = [".rs", ".cl", ".phpt", ".stub.php", ".sh"];
    let mut faults = Vec::new();
    for page in pages().iter().filter(|page| *page != "CHANGELOG.md") {
        for (number, line) in prose(&read(page)) {
            for span in code_spans(line) {
                let path = span.split_once('#').map_or(span, |(path, _)| path);
                let is_plain = path.chars().all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c));
                let rooted = ["src/", "cl/", "docs/", "tests/", "benches/", "stubs/", "scripts/", "examples/", "fuzz/"];
                let is_path = rooted.iter().any(|root| path.starts_with(root))
                    || ends.iter().any(|end| path.len() > end.len() && path.ends_with(end))
                    || path.ends_with('/') && path.len() > 2;
                if is_plain
                    && is_path
                    && !["app/", "target/"].iter().any(|made| path.starts_with(made))
                    && !exists(path)
                {
                    faults.push(format!("{page}:{number}: `{path}` is not there"));
                }
            }
        }
    }
    report("files", &faults);
}

/// Every identifier in sources, comments aside, with the files that have it.
fn identifiers() -> BTreeMap<String, BTreeSet<usize>> {
    let mut sources: Vec<String> = ["src", "tests", "benches"].iter().flat_map(|f| files(f, &[".rs", ".c"])).collect();
    sources.extend(files("cl", &[".cl"]));
    sources
        .extend(["stubs", "yioop", "examples", "php-tests"].iter().flat_map(|f| files(f, &[".php", ".inc", ".phpt"])));
    sources.extend(["integrations", "packaging"].iter().flat_map(|f| files(f, &[".php", ".sh"])));
    sources.push("Makefile".into());
    sources.extend(["Cargo.toml", "fuzz/Cargo.toml"].map(str::to_owned));
    sources.retain(|file| !file.ends_with("pages.rs"));
    let mut found: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for (at, file) in sources.iter().enumerate() {
        for line in read(file).lines() {
            let start = line.trim_start();
            if start.starts_with("//") || start.starts_with("* ") {
                continue;
            }
            for word in line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()) {
                found.entry(word.to_owned()).or_default().insert(at);
            }
        }
    }
    found
}

/// What looks like a name in code: `Index::search`, `->push()`, `intersect_batch`. Its parts, outermost first.
fn name_in(span: &str) -> Option<Vec<&str>> {
    let span = span.trim_start_matches("$index").trim_start_matches("$writer").trim_start_matches("->");
    let (name, call) = match span.split_once('(') {
        Some((name, rest)) if rest.ends_with(')') && !rest[..rest.len() - 1].contains(')') => (name, true),
        Some(_) => return None,
        None => (span, false),
    };
    let parts: Vec<&str> = name.split("::").flat_map(|part| part.split('\\')).filter(|part| !part.is_empty()).collect();
    let is_name = |part: &&str| {
        part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && part.starts_with(|c: char| c.is_ascii_alphabetic())
    };
    let is_code = call || parts.len() > 1 || name.contains('_');
    (is_code && !parts.is_empty() && parts.iter().all(is_name)).then_some(parts)
}

#[test]
fn functions_and_types_that_pages_name_are_there() {
    let known = identifiers();
    let nowhere = BTreeSet::new();
    let mut faults = Vec::new();
    for page in pages().iter().filter(|page| !is_generated(page) && *page != "CHANGELOG.md") {
        for (number, line) in prose(&read(page)) {
            for span in code_spans(line) {
                let Some(parts) = name_in(span) else { continue };
                if parts.iter().any(|part| FOREIGN.contains(part)) {
                    continue;
                }
                let files = parts.iter().map(|part| known.get(*part).unwrap_or(&nowhere));
                let common = files.cloned().reduce(|a, b| a.intersection(&b).copied().collect());
                if common.is_none_or(|files| files.is_empty()) {
                    faults.push(format!("{page}:{number}: `{span}` is nowhere in the sources"));
                }
            }
        }
    }
    report("names", &faults);
}

#[test]
fn targets_settings_and_variables_that_pages_name_are_there() {
    let makefile = read("Makefile");
    let settings = read("src/php/ini.rs");
    let sources: String = ["src", "tests", "benches", "php-tests", "examples"]
        .iter()
        .flat_map(|folder| files(folder, &[".rs", ".inc", ".phpt", ".php", ".sh", ".c"]))
        .filter(|file| !file.ends_with("pages.rs"))
        .map(|file| read(&file))
        .collect();
    let mut faults = Vec::new();
    for page in pages() {
        for (number, line) in prose(&read(&page)) {
            for span in code_spans(line) {
                let word = |text: &str| text.split([' ', '=', '`', ';']).next().unwrap_or("").to_owned();
                if let Some(target) = span.strip_prefix("make ").map(word) {
                    let is_target = target.chars().all(|c| c.is_ascii_lowercase() || c == '-') && !target.is_empty();
                    if is_target && !makefile.contains(&format!("\n{target}:")) {
                        faults.push(format!("{page}:{number}: `{span}`: no such target"));
                    }
                } else if span.starts_with("postings.") && ![".so", ".json"].iter().any(|end| span.ends_with(end)) {
                    if !settings.contains(&format!("c\"{}\"", word(span))) {
                        faults.push(format!("{page}:{number}: `{span}`: no such setting"));
                    }
                } else if span.starts_with("POSTINGS_")
                    && !sources.contains(&format!("{}\"", word(span)))
                    && !sources.contains(&format!("{}'", word(span)))
                {
                    faults.push(format!("{page}:{number}: `{span}`: nothing reads it"));
                }
            }
        }
    }
    let page = read("docs/settings.md");
    let names = settings.split("c\"postings.").skip(1).filter_map(|rest| rest.split_once('"'));
    for (name, _) in names.filter(|(name, _)| !page.contains(&format!("`postings.{name}`"))) {
        faults.push(format!("docs/settings.md lacks postings.{name}"));
    }
    report("make, settings, variables", &faults);
}

/// Lines of more than 60 characters that stand twice among these, of which `keep` says what counts.
fn repeated<'t>(lines: impl Iterator<Item = (usize, &'t str)>) -> Vec<String> {
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    let mut faults = Vec::new();
    for (number, line) in lines.map(|(number, line)| (number, line.trim())) {
        let is_rule = line.chars().all(|c| "|-: ".contains(c));
        if line.chars().count() > 60 && !is_rule {
            match first.get(line) {
                Some(before) => faults.push(format!("{before} and {number}: {line}")),
                None => drop(first.insert(line, number)),
            }
        }
    }
    faults
}

#[test]
fn no_line_stands_twice_on_a_page() {
    let mut faults = Vec::new();
    for page in pages().iter().filter(|page| !is_generated(page)) {
        let text = read(page);
        let lines = prose(&text);
        // Heads of tables may be alike.
        let heads: BTreeSet<usize> =
            lines.iter().filter(|(_, line)| line.starts_with("|-")).map(|(at, _)| at - 1).collect();
        let lines = lines.into_iter().filter(|(at, _)| !heads.contains(at));
        faults.extend(repeated(lines).into_iter().map(|fault| format!("{page}: {fault}")));
    }
    for file in files("src", &[".rs"]) {
        let text = read(&file);
        let docs =
            text.lines().enumerate().map(|(at, line)| (at + 1, line)).filter(|(_, line)| line.starts_with("//!"));
        faults.extend(repeated(docs).into_iter().map(|fault| format!("{file}: {fault}")));
    }
    for file in files("stubs", &[".php"]) {
        let text = read(&file);
        let docs = text.lines().enumerate().map(|(at, line)| (at + 1, line));
        let docs = docs.filter(|(_, line)| line.trim_start().starts_with("* ") && !line.contains("* @"));
        faults.extend(repeated(docs).into_iter().map(|fault| format!("{file}: {fault}")));
    }
    report("lines that stand twice", &faults);
}

#[test]
fn no_row_of_a_table_stands_twice() {
    let mut faults = Vec::new();
    for page in pages().iter().filter(|page| !is_generated(page)) {
        let mut first: BTreeMap<&str, usize> = BTreeMap::new();
        let text = read(page);
        for (number, line) in prose(&text) {
            let Some(row) = line.strip_prefix("| ") else {
                first.clear();
                continue;
            };
            // Rows that name something in code. Others may begin alike, as those of a file's bytes do.
            let cell = row.split(" | ").next().unwrap_or_default();
            if cell.starts_with('`') || cell.starts_with("[`") {
                match first.get(cell) {
                    Some(before) => faults.push(format!("{page}: {before} and {number}: {cell}")),
                    None => drop(first.insert(cell, number)),
                }
            }
        }
    }
    report("rows that stand twice", &faults);
}

#[test]
fn tables_are_whole() {
    let mut faults = Vec::new();
    for page in pages() {
        let text = read(&page);
        let lines: Vec<&str> = text.lines().collect();
        for (at, line) in lines.iter().enumerate().filter(|(_, line)| line.starts_with('|')) {
            let follows = at > 0 && lines[at - 1].starts_with('|');
            let heads = lines.get(at + 1).is_some_and(|next| next.starts_with("|--") || next.starts_with("|:-"));
            let columns = |line: &str| line.replace("\\|", "").matches('|').count();
            if !follows && !heads {
                faults.push(format!("{page}:{}: a row without a table: {line}", at + 1));
            } else if follows && columns(line) != columns(lines[at - 1]) {
                faults.push(format!("{page}:{}: another number of columns: {line}", at + 1));
            }
        }
    }
    report("tables", &faults);
}

#[test]
fn no_numbered_step_stands_twice() {
    let mut faults = Vec::new();
    for page in pages().iter().filter(|page| !is_generated(page)) {
        let mut before: Option<(usize, usize)> = None;
        for (number, line) in prose(&read(page)) {
            let step = line.split_once(". ").and_then(|(step, _)| step.parse::<usize>().ok());
            match (step, before) {
                (Some(step), Some((last, at))) if step <= last && step != 1 => {
                    faults.push(format!("{page}:{number}: step {step} after step {last} of line {at}"));
                }
                _ => {}
            }
            match step {
                Some(step) => before = Some((step, number)),
                // A paragraph between them begins another list.
                None if !line.is_empty() && !line.starts_with(' ') => before = None,
                None => {}
            }
        }
    }
    report("steps", &faults);
}

#[test]
fn each_page_is_reached_from_the_readme() {
    let mut reached = BTreeSet::new();
    let mut next = vec!["README.md".to_owned()];
    while let Some(page) = next.pop() {
        if !reached.insert(page.clone()) {
            continue;
        }
        for (_, line) in prose(&read(&page)) {
            for target in links(line) {
                let path = target.split('#').next().unwrap_or_default();
                let to = root().join(&page).parent().unwrap().join(path);
                let Ok(to) = to.canonicalize() else { continue };
                let Ok(name) = to.strip_prefix(root().canonicalize().unwrap()) else { continue };
                match name.to_str() {
                    Some(name) if name.ends_with(".md") => next.push(name.to_owned()),
                    Some(name) if Path::new(name).is_dir() => next.extend(files(name, &[".md"])),
                    _ => {}
                }
            }
        }
    }
    let lost: Vec<String> = pages().into_iter().filter(|page| !reached.contains(page)).collect();
    report("pages that no page links to", &lost);
}
