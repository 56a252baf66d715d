//! The class `Postings\Filter`: conditions without an index. Fields and values are checked when a search uses them.

use super::posting_list;
use crate::base::earth::area::{Area, Circle, Rect};
use crate::base::earth::{Point, is_latitude};
use crate::index::Id;
use crate::list::PostingList;
use crate::php::call::{Call, handler, parse};
use crate::php::class::{self, Class, Method, class, static_method};
use crate::php::declare::{MAY_BE_ARRAY, MAY_BE_BOOL, MAY_BE_DOUBLE, MAY_BE_STRING, function, widen};
use crate::php::documents::id;
use crate::php::exception::{self, Outcome, type_name};
use crate::php::fields::key_text;
use crate::php::input::with_room;
use crate::php::points::{latitude, longitude, point};
use crate::php::zend::{Key, elements};
use crate::search::{MOST_CONDITIONS, MOST_DEPTH};
use ext_php_rs::args::Arg;
use ext_php_rs::class::ClassEntryInfo;
use ext_php_rs::flags::DataType;
use ext_php_rs::types::{ZendHashTable, ZendStr, Zval};
use std::ptr::null_mut;
use std::rc::Rc;

pub struct Object(Rc<Given>);

class!(Object);

const MAY_BE_LONG: u32 = 1 << 4;

impl Class for Object {
    const NAME: &'static str = "Postings\\Filter";
    const INTERFACES: &'static [ClassEntryInfo] = &[];

    fn methods() -> Vec<Method> {
        let conditions = || Arg::new("conditions", DataType::object(Object::NAME));
        let field = || Arg::new("field", DataType::String);
        let number = |name: &'static str| Arg::new(name, DataType::Long);
        let float = |name: &'static str| Arg::new(name, DataType::Double);
        let corner = |name: &'static str| Arg::new(name, DataType::Array);
        let itself = || DataType::object("self");
        let all = [
            function("not", handler!(not), itself()).arg(conditions()),
            function("any", handler!(any), itself()).not_required().arg(conditions().is_variadic()),
            function("all", handler!(all), itself()).not_required().arg(conditions().is_variadic()),
            function("in", handler!(within), itself())
                .arg(field())
                .arg(number("low").allow_null())
                .arg(number("high").allow_null()),
            function("is", handler!(is), itself()).arg(field()).arg(number("value")),
            function("above", handler!(above), itself()).arg(field()).arg(number("bound")),
            function("below", handler!(below), itself()).arg(field()).arg(number("bound")),
            function("atLeast", handler!(at_least), itself()).arg(field()).arg(number("bound")),
            function("atMost", handler!(at_most), itself()).arg(field()).arg(number("bound")),
            function("exists", handler!(exists), itself()).arg(field()),
            function("missing", handler!(missing), itself()).arg(field()),
            function("near", handler!(near), itself())
                .arg(field())
                .arg(float("lat"))
                .arg(float("lng"))
                .arg(float("metres")),
            function("box", handler!(rect), itself()).arg(field()).arg(corner("southWest")).arg(corner("northEast")),
            function("ids", handler!(ids), itself()).not_required().arg(number("ids").is_variadic()),
        ];
        all.into_iter().map(static_method).collect()
    }

    fn finish() {
        // SAFETY: the class is registered.
        let methods = unsafe { &raw const (*class::entry::<Object>()).function_table };
        let bounds = ["above", "below", "atleast", "atmost"].map(|name| (name, 1, MAY_BE_DOUBLE));
        let conditions = ["not", "any", "all"].map(|name| (name, 0, MAY_BE_ARRAY));
        let others = [
            ("in", 1, MAY_BE_DOUBLE),
            ("in", 2, MAY_BE_DOUBLE),
            ("is", 1, MAY_BE_BOOL | MAY_BE_DOUBLE | MAY_BE_STRING | MAY_BE_ARRAY),
            ("ids", 0, MAY_BE_STRING | MAY_BE_ARRAY),
        ];
        debug_assert_eq!(MAY_BE_LONG, crate::php::property::INT);
        for (name, argument, types) in bounds.into_iter().chain(conditions).chain(others) {
            widen(methods, name, argument, types);
        }
        class::only_itself_is_equal::<Object>();
    }
}

