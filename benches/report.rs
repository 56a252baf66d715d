//! Merges the results of the benchmarks: `cpu.json`, `real.json` (and `cpu-avx2.json`, `real-scalar.json` … of `make
//! bench-tiers`), `device.json` and `php.json` of a folder become `report.json` (a list of rows), `report.txt` (notes
//! and a table) and the plots.
//!
//!     cargo bench --no-default-features --features lab --bench report -- [--out DIR | --plot FILE]
//!
//! With `--plot`, the plots of one file of results, such as `yioop/experiment.php --json` writes, are drawn beside it.

#[path = "support/mod.rs"]
mod support;

use std::path::Path;
use support::args::Args;
use support::plot::Plot;
use support::report::{Report, write_json};

const USAGE: &str = "report [--out DIR | --plot FILE]";

fn main() {
    let args = Args::read(USAGE);
    let done = match &args.plot {
        Some(file) => read(file).and_then(|report| draw(&report.plots, file.parent().unwrap_or(Path::new("")))),
        None => run(&args),
    };
    if let Err(error) = done {
        eprintln!("{}: {error}", args.plot.unwrap_or(args.out).display());
        std::process::exit(1);
    }
}

fn run(args: &Args) -> std::io::Result<()> {
    let mut all = Report::default();
    for bench in ["cpu", "cpu-avx2", "cpu-scalar", "real", "real-avx2", "real-scalar", "device", "php"] {
        let path = args.out.join(format!("{bench}.json"));
        if !path.exists() {
            println!("{}: not there, left out", path.display());
            continue;
        }
        all.merge(bench, read(&path)?);
    }
    std::fs::create_dir_all(&args.out)?;
    write_json(&args.out.join("report.json"), &all.rows_json())?;
    std::fs::write(args.out.join("report.txt"), all.text())?;
    println!("{}", all.text());
    draw(&all.plots, &args.out)
}

fn read(path: &Path) -> std::io::Result<Report> {
    Ok(Report::from_json(&serde_json::from_str(&std::fs::read_to_string(path)?)?))
}

fn draw(plots: &[Plot], folder: &Path) -> std::io::Result<()> {
    for plot in plots {
        if let Some(svg) = plot.svg() {
            let path = folder.join(format!("{}.svg", plot.file));
            std::fs::write(&path, svg)?;
            println!("{}", path.display());
        }
    }
    Ok(())
}
