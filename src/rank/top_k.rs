//! [`TopK`]: the k best hits seen so far, and the score that a further one must exceed.

/// A found document.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Its score; or minus or plus the number it is sorted by.
    pub score: f64,
    /// Its rank by insertion: of equal scores the smaller one is better.
    pub ordinal: u64,
    /// The index of the segment.
    pub segment: u32,
    /// The docID in the segment.
    pub doc_id: u32,
}

impl Hit {
    /// Whether this hit comes before `other`.
    #[inline]
    fn is_better(&self, other: &Hit) -> bool {
        self.score > other.score || (self.score == other.score && self.ordinal < other.ordinal)
    }

    /// Smaller for better hits: one number, so that sorting compares without branches.
    #[inline]
    fn key(&self) -> u128 {
        let bits = self.score.to_bits();
        // Ascending with the score, also below 0.
        let ascending = if bits >> 63 == 0 { bits | 1 << 63 } else { !bits };
        u128::from(!ascending) << 64 | u128::from(self.ordinal)
    }
}

/// Up to this k, hits are kept in order, so that the threshold is exact after each.
const ORDERED: usize = 64;

/// The k best hits of those pushed.
#[derive(Debug)]
pub struct TopK {
    k: usize,
    /// In order if k is at most [`ORDERED`], otherwise up to [`room`] hits of which the best k are kept now and then.
    hits: Vec<Hit>,
    threshold: f64,
}

/// Hits that are collected before the best k of them are chosen.
fn room(k: usize) -> usize {
    2 * k
}

impl TopK {
    /// None yet.
    pub fn new(k: usize) -> TopK {
        // Room for a page of hits; more is made when it is needed.
        TopK {
            k,
            hits: Vec::with_capacity(room(k).min(2048)),
            threshold: if k == 0 { f64::INFINITY } else { f64::NEG_INFINITY },
        }
    }

    /// Hits with a lower score are not among the k best; minus infinity until there are k.
    #[inline]
    pub fn threshold(&self) -> f64 {
        self.threshold
    }

    /// How many hits are wanted.
    pub fn k(&self) -> usize {
        self.k
    }

    /// Takes a hit.
    #[inline(always)]
    pub fn push(&mut self, hit: Hit) {
        if hit.score < self.threshold || self.k == 0 {
            return;
        }
        if self.k > ORDERED {
            return self.push_later(hit);
        }
        // By numbers: were its address given away, it would be written to memory in parts, and read whole, each time.
        let Hit { score, ordinal, segment, doc_id } = hit;
        self.push_ordered(score, ordinal, segment, doc_id);
    }

    #[inline(never)]
    fn push_ordered(&mut self, score: f64, ordinal: u64, segment: u32, doc_id: u32) {
        let hit = Hit { score, ordinal, segment, doc_id };
        let full = self.hits.len() == self.k;
        if full && !hit.is_better(&self.hits[self.k - 1]) {
            return;
        }
        if full {
            self.hits.pop();
        }
        let at = self.hits.partition_point(|other| other.is_better(&hit));
        self.hits.insert(at, hit);
        if self.hits.len() == self.k {
            self.threshold = self.hits[self.k - 1].score;
        }
    }

    fn push_later(&mut self, hit: Hit) {
        self.hits.push(hit);
        if self.hits.len() >= room(self.k) {
            self.cut();
        } else if self.hits.len() == self.k {
            self.threshold = self.hits.iter().map(|hit| hit.score).fold(f64::INFINITY, f64::min);
        }
    }

    fn cut(&mut self) {
        if self.hits.len() > self.k {
            let (_, worst, _) = self.hits.select_nth_unstable_by_key(self.k - 1, Hit::key);
            self.threshold = worst.score;
            self.hits.truncate(self.k);
        }
    }

    /// The k best hits, best first.
    pub fn into_hits(mut self) -> Vec<Hit> {
        self.cut();
        if self.k <= ORDERED {
            return self.hits;
        }
        // Numbers are sorted: the front of each key, and the place of its hit.
        let places = 0..self.hits.len() as u64;
        let fronts = self.hits.iter().map(|hit| (hit.key() >> 96) as u64);
        let mut sorted: Vec<u64> = fronts.zip(places).map(|(front, place)| front << 32 | place).collect();
        sorted.sort_unstable();
        let mut hits: Vec<Hit> = sorted.iter().map(|&number| self.hits[number as u32 as usize]).collect();
        for alike in hits.chunk_by_mut(|a, b| a.key() >> 96 == b.key() >> 96) {
            alike.sort_unstable_by_key(Hit::key);
        }
        hits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_best_are_kept(scores in prop::collection::vec(-9i8..19, 0..600), k in 0usize..200, backwards: bool) {
            // Some differ in their last bits only.
            let score = |score: i8| f64::from(score / 2) + 1e-12 * f64::from(score % 2);
            let ordinal = |at: usize| if backwards { 600 - at as u64 } else { at as u64 };
            let hit = |(at, &of): (usize, &i8)| Hit { score: score(of), ordinal: ordinal(at), segment: 0, doc_id: 0 };
            let mut all: Vec<Hit> = scores.iter().enumerate().map(hit).collect();
            let mut top = TopK::new(k);
            for &hit in &all {
                let before = top.threshold();
                top.push(hit);
                prop_assert!(top.threshold() >= before);
            }
            all.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.ordinal.cmp(&b.ordinal)));
            all.truncate(k);
            prop_assert_eq!(top.into_hits(), all);
        }
    }
}
