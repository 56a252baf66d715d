//! The searches of the papers on uncompressed lists, as an experiment: `cl/lab/search.cl`. What the engine
//! uses is `device::intersect`.

mod aids;

pub use aids::{Aids, Line};

use crate::base::bits::digit_width;
use crate::base::error::{Error, Result};
use crate::base::huge_pages::try_with_room;
use crate::codec::Codec;
use crate::device::Device;
use crate::device::codec::{self, Codecs, Operation, check_fits};
use crate::device::memory::{ALIGNMENT, Slot};
use crate::device::pieces::Pieces;
use crate::device::session::{Arg, Session};
use crate::list::PostingList;
use crate::list::results::Results;
use aids::STRIDE;
use std::collections::HashMap;

/// A search on the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceSearch {
    /// Binary search of the whole list.
    Binary,
    /// Interpolation search.
    Interpolation,
    /// Binary search of the safe range of a regression line.
    LrRange,
    /// Binary search of the safe range of a line per segment.
    LrSegments,
    /// Descent through the levels of a skip list, from the top.
    SkipList,
    /// Binary search of the list's own buckets.
    HashSegmentation,
    /// Parallel merge find with that many levels of splitters, 4 at most.
    ParallelMerge(u32),
}

impl DeviceSearch {
    /// All searches.
    pub const ALL: [DeviceSearch; 11] = [
        DeviceSearch::Binary,
        DeviceSearch::Interpolation,
        DeviceSearch::LrRange,
        DeviceSearch::LrSegments,
        DeviceSearch::SkipList,
        DeviceSearch::HashSegmentation,
        DeviceSearch::ParallelMerge(0),
        DeviceSearch::ParallelMerge(1),
        DeviceSearch::ParallelMerge(2),
        DeviceSearch::ParallelMerge(3),
        DeviceSearch::ParallelMerge(4),
    ];

    /// The papers' abbreviation.
    pub fn name(self) -> &'static str {
        match self {
            DeviceSearch::Binary => "BS",
            DeviceSearch::Interpolation => "IS",
            DeviceSearch::LrRange => "LR",
            DeviceSearch::LrSegments => "LR per segment",
            DeviceSearch::SkipList => "SL",
            DeviceSearch::HashSegmentation => "HS",
            DeviceSearch::ParallelMerge(levels) => {
                ["PMF 0", "PMF 1", "PMF 2", "PMF 3", "PMF 4"][levels.min(4) as usize]
            }
        }
    }

    /// Whether lists need [`Aids`] for it.
    fn needs_aids(self) -> bool {
        matches!(self, DeviceSearch::LrRange | DeviceSearch::LrSegments | DeviceSearch::SkipList)
    }

    fn operation(self) -> &'static Operation {
        match self {
            DeviceSearch::Binary => &BINARY,
            DeviceSearch::Interpolation => &INTERPOLATION,
            DeviceSearch::LrRange => &LR,
            DeviceSearch::LrSegments => &LR_SEGMENTS,
            DeviceSearch::SkipList => &SKIP_LIST,
            DeviceSearch::HashSegmentation => &HASH,
            DeviceSearch::ParallelMerge(_) => &MERGE,
        }
    }
}

/// How what the work-items of a batch find is put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gathering {
    /// A scan of flags gives each docID its place, and a compaction writes it there.
    Scan,
    /// Work-groups reserve room, and the host puts their docIDs in order.
    Reserve,
}

/// Work-items of a work-group.
const ITEMS: usize = 256;
/// Words of a piece of the scan.
const SCAN: usize = 4 * ITEMS;
/// Words per list in the table of parameters, and per work-group in that of splitters.
const PARAMETERS: usize = 5;
const TASK: usize = 7;

const SEARCH: Operation = Operation {
    name: "",
    common: "",
    per_codec: "",
    kernels: include_str!("../../../cl/lab/search.cl"),
    geometry: &[
        ("ITEMS", ITEMS),
        ("SCAN", SCAN),
        ("PARAMETERS", PARAMETERS),
        ("TASK", TASK),
        ("STRIDE", STRIDE),
        ("ALIGNMENT", ALIGNMENT),
    ],
};
static BINARY: Operation = Operation { name: "search-binary", common: "#define SEARCH binary\n", ..SEARCH };
static INTERPOLATION: Operation =
    Operation { name: "search-interpolation", common: "#define SEARCH interpolation\n", ..SEARCH };
static LR: Operation = Operation { name: "search-lr", common: "#define SEARCH lr\n", ..SEARCH };
static LR_SEGMENTS: Operation =
    Operation { name: "search-lr-segments", common: "#define SEARCH lr_segments\n", ..SEARCH };
