//! [`Area`]: circles and boxes.

use super::cell::Cell;
use super::{LAT_STEP, LNG_STEP, Origin, Point, RADIUS, haversine, is_latitude, is_longitude, lat_steps, latitude};
use super::{lng_steps, metres};
use std::f64::consts::{FRAC_PI_2, PI};

/// Some part of the earth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Area {
    /// The points within a distance.
    Circle(Circle),
    /// The points between two latitudes and two longitudes.
    Rect(Rect),
}

/// How an area and a cell lie to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// No point of the cell is in the area.
    Outside,
    /// Every point of the cell is in the area.
    Inside,
    /// Neither is known.
    Unknown,
}

impl Area {
    /// Whether a point is in it.
    #[inline]
    pub fn contains(&self, point: Point) -> bool {
        match self {
            Area::Circle(circle) => circle.contains(point),
            Area::Rect(rect) => rect.contains(point),
        }
    }

    /// How a cell lies to it. Of cells that are small enough it is known, unless they are at the border of a circle.
    pub fn relation(&self, cell: Cell) -> Relation {
        match self {
            Area::Circle(circle) => circle.relation(cell),
            Area::Rect(rect) => rect.relation(cell),
        }
    }
}

/// The points that have at most some distance from one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Circle {
    origin: Origin,
    metres: f64,
    /// Points with a smaller haversine are in it, those with a greater one than the second are not: that of the radius, less
    /// and more what rounding could change.
    sure: (f64, f64),
}

impl Circle {
    /// The points at most that far from one; `None` unless the distance is finite and not negative.
    pub fn new(around: Point, metres: f64) -> Option<Circle> {
        if !(0.0..f64::INFINITY).contains(&metres) {
            return None;
        }
        let half = metres / (2.0 * RADIUS);
        let sure = match half < FRAC_PI_2 {
            true => (half.sin().powi(2) * (1.0 - 1e-9) - 1e-24, half.sin().powi(2) * (1.0 + 1e-9) + 1e-24),
            // More than the way to the antipode.
            false => (f64::INFINITY, f64::INFINITY),
        };
        Some(Circle { origin: Origin::new(around), metres, sure })
    }

    /// Where it was drawn.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// Its radius.
    pub fn metres(&self) -> f64 {
        self.metres
    }

    fn contains(&self, point: Point) -> bool {
        match self.origin.haversine(point) {
            haversine if haversine < self.sure.0 => true,
            haversine if haversine > self.sure.1 => false,
            haversine => metres(haversine) <= self.metres,
        }
    }

    /// With a difference in longitude, the cosine of the angle to a point at latitude φ is
    /// sin φ0 sin φ + cos φ0 cos λ cos φ = c cos(φ − ψ): so the nearest and the farthest point of a cell are at one of its
    /// sides, at the latitude ψ, or opposite to that.
    fn relation(&self, cell: Cell) -> Relation {
        let (south_west, north_east) = cell.corners();
        let origin = &self.origin;
        let (south, north) = (latitude(south_west.lat), latitude(north_east.lat));
        let (nearest, farthest) = meridians(origin.point.lng, south_west.lng, north_east.lng);
        let own = latitude(origin.point.lat);
        // The haversines to three latitudes, of which the third counts if the cell has it.
        let haversines = |lng: f64, turn: f64| {
            let extreme = origin.sin.atan2(origin.cos * lng.cos()) + turn;
            let extreme = if extreme > PI { extreme - 2.0 * PI } else { extreme };
            let third = if (south..=north).contains(&extreme) { extreme } else { south };
            [south, north, third].map(|lat| haversine(lat - own, lng, origin.cos * lat.cos()))
        };
        if haversines(nearest, 0.0).into_iter().fold(f64::INFINITY, f64::min) > self.sure.1 {
            return Relation::Outside;
        }
        match haversines(farthest, PI).into_iter().fold(0.0, f64::max) < self.sure.0 {
            true => Relation::Inside,
            false => Relation::Unknown,
        }
    }

