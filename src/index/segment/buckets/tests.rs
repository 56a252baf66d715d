use super::*;
use crate::index::segment::numbers::Numbers;
use proptest::prelude::*;

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        3 => (-3i32..9).prop_map(f64::from),
        2 => -9.0f64..9.0,
        1 => (-1i32 << 19..1 << 19).prop_map(f64::from),
        1 => any::<i32>().prop_map(f64::from),
        1 => prop::num::f64::NORMAL,
        1 => prop::sample::select(vec![-0.0, 0.5, 9_007_199_254_740_992.0, -9_007_199_254_740_992.0, f64::MAX]),
    ]
}

#[test]
fn steps_are_those_of_the_definition() {
    let of: Vec<u16> =
        (0..STEP as u32 * 5).map(|at| ((at.wrapping_mul(0x9E37_79B9) >> 20) as u16 * 16) | (at % 2) as u16).collect();
    let ends = [0, 1, 2, 17, 0x7FFF, 0x8000, 0x8001, 0xFFF0, 0xFFFF];
    for first in ends {
        for last in ends.into_iter().filter(|&last| last >= first) {
            for all in [None, Some((first, 0)), Some((first, last - first))] {
                let steps = |tier: Option<Tier>| {
                    let mut steps = Vec::new();
                    let take = |at: usize, some: u64, all: u64| steps.push((at, some, all));
                    match tier {
                        Some(tier) => each_step(tier, &of, (first, last - first), all, take),
                        None => scalar::each_step(&of, (first, last - first), all, take),
                    }
                    steps
                };
                let expected = steps(None);
                for (at, some, _) in &expected {
                    for bit in 0..STEP {
                        assert_eq!(some >> bit & 1 == 1, (first..=last).contains(&of[STEP * at + bit]));
                    }
                }
                for tier in Tier::available() {
                    assert_eq!(steps(Some(tier)), expected, "{} {first} to {last}, {all:?}", tier.name());
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn ranges_are_those_of_the_column(
        numbers in prop::collection::vec(prop::option::of(number()), 1..300),
        same in any::<bool>(),
        ranges in prop::collection::vec((number(), number(), 0..4usize), 1..20),
    ) {
        let mut of = Numbers::default();
        for number in &numbers {
            of.push(if same { numbers[0] } else { *number }).unwrap();
        }
        let mut bytes = Vec::new();
        of.write(&mut bytes).unwrap();
        let column = Column::of_bytes(&bytes, numbers.len() as u32).unwrap();
        let buckets = Buckets::new(&column).unwrap();
        for (low, high, open) in ranges {
            // Ends that some document has, and open ones.
            let low = [low, f64::NEG_INFINITY, numbers[0].unwrap_or(low), low][open];
            let high = [high, high, f64::INFINITY, numbers[numbers.len() / 2].unwrap_or(high)][open];
            let mut expected = vec![0; numbers.len().div_ceil(64)];
            column.add_between(low, high, &mut expected);
            for tier in Tier::available() {
                let mut found = vec![0; expected.len()];
                if let Some((low, high)) = column.keys_between(low, high) {
                    buckets.add_between(tier, &column, low, high, &mut found);
                }
                prop_assert_eq!(&found, &expected, "{} {} to {}", tier.name(), low, high);
            }
        }
    }
}