static SKIP_LIST: Operation = Operation { name: "search-skip-list", common: "#define SEARCH skip_list\n", ..SEARCH };
static HASH: Operation = Operation { name: "search-hash", common: "#define SEARCH hash\n", ..SEARCH };
static MERGE: Operation = Operation { name: "search-merge", common: "#define SEARCH merge\n", ..SEARCH };

const OUT: Slot = Slot(0);
const FLAGS: Slot = Slot(1);
const STARTS: Slot = Slot(2);
const TOTAL: Slot = Slot(3);
const RECORDS: Slot = Slot(4);
const TABLE: Slot = Slot(5);
const FIRST_GROUPS: Slot = Slot(6);
const TASKS: Slot = Slot(7);
const FIRST_LISTS: Slot = Slot(8);
const LISTS: Slot = Slot(9);
const RANKS: [Slot; 2] = [Slot(10), Slot(11)];
/// The sums of pieces, of pieces of these, and so on: enough for 2^32 words.
const SUMS: [Slot; 4] = [Slot(12), Slot(13), Slot(14), Slot(15)];

/// The most work-items of a batch, and ranks of splitters.
const MOST: usize = 1 << 30;

/// A batch, laid out as the kernels expect it.
#[derive(Default)]
struct Batch<'q> {
    /// The index in the batch of each query that has docIDs in all lists.
    queries: Vec<usize>,
    first_group: Vec<u32>,
    first_list: Vec<u32>,
    lists: Vec<&'q PostingList>,
    groups: usize,
}

impl<'q> Batch<'q> {
    fn new(queries: &'q [Vec<PostingList>]) -> Result<Batch<'q>> {
        let mut batch = Batch::default();
        let mut sorted: Vec<&PostingList> = Vec::new();
        for (at, query) in queries.iter().enumerate() {
            sorted.clear();
            sorted.extend(query);
            sorted.sort_unstable_by_key(|list| list.len());
            let Some(shortest) = sorted.first().filter(|shortest| !shortest.is_empty()) else { continue };
            if let Some(other) = sorted.iter().find(|list| list.codec() != Codec::Raw) {
                let what = format!("searches of uncompressed lists, not of {}", other.codec().name());
                return Err(Error::Argument(what));
            }
            sorted.iter().try_for_each(|list| check_fits(list))?;
            batch.queries.push(at);
            batch.first_group.push(batch.groups as u32);
            batch.first_list.push(batch.lists.len() as u32);
            batch.groups += shortest.len().div_ceil(ITEMS);
            batch.lists.extend(&sorted);
            if batch.groups * ITEMS > MOST || batch.lists.len() > MOST {
                return Err(Error::Device(format!("a batch of over {MOST} docIDs or lists is not supported")));
            }
        }
        batch.first_group.push(batch.groups as u32);
        batch.first_list.push(batch.lists.len() as u32);
        Ok(batch)
    }

    fn args(&self) -> [Arg; 5] {
        let queries = Arg::U32(self.queries.len() as u32);
        [Arg::Arena, Arg::Slot(FIRST_GROUPS), Arg::Slot(FIRST_LISTS), Arg::Slot(LISTS), queries]
    }
}

/// The splitters of one level of parallel merge find: a task per work-group, and the ranks that all have together.
struct Level {
    tasks: Vec<u32>,
    /// For each list, where its ranks begin.
    at: Vec<u32>,
    ranks: usize,
}

/// The levels of splitters, from the top, and the parameters of each list.
fn levels(batch: &Batch<'_>, levels: u32) -> Result<(Vec<Level>, Vec<u32>)> {
    let mut all: Vec<Level> = Vec::new();
    let mut parameters = vec![0; PARAMETERS * batch.lists.len()];
    for level in 0..levels {
        let mut this = Level { tasks: Vec::new(), at: vec![0; batch.lists.len()], ranks: 0 };
        for lists in batch.first_list.windows(2) {
            let (shortest, end) = (lists[0] as usize, lists[1] as usize);
            let count = batch.lists[shortest].len();
            let bits = digit_width(count, levels + 1);
            let stride = bits * (levels - level);
            // The splitters, and the end.
            let entries = ((count - 1) >> stride) + 2;
            for longer in shortest + 1..end {
                let above = all.last().map_or(0, |above| above.at[longer]);
                this.at[longer] = this.ranks as u32;
                for first in (0..entries).step_by(ITEMS) {
                    let from = [shortest as u32, longer as u32, first as u32, stride, bits, above, this.ranks as u32];
                    this.tasks.extend(from);
                }
                this.ranks += entries;
                let bits = if count == 1 { 0 } else { bits };
                parameters[PARAMETERS * longer..][..2].copy_from_slice(&[this.at[longer], bits]);
            }
        }
        if this.ranks > MOST {
            return Err(Error::Device(format!("over {MOST} splitters are not supported")));
        }
        all.push(this);
    }
    Ok((all, parameters))
}

/// The parameters of each list, and the words of all: a line is a list's parameters, other words are where the first
/// parameter says.
fn aids_of(batch: &Batch<'_>, aids: &Aids) -> Result<(Vec<u32>, Vec<u32>)> {
    let (mut parameters, mut words) = (Vec::with_capacity(PARAMETERS * batch.lists.len()), Vec::new());
    let mut known: HashMap<u64, usize> = HashMap::new();
    for list in &batch.lists {
        let aid = aids.get(list).ok_or_else(|| Error::Argument(format!("no aid of {list:?}")))?;
        if aids.search() == DeviceSearch::LrRange {
            parameters.extend_from_slice(aid);
            continue;
        }
        let at = *known.entry(list.id()).or_insert_with(|| {
            words.extend_from_slice(aid);
            words.len() - aid.len()
        });
        if words.len() > MOST {
            return Err(Error::Device(format!("over {MOST} words of aids are not supported")));
        }
        parameters.extend([at as u32, 0, 0, 0, 0]);
    }
    Ok((parameters, words))
}

impl Session<'_> {
    /// Sends the tables of a batch, and finds the splitters of parallel merge find.
    fn prepare(&mut self, batch: &Batch<'_>, aids: &Aids) -> Result<()> {
        let mut at = Vec::with_capacity(batch.lists.len());
        self.resident(batch.lists.iter().copied(), &mut at)?;
        let at: Vec<u32> = at.into_iter().map(|word| (word / ALIGNMENT as u64) as u32).collect();
        self.upload(LISTS, &at)?;
        self.upload(FIRST_GROUPS, &batch.first_group)?;
        self.upload(FIRST_LISTS, &batch.first_list)?;
        RANKS.into_iter().try_for_each(|slot| self.scratch(slot, 1))?;
        let search = aids.search();
        match search {
            DeviceSearch::ParallelMerge(count) => {
                let (levels, parameters) = levels(batch, count)?;
                self.upload(TABLE, &parameters)?;
                for (at, level) in levels.iter().enumerate() {
                    let (above, here) = (RANKS[(at + 1) % 2], RANKS[at % 2]);
                    self.upload(TASKS, &level.tasks)?;
                    self.scratch(here, level.ranks)?;
                    let args = [
                        Arg::Arena,
                        Arg::Slot(LISTS),
                        Arg::Slot(TASKS),
                        Arg::Slot(above),
                        Arg::Slot(here),
                        Arg::U32((at == 0).into()),
                    ];
                    let kernel = codec::kernel(search.operation(), Codecs::of(batch.lists.iter().copied()), "split");
                    // SAFETY: the lists are checked, accepted by `Batch::new`, and resident; there is a task per
                    // work-group, whose splitters have room in `here` as `levels` counted them. It reads those of the
                    // level before, of the same lists.
                    unsafe { self.launch(kernel, level.tasks.len() / TASK, ITEMS, &args)? };
                }
                Ok(())
            }
            DeviceSearch::LrRange | DeviceSearch::LrSegments | DeviceSearch::SkipList => {
                let (parameters, words) = aids_of(batch, aids)?;
                self.upload(RANKS[0], &words)?;
                self.upload(TABLE, &parameters)
            }
            _ => self.scratch(TABLE, 1),
        }
    }

