//! Conditions as bytes: what it is u8, then its field u8, values or conditions.

use super::write::{float, list};
use crate::base::earth::Point;
use crate::base::earth::area::{Area, Circle, Rect};
use crate::base::error::{Error, Result};
use crate::base::leb128::{put, put_string};
use crate::base::reader::Reader;
use crate::index::Id;
use crate::search::{Condition, MOST_CONDITIONS, MOST_DEPTH};

const ALL: u8 = 0;
const ANY: u8 = 1;
const NOT: u8 = 2;
const KEYWORDS: u8 = 3;
const RANGE: u8 = 4;
const NUMBERS: u8 = 5;
const CIRCLE: u8 = 6;
const RECT: u8 = 7;
const EXISTS: u8 = 8;
const IDS: u8 = 9;

/// # Errors
/// [`Error::Argument`] if it names docIDs.
pub(super) fn write(out: &mut Vec<u8>, condition: &Condition) -> Result<()> {
    let mut begin = |what: u8, field: &usize| out.extend([what, *field as u8]);
    match condition {
        Condition::All(of) | Condition::Any(of) => {
            out.push(if matches!(condition, Condition::All(_)) { ALL } else { ANY });
            put(out, of.len() as u64);
            of.iter().try_for_each(|of| write(out, of))?;
        }
        Condition::Not(of) => {
            out.push(NOT);
            write(out, of)?;
        }
        Condition::Keywords(field, values) => {
            begin(KEYWORDS, field);
            list(out, values, |out, value| put_string(out, value));
        }
        Condition::Range(field, low, high) => {
            begin(RANGE, field);
            [low, high].into_iter().for_each(|bound| float(out, *bound));
        }
        Condition::Numbers(field, numbers) => {
            begin(NUMBERS, field);
            list(out, numbers, |out, number| float(out, *number));
        }
        Condition::Within(field, Area::Circle(circle)) => {
            begin(CIRCLE, field);
            write_point(out, circle.origin().point());
            float(out, circle.metres());
        }
        Condition::Within(field, Area::Rect(rect)) => {
            begin(RECT, field);
            let (sides, width) = rect.sides();
            sides.into_iter().for_each(|side| out.extend(side.to_le_bytes()));
            out.extend(width.to_le_bytes());
        }
        Condition::Exists(field) => begin(EXISTS, field),
        Condition::Ids(ids) => {
            out.push(IDS);
            list(out, ids, write_id);
        }
        Condition::DocIds(_) => {
            return Err(Error::Argument("docIDs are those of one index: a leaf has others".into()));
        }
    }
    Ok(())
}

/// A condition, and those in it.
pub(super) fn read(reader: &mut Reader) -> Result<Condition> {
    read_in(reader, MOST_DEPTH, &mut 0)
}

fn read_in(reader: &mut Reader, depth: usize, count: &mut usize) -> Result<Condition> {
    *count += 1;
    if depth == 0 || *count > MOST_CONDITIONS {
        return Err(reader.wrong("condition", "there are too many, or they are nested too deep"));
    }
    let what = reader.byte("condition")?;
    let field = match what {
        KEYWORDS..=EXISTS => usize::from(reader.byte("field")?),
        _ => 0,
    };
    Ok(match what {
        ALL => Condition::All(reader.list("conditions", MOST_CONDITIONS, |reader| read_in(reader, depth - 1, count))?),
        ANY => Condition::Any(reader.list("conditions", MOST_CONDITIONS, |reader| read_in(reader, depth - 1, count))?),
        NOT => Condition::Not(Box::new(read_in(reader, depth - 1, count)?)),
        KEYWORDS => Condition::Keywords(
            field,
            reader.list("values", usize::MAX, |reader| Ok(reader.string("value")?.to_vec()))?,
        ),
        RANGE => Condition::Range(field, reader.f64("lowest")?, reader.f64("highest")?),
        NUMBERS => Condition::Numbers(field, reader.list("numbers", usize::MAX, |reader| reader.f64("number"))?),
        CIRCLE => {
            let (around, metres) = (read_point(reader)?, reader.f64("radius")?);
            let circle = Circle::new(around, metres);
            let circle = circle.ok_or_else(|| reader.wrong("radius", &format!("{metres} is none")))?;
            Condition::Within(field, Area::Circle(circle))
        }
        RECT => {
            let mut side = || reader.array("side").map(i32::from_le_bytes);
            let sides = [side()?, side()?, side()?];
            let width = reader.array("width").map(u32::from_le_bytes)?;
            let rect = Rect::of_sides(sides, width);
            let rect = rect.ok_or_else(|| reader.wrong("side", "the southern one is north of the northern one"))?;
            Condition::Within(field, Area::Rect(rect))
        }
        EXISTS => Condition::Exists(field),
        IDS => Condition::Ids(reader.list("ids", usize::MAX, read_id)?),
        other => return Err(reader.wrong("condition", &format!("{other} is none"))),
    })
}

pub(super) fn write_point(out: &mut Vec<u8>, point: Point) {
    [point.lat, point.lng].into_iter().for_each(|steps| out.extend(steps.to_le_bytes()));
}

pub(super) fn read_point(reader: &mut Reader) -> Result<Point> {
    let mut steps = |item: &str| reader.array(item).map(i32::from_le_bytes);
    Ok(Point { lat: steps("latitude")?, lng: steps("longitude")? })
}

/// Whether it is a string u8, then the integer or the string.
pub(super) fn write_id(out: &mut Vec<u8>, id: &Id) {
    match id {
        Id::Int(id) => {
            out.push(0);
            out.extend(id.to_le_bytes());
        }
        Id::Bytes(id) => {
            out.push(1);
            put_string(out, id);
        }
    }
}

pub(super) fn read_id(reader: &mut Reader) -> Result<Id> {
    Ok(match reader.flag("id")? {
        false => Id::Int(reader.array("id").map(i64::from_le_bytes)?),
        true => Id::Bytes(reader.string("id")?.into()),
    })
}
