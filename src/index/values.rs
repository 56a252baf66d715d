//! What a value is for fields of each kind.
//!
//! | value | text | keyword | number |
//! |---|---|---|---|
//! | text | itself | itself | – |
//! | integer, number | its decimals | its decimals | itself |
//! | truth | – | `true`, `false` | 1, 0 |
//! | time | ISO 8601 | ISO 8601 | seconds since 1970 |
//! | list | each, [apart](GAP) | each | each; no texts |
//! | tokens | themselves | each | – |
//!
//! A point is a value of geo fields alone, and they have no other values; so are vectors, and terms with weights, and their fields.

use super::document::Value;
use super::schema::Kind;
use crate::base::earth;

/// The positions between two texts of a list, so that no phrase spans them.
pub const GAP: u32 = 100;

/// The integers of which each is a number of its own.
pub const EXACT_INTEGERS: std::ops::RangeInclusive<i64> = -(1 << 53)..=1 << 53;

impl Value {
    /// What a field of that kind wants instead, if this does not suit it.
    ///
    /// # Errors
    /// In words.
    pub(super) fn check(&self, kind: Kind) -> Result<(), String> {
        let wanted = match kind {
            Kind::Text => "a text or tokens",
            Kind::Keyword => "keywords",
            Kind::Numeric => "a number",
            Kind::Stored => "something else",
            Kind::Geo => "a point",
            Kind::Vector => "a vector",
            Kind::Weights => "terms with weights",
        };
        let suits = match (kind, self) {
            (_, Value::Number(number)) if !number.is_finite() => return Err(format!("{number} is not finite")),
            (Kind::Geo, Value::Point(lat, lng)) if earth::Point::new(*lat, *lng).is_none() => {
                return Err(format!("{lat} and {lng} are no latitude and longitude"));
            }
            (kind, Value::Point(..)) => kind == Kind::Geo,
            (Kind::Geo, _) => false,
            (kind, Value::Vector(_)) => kind == Kind::Vector,
            (Kind::Vector, _) => false,
            (kind, Value::Weights(_)) => kind == Kind::Weights,
            (Kind::Weights, _) => false,
            (Kind::Text, Value::Bool(_)) => false,
            (Kind::Numeric, Value::Int(number)) if !EXACT_INTEGERS.contains(number) => {
                return Err(format!("{number} is not from -2^53 to 2^53"));
            }
            (Kind::Numeric, Value::Int(_) | Value::Number(_) | Value::Bool(_)) => true,
            (Kind::Numeric, Value::Time(seconds, _)) => seconds.is_finite(),
            (_, Value::List(many)) => {
                let nested = |value: &Value| {
                    use Value::{Keywords, List, Point, Tokens, Vector, Weights};
                    matches!(value, List(_) | Tokens(_) | Keywords(_) | Point(..) | Vector(_) | Weights(_))
                };
                for value in many {
                    match nested(value) {
                        true => return Err("a list in a list".into()),
                        false => value.check(kind)?,
                    }
                }
                true
            }
            (Kind::Numeric, _) => false,
            _ => true,
        };
        if suits { Ok(()) } else { Err(format!("{wanted} must be given")) }
    }

    /// Visits the texts of a text field, unless it is the one text or the caller's tokens.
    #[inline]
    pub fn each_text(&self, visit: &mut impl FnMut(&[u8])) {
        self.each_part(false, visit);
    }

    /// Visits the values of a keyword field.
    #[inline]
    pub(super) fn each_keyword(&self, visit: &mut impl FnMut(&[u8])) {
        self.each_part(true, visit);
    }

    fn each_part(&self, truths: bool, visit: &mut impl FnMut(&[u8])) {
        match self {
            Value::Text(text) | Value::Time(_, text) => visit(text),
            Value::Tokens(many) | Value::Keywords(many) => many.iter().for_each(|one| visit(one)),
            Value::Number(number) => visit(decimals(*number).as_bytes()),
            Value::Int(number) => visit(number.to_string().as_bytes()),
            Value::Bool(truth) if truths => visit(truth.to_string().as_bytes()),
            Value::Bool(_) | Value::Point(..) | Value::Vector(_) | Value::Weights(_) => (),
            Value::List(many) => many.iter().for_each(|one| one.each_part(truths, visit)),
        }
    }

