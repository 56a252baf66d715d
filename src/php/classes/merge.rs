//! `Hits::merge()`: the hits of several indexes as those of one.

use super::found::{Merged, Results};
use crate::php::call::check;
use crate::php::exception::{self, Outcome, type_name};
use crate::php::fields::key_text;
use crate::php::input::natural;
use crate::php::zend::{elements, number};
use crate::search::{
    Facet, FieldFacet, Found, FoundHit, MergingPart, Page, RankingPart, merge as merge_hits, merge_facets,
    merge_rankings,
};
use ext_php_rs::types::Zval;
use std::rc::Rc;
use std::sync::Arc;

/// What was found in an index.
pub struct Part {
    pub results: Rc<Results>,
    pub expired: bool,
    /// As PHP has them; null if there are none.
    pub facets: Zval,
}

/// How many values merged facets have at most.
pub enum Values {
    /// As the least that an index was asked for.
    AsAsked,
    /// So many, of each field.
    Each(usize),
    /// So many by the names of fields; of others as asked.
    ByField(Vec<(Vec<u8>, usize)>),
}

impl Values {
    /// What an `int|array|null` argument says.
    pub fn of(argument: Option<&Zval>, place: u32) -> Outcome<Values> {
        let Some(argument) = argument.map(Zval::dereference).filter(|argument| !argument.is_null()) else {
            return Ok(Values::AsAsked);
        };
        let wrong = |text: String| Err(exception::argument_type(place, &text));
        if let Some(each) = argument.long() {
            return natural(each, place).map(Values::Each);
        }
        let Some(array) = argument.array() else {
            return wrong(format!("must be of type array|int|null, {} given", type_name(argument)));
        };
        let mut by_field = Vec::new();
        for (key, value) in elements(array) {
            let name = key_text(&key).into_owned();
            let Some(most) = value.dereference().long() else {
                let shown = name.escape_ascii();
                return wrong(format!("must contain only int, {} given for '{shown}'", type_name(value)));
            };
            by_field.push((name, natural(most, place)?));
        }
        Ok(Values::ByField(by_field))
    }

    fn of_field(&self, name: &str) -> Option<usize> {
        match self {
            Values::AsAsked => None,
            Values::Each(each) => Some(*each),
            Values::ByField(by_field) => by_field.iter().find(|of| of.0 == name.as_bytes()).map(|of| of.1),
        }
    }
}

/// The hits of all parts: `limit` from `offset` on, with facets of at most so many `values`.
pub fn merged(parts: &[Part], limit: usize, offset: usize, values: &Values) -> Outcome<Merged> {
    let mut pages: Vec<Rc<Page>> = Vec::with_capacity(parts.len());
    for (at, part) in parts.iter().enumerate() {
        let Some(page) = part.results.page() else {
            let text =
                format!("have hits at index {at} that were unserialized, and are not in the order of scores alone");
            return Err(exception::argument_value(1, &text));
        };
        if let Some(first) = pages.first() {
            let same = match (parts[0].results.schema(), part.results.schema()) {
                (Some(a), Some(b)) => first.has_order_of(a, page, b),
                _ => first.is_by_score() && page.is_by_score(),
            };
            if !same {
                let text = format!("must be of searches that order, group and count alike: those at index {at} differ");
                return Err(exception::argument_value(1, &text));
            }
        }
        pages.push(page.clone());
    }
    let total = parts.iter().try_fold(0u64, |sum, part| Some(sum.saturating_add(part.results.total?)));
    let expired = parts.iter().any(|part| part.expired);
    let (facets, page) = facets(parts, &pages, values)?;
    let (found, places) = match page.is_by_ranks() {
        true => by_ranks(parts, &pages, limit, offset)?,
        false => by_order(parts, &pages, limit, offset)?,
    };
    let of = places.into_iter().map(|(part, at)| (parts[part].results.clone(), at)).collect();
    let schema = parts[0].results.schema().cloned();
    let found = Found { total, facets, expired, ..found };
    Ok(Merged { found, of, schema, page: Rc::new(page.of_merged(offset, limit)) })
}

/// A part and a number there, of each hit or each document of a ranking.
type Places = Vec<(usize, usize)>;

