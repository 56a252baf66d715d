//! Writes the [pairs](super::pairs) of a field.

use super::file::SegmentWriter;
use super::format::Section;
use super::gather::{Common, Gaps, of_lists, of_tokens};
use super::list_writer::{ListWriter, not_built};
use super::pairs::{BY_DOCUMENTS, key};
use super::token_store::TokensOf;
use crate::base::error::Result;
use crate::base::threads::{at_most, in_order};
use crate::index::list::{self, ListParts, Postings};
use fst::MapBuilder;
use std::io::Write;

/// Documents whose pairs are worth a thread: they take some 10 ms.
const SHARE: usize = if cfg!(any(test, fuzzing)) { 64 } else { 1 << 16 };

/// Bytes of gathered pairs that are encoded at a time, besides the last pair's. By the first word, a thread would get very different
/// shares.
const AT_ONCE: usize = if cfg!(any(test, fuzzing)) { 64 } else { 64 << 10 };

/// The lists of pairs that come one after the other.
struct PairLists {
    /// Encoded as if they stood at the beginning of the section.
    lists: Vec<u8>,
    /// The words of each, by their indices, and its value, were the lists there.
    values: Vec<([u16; 2], u64)>,
}

/// Where it is seen which words follow each other.
pub(super) enum Texts<'t> {
    /// In the lists, which up to so many threads read.
    Lists { threads: usize },
    /// In the documents' tokens, whose terms have these ranks in the order in which they were written.
    Tokens { documents: &'t dyn Fn() -> Documents<'t>, ranks: &'t [u32] },
}

/// The tokens of each document.
pub(super) type Documents<'t> = Box<dyn Iterator<Item = TokensOf<'t>> + 't>;

/// Writes the sections of a text field whose lists are written.
pub(super) fn write_pairs(
    writer: &mut SegmentWriter,
    field: u8,
    common: Common,
    lengths: &[u8],
    texts: Texts,
) -> Result<()> {
    let codecs = writer.codecs();
    let (gathered, threads) = match texts {
        Texts::Lists { threads } => {
            let parts = ListParts { frequencies: true, positions: true, codecs };
            let (map, lists) = writer.map_section(Section::Lists, field)?;
            (of_lists(&map[lists], common, lengths, parts, threads)?, threads)
        }
        Texts::Tokens { documents, ranks } => {
            // As where the lists are read, so that what is written is the same.
            writer.end_chunk();
            let lists = writer.place(Section::Lists, field).len();
            (of_tokens(documents, ranks, common, lengths, lists)?, 1)
        }
    };
    let path = writer.path().to_owned();
    let mut lists = ListWriter::begin(writer, Section::PairLists, field)?;
    let mut keys = MapBuilder::memory();
    let mut rest = gathered.pairs();
    in_order(
        at_most(threads, lengths.len() / SHARE),
        || Ok((Vec::new(), Vec::new())),
        || {
            let (mut share, mut bytes) = (Vec::new(), 0);
            while bytes < AT_ONCE
                && let Some((words, gaps)) = rest.next()
            {
                bytes += gaps.bytes();
                share.push((words, gaps));
            }
            Ok((!share.is_empty()).then_some(share))
        },
        |(doc_ids, frequencies), share: Vec<([u16; 2], &Gaps)>| {
            let mut pairs = PairLists { lists: Vec::new(), values: Vec::new() };
            for (words, gaps) in share {
                doc_ids.clear();
                frequencies.clear();
                gaps.read(doc_ids, frequencies)?;
                let postings = Postings { doc_ids, frequencies, positions: &[], lengths };
                let value = list::encode(&postings, lengths.len() as u32, codecs, 0, &mut pairs.lists)?;
                pairs.values.push((words, value));
            }
            Ok(pairs)
        },
        |pairs: PairLists| {
            let moved = lists.append(&pairs.lists, list::ALIGNMENT)?;
            for (words, value) in pairs.values {
                keys.insert(key(words), moved + value).map_err(|error| not_built(&path, error))?;
            }
            Ok(())
        },
        || Ok(()),
    )?;
    let writer = lists.end()?;
    let keys = keys.into_inner().map_err(|error| not_built(&path, error))?;
    writer.section(Section::Pairs, field, |out| {
        out.write_all(&(gathered.words.len() as u32).to_le_bytes())?;
        out.write_all(&BY_DOCUMENTS.to_le_bytes())?;
        out.write_all(&gathered.least().to_le_bytes())?;
        gathered.words.iter().try_for_each(|word| out.write_all(&word.value.to_le_bytes()))?;
        gathered.words.iter().try_for_each(|word| out.write_all(&word.containing.to_le_bytes()))?;
        out.write_all(&keys)
    })
}
