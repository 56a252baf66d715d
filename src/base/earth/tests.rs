//! Against the definitions: angles between vectors, and every point of what an area says of a cell.

use super::area::{Area, Circle, Rect, Relation};
use super::cell::Cell;
use super::*;
use proptest::prelude::*;

/// Degrees, of which those where something ends are frequent.
fn degrees(most: f64) -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => -most..=most,
        2 => prop::sample::select(vec![-most, most, 0.0, -0.0, most - 1e-6, 1e-9 - most, most / 2.0]),
        2 => 47.9..48.2f64,
    ]
}

fn place() -> impl Strategy<Value = (f64, f64)> {
    (degrees(90.0), degrees(180.0))
}

fn point() -> impl Strategy<Value = Point> {
    place().prop_map(|(lat, lng)| Point::new(lat, lng).unwrap())
}

fn circle() -> impl Strategy<Value = Circle> {
    let metres = prop_oneof![Just(0.0), 0.0..30.0, 1e3..1e6, 1e6..2.1e7, Just(RADIUS * PI), Just(RADIUS * PI / 2.0)];
    (point(), metres).prop_map(|(point, metres)| Circle::new(point, metres).unwrap())
}

fn rect() -> impl Strategy<Value = Rect> {
    (place(), place()).prop_map(|(a, b)| Rect::new((a.0.min(b.0), a.1), (a.0.max(b.0), b.1)).unwrap())
}

/// The cell with so many bits in which a point is.
fn cell_of(point: Point, bits: u32) -> Cell {
    let mut cell = Cell::EARTH;
    for _ in bits..32 {
        cell = cell.quarters().unwrap().into_iter().find(|cell| cell.codes().contains(&point.code())).unwrap();
    }
    cell
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn distances_are_angles_between_vectors(a in point(), b in point()) {
        let vector = |point: Point| {
            let (lat, lng) = (latitude(point.lat), f64::from(point.lng) * LNG_STEP);
            [lat.cos() * lng.cos(), lat.cos() * lng.sin(), lat.sin()]
        };
        let (u, v) = (vector(a), vector(b));
        let cross = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
        let sine = cross.iter().map(|c| c * c).sum::<f64>().sqrt();
        let angle = sine.atan2(u.iter().zip(v).map(|(a, b)| a * b).sum());
        let distance = Origin::new(a).distance(b);
        // Near the antipode a haversine has few digits left.
        let tolerance = if angle > 3.1 { 1.0 } else { 1e-2 * angle.max(1e-6) };
        prop_assert!((distance - angle * RADIUS).abs() < tolerance, "{distance} {}", angle * RADIUS);
        prop_assert_eq!(distance, Origin::new(b).distance(a));
        prop_assert_eq!(Origin::new(a).distance(a), 0.0);
    }

    #[test]
    fn points_move_less_than_a_centimetre((lat, lng) in place()) {
        let point = Point::new(lat, lng).unwrap();
        prop_assert!((latitude(point.lat).to_degrees() - lat).abs() < 4.3e-8);
        let turn = (f64::from(point.lng) * LNG_STEP).to_degrees() - lng;
        prop_assert!(turn.abs() < 4.3e-8 || (turn.abs() - 360.0).abs() < 4.3e-8);
    }

    #[test]
    fn codes_are_those_of_the_corners(point in point(), bits in 0u32..=32) {
        let cell = cell_of(point, bits);
        let (south_west, north_east) = cell.corners();
        prop_assert_eq!(cell.codes(), south_west.code()..=north_east.code());
        prop_assert!((south_west.lat..=north_east.lat).contains(&point.lat));
        prop_assert!((south_west.lng..=north_east.lng).contains(&point.lng));
    }

    #[test]
    fn circles_have_what_is_near(circle in circle(), point in point()) {
        let is_near = circle.origin().distance(point) <= circle.metres();
        prop_assert_eq!(Area::Circle(circle).contains(point), is_near);
        prop_assert!(!is_near || circle.bounds().contains(point));
    }

    /// A circle through a point contains it.
    #[test]
    fn the_border_is_inside(a in point(), b in point()) {
        let distance = Origin::new(a).distance(b);
        let circle = Circle::new(a, distance).unwrap();
        prop_assert!(Area::Circle(circle).contains(b) && circle.bounds().contains(b));
        if let Some(circle) = Circle::new(a, distance.next_down()) {
            prop_assert!(!Area::Circle(circle).contains(b));
        }
    }

    #[test]
    fn boxes_have_what_is_between(a in place(), b in place(), (lat, lng) in place()) {
        let (south, north) = (a.0.min(b.0), a.0.max(b.0));
        let rect = Rect::new((south, a.1), (north, b.1)).unwrap();
        // The antimeridian has two names.
        let has = |lng| match a.1 <= b.1 {
            true => a.1 <= lng && lng <= b.1,
            false => a.1 <= lng || lng <= b.1,
        };
        let is_between = has(lng) || lng.abs() == 180.0 && has(-lng);
        let contains = rect.contains(Point::new(lat, lng).unwrap());
        // Rounding moves sides and points, also across the antimeridian.
        let at_a_side = [(lat, south), (lat, north)].into_iter();
        let at_a_side = at_a_side.chain([a.1, b.1, 180.0].map(|side| (lng.abs(), side.abs())));
        if at_a_side.into_iter().any(|(a, b)| a != b && (a - b).abs() < 2e-7) {
            return Ok(());
        }
        prop_assert_eq!(contains, (south..=north).contains(&lat) && is_between);
        // A box through a point contains it.
        prop_assert!(rect.contains(Point::new(a.0, a.1).unwrap()) && rect.contains(Point::new(b.0, b.1).unwrap()));
    }

    /// What is said of a cell holds for its corners, points of it, and the points at its sides that are next to the origin.
    #[test]
    fn relations_hold(
        area in prop_oneof![3 => circle().prop_map(Area::Circle), 1 => rect().prop_map(Area::Rect)],
        within in point(),
        bits in 0u32..=32,
        some in prop::collection::vec((0.0..=1.0f64, 0.0..=1.0f64), 30),
    ) {
        let cell = cell_of(within, bits);
        let (south_west, north_east) = cell.corners();
        let on = |from: i32, to: i32, part: f64| {
            let steps = (i64::from(to) - i64::from(from)) as f64 * part;
            (i64::from(from) + steps as i64) as i32
        };
        let mut points = vec![within];
        let sides = [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)];
        for (north, east) in some.into_iter().chain(sides) {
            let at = |north, east| Point {
                lat: on(south_west.lat, north_east.lat, north),
                lng: on(south_west.lng, north_east.lng, east),
            };
            points.extend([at(north, east), at(north, 0.0), at(north, 1.0), at(0.0, east), at(1.0, east)]);
        }
        if let Area::Circle(circle) = area {
            let own = circle.origin().point;
            let near = Point {
                lat: own.lat.clamp(south_west.lat, north_east.lat),
                lng: own.lng.clamp(south_west.lng, north_east.lng),
            };
            points.push(near);
        }
        match area.relation(cell) {
            Relation::Outside => prop_assert!(!points.into_iter().any(|point| area.contains(point))),
            Relation::Inside => prop_assert!(points.into_iter().all(|point| area.contains(point))),
            Relation::Unknown => (),
        }
    }

    /// Cells that are small beside the distance to the border are known.
    #[test]
    fn small_cells_are_known(circle in circle(), point in point()) {
        let gap = (circle.origin().distance(point) - circle.metres()).abs();
        // The sides of the cell have 40 m at most; near the antipode few digits are left.
        let is_known = gap > 200.0 && circle.origin().distance(point) < 1.99e7 && circle.metres() < 1.99e7;
        if is_known {
            prop_assert_ne!(Area::Circle(circle).relation(cell_of(point, 12)), Relation::Unknown);
        }
    }
}

