//! Extraction of the doc indexes of a Yioop list.

use super::support::data::Random;
use super::support::report::Row;
use super::{Bench, size_name};
use postings::engine::{self, Offload};
use postings::yioop::{self, pack_posting};
use postings::{Error, Result};

/// The least bytes of the part of which the list is made by repetition.
const CHUNK: usize = 1 << 20;

/// At least that many bytes of postings: increasing doc indexes, with 1 to 4 positions each.
fn chunk() -> Result<Vec<u8>> {
    let mut random = Random::new(40);
    let mut bytes = Vec::with_capacity(CHUNK + 64);
    let mut doc_index = 0;
    while bytes.len() < CHUNK {
        doc_index += 1 + random.below(4) as u32;
        let mut position = 0;
        let mut positions = Vec::with_capacity(4);
        for _ in 0..=random.below(4) {
            position += 1 + random.below(200) as u32;
            positions.push(position);
        }
        bytes.extend(pack_posting(doc_index, &positions)?);
    }
    Ok(bytes)
}

/// Measures a list of 2^log_max bytes or a little more.
pub fn doc_indexes(bench: &mut Bench) -> Result<()> {
    let chunk = chunk()?;
    let list = chunk.repeat((1usize << bench.log_max).div_ceil(chunk.len()));
    bench.report.note(
        "Yioop list",
        format!("{} bytes: {} generated ones, repeated; 1 to 4 positions", list.len(), chunk.len()),
    );
    let always = bench.settings(Offload::Always);
    let failures = engine::stats().device_failures;
    let on_device = || {
        let found = engine::yioop_doc_indexes(&list, &always)?;
        if engine::stats().device_failures != failures {
            return Err(Error::Device("the doc indexes were found on the CPU".into()));
        }
        Ok(found)
    };
    let (kernel, found) = bench.kernel_time(on_device)?;
    assert!(found == yioop::doc_indexes(&list)?, "doc indexes: device and CPU differ");
    let (bytes, postings) = (list.len() as f64, found.len() as f64);
    drop(found);
    let whole = bench.call_time(bench.samples(), on_device)?;
    let cpu = bench.call_time(bench.samples(), || yioop::doc_indexes(&list))?;
    let what = format!("Yioop list of {} bytes", size_name(list.len().ilog2()));
    let copied = bench.ceilings.copied_bytes / 1e12;
    let moved = (bytes + 4.0 * postings) / kernel / 1e12;
    let rows = [
        Row::new(format!("{what}: doc indexes, kernel, list bytes"), bytes / kernel / 1e12, "TB/s")
            .peer("copy kernel", copied)
            .at_least(1.5)
            .only_if(bench.full_size()),
        Row::new(format!("{what}: doc indexes, kernel, bytes moved"), moved, "TB/s").peer("copy kernel", copied),
        Row::new(format!("{what}: doc indexes, kernel"), postings / kernel / 1e9, "G postings/s"),
        Row::new(format!("{what}: doc indexes, whole call"), bytes / whole / 1e9, "GB/s")
            .peer("CPU, one thread", bytes / cpu / 1e9),
    ];
    rows.into_iter().for_each(|row| bench.report.add(row));
    Ok(())
}