    /// The number of a numeric field, unless it is a list.
    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Value::Number(number) | Value::Time(number, _) => Some(*number),
            Value::Int(number) => Some(*number as f64),
            Value::Bool(truth) => Some(f64::from(u8::from(*truth))),
            Value::Text(_)
            | Value::Tokens(_)
            | Value::Keywords(_)
            | Value::List(_)
            | Value::Point(..)
            | Value::Vector(_)
            | Value::Weights(_) => None,
        }
    }

    /// The point of a geo field.
    pub(super) fn point(&self) -> Option<earth::Point> {
        match self {
            Value::Point(lat, lng) => earth::Point::new(*lat, *lng),
            _ => None,
        }
    }

    /// The components of a vector field.
    pub(super) fn vector(&self) -> Option<&[f32]> {
        match self {
            Value::Vector(components) => Some(components),
            _ => None,
        }
    }

    /// The terms of a weights field, and their weights.
    pub(super) fn weights(&self) -> &[(Vec<u8>, f32)] {
        match self {
            Value::Weights(weights) => weights,
            _ => &[],
        }
    }

    /// Whether releases that know [stored values](super::segment) of the first four forms only understand it in such a field.
    pub(super) fn is_of_first_forms(&self, kind: Kind) -> bool {
        matches!(
            (kind, self),
            (Kind::Text, Value::Text(_) | Value::Tokens(_))
                | (Kind::Keyword, Value::Keywords(_))
                | (Kind::Numeric, Value::Number(_))
        )
    }
}

/// A number in the fewest digits that mean it, with an exponent where PHP writes one.
fn decimals(number: f64) -> String {
    let number = number + 0.0;
    let shortest = format!("{number:e}");
    let (digits, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    match exponent.parse::<i32>() {
        Ok(exponent) if !(-5..15).contains(&exponent) => {
            let point = if digits.contains('.') { "" } else { ".0" };
            format!("{digits}{point}E{exponent:+}")
        }
        _ => number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_php_does() {
        let cases = [
            (0.0, "0"),
            (-0.0, "0"),
            (2.0, "2"),
            (-9.99, "-9.99"),
            (0.1, "0.1"),
            (1e14, "100000000000000"),
            (1e15, "1.0E+15"),
            (1.5e25, "1.5E+25"),
            (1e-5, "0.00001"),
            (2.5e-7, "2.5E-7"),
        ];
        for (number, expected) in cases {
            assert_eq!(decimals(number), expected);
            assert_eq!(expected.parse::<f64>(), Ok(number));
        }
    }

    #[test]
    fn each_kind_takes_what_the_table_says() {
        let text = || Value::Text(b"a b".to_vec());
        let list = || Value::List(vec![text(), Value::Int(7), Value::Number(0.5)]);
        let numbers = || Value::List(vec![Value::Int(7), Value::Number(0.5), Value::Time(1.0, b"1970".to_vec())]);
        let all = [
            (text(), [true, true, false]),
            (numbers(), [true, true, true]),
            (Value::List(vec![Value::Int(i64::MAX)]), [true, true, false]),
            (Value::Int(7), [true, true, true]),
            (Value::Int(i64::MAX), [true, true, false]),
            (Value::Number(f64::NAN), [false, false, false]),
            (Value::Bool(true), [false, true, true]),
            (Value::Time(0.5, b"1970".to_vec()), [true, true, true]),
            (list(), [true, true, false]),
            (Value::List(vec![list()]), [false, false, false]),
            (Value::List(vec![Value::Bool(true)]), [false, true, true]),
            (Value::Keywords(vec![]), [true, true, false]),
            (Value::Tokens(vec![]), [true, true, false]),
            (Value::Point(90.0, -180.0), [false, false, false]),
        ];
        for (value, suits) in all {
            assert_eq!(value.check(Kind::Geo).is_ok(), matches!(value, Value::Point(..)));
            for (kind, suits) in [Kind::Text, Kind::Keyword, Kind::Numeric].into_iter().zip(suits) {
                assert_eq!(value.check(kind).is_ok(), suits, "{value:?} {kind:?}");
                if suits && kind == Kind::Numeric && !matches!(value, Value::List(_)) {
                    assert!(value.number().is_some());
                }
            }
        }
        let keywords = |value: Value| {
            let mut keywords = Vec::new();
            value.each_keyword(&mut |keyword| keywords.push(keyword.to_vec()));
            keywords
        };
        assert_eq!(keywords(list()), [&b"a b"[..], b"7", b"0.5"]);
        assert_eq!(keywords(Value::Bool(false)), [&b"false"[..]]);
    }
}
