//! Lists of phrases, made of the lists and positions of their words: `cl/op/phrase.cl`.

use super::items::{Made, build};
use super::provider::{PhraseWord, Provider, Wanted};
use super::{BOUNDS, ITEMS, LANES, NONE, ORDER, SCRATCH_SHARE, TABLES};
use crate::base::error::{Error, Result};
use crate::base::threads;
use crate::device::memory::{ALIGNMENT, Key, Placed, Slot};
use crate::device::program::{KernelOf, Source};
use crate::device::session::{Arg, Session};
use crate::device::tiled;
use once_cell::sync::OnceCell;
use std::collections::HashSet;
use std::time::Instant;

static SOURCE: Source = Source {
    name: "phrase",
    parts: &[
        include_str!("../../../cl/list.cl"),
        include_str!("../../../cl/tiled.cl"),
        include_str!("../../../cl/op/phrase.cl"),
    ],
};

/// The most words of a phrase; the host makes the lists of longer ones.
const MOST_WORDS: usize = 16;
/// The most positions that all words of a phrase have in a document together: a work-item looks at them one by one.
const MOST_POSITIONS: usize = 1 << 14;
/// Documents of rarest words that a launch looks at, unless a phrase alone has more.
const AT_ONCE: u64 = 1 << 26;
/// Documents with phrases that a launch finds, at most, and the bytes of one.
const MOST_FOUND: usize = 1 << 23;
const FOUND_BYTES: usize = 8;

/// Buffers that ranking uses after the lists are there.
const FOUND: [Slot; LANES] = BOUNDS;
const RANGES: [Slot; LANES] = ORDER;

/// A phrase whose list is missing.
struct Phrase<'p> {
    /// Its index in what is wanted.
    at: usize,
    segment: usize,
    term: usize,
    words: Vec<PhraseWord>,
    /// What the positions of its words are called.
    positions: Vec<Key<'p>>,
    /// The documents that contain its rarest word.
    rarest: u64,
}

impl Phrase<'_> {
    /// Its words, each with what its positions are called.
    fn each(&self) -> impl Iterator<Item = (&PhraseWord, &Key<'_>)> {
        self.words.iter().zip(&self.positions)
    }

    /// What a kernel needs of it: of each word the list and the positions.
    fn needs(&self) -> impl Iterator<Item = Wanted> + '_ {
        let Phrase { segment, term, .. } = *self;
        (0..self.words.len())
            .flat_map(move |word| [Wanted::Word { segment, term, word }, Wanted::Positions { segment, term, word }])
    }
}

fn kernel() -> KernelOf<'static> {
    static OPTIONS: OnceCell<String> = OnceCell::new();
    let options = OPTIONS.get_or_init(|| {
        let (header, positions_header) = (tiled::HEADER, tiled::positions::HEADER);
        format!(
            "-DITEMS={ITEMS}u -DALIGNMENT={ALIGNMENT}u -DHEADER={header}u -DPOSITIONS_HEADER={positions_header}u \
             -DMOST_WORDS={MOST_WORDS} -DMOST_POSITIONS={MOST_POSITIONS}u"
        )
    });
    KernelOf { source: &SOURCE, options, name: "phrase_find" }
}