/// A condition as it was given, with how deep it is nested, and of how many it consists.
pub struct Given {
    pub node: Node,
    depth: usize,
    count: usize,
}

pub enum Node {
    All(Vec<Rc<Given>>),
    Any(Vec<Rc<Given>>),
    Not(Rc<Given>),
    /// A condition on the field with that name.
    Field(Box<[u8]>, Test),
    Ids(Vec<Id>),
    DocIds(PostingList),
}

/// What a field is to have.
pub enum Test {
    /// What an array says of it: `field => value`.
    One(Value),
    /// The same with several values. Whether they are a pair: its keys are 0 and 1.
    Several(Vec<Value>, bool),
    /// One of these.
    Is(Vec<Value>),
    /// A number between these, which count themselves if they are `inclusive`.
    Between {
        low: Value,
        high: Value,
        inclusive: bool,
    },
    /// A point there.
    Within(Area),
    Exists,
    Missing,
}

/// A value, as PHP has it.
#[derive(Clone)]
pub enum Value {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(Box<[u8]>),
    /// No value that a field may have: the name of its type.
    Other(String),
}

impl Value {
    pub fn of(value: &Zval) -> Value {
        match (value.zend_str(), value.long(), value.double()) {
            (Some(text), ..) => Value::Text(text.as_bytes().into()),
            (_, Some(int), _) => Value::Int(int),
            (.., Some(float)) => Value::Float(float),
            _ if value.is_null() => Value::Null,
            _ if value.is_bool() => Value::Bool(value.bool().unwrap_or_default()),
            _ => Value::Other(type_name(value)),
        }
    }

    /// The name of its type, as PHP's own errors print it.
    pub fn type_name(&self) -> &str {
        match self {
            Value::Null => "null",
            Value::Bool(_) => "bool",
            Value::Int(_) => "int",
            Value::Float(_) => "float",
            Value::Text(_) => "string",
            Value::Other(name) => name,
        }
    }
}

impl Given {
    /// A condition that consists of some others.
    fn new(node: Node, place: u32) -> Outcome<Rc<Given>> {
        let of: &[Rc<Given>] = match &node {
            Node::All(of) | Node::Any(of) => of,
            Node::Not(of) => std::slice::from_ref(of),
            Node::Field(..) | Node::Ids(_) | Node::DocIds(_) => &[],
        };
        let depth = 1 + of.iter().map(|of| of.depth).max().unwrap_or(0);
        let count = of.iter().fold(1usize, |sum, of| sum.saturating_add(of.count));
        if depth > MOST_DEPTH {
            return Err(too_deep(place));
        }
        if count > MOST_CONDITIONS {
            let text = format!("must have at most {MOST_CONDITIONS} conditions: give several values to one");
            return Err(exception::argument_value(place, &text));
        }
        Ok(Rc::new(Given { node, depth, count }))
    }
}

fn too_deep(place: u32) -> exception::Thrown {
    exception::argument_value(place, &format!("must not nest conditions deeper than {MOST_DEPTH}"))
}

/// What an array of conditions says, all of which must hold; `room` is how deep arrays may be nested in it.
pub fn conditions(array: &ZendHashTable, place: u32, room: usize) -> Outcome<Rc<Given>> {
    let Some(room) = room.checked_sub(1) else { return Err(too_deep(place)) };
    let mut all = with_room(array.len())?;
    for (key, value) in elements(array) {
        if all.len() > MOST_CONDITIONS {
            break;
        }
        if matches!(key, Key::Int(_)) {
            if let Some(filter) = class::value_of::<Object>(value) {
                all.push(filter.0.clone());
                continue;
            }
            if let Some(list) = posting_list::of(value) {
                all.push(Given::new(Node::DocIds(list?), place)?);
                continue;
            }
            if let Some(array) = value.array() {
                all.push(conditions(array, place, room)?);
                continue;
            }
        }
        let test = match value.array() {
            None => Test::One(Value::of(value)),
            Some(list) => match (list.len(), list.get_index(0), list.get_index(1)) {
                (2, Some(first), Some(second)) => {
                    Test::Several([first, second].map(|value| Value::of(value.dereference())).into(), true)
                }
                _ => Test::Several(values(list)?, false),
            },
        };
        all.push(Given::new(Node::Field(key_text(&key).as_ref().into(), test), place)?);
    }
    match all.len() {
        1 => Ok(all.swap_remove(0)),
        _ => Given::new(Node::All(all), place),
    }
}

