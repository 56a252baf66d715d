//! Compiles a function once per tier, so that the loops inlined into it use the tier's instructions. What every processor
//! of an architecture has, as NEON, needs no copy of its own.

/// `tiered! { fn name<'s>(a: A, b: &mut B) -> R = body; }` defines `name(tier, a, b)`, which calls `body(a, b)`; `body`,
/// and what is to be fast in it, must be `#[inline(always)]`.
macro_rules! tiered {
    ($(#[$doc:meta])* $vis:vis fn $name:ident $(<$($life:lifetime),*>)? ($($arg:ident: $type:ty),* $(,)?) -> $result:ty = $body:path;) => {
        $(#[$doc])*
        $vis fn $name $(<$($life),*>)? (tier: $crate::base::cpu::Tier, $($arg: $type),*) -> $result {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512cd,avx512vpopcntdq,avx2,bmi1,bmi2,popcnt,lzcnt")]
            fn avx512 $(<$($life),*>)? ($($arg: $type),*) -> $result {
                $body($($arg),*)
            }

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
            fn avx2 $(<$($life),*>)? ($($arg: $type),*) -> $result {
                $body($($arg),*)
            }

            debug_assert!(tier.is_available());
            match tier {
                // SAFETY: tiers in use are available: they are detected, or tests ask first.
                #[cfg(target_arch = "x86_64")]
                $crate::base::cpu::Tier::Avx512 => unsafe { avx512($($arg),*) },
                // SAFETY: as above.
                #[cfg(target_arch = "x86_64")]
                $crate::base::cpu::Tier::Avx2 => unsafe { avx2($($arg),*) },
                _ => $body($($arg),*),
            }
        }
    };
}
pub(crate) use tiered;
