//! [`Waiting`]: candidates of several ranges, which wait for the terms that do not lead there.

use super::candidates::Candidates;
use super::collector::Collector;
use super::term::Term;

/// With so many candidates, or after so many ranges that gave some, lists are asked about them: what they make of these raises the threshold
/// for others.
const ENOUGH: usize = if cfg!(any(test, fuzzing)) { 8 } else { 1024 };
const RANGES: usize = 8;

/// Candidates of ranges in all of which the same terms lead. The others are asked about all of them at once: what asking a list takes is
/// mostly the same for many as for the few of one range.
pub(super) struct Waiting {
    pub(super) candidates: Candidates,
    /// How many there are of ranges that were noted, and how many ranges gave some; if any did, the rest counts.
    noted: usize,
    ranges: usize,
    /// Which terms lead.
    leads: Vec<bool>,
    /// Where each term stood in the first of the ranges.
    places: Vec<usize>,
    /// The upper bound of each term in all of them.
    upper: Vec<f32>,
    /// Those that do not lead, and the sums of the upper bounds of those before each.
    others: Vec<usize>,
    sums: Vec<f64>,
}

impl Waiting {
    pub(super) fn new(terms: usize) -> Waiting {
        Waiting {
            candidates: Candidates::default(),
            noted: 0,
            ranges: 0,
            leads: vec![false; terms],
            places: vec![0; terms],
            upper: vec![0.0; terms],
            others: Vec::with_capacity(terms),
            sums: Vec::with_capacity(terms),
        }
    }

    /// Whether candidates with the scores of these terms can wait with those that are there.
    #[inline(always)]
    pub(super) fn fits(&self, leads: &[usize]) -> bool {
        self.noted == 0
            || leads.len() + self.others.len() == self.leads.len() && leads.iter().all(|&lead| self.leads[lead])
    }

    /// Whether lists are to be asked.
    #[inline(always)]
    pub(super) fn are_enough(&self) -> bool {
        self.noted >= ENOUGH || self.ranges >= RANGES
    }

    /// Notes what is known of a range, where terms stand and whose candidates have been added, with the scores of `leads`.
    #[inline(always)]
    pub(super) fn note(&mut self, terms: &[Term], leads: &[usize], upper: &[f32]) {
        let before = std::mem::replace(&mut self.noted, self.candidates.accumulators.len());
        if self.noted == before {
            return;
        }
        if before == 0 {
            for (place, term) in self.places.iter_mut().zip(terms) {
                *place = term.place();
            }
            self.leads.fill(false);
            for &lead in leads {
                self.leads[lead] = true;
            }
            self.others.clear();
            self.others.extend((0..terms.len()).filter(|&term| !self.leads[term]));
            self.upper.fill(0.0);
        }
        self.ranges += 1;
        for (all, &of_range) in self.upper.iter_mut().zip(upper) {
            *all = all.max(of_range);
        }
    }

    /// Asks the other terms about the candidates, those that can add the most first, and offers what is left.
    #[inline(always)]
    pub(super) fn complete(&mut self, terms: &mut [Term], initial: f64, collector: &mut Collector) {
        if std::mem::take(&mut self.noted) == 0 {
            return;
        }
        self.ranges = 0;
        let Waiting { candidates, places, upper, others, sums, .. } = self;
        others.sort_unstable_by(|&a, &b| upper[a].total_cmp(&upper[b]));
        sums.clear();
        let mut sum = 0.0;
        for &other in &*others {
            sums.push(sum);
            sum += f64::from(upper[other]);
        }
        for (&other, &rest) in others.iter().zip(&*sums).rev() {
            if candidates.is_empty() || collector.clock.is_over() {
                break;
            }
            let threshold = collector.threshold().max(initial);
            let term = &mut terms[other];
            let place = term.place();
            term.return_to(places[other]);
            candidates.add(term, threshold, upper[other].into(), rest);
            term.return_to(place);
        }
        candidates.offer(collector);
        candidates.accumulators.clear();
    }
}