fn values(list: &ZendHashTable) -> Outcome<Vec<Value>> {
    let mut values = with_room(list.len())?;
    values.extend(elements(list).map(|(_, value)| Value::of(value)));
    Ok(values)
}

/// A `Filter|array` argument, from 0.
fn argument(call: &Call, at: u32) -> Outcome<Rc<Given>> {
    let value = call.argument(at).dereference();
    if let Some(filter) = class::value_of::<Object>(value) {
        return Ok(filter.0.clone());
    }
    match value.array() {
        Some(array) => conditions(array, at + 1, MOST_DEPTH),
        None => {
            let text = format!("must be of type {}|array, {} given", Object::NAME, type_name(value));
            Err(exception::argument_type(at + 1, &text))
        }
    }
}

fn arguments(call: &Call) -> Outcome<Vec<Rc<Given>>> {
    let mut all = with_room(call.count() as usize)?;
    for at in 0..call.count() {
        all.push(argument(call, at)?);
    }
    Ok(all)
}

fn store(call: &mut Call, node: Node) -> Outcome {
    class::store(Object(Given::new(node, 1)?), call.result)
}

fn not(call: &mut Call) -> Outcome {
    let mut given: *mut Zval = null_mut();
    parse!(call, c"z", &raw mut given)?;
    let given = argument(call, 0)?;
    store(call, Node::Not(given))
}

fn any(call: &mut Call) -> Outcome {
    let given = arguments(call)?;
    store(call, Node::Any(given))
}

fn all(call: &mut Call) -> Outcome {
    let given = arguments(call)?;
    store(call, Node::All(given))
}

/// The name of a field.
fn field(name: *mut ZendStr) -> Box<[u8]> {
    // SAFETY: parsing set it to a string that the frame holds.
    unsafe { &*name }.as_bytes().into()
}

/// A bound, from an argument.
fn bound(value: *mut Zval, argument: u32, may_be_null: bool) -> Outcome<Value> {
    // SAFETY: parsing set it to an argument in the frame.
    let value = Value::of(unsafe { &*value }.dereference());
    match &value {
        Value::Float(number) if number.is_nan() => {
            Err(exception::argument_value(argument, "must be a number, NAN given"))
        }
        Value::Int(_) | Value::Float(_) => Ok(value),
        Value::Null if may_be_null => Ok(value),
        other => {
            let types = if may_be_null { "int|float|null" } else { "int|float" };
            let text = format!("must be of type {types}, {} given", other.type_name());
            Err(exception::argument_type(argument, &text))
        }
    }
}

fn within(call: &mut Call) -> Outcome {
    let (mut name, mut low, mut high) = (null_mut::<ZendStr>(), null_mut::<Zval>(), null_mut::<Zval>());
    parse!(call, c"Szz", &raw mut name, &raw mut low, &raw mut high)?;
    let (low, high) = (bound(low, 2, true)?, bound(high, 3, true)?);
    store(call, Node::Field(field(name), Test::Between { low, high, inclusive: true }))
}

/// A condition with one bound.
fn one_bound(call: &mut Call, test: impl FnOnce(Value) -> Test) -> Outcome {
    let (mut name, mut value) = (null_mut::<ZendStr>(), null_mut::<Zval>());
    parse!(call, c"Sz", &raw mut name, &raw mut value)?;
    let value = bound(value, 2, false)?;
    store(call, Node::Field(field(name), test(value)))
}

fn above(call: &mut Call) -> Outcome {
    one_bound(call, |low| Test::Between { low, high: Value::Null, inclusive: false })
}

fn below(call: &mut Call) -> Outcome {
    one_bound(call, |high| Test::Between { low: Value::Null, high, inclusive: false })
}

fn at_least(call: &mut Call) -> Outcome {
    one_bound(call, |low| Test::Between { low, high: Value::Null, inclusive: true })
}