#[test]
fn known_distances() {
    let distance = |a: (f64, f64), b: (f64, f64)| {
        Origin::new(Point::new(a.0, a.1).unwrap()).distance(Point::new(b.0, b.1).unwrap())
    };
    // As Lucene's SloppyMath.haversinMeters computes them.
    let munich = (48.137154, 11.576124);
    let berlin = (52.520008, 13.404954);
    assert!((distance(munich, berlin) - 504_416.0).abs() < 500.0);
    assert!((distance((0.0, 0.0), (0.0, 1.0)) - 111_195.08).abs() < 0.05);
    assert!((distance((90.0, 7.0), (-90.0, -50.0)) - RADIUS * PI).abs() < 0.5);
    assert!(distance((10.0, 180.0), (10.0, -180.0)) == 0.0);
    assert!((distance((10.0, 179.5), (10.0, -179.5)) - distance((10.0, 0.5), (10.0, -0.5))).abs() < 0.01);
}

#[test]
fn points_and_what_is_none() {
    for (lat, lng) in [(90.1, 0.0), (-91.0, 0.0), (0.0, 180.1), (0.0, -181.0), (f64::NAN, 0.0), (0.0, f64::INFINITY)] {
        assert_eq!(Point::new(lat, lng), None);
        assert_eq!(Rect::new((lat, lng), (lat, lng)), None);
    }
    assert_eq!(Rect::new((1.0, 0.0), (0.9, 1.0)), None);
    for metres in [-1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(Circle::new(Point { lat: 0, lng: 0 }, metres), None);
    }
    // The example of docs/format.md.
    let point = Point::new(45.0, -90.0).unwrap();
    assert_eq!((point.lat, point.lng, point.code()), (1 << 30, -(1 << 30), 0xb0 << 56));
    let around = Rect::new((-90.0, -180.0), (90.0, 180.0)).unwrap();
    let meridian = Rect::new((-90.0, 180.0), (90.0, -180.0)).unwrap();
    for lng in [i32::MIN, -1, 0, i32::MAX] {
        let point = Point { lat: 5, lng };
        assert!(around.contains(point));
        assert_eq!(meridian.contains(point), lng == i32::MIN);
    }
}
