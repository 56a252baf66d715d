//! The rooms of `src/` use what the table in `src/lib.rs` says, and no room uses one above it; the extension contains
//! nothing of the laboratory.

use super::pages::{files, read, root};
use std::collections::{BTreeMap, BTreeSet};

/// A row of the table: the room, what it does, and the rooms that it uses.
type Row = (String, String, BTreeSet<String>);

/// The cells of a row, without links.
fn cells(line: &str) -> Option<Vec<String>> {
    let inside = line.strip_prefix("| ")?.strip_suffix("|")?;
    Some(inside.split('|').map(|cell| cell.trim().to_owned()).collect())
}

/// The texts between backticks.
fn names(cell: &str) -> impl Iterator<Item = String> + '_ {
    cell.split('`').skip(1).step_by(2).map(|name| name.trim_end_matches('/').to_owned())
}

/// The table of rooms in a text whose lines have this in front.
fn table(text: &str, prefix: &str) -> Vec<Row> {
    let lines = text.lines().filter_map(|line| line.strip_prefix(prefix)).map(str::trim_start);
    let rows = lines.skip_while(|line| !line.starts_with("| room | what it does | uses |")).skip(2);
    let rows = rows.take_while(|line| line.starts_with('|')).filter_map(cells);
    rows.map(|row| {
        let room = names(&row[0]).next().expect("a room is named in backticks");
        // PostingList is a link in Rust's docs.
        (room, row[1].replace("[`", "`").replace("`]", "`"), names(&row[2]).collect())
    })
    .collect()
}

/// The source without comments, and without what is compiled for tests only.
fn product(source: &str) -> String {
    let code: String =
        source.lines().map(|line| line.split("//").next().unwrap_or_default().to_owned() + "\n").collect();
    let mut kept = String::new();
    let mut rest = code.as_str();
    while let Some((before, item)) = rest.split_once("#[cfg(test)]") {
        kept.push_str(before);
        let mut depth = 0;
        let end = item.char_indices().find(|&(_, c)| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            matches!(c, ';' | '}') && depth == 0
        });
        rest = end.map_or("", |(at, _)| &item[at + 1..]);
    }
    kept + rest
}

/// The first names after `crate::`, also of lists in braces.
fn imports(code: &str) -> BTreeSet<String> {
    let name = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut found = BTreeSet::new();
    for rest in code.split("crate::").skip(1) {
        let Some(list) = rest.strip_prefix('{') else {
            found.insert(name(rest));
            continue;
        };
        let (mut depth, mut is_start) = (0, true);
        for (at, c) in list.char_indices() {
            match c {
                '}' if depth == 0 => break,
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 0 => is_start = true,
                _ if is_start && !c.is_whitespace() => {
                    found.insert(name(&list[at..]));
                    is_start = false;
                }
                _ => {}
            }
        }
    }
    // What `lib.rs` exports under another name.
    let room = |name: String| match name.as_str() {
        "Error" | "Result" => "base".to_owned(),
        "Codec" => "codec".to_owned(),
        "PostingList" => "list".to_owned(),
        _ => name,
    };
    found.into_iter().map(room).collect()
}

fn is_test(file: &str) -> bool {
    file.ends_with("/tests.rs") || file.contains("/tests/")
}

/// The sources of rooms: room, file, code.
fn sources() -> Vec<(String, String, String)> {
    let files = files("src", &[".rs"]).into_iter().filter(|file| !is_test(file) && file != "src/lib.rs");
    let room = |file: &str| file["src/".len()..].split('/').next().unwrap().trim_end_matches(".rs").to_owned();
    files.map(|file| (room(&file), product(&read(&file)), file)).map(|(room, code, file)| (room, file, code)).collect()
}

