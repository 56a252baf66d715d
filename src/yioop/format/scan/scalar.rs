//! The reference: word after word, posting after posting. It alone names faults.

use crate::base::error::{Error, Result};
use crate::yioop::format::first_word::split_first_value;
use crate::yioop::format::modified9::{NAME, Place, Values, checked_word};

/// Checks a list and gives the doc index and byte offset of each posting to `sink` when the posting begins.
pub(super) fn scan(postings: &[u8], mut sink: impl FnMut(u32, usize)) -> Result<()> {
    let mut open = None;
    let mut position = 0;
    let mut at = 0;
    while at < postings.len() || open.is_some() {
        let word = checked_word(postings, at, open)?;
        let place = Place::of(word);
        let mut values = Values::of(word);
        if place.begins() {
            let (doc_index, joint) = split_first_value(values.next().unwrap_or(1));
            position = u64::from(joint.unwrap_or(0));
            sink(doc_index, at);
            open = Some(at);
        }
        position += values.map(u64::from).sum::<u64>();
        if position > u64::from(u32::MAX) {
            return Err(Error::corrupt(NAME, format!("word {}", at / 4), at, "a position exceeds 2^32 - 1"));
        }
        if place.ends() {
            open = None;
        }
        at += 4;
    }
    Ok(())
}