    /// A box around all points of the circle, some metres larger.
    pub fn bounds(&self) -> Rect {
        /// More than all that rounding changes, in radians.
        const MARGIN: f64 = 1e-6;
        let angle = self.metres / RADIUS + MARGIN;
        let own = latitude(self.origin.point.lat);
        let steps = |lat: f64| (lat / LAT_STEP) as i32;
        let (south, north) = (steps(own - angle), steps(own + angle));
        if own.abs() + angle >= FRAC_PI_2 - MARGIN {
            return Rect { south, north, west: 0, width: u32::MAX };
        }
        let to_side = (((angle.sin() / self.origin.cos).min(1.0).asin() + MARGIN) / LNG_STEP) as u32;
        let width = to_side.saturating_mul(2);
        Rect { south, north, west: self.origin.point.lng.wrapping_sub_unsigned(to_side), width }
    }
}

/// The least and the greatest difference in longitude, in radians, of a meridian from those from `west` eastwards to `east`.
fn meridians(from: i32, west: i32, east: i32) -> (f64, f64) {
    let (begin, width) = (west.wrapping_sub(from) as u32, east.wrapping_sub(west) as u32);
    let has = |meridian: u32| meridian.wrapping_sub(begin) <= width;
    let shorter = |eastwards: u32| eastwards.min(eastwards.wrapping_neg());
    let ends = [begin, begin.wrapping_add(width)].map(shorter);
    let least = if has(0) { 0 } else { ends[0].min(ends[1]) };
    let greatest = if has(1 << 31) { 1 << 31 } else { ends[0].max(ends[1]) };
    (f64::from(least) * LNG_STEP, f64::from(greatest) * LNG_STEP)
}

/// The points between two latitudes and two longitudes, with those on its sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rect {
    south: i32,
    north: i32,
    west: i32,
    /// Steps eastwards from the west side to the east side.
    width: u32,
}

impl Rect {
    /// The southern, northern and western sides in steps, and the steps eastwards from the western to the eastern side.
    pub fn sides(&self) -> ([i32; 3], u32) {
        ([self.south, self.north, self.west], self.width)
    }

    /// The box with these [sides](Self::sides); `None` if the south side is north of the north side.
    pub fn of_sides([south, north, west]: [i32; 3], width: u32) -> Option<Rect> {
        (south <= north).then_some(Rect { south, north, west, width })
    }

    /// The box from a corner in the south-west eastwards to one in the north-east, each as latitude and longitude in degrees.
    /// With a west side east of the east side it lies across the antimeridian. `None` beyond 90 and 180 degrees, and if the
    /// south side is north of the north side.
    pub fn new((south, west): (f64, f64), (north, east): (f64, f64)) -> Option<Rect> {
        let is_valid = [south, north].into_iter().all(is_latitude) && [west, east].into_iter().all(is_longitude);
        if !is_valid || south > north {
            return None;
        }
        // 180 and -180 degrees are the same meridian, but not the same side.
        let around = if west > east { 1 << 32 } else { 0 };
        let width = lng_steps(east) - lng_steps(west) + around;
        Some(Rect {
            south: lat_steps(south),
            north: lat_steps(north),
            west: lng_steps(west) as i32,
            width: u32::try_from(width).unwrap_or(u32::MAX),
        })
    }

    /// Whether a point is in it.
    #[inline]
    pub fn contains(&self, point: Point) -> bool {
        (self.south..=self.north).contains(&point.lat) && point.lng.wrapping_sub(self.west) as u32 <= self.width
    }

    fn relation(&self, cell: Cell) -> Relation {
        let (south_west, north_east) = cell.corners();
        let (begin, width) =
            (south_west.lng.wrapping_sub(self.west) as u32, north_east.lng.wrapping_sub(south_west.lng) as u32);
        // Eastwards from the west side, a cell that goes around reaches it again.
        let is_beside = begin > self.width && begin.checked_add(width).is_some();
        if is_beside || south_west.lat > self.north || north_east.lat < self.south {
            return Relation::Outside;
        }
        let is_between = begin <= self.width && width <= self.width - begin;
        match is_between && self.south <= south_west.lat && north_east.lat <= self.north {
            true => Relation::Inside,
            false => Relation::Unknown,
        }
    }
}
