//! The command line.

use std::path::PathBuf;

const USAGE: &str = "experiments [--only NAME[,NAME]] [--device NAME] [--lists DIR] [--text FILE] [--documents N] \
                     [--index DIR] [--queries FILE] [--machine NAME] [--out DIR] [--log-max N] [--quick] | --render [--out DIR]";

/// The options given.
#[derive(Debug, Clone)]
pub struct Options {
    /// The experiments to run; all if there are none.
    pub only: Vec<String>,
    /// A selector as in `postings.device`; without it nothing runs on a device.
    pub device: Option<String>,
    /// A folder of real lists.
    pub lists: Option<PathBuf>,
    /// A file with a document per line.
    pub text: Option<PathBuf>,
    /// The most documents of `text`.
    pub documents: usize,
    /// An index instead of a text.
    pub index: Option<PathBuf>,
    /// A file with a query per line, for ranked search in `index`.
    pub queries: Option<PathBuf>,
    /// The name under which results are kept.
    pub machine: String,
    /// The folder of the page.
    pub out: PathBuf,
    /// The longest generated list has 2^this docIDs.
    pub log_max: Option<u32>,
    /// Fewer rounds and smaller corpora, for a rough result.
    pub quick: bool,
    /// Only makes the page, of results that are there.
    pub render: bool,
}

impl Options {
    /// Parses the command line; ends the process with a message if it is invalid.
    pub fn read() -> Options {
        let mut options = Options {
            only: Vec::new(),
            device: None,
            lists: None,
            text: None,
            documents: 300_000,
            index: None,
            queries: None,
            machine: "cpu".into(),
            out: "docs".into(),
            log_max: None,
            quick: false,
            render: false,
        };
        let mut words = std::env::args().skip(1);
        let fail = |what: String| -> ! {
            eprintln!("{what}\n{USAGE}");
            std::process::exit(2)
        };
        while let Some(word) = words.next() {
            let mut value = || words.next().unwrap_or_else(|| fail(format!("{word} wants a value")));
            match word.as_str() {
                // Cargo adds this option.
                "--bench" => {}
                "--only" => options.only.extend(value().split(',').map(str::to_owned)),
                "--device" => options.device = Some(value()),
                "--lists" => options.lists = Some(value().into()),
                "--text" => options.text = Some(value().into()),
                "--documents" => match value().parse() {
                    Ok(documents) if documents >= 1000 => options.documents = documents,
                    _ => fail("--documents wants a number from 1000".into()),
                },
                "--index" => options.index = Some(value().into()),
                "--queries" => options.queries = Some(value().into()),
                "--machine" => options.machine = value(),
                "--out" => options.out = value().into(),
                "--log-max" => match value().parse() {
                    Ok(log) if (14..=28).contains(&log) => options.log_max = Some(log),
                    _ => fail("--log-max wants a number from 14 to 28".into()),
                },
                "--quick" => options.quick = true,
                "--render" => options.render = true,
                "--help" => {
                    println!("{USAGE}");
                    std::process::exit(0)
                }
                other => fail(format!("{other}: no such option")),
            }
        }
        if options.index.is_some() && options.text.is_some() {
            fail("either --text or --index".into());
        }
        if options.queries.is_some() && options.index.is_none() {
            fail("--queries belongs to --index".into());
        }
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        if options.machine.is_empty() || !options.machine.bytes().all(plain) {
            fail("--machine wants letters, digits, - and _".into());
        }
        options
    }

    /// The file with the results of this machine.
    pub fn results_path(&self) -> PathBuf {
        self.out.join("experiments").join(format!("{}.json", self.machine))
    }
}
