//! What queries match in texts.

use super::options::Options;
use super::plan;
use super::{Index, with_scratch};
use crate::base::error::{Error, Result};
use crate::index::{Kind, Schema};
use crate::query::{Match, Matcher, Query};

impl Index {
    /// What a query matches in a text, which the index need not have: what a search with these options, of which those
    /// count that say how queries are [read](Options::reading), finds it by. `field`: only what it would look for in
    /// that text field; otherwise what it would in any.
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
        let query = self.read(query, &texts, options);
        // Words without a field are looked for in all that are searched.
        let is_meant = |of_clause: Option<usize>| match (of_clause, field) {
            (_, None) => true,
            (Some(at), Some(field)) => texts.get(at) == Some(&field),
            (None, Some(field)) => texts.contains(&field),
        };
        let matcher = Matcher::new(&query, is_meant);
        Ok(with_scratch(|scratch| matcher.matches(text, &self.schema().analyzer, scratch)))
    }

    /// A query as it is read with these options, with these text fields for names; clauses have indices of them. Never
    /// fails.
    pub(super) fn read(&self, text: &str, texts: &[usize], options: &Options) -> Query {
        let schema = self.schema();
        let names: Vec<&str> = texts.iter().map(|&field| &*schema.fields[field].name).collect();
        let mut query = with_scratch(|scratch| {
            crate::query::parse(text, &names, schema.positions, options.reading(), &schema.analyzer, scratch)
        });
        if let Some(synonyms) = &options.synonyms {
            synonyms.apply(&mut query, schema.positions);
        }
        query
    }
}

fn is_text(schema: &Schema, field: usize) -> bool {
    schema.fields.get(field).is_some_and(|field| field.kind == Kind::Text)
}
