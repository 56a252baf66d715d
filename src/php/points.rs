//! Points on the earth, areas and distances out of PHP's values.

use super::exception::{self, Thrown, shown, type_name};
use super::fields::key_text;
use super::zend::{elements, number};
use crate::base::earth::{is_latitude, is_longitude};
use ext_php_rs::types::Zval;

/// What a value that is no point is to be.
pub enum Wrong {
    Type(String),
    Value(String),
}

impl Wrong {
    /// The exception for an argument, what is wrong being told by `text`.
    pub fn throw(self, argument: u32, text: impl FnOnce(&str) -> String) -> Thrown {
        match self {
            Wrong::Type(what) => exception::argument_type(argument, &text(&what)),
            Wrong::Value(what) => exception::argument_value(argument, &text(&what)),
        }
    }
}

const FORMS: &str = "must be [latitude, longitude] or ['lat' => latitude, 'lng' => longitude]";

/// Latitude and longitude in degrees, of `[lat, lng]`, `['lat' => …, 'lng' => …]` or `['lat' => …, 'lon' => …]`.
pub fn point(value: &Zval) -> Result<(f64, f64), Wrong> {
    let Some(array) = value.dereference().array() else {
        return Err(Wrong::Type(format!("{FORMS}, {} given", type_name(value.dereference()))));
    };
    let (mut lat, mut lng) = (None, None);
    for (key, value) in elements(array) {
        match &*key_text(&key) {
            b"0" | b"lat" => lat = Some(value),
            b"1" | b"lng" | b"lon" => lng = Some(value),
            _ => (),
        }
    }
    let (Some(lat), Some(lng), 2) = (lat, lng, array.len()) else {
        return Err(Wrong::Value(format!("{FORMS}, an array of another form given")));
    };
    let coordinate = |value: &Zval| match number(value) {
        Some(number) => Ok(number),
        None => Err(Wrong::Type(format!("{FORMS}, both int|float, {} given", type_name(value)))),
    };
    let (lat, lng) = (coordinate(lat)?, coordinate(lng)?);
    match (is_latitude(lat), is_longitude(lng)) {
        (false, _) => Err(Wrong::Value(format!("must have {}", latitude(lat)))),
        (_, false) => Err(Wrong::Value(format!("must have {}", longitude(lng)))),
        _ => Ok((lat, lng)),
    }
}

/// What is said of a number that is no latitude.
pub fn latitude(given: f64) -> String {
    format!("a latitude from -90 to 90, {} given", shown(given))
}

/// What is said of a number that is no longitude.
pub fn longitude(given: f64) -> String {
    format!("a longitude from -180 to 180, {} given", shown(given))
}
