//! How fast ranked search on devices is to be, and whether it is.

/// From this many documents on, a collection is a large one: 8.8 million, and not a million.
const LARGE: u64 = 4_000_000;

/// The end of the names of batches of a tenth of the queries.
pub const SMALL: &str = ", small batch";

/// A batch of a small size is to reach this share of the rate of the whole.
const OF_WHOLE: f64 = 0.8;

/// What was measured of a collection: queries a second, of one query alone milliseconds.
pub struct Measured {
    pub name: String,
    pub documents: u64,
    pub value: f64,
}

/// A line for each figure that has a target. `devices` have divided the batches of `measured`, `one` of them alone those of `alone`.
pub fn lines(devices: usize, measured: &[Measured], alone: &[Measured]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = |of: &Measured, what: &str, value: f64, target: f64, is_met: bool| {
        let missed = if is_met { "" } else { ": missed" };
        lines.push(format!("{}, {} documents: {value:.2} {what}, target {target}{missed}", of.name, of.documents));
    };
    for of in measured {
        let find = |among: &'_ [Measured], name: &str| {
            among.iter().find(|other| other.name == name && other.documents == of.documents).map(|other| other.value)
        };
        if let Some(target) = thousands(of).filter(|_| devices == 1) {
            line(of, "K queries a second", of.value / 1e3, target, of.value >= 1e3 * target);
        }
        if of.name == "OR top 10, one query" && of.documents >= LARGE {
            line(of, "ms", of.value, 0.12, of.value <= 0.12);
        }
        if let Some(whole) = of.name.strip_suffix(SMALL).and_then(|whole| find(measured, whole)) {
            let share = of.value / whole;
            line(of, "of the rate of the whole", share, OF_WHOLE, share >= OF_WHOLE);
        }
        // What few queries take says nothing of how a batch is divided.
        let divided =
            ![SMALL, "one query", "200 queries", "plain accumulators"].iter().any(|end| of.name.ends_with(end));
        if let (true, Some(target), Some(one)) = (divided, speed_up(devices, of), find(alone, &of.name)) {
            line(of, &format!("times one of {devices} devices"), of.value / one, target, of.value >= target * one);
        }
    }
    lines
}

/// Thousands of queries a second on one device.
fn thousands(of: &Measured) -> Option<f64> {
    match &*of.name {
        "AND top 10" if of.documents < LARGE => Some(1000.0),
        "OR top 10" => Some(if of.documents < LARGE { 400.0 } else { 100.0 }),
        _ => None,
    }
}

/// How many times the rate of one device several are to have.
fn speed_up(devices: usize, of: &Measured) -> Option<f64> {
    match devices {
        2 => Some(if of.documents < LARGE { 1.6 } else { 1.9 }),
        4 if of.documents >= LARGE => Some(3.6),
        _ => None,
    }
}
