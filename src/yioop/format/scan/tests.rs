use super::*;
use crate::yioop::format::modified9;
use crate::yioop::pack_posting;
use proptest::prelude::*;

/// A word that favours rare prefixes, places that fit together, and values that are nearly right.
fn any_word() -> impl Strategy<Value = u32> {
    let sound = (0usize..9, any::<u32>(), 0u32..4, 0u32..25).prop_map(|(i, bits, place, keep)| {
        let layout = modified9::LAYOUTS[i];
        let values = keep.min(layout.count);
        let payload =
            (layout.high_bits | layout.low_bits) & !(u32::MAX.checked_shl(values * layout.width).unwrap_or(0));
        place << 30 | layout.prefix | (bits & payload)
    });
    prop_oneof![4 => sound, 1 => any::<u32>()]
}

fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

/// Gives the words consistent places; `lasts` says where postings end.
fn with_places(words: &[u32], lasts: &[bool]) -> Vec<u32> {
    let mut open = false;
    let mut out = Vec::new();
    for (i, (&word, &last)) in words.iter().zip(lasts).enumerate() {
        let last = last || i + 1 == words.len();
        let place = match (open, last) {
            (false, true) => 0b00,
            (false, false) => 0b11,
            (true, false) => 0b10,
            (true, true) => 0b01,
        };
        open = !last;
        out.push(word & 0x3FFF_FFFF | place << 30);
    }
    out
}

fn scalar_located(bytes: &[u8]) -> Result<Located> {
    let mut located = Located::default();
    scalar::scan(bytes, |doc, offset| {
        located.docs.push(doc);
        located.offsets.push(offset as u32);
    })?;
    Ok(located)
}

/// Every tier gives what the reference gives, and the fast path is what gave it.
fn compare(bytes: &[u8]) -> std::result::Result<(), TestCaseError> {
    let wanted = scalar_located(bytes);
    for tier in Tier::available() {
        prop_assert_eq!(&locate_with(tier, bytes), &wanted, "{:?}", tier);
        prop_assert_eq!(doc_indexes_with(tier, bytes), wanted.clone().map(|located| located.docs), "{:?}", tier);
        prop_assert_eq!(check_with(tier, bytes), wanted.clone().map(|_| ()), "{:?}", tier);
    }
    Ok(())
}

/// Whether the vector scan of each tier is content with the list; it must be with short sound ones, and never with
/// damaged ones.
fn sound(tier: Tier, bytes: &[u8]) -> Option<bool> {
    let nowhere = std::ptr::null_mut();
    // SAFETY: nothing is written.
    unsafe { scan::<false, false>(tier, bytes, nowhere, nowhere) }.map(|scanned| scanned.sound)
}

#[test]
fn every_length() {
    for len in 0..=130u32 {
        for run in [1, 2, 3, 17, 200] {
            let words: Vec<u32> = (0..len).map(|i| modified9::LAYOUTS[(i % 9) as usize].prefix | (1 + i % 2)).collect();
            let words: Vec<u32> =
                words.iter().map(|&word| if modified9::fault(word).is_none() { word } else { 1 }).collect();
            let lasts: Vec<bool> = (0..len).map(|i| i % run == run - 1).collect();
            let bytes = bytes_of(&with_places(&words, &lasts));
            compare(&bytes).unwrap();
            assert!(scalar_located(&bytes).is_ok());
            for tier in Tier::available() {
                assert_ne!(sound(tier, &bytes), Some(false), "{tier:?}, {len} words");
            }
            for cut in 1..bytes.len().min(9) {
                compare(&bytes[..bytes.len() - cut]).unwrap();
            }
        }
    }
}

#[test]
fn each_fault_is_seen_in_each_lane() {
    for at in 0..50 {
        for fault in [0, 0x1000_4000, 0x2800_0001, 0x3F00_0005, 0x3E00_0011, 0x6000_0001, 0xA000_0001, 0xC000_0005] {
            let mut words = vec![1u32; 50];
            words[at] = fault;
            let bytes = bytes_of(&words);
            compare(&bytes).unwrap();
            assert!(scalar_located(&bytes).is_err(), "{fault:#x} at {at}");
        }
    }
}

/// After the first word, sixteen words of 2^28 − 1 add up to 2^32 − 16.
#[test]
fn positions_past_32_bits_are_seen() {
    for before in 0..40 {
        for (extra, fits) in [(0u32, true), (15, true), (16, false), (u32::MAX >> 4, false)] {
            let mut words = vec![1u32; before];
            words.push(0xC000_0007);
            words.extend([0x8FFF_FFFF; 15]);
            words.extend([0x8FFF_FFFF, 0x4000_0000 | extra]);
            if extra == 0 {
                words.pop();
                *words.last_mut().unwrap() = 0x4FFF_FFFF;
            }
            words.push(1);
            let bytes = bytes_of(&words);
            compare(&bytes).unwrap();
            assert_eq!(scalar_located(&bytes).is_ok(), fits, "{extra}");
        }
    }
}

#[test]
fn an_absent_tier_is_not_run() {
    for tier in [Tier::Neon, Tier::Avx2, Tier::Avx512] {
        assert!(tier.is_available() || sound(tier, &[0, 0, 0, 1]).is_none());
    }
    assert_eq!(sound(Tier::Scalar, &[0, 0, 0, 1]), Some(true));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn tiers_agree_on_words(words in prop::collection::vec(any_word(), 0..70)) {
        compare(&bytes_of(&words))?;
    }

    #[test]
    fn tiers_agree_where_places_fit(
        words in prop::collection::vec((any_word(), any::<bool>()), 0..70),
        rare in 0u32..2,
    ) {
        let (words, lasts): (Vec<u32>, Vec<bool>) = words.into_iter().unzip();
        // An unsound word hides everything else, so most lists have none or few.
        let words: Vec<u32> = words
            .iter()
            .map(|&word| if modified9::fault(word).is_some() && (rare == 0 || word % 16 != 0) { word & 0xC000_0000 | 1 } else { word })
            .collect();
        compare(&bytes_of(&with_places(&words, &lasts)))?;
    }

    #[test]
    fn tiers_agree_on_postings(
        postings in prop::collection::vec(
            (prop_oneof![0u32..100, 32_000u32..33_000, 262_000u32..263_000, 0u32..(1 << 27) - 1],
             prop::collection::vec(prop_oneof![1u32..4, 1u32..600, 1u32..20_000], 0..60)),
            0..30),
        flip in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut bytes = Vec::new();
        let mut docs = Vec::new();
        for (doc, deltas) in postings {
            let positions: Vec<u32> = deltas.iter().scan(0, |sum, delta| { *sum += delta; Some(*sum) }).collect();
            bytes.extend(pack_posting(doc, &positions).unwrap());
            docs.push(doc);
        }
        prop_assert_eq!(doc_indexes(&bytes).unwrap(), docs);
        compare(&bytes)?;
        for tier in Tier::available() {
            prop_assert_ne!(sound(tier, &bytes), Some(false));
        }
        if let Some(flip) = flip.filter(|_| !bytes.is_empty()) {
            let bit = flip.index(bytes.len() * 8);
            bytes[bit / 8] ^= 1 << (bit % 8);
            compare(&bytes)?;
        }
    }
}
