//! `kill -9` at random moments.

use super::faults::child;
use super::*;
use std::io::{BufRead, BufReader};
use std::time::{Duration, Instant};

const FOLDER: &str = "POSTINGS_TEST_FOLDER";

/// The documents of an index after `commits` commits.
fn model(commits: u64) -> Model {
    let mut model = Model::new();
    for commit in 0..commits {
        changes(commit, |id, text| match text {
            Some(text) => replace(&mut model, id, &text),
            None => model.retain(|(other, _)| *other != id),
        });
    }
    model
}

/// The changes of one commit: some documents more, some replaced, some deleted.
fn changes(commit: u64, mut change: impl FnMut(Id, Option<Vec<u8>>)) {
    for at in 0..20 {
        let number = (commit * 7 + at * at) % 150;
        let text = format!("commit {commit} document {at} {}", "word ".repeat((commit * at % 50) as usize));
        change(id(number), Some(text.into_bytes()));
    }
    (0..5).for_each(|at| change(id((commit * 3 + at) % 150), None));
}

/// Commits in a loop, and says so after each commit. Document -1 says how many commits there were.
#[test]
#[ignore = "run by another test"]
fn commits_until_killed() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        return;
    };
    let options = WriterOptions { threads: 2, ..WriterOptions::default() };
    let mut writer = Writer::open(Path::new(&folder), Some(schema()), options).unwrap();
    let first = counted(Path::new(&folder));
    println!("\nopened");
    for commit in first.. {
        changes(commit, |id, text| match text {
            Some(text) => writer.add(id, document(&text)).unwrap(),
            None => drop(writer.delete(&id).unwrap()),
        });
        writer.add(Id::Int(-1), document((commit + 1).to_string().as_bytes())).unwrap();
        if commit % 3 == 0 {
            writer.flush().unwrap();
        }
        match commit % 17 {
            16 => writer.optimize(false).unwrap(),
            _ => writer.commit().unwrap(),
        };
        println!("\n{}", commit + 1);
    }
}

/// How many commits there were, by the index.
fn counted(folder: &Path) -> u64 {
    let counter = committed(folder).into_iter().find(|(id, _)| *id == Id::Int(-1));
    counter.map_or(0, |(_, text)| String::from_utf8(text).unwrap().parse().unwrap())
}

fn kill(times: usize) {
    let folder = tempfile::tempdir().unwrap();
    let mut random = 0x2545_F491_4F6C_DD1Du64;
    let mut all = 0;
    for round in 0..times {
        let mut child = child("kills::commits_until_killed", folder.path()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(std::result::Result::unwrap);
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        // Every tenth is killed while it opens the index.
        if round % 10 != 0 {
            lines.find(|line| line == "opened").expect("the writer opens the index");
        }
        let begin = Instant::now();
        let moment = Duration::from_micros(random % 60_000);
        while begin.elapsed() < moment {
            std::hint::spin_loop();
        }
        child.kill().unwrap();
        // What it said before it was killed is still in the pipe.
        let acknowledged = lines.filter_map(|line| line.parse::<u64>().ok()).last();
        assert!(!child.wait().unwrap().success());
        if !folder.path().join(manifest::NAME).exists() {
            assert_eq!(acknowledged, None);
            continue;
        }
        let commits = counted(folder.path());
        let least = acknowledged.unwrap_or(all);
        assert!(commits == least || commits == least + 1, "round {round}: {commits} commits, {least} acknowledged");
        let mut expected = model(commits);
        if commits > 0 {
            expected.push((Id::Int(-1), commits.to_string().into_bytes()));
        }
        assert_eq!(committed(folder.path()), expected, "round {round}");
        all = commits;
        if round % 7 == 0 {
            drop(create(folder.path()));
            assert_clean(folder.path());
        }
    }
    assert!(all > 0);
    eprintln!("{times} kills, {all} commits");
}

#[test]
fn killed_20_times() {
    kill(20);
}

#[test]
#[ignore = "takes a minute"]
fn killed_1000_times() {
    kill(1000);
}