    /// The slot with the ranks of the last level of splitters.
    fn last_ranks(search: DeviceSearch) -> Slot {
        match search {
            DeviceSearch::ParallelMerge(levels) if levels > 0 => RANKS[(levels as usize - 1) % 2],
            _ => RANKS[0],
        }
    }

    fn find_and_scan(&mut self, batch: &Batch<'_>, search: DeviceSearch, queries: usize) -> Result<Results> {
        let codecs = Codecs::of(batch.lists.iter().copied());
        let kernel = |name| codec::kernel(search.operation(), codecs, name);
        let words = batch.groups * ITEMS + 1;
        self.scratch(FLAGS, words)?;
        self.scratch(OUT, words)?;
        self.scratch(STARTS, batch.queries.len() + 1)?;
        let mut args = batch.args().to_vec();
        args.extend([Arg::Slot(TABLE), Arg::Slot(Self::last_ranks(search)), Arg::Slot(FLAGS)]);
        // SAFETY: the lists are checked, accepted by `Batch::new`, and resident; `prepare` uploaded the tables, which have
        // an entry for each query and one for the end, and parameters for each list. `FLAGS` has a word per work-item and
        // one more.
        unsafe { self.launch(kernel("search_flags"), batch.groups, ITEMS, &args)? };
        // From the flags up, until one piece holds all sums; then down again.
        let mut scanned = vec![(FLAGS, words)];
        for sums in SUMS {
            let (slot, count) = scanned[scanned.len() - 1];
            let pieces = count.div_ceil(SCAN);
            self.scratch(sums, pieces)?;
            let args = [Arg::Slot(slot), Arg::U32(count as u32), Arg::Slot(sums)];
            // SAFETY: `slot` has `count` words, and `sums` one per piece of these.
            unsafe { self.launch(kernel("scan"), pieces, ITEMS, &args)? };
            if pieces == 1 {
                break;
            }
            scanned.push((sums, pieces));
        }
        for pair in scanned.windows(2).rev() {
            let args = [Arg::Slot(pair[0].0), Arg::U32(pair[0].1 as u32), Arg::Slot(pair[1].0)];
            // SAFETY: as above.
            unsafe { self.launch(kernel("add"), pair[1].1, ITEMS, &args)? };
        }
        let mut args = batch.args().to_vec();
        args.extend([Arg::Slot(FLAGS), Arg::Slot(OUT), Arg::Slot(STARTS)]);
        // SAFETY: as for `search_flags`; `FLAGS` now has the number of docIDs before each work-item, which is less than
        // the words of `OUT`, and `STARTS` has a word per query and one more.
        unsafe { self.launch(kernel("compact"), batch.groups, ITEMS, &args)? };
        let mut starts = Vec::new();
        self.read(STARTS, 0..batch.queries.len() + 1, &mut starts)?;
        let total = starts.last().copied().unwrap_or(0) as usize;
        if total >= words || !starts.is_sorted() {
            return Err(Error::Device("a kernel reported results outside its output".into()));
        }
        let mut reading = self.start_reading(0, OUT, total)?;
        self.finish_reading(&mut reading)?;
        let out = self.words(&reading)?;
        let mut results = Results::with_room(queries, total)?;
        let mut found = batch.queries.iter().zip(starts.windows(2)).peekable();
        for query in 0..queries {
            let ends =
                found.next_if(|(at, _)| **at == query).map_or(0..0, |(_, ends)| ends[0] as usize..ends[1] as usize);
            results.push(|doc_ids| doc_ids.extend_from_slice(&out[ends]));
        }
        Ok(results)
    }

