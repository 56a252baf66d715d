//! The hits of several indexes as those of one.
//!
//! Each index gives its first hits, and the first of all are among these. They are in the order of an index that has the
//! documents of the first, then those of the second and so on, if all were searched by the same
//! [statistics](super::Statistics). Where hits are fused by ranks, those in each of the lists of all are what counts: so the lists
//! are merged, and then fused.

use super::asked::Asked;
use super::fusion::{Fusion, RankedList, Ranking, window};
use super::options::{Matching, Options};
use super::order::{Direction, SortKey, SortValue};
use super::sort::directed_value;
use super::statistics::most_frequent;
use super::{Facet, Index, sort};
use crate::base::error::{Error, Result};
use crate::index::Schema;
use std::cmp::Ordering;
use std::collections::HashSet;
use std::rc::Rc;

/// How the hits of a search were ordered and cut.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    sort: Vec<(SortKey, Direction)>,
    distinct: Option<usize>,
    all_then_any: bool,
    /// If they are fused by ranks, the vector fields whose lists there are besides that of the query.
    ranks: Option<Vec<usize>>,
    /// Whether it begins at the first hit.
    is_first: bool,
    /// The most hits that it may have.
    pub limit: usize,
    /// Fields of which there are facets, with the most values of each.
    pub facets: Vec<(usize, usize)>,
}

impl Page {
    /// Of a search with these options, for a query without vectors.
    pub fn new(options: &Options) -> Page {
        Page::of(Asked::default(), options)
    }

    /// Of a search for that with these options.
    pub fn of(asked: Asked<'_>, options: &Options) -> Page {
        let is_fused = !asked.nearest.is_empty();
        let ranks =
            (is_fused && options.fusion == Fusion::Ranks).then(|| asked.nearest.iter().map(|of| of.0).collect());
        Page {
            sort: if options.is_by_score() { Vec::new() } else { options.sort.clone() },
            distinct: options.distinct,
            // Hits that are fused by scores are in the order of their sums.
            all_then_any: options.matching == Matching::AllThenAny && (!is_fused || ranks.is_some()),
            ranks,
            is_first: options.offset == 0 && options.after.is_none(),
            limit: options.limit,
            facets: options.facets.clone().unwrap_or_default(),
        }
    }

    /// Of a search for that, one of several with these options: `plain`, which is that of a query without vectors, is shared.
    pub fn of_one(asked: Asked<'_>, options: &Options, plain: &Rc<Page>) -> Rc<Page> {
        if asked.nearest.is_empty() { plain.clone() } else { Rc::new(Page::of(asked, options)) }
    }

    /// Of hits in the order of scores alone.
    pub fn by_score(limit: usize) -> Page {
        Page::new(&Options { limit, ..Options::default() })
    }

    /// Of the merged hits of pages such as this one.
    #[must_use]
    pub fn of_merged(self, offset: usize, limit: usize) -> Page {
        Page { is_first: offset == 0, limit, ..self }
    }

    /// How many lists have been fused by ranks, and the most hits of each; `None` if hits were not, or do not begin at the first.
    pub fn lists(&self) -> Option<(usize, usize)> {
        self.ranks.as_ref().filter(|_| self.is_first).map(|fields| (1 + fields.len(), window(self.limit)))
    }

    /// Whether hits have been fused by ranks.
    pub fn is_by_ranks(&self) -> bool {
        self.ranks.is_some()
    }

    /// Whether documents with all words are followed by those with any.
    pub fn has_all_then_any(&self) -> bool {
        self.all_then_any
    }

    /// That of one of the lists.
    fn of_list(&self, list: usize) -> Page {
        let all_then_any = self.all_then_any && list == 0;
        Page { ranks: None, limit: window(self.limit), all_then_any, ..self.clone() }
    }

    /// How many values a hit is merged by.
    pub fn keys(&self) -> usize {
        self.sort.len().max(1)
    }

    /// Whether a hit is merged by its score alone.
    pub fn is_merged_by_score(&self) -> bool {
        self.sort.is_empty() && self.distinct.is_none()
    }

    /// Whether hits are in the order of scores alone, from the first on, and nothing else was asked of them.
    pub fn is_by_score(&self) -> bool {
        *self == Page::by_score(self.limit)
    }
}

/// A hit to be merged with those of others.
#[derive(Debug, Clone, PartialEq)]
pub struct Merging {
    /// As [`sort::compare`] wants them.
    values: Vec<SortValue>,
    distinct: SortValue,
}

impl Index {
    /// What a hit of a page is merged by: its docID here, and its score.
    ///
    /// # Errors
    /// [`Error::Argument`] if there is no such document; [`Error::Corrupt`].
    pub fn merging(&self, page: &Page, doc_id: u64, score: f64) -> Result<Merging> {
        if page.is_merged_by_score() {
            return Ok(Merging::by_score(score));
        }
        let (part, local) = self.named_place(doc_id)?;
        let value = |key, direction| sort::value_of(&part.segment, key, direction, local, score);
        let values = page.sort.iter().map(|&(key, direction)| Ok(directed_value(value(key, direction)?, direction)));
        let values = match page.sort.is_empty() {
            true => Merging::by_score(score).values,
            false => values.collect::<Result<_>>()?,
        };
        let distinct = page.distinct.map(|field| value(SortKey::Field(field), Direction::Ascending));
        Ok(Merging { values, distinct: distinct.transpose()?.unwrap_or(SortValue::None) })
    }
}

