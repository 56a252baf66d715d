//! How words and vectors become one list.

use crate::index::Schema;
use crate::php::exception::{self, Outcome, type_name};
use crate::php::fields::key_text;
use crate::php::vectors;
use crate::php::zend::{elements, number};
use crate::search::{Fusion, NearestIn, Options};
use ext_php_rs::types::Zval;

/// How the lists become one: 'rrf', or weights by field, `text` being what the query finds.
pub fn fusion(options: &mut Options, schema: &Schema, value: &Zval, argument: u32) -> Outcome {
    const FORMS: &str = "must be 'rrf' or an array of weights by vector field and 'text'";
    let Some(array) = value.array() else {
        return match value.zend_str() {
            Some(name) if name.as_bytes() == b"rrf" => {
                options.fusion = Fusion::Ranks;
                Ok(())
            }
            Some(_) => Err(exception::argument_value(argument, FORMS)),
            None => Err(exception::argument_type(argument, &format!("{FORMS}, {} given", type_name(value)))),
        };
    };
    let (mut text, mut fields) = (0.0, Vec::new());
    for (key, weight) in elements(array) {
        let name = key_text(&key);
        let shown = String::from_utf8_lossy(&name);
        let Some(number) = number(weight) else {
            let text = format!("'{shown}': a weight must be int|float, {} given", type_name(weight));
            return Err(exception::argument_type(argument, &text));
        };
        if !Fusion::WEIGHTS.contains(&number) {
            let text = format!("'{shown}': a weight must be from 0 to 1000000, {} given", exception::shown(number));
            return Err(exception::argument_value(argument, &text));
        }
        match &*name {
            b"text" => text = number,
            name => fields.push((vectors::shape(schema, name, argument)?.0, number)),
        }
    }
    options.fusion = Fusion::Scores { text, fields };
    Ok(())
}

/// Refuses weights of fields in which a query has no vector.
pub fn check(options: &Options, schema: &Schema, nearest: &[NearestIn], argument: u32) -> Outcome {
    let Fusion::Scores { fields, .. } = &options.fusion else { return Ok(()) };
    match fields.iter().find(|of| nearest.iter().all(|nearest| nearest.0 != of.0)) {
        None => Ok(()),
        Some(&(field, _)) => {
            let text = format!("'{}': has a weight, and no vector is looked for in it", schema.fields[field].name);
            Err(exception::argument_value(argument, &text))
        }
    }
}
