//! [`handle`]: what an index answers to requests.

use super::question::Question;
use super::response::{self, Answer, LeafFound, Response};
use super::{MOST_BYTES, MOST_HITS, refused};
use crate::base::error::{Error, Refusal, Result};
use crate::engine::{self, Settings};
use crate::index::Id;
use crate::index::segment::values_length;
use crate::search::{Asked, AskedBuf, Found, Index, Merging, Options, Page, SortValue, window};
use std::rc::Rc;
use std::time::Duration;

/// The response to a request. What is wrong with it, or fails, becomes a refusal: every request has a response. Searches end
/// when `most` has passed, or the deadline of the request.
pub fn handle(index: &Index, request: &[u8], settings: &Settings, most: Option<Duration>) -> Vec<u8> {
    let commit = index.snapshot().commit();
    let response = Question::read(request, index)
        .map(|question| question.within(most))
        .and_then(|question| answer(index, &question, settings))
        .and_then(|answer| Response { commit, answer }.to_bytes());
    let error = match response {
        Ok(response) => return response,
        Err(error) => error,
    };
    let what = error.to_string();
    let why = match error {
        Error::Refused { why, .. } => why,
        Error::Statistics(_) => Refusal::Statistics,
        Error::Argument(_) | Error::NotCodable { .. } | Error::NotIncreasing { .. } => Refusal::Request,
        Error::Corrupt { codec: "request" | "statistics", .. } => Refusal::Request,
        Error::Expired => Refusal::Deadline,
        _ => Refusal::Failed,
    };
    response::refusal(commit, why, &what)
}

fn answer(index: &Index, question: &Question, settings: &Settings) -> Result<Answer> {
    Ok(match question {
        Question::Schema => Answer::Schema(index.schema().clone()),
        Question::Statistics { queries, options } => {
            let queries: Vec<&str> = queries.iter().map(|query| &**query).collect();
            Answer::Statistics(index.statistics(&queries, options)?)
        }
        Question::Search { queries, options, stored } => {
            let queries: Vec<Asked> = queries.iter().map(AskedBuf::get).collect();
            check_hits(index, queries.iter().map(|asked| asked.nearest.len()), options)?;
            let found = engine::search_batch(index, &queries, options, settings)?;
            let plain = Rc::new(Page::new(options));
            let pages = queries.iter().map(|&asked| Page::of_one(asked, options, &plain));
            Answer::Found(with_all(index, found.into_iter().zip(pages), *stored)?)
        }
        Question::Nearest { field, vectors, options, stored } => {
            check_hits(index, vectors.iter().map(|_| 0), options)?;
            let found = engine::nearest(index, *field, vectors, options, settings)?;
            let page = Rc::new(Page::new(options));
            Answer::Found(with_all(index, found.into_iter().map(|found| (found, page.clone())), *stored)?)
        }
        Question::Suggest { text, field, limit } => {
            Answer::Words(index.suggest(text, *field, (*limit).min(MOST_HITS))?)
        }
        Question::Stored { ids } => {
            let mut room = Room(MOST_BYTES);
            let stored = ids.iter().map(|id| stored_of(index, id, &mut room));
            Answer::Stored(stored.collect::<Result<_>>()?)
        }
    })
}

/// Checks how much memory answers take at most, to queries with so many lists of vectors each.
fn check_hits(index: &Index, lists: impl ExactSizeIterator<Item = usize>, options: &Options) -> Result<()> {
    let documents = usize::try_from(index.documents()).unwrap_or(usize::MAX);
    let hits = options.limit.saturating_add(options.offset).min(documents);
    let hits = |lists: usize| match lists {
        0 => hits,
        // By scores, lists may become longer.
        lists => window(hits).min(documents).saturating_mul(1 + lists),
    };
    let values = options.facets.iter().flatten().map(|(_, values)| (*values).min(documents).max(1));
    let values = values.fold(0, usize::saturating_add).saturating_mul(lists.len());
    match lists.map(hits).fold(values, usize::saturating_add) {
        ..=MOST_HITS => Ok(()),
        many => Err(refused(
            Refusal::Request,
            format!("up to {many} hits and values of facets are asked for, more than {MOST_HITS}"),
        )),
    }
}

/// With what hits are merged by, and their stored fields if they are wanted, as far as there is room.
fn with_all(
    index: &Index,
    all: impl ExactSizeIterator<Item = (Found, Rc<Page>)>,
    with_stored: bool,
) -> Result<Vec<LeafFound>> {
    let (mut result, mut room) = (Vec::with_capacity(all.len()), Room(MOST_BYTES));
    for (found, page) in all {
        let (mut merging, mut stored) = (Vec::new(), Vec::new());
        for hit in found.ranking.as_ref().map_or(&found.hits[..], |ranking| ranking.documents()) {
            if !page.is_merged_by_score() {
                merging.push(room.for_values(index.merging(&page, hit.doc_id, hit.score)?)?);
            }
            if with_stored {
                stored.push(room.for_stored(index.stored(hit.doc_id)?)?);
            }
        }
        result.push(LeafFound { found, merging, stored });
    }
    Ok(result)
}

fn stored_of(index: &Index, id: &Id, room: &mut Room) -> Result<Option<response::Stored>> {
    let Some(doc_id) = index.doc_id(id)? else { return Ok(None) };
    room.for_stored(index.stored(doc_id)?).map(Some)
}

/// How many bytes an answer may still take.
struct Room(usize);

impl Room {
    fn take(&mut self, bytes: usize, what: &str) -> Result<()> {
        let left = self.0.checked_sub(bytes);
        self.0 = left.ok_or_else(|| refused(Refusal::Request, format!("{what} have more than {MOST_BYTES} bytes")))?;
        Ok(())
    }

    fn for_stored(&mut self, values: response::Stored) -> Result<response::Stored> {
        self.take(values_length(&values), "the stored fields")?;
        Ok(values)
    }

    fn for_values(&mut self, by: Merging) -> Result<Merging> {
        let (values, distinct) = by.values();
        let heap = |value: &SortValue| match value {
            SortValue::Keyword(value) => value.len(),
            _ => 0,
        };
        let bytes = values.iter().chain([distinct]).map(|value| size_of::<SortValue>() + heap(value)).sum();
        self.take(bytes, "the values that hits are ordered by")?;
        Ok(by)
    }
}