impl Session<'_> {
    /// Makes the lists of those phrases among `wanted` that are not in the cache, if the positions of their words are, or are
    /// worth sending: see [`Wishes`](crate::device::memory::Wishes). The host has to make the others. `lane` is the present one; what was
    /// submitted to it is waited for.
    ///
    /// # Errors
    /// [`Error::Device`]; those of `provider`.
    pub(super) fn phrases(
        &mut self,
        lane: usize,
        threads: usize,
        wanted: &[Wanted],
        keys: &[Key<'_>],
        provider: &dyn Provider,
    ) -> Result<Made> {
        let mut made = Made::new();
        let missing = self.missing_phrases(wanted, keys, provider)?;
        if missing.is_empty() {
            return Ok(made);
        }
        for phrase in &missing {
            for positions in &phrase.positions {
                if !self.has(&positions.name()) {
                    self.wishes().add(positions, phrase.rarest);
                }
            }
        }
        let mut chosen = Vec::new();
        for phrase in missing {
            let mut words = phrase.each();
            if words.all(|(word, positions)| {
                self.has(&positions.name()) || self.wishes().are_enough(positions, word.documents)
            }) {
                drop(words);
                chosen.push(phrase);
            }
        }
        let mut rest = &chosen[..];
        while !rest.is_empty() {
            let mut sum = 0;
            let fits = |phrase: &&Phrase| {
                sum += phrase.rarest;
                sum <= AT_ONCE
            };
            let (now, later) = rest.split_at(rest.iter().take_while(fits).count().max(1));
            if !self.make(lane, threads, now, provider, &mut made)? {
                log::debug!("the positions of {} phrases do not fit in the cache of the device", now.len());
                break;
            }
            rest = later;
        }
        Ok(made)
    }

    /// The phrases among `wanted` whose lists are not in the cache, each once, but not those that are too long.
    fn missing_phrases<'p>(
        &self,
        wanted: &[Wanted],
        keys: &[Key<'_>],
        provider: &'p dyn Provider,
    ) -> Result<Vec<Phrase<'p>>> {
        let (mut missing, mut seen) = (Vec::new(), HashSet::new());
        for (at, (what, key)) in wanted.iter().zip(keys).enumerate() {
            let &Wanted::List { segment, term } = what else { continue };
            // Only what is made of several lists says what it is made of.
            if key.of.is_none() {
                continue;
            }
            let name = key.name();
            if self.has(&name) || !seen.insert(name) {
                continue;
            }
            let words = provider.phrase(segment, term)?;
            if !(2..=MOST_WORDS).contains(&words.len()) {
                continue;
            }
            let of_word = |word| provider.key(Wanted::Positions { segment, term, word });
            let Some(positions) = (0..words.len()).map(of_word).collect() else { continue };
            let rarest = words.iter().map(|word| word.documents).min().unwrap_or(0);
            missing.push(Phrase { at, segment, term, words, positions, rarest });
        }
        Ok(missing)
    }

    /// Makes the lists of phrases; false if what it takes does not fit in the cache together. Those of which documents have
    /// too many positions, or for which there is no room, are left out.
    fn make(
        &mut self,
        lane: usize,
        threads: usize,
        phrases: &[Phrase],
        provider: &dyn Provider,
        made: &mut Made,
    ) -> Result<bool> {
        let began = Instant::now();
        let wanted: Vec<Wanted> = phrases.iter().flat_map(Phrase::needs).collect();
        let keys: Option<Vec<Key>> = wanted.iter().map(|&what| provider.key(what)).collect();
        let keys = keys.ok_or_else(|| Error::Device("a phrase without a word".into()))?;
        let mut build = |missing: &[usize]| build(missing, &wanted, &mut Made::new(), provider, threads);
        let Some(places) = self.ensure_beside(&keys, &mut build)? else { return Ok(false) };
        for positions in phrases.iter().flat_map(|phrase| &phrase.positions) {
            self.wishes().granted(positions);
        }
        let ready = began.elapsed();
        let tables = Tables::new(phrases, &places);
        let [ranges, found] = self.find(lane, &tables)?;
        let run = began.elapsed() - ready;
        let threads = threads::at_most(threads, tables.phrases.len() / 4);
        let built = threads::map(threads, tables.phrases.len(), |which| {
            let (phrase, groups) = &tables.phrases[which];
            let Some((doc_ids, less_one)) = gather(&ranges[groups.clone()], &found) else { return Ok(None) };
            let words = provider.encode(phrase.segment, phrase.term, doc_ids, less_one)?;
            Ok(Some((phrase.at, words)))
        })?;
        let before = made.len();
        made.extend(built.into_iter().flatten());
        let (made, rest) = (made.len() - before, began.elapsed() - ready - run);
        log::debug!(
            "{made} of {} phrases made by a device: words sent in {ready:?}, found in {run:?}, encoded in {rest:?}",
            phrases.len()
        );
        Ok(true)
    }

    /// For each work-group the first document that it found, and their number; and the documents: docIDs, and frequencies
    /// less 1.
    fn find(&mut self, lane: usize, tables: &Tables) -> Result<[Vec<[u32; 2]>; 2]> {
        let limits = self.limits();
        let room = MOST_FOUND.min(limits.memory / SCRATCH_SHARE / FOUND_BYTES).min(ITEMS * tables.groups).max(1);
        self.upload(TABLES[lane], &tables.words)?;
        self.scratch(FOUND[lane], 2 * room)?;
        self.scratch(RANGES[lane], 2 * (1 + tables.groups))?;
        self.fill(RANGES[lane], 2, 0)?;
        let args = [
            Arg::Cache,
            Arg::Slot(TABLES[lane]),
            Arg::U32(tables.phrases.len() as u32),
            Arg::U32(tables.phrases.len() as u32),
            Arg::Slot(FOUND[lane]),
            Arg::U32(room as u32),
            Arg::Slot(RANGES[lane]),
        ];
        // SAFETY: places are those of items in the cache. Lists were encoded by `tiled` for one segment, so that ranges and
        // docIDs are within bounds; positions by `tiled::positions`, for as many postings as the list has, as `Tables::new`
        // checked. A phrase has at most `MOST_WORDS` words. `FOUND` has `room` entries, and `RANGES` one for each work-group
        // after its first.
        unsafe { self.launch(kernel(), tables.groups, ITEMS, &args)? };
        let mut words = Vec::new();
        self.read(RANGES[lane], 0..2 * (1 + tables.groups), &mut words)?;
        let ranges = words.as_chunks().0.to_vec();
        let count = (words[0] as usize).min(room);
        words.clear();
        self.read(FOUND[lane], 0..2 * count, &mut words)?;
        Ok([ranges, words.as_chunks().0.to_vec()])
    }
}