impl Page {
    /// Whether its hits, in an index with that schema, are ordered as those of a page of another index, so that they can be
    /// merged.
    pub fn has_order_of(&self, schema: &Schema, its: &Page, its_schema: &Schema) -> bool {
        let name = |schema: &Schema, field: usize| schema.fields.get(field).map(|of| (of.name.clone(), of.kind));
        let same_field = |a: usize, b: usize| name(schema, a) == name(its_schema, b);
        let same_key = |(a, b): (&(SortKey, Direction), &(SortKey, Direction))| {
            a.1 == b.1
                && match (a.0, b.0) {
                    (SortKey::Field(a), SortKey::Field(b)) => same_field(a, b),
                    (SortKey::Distance(a, from), SortKey::Distance(b, to)) => from == to && same_field(a, b),
                    (a, b) => a == b,
                }
        };
        self.sort.len() == its.sort.len()
            && self.sort.iter().zip(&its.sort).all(same_key)
            && self.all_then_any == its.all_then_any
            && match (self.distinct, its.distinct) {
                (Some(a), Some(b)) => same_field(a, b),
                (a, b) => a == b,
            }
            && match (&self.ranks, &its.ranks) {
                (Some(a), Some(b)) => a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| same_field(a, b)),
                (a, b) => a == b,
            }
            && self.facets.len() == its.facets.len()
            && self.facets.iter().zip(&its.facets).all(|(a, b)| same_field(a.0, b.0))
    }
}

impl Merging {
    /// Of a hit in the order of scores alone.
    pub fn by_score(score: f64) -> Merging {
        let value = directed_value(SortValue::Number(score), Direction::Descending);
        Merging { values: vec![value], distinct: SortValue::None }
    }

    /// Of a hit of a page of an index with that schema, which has these values: one for each key of its order, or the score
    /// alone; and one that hits are distinct by. `None` if the page has other ones.
    pub fn new(page: &Page, schema: &Schema, values: Vec<SortValue>, distinct: SortValue) -> Option<Merging> {
        let keys =
            if page.sort.is_empty() { vec![SortKey::Score] } else { page.sort.iter().map(|key| key.0).collect() };
        let fit = keys.len() == values.len() && keys.iter().zip(&values).all(|(key, value)| key.has(value, schema));
        let is_distinct = match page.distinct {
            Some(field) => SortKey::Field(field).has(&distinct, schema),
            None => distinct == SortValue::None,
        };
        (fit && is_distinct).then_some(Merging { values, distinct })
    }

    /// The values of [`new`](Self::new).
    pub fn values(&self) -> (&[SortValue], &SortValue) {
        (&self.values, &self.distinct)
    }

    /// The order of two hits, but for their places.
    fn compare(&self, other: &Merging, page: &Page) -> Ordering {
        let directions = page.sort.iter().map(|(_, direction)| *direction).chain([Direction::Descending]);
        sort::compare(&self.values, &other.values, directions)
    }
}

/// What was found in an index, to be merged.
#[derive(Debug, Clone)]
pub struct MergingPart<'p> {
    /// How the hits were ordered and cut.
    pub page: &'p Page,
    /// [`Found::with_all`](super::Found::with_all).
    pub with_all: Option<usize>,
    /// The hits.
    pub hits: Vec<Merging>,
}

/// Each hit as the number of a part and of a hit there; and how many of them have all words, if those with any follow.
pub type Places = (Vec<(usize, usize)>, Option<usize>);

/// The merged hits `offset..offset + limit`. Equal ones are in the order of the parts. Each part must have its first
/// `offset + limit` hits.
///
/// # Errors
/// [`Error::Argument`] if it has not.
pub fn merge(parts: &[MergingPart], offset: usize, limit: usize) -> Result<Places> {
    let Some(MergingPart { page, .. }) = parts.first() else { return Ok((Vec::new(), None)) };
    if page.is_by_ranks() {
        return Err(Error::Argument("hits that were fused by ranks are merged by their lists".into()));
    }
    let wanted = offset.saturating_add(limit);
    let mut all: Vec<(bool, usize, usize)> = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        if !part.page.is_first {
            return Err(Error::Argument(format!(
                "hits {number} do not begin at the first: they have an offset or a place"
            )));
        }
        if part.hits.len() >= part.page.limit && part.page.limit < wanted {
            let most = part.page.limit;
            return Err(Error::Argument(format!(
                "hits {number} were limited to {most}, and {wanted} are to be merged"
            )));
        }
        let with_all = match (part.page.all_then_any, part.with_all) {
            (false, _) => part.hits.len(),
            (true, Some(with_all)) => with_all,
            (true, None) if part.hits.is_empty() => 0,
            (true, None) => {
                let what =
                    "are of documents with all words and then with any, and distinct or expired: it is not known which";
                return Err(Error::Argument(format!("hits {number} {what}")));
            }
        };
        all.extend((0..part.hits.len()).map(|at| (at >= with_all, number, at)));
    }
    let hit = |&(_, part, at): &(bool, usize, usize)| &parts[part].hits[at];
    // Equal ones stay in their order.
    all.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| hit(a).compare(hit(b), page)));
    if page.distinct.is_some() {
        let mut seen: HashSet<Vec<u8>> = HashSet::new();
        all.retain(|of| match &hit(of).distinct {
            SortValue::Number(number) => seen.insert((number + 0.0).to_bits().to_le_bytes().into()),
            SortValue::Keyword(value) => seen.insert(value.to_vec()),
            _ => true,
        });
    }
    let merged: Vec<_> = all.into_iter().skip(offset).take(limit).collect();
    let with_all = (page.all_then_any && !merged.is_empty()).then(|| merged.iter().filter(|(any, ..)| !any).count());
    Ok((merged.into_iter().map(|(_, part, at)| (part, at)).collect(), with_all))
}

