//! The frequent words of a text field, kept apart, so that the most frequent ones that begin with a letter are found without
//! looking at all that do.
//!
//! ```text
//! levels u64
//! per level   least u64, bytes of its map u64
//! per level   fst map: word → documents that contain it
//! ```
//! A level has all words in at least `least` documents: the first about one of 256, the second about one of 16. Words are those
//! beside stems where the segment has these, terms otherwise, and counted alike. A field of few words has no level, a small
//! segment no section.

use super::file::SegmentWriter;
use super::format::{FEW_TERMS, Section, u64_at};
use super::list_writer::not_built;
use super::map_writer::Entries;
use super::section::SectionRef;
use super::{Dictionary, Segment, words};
use crate::base::error::Result;
use crate::base::memory;
use crate::index::Kind;
use fst::{MapBuilder, Streamer, map};
use memmap2::Mmap;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A level has one of so many words.
const ONE_OF: [usize; 2] = if cfg!(any(test, fuzzing)) { [8, 2] } else { [256, 16] };
/// There are fewer words beside stems for each byte of lists.
const WORDS_PER_BYTE: usize = 64;
/// The bytes of a level in the table.
const ROW: usize = 16;

/// All words that are in at least so many documents.
#[derive(Debug)]
pub struct Level {
    least: u64,
    words: Dictionary,
}

impl Level {
    /// Words in fewer documents are not there. At least 1.
    pub fn least(&self) -> u64 {
        self.least
    }

    /// The words, each with the number of documents that contain it. In a forged file it may be any.
    pub fn words(&self) -> &Dictionary {
        &self.words
    }
}

/// The words of a level are fewer than `most`.
fn parse(part: SectionRef, most: usize) -> Result<Box<[Level]>> {
    let all = part.all()?;
    let count = all.first_chunk().map_or(u64::MAX, |count| u64::from_le_bytes(*count));
    let count = usize::try_from(count).ok().filter(|&count| count <= ONE_OF.len());
    let Some(table) = count.and_then(|count| all.get(8..8 + ROW * count)) else {
        return Err(part.corrupt(0, format!("no table of levels in {} bytes", all.len())));
    };
    let mut begin = 8 + table.len();
    let mut levels = Vec::new();
    for (at, row) in table.chunks_exact(ROW).enumerate() {
        let (least, bytes) = (u64_at(row, 0), u64_at(row, 8));
        let end =
            usize::try_from(bytes).ok().and_then(|bytes| begin.checked_add(bytes)).filter(|&end| end <= all.len());
        let Some(end) = end.filter(|_| (1..=u64::from(part.segment.documents()) + 1).contains(&least)) else {
            return Err(part.corrupt(8 + ROW * at, format!("a level of {bytes} bytes, words in {least} documents")));
        };
        let words = part.dictionary_in(begin..end)?;
        if words.len() >= most {
            return Err(part.corrupt(begin, format!("{} words of a level; there are not so many", words.len())));
        }
        levels.push(Level { least, words });
        begin = end;
    }
    if begin != all.len() || !levels.is_sorted_by(|one, next| one.least > next.least) {
        return Err(part.corrupt(begin, "levels that do not descend, or bytes after them"));
    }
    Ok(levels.into())
}

impl Segment {
    /// The levels of a text field's frequent words, those of the most frequent first. The first call reads them all.
    ///
    /// # Errors
    /// As [`Segment::section`].
    pub fn frequent(&self, field: usize) -> Result<&[Level]> {
        let is_text = self.schema.fields.get(field).is_some_and(|field| field.kind == Kind::Text);
        let may_have = is_text && self.flags().frequent && !self.lacks(field);
        let Some(place) = self.frequent.get(field).filter(|_| may_have) else { return Ok(&[]) };
        let make = || {
            // Each term has a list. Of words beside stems there are some for each.
            let lists = self.section_ref(Section::Lists, field)?.len();
            let most = if self.words(field)?.is_some() { lists.saturating_mul(WORDS_PER_BYTE) } else { lists };
            parse(self.section_ref(Section::Frequent, field)?, most)
        };
        self.kept(place, make).map(|levels| &levels[..])
    }
}

/// Terms in fewer documents, two thirds of them or more, are hardly ever frequent.
const KEPT: u32 = if cfg!(any(test, fuzzing)) { 2 } else { 4 };

/// How many documents contain each term of a field, in the order of terms.
#[derive(Default)]
pub(super) struct Counts {
    counts: Vec<u32>,
    /// Those in [`KEPT`] documents or more, with these numbers.
    kept: Entries,
}

impl Counts {
    /// Adds the next term.
    pub fn add(&mut self, term: &[u8], containing: usize) -> Result<()> {
        let count = containing as u32;
        memory::reserve(&mut self.counts, 1)?;
        self.counts.push(count);
        if count >= KEPT {
            self.kept.add(term, count.into())?;
        }
        Ok(())
    }
}

