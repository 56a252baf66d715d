//! Which instruction sets this process uses. They are detected once, on first use.

use crate::base::environment;
use once_cell::sync::Lazy;

/// The environment variable that lowers the tier (`scalar`, `avx2`, `avx512`), so that every path can be tested and
/// measured on one machine. It cannot raise the tier above what the processor has.
pub const TIER_VARIABLE: &str = "POSTINGS_CPU";

/// A level of instruction sets; each includes the ones before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// Plain Rust, for any processor.
    Scalar,
    /// AVX2, BMI1, BMI2, POPCNT and LZCNT.
    Avx2,
    /// AVX-512 F, BW, VL, DQ, CD, VBMI, VBMI2, VPOPCNTDQ and BITALG (Ice Lake, Zen 4 and later).
    Avx512,
}

impl Tier {
    /// All tiers, slowest first.
    pub const ALL: [Tier; 3] = [Tier::Scalar, Tier::Avx2, Tier::Avx512];

    /// The name that [`TIER_VARIABLE`] takes and `php --ri postings` shows.
    pub fn name(self) -> &'static str {
        match self {
            Tier::Scalar => "scalar",
            Tier::Avx2 => "avx2",
            Tier::Avx512 => "avx512",
        }
    }

    /// Whether this processor can run code of this tier.
    pub fn is_available(self) -> bool {
        self <= *DETECTED
    }

    /// The tiers that this processor can run, slowest first. Tests iterate over them.
    pub fn available() -> impl Iterator<Item = Tier> {
        Tier::ALL.into_iter().filter(|tier| tier.is_available())
    }
}

static DETECTED: Lazy<Tier> = Lazy::new(detect);

static SELECTED: Lazy<Tier> = Lazy::new(|| {
    let wanted = environment::variable(TIER_VARIABLE);
    Tier::ALL
        .into_iter()
        .find(|tier| wanted.as_ref().is_some_and(|wanted| wanted == tier.name()))
        .map_or(*DETECTED, |tier| tier.min(*DETECTED))
});

/// The tier that this process uses: the best available, unless [`TIER_VARIABLE`] lowers it.
pub fn tier() -> Tier {
    *SELECTED
}

/// Whether the environment names the tier, so that nothing is to be chosen by measurement.
#[cfg(target_arch = "x86_64")]
pub(crate) fn is_named() -> bool {
    *NAMED
}

#[cfg(target_arch = "x86_64")]
static NAMED: Lazy<bool> = Lazy::new(|| environment::variable(TIER_VARIABLE).is_some());

/// Whether `other` takes clearly less time than `usual`, both of some µs: for the choice between two ways to the same
/// result where instruction sets mislead. The best of several turns each counts, so that an interruption does not.
#[cfg(target_arch = "x86_64")]
pub(crate) fn is_faster(mut other: impl FnMut(), mut usual: impl FnMut()) -> bool {
    const TURNS: usize = 8;
    let time = |call: &mut dyn FnMut()| {
        let began = std::time::Instant::now();
        call();
        began.elapsed()
    };
    let best = (0..TURNS).fold([std::time::Duration::MAX; 2], |[of_other, of_usual], _| {
        [of_other.min(time(&mut other)), of_usual.min(time(&mut usual))]
    });
    best[0].as_nanos() * 20 < best[1].as_nanos() * 19
}

#[cfg(target_arch = "x86_64")]
fn detect() -> Tier {
    use std::arch::is_x86_feature_detected as has;
    let avx2 = has!("avx2") && has!("bmi1") && has!("bmi2") && has!("popcnt") && has!("lzcnt");
    let avx512 = has!("avx512f")
        && has!("avx512bw")
        && has!("avx512vl")
        && has!("avx512dq")
        && has!("avx512cd")
        && has!("avx512vbmi")
        && has!("avx512vbmi2")
        && has!("avx512vpopcntdq")
        && has!("avx512bitalg");
    match (avx2, avx512) {
        (true, true) => Tier::Avx512,
        (true, false) => Tier::Avx2,
        _ => Tier::Scalar,
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn detect() -> Tier {
    Tier::Scalar
}
