//! The command line, shared by all benchmarks.

use std::path::PathBuf;

/// The options given.
#[derive(Debug, Clone)]
pub struct Args {
    /// `--device NAME`: a selector as in `postings.device`.
    pub device: Option<String>,
    /// `--log-max N`: the longest list has 2^N docIDs.
    pub log_max: Option<u32>,
    /// `--out DIR`: the folder for reports.
    pub out: PathBuf,
    /// `--quick`: fewer samples, for a rough result.
    pub quick: bool,
    /// `--lists DIR`: a folder of lists as text, one per file, as numbers separated by commas.
    pub lists: Option<PathBuf>,
    /// `--only TEXT`: only the parts whose names contain it.
    pub only: Option<String>,
    /// `--plot FILE`: draws the plots of a file of results, beside it.
    pub plot: Option<PathBuf>,
    /// `--child WORD`: the task of a child process that a benchmark starts.
    pub child: Option<String>,
}

impl Args {
    /// Parses the command line; ends the process with a message if it is invalid.
    pub fn read(usage: &str) -> Args {
        let folder = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
        let mut args = Args {
            device: None,
            log_max: None,
            out: folder.join("bench"),
            quick: false,
            lists: None,
            plot: None,
            only: None,
            child: None,
        };
        let mut words = std::env::args().skip(1);
        let fail = |what: String| -> ! {
            eprintln!("{what}\n{usage}");
            std::process::exit(2)
        };
        while let Some(word) = words.next() {
            let mut value = || words.next().unwrap_or_else(|| fail(format!("{word} wants a value")));
            match word.as_str() {
                // Cargo adds this option.
                "--bench" => {}
                "--device" => args.device = Some(value()),
                "--log-max" => match value().parse() {
                    Ok(log) if (10..=28).contains(&log) => args.log_max = Some(log),
                    _ => fail("--log-max wants a number from 10 to 28".into()),
                },
                "--out" => args.out = value().into(),
                "--lists" => args.lists = Some(value().into()),
                "--only" => args.only = Some(value()),
                "--plot" => args.plot = Some(value().into()),
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
