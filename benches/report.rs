//! Merges the results of the benchmarks: `cpu.json` (and `cpu-avx2.json`, `cpu-scalar.json` of `make bench-tiers`),
//! `device.json` and `php.json` of a folder become `report.json` (a list of rows), `report.txt` (notes and a table) and
//! the plots.
//!
//!     cargo bench --no-default-features --bench report -- [--out DIR]

#[path = "support/mod.rs"]
mod support;

use support::args::Args;
use support::report::{Report, write_json};

const USAGE: &str = "report [--out DIR]";

fn main() {
    let args = Args::read(USAGE);
    if let Err(error) = run(&args) {
        eprintln!("{}: {error}", args.out.display());
        std::process::exit(1);
    }
}

fn run(args: &Args) -> std::io::Result<()> {
    let mut all = Report::default();
    for bench in ["cpu", "cpu-avx2", "cpu-scalar", "real", "real-avx2", "device", "php"] {
        let path = args.out.join(format!("{bench}.json"));
        let Ok(text) = std::fs::read_to_string(&path) else {
            println!("{}: not there, left out", path.display());
            continue;
        };
        all.merge(bench, Report::from_json(&serde_json::from_str(&text)?));
    }
    std::fs::create_dir_all(&args.out)?;
    write_json(&args.out.join("report.json"), &all.rows_json())?;
    std::fs::write(args.out.join("report.txt"), all.text())?;
    println!("{}", all.text());
    for plot in &all.plots {
        if let Some(svg) = plot.svg() {
            let path = args.out.join(format!("{}.svg", plot.file));
            std::fs::write(&path, svg)?;
            println!("{}", path.display());
        }
    }
    Ok(())
}
