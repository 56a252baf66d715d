//! Whether two contestants found the same.

use crate::engine::{Found, Hit, Want};

/// Scores may differ by this share: both add single-precision numbers, in orders of their own.
const TOLERANCE: f32 = 1e-5;

/// What differs, if anything. Both hold ids of passages. Hits whose scores are nearly equal may come in any order, and
/// of those at the end of a full list others may have been taken.
pub fn differ(a: &Found, b: &Found, want: Want) -> Option<String> {
    if a.count != b.count {
        return Some(format!("counts {:?} and {:?}", a.count, b.count));
    }
    if a.hits.len() != b.hits.len() {
        return Some(format!("{} and {} hits", a.hits.len(), b.hits.len()));
    }
    for (rank, (a, b)) in a.hits.iter().zip(&b.hits).enumerate() {
        if !near(a.score, b.score, TOLERANCE) {
            return Some(format!("at rank {rank} {a:?} and {b:?}"));
        }
    }
    let full = a.hits.len() == want.top();
    let mut from = 0;
    while from < a.hits.len() {
        let same =
            1 + a.hits[from..].windows(2).take_while(|two| near(two[0].score, two[1].score, 3.0 * TOLERANCE)).count();
        let upto = from + same;
        let cut = full && upto == a.hits.len();
        let (a, b) = (ids(&a.hits[from..upto]), ids(&b.hits[from..upto]));
        if !cut && a != b {
            return Some(format!("at ranks {from}..{upto} the passages {a:?} and {b:?}"));
        }
        from = upto;
    }
    None
}

fn near(a: f32, b: f32, tolerance: f32) -> bool {
    (a - b).abs() <= tolerance * a.abs().max(b.abs())
}

fn ids(hits: &[Hit]) -> Vec<u64> {
    let mut ids: Vec<u64> = hits.iter().map(|hit| hit.id).collect();
    ids.sort_unstable();
    ids
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(hits: &[(u64, f32)], count: Option<u64>) -> Found {
        Found { hits: hits.iter().map(|&(id, score)| Hit { id, score }).collect(), count }
    }

    #[test]
    fn ties_may_come_in_any_order() {
        let a = found(&[(1, 3.0), (2, 2.0), (3, 2.0), (4, 1.0), (5, 1.0)], None);
        let b = found(&[(1, 3.0), (3, 2.000001), (2, 2.0), (4, 1.0), (6, 1.0)], None);
        assert_eq!(differ(&a, &b, Want::Top(5)), None);
        assert!(differ(&a, &b, Want::Top(6)).is_some(), "the list is not full, so the last ones are certain");
    }

    #[test]
    fn differences_are_seen() {
        let a = found(&[(1, 3.0), (2, 2.0)], Some(2));
        for b in [
            found(&[(1, 3.0), (2, 2.0)], Some(3)),
            found(&[(1, 3.0)], Some(2)),
            found(&[(1, 3.0), (2, 2.001)], Some(2)),
            found(&[(7, 3.0), (2, 2.0)], Some(2)),
            found(&[(2, 3.0), (1, 2.0)], Some(2)),
        ] {
            assert!(differ(&a, &b, Want::TopAndCount(2)).is_some(), "{b:?}");
        }
        assert_eq!(differ(&a, &a.clone(), Want::TopAndCount(2)), None);
    }
}
