//! The command line, which all benches share.

use std::path::PathBuf;

/// What the caller asked for.
#[derive(Debug, Clone)]
pub struct Args {
    /// `--device NAME`: a selector of `postings.device`.
    pub device: Option<String>,
    /// `--log-max N`: the longest list has 2^N docIDs.
    pub log_max: Option<u32>,
    /// `--out DIR`: where the reports go.
    pub out: PathBuf,
    /// `--quick`: fewer samples, for a look.
    pub quick: bool,
    /// `--lists DIR`: a folder of lists as text, one a file, numbers between commas.
    pub lists: Option<PathBuf>,
    /// What a bench says to a child process of its own.
    pub child: Option<String>,
}

impl Args {
    /// Reads the command line; ends the process where it makes no sense.
    pub fn read(usage: &str) -> Args {
        let folder = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
        let mut args =
            Args { device: None, log_max: None, out: folder.join("bench"), quick: false, lists: None, child: None };
        let mut words = std::env::args().skip(1);
        let fail = |what: String| -> ! {
            eprintln!("{what}\n{usage}");
            std::process::exit(2)
        };
        while let Some(word) = words.next() {
            let mut value = || words.next().unwrap_or_else(|| fail(format!("{word} wants a value")));
            match word.as_str() {
                // cargo's own.
                "--bench" => {}
                "--device" => args.device = Some(value()),
                "--log-max" => match value().parse() {
                    Ok(log) if (10..=28).contains(&log) => args.log_max = Some(log),
                    _ => fail("--log-max wants a number from 10 to 28".into()),
                },
                "--out" => args.out = value().into(),
                "--lists" => args.lists = Some(value().into()),
                "--child" => args.child = Some(value()),
                "--quick" => args.quick = true,
                "--help" => {
                    println!("{usage}");
                    std::process::exit(0)
                }
                other => fail(format!("{other}: no such option")),
            }
        }
        args
    }
}