/// The hits of all parts, in the order of their pages.
fn by_order(parts: &[Part], pages: &[Rc<Page>], limit: usize, offset: usize) -> Outcome<(Found, Places)> {
    let mut merging = Vec::with_capacity(parts.len());
    for (part, page) in parts.iter().zip(pages) {
        let hits = (0..part.results.len()).map(|at| check(part.results.merging(at), 1)).collect::<Outcome<_>>()?;
        merging.push(MergingPart { page, with_all: part.results.with_all, hits });
    }
    let (places, with_all) = check(merge_hits(&merging, offset, limit), 1)?;
    let hit = |&(part, at): &(usize, usize)| {
        let hit = parts[part].results.get(at)?;
        Some(FoundHit { id: hit.id.to_id(), score: hit.score, doc_id: hit.doc_id, distance: hit.distance })
    };
    Ok((Found { hits: places.iter().filter_map(hit).collect(), with_all, ..Found::default() }, places))
}

/// The hits of all parts, fused by ranks in the merged lists.
fn by_ranks(parts: &[Part], pages: &[Rc<Page>], limit: usize, offset: usize) -> Outcome<(Found, Places)> {
    let with_pages = parts.iter().zip(pages);
    let merging: Vec<RankingPart> =
        with_pages.map(|(part, page)| RankingPart { page, ranking: part.results.ranking() }).collect();
    let (ranking, documents) = check(merge_rankings(&merging, offset, limit), 1)?;
    let hits = ranking.page(offset, limit);
    // Others can be merged with the first page only.
    if offset > 0 {
        let page = ranking.order().iter().skip(offset).take(limit).map(|&number| documents[number]).collect();
        return Ok((Found { hits, ..Found::default() }, page));
    }
    Ok((Found { hits, ranking: Some(Arc::new(ranking)), ..Found::default() }, documents))
}

/// The facets of all, and the first page with as many values.
fn facets(parts: &[Part], pages: &[Rc<Page>], values: &Values) -> Outcome<(Option<Vec<FieldFacet>>, Page)> {
    let mut page = (*pages[0]).clone();
    let Some(schema) = parts[0].results.schema().filter(|_| !page.facets.is_empty()) else { return Ok((None, page)) };
    let mut facets = Vec::with_capacity(page.facets.len());
    for at in 0..page.facets.len() {
        let field = page.facets[at].0;
        let name = schema.fields.get(field).map_or("", |field| &field.name);
        let of_part =
            |(part, page): (&Part, &Rc<Page>)| Some((facet(part.facets.array()?.get(name)?)?, page.facets[at].1));
        // A search that did not finish has none.
        let Some(all) = parts.iter().zip(pages).map(of_part).collect::<Option<Vec<_>>>() else {
            return Ok((None, page));
        };
        let least = all.iter().map(|(_, limit)| *limit).min().unwrap_or(0);
        let limit = values.of_field(name).unwrap_or(least);
        let Some(facet) = merge_facets(&all, limit) else {
            let text = format!(
                "have too few values of the facet '{name}' for the {limit} most frequent of all: ask each index for more than \
                 {least}, or merge with a smaller $facets"
            );
            return Err(exception::argument_value(1, &text));
        };
        page.facets[at].1 = limit;
        facets.push(FieldFacet { field, facet });
    }
    Ok((Some(facets), page))
}

/// A facet as PHP has it.
fn facet(value: &Zval) -> Option<Facet> {
    let array = value.dereference().array()?;
    let count = |value: &Zval| value.dereference().long().and_then(|count| u64::try_from(count).ok());
    // Counts of numeric fields are beside their least and greatest, which a keyword's are not: those are integers.
    if let (3, Some(min), Some(max), Some(of)) = (array.len(), array.get("min"), array.get("max"), array.get("count"))
        && let (min, max) = (min.dereference(), max.dereference())
        && (min.is_null() || min.is_double())
    {
        return Some(Facet::Numbers { range: number(min).zip(number(max)), count: count(of)? });
    }
    let values = elements(array).map(|(key, value)| Some((key_text(&key).into_owned(), count(value)?)));
    values.collect::<Option<_>>().map(Facet::Values)
}
