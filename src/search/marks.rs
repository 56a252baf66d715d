//! What queries match in texts.

use super::options::Options;
use super::plan;
use super::{Index, with_scratch};
use crate::base::error::{Error, Result};
use crate::index::{Analyzed, Kind, Schema};
use crate::query::{self, Match, Matcher};

impl Index {
    /// What a query matches in a text, which the index need not have: what a search with these options, of which those
    /// count that say how queries are [read](Options::reading), finds it by. `field`: only what it would look for in
    /// that text field, with its analyzer; otherwise what it would in any, with the analyzer of each.
    ///
    /// Linear in the lengths of query and text.
    ///
    /// # Errors
    /// [`Error::Argument`] for fields that are not text.
    pub fn matches(&self, query: &str, text: &str, options: &Options, field: Option<usize>) -> Result<Vec<Match>> {
        let texts = plan::texts(self, options)?;
        if let Some(field) = field.filter(|&field| !is_text(self.schema(), field)) {
            return Err(Error::Argument(format!("field {field} is no text field")));
        }
        let mut found = Vec::new();
        for (Analyzed { analyzer, fields }, query) in self.analyzed().iter().zip(self.read(query, &texts, options)) {
            if field.is_some_and(|field| !fields.contains(&field)) {
                continue;
            }
            // Words without a field are looked for in all that are searched.
            let is_meant = |of_clause: Option<usize>| match (of_clause.map(|at| texts[at]), field) {
                (None, None) => true,
                (Some(named), None) => fields.contains(&named),
                (Some(named), Some(field)) => named == field,
                (None, Some(field)) => texts.contains(&field),
            };
            let matcher = Matcher::new(&query, is_meant);
            found.push(with_scratch(|scratch| matcher.matches(text, analyzer, scratch)));
        }
        Ok(query::together(found))
    }
}

fn is_text(schema: &Schema, field: usize) -> bool {
    schema.fields.get(field).is_some_and(|field| field.kind == Kind::Text)
}