/// What the kernel is told.
struct Tables<'p> {
    /// Four words per phrase: first work-group, first word, end of its words, 0; then four per word: place of its list, place
    /// of its positions, what to add to them, 0.
    words: Vec<u32>,
    /// The phrases, and where the ranges of each one's work-groups are.
    phrases: Vec<(&'p Phrase<'p>, std::ops::Range<usize>)>,
    groups: usize,
}

impl Tables<'_> {
    /// `places`: of the list and the positions of each word of each phrase.
    fn new<'p>(phrases: &'p [Phrase], places: &[Placed]) -> Tables<'p> {
        let mut tables = Tables { words: Vec::new(), phrases: Vec::with_capacity(phrases.len()), groups: 0 };
        let (mut words, mut rest) = (Vec::with_capacity(2 * places.len()), places.as_chunks::<2>().0);
        for phrase in phrases {
            let (own, others) = rest.split_at(phrase.words.len().min(rest.len()));
            rest = others;
            // Without positions the host has to do it.
            if own.iter().any(|[list, positions]| list.front != positions.front) {
                continue;
            }
            let mut own: Vec<(&[Placed; 2], u32)> =
                own.iter().zip(phrase.words.iter().map(|word| word.offset)).collect();
            let last = own.iter().map(|&(_, offset)| offset).max().unwrap_or(0);
            own.sort_by_key(|([list, _], _)| list.front);
            let Some(([rarest, _], _)) = own.first() else { continue };
            let first = words.len() as u32 / 4;
            tables.words.extend([tables.groups as u32, first, first + own.len() as u32, 0]);
            let groups = (rarest.front as usize).div_ceil(ITEMS);
            // The first range is that of all.
            tables.phrases.push((phrase, 1 + tables.groups..1 + tables.groups + groups));
            tables.groups += groups;
            words.extend(
                own.iter().flat_map(|([list, positions], offset)| [list.place, positions.place, last - offset, 0]),
            );
        }
        tables.words.extend(words);
        tables
    }
}

/// The documents in some ranges, in order: docIDs, and frequencies less 1. `None` if some were not found, as there were too
/// many, or they have too many positions.
fn gather(ranges: &[[u32; 2]], found: &[[u32; 2]]) -> Option<(Vec<u32>, Vec<u32>)> {
    let (mut doc_ids, mut less_one) = (Vec::new(), Vec::new());
    for &[first, count] in ranges {
        if count == NONE {
            return None;
        }
        let own = found.get(first as usize..first as usize + count as usize)?;
        doc_ids.extend(own.iter().map(|[doc_id, _]| doc_id));
        less_one.extend(own.iter().map(|[_, less_one]| less_one));
    }
    Some((doc_ids, less_one))
}

#[cfg(test)]
mod tests;
