//! Which instruction sets this process uses. They are detected once, on first use.

use crate::base::environment;
use once_cell::sync::Lazy;

/// The environment variable that lowers the tier (`scalar`, `neon`, `avx2`, `avx512`), so that every path can be tested
/// and measured on one machine. It cannot raise the tier above what the processor has.
pub const TIER_VARIABLE: &str = "POSTINGS_CPU";

/// A level of instruction sets; each includes the ones before it of the same architecture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// Plain Rust, for any processor. What every processor of an architecture has, the compiler uses here too: SSE2 on
    /// x86-64, NEON on arm64.
    Scalar,
    /// NEON, which every arm64 processor has: four 32-bit lanes.
    Neon,
    /// AVX2, BMI1, BMI2, POPCNT and LZCNT.
    Avx2,
    /// AVX-512 F, BW, VL, DQ, CD, VBMI, VBMI2, VPOPCNTDQ and BITALG (Ice Lake, Zen 4 and later).
    Avx512,
}

impl Tier {
    /// The tiers of this architecture, slowest first.
    pub const ALL: &[Tier] = if cfg!(target_arch = "x86_64") {
        &[Tier::Scalar, Tier::Avx2, Tier::Avx512]
    } else if cfg!(all(target_arch = "aarch64", target_endian = "little")) {
        &[Tier::Scalar, Tier::Neon]
    } else {
        &[Tier::Scalar]
    };

    /// The name that [`TIER_VARIABLE`] takes and `php --ri postings` shows.
    pub fn name(self) -> &'static str {
        match self {
            Tier::Scalar => "scalar",
            Tier::Neon => "neon",
            Tier::Avx2 => "avx2",
            Tier::Avx512 => "avx512",
        }
    }

    /// Whether this processor can run code of this tier.
    pub fn is_available(self) -> bool {
        self <= *DETECTED && Tier::ALL.contains(&self)
    }

    /// The tiers that this processor can run, slowest first. Tests iterate over them.
    pub fn available() -> impl Iterator<Item = Tier> {
        Tier::ALL.iter().copied().filter(|tier| tier.is_available())
    }
}

static DETECTED: Lazy<Tier> = Lazy::new(detect);

static SELECTED: Lazy<Tier> = Lazy::new(|| {
    let wanted = environment::variable(TIER_VARIABLE);
    Tier::ALL
        .iter()
        .find(|tier| wanted.as_ref().is_some_and(|wanted| wanted == tier.name()))
        .map_or(*DETECTED, |&tier| tier.min(*DETECTED))
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

/// All tiers of other architectures are in what each of their processors has.
#[cfg(not(target_arch = "x86_64"))]
fn detect() -> Tier {
    Tier::ALL[Tier::ALL.len() - 1]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::env::consts::ARCH;

    #[test]
    fn tiers_are_those_of_the_architecture() {
        for (tier, architecture) in [(Tier::Neon, "aarch64"), (Tier::Avx2, "x86_64"), (Tier::Avx512, "x86_64")] {
            assert!(!tier.is_available() || ARCH == architecture, "{}", tier.name());
        }
        assert_eq!(Tier::available().next(), Some(Tier::Scalar));
        assert!(ARCH != "aarch64" || Tier::available().eq([Tier::Scalar, Tier::Neon]));
    }
}
