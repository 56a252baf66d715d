//! Intersection of lists a run at a time: the doc indexes and offsets of a run lie in the first-level cache from the
//! scan to the comparison, and nothing of the size of a list is allocated.

use super::{Matches, common};
use crate::base::cpu::Tier;
use crate::yioop::format::scan::{Located, Runs};

/// One side of an intersection: runs of increasing doc indexes, with an entry for each.
struct Side<'a, 's> {
    source: Source<'a, 's>,
    at: usize,
}

enum Source<'a, 's> {
    List(&'s mut Runs<'a>),
    Found(&'s Located),
}

impl<'a, 's> Side<'a, 's> {
    /// What is left of the run: doc indexes, and their entries.
    fn rest(&self) -> (&[u32], &[u32]) {
        let (docs, entries) = match &self.source {
            Source::List(runs) => (runs.docs(), runs.offsets()),
            Source::Found(found) => (&found.docs[..], &found.offsets[..]),
        };
        (&docs[self.at..], &entries[self.at..])
    }

    /// Moves on to the next run once this one is used up; `Ok(false)` at the end.
    fn refill(&mut self) -> Result<bool, NotPlain> {
        while self.rest().0.is_empty() {
            let Source::List(runs) = &mut self.source else { return Ok(false) };
            self.at = 0;
            if !runs.next().ok_or(NotPlain)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// A list is damaged, or its doc indexes do not increase, or it cannot be cut into runs.
struct NotPlain;

/// The intersection of two or more lists, the shortest first, each with its place among the arguments. `None`
/// if a list is such that all of it has to be examined together.
pub(super) fn intersect(tier: Tier, lists: &[(usize, &[u8])]) -> Option<Matches> {
    let (&(first, shortest), longer) = lists.split_first()?;
    let mut shortest = Runs::new(tier, shortest);
    let mut columns: Vec<(usize, Vec<u32>)> = Vec::with_capacity(lists.len());
    let mut found = Located::default();
    for (turn, &(place, list)) in longer.iter().enumerate() {
        let mut runs = Runs::new(tier, list);
        let mut right = Vec::new();
        // The entries of the left side: first offsets of the shortest list, later ranks in what was found so far.
        let mut next = Located::default();
        let left = if turn == 0 { Source::List(&mut shortest) } else { Source::Found(&found) };
        meet(tier, left, &mut runs, &mut next, &mut right).ok()?;
        if turn == 0 {
            columns.push((first, std::mem::take(&mut next.offsets)));
        } else {
            for (_, column) in &mut columns {
                *column = next.offsets.iter().map(|&rank| column[rank as usize]).collect();
            }
        }
        columns.push((place, right));
        next.offsets = (0..next.docs.len() as u32).collect();
        found = next;
    }
    let mut offsets = vec![0; found.docs.len() * lists.len()];
    for (place, column) in columns {
        offsets.iter_mut().skip(place).step_by(lists.len()).zip(column).for_each(|(to, from)| *to = from);
    }
    Some(Matches { docs: found.docs, offsets, lists: lists.len() })
}

/// What both sides have: to `found` the doc indexes and the entries of the left side, to `right` the offsets of the
/// right one. Both are read to their ends, so that all of a list is checked.
fn meet(tier: Tier, left: Source, list: &mut Runs, found: &mut Located, right: &mut Vec<u32>) -> Result<(), NotPlain> {
    let (mut a, mut b) = (Side { source: left, at: 0 }, Side { source: Source::List(list), at: 0 });
    let (mut in_a, mut in_b) = (Vec::new(), Vec::new());
    loop {
        match (a.refill()?, b.refill()?) {
            (true, true) => {}
            (false, false) => return Ok(()),
            // Nothing more can be found, but the rest is checked.
            (true, false) => a.at += a.rest().0.len(),
            (false, true) => b.at += b.rest().0.len(),
        }
        let ((docs_a, entries_a), (docs_b, entries_b)) = (a.rest(), b.rest());
        let (Some(&last_a), Some(&last_b)) = (docs_a.last(), docs_b.last()) else { continue };
        let up_to = last_a.min(last_b);
        let end =
            |docs: &[u32], last| if last == up_to { docs.len() } else { docs.partition_point(|&doc| doc <= up_to) };
        let (end_a, end_b) = (end(docs_a, last_a), end(docs_b, last_b));
        if end_a <= end_b {
            common(tier, &docs_a[..end_a], &docs_b[..end_b], &mut in_a, &mut in_b);
        } else {
            common(tier, &docs_b[..end_b], &docs_a[..end_a], &mut in_b, &mut in_a);
        }
        found.docs.extend(in_a.iter().map(|&rank| docs_a[rank as usize]));
        found.offsets.extend(in_a.iter().map(|&rank| entries_a[rank as usize]));
        right.extend(in_b.iter().map(|&rank| entries_b[rank as usize]));
        a.at += end_a;
        b.at += end_b;
    }
}