#[test]
fn rooms_use_what_the_table_says() {
    let table = table(&read("src/lib.rs"), "//!");
    let mut used: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for (room, file, code) in sources() {
        let uses = used.entry(room.clone()).or_default();
        for to in imports(&code).into_iter().filter(|to| *to != room) {
            uses.insert(to, file.clone());
        }
    }
    let rooms: Vec<&str> = table.iter().map(|(room, ..)| room.as_str()).collect();
    let mut faults = Vec::new();
    for (at, (room, _, uses)) in table.iter().enumerate() {
        let Some(really) = used.get(room) else {
            faults.push(format!("there is no room {room}"));
            continue;
        };
        for (to, file) in really.iter().filter(|(to, _)| !uses.contains(*to)) {
            faults.push(format!("{file} uses {to}, which the row of {room} does not name"));
        }
        for to in uses.iter().filter(|to| !really.contains_key(*to)) {
            faults.push(format!("{room} does not use {to}"));
        }
        for to in uses.iter().filter(|to| !rooms[at + 1..].contains(&to.as_str())) {
            faults.push(format!("{room} uses {to}, which is not below it"));
        }
    }
    for room in used.keys().filter(|room| !rooms.contains(&room.as_str())) {
        faults.push(format!("the table lacks {room}"));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// `super::` often enough leads to another room, past [`imports`].
#[test]
fn no_path_leaves_a_room_upwards() {
    for (_, file, code) in sources() {
        let module = file["src/".len()..].trim_end_matches(".rs").trim_end_matches("/mod");
        let depth = module.split('/').count();
        assert!(!code.contains(&"super::".repeat(depth)), "{file} reaches the crate's root by `super`");
    }
}

#[test]
fn architecture_has_the_same_table() {
    let ours = table(&read("src/lib.rs"), "//!");
    let theirs = table(&read("docs/architecture.md"), "");
    assert!(ours.len() > 10 && theirs.len() > 10, "{} and {} rows", ours.len(), theirs.len());
    for (ours, theirs) in ours.iter().zip(&theirs) {
        assert_eq!(ours, theirs);
    }
    assert_eq!(ours.len(), theirs.len());
}

/// Names of kernels in the laboratory's sources, some of each.
fn kernels_of_the_laboratory() -> Vec<String> {
    let mut names = Vec::new();
    for file in files("cl/lab", &[".cl"]) {
        let text = read(&file);
        for rest in text.split("__kernel").skip(1) {
            let name = rest.split_once("void ").and_then(|(_, rest)| rest.split_once('(')).map(|(name, _)| name.trim());
            names.extend(name.map(str::to_owned));
        }
    }
    // Names of a single word, as `scan`, may be others' too; each file has more of several.
    names.retain(|name| name.contains('_'));
    names
}

#[test]
fn nothing_but_the_laboratory_uses_it() {
    let library = read("src/lib.rs");
    assert!(library.contains("#[cfg(feature = \"lab\")]\npub mod lab;"), "the laboratory is behind its feature");
    let manifest = read("Cargo.toml");
    assert!(
        manifest.contains("default = [\"php\"]") && manifest.contains("\nlab = []"),
        "the feature is off by default"
    );
    let kernels = kernels_of_the_laboratory();
    assert!(kernels.len() > 10, "{kernels:?}");
    for (room, file, code) in sources().into_iter().filter(|(room, ..)| room != "lab") {
        assert!(!imports(&code).contains("lab"), "{file} of {room} uses the laboratory");
        for name in ["cl/lab", "feature = \"lab\""] {
            assert!(!code.contains(name), "{file} of {room} names {name}");
        }
    }
    for file in files("cl", &[".cl"]).iter().filter(|file| !file.starts_with("cl/lab/")) {
        let text = read(file);
        let words: BTreeSet<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        let common: Vec<&String> = kernels.iter().filter(|kernel| words.contains(kernel.as_str())).collect();
        assert!(common.is_empty(), "{file} has {common:?} of the laboratory");
    }
}

/// Of the extension as it was built last, if it was.
#[test]
fn the_extension_has_no_kernel_of_the_laboratory() {
    let path = root().join("modules/postings.so");
    let Ok(extension) = std::fs::read(&path) else {
        return super::common::skipped("modules/postings.so has not been built, so what it contains is not looked at");
    };
    let has = |name: &str| extension.windows(name.len()).any(|bytes| bytes == name.as_bytes());
    // Kernels of the product are found, so those of the laboratory would be.
    assert!(has("rank_tiles"), "{} has no kernels at all", path.display());
    for kernel in kernels_of_the_laboratory() {
        assert!(!has(&format!("{kernel}(")), "{} contains {kernel}", path.display());
    }
}
