//! The checked parser of the byte format. Sizes are checked before anything is allocated or decoded.

use super::format::{CHECKSUM, Layout, checksum, corrupt};
use super::{PostingList, derive_lasts};
use crate::base::error::Result;
use crate::codec::{dispatch, padded};

pub(super) fn from_bytes(bytes: &[u8]) -> Result<PostingList> {
    let layout = Layout::read(bytes)?;
    let mut words = padded(bytes)?;
    if std::mem::take(&mut words[CHECKSUM]) != checksum(&words[..layout.words()]) {
        return Err(corrupt("header", CHECKSUM, "the checksum does not match"));
    }
    let derived = layout.derives_lasts().then(|| derive_lasts(&layout, &words)).transpose()?;
    let list = PostingList::new(layout, words.into(), derived);
    check_last_doc_ids(&list)?;
    dispatch!(layout.codec, C => C::check(&list.encoded(), layout.payload_at))?;
    Ok(list)
}

/// Checks that the last docIDs of the blocks increase, and that the last one is u.
fn check_last_doc_ids(list: &PostingList) -> Result<()> {
    let lasts = list.last_doc_ids();
    if let Some(at) = lasts.windows(2).position(|pair| pair[0] >= pair[1]) {
        let word = list.inner.layout.lasts_at + at + 1;
        return Err(corrupt(
            format!("directory, block {}", at + 1),
            word,
            "its last docID is not greater than the one before",
        ));
    }
    match lasts.last() {
        Some(&last) if last != list.universe() => Err(corrupt(
            "header",
            3,
            format!("the largest docID is {last} by the directory, {} by the header", list.universe()),
        )),
        _ => Ok(()),
    }
}