fn at_most(call: &mut Call) -> Outcome {
    one_bound(call, |high| Test::Between { low: Value::Null, high, inclusive: true })
}

fn is(call: &mut Call) -> Outcome {
    let (mut name, mut value) = (null_mut::<ZendStr>(), null_mut::<Zval>());
    parse!(call, c"Sz", &raw mut name, &raw mut value)?;
    // SAFETY: parsing set it to an argument in the frame.
    let value = unsafe { &*value }.dereference();
    let values = match value.array() {
        Some(list) => values(list)?,
        None => vec![Value::of(value)],
    };
    if let Some(wrong) = values.iter().find(|value| matches!(value, Value::Null | Value::Other(_))) {
        let text = format!("must be of type int|float|string|bool, or a list of them, {} given", wrong.type_name());
        return Err(exception::argument_type(2, &text));
    }
    if values.iter().any(|value| matches!(value, Value::Float(number) if number.is_nan())) {
        return Err(exception::argument_value(2, "must be a value, NAN given"));
    }
    store(call, Node::Field(field(name), Test::Is(values)))
}

fn exists(call: &mut Call) -> Outcome {
    let name = call.bytes()?.into();
    store(call, Node::Field(name, Test::Exists))
}

fn missing(call: &mut Call) -> Outcome {
    let name = call.bytes()?.into();
    store(call, Node::Field(name, Test::Missing))
}

fn near(call: &mut Call) -> Outcome {
    let mut name = null_mut::<ZendStr>();
    let [mut lat, mut lng, mut metres] = [0.0; 3];
    parse!(call, c"Sddd", &raw mut name, &raw mut lat, &raw mut lng, &raw mut metres)?;
    if !is_latitude(lat) {
        return Err(exception::argument_value(2, &format!("must be {}", latitude(lat))));
    }
    let Some(around) = Point::new(lat, lng) else {
        return Err(exception::argument_value(3, &format!("must be {}", longitude(lng))));
    };
    let Some(circle) = Circle::new(around, metres) else {
        let text = format!("must be finite and not negative, {} given", exception::shown(metres));
        return Err(exception::argument_value(4, &text));
    };
    store(call, Node::Field(field(name), Test::Within(Area::Circle(circle))))
}

/// `Filter::box()`, whose name is a word of Rust's.
fn rect(call: &mut Call) -> Outcome {
    let (mut name, mut south_west, mut north_east) = (null_mut::<ZendStr>(), null_mut::<Zval>(), null_mut::<Zval>());
    parse!(call, c"Saa", &raw mut name, &raw mut south_west, &raw mut north_east)?;
    let corner = |value: *mut Zval, argument| {
        // SAFETY: parsing set it to an argument in the frame.
        point(unsafe { &*value }).map_err(|wrong| wrong.throw(argument, str::to_owned))
    };
    let (south_west, north_east) = (corner(south_west, 2)?, corner(north_east, 3)?);
    let Some(rect) = Rect::new(south_west, north_east) else {
        let (south, north) = (exception::shown(south_west.0), exception::shown(north_east.0));
        let text = format!("must not be south of $southWest, at latitude {south}; {north} given");
        return Err(exception::argument_value(3, &text));
    };
    store(call, Node::Field(field(name), Test::Within(Area::Rect(rect))))
}

fn ids(call: &mut Call) -> Outcome {
    let mut all: Vec<Id> = Vec::new();
    for at in 0..call.count() {
        let given = call.argument(at).dereference();
        let wrong = |what: &str, value: &Zval| {
            let text = format!("must be of type int|string, or a list of them, {} given{what}", type_name(value));
            Err(exception::argument_type(at + 1, &text))
        };
        match given.array() {
            None => match id(given) {
                Some(id) => all.push(id),
                None => return wrong("", given),
            },
            Some(list) => {
                let mut of_list = with_room(list.len())?;
                for (index, (_, value)) in elements(list).enumerate() {
                    match id(value) {
                        Some(id) => of_list.push(id),
                        None => return wrong(&format!(" at index {index}"), value),
                    }
                }
                if all.is_empty() {
                    all = of_list;
                } else {
                    all.append(&mut of_list);
                }
            }
        }
    }
    store(call, Node::Ids(all))
}
