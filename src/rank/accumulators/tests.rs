use super::*;
use proptest::prelude::*;

/// Documents with sums, some of which are equal.
fn accumulators(documents: &[(u32, u8)]) -> Accumulators {
    let mut all = Accumulators::default();
    all.reserve(documents.len());
    documents.iter().for_each(|&(doc_id, sum)| all.push_if(true, doc_id, sum.into()));
    all
}

fn contents(mut accumulators: Accumulators) -> Vec<(u32, f64)> {
    let (doc_ids, sums) = accumulators.parts();
    doc_ids.iter().copied().zip(sums.iter().copied()).collect()
}

fn documents() -> impl Strategy<Value = Vec<(u32, u8)>> {
    prop::collection::vec((1u32..9, 0u8..9), 0..150).prop_map(|gaps| {
        gaps.iter()
            .scan(0, |next, &(gap, sum)| {
                *next += gap;
                Some((*next - 1, sum))
            })
            .collect()
    })
}

/// A number below, on or above those of documents.
fn least() -> impl Strategy<Value = f64> {
    prop_oneof![Just(f64::NEG_INFINITY), Just(f64::INFINITY), (-2i8..20).prop_map(|half| f64::from(half) / 2.0)]
}

proptest! {
    #[test]
    fn every_tier_keeps_the_same(documents in documents(), least in least(), noise: u64, from in 0usize..40) {
        let is = |doc_id: u32| noise >> (doc_id % 64) & 1 == 1;
        let last = documents.last().map_or(0, |&(doc_id, _)| doc_id);
        let mut bits = vec![0u32; last as usize / 32 + 1];
        let set = |doc_id: &u32| bits[*doc_id as usize / 32] |= 1 << (doc_id % 32);
        (0..=last).filter(|&doc_id| is(doc_id)).collect::<Vec<u32>>().iter().for_each(set);
        let mut found: Vec<u32> = documents.iter().map(|&(doc_id, _)| doc_id).filter(|&doc_id| is(doc_id)).collect();
        found.push(u32::MAX);
        let from = from.min(documents.len());
        let pairs = |keeps: &dyn Fn(usize, u32, f64) -> bool| -> Vec<(u32, f64)> {
            let all = documents.iter().map(|&(doc_id, sum)| (doc_id, f64::from(sum))).enumerate();
            all.filter(|&(at, (doc_id, sum))| keeps(at, doc_id, sum)).map(|(_, pair)| pair).collect()
        };
        for tier in Tier::available() {
            let mut above = accumulators(&documents);
            above.keep_above(tier, least);
            prop_assert_eq!(contents(above), pairs(&|_, _, sum| sum > least), "above, {}", tier.name());

            let mut within = accumulators(&documents);
            within.keep_in(tier, from, &bits, least);
            let wanted = pairs(&|at, doc_id, sum| at < from || is(doc_id) || sum > least);
            prop_assert_eq!(contents(within), wanted, "in, {}", tier.name());

            let mut of_list = accumulators(&documents);
            of_list.keep_found(tier, &found, least);
            let wanted = pairs(&|_, doc_id, sum| is(doc_id) || sum > least);
            prop_assert_eq!(contents(of_list), wanted, "found, {}", tier.name());
        }
    }

    #[test]
    fn every_tier_adds_the_same(before in documents(), documents in documents(), least in least(), tiny in 0u8..3) {
        // Near, on and beyond what a score of 32 bits can be.
        let least = least + f64::from(tiny) * 1e-12;
        let doc_ids: Vec<u32> = documents.iter().map(|&(doc_id, _)| doc_id).collect();
        let scores: Vec<f32> = documents.iter().map(|&(_, sum)| sum.into()).collect();
        let first = contents(accumulators(&before));
        let more = documents.iter().map(|&(doc_id, sum)| (doc_id, f64::from(sum)));
        let wanted: Vec<(u32, f64)> = first.iter().copied().chain(more.filter(|&(_, sum)| sum > least)).collect();
        for tier in Tier::available() {
            let mut all = accumulators(&before);
            all.push_above(tier, &doc_ids, &scores, least);
            prop_assert_eq!(contents(all), wanted.clone(), "{}", tier.name());
        }
    }

    #[test]
    fn every_tier_takes_the_same(documents in documents(), least in least(), groups: u64, first in 0u32..1 << 31) {
        let least = least.max(0.0);
        let mut sums = vec![[0.0; GROUP]; 64];
        documents.iter().for_each(|&(at, sum)| sums[at as usize / GROUP][at as usize % GROUP] = sum.into());
        let is_looked_at = |at: u32| groups >> (at as usize / GROUP) & 1 == 1;
        let above = documents.iter().filter(|&&(at, sum)| is_looked_at(at) && f64::from(sum) > least);
        let wanted: Vec<(u32, f64)> = above.map(|&(at, sum)| (first + at, sum.into())).collect();
        for tier in Tier::available() {
            let (mut all, mut sums) = (Accumulators::default(), sums.clone());
            all.take_above(tier, first, &mut sums, groups, least);
            prop_assert_eq!(contents(all), wanted.clone(), "{}", tier.name());
            for (group, sums) in sums.iter().enumerate() {
                let is_cleared = sums.iter().all(|&sum| sum == 0.0);
                prop_assert!(is_cleared || groups >> group & 1 == 0, "{}", tier.name());
            }
        }
    }
}
