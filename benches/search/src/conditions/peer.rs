//! tantivy: fast fields for sorting, ranges and facets, the inverted index for keywords.

use super::requests::{Filter, Request, TOP, Text, VALUES};
use super::{Answer, Facet, Shop};
use crate::engine::{Hit, Result};
use crate::peer::{Open, hit};
use std::ops::Bound;
use tantivy::aggregation::agg_req::Aggregations;
use tantivy::aggregation::agg_result::{AggregationResult, AggregationResults, BucketResult};
use tantivy::aggregation::{AggContextParams, AggregationCollector, Key};
use tantivy::collector::TopDocs;
use tantivy::query::{
    AllQuery, BooleanQuery, ConstScoreQuery, FuzzyTermQuery, Query, RangeQuery, RegexQuery, TermQuery,
};
use tantivy::schema::IndexRecordOption;
use tantivy::{Order, Term};

impl Open {
    /// Adds nothing to scores.
    fn filter(&self, filter: &Filter) -> Result<Box<dyn Query>> {
        let field = |name| self.searcher.schema().get_field(name);
        let keyword = |name, value| -> Result<Box<dyn Query>> {
            let term = Term::from_field_text(field(name)?, value);
            Ok(Box::new(TermQuery::new(term, IndexRecordOption::Basic)))
        };
        let query = match *filter {
            Filter::Brand(brand) => keyword("brand", brand)?,
            Filter::Seller(seller) => keyword("seller", seller)?,
            Filter::Price(from, to) | Filter::NewPrice(from, to) => {
                let price = field("price")?;
                let bound = |bound| Bound::Included(Term::from_field_f64(price, bound));
                Box::new(RangeQuery::new(bound(from), bound(to)))
            }
        };
        Ok(Box::new(ConstScoreQuery::new(query, 0.0)))
    }

    fn request(&self, request: &Request) -> Result<Box<dyn Query>> {
        let text: Option<Box<dyn Query>> = match &request.text {
            Text::None => None,
            Text::Words(words, how) => Some(self.query(words, *how)),
            Text::Prefix(prefix) => Some(Box::new(RegexQuery::from_pattern(&format!("{prefix}.*"), self.body)?)),
            Text::Fuzzy(word, distance) => {
                Some(Box::new(FuzzyTermQuery::new(Term::from_field_text(self.body, word), *distance, true)))
            }
        };
        let mut queries: Vec<_> = text.into_iter().collect();
        for filter in &request.filters {
            queries.push(self.filter(filter)?);
        }
        Ok(match queries.len() {
            0 => Box::new(AllQuery),
            1 => queries.remove(0),
            _ => Box::new(BooleanQuery::intersection(queries)),
        })
    }
}

/// The values of the only aggregation.
fn values(results: AggregationResults) -> Result<Facet> {
    let Some(AggregationResult::BucketResult(BucketResult::Terms { buckets, .. })) = results.0.into_values().next()
    else {
        return Err("tantivy has lost an aggregation".into());
    };
    let text = |key| match key {
        Key::Str(text) => text,
        other => other.to_string(),
    };
    Ok(buckets.into_iter().map(|bucket| (text(bucket.key), bucket.doc_count)).collect())
}

impl Shop for Open {
    fn ask(&mut self, request: &Request, answer: &mut Answer) -> Result<()> {
        let query = self.request(request)?;
        let top = || TopDocs::with_limit(TOP);
        answer.found.hits.clear();
        answer.facet.clear();
        answer.found.count = None;
        if request.count {
            answer.found.count = Some(query.count(&self.searcher)? as u64);
        } else if request.by_price {
            let found = self.searcher.search(&query, &top().order_by_fast_field::<f64>("price", Order::Asc))?;
            let hit = |(price, address): (Option<f64>, _)| Hit {
                score: price.unwrap_or(f64::NAN) as f32,
                ..hit((0.0, address))
            };
            answer.found.hits.extend(found.into_iter().map(hit));
        } else if let Some(field) = request.facet {
            let terms = serde_json::json!({"values": {"terms": {"field": field, "size": VALUES}}});
            let aggregations: Aggregations = serde_json::from_value(terms)?;
            let facet = AggregationCollector::from_aggs(aggregations, AggContextParams::default());
            let (found, values_found) = self.searcher.search(&query, &(top().order_by_score(), facet))?;
            answer.found.hits.extend(found.into_iter().map(hit));
            answer.facet = values(values_found)?;
        } else {
            let found = self.searcher.search(&query, &top().order_by_score())?;
            answer.found.hits.extend(found.into_iter().map(hit));
        }
        Ok(())
    }

    /// It always does.
    fn expands_all(&mut self, _: bool) {}
}
