//! Describes the machine and the versions that were measured.

use postings::base::cpu;
use std::fs::read_to_string;

/// The value of a `key : value` line.
fn field(file: &str, key: &str) -> Option<String> {
    let text = read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.starts_with(key))?;
    Some(line.split_once([':', '='])?.1.trim().trim_matches('"').to_owned())
}

/// The version of a crate in Cargo.lock.
fn locked(name: &str) -> Option<String> {
    let lock = include_str!("../../Cargo.lock");
    let package = lock.split("[[package]]").find(|package| package.contains(&format!("\nname = \"{name}\"\n")))?;
    let line = package.lines().find(|line| line.starts_with("version = "))?;
    Some(line["version = ".len()..].trim_matches('"').to_owned())
}

/// The date now, in UTC, as `2026-11-22`.
pub fn today() -> String {
    let seconds = std::time::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_secs());
    // Days since 1 March of the year 0, in which leap days are the last of their years (Hinnant's civil_from_days).
    let days = seconds / 86_400 + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{}-{month:02}-{day:02}", 400 * era + year + next)
}

/// The machine and versions, as pairs of a name and a value.
pub fn about() -> Vec<(String, String)> {
    let known = |text: Option<String>| text.unwrap_or_else(|| "not known".into());
    let threads = std::thread::available_parallelism().map_or(0, usize::from);
    let mut about = vec![
        ("date", today()),
        ("processor", format!("{}, {threads} threads", known(field("/proc/cpuinfo", "model name")))),
        ("instruction sets", cpu::tier().name().to_owned()),
        ("memory", known(field("/proc/meminfo", "MemTotal"))),
        (
            "system",
            format!(
                "{}, Linux {}",
                known(field("/etc/os-release", "PRETTY_NAME")),
                known(read_to_string("/proc/sys/kernel/osrelease").ok()).trim()
            ),
        ),
        ("compiler", env!("POSTINGS_RUSTC").to_owned()),
        ("postings", env!("CARGO_PKG_VERSION").to_owned()),
    ];
    for name in ["bitpacking", "croaring", "croaring-sys", "ocl"] {
        about.push((name, known(locked(name))));
    }
    about.into_iter().map(|(what, is)| (what.to_owned(), is)).collect()
}
