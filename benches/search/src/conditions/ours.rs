//! Postings.

use super::requests::{Filter, Request, TOP, Text, VALUES};
use super::{Answer, Shop};
use crate::engine::{Hit, Result};
use crate::ours::{FIELDS, Open, passage, write_query};
use postings::search::{self, Condition, Direction, Facet, Matching, Options, SortKey};

fn field(name: &str) -> usize {
    FIELDS.iter().position(|field| field.0 == name).expect("a field of products")
}

fn condition(filter: &Filter) -> Condition {
    let keyword = |name, value: &str| Condition::Keywords(field(name), vec![value.as_bytes().to_vec()]);
    match *filter {
        Filter::Brand(brand) => keyword("brand", brand),
        Filter::Seller(seller) => keyword("seller", seller),
        Filter::Price(from, to) | Filter::NewPrice(from, to) => Condition::Range(field("price"), from, to),
    }
}

impl Shop for Open {
    fn ask(&mut self, request: &Request, answer: &mut Answer) -> Result<()> {
        let mut query = String::new();
        let mut matching = Matching::All;
        match &request.text {
            Text::None => {}
            Text::Words(words, how) => matching = write_query(&mut query, words, *how),
            Text::Prefix(prefix) => query = format!("{prefix}*"),
            Text::Fuzzy(word, distance) => query = format!("{word}~{distance}"),
        }
        let mut options = Options { limit: TOP, matching, ..Options::default() };
        if self.expands_all {
            (options.expansions, options.joined) = (usize::MAX, Some(u64::MAX));
        }
        if !request.filters.is_empty() {
            options.filter = search::Filter::new(Condition::All(request.filters.iter().map(condition).collect()))?;
        }
        if request.by_price {
            options.sort = vec![(SortKey::Field(field("price")), Direction::Ascending)];
        }
        options.facets = request.facet.map(|name| vec![(field(name), VALUES)]);
        answer.found.hits.clear();
        answer.facet.clear();
        answer.found.count = None;
        if request.count {
            answer.found.count = Some(self.index.count(&query, &options)?);
            return Ok(());
        }
        let found = self.index.search(&query, &options)?;
        for hit in found.hits {
            answer.found.hits.push(Hit { id: passage(hit.id)?, score: hit.score as f32 });
        }
        for of in found.facets.into_iter().flatten() {
            let Facet::Values(values) = of.facet else { return Err("keywords have values".into()) };
            let text = |(value, count)| Ok((String::from_utf8(value)?, count));
            answer.facet = values.into_iter().map(text).collect::<Result<_>>()?;
        }
        Ok(())
    }

    fn expands_all(&mut self, all: bool) {
        self.expands_all = all;
    }
}
