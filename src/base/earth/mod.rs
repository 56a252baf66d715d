//! Points on the earth: the distances between them, areas, and cells by which the points of an area are found.
//!
//! | file | what it does |
//! |---|---|
//! | `mod.rs` | [`Point`], its code, distances |
//! | `area` | [`Area`]: circles and boxes, which contain points, and cells as a whole |
//! | `cell` | [`Cell`]: squares of points whose codes follow each other |
//!
//! A point has 32 bits for each coordinate: a step is 180 / 2^32 degrees of latitude and 360 / 2^32 degrees of longitude,
//! and coordinates are rounded to the nearest one, so points move by less than a centimetre. All that is computed is
//! computed of the rounded points, also of those that questions name: a point has the distance 0 from itself.
//!
//! The earth is a sphere. With its mean radius, distances differ by at most 0.6 % from those on the ellipsoid.

pub mod area;
pub mod cell;

use std::f64::consts::PI;

/// The mean radius of the earth, in metres, as Lucene has it.
pub const RADIUS: f64 = 6_371_008.771_4;

/// 2^32 steps go around the earth, and as many, each of half the size, from pole to pole.
const STEPS: f64 = 4_294_967_296.0;
/// Radians of a step of latitude.
const LAT_STEP: f64 = PI / STEPS;
/// Radians of a step of longitude.
const LNG_STEP: f64 = 2.0 * PI / STEPS;

/// A point on the earth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Point {
    /// Steps north of the equator: -2^31 is the south pole; the north pole is the last step before 2^31.
    pub lat: i32,
    /// Steps east of the meridian of Greenwich: -2^31 is the antimeridian, at 180 and at -180 degrees.
    pub lng: i32,
}

/// The steps of a latitude of -90 to 90 degrees. Rises with it.
fn lat_steps(degrees: f64) -> i32 {
    // The conversion saturates.
    (degrees * (STEPS / 180.0)).round() as i32
}

/// The steps of a longitude of -180 to 180 degrees: -2^31 to 2^31. Rises with it.
fn lng_steps(degrees: f64) -> i64 {
    (degrees * (STEPS / 360.0)).round() as i64
}

impl Point {
    /// The point at that latitude and longitude in degrees; `None` beyond 90 and 180 degrees, and for what is not a number.
    pub fn new(lat: f64, lng: f64) -> Option<Point> {
        let is_valid = is_latitude(lat) && is_longitude(lng);
        is_valid.then(|| Point { lat: lat_steps(lat), lng: lng_steps(lng) as i32 })
    }

    /// The bits of latitude and longitude in turn, from the most significant ones on: points near each other often have codes
    /// near each other.
    pub fn code(self) -> u64 {
        spread(offset(self.lat)) << 1 | spread(offset(self.lng))
    }
}

/// Whether it is a latitude in degrees.
pub fn is_latitude(degrees: f64) -> bool {
    (-90.0..=90.0).contains(&degrees)
}

/// Whether it is a longitude in degrees.
pub fn is_longitude(degrees: f64) -> bool {
    (-180.0..=180.0).contains(&degrees)
}

/// Steps counted from -2^31, and back.
fn offset(steps: i32) -> u32 {
    steps as u32 ^ 1 << 31
}

/// The bits of a number at the even places of another one.
fn spread(number: u32) -> u64 {
    let masks = [0x0000_ffff_0000_ffff, 0x00ff_00ff_00ff_00ff, 0x0f0f_0f0f_0f0f_0f0f, 0x3333_3333_3333_3333];
    let number =
        (16..=16).chain([8, 4, 2]).zip(masks).fold(u64::from(number), |n, (shift, mask)| (n | n << shift) & mask);
    (number | number << 1) & 0x5555_5555_5555_5555
}

/// A point from which distances are measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Origin {
    point: Point,
    sin: f64,
    cos: f64,
}

impl Origin {
    /// To measure from that point.
    pub fn new(point: Point) -> Origin {
        let (sin, cos) = latitude(point.lat).sin_cos();
        Origin { point, sin, cos }
    }

    /// That point.
    pub fn point(&self) -> Point {
        self.point
    }

    /// The metres from there to a point, along a great circle.
    #[inline]
    pub fn distance(&self, to: Point) -> f64 {
        metres(self.haversine(to))
    }

    /// The square of the sine of half the angle between them. It rises with the distance.
    #[inline]
    fn haversine(&self, to: Point) -> f64 {
        // The differences are exact.
        let lat = (i64::from(to.lat) - i64::from(self.point.lat)) as f64 * LAT_STEP;
        let lng = f64::from(to.lng.wrapping_sub(self.point.lng)) * LNG_STEP;
        haversine(lat, lng, self.cos * latitude(to.lat).cos())
    }
}

/// A latitude in radians.
fn latitude(steps: i32) -> f64 {
    f64::from(steps) * LAT_STEP
}

/// The haversine of points with these differences in latitude and longitude, and this product of the cosines of their latitudes.
#[inline]
fn haversine(lat: f64, lng: f64, cosines: f64) -> f64 {
    let (lat, lng) = ((lat / 2.0).sin(), (lng / 2.0).sin());
    lat * lat + cosines * (lng * lng)
}

/// The distance of points with that haversine.
#[inline]
fn metres(haversine: f64) -> f64 {
    2.0 * RADIUS * haversine.min(1.0).sqrt().asin()
}

#[cfg(test)]
mod tests;
