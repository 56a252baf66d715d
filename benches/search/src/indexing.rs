//! Building indexes: for the searches, from the same tokens, and timed, from text.

use crate::data::Passages;
use crate::engine::{Built, Contestant, Fields, Job, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// What building an index from text took.
pub struct Row {
    pub engine: &'static str,
    pub job: Job,
    pub built: Built,
    /// Seconds of the processor, of all threads.
    pub cpu: f64,
    /// Of all files of the index.
    pub bytes: u64,
}

impl Row {
    /// Until there was one segment.
    pub fn seconds(&self) -> f64 {
        self.built.commit + self.built.merge
    }
}

/// The folder of a contestant's index for the searches. Builds it if it is not there, or if that is asked for.
pub fn for_searches(
    contestant: &dyn Contestant,
    data: &Path,
    passages: &Passages,
    fields: Fields,
    rebuild: bool,
) -> Result<PathBuf> {
    let kind = match fields {
        Fields::One => "",
        Fields::Two => "titled-",
        Fields::Product => "products-",
    };
    let folder = data.join(format!("{kind}{}-{}", contestant.name(), passages.len()));
    if rebuild || !folder.exists() {
        // Under another name until it is whole, so that an interrupted one is not taken for an index.
        let unfinished = folder.with_extension("unfinished");
        let job = Job { own_analyzer: false, fields, threads: 1, memory: 256 << 20 };
        let built = build(contestant, &unfinished, passages, job)?;
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::rename(&unfinished, &folder)?;
        println!("{}: {:.1} s, {} tokens", contestant.name(), built.commit + built.merge, built.tokens);
    }
    println!("{}: {} bytes on disk", contestant.name(), bytes(&folder)?);
    Ok(folder)
}

/// Builds indexes from text, the contestants in turn, and removes them. Returns each one's fastest round: what else runs
/// on the machine can only slow it down.
pub fn measure(
    contestants: &[Box<dyn Contestant>],
    data: &Path,
    passages: &Passages,
    job: Job,
    rounds: usize,
) -> Result<Vec<Row>> {
    let mut fastest: Vec<Option<Row>> = contestants.iter().map(|_| None).collect();
    for _ in 0..rounds {
        for (contestant, fastest) in contestants.iter().zip(&mut fastest) {
            let row = once(&**contestant, data, passages, job)?;
            if fastest.as_ref().is_none_or(|before| row.seconds() < before.seconds()) {
                *fastest = Some(row);
            }
        }
    }
    Ok(fastest.into_iter().flatten().collect())
}

fn once(contestant: &dyn Contestant, data: &Path, passages: &Passages, job: Job) -> Result<Row> {
    let folder = data.join(format!("{}-indexing", contestant.name()));
    let before = cpu_seconds()?;
    let built = build(contestant, &folder, passages, job)?;
    let cpu = cpu_seconds()? - before;
    let bytes = bytes(&folder)?;
    fs::remove_dir_all(&folder)?;
    Ok(Row { engine: contestant.name(), job, built, cpu, bytes })
}

fn build(contestant: &dyn Contestant, folder: &Path, passages: &Passages, job: Job) -> Result<Built> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    contestant.build(folder, passages, job)
}

fn bytes(folder: &Path) -> Result<u64> {
    let mut sum = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        sum += if metadata.is_dir() { bytes(&entry.path())? } else { metadata.len() };
    }
    Ok(sum)
}

/// The processor's time of this process up to now, in user and system mode.
fn cpu_seconds() -> Result<f64> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    // After the name, which stands in brackets, utime and stime are the 12th and 13th field, in ticks of 10 ms.
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks = fields.skip(11).take(2).map(str::parse::<u64>).sum::<std::result::Result<u64, _>>()?;
    Ok(ticks as f64 / 100.0)
}