    fn find_and_reserve(&mut self, batch: &Batch<'_>, search: DeviceSearch, queries: usize) -> Result<Results> {
        self.scratch(OUT, batch.groups * ITEMS)?;
        self.fill(TOTAL, 1, 0)?;
        self.scratch(RECORDS, 2 * batch.groups)?;
        let mut args = batch.args().to_vec();
        args.extend([Arg::Slot(TABLE), Arg::Slot(Self::last_ranks(search))]);
        args.extend([Arg::Slot(OUT), Arg::Slot(TOTAL), Arg::Slot(RECORDS)]);
        let codecs = Codecs::of(batch.lists.iter().copied());
        // SAFETY: as in `find_and_scan`; `OUT` has room for a docID per work-item, and `RECORDS` a record per work-group.
        unsafe {
            let kernel = codec::kernel(search.operation(), codecs, "search_reserve");
            self.launch(kernel, batch.groups, ITEMS, &args)?;
        }
        let mut records = try_with_room(2 * batch.groups)?;
        self.read(RECORDS, 0..2 * batch.groups, &mut records)?;
        let pieces = Pieces::new(&records, batch.groups * ITEMS)?;
        let mut reading = self.start_reading(0, OUT, pieces.total())?;
        self.finish_reading(&mut reading)?;
        let out = self.words(&reading)?;
        let mut results = Results::with_room(queries, pieces.total())?;
        let mut found = batch.queries.iter().zip(batch.first_group.windows(2)).peekable();
        for query in 0..queries {
            let groups =
                found.next_if(|(at, _)| **at == query).map_or(0..0, |(_, ends)| ends[0] as usize..ends[1] as usize);
            results.push(|doc_ids| pieces.append(groups, out, doc_ids));
        }
        Ok(results)
    }
}

impl Device {
    /// For each query, the docIDs common to its lists, which must be uncompressed, ascending: each docID of the shortest
    /// list is searched in the others, by the search that the aids are for.
    ///
    /// # Errors
    /// [`Error::Device`]; [`Error::Argument`] for lists in another codec, and for a list without an aid that the search
    /// needs.
    pub fn search_batch(&self, queries: &[Vec<PostingList>], aids: &Aids, gathering: Gathering) -> Result<Results> {
        let batch = Batch::new(queries)?;
        if batch.groups == 0 {
            return Ok(Results::of_pieces(queries.len(), []));
        }
        let mut session = self.lock()?;
        session.prepare(&batch, aids)?;
        match gathering {
            Gathering::Scan => session.find_and_scan(&batch, aids.search(), queries.len()),
            Gathering::Reserve => session.find_and_reserve(&batch, aids.search(), queries.len()),
        }
    }
}
