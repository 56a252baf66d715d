//! What hits that are fused by ranks are made of, as bytes: see [`response`](super::response).

use super::condition::{read_id, write_id};
use super::write::{float, list, optional};
use crate::base::error::Result;
use crate::base::leb128::put;
use crate::base::reader::Reader;
use crate::search::{FoundHit, Page, RankedList, Ranking};

/// `stored` adds the stored fields of the document with that number, if they are wanted.
pub(super) fn write(out: &mut Vec<u8>, ranking: &Ranking, stored: impl Fn(&mut Vec<u8>, usize)) {
    put(out, ranking.documents().len() as u64);
    for (at, FoundHit { id, doc_id, distance, .. }) in ranking.documents().iter().enumerate() {
        write_id(out, id);
        put(out, *doc_id);
        optional(out, *distance, float);
        stored(out, at);
    }
    for RankedList { hits, with_all } in ranking.lists() {
        optional(out, with_all.map(|count| count as u64), put);
        list(out, hits, |out, (document, score)| {
            put(out, *document as u64);
            float(out, *score);
        });
    }
}

/// One of so many lists, of at most so many hits each.
pub(super) fn read(
    reader: &mut Reader,
    page: &Page,
    (lists, most): (usize, usize),
    mut stored: impl FnMut(&mut Reader) -> Result<()>,
) -> Result<Ranking> {
    let documents = reader.list("documents", most.saturating_mul(lists), |reader| {
        let (id, doc_id) = (read_id(reader)?, reader.count("docID")?);
        let distance = reader.maybe("distance", |reader| reader.f64("distance"))?;
        stored(reader)?;
        Ok(FoundHit { id, score: 0.0, doc_id, distance })
    })?;
    let mut all = Vec::with_capacity(lists);
    for number in 0..lists {
        let with_all = reader.maybe("hits with all words", |reader| reader.size("hits with all words"))?;
        let hits = reader.list("hits", most, |reader| Ok((reader.size("document")?, reader.f64("score")?)))?;
        let (first, then) = match with_all {
            Some(_) if number > 0 || !page.has_all_then_any() => {
                return Err(reader.wrong("hits with all words", "they were not asked for"));
            }
            None if number == 0 && page.has_all_then_any() && !hits.is_empty() => {
                return Err(reader.wrong("hits with all words", "it is not known which"));
            }
            None => (&hits[..], &[][..]),
            Some(count) => match hits.split_at_checked(count) {
                Some(parts) => parts,
                None => return Err(reader.wrong("hits with all words", "they are more than there are hits")),
            },
        };
        if ![first, then].iter().all(|hits| hits.is_sorted_by(|a, b| a.1 >= b.1)) {
            return Err(reader.wrong("hits", "they are not in the order of their scores"));
        }
        all.push(RankedList { hits, with_all });
    }
    let ranking = Ranking::new(documents, all);
    ranking.ok_or_else(|| reader.wrong("documents", "a list has one twice, or that there is not; or none has one"))
}
