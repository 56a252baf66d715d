//! The `filter` argument: conditions as they were given become those of an index.

use super::options::{around, in_field};
use crate::index::{Kind, Schema};
use crate::php::classes::filter::{self, Given, Node, Test, Value};
use crate::php::exception::{self, Outcome, Thrown};
use crate::php::fields;
use crate::search::{Condition, DocIds, Filter, MOST_DEPTH, Options};
use ext_php_rs::types::Zval;

/// Sets conditions by an `array $filter` argument.
pub fn filter(options: &mut Options, schema: &Schema, argument: &Zval, place: u32) -> Outcome {
    let Some(array) = argument.array().filter(|array| !array.is_empty()) else { return Ok(()) };
    let given = filter::conditions(array, place, MOST_DEPTH)?;
    let condition = of(&given, schema, place)?;
    options.filter = Filter::new(condition)
        .map_err(|error| exception::argument_value(place, &format!("cannot be used: {error}")))?;
    Ok(())
}

fn of(given: &Given, schema: &Schema, place: u32) -> Outcome<Condition> {
    let each = |of_all: &[std::rc::Rc<Given>]| of_all.iter().map(|one| of(one, schema, place)).collect::<Outcome<_>>();
    Ok(match &given.node {
        Node::All(all) => Condition::All(each(all)?),
        Node::Any(any) => Condition::Any(each(any)?),
        Node::Not(one) => Condition::Not(Box::new(of(one, schema, place)?)),
        Node::Ids(ids) => Condition::Ids(ids.clone()),
        Node::DocIds(list) => Condition::DocIds(DocIds(list.clone())),
        Node::Field(name, test) => {
            let field = fields::named_for(schema, name, place, &kinds(test))?;
            OnField { schema, field, place }.condition(test)?
        }
    })
}

/// The kinds of fields that a condition may mean, of several with one name: the one that it suits first.
fn kinds(test: &Test) -> [Kind; 3] {
    let is_text = |value: &Value| matches!(value, Value::Text(_));
    let texts = match test {
        Test::One(value) => is_text(value),
        Test::Several(values, _) | Test::Is(values) => values.is_empty() || values.iter().any(is_text),
        Test::Between { .. } | Test::Within(_) | Test::Exists | Test::Missing => false,
    };
    match texts {
        true => [Kind::Keyword, Kind::Numeric, Kind::Text],
        false => [Kind::Numeric, Kind::Keyword, Kind::Text],
    }
}

/// A field that a condition names.
struct OnField<'a> {
    schema: &'a Schema,
    field: usize,
    place: u32,
}

const KEYWORDS: &str = "must be string|int, or a list of them";
const NUMBERS: &str = "must be int|float, or [lowest, highest] with null for none";

impl OnField<'_> {
    fn wrong(&self, what: &str) -> Thrown {
        exception::argument_value(self.place, &in_field(self.schema, self.field, what))
    }

    fn wrong_type(&self, what: &str, value: &Value) -> Thrown {
        let what = format!("{what}, {} given", value.type_name());
        exception::argument_type(self.place, &in_field(self.schema, self.field, &what))
    }

    fn condition(&self, test: &Test) -> Outcome<Condition> {
        let field = self.field;
        if self.schema.fields[field].kind == Kind::Stored {
            return Err(self.wrong("is only stored; filters need a keyword or numeric field"));
        }
        match test {
            Test::Exists => return Ok(Condition::Exists(field)),
            Test::Missing => return Ok(Condition::Not(Box::new(Condition::Exists(field)))),
            _ => (),
        }
        match (self.schema.fields[field].kind, test) {
            (Kind::Geo, Test::Within(area)) => Ok(Condition::Within(field, *area)),
            (Kind::Geo, _) => {
                Err(self.wrong("is a geo field; filters are Filter::near(), box(), exists() and missing()"))
            }
            (Kind::Weights, _) => Err(self.wrong("has weights; filters are Filter::exists() and missing()")),
            (Kind::Vector, _) => Err(self.wrong("is a vector field; filters are Filter::exists() and missing()")),
            (_, Test::Within(_)) => Err(self.wrong("is no geo field; areas need one")),
            (Kind::Text | Kind::Stored, _) => Err(self.wrong("is text; filters need a keyword or numeric field")),
            (Kind::Keyword, Test::One(value)) => self.keywords(std::slice::from_ref(value)),
            (Kind::Keyword, Test::Several(values, _) | Test::Is(values)) => self.keywords(values),
            (Kind::Keyword, _) => Err(self.wrong("is a keyword field; bounds need a numeric field")),
            (Kind::Numeric, Test::One(value)) => {
                let (low, high) = self.number(value, NUMBERS)?;
                Ok(Condition::Range(field, low, high))
            }
            (Kind::Numeric, Test::Several(pair, true)) => self.between(&pair[0], &pair[1], true),
            (Kind::Numeric, Test::Several(..)) => {
                Err(self.wrong(&format!("{NUMBERS}, an array of another form given; Filter::is() takes alternatives")))
            }
            (Kind::Numeric, Test::Is(values)) => {
                let numbers = values.iter().map(|value| self.number(value, "must be int|float, or a list of them"));
                let mut exact = Vec::new();
                for number in numbers {
                    // Integers that are no float are in no document.
                    let (low, high) = number?;
                    if low == high {
                        exact.push(low);
                    }
                }
                Ok(Condition::Numbers(field, exact))
            }
            (Kind::Numeric, Test::Between { low, high, inclusive }) => self.between(low, high, *inclusive),
            (Kind::Numeric, Test::Exists | Test::Missing) => Ok(Condition::Exists(field)),
        }
    }

    fn keywords(&self, values: &[Value]) -> Outcome<Condition> {
        let keyword = |value: &Value| match value {
            Value::Text(text) => Ok(text.to_vec()),
            Value::Int(number) => Ok(number.to_string().into_bytes()),
            // As documents have it.
            Value::Bool(flag) => Ok(flag.to_string().into_bytes()),
            _ => Err(self.wrong_type(KEYWORDS, value)),
        };
        Ok(Condition::Keywords(self.field, values.iter().map(keyword).collect::<Outcome<_>>()?))
    }

    /// The least float that is not below a number, and the greatest that is not above.
    fn number(&self, value: &Value, what: &str) -> Outcome<(f64, f64)> {
        match value {
            Value::Int(integer) => Ok(around(*integer)),
            Value::Bool(flag) => Ok((f64::from(*flag), f64::from(*flag))),
            Value::Float(number) if number.is_nan() => Err(self.wrong(&format!("{what}, NAN given"))),
            Value::Float(number) => Ok((*number, *number)),
            _ => Err(self.wrong_type(what, value)),
        }
    }

    fn between(&self, low: &Value, high: &Value, inclusive: bool) -> Outcome<Condition> {
        let end = |value: &Value| match value {
            Value::Null => Ok(None),
            value => self.number(value, NUMBERS).map(Some),
        };
        let next_up = |(least, greatest): (f64, f64)| if least == greatest { least.next_up() } else { least };
        let next_down = |(least, greatest): (f64, f64)| if least == greatest { least.next_down() } else { greatest };
        let low = end(low)?.map(|low| if inclusive { low.0 } else { next_up(low) });
        let high = end(high)?.map(|high| if inclusive { high.1 } else { next_down(high) });
        Ok(Condition::Range(self.field, low.unwrap_or(f64::NEG_INFINITY), high.unwrap_or(f64::INFINITY)))
    }
}