/// What was fused by ranks in an index, to be merged.
#[derive(Debug, Clone, Copy)]
pub struct RankingPart<'p> {
    /// How the hits were ordered and cut.
    pub page: &'p Page,
    /// What they are made of; `None` if nothing is known of them.
    pub ranking: Option<&'p Ranking>,
}

/// The lists of all parts, each merged as [`merge`] does, with as many hits as a search for the hits `offset..offset + limit` has;
/// and the part of each document, and its number there. Parts must have equally many lists.
///
/// # Errors
/// As [`merge`].
pub fn merge_rankings(parts: &[RankingPart], offset: usize, limit: usize) -> Result<(Ranking, Vec<(usize, usize)>)> {
    let lists = parts.first().and_then(|part| part.page.ranks.as_ref()).map_or(0, |fields| 1 + fields.len());
    let window = window(offset.saturating_add(limit));
    let nothing = RankedList::default();
    /// A part, the number of a document there, and its score.
    type Place = (usize, usize, f64);
    let mut merged: Vec<(Vec<Place>, Option<usize>)> = Vec::with_capacity(lists);
    for number in 0..lists {
        let pages: Vec<Page> = parts.iter().map(|part| part.page.of_list(number)).collect();
        let lists = parts.iter().map(|part| part.ranking.and_then(|ranking| ranking.lists().get(number)));
        let of: Vec<&RankedList> = lists.map(|list| list.unwrap_or(&nothing)).collect();
        let part = |(page, list): (_, &&RankedList)| MergingPart {
            page,
            with_all: list.with_all,
            hits: list.hits.iter().map(|&(_, score)| Merging::by_score(score)).collect(),
        };
        let (places, with_all) = merge(&pages.iter().zip(&of).map(part).collect::<Vec<_>>(), 0, window)?;
        let hit = |(part, at): (usize, usize)| (part, of[part].hits[at].0, of[part].hits[at].1);
        merged.push((places.into_iter().map(hit).collect(), with_all));
    }
    let hits = merged.iter().flat_map(|(hits, _)| hits);
    let mut of: Vec<(usize, usize)> = hits.map(|&(part, document, _)| (part, document)).collect();
    of.sort_unstable();
    of.dedup();
    let documents = of.iter().filter_map(|&(part, at)| parts[part].ranking?.documents().get(at).cloned()).collect();
    let hit = |&(part, document, score): &Place| Some((of.binary_search(&(part, document)).ok()?, score));
    let list = |(hits, with_all): &(Vec<_>, _)| RankedList {
        hits: hits.iter().filter_map(hit).collect(),
        with_all: *with_all,
    };
    // What is in a list of a part once is in the merged list at most once.
    let ranking = Ranking::new(documents, merged.iter().map(list).collect()).unwrap_or_default();
    Ok((ranking, of))
}

/// The facets of a field in several indexes, each with the most values that it may have, as one with at most `limit`; `None`
/// if those that were left out may be among them, or have a part in their counts.
pub fn merge_facets(parts: &[(Facet, usize)], limit: usize) -> Option<Facet> {
    let is_number = |(facet, _): &(Facet, usize)| matches!(facet, Facet::Numbers { .. });
    if !parts.iter().all(is_number) {
        let values = |(facet, most): &(Facet, usize)| match facet {
            Facet::Values(values) => (values.clone(), values.len() >= *most),
            Facet::Numbers { .. } => (Vec::new(), true),
        };
        return most_frequent(parts.iter().map(values), limit).map(Facet::Values);
    }
    let (mut all, mut sum) = (None::<(f64, f64)>, 0u64);
    for (facet, _) in parts {
        if let Facet::Numbers { range, count } = facet {
            sum = sum.saturating_add(*count);
            all = match (all, *range) {
                (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
                (a, b) => a.or(b),
            };
        }
    }
    Some(Facet::Numbers { range: all, count: sum })
}
