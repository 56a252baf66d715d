//! Runs of a list that is built: what a [`Builder`](super::Builder) has of them, and how they are found among bits.

use crate::base::cpu::Tier;
use crate::base::tiers::tiered;
use std::ops::RangeInclusive;

/// Runs that may go on.
#[derive(Default)]
pub(super) struct OpenRuns {
    /// The first docID of each, and the number of docIDs before it.
    pub(super) runs: Vec<(u32, u32)>,
    /// The docID after the last one, unless that is the largest there is.
    next: u32,
    pub(super) count: usize,
}

impl OpenRuns {
    /// Adds docIDs after the last one.
    #[inline]
    pub(super) fn push(&mut self, first: u32, len: usize) {
        if self.runs.is_empty() || first != self.next {
            self.runs.push((first, self.count as u32));
        }
        self.count += len;
        self.next = first.wrapping_add(len as u32);
    }

    /// The docIDs from a rank on, as ranges.
    pub(super) fn from(&self, rank: usize) -> impl Iterator<Item = RangeInclusive<u32>> {
        let begin = self.runs.partition_point(|&(_, before)| (before as usize) <= rank).saturating_sub(1);
        let ends = self.runs.iter().skip(begin + 1).map(|&(_, before)| before).chain([self.count as u32]);
        self.runs[begin..].iter().zip(ends).map(move |(&(first, before), end)| {
            first + (rank as u32).saturating_sub(before)..=first + (end - before - 1)
        })
    }
}

/// Where runs of bits begin and end, one after the other: the first docID of each, and the one after its last. Kept for its memory.
#[derive(Default)]
pub(super) struct Turns(Vec<u32>);

impl Turns {
    /// The first docID of each run of bits and the one after its last, which may be 0, if runs are long on average. Bit 0 of the
    /// first word stands for `first`; `count` bits are set.
    pub(super) fn of_long(&mut self, tier: Tier, first: u32, words: &[u64], count: usize) -> Option<&[[u32; 2]]> {
        if count < LONG {
            return None;
        }
        // A word may have too many before it is looked at how many there are.
        let most = 2 * (count / LONG);
        let room = most + 64 + FEW;
        if self.0.len() < room {
            self.0.resize(room, 0);
        }
        let len = turns(tier, first, words, &mut self.0[..room]);
        (len <= most).then(|| self.0[..len].as_chunks().0)
    }
}

/// Runs that are shorter on average stay bits.
pub(super) const LONG: usize = 16;

/// One word of bits in so many is asked first whether runs are long.
const SAMPLED: usize = 8;

/// So many runs are enough for a sample.
const SAMPLE: usize = 8;

/// Words in which turns are looked for together.
const PART: usize = 64;

/// Most words that have turns have at most so many.
const FEW: usize = 2;

tiered! {
    /// Writes where bits differ from those before them and returns how many of these places there are, of which there is an even
    /// number; or any number too large, once so many do not leave room for those of another word.
    fn turns<'w>(first: u32, words: &'w [u64], turns: &'w mut [u32]) -> usize = turns_on_tier;
}

#[inline(always)]
fn turns_on_tier(first: u32, words: &[u64], turns: &mut [u32]) -> usize {
    // Where runs are short, a sample mostly tells it. A run that reaches over several words begins in each of them.
    let (mut seen, mut begun) = (0, 0);
    for word in words.iter().step_by(SAMPLED) {
        seen += word.count_ones() as usize;
        begun += (word & !(word << 1)).count_ones() as usize;
    }
    if begun >= SAMPLE && begun * LONG > 2 * seen {
        return usize::MAX;
    }
    let (mut line, mut before, mut len) = (first, 0, 0);
    for part in words.chunks(PART) {
        let mut turned = [0; PART];
        for (at, &word) in part.iter().enumerate() {
            let before = if at == 0 { before } else { part[at - 1] };
            turned[at] = word ^ (word << 1 | before >> 63);
        }
        // Which words have any, no branch depends on.
        let (mut some, mut count) = ([0u8; PART], 0);
        for (at, &turned) in (0..).zip(&turned) {
            some[count.min(PART - 1)] = at;
            count += usize::from(turned != 0);
        }
        for &at in &some[..count] {
            let mut turned = turned[usize::from(at) % PART];
            let line = line.wrapping_add(64 * u32::from(at));
            let ones = turned.count_ones() as usize;
            let Some(to) = turns.get_mut(len..len + 64 + FEW) else { return usize::MAX };
            for to in &mut to[..FEW] {
                *to = line.wrapping_add(turned.trailing_zeros());
                turned &= turned.wrapping_sub(1);
            }
            for to in to[FEW..].iter_mut().take(ones.saturating_sub(FEW)) {
                *to = line + turned.trailing_zeros();
                turned &= turned - 1;
            }
            len += ones;
        }
        before = part[part.len() - 1];
        line = line.wrapping_add(64 * part.len() as u32);
    }
    // The last run may end with the words.
    if len % 2 == 1 {
        turns[len] = line;
        len += 1;
    }
    len
}