/// Writes the section of a field whose words beside stems are written, if the segment is to have it.
pub(super) fn write_of_words(writer: &mut SegmentWriter, field: usize) -> Result<()> {
    if !writer.has_frequent(field) {
        return Ok(());
    }
    let (field, documents) = (field as u8, writer.documents());
    let map = Written::of(writer, Section::Words, field, words::HEAD)?;
    let of_words = map.words()?;
    let mut counts = memory::room(of_words.len())?;
    let mut values = of_words.values();
    while let Some(value) = values.next() {
        counts.push(words::Words::documents(value).min(documents.into()) as u32);
    }
    let mut levels = Levels::of(&counts, writer.path())?;
    levels.insert_all(of_words.stream(), &counts)?;
    drop(map);
    levels.write(writer, field)
}

/// Writes the section of a field whose terms are written, with these counts.
pub(super) fn write_of_terms(writer: &mut SegmentWriter, field: u8, of: Counts) -> Result<()> {
    let Counts { counts, kept } = of;
    let mut levels = Levels::of(&counts, writer.path())?;
    if levels.fewest().is_none_or(|fewest| fewest >= KEPT) {
        kept.iter().try_for_each(|(term, count)| levels.insert(term, count))?;
    } else {
        let map = Written::of(writer, Section::Dictionary, field, 0)?;
        levels.insert_all(map.words()?.stream(), &counts)?;
    }
    levels.write(writer, field)
}

/// A map that has been written.
struct Written {
    map: Mmap,
    place: Range<usize>,
    path: PathBuf,
}

impl Written {
    /// That of a section, behind `head` bytes.
    fn of(writer: &mut SegmentWriter, section: Section, field: u8, head: usize) -> Result<Written> {
        let (map, range) = writer.map_section(section, field)?;
        Ok(Written { map, place: range.start + head..range.end, path: writer.path().to_owned() })
    }

    fn words(&self) -> Result<fst::Map<&[u8]>> {
        fst::Map::new(&self.map[self.place.clone()]).map_err(|error| not_built(&self.path, error))
    }
}

/// The levels of a section, as words come in.
struct Levels {
    /// The fewest documents of each one's words, descending.
    levels: Vec<(u32, MapBuilder<Vec<u8>>)>,
    path: PathBuf,
}

impl Levels {
    /// Those of words with these counts, none of which has come in.
    fn of(counts: &[u32], path: &Path) -> Result<Levels> {
        let levels = leasts(counts)?.into_iter().map(|least| (least, MapBuilder::memory())).collect();
        Ok(Levels { levels, path: path.to_owned() })
    }

    /// Words in fewer documents are in no level.
    fn fewest(&self) -> Option<u32> {
        self.levels.last().map(|level| level.0)
    }

    /// Takes the next word.
    fn insert(&mut self, word: &[u8], count: u64) -> Result<()> {
        for (_, level) in self.levels.iter_mut().filter(|level| u64::from(level.0) <= count) {
            level.insert(word, count).map_err(|error| not_built(&self.path, error))?;
        }
        Ok(())
    }

    /// Takes all words, with their counts.
    fn insert_all(&mut self, mut words: map::Stream, counts: &[u32]) -> Result<()> {
        let mut counts = counts.iter();
        while !self.levels.is_empty()
            && let (Some((word, _)), Some(&count)) = (words.next(), counts.next())
        {
            self.insert(word, count.into())?;
        }
        Ok(())
    }

    fn write(self, writer: &mut SegmentWriter, field: u8) -> Result<()> {
        let Levels { levels, path } = self;
        let levels: Vec<(u32, Vec<u8>)> = levels
            .into_iter()
            .map(|(least, level)| Ok((least, level.into_inner().map_err(|error| not_built(&path, error))?)))
            .collect::<Result<_>>()?;
        writer.section(Section::Frequent, field, |out| {
            out.write_all(&(levels.len() as u64).to_le_bytes())?;
            for (least, level) in &levels {
                out.write_all(&u64::from(*least).to_le_bytes())?;
                out.write_all(&(level.len() as u64).to_le_bytes())?;
            }
            levels.iter().try_for_each(|(_, level)| out.write_all(level))
        })
    }
}

/// The fewest documents of each level's words, descending.
fn leasts(counts: &[u32]) -> Result<Vec<u32>> {
    let mut leasts = Vec::new();
    if counts.len() <= FEW_TERMS {
        return Ok(leasts);
    }
    let mut sorted = memory::room(counts.len())?;
    sorted.extend_from_slice(counts);
    for one_of in ONE_OF {
        let most = sorted.len() / one_of;
        let (_, &mut beyond, _) = sorted.select_nth_unstable_by(most, |a, b| b.cmp(a));
        // A level may have fewer words, not more.
        leasts.extend(beyond.checked_add(1));
    }
    leasts.dedup();
    Ok(leasts)
}
