//! [`Distances`]: how far the documents of a segment are from a point.

use crate::base::earth::area::{Circle, Rect};
use crate::base::earth::{Origin, Point};
use crate::base::error::Result;
use crate::index::segment::{PointColumn, Segment};
use std::cell::Cell;

/// How far the documents of a segment are from a point.
pub(super) struct Distances<'s> {
    points: PointColumn<'s>,
    from: Point,
    origin: Origin,
    /// A distance, and a box around all points within it.
    bounds: Cell<(f64, Option<Rect>)>,
}

impl<'s> Distances<'s> {
    pub(super) fn new(segment: &'s Segment, field: usize, from: Point) -> Result<Distances<'s>> {
        let points = segment.points(field)?.all()?;
        Ok(Distances { points, from, origin: Origin::new(from), bounds: Cell::new((f64::INFINITY, None)) })
    }

    /// The metres to a document, if it has a point.
    #[inline]
    pub(super) fn get(&self, doc_id: u32) -> Option<f64> {
        self.points.get(doc_id).map(|point| self.origin.distance(point))
    }

    /// The same; `None` also for documents that are farther than that, most of which are not measured.
    #[inline]
    pub(super) fn up_to(&self, doc_id: u32, metres: f64) -> Option<f64> {
        let point = self.points.get(doc_id)?;
        if self.bounds.get().0 != metres {
            let bounds = Circle::new(self.from, metres).map(|circle| circle.bounds());
            self.bounds.set((metres, bounds));
        }
        match self.bounds.get().1 {
            Some(bounds) if !bounds.contains(point) => None,
            _ => Some(self.origin.distance(point)),
        }
    }
}
